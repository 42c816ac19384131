#!/usr/bin/env python
"""Django's command line for mindX; reads MINDX_DATA to find the running server's database."""

import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mindx_web.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)
