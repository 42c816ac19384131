"""Accepts requests, decides each once, and expires those that nobody decided in time."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from jsonschema import Draft202012Validator

from agents.bus.members import schema_fault
from agents.record import selectors
from agents.record.errors import TooManyGoals
from agents.toolkit import canonical, schemas
from people import journal, rate_limits, sealing
from people.journal import Event
from people.models import User
from people.rate_limits import Limit
from people.roles import Role
from review import words
from review.audit import decided
from review.audit.decided import Decided
from review.errors import DecisionRefused, NotNow, WordsRefused
from review.inbox import telling
from review.models import InboxRequest
from review.notices import notify
from review.rights import is_reviewer

State, Decision = InboxRequest.State, InboxRequest.Decision
ARGUMENTS_MOST_BYTES, SCHEMA_MOST_BYTES = 100_000, 20_000
DESCRIPTION_MOST, TOOL_MOST, SOURCE_MOST, THREAD_MOST = 4_000, 200, 120, 200
# Per person; a program that sends more does not read the answers.
WAITING_MOST = 200
EXPIRES_LEAST, EXPIRES_MOST, EXPIRES_USUALLY = timedelta(seconds=30), timedelta(days=30), timedelta(days=1)
_FORMAT = 1
FORGED = "This request is not as mindX stored it, so nothing in it counts. Ask again."
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Sent:
    """What a program asks about: the call that it would make, in its own words, and the decisions that it accepts."""

    source: str
    tool: str
    arguments: Mapping[str, Any]
    description: str = ""
    thread: str = ""
    allowed: Sequence[str] = (Decision.APPROVE.value, Decision.REJECT.value)
    answer_schema: Mapping[str, Any] | None = None
    expires_at: datetime | None = None


@dataclass(frozen=True)
class Verdict:
    """A decision. `answer` is the new arguments of an edit, or the response."""

    decision: str
    answer: Any = None
    reason: str = ""


def take_in(sent: Sent, *, by: User) -> InboxRequest:
    """Store a request for people to decide. Raises WordsRefused naming the field, DecisionRefused, TooManyGoals."""
    if not by.has_role(Role.SUBMITTER, Role.REVIEWER, Role.OPERATOR, Role.DEVELOPER):
        raise DecisionRefused("You may not ask for approvals. Ask an admin for the role submitter.")
    expires_at = sent.expires_at or timezone.now() + EXPIRES_USUALLY
    _check(sent, expires_at)
    _check_pace(by)
    row = InboxRequest(
        by=by,
        source=sent.source,
        thread=sent.thread,
        tool=sent.tool,
        arguments=dict(sent.arguments),
        description=sent.description,
        allowed=list(dict.fromkeys(sent.allowed)),
        answer_schema=None if sent.answer_schema is None else dict(sent.answer_schema),
        expires_at=expires_at,
    )
    with transaction.atomic():
        row.save(force_insert=True)
        # Over the stored row, which is what people see: Postgres may normalise numbers and moments.
        row.refresh_from_db()
        row.digest = digest_of(row)
        row.save(update_fields=["digest"])
        sealing.seal(row)
        telling.tell_waiting(row, [user for user in notify.active() if not why_not(user, row)])
    return row


def digest_of(row: InboxRequest) -> str:
    """SHA-256 over everything that a person is shown of a request, as canonical JSON."""
    shown = {
        "format": _FORMAT,
        "source": row.source,
        "thread": row.thread,
        "tool": row.tool,
        "arguments": row.arguments,
        "description": row.description,
        "allowed": sorted(row.allowed),
        "answer_schema": row.answer_schema,
        "expires_at": row.expires_at.isoformat(),
    }
    return hashlib.sha256(canonical.dumps(shown)).hexdigest()


def decide(row: InboxRequest, verdict: Verdict, *, by: User, digest: str) -> InboxRequest:
    """Decide a request, once, for what this person was shown.

    Raises DecisionRefused if this person may not, NotNow if it is decided, expired, cancelled or not what was shown,
    and WordsRefused naming the field if the answer is not valid.
    """
    if why := why_not(by, row):
        raise DecisionRefused(why)
    if row.state != State.WAITING or row.expires_at <= timezone.now():
        raise NotNow(f"This request is {state_of(row)} already.")
    if not sealing.is_genuine(row):
        raise NotNow(FORGED)
    if digest != row.digest or digest_of(row) != row.digest:
        raise NotNow("The request has changed since you opened it. Read it again.")
    if verdict.decision not in row.allowed:
        raise WordsRefused("decision", f"The program takes {', '.join(row.allowed)} only.")
    answer = _answer(row, verdict)
    reason = words.taken(verdict.reason, "reason", required=verdict.decision == Decision.REJECT)
    answer_digest = hashlib.sha256(
        canonical.dumps({"request": row.digest, "decision": verdict.decision, "answer": answer})
    ).hexdigest()
    with transaction.atomic():
        # The race it closes: two people decide, or it expires, at the same moment. Only one finds it waiting.
        held, seal = sealing.lock(row)
        if held.state != State.WAITING or held.expires_at <= timezone.now():
            raise NotNow("Somebody has already decided this, or it has expired.")
        if seal is None or held.digest != row.digest:
            raise NotNow(FORGED)
        decided_now = {
            "state": State.DECIDED.value,
            "decision": verdict.decision,
            "answer": answer,
            "answer_digest": answer_digest,
            "reason": reason,
            "decided_by": by,
            "decided_at": timezone.now(),
        }
        sealing.change(held, seal, decided_now)
        telling.settle([row.pk])
        journal.decided(
            Event.INBOX,
            by=by,
            subject=_subject(row),
            verdict=verdict.decision,
            digest=row.digest,
            comment=reason,
            answer_digest=answer_digest,
            tool=row.tool,
            source=row.source,
        )
    row.refresh_from_db()
    return row


def cancel(row: InboxRequest, *, by: User) -> InboxRequest:
    """Withdraw a request, as its sender or an operator. Raises DecisionRefused, NotNow."""
    if row.by_id != by.pk and not by.has_role(Role.OPERATOR):
        raise DecisionRefused("Only whoever sent a request, or an operator, can withdraw it.")
    if not _end(InboxRequest.objects.filter(pk=row.pk), State.CANCELLED):
        row.refresh_from_db()
        raise NotNow(f"This request is {state_of(row)} already.")
    row.refresh_from_db()
    return row


def sweep() -> int:
    """Expire what nobody decided in time; returns how many. An expired request was not approved."""
    return _end(InboxRequest.objects.filter(expires_at__lte=timezone.now()), State.EXPIRED)


def _end(rows: QuerySet[InboxRequest], state: InboxRequest.State) -> int:
    ending = list(rows.filter(state=State.WAITING).values_list("pk", flat=True))
    with transaction.atomic():
        # The race it closes: one of them is decided at the same moment. It stays decided.
        locked = InboxRequest.objects.select_for_update(no_key=True).filter(pk__in=ending, state=State.WAITING)
        ended = list(locked.order_by("pk").values_list("pk", flat=True))
        InboxRequest.objects.filter(pk__in=ended).update(state=state.value)
        # Nobody can set one back to waiting, sealed as it was.
        sealing.end_all(InboxRequest, ended)
        telling.settle(ending)
    return len(ended)


def state_of(row: InboxRequest) -> str:
    """Its state now: after its time it counts as expired, even before the next sweep."""
    if row.state == State.WAITING and row.expires_at <= timezone.now():
        return State.EXPIRED.value
    return row.state


def as_told(rows: Iterable[InboxRequest]) -> list[InboxRequest]:
    """The requests as their programs and people are told of them: a decision that nobody made is none."""
    found = list(rows)
    subjects = [_subject(row) for row in found if row.state == State.DECIDED]
    made = decided.of(Event.INBOX, subjects) if subjects else {}
    for row in found:
        if row.state == State.DECIDED and not _was_made(row, made.get(_subject(row), ())):
            logger.error("A decision of the inbox was not made in mindX", extra={"request": row.pk})
            row.state, row.decision, row.reason = State.CANCELLED.value, "", FORGED
            row.answer, row.answer_digest, row.decided_by, row.decided_at = None, "", None, None
    return found


def _was_made(row: InboxRequest, made: Iterable[Decided]) -> bool:
    """Whether the row is as it was sealed, and the record has this decision of this person on these bytes."""
    stored = (row.decided_by_id, row.decision, row.digest, row.answer_digest)
    told = [(one.by.pk, one.verdict, one.digest, one.data.get("answer_digest")) for one in made]
    return stored in told and digest_of(row) == row.digest and sealing.is_genuine(row)


def _subject(row: InboxRequest) -> str:
    return f"inbox:{row.pk}"


def visible_to(user: User) -> QuerySet[InboxRequest]:
    """A person's own; for reviewers, operators and admins all."""
    rows = InboxRequest.objects.select_related("by", "decided_by")
    return rows if selectors.sees_everything(user) else rows.filter(by=user)


def waiting() -> QuerySet[InboxRequest]:
    """Requests that can be decided now."""
    return InboxRequest.objects.filter(state=State.WAITING, expires_at__gt=Now())


def decidable(user: User) -> QuerySet[InboxRequest]:
    """What waits for this person's decision; the same as `why_not` says of each."""
    if not is_reviewer(user):
        return InboxRequest.objects.none()
    return waiting().exclude(by=user) if settings.FOUR_EYES else waiting()


def why_not(user: User, row: InboxRequest) -> str:
    """Why this person may not decide it, as a sentence; empty when they may."""
    if not is_reviewer(user):
        return "Deciding needs the reviewer role."
    if settings.FOUR_EYES and row.by_id == user.pk:
        return "This request is yours, and four eyes are required: someone else must decide."
    return ""


def _answer(row: InboxRequest, verdict: Verdict) -> Any:
    if verdict.decision not in (Decision.EDIT, Decision.RESPOND):
        if verdict.answer is not None:
            raise WordsRefused("answer", "Only an edit and a response have an answer.")
        return None
    if verdict.decision == Decision.EDIT and not isinstance(verdict.answer, Mapping):
        raise WordsRefused("answer", "Edited arguments are a JSON object.")
    _check_json(verdict.answer, "answer", ARGUMENTS_MOST_BYTES)
    if row.answer_schema is not None:
        wrong = next(iter(Draft202012Validator(row.answer_schema).iter_errors(verdict.answer)), None)
        if wrong is not None:
            raise WordsRefused("answer", f"It does not fit what the program takes: {wrong.message[:300]}")
    return verdict.answer


def _check(sent: Sent, expires_at: datetime) -> None:
    for field, most in (("source", SOURCE_MOST), ("tool", TOOL_MOST), ("thread", THREAD_MOST)):
        text = getattr(sent, field)
        if len(text) > most or "\0" in text:
            raise WordsRefused(field, f"It has at most {most} characters, and no null character.")
        if not text.strip() and field != "thread":
            raise WordsRefused(field, "Say what this is. The page shows it.")
    if len(sent.description) > DESCRIPTION_MOST or "\0" in sent.description:
        raise WordsRefused("description", f"It has at most {DESCRIPTION_MOST:,} characters, and no null character.")
    if not sent.allowed or not set(sent.allowed) <= set(Decision.values):
        raise WordsRefused("allowed", f"Some of {', '.join(Decision.values)}.")
    _check_json(dict(sent.arguments), "arguments", ARGUMENTS_MOST_BYTES)
    if sent.answer_schema is not None:
        _check_json(dict(sent.answer_schema), "answer_schema", SCHEMA_MOST_BYTES)
        if why := schema_fault(sent.answer_schema):
            raise WordsRefused("answer_schema", why.capitalize())
    left = expires_at - timezone.now()
    if not EXPIRES_LEAST <= left <= EXPIRES_MOST:
        raise WordsRefused("expires_at", "Choose a time between half a minute and thirty days from now.")


def _check_json(value: Any, field: str, most: int) -> None:
    try:
        written = canonical.dumps(value)
        schemas.loads_strict(written.decode())
    except (ValueError, TypeError, RecursionError) as error:
        raise WordsRefused(field, f"This is no JSON that can be kept: {str(error)[:200]}.") from error
    if len(written) > most:
        raise WordsRefused(field, f"It has at most {most:,} bytes as JSON.")


def _check_pace(by: User) -> None:
    most: int = settings.GOALS_PER_MINUTE
    if most and (wait_s := rate_limits.take(Limit("inbox", most, 60 / most), str(by.pk)).wait_s):
        raise TooManyGoals(most, wait_s)
    if waiting().filter(by=by).count() >= WAITING_MOST:
        raise DecisionRefused(f"{WAITING_MOST} requests of yours wait already. Wait for their decisions first.")
