"""What several of the session's commands are said by."""

from __future__ import annotations

SHOW = (
    "show, display, print, output, open, view, see, read, cat, type, look at, look into, have a look at, take a look "
    "at, give a look at, inspect"
)
