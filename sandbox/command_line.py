"""Command lines: split without a shell, and checked against the list of programs. Pure."""

from __future__ import annotations

import shlex

from sandbox.commands import MAX_LINE_CHARS, Refusal, place, within

# The jail is the boundary, not this list (python alone could do anything inside). The list keeps plans readable and
# mistakes small: a reviewer sees one of a few known programs or a file of the workspace.
PROGRAMS = frozenset(
    (  # noqa: SIM905 - a list of words reads better as words
        "awk basename cat cmp comm cp cut date df diff dirname du echo env expr false file find git grep "
        "gunzip gzip head id join ln ls make md5sum mkdir mv nl od paste patch pip pip3 printf pwd pytest "
        "python python3 realpath rm rmdir sed seq sha1sum sha256sum sleep sort split stat tail tar tee test "
        "touch tr tree true uname uniq unzip wc which xargs zip "
    ).split()
)
_OPERATORS = "|&;<>`\n"


def split(line: str) -> list[str]:
    """The words of a command line. Raises Refusal for shell syntax, because no shell would interpret it."""
    if len(line) > MAX_LINE_CHARS:
        raise Refusal("INVALID_PARAMETERS", f"command_line is longer than {MAX_LINE_CHARS} characters")
    operator = _unquoted_operator(line)
    if operator:
        raise Refusal(
            "INVALID_PARAMETERS",
            f"command_line holds {operator!r}, but there is no shell; run one program at a time, "
            "or quote it to mean the character itself",
        )
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise Refusal("INVALID_PARAMETERS", f"command_line cannot be split: {error}") from error
    if not words:
        raise Refusal("INVALID_PARAMETERS", "command_line is empty")
    return words


def _unquoted_operator(line: str) -> str:
    quote = ""
    position = 0
    while position < len(line):
        character = line[position]
        if character == "\\" and quote != "'":
            position += 1
        elif quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in _OPERATORS:
            return character
        elif line.startswith("$(", position):
            return "$("
        position += 1
    return ""


def candidates(words: list[str], cwd: str, venv: str | None) -> list[list[str]]:
    """The command lines that `words` may mean, best first. Raises Refusal for a program that is not allowed.

    Every candidate names its program by a path, or by a bare name on the jail's PATH.
    """
    name, rest = words[0], words[1:]
    if "/" in name:
        return [[within(place(cwd, name)), *rest]]
    own = [] if venv is None else [[within(f"{venv}/bin/{name}"), *rest]]
    if name not in PROGRAMS:
        if own:
            return own
        raise Refusal(
            "PERMISSION_ERROR",
            f"{name[:64]!r} is not a program that may be run; allowed are {', '.join(sorted(PROGRAMS))}, "
            "and files of the workspace such as ./name",
        )
    if name == "python":
        return [*own, ["python3", *rest]]
    if name in ("pip", "pip3", "pytest") and venv is None:
        module = "pytest" if name == "pytest" else "pip"
        return [[name, *rest], ["python3", "-m", module, *rest]]
    return [*own, [name, *rest]]
