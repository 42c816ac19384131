"""What people review before there is a plan, as canonical bytes: a written design, or the choice of rules. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from agents.toolkit import canonical

FORMAT = 1
# Each statement of a design is held against every condition of every rule, so there is an end to them.
MOST_STATEMENTS = 200

_MARK = re.compile(r"^(?:[-*+•]|#{1,6}|\d{1,3}[.)])\s+")


@dataclass(frozen=True)
class Condition:
    """A condition of a rule as it was judged; `belief` is the sentence that decided it, empty when none did.

    `left_out`: no model was asked about it, since another one does not hold.
    """

    sentence: str
    holds: bool
    score: float
    belief: str = ""
    left_out: bool = False


@dataclass(frozen=True)
class Candidate:
    """A rule whose trigger fits. `choosable`: its conditions hold and nothing speaks against planning with it.

    `score` is that of its weakest condition, from 0 to 1; `why` says why it was not chosen, empty for the chosen one.
    """

    name: str
    version: str
    version_id: str
    choosable: bool
    score: float
    own_words: int
    why: str
    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class Choice:
    """The rules for one goal or sub-goal, and which of them was chosen (its version id)."""

    goal: str
    folder: str
    depth: int
    chosen: str
    rules: tuple[Candidate, ...]

    @property
    def key(self) -> str:
        """Names this choice among those of a goal."""
        return key_of(self.goal, self.folder)

    @property
    def choosable(self) -> tuple[Candidate, ...]:
        """The rules that a reviewer may choose."""
        return tuple(rule for rule in self.rules if rule.choosable)


@dataclass(frozen=True)
class Selection:
    """Every choice that planning a goal made, and what it would come to in sentences."""

    goal_text: str
    choices: tuple[Choice, ...]
    steps: tuple[str, ...]


def key_of(goal: str, folder: str) -> str:
    """The key of a (sub-)goal that is planned from this folder; case and spacing make no difference."""
    return f"{folder}: {' '.join(goal.casefold().split())}"


def statements(text: str) -> tuple[str, ...]:
    """What a design says, line by line and without list marks, each once: the agent holds each of them true."""
    lines = (_MARK.sub("", line.strip()).strip() for line in text.splitlines())
    return tuple(dict.fromkeys(line for line in lines if line))


def write_design(goal_id: int, text: str) -> bytes:
    """The canonical bytes of a design."""
    return canonical.dumps({"format": FORMAT, "kind": "design", "goal": str(goal_id), "text": text})


def write_selection(goal_id: int, selection: Selection) -> bytes:
    """The canonical bytes of a choice of rules."""
    said = json.loads(json.dumps(asdict(selection)))
    return canonical.dumps({"format": FORMAT, "kind": "selection", "goal": str(goal_id), **said})


def read_design(data: bytes) -> str:
    """The design's text. Raises ValueError when these bytes are no design."""
    return str(_read(data, "design").get("text", ""))


def read_selection(data: bytes) -> Selection:
    """The choice in these bytes. Raises ValueError when they are none."""
    raw = _read(data, "selection")
    try:
        choices = tuple(_choice(item) for item in raw["choices"])
        return Selection(raw["goal_text"], choices, tuple(raw["steps"]))
    except (TypeError, KeyError) as error:
        raise ValueError("these bytes are not a choice of rules") from error


def selection_of(evidence: Mapping[str, Any], steps: Sequence[str]) -> Selection:
    """The choices that planning by rules made, out of its evidence (`agents.bdi.planning.evidence`)."""
    beliefs = [str(one["sentence"]) for one in evidence.get("beliefs", ())]
    nodes = [evidence, *evidence.get("subgoals", ())]
    choices = tuple(_chosen_at(node, beliefs) for node in nodes if "rule" in node)
    return Selection(str(evidence["goal"]), choices, tuple(steps))


def confirmed(selection: Selection) -> dict[str, str]:
    """The version id to plan with by key, as the agent chose.

    A sub-goal that came up twice and was served by two rules is left to the agent: one choice would break the other.
    """
    found: dict[str, set[str]] = {}
    for choice in selection.choices:
        found.setdefault(choice.key, set()).add(choice.chosen)
    return {key: next(iter(versions)) for key, versions in found.items() if len(versions) == 1}


def chosen_instead(selection: Selection, wanted: Mapping[str, str]) -> dict[str, str]:
    """The version id to plan with by key, where a reviewer wants others than the agent chose.

    Raises ValueError for a key that is none of this selection's, and for a rule that may not be chosen there.
    """
    found = confirmed(selection)
    for key, version_id in wanted.items():
        choosable = {rule.version_id for choice in selection.choices if choice.key == key for rule in choice.choosable}
        if version_id not in choosable:
            raise ValueError("This rule is not among those that apply here. Choose one that does.")
        found[key] = version_id
    return found


def _read(data: bytes, kind: str) -> dict[str, Any]:
    try:
        raw = json.loads(data)
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"these bytes are not a {kind}") from error
    if not isinstance(raw, dict) or raw.get("kind") != kind:
        raise ValueError(f"these bytes are not a {kind}")
    return raw


def _choice(raw: Mapping[str, Any]) -> Choice:
    rules = tuple(
        Candidate(**{**rule, "conditions": tuple(Condition(**one) for one in rule["conditions"])})
        for rule in raw["rules"]
    )
    return Choice(**{**raw, "rules": rules})


def _chosen_at(node: Mapping[str, Any], beliefs: Sequence[str]) -> Choice:
    rejected = {one["rule"]["component_version_id"]: one for one in node["rejected"]}
    chosen = str(node["rule"]["component_version_id"])
    rules = tuple(_candidate(one, node, rejected, beliefs) for one in node["relevant"])
    # What could be chosen stands first, the choice before all.
    ordered = sorted(rules, key=lambda rule: (rule.version_id != chosen, not rule.choosable))
    return Choice(str(node["goal"]), str(node["folder"]), int(node["depth"]), chosen, tuple(ordered))


def _candidate(
    relevant: Mapping[str, Any],
    node: Mapping[str, Any],
    rejected: Mapping[str, Mapping[str, Any]],
    beliefs: Sequence[str],
) -> Candidate:
    rule = relevant["rule"]
    against = {} if relevant["chosen"] else rejected.get(rule["component_version_id"], {})
    contexts = node["contexts"] if relevant["chosen"] else against.get("contexts", ())
    return Candidate(
        name=str(rule["name"]),
        version=str(rule["version"]),
        version_id=str(rule["component_version_id"]),
        # One that came behind the chosen one was never tried; one that was tried and failed says why.
        choosable=bool(relevant["chosen"]) or against.get("code") == "less_specific",
        score=float(relevant["minimum"]),
        own_words=int(relevant["literal_words"]),
        why=str(against.get("why", "")),
        conditions=tuple(_conditions(contexts, beliefs)),
    )


def _conditions(contexts: Sequence[Mapping[str, Any]], beliefs: Sequence[str]) -> Iterator[Condition]:
    for one in contexts:
        decided_by = one["decided_by"]
        belief = beliefs[decided_by] if decided_by is not None else ""
        yield Condition(
            str(one["sentence"]), bool(one["holds"]), float(one["score"]), belief, bool(one.get("left_out"))
        )
