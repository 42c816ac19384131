"""Values of parameters as text: strings as they are, lists of plain words with commas, all else as the plan's JSON."""

from __future__ import annotations

import json
import re
from typing import Any

_PLAIN = re.compile(r"[\w.:-]+\Z", re.ASCII)


def as_text(value: Any) -> str:
    """The value in full; untrusted, to be made visible where it is shown."""
    if isinstance(value, list) and value and all(isinstance(one, str) and _PLAIN.match(one) for one in value):
        return ", ".join(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
