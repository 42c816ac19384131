"""Sends notices, never inside a transaction. If a worker dies, a message may arrive twice, but is never lost."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from datetime import timedelta
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from agents.record import wake_ups
from people import sealing
from review.models import Delivery
from review.models.notices import ABOUT

logger = logging.getLogger(__name__)

TRIES = 5
SUBJECT = "mindX"
# Each further try waits twice as long as the one before.
_FIRST_PAUSE = timedelta(seconds=30)
_AT_ONCE = 50
_TIMEOUT_S = 30


class NotSent(Exception):
    """The message was not sent; the text says why and contains no address."""


def wake(delivery_id: int) -> None:
    """Have it sent once the transaction has committed. If that wake-up is lost, the sweep finds the delivery."""
    wake_ups.wake_background("delivery", delivery_id)


def sweep() -> None:
    """Send waiting deliveries that are due."""
    waiting = Delivery.objects.filter(state=Delivery.State.WAITING, next_at__lte=Now())
    for pk in waiting.order_by("next_at").values_list("pk", flat=True)[:_AT_ONCE]:
        wake(pk)


def deliver(delivery_id: int) -> None:
    """One try. The race it closes: two workers; whoever moves `next_at` first sends."""
    delivery = (
        Delivery.objects.filter(pk=delivery_id)
        .select_related("notice__user", *(f"notice__{name}" for name in ABOUT))
        .first()
    )
    if delivery is None:
        return
    pause = _FIRST_PAUSE * 2**delivery.tries
    mine = Delivery.objects.filter(
        pk=delivery_id, state=Delivery.State.WAITING, tries=delivery.tries, next_at__lte=Now()
    ).update(tries=F("tries") + 1, next_at=timezone.now() + pause)
    if not mine:
        return
    if not sealing.is_genuine(delivery):
        logger.error("A delivery was not sealed by mindX", extra={"delivery": delivery_id})
        Delivery.objects.filter(pk=delivery_id).update(
            state=Delivery.State.FAILED, reason="mindX did not put it on its way", ended_at=timezone.now()
        )
        return
    try:
        _SEND[Delivery.Channel(delivery.channel)](delivery)
    except NotSent as error:
        last = delivery.tries + 1 >= TRIES
        logger.warning("Delivery %s failed (try %s): %s", delivery_id, delivery.tries + 1, error)
        ended = {"state": Delivery.State.FAILED, "ended_at": timezone.now()} if last else {}
        Delivery.objects.filter(pk=delivery_id).update(reason=str(error)[:300], **ended)
    else:
        Delivery.objects.filter(pk=delivery_id).update(state=Delivery.State.SENT, reason="", ended_at=timezone.now())


def _body(delivery: Delivery) -> str:
    link = f"{settings.PUBLIC_URL}{delivery.notice.about.get_absolute_url()}"
    return f"{delivery.notice.text}\n\n{link}\n"


def _by_email(delivery: Delivery) -> None:
    if not settings.NOTIFY_BY_EMAIL or not delivery.notice.user.email:
        raise NotSent("e-mail is not configured, or this person has no address")
    message = EmailMessage(SUBJECT, _body(delivery), None, [delivery.notice.user.email])
    try:
        message.send()
    except (OSError, SMTPException, ValueError) as error:
        raise NotSent(f"the mail server rejected the message ({type(error).__name__})") from error


def _by_apprise(delivery: Delivery) -> None:
    """In a process of its own, which refuses every connection to an internal address."""
    choice = getattr(delivery.notice.user, "notice_choice", None)
    if choice is None or not choice.apprise_address or not sealing.is_genuine(choice):
        raise NotSent("this person has no address any more")
    order = {"address": choice.apprise_address, "title": SUBJECT, "body": _body(delivery)}
    order["internal"] = settings.NOTIFY_INTERNAL
    try:
        done = subprocess.run(  # the address goes by standard input, because everybody can read arguments
            [sys.executable, "-I", str(settings.BASE_DIR / "review" / "notices" / "sending.py")],
            input=json.dumps(order),
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
            env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8"},
        )
    except subprocess.TimeoutExpired as error:
        raise NotSent(f"no answer within {_TIMEOUT_S} s") from error
    if done.returncode:
        # The last line is either one of sending.py's own sentences, or must not be shown.
        said = done.stdout.strip()
        raise NotSent(said or "the service rejected the message")


_SEND = {Delivery.Channel.EMAIL: _by_email, Delivery.Channel.APPRISE: _by_apprise}
