"""What mindX itself adds to the backlog: what analyses found, and what fails again and again."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, Max
from django.utils import timezone

from agents.bdi.designing import blueprint
from agents.bdi.planning import levels
from agents.coordinator import backlog
from agents.coordinator.backlog import Prepared, Wish
from agents.mastermind import duplicates
from agents.mastermind.components import Component
from agents.models import Attempt, BacklogItem, Deed, GivenCommand, Goal, Intent, LevelDocument
from agents.plans import designs
from agents.record import causes, worked
from agents.record.errors import AgentsError
from agents.states import GOAL_ENDED, GoalState
from people import sealing

logger = logging.getLogger(__name__)

# Of one analysis: more than these nobody reads, and the report on the goal's page has them all.
MOST_OF_AN_ANALYSIS = 20
FAILURES_FROM = 3
_LOOKED_BACK = timedelta(days=7)
_MOST_GOALS = 500
_AT_ONCE = 20
_PROPOSED = "propose_components"


def take_findings() -> int:
    """Put what the ended goals of coord_analyze found into the backlog, each goal once; returns how many wishes."""
    ended = [state.value for state in GOAL_ENDED]
    rows = GivenCommand.objects.filter(
        command="coord_analyze", taken_at=None, goal__isnull=False, goal__state__in=ended
    ).select_related("goal", "by")
    return sum(_take(row) for row in sealing.genuine(rows.order_by("pk")[:_AT_ONCE]))


def _take(row: GivenCommand) -> int:
    """Take over what one of them found, all of it or, when this process dies on the way, nothing."""
    ready = list(_prepared(_wishes(row)))
    added = 0
    with transaction.atomic():
        # The race: two sweeps take the same one; the condition lets one through, and the other waits for how it ends.
        if not GivenCommand.objects.filter(pk=row.pk, taken_at=None).update(taken_at=timezone.now()):
            return 0
        for each in ready:
            try:
                backlog.put(each)
                added += 1
            except AgentsError as error:
                logger.warning("A finding of goal %s was not added: %s", row.goal_id, error)
    return added


def _prepared(wishes: Iterable[Wish]) -> Iterator[Prepared]:
    for wish in wishes:
        try:
            yield backlog.prepared(wish)
        except AgentsError as error:
            logger.warning("A finding of goal %s was not added: %s", wish.goal.pk if wish.goal else "?", error)


def take_designs() -> int:
    """Propose what designs would have developed further, each design once when its sub-goals are made; how many wishes.

    The needs themselves are goals in their own words and wait for none of it.
    """
    made = Goal.objects.filter(created_at__gte=timezone.now() - _LOOKED_BACK, sub_goals__goal__isnull=False)
    made = made.exclude(deeds__command=_PROPOSED).filter(level_documents__kind=LevelDocument.Kind.DESIGN.value)
    return sum(_propose(goal) for goal in made.distinct().order_by("pk").select_related("submitted_by")[:_AT_ONCE])


def _propose(goal: Goal) -> int:
    design = designs.newest_of(goal)
    try:
        found = blueprint.read(levels.read_design(bytes(design.document))) if design is not None else None
    except ValueError:
        found = None
    better = found.better if found is not None else ()
    by = goal.submitted_by
    ready = list(_prepared(Wish(Component(one.kind, one.what), one.does, by=by, goal=goal) for one in better))
    with transaction.atomic():
        # The race: two sweeps propose the same; the key is unique, and the second one finds the deed.
        deed = {"goal": goal, "by": by, "command": _PROPOSED, "result": {"wishes": len(ready)}}
        if not Deed.objects.get_or_create(key=f"{_PROPOSED} {goal.pk}", defaults=deed)[1]:
            return 0
        for each in ready:
            backlog.put(each)
    return len(ready)


def _wishes(row: GivenCommand) -> Iterator[Wish]:
    component = row.answer["data"].get("component")
    report = _report(row.goal)
    if not report:
        return
    found = _by_rule(report) if component and component["kind"] == "tool" else _by_file(report)
    for number, (name, text, priority) in enumerate(found):
        if number == MOST_OF_AN_ANALYSIS:
            return
        about = Component(component["kind"], component["name"]) if component and not name else Component("path", name)
        yield Wish(about, text, BacklogItem.Source.ANALYSIS.value, row.by, row.goal, priority)


def _report(goal: Goal | None) -> Mapping[str, Any]:
    """What the last audit of an achieved goal found."""
    if goal is None or goal.state != GoalState.ACHIEVED:
        return {}
    ran = Intent.objects.filter(intent_plan__goal=goal, tool__in=("audit_and_improve", "system_analyzer"))
    for result in ran.order_by("-intent_plan__revision", "-position").values_list("result", flat=True):
        report = result.get("report") if isinstance(result, dict) else None
        if isinstance(report, dict) and report.get("kind") == "analysis":
            return report
    return {}


# The texts hold no numbers: the next analysis counts other ones, and it is the same wish all the same.
def _by_rule(report: Mapping[str, Any]) -> Iterator[tuple[str, str, int]]:
    for rule in report["findings"]["rules"]:
        yield "", f"Mend what {rule['code']} finds ({rule['name']})", 3
    grave = {one["code"] for one in report["security"]["top"] if one["level"] == "high" and not one["silenced"]}
    for code in sorted(grave):
        yield "", f"Mend the danger that {code} finds", 2


def _by_file(report: Mapping[str, Any]) -> Iterator[tuple[str, str, int]]:
    codes: dict[str, set[str]] = defaultdict(set)
    for one in report["findings"]["top"]:
        codes[str(one["path"])].add(str(one["code"]))
    grave = set()
    for one in report["security"]["top"]:
        if one["level"] == "high" and not one["silenced"]:
            codes[str(one["path"])].add(str(one["code"]))
            grave.add(str(one["path"]))
    for path in sorted(codes, key=lambda path: (path not in grave, -len(codes[path]), path)):
        yield path, f"Mend what is found: {', '.join(sorted(codes[path]))}", 2 if path in grave else 3


def note_failures() -> int:
    """Put into the backlog which command keeps failing in which way; returns how many wishes were said or counted."""
    since = timezone.now() - _LOOKED_BACK
    failed = worked.failed_goals(Goal.objects.filter(changed_at__gte=since)).order_by("-changed_at")
    goals = list(failed.values_list("pk", flat=True)[:_MOST_GOALS])
    rows = (
        Attempt.objects.filter(intent__intent_plan__goal__in=goals, outcome="failed")
        .exclude(failure_class="")
        .order_by()
        .values("intent__tool", "intent__command", "failure_class")
        .annotate(goals=Count("intent__intent_plan__goal", distinct=True), newest=Max("intent__intent_plan__goal"))
        .filter(goals__gte=FAILURES_FROM)
        .order_by("-goals")[:MOST_OF_AN_ANALYSIS]
    )
    noted = 0
    for row in rows:
        component = Component("tool", row["intent__tool"])
        text = f"Find out why {row['intent__command']} keeps failing with {row['failure_class']}"
        known = BacklogItem.objects.filter(text_key=duplicates.key(component.key, text))
        # Said once for each goal that is new, not at each look at the same ones.
        if known.filter(source_goal__gte=row["newest"]).exists():
            continue
        goal = Goal.objects.get(pk=row["newest"])
        ready = backlog.prepared(Wish(component, text, BacklogItem.Source.FAILURES.value, goal=goal, priority=2))
        # Together: counted without its goal, the same failures would be counted again at the next look.
        with transaction.atomic():
            added = backlog.put(ready)
            if added.item.source == BacklogItem.Source.FAILURES:
                causes.change(causes.lock(added.item), source_goal=goal)
        noted += 1
    return noted
