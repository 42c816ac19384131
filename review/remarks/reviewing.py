"""Reads a plan for its reviewers, and stores the remarks as a question in the name of whoever asked for them.

A question, because comments become the planner's beliefs with the next decision, and remarks of code or a model are not
a person's beliefs. While it is open, no policy approves the plan: a person decides.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.bdi.designing import blueprint
from agents.bdi.planning import levels
from agents.evolution.candidates import asking
from agents.models import Goal, IntentPlan, LevelDocument
from agents.plans import outcome_evaluation, shadowing
from agents.record.errors import NotPossibleNow, NotYours
from agents.record.selectors import current_plan, goals_visible_to, plans_visible_to, read_document
from agents.states import PlanState
from library.language.asking import Answer
from library.prompts import in_use
from people.models import User
from review.entries import risks
from review.models import Comment
from review.remarks import finding
from review.remarks.finding import MOST, RISK, Remark
from review.risk.assessment import Level
from review.talk import comments

PROMPT = "remarks"
_SIGNED = "IntentReviewer"
_CHARS = 6_000
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "remarks": {
            "type": "array",
            "maxItems": 10,
            "items": {
                "type": "object",
                "properties": {"step": {"type": "integer"}, "remark": {"type": "string"}},
                "required": ["step", "remark"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["remarks"],
    "additionalProperties": False,
}


def read(plan: IntentPlan, *, by: User, with_model: bool = False) -> tuple[list[Remark], str]:
    """The remarks on the plan, and who made them: "code", "code and MODEL", or why no model did. Nothing is stored.

    Never call it inside a transaction `with_model`. Raises NotYours, NotPossibleNow.
    """
    if not plans_visible_to(by).filter(pk=plan.pk).exists():
        raise NotYours("You cannot see this plan.")
    document = read_document(plan)
    if document is None:
        raise NotPossibleNow("This plan's bytes cannot be read.")
    risk = risks.assessed(document, shadowing.latest(plan))
    found = [
        Remark(RISK, step.position, f"{step.level.value} risk: {'; '.join(step.reasons) or 'no case is known'}.")
        for step in risk.steps
        if step.level is Level.HIGH or (step.level is Level.UNKNOWN and not step.lacks_cases)
    ]
    found += finding.of_document(replace(document, checks=outcome_evaluation.checks_of(plan, document)))
    if not with_model:
        return found[:MOST], "code"
    if not asking.budget().models:
        return found[:MOST], f"code only. {asking.NO_MODEL}"
    more, model = _by_model(document.goal_text, [spec.sentence for spec in document.intents])
    return [*found, *more][:MOST], f"code and {model}"


def remark(plan: IntentPlan, *, by: User, with_model: bool = False) -> Comment | None:
    """Store the remarks with the plan; None if there are none. Raises as `read` and as `comments.say`."""
    found, who = read(plan, by=by, with_model=with_model)
    if not found:
        return None
    text = "\n".join(
        [f"{_SIGNED}, by {who}, asks you to look at this before you decide:", *(f"- {one}" for one in found)]
    )
    earlier = Comment.objects.filter(intent_plan=plan, by=by, state=Comment.State.OPEN, text=text[:_CHARS]).first()
    return earlier or comments.say(plan, by=by, text=text[:_CHARS], kind=Comment.Kind.QUESTION)


def of_design(goal: Goal, *, by: User) -> list[Remark]:
    """The remarks on the newest design of a goal. Raises NotYours, NotPossibleNow."""
    document = _level(goal, LevelDocument.Kind.DESIGN, by)
    text = levels.read_design(bytes(document.document))
    try:
        found = blueprint.read(text)
    except ValueError as wrong:
        return [Remark(finding.VALUE, 0, f"The design cannot be carried out: {wrong}.")]
    if found is None:
        return [
            Remark(finding.CHECK, 0, f"It names no components; its {len(levels.statements(text))} lines are believed.")
        ]
    created = [one.name for one in found.components if one.choice == "create"]
    remarks = (
        [Remark(finding.CHECK, 0, f"{', '.join(created)}: written new, so nothing is known of it.")] if created else []
    )
    remarks += [Remark(finding.VALUE, 0, f"It asks for {one}, which nobody has said.") for one in found.asks]
    alone = [one.name for one in found.components if not one.after]
    if len(alone) > 1:
        said = f"{', '.join(alone)} wait for nothing and work on the same files; the order is not fixed."
        remarks.append(Remark(finding.DIFFERENCE, 0, said))
    return remarks


def of_selection(goal: Goal, *, by: User) -> list[Remark]:
    """The remarks on the choice of rules for a goal. Raises NotYours, NotPossibleNow."""
    document = _level(goal, LevelDocument.Kind.SELECTION, by)
    selection = levels.read_selection(bytes(document.document))
    return [
        Remark(finding.CHECK, 0, f"For “{choice.goal}” {len(choice.choosable)} rules apply, and one was chosen.")
        for choice in selection.choices
        if len(choice.choosable) > 1
    ]


def goal_seen_by(pk: int, by: User) -> Goal:
    """The goal with this number. Raises NotYours also if there is none, so that numbers reveal nothing."""
    goal = goals_visible_to(by).filter(pk=pk).first()
    if goal is None:
        raise NotYours("There is no goal with this number that the submitter may see.")
    return goal


def ask_for_decision(goal: Goal, *, by: User, why: str) -> Comment:
    """Ask people to decide on the plan of a goal. Raises NotPossibleNow where none waits."""
    plan = current_plan(goal)
    if plan is None or plan.state != PlanState.AWAITING_REVIEW:
        raise NotPossibleNow(f"Goal {goal.pk} has no plan that awaits a decision.")
    said = f"SystemAgent asks for a decision on this plan: {' '.join(why.split())}"
    earlier = Comment.objects.filter(intent_plan=plan, by=by, text=said).first()
    return earlier or comments.say(plan, by=by, text=said, kind=Comment.Kind.QUESTION)


def _level(goal: Goal, kind: str, by: User) -> LevelDocument:
    if not goals_visible_to(by).filter(pk=goal.pk).exists():
        raise NotYours("You cannot see this goal.")
    found = goal.level_documents.filter(kind=kind).order_by("-number").first()
    if found is None:
        raise NotPossibleNow(f"Goal {goal.pk} has no {LevelDocument.Kind(kind).label.lower()}.")
    return found


def _by_model(goal: str, steps: Sequence[str]) -> tuple[list[Remark], str]:
    writer = asking.writer()
    prompt = in_use.filled(PROMPT)
    material = {"goal": goal, "steps": [f"{number}: {one}" for number, one in enumerate(steps, 1)]}
    while len(json.dumps(material)) > writer.chars - len(prompt.text) and material["steps"]:
        material["steps"] = list(material["steps"])[:-1]
    asked = (("system", f"{prompt.text}\n"), ("user", json.dumps(material, ensure_ascii=False)))

    def judged(answer: Answer) -> tuple[str, list[str]]:
        return asking.text_of(answer, lambda text: _answered(text, len(steps)), within=[goal, *steps])

    try:
        text, model = asking.written(writer, prompt, asked, SCHEMA, judged)
    except NotPossibleNow as refused:
        return [], f"no model ({str(refused)[:200]})"
    told = [Remark("model", int(one["step"]), " ".join(str(one["remark"]).split())[:400]) for one in json.loads(text)]
    return told, model


def _answered(text: str, steps: int) -> tuple[str, str]:
    """The remarks in an answer. Raises ValueError with what is wrong with it."""
    try:
        found = list(json.loads(text)["remarks"])
        wrong = [one for one in found if not 0 <= int(one["step"]) <= steps or not str(one["remark"]).strip()]
    except (TypeError, ValueError, KeyError) as error:
        raise ValueError('The answer is not {"remarks": [{"step", "remark"}]}.') from error
    if wrong:
        raise ValueError(f"A remark is about a step from 1 to {steps}, or 0 for the plan, and says something.")
    return json.dumps(found, ensure_ascii=False), ""
