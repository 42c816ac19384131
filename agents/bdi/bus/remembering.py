"""What a delegated request taught, put into the words of an experience (pure)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.states import RequestState

# What people read of an answer, the first that is there.
_SPOKEN = ("text", "content", "stdout", "message")
OUTPUT_MAX, ASKED_MAX, CONTENT_MAX = 1_500, 600, 500


@dataclass(frozen=True)
class Delegated:
    """A request that has ended, as the tables have it.

    `whole`: the text of the goal that it was asked for, "" where somebody else gave that. `member`: who had it last, of
    which `kind`, and what it had `earned` by then. `is_checked`: its goal was achieved, and that was checked. `was_let
    go`: people rejected or cancelled the goal that was to answer it.
    """

    number: int
    capability: str
    task: str
    content: Mapping[str, Any]
    why: str
    strategy: str
    state: str
    reason: str
    answer: Mapping[str, Any] = field(default_factory=dict)
    whole: str = ""
    agent: str = ""
    member: str = ""
    kind: str = ""
    earned: float | None = None
    attempts: int = 0
    goal: int | None = None
    is_checked: bool = False
    was_let_go: bool = False
    tags: Sequence[str] = ()


def spoken(answer: Mapping[str, Any]) -> str:
    """What people read of an answer; all of it as JSON where it has no words of its own."""
    inner = answer.get("result")
    within = inner if isinstance(inner, Mapping) else answer
    return next(
        (said for name in _SPOKEN if isinstance(said := within.get(name), str) and said),
        json.dumps(dict(answer), ensure_ascii=False, sort_keys=True) if answer else "",
    )


def experience_of(one: Delegated) -> dict[str, Any]:
    """The fields of the experience that are made of what happened."""
    asked = _line(one.task or one.why)
    what = f"Ask for {one.capability}" if one.capability else "Ask whoever suits the task"
    return {
        "kind": "request",
        "part": f"request {one.number}",
        "primary_goal_description": one.whole or asked or what,
        "sub_task_description": (f"{what}: {asked}" if asked else what)[:ASKED_MAX],
        "initiating_agent_id": one.agent,
        "involved_components": [f"{one.kind} {one.member}"] if one.member else [],
        "input_context_summary": f"With {_json(one.content)}"[:CONTENT_MAX] if one.content else "",
        "key_decisions_made": _decisions(one),
        "final_outcome": _outcome(one),
        "output_summary": "\n".join(filter(None, [one.reason, spoken(one.answer)]))[:OUTPUT_MAX],
        "feedback_signals": {"state": one.state, "tries": one.attempts},
        "tags": list(one.tags),
    }


def _decisions(one: Delegated) -> list[str]:
    if not one.member:
        return ["Nobody was asked before it ended."]
    sure = f", which had earned {one.earned:.2f}" if one.earned is not None else ""
    said = [f"Asked {one.member}{sure}, chosen by {one.strategy.replace('_', ' ')}."]
    if one.goal is not None:
        said.append(f"It became goal {one.goal}.")
    return said


def _outcome(one: Delegated) -> str:
    """An answer that nothing has checked is no success: it came, and that is all that is known."""
    if one.state == RequestState.ANSWERED:
        return "success" if one.is_checked else "unchecked"
    return "abandoned" if one.state == RequestState.CANCELLED or one.was_let_go else "failure"


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(dict(content), ensure_ascii=False, sort_keys=True)


def _line(text: str) -> str:
    return " ".join(text.split())
