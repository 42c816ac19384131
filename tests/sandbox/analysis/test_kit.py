"""The analysers are made once for each version; versions that nobody runs go, and never from below a jail."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandbox.analysis import kit
from sandbox.places import templates_folder
from tests.sandbox.analysis.test_looking import asked
from tests.sandbox.conftest import OpenHands
from tests.waiting import wait_until

Version = Callable[[str], None]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of kits of its own."""
    kit._digest.cache_clear()
    monkeypatch.setattr(kit, "templates_folder", lambda: tmp_path)
    yield tmp_path
    kit._digest.cache_clear()


@pytest.fixture
def version(monkeypatch: pytest.MonkeyPatch) -> Version:
    """`version("0.1")`: the analysers are another version from here on."""

    def becomes(number: str) -> None:
        monkeypatch.setattr("importlib.metadata.version", lambda name: number)
        kit._digest.cache_clear()

    return becomes


def used() -> str:
    """Use the kit of this version; its name."""
    with kit.held() as place:
        return place.rpartition("/")[2]


def kits(folder: Path) -> set[str]:
    return {one.name for one in folder.iterdir() if one.is_dir()}


def test_a_kit_is_made_once_and_named_by_what_it_holds(folder: Path, version: Version) -> None:
    first = used()
    made = (folder / first / "ruff").stat().st_mtime_ns
    assert used() == first
    assert (folder / first / "ruff").stat().st_mtime_ns == made
    version("0.1")
    assert used() != first


def test_what_nobody_uses_any_more_goes_and_what_is_used_stays(folder: Path, version: Version) -> None:
    version("0.1")
    old = used()
    version("0.2")
    new = used()
    assert kits(folder) == {old, new}, "used a moment ago"
    assert kit.prune() == []
    assert kit.prune(unused_s=0) == [old]
    assert kits(folder) == {new}
    assert not list(folder.glob(f".lock-{old}"))
    assert kit.prune(unused_s=0) == []


def test_a_kit_in_use_is_not_taken_away_whatever_its_age(folder: Path, version: Version) -> None:
    version("0.1")
    with kit.held() as place:
        old = place.rpartition("/")[2]
        version("0.2")
        assert kit.prune(unused_s=-1) == []
        assert (folder / old / "ruff").is_file()
    assert kit.prune(unused_s=-1) == [old]


def test_a_process_of_an_older_version_makes_its_kit_again(folder: Path, version: Version) -> None:
    version("0.1")
    old = used()
    version("0.2")
    used()
    assert kit.prune(unused_s=0) == [old]
    version("0.1")
    assert used() == old
    assert (folder / old / "ruff").is_file()


def test_a_new_version_takes_those_away_that_were_not_used_for_a_day(folder: Path, version: Version) -> None:
    version("0.1")
    old = used()
    long_ago = (folder / f".lock-{old}").stat().st_mtime - 90_000
    os.utime(folder / f".lock-{old}", (long_ago, long_ago))
    version("0.2")
    new = used()
    assert kits(folder) == {new}


def test_a_kit_of_before_there_were_locks_has_its_time_from_now_on(folder: Path, version: Version) -> None:
    old = folder / "analysis-0123456789abcdef"
    old.mkdir()
    os.utime(old, (1, 1))
    assert kit.prune(unused_s=0) == []
    assert kit.prune(unused_s=0) == [old.name]


def test_what_was_begun_and_not_ended_goes_after_a_day_and_other_things_stay(folder: Path) -> None:
    for name in (".making-analysis-x", ".making-analysis-y", "0123456789abcdef", ".making-z"):
        (folder / name).mkdir()
        if name != ".making-analysis-y":
            os.utime(folder / name, (1, 1))
    (folder / "analysis-file").touch()
    kit.prune(unused_s=0)
    assert kits(folder) == {".making-analysis-y", "0123456789abcdef", ".making-z"}


def test_each_use_counts_from_now(folder: Path, version: Version) -> None:
    first = used()
    os.utime(kit._lock_path(folder, first), (0, 0))
    assert used() == first
    version("0.1")
    assert kit.prune(folder) == []
    assert first in kits(folder)


def test_what_cannot_be_pruned_stops_nobody(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: Path) -> list[str]:
        raise OSError("no space left")

    monkeypatch.setattr(kit, "prune", fails)
    assert used() in kits(folder)


def test_who_waited_for_a_lock_that_went_with_its_kit_takes_the_new_one(folder: Path) -> None:
    path, is_there = kit._lock_path(folder, "old"), list[bool]()

    def opened() -> int:
        return sum(os.path.realpath(one) == str(path) for one in Path("/proc/self/fd").iterdir())

    def wait_for_it() -> None:
        with kit._locked(folder, "old", fcntl.LOCK_SH) as lock:
            is_there.append(kit._is_there(path, lock))

    waiting = threading.Thread(target=wait_for_it)
    with kit._locked(folder, "old", fcntl.LOCK_EX):
        waiting.start()
        wait_until(lambda: opened() == 2, what="the other one at the lock")
        path.unlink()
    waiting.join()
    assert is_there == [True]


def test_while_a_jail_looks_through_code_its_kit_is_held(
    tmp_path: Path, open_hands: OpenHands, version: Version
) -> None:
    root = tmp_path / "workspace"
    root.mkdir()
    for number in range(100):
        (root / f"module_{number}.py").write_text("".join(f"def f{n}(a):\n    return a + {n}\n" for n in range(100)))
    hands = open_hands()
    results = []
    looking = threading.Thread(
        target=lambda: results.append(hands.session.execute(asked("system_analyzer.analyze", path=".")))
    )
    with kit.held() as place:
        name = place.rpartition("/")[2]
    looking.start()
    wait_until(lambda: _is_held(name))
    version("0.1")  # as another process of a new version sees it
    assert name not in kit.prune(unused_s=-1)
    kit._digest.cache_clear()
    looking.join()
    assert results[0].ok, results[0].reason
    assert results[0].data["report"]["totals"]["functions"] == 10_000


def _is_held(name: str) -> bool:
    import fcntl

    with open(templates_folder() / f".lock-{name}", "rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False
