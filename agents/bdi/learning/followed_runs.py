"""Which remembered run a plan followed, when a person changed that plan. Pure.

A person who replaces `old/reports` by `new/reports` says that `old` was wrong here. A remembered run whose steps name
`old` is where it came from; one that does not name it had no part in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agents.bdi.plans.parameters import texts_in

Steps = Sequence[Mapping[str, Any]]
# Shorter ones, and numbers, stand in steps that have nothing to do with each other.
_WORD = re.compile(r"[^\W\d_][\w-]{2,}")


def replaced(sent_back: Steps, approved: Steps, goal: str) -> frozenset[str]:
    """The words in values of a plan that the person's plan does not have any more, nor the goal itself.

    Steps are those of a plan, `{"params": {name: {"value": …}}}`.
    """
    return _words(_values(sent_back)) - _words(_values(approved)) - _words([goal])


def was_followed(steps: str, words: frozenset[str]) -> bool:
    """Whether a remembered run names, in its steps, any of what a person replaced."""
    return bool(words & _words([steps]))


def _words(texts: Sequence[str] | Iterator[str]) -> frozenset[str]:
    return frozenset(word.casefold() for text in texts for word in _WORD.findall(text))


def _values(steps: Steps) -> Iterator[str]:
    for step in steps:
        for param in step.get("params", {}).values():
            yield from texts_in(param.get("value") if isinstance(param, Mapping) else param)
