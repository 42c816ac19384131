"""Searches for a better version as rows: what one may cost is said before it is asked for, one worker begins it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from agents.evolution.candidates import asking, grounds, writing
from agents.evolution.candidates.asking import Budget
from agents.evolution.candidates.grounds import Ground
from agents.evolution.replays import replays
from agents.models import CandidateSearch, Standstill
from agents.record import leased, wake_ups
from agents.record.errors import NotPossibleNow
from agents.states import MoveRefused, ReplayState
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion
from people import journal, sealing
from people.journal import Event
from people.models import User

MOST_TEXTS = 20
# Of a reflection; the others of the probe half are tried only with a text that did better on these.
GROUP = 3
_WAITING = Q(state=ReplayState.WAITING.value)
_RUNNING = Q(state=ReplayState.RUNNING.value)
_ONE_TEXT = Q(most_texts=1)


@dataclass(frozen=True)
class Cost:
    """What a search may take at most, before anybody is asked. `why_not` says why there can be none."""

    texts: int = 0
    calls: int = 0
    tokens: int = 0
    runs: int = 0
    cases: int = 0
    why_not: str = ""


def costs(component: Component, many: Sequence[int], *, by: User) -> tuple[Cost, ...]:
    """What a search over so many texts may take: calls of the model and their tokens, and runs of cases in copies."""
    budget = asking.budget()
    try:
        if budget.why_not:
            raise NotPossibleNow(budget.why_not)
        parent = writing.improvable(component, by=by)
        writing.check_may_search(parent, by)
        ground = _fit(grounds.of(parent, by))
    except (NotPossibleNow, LibraryRefused) as refused:
        return (Cost(why_not=str(refused)),) * len(many)
    return tuple(_cost(texts, budget, ground) for texts in many)


def _fit(ground: Ground) -> Ground:
    if len(ground.cases) < 2 or not ground.has_failed:
        raise NotPossibleNow(
            "It takes two cases that you may see, one of which failed, in the half that a writer may see."
        )
    return ground


def _cost(texts: int, budget: Budget, ground: Ground) -> Cost:
    # The parent on all, then for each text the version it comes from and itself on a group, and itself on all.
    calls, tokens, runs = ground.cost(1 + texts, 2 * GROUP * texts)
    return Cost(texts, texts * budget.calls + calls, texts * budget.tokens + tokens, runs=runs, cases=len(ground.cases))


def ask(component: Component, *, by: User, why: str, strategy: str, texts: int) -> CandidateSearch:
    """Have a better version searched for; the search that is under way, if there is one.

    Raises LibraryRefused for people who may not write, NotPossibleNow with the reason where there can be none.
    """
    parent = writing.improvable(component, by=by)
    if not 2 <= texts <= MOST_TEXTS:
        raise NotPossibleNow(f"Choose 2 to {MOST_TEXTS} texts.")
    writing.check_may_search(parent, by)
    cost = costs(component, [texts], by=by)[0]
    if cost.why_not:
        raise NotPossibleNow(cost.why_not)
    search = _begun(CandidateSearch(parent=parent, by=by, why=why, strategy=strategy, most_texts=texts), cost)
    if search.is_of_one_text:
        raise NotPossibleNow(f"A model is writing a candidate of {parent} already. Wait for it, or stop it.")
    return search


def ask_for_one(component: Component, *, by: User, why: str, strategy: str) -> CandidateSearch:
    """Have a worker ask a model for a candidate; what is under way for the same reason, if it is.

    Raises LibraryRefused for people who may not write, NotPossibleNow with the reason where none can be written.
    """
    parent = writing.improvable(component, by=by)
    if why_not := asking.budget().why_not:
        raise NotPossibleNow(why_not)
    search = _begun(CandidateSearch(parent=parent, by=by, why=why, strategy=strategy, most_texts=1))
    if not search.is_of_one_text:
        raise NotPossibleNow(f"A better version of {parent} is being searched for. Wait for that, or stop it.")
    if (search.why, search.strategy) != (why, strategy):
        raise NotPossibleNow(f"A model is writing a candidate of {parent} already, for another reason.")
    return search


def ask_for_new(kind: str, wish: str, *, by: User, snippet: str = "") -> CandidateSearch:
    """Have a worker ask a model for a new tool or workflow; what is under way for the same wish, if it is.

    Raises LibraryRefused for people who may not write, NotPossibleNow with the reason where none can be written.
    """
    writing.check_may_write(by)
    if why_not := asking.budget().why_not:
        raise NotPossibleNow(why_not)
    search = _begun(CandidateSearch(new_kind=kind, by=by, why=wish, snippet=snippet, most_texts=1))
    if (search.why, search.snippet) != (wish, snippet):
        raise NotPossibleNow(f"A model is writing another {kind} for you. Wait for it, or stop it.")
    return search


def _begun(search: CandidateSearch, cost: Cost | None = None) -> CandidateSearch:
    """This search, stored; or the one that is under way in its place, whatever it is over."""
    try:
        with transaction.atomic():
            search.save()
            sealing.seal(search)
            if cost is not None and search.parent is not None and replays.asks_models(search.parent):
                _journal(search, search.parent, cost)
            wake_ups.wake_background("search", search.pk)
            return search
    except IntegrityError:
        # The race it answers: two people ask at once. One search for a version is enough, and one wish of a person.
        rival = Q(parent=search.parent) if search.parent else Q(parent=None, by=search.by, new_kind=search.new_kind)
        return CandidateSearch.objects.get(_WAITING | _RUNNING, rival)


def _journal(search: CandidateSearch, parent: ComponentVersion, cost: Cost) -> None:
    """Like a replay that asks models it spends what agents may spend, so it stays known who began it."""
    said = {"what": "began a search for a better version", "version": parent.version}
    said |= {"called": f"{parent.component.kind} {parent.component.name}", "why": search.why}
    most = {"most_calls": cost.calls, "most_tokens": cost.tokens}
    journal.record(Event.COMPONENT, by=search.by, subject=f"component:{parent.component_id}", data=said | most)


def since(search: CandidateSearch) -> datetime:
    """When a search was asked for, or the one before it that came to no end: what it was answered is paid for."""
    begun = search.created_at
    before = CandidateSearch.objects.filter(parent=search.parent_id, pk__lt=search.pk).exclude(_ONE_TEXT)
    for state, at in before.order_by("-pk").values_list("state", "created_at"):
        if state != ReplayState.IMPOSSIBLE:
            break
        begun = at
    return begun


def wish_of(by: User, kind: str, search_id: int | None = None) -> CandidateSearch | None:
    """A wish of this person for a new tool or workflow; without an id the one that is under way."""
    rows = CandidateSearch.objects.filter(parent=None, by=by, new_kind=kind).select_related("version__component", "by")
    return (rows.filter(_WAITING | _RUNNING) if search_id is None else rows.filter(pk=search_id)).first()


def latest(component: Component, *, of_one_text: bool = False) -> CandidateSearch | None:
    """The newest search for a better version of this component, over several texts or over one."""
    rows = CandidateSearch.objects.filter(parent__component=component).select_related(
        "by", "version__component", "parent"
    )
    return (rows.filter(_ONE_TEXT) if of_one_text else rows.exclude(_ONE_TEXT)).order_by("-pk").first()


def stop(search: CandidateSearch, *, by: User) -> None:
    """End it before its time; what was tried stays. Raises LibraryRefused, NotPossibleNow where it has ended."""
    writing.check_may_write(by)
    if not replays.break_off(search, f"stopped by {by.username}"):
        what = "It" if search.is_of_one_text else "This search"
        raise NotPossibleNow(f"{what} has ended already.")


def claim(search_id: int | None = None) -> CandidateSearch | None:
    """Begin this search, or the oldest that nobody has. One at a time: what was approved goes first.

    One over a single text takes no copies and is soon over, so it does not wait for a long one.
    """
    with transaction.atomic():
        if Standstill.objects.exists():
            return None
        free = _free().select_related("parent__component", "by").order_by("pk")
        return leased.begin(free.filter(pk=search_id) if search_id is not None else free)


def note(search: CandidateSearch, *, asked: int, tried: Sequence[Mapping[str, Any]]) -> bool:
    """Keep how far it has come; False when the search is no longer ours."""
    return bool(leased.ours(search).update(asked=asked, tried=list(tried)))


def end(search: CandidateSearch, state: ReplayState, reason: str, version: ComponentVersion | None = None) -> bool:
    """End it; False when it was stopped or another worker has it."""
    try:
        leased.to(search, state, reason=reason, version=version)
    except MoveRefused:
        return False
    return True


def sweep() -> None:
    """Wake a worker for the oldest search that one could begin now."""
    for free in (_free().filter(_ONE_TEXT), _free().exclude(_ONE_TEXT)):
        if (oldest := free.order_by("pk").values_list("pk", flat=True).first()) is not None:
            wake_ups.wake_background("search", oldest)


def _free() -> QuerySet[CandidateSearch]:
    """What a worker may begin: nothing of a kind of which one is running."""
    free = CandidateSearch.objects.filter(leased.free(CandidateSearch))
    running = CandidateSearch.objects.filter(leased.at_work())
    if running.filter(_ONE_TEXT).exists():
        free = free.exclude(_ONE_TEXT)
    return free.filter(_ONE_TEXT) if running.exclude(_ONE_TEXT).exists() else free
