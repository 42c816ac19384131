"""The record of a planning decision: rules, slots, the matrix of contexts and beliefs, and reasons for rejections.

All of it is JSON-able. Beliefs stand once in a table; everything else names them by their number in it, from 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.rules.entailment import UNKNOWN
from agents.rules.selection import Judged, Judgement, Relevant, nearest_belief
from agents.toolkit.types import Belief

Json = dict[str, Any]


@dataclass
class Node:
    """One goal or sub-goal: who was relevant, who was rejected, who was chosen."""

    goal: str
    depth: int
    folder: str
    first_step: int
    numbers: tuple[int, ...]
    beliefs: Sequence[Belief]
    judged: list[Judgement]
    outcomes: dict[int, Json] = field(default_factory=dict)
    notes: dict[int, str] = field(default_factory=dict)
    chosen: Judgement | None = None

    def consider(self, judgement: Judgement) -> None:
        """Show the rule with these slot values instead of those that were tried before."""
        known = judgement.relevant.known
        self.judged = [judgement if one.relevant.known is known else one for one in self.judged]

    def reject(self, judgement: Judgement, code: str, why: str, line: int | None = None) -> None:
        self.outcomes[id(judgement)] = {"code": code, "why": why} | ({"line": line} if line else {})

    def choose(self, judgement: Judgement, others: Sequence[Judgement]) -> None:
        """Record the choice; applicable rules behind it were not needed."""
        self.chosen = judgement
        for other in others:
            why = f"“{judgement.relevant.known.name}” is {_why_first(judgement, other)}"
            self.reject(other, "less_specific", why)

    def first_reason(self) -> str:
        """Return why the rule that matched best was not used; empty when none matched."""
        return str(self._outcome(self.judged[0])["why"]) if self.judged else ""

    def document(self) -> Json:
        found: Json = {"goal": self.goal, "depth": self.depth, "folder": self.folder, "first_step": self.first_step}
        if self.chosen is not None:
            relevant = self.chosen.relevant
            found |= {"rule": _rule(relevant), "slots": _slots(relevant), "trigger": relevant.trigger.text}
            found["contexts"] = [self._context(judged) for judged in self.chosen.contexts]
            found["beliefs_used"] = sorted(
                {self.numbers[judged.decided_by] for judged in self.chosen.contexts if judged.decided_by is not None}
            )
        found["relevant"] = [self._relevant(judgement) for judgement in self.judged]
        found["rejected"] = [self._rejected(judgement) for judgement in self.judged if judgement is not self.chosen]
        return found

    def _relevant(self, judgement: Judgement) -> Json:
        relevant = judgement.relevant
        return {
            "rule": _rule(relevant),
            "trigger": relevant.trigger.text,
            "slots": _slots(relevant),
            "applicable": judgement.applicable,
            "chosen": judgement is self.chosen,
            "minimum": judgement.minimum,
            "contexts": len(judgement.contexts),
            "priority": relevant.known.rule.priority,
            "literal_words": relevant.literal_words,
        }

    def _rejected(self, judgement: Judgement) -> Json:
        contexts = [self._context(judged) for judged in judgement.contexts]
        return {"rule": _rule(judgement.relevant), **self._outcome(judgement), "contexts": contexts}

    def _outcome(self, judgement: Judgement) -> Json:
        outcome = self.outcomes.get(id(judgement)) or self._not_applicable(judgement)
        note = self.notes.get(id(judgement))
        return {**outcome, "why": f"{outcome['why']} ({note})"} if note else outcome

    def _not_applicable(self, judgement: Judgement) -> Json:
        failed = next((judged for judged in judgement.contexts if not judged.holds and not judged.left_out), None)
        if failed is None:
            return {"code": "not_tried", "why": "another rule was chosen first"}
        nearest = nearest_belief(failed, self.beliefs)
        why = f"nothing shows that {_inner(failed.sentence)}"
        if nearest is not None and failed.cells.get(nearest, UNKNOWN).answer == "no":
            why = f"“{_inner(failed.sentence)}” is not true: {self.beliefs[nearest].sentence}"
        return {
            "code": "not_applicable",
            "why": why,
            "context": failed.sentence,
            "nearest_belief": None if nearest is None else self.numbers[nearest],
        }

    def _context(self, judged: Judged) -> Json:
        return {
            "text": str(judged.context),
            "sentence": judged.sentence,
            "negated": judged.context.negated,
            "line": judged.context.line,
            "holds": judged.holds,
            "decided_by": None if judged.decided_by is None else self.numbers[judged.decided_by],
            "score": judged.score,
            "left_out": judged.left_out,
            "cells": [
                {"belief": self.numbers[n], "answer": v.answer, "score": v.score, "reason": v.reason, "stage": v.stage}
                for n, v in judged.cells.items()
            ],
        }


@dataclass
class Log:
    """Everything that one planning run looked at; what a rejected attempt opened is taken back."""

    beliefs: list[Belief] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    _numbers: dict[tuple[str, str, float, str], int] = field(default_factory=dict)
    # Of those in `beliefs`, which lasts as long as this does, so that no other one can come to be at the same place.
    _places: dict[int, int] = field(default_factory=dict)

    def open(
        self, goal: str, judged: Sequence[Judgement], beliefs: Sequence[Belief], cwd: str, depth: int, offset: int
    ) -> Node:
        # A sub-goal holds nearly all that its goal held, the very same ones.
        known = map(self._places.get, map(id, beliefs))
        numbers = tuple(self._number(belief) if at is None else at for belief, at in zip(beliefs, known, strict=True))
        node = Node(goal, depth, cwd, offset + 1, numbers, beliefs, list(judged))
        self.nodes.append(node)
        return node

    def add(self, belief: Belief) -> None:
        """Keep what was found out on the way: of a set of files, which there are."""
        self._number(belief)

    def _number(self, belief: Belief) -> int:
        # The same as hashing the belief itself, which takes longer.
        same = (belief.sentence, belief.source, belief.confidence, belief.at)
        number = self._numbers.setdefault(same, len(self.beliefs))
        if number == len(self.beliefs):
            self.beliefs.append(belief)
            self._places[id(belief)] = number
        return number

    def mark(self) -> int:
        return len(self.nodes)

    def back_to(self, mark: int) -> None:
        """Forget the sub-goals of a rule that was given up; its rejection says which of them failed."""
        del self.nodes[mark:]

    def document(self, goal: str) -> Json:
        """Return the evidence of the run; the first node is the goal itself."""
        found: Json = self.nodes[0].document() if self.nodes else {"goal": goal, "relevant": [], "rejected": []}
        found["subgoals"] = [node.document() for node in self.nodes[1:]]
        found["beliefs"] = [
            {"sentence": b.sentence, "source": b.source, "confidence": b.confidence, "at": b.at} for b in self.beliefs
        ]
        return found


def _rule(relevant: Relevant) -> Json:
    known = relevant.known
    return {"name": known.name, "version": known.version, "component_version_id": known.version_id}


def _slots(relevant: Relevant) -> Json:
    return {
        name: {"value": slot.value, "kind": slot.kind, "span": list(slot.span) if slot.span else None}
        | ({"belief": slot.belief} if slot.belief else {})
        for name, slot in relevant.slots.items()
    }


def _inner(sentence: str) -> str:
    return (
        sentence.rstrip(".")[:1].lower() + sentence.rstrip(".")[1:]
        if not sentence.startswith("NOT ")
        else sentence.rstrip(".")
    )


def _why_first(first: Judgement, other: Judgement) -> str:
    if first.relevant.known.rule.priority != other.relevant.known.rule.priority:
        return "first by its priority"
    if len(first.contexts) != len(other.contexts):
        return "more specific: it has more contexts"
    if first.relevant.literal_words != other.relevant.literal_words:
        return "more specific: more of its words are in the goal"
    if first.minimum != other.minimum:
        return "entailed more firmly"
    if first.relevant.known.record != other.relevant.known.record:
        return "as specific, and its plans have worked more often"
    return "first by name; neither is more specific"
