"""Goals whose plan is written with them: make, change or retire an agent, as somebody asked for it in so many words.

Nothing is done to an agent here. Each goal has a plan of one step with all its values, which people review.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from agents.actors import lifecycle
from agents.bdi.plans.parameters import with_defaults
from agents.components import agent_versions
from agents.goals import component_goals
from agents.goals.component_goals import Terms
from agents.mastermind import configs
from agents.mastermind.configs import Config
from agents.models import Agent, IntentPlan
from agents.toolkit.registry import tools_in_use
from agents.toolkit.tools.agent_registry import CHANGE, CREATE, NAME, RETIRE
from agents.toolkit.types import Param, PlanDraft, Step
from library.models import ComponentVersion


def make(name: str, config: Config, terms: Terms) -> IntentPlan:
    """A goal to make an agent. Raises NotYours, GoalRefused."""
    lifecycle.check_operator(terms.by)
    lifecycle.check_name(name)
    values = {**config.values, **({"limits": config.limits} if config.limits else {})}
    if config.commitment is not None:
        values["commitment"] = config.commitment.value
    why = "An agent is never deleted: to undo it, retire it. It keeps its name."
    return _ask(CREATE, {"name": name, **configs.as_params(values)}, f"Create the agent {name}", why, terms)


def change(agent: Agent, config: Config, terms: Terms, *, changes: str = "") -> IntentPlan:
    """A goal to change what an agent is set to: a new version of it, which is a candidate of the library until then.

    Raises NotYours, GoalRefused, also where nothing would change.
    """
    lifecycle.check_operator(terms.by)
    agent.refresh_from_db()
    with transaction.atomic():
        said = changes or f"sets {', '.join(config.names)}"
        version, before = agent_versions.candidate(agent, config, by=terms.by, changes=said)
        return _become(agent, version, before, terms)


def become(agent: Agent, version: ComponentVersion, terms: Terms) -> IntentPlan:
    """A goal to set an agent to a version that there is: a candidate, or one to go back to. Raises as `change`."""
    lifecycle.check_operator(terms.by)
    agent.refresh_from_db()
    with transaction.atomic():
        return _become(agent, version, agent_versions.in_force(agent, by=terms.by), terms)


def _become(agent: Agent, version: ComponentVersion, before: ComponentVersion, terms: Terms) -> IntentPlan:
    differing = configs.differing(agent_versions.values_of(before), agent_versions.values_of(version))
    text = f"Change the agent {agent.name} to its version {version.version}"
    why = f"It is {before.version} now, and {version.version} differs from that in what stands here: "
    why += f"{version.changes or 'its settings'}. To undo it, go back to {before.version}."
    params = {"name": agent.name, "version": version.version, **differing}
    return _ask(CHANGE, params, text, why[:3_000], terms)


def retire(agent: Agent, reason: str, terms: Terms) -> IntentPlan:
    """A goal to retire an agent. Raises NotYours, NotPossibleNow."""
    lifecycle.check_operator(terms.by)
    lifecycle.check_may_retire(agent)
    why = "What it did stays, and so does its name. It cannot be undone: a retired agent takes no goals again."
    return _ask(RETIRE, {"name": agent.name, "reason": reason}, f"Retire the agent {agent.name}", why, terms)


def _ask(command: str, said: Mapping[str, Any], text: str, why: str, terms: Terms) -> IntentPlan:
    """The goal with its plan. The same key twice is the same goal. Raises PlanInvalid with what is wrong."""
    params = {name: Param(value, "explicit", note=f"{terms.by.username} said so") for name, value in said.items()}
    step = Step(NAME, command, with_defaults(tools_in_use().command(NAME, command), params), why)
    draft = PlanDraft((step,), (), "person", {"written_by": terms.by.username})
    return component_goals.planned(text, draft, terms)
