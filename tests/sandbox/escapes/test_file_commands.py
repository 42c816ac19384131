"""Attempts on the file commands. Each works on plain Python's files, or it would prove nothing."""

from __future__ import annotations

import ctypes
import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

import pytest

from sandbox.contract import Result, SessionState
from sandbox.sessions.session import open_session
from tests.sandbox.escapes.file_rows import FILE_ROWS, GIVEN_AWAY, FileRow, Ground, ground

_AT_FDCWD, _EXCHANGE = -100, 2
_WAITS_S = 0.3
_TRIES = 150
_NAIVE_TRIES = 20_000
_libc = ctypes.CDLL(None, use_errno=True)


@pytest.mark.parametrize("row", FILE_ROWS, ids=lambda row: row.title)
def test_an_attempt_works_on_plain_files_and_not_by_the_command(row: FileRow, tmp_path: Path) -> None:
    assert _falls_for(row, ground(tmp_path / "plain")), "the attempt proves nothing"
    at = ground(tmp_path / "jailed")
    row.arrange(at)
    (at.root / "own").write_text("mine")
    with open_session(at.root, SessionState(autonomous=True)) as session:
        assert session.level in row.expect
        with _swapping(at.root, row.races):
            for _ in range(_TRIES if row.races else 1):
                result = session.execute(row.request)
                assert not _gives_away(result.data), result
                assert _is_refused_or_harmless(row, result), result
        assert at.untouched()
        assert session.execute(row.control).ok


def _is_refused_or_harmless(row: FileRow, result: Result) -> bool:
    """A race may be won by the folder, and a long answer is cut; every other attempt is refused, quickly."""
    cut = result.data.get("truncated") is True or int(result.data.get("left_out", 0)) > 0
    return row.races or not result.ok or cut


def _gives_away(answer: object) -> bool:
    return any(each in str(answer) for each in GIVEN_AWAY)


def _falls_for(row: FileRow, at: Ground) -> bool:
    """Whether plain Python gives the secret away, changes what is outside, or waits."""
    row.arrange(at)
    path = at.root / str(row.request.params.get("path", row.request.params.get("venv_name")))
    if "waits" in row.name:
        child = get_context("fork").Process(target=row.naive, args=(at, path))
        child.start()
        child.join(_WAITS_S)
        waits = child.is_alive()
        child.kill()
        child.join()
        return waits
    with _swapping(at.root, row.races):
        for _ in range(_NAIVE_TRIES if row.races else 1):
            try:
                answer = row.naive(at, path)
            except OSError:
                continue
            if _gives_away(answer) or not at.untouched():
                return True
    return False


@contextmanager
def _swapping(root: Path, wanted: bool) -> Iterator[None]:
    """Lets "still" and "moving" change places all the time, each change in one step of the kernel."""
    if not wanted:
        yield
        return
    ended = threading.Event()
    one, other = os.fsencode(root / "still"), os.fsencode(root / "moving")

    def swap() -> None:
        while not ended.is_set():
            _libc.renameat2(_AT_FDCWD, one, _AT_FDCWD, other, _EXCHANGE)

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        yield
    finally:
        ended.set()
        swapper.join()


def test_there_are_twenty_five_with_no_more_than_six_of_a_kind() -> None:
    assert len(FILE_ROWS) >= 25
    assert max(Counter(row.kind for row in FILE_ROWS).values()) <= 6
    assert len({row.title for row in FILE_ROWS}) == len(FILE_ROWS)
