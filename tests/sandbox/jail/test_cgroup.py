"""Which control groups are made and what is written into them, over folders that stand for the kernel's."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.contract import Limits
from sandbox.jail import cgroup, grouping

MIB = 1 << 20
LIMITS = Limits(memory_bytes=64 * MIB, processes=20, cpus=1.5)


def _forget() -> None:
    for cached in (cgroup._parents, cgroup._is_unified, cgroup._has_swap_limit):
        cached.cache_clear()


@pytest.fixture
def mounts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    monkeypatch.setattr(cgroup, "_MOUNTS", tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    _forget()
    yield tmp_path
    _forget()


def _limited(folders: list[Path]) -> dict[str, str]:
    """What is in the files of a group once its limits were set."""
    group = cgroup.named("mindx-1-name")
    assert group is not None
    assert list(group.folders) == [folder / "mindx-1-name" for folder in folders]
    for folder in group.folders:
        folder.mkdir()
    group.limit(LIMITS)
    return {file.name: file.read_text() for folder in group.folders for file in folder.iterdir()}


def test_the_unified_hierarchy_is_taken_when_it_has_all_three(mounts: Path) -> None:
    (mounts / "cgroup.subtree_control").write_text("cpu io memory pids\n")
    assert cgroup.parents() == [str(mounts)]
    assert cgroup.shares_cpu()
    spare = cgroup._SPARE_BYTES
    assert _limited([mounts]) == {
        "memory.max": str(64 * MIB + spare),
        "pids.max": "36",
        "cpu.max": "150000 100000",
    }


def test_of_the_old_hierarchies_those_that_are_there_are_taken(mounts: Path) -> None:
    for name in ("memory", "pids"):
        (mounts / name).mkdir()
        (mounts / name / "cgroup.procs").touch()
    assert cgroup.parents() == [str(mounts / "memory"), str(mounts / "pids")]
    assert not cgroup.shares_cpu()
    written = _limited([mounts / "memory", mounts / "pids"])
    assert written == {"memory.limit_in_bytes": str(64 * MIB + cgroup._SPARE_BYTES), "pids.max": "36"}


def test_where_limits_cannot_be_set_no_group_is_made(mounts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (mounts / "cgroup.subtree_control").write_text("cpu memory pids\n")

    def refuses(*_: object) -> None:
        raise PermissionError("read-only")

    monkeypatch.setattr(cgroup.Group, "limit", refuses)
    assert cgroup.parents() == []
    assert not cgroup.shares_cpu()


@pytest.mark.usefixtures("mounts")
def test_an_ordinary_user_makes_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert cgroup.parents() == []
    assert cgroup.named("") is None


def test_a_group_that_cannot_be_entered_is_taken_back_and_the_jail_does_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second folder is not there, so what was made below the first goes again."""
    went: list[str] = []
    monkeypatch.setattr(grouping, "_go", went.append)  # which a folder of the kernel's takes without keeping a file
    (tmp_path / "first").mkdir()
    assert grouping.enter([str(tmp_path / "first"), str(tmp_path / "missing")]) == ""
    assert grouping.enter([]) == ""
    assert list((tmp_path / "first").iterdir()) == []
    assert str(tmp_path / "first") in went


def test_a_name_fits_into_the_bytes_that_tell_it(tmp_path: Path) -> None:
    (tmp_path / "groups").mkdir()
    name = grouping.enter([str(tmp_path / "groups")])
    assert (tmp_path / "groups" / name / "cgroup.procs").read_text() == str(os.getpid())
    assert len(f"{grouping.PREFIX}{2**22}-{'f' * 16}") <= grouping.NAME_BYTES
