"""Where calls among agents end: how deep they may go, how many one request may lead to, and no call of itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Bounds:
    """`depth`: how deep requests may be nested. `requests`: how many the first one may lead to in all."""

    depth: int = 5
    requests: int = 50


@dataclass(frozen=True)
class Link:
    """A request on the way down: what it asks for, and a digest of its content."""

    capability: str
    digest: str


def refusal(chain: Sequence[Link], new: Link, made: int, bounds: Bounds) -> str:
    """Why a request may not be made within `chain` (the first request first), in a word; "" when it may.

    `made`: how many requests the first one has led to already.
    """
    if new.capability and new in chain:
        return "calls_itself"
    if len(chain) >= bounds.depth:
        return "too_deep"
    if chain and made >= bounds.requests:
        return "too_many_requests"
    return ""


IN_WORDS = {
    "calls_itself": "This request is within one that asks for the same thing with the same content; it would never end",
    "too_deep": "This request is within too many others; agents cannot call each other for ever",
    "too_many_requests": "The first request led to too many others; agents cannot call each other for ever",
}
