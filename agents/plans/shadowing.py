"""Dry runs as rows: asked for when a plan is proposed, begun by one worker at a time, stopped when it is decided."""

from __future__ import annotations

import redis
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Max, Q

from agents.bdi.forecast import shadow
from agents.models import Attempt, Intent, IntentPlan, ShadowRun, Standstill
from agents.record import leased, logs, signals, wake_ups
from agents.record.listeners import listened_to
from agents.record.moves import move_shadow
from agents.states import PlanState, ShadowState
from agents.workspaces import file_paths
from agents.workspaces.stores import store
from sandbox.contract import SandboxError
from sandbox.jail.inside.survey import CACHES
from sandbox.store.compare import ORDER, compare

PATHS_MAX = 100
# Of so many runs that wait it is asked whether somebody looks at their plan.
LOOKED_AT_MAX = 100
_PATIENCE_S = 0.5
_HOW = {
    "deleted": "was there in the dry run only",
    "moved": "lies elsewhere",
    "changed": "is different",
    "added": "was not there in the dry run",
}
_WAITING = Q(state=ShadowState.WAITING.value)


def ask(plan: IntentPlan) -> ShadowRun | None:
    """Have the plan tried in a copy of its workspace as it is when a worker begins; None when that is under way."""
    number = (plan.shadow_runs.aggregate(last=Max("number"))["last"] or 0) + 1
    try:
        with transaction.atomic():
            run = ShadowRun.objects.create(intent_plan=plan, number=number)
            wake_ups.wake_worker()
    except IntegrityError:
        # The race it answers: two people ask at once. One open run per plan is enough.
        return None
    return run


def claim(run_id: int | None = None) -> ShadowRun | None:
    """Begin this run, or the oldest that nobody has; None when there is none or enough of them are running.

    Dry runs never take all workers: what was approved goes first.
    """
    with transaction.atomic():
        if Standstill.objects.exists():
            return None
        if ShadowRun.objects.filter(leased.at_work()).count() >= settings.SHADOW_RUNS_MAX:
            return None
        free = ShadowRun.objects.filter(leased.free(ShadowRun)).order_by("pk")
        wanted = free.filter(pk=run_id) if run_id is not None else free
        return leased.begin(wanted, lambda run: {"base": run.intent_plan.workspace.head}, move_shadow)


def is_wanted(run: ShadowRun) -> bool:
    """Whether somebody still waits for what it will say: its plan awaits a decision."""
    return IntentPlan.objects.filter(pk=run.intent_plan_id, state=PlanState.AWAITING_REVIEW.value).exists()


def looked_at() -> int | None:
    """The oldest run that waits and whose plan, or goal, somebody has open in a browser; None when there is none."""
    free = ShadowRun.objects.filter(_WAITING).order_by("pk").values_list("pk", "intent_plan__goal_id")[:LOOKED_AT_MAX]
    groups = {pk: wake_ups.goal_group(goal) for pk, goal in free}
    try:
        heard = listened_to(set(groups.values()), _PATIENCE_S) if groups else set()
    except redis.RedisError:  # then nobody's run goes first
        return None
    return next((pk for pk, group in groups.items() if group in heard), None)


def stop_unwanted() -> None:
    """Close the runs that nobody has begun and whose plan was decided meanwhile."""
    unwanted = ShadowRun.objects.filter(_WAITING).exclude(intent_plan__state=PlanState.AWAITING_REVIEW.value)
    for run in unwanted.select_related("intent_plan")[:100]:
        move_shadow(run, ShadowState.STOPPED, reason="the plan was decided before the dry run began")


def latest(plan: IntentPlan) -> ShadowRun | None:
    """The plan's newest dry run."""
    return plan.shadow_runs.order_by("-number").first()


def changed_paths(run: ShadowRun) -> dict[str, list[str]] | None:
    """The paths that the run in the copy changed, by kind (`sandbox.store.compare.ORDER`); None if unknown."""
    if run.state != ShadowState.DONE:
        return None
    try:
        found = compare(store().entries(run.base), store().entries(run.after), fold=False)
    except (KeyError, SandboxError):
        return None
    paths: dict[str, list[str]] = {kind: [] for kind in ORDER}
    for each in found:
        paths[each.kind].append(file_paths.to_text(each.path))
    return paths


def compare_with_reality(plan: IntentPlan) -> None:
    """Once the plan has ended: write down where it went otherwise than its dry run had shown."""
    run = plan.shadow_runs.filter(state=ShadowState.DONE.value, surprises__isnull=True).order_by("-number").first()
    first = Attempt.objects.filter(intent__intent_plan=plan).order_by("pk").first()
    if run is None or first is None:
        return
    real = {
        each["position"]: each
        for each in plan.intents.filter(phase=Intent.Phase.MAIN).values("position", "state", "result")
    }
    paths: list[dict[str, str]] = []
    note = ""
    if first.snapshot_before != run.base:
        note = "The files had changed between the dry run and the first step, so files are not compared."
    elif plan.state == PlanState.COMPLETE:
        paths, note = _paths_that_differ(run, plan)
    told = {"steps": shadow.surprises(run.findings, real), "paths": paths[:PATHS_MAX], "note": note}
    ShadowRun.objects.filter(pk=run.pk).update(surprises=told | {"path_count": len(paths)})
    signals.tell(signals.plan_ended, plan.pk)


def _paths_that_differ(run: ShadowRun, plan: IntentPlan) -> tuple[list[dict[str, str]], str]:
    last = Attempt.objects.filter(intent__intent_plan=plan).exclude(snapshot_after="").order_by("-pk").first()
    if last is None:
        return [], ""
    try:
        found = compare(store().entries(run.after), store().entries(last.snapshot_after))
    except (KeyError, SandboxError) as error:
        return [], f"The files could not be compared: {error}."
    differ = [each for each in found if not any(part in CACHES for part in each.path.split(b"/"))]
    return [{"path": logs.storable(file_paths.to_text(each.path)), "how": _HOW[each.kind]} for each in differ], ""
