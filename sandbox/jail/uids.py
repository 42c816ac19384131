"""A uid for one session alone, for jails that share the host's process ids.

It replaces a process namespace: every process with this uid belongs to this session, so `kill(-1)` under it ends the
session's processes and no others, and no two sessions can signal each other.
"""

from __future__ import annotations

import fcntl
import os
import pwd
from pathlib import Path

from sandbox.contract import SandboxUnavailable
from sandbox.jail.confined import UIDS

# Per machine, not per installation: two installations on it share the uids.
_LOCKS = Path("/run/mindx-jails")


def claim() -> tuple[int, int]:
    """A uid that no other session has, and the descriptor that reserves it until its last copy is closed.

    Raises SandboxUnavailable when there is none.
    """
    try:
        _LOCKS.mkdir(mode=0o700, exist_ok=True)
        for uid in UIDS:
            descriptor = os.open(_LOCKS / str(uid), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            if _is_free(uid, descriptor):
                return uid, descriptor
            os.close(descriptor)
    except OSError as error:
        raise SandboxUnavailable(f"no uid can be kept for a jail alone: {error}") from error
    raise SandboxUnavailable(
        f"all {len(UIDS)} uids of jails without namespaces are in use; try again when one has ended"
    )


def _is_free(uid: int, descriptor: int) -> bool:
    try:
        pwd.getpwuid(uid)
    except KeyError:
        pass
    else:
        return False  # somebody's account, whatever its number was meant for
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
