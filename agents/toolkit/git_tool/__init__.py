"""What git_tool does in the jail; the tool itself is described in `agents/toolkit/tools/git_tool.py`."""
