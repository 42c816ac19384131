"""Carrying out a line that was typed to mastermind: read, done by the services that everybody uses, answered, kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.db import IntegrityError, transaction

from agents.actors import lifecycle
from agents.components import agent_versions, known_components
from agents.coordinator import backlog_commands, introspection, querying
from agents.goals import agent_goals, component_goals
from agents.goals.component_goals import Terms
from agents.mastermind import commands, configs
from agents.mastermind.answers import Answer, Outcome
from agents.mastermind.components import Component
from agents.mastermind.reading import Reading, read
from agents.models import DEFAULT_AGENT, Agent, GivenCommand, Goal, IntentPlan, Workspace
from agents.record import selectors
from agents.record.errors import AgentsError, GoalRefused, NoSuchAgent, NotYours, WorkspaceRefused
from people import sealing
from people.models import User

_KEPT_LINE = 2_000
_KEY_MAX = 200


@dataclass(frozen=True)
class Given:
    """A line as it came: from whom, by which way, and in which workspace and by which agent its goals should be.

    The same person with the same `key` gets the answer that was given already.
    """

    line: str
    by: User
    via: str
    workspace: str = ""
    agent: str = ""
    priority: int = 3
    key: str = ""


Work = Callable[[Reading, Given], Answer]


def carry_out(given: Given) -> Answer:
    """Read the line and do what it says. Never raises for what a line says; the answer tells."""
    if given.key and (earlier := _earlier(given)):
        return earlier
    reading = read(given.line, known_components.known())
    answer = _answered(reading, given)
    return _kept(given, answer)


def _answered(reading: Reading, given: Given) -> Answer:
    if not reading.is_understood:
        return Answer(Outcome.NOT_UNDERSTOOD, reading.command, said=(reading.problem,), suggestions=reading.suggestions)
    shell = Answer(Outcome.DONE, reading.command, reading.precise, suggestions=reading.suggestions)
    try:
        # Each service has its own transaction: some of them embed a text, which none may be open for.
        done = WORK[reading.command](reading, given)
    except NotYours as refused:
        return replace(shell, outcome=Outcome.NOT_ALLOWED, said=(str(refused),))
    except NoSuchAgent as refused:
        meant = (reading.precise.replace(refused.name, refused.near, 1),) if refused.near else ()
        return replace(shell, outcome=Outcome.NOT_UNDERSTOOD, said=(str(refused),), suggestions=meant)
    except (GoalRefused, WorkspaceRefused) as refused:
        outcome = Outcome.NOT_ALLOWED if "You may not" in str(refused) else Outcome.NOT_UNDERSTOOD
        return replace(shell, outcome=outcome, said=(str(refused),))
    except AgentsError as refused:
        return replace(shell, outcome=Outcome.NOT_POSSIBLE, said=(str(refused),))
    return replace(done, command=reading.command, understood=reading.precise)


def _earlier(given: Given) -> Answer | None:
    row = given.by.given_commands.filter(key=given.key[:_KEY_MAX]).first()
    return of_row(row) if row is not None else None


def of_row(row: GivenCommand) -> Answer:
    """The answer as it was given."""
    kept = row.answer
    return Answer(
        Outcome(kept["outcome"]),
        kept["command"],
        kept["understood"],
        tuple(kept["said"]),
        tuple(int(number) for number in kept["goals"]),
        tuple(int(number) for number in kept["items"]),
        tuple(kept["suggestions"]),
        kept["data"],
    )


def _kept(given: Given, answer: Answer) -> Answer:
    """Keep the line with its answer. Of the same key twice at once, the second gets what the first was told."""
    try:
        with transaction.atomic():
            given_now = GivenCommand.objects.create(
                by=given.by,
                via=given.via,
                line=_storable(given.line[:_KEPT_LINE]),
                command=answer.command,
                outcome=answer.outcome.value,
                answer=answer.as_json(),
                goal_id=answer.goals[0] if answer.goals and answer.command in MAKES_GOALS else None,
                key=given.key[:_KEY_MAX],
            )
            sealing.seal(given_now)
    except IntegrityError:
        if given.key and (earlier := _earlier(given)):
            return earlier
        raise
    return answer


def _storable(text: str) -> str:
    return text.replace("\0", "").encode("utf-8", "replace").decode()


MAKES_GOALS = (
    *("evolve", "deploy", "agent_create", "agent_evolve", "agent_delete"),
    *("coord_analyze", "coord_process_backlog"),
)
_VERSION = re.compile(r"version=([0-9.]{1,32})")


def terms(given: Given) -> Terms:
    """Where and by whom the goals of this line are. Raises GoalRefused for a workspace or an agent there is not."""
    workspace: Workspace | None = None
    if given.workspace:
        workspace = selectors.workspaces_writable_by(given.by).filter(name=given.workspace).first()
        if workspace is None:
            raise GoalRefused("workspace", f"You have no workspace named “{given.workspace[:80]}”.")
    agent = lifecycle.usable(given.agent, by=given.by) if given.agent else None
    key = f"mastermind:{given.key}"[:_KEY_MAX] if given.key else ""
    return Terms(given.by, workspace, agent, given.priority, key)


def _evolve(reading: Reading, given: Given) -> Answer:
    if reading.component is None:
        return _made(component_goals.plain(reading.text, terms(given)), "in your words")
    goal = component_goals.improve(reading.component, reading.wish, terms(given))
    return _made(goal, f"about {reading.component}, on a copy of its files in {goal.workspace.name}")


def _deploy(reading: Reading, given: Given) -> Answer:
    return _made(component_goals.plain(f"Deploy {reading.text}", terms(given)), "in your words")


def _made(goal: Goal, how: str) -> Answer:
    said = (
        f"Goal {goal.pk} was submitted, {how}: {goal.text}",
        "It is being planned. The plan is reviewed before anything runs.",
    )
    data = {"goal": {"id": str(goal.pk), "text": goal.text, "state": goal.state, "workspace": goal.workspace.name}}
    return Answer(Outcome.DONE, said=said, goals=(goal.pk,), data=data)


def _introspect(reading: Reading, given: Given) -> Answer:
    name = reading.text.removeprefix("agent ").strip() or given.agent or DEFAULT_AGENT
    agent = Agent.objects.get_or_create(name=DEFAULT_AGENT)[0] if name == DEFAULT_AGENT else lifecycle.find(name)
    return _told(introspection.introspect(agent, by=given.by))


def _status(reading: Reading, given: Given) -> Answer:
    return _told(introspection.status(by=given.by))


def _told(found: tuple[list[str], Mapping[str, Any]]) -> Answer:
    said, data = found
    return Answer(Outcome.DONE, said=tuple(said), data=data)


def _agent_create(reading: Reading, given: Given) -> Answer:
    kind, _, rest = reading.text.partition(" ")
    name, _, config = rest.strip().partition(" ")
    if not name:
        raise GoalRefused("name", f"Give the kind and the name, as in “agent_create {configs.KIND} {kind[:40]}”.")
    lifecycle.check_kind(kind)
    lifecycle.check_operator(given.by)
    settings = lifecycle.read_config(config)
    if lifecycle.is_taken(name):
        free = f"agent_create {configs.KIND} {lifecycle.free_name(name)} {config}".strip()
        said = f"An agent named {name[:64]} already exists. Choose another name."
        return Answer(Outcome.NOT_UNDERSTOOD, said=(said,), suggestions=(free,))
    plan = agent_goals.make(name, settings, terms(given))
    return _asked(plan, f"the agent {name} exists")


def _asked(plan: IntentPlan, what: str) -> Answer:
    """What is said of a goal whose plan was written with it."""
    goal = plan.goal
    said = (
        f"Goal {goal.pk} was submitted: {goal.text}",
        f"Its plan is waiting for review and shows every value it sets. After it is approved and has run, {what}.",
    )
    shown = {"id": str(goal.pk), "text": goal.text, "state": goal.state, "workspace": goal.workspace.name}
    data = {"goal": shown, "intent_plan": str(plan.pk)}
    return Answer(Outcome.DONE, said=said, goals=(goal.pk,), data=data)


def _agent_list(reading: Reading, given: Given) -> Answer:
    return _told(introspection.listing())


def _agent_evolve(reading: Reading, given: Given) -> Answer:
    name, _, rest = reading.text.removeprefix("agent ").strip().partition(" ")
    agent = lifecycle.find(name)
    if not rest.strip():
        raise GoalRefused("config", f"Say what should change, as in “agent_evolve {agent.name} max_repair_attempts=1”.")
    if not configs.looks_like(rest):
        return backlog_commands.wished(Component("agent", agent.name), rest, given.by, given.priority)
    if wanted := _VERSION.fullmatch(rest.strip()):
        version = agent_versions.find(agent, wanted[1])
        plan = agent_goals.become(agent, version, terms(given))
    else:
        plan = agent_goals.change(agent, lifecycle.read_config(rest), terms(given))
    return _asked(plan, f"{agent.name} is changed")


def _agent_delete(reading: Reading, given: Given) -> Answer:
    name, _, reason = reading.text.removeprefix("agent ").strip().partition(" ")
    lifecycle.check_operator(given.by)
    agent = lifecycle.find(name)
    return _asked(agent_goals.retire(agent, reason.strip()[:300], terms(given)), f"{agent.name} takes no more goals")


def _query(reading: Reading, given: Given) -> Answer:
    return _told(querying.answer(reading.text, by=given.by))


_NO_WORKSPACE = (
    "Say a component, or choose a workspace to look through: “--workspace NAME” at a terminal, “Workspace and agent” "
    "on the page, “workspace” by the API."
)


def _analyze(reading: Reading, given: Given) -> Answer:
    if reading.component is not None:
        goal = component_goals.analyze(reading.component, terms(given))
        made = _made(goal, f"about {reading.component}")
        about = {"kind": reading.component.kind, "name": reading.component.name}
        return replace(made, data={**made.data, "component": about})
    if not given.workspace:
        raise GoalRefused("workspace", _NO_WORKSPACE)
    return _made(component_goals.plain("Analyze all the code", terms(given)), "of the whole workspace")


def _help(reading: Reading, given: Given) -> Answer:
    wanted = commands.NAMES.get("_".join(reading.text.casefold().replace("-", " ").split()))
    text = commands.help_of(wanted.name) if wanted is not None else commands.overview()
    return Answer(Outcome.DONE, said=tuple(text.splitlines()))


WORK: dict[str, Work] = {
    "evolve": _evolve,
    "deploy": _deploy,
    "introspect": _introspect,
    "status": _status,
    "agent_create": _agent_create,
    "agent_list": _agent_list,
    "agent_evolve": _agent_evolve,
    "agent_delete": _agent_delete,
    "coord_query": _query,
    "coord_analyze": _analyze,
    "coord_improve": lambda reading, given: backlog_commands.improve(reading, given.by, given.priority),
    "coord_backlog": lambda reading, given: backlog_commands.show(reading, given.by),
    "coord_process_backlog": lambda reading, given: backlog_commands.process(reading, given.by),
    "coord_approve": lambda reading, given: backlog_commands.approve(reading, given.by),
    "coord_reject": lambda reading, given: backlog_commands.reject(reading, given.by),
    "help": _help,
}
