"""How people say git's commands in passing, a module for each subject."""

from __future__ import annotations

from collections.abc import Mapping

from agents.toolkit.git_tool.saying import branches, looking, making
from agents.toolkit.saying import Said

SAID: Mapping[str, Said] = {**looking.SAID, **branches.SAID, **making.SAID}
