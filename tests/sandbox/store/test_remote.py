"""Snapshots in a bucket: what one machine stores another one has, and what is cut off or damaged is never believed."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pytest

from sandbox.store import cache
from sandbox.store.blobs import DamagedStore
from sandbox.store.cache import CachePolicy
from sandbox.store.objects import Stored, StoreUnavailable
from sandbox.store.prune import DAY_S, Policy, prune
from sandbox.store.remote import RemoteStore
from sandbox.store.repair import repair, repair_from_copies
from sandbox.store.s3 import S3, Patience
from sandbox.store.snapshots import EMPTY, SnapshotStore
from sandbox.store.verify import verify, verify_all
from tests.bucket import OwnBucket

QUICK = Patience(1.0, 5.0, 2)
Machine = Callable[..., RemoteStore]


class Free:
    """Turns when nobody else is there; counts who asked."""

    def __init__(self) -> None:
        self.asked = 0
        self.meanwhile: Callable[[], object] = lambda: None

    @contextmanager
    def writing(self) -> Iterator[None]:
        self.asked += 1
        yield

    @contextmanager
    def removing(self, wait_s: float) -> Iterator[None]:
        self.meanwhile()
        yield


class Counted:
    """Passes everything on and counts it; may refuse from a number of stored objects on."""

    def __init__(self, objects: S3) -> None:
        self.address = objects.address
        self.asked: list[str] = []
        self.most_puts = 10**6
        self._objects = objects

    def put(self, name: str, source: BinaryIO) -> None:
        self.asked.append(f"put {name.partition('/')[0]}")
        if sum(one.startswith("put") for one in self.asked) > self.most_puts:
            raise StoreUnavailable("the link was cut")
        self._objects.put(name, source)

    def get(self, name: str, target: BinaryIO) -> float:
        self.asked.append(f"get {name.partition('/')[0]}")
        return self._objects.get(name, target)

    def find(self, name: str) -> Stored | None:
        self.asked.append(f"find {name.partition('/')[0]}")
        return self._objects.find(name)

    def listed(self, prefix: str) -> Iterator[Stored]:
        self.asked.append(f"list {prefix}")
        return self._objects.listed(prefix)

    def remove(self, name: str) -> None:
        self.asked.append(f"remove {name.partition('/')[0]}")
        self._objects.remove(name)


@pytest.fixture
def machine(bucket: OwnBucket, tmp_path: Path) -> Machine:
    """A machine by its name: a store with a data folder of its own on the bucket that all share."""

    def made(name: str, keep: CachePolicy = CachePolicy()) -> RemoteStore:  # noqa: B008
        objects = Counted(S3(bucket.name, "mindx", bucket.endpoint, patience=QUICK))
        return RemoteStore(tmp_path / name, objects, Free(), keep=keep)

    return made


def asked(store: RemoteStore) -> list[str]:
    objects = store._objects
    assert isinstance(objects, Counted)
    return objects.asked


def filled(store: SnapshotStore, files: Mapping[bytes, bytes], before: str = EMPTY) -> str:
    return store.with_files(before, [(path, io.BytesIO(content)) for path, content in files.items()]).digest


def content_of(store: SnapshotStore, digest: str, path: bytes) -> str:
    return next(entry.sha256 or "" for entry in store.read(digest) if entry.path == path)


# --- two machines ----------------------------------------------------------------------------------------------------
def test_another_machine_has_the_identical_bytes(machine: Machine, tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / "src" / "empty").mkdir(parents=True)
    (work / "src" / "a.py").write_bytes(b"print(1)\n")
    (work / "src" / "again.py").write_bytes(b"print(1)\n")
    (work / "run.sh").write_bytes(bytes(range(256)) * 4096)
    (work / "run.sh").chmod(0o755)
    (work / "link").symlink_to("src/a.py")
    taken = machine("a").take(work)
    other = machine("b")
    other.checkout(taken.digest, tmp_path / "there")
    assert SnapshotStore(tmp_path / "proof").take(tmp_path / "there") == taken
    assert (tmp_path / "there" / "run.sh").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "there" / "link").readlink() == Path("src/a.py")


def test_a_state_as_before_costs_no_request_and_a_changed_file_only_its_own(machine: Machine, tmp_path: Path) -> None:
    one, two = machine("a"), machine("b")
    first = filled(one, {f"f{number}".encode(): b"%d" % number for number in range(20)})
    two.checkout(first, tmp_path / "work")
    asked(two).clear()
    same = two.take(tmp_path / "work", previous=first)
    assert (same.digest, asked(two)) == (first, [])
    (tmp_path / "work" / "f3").write_bytes(b"changed")
    changed = two.take(tmp_path / "work", previous=first)
    assert asked(two) == ["find manifests", "put contents", "put manifests"]
    asked(two).clear()
    assert two.take(tmp_path / "work", previous=first) == changed, "a state that this machine has just put there"
    assert asked(two) == []


def test_the_contents_are_there_before_the_manifest_that_names_them(machine: Machine, bucket: OwnBucket) -> None:
    store = machine("a")
    objects = store._objects
    assert isinstance(objects, Counted)
    objects.most_puts = 2
    with pytest.raises(StoreUnavailable):
        filled(store, {b"a": b"1", b"b": b"2", b"c": b"3"})
    assert bucket.names("manifests/") == []
    objects.most_puts = 10**6
    digest = filled(store, {b"a": b"1", b"b": b"2", b"c": b"3"})
    assert bucket.names("manifests/") == [f"manifests/{digest}"]
    assert verify_all(machine("b")).damages == ()


def test_a_state_that_went_out_of_use_is_sent_again(machine: Machine, bucket: OwnBucket) -> None:
    store = machine("a")
    digest = filled(store, {b"a": b"1"})
    os.utime(store.folder / "manifests" / digest, (time.time(), time.time() - DAY_S))
    for name in bucket.names():
        bucket.client.delete_object(Bucket=bucket.name, Key=f"mindx/{name}")
    assert filled(store, {b"a": b"1"}) == digest
    assert verify(machine("b"), digest) == []


# --- damage ----------------------------------------------------------------------------------------------------------
def test_a_damaged_copy_of_this_machine_is_fetched_again(machine: Machine) -> None:
    store = machine("a")
    digest = filled(store, {b"a": b"one"})
    copy = store.folder / "blobs" / content_of(store, digest, b"a")[:2] / content_of(store, digest, b"a")[2:]
    copy.write_bytes(b"???")
    (store.folder / "manifests" / digest).write_bytes(b"???")
    again = machine("a")
    with again.open(digest, b"a") as file:
        assert file.read() == b"one"
    assert copy.read_bytes() == b"one"
    assert verify_all(again).damages == ()


@pytest.mark.parametrize("what", ["missing", "damaged"])
def test_a_content_that_is_no_more_what_it_was_is_named_with_what_to_do(
    machine: Machine, bucket: OwnBucket, what: str
) -> None:
    first = machine("a")
    digest = filled(first, {b"a": b"one"})
    name = f"mindx/contents/{content_of(first, digest, b'a')}"
    if what == "missing":
        bucket.client.delete_object(Bucket=bucket.name, Key=name)
    else:
        bucket.client.put_object(Bucket=bucket.name, Key=name, Body=b"0ne")
    other = machine("b")
    with pytest.raises(DamagedStore, match=rf"(?s){what}.*snapshots verify.*repair"):
        other.open(digest, b"a")
    assert [path for path in (other.folder / "blobs").rglob("*") if path.is_file()] == [], "nothing of it is kept"
    damages = verify_all(first).damages
    assert [(each.part, each.what, each.paths) for each in damages] == [("content", what, (b"a",))], "no copy hides it"
    assert repair(first, damages, [first.folder / "blobs"]) == list(damages)
    assert verify_all(other).damages == ()


def test_a_lost_manifest_comes_back_from_a_machines_copy(machine: Machine, bucket: OwnBucket) -> None:
    store = machine("a")
    digest = filled(store, {b"a": b"one"})
    bucket.client.delete_object(Bucket=bucket.name, Key=f"mindx/manifests/{digest}")
    with pytest.raises(KeyError):
        machine("b").entries(digest)
    damages = verify_all(store, [digest]).damages
    assert [(each.part, each.what) for each in damages] == [("manifest", "missing")]
    assert repair_from_copies(store, damages) == list(damages)
    assert verify_all(machine("b"), [digest]).damages == ()


def test_a_store_that_does_not_answer_is_told_without_a_secret(tmp_path: Path, bucket: OwnBucket) -> None:
    away = S3(bucket.name, "", "http://127.0.0.1:9", patience=Patience(0.2, 0.2, 1))
    store = RemoteStore(tmp_path / "a", away, Free())
    with pytest.raises(StoreUnavailable, match="does not answer") as told:
        filled(store, {b"a": b"one"})
    assert "a-secret" not in str(told.value)
    with pytest.raises(StoreUnavailable, match="refuses: NoSuchBucket"):
        RemoteStore.probe(S3("nobody-has-this", "", bucket.endpoint, patience=QUICK))


# --- the cache -------------------------------------------------------------------------------------------------------
def test_copies_go_by_size_and_age_and_nothing_is_lost_with_them(machine: Machine) -> None:
    store = machine("a", keep=CachePolicy(most_bytes=10**9, unused_s=DAY_S))
    digest = filled(store, {b"big": b"x" * 5000, b"small": b"y"})
    now = time.time()
    small = content_of(store, digest, b"small")
    used = store.folder / "blobs" / small[:2] / small[2:]
    os.utime(used, (now + DAY_S, now))
    assert cache.trim(store.folder, CachePolicy(4000, 1e9, every_s=0), now + 3600) == 1
    assert used.exists(), "the one used last stays"
    assert cache.trim(store.folder, CachePolicy(10**9, DAY_S, every_s=0), now + 5 * DAY_S) == 2
    with store.open(digest, b"big") as file:
        assert file.read() == b"x" * 5000
    assert verify_all(store).damages == ()


def test_nothing_of_the_cache_goes_while_somebody_writes(machine: Machine) -> None:
    from sandbox.store.store_lock import writing

    store = machine("a")
    filled(store, {b"a": b"one"})
    with writing(store.folder):
        assert cache.trim(store.folder, CachePolicy(0, 0.0, every_s=0), time.time() + DAY_S) == 0


# --- pruning ---------------------------------------------------------------------------------------------------------
def test_what_nobody_needs_goes_from_the_bucket_and_the_rest_stays(machine: Machine, bucket: OwnBucket) -> None:
    store = machine("a")
    old = filled(store, {b"a": b"only in the old one", b"b": b"in both"})
    new = filled(store, {b"a": b"new"}, old)
    gone = prune(store, {new: None}, Policy(), time.time() + 3 * DAY_S)
    assert gone.snapshots == (old,)
    assert (gone.contents, len(bucket.names("contents/"))) == (1, 2)
    assert verify_all(machine("b"), [new]).damages == ()
    assert prune(store, {}, Policy(), time.time()).snapshots == (), "nothing younger than the grace goes"


def test_a_content_that_somebody_counts_on_at_the_last_moment_stays(machine: Machine) -> None:
    """The race: another machine comes to a state whose content lies there already, after pruning has looked."""
    store, other = machine("a"), machine("b")
    old = filled(store, {b"a": b"wanted again"})
    made: list[str] = []
    turns = store._turns
    assert isinstance(turns, Free)
    rounds = iter(range(10))

    def second_round() -> None:
        if next(rounds) == 1:
            made.append(filled(other, {b"b": b"wanted again"}))

    turns.meanwhile = second_round
    prune(store, {}, Policy(), time.time() + 3 * DAY_S)
    assert made
    assert made[0] != old
    assert verify(machine("c"), made[0]) == []


def test_a_copy_of_the_bucket_is_a_whole_store(machine: Machine, tmp_path: Path) -> None:
    store = machine("a")
    digest = filled(store, {b"a": b"one", b"d/b": b"two"})
    store.copy_to(tmp_path / "backup")
    found = verify_all(SnapshotStore(tmp_path / "backup"), [digest])
    assert (found.manifests, found.contents, found.damages) == (1, 2, ())


def test_what_a_folder_holds_is_taken_over(machine: Machine, tmp_path: Path) -> None:
    folder = SnapshotStore(tmp_path / "folder")
    digest = filled(folder, {b"a": b"one", b"d/b": b"two"})
    store = machine("a")
    store.adopt(digest, folder)
    asked(store).clear()
    store.adopt(digest, folder)
    assert "put contents" not in asked(store), "again costs little"
    assert verify_all(machine("b"), [digest]).damages == ()


def test_two_machines_on_one_mounted_folder_keep_apart_what_their_disks_say(tmp_path: Path) -> None:
    one = SnapshotStore(tmp_path / "shared", seen=tmp_path / "a")
    two = SnapshotStore(tmp_path / "shared", seen=tmp_path / "b")
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "a").write_bytes(b"one")
    digest = one.take(tmp_path / "work").digest
    two.checkout(digest, tmp_path / "at-two")
    assert (tmp_path / "a" / digest).read_bytes() != (tmp_path / "b" / digest).read_bytes()
    (tmp_path / "at-two" / "a").write_bytes(b"two")
    assert one.diff(digest, two.take(tmp_path / "at-two", previous=digest).digest)[0].path == b"a"
