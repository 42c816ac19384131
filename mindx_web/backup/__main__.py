"""`python -m mindx_web.backup restore DIR`: read a backup into an installation that does not run."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from mindx_web.backup.contents import BackupRefused
from mindx_web.backup.restoring import NotWhole, restore
from mindx_web.supervisor.configuration import ConfigurationError
from mindx_web.supervisor.data_folder import AlreadyRunning
from mindx_web.supervisor.postgres import PostgresError
from mindx_web.supervisor.service_user import OutOfReach


def main() -> int:
    """0 when all of it is there; 1 with the reason otherwise."""
    parser = argparse.ArgumentParser(prog="mindx_web.backup", description="Restore a backup of mindX.")
    parser.add_argument("action", choices=["restore"])
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder that `manage.py backup` wrote")
    options = parser.parse_args()
    try:
        restore(options.folder.absolute(), os.environ, lambda text: print(text, flush=True))
    except (BackupRefused, AlreadyRunning, ConfigurationError, OutOfReach, PostgresError, OSError) as error:
        print(f"The backup was not restored. {error}", file=sys.stderr)
        return 1
    except NotWhole as error:
        print(f"Restored, but with problems. {error}", file=sys.stderr)
        return 1
    print("Restored. Start mindX, run `manage.py doctor`, and check the review queue.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
