"""Versions that were put to use: watched on the goals planned since, and taken back when they prove worse.

Every new goal that the rule planned, or that the version before it would have planned and this one did not, every plan
that has a step of the tool, and every plan of the workflow is run by both in copies. The test of the gate decides,
turned round and made for many looks (`sequential`): five goals broken and none fixed end it. Plans are looked at as
soon as they are made, so a version may be gone before anybody has approved what it planned.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from agents.bdi.plans import document as documents
from agents.components.rules import KIND as RULE
from agents.components.workflow_library import KIND as WORKFLOW
from agents.evolution.replays import gate, replanning, replays, reprocessing
from agents.evolution.replays.cases import Found
from agents.evolution.replays.gate import Judgement
from agents.models import IntentPlan, Plan, ReplayCase, Rollout
from agents.record import worked
from agents.record.moves import move_rollout
from agents.states import MoveRefused, RolloutState
from library.components import canary
from library.components import services as library
from library.models import ComponentVersion
from library.prompts.in_use import KIND as PROMPT
from people import journal, sealing
from people.journal import Event
from people.models import User

logger = logging.getLogger(__name__)

# The watch over an active version ends with so many cases or days; a canary is watched until somebody decides.
CASES_MOST = 50
DAYS_MOST = 30
# So many plans are looked at in one sweep, each in a few milliseconds, and so many cases stand in one replay.
PLANS_A_SWEEP = 100
CASES_A_REPLAY = 20
_Status = ComponentVersion.Status
_WATCHED = RolloutState.WATCHED.value


def begin(version: ComponentVersion, previous: ComponentVersion, *, by: User, percent: int = 100) -> Rollout:
    """Watch a version from now on; a watch that it had as a canary has ended."""
    for older in Rollout.objects.filter(version=version, state=_WATCHED):
        move_rollout(older, RolloutState.ENDED, reason=f"activated by {by.username}")
    newest = Plan.objects.aggregate(Max("pk"))["pk__max"] or 0
    begun = Rollout.objects.create(version=version, previous=previous, percent=percent, by=by, seen_plan=newest)
    sealing.seal_new(begun)
    return begun


def latest(version: ComponentVersion) -> Rollout | None:
    """The newest time that this version was put to use and watched."""
    found = Rollout.objects.filter(version=version).select_related("previous", "by").order_by("-pk")
    return next(iter(sealing.genuine(found)), None)


def was_before_another(version: ComponentVersion) -> bool:
    """Whether it was in use when another version was put to use."""
    return bool(sealing.genuine(Rollout.objects.filter(previous=version)))


def judgement(rollout: Rollout) -> Judgement:
    """What the goals planned since say, as far as both sides were tried on them."""
    return replays.judgement_of(ReplayCase.objects.filter(replay__rollout=rollout))


def sweep() -> None:
    """Look at what was planned since the last time for each version that is watched, and decide."""
    watched = Rollout.objects.filter(state=_WATCHED).exclude(version__component__kind=PROMPT)
    for rollout in sealing.genuine(watched.select_related("version__component", "previous__component", "by")):
        if decide(rollout):
            continue
        if not replays.is_open(rollout.version):
            _look(rollout)


def decide(rollout: Rollout) -> bool:
    """End the watch where what is known is enough; whether it has ended."""
    rollout.version.refresh_from_db(fields=["status"])
    used_as = _Status.CANARY if rollout.is_canary else _Status.ACTIVE
    if rollout.version.status != used_as:
        return end(rollout, RolloutState.ENDED, f"version {rollout.version.version} is {rollout.version.status}")
    judged = judgement(rollout)
    if gate.is_harmful(judged):
        return _take_back(rollout, judged)
    cases = judged.fixed + judged.broken + judged.unchanged
    is_over = cases >= CASES_MOST or rollout.started_at < timezone.now() - timedelta(days=DAYS_MOST)
    if rollout.is_canary or not is_over:
        return False
    return end(rollout, RolloutState.KEPT, f"{cases} goals: {judged.fixed} fixed, {judged.broken} broken")


def _take_back(rollout: Rollout, judged: Judgement) -> bool:
    # Of being taken back by now, were it as good.
    chance = gate.watch_edge().spent(judged.broken + judged.fixed)
    why = (
        f"taken back automatically: of the goals planned since, it breaks {judged.broken} and fixes {judged.fixed}"
        f" (chance {chance:.1%})"
    )
    return take_back(rollout, why, {"fixed": judged.fixed, "broken": judged.broken})


def take_back(rollout: Rollout, why: str, figures: Mapping[str, int]) -> bool:
    """Have the version before be used again, once, and keep why; true: the watch has ended, here or elsewhere."""
    with transaction.atomic():
        if not end(rollout, RolloutState.RETURNED, why):
            return True
        if library.withdraw(rollout.version, rollout.previous, why):
            component = rollout.version.component
            said = {
                "what": "took back",
                "version": rollout.version.version,
                "to": rollout.previous.version,
                "called": component.name,
                **figures,
            }
            journal.record(Event.COMPONENT, by=None, subject=f"component:{component.pk}", data=said)
    logger.warning("%s was %s", rollout.version, why)
    return True


def end(rollout: Rollout, state: RolloutState, reason: str) -> bool:
    """End the watch. False: another process ended it first."""
    try:
        move_rollout(rollout, state, reason=reason)
    except MoveRefused:
        return False
    return True


def _look(rollout: Rollout) -> None:
    """Take the plans made since the last look as cases. What cannot be told apart again is not looked at twice."""
    plans = Plan.objects.filter(pk__gt=rollout.seen_plan).select_related("goal__workspace", "goal__agent")
    found: dict[int, Found] = {}
    last = rollout.seen_plan
    for plan in plans.order_by("pk")[:PLANS_A_SWEEP]:
        if len(found) >= CASES_A_REPLAY:
            break
        last = plan.pk
        if (case := _case(rollout, plan)) is not None:
            found[plan.goal_id] = case
    if last == rollout.seen_plan:
        return
    try:
        with transaction.atomic():
            # The race it closes: two sweeps that look at the same plans.
            ours = Rollout.objects.filter(pk=rollout.pk, seen_plan=rollout.seen_plan, state=_WATCHED)
            if ours.update(seen_plan=last) and found:
                replays.watch(rollout, list(found.values()))
    except IntegrityError:
        logger.info("Somebody asks for a replay of %s; its goals are looked at after that", rollout.version)


def _case(rollout: Rollout, plan: Plan) -> Found | None:
    """The plan's goal as a case, if one of both versions has anything to do with it."""
    name, version = rollout.version.component.name, rollout.version.version
    is_ours = not rollout.is_canary or canary.takes(name, plan.goal_id, rollout.percent)
    # A goal that is a replay's case already has been judged: planned anew, it says nothing new.
    if not is_ours or ReplayCase.objects.filter(replay__rollout=rollout, goal=plan.goal_id).exists():
        return None
    made = IntentPlan.objects.filter(plan=plan).order_by("revision").first()
    document = documents.read(bytes(made.document)) if made is not None else None
    if rollout.version.component.kind == RULE:
        concerned = (name, version) in replanning.versions_in(plan.evidence)
        # What it left to others, or to nobody, though the version before would have planned it.
        concerned = concerned or replanning.would_plan(rollout.previous, plan.goal, plan)
    elif rollout.version.component.kind == WORKFLOW:
        concerned = (name, version) in reprocessing.names_in(plan.evidence)
    else:
        concerned = document is not None and any(spec.tool == name for spec in document.intents)
    if not concerned:
        return None
    base = document.base if document is not None else plan.goal.workspace.head
    return Found(plan.goal, plan, base, made is not None and bool(worked.of_plan(made)))
