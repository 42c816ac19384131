"""What summarization's commands read, as plain fields. Lives in the jail.

A file is opened below the session's folder and no link is followed: what lies around the workspace, as the jail's own
files, belongs to nobody's text.
"""

from __future__ import annotations

import os
import stat
from dataclasses import astuple
from pathlib import Path
from typing import Any

from agents.toolkit.refusal import Refused
from agents.toolkit.summarization.candidates import choose
from agents.toolkit.summarization.sentences import read

MOST_FILE_BYTES = 16 << 20
MOST_TEXT_BYTES, PASSAGES = 400_000, 20


def main(params: dict[str, Any]) -> dict[str, Any]:
    """The text, or the sentences to choose from (`only_sentences`), of a file or of the text that was given."""
    try:
        name, text = (
            (_shown(params["path"]), _decoded(params["path"])) if "path" in params else ("the text", params["text"])
        )
        if not text.strip():
            raise Refused("INVALID_PARAMETERS", f"{name} is empty")
    except Refused as refused:
        return refused.answer()
    # As JSON a control character takes six bytes, and says nothing.
    text = "".join(char if char >= " " or char in "\n\t" else " " for char in text.replace("\r\n", "\n"))
    answer = {"of": name, "whole_chars": len(text)}
    if not params["only_sentences"]:
        return answer | {"text": passages(text)}
    chosen = choose(read(text))
    told = [astuple(one) for one in chosen.candidates]
    return answer | {"candidates": told, "there": chosen.there, "title": chosen.title[:200]}


def passages(text: str) -> str:
    """The text, or of one above 400,000 bytes twenty passages from its beginning to its end that are shorter."""
    raw = text.encode("utf-8", "replace")
    if len(raw) <= MOST_TEXT_BYTES:
        return text
    length = MOST_TEXT_BYTES // PASSAGES - 2
    pieces = []
    for number in range(PASSAGES):
        start = number * (len(raw) - length) // (PASSAGES - 1)
        piece = raw[start : start + length].decode("utf-8", "ignore")
        if start and "\n" in piece[: len(piece) // 2]:
            piece = piece[piece.index("\n") + 1 :]
        pieces.append(piece)
    # Of a text that is hardly too long the passages would overlap.
    return "\n\n".join(pieces) if PASSAGES * length < len(raw) else raw[: PASSAGES * length].decode("utf-8", "ignore")


def _decoded(path: str) -> str:
    """The text of a file. Raises Refused."""
    name, raw = _shown(path), _content(path)
    try:
        text = raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError:
        raise Refused("INVALID_PARAMETERS", f"{name} is no text in UTF-8") from None
    if "\0" in text:
        raise Refused("INVALID_PARAMETERS", f"{name} is no text: it holds zero bytes")
    return text


def _content(path: str) -> bytes:
    name, descriptor = _shown(path), _opened(path)
    if stat.S_ISDIR(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise Refused("INVALID_PARAMETERS", f"{name} is a folder")
    with open(descriptor, "rb") as file:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            raise Refused("INVALID_PARAMETERS", f"{name} is not a file")
        # Bound into the jail from elsewhere it would be another file system's, whatever its name.
        if before.st_dev != Path().stat().st_dev:
            raise Refused("PERMISSION_ERROR", f"{name} lies outside of the workspace")
        if before.st_size > MOST_FILE_BYTES:
            raise Refused("INVALID_PARAMETERS", f"{name} is larger than {MOST_FILE_BYTES >> 20} MiB")
        raw = file.read(MOST_FILE_BYTES + 1)
        after = os.fstat(descriptor)
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns) or len(raw) != after.st_size:
        raise Refused("TOOL_EXECUTION_ERROR", f"{name} was changed while it was read; try again")
    return raw


def _opened(path: str) -> int:
    """A descriptor of what lies there, reached without a link. That the path stays inside was looked at before."""
    name = _shown(path)
    if path.startswith("/"):
        raise Refused("PERMISSION_ERROR", f"{name} lies outside of the workspace")
    *folders, last = [part for part in path.split("/") if part not in ("", ".")] or ["."]
    here = os.open(".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for folder in folders:
            deeper = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
            os.close(here)
            here = deeper
        if stat.S_ISLNK(os.stat(last, dir_fd=here, follow_symlinks=False).st_mode):
            raise Refused("PERMISSION_ERROR", f"{name} is a link, and links are not followed: name the file itself")
        # A pipe would wait for its writer for ever.
        return os.open(last, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=here)
    except NotADirectoryError:
        reason = f"{name}: there is a file or a link on the way, and links are not followed"
        raise Refused("PERMISSION_ERROR", reason) from None
    except OSError as error:
        raise Refused("INVALID_PARAMETERS", f"{name} cannot be read: {error.strerror}") from None
    finally:
        os.close(here)


def _shown(path: str) -> str:
    """The name as words can hold it: control characters and what hides are written out."""
    return "".join(char if char.isprintable() else f"\\u{{{ord(char):x}}}" for char in path)[:300]
