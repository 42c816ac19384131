"""Goals whose plan is one call of a tool: how agents act that do not plan by mindX, each call shown before it runs.

Whoever calls reads the answer and decides what comes next. A call that fails is therefore not handed to a person and
not planned anew: it may be tried again where that is safe, and then its goal fails and the caller is told why.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import transaction

from agents.bdi.plans import parameters
from agents.goals import goals
from agents.goals.component_goals import Terms
from agents.models import Attempt, FrameworkRun, Goal, Intent, IntentPlan
from agents.plans import proposals, tool_call_plans
from agents.plans.tool_call_plans import Caller
from agents.record.errors import PlanInvalid
from agents.record.moves import move_goal
from agents.record.selectors import current_plan
from agents.states import GoalState, IntentState
from agents.toolkit import phrases
from agents.toolkit.registry import UnknownTool, tools_in_use
from agents.toolkit.types import PlanDraft, Step

_VALUE_CHARS = 60
_TEXT_CHARS = 600


@dataclass(frozen=True)
class ToolCall:
    """What is to be called, with every value. `why` stands with the step on the page where it is reviewed."""

    tool: str
    command: str
    params: Mapping[str, Any]
    why: str = ""


@dataclass(frozen=True)
class CallAnswer:
    """How a call ended: `state` is that of its goal (achieved, failed, dropped), `result` what the command returned.

    All of it is untrusted text: files, programs and servers wrote it.
    """

    state: str
    result: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""

    @property
    def succeeded(self) -> bool:
        """Whether the command ran to its end and succeeded."""
        return self.state == GoalState.ACHIEVED


def propose(call: ToolCall, terms: Terms, caller: Caller, *, parent: Goal | None = None) -> IntentPlan:
    """A goal with the one call as its plan, awaiting review, part of `parent` where there is one. Nothing runs yet.

    `terms.key` makes a call unique: the same key twice is the same goal, however often a caller's step is repeated.
    Raises PlanInvalid where the call names no command or its values do not fit, GoalRefused, TooManyGoals.
    """
    draft = _draft(call, terms, caller)
    with transaction.atomic():
        goal = goals.submit(
            by=terms.by,
            text=goal_text(call),
            priority=terms.priority,
            workspace=terms.workspace,
            agent=terms.agent,
            submission_key=terms.key,
            parent=parent,
        )
        goal = Goal.objects.select_for_update(no_key=True).get(pk=goal.pk)
        if (made := current_plan(goal)) is not None:
            return made
        if problems := proposals.problems_of(goal, draft):
            raise PlanInvalid(problems)
        move_goal(goal, GoalState.PLANNING, by=caller.name)
        return proposals.propose(goal, draft, by=terms.by)


def _draft(call: ToolCall, terms: Terms, caller: Caller) -> PlanDraft:
    evidence = {"written_by": terms.by.username, **tool_call_plans.evidence(caller)}
    why = call.why or f"{caller.name} calls it"
    try:
        command = tools_in_use().command(call.tool, call.command)
    except UnknownTool:
        # Validation names what is missing, as for any plan.
        values = parameters.given(call.params)
    else:
        values = parameters.from_person(command, call.params)
    # An agent chose them: no reviewer may take them for a person's own words.
    chosen = {name: replace(one, origin="model") if one.origin == "explicit" else one for name, one in values.items()}
    step = Step(call.tool, call.command, chosen, why)
    return PlanDraft((step,), (), "person", evidence)


def goal_text(call: ToolCall) -> str:
    """What the goal says: the command as a sentence, with its values as far as they are short."""
    try:
        command = tools_in_use().command(call.tool, call.command)
    except UnknownTool:
        return f"Call {call.tool}.{call.command}"[:_TEXT_CHARS]
    text = phrases.say(command, {name: _short(value) for name, value in call.params.items()})
    text = text[:1].upper() + text[1:]
    return text if len(text) <= _TEXT_CHARS else text[: _TEXT_CHARS - 1] + "…"


def _short(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    said = " ".join(value.split())
    return said if len(said) <= _VALUE_CHARS else said[:_VALUE_CHARS] + "…"


def answer_of(goal: Goal) -> CallAnswer | None:
    """The answer of a call whose goal has ended; None as long as it is open."""
    if not goal.has_ended:
        return None
    done = (
        Intent.objects.filter(intent_plan__goal=goal, phase=Intent.Phase.MAIN, state=IntentState.SUCCEEDED)
        .order_by("-intent_plan__revision", "-position")
        .first()
    )
    result = done.result if done is not None and isinstance(done.result, Mapping) else _last_words(goal)
    return CallAnswer(goal.state, result, "" if goal.state == GoalState.ACHIEVED else _why_not(goal))


def _last_words(goal: Goal) -> Mapping[str, Any]:
    """What an agent of a framework said at the end, where one worked on the goal: it has no plan of its own."""
    said = FrameworkRun.objects.filter(goal=goal).exclude(answer="").values_list("answer", flat=True).first()
    return {"answer": said} if said is not None else {}


def _why_not(goal: Goal) -> str:
    tried = Attempt.objects.filter(intent__intent_plan__goal=goal, outcome="failed").order_by("-pk").first()
    return (tried.reason if tried is not None else "") or goal.reason
