"""What a reviewer grants beyond the first try of the approved steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from review.errors import WordsRefused

TRIES = range(1, 6)
USUAL_TRIES = 3


def granted(tries: int) -> dict[str, int]:
    """The envelope as it is sealed. `tries` counts every try of a step, the first one included."""
    if isinstance(tries, bool) or not isinstance(tries, int) or tries not in TRIES:
        raise WordsRefused("tries", f"Choose {TRIES.start} to {TRIES.stop - 1} tries of a step.")
    return {"tries": tries}


def is_whole(envelope: object) -> bool:
    """Whether this is an envelope as `granted` makes them. 3 and 3.0 have one seal, but not one meaning."""
    if not isinstance(envelope, Mapping) or set(envelope) != {"tries"}:
        return False
    tries = envelope["tries"]
    return type(tries) is int and tries in TRIES


def tries_in(envelope: Mapping[str, Any]) -> int:
    """How often a step may be tried under this envelope; 1 when it does not say."""
    tries = envelope.get("tries", 1)
    return tries if isinstance(tries, int) and tries in TRIES else 1


def in_words(envelope: Mapping[str, Any]) -> str:
    """The envelope as a reviewer reads it."""
    more = tries_in(envelope) - 1
    if not more:
        return "no second try of a failed step"
    return f"up to {more} more {'try' if more == 1 else 'tries'} of exactly these steps"
