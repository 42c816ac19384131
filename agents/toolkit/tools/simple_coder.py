"""SimpleCoder: the jailed terminal session. Its commands are the session's own, one request each."""

from __future__ import annotations

from agents.toolkit.command import Tool
from agents.toolkit.simple_coder.command import NAME
from agents.toolkit.simple_coder.files import FILES
from agents.toolkit.simple_coder.programs import PROGRAMS
from agents.toolkit.simple_coder.saying import SAID

TOOL = Tool(
    NAME,
    "SimpleCoder",
    "A jailed terminal in the workspace: files, folders, virtual environments, programs.",
    (*FILES, *PROGRAMS),
    SAID,
)
