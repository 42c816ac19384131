"""Policies whose approved plans ended badly: proposals to narrow or withdraw one.

Each is tried on history before it is proposed: the narrower conditions on all plans that the policy approved and on
those that people decided. A proposal never lets a policy approve more, and changes nothing itself: people write, replay
and enable the next version.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from django.urls import reverse

from agents.evolution.auditing.facts import Proposal
from agents.evolution.auditing.sources import Source
from agents.evolution.auditing.statistics import more_often
from people.models import User
from people.scopes import Scope
from review.models import Decision, PolicyVersion, ReviewPolicy
from review.policies import endings, evaluation, replay, track_record, writing
from review.policies.track_record import Approved
from review.policy import narrowing
from review.policy.narrowing import LEAST_BAD, SURE, Narrowing
from review.policy.states import PolicyState
from review.policy.verdict import Action

KIND = "policy"
_NARROW, _WITHDRAW = "narrow", "withdraw"
_FIELDS = {
    "commands": "the command",
    "workspaces": "the workspace",
    "submitters": "goals of",
    "agents": "the agent",
    "sources": "plans from a",
}
# A draft is still being written; its author judges it.
_JUDGED = (PolicyState.ENABLED.value, PolicyState.SUSPENDED.value)


@dataclass(frozen=True)
class Finding:
    """Evidence against a policy. `narrowing` None: no condition separates bad plans from good ones, so withdraw it."""

    version: PolicyVersion
    approved: tuple[Approved, ...]
    narrowing: Narrowing | None
    # Of the plans that people approved, those that ended badly, and all.
    bad_of_people: int
    of_people: int
    # Of these, those that the policy would also have approved, but not once it is narrowed.
    left_to_people: int = 0

    @property
    def note(self) -> str:
        """Why its next version is narrower, for its author."""
        narrower = self.narrowing
        if narrower is None:
            return ""
        ended = f"{narrower.dropped_bad} of {narrower.dropped} plans ended badly"
        return f"without {_FIELDS[narrower.field]} {narrower.value}, of which {ended}"

    @property
    def bad(self) -> list[Approved]:
        """Those that ended badly."""
        return [one for one in self.approved if one.case.is_bad]


def of(policy: ReviewPolicy) -> Finding | None:
    """The evidence from plans that its newest version would approve; None if nothing speaks against it."""
    version = policy.versions.filter(number=policy.number, action=Action.AUTO_APPROVE.value).first()
    if version is None:
        return None
    rule = evaluation.rule_of(version)
    approved = tuple(one for one in track_record.of(policy) if narrowing.passes(rule, one.case.facts))
    cases = [one.case for one in approved]
    bad = sum(case.is_bad for case in cases)
    if bad < LEAST_BAD:
        return None
    people = [past for past in replay.history() if past.verdict == Decision.Verdict.APPROVE]
    bad_of_people = sum(endings.trouble(past.plan) != "" for past in people)
    found = Finding(version, approved, narrowing.best(rule, cases), bad_of_people, len(people))
    if found.narrowing is not None:
        narrower = replace(rule, conditions=found.narrowing.conditions)
        passed = [past for past in people if narrowing.passes(rule, past.facts)]
        return replace(found, left_to_people=sum(not narrowing.passes(narrower, past.facts) for past in passed))
    return found if more_often(bad, len(cases), bad_of_people, len(people)) <= SURE else None


def find() -> Iterator[Proposal]:
    """The proposals for an audit: at most one for each policy."""
    for policy in ReviewPolicy.objects.filter(state__in=_JUDGED).order_by("pk"):
        if (found := of(policy)) is not None:
            yield _proposal(policy, found)


def source() -> Source:
    """These findings for the audit, with the rights of the page of policies."""
    return Source(KIND, "Policies", find, writing.may_read, Scope.POLICIES_READ, _step)


def _proposal(policy: ReviewPolicy, found: Finding) -> Proposal:
    bad, count = found.bad, len(found.approved)
    why = [f"{len(bad)} of {count} plans that it approved failed, missed what was asked, or were undone."]
    narrower = found.narrowing
    if narrower is not None:
        says = f"Narrow the policy “{policy.name}”: leave out {_FIELDS[narrower.field]} {narrower.value}"
        why.append(
            f"Narrowed, it would have approved {narrower.kept} of them, of which {narrower.kept_bad} ended badly."
            f" The other {narrower.dropped} would have gone to people; {narrower.dropped_bad} of those ended badly."
        )
        why.append(f"It would leave people {found.left_to_people} more plans of those that they approved.")
    else:
        says = f"Withdraw the policy “{policy.name}”"
        why.append(
            f"Of the plans that people approved, {found.bad_of_people} of {found.of_people} ended badly. No condition"
            " of a policy separates the bad ones from the others."
        )
    name = f"{policy.pk}/{_NARROW if narrower is not None else _WITHDRAW}"
    goals = tuple(dict.fromkeys(one.plan.goal_id for one in bad))
    return Proposal("setting", f"policy {policy.pk}", says, " ".join(why), goals, len(bad), (KIND, name))


def _step(name: str, user: User) -> tuple[str, str]:
    pk, _, what = name.partition("/")
    policy = ReviewPolicy.objects.filter(pk=int(pk)).first()
    if policy is None:
        return "", ""
    if what == _NARROW and writing.may_write(user):
        return "Write the version", f"{reverse('policy-edit', args=[policy.pk])}?narrow=1"
    return "Open the policy", reverse("policy", args=[policy.pk])
