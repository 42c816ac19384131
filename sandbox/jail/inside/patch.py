"""Applying a unified diff to one text, exactly: each hunk at the line it names, every line of context as it stands.

Pure, and used on both sides: the helper writes with it, the review page shows with it what would be written.
"""

from __future__ import annotations

import re

_HUNK = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_NO_NEWLINE = b"\\ No newline at end of file"
_MOST_SHOWN = 80


class PatchFailed(Exception):
    """The patch cannot be applied; the message names the hunk and the line."""


def applied(before: bytes, patch: bytes) -> bytes:
    """The text after the patch. Raises PatchFailed; lines end with a line feed, and nothing else parts them."""
    old, after, at = _lines(before), [], 0
    for number, (head, body) in enumerate(_hunks(patch), 1):
        name = f"hunk {number} ({_shown(head)})"
        first, count, new_first, new_count = _numbers(name, head)
        gone, come = _sides(name, body)
        if (len(gone), len(come)) != (count, new_count):
            raise PatchFailed(f"{name} says -{count} +{new_count} lines and holds -{len(gone)} +{len(come)}")
        start = first - 1 if count else first
        if start < at:
            raise PatchFailed(f"{name} begins before the end of the one before it, or before the first line")
        if start > len(old):
            raise PatchFailed(f"{name} begins at line {first}, and the file has {len(old)}")
        after += old[at:start]
        if len(after) != (new_first - 1 if new_count else new_first):
            raise PatchFailed(f"{name} says it comes to stand at line {new_first}, and it would at {len(after) + 1}")
        for offset, line in enumerate(gone):
            here = old[start + offset] if start + offset < len(old) else None
            if here != line:
                raise PatchFailed(f"{name} does not fit: line {start + offset + 1} {_apart(here, line)}")
        after += come
        at = start + count
    after += old[at:]
    if any(not line.endswith(b"\n") for line in after[:-1]):
        raise PatchFailed("a line without a line feed would come to stand before the end")
    return b"".join(after)


def _lines(text: bytes) -> list[bytes]:
    lines = text.split(b"\n")
    last = lines.pop()
    return [line + b"\n" for line in lines] + ([last] if last else [])


def _hunks(patch: bytes) -> list[tuple[bytes, list[bytes]]]:
    """The hunks, each a head and its lines. File names before the first one are not looked at."""
    hunks: list[tuple[bytes, list[bytes]]] = []
    left = [0, 0]
    for line in patch.removesuffix(b"\n").split(b"\n"):
        found = _HUNK.match(line)
        if found and left == [0, 0]:
            left = [int(found[2] or 1), int(found[4] or 1)]
            hunks.append((line, []))
        elif hunks and (left != [0, 0] or line == _NO_NEWLINE):
            left = _left(left, line)
            hunks[-1][1].append(line)
        elif hunks and line:
            raise PatchFailed(f"after hunk {len(hunks)} stands {_shown(line)}; a patch is about one file, hunk by hunk")
    if not hunks:
        raise PatchFailed("the patch has no hunk; one begins with a line such as @@ -1,2 +1,3 @@")
    return hunks


def _left(left: list[int], line: bytes) -> list[int]:
    """How many old and new lines of a hunk are to come after this one."""
    if line == _NO_NEWLINE:
        return left
    old, new = line[:1] in (b" ", b"-", b""), line[:1] in (b" ", b"+", b"")
    return [max(0, left[0] - old), max(0, left[1] - new)]


def _numbers(name: str, head: bytes) -> tuple[int, int, int, int]:
    found = _HUNK.match(head)
    if found is None:
        raise PatchFailed(f"{name} has no line numbers")
    first, count, new_first, new_count = found.groups(default=b"1")
    if (int(count) and not int(first)) or (int(new_count) and not int(new_first)):
        raise PatchFailed(f"{name} begins at line 0, and lines are counted from 1")
    return int(first), int(count), int(new_first), int(new_count)


def _sides(name: str, body: list[bytes]) -> tuple[list[bytes], list[bytes]]:
    """The lines a hunk takes out or leaves, and those it puts in or leaves."""
    gone: list[bytes] = []
    come: list[bytes] = []
    sides: list[list[bytes]] = []
    for line in body:
        if line == _NO_NEWLINE:
            for side in sides:
                side[-1] = side[-1].removesuffix(b"\n")
            continue
        # Editors take the space off an empty line of context.
        sign, text = line[:1] or b" ", line[1:] + b"\n"
        if sign not in (b" ", b"-", b"+"):
            raise PatchFailed(f"{name} holds {_shown(line)}, which begins with none of space, - and +")
        sides = [side for side, signs in ((gone, b" -"), (come, b" +")) if sign in signs]
        for side in sides:
            side.append(text)
    return gone, come


def _apart(here: bytes | None, wanted: bytes) -> str:
    if here is None:
        return f"is not there, the patch has {_shown(wanted)}"
    if here.rstrip(b"\n") == wanted.rstrip(b"\n"):
        return "differs in its end: one of the two has no line feed"
    return f"is {_shown(here)}, the patch has {_shown(wanted)}"


def _shown(line: bytes) -> str:
    return repr(line.rstrip(b"\n").decode("utf-8", "backslashreplace")[:_MOST_SHOWN])
