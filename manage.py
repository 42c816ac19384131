#!/usr/bin/env python
"""Django's command line for mindX; reads MINDX_DATA to find the running server's database."""

import sys

from mindx_web.supervisor.installing import STILL_INSTALLING, is_being_installed

if __name__ == "__main__":
    try:
        from mindx_web.command_line import main

        main(sys.argv)
    except ImportError:
        if not is_being_installed():
            raise
        sys.exit(STILL_INSTALLING)
