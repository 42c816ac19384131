"""What summarization reads in the jail; the tool itself is described in `agents/toolkit/tools/summarization.py`."""
