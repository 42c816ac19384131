"""A person's answer to what was asked of a command: it makes the plan, whose values are then theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction

from agents.bdi.plans.validation import Problem
from agents.bdi.understanding import drafting, stored
from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.understand import understand
from agents.bdi.understanding.understood import Meant, Question
from agents.hands import hand_items
from agents.models import Goal, IntentPlan, Plan
from agents.plans import proposals
from agents.record import logs
from agents.record.errors import NotPossibleNow, PlanInvalid
from agents.states import GoalState, MoveRefused
from agents.toolkit.phrases import typed
from agents.toolkit.registry import tools_in_use
from agents.toolkit.types import Param
from agents.understanding import in_force, parameters
from people.models import User

MOST_CHARS = 20_000


@dataclass(frozen=True)
class Reply:
    """The answer to one question: the number of a choice, from 1, or what is typed instead."""

    choice: int | None = None
    value: str = ""


@dataclass(frozen=True)
class Open:
    """What a goal asks: the plan that holds it, what is understood already, and the questions."""

    plan: Plan
    steps: tuple[Meant, ...]
    questions: tuple[Question, ...]


def open_questions(goal: Goal) -> Open | None:
    """What the goal waits to be told; None when it asks nothing."""
    if goal.state != GoalState.MANUAL or not goal.reason.startswith(drafting.QUESTION):
        return None
    plan = goal.plans.order_by("-number").first()
    raw = plan.evidence.get("understood") if plan is not None else None
    if plan is None or not isinstance(raw, Mapping) or not raw.get("questions"):
        return None
    return Open(
        plan,
        tuple(stored.meant_of(one) for one in raw["steps"]),
        tuple(stored.question_of(one) for one in raw["questions"]),
    )


def answer(goal: Goal, replies: Sequence[Reply], *, by: User) -> IntentPlan:
    """Make the plan that the answers mean and propose it.

    Raises PlanInvalid where an answer is none or the plan has problems, NotPossibleNow when nothing is asked.
    """
    asked = open_questions(goal)
    if asked is None:
        raise NotPossibleNow(f"Goal {goal.pk} has no open question: it is {goal.state.replace('_', ' ')}.")
    if len(replies) != len(asked.questions):
        message = f"There are {len(asked.questions)} questions; answer each of them."
        raise PlanInvalid([Problem(0, "answers", "unanswered", message)])
    meant = _answered(goal, asked, replies, by)
    said = [
        {"question": question.text, "answer": _said(question, reply)}
        for question, reply in zip(asked.questions, replies, strict=True)
    ]
    evidence = {**asked.plan.evidence, "answered_by": by.username, "answers": said}
    draft = drafting.draft_of(meant, evidence, tools_in_use(), _tree(goal))
    if problems := proposals.problems_of(goal, draft):
        raise PlanInvalid(problems)
    with transaction.atomic():
        goal = Goal.objects.select_for_update(no_key=True).get(pk=goal.pk)
        # Somebody may have answered, cancelled or planned meanwhile: the row that was asked must still be the newest.
        now = open_questions(goal)
        if now is None or now.plan.pk != asked.plan.pk:
            raise NotPossibleNow("The question was already answered, or replaced by another one. Reload the page.")
        hand_items.superseded(goal, by=by)
        logs.say(goal.pk, "review", "plan", f"{by.username} answered what was asked")
        try:
            return proposals.propose(goal, draft, by=by)
        except MoveRefused as error:
            raise NotPossibleNow(str(error)) from error


def _answered(goal: Goal, asked: Open, replies: Sequence[Reply], by: User) -> list[Meant]:
    """The commands with every question settled, in their order."""
    steps, shift = list(asked.steps), 0
    for number, (question, reply) in enumerate(zip(asked.questions, replies, strict=True), 1):
        at = question.step - 1 + shift
        if question.parameter:
            steps[at] = _with_value(steps[at], question, reply, number, by)
        else:
            chosen = _chosen(goal, question, reply, number, by)
            steps[at:at] = chosen
            shift += len(chosen)
    return steps


def _with_value(step: Meant, question: Question, reply: Reply, number: int, by: User) -> Meant:
    command = tools_in_use().command(step.tool, step.command)
    value: Any
    if reply.choice is not None:
        value = _choice(question, reply.choice, number).value
    elif reply.value.strip():
        value = typed(command, question.parameter, reply.value.strip()[:MOST_CHARS])
    else:
        raise PlanInvalid([Problem(0, f"answers.{number}", "unanswered", f"Question {number} is not answered.")])
    why = f"{by.username} answered: {question.text}"
    param = Param(value, "person", note=why)
    return replace(step, params={**step.params, question.parameter: param})


def _choice(question: Question, number: int, asked: int) -> Any:
    if not 1 <= number <= len(question.choices):
        message = f"Question {asked} has no choice {number}."
        raise PlanInvalid([Problem(0, f"answers.{asked}", "no_such_choice", message)])
    return question.choices[number - 1]


def _said(question: Question, reply: Reply) -> str:
    """An answer in words, after it was found to be one."""
    return reply.value.strip()[:MOST_CHARS] if reply.choice is None else question.choices[reply.choice - 1].label


def _chosen(goal: Goal, question: Question, reply: Reply, number: int, by: User) -> list[Meant]:
    """The reading that was chosen, or what is said in other words."""
    if reply.choice is not None:
        return [_as_persons(one, question, by) for one in _choice(question, reply.choice, number).meant]
    tree = _tree(goal)
    found = understand(reply.value[:MOST_CHARS], tree, tools_in_use()) if tree is not None else None
    if found is None or not found.is_sure:
        why = found.questions[0].text if found is not None and found.questions else "No command matches this."
        raise PlanInvalid([Problem(0, f"answers.{number}", "not_understood", f"Answer {number} is not clear. {why}")])
    return [_as_persons(one, question, by) for one in found.meant]


def _tree(goal: Goal) -> Tree | None:
    return parameters.tree_of(goal, in_force.mapped(goal.submitted_by_id))


def _as_persons(one: Meant, question: Question, by: User) -> Meant:
    """A reading that a person chose: its values are theirs, what they stood for before stays with them."""
    note = f"{by.username} chose this reading"
    params = {
        name: replace(param, origin="person", confidence=1.0, span=None, note=note)
        for name, param in one.params.items()
    }
    return replace(one, params=params, confidence=1.0)
