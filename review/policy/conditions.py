"""The conditions of a policy: a small checked object, and whether one step of a plan meets them.

Unknown facts count against the step: a step with an unknown path meets a condition of a policy that restricts, and does
not meet one of a policy that approves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from typing import Any

from agents.bdi.forecast.touched_paths import Touched
from review.policy.bodies import Body
from review.risk.assessment import Level

SOURCES = ("rule", "model", "person", "recovery", "understanding")
EFFECTS = ("idempotent", "workspace", "keyed", "once")
MOST_ENTRIES = 32
LONGEST_ENTRY = 200
_LEVELS = tuple(level.value for level in Level)


class ConditionsRefused(ValueError):
    """These conditions are not valid; `field` names the wrong one."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True)
class StepFacts:
    """One step as policies see it."""

    position: int
    is_cleanup: bool
    tool: str
    command: str
    effect: str
    hosts: tuple[str, ...]
    touch: Touched
    risk: Level


@dataclass(frozen=True)
class PlanFacts:
    """What policies know about the plan as a whole. `agent` and `submitter` are names; `shadow_problem` says why the
    newest dry run proves nothing, "" when it is clean: all done, nothing deleted, the workspace unmoved.
    """

    agent: str
    submitter: str
    roles: tuple[str, ...]
    workspace: str
    source: str
    steps: tuple[StepFacts, ...]
    shadow_problem: str
    holds_tool_output: bool = False
    # One call of a tool, by an agent that reads the answer itself and may have read anything before.
    is_call: bool = False
    # The dry run left other files than it found.
    changes_files: bool = True
    # It stopped while it ran, or a step failed: a person has to read why it went back to review.
    is_asked_again: bool = False
    # What of it only people may approve, in words; "" if nothing is known of the kind.
    endangers: str = ""
    # Of the tools that do not ship with mindX and that its steps name.
    bodies: tuple[Body, ...] = ()


@dataclass(frozen=True)
class Conditions:
    """All conditions must be true of a step; an empty one is always true."""

    tools: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    risk_at_most: str = ""
    risk_at_least: str = ""
    agents: tuple[str, ...] = ()
    submitters: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    workspaces: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    shadow_clean: bool = False
    # For a policy that approves: also calls of agents that only read. Without it, none of their calls.
    reading_calls: bool = False
    # What it reads would go to a language model.
    asks_model: bool = False

    @classmethod
    def read(cls, raw: Any) -> Conditions:
        """The conditions in a JSON object. Raises ConditionsRefused for an unknown field or value."""
        if not isinstance(raw, Mapping):
            raise ConditionsRefused("conditions", "Conditions are an object.")
        known = {field.name: field.default for field in fields(cls)}
        values: dict[str, Any] = {}
        for name, value in raw.items():
            if name not in known:
                raise ConditionsRefused(str(name), f"There is no condition “{str(name)[:60]}”.")
            values[name] = _read(name, value, known[name])
        return cls(**values)

    def to_json(self) -> dict[str, Any]:
        """Only the conditions that are set."""
        stated = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: list(v) if isinstance(v, tuple) else v for name, v in stated.items() if v}

    @property
    def is_open(self) -> bool:
        """True if no condition is set, so that every step meets them. A field that allows more does not count."""
        return not self.to_json().keys() - {"reading_calls"}


def _read(name: str, value: Any, default: object) -> Any:
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise ConditionsRefused(name, "This is yes or no.")
        return value
    if isinstance(default, str):
        if value not in ("", *_LEVELS):
            raise ConditionsRefused(name, f"A risk is one of {', '.join(_LEVELS)}.")
        return value
    if not isinstance(value, list | tuple) or len(value) > MOST_ENTRIES:
        raise ConditionsRefused(name, f"This is a list of up to {MOST_ENTRIES} entries.")
    allowed = {"effects": EFFECTS, "sources": SOURCES}.get(name)
    for entry in value:
        if not isinstance(entry, str) or not 0 < len(entry) <= LONGEST_ENTRY or not entry.isprintable():
            raise ConditionsRefused(name, f"An entry is text of up to {LONGEST_ENTRY} characters.")
        if allowed and entry not in allowed:
            raise ConditionsRefused(name, f"“{entry}” is none of {', '.join(allowed)}.")
    return tuple(sorted(set(value)))


def names_commands(conditions: Conditions, tool: str, commands: Iterable[str]) -> list[str]:
    """Those commands of a tool that these conditions name, or leave open."""
    if conditions.tools and tool not in conditions.tools:
        return []
    return [one for one in commands if not conditions.commands or _is_named(conditions, tool, one)]


def _is_named(conditions: Conditions, tool: str, command: str) -> bool:
    """A command may be written without its tool."""
    return not {command, f"{tool}.{command}"}.isdisjoint(conditions.commands)


def met(conditions: Conditions, step: StepFacts, plan: PlanFacts, *, restricts: bool) -> tuple[bool, str]:
    """Whether one step meets all conditions, and in words what was met, or the first that was not."""
    said = []
    for holds, words in _each(conditions, step, plan, restricts=restricts):
        if not holds:
            return False, words
        said.append(words)
    return True, ", ".join(said) or "every step"


def _each(conditions: Conditions, step: StepFacts, plan: PlanFacts, *, restricts: bool) -> list[tuple[bool, str]]:
    found: list[tuple[bool, str]] = []
    for name, actual, wanted in (
        ("tool", step.tool, conditions.tools),
        ("effect", step.effect, conditions.effects),
        ("agent", plan.agent, conditions.agents),
        ("submitter", plan.submitter, conditions.submitters),
        ("workspace", plan.workspace, conditions.workspaces),
        ("plan from", plan.source, conditions.sources),
    ):
        if wanted:
            found.append((actual in wanted, f"{name} {actual}"))
    if conditions.commands:
        holds = _is_named(conditions, step.tool, step.command)
        found.append((holds, f"command {step.tool}.{step.command}"))
    if conditions.roles:
        found.append((not set(plan.roles).isdisjoint(conditions.roles), f"role {', '.join(plan.roles) or 'none'}"))
    return found + _seen(conditions, step, plan, restricts=restricts)


def _seen(conditions: Conditions, step: StepFacts, plan: PlanFacts, *, restricts: bool) -> list[tuple[bool, str]]:
    """Those about the step's effects."""
    found: list[tuple[bool, str]] = []
    if conditions.risk_at_most:
        found.append((step.risk.is_at_most(Level(conditions.risk_at_most)), f"risk {step.risk}"))
    if conditions.risk_at_least:
        found.append((Level(conditions.risk_at_least).is_at_most(step.risk), f"risk {step.risk}"))
    if conditions.paths:
        found.append(_paths(conditions.paths, step.touch, restricts=restricts))
    if conditions.hosts:
        found.append(_hosts(conditions.hosts, step.hosts, restricts=restricts))
    if conditions.asks_model:
        asks = step.touch.asks_model
        found.append((asks, "it asks a language model" if asks else "it asks no language model"))
    if conditions.shadow_clean:
        found.append((not plan.shadow_problem, plan.shadow_problem or "dry run clean"))
    return found


def _paths(patterns: Collection[str], touch: Touched, *, restricts: bool) -> tuple[bool, str]:
    """A restricting pattern matches any path, a folder above it, and paths that are unknown before the step runs."""
    if restricts:
        if touch.is_unsure:
            return True, "a path that is known only when it runs"
        if touch.is_program:
            return True, "a program, which may open any path"
        hit = next((path for path in touch.paths if any(reaches(touch, path, each) for each in patterns)), None)
        return hit is not None, f"path {hit or '.'}" if hit is not None else "no such path"
    if touch.is_unsure or touch.is_program:
        return False, "which paths it touches is known only when it runs"
    outside = next((path for path in touch.paths if not any(fnmatchcase(path, each) for each in patterns)), None)
    return outside is None, "its paths" if outside is None else f"path {outside or '.'}"


def reaches(touch: Touched, path: str, pattern: str) -> bool:
    """Whether this path concerns the pattern: the path itself, its folder, or a folder that contains all of it."""
    if fnmatchcase(path, pattern) or fnmatchcase(f"{path}/", pattern):
        return True
    literal = pattern.split("*")[0].split("?")[0].split("[")[0]
    return touch.goes_deep and (not path or literal.startswith(f"{path}/"))


def _hosts(named: Collection[str], hosts: Collection[str], *, restricts: bool) -> tuple[bool, str]:
    words = f"hosts {', '.join(hosts) or 'none'}"
    if restricts:
        return bool(set(hosts) & set(named)), words
    return set(hosts) <= set(named), words
