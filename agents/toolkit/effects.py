"""What a command changes: its effect class, and the sentences that are expected to hold after it succeeded."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from agents.toolkit.wording.words import quote

# What a crash in the middle of a command means, and so what may be done afterwards.
EFFECTS: Mapping[str, str] = {
    "idempotent": "Changes nothing that lasts; it may simply be run again.",
    "workspace": "Changes files of the workspace; it is run again in a new checkout of the snapshot before it.",
    "keyed": "Changes something outside under a key; the same key is sent again.",
    "once": "Cannot be repeated safely; after a crash a person says what happened.",
}

_SLOT = re.compile(r"\{([a-z][a-z0-9_]*)\}")


def slots_of(sentences: Sequence[str]) -> set[str]:
    """Return the parameters that the sentences mention."""
    return {name for sentence in sentences for name in _SLOT.findall(sentence)}


def fill_sentence(sentence: str, values: Mapping[str, Any]) -> str:
    """Return the sentence with its slots filled, each value quoted so that it can only be read as that value."""
    return _SLOT.sub(lambda found: _spoken(values[found.group(1)]), sentence)


def _spoken(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return quote(str(value))
