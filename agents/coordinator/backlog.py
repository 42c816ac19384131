"""The backlog: wishes are added, merged, split and decided here; `backlog_taking` takes them up."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from pgvector.django import CosineDistance

from agents.mastermind import duplicates
from agents.mastermind.components import Component
from agents.models import BacklogItem, BacklogRules, Goal
from agents.record import causes
from agents.record.bounded_text import checked
from agents.record.errors import GoalRefused, NotPossibleNow, NotYours
from agents.record.moves import move_backlog_item
from agents.states import BACKLOG_OPEN, BacklogState, MoveRefused
from library.errors import EmbeddingUnavailable
from library.language import embeddings
from library.search import nearest_first
from people import journal, sealing
from people.journal import Event
from people.models import User
from people.roles import Role

logger = logging.getLogger(__name__)

SUGGESTION_MAX = 2_000
REASON_MAX = 300
# What decides over others, or holds the hands: only a reviewer approves a wish about it.
CRITICAL_KINDS = frozenset({"agent", "firmware"})
CRITICAL_TOOLS = frozenset({"simple_coder"})
_NEAR_LOOKED_AT = 5
_TRIES = 3
_OPEN = [state.value for state in BACKLOG_OPEN]


@dataclass(frozen=True)
class Added:
    """The item that the wish is or was added to; `is_new` when nobody had said it, `merged` the row of a wish that
    says the same in other words.
    """

    item: BacklogItem
    is_new: bool
    merged: BacklogItem | None = None


@dataclass(frozen=True)
class Wish:
    """What somebody, an analysis or a row of failures would have better. `by` None: mindX itself."""

    component: Component
    text: str
    source: str = BacklogItem.Source.PERSON.value
    by: User | None = None
    goal: Goal | None = None
    priority: int = 3
    critical: bool = False


@dataclass(frozen=True)
class Prepared:
    """A wish that was checked, with its meaning: what can be stored in a transaction that does something else too."""

    wish: Wish
    text: str
    vector: list[float] | None


def add(wish: Wish) -> Added:
    """Put a wish into the backlog, or count it on the one that says the same. Raises NotYours, GoalRefused."""
    return put(prepared(wish))


def prepared(wish: Wish) -> Prepared:
    """Check the wish and compute its meaning, which no transaction may wait for. Raises NotYours, GoalRefused."""
    if wish.by is not None and not wish.by.has_role(Role.SUBMITTER, Role.REVIEWER, Role.OPERATOR, Role.DEVELOPER):
        raise NotYours("You may not add to the backlog. Ask an admin for the role submitter.")
    text = checked(wish.text, field="suggestion", most=SUGGESTION_MAX, empty="Say what should be improved.")
    return Prepared(wish, text, _vector(text))


def put(ready: Prepared) -> Added:
    """Store a wish. Raises NotPossibleNow when others keep storing the same at this moment."""
    target = ready.wish.component.key[:300]
    for _ in range(_TRIES):
        try:
            with transaction.atomic():
                return _add(ready.wish, target, ready.text, ready.vector)
        except IntegrityError as error:
            # The race this answers: the same wish twice at once. The constraint let one through; count on that.
            logger.debug("A wish was added twice at once", exc_info=error)
    raise NotPossibleNow("Somebody else is changing the backlog right now. Try again.")


def _vector(text: str) -> list[float] | None:
    """Its meaning; None where it cannot be told, and then only the same words count."""
    if not embeddings.reads(text):
        return None  # all texts of another script would be one wish
    try:
        return embeddings.embed([text])[0]
    except EmbeddingUnavailable as error:
        logger.warning("A wish is added without its meaning: %s", error)
        return None


def _add(wish: Wish, target: str, text: str, vector: list[float] | None) -> Added:
    key = duplicates.key(target, text)
    critical = wish.critical or is_critical(wish.component)
    if (said := _same_words(key)) is not None:
        return Added(_count(said, wish.priority, critical), is_new=False)
    near = _near(target, text, vector)
    item = BacklogItem(
        target=target,
        suggestion=text,
        text_key=key,
        embedding=vector,
        priority=wish.priority,
        critical=critical,
        source=wish.source,
        by=wish.by,
        source_goal=wish.goal,
    )
    if near is None:
        item.save(force_insert=True)
        sealing.seal_new(item)
        return Added(item, is_new=True)
    into, item.likeness = near
    item.state, item.merged_into = BacklogState.MERGED.value, into
    item.save(force_insert=True)
    sealing.seal_new(item)
    return Added(_count(into, wish.priority, critical), is_new=False, merged=item)


def is_critical(component: Component) -> bool:
    """Whether a change of it reaches further than itself."""
    return component.kind in CRITICAL_KINDS or (component.kind == "tool" and component.name in CRITICAL_TOOLS)


def _same_words(key: str) -> BacklogItem | None:
    found = BacklogItem.objects.filter(text_key=key).exclude(state=BacklogState.DONE.value)
    return found.select_for_update(no_key=True).first()


def _count(item: BacklogItem, priority: int, critical: bool) -> BacklogItem:
    """Count the wish on the row that says it, and on the one that it was merged into."""
    rows = [item.pk, *([item.merged_into_id] if item.merged_into_id else [])]
    BacklogItem.objects.filter(pk__in=rows).update(count=F("count") + 1, last_said_at=timezone.now())
    kept = BacklogItem.objects.select_for_update(no_key=True).get(pk=rows[-1])
    if kept.state in (BacklogState.PENDING, BacklogState.APPROVED) and (
        priority < kept.priority or (critical and not kept.critical)
    ):
        causes.change(kept, priority=min(kept.priority, priority), critical=kept.critical or critical)
    return kept


def _near(target: str, text: str, vector: list[float] | None) -> tuple[BacklogItem, float] | None:
    """The open wish about the same component that means the same, with the likeness of the two."""
    if vector is None:
        return None
    near_enough = rules().near_enough
    with nearest_first():
        found = list(
            BacklogItem.objects.filter(target=target, state__in=_OPEN, embedding__isnull=False)
            .annotate(away=CosineDistance("embedding", vector))
            .order_by("away")[:_NEAR_LOOKED_AT]
        )
    for item in found:
        likeness = 1.0 - item.away
        if duplicates.are_one(item.suggestion, text, likeness, near_enough):
            return item, likeness
    return None


def rules() -> BacklogRules:
    """The rules in force: the newest that were saved, else those that mindX comes with."""
    return BacklogRules.objects.first() or BacklogRules()


def visible_to(user: User) -> QuerySet[BacklogItem]:
    """What the person added; for reviewers, operators, developers and admins everything."""
    items = BacklogItem.objects.defer("embedding")
    if sees_all(user):
        return items
    return items.filter(by=user) if user.is_active else items.none()


def sees_all(user: User) -> bool:
    """Whether the person sees wishes of everybody."""
    return user.has_role(Role.REVIEWER, Role.OPERATOR, Role.DEVELOPER)


def may_triage(user: User) -> bool:
    """Whether the person approves, rejects, merges and splits."""
    return user.has_role(Role.OPERATOR, Role.REVIEWER)


def why_not(user: User, item: BacklogItem) -> str:
    """Why this person may not approve or reject this item; empty when they may."""
    if not may_triage(user):
        return "Only operators and reviewers can approve or reject items."
    if item.critical and not user.has_role(Role.REVIEWER):
        return f"{item} is critical: only a reviewer can decide it."
    if item.critical and settings.FOUR_EYES and item.by_id == user.pk:
        return f"{item} is critical and yours. With the four-eyes rule on, somebody else must decide it."
    return ""


def approve(item: BacklogItem, *, by: User, reason: str = "") -> BacklogItem:
    """Let the item be taken up; of one that failed too often: let it be tried again."""
    return _decide(item, BacklogState.APPROVED, by, _reason(reason), failures=0)


def reject(item: BacklogItem, *, by: User, reason: str) -> BacklogItem:
    """Reject it. The same wish said again stays rejected, and is counted."""
    reason = checked(reason, field="reason", most=REASON_MAX, empty="Give a reason for rejecting it.")
    return _decide(item, BacklogState.REJECTED, by, reason)


def reopen(item: BacklogItem, *, by: User) -> BacklogItem:
    """Ask again about an item that was rejected."""
    if item.state != BacklogState.REJECTED:
        raise NotPossibleNow(f"Item {item.pk} is {item.state.replace('_', ' ')}; only rejected items can be reopened.")
    return _decide(item, BacklogState.PENDING, by, "")


def _reason(text: str) -> str:
    return checked(text, field="reason", most=REASON_MAX, empty="") if text.strip() else ""


def _decide(item: BacklogItem, new: BacklogState, by: User, reason: str, **also: int) -> BacklogItem:
    old = item.state
    try:
        with transaction.atomic():
            # Locked: whose it is and whether it is critical may not be what was read.
            if refused := why_not(by, causes.lock(item)):
                raise NotYours(refused)
            item = move_backlog_item(item, new, reason=reason, decided_by=by, decided_at=timezone.now(), **also)
            _tell(item, by, {"before": {"state": old}, "after": {"state": new.value}}, reason)
    except MoveRefused as error:
        raise NotPossibleNow(f"Item {item.pk} is {old.replace('_', ' ')} and cannot become {_word(new)}.") from error
    return item


def _word(state: BacklogState) -> str:
    return state.value.replace("_", " ")


def merge(item: BacklogItem, into: BacklogItem, *, by: User) -> BacklogItem:
    """A person says that two wishes are one. What was merged into the item goes along."""
    _check_triage(by)
    if item.pk == into.pk or item.target != into.target:
        raise NotPossibleNow("Only two different items about the same component can be merged.")
    if into.state not in _OPEN:
        raise NotPossibleNow(f"Item {into.pk} is {into.state.replace('_', ' ')}, so nothing can be merged into it.")
    try:
        with transaction.atomic():
            # In the order of their numbers: two who merge crosswise at once do not wait for each other.
            locked = {
                row.pk: row
                for row in BacklogItem.objects.select_for_update(no_key=True)
                .filter(pk__in=[item.pk, into.pk])
                .order_by("pk")
            }
            item, into = locked[item.pk], locked[into.pk]
            if into.state not in _OPEN:
                raise MoveRefused
            said = item.count
            move_backlog_item(item, BacklogState.MERGED, reason=f"by {by.username}", merged_into=into, likeness=None)
            BacklogItem.objects.filter(merged_into=item).update(merged_into=into)
            causes.change(
                into,
                count=into.count + said,
                priority=min(item.priority, into.priority),
                critical=item.critical or into.critical,
                changed_at=timezone.now(),
            )
            _tell(item, by, {"what": "merged", "after": {"merged_into": into.pk}}, "")
    except MoveRefused as error:
        raise NotPossibleNow(f"Item {item.pk} is {item.state.replace('_', ' ')} and cannot be merged.") from error
    into.refresh_from_db()
    return into


def split(item: BacklogItem, *, by: User) -> BacklogItem:
    """A person says that a merged wish is one of its own; it is asked about again, and is not merged by itself."""
    _check_triage(by)
    if item.merged_into_id is None:
        raise NotPossibleNow(f"Item {item.pk} is not merged into another item.")
    try:
        with transaction.atomic():
            into = item.merged_into_id
            item = move_backlog_item(item, BacklogState.PENDING, merged_into=None, likeness=None)
            BacklogItem.objects.filter(pk=into).update(count=F("count") - item.count, changed_at=timezone.now())
            _tell(item, by, {"what": "split", "before": {"merged_into": into}}, "")
    except MoveRefused as error:
        raise NotPossibleNow(f"Item {item.pk} was split or decided by somebody else.") from error
    return item


def item_of(number: str, *, by: User) -> BacklogItem:
    """An item that the person may see. Raises GoalRefused."""
    text = number.removeprefix("#")
    is_number = text.isascii() and text.isdigit() and len(text) < 19
    found = visible_to(by).filter(pk=int(text)).first() if is_number else None
    if found is None:
        raise GoalRefused("item", f"There is no item “{number[:20]}” that you may see.")
    return found


def _check_triage(by: User) -> None:
    if not may_triage(by):
        raise NotYours("Only operators and reviewers can merge and split items.")


def _tell(item: BacklogItem, by: User, data: dict[str, object], why: str) -> None:
    told = {"what": "changed", "target": item.target, "suggestion": item.suggestion[:500], "why": why, **data}
    journal.record(Event.BACKLOG, by=by, subject=f"item:{item.pk}", data=told)
