"""Tells reviewers that a program asks, and withdraws the notices once nobody can decide it."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from django.db.models import Count
from django.db.models.functions import Now

from agents.presentation import hidden
from people.models import User
from review.models import Delivery, InboxRequest, Notice, NoticeKind
from review.notices import notify

_WORDS_MAX = 60
# A program in a loop must not fill mailboxes: with so many unread notices of one sender, a person gets no more.
UNREAD_MOST = 20


def tell_waiting(row: InboxRequest, people: Iterable[User]) -> None:
    """A notice for each of these people, who can decide it. Call it in the transaction that stores the request."""
    unread = Notice.objects.filter(kind=NoticeKind.INBOX, read_at__isnull=True, inbox_request__by=row.by_id)
    counts = unread.order_by().values_list("user").annotate(count=Count("pk"))
    full = {user for user, count in counts if count >= UNREAD_MOST}
    asked = [user for user in people if user.pk not in full]
    notify.tell(NoticeKind.INBOX, text_of(row), asked, inbox_request=row)


def text_of(row: InboxRequest) -> str:
    """Which program asks, and whose; its arguments, description and reference are only on the page."""
    return f"A program of {row.by.username} asks in the inbox: {_words(row.source)} wants to call {_words(row.tool)}"


def settle(ended: Collection[int]) -> None:
    """Notices for a decision that was made, or is no longer possible, count as read and are not sent elsewhere."""
    asking = Notice.objects.filter(inbox_request__in=ended, read_at__isnull=True)
    Delivery.objects.filter(notice__in=asking, state=Delivery.State.WAITING).delete()
    asking.update(read_at=Now())


def _words(text: str) -> str:
    shown = hidden.visible_text(" ".join(text.split()))
    return f"“{shown if len(shown) <= _WORDS_MAX else f'{shown[:_WORDS_MAX].rstrip()}…'}”"
