"""What was weighed at a decision: each relevant rule, its contexts against the beliefs, and why it was not taken. Pure.

It is worked out for those who look on; choosing itself stops at a rule's first context that does not hold, so behind it
only what is proven is told, and no model is asked for their sake. The shape is that of a plan's evidence, which
`agents.presentation.matrix` draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agents.environments.beliefs import Beliefs
from agents.environments.choosing import Choice, Library
from agents.rules.bodies import fill_subgoal
from agents.rules.grammar import Context
from agents.rules.selection import Relevant
from agents.toolkit.wording.words import Text

# Of rules, matches of one included; and of beliefs that speak about one context. More are counted, not shown.
MOST_RULES, MOST_CELLS = 12, 12
Json = dict[str, Any]


@dataclass(frozen=True)
class _Judged:
    """A context with what beliefs say about it; `score` is that of the firmest belief that entails it, 0 to 1.

    `left_out`: nothing proves or disproves it, and no model was asked, since a context before it does not hold.
    """

    sentence: str
    cells: tuple[Json, ...]
    decided_by: int | None
    score: float
    left_out: bool = False

    def as_data(self) -> Json:
        return {
            "sentence": self.sentence,
            "holds": self.decided_by is not None,
            "decided_by": self.decided_by,
            "left_out": self.left_out,
            "cells": list(self.cells),
        }


@dataclass(frozen=True)
class _Match:
    rule: Relevant
    contexts: tuple[_Judged, ...]

    @property
    def key(self) -> object:
        return self.rule.known.rule.name, tuple(sorted(self.rule.values().items()))

    @property
    def holding(self) -> int:
        return sum(context.decided_by is not None for context in self.contexts)

    @property
    def applicable(self) -> bool:
        return self.holding == len(self.contexts)


def weighed(
    library: Library, goal: Text, beliefs: Beliefs, chosen: Choice | None, passed: Mapping[object, str]
) -> Json:
    """The decision as JSON: `goal`, `relevant`, `contexts` of the chosen rule, `rejected` with reasons, `left_out`.

    Numbers of beliefs count from 0 in the order of `beliefs.all()`.
    """
    key = chosen.key if chosen is not None else None
    matches = [_Match(found, tuple(_in_order(library, beliefs, found))) for found in library.matches(goal, beliefs)]
    # Stable: of those that are alike the first belief comes first, as in choosing.
    matches.sort(key=lambda one: (one.key != key, not one.applicable, -one.rule.known.rule.priority, -one.holding))
    shown = matches[:MOST_RULES]
    return {
        "goal": goal.raw,
        "chosen": chosen.rule.name if chosen is not None else "",
        "relevant": [_relevant(number, one, one.key == key) for number, one in enumerate(shown)],
        "contexts": [context.as_data() for one in shown if one.key == key for context in one.contexts],
        "rejected": [
            {
                "rule": _named(number, one),
                "why": _why_not(one, passed, is_outdone=chosen is not None),
                "contexts": [context.as_data() for context in one.contexts],
            }
            for number, one in enumerate(shown)
            if one.key != key
        ],
        "left_out": len(matches) - len(shown),
    }


def _in_order(library: Library, beliefs: Beliefs, match: Relevant) -> Iterator[_Judged]:
    holds = True
    for context in match.known.rule.contexts:
        judged = _judged(library, beliefs, context, match.values(), only_proven=not holds)
        holds = holds and judged.decided_by is not None
        yield judged


def _judged(
    library: Library, beliefs: Beliefs, context: Context, values: Mapping[str, str], *, only_proven: bool
) -> _Judged:
    try:
        sentence, _ = fill_subgoal(context.text, values)
    except KeyError:
        return _Judged(str(context), (), None, 0.0)
    held = beliefs.all()
    cells: list[Json] = []
    best, decided_by = 0.0, None
    for number, answer in library.verdicts(beliefs, sentence, only_proven=only_proven):
        verdict = answer.verdict.negated() if context.negated else answer.verdict
        score = round(verdict.score * beliefs.firmness(held[number]), 4)
        if verdict.answer == "yes" and 0.0 <= verdict.score <= 1.0 and (decided_by is None or score > best):
            best, decided_by = score, number
        said = {"answer": verdict.answer, "score": score, "stage": answer.stage, "reason": verdict.reason}
        cells.append({"belief": number, **said})
    # The one that decides is always among those that are kept.
    cells.sort(key=lambda cell: (cell["belief"] != decided_by, -cell["score"]))
    shown = f"NOT {sentence}" if context.negated else sentence
    left_out = only_proven and not cells and not context.negated and library.asks_models
    return _Judged(shown, tuple(cells[:MOST_CELLS]), decided_by, best, left_out)


def _relevant(number: int, one: _Match, is_chosen: bool) -> Json:
    return {
        "rule": _named(number, one),
        "trigger": one.rule.trigger.text,
        "slots": {name: {"value": value} for name, value in one.rule.values().items()},
        "chosen": is_chosen,
        "applicable": one.applicable,
        "minimum": min((context.score for context in one.contexts), default=1.0),
    }


def _named(number: int, one: _Match) -> Json:
    # Matches of one rule differ by their number only.
    return {"name": one.rule.known.rule.name, "version": "", "component_version_id": number}


def _why_not(one: _Match, passed: Mapping[object, str], *, is_outdone: bool) -> str:
    if one.applicable:
        return passed.get(one.key, "another rule comes first" if is_outdone else "")
    missing = next(context.sentence for context in one.contexts if context.decided_by is None)
    return f"“{missing}” does not follow from any belief"
