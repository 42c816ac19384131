"""Making, changing and retiring agents. Each change leaves an entry in the journal; nothing of an agent is deleted."""

from __future__ import annotations

import difflib
import logging
import re
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from agents.actors import commitments
from agents.mastermind import configs
from agents.mastermind.configs import Config, ConfigRefused
from agents.models import DEFAULT_AGENT, Agent, Goal, ToolLimit
from agents.record.errors import GoalRefused, NoSuchAgent, NotPossibleNow, NotYours
from agents.record.selectors import agents_usable_by
from agents.states import GOAL_ENDED
from agents.toolkit.registry import tools_in_use
from people import journal
from people.journal import Event
from people.models import User
from people.roles import Role

logger = logging.getLogger(__name__)

_MOST_NAME = 64
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_MOST_NAMED = 5


def read_config(text: str) -> Config:
    """Read a config as people write it. Raises GoalRefused, naming the field `config`."""
    try:
        return configs.parse(text, tools=[tool.name for tool in tools_in_use().tools])
    except ConfigRefused as refused:
        raise GoalRefused("config", str(refused)) from refused


def check_kind(kind: str) -> None:
    """Raise GoalRefused for a kind of agent that there is not."""
    if kind.casefold() not in configs.KIND_NAMES:
        near = difflib.get_close_matches(kind.casefold(), sorted(configs.KIND_NAMES), n=1)
        said = f"Did you mean {configs.KIND}?" if near else f"There is {configs.KIND}."
        raise GoalRefused("kind", f"There is no kind of agent “{kind[:60]}”. {said}")


def check_name(name: str) -> None:
    """Raise GoalRefused for a name that no new agent can have."""
    if not _NAME.fullmatch(name):
        raise GoalRefused("name", "A name begins with a letter and has letters, digits, - and _, at most 64.")
    if is_taken(name):
        raise GoalRefused("name", f"There is already an agent named {name}. Names of retired agents stay taken.")


def is_taken(name: str) -> bool:
    """Whether an agent has or had this name, in any case."""
    return Agent.objects.filter(name__iexact=name).exists()


def free_name(name: str) -> str:
    """A name near to one that is taken, which nobody has."""
    stem = name[: _MOST_NAME - 4]
    return next(free for number in range(2, 1_000) if not is_taken(free := f"{stem}_{number}"))


def create(name: str, config: Config, *, by: User) -> Agent:
    """Make an agent. Raises NotYours, GoalRefused for what does not fit."""
    check_operator(by)
    check_name(name)
    agent = Agent(name=name)
    try:
        with transaction.atomic():
            _set(agent, config)
            _commit(agent, config, by)
            after = {"kind": configs.KIND, **_told(config)}
            journal.record(Event.AGENT, by=by, subject=f"agent:{name}", data={"before": {}, "after": after})
    except IntegrityError as error:
        raise GoalRefused("name", f"There is an agent named {name} already.") from error
    logger.info("Agent %s was made by %s", name, by.username)
    return agent


def change(agent: Agent, config: Config, *, by: User, whole_limits: bool = False) -> Agent:
    """Change what the config names; what it does not name stays. Plans that were proposed keep what stands in them.

    `whole_limits`: where it speaks of ceilings, they are then all that the agent has of its own.
    """
    check_operator(by)
    if not config.names:
        raise GoalRefused("config", "Say what should change, as in max_repair_attempts=1.")
    with transaction.atomic():
        agent = Agent.objects.select_for_update(no_key=True).get(pk=agent.pk)
        if agent.retired_at is not None:
            raise NotPossibleNow(f"The agent {agent.name} is retired.")
        before = {name: _plain(getattr(agent, name)) for name in config.values}
        without = whole_limits and config.has_limits
        if without:
            before["limits"] = known_ceilings(agent)
            agent.limits.all().delete()
        _set(agent, config)
        _commit(agent, config, by)
        if not config.values and not config.limits and not without:
            return agent
        data = {"before": before, "after": _told(config)}
        journal.record(Event.AGENT, by=by, subject=f"agent:{agent.name}", data=data)
    return agent


def retire(agent: Agent, *, by: User, reason: str = "") -> Agent:
    """Let the agent take no more goals. Raises NotPossibleNow while goals of it are open.

    The race it closes: a goal submitted to it at this moment waits for this lock, and is refused then.
    """
    check_operator(by)
    with transaction.atomic():
        agent = Agent.objects.select_for_update().get(pk=agent.pk)
        check_may_retire(agent)
        agent.retired_at = timezone.now()
        agent.save(update_fields=["retired_at"])
        told = {"before": {"retired": False}, "after": {"retired": True, **({"reason": reason} if reason else {})}}
        journal.record(Event.AGENT, by=by, subject=f"agent:{agent.name}", data=told)
    logger.info("Agent %s was retired by %s", agent.name, by.username)
    return agent


def check_may_retire(agent: Agent) -> None:
    """Raise NotPossibleNow for an agent that can never be retired, that is, or that has goals to end."""
    if agent.name == DEFAULT_AGENT:
        raise NotPossibleNow(f"{DEFAULT_AGENT} has the goals that name no agent, so it stays. Pause it instead.")
    if agent.retired_at is not None:
        raise NotPossibleNow(f"The agent {agent.name} is retired already.")
    waiting = Goal.objects.filter(agent=agent).exclude(state__in=[state.value for state in GOAL_ENDED])
    numbers = list(waiting.order_by("pk").values_list("pk", flat=True)[: _MOST_NAMED + 1])
    if numbers:
        named = ", ".join(map(str, numbers[:_MOST_NAMED])) + (" and more" if len(numbers) > _MOST_NAMED else "")
        raise NotPossibleNow(f"It still has goals: {named}. Cancel them, or wait until they have ended.")


def usable(name: str, *, by: User) -> Agent:
    """The agent that a goal of this person names, in any case. Raises GoalRefused: there is none, it is retired, or the
    person may not use it.
    """
    agent = find(name)
    if agents_usable_by(by).filter(pk=agent.pk).exists():
        return agent
    if agent.retired_at is not None:
        raise GoalRefused("agent", f"The agent {agent.name} is retired and takes no goals.")
    raise GoalRefused("agent", f"You may not give goals to the agent {agent.name}.")


def find(name: str) -> Agent:
    """The agent of this name, in any case. Raises NoSuchAgent with the nearest name."""
    agent = Agent.objects.filter(name__iexact=name.strip()).first()
    if agent is not None:
        return agent
    names = list(Agent.objects.order_by("name").values_list("name", flat=True)[:500])
    near = difflib.get_close_matches(name, names, n=1)
    raise NoSuchAgent(name, near[0] if near else "")


def known_ceilings(agent: Agent) -> dict[str, dict[str, int | float]]:
    """The ceilings that are the agent's own, by tool; `*` is every tool."""
    rows = {
        row.tool or configs.EVERY_TOOL: {name: value for name, value in row.ceilings().items() if value is not None}
        for row in agent.limits.all()
    }
    return {tool: ceilings for tool, ceilings in rows.items() if ceilings}


def check_operator(by: User) -> None:
    """Raise NotYours for people who may not make, change or retire agents."""
    if not by.has_role(Role.OPERATOR):
        raise NotYours("Only operators can create, change and retire agents.")


def _set(agent: Agent, config: Config) -> None:
    for name, value in config.values.items():
        setattr(agent, name, value)
    try:
        agent.full_clean()
        agent.save()
        for tool, ceilings in config.limits.items():
            stated = "" if tool == configs.EVERY_TOOL else tool
            row = ToolLimit.objects.filter(agent=agent, tool=stated).first() or ToolLimit(agent=agent, tool=stated)
            for name, number in ceilings.items():
                setattr(row, name, number)
            row.full_clean()
            row.save()
    except ValidationError as error:
        # A full_clean names each field; the first one is enough to go on with.
        field, said = next(iter(error.message_dict.items()))
        where = "" if field == "__all__" else f"{field}: "
        raise GoalRefused("config", f"{where}{' '.join(said)}") from error


def _commit(agent: Agent, config: Config, by: User) -> None:
    """Its commitment is saved by version, and tells the journal of itself."""
    if config.commitment is not None:
        commitments.set_to(agent, config.commitment, by=by, why="by a command")


def _told(config: Config) -> dict[str, Any]:
    told = {name: _plain(value) for name, value in config.values.items()}
    if config.limits or config.has_limits:
        told["limits"] = {tool: dict(ceilings) for tool, ceilings in config.limits.items()}
    return told


def _plain(value: Any) -> Any:
    return value if isinstance(value, bool | int | str | list | Mapping) or value is None else str(value)
