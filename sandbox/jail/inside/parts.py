"""The helper's parts, each loaded when a request first needs it.

A session waits for the helper's start, and most of that was loading: `json`, `base64` and `ctypes` are most of 15 ms,
`re` alone is half of it and comes along with the first two. So what starts with every session (`main`, `frames`,
`place`, `tree`, `libc`) does without them, and what a session may never ask for is loaded from here.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing costs 3 ms more
if TYPE_CHECKING:
    from typing import Any


class _Part:
    """Stands for a module of this package until something of it is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        package = __import__(__package__, fromlist=[self._name])
        found = getattr(getattr(package, self._name), attribute)
        setattr(self, attribute, found)
        return found


if TYPE_CHECKING:
    from . import company as company
    from . import deletions as deletions
    from . import environments as environments
    from . import files as files
    from . import moving as moving
    from . import programs as programs
    from . import reading as reading
    from . import searching as searching
    from . import survey as survey
    from . import temporary as temporary
else:
    company, deletions, environments = _Part("company"), _Part("deletions"), _Part("environments")
    files, moving = _Part("files"), _Part("moving")
    programs, reading, searching, survey = _Part("programs"), _Part("reading"), _Part("searching"), _Part("survey")
    temporary = _Part("temporary")
