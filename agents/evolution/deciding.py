"""Activating and rejecting a rule's candidate: what its replay says, who may, and the reason that lifts it."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.db import transaction

from agents.components import rule_writing
from agents.components.rule_writing import RuleInvalid
from agents.components.rules import KIND
from agents.evolution import cases, replays
from agents.evolution.gate import Judgement
from agents.models import Replay
from agents.states import ReplayState
from library.components import services as library
from library.errors import LibraryRefused
from library.models import ComponentVersion
from people.models import User
from people.roles import Role

REASON_MIN = 10
_Status = ComponentVersion.Status


@dataclass(frozen=True)
class Standing:
    """Where a version stands with the gate. `why_not`: what keeps it out, as a sentence; empty when nothing does."""

    replay: Replay | None
    judgement: Judgement | None
    why_not: str = ""


def standing(version: ComponentVersion) -> Standing:
    """What the replay of a version says of activating it.

    The gate is for what was made from something that has cases. A first version and one whose rule never ran have
    nothing to be measured by, and going back to one that was in use must always be possible.
    """
    replay = replays.latest(version) if version.parent_id else None
    judgement = replays.judgement(replay) if replay is not None else None
    return Standing(replay, judgement, _why_not(version, replay, judgement))


def _why_not(version: ComponentVersion, replay: Replay | None, judgement: Judgement | None) -> str:
    if version.component.kind != KIND or version.parent_id is None or _was_in_use(version):
        return ""
    if not cases.has_any(version.component.name):
        return ""
    if replay is None:
        return "It has not been replayed beside its parent yet."
    if replay.state in (ReplayState.WAITING, ReplayState.RUNNING):
        return "Its replay is in progress."
    if replay.state == ReplayState.IMPOSSIBLE:
        return f"Its replay was not possible: {replay.reason}."
    return "" if judgement is not None and judgement.is_admitted else (judgement.says if judgement else "")


def _was_in_use(version: ComponentVersion) -> bool:
    """A retired one that never planned anything may be a rejected candidate, so it counts as one."""
    return version.status == _Status.ACTIVE or (version.status == _Status.RETIRED and version.uses > 0)


def activate(version: ComponentVersion, *, by: User, reason: str = "") -> ComponentVersion:
    """Put a version to use, if the gate lets it in or an admin lifts the gate with a reason.

    Raises LibraryRefused, RuleInvalid.
    """
    if settings.FOUR_EYES and version.created_by_id == by.pk:
        raise LibraryRefused("You wrote this version. With four eyes on, somebody else must activate it.")
    _fit_to_use(version)
    with transaction.atomic():
        # As it is now: somebody may have rejected it since it was read.
        version = ComponentVersion.objects.select_related("component", "parent__component").get(pk=version.pk)
        if why := standing(version).why_not:
            _lift(version, why, by, reason)
        return library.activate(version, by)


def reject(version: ComponentVersion, *, by: User, reason: str) -> ComponentVersion:
    """Retire a candidate. Raises LibraryRefused."""
    if version.status != _Status.CANDIDATE:
        raise LibraryRefused(f"Version {version.version} is {version.status}, so there is nothing to reject.")
    with transaction.atomic():
        retired = library.retire(version, by)
        _note(retired, f"rejected by {by.username}: {reason.strip()}" if reason.strip() else "")
        return retired


def _fit_to_use(version: ComponentVersion) -> None:
    """A version may have been right when it was written and wrong now: tools and other rules change."""
    problems = rule_writing.check(version.body, instead_of=version.component.name).problems
    if errors := [problem for problem in problems if problem.severity == "error"]:
        raise RuleInvalid(errors)


def _lift(version: ComponentVersion, why: str, by: User, reason: str) -> None:
    if not by.has_role(Role.ADMIN):
        raise LibraryRefused(f"{why} Only an admin can activate it anyway, with a reason.", "reason")
    if len(reason.strip()) < REASON_MIN:
        raise LibraryRefused(
            f"{why} As an admin you can activate it anyway: give a reason of {REASON_MIN} characters or more.",
            "reason",
        )
    _note(version, f"activated against the gate by {by.username}: {reason.strip()}")


def _note(version: ComponentVersion, said: str) -> None:
    """Say it where people read what became of the version."""
    if said:
        parted = "; " if version.changes else ""
        version.changes = f"{version.changes}{parted}{said}"[:2_000]
        version.save(update_fields=["changes"])
