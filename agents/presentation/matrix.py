"""The evidence of a planning run as pages draw it: each relevant rule with its contexts against beliefs (pure)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Json = Mapping[str, Any]
_STAGES = {
    "same_words": "same words",
    "structured": "structured matcher",
    "model": "entailment model",
    "language_model": "language model",
}


@dataclass(frozen=True)
class Cell:
    """What one belief says about one context: yes, no or unknown, how firmly, which stage says so, and why."""

    answer: str
    score: str
    reason: str
    decides: bool
    stage: str = ""


@dataclass(frozen=True)
class Row:
    """One context with its cells, in the order of the matrix's beliefs. `left_out`: no model was asked about it."""

    sentence: str
    holds: bool
    cells: tuple[Cell, ...]
    reason: str
    left_out: bool


@dataclass(frozen=True)
class Column:
    """A belief that says something about some context; `label` is B1, B2 …"""

    label: str
    sentence: str
    source: str


@dataclass(frozen=True)
class Told:
    """One verdict in words: what a belief says about a context, by which stage, and why."""

    sentence: str
    label: str
    cell: Cell


@dataclass(frozen=True)
class Weighed:
    """A rule whose trigger matched. `why_not` says in words what spoke against it, empty for the chosen one."""

    name: str
    version: str
    version_id: str
    trigger: str
    slots: tuple[tuple[str, str], ...]
    chosen: bool
    applicable: bool
    why_not: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    lowest: str
    silent: int

    @property
    def is_judged_in_part(self) -> bool:
        """Whether a model could still be asked about a context, which decides nothing any more."""
        return any(row.left_out for row in self.rows)

    @property
    def told(self) -> list[Told]:
        """Every verdict that says yes or no, row by row."""
        return [
            Told(row.sentence, column.label, cell)
            for row in self.rows
            for column, cell in zip(self.columns, row.cells, strict=True)
            if cell.answer != "unknown"
        ]


def weighed_rules(evidence: Json) -> list[Weighed]:
    """Return every relevant rule of a planning run, the chosen one first."""
    beliefs: Sequence[Json] = evidence.get("beliefs", ())
    rejected = {_key(one["rule"]): one for one in evidence.get("rejected", ())}
    found = [_weighed(one, rejected, evidence, beliefs) for one in evidence.get("relevant", ())]
    return sorted(found, key=lambda one: (not one.chosen, not one.applicable))


def _weighed(one: Json, rejected: Mapping[str, Json], evidence: Json, beliefs: Sequence[Json]) -> Weighed:
    against = {} if one["chosen"] else rejected.get(_key(one["rule"]), {})
    contexts: Sequence[Json] = evidence.get("contexts", ()) if one["chosen"] else against.get("contexts", ())
    speaking = _speaking(contexts)
    columns = tuple(
        Column(f"B{number}", beliefs[belief]["sentence"], beliefs[belief]["source"])
        for number, belief in enumerate(speaking, start=1)
    )
    rule = one["rule"]
    return Weighed(
        rule["name"],
        rule["version"],
        str(rule["component_version_id"]),
        one["trigger"],
        tuple((name, str(slot["value"])) for name, slot in one["slots"].items()),
        one["chosen"],
        one["applicable"],
        against.get("why", ""),
        columns,
        tuple(_row(context, speaking) for context in contexts),
        _score(one["minimum"]),
        len(beliefs) - len(speaking),
    )


def _speaking(contexts: Sequence[Json]) -> list[int]:
    """The beliefs that say yes or no to at least one context; the others would be empty columns."""
    said = {cell["belief"] for context in contexts for cell in context["cells"] if cell["answer"] != "unknown"}
    return sorted(said)


def _row(context: Json, speaking: Sequence[int]) -> Row:
    cells = {cell["belief"]: cell for cell in context["cells"]}
    drawn = tuple(_cell(cells.get(belief), context["decided_by"] == belief) for belief in speaking)
    deciding = cells.get(context["decided_by"]) or next((c for c in context["cells"] if c["answer"] == "no"), None)
    # Plans of earlier versions asked about every context.
    left_out = bool(context.get("left_out"))
    silence = "not judged: another condition does not hold" if left_out else "no belief says anything about it"
    return Row(context["sentence"], context["holds"], drawn, deciding["reason"] if deciding else silence, left_out)


def _cell(cell: Json | None, decides: bool) -> Cell:
    if cell is None:
        return Cell("unknown", "", "", False)
    score = _score(cell["score"]) if cell["answer"] != "unknown" else "?"
    # Plans of earlier versions do not say which stage it was.
    return Cell(cell["answer"], score, cell["reason"], decides, stage_in_words(cell.get("stage", "")))


def stage_in_words(stage: str) -> str:
    """A stage of entailment as pages name it."""
    return _STAGES.get(stage, stage)


def _score(score: float) -> str:
    """A score as the field writes it: .93, and 1 for certainty."""
    return "1" if score >= 0.995 else f"{score:.2f}".lstrip("0")


def _key(rule: Json) -> str:
    return f"{rule['name']} {rule['version']} {rule['component_version_id']}"
