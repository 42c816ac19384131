"""Paths inside a workspace: which ones people may bring in, and how any of them is written into an address."""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

from agents.presentation import hidden
from agents.record.errors import WorkspaceRefused

NAME_MAX_BYTES = 255
PATH_MAX_BYTES = 2_048
DEPTH_MAX = 64

_ESCAPED_IN_ADDRESSES = re.compile("[%\\\\?#\x00-\x1f\x7f\udc80-\udcff]")


def checked(path: str | bytes, field: str = "path") -> bytes:
    """The path as a workspace stores it. Raises WorkspaceRefused for one that nobody should have to read twice.

    Refused: absolute paths, `..`, backslashes, control, invisible and bidirectional characters, names that are not
    UTF-8, and what is too long or too deep for every file system.
    """
    text = path if isinstance(path, str) else path.decode("utf-8", "surrogateescape")
    shown = f"“{hidden.visible_text(text[:120])}”"
    for char in text:
        if hidden.is_hidden(char):
            raise WorkspaceRefused(field, f"{shown} holds {hidden.code_point(char)}, which nobody can see. Rename it.")
    if "\\" in text:
        raise WorkspaceRefused(field, f"{shown} holds a backslash. Use / between folders.")
    if text.startswith("/") or re.match(r"[A-Za-z]:/", text):
        raise WorkspaceRefused(field, f"{shown} is absolute. Use a path inside the workspace, such as notes/today.txt.")
    names = text.split("/")
    if ".." in names:
        raise WorkspaceRefused(field, f"{shown} leaves the workspace. Use a path without “..”.")
    if "" in names or "." in names:
        raise WorkspaceRefused(field, f"{shown} has an empty name in it. Use a path such as notes/today.txt.")
    if len(names) > DEPTH_MAX:
        raise WorkspaceRefused(field, f"{shown} lies {len(names):,} folders deep; {DEPTH_MAX} is the most.")
    data = text.encode()
    if len(data) > PATH_MAX_BYTES or max(len(name.encode()) for name in names) > NAME_MAX_BYTES:
        raise WorkspaceRefused(
            field, f"{shown} is too long: {NAME_MAX_BYTES} bytes a name, {PATH_MAX_BYTES:,} a path. Shorten it."
        )
    return data


def to_address(path: bytes) -> str:
    """Any path as text that survives an address: bytes that are not UTF-8, `%` and the like become `%XX`."""
    text = path.decode("utf-8", "surrogateescape")
    return _ESCAPED_IN_ADDRESSES.sub(lambda match: f"%{ord(match.group()) & 0xFF:02X}", text)


def from_address(text: str) -> bytes:
    """The path that `to_address` wrote."""
    return unquote_to_bytes(text.strip("/"))


def to_text(path: bytes) -> str:
    """The path as text to show; bytes that are not UTF-8 stay recognisable and are marked where they are shown."""
    return path.decode("utf-8", "surrogateescape")
