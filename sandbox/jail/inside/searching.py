"""Looking for names and for lines: whole trees, without following links, with bounded answers and bounded time."""

from __future__ import annotations

import fnmatch
import os
import re
import resource
import select
import stat
import time

from .files import bounded
from .frames import decoded, encoded
from .survey import MOST_DEEP
from .tree import Refused, Tree, kind_of, shown

TYPE_CHECKING = False  # importing typing costs a session's start 3 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Answer = tuple[dict[str, Any], bytes]

MOST_ITEMS = 1000
SEARCH_S = 5.0
_MOST_LINE_CHARS = 500
_PIECE_BYTES = 1 << 20
_BINARY_BYTES = 8192
_SIGKILL = 9


class _Passed:
    """Folders that could not be entered: unreadable, or nested too deep."""

    def __init__(self) -> None:
        self.count = 0


def find(tree: Tree, path: bytes, pattern: str, kind: str, newest: int | None) -> Answer:
    """Everything below `path` whose name fits the pattern (`*`, `?`, `[…]`), by path or the newest first."""
    passed = _Passed()
    found = []
    start = tree.open_folder(path)
    try:
        for place, _, state in _walk(start, path, passed):
            if kind in ("any", kind_of(state.st_mode)) and fnmatch.fnmatchcase(
                shown(place.rpartition(b"/")[2]), pattern
            ):
                found.append((place, state))
    finally:
        os.close(start)
    if newest is not None:
        found.sort(key=lambda one: (-one[1].st_mtime_ns, one[0]))
    items = bounded((_item(*one) for one in found[:newest]), min(newest or MOST_ITEMS, MOST_ITEMS))
    return _told({"items": items, "total": len(found), "left_out": len(found) - len(items)}, passed), b""


def _told(answer: dict[str, Any], passed: _Passed) -> dict[str, Any]:
    return answer | ({"folders_not_entered": passed.count} if passed.count else {})


def _item(place: bytes, state: os.stat_result) -> dict[str, Any]:
    return {"path": shown(place), "kind": kind_of(state.st_mode), "size_bytes": state.st_size}


def _walk(folder: int, path: bytes, passed: _Passed) -> Iterator[tuple[bytes, int, os.stat_result]]:
    """Path, holding folder and state of everything below a folder, by name, each folder before what it holds."""
    for name in sorted(map(os.fsencode, os.listdir(folder))):
        place = path + b"/" + name if path else name
        try:
            state = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except PermissionError:
            # A folder that may be listed but not entered.
            passed.count += 1
            return
        yield place, folder, state
        if not stat.S_ISDIR(state.st_mode):
            continue
        if place.count(b"/") + 1 >= MOST_DEEP:
            passed.count += 1
            continue
        try:
            deeper = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        except PermissionError:
            passed.count += 1
            continue
        try:
            yield from _walk(deeper, place, passed)
        finally:
            os.close(deeper)


def grep(tree: Tree, path: bytes, text: str, regular: bool, ignore_case: bool, memory_bytes: int) -> Answer:
    """The lines that hold `text`, or fit it as a regular expression, in a file or in all files of a folder.

    A process of its own does the looking, because an expression can take for ever and cannot be stopped from within.
    """
    os.close(tree.open(path, os.O_PATH))
    receiving, sending = os.pipe()
    child = os.fork()
    if child == 0:
        _be_the_searcher(sending, memory_bytes, lambda: _grep(tree, path, text, regular, ignore_case))
    os.close(sending)
    try:
        answer = _received(receiving, time.monotonic() + SEARCH_S)
    finally:
        os.close(receiving)
        os.kill(child, _SIGKILL)
        os.waitpid(child, 0)
    if answer is None:
        reason = f"the search took longer than {SEARCH_S:g} seconds; a simpler expression or fewer files may help"
        raise Refused("TOOL_EXECUTION_ERROR", reason)
    try:
        message: dict[str, Any] = decoded(answer)
    except ValueError as error:
        raise Refused("TOOL_EXECUTION_ERROR", "the search ended before its end; it may need too much memory") from error
    if "error_class" in message:
        raise Refused(message["error_class"], message["reason"])
    return message, b""


def _be_the_searcher(sending: int, memory_bytes: int, search: Callable[[], dict[str, Any]]) -> None:
    """The forked process: it writes one answer and is gone, whatever happens."""
    try:
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
        # What an expression makes Python warn about belongs to nobody.
        os.dup2(os.open("/dev/null", os.O_WRONLY), 2)
        try:
            message = search()
        except Refused as refused:
            message = {"error_class": refused.error_class, "reason": str(refused)}
        view = memoryview(encoded(message))
        while view:
            view = view[os.write(sending, view) :]
    finally:
        # An answer that does not come is told of by the helper.
        os._exit(0)


def _received(descriptor: int, deadline: float) -> bytes | None:
    """All that comes until the other end closes; None when that does not happen in time."""
    data = bytearray()
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    while True:
        left_s = deadline - time.monotonic()
        if left_s <= 0 or not poll.poll(left_s * 1000):
            return None
        piece = os.read(descriptor, _PIECE_BYTES)
        if not piece:
            return bytes(data)
        data += piece


def _grep(tree: Tree, path: bytes, text: str, regular: bool, ignore_case: bool) -> dict[str, Any]:
    try:
        wanted = re.compile(text if regular else re.escape(text), re.IGNORECASE if ignore_case else 0)
    except (re.error, OverflowError, RecursionError) as error:
        raise Refused("INVALID_PARAMETERS", f"text is no regular expression: {error}") from error
    passed = _Passed()
    search = _Search(wanted)
    start = tree.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if stat.S_ISDIR(os.fstat(start).st_mode):
        for place, folder, state in _walk(start, path, passed):
            if stat.S_ISREG(state.st_mode):
                search.open(place, folder)
    elif stat.S_ISREG(os.fstat(start).st_mode):
        search.through(path, start)
    else:
        raise Refused("PERMISSION_ERROR", f"{shown(path)}: is no file or folder")
    matches = bounded(search.matches, MOST_ITEMS)
    answer = {"matches": matches, "total": search.total, "left_out": search.total - len(matches)}
    skipped = {"binary_files": search.binary, "unreadable_files": search.unreadable}
    return _told(answer | {"files": search.files} | {name: n for name, n in skipped.items() if n}, passed)


class _Search:
    """One search on its way through files."""

    def __init__(self, wanted: re.Pattern[str]) -> None:
        self.wanted = wanted
        self.matches: list[dict[str, Any]] = []
        self.total = 0
        self.files = 0
        self.binary = 0
        self.unreadable = 0

    def open(self, place: bytes, folder: int) -> None:
        name = place.rpartition(b"/")[2]
        try:
            descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        except OSError:
            self.unreadable += 1
            return
        self.through(place, descriptor)

    def through(self, place: bytes, descriptor: int) -> None:
        """Looks at a file line by line, a very long line in pieces; closes the descriptor."""
        with open(descriptor, "rb") as file:
            if b"\0" in file.peek(_BINARY_BYTES)[:_BINARY_BYTES]:
                self.binary += 1
                return
            self.files += 1
            number, begins = 0, True
            while piece := file.readline(_PIECE_BYTES):
                number += begins
                begins = piece.endswith(b"\n")
                self.look(place, number, piece.decode("utf-8", "replace").rstrip("\r\n"))

    def look(self, place: bytes, number: int, line: str) -> None:
        if not self.wanted.search(line):
            return
        self.total += 1
        if len(self.matches) < MOST_ITEMS:
            match: dict[str, Any] = {"path": shown(place), "line": number, "text": line[:_MOST_LINE_CHARS]}
            self.matches.append(match | ({"cut": True} if len(line) > _MOST_LINE_CHARS else {}))
