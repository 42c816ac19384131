"""The two sides of a replay of an agent: its earlier goals, planned anew with what a version sets it to.

Rules plan as they do now, by what was believed then. Where they make no plan the version's model is asked, once, under
the version's firmware and with its tools; memory is left out on both sides, for it may hold how the goal ended. Budgets
stay those of the agent.
"""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass
from datetime import datetime
from threading import Event
from typing import Any

from django.conf import settings

from agents.actors import firmware
from agents.actors.model_requests import request_for
from agents.actors.models_in_use import models_of
from agents.bdi.language_models import prompt
from agents.bdi.language_models.prompt import Situation
from agents.bdi.planning import means_ends
from agents.beliefs import entailment_model
from agents.components import agent_versions, rules
from agents.components.agent_versions import KIND
from agents.evolution.replays import answer_checks, answer_sides, cases, copies, replanning
from agents.evolution.replays.answer_cases import Beside, Cost
from agents.evolution.replays.answer_checks import PLAN, Asked, Checked
from agents.evolution.replays.answer_sides import since
from agents.evolution.replays.cases import Found
from agents.evolution.replays.copies import GONE, Side
from agents.models import Agent, Goal, Plan, Replay, ReplayCase
from agents.plans import proposals
from agents.toolkit.frameworks import OWN
from agents.toolkit.registry import tools_in_use
from agents.toolkit.types import NoPlan
from library.language.asking import Ask, Message
from library.models import ComponentVersion, ModelCall
from library.prompts import in_use

# What of a version a replay can show. Limits, budgets, commitment and what people review are no matter of planning.
_TRIED = ("framework", "tools", "model", "uses_model", "firmware_domain")
NO_CALL = "rules make no plan, and no model was asked for one then"
OF_A_FRAMEWORK = "an agent of a framework works step by step, so its goals are not planned anew"


def can_be(version: ComponentVersion) -> bool:
    """Whether a version says what an agent is set to."""
    return version.component.kind == KIND


def cost(version: ComponentVersion, found: list[Found] | None = None, *, beside: Beside = None) -> Cost:
    """What a replay may take at most: both sides ask a model for each goal that a model was asked for then."""
    other = beside or version.parent
    if other is None:
        return Cost(why_not="This is the first version, so there is no parent to compare it with.")
    chosen = cases.of(version.component) if found is None else found
    if not chosen:
        return Cost(why_not="No plan of this agent has run yet.")
    sides = [_set_to(Agent(name=version.component.name), one) for one in (other, version)]
    asked = sum(_call_of(one.goal) is not None for one in chosen)
    calls = asked * sum(bool(models_of(side)) for side in sides)
    models = tuple(dict.fromkeys(models_of(side)[0] for side in sides if models_of(side)))
    each = settings.MODEL_PROMPT_TOKENS + settings.MODEL_ANSWER_TOKENS
    return Cost(len(chosen), calls, calls * each, models=models if calls else ())


def of(replay: Replay, version: ComponentVersion) -> AgentSide:
    """The side that a version takes in a replay."""
    return AgentSide(version, since(replay))


@dataclass(frozen=True)
class AgentSide:
    """What an agent is set to by one version."""

    version: ComponentVersion
    since: datetime

    def tried(self, case: ReplayCase, name: str, stop_work: Event) -> Side:
        """The case's goal planned and run with these settings. Raises Stopped, OutOfBudget."""
        if case.goal is None or case.plan is None:
            return Side(None, GONE)
        goal = copy.copy(case.goal)
        goal.agent = _set_to(case.goal.agent, self.version)
        if goal.agent.framework != OWN:
            return Side(None, OF_A_FRAMEWORK)
        started = time.monotonic()
        drafted = means_ends.plan(
            goal.text,
            rules.known_rules(),
            replanning.beliefs_of(case.plan),
            tools_in_use(),
            judge_by=entailment_model.in_use(),
        )
        if isinstance(drafted, NoPlan):
            return self._asked(goal, case, drafted, name, stop_work)
        document, problems = proposals.document_on(goal, case.base, drafted)
        wrong = f"its plan is not valid: {problems[0].message}" if document is None or problems else ""
        means = None if document is None else copies.steps_of(document)
        found = Checked(wrong, means, document)
        return answer_sides.judged(found, Tried(goal, case.base), name, stop_work, started)

    def _asked(self, goal: Goal, case: ReplayCase, none: NoPlan, name: str, stop_work: Event) -> Side:
        started = time.monotonic()
        if not models_of(goal.agent):
            said = f"no plan: {none.reason.replace('_', ' ')}, and no model may be asked"
            return Side(False, said, ("no plan", True), is_void=True)
        call = _call_of(goal)
        if call is None or case.plan is None:
            return Side(None, NO_CALL)
        answer = answer_sides.answered(_request(goal, case.plan, call), self.since, stop_work)
        if isinstance(answer, Side):
            return answer
        checked = answer_checks.check(Asked(call, goal, case.base), answer.text, firmware.of(goal.agent).checks)
        return answer_sides.judged(checked, Tried(goal, case.base), name, stop_work, started, call=answer.call)


@dataclass(frozen=True)
class Tried:
    """A goal and the files that a plan of it is run on."""

    goal: Goal
    base: str


def _request(goal: Goal, plan: Plan, call: ModelCall) -> Ask:
    """The request for a plan, made as it is made for a new goal, but without memory and what people said since."""
    told = firmware.of(goal.agent)
    used = in_use.active(PLAN).filled()
    tokens = settings.MODEL_PROMPT_TOKENS - told.tokens
    situation = Situation(goal.text, replanning.beliefs_of(plan))
    built = prompt.build(used.text, situation, tools_in_use(), goal.agent.tools, tokens=tokens)
    return request_for(
        goal.agent,
        PLAN,
        [Message(role, text) for role, text in built.messages],
        models_of(goal.agent)[:1],
        prompts=[used],
        max_tokens=settings.MODEL_ANSWER_TOKENS,
        schema=prompt.schema(tools_in_use(), goal.agent.tools),
        goal=str(goal.pk),
        told=told,
        replay_of=call.pk,
    )


def _call_of(goal: Goal) -> ModelCall | None:
    """The newest request for a plan of this goal, which those of a replay stand beside."""
    rows = ModelCall.objects.filter(goal=str(goal.pk), purpose=PLAN, replay_of=None)
    return rows.order_by("-pk").first()


def _set_to(agent: Agent, version: ComponentVersion) -> Agent:
    """A copy of the agent that is set to a version; it is never stored."""
    values: dict[str, Any] = agent_versions.values_of(version)
    changed = copy.copy(agent)
    for name in _TRIED:
        if name in values:
            setattr(changed, name, values[name])
    return changed
