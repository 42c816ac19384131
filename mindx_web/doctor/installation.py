"""The installation on this machine: keys, file modes, what is open to the world, and room on the disks."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from agents.beliefs import perceiving
from agents.workspaces import stores
from mindx_web.doctor.finding import Finding, fail, ok, warn
from sandbox.store.objects import StoreUnavailable

KEY_LENGTH = 32
MIB = 1024 * 1024
# Below the least that the operator set, something fails soon; below four times as much it is time to look.
_SOON = 4
_INODES_PERCENT = 2


def keys() -> Iterator[Finding]:
    """The two keys that sessions, approvals and the audit chain stand on."""
    if len(settings.SECRET_KEY) < KEY_LENGTH:
        yield fail("keys", "the secret key is too short", "Set MINDX_SECRET_KEY to 50 random letters.")
    elif settings.APPROVAL_KEY == settings.SECRET_KEY:
        yield warn(
            "keys",
            "approvals are signed with the session key",
            "Set MINDX_APPROVAL_KEY before the first approval: changing it later makes earlier approvals void.",
        )
    else:
        yield ok("keys", "the secret key and the approval key are set and differ")


def modes() -> Iterator[Finding]:
    """Nobody else on this machine may read secrets, addresses with passwords, or the files of workspaces."""
    bad = [path for path in _private(Path(settings.DATA_DIR)) if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)]
    for path in bad:
        mode = "700" if path.is_dir() else "600"
        yield fail("modes", f"other users of this machine can read or pass {path}", f"chmod {mode} {path}")
    if not bad:
        yield ok("modes", "secrets and files are closed to other users")


def _private(data: Path) -> Iterator[Path]:
    """What must be closed. The data folder itself may be open to pass: servers with users of their own live in it."""
    for name in ("secrets", "store", "checkouts"):
        if (data / name).is_dir():
            yield data / name
    secrets = data / "secrets"
    yield from (path for path in sorted(secrets.glob("*")) if path.is_file())
    if (addresses := data / "run" / "servers.json").exists():
        yield addresses


def openness() -> Iterator[Finding]:
    """What strangers would meet."""
    if settings.DEBUG:
        yield fail("openness", "MINDX_DEBUG is on: error pages show code and settings", "Unset MINDX_DEBUG.")
    if settings.BIND not in {"127.0.0.1", "::1", "localhost"} and not settings.HTTPS:
        yield warn(
            "openness",
            f"mindX listens on {settings.BIND} without TLS: passwords and tokens are sent unencrypted",
            "Put a proxy with TLS before it and set MINDX_PUBLIC_URL=https://…",
        )
    elif not settings.DEBUG:
        yield ok("openness", f"listens on {settings.BIND}, public address {settings.PUBLIC_URL}")


def programs() -> Iterator[Finding]:
    """What tools need of this machine; where workers run elsewhere, they say it of theirs by a step that fails."""
    if "git" in perceiving.programs():
        yield ok("programs", "git is installed for git_tool")
    else:
        what = "git is not installed where jails look for it: every step of git_tool fails as TOOL_UNAVAILABLE"
        yield warn("programs", what, "apt-get install git, on every machine that runs workers.")


def disk() -> Iterator[Finding]:
    """Room for the data folder and for the store of snapshots, which may lie on another disk."""
    data = Path(settings.DATA_DIR)
    seen: set[int] = set()
    shared = settings.STORE_PLACE if isinstance(settings.STORE_PLACE, Path) else data / "store"
    for path in (data, shared, data / "store-cache", data / "postgres"):
        if path.exists() and (device := path.stat().st_dev) not in seen:
            seen.add(device)
            yield _room(path)


def snapshot_store() -> Iterator[Finding]:
    """The place of snapshots takes and gives bytes."""
    began = time.perf_counter()
    where = "a shared store" if stores.is_shared() else "the data folder"
    try:
        stores.check_answers()
    except (StoreUnavailable, OSError) as error:
        yield fail(
            "snapshot store",
            str(error),
            "See MINDX_STORE_URL, the keys for it and whether this machine reaches it. Steps wait until it is back.",
        )
        return
    yield ok("snapshot store", f"{where} is writable, took {(time.perf_counter() - began) * 1000:.0f} ms")
    left = (
        len(stores.own_store().digests()) if stores.is_shared() and (Path(settings.DATA_DIR) / "store").exists() else 0
    )
    if left:
        yield warn(
            "snapshot store",
            f"{left:,} snapshots lie in the data folder of this machine, from before it had a shared store",
            "`manage.py snapshots upload` takes them over (again costs little); then move that folder away.",
        )


def _room(path: Path) -> Finding:
    found = os.statvfs(path)
    free, least = found.f_bavail * found.f_frsize, settings.DISK_FREE_MIN_MB * MIB
    says = f"{path} has {free // MIB:,} MiB free"
    if found.f_files and found.f_favail * 100 < found.f_files * _INODES_PERCENT:
        return fail("disk", f"{path} has almost no free inodes", "Remove small files on that disk.")
    make_room = "Free space: `manage.py snapshots prune --older-than 7`, older logs, or a larger disk."
    if free < least:
        return fail("disk", f"{says}, less than MINDX_DISK_FREE_MIN_MB; steps and goals will fail", make_room)
    if free < _SOON * least:
        return warn("disk", says, make_room)
    return ok("disk", says)
