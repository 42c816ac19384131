"""What the pages of the bus read: members, requests with their chain and log, the log of both sides, and breakers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import Count, Q, QuerySet
from django.db.models.functions import TruncDate
from django.utils import timezone

from agents.bdi.bus import breaker
from agents.bdi.bus.breaker import PastCall, Replayed, Terms
from agents.bus import discovery, requests
from agents.models import BusBreaker, BusCapability, BusEntry, BusMember, BusRequest
from agents.presentation.values import as_text
from agents.record.selectors import sees_everything
from people.models import User

DAYS = 14
PAGE = 50
# So many of the newest calls are what other settings are tried on.
TRIED_ON = 5_000
OUTCOMES = ("answered", "failed", "other")


@dataclass(frozen=True)
class Row:
    """A member as a list shows it."""

    member: BusMember
    offers: tuple[BusCapability, ...]
    why_not: str
    breaker: str

    @property
    def record(self) -> tuple[int, int]:
        """How many answers did what was asked, of how many."""
        did = sum(one.succeeded for one in self.offers)
        return did, did + sum(one.failed for one in self.offers)


def members(kind: str = "", capability: str = "") -> list[Row]:
    """All members, by name; at most 200."""
    rows = BusMember.objects.select_related("agent", "breaker").prefetch_related("capabilities")
    if kind:
        rows = rows.filter(kind=kind)
    if capability:
        rows = rows.filter(capabilities__name=capability, capabilities__is_gone=False)
    return [row_of(one) for one in rows.order_by("status", "kind", "name")[:200]]


def row_of(member: BusMember) -> Row:
    """One member."""
    offers = tuple(one for one in member.capabilities.all() if not one.is_gone)
    return Row(member, offers, discovery.why_not(member), discovery.breaker_of(member))


def requests_of(user: User, asked: Mapping[str, str]) -> QuerySet[BusRequest]:
    """The requests that the person may see and that these filters let through, newest first."""
    rows = requests.visible_to(user)
    if state := asked.get("state", ""):
        rows = rows.filter(ended_at=None) if state == "open" else rows.filter(state=state)
    if member := asked.get("member", ""):
        rows = rows.filter(member__name=member)
    if words := asked.get("q", ""):
        rows = rows.filter(Q(capability__icontains=words) | Q(task__icontains=words) | Q(why__icontains=words))
    return rows.order_by("-pk")


def entries_of(user: User, asked: Mapping[str, str]) -> QuerySet[BusEntry]:
    """The log as far as the person may read it: their own requests, and of members what everybody may know."""
    rows = BusEntry.objects.select_related("by", "caller", "member", "request")
    if not sees_everything(user):
        rows = rows.filter(Q(by=user) | Q(request__by=user) | (Q(side="system") & ~Q(event="searched")))
    if side := asked.get("side", ""):
        rows = rows.filter(side=side)
    if event := asked.get("event", ""):
        rows = rows.filter(event=event)
    if member := asked.get("member", ""):
        rows = rows.filter(Q(member__name=member) | Q(caller__name=member))
    return rows.order_by("-pk")


def calls_by_day(rows: QuerySet[BusEntry]) -> tuple[list[date], list[list[int]]]:
    """How calls ended in the last two weeks: the days, and for each how many were answered, failed, or ended else."""
    today = timezone.localdate()
    days = [today - timedelta(days=back) for back in reversed(range(DAYS))]
    ended = rows.filter(side="data", event__in=["answered", "failed", "tried", "expired", "cancelled", "late"])
    start = timezone.now() - timedelta(days=DAYS)
    counted = (
        ended.filter(at__gte=start)
        .order_by()
        .annotate(day=TruncDate("at"))
        .values("day", "event")
        .annotate(n=Count("pk"))
    )
    found = {day: [0, 0, 0] for day in days}
    for one in counted:
        place = {"answered": 0, "failed": 1, "tried": 1}.get(one["event"], 2)
        if one["day"] in found:
            found[one["day"]][place] += one["n"]
    return days, [found[day] for day in days]


def breakers() -> list[BusBreaker]:
    """Every breaker that ever counted a failure; those that are not closed first."""
    rows = BusBreaker.objects.select_related("member__agent", "trial")
    return sorted(rows.order_by("member__name")[:200], key=lambda row: row.state == "closed")


@dataclass(frozen=True)
class Tried:
    """What other settings would have made of past calls, member by member."""

    terms: Terms
    members: Sequence[tuple[str, int, Replayed]]

    @property
    def total(self) -> Replayed:
        """All of them."""
        found = [one for _, _, one in self.members]
        return Replayed(
            sum(one.opened for one in found),
            sum(one.spared_failures for one in found),
            sum(one.kept_from_answers for one in found),
        )


def tried(terms: Terms) -> Tried:
    """Go through the newest calls as if these terms had held."""
    told = BusEntry.objects.filter(side="data", is_well__isnull=False, member__isnull=False).order_by("-pk")
    calls: dict[str, list[PastCall]] = {}
    for name, at, is_well in reversed(told.values_list("member__name", "at", "is_well")[:TRIED_ON]):
        calls.setdefault(name, []).append(PastCall(at, bool(is_well)))
    return Tried(terms, [(name, len(calls[name]), breaker.replayed(calls[name], terms)) for name in sorted(calls)])


@dataclass(frozen=True)
class RequestPage:
    """One request, with what it stands below and what it led to."""

    asked: BusRequest
    user: User

    @property
    def above(self) -> list[BusRequest]:
        """The requests that it is within, the first one first; those of others are left out."""
        chain = requests.chain_of(self.asked)[:-1]
        return [one for one in chain if sees_everything(self.user) or one.by_id == self.user.pk]

    @property
    def below(self) -> list[BusRequest]:
        """What was asked while it was answered."""
        return list(requests.visible_to(self.user).filter(within=self.asked).order_by("pk")[:PAGE])

    @property
    def replays(self) -> list[BusRequest]:
        """Where it was asked again."""
        return list(requests.visible_to(self.user).filter(replay_of=self.asked).order_by("-pk")[:PAGE])

    @property
    def entries(self) -> list[BusEntry]:
        """Its log, oldest first."""
        rows = BusEntry.objects.filter(request=self.asked).select_related("by", "caller", "member")
        return list(rows.order_by("pk")[:PAGE])

    @property
    def may_cancel(self) -> bool:
        """Whether it goes on and the person may end it."""
        return not self.asked.has_ended and requests.may_change(self.user, self.asked)

    @property
    def may_replay(self) -> bool:
        """Whether somebody had it, so that it can be asked again."""
        return self.asked.offered_id is not None

    @property
    def values(self) -> list[tuple[str, str]]:
        """What was asked, by name."""
        return [(name, as_text(value)) for name, value in self.asked.content.items()]

    @property
    def answer(self) -> list[tuple[str, str]]:
        """What was answered, by name. Untrusted text."""
        return [(name, as_text(value)) for name, value in (self.asked.answer or {}).items()]
