"""The sentences of what was decided: which plan and why, each value that mindX settled by itself, what failed and what
is done about it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from agents.bdi.intentions.cycle import Decision
from agents.bdi.learning.corrections import is_correction
from agents.bdi.recovery.agint import Assessment
from agents.bdi.recovery.failures import Failure
from agents.bdi.recovery.recovery import Choice
from agents.bdi.understanding import drafting
from agents.record import logs
from agents.record.logs import NewLine
from agents.toolkit.types import Param, PlanDraft

# Of a value, so much is quoted in a sentence; all of it stands in the plan.
_QUOTED = 80


def lines_of(draft: PlanDraft) -> list[NewLine]:
    """What the log says of a draft that is proposed now, in the order in which it was decided."""
    return [*(_corrected(*one) for one in _corrections(draft)), _chosen(draft)]


def recovery_lines(
    failure: Failure, choice: Choice, assessment: Assessment | None, stage: str, step: Mapping[str, Any]
) -> Iterator[NewLine]:
    """What was decided about a failure: its class, what AGInt came to, and the strategy. `step`: which step it was."""
    of_class = {"failure_class": failure.failure_class.value, "rule": failure.rule or None}
    said = f"failure class {failure.failure_class}: {failure.reason}"
    yield logs.decided(Decision.CLASSIFY, stage, said, "warning", **of_class, **step)
    if assessment is not None:
        course = assessment.decision
        said = f"AGInt looked at the whole agent and decided: {course.replace('_', ' ')}, {assessment.why}"
        yield logs.decided(Decision.ESCALATE, stage, said, "warning", course=course.value, **step)
    data = {"strategy": choice.strategy.value, "variant": choice.way.variant, "delay_s": choice.delay_s}
    said = f"recovery: {choice.way.words}, {choice.why}"
    more = {"weighed": dict(choice.weighed), **step}
    yield logs.decided(Decision.CHOOSE_STRATEGY, stage, said, "warning", **data, **more)


def _chosen(draft: PlanDraft) -> NewLine:
    steps = [f"{step.tool}.{step.command}" for step in draft.steps]
    number = logs.counted(len(steps), "step")
    data: dict[str, Any] = {"source": draft.source, "steps": steps}
    if draft.source == "rule":
        rule = draft.evidence.get("rule") or {}
        said = f"rule “{rule.get('name', '')}” {rule.get('version', '')} applies: {number}"
        data |= _of_rule(draft)
    elif draft.source == drafting.SOURCE:
        said = drafting.in_a_sentence(draft)
        data["confidence"] = (draft.evidence.get("understood") or {}).get("confidence")
    else:
        model = draft.evidence.get("model") or {}
        said = f"the plan of {model.get('answered_by') or 'the model'} is valid: {number}"
        data |= {"model": model.get("answered_by"), "attempts": model.get("attempts"), "call": model.get("call")}
    return logs.decided(Decision.CHOOSE_PLAN, "plan", said, **data)


def _of_rule(draft: PlanDraft) -> dict[str, Any]:
    """What the choice of the rule stands on: its contexts, the weakest one, and what was passed over."""
    contexts = draft.evidence.get("contexts") or ()
    return {
        "rule": draft.evidence.get("rule") or {},
        "contexts": [{"text": each["sentence"], "score": each["score"]} for each in contexts],
        "weakest": min((each["score"] for each in contexts), default=None),
        "rejected": [
            {"rule": each["rule"]["name"], "why": each["why"]} for each in draft.evidence.get("rejected") or ()
        ][:5],
    }


def _corrections(draft: PlanDraft) -> list[tuple[int, str, Param]]:
    return [
        (position, name, param)
        for position, step in enumerate((*draft.steps, *draft.cleanup), 1)
        for name, param in step.params.items()
        if is_correction(param.origin, param.note, of_model=draft.source == "model")
    ]


def _corrected(step: int, name: str, param: Param) -> NewLine:
    was = f"{_quoted(param.original)} is meant as " if param.original is not None else "nothing was said, taken is "
    why = f": {param.note}" if param.note else ""
    said = f"step {step}, {name}: {was}{_quoted(param.value)}{why} ({param.origin}, {param.confidence:.2f} sure)"
    data = {"step": step, "parameter": name, "value": param.value, "original": param.original}
    span = list(param.span) if param.span else None
    more: dict[str, Any] = {"origin": param.origin, "confidence": param.confidence, "span": span}
    return logs.decided(Decision.CORRECT, "resolve", said, **data, **more)


def _quoted(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"“{text[:_QUOTED]}{'…' if len(text) > _QUOTED else ''}”"
