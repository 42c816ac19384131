"""Activating and rejecting a candidate: what its replay says, who may, and the reason that lifts the gate."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.db import transaction

from agents.actors import firmware, prompt_versions
from agents.components import made_tools, rule_writing, tool_writing, workflow_library
from agents.components.rule_writing import RuleInvalid
from agents.components.rules import KIND as RULE
from agents.components.tool_writing import ToolInvalid
from agents.components.workflow_library import KIND as WORKFLOW
from agents.components.workflow_library import WorkflowInvalid
from agents.evolution.activation import prompt_canaries, rollouts, tool_checks
from agents.evolution.replays import answer_cases, cases, replays
from agents.evolution.replays.gate import Judgement, Verdict
from agents.models import Replay, VersionTrial
from agents.states import ReplayState, RolloutState, TrialState
from library.components import services as library
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion
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
    if may_return_to(version):
        return ""
    if answer_cases.can_be(version):
        return _why_not_asked(version, replay, judgement)
    if not replays.can_be(version):
        return ""
    if made_tools.is_made(version) and (untried := tool_checks.why_not(version)):
        return untried
    if version.parent_id is None or not cases.has_any(version.component):
        return ""
    return _unproven(replay, judgement)


def _why_not_asked(version: ComponentVersion, replay: Replay | None, judgement: Judgement | None) -> str:
    """Of a prompt the same. Firmware may have to forbid at once, so only what it was seen to break keeps it out."""
    if version.component.kind == firmware.KIND:
        return judgement.says if judgement is not None and judgement.verdict is Verdict.BROKE else ""
    if version.parent_id is None or (replay is None and not answer_cases.has_any(version.component)):
        return ""
    return _unproven(replay, judgement)


def _unproven(replay: Replay | None, judgement: Judgement | None) -> str:
    if replay is None:
        return "It has not been replayed beside its parent yet."
    if replay.state in (ReplayState.WAITING, ReplayState.RUNNING):
        return "Its replay is in progress."
    if replay.state == ReplayState.IMPOSSIBLE:
        return f"Its replay was not possible: {replay.reason}."
    return "" if judgement is not None and judgement.is_admitted else (judgement.says if judgement else "")


def may_return_to(version: ComponentVersion) -> bool:
    """Whether it was active and did no harm, so that nothing keeps it out. A rejected candidate or canary never was."""
    if version.status != _Status.RETIRED:
        return version.status == _Status.ACTIVE
    if (rollout := rollouts.latest(version)) is not None:
        return not rollout.is_canary and rollout.state != RolloutState.RETURNED
    return version.uses > 0 or rollouts.was_before_another(version)


def activate(version: ComponentVersion, *, by: User, reason: str = "") -> ComponentVersion:
    """Put a version to use, if the gate lets it in or an admin lifts the gate with a reason.

    Raises LibraryRefused, RuleInvalid, ToolInvalid, WorkflowInvalid.
    """
    _fit_to_use(version, by)
    with transaction.atomic():
        version = _admitted(version, by, reason)
        previous = version.component.versions.filter(status=_Status.ACTIVE).exclude(pk=version.pk).first()
        is_new = not may_return_to(version)
        if is_new and previous is not None and replays.can_be(version):
            rollouts.begin(version, previous, by=by)
        return library.activate(version, by, reason)


def begin_canary(version: ComponentVersion, *, by: User, percent: int, reason: str = "") -> ComponentVersion:
    """Have a candidate that the gate lets in plan a share of new goals first. Raises LibraryRefused, RuleInvalid."""
    if version.component.kind != RULE:
        raise LibraryRefused("Only rules can be a canary: their goals can be replayed with the version before.")
    _fit_to_use(version, by)
    with transaction.atomic():
        _check_no_trial(version)
        version = _admitted(version, by, reason)
        begun = library.begin_canary(version, by, percent, "% of new goals", reason)
        previous = version.component.versions.get(status=_Status.ACTIVE)
        rollouts.begin(begun, previous, by=by, percent=percent)
        return begun


def activate_prompt(version: ComponentVersion, *, by: User, reason: str = "") -> ComponentVersion:
    """Have every request hold a version of a prompt, if the gate lets it in or an admin lifts it.

    Raises LibraryRefused.
    """
    prompt_versions.check_may_use(version, by)
    with transaction.atomic():
        return prompt_versions.activate(_admitted(version, by, reason), by=by, reason=reason)


def begin_prompt_canary(version: ComponentVersion, *, by: User, percent: int, reason: str = "") -> ComponentVersion:
    """The same for a share of requests. Raises LibraryRefused."""
    prompt_versions.check_may_use(version, by)
    with transaction.atomic():
        _check_no_trial(version)
        return prompt_canaries.begin(_admitted(version, by, reason), by=by, percent=percent, reason=reason)


def activate_firmware(version: ComponentVersion, *, by: User, reason: str = "") -> ComponentVersion:
    """Have every prompt hold a version of firmware; one that was seen to break something takes an admin.

    Raises LibraryRefused.
    """
    if not firmware.may_activate(by):
        raise LibraryRefused("Only an operator can activate or retire firmware.")
    with transaction.atomic():
        return firmware.activate(_admitted(version, by, reason), by=by, reason=reason)


def reject(version: ComponentVersion, *, by: User, reason: str) -> ComponentVersion:
    """Retire a candidate or a canary. Raises LibraryRefused."""
    if version.status not in (_Status.CANDIDATE, _Status.CANARY):
        raise LibraryRefused(f"Version {version.version} is {version.status}, so there is nothing to reject.")
    with transaction.atomic():
        retired = library.retire(version, by, "rejected", reason)
        if reason.strip():
            library.note(retired, f"rejected by {by.username}: {reason.strip()}")
        return retired


def retire(version: ComponentVersion, *, by: User) -> ComponentVersion:
    """Take a version out of use. Raises LibraryRefused."""
    return library.retire(version, by)


def _check_no_trial(version: ComponentVersion) -> None:
    running = VersionTrial.objects.filter(component=version.component_id, state=TrialState.RUNNING.value).first()
    if running is not None:
        raise LibraryRefused(f"A/B trial {running.pk} of this {version.component.kind} is running. Stop it first.")


def _admitted(version: ComponentVersion, by: User, reason: str) -> ComponentVersion:
    """The version as it is now (somebody may have rejected it since it was read), let in by the gate or an admin."""
    version = ComponentVersion.objects.select_related("component", "parent__component").get(pk=version.pk)
    if why := standing(version).why_not:
        _lift(version, why, by, reason)
    return version


def _fit_to_use(version: ComponentVersion, by: User) -> None:
    """A version may have been right when it was written and wrong now: tools and other rules change."""
    if settings.FOUR_EYES and version.created_by_id == by.pk:
        raise LibraryRefused("You wrote this version. With four eyes on, somebody else must put it to use.")
    if version.component.kind == Component.Kind.TOOL:
        _fit_tool(version)
        return
    if version.component.kind == WORKFLOW:
        if faults := workflow_library.check(version.body, instead_of=version.component.name).errors:
            raise WorkflowInvalid(faults)
        return
    problems = rule_writing.check(version.body, instead_of=version.component.name).problems
    if errors := [problem for problem in problems if problem.severity == "error"]:
        raise RuleInvalid(errors)


def _fit_tool(version: ComponentVersion) -> None:
    if not made_tools.is_made(version):
        raise LibraryRefused("mindX does not change its own code while it runs. A developer applies the difference.")
    if problems := tool_writing.check(version.body, instead_of=version.component.name).problems:
        raise ToolInvalid(problems)


def _lift(version: ComponentVersion, why: str, by: User, reason: str) -> None:
    if not by.has_role(Role.ADMIN):
        raise LibraryRefused(f"{why} Only an admin can activate it anyway, with a reason.", "reason")
    if len(reason.strip()) < REASON_MIN:
        raise LibraryRefused(
            f"{why} As an admin you can activate it anyway: give a reason of {REASON_MIN} characters or more.",
            "reason",
        )
    library.note(version, f"activated despite the failed check by {by.username}: {reason.strip()}")
