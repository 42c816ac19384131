"""What a command leaves in the files that its parameters alone say: looked at when its plan has run. Pure.

Places of parameters (agents.toolkit.saying) say the same of paths that are parameters themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Left:
    """A path below `folder`, a parameter's value: it is there, it is gone, it changed (a folder: something below it),
    it has this line, or it holds this line's text nowhere any more.

    `beside`: the folder is the nearest one, from `folder` upwards, that has this file; where none has it, `folder`.
    """

    folder: str
    path: str
    kind: Literal["exists", "gone", "file_changed", "has_line", "lacks_text"] = "exists"
    line: str = ""
    beside: str = ""
