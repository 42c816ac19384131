"""Exit 0 when the web part in this container answers that all is well (compose.yaml's health check)."""

from __future__ import annotations

import sys
import urllib.error
import urllib.request

request = urllib.request.Request(
    "http://127.0.0.1:8000/api/v1/health", headers={"Host": "127.0.0.1", "X-Forwarded-Proto": "https"}
)
try:
    with urllib.request.urlopen(request, timeout=4) as answer:
        sys.exit(0 if answer.status == 200 else 1)
except (urllib.error.URLError, OSError) as error:
    sys.exit(f"not healthy: {error}")
