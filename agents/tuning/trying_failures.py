"""The last failures again: which way would be taken now, and which with a proposed setting, policy or rule.

The choice is the one that recovery makes, over what stood open then and what is known now, with the draw of that very
try. Where chances decide, further draws say how likely each way is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from random import Random
from typing import Any

from django.db.models import QuerySet

from agents.bdi.recovery import recovery
from agents.bdi.recovery.delays import delay, in_seconds
from agents.bdi.recovery.failures import PLANNING, Facts, FailureClass, classified
from agents.bdi.recovery.recovery import Policy, Standing, take
from agents.bdi.recovery.recovery_settings import RecoverySettings
from agents.bdi.recovery.strategies import AGINT, COOLED, REEXTRACTED, RETRY, SIMPLER, Strategy, way_named
from agents.models import FailureRecord, Goal, RecoveryStatistic
from agents.recovery import failure_log, recovery_learning
from agents.recovery.recovery_learning import Known
from agents.tuning import of_recovery
from agents.tuning.kinds import Kind, Values
from agents.tuning.trials import CASES, Case, Clock, Tally, Trial, nothing_written

# So often chances are drawn for a case to say how likely each way is.
DRAWS = 30
# How a way is shut when the goal was planned anew too often (`agents.execution.recovering`).
LIMITED = "this goal was planned anew"
# How AGInt is shut when it has looked at the goal too often, now and in older records.
_EXAMINED = ("AGInt has already examined it", "AGInt has looked at it already")
_PolicyOf = Callable[[FailureClass, str], Policy]


@dataclass(frozen=True)
class Terms:
    """What a choice is made by: settings, policies, and the class that a failure has."""

    settings: RecoverySettings
    policy_of: _PolicyOf
    class_of: Callable[[FailureRecord], FailureClass]


@dataclass(frozen=True)
class _End:
    words: str
    shares: Mapping[str, float]


def try_out(kind: Kind, values: Values, readable: QuerySet[Goal], clock: Clock) -> Trial:
    """What the last failures would come to with these values."""
    with nothing_written():
        rows = list(FailureRecord.objects.order_by("-pk")[:CASES])
        past = _Past(rows)
        now, then = past.terms, past.proposed(kind, values)
        tally = Tally(len(rows), clock)
        for row in rows:
            if clock.is_over:
                break
            before, after = past.end(row, now), past.end(row, then)
            if before is None or after is None:
                tally.add(None, {}, {})
                continue
            original = _original(row)
            drifts = original != before.words.partition(" after ")[0]  # how long was waited is not compared
            case = Case(row.pk, row.goal_id, "", original, before.words, after.words, drifts)
            tally.add(case, before.shares, after.shares)
        return tally.done(readable, _notes(kind, values))


def _notes(kind: Kind, values: Values) -> tuple[str, ...]:
    if kind.name == of_recovery.Settings.name and values["name"] in of_recovery.UNTRIED:
        return (of_recovery.UNTRIED[values["name"]],)
    return ()


def _original(row: FailureRecord) -> str:
    way = way_named(row.cell_strategy)
    return f"{row.failure_class}: {way.words if way else row.cell_strategy}"


class _Past:
    """What the choices of the past are made again by; each table is read once."""

    def __init__(self, rows: list[FailureRecord]) -> None:
        self._rows = rows
        self._policies: dict[tuple[FailureClass, str], Policy] = {}
        self._cells: dict[tuple[Any, ...], Known] = {}

    @cached_property
    def terms(self) -> Terms:
        """What counts now."""
        return Terms(recovery_learning.current_settings(), self._policy, lambda row: FailureClass(row.failure_class))

    def proposed(self, kind: Kind, values: Values) -> Terms:
        """The same with one thing tuned otherwise."""
        if kind.name == of_recovery.Settings.name:
            changed = replace(self.terms.settings, **{values["name"]: values["value"]})
            return replace(self.terms, settings=changed)
        if kind.name == of_recovery.Policies.name:
            return replace(self.terms, policy_of=self._policy_with(values))
        return replace(self.terms, class_of=_class_with(values))

    def end(self, row: FailureRecord, terms: Terms) -> _End | None:
        """Which way is taken; None where what stood open is not kept or was not looked up then."""
        raw = (row.weighed or {}).get("standing")
        standing = None if raw is None else self._limited(row, Standing.from_json(raw), terms.settings)
        if standing is None:
            return None
        failure_class = terms.class_of(row)
        known = self._known(failure_class, row.tool, terms.settings)
        policy = terms.policy_of(failure_class, row.tool)

        def taken(rng: Random) -> recovery.Taken:
            return take(failure_class, standing, terms.settings, policy, known.cell, known.outcomes, rng)

        rng = Random(self._seed(row))  # noqa: S311  # the draw of that very try
        found = taken(rng)
        words = f"{failure_class.value}: {found.way.words}"
        if found.way in (RETRY, COOLED):
            wait = delay(standing.tries, terms.settings, rng, standing.retry_after_s, cooling=found.way == COOLED)
            words += f" after {in_seconds(wait.seconds)}"
        shares = {found.way.words: 1.0}
        if found.drawn:
            draws = [taken(Random(f"{row.pk}:{number}")).way for number in range(DRAWS)]  # noqa: S311
            shares = {way.words: draws.count(way) / DRAWS for way in dict.fromkeys(draws)}
        return _End(words, shares)

    def _seed(self, row: FailureRecord) -> int | str:
        """What the draw was begun with: the try of a step, or which of its goal's failures of planning it was."""
        return f"{row.goal_id}:{self._counted[row.pk][2]}" if row.attempt_id is None else row.attempt_id

    def _limited(self, row: FailureRecord, standing: Standing, settings: RecoverySettings) -> Standing | None:
        """The standing under these limits; None where a way is open under them that was not looked at then."""
        replans, escalations, _ = self._counted[row.pk]
        shut = dict(standing.shut)
        was_limited = any(shut.get(way, "").startswith(LIMITED) for way in (SIMPLER, REEXTRACTED))
        if replans >= settings.most_replans:
            limit = f"{LIMITED} {replans} times already"
            for way in (SIMPLER, REEXTRACTED):
                shut.setdefault(way, limit)
        elif was_limited:
            return None
        if escalations >= settings.most_escalations:
            shut.setdefault(AGINT, _EXAMINED[0])
        elif shut.get(AGINT) in _EXAMINED and row.strategy != AGINT.strategy.value:
            # It was shut by the limit, or for it found nothing to do when it looked; that it did stands in the reason.
            if row.why.startswith("AGInt found nothing"):
                return replace(standing, shut=shut)
            del shut[AGINT]
        return replace(standing, shut=shut)

    @cached_property
    def _counted(self) -> dict[int, tuple[int, int, int]]:
        """How often each failure's goal had been planned anew, looked at by AGInt, and without a plan before it."""
        goals = {row.goal_id for row in self._rows}
        found: dict[int, tuple[int, int, int]] = {}
        counts: dict[int, list[int]] = {}
        seen = FailureRecord.objects.filter(goal_id__in=goals).order_by("pk")
        names = ("pk", "goal_id", "strategy", "stage", "weighed__agint__decision")
        for pk, goal, strategy, stage, decision in seen.values_list(*names):
            mine = counts.setdefault(goal, [0, 0, 0])
            found[pk] = (mine[0], mine[1], mine[2])
            mine[0] += strategy == Strategy.SIMPLIFIED_APPROACH.value
            mine[0] += decision == "research"
            mine[1] += strategy == AGINT.strategy.value
            mine[2] += stage == PLANNING
        return found

    def _policy(self, failure_class: FailureClass, tool: str) -> Policy:
        key = (failure_class, tool)
        if key not in self._policies:
            self._policies[key] = recovery_learning.policy_of(failure_class, tool)
        return self._policies[key]

    def _policy_with(self, values: Values) -> _PolicyOf:
        """Of two policies the one for the tool counts, whichever was saved last."""
        mine = Policy(
            way_named(values["pinned"]),
            frozenset(way for name in values["banned"] if (way := way_named(name)) is not None),
        )

        has_own = cache(recovery_learning.has_policy)

        def found(failure_class: FailureClass, tool: str) -> Policy:
            if failure_class.value != values["failure_class"] or values["tool"] not in ("", tool):
                return self._policy(failure_class, tool)
            if values["tool"] != tool and has_own(failure_class, tool):
                return self._policy(failure_class, tool)
            return mine

        return found

    @cached_property
    def _statistics(self) -> dict[tuple[str, str], list[RecoveryStatistic]]:
        found: dict[tuple[str, str], list[RecoveryStatistic]] = {}
        for row in RecoveryStatistic.objects.all():
            found.setdefault((row.failure_class, row.tool), []).append(row)
        return found

    def _known(self, failure_class: FailureClass, tool: str, settings: RecoverySettings) -> Known:
        key = (failure_class, tool, settings.memory)
        if key not in self._cells:
            rows = self._statistics.get((failure_class.value, tool), [])
            self._cells[key] = recovery_learning.of_statistics(rows, settings)
        return self._cells[key]


def _class_with(values: Values) -> Callable[[FailureRecord], FailureClass]:
    """The class with this rule in force beside the others, its own earlier version aside, or without it."""
    candidate = replace(of_recovery.rule_of(values), version=1 << 62)
    others = [failure_log.rule_of(row) for row in failure_log.in_force() if row.name != values["name"]]
    before = next((failure_log.rule_of(row) for row in failure_log.in_force() if row.name == values["name"]), None)

    def found(row: FailureRecord) -> FailureClass:
        facts = Facts.from_json(row.facts)
        if values["enabled"] and candidate.fits(facts):
            return classified(facts, [*others, candidate]).failure_class
        if before is not None and before.fits(facts) and row.rule_id is not None:
            return classified(facts, others).failure_class
        return FailureClass(row.failure_class)

    return found
