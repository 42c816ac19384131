"""A/B trials of two versions of a component: what one takes is said before it begins, and it ends as soon as it knows.

A live one gives each new goal or request to one of both by chance, and is a canary for one half: plans are reviewed as
always, and the watch over canaries takes back what does harm. A replayed one does earlier cases with both in copies. It
never puts a version to use.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from agents.actors.firmware import KIND as FIRMWARE
from agents.components.agent_versions import KIND as AGENT
from agents.components.rules import KIND as RULE
from agents.components.workflow_library import KIND as WORKFLOW
from agents.evolution.ab_trials import trial_cases
from agents.evolution.ab_trials.trial_plans import Asked, Plan
from agents.evolution.activation import deciding, rollouts
from agents.evolution.replays import agent_sides, answer_cases, replays
from agents.evolution.replays.answer_cases import Cost, FoundCall
from agents.evolution.replays.cases import Found
from agents.evolution.sequential import Look, Verdict, follow
from agents.models import Replay, VersionTrial
from agents.record.errors import NotPossibleNow
from agents.record.moves import end_trial
from agents.states import MoveRefused, ReplayState, RolloutState, TrialState
from library.components import services as library
from library.components.canary import MOST_PERCENT as HALF
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion
from library.prompts.in_use import KIND as PROMPT
from people import journal, sealing
from people.journal import Event
from people.models import User
from people.roles import Role

logger = logging.getLogger(__name__)

_Mode, _Ends, _Status = VersionTrial.Mode, VersionTrial.Verdict, ComponentVersion.Status
_RUNNING = Q(state=TrialState.RUNNING.value)
# Why a kind has no live trials, as a sentence.
NOT_LIVE: Mapping[str, str] = {
    Component.Kind.TOOL.value: "A plan names the version of a tool that was reviewed, so none can be chosen at random.",
    WORKFLOW: "People choose the version of a workflow when they process it, so none can be chosen at random.",
    FIRMWARE: "Firmware must hold for all requests, so one half cannot have another version.",
    AGENT: "An agent has one set of settings at a time, which a reviewed plan changes.",
}


@dataclass(frozen=True)
class Wanted:
    """A trial that somebody thinks about: two versions, on what, and what it shall tell."""

    a: ComponentVersion
    b: ComponentVersion
    mode: str
    asked: Asked
    why: str = ""
    # Of an admin who lifts the gate for a live one.
    reason: str = ""


@dataclass(frozen=True)
class Offer:
    """What a trial takes. `available`: earlier cases; of a live one None. `cost`: what asking models may take."""

    plan: Plan
    available: int | None
    a_week: float = 0.0
    seconds_a_case: float | None = None
    cost: Cost | None = None
    why_not: str = ""


def kinds() -> tuple[str, ...]:
    """The kinds of components that there are trials of."""
    return (RULE, PROMPT, Component.Kind.TOOL.value, WORKFLOW, FIRMWARE, AGENT)


def can_be(version: ComponentVersion) -> bool:
    """Whether there are trials of a version: something does its work twice."""
    return version.component.kind in kinds() and (replays.asks_models(version) or replays.can_be(version))


def modes_of(component: Component) -> tuple[str, ...]:
    """On what two versions can be compared."""
    return (_Mode.REPLAYED.value,) if component.kind in NOT_LIVE else (_Mode.LIVE.value, _Mode.REPLAYED.value)


def may_begin(user: object, component: Component) -> bool:
    """Who may begin and stop one: whoever may activate a version; of what asks models an operator."""
    if component.kind in (PROMPT, FIRMWARE, AGENT):
        return isinstance(user, User) and user.has_role(Role.OPERATOR)
    return library.may_activate(user)


def offer(wanted: Wanted) -> Offer:
    """What it would take, whoever asks; `why_not` says why it cannot be."""
    if why_not := _unfit(wanted):
        return Offer(Plan(wanted.asked.design, why_not=why_not), None, why_not=why_not)
    if wanted.mode == _Mode.LIVE:
        plan = wanted.asked.plan(None)
        return Offer(plan, None, trial_cases.a_week(wanted.a), why_not=plan.why_not)
    found = trial_cases.earlier(wanted.b)
    plan = wanted.asked.plan(len(found))
    took, cost = trial_cases.seconds_a_case(wanted.b.component), _cost(wanted, found[: plan.most])
    why_not = plan.why_not or (cost.why_not if cost is not None else "")
    return Offer(plan, len(found), seconds_a_case=took, cost=cost, why_not=why_not)


def begin(wanted: Wanted, *, by: User) -> VersionTrial:
    """Begin it. Raises LibraryRefused for who may not and for what the gate keeps out of use, NotPossibleNow with what
    to do where it cannot be now.
    """
    component = wanted.b.component
    if not may_begin(by, component):
        raise LibraryRefused(f"Your roles do not allow you to start an A/B trial of this {component.kind}.")
    held = offer(wanted)
    if why_not := held.why_not or _taken(component):
        raise NotPossibleNow(why_not)
    try:
        with transaction.atomic():
            trial = _begun(wanted, held, by)
    except IntegrityError as rival:
        # The race it answers: two people begin at once.
        raise NotPossibleNow(
            _taken(component) or "Another A/B trial of this component has just started. Open that one."
        ) from rival
    return trial


def open_of(component: Component) -> VersionTrial | None:
    """The trial of this component that is running."""
    return _rows().filter(_RUNNING, component=component).first()


def listed(component: Component | None = None) -> QuerySet[VersionTrial]:
    """Trials, the newest first; of one component if one is given."""
    rows = _rows().order_by("-pk")
    return rows if component is None else rows.filter(component=component)


def looks(trial: VersionTrial) -> list[Look]:
    """What was known after each case, up to the one that decided."""
    return follow(asked_of(trial).design, trial_cases.counts(trial)[: trial.most_cases])


def asked_of(trial: VersionTrial) -> Asked:
    """What the person wanted to know who began it."""
    return Asked(trial.difference, trial.differ, trial.alpha, trial.power)


def stop(trial: VersionTrial, *, by: User) -> None:
    """End it before its time; what was counted stays. Raises LibraryRefused, NotPossibleNow where it has ended."""
    if not may_begin(by, trial.component):
        raise LibraryRefused(f"Your roles do not allow you to stop an A/B trial of this {trial.component.kind}.")
    with transaction.atomic():
        if not _end(trial, _Ends.STOPPED, f"stopped by {by.username}", by=by):
            raise NotPossibleNow("This trial has already ended.")


def has_decided(trial: VersionTrial) -> bool:
    """Whether what is known is enough, or nobody waits for it any more: a replay need not go on."""
    found = looks(trial)
    return bool(found and found[-1].verdict) or not VersionTrial.objects.filter(_RUNNING, pk=trial.pk).exists()


def sweep() -> None:
    """Look at what there is for each trial that is running, and end those that know."""
    for trial in sealing.genuine(_rows().filter(_RUNNING)):
        if trial.is_live:
            trial_cases.take(trial)
        decide(trial)


def decide(trial: VersionTrial) -> None:
    """End a trial that knows, or that can come to know nothing more."""
    found = looks(trial)
    if found and (verdict := found[-1].verdict) is not None:
        _end(trial, _Ends(verdict.value), _said(verdict, found))
    elif trial.is_live:
        _decide_live(trial, len(found))
    else:
        _decide_replayed(trial, found)


def _decide_live(trial: VersionTrial, cases: int) -> None:
    if cases >= trial.most_cases:
        _end(trial, _Ends.UNDECIDED, f"{cases} pairs were compared, as many as it was planned for")
        return
    now = dict(trial.component.versions.filter(pk__in=(trial.a_id, trial.b_id)).values_list("pk", "status"))
    if trial.rollout is not None and trial.rollout.state == RolloutState.RETURNED:
        _end(trial, _Ends.STOPPED, f"the watch ended it: {trial.b.version} was {trial.rollout.reason}")
    elif now.get(trial.b_id) != _Status.CANARY:
        _end(trial, _Ends.STOPPED, f"version {trial.b.version} is {now.get(trial.b_id, 'gone')}")
    elif now.get(trial.a_id) != _Status.ACTIVE:
        _end(trial, _Ends.STOPPED, f"version {trial.a.version} is {now.get(trial.a_id, 'gone')}")


def _decide_replayed(trial: VersionTrial, found: list[Look]) -> None:
    replay = trial.replays.order_by("-pk").first()
    if replay is None:
        _end(trial, _Ends.STOPPED, "its replay is gone")
    elif replay.state == ReplayState.DONE:
        _end(trial, _Ends.UNDECIDED, f"all cases are done, and {len(found)} could be compared")
    elif replay.state == ReplayState.IMPOSSIBLE:
        _end(trial, _Ends.STOPPED, f"its replay ended: {replay.reason}")


def _said(verdict: Verdict, found: list[Look]) -> str:
    last = found[-1].count
    return f"after {last.cases} cases: B did better in {last.for_b}, A in {last.for_a}"


def _end(trial: VersionTrial, verdict: VersionTrial.Verdict, reason: str, *, by: User | None = None) -> bool:
    """End it with everything that it began. False: it was ended elsewhere."""
    with transaction.atomic():
        try:
            end_trial(trial, verdict.value, reason=reason)
        except MoveRefused:
            return False
        if trial.rollout is not None and rollouts.end(trial.rollout, RolloutState.ENDED, f"A/B trial {trial.pk} ended"):
            library.end_canary(trial.b)
        for replay in Replay.objects.filter(trial=trial, state__in=(ReplayState.WAITING, ReplayState.RUNNING)):
            replays.break_off(replay, reason)
        what = "stopped" if verdict == _Ends.STOPPED else "ended"
        _journal(trial, by, f"{what} A/B trial {trial.pk} against {trial.a.version} of", {"came": verdict.label})
    logger.info("%s has ended: %s", trial, reason)
    return True


def _begun(wanted: Wanted, held: Offer, by: User) -> VersionTrial:
    plan = held.plan
    trial = VersionTrial(component=wanted.b.component, a=wanted.a, b=wanted.b, mode=wanted.mode, by=by, why=wanted.why)
    asked = wanted.asked
    trial.difference, trial.differ, trial.alpha, trial.power = asked.difference, asked.differ, asked.alpha, asked.power
    trial.most_cases, trial.power_stated = plan.most, plan.power
    if trial.is_live:
        trial.b, trial.seen_plan = _put_to_half(wanted, by), trial_cases.newest_plan()
        trial.rollout = rollouts.latest(trial.b)
    trial.save()
    sealing.seal(trial)
    if not trial.is_live:
        found = trial_cases.in_drawn_order(trial, trial_cases.earlier(wanted.b, plan.most))
        replays.compare(trial, found)
    _journal(trial, by, f"began {trial.mode} A/B trial {trial.pk} against {trial.a.version} of", _figures(wanted, held))
    return trial


def _put_to_half(wanted: Wanted, by: User) -> ComponentVersion:
    if wanted.b.component.kind == PROMPT:
        return deciding.begin_prompt_canary(wanted.b, by=by, percent=HALF, reason=wanted.reason)
    return deciding.begin_canary(wanted.b, by=by, percent=HALF, reason=wanted.reason)


def _figures(wanted: Wanted, held: Offer) -> dict[str, int]:
    asked, plan = wanted.asked, held.plan
    figures = {"difference": asked.difference, "alpha": asked.alpha, "power": round(100 * plan.power)}
    figures["most_cases"] = plan.most
    if held.cost is not None:
        figures |= {"most_calls": held.cost.calls, "most_tokens": held.cost.tokens}
    return figures


def _journal(trial: VersionTrial, by: User | None, what: str, figures: Mapping[str, int | str]) -> None:
    said = {"what": what, "version": trial.b.version, "called": trial.component.name, "why": trial.reason or trial.why}
    journal.record(Event.COMPONENT, by=by, subject=f"component:{trial.component_id}", data={**said, **figures})


def _unfit(wanted: Wanted) -> str:
    """Why these two versions cannot be compared so, as a sentence."""
    component = wanted.b.component
    if not can_be(wanted.b):
        return f"This {component.get_kind_display().lower()} is part of mindX itself and cannot be compared."
    if wanted.a.component_id != component.pk:
        return "A and B belong to different components. Choose two versions of the same one."
    if wanted.a.pk == wanted.b.pk:
        return "Choose two different versions."
    if wanted.mode not in _Mode.values:
        return "Choose live or replayed."
    return _unfit_live(wanted) if wanted.mode == _Mode.LIVE else ""


def _unfit_live(wanted: Wanted) -> str:
    a, b = wanted.a, wanted.b
    if b.component.kind in NOT_LIVE:
        return f"{NOT_LIVE[b.component.kind]} Choose replayed."
    if a.status != _Status.ACTIVE:
        return f"In a live trial A is the version in use, and {a.version} is {a.status}. Choose another A."
    if b.status not in (_Status.CANDIDATE, _Status.CANARY):
        return f"In a live trial B is a candidate, and {b.version} is {b.status}. Choose another B."
    return ""


def _taken(component: Component) -> str:
    """What the component is busy with, and what to do about it."""
    if (running := open_of(component)) is not None:
        return f"A/B trial {running.pk} of {running.a.version} and {running.b.version} is running. Stop it, or wait."
    held = component.versions.filter(status=_Status.CANARY).first()
    if held is not None:
        return f"Version {held.version} is a canary. Activate or retire it first, then begin the trial."
    return ""


def _cost(wanted: Wanted, found: list[Found] | list[FoundCall]) -> Cost | None:
    if answer_cases.can_be(wanted.b):
        calls = [one for one in found if isinstance(one, FoundCall)]
        return answer_cases.cost(wanted.b, calls, beside=wanted.a)
    if agent_sides.can_be(wanted.b):
        return agent_sides.cost(wanted.b, [one for one in found if isinstance(one, Found)], beside=wanted.a)
    return None


def _rows() -> QuerySet[VersionTrial]:
    return VersionTrial.objects.select_related("component", "a__component", "b__component", "by", "rollout")
