"""The page on which a person fixes what mindX could not: all facts of the failure, what may settle it with one press,
and six ways to continue.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from agents.bdi.plans import document as documents
from agents.bdi.plans import selection
from agents.bdi.plans.document import IntentSpec
from agents.bdi.recovery.failures import Failure, FailureClass
from agents.bdi.recovery.strategies import way_named
from agents.hands import hand_commands, hand_items
from agents.models import Goal, HandItem
from agents.pages.goals.goal_page import GoalPage
from agents.presentation import hand_lines, schema_form
from agents.presentation.schema_form import Field
from agents.record.errors import NotPossibleNow, NotYours, PlanInvalid
from agents.states import PlanState
from agents.toolkit.command import Command
from agents.toolkit.registry import UnknownTool, tools_in_use
from agents.understanding import re_extraction
from agents.views.access import person_of, visible_goal
from agents.views.goals.by_hand import TEXT_MAX
from people.models import User

_PREFIX = "p."
_INSTEAD = "steps"


class _NotTaken(Exception):
    """What was typed does not do: `errors` by field, or `trouble` as sentences."""

    def __init__(self, errors: Mapping[str, str] | None = None, trouble: list[str] | None = None) -> None:
        super().__init__()
        self.errors, self.trouble = errors, trouble


class _Answer:
    """What a person answers; `filled` is what they typed, kept when it is refused."""

    def __init__(self, request: HttpRequest, item: HandItem, user: User) -> None:
        self.posted, self.item, self.user = request.POST, item, user
        self.note = self.posted.get("note", "").replace("\0", "").strip()[: hand_items.NOTE_MAX]
        self.filled: dict[str, str] = {}

    def taken(self) -> str:
        """Carry it out and say what happens next. Raises _NotTaken, and what `hand_items` raises."""
        take = {
            "fix": self._fix,
            "meant": self._meant,
            "remedy": self._remedy,
            "instead": self._instead,
            "done": self._done,
            "skip": self._skip,
            "again": self._again,
            "abort": self._abort,
        }.get(self.posted.get("answer", ""))
        if take is None:
            raise _NotTaken(trouble=["Choose one of the answers."])
        return take()

    def _fix(self) -> str:
        self.filled = {
            key.removeprefix(_PREFIX): str(value) for key, value in self.posted.items() if key.startswith(_PREFIX)
        }
        values, errors = _read(self.item, self.filled)
        if errors:
            raise _NotTaken(errors)
        hand_items.fix(self.item, by=self.user, values=values, note=self.note)
        return "The rest of the plan with your values waits for review, then continues from this step."

    def _meant(self) -> str:
        chosen = _chosen(self.item, self.posted.get("choice", ""))
        hand_items.fix(self.item, by=self.user, values=chosen, note=self.note)
        return "The rest of the plan with your file waits for review, then continues from this step."

    def _remedy(self) -> str:
        hand_items.remedy(self.item, self.posted.get("remedy", ""), by=self.user, note=self.note)
        return "The rest of the plan with this change waits for review, then continues from this step."

    def _instead(self) -> str:
        self.filled = {_INSTEAD: self.posted.get(_INSTEAD, "").replace("\0", "")[:TEXT_MAX]}
        lines = hand_lines.read_lines(self.filled[_INSTEAD], tools_in_use())
        if wrong := [f"Line {line.number}: {line.problem}" for line in lines if line.problem]:
            raise _NotTaken(trouble=wrong)
        hand_items.instead(self.item, by=self.user, steps=hand_lines.steps_of(lines), note=self.note)
        return "The rest of the plan with your steps waits for review, then continues from there."

    def _done(self) -> str:
        hand_items.done(self.item, by=self.user, note=self.note)
        return "The step counts as done. The plan continues after it."

    def _skip(self) -> str:
        if hand_items.skip(self.item, by=self.user, note=self.note):
            return "The rest without the step waits for review."
        return "The step is skipped. The plan continues."

    def _again(self) -> str:
        if hand_items.again(self.item, by=self.user, note=self.note):
            return "Another try waits for review."
        return "The step is tried again."

    def _abort(self) -> str:
        hand_items.abort(self.item, by=self.user, note=self.note)
        return "The plan is given up. The approved clean-up runs, then the goal fails."


@require_http_methods(["GET", "HEAD", "POST"])
def hand(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the item, or take the answer in. What is refused says why, and what was typed stays."""
    goal, user = visible_goal(request, pk), person_of(request)
    item = hand_items.open_of(goal)
    if item is None or item.intent_plan is None:
        if request.method == "POST":
            messages.warning(request, "This step no longer waits for you. Nothing was changed.")
        return redirect("goal-plan-by-hand" if item is not None else "goal", pk)
    if request.method != "POST":
        if request.GET.get("values") == "goal":
            return _read_again(request, goal, user, item)
        return _show(request, goal, user, item)
    answer = _Answer(request, item, user)
    try:
        said = answer.taken()
    except _NotTaken as error:
        return _show(
            request, goal, user, item, filled=answer.filled, errors=error.errors, trouble=error.trouble, status=422
        )
    except PlanInvalid as error:
        told = [problem.message for problem in error.problems]
        return _show(request, goal, user, item, filled=answer.filled, trouble=told, status=422)
    except NotPossibleNow as error:
        return _show(request, goal, user, item, filled=answer.filled, trouble=[str(error)], status=409)
    except NotYours as error:
        return _show(request, goal, user, item, trouble=[str(error)], status=403)
    messages.success(request, said)
    revision = goal.intent_plans.filter(state=PlanState.AWAITING_REVIEW).first()
    return redirect(goal if revision is None else revision)


def _chosen(item: HandItem, number: str) -> dict[str, Any]:
    """The value that was chosen, as “question.choice”, both from 1. Raises NotPossibleNow for what is not offered."""
    offered = {
        f"{at}.{nth}": {question.parameter: choice.value}
        for at, question in enumerate(hand_items.questions(item), 1)
        for nth, choice in enumerate(question.choices, 1)
    }
    if number not in offered:
        raise NotPossibleNow("The files have changed, so this question is out of date. Reload the page.")
    return offered[number]


def _read_again(request: HttpRequest, goal: Goal, user: User, item: HandItem) -> HttpResponse:
    """The form with the values that the goal's own words name now, for a person to look at and propose."""
    spec, command = _step(item)
    document = documents.read(bytes(item.intent_plan.document)) if item.intent_plan is not None else None
    others = document.intents if document is not None else ()
    made = re_extraction.other_values(
        goal, spec, Failure(FailureClass(item.failure.failure_class), item.failure.reason), others
    )
    if made is None or command is None:
        return _show(request, goal, user, item, told="The goal's words name no other values for this step.")
    filled = schema_form.shown(command, made.params)
    changed = [name for name, value in made.params.items() if spec.params.get(name) != value]
    told = f"Read again from the goal: {', '.join(changed)}. Nothing is changed before you propose it."
    return _show(request, goal, user, item, filled=filled, told=told)


def _show(
    request: HttpRequest,
    goal: Goal,
    user: User,
    item: HandItem,
    *,
    filled: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
    trouble: list[str] | None = None,
    told: str = "",
    status: int = 200,
) -> HttpResponse:
    spec, command = _step(item)
    wrong = trouble or (["Some values cannot be used. Nothing was changed."] if errors else [])
    values = {name: value for name, value in (filled or {}).items() if name != _INSTEAD}
    failure = item.failure
    closed = (failure.weighed or {}).get("closed", {})
    context: dict[str, Any] = {
        "page": GoalPage(goal, user, "hand"),
        "goal": goal,
        "item": item,
        "questions": hand_items.questions(item),
        "remedies": hand_items.remedies(item),
        "failure": failure,
        "spec": spec,
        "command": command,
        "fields": _fields(spec, command, values, errors or {}) if command is not None else [],
        "instead": (filled or {}).get(_INSTEAD, ""),
        "told": told,
        "attempt": failure.attempt,
        "before": [one for one in hand_items.history(item) if one.pk != failure.pk],
        "closed": [(way.words, why) for name, why in closed.items() if (way := way_named(name)) is not None],
        "agint": (failure.weighed or {}).get("agint"),
        "why_not": hand_items.why_not(user, goal),
        "at_once": hand_items.may_decide(user, goal),
        **_steps_around(item),
        "may_type": not hand_commands.why_not(user, goal),
        "trouble": wrong,
    }
    response = render(request, "agents/goal/hand.html", context, status=status)
    if wrong:
        response.refused_because = " ".join(wrong)  # type: ignore[attr-defined]  # the journal reads it
    return response


def _steps_around(item: HandItem) -> dict[str, Any]:
    """What the plan does behind the step: the steps that read its result, those that follow, the clean-up."""
    if item.intent_plan is None:
        return {"readers": [], "behind": (), "cleanup": ()}
    document = documents.read(bytes(item.intent_plan.document))
    return {
        "readers": hand_items.readers(document, item.position),
        "behind": document.intents[item.position :],
        "cleanup": document.cleanup,
    }


def _step(item: HandItem) -> tuple[IntentSpec, Command | None]:
    spec = hand_items.step_of(item)
    try:
        return spec, tools_in_use().command(spec.tool, spec.command)
    except UnknownTool:
        return spec, None


def _fields(
    spec: IntentSpec, command: Command, filled: Mapping[str, str] | None, errors: Mapping[str, str]
) -> list[Field]:
    return schema_form.fields(command, filled or schema_form.shown(command, spec.params), errors)


def _read(item: HandItem, filled: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    """The values that differ from the step's (None: it is left out); what is left empty is what it is by default."""
    spec, command = _step(item)
    if command is None:
        return {}, {"": "This version of mindX does not have this command."}
    values, errors = schema_form.read_over(command, spec.params, filled)
    changes = selection.changes(spec, {**command.defaults(), **values})
    return {name: value for name, (_, value) in changes.items()}, errors
