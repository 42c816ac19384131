"""Snapshots hold everything, give it back exactly, and notice when the disk lies."""

from __future__ import annotations

import errno
import io
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.contract import Limits
from sandbox.places import owner
from sandbox.store.seen import YOUNG_NS, Seen
from sandbox.store.snapshots import EMPTY, DamagedStore, SnapshotRefused, SnapshotStore
from tests.waiting import wait_until


@pytest.fixture
def store(tmp_path: Path) -> SnapshotStore:
    return SnapshotStore(tmp_path / "store")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A workspace with something of everything."""
    root = tmp_path / "work"
    (root / "src" / "empty").mkdir(parents=True)
    (root / ".hidden").write_text("h")
    (root / "src" / "app.py").write_text("print(1)\n")
    (root / "src" / "run.sh").write_text("#!/bin/sh\n")
    (root / "src" / "run.sh").chmod(0o755)
    (root / "src" / "closed").write_text("c")
    (root / "src" / "closed").chmod(0o400)
    (root / "src-latest").symlink_to("src/app.py")
    (root / "dangling").symlink_to("/nowhere/at all")
    Path(os.fsdecode(os.fsencode(root) + b"/caf\xe9 \n%41")).write_text("bytes")
    return root


def _tree(root: Path) -> dict[bytes, tuple[int, bytes | None]]:
    """Mode and content (or link target) of every path below a folder."""
    found: dict[bytes, tuple[int, bytes | None]] = {}
    for path in root.rglob("*"):
        content = None
        if path.is_symlink():
            content = os.fsencode(path.readlink())
        elif path.is_file():
            content = path.read_bytes()
        found[os.fsencode(path.relative_to(root))] = (path.lstat().st_mode, content)
    return found


def test_a_checkout_is_what_was_taken(store: SnapshotStore, work: Path, tmp_path: Path) -> None:
    taken = store.take(work)
    assert len(taken.digest) == 64
    assert taken.files == 5
    store.checkout(taken.digest, tmp_path / "copy")
    assert _tree(tmp_path / "copy") == _tree(work)
    assert store.take(tmp_path / "copy") == taken


def test_entries_are_sorted_and_complete(store: SnapshotStore, work: Path) -> None:
    entries = store.entries(store.take(work).digest)
    paths = [entry.path for entry in entries]
    assert paths == sorted(paths)
    kinds = {entry.path: (entry.kind, entry.mode, entry.size) for entry in entries}
    assert kinds[b"src/empty"] == ("dir", 0o755, 0)
    assert kinds[b"src/run.sh"] == ("file", 0o755, 10)
    assert kinds[b".hidden"][0] == "file"
    assert next(entry for entry in entries if entry.path == b"dangling").target == b"/nowhere/at all"
    assert b"caf\xe9 \n%41" in kinds


def test_a_checkout_belongs_to_the_jail(store: SnapshotStore, work: Path, tmp_path: Path) -> None:
    store.checkout(store.take(work).digest, tmp_path / "copy")
    expected = owner() or (os.geteuid(), os.getegid())
    for path in [tmp_path / "copy", *(tmp_path / "copy").rglob("*")]:
        state = path.lstat()
        assert (state.st_uid, state.st_gid) == expected, path


def test_only_what_changed_is_read_again(store: SnapshotStore, work: Path, tmp_path: Path) -> None:
    first = store.take(work)
    store.checkout(first.digest, tmp_path / "a")
    store.checkout(store.take(tmp_path / "a", first.digest).digest, tmp_path / "b")
    blob = next((tmp_path / "store" / "blobs").glob("??/*"))
    blob.unlink()  # whoever reads every file again would put it back
    assert store.take(tmp_path / "b", first.digest) == first
    assert not blob.exists()
    assert store.take(tmp_path / "b") == first
    assert blob.exists()


@pytest.mark.parametrize("keep_time", [False, True], ids=["plainly", "with its old time"])
def test_a_change_of_the_same_size_is_seen(store: SnapshotStore, work: Path, tmp_path: Path, keep_time: bool) -> None:
    first = store.take(work)
    changed = work / "src" / "app.py"
    before = changed.stat()
    changed.write_text("print(2)\n")
    if keep_time:
        os.utime(changed, ns=(before.st_atime_ns, before.st_mtime_ns))
    second = store.take(work, first.digest)
    assert [(each.path, each.kind) for each in store.diff(first.digest, second.digest)] == [(b"src/app.py", "changed")]


def test_a_change_right_after_a_checkout_is_seen(store: SnapshotStore, work: Path, tmp_path: Path) -> None:
    first = store.take(work)
    for number in range(3):
        copy = tmp_path / f"copy{number}"
        store.checkout(first.digest, copy)
        (copy / ".hidden").write_text("H")
        assert store.take(copy, first.digest) != first


def test_a_difference_tells_deletions_first(store: SnapshotStore, work: Path) -> None:
    before = store.take(work).digest
    (work / ".hidden").unlink()
    (work / "src" / "run.sh").chmod(0o644)
    (work / "a-new-one").write_text("n")
    (work / "src-latest").unlink()
    (work / "src-latest").symlink_to("elsewhere")
    changes = store.diff(before, store.take(work).digest)
    assert [(each.kind, each.path) for each in changes] == [
        ("deleted", b".hidden"),
        ("changed", b"src-latest"),
        ("changed", b"src/run.sh"),
        ("added", b"a-new-one"),
    ]
    assert changes[0].before is not None
    assert changes[0].after is None


def test_the_empty_state_is_in_every_store(store: SnapshotStore, tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    assert store.take(tmp_path / "nothing").digest == EMPTY
    assert store.entries(EMPTY) == []
    store.checkout(EMPTY, tmp_path / "copy")
    assert list((tmp_path / "copy").iterdir()) == []


def test_a_digest_nobody_knows_is_a_key_error(store: SnapshotStore) -> None:
    for digest in ("0" * 64, "", "../../etc/passwd", "x" * 64):
        with pytest.raises(KeyError):
            store.entries(digest)


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    before = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    finally:
        os.chdir(before)


@pytest.mark.parametrize(("make", "word"), [(_fifo, "a FIFO"), (_socket, "a socket")])
def test_special_files_are_refused_by_name(
    store: SnapshotStore, work: Path, make: Callable[[Path], None], word: str
) -> None:
    make(work / "src" / "odd")
    with pytest.raises(SnapshotRefused, match=f"src/odd is {word}"):
        store.take(work)


def test_a_workspace_over_its_limits_is_refused(tmp_path: Path, work: Path) -> None:
    for limits in (Limits(workspace_files=4), Limits(workspace_bytes=10)):
        with pytest.raises(SnapshotRefused) as refused:
            SnapshotStore(tmp_path / "small", limits).take(work)
        assert refused.value.limit == "workspace"


def test_files_beyond_the_limits_are_not_even_read(tmp_path: Path) -> None:
    small = SnapshotStore(tmp_path / "small", Limits(workspace_bytes=10))
    unread = io.BytesIO(b"never")
    with pytest.raises(SnapshotRefused):
        small.with_files(EMPTY, [(b"a", io.BytesIO(b"x" * 6)), (b"b", io.BytesIO(b"x" * 5)), (b"c", unread)])
    assert unread.tell() == 0
    assert not list((tmp_path / "small" / "blobs" / "staging").iterdir())


def test_a_file_that_is_replaced_makes_room_for_the_new_one(tmp_path: Path) -> None:
    small = SnapshotStore(tmp_path / "small", Limits(workspace_bytes=10))
    full = small.with_files(EMPTY, [(b"a", io.BytesIO(b"x" * 10))])
    assert small.with_files(full.digest, [(b"a", io.BytesIO(b"y" * 10))]).size_bytes == 10
    with pytest.raises(SnapshotRefused):
        small.with_files(full.digest, [(b"b", io.BytesIO(b"z"))])


def test_folders_nested_without_end_are_refused(store: SnapshotStore, work: Path) -> None:
    here = os.open(work, os.O_RDONLY)
    for _ in range(400):
        os.mkdir("d", dir_fd=here)
        deeper = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(here)
    with pytest.raises(SnapshotRefused, match="deep"):
        store.take(work)


def test_a_link_in_place_of_a_folder_leads_nowhere(store: SnapshotStore, work: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("s")
    (work / "way").symlink_to(tmp_path / "outside")
    taken = store.take(work)
    assert b"way/secret" not in [entry.path for entry in store.entries(taken.digest)]
    with pytest.raises(KeyError):
        store.open(taken.digest, b"way")


def test_files_are_opened_by_their_path(store: SnapshotStore, work: Path) -> None:
    digest = store.take(work).digest
    with store.open(digest, b"src/app.py") as file:
        assert file.read() == b"print(1)\n"
    for path in (b"src", b"src-latest", b"missing", b"../store"):
        with pytest.raises(KeyError):
            store.open(digest, path)


def test_files_are_added_and_removed_without_a_checkout(store: SnapshotStore) -> None:
    one = store.with_files(EMPTY, [(b"a/b/c.txt", io.BytesIO(b"hello"))])
    assert (one.files, one.size_bytes) == (1, 5)
    assert [entry.path for entry in store.entries(one.digest)] == [b"a", b"a/b", b"a/b/c.txt"]
    two = store.with_files(one.digest, [(b"a/d", io.BytesIO(b"d")), (b"a/b/c.txt", io.BytesIO(b"changed"))])
    assert store.open(two.digest, b"a/b/c.txt").read() == b"changed"
    three = store.without(two.digest, b"a/b")
    assert [entry.path for entry in store.entries(three.digest)] == [b"a", b"a/d"]
    with pytest.raises(KeyError):
        store.without(three.digest, b"a/b")


@pytest.mark.parametrize(
    "path", [b"../x", b"/x", b"a/../x", b"", b"a//b", b"./a", b"a\0b", b"n" * 256, b"d/" * 300 + b"x"]
)
def test_a_path_that_could_lead_out_is_no_path(store: SnapshotStore, path: bytes) -> None:
    with pytest.raises(SnapshotRefused):
        store.with_files(EMPTY, [(path, io.BytesIO(b"x"))])


def test_a_file_does_not_replace_a_folder_nor_lie_below_a_file(store: SnapshotStore) -> None:
    one = store.with_files(EMPTY, [(b"a/b", io.BytesIO(b"x"))])
    for path in (b"a", b"a/b/c"):
        with pytest.raises(SnapshotRefused):
            store.with_files(one.digest, [(path, io.BytesIO(b"x"))])


def test_a_checkout_goes_into_an_empty_folder_only(store: SnapshotStore, work: Path, tmp_path: Path) -> None:
    digest = store.take(work).digest
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("m")
    with pytest.raises(Exception, match="is not empty"):
        store.checkout(digest, tmp_path / "full")


def test_a_damaged_content_is_found_when_it_is_read(store: SnapshotStore, work: Path, tmp_path: Path) -> None:
    digest = store.take(work).digest
    entry = next(entry for entry in store.entries(digest) if entry.path == b"src/app.py")
    assert entry.sha256 is not None
    blob = tmp_path / "store" / "blobs" / entry.sha256[:2] / entry.sha256[2:]
    blob.write_bytes(b"print(9)\n")
    with pytest.raises(DamagedStore):
        store.open(digest, b"src/app.py")
    with pytest.raises(DamagedStore):
        store.checkout(digest, tmp_path / "copy")
    blob.unlink()
    with pytest.raises(DamagedStore):
        store.open(digest, b"src/app.py")


def test_a_damaged_manifest_is_found(store: SnapshotStore, work: Path, tmp_path: Path) -> None:
    digest = store.take(work).digest
    path = tmp_path / "store" / "manifests" / digest
    path.write_bytes(path.read_bytes().replace(b".hidden", b".hodden"))
    with pytest.raises(DamagedStore):
        SnapshotStore(tmp_path / "store").entries(digest)


def test_what_failed_half_way_leaves_nothing_behind(store: SnapshotStore, work: Path, tmp_path: Path) -> None:
    os.mkfifo(work / "zz")
    with pytest.raises(SnapshotRefused):
        store.take(work)
    assert list((tmp_path / "store" / "blobs" / "staging").iterdir()) == []
    assert list((tmp_path / "store" / "blobs").glob("??")) == []


def test_the_store_is_closed_to_others(store: SnapshotStore, tmp_path: Path) -> None:
    assert (tmp_path / "store").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("answer", "asked"), [(errno.EOPNOTSUPP, 1), (errno.EXDEV, 5)], ids=["never here", "not between these two"]
)
def test_blocks_are_shared_where_the_file_system_can_and_copied_elsewhere(
    store: SnapshotStore, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: int, asked: int
) -> None:
    digest, calls = store.take(work).digest, []

    def refused(target: int, request: int, source: int) -> None:
        calls.append(request)
        raise OSError(answer, os.strerror(answer))

    monkeypatch.setattr("sandbox.store.blobs.fcntl.ioctl", refused)
    store.checkout(digest, tmp_path / "copied")
    assert len(calls) == asked
    assert _tree(tmp_path / "copied") == _tree(work)

    def cloned(target: int, request: int, source: int) -> None:
        os.write(target, os.pread(source, 1000, 0))

    monkeypatch.setattr("sandbox.store.blobs.fcntl.ioctl", cloned)
    SnapshotStore(store.folder).checkout(digest, tmp_path / "shared")
    assert _tree(tmp_path / "shared") == _tree(work)


def test_times_of_files_come_back_so_that_compiled_python_stays_valid(
    store: SnapshotStore, work: Path, tmp_path: Path
) -> None:
    old = 1_500_000_000_000_000_000
    os.utime(work / "src" / "app.py", ns=(old, old))
    first = store.take(work)
    store.checkout(first.digest, tmp_path / "one")
    second = store.take(tmp_path / "one", first.digest)
    store.checkout(second.digest, tmp_path / "two")
    assert (tmp_path / "two" / "src" / "app.py").stat().st_mtime_ns == old


def test_a_stamp_as_young_as_the_kernels_clock_is_coarse_is_not_trusted(
    store: SnapshotStore, work: Path, tmp_path: Path
) -> None:
    """Two writes within one tick look the same on kernels whose time stamps are coarse, whatever this one's are."""
    digest = store.take(work).digest
    fresh = Seen(tmp_path / "store" / "seen").load(digest)[b".hidden"]
    assert not fresh.is_of((work / ".hidden").lstat())
    wait_until(lambda: time.time_ns() > (work / ".hidden").lstat().st_ctime_ns + 2 * YOUNG_NS)
    store.take(work)
    settled = Seen(tmp_path / "store" / "seen").load(digest)[b".hidden"]
    assert settled.is_of((work / ".hidden").lstat())


def test_a_cache_that_a_crash_left_half_written_costs_time_only(
    store: SnapshotStore, work: Path, tmp_path: Path
) -> None:
    first = store.take(work)
    cache = tmp_path / "store" / "seen" / first.digest
    for rubbish in (b"", b"\0" * 100, cache.read_bytes()[:-30], b"1 2 3 4 short path\n", b"\xff"):
        cache.write_bytes(rubbish)
        assert store.take(work, first.digest) == first
