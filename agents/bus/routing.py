"""Who gets a request: the rows of who could, decided by `agents.bdi.bus.routing`, let through by the breaker."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, F, Min, Q

from agents.bdi.bus import routing
from agents.bdi.bus.routing import Candidate, Strategy
from agents.bus import breakers, discovery, members
from agents.models import BusBreaker, BusCapability, BusRequest
from agents.toolkit import schemas

# So many of the surest are looked at.
MOST = 200


@dataclass(frozen=True)
class Nobody:
    """Why nobody gets it now. `for_good`: waiting changes nothing. `until`: when a breaker may be tried next."""

    reason: str
    for_good: bool = False
    until: datetime | None = None


def route(request: BusRequest) -> BusCapability | Nobody:
    """The capability that is asked, let through by its member's breaker. Never call this inside a transaction."""
    offered, likeness = _offered(request)
    if not offered:
        return Nobody(f"no member offers {request.capability or 'this'}", for_good=True)
    sure = [one for one in offered if one.earned >= request.min_confidence]
    if not sure:
        best = max(one.earned for one in offered)
        return Nobody(
            f"no member is as confident as {request.min_confidence:.2f}; the surest is {best:.2f}", for_good=True
        )
    by_id = {one.pk: one for one in sure}
    guarded = breakers.not_closed({one.member_id for one in sure}, request)
    usable = [one for one in sure if guarded.get(one.member_id, True)]
    candidates = _candidates(usable, likeness, Strategy(request.strategy))
    while candidates:
        chosen = routing.choose(candidates, Strategy(request.strategy), tried=request.tried)
        if chosen is None:
            break
        if chosen.member not in guarded or breakers.admit(chosen.member, request):
            return by_id[chosen.capability]
        candidates = [one for one in candidates if one.member != chosen.member]
    return Nobody("no member that could answer is healthy now", until=_next_trial(sure))


def offers_of(capability: str) -> list[BusCapability]:
    """The capabilities of this name that registered members offer, healthy or not, the surest first."""
    those = BusCapability.objects.filter(name=capability, is_gone=False, member__status=members.ACTIVE)
    return list(those.select_related("member__agent").order_by("-earned", "pk")[:MOST])


def offers_for(task: str, content: Mapping[str, object]) -> tuple[list[BusCapability], dict[int, float]]:
    """What members that suit the task offer and that takes this content, with the likeness by member."""
    near, _ = discovery.likeness(task)
    those = BusCapability.objects.filter(member__in=near, is_gone=False, member__status=members.ACTIVE)
    taken = [one for one in those.select_related("member__agent") if fits(one, content)]
    # By words only there is no likeness: all that were found are as like.
    like = {pk: one.total if one.task is not None else 1.0 for pk, one in near.items()}
    return taken, like


def fits(capability: BusCapability, content: Mapping[str, object]) -> bool:
    """Whether the capability takes this content. Of a task in words only what says what it takes is asked."""
    return bool(capability.takes) and not schemas.problems(capability.takes, content)


def _offered(request: BusRequest) -> tuple[list[BusCapability], dict[int, float]]:
    if request.pinned is not None:
        return [request.pinned], {}
    if request.capability:
        return offers_of(request.capability), {}
    return offers_for(request.task, request.content)


def _candidates(offered: Iterable[BusCapability], likeness: Mapping[int, float], strategy: Strategy) -> list[Candidate]:
    usable = [one for one in offered if _is_usable(one)]
    busy = _busy([one.member_id for one in usable]) if strategy == Strategy.LEAST_BUSY else {}
    return [
        Candidate(
            one.pk,
            one.member_id,
            one.earned,
            likeness.get(one.member_id, 1.0),
            one.routed_at.timestamp() if one.routed_at is not None else None,
            busy.get(one.member_id, 0),
        )
        for one in usable
    ]


def _is_usable(one: BusCapability) -> bool:
    agent = one.member.agent
    is_there = one.member.status == members.ACTIVE and not one.is_gone
    return is_there and (agent is None or not (agent.paused or agent.retired_at))


def _busy(member_ids: list[int]) -> dict[int, int]:
    open_ones = BusRequest.objects.filter(member__in=member_ids, ended_at=None, state__in=["running", "with_goal"])
    return dict(open_ones.order_by().values_list("member").annotate(count=Count("pk")))


def _next_trial(offered: Iterable[BusCapability]) -> datetime | None:
    """When the first of these members' breakers may be tried."""
    those = BusBreaker.objects.filter(Q(until__isnull=False), member__in=[one.member_id for one in offered])
    found: datetime | None = those.aggregate(first=Min(F("until")))["first"]
    return found
