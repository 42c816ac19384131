"""Connects IntentReviewer: as a member of the bus, and as the services of SystemAgent that read reviews."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agents.actors.step_model_calls import Means
from agents.bus import providers
from agents.bus.members import Offer
from agents.bus.providers import Connected
from agents.execution import tool_answers
from agents.models import Goal
from agents.record.errors import NotPossibleNow
from agents.record.selectors import current_plan
from agents.system import acting, reading
from agents.system.answering import Reader, taking
from agents.toolkit.command import Params
from people.models import User
from review.errors import WordsRefused
from review.remarks import reviewing
from review.remarks.finding import Remark

_GOAL = {"type": "integer", "minimum": 1}


def connect() -> None:
    """Connect the services that read reviews. They decide nothing."""
    tool_answers.register(
        {
            "system_review_design": _reading(reviewing.of_design),
            "system_review_selection": _reading(reviewing.of_selection),
            "system_ask_for_approval": _ask_for_approval,
        }
    )
    providers.connect(
        Connected(
            "IntentReviewer",
            "Reads plans and points out problems: risks, missing checks, differences from what was asked.",
            (
                Offer(
                    "read_plan",
                    "Remarks on the plan of a goal, kept as a question with the plan if wanted",
                    taking({"goal": _GOAL, "keep": {"type": "boolean"}, "with_model": {"type": "boolean"}}, "goal"),
                ),
            ),
            Reader({"read_plan": _read_plan}),
        )
    )


def _read_plan(content: Mapping[str, Any], by: User) -> dict[str, Any]:
    plan = current_plan(reviewing.goal_seen_by(int(content["goal"]), by))
    if plan is None:
        raise NotPossibleNow("This goal has no plan yet.")
    with_model = bool(content.get("with_model", False))
    if not content.get("keep"):
        found, who = reviewing.read(plan, by=by, with_model=with_model)
        return {"by": who, "remarks": _listed(found), "decided": False}
    try:
        kept = reviewing.remark(plan, by=by, with_model=with_model)
    except WordsRefused as refused:
        raise NotPossibleNow(str(refused)) from refused
    return {"text": kept.text if kept else "", "comment": str(kept.pk) if kept else "", "decided": False}


def _reading(read: Callable[..., list[Remark]]) -> tool_answers.Work:
    def work(params: Params, answer: Mapping[str, Any], means: Means) -> Mapping[str, Any]:
        by = reading.goal_of(means).submitted_by
        found = read(reviewing.goal_seen_by(int(params["goal"]), by), by=by)
        said = " ".join(map(str, found)) or "No problems found."
        return {"message": said, "remarks": _listed(found)}

    return work


def _ask_for_approval(params: Params, answer: Mapping[str, Any], means: Means) -> Mapping[str, Any]:
    def ask(goal: Goal, by: User, key: str) -> dict[str, Any]:
        wanted = reviewing.goal_seen_by(int(params["goal"]), by)
        try:
            asked = reviewing.ask_for_decision(wanted, by=by, why=str(params["why"]))
        except WordsRefused as refused:
            raise NotPossibleNow(str(refused)) from refused
        return {"message": f"people are asked to decide on goal {wanted.pk}", "comment": str(asked.pk)}

    return acting.once("ask_for_approval", params, means, ask)


def _listed(found: list[Remark]) -> list[dict[str, Any]]:
    return [{"kind": one.kind, "step": one.position, "text": one.text} for one in found]
