"""Values of parameters as text: strings as they are, everything else as the JSON that the plan holds."""

from __future__ import annotations

import json
from typing import Any


def as_text(value: Any) -> str:
    """The value in full; untrusted, to be made visible where it is shown."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
