"""What a dry run may try of a plan, and what its results are worth. Pure.

A dry run does the steps in a throw-away copy, without a network and with half the limits. What it cannot try, and
what failed only because of these restrictions, is *unproven*: nobody knows, and the page says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from agents.bdi.plans.document import Document, IntentSpec
from agents.bdi.plans.started_programs import LOG
from agents.bdi.plans.waits import is_wait
from agents.toolkit.tools.system_agent import NAME as SYSTEM_AGENT
from agents.toolkit.tools.system_agent import REQUEST_AGENT
from sandbox.contract import DEFAULT_LIMITS, Limits

TAIL_CHARS = 2_000
_ASKS_NOBODY = (
    "it asks on the bus, and a dry run asks nobody. When it runs, what an agent or a tool is asked for becomes a"
    " goal of its own that people review, and this plan waits for the answer"
)
_STATES = {"done": "succeeded", "failed": "failed", "skipped": "skipped"}
_VERBS = {"done": "succeed", "failed": "fail", "skipped": "be skipped"}
_TRIED_EFFECTS = frozenset({"idempotent", "workspace"})
# Halved: what a program uses up. Not halved: what the workspace holds already, or the copy would not even fit.
_HALVED = ("memory_bytes", "processes", "cpus", "file_bytes", "output_file_bytes", "soft_s", "hard_s")


class Proof(StrEnum):
    """What a dry run says of one step."""

    DONE = "done"  # it did in the copy what it would do
    FAILED = "failed"  # it failed in the copy, and nothing says that it would not fail outside
    SKIPPED = "skipped"  # its condition did not hold
    UNPROVEN = "unproven"  # it was not tried, or what came out says nothing
    NOT_REACHED = "not_reached"  # an earlier step did not succeed here


@dataclass(frozen=True)
class Finding:
    """What became of one step: `why` is a sentence without its end, `answer` what is kept of its result."""

    position: int
    proof: Proof
    why: str = ""
    answer: Mapping[str, Any] | None = None
    duration_s: float = 0.0
    # What was opened of the files until the end of the run, folders with a slash at their end; None: nobody knows.
    reads: Sequence[str] | None = None

    @property
    def got_halfway(self) -> bool:
        """True when it was tried and did not succeed: what it left in the copy is nothing to go on from."""
        return self.proof is Proof.FAILED or (self.proof is Proof.UNPROVEN and self.answer is not None)

    def to_json(self) -> dict[str, Any]:
        return {
            "position": self.position,
            "proof": self.proof.value,
            "why": self.why,
            "answer": dict(self.answer) if self.answer is not None else None,
            "duration_s": round(self.duration_s, 3),
            **({} if self.reads is None else {"reads": list(self.reads)}),
        }


def untried(document: Document) -> dict[int, str]:
    """The main steps that a dry run does not try, each with the reason, those that stand on one of them included."""
    found: dict[int, str] = {}
    for spec in document.intents:
        if spec.hosts:
            found[spec.position] = "it uses the network, which a dry run does not have"
        elif is_wait(spec.tool, spec.command):
            found[spec.position] = "what it waits for may come later, and a dry run does not wait"
        elif (spec.tool, spec.command) == (SYSTEM_AGENT, REQUEST_AGENT):
            found[spec.position] = _ASKS_NOBODY
        elif spec.effect not in _TRIED_EFFECTS:
            found[spec.position] = f"its effect ({spec.effect}) reaches beyond the copy"
        elif spec.command == LOG:
            found[spec.position] = "it looks at a program that is not started here"
        elif needed := _first_untried(spec, found):
            found[spec.position] = f"it needs step {needed}, which was not tried"
    return found


def _first_untried(spec: IntentSpec, found: Mapping[int, str]) -> int | None:
    """The first untried step that this one cannot do without.

    A program stands on every step that changes the workspace, because it may read anything. It is tried all the same
    and its failure then proves nothing; what reads a result that does not exist cannot be tried.
    """
    reads = {position for position in found if f"{{{{intents.{position}." in f"{spec.params}{spec.condition}"}
    return min(reads) if reads else None


def halved(limits: Limits) -> Limits:
    """The limits of the copy's jail: half of what the approved run would have."""
    # Whole processors are a whole number in a document, and half of one is a half all the same.
    kinds = {name: type(getattr(DEFAULT_LIMITS, name)) for name in _HALVED}
    half = {name: kind(getattr(limits, name) / 2) for name, kind in kinds.items() if getattr(limits, name)}
    # Below this no program starts, which would prove nothing.
    return replace(limits, **half | {"processes": max(8, half["processes"])})


def within(params: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
    """A step's parameters with its own time limit cut down to what the copy allows."""
    timeout_s = params.get("timeout_s")
    return dict(params) if timeout_s is None else {**params, "timeout_s": min(timeout_s / 2, limits.hard_s)}


def judge(
    spec: IntentSpec, answer: Mapping[str, Any], reason: str, duration_s: float, untried_before: Sequence[int]
) -> Finding:
    """What a tried step's answer proves. `reason` is why it failed, "" when it did not."""
    kept = _kept(answer)
    if not reason:
        return Finding(spec.position, Proof.DONE, answer=kept, duration_s=duration_s)
    if limit := answer.get("limit"):
        why = f"it reached a limit ({limit}), and a dry run has half of each"
        return Finding(spec.position, Proof.UNPROVEN, why, kept, duration_s)
    if needed := sorted(set(untried_before) & set(spec.depends_on)):
        steps = ", ".join(map(str, needed))
        why = f"it failed here ({reason}), but step {steps}, which it depends on, was not tried"
        return Finding(spec.position, Proof.UNPROVEN, why, kept, duration_s)
    return Finding(spec.position, Proof.FAILED, reason, kept, duration_s)


def _kept(answer: Mapping[str, Any]) -> dict[str, Any]:
    """What of an answer is kept for the page: facts in full, output by its end."""
    facts = ("status", "return_code", "message", "reason", "error_class", "limit", "peak_memory_bytes")
    kept = {name: answer[name] for name in facts if answer.get(name) is not None}
    for stream in ("stdout", "stderr"):
        text = answer.get(stream)
        if isinstance(text, str) and text:
            kept[stream] = text[-TAIL_CHARS:]
            kept[f"{stream}_is_cut"] = len(text) > TAIL_CHARS
    return kept


def expected(findings: Sequence[Mapping[str, Any]]) -> dict[int, Mapping[str, Any]]:
    """The findings that predict something, by position: those of steps that were done or failed."""
    return {each["position"]: each for each in findings if each["proof"] in _STATES}


def surprises(findings: Sequence[Mapping[str, Any]], real: Mapping[int, Mapping[str, Any]]) -> list[str]:
    """Where steps went otherwise than in the dry run, as sentences. `real`: state and result by position."""
    said = []
    for position, finding in sorted(expected(findings).items()):
        happened = real.get(position)
        if happened is None or happened["state"] in ("pending", "running"):
            continue
        if happened["state"] != _STATES[finding["proof"]]:
            ended = happened["state"].replace("_", " ")
            said.append(f"Step {position} was expected to {_VERBS[finding['proof']]}; it ended as {ended}.")
            continue
        foreseen, code = (finding["answer"] or {}).get("return_code"), (happened["result"] or {}).get("return_code")
        if foreseen != code:
            said.append(f"Step {position} was expected to end with exit code {foreseen} and ended with {code}.")
    return said
