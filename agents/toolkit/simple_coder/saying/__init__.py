"""How people say the session's commands in passing, a module for each subject."""

from __future__ import annotations

from collections.abc import Mapping

from agents.toolkit.saying import Said
from agents.toolkit.simple_coder.saying import contents, folders, moving, programs, searching, session

SAID: Mapping[str, Said] = {
    **folders.SAID,
    **contents.SAID,
    **moving.SAID,
    **searching.SAID,
    **session.SAID,
    **programs.SAID,
}
