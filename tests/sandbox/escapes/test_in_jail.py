"""Programs that try to get out. Each gets through outside, or it would prove nothing."""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from sandbox.jail import landlock, probe
from sandbox.jail.probe import Level
from tests.sandbox.escapes import as_user, trial
from tests.sandbox.escapes.attempts import ROWS
from tests.sandbox.escapes.trial import Outcome, Tried

_IS_ROOT = os.geteuid() == 0
_NEWEST = min(landlock.kernel_abi(), landlock.NEWEST_ABI)
_USER = "L3 as an ordinary user"
_OLDEST = "L2 with the oldest Landlock"
_no_l2 = pytest.mark.skipif(
    not _IS_ROOT or _NEWEST < landlock.LEAST_ABI, reason="level L2 needs root and a kernel with Landlock"
)
_no_user = pytest.mark.skipif(
    not _IS_ROOT or not as_user.POSSIBLE, reason="needs root, to be another user, and the system's own Python"
)
WAYS = ["L3", *(pytest.param(way, marks=_no_l2) for way in ("L2", _OLDEST)), pytest.param(_USER, marks=_no_user)]
# One way after the other beside other tests: the attempts of all at once would only wait for each other.
pytestmark = [
    pytest.mark.skipif(platform.machine() != "x86_64", reason="attempts name system calls by number"),
    pytest.mark.xdist_group("escapes"),
]


@pytest.fixture(scope="module", params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@contextmanager
def _open_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="mindx-escapes-", dir="/var/tmp"))
    folder.chmod(0o755)  # where there are no mounts, the jail's uid has to pass it
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def bare() -> Mapping[int, Outcome]:
    """All attempts outside, by who runs the tests: no jail is there yet, so they are the same for each way."""
    with _open_folder() as folder:
        return trial.without_a_jail(folder)


@pytest.fixture(scope="module")
def tried(way: str, bare: Mapping[int, Outcome]) -> Iterator[Mapping[int, Tried]]:
    """All attempts of one way: made once, and judged row by row."""
    with _open_folder() as folder, pytest.MonkeyPatch.context() as patch:
        if way.startswith("L2"):
            patch.setenv("MINDX_DATA", str(folder / "data"))
            patch.setattr(probe, "_found", Level("L2", {"L3": "not in this test"}))
            if way != "L2":
                patch.setattr(landlock, "kernel_abi", lambda: landlock.LEAST_ABI)
        yield as_user.tries(folder) if way == _USER else trial.tries(folder, way[:2], bare)


@pytest.mark.parametrize("number", range(len(ROWS)), ids=lambda number: ROWS[number].title)
def test_an_attempt_works_outside_and_is_held_inside(number: int, way: str, tried: Mapping[int, Tried]) -> None:
    row = ROWS[number]
    if trial.unproved(row, tried[number], _IS_ROOT and way != _USER):
        pytest.skip(f"not provable here: needs {row.needs}")
    assert not trial.fault(row, tried[number], way[:2])


@pytest.mark.skipif(not _IS_ROOT, reason="some attempts work outside for root only")
def test_a_hundred_attempts_are_proved_with_no_more_than_six_of_a_kind(way: str, tried: Mapping[int, Tried]) -> None:
    proved = [row for number, row in enumerate(ROWS) if tried[number].bare.through]
    assert len(proved) >= (80 if way == _USER else 100)
    assert max(Counter(row.kind for row in proved).values()) <= 6
    assert len({row.title for row in ROWS}) == len(ROWS)
