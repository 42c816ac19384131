"""`python -m sandbox`: a jailed session for people, interactive or from a script.

Exit codes: 0 every command succeeded, 1 one failed, 2 wrong usage, 3 the sandbox cannot be had.
"""

from __future__ import annotations

import argparse
import json
import os
import readline
import signal
import sys
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sandbox.commands import COMMANDS, Refusal
from sandbox.contract import Result, SandboxError, SessionState
from sandbox.jail.probe import LEVELS
from sandbox.places import data_folder
from sandbox.session import Session, open_session
from sandbox.snapshots import SnapshotStore
from sandbox.typed import help_text, parse, prompt

_FAILED, _USAGE, _UNAVAILABLE = 1, 2, 3


def main() -> int:
    arguments = _arguments()
    root = Path(arguments.root) if arguments.root else data_folder() / "sandbox" / "terminal"
    try:
        root.mkdir(parents=True, exist_ok=True)
        store = SnapshotStore(data_folder() / "sandbox" / "undo")
        minimum = os.environ.get("MINDX_SANDBOX_MIN", LEVELS[-1])
        with open_session(root, SessionState(), minimum=minimum, store=store) as session:
            if arguments.command:
                return _script(session, arguments.command, arguments.json)
            return _interactive(session, root, arguments.json)
    except SandboxError as error:
        print(f"The sandbox failed: {error}", file=sys.stderr)
        return _UNAVAILABLE
    except OSError as error:
        print(f"{root} cannot be used: {error}", file=sys.stderr)
        return _USAGE


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m sandbox", description="A jailed session over one folder.")
    parser.add_argument("--root", metavar="DIR", help="the folder to work in (default: one of its own)")
    parser.add_argument("-c", dest="command", action="append", metavar="COMMAND", help="run it and exit; repeatable")
    parser.add_argument("--json", action="store_true", help="one line of JSON for each command")
    return parser.parse_args()


def _script(session: Session, lines: Iterable[str], compact: bool) -> int:
    """Runs commands until one fails."""
    for line in lines:
        result = _execute(session, line)
        _show(result.as_json(), compact)
        if not result.ok:
            return _FAILED
    return 0


def _interactive(session: Session, root: Path, compact: bool) -> int:
    print(f"--- mindX session over {root}, isolation {session.level} ---")
    print("Type 'help' for a list of commands, or 'exit' to quit.")
    history = data_folder() / "sandbox" / "history"
    _prepare_line_editing(history)
    try:
        while True:
            try:
                line = input(prompt(session.state)).strip()
            except KeyboardInterrupt:
                print()
                continue
            except EOFError:
                print()
                return 0
            if line in ("exit", "quit"):
                print("Exiting.")
                return 0
            if line == "help":
                print(help_text())
            elif line:
                _show(_execute(session, line).as_json(), compact)
    finally:
        readline.write_history_file(history)
        history.chmod(0o600)


def _execute(session: Session, line: str) -> Result:
    """One typed command; Ctrl-C cancels the program it runs."""
    if line.strip() == "env":
        return Result("SUCCESS", {"env": dict(session.state.env)}, level=session.level)
    cancel = threading.Event()
    before = signal.signal(signal.SIGINT, lambda *_: cancel.set())
    try:
        return session.execute(parse(line, session.state), cancel=cancel)
    except Refusal as refusal:
        return Result("ERROR", {}, refusal.error_class, str(refusal), session.level)
    finally:
        signal.signal(signal.SIGINT, before)


def _show(answer: dict[str, Any], compact: bool) -> None:
    # ASCII only: what a program wrote may hold characters that steer a terminal.
    print(json.dumps(answer, indent=None if compact else 2), flush=True)


def _prepare_line_editing(history: Path) -> None:
    if history.exists():
        readline.read_history_file(history)
    readline.set_history_length(1000)
    words = [*COMMANDS, "env", "help", "exit"]
    readline.set_completer(lambda text, place: ([word for word in words if word.startswith(text)] + [None])[place])
    readline.parse_and_bind("tab: complete")


if __name__ == "__main__":
    sys.exit(main())
