"""What http_request does in the jail; the tool itself is described in `agents/toolkit/tools/http_request.py`."""
