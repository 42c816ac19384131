"""Which rules would serve which goals, and which rules conflict: past goals are planned again. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from agents.bdi.beliefs.revision import current_folder
from agents.bdi.planning.levels import key_of
from agents.bdi.planning.means_ends import plan
from agents.rules.cascade import Judge
from agents.rules.selection import KnownRule
from agents.toolkit.registry import Registry
from agents.toolkit.types import Belief, NoPlan, PlanDraft

# Of the rules that apply besides the chosen one so many are planned too.
MOST_RIVALS = 5


@dataclass(frozen=True)
class Asked:
    """A goal as it was planned once: its number, its words and what was believed."""

    goal: int
    text: str
    beliefs: tuple[Belief, ...]


@dataclass(frozen=True)
class Served:
    """What the rules make of a goal. `rule` is the chosen one, "" where none is, and then `reason` says why.

    `lowest` is how firmly its weakest context is entailed. `applicable` are the other rules that apply, and `rivals`
    those of them that would plan other steps.
    """

    asked: Asked
    rule: str
    reason: str
    lowest: float
    applicable: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()


@dataclass(frozen=True)
class Use:
    """How often a rule is chosen and how often it applies, of the goals that were tried, and its weakest choice."""

    name: str
    chosen: int
    applies: int
    weakest: float | None


@dataclass(frozen=True)
class Quarrel:
    """Two rules that both apply to these goals and plan different steps; `first` is the one that was chosen."""

    first: str
    second: str
    goals: tuple[Asked, ...]


@dataclass(frozen=True)
class Coverage:
    """The result for each goal that was tried, in their order."""

    tried: tuple[Served, ...]

    @property
    def served(self) -> int:
        """How many a rule serves."""
        return sum(bool(one.rule) for one in self.tried)

    @property
    def unserved(self) -> list[Served]:
        """Those that no rule serves."""
        return [one for one in self.tried if not one.rule]

    @property
    def uses(self) -> list[Use]:
        """Every rule that is chosen or applies, the one that serves most first."""
        chosen = Counter(one.rule for one in self.tried if one.rule)
        applies = Counter(name for one in self.tried for name in (one.rule, *one.applicable) if name)
        weakest = {name: min(one.lowest for one in self.tried if one.rule == name) for name in chosen}
        found = [Use(name, chosen[name], applies[name], weakest.get(name)) for name in applies]
        return sorted(found, key=lambda use: (-use.chosen, -use.applies, use.name))

    @property
    def quarrels(self) -> list[Quarrel]:
        """Pairs of rules that plan different steps for the same goals, those with most goals first."""
        goals: dict[tuple[str, str], list[Asked]] = defaultdict(list)
        for one in self.tried:
            for rival in one.rivals:
                goals[one.rule, rival].append(one.asked)
        found = [Quarrel(*names, tuple(asked)) for names, asked in goals.items()]
        return sorted(found, key=lambda quarrel: (-len(quarrel.goals), quarrel.first, quarrel.second))


def cover(
    goals: Iterable[Asked],
    rules: Sequence[KnownRule],
    registry: Registry,
    *,
    judge_by: Callable[[Asked], Sequence[Judge]] = lambda _: (),
    is_over: Callable[[], bool] = lambda: False,
) -> Coverage:
    """Plan goals again by these rules until the time is over; nothing runs."""
    tried = []
    for asked in goals:
        if is_over():
            break
        tried.append(_served(asked, rules, registry, judge_by(asked)))
    return Coverage(tuple(tried))


def _served(asked: Asked, rules: Sequence[KnownRule], registry: Registry, judges: Sequence[Judge]) -> Served:
    found = plan(asked.text, rules, asked.beliefs, registry, judge_by=judges)
    if isinstance(found, NoPlan):
        return Served(asked, "", found.reason, 0.0)
    relevant: list[dict[str, Any]] = found.evidence["relevant"]
    (mine,) = (one for one in relevant if one["chosen"])
    others = [one["rule"] for one in relevant if one["applicable"] and not one["chosen"]]
    rivals = []
    for other in others[:MOST_RIVALS]:
        only = {key_of(asked.text, current_folder(asked.beliefs)): other["component_version_id"]}
        instead = plan(asked.text, rules, asked.beliefs, registry, chosen=only, judge_by=judges)
        if isinstance(instead, PlanDraft) and essence(instead) != essence(found):
            rivals.append(other["name"])
    names = tuple(other["name"] for other in others)
    return Served(asked, mine["rule"]["name"], "", mine["minimum"], names, tuple(rivals))


def essence(draft: PlanDraft) -> list[tuple[str, str, dict[str, object]]]:
    """What two plans have in common that do the same."""
    return [(step.tool, step.command, step.values()) for step in draft.steps]
