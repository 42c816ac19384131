"""Completions for the Tab key: commands, their options, and files of the workspace, as the session sees them.

Pure, except for `ask`, which makes a request that only reads.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from sandbox.command_line import PROGRAMS
from sandbox.commands import COMMANDS, FIND_KINDS, WORKSPACE, WRITE_MODES
from sandbox.console.typed import WORDS, positions
from sandbox.contract import Request, Result, SessionState

Ask = Callable[[Request], Result]
_SWITCH = ("on", "off")
_PATHS = ("path", "to", "venv_name")
_VALUES = {"mode": WRITE_MODES, "kind": FIND_KINDS}
_OPTIONS = ("timeout_s=", "terminal=")
# Characters that would split a word, or be read as shell syntax in a command line.
_ESCAPED = frozenset(" \t'\"\\|&;<>`$")
_MARK = "pyvenv.cfg"


@dataclass(frozen=True)
class Offer:
    """A completion at the cursor. `open`: the word may continue, as after a folder."""

    word: str
    shown: str
    open: bool = False


@dataclass(frozen=True)
class Typed:
    """A line up to the cursor: its whole words, where the unfinished one starts, and what it is without its quotes."""

    words: tuple[str, ...]
    start: int
    word: str
    is_quoted: bool


def offers(line: str, state: SessionState, ask: Ask) -> list[tuple[str, str]]:
    """The possible lines, each with what to show for it; sorted by name, folders as `name/`.

    Words are quoted so that the session reads them correctly. Names with terminal control characters are not offered.
    """
    typed = read(line)
    fitting = {offer for offer in _offers(typed, state, ask) if offer.word.startswith(typed.word)}
    found = sorted((offer for offer in fitting if offer.word.isprintable()), key=lambda offer: offer.shown)
    return [(line[: typed.start] + _written(offer, typed.is_quoted), offer.shown) for offer in found]


def read(line: str) -> Typed:
    """Split a line as `shlex.split` does, but allow an unfinished last word."""
    words: list[str] = []
    word, start, quote, inside, quoted, at = "", 0, "", False, False, 0
    while at < len(line):
        character = line[at]
        if not inside and not character.isspace():
            inside, start, quoted = True, at, False
        if quote != "'" and character == "\\":
            at += 1
            following = line[at : at + 1]
            # In double quotes a backslash is literal, except before the two characters that it escapes.
            word += following if not quote or following in ('"', "\\", "") else f"\\{following}"
        elif quote and character == quote:
            quote = ""
        elif not quote and character in "'\"":
            quote, quoted = character, True
        elif inside and not quote and character.isspace():
            words.append(word)
            word, inside = "", False
        elif inside:
            word += character
        at += 1
    return Typed(tuple(words), start if inside else len(line), word, quoted and inside)


def _written(offer: Offer, quoted: bool) -> str:
    if not quoted:
        # Escape each character separately, so that a common prefix of names stays common when written.
        word = "".join(f"\\{character}" if character in _ESCAPED else character for character in offer.word)
        return word if offer.open else f"{word} "
    escaped = offer.word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}' if offer.open else f'"{escaped}" '


def _offers(typed: Typed, state: SessionState, ask: Ask) -> Iterable[Offer]:
    if not typed.words:
        return _plain([*COMMANDS, *WORDS])
    command, *words = typed.words
    if command == "help":
        return _plain([*COMMANDS, *WORDS]) if not words else ()
    if command in ("json", "toggle_autonomous_mode"):
        return _plain(_SWITCH) if not words else ()
    if command == "run":
        return _of_a_program(typed.word, [word for word in words if not word.startswith(_OPTIONS)], ask)
    if command == "unset_env":
        return _plain(state.env) if not words else ()
    if command == "activate_venv":
        return _environments(state.cwd, ask) if not words else ()
    return _of_a_command(command, words, typed.word, ask)


def _plain(words: Iterable[str]) -> Iterator[Offer]:
    return (Offer(word, word) for word in words)


def _of_a_program(word: str, words: list[str], ask: Ask) -> Iterator[Offer]:
    if not words and "/" not in word:
        yield from _plain(PROGRAMS)
        yield from (Offer(option, option, open=True) for option in _OPTIONS)
    yield from _paths(word, ask)


def _of_a_command(command: str, words: list[str], word: str, ask: Ask) -> Iterator[Offer]:
    needed, optional = positions(command)
    if len(words) < len(needed):
        yield from _of_a_parameter(command, needed[len(words)], word, ask)
        return
    given = words[len(needed) :]
    name, equals, value = word.partition("=")
    if equals and name in optional:
        for offer in _of_a_parameter(command, name, value, ask):
            yield Offer(f"{name}={offer.word}", offer.shown, offer.open)
        return
    free = [name for name in optional if not any(other.partition("=")[0] == name for other in given)]
    for name in free:
        is_switch = COMMANDS[command].optional.get(name) is bool
        yield Offer(name if is_switch else f"{name}=", name if is_switch else f"{name}=", open=not is_switch)
    # The name of a switch alone turns it on, and was offered; on and off follow `name=`.
    if optional and not given and COMMANDS[command].optional[optional[0]] is not bool:
        yield from _of_a_parameter(command, optional[0], word, ask)


def _of_a_parameter(command: str, name: str, word: str, ask: Ask) -> Iterator[Offer]:
    if name in _PATHS:
        yield from _paths(word, ask, only_folders=command in ("cd", "mkdir"))
    elif COMMANDS[command].optional.get(name) is bool:
        yield from _plain(_SWITCH)
    else:
        yield from _plain(_VALUES.get(name, ()))


def _paths(word: str, ask: Ask, *, only_folders: bool = False) -> Iterator[Offer]:
    """The contents of the folder in the word so far; names that begin with a dot only if the word does."""
    above, slash, begun = word.rpartition("/")
    listed = ask(Request("ls", {"path": f"{above}/" if slash else "."}))
    for item in listed.data.get("items", ()) if listed.ok else ():
        name, is_folder = item["name"], item["kind"] == "dir"
        if "raw_name" in item or (name.startswith(".") and not begun.startswith(".")):
            continue
        if is_folder:
            yield Offer(f"{above}{slash}{name}/", f"{name}/", open=True)
        elif not only_folders:
            yield Offer(f"{above}{slash}{name}", name)


def _environments(cwd: str, ask: Ask) -> Iterator[Offer]:
    found = ask(Request("find", {"path": WORKSPACE, "pattern": _MARK, "kind": "file"}))
    for item in found.data.get("items", ()) if found.ok else ():
        folder = item["path"].rpartition("/")[0]
        if folder:
            path = posixpath.relpath(folder, cwd or ".")
            yield Offer(path, path)
