"""What several of the session's commands are said by."""

from __future__ import annotations

SHOW = (
    "show, display, print, output, open, view, see, read, cat, type, look at, look into, have a look at, take a look "
    "at, give a look at, inspect"
)
# How what is to be made is given its name, beside it or in a clause of its own.
CALLED = (
    "named, with name, with the name, by the name, by the name of, under the name, name, call it, name it, "
    "and call it, and name it, just call it, and just call it, it should be named, it shall be named, it is to be "
    "named, it has to be named, it must be named, which should be named, that should be named, should be named, "
    "to be named, be named"
)
