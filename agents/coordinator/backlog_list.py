"""The backlog a page at a time: filtered, the most urgent first, without counting all of it."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from agents.coordinator import backlog
from agents.models import BacklogItem
from agents.states import BACKLOG_OPEN, BacklogState
from people.models import User

PAGE = 40
OPEN = "open"
# Words are looked for in this many items at a time, as among goals.
SEARCH_WINDOW = 5_000
SEARCH_MAX = 200


@dataclass(frozen=True)
class ItemFilter:
    """What the reader asked for. `state`: a state, "open" or nothing; `after`: the last item of the page before."""

    state: str = ""
    target: str = ""
    source: str = ""
    text: str = ""
    critical: bool = False
    after: int | None = None

    @property
    def is_set(self) -> bool:
        """Whether anything narrows the list to less than what is open."""
        return bool(self.state not in ("", OPEN) or self.target or self.source or self.text or self.critical)


@dataclass(frozen=True)
class ItemList:
    """One page; `older` is the item to ask after, None at the end."""

    items: list[BacklogItem]
    older: int | None
    searched_all: bool = True


def find(user: User, wanted: ItemFilter, limit: int = PAGE) -> ItemList:
    """One page of what the person may see."""
    items = _narrowed(backlog.visible_to(user), wanted)
    if wanted.after is not None:
        last = BacklogItem.objects.filter(pk=wanted.after).values_list("priority", flat=True).first()
        # One that is gone leads to the end, not to the first page again.
        items = items.filter(_behind(last, wanted.after)) if last is not None else items.none()
    if wanted.text:
        return _search(items, wanted.text, limit)
    rows = list(_joined(items)[: limit + 1])
    return ItemList(rows[:limit], rows[limit - 1].pk if len(rows) > limit else None)


def _behind(priority: int, pk: int) -> Q:
    """Said by the priority alone as well, which an index leads to."""
    return Q(priority__gte=priority) & (Q(priority__gt=priority) | Q(pk__gt=pk))


def _joined(items: QuerySet[BacklogItem]) -> QuerySet[BacklogItem]:
    return (
        items.select_related("by", "decided_by", "merged_into")
        .order_by("priority", "pk")
        .defer("embedding", "merged_into__embedding")
    )


def _narrowed(items: QuerySet[BacklogItem], wanted: ItemFilter) -> QuerySet[BacklogItem]:
    if wanted.state == OPEN:
        items = items.filter(state__in=[state.value for state in BACKLOG_OPEN])
    elif wanted.state:
        items = items.filter(state=BacklogState(wanted.state).value)
    if wanted.target:
        items = items.filter(target=wanted.target)
    if wanted.source:
        items = items.filter(source=wanted.source)
    return items.filter(critical=True) if wanted.critical else items


def _search(items: QuerySet[BacklogItem], text: str, limit: int) -> ItemList:
    """Among the next so many; where the table goes on, the page says so and leads there."""
    window = list(items.order_by("priority", "pk").values_list("pk", flat=True)[:SEARCH_WINDOW])
    fits = Q(suggestion__icontains=text) | Q(target__icontains=text)
    number = text.removeprefix("#")
    if number.isascii() and number.isdigit() and len(number) <= 16:
        fits |= Q(pk=int(number))
    rows = list(_joined(BacklogItem.objects.filter(fits, pk__in=window))[: limit + 1])
    if len(rows) > limit:
        return ItemList(rows[:limit], rows[limit - 1].pk)
    whole = len(window) < SEARCH_WINDOW
    return ItemList(rows, None if whole else window[-1], searched_all=whole)
