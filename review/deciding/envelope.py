"""What a reviewer grants beyond the first attempt of each step: further attempts, and declared alternatives."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from agents.bdi.plans.document import Document
from review.errors import WordsRefused

TRIES = range(1, 6)
USUAL_TRIES = 3
# (position of the step, number of its declared alternative), both from 1.
Alternative = tuple[int, int]


def granted(tries: int, alternatives: Collection[Alternative] = ()) -> dict[str, Any]:
    """The envelope as it is sealed. `tries` counts every attempt of a step, including the first."""
    if isinstance(tries, bool) or not isinstance(tries, int) or tries not in TRIES:
        raise WordsRefused("tries", f"Choose {TRIES.start} to {TRIES.stop - 1} tries of a step.")
    return {"tries": tries, **({"alternatives": sorted(map(list, set(alternatives)))} if alternatives else {})}


def wanted_tries(document: Document | None) -> int:
    """The attempts that a page proposes: the default number, or more if steps ask for more retries."""
    asked = [spec.tries for spec in document.all_intents if spec.tries is not None] if document is not None else []
    return max(USUAL_TRIES, min(max(asked, default=0), TRIES.stop - 1))


def check_declared(document: Document, alternatives: Collection[Alternative]) -> None:
    """Raise WordsRefused for an alternative that the plan does not declare, because nobody can have read it."""
    declared = {(position, number) for position, number, _ in document.variants()}
    if unknown := sorted(set(alternatives) - declared):
        position, number = unknown[0]
        raise WordsRefused("alternatives", f"Step {position} declares no alternative {number}.")


def is_whole(envelope: object) -> bool:
    """Whether `granted` could have made this envelope. 3 and 3.0 have the same seal, but differ in Python."""
    if not isinstance(envelope, Mapping) or not {"tries"} <= set(envelope) <= {"tries", "alternatives"}:
        return False
    tries, pairs = envelope["tries"], envelope.get("alternatives", [[1, 1]])
    numbers = [tries, *(number for pair in pairs for number in pair)] if _are_pairs(pairs) else []
    return bool(numbers) and all(type(number) is int and number > 0 for number in numbers) and tries in TRIES


def _are_pairs(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in value)


def tries_in(envelope: Mapping[str, Any]) -> int:
    """How often a step may be tried under this envelope; 1 when it does not say."""
    tries = envelope.get("tries", 1)
    return tries if isinstance(tries, int) and tries in TRIES else 1


def alternatives_in(envelope: Mapping[str, Any]) -> frozenset[Alternative]:
    """Which declared alternatives may be done under this envelope; none when it does not say."""
    pairs = envelope.get("alternatives", [])
    return frozenset((pair[0], pair[1]) for pair in pairs) if _are_pairs(pairs) else frozenset()


def in_words(envelope: Mapping[str, Any]) -> str:
    """The envelope as a reviewer reads it."""
    more = tries_in(envelope) - 1
    said = f"up to {more} {'retry' if more == 1 else 'retries'} of exactly these steps" if more else ""
    others = [f"{position}.{number}" for position, number in sorted(alternatives_in(envelope))]
    instead = f"{'alternative' if len(others) == 1 else 'alternatives'} {', '.join(others)}" if others else ""
    return ", and ".join(part for part in (said or "no retry of a failed step", instead) if part)
