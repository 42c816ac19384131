"""Replays as rows: asked for once for each version, begun by one worker at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, Q, QuerySet

from agents.components import made_tools
from agents.components.agent_versions import KIND as AGENT
from agents.components.rules import KIND as RULE
from agents.components.workflow_library import KIND as WORKFLOW
from agents.evolution.replays import agent_sides, answer_cases, cases, gate
from agents.evolution.replays.answer_cases import Cost, FoundCall
from agents.evolution.replays.cases import Found
from agents.evolution.replays.gate import Flip, Judgement
from agents.models import CandidateSearch, Replay, ReplayCase, Rollout, Standstill, VersionTrial
from agents.record import leased, wake_ups
from agents.record.errors import NotPossibleNow
from agents.states import MoveRefused, ReplayState
from library.components import services as library
from library.errors import LibraryRefused
from library.models import ComponentVersion
from people import journal, sealing
from people.journal import Event
from people.models import User
from people.roles import Role

_WAITING = Q(state=ReplayState.WAITING.value)
_RUNNING = Q(state=ReplayState.RUNNING.value)
_OPEN = _WAITING | _RUNNING
_WITH = (
    *("version__component", "parent__component", "rollout__version__component", "rollout__previous__component"),
    *("trial__a__component", "trial__b__component"),
)


def ask(version: ComponentVersion, *, by: User, why: str = "", strategy: str = Replay.Strategy.STANDARD) -> Replay:
    """Have a candidate replayed beside its parent; the replay that is under way, if there is one.

    Raises LibraryRefused for who may not write, NotPossibleNow for a version that cannot be measured.
    """
    if not library.may_write(by):
        raise LibraryRefused("Your roles do not let you ask for a replay. A reviewer, operator or developer can.")
    if version.parent is None:
        raise NotPossibleNow("This is the first version, so there is no parent to compare it with.")
    if asks_models(version):
        _check_may_spend(version, by)
    elif not can_be(version):
        kind = version.component.get_kind_display().lower()
        raise NotPossibleNow(f"Versions of this {kind} are not replayed.")
    try:
        with transaction.atomic():
            return _asked(version, version.parent, by, why, strategy)
    except IntegrityError:
        # The race it answers: two people ask at once. One open replay of a version is enough.
        under_way = Replay.objects.get(_OPEN, version=version)
        if under_way.trial_id is not None:
            raise NotPossibleNow(f"An A/B trial replays {version}. Wait for it, or stop it.") from None
        return under_way


def _asked(version: ComponentVersion, parent: ComponentVersion, by: User, why: str, strategy: str) -> Replay:
    replay = _made(version=version, parent=parent, by=by, why=why, strategy=strategy)
    if answer_cases.can_be(version):
        calls = answer_cases.of(version)
        _journal(replay, by, answer_cases.cost(version, calls))
        _with_calls(replay, calls)
        return replay
    found = cases.of(version.component)
    if version.component.kind == AGENT:
        _journal(replay, by, agent_sides.cost(version, found))
    _with_cases(replay, found)
    return replay


def _made(**columns: Any) -> Replay:
    """A replay, sealed: a worker runs no other."""
    with transaction.atomic():
        made = Replay.objects.create(**columns)
        sealing.seal(made)
    return made


def _check_may_spend(version: ComponentVersion, by: User) -> None:
    """It costs money, so it takes an operator, as asking one recorded call again does."""
    if not by.has_role(Role.OPERATOR):
        raise LibraryRefused("Only an operator can have recorded calls asked again, for it counts against budgets.")
    if why_not := cost(version).why_not:
        raise NotPossibleNow(why_not)


def asks_models(version: ComponentVersion) -> bool:
    """Whether a replay of a version of this kind asks models, which costs money."""
    return answer_cases.can_be(version) or version.component.kind == AGENT


def cost(version: ComponentVersion) -> Cost:
    """What a replay that asks models may take at most."""
    return agent_sides.cost(version) if version.component.kind == AGENT else answer_cases.cost(version)


def _journal(replay: Replay, by: User, cost: Cost) -> None:
    version = replay.version
    said = {"what": f"had {cost.cases} cases sent to models again", "version": version.version}
    said |= {"called": f"{version.component.kind} {version.component.name}"}
    most = {"most_calls": cost.calls, "most_tokens": cost.tokens}
    journal.record(Event.COMPONENT, by=by, subject=f"component:{version.component_id}", data=said | most)


def _with_calls(replay: Replay, found: Sequence[FoundCall]) -> None:
    name = replay.version.component.name
    ReplayCase.objects.bulk_create(
        ReplayCase(
            replay=replay,
            number=number,
            goal=one.asked.goal,
            call=one.asked.call.pk,
            text=one.asked.goal.text if one.asked.goal is not None else f"{one.asked.prompt}: call {one.asked.call.pk}",
            half=_half(name, one.number),
            succeeded_then=one.succeeded,
            base=one.asked.base,
        )
        for number, one in enumerate(found, start=1)
    )
    wake_ups.wake_background("replay", replay.pk)


def _half(name: str, number: int) -> str:
    return ReplayCase.Half.SEALED if gate.is_sealed(name, number) else ReplayCase.Half.PROBE


def can_be(version: ComponentVersion) -> bool:
    """Whether a version is of a kind that earlier goals can be done with anew."""
    return version.component.kind in (RULE, WORKFLOW) or made_tools.is_made(version)


def watch(rollout: Rollout, found: Sequence[Found]) -> Replay:
    """Replay goals that were planned since a version was put to use, with it and with the one used before."""
    replay = _made(version=rollout.version, parent=rollout.previous, by=rollout.by, rollout=rollout)
    _with_cases(replay, found)
    return replay


def compare(trial: VersionTrial, found: Sequence[Found | FoundCall]) -> Replay:
    """Replay these cases for an A/B trial, in this order."""
    try:
        with transaction.atomic():
            replay = _made(version=trial.b, parent=trial.a, by=trial.by, why=trial.why, trial=trial)
    except IntegrityError as taken:
        raise NotPossibleNow(f"{trial.b} is being replayed already. Wait for that, or stop it.") from taken
    if calls := [one for one in found if isinstance(one, FoundCall)]:
        _with_calls(replay, calls)
    else:
        _with_cases(replay, [one for one in found if isinstance(one, Found)])
    return replay


def is_open(version: ComponentVersion) -> bool:
    """Whether a replay of this version is waiting or running."""
    return Replay.objects.filter(_OPEN, version=version).exists()


def _with_cases(replay: Replay, found: Sequence[Found]) -> None:
    name = replay.version.component.name
    ReplayCase.objects.bulk_create(
        ReplayCase(
            replay=replay,
            number=number,
            goal=one.goal,
            plan=one.plan,
            text=one.goal.text,
            half=_half(name, one.goal.pk),
            succeeded_then=one.succeeded,
            base=one.base,
        )
        for number, one in enumerate(found, start=1)
    )
    wake_ups.wake_background("replay", replay.pk)


def latest(version: ComponentVersion) -> Replay | None:
    """The newest replay of a version beside its present parent on what was there before it."""
    before = Replay.objects.filter(version=version, parent=version.parent_id, rollout=None, trial=None)
    return before.order_by("-pk").first()


def judgement(replay: Replay) -> Judgement:
    """What its cases say that are done, and those of goals that were planned since the version was put to use."""
    beside = Q(replay__version=replay.version_id, replay__parent=replay.parent_id, replay__rollout__isnull=False)
    return judgement_of(ReplayCase.objects.filter(Q(replay=replay) | beside))


def judgement_of(cases: QuerySet[ReplayCase]) -> Judgement:
    """What those of these cases say that are done; each goal counts once, as it was replayed last."""
    flips: dict[object, Flip] = {}
    for one in sealing.genuine(cases.filter(is_done=True).order_by("pk")):
        key = f"call {one.call}" if one.call is not None else one.goal_id or f"case {one.pk}"
        flips[key] = Flip(one.parent_passes, one.candidate_passes, one.differs)
    return gate.judge(list(flips.values()))


def claim(replay_id: int | None = None) -> Replay | None:
    """Begin this replay, or the oldest that nobody has. One at a time: what was approved goes first."""
    with transaction.atomic():
        if Standstill.objects.exists() or Replay.objects.filter(leased.at_work()).exists():
            return None
        free = Replay.objects.filter(leased.free(Replay)).select_related(*_WITH).order_by("pk")
        return leased.begin(free.filter(pk=replay_id) if replay_id is not None else free)


def end(replay: Replay, state: ReplayState, reason: str = "") -> bool:
    """End it; False when another worker has it."""
    try:
        leased.to(replay, state, reason=reason)
    except MoveRefused:
        return False
    return True


def sweep() -> None:
    """Wake a worker for the oldest replay that one could begin now."""
    free = Replay.objects.filter(leased.free(Replay))
    if (oldest := free.order_by("pk").values_list("pk", flat=True).first()) is not None:
        wake_ups.wake_background("replay", oldest)


def stop(replay: Replay, *, by: User) -> None:
    """End it before its time; what was done stays. Raises LibraryRefused, NotPossibleNow where it has ended."""
    if not library.may_write(by):
        raise LibraryRefused("Your roles do not let you stop a replay. A reviewer, operator or developer can.")
    if not break_off(replay, f"stopped by {by.username}"):
        raise NotPossibleNow("This replay has ended already.")


def break_off(work: Replay | CandidateSearch, reason: str) -> bool:
    """End a replay or a search early, whichever worker has it; False if it has already ended."""
    with transaction.atomic():
        found = type(work)._default_manager.select_for_update(no_key=True).get(pk=work.pk)
        if found.state == ReplayState.WAITING:
            leased.to(found, ReplayState.RUNNING, lease_fence=F("lease_fence") + 1)
            found.refresh_from_db()
        try:
            leased.to(found, ReplayState.IMPOSSIBLE, reason=reason)
        except MoveRefused:
            return False
        return True


def store(replay: Replay, case: ReplayCase) -> bool:
    """Keep what a case came to, if the replay still is ours."""
    with transaction.atomic():
        if not leased.ours(replay).select_for_update(no_key=True).exists():
            return False
        case.is_done = True
        case.save()
        sealing.seal(case)
        return True
