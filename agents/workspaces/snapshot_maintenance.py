"""Looking after the snapshot store: is all of it there, can what is lost be had elsewhere, what may go."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from agents.record.errors import AgentsError
from agents.workspaces import snapshot_references
from agents.workspaces.stores import checkouts, is_shared, own_store, store
from sandbox.store import prune as pruning
from sandbox.store import repair as mending
from sandbox.store import verify as verifying
from sandbox.store.blobs import DamagedStore
from sandbox.store.objects import StoreUnavailable
from sandbox.store.prune import Policy, Pruned
from sandbox.store.remote import RemoteStore
from sandbox.store.store_lock import StoreBusy
from sandbox.store.verify import Damage, Verified

logger = logging.getLogger(__name__)


class NotShared(AgentsError):
    """There is no shared store."""


@dataclass(frozen=True)
class Mended:
    """What came back, and what is still missing or damaged."""

    mended: tuple[Damage, ...]
    left: tuple[Damage, ...]


def verify() -> Verified:
    """Every part of the store, and every snapshot that is needed now."""
    return verifying.verify_all(store(), snapshot_references.needed_now())


def repair(folders: Iterable[Path] = ()) -> Mended:
    """Looks for what is damaged in the checkouts that exist, then below `folders`.

    All workspaces share one store, so a content that any of them has is there for all; what is lost can only be in
    folders.
    """
    here = store()
    places = [*sorted(checkouts().iterdir()), *folders]
    damages = verify().damages
    mended = []
    if isinstance(here, RemoteStore):
        mended += mending.repair_from_copies(here, damages)
        places.append(here.folder / "blobs")
        damages = verify().damages  # what the manifests that are back name
    mended += mending.repair(here, damages, places)
    return Mended(tuple(mended), verify().damages)


def upload() -> int:
    """Takes over into the shared store what this machine had before it had one; how many snapshots.

    What is in the data folder stays there. Can be run again: a snapshot that is there already costs little.
    """
    if not is_shared():
        raise NotShared("MINDX_STORE_URL is not set: there is no shared store to send anything to")
    source, target = own_store(), store()
    digests = source.digests()
    for digest in digests:
        target.adopt(digest, source)
    return len(digests)


def prune(policy: Policy, *, dry_run: bool = False) -> Pruned:
    """Removes what nobody needs. Raises DamagedStore and StoreBusy, with no content removed."""
    return pruning.prune(store(), snapshot_references.uses(), policy, time.time(), dry_run=dry_run)


def prune_daily() -> None:
    """The usual pruning. What stops it today is logged; the next day tries again."""
    try:
        gone = prune(Policy(settings.SNAPSHOT_KEEP_DAYS * pruning.DAY_S))
    except (DamagedStore, StoreBusy, StoreUnavailable) as error:
        logger.warning("The snapshots were not pruned: %s", error)
        return
    logger.info(
        "Pruned %d snapshots and %d contents.",
        len(gone.snapshots),
        gone.contents,
        extra={"freed_bytes": gone.freed_bytes, "kept_bytes": gone.kept_bytes, "leftovers": gone.leftovers},
    )
