"""The session for a person: typed lines, answered as readable text or in JSON."""

from __future__ import annotations

import json
import os
import readline
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from sandbox.commands import Refusal
from sandbox.console import completion, readable
from sandbox.console.typed import help_on, help_text, parse, prompt
from sandbox.contract import Request, Result, SandboxError
from sandbox.jail import probe
from sandbox.jail.probe import LEVELS
from sandbox.sessions.session import Session

MOST_HISTORY = 1000
MOST_LINE_CHARS = 2000
MOST_OFFERS = 100
_HISTORY_BYTES = 4 << 20


class Terminal:
    """Runs typed lines. `as_json`: one line of JSON for each, and no output of a program before it ends."""

    def __init__(self, session: Session, *, as_json: bool) -> None:
        self._session = session
        self._as_json = as_json

    def do(self, line: str) -> bool:
        """Run one line and show the result; returns whether it succeeded."""
        command = line.split(maxsplit=1)[0]
        flows = {"stdout": readable.Flow(), "stderr": readable.Flow()}
        result = self._answer(command, line, None if self._as_json else flows)
        if self._as_json:
            # ASCII only: a program's output may contain characters that control a terminal.
            print(json.dumps(result.as_json()), flush=True)
        else:
            self._show(command, result, flows)
        return result.ok

    def _answer(self, command: str, line: str, flows: dict[str, readable.Flow] | None) -> Result:
        try:
            match command:
                case "env":
                    return self._said(env=dict(self._session.state.env))
                case "help":
                    words = line.split()[1:]
                    return self._said(message=help_on(words[0]) if words else help_text())
                case "json":
                    return self._switched(line.split()[1:])
            return self._execute(parse(line, self._session.state), flows)
        except Refusal as refusal:
            return Result("ERROR", {}, refusal.error_class, str(refusal), self._session.level)

    def _said(self, **data: object) -> Result:
        return Result("SUCCESS", data, level=self._session.level)

    def _switched(self, words: list[str]) -> Result:
        if words not in (["on"], ["off"]):
            raise Refusal("INVALID_PARAMETERS", "usage: json on|off")
        self._as_json = words == ["on"]
        return self._said(message=f"Answers are {'lines of JSON' if self._as_json else 'readable'} from now on.")

    def _execute(self, request: Request, flows: dict[str, readable.Flow] | None) -> Result:
        """Ctrl-C cancels the running program."""
        cancel = threading.Event()
        before = signal.signal(signal.SIGINT, lambda *_: cancel.set())

        def hear(stream: str, data: bytes) -> None:
            if flows is not None:
                _pass_on(stream, flows[stream].add(data))

        try:
            return self._session.execute(request, on_output=hear, cancel=cancel)
        finally:
            signal.signal(signal.SIGINT, before)

    def _show(self, command: str, result: Result, flows: dict[str, readable.Flow]) -> None:
        for stream, flow in flows.items():
            _pass_on(stream, flow.add(b"", last=True))
        if sys.stdout.isatty() and any(flow.is_mid_line for flow in flows.values()):
            print()
        for line in readable.lines(command, result):
            print(line)
        sys.stdout.flush()
        if not result.ok:
            print(readable.error(result), file=sys.stderr, flush=True)

    def offers(self, line: str) -> list[tuple[str, str]]:
        """The completions for a line; none if the session cannot list them."""
        try:
            return completion.offers(line, self._session.state, self._session.execute)
        except (SandboxError, OSError):
            return []


def _pass_on(stream: str, text: str) -> None:
    if text:
        print(text, end="", file=sys.stdout if stream == "stdout" else sys.stderr, flush=True)


def interact(session: Session, root: Path, history: Path, *, as_json: bool) -> None:
    """Read and run lines until `exit` or the end of the input."""
    print(banner(root, session.level))
    terminal = Terminal(session, as_json=as_json)
    _bind_tab(terminal, session)
    with _remembering(history):
        while True:
            try:
                typed = input(prompt(session.state))
            except KeyboardInterrupt:
                print()
                continue
            except EOFError:
                print()
                return
            remember(typed)
            line = typed.strip()
            if line in ("exit", "quit"):
                print("Exiting.")
                return
            if line:
                terminal.do(line)


def banner(root: Path, level: str) -> str:
    """The folder and the isolation level; below the best level, the reason."""
    said = [f"--- mindX session over {readable.harmless(str(root))}, isolation {level} ---"]
    if level != LEVELS[-1]:
        reasons = probe.level().reasons
        said += [
            f"No {better}: {readable.harmless(reasons[better])}" for better in reversed(LEVELS) if better in reasons
        ]
    said.append("Type 'help' for a list of commands, or 'exit' to quit.")
    return "\n".join(said)


@contextmanager
def _remembering(history: Path) -> Iterator[None]:
    """The last thousand lines of earlier sessions and of this one, readable by the owner only.

    Left out: long ones, those that begin with a space, and values of variables, which may be secrets.
    """
    readline.set_auto_history(False)
    readline.set_history_length(MOST_HISTORY)
    with suppress(OSError):
        if history.stat().st_size <= _HISTORY_BYTES:
            readline.read_history_file(history)
    try:
        yield
    finally:
        before = os.umask(0o077)
        try:
            readline.write_history_file(history)
            history.chmod(0o600)
        except OSError as error:
            print(f"The history is not saved: {error}", file=sys.stderr)
        finally:
            os.umask(before)


def remember(line: str) -> None:
    """Add a typed line to the history, unless it must be left out."""
    is_secret = line.startswith((" ", "set_env"))
    last = readline.get_history_item(readline.get_current_history_length())
    if line.strip() and not is_secret and len(line) <= MOST_LINE_CHARS and line != last:
        readline.add_history(line)


def _bind_tab(terminal: Terminal, session: Session) -> None:
    found: list[tuple[str, str]] = []

    def complete(text: str, place: int) -> str | None:
        nonlocal found
        if place == 0:
            found = terminal.offers(text)
        return found[place][0] if place < len(found) else None

    def show(_substitution: str, _matches: Sequence[str], _longest: int) -> None:
        names = [shown for _, shown in found[:MOST_OFFERS]]
        more = f"  … and {len(found) - MOST_OFFERS:,} more" if len(found) > MOST_OFFERS else ""
        print("\n" + "  ".join(names) + more)
        print(prompt(session.state) + readline.get_line_buffer(), end="", flush=True)

    # For readline the whole line is one word, because it does not know our quoting.
    readline.set_completer_delims("")
    readline.set_completer(complete)
    readline.set_completion_display_matches_hook(show)
    readline.parse_and_bind("set show-all-if-ambiguous on")
    readline.parse_and_bind("tab: complete")
