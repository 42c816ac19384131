"""Writing policies: new versions, replay before use, and who may do what. Every change leaves a row of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from agents.record.causes import Forged
from people import sealing
from people.models import User
from people.roles import Role
from review import rights, words
from review.errors import DecisionRefused, NotNow, WordsRefused
from review.models import PolicyVersion, ReviewPolicy
from review.policies import moves, tool_bodies
from review.policies import replay as replaying
from review.policies.moves import move_policy
from review.policy.bodies import LookedAt
from review.policy.conditions import Conditions, ConditionsRefused
from review.policy.states import PolicyState
from review.policy.verdict import Action

MOST_A_DAY = 1_000
LONGEST_DAYS = 365


@dataclass(frozen=True)
class Draft:
    """A version as somebody writes it. `budget` to `sampling_percent` are only for one that approves."""

    name: str
    action: Action
    conditions: Conditions
    budget: int = 0
    expires_at: datetime | None = None
    sampling_percent: int = 0
    note: str = ""


def may_write(user: User) -> bool:
    """Operators and admins write policies."""
    return user.has_role(Role.OPERATOR)


def may_read(user: User) -> bool:
    """People who write policies, and reviewers, whose decisions policies replace."""
    return user.has_role(Role.OPERATOR, Role.REVIEWER)


def owns(version: PolicyVersion, user: User) -> bool:
    """Whether this person may say what a version approves: its owner, who is responsible for that."""
    return version.owner_id == user.pk and may_write(user) and rights.is_reviewer(user)


def write(draft: Draft, *, by: User, policy: ReviewPolicy | None = None) -> ReviewPolicy:
    """Make a policy, or its next version, which is inactive until it was replayed and enabled.

    Raises WordsRefused naming the field, DecisionRefused if this person may not.
    """
    _check_may_write(by)
    name = words.taken(draft.name, "name", required=True)
    note = words.taken(draft.note, "note")
    _check(draft, by)
    try:
        with transaction.atomic():
            if policy is None:
                policy = ReviewPolicy.objects.create(name=name)
            else:
                policy = ReviewPolicy.objects.select_for_update(no_key=True).get(pk=policy.pk)
            number = (policy.versions.aggregate(last=Max("number"))["last"] or 0) + 1
            version = PolicyVersion.objects.create(
                policy=policy,
                number=number,
                action=draft.action.value,
                conditions=draft.conditions.to_json(),
                budget=draft.budget,
                expires_at=draft.expires_at,
                sampling_percent=draft.sampling_percent,
                owner=by,
                note=note,
            )
            sealing.seal(version)
            said = {"version": number, "action": draft.action.value, "conditions": draft.conditions.to_json()}
            said["note"] = note
            if not move_policy(
                policy,
                PolicyState.DRAFT,
                event="written",
                by=by,
                data=said,
                name=name,
                number=number,
                replay={},
                looked_at={},
            ):
                raise NotNow("This policy is retired. Write one with another name.")
    except IntegrityError as error:
        raise WordsRefused("name", "A policy with this name already exists.") from error
    return policy


def _check(draft: Draft, by: User) -> None:
    try:
        Conditions.read(draft.conditions.to_json())
    except ConditionsRefused as wrong:
        raise WordsRefused(wrong.field, str(wrong)) from wrong
    if draft.action is Action.AUTO_APPROVE:
        _check_approving(draft, by)
    elif draft.conditions.risk_at_most:
        raise WordsRefused("risk_at_most", "“At most” is for policies that approve. Use “at least” here.")
    elif draft.conditions.shadow_clean:
        raise WordsRefused("shadow_clean", "Only policies that approve can require a clean dry run.")
    elif draft.conditions.reading_calls:
        raise WordsRefused("reading_calls", "Only policies that approve can let agents read.")


def _check_approving(draft: Draft, by: User) -> None:
    if draft.conditions.asks_model:
        raise WordsRefused(
            "asks_model", "Policies never approve steps that ask a language model. Restrict them instead."
        )
    if draft.conditions.risk_at_least:
        raise WordsRefused("risk_at_least", "“At least” is for policies that restrict. Use “at most” here.")
    if draft.conditions.is_open:
        raise WordsRefused("action", "Add at least one condition: this would approve everything.")
    if not rights.is_reviewer(by):
        raise WordsRefused("action", "Only reviewers can own a policy that approves, and you are not a reviewer.")
    if not 1 <= draft.budget <= MOST_A_DAY:
        raise WordsRefused("budget", f"Choose 1 to {MOST_A_DAY:,} plans a day.")
    if not 0 <= draft.sampling_percent <= 100:
        raise WordsRefused("sampling_percent", "Choose 0 to 100 per cent.")
    now = timezone.now()
    if draft.expires_at is None or not now < draft.expires_at <= now + timedelta(days=LONGEST_DAYS):
        raise WordsRefused("expires_at", f"Choose a day within the next {LONGEST_DAYS}.")


def replay(policy: ReviewPolicy, *, by: User) -> ReviewPolicy:
    """Show what its newest version would have decided on the last plans; only then can it be enabled."""
    _check_may_write(by)
    version = policy.versions.get(number=policy.number)
    told = replaying.replayed(version).to_json()
    with transaction.atomic():
        mine = ReviewPolicy.objects.filter(pk=policy.pk, number=version.number)
        if not mine.update(replayed=version.number, replay=told, changed_at=timezone.now()):
            raise NotNow("Somebody saved a newer version in the meantime. Replay that one.")
        summary = {"version": version.number, "plans": told["plans"], "disagreements": len(told["disagreements"])}
        moves.note(policy, "replayed", by=by, data=summary)
    policy.refresh_from_db()
    return policy


def enable(policy: ReviewPolicy, *, by: User, number: int, seen: Mapping[str, str] | None = None) -> ReviewPolicy:
    """Enable the replayed version. Only its owner, who is responsible for it, can enable one that approves.

    One that approves remembers the bodies of the tools that it is about. `seen`: the digest of each that this person
    saw; it is refused if others are in use.
    """
    _check_may_write(by)
    version = policy.versions.filter(number=number).first()
    if version is None or policy.replayed != number:
        raise NotNow("Replay this version on history first, and check what it would have decided.")
    _check_owns(version, by, "enable it")
    looked_at = tool_bodies.now(version)
    if seen is not None and (changed := _differing(seen, looked_at)):
        raise NotNow(f"Tools were changed since you opened this page: {changed}. Look at them again.")
    # Too late if there is a newer version that nobody has replayed, or another person was faster.
    only = {"number": number, "replayed": number}
    said = {"version": number, **_told(looked_at)}
    now: dict[str, Any] = {"enabled_at": timezone.now(), "looked_at": looked_at}
    if not move_policy(policy, PolicyState.ENABLED, event="enabled", by=by, data=said, only=only, **now):
        raise NotNow("Somebody changed this policy in the meantime. Read it again.")
    return policy


def confirm(policy: ReviewPolicy, *, by: User, seen: Mapping[str, str]) -> ReviewPolicy:
    """Let an enabled policy approve the bodies in use that `seen` names (the digest of each tool), too.

    Its owner alone can do that, as they alone enable it. A body that came into use since they looked is not approved.
    """
    _check_may_write(by)
    version = policy.versions.get(number=policy.number)
    if version.action != Action.AUTO_APPROVE:
        raise NotNow("This policy does not approve, so it has no tools to look at.")
    _check_owns(version, by, "approve with it what they looked at")
    used = tool_bodies.now(version)
    new = {tool: used.get(tool, {}) for tool in seen}
    if changed := _differing(seen, new):
        raise NotNow(f"Tools were changed since you opened this page: {changed}. Look at them again.")
    only = {"state": PolicyState.ENABLED.value, "number": version.number}
    said = {"version": version.number, **_told(new)}
    try:
        if not moves.look_at(policy, new, by=by, data=said, only=only):
            raise NotNow("Somebody changed this policy in the meantime. Read it again.")
    except Forged as forged:
        raise NotNow("This policy is not as mindX stored it. Read it, suspend it, and enable it again.") from forged
    return policy


def _differing(seen: Mapping[str, str], used: LookedAt) -> str:
    """The names of the tools of which this person saw another body than the one in use, or which they did not see."""
    names = {tool for tool in {*seen, *used} if seen.get(tool) not in used.get(tool, {})}
    return ", ".join(sorted(one[:60] for one in names))


def _told(looked_at: LookedAt) -> dict[str, list[str]]:
    """The tools and their versions for the history; nothing where there are none."""
    tools = [f"{tool} {version}" for tool, found in looked_at.items() for version in found.values()]
    return {"tools": sorted(tools)} if tools else {}


def _check_owns(version: PolicyVersion, by: User, what: str) -> None:
    """A policy approves in its owner's name, so nobody else decides what it approves."""
    if version.action == Action.AUTO_APPROVE and not owns(version, by):
        owner = version.owner.display_name
        raise DecisionRefused(f"It approves in the name of {owner}: only they can {what}, or write their own version.")


def suspend(policy: ReviewPolicy, *, by: User | None, reason: str) -> bool:
    """Suspend it; False if it was not enabled. `by` None: mindX did it, after a bad outcome."""
    if by is not None:
        _check_may_write(by)
        reason = words.taken(reason, "reason")
    said = {"reason": reason}
    return move_policy(policy, PolicyState.SUSPENDED, event="suspended", by=by, data=said, reason=reason)


def retire(policy: ReviewPolicy, *, by: User) -> ReviewPolicy:
    """Retire it for good. It stays readable, because decisions refer to it."""
    _check_may_write(by)
    if not move_policy(policy, PolicyState.RETIRED, event="retired", by=by, data={}):
        raise NotNow("This policy is already retired.")
    return policy


def _check_may_write(by: User) -> None:
    if not may_write(by):
        raise DecisionRefused("Writing policies needs the operator role.")
