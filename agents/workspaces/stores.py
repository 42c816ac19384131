"""Where snapshots live: below the data folder, in a folder that several machines have mounted, or in a bucket."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from django.conf import settings

from agents.workspaces.store_lock import DatabaseTurns
from sandbox.contract import DEFAULT_LIMITS, Limits
from sandbox.store.cache import CachePolicy
from sandbox.store.remote import RemoteStore
from sandbox.store.s3 import S3, Patience
from sandbox.store.snapshots import SnapshotStore
from sandbox.store.store_address import Bucket


@lru_cache(maxsize=16)
def _store(data: Path, place: Path | Bucket, keep: CachePolicy, limits: Limits) -> SnapshotStore:
    if isinstance(place, Bucket):
        bucket = S3(place.name, place.prefix, place.endpoint, place.region)
        return RemoteStore(data / "store-cache", bucket, DatabaseTurns(), limits, keep)
    # What a file looked like when it was read is a matter of the machine it lies on.
    return SnapshotStore(place, limits, seen=None if place == data / "store" else data / "store-seen")


def store(limits: Limits = DEFAULT_LIMITS) -> SnapshotStore:
    """The snapshot store of this installation; what it takes in is refused above these limits."""
    keep = CachePolicy(settings.STORE_CACHE_BYTES, settings.STORE_CACHE_DAYS * 86_400.0)
    data = Path(settings.DATA_DIR)
    return _store(data, settings.STORE_PLACE or data / "store", keep, limits)


def check_answers() -> None:
    """Stores a few bytes and removes them, for somebody who waits. Raises OSError and StoreUnavailable."""
    place = settings.STORE_PLACE
    if isinstance(place, Bucket):
        RemoteStore.probe(S3(place.name, place.prefix, place.endpoint, place.region, Patience(1.0, 3.0, 1)))
    else:
        store().check_answers()


def is_shared() -> bool:
    """Whether other machines can use the same store."""
    return bool(settings.STORE_PLACE)


def own_store() -> SnapshotStore:
    """The store below the data folder, where snapshots were before a shared one was set."""
    return SnapshotStore(Path(settings.DATA_DIR) / "store")


def checkouts() -> Path:
    """The folder in which claims make their checkouts; nobody reads one after its claim has ended."""
    folder = Path(settings.DATA_DIR) / "checkouts"
    if not folder.is_dir():  # asked for several times a claim: making it again would cost five times as much
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
