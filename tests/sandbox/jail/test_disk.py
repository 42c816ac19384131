"""When the watch over the disk looks, and what it makes of a loss that it cannot explain."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sandbox.jail.inside import disk
from sandbox.jail.inside.disk import Disk
from sandbox.jail.inside.holdings import Holdings
from sandbox.jail.inside.place import Place

MIB = 1 << 20
LIMITS = {"workspace_bytes": 100 * MIB, "workspace_files": 1000, "file_bytes": 30 * MIB, "descriptors": 64}


class Scene:
    """A disk with so much room, and a jail that has so much on it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self.free_mib = 10_000
        self.counted_mib = self.hidden = self.moving = self.looks = 0
        self._place = Place(str(folder))
        monkeypatch.setattr(disk, "_free", lambda _: (self.free_mib * MIB, 1_000_000))
        monkeypatch.setattr(disk, "holdings", self._holdings)
        monkeypatch.setattr(disk, "others", list)
        monkeypatch.setattr(disk, "_stop_all", lambda _: setattr(self, "moving", 0))
        self.watch = Disk(self._place, LIMITS)

    def _holdings(self, *_: Any) -> Holdings:
        self.looks += 1
        found = Holdings(self._place, LIMITS)
        found.size_bytes = self.counted_mib * MIB
        found.hide(self.hidden + self.moving)
        return found


@pytest.fixture
def scene(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Scene:
    return Scene(monkeypatch, tmp_path)


def test_a_disk_that_loses_little_is_not_looked_over(scene: Scene) -> None:
    scene.free_mib -= 49
    assert not scene.watch.is_over()
    assert scene.looks == 0


def test_what_was_counted_decides(scene: Scene) -> None:
    scene.free_mib, scene.counted_mib = 9_899, 101
    assert scene.watch.is_over()


def test_a_loss_alone_ends_nobody(scene: Scene) -> None:
    scene.free_mib = 100
    assert not scene.watch.is_over()
    assert scene.looks == 1


@pytest.mark.parametrize(("files", "over"), [(1, False), (3, False), (4, True)])
def test_a_loss_is_the_jails_when_it_hides_as_much(scene: Scene, files: int, over: bool) -> None:
    scene.free_mib, scene.hidden = 100, files
    assert scene.watch.is_over() is over


def test_what_was_only_on_the_move_ends_nobody(scene: Scene) -> None:
    scene.free_mib, scene.moving = 100, 64
    assert not scene.watch.is_over()
    assert scene.looks == 2


def test_a_loss_is_not_forgotten_once_it_was_looked_at(scene: Scene) -> None:
    for scene.free_mib in (9_940, 9_880):
        assert not scene.watch.is_over()
    scene.free_mib, scene.hidden = 9_820, 64
    assert scene.watch.is_over()


def test_what_others_free_does_not_make_up_for_what_the_jail_takes(scene: Scene) -> None:
    scene.free_mib = 20_000
    assert not scene.watch.is_over()
    scene.free_mib, scene.counted_mib = 19_890, 110
    assert scene.watch.is_over()


def test_after_a_look_the_next_one_waits_for_half_of_what_is_left(scene: Scene) -> None:
    scene.free_mib, scene.counted_mib = 9_940, 60
    assert not scene.watch.is_over()
    scene.free_mib = 9_921
    assert not scene.watch.is_over()
    assert scene.looks == 1
    scene.free_mib, scene.counted_mib = 9_919, 101
    assert scene.watch.is_over()
