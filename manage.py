#!/usr/bin/env python
"""Django's command line for mindX; reads MINDX_DATA to find the running server's database."""

import fcntl
import sys
from pathlib import Path


def _is_being_installed() -> bool:
    """Whether scripts/setup.sh is at work, which locks the list of packages meanwhile."""
    with (Path(__file__).parent / "requirements.txt").open() as packages:
        try:
            fcntl.flock(packages, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


if __name__ == "__main__":
    try:
        from mindx_web.command_line import main

        main(sys.argv)
    except ImportError:
        if not _is_being_installed():
            raise
        sys.exit("mindX is still installing its packages; try again when make up says that it is ready.")
