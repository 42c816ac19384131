"""May a value name a file or folder inside the workspace? One place for the answer, used by slots and by validation."""

from __future__ import annotations

import unicodedata

MAX_PART_BYTES = 255
MAX_PATH_BYTES = 1024
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def hidden_character(text: str) -> str | None:
    """Return the first character that cannot be seen or that turns the reading direction, as U+XXXX; None when all can
    be seen.
    """
    found = next((char for char in text if unicodedata.category(char) in _HIDDEN), None)
    return None if found is None else f"U+{ord(found):04X}"


def path_problem(path: str, cwd: str = "", *, single: bool = False) -> tuple[str, str] | None:
    """Return (code, message) when the value cannot name something inside the workspace, seen from the folder `cwd`.

    `single` wants one name without a slash. Codes: path_empty, path_hidden_character, path_absolute, path_outside,
    path_not_a_name, path_too_long.
    """
    hidden = hidden_character(path)
    if not path.strip():
        return "path_empty", "is empty; name a file or folder"
    if hidden:
        return "path_hidden_character", f"holds the hidden character {hidden}; type the name without it"
    if "\\" in path:
        return "path_not_a_name", "holds a backslash; separate folders with /"
    if path != path.strip():
        return "path_not_a_name", "begins or ends with a space; take it away"
    if path.startswith("-"):
        return "path_not_a_name", "begins with a dash, which programs read as an option; write ./ before it"
    if path.startswith(("/", "~")):
        return "path_absolute", "is not inside the workspace; write it relative to the current folder"
    if single and ("/" in path or path in (".", "..")):
        return "path_not_a_name", "is a path, not a name; write one name without “/”"
    if leaves_workspace(path, cwd):
        return "path_outside", "leads out of the workspace; stay below its root"
    if len(path.encode()) > MAX_PATH_BYTES or any(len(part.encode()) > MAX_PART_BYTES for part in path.split("/")):
        return "path_too_long", f"is too long; a name has at most {MAX_PART_BYTES} bytes, a path {MAX_PATH_BYTES}"
    return None


def leaves_workspace(path: str, cwd: str = "") -> bool:
    """Whether a relative path is above the root anywhere on its way, seen from the folder `cwd`, wherever it ends.

    Walked name by name: what climbs out may come back through a folder that only happens to have the root's name.
    """
    depth = 0
    for name in f"{cwd}/{path}".split("/"):
        depth += -1 if name == ".." else name not in ("", ".")
        if depth < 0:
            return True
    return False
