"""Snapshots in a shared store of objects, with a folder of this machine as its cache.

Contents are sent before the manifest that names them, and the manifest before any row, so every machine can get what a
row names. The cache may be lost at any time: whatever is missing or damaged there is fetched and checked.
"""

from __future__ import annotations

import io
import logging
import os
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from sandbox.contract import DEFAULT_LIMITS, Limits
from sandbox.store import cache
from sandbox.store.blobs import Blobs, DamagedStore, Hashed, Staged
from sandbox.store.cache import CachePolicy
from sandbox.store.manifest import EMPTY, Entry
from sandbox.store.objects import Objects, Turns
from sandbox.store.s3 import CONNECTIONS
from sandbox.store.snapshots import SnapshotStore, parsed
from sandbox.store.store_lock import removing, writing

logger = logging.getLogger(__name__)

_CONTENTS, _MANIFESTS, _PROBES = "contents/", "manifests/", "probes/"
# A snapshot that this machine sent so recently is too young to be removed (`prune.Policy.grace_s`).
_LATELY_S = 6 * 3600.0
# Asking whether a content exists costs as much as sending a small one.
_WORTH_ASKING_BYTES = 256 * 1024


class RemoteBlobs(Blobs):
    """Contents in the shared store; the folder caches those that were recently needed here."""

    def __init__(self, folder: Path, objects: Objects, *, cached: bool = True) -> None:
        super().__init__(folder)
        self._objects = objects
        self._cached = cached

    def has(self, sha256: str) -> bool:
        return (self._cached and super().has(sha256)) or self._objects.find(_CONTENTS + sha256) is not None

    def open(self, sha256: str) -> BinaryIO:
        path = self._path(sha256)
        if self._cached and path.exists():
            try:
                file = super().open(sha256)
            except DamagedStore as error:
                logger.warning("%s; that was this machine's copy, and it is fetched again", error)
                path.unlink(missing_ok=True)
            else:
                cache.note_use(path)
                return file
        return self._fetched(sha256)

    def _fetched(self, sha256: str) -> BinaryIO:
        """The content from the shared store, checked and cached here. Raises DamagedStore."""
        descriptor, name = tempfile.mkstemp(dir=self._staging)
        came, file = Path(name), os.fdopen(descriptor, "w+b")
        try:
            try:
                self._objects.get(_CONTENTS + sha256, file)
            except KeyError as error:
                raise self._bad(sha256, "missing from") from error
            file.seek(0)
            if Hashed().add(file)[0] != sha256:
                raise self._bad(sha256, "damaged in")
            if self._cached:
                path = self._path(sha256)
                path.parent.mkdir(exist_ok=True)
                came.rename(path)
        except BaseException:
            file.close()
            raise
        finally:
            came.unlink(missing_ok=True)
        file.seek(0)
        return file

    def _bad(self, sha256: str, how: str) -> DamagedStore:
        return DamagedStore(f"the content {sha256} is {how} {self._objects.address}{_WHAT_TO_DO}")

    def put(self, sha256: str) -> None:
        """Sends the cached content of this name, unless it is large and exists there already."""
        path = self._path(sha256)
        if not path.exists():
            if self._objects.find(_CONTENTS + sha256) is None:
                raise self._bad(sha256, "missing from")
            return
        if path.stat().st_size >= _WORTH_ASKING_BYTES and self._objects.find(_CONTENTS + sha256) is not None:
            return
        with super().open(sha256) as file:
            self._objects.put(_CONTENTS + sha256, file)

    def put_all(self, names: Iterable[str]) -> None:
        """Sends all of these; returns when all are stored, or raises the first error."""
        wanted = list(names)
        if len(wanted) <= 1:
            for name in wanted:
                self.put(name)
            return
        with ThreadPoolExecutor(CONNECTIONS, "store") as pool:
            sent = [pool.submit(self.put, name) for name in wanted]
            try:
                for one in sent:
                    one.result()
            except BaseException:
                pool.shutdown(wait=True, cancel_futures=True)
                raise

    def stored(self) -> Iterator[tuple[str, int, float]]:
        for one in self._objects.listed(_CONTENTS):
            yield one.name.removeprefix(_CONTENTS), one.size_bytes, one.at

    def remove(self, sha256: str) -> None:
        self._objects.remove(_CONTENTS + sha256)
        super().remove(sha256)

    def put_back(self, source: BinaryIO, wanted: object) -> str | None:
        sha256 = super().put_back(source, wanted)  # type: ignore[arg-type]  # the parent's own type, handed on
        if sha256 is not None:
            with super().open(sha256) as file:
                self._objects.put(_CONTENTS + sha256, file)
        return sha256


_WHAT_TO_DO = (
    ": `manage.py snapshots verify` says who needs it, `… repair` looks for it on this machine (run it on each),"
    " `… upload` sends what an installation had before it got a shared store"
)


class RemoteStore(SnapshotStore):
    """A SnapshotStore backed by a shared store of objects.

    An unchanged state costs no request. `turns` separates writers and removers, on all machines.
    """

    def __init__(
        self,
        folder: Path,
        objects: Objects,
        turns: Turns,
        limits: Limits = DEFAULT_LIMITS,
        keep: CachePolicy = CachePolicy(),  # noqa: B008
        *,
        cached: bool = True,
    ) -> None:
        super().__init__(folder, limits)
        self._objects, self._turns, self._keep, self._cached = objects, turns, keep, cached
        self.blobs: RemoteBlobs = RemoteBlobs(folder / "blobs", objects, cached=cached)

    def checkout(self, digest: str, target: Path) -> None:
        super().checkout(digest, target)
        self._trim()

    def open(self, digest: str, path: bytes) -> BinaryIO:
        found = super().open(digest, path)
        self._trim()
        return found

    @contextmanager
    def _adding(self) -> Iterator[Staged]:
        with super()._adding() as staged:
            yield staged
        self._trim()

    def _name(self, digest: str, text: bytes, entries: list[Entry], before: str) -> None:
        """Makes the state available to every machine. `before` is in use, so its contents exist and stay."""
        if digest == before or self._put_lately(digest):
            return
        known = {entry.sha256 for entry in self._parsed(before)} if before and self._is_here(before) else set()
        wanted = {entry.sha256: None for entry in entries if entry.sha256 is not None and entry.sha256 not in known}
        with self._turns.writing():
            if self._objects.find(_MANIFESTS + digest) is None:
                self.blobs.put_all(wanted)
            # Also over an existing one, because pruning uses the time of the last write.
            self._objects.put(_MANIFESTS + digest, io.BytesIO(text))
        self._cache_manifest(digest, text, time.time())

    def _put_lately(self, digest: str) -> bool:
        at = super().stored_at(digest)
        return at is not None and at > time.time() - _LATELY_S

    def write_manifest(self, digest: str, text: bytes) -> None:
        self._objects.put(_MANIFESTS + digest, io.BytesIO(text))
        self._cache_manifest(digest, text, time.time())

    def _cache_manifest(self, digest: str, text: bytes, at: float) -> None:
        with tempfile.NamedTemporaryFile(dir=self.folder, prefix=".manifest-", delete=False) as file:
            file.write(text)
        os.utime(file.name, (time.time(), at))
        Path(file.name).rename(self._manifests / digest)

    def _is_here(self, digest: str) -> bool:
        if super()._is_here(digest):
            return True
        try:
            self.read(digest)
        except KeyError:
            return False
        return True

    def manifests(self) -> Iterator[tuple[str, float]]:
        for one in self._objects.listed(_MANIFESTS):
            yield one.name.removeprefix(_MANIFESTS), one.at

    def stored_at(self, digest: str) -> float | None:
        found = self._objects.find(_MANIFESTS + digest)
        return None if found is None else found.at

    def renew(self, digest: str) -> None:
        if digest == EMPTY:
            return
        with writing(self.folder), self._turns.writing():
            text, _ = self._downloaded(digest)
            parsed(digest, text)
            self.write_manifest(digest, text)

    def forget(self, digest: str, *, unless_since: float) -> bool:
        at = self.stored_at(digest)
        if at is None or at >= unless_since:
            return False
        self._objects.remove(_MANIFESTS + digest)
        (self._manifests / digest).unlink(missing_ok=True)
        self._seen.forget(digest)
        return True

    @contextmanager
    def removing(self, wait_s: float) -> Iterator[None]:
        # In the order in which writers take the locks.
        with removing(self.folder, wait_s), self._turns.removing(wait_s):
            yield

    @contextmanager
    def keeping(self) -> Iterator[None]:
        with writing(self.folder), self._turns.writing():
            yield

    def copy_to(self, target: Path) -> None:
        target.mkdir(mode=0o700)
        copy = SnapshotStore(target)
        with self.unread() as plain:
            for digest in plain.digests():
                copy.adopt(digest, plain)

    def read(self, digest: str) -> tuple[Entry, ...]:
        if self._cached:
            try:
                found = super().read(digest)
                if digest != EMPTY:
                    cache.note_use(self._manifests / digest)
                return found
            except DamagedStore as error:
                logger.warning("%s; that was this machine's copy, and it is fetched again", error)
            except KeyError:
                if len(digest) != 64 or not digest.isalnum():
                    raise
        elif digest == EMPTY:
            return ()
        text, at = self._downloaded(digest)
        entries = parsed(digest, text)
        if self._cached:
            self._cache_manifest(digest, text, at)
        return entries

    def _downloaded(self, digest: str) -> tuple[bytes, float]:
        """A manifest's text and when it was stored. Raises KeyError when it is not there."""
        target = io.BytesIO()
        at = self._objects.get(_MANIFESTS + digest, target)
        return target.getvalue(), at

    @contextmanager
    def unread(self) -> Iterator[SnapshotStore]:
        """The shared store with no cache before it."""
        with tempfile.TemporaryDirectory(dir=self.folder, prefix=".manifest-unread-") as empty:
            yield RemoteStore(Path(empty), self._objects, self._turns, self._limits, cached=False)

    def check_answers(self) -> None:
        """Raises StoreUnavailable."""
        self.probe(self._objects)

    @staticmethod
    def probe(objects: Objects) -> None:
        """Checks the store: writes a few bytes and removes them. Raises StoreUnavailable."""
        name = f"{_PROBES}{os.uname().nodename}-{os.getpid()}"
        objects.put(name, io.BytesIO(b"mindX"))
        objects.remove(name)

    def cached_texts(self) -> dict[str, bytes]:
        """The manifests of which this machine has a complete copy."""
        texts = {each.name: Path(each.path).read_bytes() for each in os.scandir(self._manifests)}
        return {digest: text for digest, text in texts.items() if _is_whole(digest, text)}

    def _trim(self) -> None:
        if self._cached:
            cache.trim(self.folder, self._keep, time.time())


def _is_whole(digest: str, text: bytes) -> bool:
    try:
        parsed(digest, text)
    except DamagedStore:
        return False
    return True
