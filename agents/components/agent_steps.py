"""Steps that make, change and retire agents: what is wrong with one, and doing it, once, for an approved plan.

Three moments ask the same: when the plan is proposed, when somebody approves it, and when the step runs. What the step
does is done with the rights that the submitter of its goal has at that moment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.db import transaction

from agents.actors import lifecycle
from agents.actors.step_model_calls import Means
from agents.bdi.plans.document import Document
from agents.bdi.plans.validation import Problem
from agents.components import agent_versions, approved_steps
from agents.mastermind import configs
from agents.mastermind.configs import Config, ConfigRefused
from agents.models import Agent, Deed, Goal
from agents.record.errors import GoalRefused, NotPossibleNow, NotYours
from agents.toolkit.command import Params
from agents.toolkit.registry import tools_in_use
from agents.toolkit.tools.agent_registry import CHANGE, CREATE, NAME, RETIRE
from agents.toolkit.types import PlanDraft, Step
from people.models import User

# A step of it: where it stands, its command and its parameters.
Act = tuple[int, str, Params]


def problems(goal: Goal, draft: PlanDraft) -> list[Problem]:
    """What is wrong with those steps of a draft that act on agents."""
    steps = enumerate((*draft.steps, *draft.cleanup), 1)
    return _faults(goal, [_act(position, one) for position, step in steps for one in (step, *step.alternatives)])


def why_not(goal: Goal, document: Document) -> str:
    """Why a plan that was proposed cannot be approved any more, as a sentence; empty when it can."""
    specs = [one for spec in document.all_intents for one in (spec, *spec.alternatives)]
    found = _faults(goal, [(one.position, one.command, one.params) for one in specs if one.tool == NAME])
    return f"Step {found[0].position}: {found[0].message}" if found else ""


def _act(position: int, step: Step) -> Act:
    return (position, step.command, step.values()) if step.tool == NAME else (0, "", {})


def _faults(goal: Goal, acts: Iterable[Act]) -> list[Problem]:
    found: list[Problem] = []
    made: set[str] = set()
    for position, command, params in acts:
        if not position or Deed.objects.filter(key=approved_steps.key_of(goal.pk, command, params)).exists():
            continue
        try:
            lifecycle.check_operator(goal.submitted_by)
            _check(command, params, made)
        except NotYours as refused:
            found.append(Problem(position, "command", "not_allowed", f"{_who(goal)}: {refused}"))
        except GoalRefused as refused:
            found.append(Problem(position, refused.field, "agent", refused.message))
        except NotPossibleNow as refused:
            found.append(Problem(position, "name", "agent", str(refused)))
        made |= {str(params["name"]).casefold()} if command == CREATE else set()
    return found


def _who(goal: Goal) -> str:
    return f"It would be done with the rights of {goal.submitted_by.display_name}"


def _check(command: str, params: Params, made: Iterable[str] = ()) -> None:
    """Raises GoalRefused or NotPossibleNow for what cannot be done."""
    name = str(params["name"])
    if command == CREATE:
        lifecycle.check_name(name)
        if name.casefold() in made:
            raise GoalRefused("name", f"The plan makes two agents named {name}.")
        config_of(params)
        return
    agent = lifecycle.find(name)
    if command == RETIRE:
        lifecycle.check_may_retire(agent)
        return
    _target(agent, params)


def config_of(params: Params) -> Config:
    """What a step sets. Raises GoalRefused."""
    try:
        return configs.of_params(params, tools=[tool.name for tool in tools_in_use().tools])
    except ConfigRefused as refused:
        raise GoalRefused("config", str(refused)) from refused


def _target(agent: Agent, params: Params) -> str:
    """The text of the version that a change makes of what the agent is set to now.

    Raises NotPossibleNow unless that is the version which people read: both may have changed since.
    """
    if agent.retired_at is not None:
        raise NotPossibleNow(f"The agent {agent.name} is retired.")
    version = agent_versions.find(agent, str(params["version"]))
    config = config_of(params)
    body = agent_versions.body_of(configs.applied(agent_versions.set_now(agent), config, whole_limits=True))
    if not agent_versions.says(version, body):
        raise NotPossibleNow(
            f"{agent.name} has been changed since this change was written, so it would not become"
            f" {version.version}. Ask for the change again."
        )
    return body


def make(params: Params, answer: Mapping[str, Any], means: Means) -> Mapping[str, Any]:
    """Make the agent. Raises NotYours, GoalRefused, NotPossibleNow."""

    def done(goal: Goal, by: User) -> tuple[Agent, dict[str, Any]]:
        agent = lifecycle.create(str(params["name"]), config_of(params), by=by)
        version = agent_versions.first(agent, by=by, changes=f"made by goal {goal.pk}")
        return agent, {
            "message": f"the agent {agent.name} is made; it holds nothing yet. To undo it, retire it: it and its name"
            " stay",
            "version": version.version,
        }

    return _once(CREATE, params, means, done)


def change(params: Params, answer: Mapping[str, Any], means: Means) -> Mapping[str, Any]:
    """Set the agent to the version that was read. Raises NotYours, GoalRefused, NotPossibleNow."""

    def done(goal: Goal, by: User) -> tuple[Agent, dict[str, Any]]:
        agent = Agent.objects.select_for_update(no_key=True).get(pk=lifecycle.find(str(params["name"])).pk)
        _target(agent, params)
        before = agent_versions.in_force(agent, by=by)
        version = agent_versions.find(agent, str(params["version"]))
        lifecycle.change(agent, config_of(params), by=by, whole_limits=True)
        agent_versions.activate(version, by=by)
        said = f"the agent {agent.name} is set to its version {version.version}, from its next plan on"
        undo = f"to undo it, go back to {before.version} on its page"
        return agent, {"message": f"{said}; {undo}", "version": version.version, "before": before.version}

    return _once(CHANGE, params, means, done)


def retire(params: Params, answer: Mapping[str, Any], means: Means) -> Mapping[str, Any]:
    """Retire the agent. Raises NotYours, GoalRefused, NotPossibleNow."""

    def done(goal: Goal, by: User) -> tuple[Agent, dict[str, Any]]:
        found = lifecycle.find(str(params["name"]))
        agent = lifecycle.retire(found, by=by, reason=str(params.get("reason", "")))
        return agent, {
            "message": f"the agent {agent.name} is retired and takes no more goals; all it did stays. It cannot be"
            " undone",
            "version": "",
        }

    return _once(RETIRE, params, means, done)


def _once(
    command: str, params: Params, means: Means, work: Callable[[Goal, User], tuple[Agent, dict[str, Any]]]
) -> Mapping[str, Any]:
    """Do it for the plan that runs; done before under this key, answer as then.

    The races: the worker dies after it was done and the step is tried again; a worker that lost its lease comes late.
    The goal's row is the lock between them, and the deed is there with what it did or not at all.
    """
    if means.goal is None:
        raise NotYours("Agents are made, changed and retired only by a step of an approved plan.")
    with transaction.atomic():
        goal = Goal.objects.select_for_update(of=("self",), no_key=True).get(pk=means.goal)
        key = approved_steps.key_of(goal.pk, command, params)
        if (earlier := Deed.objects.filter(key=key).first()) is not None:
            return dict(earlier.result)
        approved_steps.check(goal, NAME, command, params)
        by = User.objects.get(pk=goal.submitted_by_id)
        agent, result = work(goal, by)
        result = {**result, "agent": agent.name}
        Deed.objects.create(key=key, goal=goal, by=by, agent=agent, command=command, result=result)
        return result
