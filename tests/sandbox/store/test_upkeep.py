"""A snapshot store that is looked through, mended and pruned: what is named damaged, what comes back, what goes."""

from __future__ import annotations

import io
import os
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from sandbox.store.blobs import DamagedStore
from sandbox.store.prune import DAY_S, Policy, Pruned, prune
from sandbox.store.repair import repair
from sandbox.store.snapshots import EMPTY, SnapshotStore
from sandbox.store.store_lock import StoreBusy, removing, writing
from sandbox.store.verify import verify, verify_all


@pytest.fixture
def store(tmp_path: Path) -> SnapshotStore:
    return SnapshotStore(tmp_path / "store")


_USUAL = Policy()


def _with(store: SnapshotStore, files: Mapping[bytes, bytes], before: str = EMPTY) -> str:
    return store.with_files(before, [(path, io.BytesIO(content)) for path, content in files.items()]).digest


def _blob(store: SnapshotStore, digest: str, path: bytes) -> Path:
    name = next(entry.sha256 for entry in store.read(digest) if entry.path == path)
    assert name is not None
    return store.folder / "blobs" / name[:2] / name[2:]


def _spoil(path: Path) -> None:
    path.chmod(0o600)
    path.write_bytes(b"?" * path.stat().st_size)


def _age(store: SnapshotStore, days: float) -> None:
    """Makes everything in the store that much older."""
    for path in store.folder.rglob("*"):
        state = path.stat()
        os.utime(path, (state.st_atime, state.st_mtime - days * DAY_S))


# --- verify --------------------------------------------------------------------------------------------------------
def test_a_whole_store_has_no_damages(store: SnapshotStore) -> None:
    digest = _with(store, {b"a": b"one", b"d/b": b"two"})
    assert verify(store, digest) == []
    found = verify_all(store, [digest, EMPTY])
    assert (found.manifests, found.contents, found.size_bytes, found.damages) == (1, 2, 6, ())


def test_a_damaged_and_a_missing_content_are_named_with_their_snapshots_and_files(store: SnapshotStore) -> None:
    one = _with(store, {b"a": b"one", b"same": b"one", b"b": b"two"})
    two = _with(store, {b"c": b"three"}, one)
    _spoil(_blob(store, one, b"a"))
    _blob(store, two, b"c").unlink()
    damages = {each.what: each for each in verify_all(store).damages}
    assert set(damages) == {"damaged", "missing"}
    assert damages["damaged"].snapshots == tuple(sorted((one, two)))
    assert damages["damaged"].paths == (b"a", b"same")
    assert damages["missing"].snapshots == (two,)
    assert [each.what for each in verify(store, one)] == ["damaged"]


def test_damage_is_seen_although_this_process_has_read_the_manifest_before(store: SnapshotStore) -> None:
    digest = _with(store, {b"a": b"one"})
    store.entries(digest)
    _spoil(store.folder / "manifests" / digest)
    assert [(each.part, each.what) for each in verify_all(store).damages] == [
        ("manifest", "damaged"),
    ]


def test_a_snapshot_that_is_needed_and_not_there_is_a_damage(store: SnapshotStore) -> None:
    digest = _with(store, {b"a": b"one"})
    (store.folder / "manifests" / digest).unlink()
    assert verify_all(store).damages == ()
    assert [(each.part, each.what) for each in verify_all(store, [digest]).damages] == [("manifest", "missing")]


def test_a_manifest_that_gives_a_content_another_size_is_a_damage(store: SnapshotStore) -> None:
    from sandbox.store import manifest

    digest = _with(store, {b"a": b"one"})
    text = (store.folder / "manifests" / digest).read_bytes().replace(b"644 3 ", b"644 4 ")
    wrong = manifest.digest_of(text)
    (store.folder / "manifests" / wrong).write_bytes(text)
    found = [each for each in verify_all(store).damages if wrong in each.snapshots]
    assert [each.what for each in found] == ["of another size"]


def test_a_damaged_content_that_nobody_needs_loses_nothing(store: SnapshotStore) -> None:
    digest = _with(store, {b"a": b"one"})
    _spoil(_blob(store, digest, b"a"))
    (store.folder / "manifests" / digest).unlink()
    assert [(each.what, each.snapshots) for each in verify_all(store).damages] == [("damaged", ())]


# --- repair --------------------------------------------------------------------------------------------------------
def test_contents_and_manifests_come_back_from_a_checkout(store: SnapshotStore, tmp_path: Path) -> None:
    digest = _with(store, {b"a": b"one", b"d/b": b"two"})
    store.checkout(digest, tmp_path / "copy")
    _spoil(_blob(store, digest, b"a"))
    _blob(store, digest, b"d/b").unlink()
    found = verify_all(store).damages
    assert len(repair(store, found, [tmp_path / "copy"])) == 2
    _spoil(store.folder / "manifests" / digest)
    assert len(repair(store, verify_all(store).damages, [tmp_path / "copy"])) == 1
    assert verify_all(store, [digest]).damages == ()
    assert not list((store.folder / "blobs" / "staging").iterdir())


def test_a_file_of_the_same_name_and_size_but_other_bytes_mends_nothing(store: SnapshotStore, tmp_path: Path) -> None:
    digest = _with(store, {b"a": b"one"})
    store.checkout(digest, tmp_path / "copy")
    (tmp_path / "copy" / "a").write_bytes(b"two")
    _blob(store, digest, b"a").unlink()
    assert repair(store, verify_all(store).damages, [tmp_path / "copy"]) == []
    assert [each.what for each in verify_all(store).damages] == ["missing"]
    assert len(list((store.folder / "blobs").glob("??/*"))) == 0


def test_a_hostile_checkout_leads_the_repair_nowhere(store: SnapshotStore, tmp_path: Path) -> None:
    digest = _with(store, {b"a": b"one"})
    _blob(store, digest, b"a").unlink()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a").write_bytes(b"one")
    hostile = tmp_path / "hostile"
    hostile.mkdir()
    (hostile / "way").symlink_to(tmp_path / "outside")
    (hostile / "a").symlink_to(tmp_path / "outside" / "a")
    os.mkfifo(hostile / "pipe")
    assert repair(store, verify_all(store).damages, [hostile]) == []


# --- prune ---------------------------------------------------------------------------------------------------------
def _prune(store: SnapshotStore, uses: Mapping[str, float | None], policy: Policy = _USUAL, **how: bool) -> Pruned:
    return prune(store, uses, policy, time.time(), wait_s=5, **how)


def test_what_is_needed_stays_and_what_is_nobodys_goes(store: SnapshotStore) -> None:
    head = _with(store, {b"a": b"one", b"b": b"shared"})
    lost = _with(store, {b"b": b"shared", b"c": b"lost only"})
    _age(store, 2)
    gone = _prune(store, {head: None})
    assert gone == Pruned((lost,), 1, len(b"lost only"), len(b"oneshared"), 0)
    assert verify_all(store, [head]).damages == ()
    with pytest.raises(KeyError):
        store.read(lost)


def test_what_is_young_stays_whoever_needs_it(store: SnapshotStore) -> None:
    _with(store, {b"a": b"one"})
    assert _prune(store, {}).snapshots == ()
    assert _prune(store, {}).contents == 0


def test_a_state_that_somebody_came_to_again_is_young_again(store: SnapshotStore) -> None:
    digest = _with(store, {b"a": b"one"})
    _age(store, 2)
    assert _with(store, {b"a": b"one"}) == digest
    assert _prune(store, {}).snapshots == ()
    _age(store, 2)
    store.renew(digest)
    assert _prune(store, {}).snapshots == ()
    assert verify_all(store, [digest]).damages == ()


def test_history_goes_by_age(store: SnapshotStore) -> None:
    old, new = _with(store, {b"a": b"old"}), _with(store, {b"a": b"new"})
    _age(store, 200)
    now = time.time()
    assert _prune(store, {old: now - 91 * DAY_S, new: now - 89 * DAY_S}).snapshots == (old,)


def test_history_goes_by_size_oldest_first_and_never_what_is_needed_now(store: SnapshotStore) -> None:
    head, old, new = (_with(store, {b"f": letter * 100}) for letter in (b"h", b"o", b"n"))
    _age(store, 2)
    now = time.time()
    uses = {head: None, old: now - 3 * DAY_S, new: now - 2 * DAY_S}
    assert _prune(store, uses, Policy(keep_bytes=200)).snapshots == (old,)
    assert _prune(store, uses, Policy(keep_bytes=0)).snapshots == (new,)
    assert store.digests() == [head]


def test_a_dry_run_tells_the_same_and_removes_nothing(store: SnapshotStore) -> None:
    _with(store, {b"a": b"one"})
    _age(store, 2)
    told = _prune(store, {}, dry_run=True)
    assert verify_all(store).manifests == 1
    assert _prune(store, {}) == told
    assert (told.contents, told.freed_bytes, told.kept_bytes) == (1, 3, 0)
    assert verify_all(store).contents == 0


def test_nothing_goes_when_a_manifest_cannot_be_read(store: SnapshotStore) -> None:
    head, lost = _with(store, {b"a": b"one"}), _with(store, {b"b": b"two"})
    _spoil(store.folder / "manifests" / head)
    (store.folder / "manifests" / lost).unlink()
    _age(store, 2)
    with pytest.raises(DamagedStore):
        _prune(store, {head: None})
    assert len(list(store.blobs.stored())) == 2


def test_what_dead_processes_left_is_removed(store: SnapshotStore) -> None:
    (store.folder / "blobs" / "staging" / "dead").mkdir()
    (store.folder / "blobs" / "staging" / "dead" / "0").write_bytes(b"half")
    (store.folder / ".manifest-dead").write_bytes(b"half")
    (store.folder / "seen" / ".new-dead").write_bytes(b"half")
    assert _prune(store, {}).leftovers == 0
    _age(store, 2)
    assert _prune(store, {}).leftovers == 3
    assert not list((store.folder / "blobs" / "staging").iterdir())
    assert _prune(store, {}).leftovers == 0


def test_nothing_is_removed_under_a_writer(store: SnapshotStore) -> None:
    digest = _with(store, {b"a": b"one"})
    _age(store, 2)
    with writing(store.folder), pytest.raises(StoreBusy):
        prune(store, {}, Policy(), time.time(), wait_s=0)
    assert verify_all(store, [digest]).damages == ()


def test_a_writer_waits_for_the_remover(store: SnapshotStore) -> None:
    made: list[str] = []
    writer = threading.Thread(target=lambda: made.append(_with(store, {b"a": b"one"})))
    with removing(store.folder, 5):
        writer.start()
        writer.join(0.2)
        assert made == []
    writer.join(60)
    assert len(made) == 1


def test_what_a_process_remembers_of_a_removed_snapshot_makes_no_new_one(store: SnapshotStore, tmp_path: Path) -> None:
    digest = _with(store, {b"a": b"one"})
    store.checkout(digest, tmp_path / "copy")
    store.entries(digest)
    _age(store, 2)
    _prune(store, {})
    with pytest.raises(KeyError):
        _with(store, {b"b": b"two"}, digest)
    with pytest.raises(KeyError):
        store.without(digest, b"a")
    with pytest.raises(KeyError):
        store.renew(digest)
    assert store.take(tmp_path / "copy", previous=digest).digest == digest
    assert verify_all(store, [digest]).damages == ()


def test_stamps_of_a_removed_snapshot_are_not_believed(store: SnapshotStore, tmp_path: Path) -> None:
    digest = _with(store, {b"a": b"one"})
    store.checkout(digest, tmp_path / "first")
    store.take(tmp_path / "first")  # now the times of its files are known, so a checkout leaves stamps that count
    store.checkout(digest, tmp_path / "copy")
    stamps = (store.folder / "seen" / digest).read_bytes()
    _age(store, 2)
    _prune(store, {})
    (store.folder / "seen" / digest).write_bytes(stamps)
    assert store.take(tmp_path / "copy", previous=digest).digest == digest
    assert verify_all(store, [digest]).damages == ()


def test_an_old_content_that_a_writer_found_meanwhile_stays(
    store: SnapshotStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    _with(store, {b"a": b"one"})
    _age(store, 2)
    stored, made = store.blobs.stored, []

    def in_between() -> Iterator[tuple[str, int, float]]:
        found = list(stored())
        made.append(_with(store, {b"again": b"one"}))
        return iter(found)

    monkeypatch.setattr(store.blobs, "stored", in_between)
    assert _prune(store, {}).contents == 0
    monkeypatch.undo()
    assert verify_all(store, made).damages == ()


def test_writers_and_a_remover_side_by_side_lose_nothing(store: SnapshotStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Contents count as old here, so only the lock protects what a writer has not named in a manifest yet."""
    stored = store.blobs.stored
    monkeypatch.setattr(store.blobs, "stored", lambda: ((name, size, 0.0) for name, size, _ in stored()))
    made: list[str] = []

    def write(start: int) -> None:
        for number in range(20):
            made.append(_with(store, {b"same": b"%d" % (number % 3), b"own": b"%d %d" % (start, number)}))

    writers = [threading.Thread(target=write, args=(start,)) for start in range(3)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        prune(store, {}, Policy(), time.time(), wait_s=10)
    assert len(made) == 60
    assert verify_all(store, made).damages == ()


def test_a_copy_of_a_store_is_whole_and_leaves_out_what_is_on_its_way(store: SnapshotStore, tmp_path: Path) -> None:
    digest = _with(store, {b"a": b"one", b"d/b": b"two"})
    staged = store.blobs.staged()
    staged.add(io.BytesIO(b"on its way"))
    store.copy_to(tmp_path / "copy")
    staged.discard()
    found = verify_all(SnapshotStore(tmp_path / "copy"), [digest])
    assert (found.manifests, found.contents, found.damages) == (1, 2, ())
    assert [*(tmp_path / "copy" / "blobs" / "staging").iterdir()] == []
