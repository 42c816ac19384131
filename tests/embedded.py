"""The sentences that ship with mindX are embedded once in a run, and not again by each test that loads them.

Dozens of tests in each process load the starter rules; the network takes seconds of processor time for them and would
answer the same each time. Every other text goes to the network.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

Embed = Callable[[Any, list[str]], list[list[float]]]
Tell = Callable[[], dict[str, list[float]]]


class EmbeddedOnce:
    """Stands in for `SentenceModel.embed`."""

    def __init__(self, embed: Embed, once: Callable[[Tell], dict[str, list[float]]]) -> None:
        self._embed = embed
        self._once = once  # asks what it is given, unless another process has
        self._known: dict[str, list[float]] | None = None

    def __call__(self, model: Any, texts: list[str]) -> list[list[float]]:
        """What the network says, or said, of each text."""
        known = self._known
        if known is None and not shipped().isdisjoint(texts):
            known = self._known = self._once(lambda: self._all_shipped(model))
        known = known or {}
        asked = [text for text in texts if text not in known]
        answers = dict(zip(asked, self._embed(model, asked), strict=True)) if asked else {}
        return [list(answers[text] if text in answers else known[text]) for text in texts]

    def _all_shipped(self, model: Any) -> dict[str, list[float]]:
        texts = sorted(shipped())
        return dict(zip(texts, self._embed(model, texts), strict=True))


@functools.cache
def shipped() -> frozenset[str]:
    """The texts of the starter rules that are embedded."""
    from agents.components import rules
    from agents.rules.starter import starter_files

    starters = rules.starters(starter_files())
    return frozenset(text for one in starters for text in (one.body, one.applicability_text))
