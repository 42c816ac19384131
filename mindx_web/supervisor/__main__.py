"""`python -m mindx_web.supervisor`: what `make up` runs."""

from __future__ import annotations

import argparse
import ctypes
import os
import signal
import sys

from .configuration import Configuration, ConfigurationError
from .data_folder import AlreadyRunning
from .keeper import PartFailed
from .launch import PR_SET_PDEATHSIG
from .postgres import PostgresError
from .service_user import OutOfReach
from .up import supervise


def main() -> int:
    """Run until told to stop; the exit code is 0 then and 1 when the start failed."""
    parser = argparse.ArgumentParser(prog="mindx_web.supervisor", description="Set up and run all of mindX.")
    parser.add_argument("--end-with-parent", action="store_true", help="stop when the process that started us ends")
    if parser.parse_args().end_with_parent:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)
    try:
        supervise(Configuration.from_environment(os.environ))
    except (AlreadyRunning, ConfigurationError, OutOfReach, PartFailed, PostgresError) as error:
        print(f"mindX did not start: {error}", file=sys.stderr)
        return 1
    except PermissionError as error:
        print(
            f"mindX did not start: {error.filename or 'its data folder'} cannot be opened by this user. "
            "Start mindX as the user who started it first, or set another MINDX_DATA.",
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
