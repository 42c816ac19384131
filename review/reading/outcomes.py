"""The outcome of a dry run, by which plans are grouped: as a word, a sentence and a key. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from agents.bdi.forecast.shadow import Proof
from agents.states import ShadowState
from review.reading.texts import counted

KEY_HEX = 16
# Deletions are listed as far as a row has room; of other changes a few examples are enough.
MOST_DELETIONS = 100
MOST_OTHERS = 20
# How many of these a row shows; the page of the plan has all.
MOST_NAMED = 4
_DELETED = "deleted"
# Most dangerous first, as in `sandbox.store.compare.ORDER`: the name of each, and its colour.
_KINDS = {_DELETED: ("deleted", "bad"), "moved": ("moved", ""), "changed": ("changed", ""), "added": ("new", "good")}
_UNSHOWN = (Proof.UNPROVEN.value, Proof.NOT_REACHED.value)

Findings = Sequence[Mapping[str, Any]]
# Paths by kind of change (`sandbox.store.compare.ORDER`); None if the files of the run are no longer kept.
Changes = Mapping[str, Sequence[str]] | None


class Outcome(StrEnum):
    """The outcome of a plan's newest dry run. `untried`: none has ended, or it could not be made."""

    UNTRIED = "untried"
    FAILED = "failed"
    UNPROVEN = "unproven"
    DONE = "done"

    @property
    def may_be_batched(self) -> bool:
        """Whether such a plan may be decided in a batch. Plans that failed or were not tried are decided alone."""
        return self in (Outcome.DONE, Outcome.UNPROVEN)


_LOOKS = {
    Outcome.UNTRIED: ("person", "shade"),
    Outcome.FAILED: ("bad", "x"),
    Outcome.UNPROVEN: ("person", "shade"),
    Outcome.DONE: ("good", "check"),
}


@dataclass(frozen=True)
class Trial:
    """A dry run for lists of plans. Runs with the same outcome and kinds of change have the same `key`."""

    outcome: Outcome
    key: str
    words: str
    changes: Mapping[str, Sequence[str]]

    def to_json(self) -> dict[str, Any]:
        """The form that is stored with the plan's risk: every change counted, most of them named."""
        kept = {kind: {"count": len(paths), "names": list(_kept(kind, paths))} for kind, paths in self.changes.items()}
        return {"outcome": self.outcome.value, "words": self.words, "changes": kept}


_NO_KEY = Outcome.UNTRIED.value
UNTRIED = Trial(Outcome.UNTRIED, _NO_KEY, "no dry run yet", {})


def trial_of(state: str | None, reason: str, findings: Findings, changes: Changes) -> Trial:
    """The outcome of a run in this state; `state` None: there is no run."""
    if state != ShadowState.DONE:
        return Trial(Outcome.UNTRIED, _NO_KEY, untried_because(state, reason), {})
    if changes is None:
        return Trial(Outcome.UNTRIED, _NO_KEY, "the files of its dry run are no longer stored", {})
    outcome = outcome_of(state, findings)
    kinds = [kind for kind, paths in changes.items() if paths]
    proofs = [[each["position"], each["proof"]] for each in findings]
    key = hashlib.sha256(json.dumps([outcome.value, proofs, sorted(kinds)]).encode()).hexdigest()[:KEY_HEX]
    return Trial(outcome, key, _words(findings), {kind: changes[kind] for kind in kinds})


def outcome_of(state: str | None, findings: Findings) -> Outcome:
    """Only the outcome, which needs no files."""
    if state != ShadowState.DONE:
        return Outcome.UNTRIED
    proofs = {each["proof"] for each in findings}
    if Proof.FAILED.value in proofs:
        return Outcome.FAILED
    return Outcome.DONE if proofs.isdisjoint(_UNSHOWN) else Outcome.UNPROVEN


def untried_because(state: str | None, reason: str) -> str:
    """Why there is no outcome of a run that has not ended, or could not be made."""
    match state:
        case ShadowState.WAITING:
            return "dry run queued"
        case ShadowState.RUNNING:
            return "dry run in progress"
        case ShadowState.IMPOSSIBLE | ShadowState.STOPPED:
            return f"dry run not possible: {reason}"
    return UNTRIED.words


def why_alone(state: str | None, reason: str, findings: Findings) -> str:
    """Why a plan with this newest run cannot be decided in a batch; "" if it can."""
    match outcome_of(state, findings):
        case Outcome.FAILED:
            return f"Its dry run failed ({_words(findings)}), so it is decided on its own page."
        case Outcome.UNTRIED:
            because = untried_because(state, reason)
            return f"It has no finished dry run ({because}), so it is decided on its own page."
    return ""


@dataclass(frozen=True)
class Change:
    """The paths with one kind of change, for a list of plans: how many, most of their names, how many more."""

    word: str
    tone: str
    count: int
    names: tuple[str, ...]

    @property
    def more(self) -> int:
        """How many are not named."""
        return self.count - len(self.names)


@dataclass(frozen=True)
class Seen:
    """A stored trial (`Trial.to_json`) for a list of plans, deletions first."""

    outcome: Outcome
    words: str
    changes: tuple[Change, ...]

    @property
    def tone(self) -> str:
        """How the page marks it."""
        return _LOOKS[self.outcome][0]

    @property
    def icon(self) -> str:
        """The icon beside its words."""
        return _LOOKS[self.outcome][1]


def seen(stored: Mapping[str, Any] | None) -> Seen:
    """The stored part of a plan's newest dry run; nothing is stored before it has ended."""
    if not stored:
        return Seen(UNTRIED.outcome, UNTRIED.words, ())
    changes = stored["changes"]
    told = tuple(_change(kind, changes[kind]) for kind in _KINDS if kind in changes)
    return Seen(Outcome(stored["outcome"]), stored["words"], told)


def _change(kind: str, stored: Mapping[str, Any]) -> Change:
    word, tone = _KINDS[kind]
    most = MOST_DELETIONS if kind == _DELETED else MOST_NAMED
    return Change(word, tone, stored["count"], tuple(stored["names"][:most]))


def _words(findings: Findings) -> str:
    failed = next((each for each in findings if each["proof"] == Proof.FAILED), None)
    if failed is not None:
        return f"step {failed['position']} failed: {failed['why']}"
    if unshown := [each for each in findings if each["proof"] in _UNSHOWN]:
        numbers = ", ".join(str(each["position"]) for each in unshown)
        return f"step{'s' if len(unshown) > 1 else ''} {numbers} unproven: {unshown[0]['why']}"
    skipped = [str(each["position"]) for each in findings if each["proof"] == Proof.SKIPPED]
    done = f"{counted(len(findings) - len(skipped), 'step')} done"
    return f"{done}, {', '.join(skipped)} skipped" if skipped else done


def _kept(kind: str, paths: Sequence[str]) -> Sequence[str]:
    return paths[: MOST_DELETIONS if kind == _DELETED else MOST_OTHERS]
