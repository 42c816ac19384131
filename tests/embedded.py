"""The sentences that ship with mindX are embedded once in a process, and not again by each test that loads them.

Dozens of tests load the starter rules; the network takes most of a second of processor time for them and would answer
the same each time. Every other text goes to the network.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Embed = Callable[[Any, list[str]], list[list[float]]]


class EmbeddedOnce:
    """Stands in for `_Model.embed` of the embeddings."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self._shipped: frozenset[str] | None = None
        self._known: dict[str, list[float]] = {}

    def __call__(self, model: Any, texts: list[str]) -> list[list[float]]:
        """What the network says, or said, of each text."""
        if self._shipped is None:
            self._shipped = shipped()
        asked = [text for text in texts if text not in self._known]
        answers = dict(zip(asked, self._embed(model, asked), strict=True)) if asked else {}
        self._known |= {text: vector for text, vector in answers.items() if text in self._shipped}
        return [list(answers[text] if text in answers else self._known[text]) for text in texts]


def shipped() -> frozenset[str]:
    """The texts of the starter rules that are embedded."""
    from agents.rules.starter import starter_files
    from agents.services import rules

    starters = rules.starters(starter_files())
    return frozenset(text for one in starters for text in (one.body, one.applicability_text))
