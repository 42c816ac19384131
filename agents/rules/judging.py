"""What a language model is asked about pairs of sentences, and what of its answer is believed. Pure.

An answer counts only when it has exactly one verdict for each premise; any other is none at all.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any

from agents.rules.cascade import CONTRADICTION, ENTAILMENT, NEUTRAL, Likelihood
from agents.toolkit.schemas import JsonError, loads_strict

# A longer pair is not sent: the end of a sentence may deny its beginning, so it cannot be cut either.
MOST_CHARACTERS = 2_000
NOT_JUDGED = Likelihood(0.0, 1.0, 0.0)
LABELS = (ENTAILMENT, NEUTRAL, CONTRADICTION)
_FENCE = re.compile(r"\A\s*```(?:json)?\s*(.*?)\s*```\s*\Z", re.DOTALL)
_FIELDS = {"number", "label", "probability"}


class NoVerdicts(ValueError):
    """The answer is not as asked; the message says why."""


def schema_of(premises: int) -> dict[str, Any]:
    """The form of an answer about so many premises."""
    one = {
        "type": "object",
        "additionalProperties": False,
        "required": sorted(_FIELDS),
        "properties": {
            "number": {"type": "integer", "minimum": 1, "maximum": premises},
            "label": {"type": "string", "enum": list(LABELS)},
            "probability": {"type": "number", "minimum": 0, "maximum": 1},
        },
    }
    verdicts = {"type": "array", "minItems": premises, "maxItems": premises, "items": one}
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["verdicts"],
        "properties": {"verdicts": verdicts},
    }


def messages(instructions: str, premises: Sequence[str], hypothesis: str) -> list[tuple[str, str]]:
    """The conversation: what is asked, and the sentences as data, the premises numbered from 1."""
    numbered = [{"number": number, "premise": premise} for number, premise in enumerate(premises, 1)]
    asked = {"hypothesis": hypothesis, "premises": numbered}
    return [("system", instructions), ("user", json.dumps(asked, ensure_ascii=False))]


def read(answer: str, premises: int) -> list[Likelihood]:
    """One likelihood for each premise, in order; what the model is not sure of is neutral. Raises NoVerdicts."""
    fenced = _FENCE.match(answer)
    try:
        said = loads_strict(fenced[1] if fenced else answer.strip())
    except JsonError as error:
        raise NoVerdicts(f"the answer is no JSON: {error}") from error
    rows = said.get("verdicts") if isinstance(said, dict) else None
    if not isinstance(rows, list) or len(rows) != premises:
        raise NoVerdicts(f"the answer has no list of {premises} verdicts")
    found: dict[int, Likelihood] = {}
    for row in rows:
        if problem := _problem(row, premises):
            raise NoVerdicts(problem)
        found[row["number"]] = _likelihood(row["label"], float(row["probability"]))
    if len(found) != premises:
        raise NoVerdicts("the answer has two verdicts about one premise")
    return [found[number] for number in range(1, premises + 1)]


def _problem(row: Any, premises: int) -> str:
    if not isinstance(row, dict) or set(row) != _FIELDS:
        return "a verdict has other fields than number, label and probability"
    number, probability = row["number"], row["probability"]
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= premises:
        return f"there is no premise {str(number)[:20]}"
    if row["label"] not in LABELS:
        return f"there is no label {str(row['label'])[:40]}"
    is_number = isinstance(probability, int | float) and not isinstance(probability, bool)
    if not is_number or not math.isfinite(probability) or not 0 <= probability <= 1:
        return f"{str(probability)[:20]} is no probability"
    return ""


def _likelihood(label: str, probability: float) -> Likelihood:
    rest = 1.0 - probability
    if label == NEUTRAL:
        return Likelihood(rest / 2, probability, rest / 2)
    return Likelihood(probability, rest, 0.0) if label == ENTAILMENT else Likelihood(0.0, rest, probability)
