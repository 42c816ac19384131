"""Idempotency keys: a request that is sent again is answered again, not carried out again."""

from __future__ import annotations

import hashlib
import logging
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from people import sealing
from people.models import AnsweredRequest, User

logger = logging.getLogger(__name__)

KEPT_FOR = timedelta(days=1)
# A request without an answer after this long has died with its server; longer than any request may wait.
_GIVEN_UP_AFTER = timedelta(minutes=3)


class KeyReused(ValueError):
    """This Idempotency-Key belongs to another request. Use a new key for every new request."""


class StillAtWork(Exception):
    """The first request with this Idempotency-Key is still at work. Ask again in a moment."""


class NotKept(Exception):
    """The answer stored for this Idempotency-Key is not what mindX answered. See what was done, and use a new key."""


def fingerprint_of(method: str, address: str, body: bytes) -> str:
    """What makes two requests the same one."""
    return hashlib.sha256(b"\n".join([method.encode(), address.encode(), body])).hexdigest()


def begin(user: User, key: str, fingerprint: str) -> AnsweredRequest:
    """The row of this request: new and to be carried out (`status` is None), or answered already.

    Raises KeyReused, StillAtWork and NotKept.
    """
    now = timezone.now()
    AnsweredRequest.objects.filter(user=user, started_at__lt=now - KEPT_FOR).delete()
    row, is_new = AnsweredRequest.objects.get_or_create(user=user, key=key, defaults={"fingerprint": fingerprint})
    if is_new:
        return row
    if row.fingerprint != fingerprint:
        raise KeyReused(KeyReused.__doc__)
    if row.status is None and not _take_over(row):
        raise StillAtWork(StillAtWork.__doc__)
    if row.status is not None and not sealing.is_genuine(row):
        logger.error("A stored answer was not sealed by mindX", extra={"answered_request": row.pk})
        raise NotKept(NotKept.__doc__)
    return row


def _take_over(row: AnsweredRequest) -> bool:
    """Adopt a request whose server died; of several that try at once one succeeds."""
    now = timezone.now()
    dead = Q(pk=row.pk, status__isnull=True, started_at=row.started_at, started_at__lt=now - _GIVEN_UP_AFTER)
    return AnsweredRequest.objects.filter(dead).update(started_at=now) == 1


def finish(row: AnsweredRequest, status: int, *, location: str, body: str) -> None:
    """Keep a good answer. Anything else is forgotten: nothing happened, so the same key may try again."""
    if 200 <= status < 300:
        # Whoever it was begun for, and of what: a row that was given to another request meanwhile keeps no answer.
        begun = {"user": row.user_id, "key": row.key, "fingerprint": row.fingerprint, "status": None}
        with transaction.atomic():
            if AnsweredRequest.objects.filter(pk=row.pk, **begun).update(status=status, location=location, body=body):
                sealing.seal(row)
    else:
        AnsweredRequest.objects.filter(pk=row.pk).delete()
