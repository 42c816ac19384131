"""Whether the packages of mindX are being installed now. Needs none of them."""

from __future__ import annotations

import fcntl

from .configuration import PROJECT

STILL_INSTALLING = "mindX is still installing its packages; try again when make up says that it is ready."


def is_being_installed() -> bool:
    """Whether scripts/setup.sh is at work, which locks the list of packages meanwhile."""
    with (PROJECT / "requirements.txt").open() as packages:
        try:
            fcntl.flock(packages, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
