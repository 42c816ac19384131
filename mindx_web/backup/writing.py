"""Writing a backup beside a running mindX.

The dump comes first and the snapshots after it: a snapshot is on the disk before a row names it, so whatever the dump
names is there by then. Meanwhile nothing is pruned (the store's lock), so it is still there too.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings

from agents.workspaces import snapshot_references
from agents.workspaces.stores import store
from mindx_web.backup.contents import DUMP, FORMAT, KEY_NAMES, KEYS, STORE, Manifest, copying, digest_of, mark_of
from mindx_web.backup.postgres_tools import private_folder, run
from mindx_web.supervisor.data_folder import write_private
from sandbox.store import verify as verifying
from sandbox.store.snapshots import SnapshotStore
from sandbox.store.verify import Damage


def back_up(folder: Path, *, url: str, with_keys: bool) -> tuple[Manifest, list[Damage]]:
    """Write database, snapshots and, when wanted, keys; what of the snapshots in use could not be had.

    `url` must be the owner's: the application may not read every table. Raises BackupRefused.
    """
    private_folder(folder)
    at = datetime.now(UTC).isoformat(timespec="seconds")
    here = store()
    with here.keeping():
        # Comments belong to whoever owns the extension, and rights are given anew by the preparation.
        plain = ["--format=custom", "--no-owner", "--no-privileges", "--no-comments", f"--file={folder / DUMP}"]
        run("pg_dump", url, plain)
        with copying():
            here.copy_to(folder / STORE)
        needed = snapshot_references.needed_now()
    (folder / DUMP).chmod(0o600)
    copied = SnapshotStore(folder / STORE)
    damages = [damage for digest in sorted(needed) for damage in verifying.verify(copied, digest)]
    if with_keys:
        (folder / KEYS).mkdir(mode=0o700)
        for name in KEY_NAMES:
            write_private(folder / KEYS / name, getattr(settings, name.upper()) + "\n")
    size = (folder / DUMP).stat().st_size
    made = Manifest(FORMAT, at, digest_of(folder / DUMP), size, len(copied.digests()), mark_of(settings.APPROVAL_KEY))
    made.write(folder)
    os.sync()
    return made, damages
