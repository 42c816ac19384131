"""What would settle a failure whose cause is known, as a change that a person proposes with one press. Pure.

More time for a step that reached its time limit, the hosts that it asked for and was refused, the Python module that it
lacked. Each is a delta like any other that people write: nothing of it runs before it was reviewed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any

from agents.bdi.outcome.network import Network, lacking, listed
from agents.bdi.plans.document import IntentSpec, Parameter
from agents.bdi.recovery.failures import Facts
from agents.bdi.recovery.simplifying import fixed
from agents.toolkit import hosts as host_words
from agents.toolkit.command import Command
from agents.toolkit.limits import in_words, session_limits
from agents.toolkit.schemas import HOSTS_KIND
from sandbox.gate.hosts import PACKAGES

MORE_TIME, APPROVE_HOSTS, INSTALL = "more_time", "approve_hosts", "install_module"
_TIMES = 2
_TIME, _LINE = "timeout_s", "command_line"
_CODER = "simple_coder"
_ENVIRONMENT = ".venv"
_LACKS = re.compile(r"No module named '?([A-Za-z_]\w*)")


@dataclass(frozen=True)
class Remedy:
    """A change with its name, what the button says, what it does, and the steps in the failed one's place."""

    name: str
    label: str
    says: str
    instead: tuple[IntentSpec, ...]


@dataclass(frozen=True)
class Around:
    """What is so around the failed step: its network, the environment that is active ("" none), the files' paths."""

    network: Network
    environment: str = ""
    there: Collection[str] = ()


def remedies(step: IntentSpec, command: Command, facts: Facts, around: Around) -> tuple[Remedy, ...]:
    """What is offered for this failure of the step; nothing where it ran as something else (an alternative)."""
    if (facts.tool, facts.command) != (step.tool, step.command):
        return ()
    return (*_more_time(step, command, facts), *_hosts(step, command, around), *_module(step, command, facts, around))


def hosts_parameter(command: Command) -> str:
    """The parameter that lists the hosts a command may reach; "" where it has none."""
    return next((name for name in command.properties if command.kind(name) == HOSTS_KIND), "")


def _more_time(step: IntentSpec, command: Command, facts: Facts) -> Iterator[Remedy]:
    """Twice the time, within the limits that the step was approved with."""
    if facts.limit != "time" or _TIME not in command.properties:
        return
    limits = session_limits(step.limits)
    had_s = step.params.get(_TIME) or limits.soft_s
    wanted_s = int(min(_TIMES * had_s, limits.hard_s))
    if wanted_s <= had_s:
        return
    was, now = in_words(_TIME, had_s), in_words(_TIME, wanted_s)
    made = fixed(step, {_TIME: wanted_s}, "person", f"{was} were not enough")
    yield Remedy(MORE_TIME, "More time", f"Its time limit becomes {now} instead of {was}.", (made,))


def _hosts(step: IntentSpec, command: Command, around: Around) -> Iterator[Remedy]:
    name, added = hosts_parameter(command), lacking(around.network, step.hosts, step.params.get(_LINE))
    if not name or not added:
        return
    said = listed([host_words.in_words([one]) for one in added])
    made = fixed(step, {name: sorted({*step.hosts, *added})}, "person", f"{said} was refused before")
    which = "this host" if len(added) == 1 else "these hosts"
    yield Remedy(APPROVE_HOSTS, f"Approve {which}", f"The step may reach {said}, which it asked for.", (made,))


def _module(step: IntentSpec, command: Command, facts: Facts, around: Around) -> Iterator[Remedy]:
    """Its package by the same name, in the environment that is active or else in one for these files."""
    found = _LACKS.findall(f"{facts.printed}\n{facts.text}") if _LINE in command.properties else []
    if not found or found[-1] in sys.stdlib_module_names or _is_own(found[-1], around.there):
        return
    name, label = found[-1], f"Install {found[-1]}"
    steps, where = [], around.environment
    if not where:
        where = _ENVIRONMENT
        if f"{where}/pyvenv.cfg" not in around.there:
            steps.append(_added(step, label, "create_venv", {"venv_name": where}))
        steps.append(_added(step, label, "activate_venv", {"venv_name": where}))
    steps.append(_added(step, label, "run", {_LINE: f"pip install {name}", "hosts": [PACKAGES]}))
    says = (
        f"“pip install {name}” runs before the step, in the environment {where}. Check that the package of this name is"
        " the one that is meant."
    )
    yield Remedy(INSTALL, label, says, (*steps, step))


def _is_own(module: str, there: Collection[str]) -> bool:
    """Whether the files have a module of this name: then it is looked for in the wrong place."""
    ends = (f"/{module}.py", f"/{module}/__init__.py")
    return any(f"/{path}".endswith(ends) for path in there if "site-packages/" not in path)


def _added(failed: IntentSpec, label: str, command: str, params: dict[str, Any]) -> IntentSpec:
    """A step of the remedy with this label, before the failed one.

    What a document fixes of a step is fixed when it is proposed.
    """
    return replace(
        failed,
        tool=_CODER,
        command=command,
        params=params,
        parameters=tuple(
            Parameter(name, value, "person", note=f"from the remedy “{label}”") for name, value in params.items()
        ),
        justification=f"From the remedy “{label}”: {failed.tool}.{failed.command} failed without it.",
        rule="",
        alternatives=(),
        retries=None,
    )
