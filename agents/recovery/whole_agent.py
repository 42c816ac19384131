"""What AGInt looks at: how tries, models and the machine have been lately, what can be mended, and mending it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings as configured
from django.db.models import Count, Q
from django.utils import timezone

from agents.actors.models_in_use import models_of
from agents.bdi.plans.document import IntentSpec
from agents.bdi.recovery import retrying
from agents.bdi.recovery.agint import Assessment, Health, Machine, Tried, Whole, counted
from agents.bdi.recovery.failures import Facts, Failure, FailureClass, classified
from agents.bdi.recovery.recovery_settings import RecoverySettings
from agents.bdi.recovery.shared_causes import Kind, SharedCause, suspected
from agents.models import Attempt, Belief, FailureRecord, Goal, IntentPlan
from agents.record import selectors
from agents.recovery import cooldown
from agents.workspaces import stores
from library.memory.selectors import nearest_to
from library.models import ModelCall

LATELY = timedelta(minutes=30)
# So many tries are read to find those that have something in common with a step.
LATELY_READ = 100
_OF_A_TRY = ("pk", "intent__intent_plan", "intent__position", "outcome", "started")
SOURCE = "inference"
_AGAIN = "AGInt looked again"
_EARLIER = 5
# A checkout that no claim has touched for so long belongs to nobody.
_STALE_S = 6 * 3600.0


def look(
    goal: Goal,
    step: IntentSpec | None,
    failure: Failure,
    settings: RecoverySettings,
    *,
    asks_model: bool,
    may_try: bool,
    may_replan: bool,
) -> Whole:
    """All there is to see about a failed step of the goal, or about planning it (without a step).

    Reads the database and the machine, changes nothing.
    """
    since = timezone.now() - LATELY
    machine = machine_now()
    models = models_of(goal.agent)
    failure_class = failure.failure_class
    tool = step.tool if step is not None else ""
    shared = suspected(step, goal.workspace_id, failure_class) if step is not None else None
    return Whole(
        failure_class=failure_class,
        tool=tool,
        cause=failure.cause,
        asks_model=asks_model,
        # The one that is looked at is not kept yet.
        same_failures=1
        + FailureRecord.objects.filter(
            goal__agent=goal.agent_id, failure_class=failure_class.value, tool=tool, at__gte=since
        ).count(),
        shared=shared,
        shared_health=counted(shared, _lately_tried(shared, since)) if shared is not None else Health(),
        model_health=_model_health(models[0]) if models else Health(),
        model=models[0] if models else "",
        machine=machine,
        mendable=mendable(machine, settings, tool),
        elsewhere=_what_helped(failure_class, tool),
        earlier_runs=len(nearest_to(goal.text, user=goal.submitted_by, limit=_EARLIER, without_goal=str(goal.pk)))
        if may_replan
        else 0,
        may_try=may_try,
        may_replan=may_replan,
    )


def machine_now() -> Machine:
    """The machine of this worker, from /proc; what it does not say is not known."""
    try:
        load = os.getloadavg()[0]
        cpu: float | None = min(100.0, 100.0 * load / (os.cpu_count() or 1))
    except OSError:
        cpu = None
    disk = shutil.disk_usage(configured.DATA_DIR)
    return Machine(cpu, _memory_percent(), 100.0 * (disk.total - disk.free) / disk.total)


def _memory_percent() -> float | None:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        kib = {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines) if rest}
        return 100.0 * (1.0 - kib["MemAvailable"] / kib["MemTotal"])
    except (OSError, KeyError, ValueError, ZeroDivisionError, IndexError):
        return None


def _lately_tried(shared: SharedCause, since: datetime) -> Iterator[Tried]:
    """The newest tries since then that could have to do with it, each with its step as it was approved."""
    newest = Attempt.objects.filter(outcome__in=["succeeded", "failed"], alternative=0).order_by("-pk")
    if shared.kind is not Kind.HOST:
        newest = newest.filter(intent__tool=shared.tool, intent__command=shared.command)
    rows = [row for row in newest.values_list(*_OF_A_TRY)[:LATELY_READ] if row[-1] >= since]
    plans = IntentPlan.objects.only("document", "workspace_id").in_bulk([row[1] for row in rows])
    failures = FailureRecord.objects.filter(attempt__in=[row[0] for row in rows]).in_bulk(field_name="attempt_id")
    for attempt, plan, position, outcome, _ in rows:
        document, failure = selectors.read_document(plans[plan]), failures.get(attempt)
        # Of a failure without a record nobody knows what it was about.
        if document is not None and (outcome == "succeeded" or failure is not None):
            step, workspace = document.at(position), plans[plan].workspace_id
            yield Tried(step, workspace) if failure is None else _failed(step, workspace, failure)


def _failed(step: IntentSpec, workspace: int, failure: FailureRecord) -> Tried:
    facts = Facts.from_json(failure.facts)
    own_fault = bool(retrying.why_not_again(classified(facts), facts, ()))
    return Tried(step, workspace, FailureClass(failure.failure_class), own_fault)


def _model_health(model: str) -> Health:
    ended = [ModelCall.State.ANSWERED, ModelCall.State.FAILED]
    states = list(
        ModelCall.objects.filter(model=model, state__in=ended).order_by("-pk").values_list("state", flat=True)[:10]
    )
    return Health(len(states), states.count(ModelCall.State.FAILED))


def _what_helped(failure_class: FailureClass, tool: str) -> dict[str, tuple[int, int]]:
    rows = (
        FailureRecord.objects.filter(failure_class=failure_class.value, tool=tool, settled_at__isnull=False)
        .order_by()
        .values("strategy")
        .annotate(cases=Count("pk"), won=Count("pk", filter=Q(succeeded=True, overtaken_by="")))
    )
    return {row["strategy"]: (row["won"], row["cases"]) for row in rows}


def mendable(machine: Machine, settings: RecoverySettings, tool: str = "") -> tuple[str, ...]:
    """What of mindX itself is not in order and can be mended by `mend`: rests on a full disk, and cool-downs of this
    tool that are kept although it works again.
    """
    full = machine.disk is not None and machine.disk > settings.pressure_disk_percent
    stale = stale_checkouts() if full else []
    told = [f"the disk is nearly full, and {len(stale)} checkouts belong to nobody"] if stale else []
    if tool and cooldown.passed(tool):
        told.append(f"{tool} is left alone to cool down, and has worked since")
    return tuple(told)


def stale_checkouts() -> list[Path]:
    """Folders of claims that nobody has touched for hours, of goals that no worker has by now."""
    folder = stores.checkouts()
    before = timezone.now().timestamp() - _STALE_S
    leased = {str(pk) for pk in Goal.objects.filter(lease_until__gt=timezone.now()).values_list("pk", flat=True)}
    return [
        one
        for one in folder.iterdir()
        if one.is_dir()
        and not one.is_symlink()
        and one.stat().st_mtime < before
        and one.name.partition("-")[0].isdigit()
        and one.name.partition("-")[0] not in leased
    ]


def mend(tool: str = "") -> list[str]:
    """Mend what can be mended; says what was done, in sentences."""
    gone = 0
    for one in stale_checkouts():
        shutil.rmtree(one, ignore_errors=True)
        gone += not one.exists()
    done = [f"removed {gone} checkouts that belonged to nobody"] if gone else []
    if passed := cooldown.passed(tool) if tool else []:
        woken = cooldown.close(passed)
        done.append(f"ended the cool-down of {tool}, which works again; {woken} other goals go on")
    return done


def revise(goal: Goal, assessment: Assessment) -> None:
    """Hold these true from now on, in place of what AGInt held about the same things before.

    What it found in order is withdrawn, and for all open goals of the agent: it looked at the agent, not at one goal.
    """
    now = timezone.now()
    held = Belief.objects.filter(source=SOURCE, retracted_by="")
    again = [one.about for one in assessment.beliefs]
    held.filter(goal=goal, about__in=again).update(retracted_by=_AGAIN)
    stale = held.filter(goal__agent=goal.agent_id, goal__ended_at=None, about__in=[*again, *assessment.in_order])
    stale.exclude(sentence__in=[one.sentence for one in assessment.beliefs]).update(retracted_by=_AGAIN)
    Belief.objects.bulk_create(
        Belief(
            goal=goal,
            sentence=one.sentence,
            source=SOURCE,
            confidence=one.confidence,
            about=one.about,
            at=now,
            expires_at=now + timedelta(seconds=one.for_s),
        )
        for one in assessment.beliefs
    )
