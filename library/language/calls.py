"""The rows of model calls: opened before a request is sent, closed with its result, read for budget and cache."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Sum
from django.utils import timezone

from library import prepared
from library.language import days, storable
from library.language.asking import Ask, BudgetSpent, ModelError, Said, Usage, guessed_tokens
from library.models import ModelCall

_State = ModelCall.State
# Any number will do, as long as nothing else takes it: two workers must not both find the last of a budget.
_LOCK = 7_302_194_411
_TABLE = ModelCall._meta.db_table
_FRESH = f"""
    SELECT id, answer, answered_by FROM {_TABLE}
    WHERE request_digest = %(digest)s AND state = %(answered)s AND fresh_until > clock_timestamp()
    ORDER BY id DESC LIMIT 1
"""  # noqa: S608  # names of our own table
# All but what the database gives by itself. Written out, for Django takes longer to put it together than Postgres to
# do it, and a model is asked while a worker holds a goal.
_WRITTEN = tuple(field.attname for field in ModelCall._meta.concrete_fields if field.name not in ("id", "at"))
_INSERT = f"""
    INSERT INTO {_TABLE} ({", ".join(_WRITTEN)}) VALUES ({", ".join(f"%({name})s" for name in _WRITTEN)}) RETURNING id
"""  # noqa: S608  # names of our own table and columns


def digest(ask: Ask, model: str) -> str:
    """What tells two requests apart."""
    content = {
        "messages": [[one.role, one.content] for one in ask.messages],
        "model": model,
        "schema": ask.schema,
        "temperature": ask.temperature,
        "max_tokens": ask.max_tokens,
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Earlier:
    """An answer that the same request got before, and its row."""

    call: int
    answer: str
    answered_by: str


def fresh(ask: Ask, model: str) -> Earlier | None:
    """The newest answer to the same request that was kept and may still be given again."""
    if not settings.MODEL_CACHE_DAYS:
        return None
    found = prepared.row(_FRESH, {"digest": digest(ask, model), "answered": _State.ANSWERED.value})
    return None if found is None else Earlier(*found)


def answered_since(ask: Ask, model: str, since: datetime, besides: Iterable[int]) -> Earlier | None:
    """The first answer to the same request since a moment, of use or not, that is none of the calls `besides`."""
    rows = ModelCall.objects.filter(request_digest=digest(ask, model), state=_State.ANSWERED, at__gte=since)
    found = rows.exclude(pk__in=list(besides)).order_by("pk").values_list("pk", "answer", "answered_by").first()
    return None if found is None else Earlier(*found)


def cached(ask: Ask, model: str, earlier: Earlier) -> ModelCall:
    """A row of its own for a request that an earlier answer serves; it costs nothing."""
    with transaction.atomic():
        row = _new(
            ask,
            model,
            state=_State.CACHED.value,
            answer=earlier.answer,
            answered_by=earlier.answered_by,
            cached_from_id=earlier.call,
            tokens_are_guessed=False,
            latency_ms=0,
        )
        days.add_call(row.pk)
    return row


def open_call(ask: Ask, model: str, price: Decimal | None) -> ModelCall:
    """The row of a question that is about to leave, holding a guess of what it will use. Raises BudgetSpent.

    `price` is what the guess costs; None: nobody knows, and then a budget in money lets nothing pass.
    """
    usage = most_used(ask)
    values = {"tokens_in": usage.tokens_in, "tokens_out": usage.tokens_out, "cost": price}
    if not ask.allowance:
        return _new(ask, model, **values)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [_LOCK % 2**31, ask.agent])
        _check(ask, model, usage.tokens_in + usage.tokens_out, price)
        return _new(ask, model, **values)


def most_used(ask: Ask) -> Usage:
    """What a request may use: its prompt, and the longest answer that it allows."""
    return Usage(sum(guessed_tokens(one.content) for one in ask.messages), ask.max_tokens, None, is_estimate=True)


def _check(ask: Ask, model: str, tokens: int, price: Decimal | None) -> None:
    used_tokens, used_cost = used_today(ask.agent)
    most = ask.allowance
    if most.tokens is not None and used_tokens + tokens > most.tokens:
        raise BudgetSpent(
            f"{used_tokens:,} of {most.tokens:,} tokens of today's budget are used, and this call may take {tokens:,}."
        )
    if most.cost is None:
        return
    if price is None:
        raise BudgetSpent(
            f"The budget is in dollars, but the price of {model} is unknown: set MINDX_MODEL_PRICES, or a"
            " budget in tokens."
        )
    if used_cost + price > most.cost:
        raise BudgetSpent(
            f"${used_cost:.4f} of ${most.cost:.2f} of today's budget are used, and this call may take ${price:.4f}."
        )


def used_today(agent: str) -> tuple[int, Decimal]:
    """Tokens and dollars of an agent since midnight (UTC), with what is under way by its guess."""
    return used_today_by([agent]).get(agent, (0, Decimal(0)))


def used_today_by(agents: Iterable[str]) -> dict[str, tuple[int, Decimal]]:
    """The same of several; who asked nothing is not among them."""
    rows = ModelCall.objects.filter(agent__in=list(agents), at__gte=_midnight()).order_by().values("agent")
    sums = rows.annotate(read=Sum("tokens_in"), written=Sum("tokens_out"), dollars=Sum("cost"))
    return {row["agent"]: (row["read"] + row["written"], row["dollars"] or Decimal(0)) for row in sums}


def _midnight() -> datetime:
    return timezone.now().astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def answered(call: ModelCall, said: Said, latency_ms: int, tries: int, *, is_kept: bool) -> None:
    """Close the row with its answer, which may be given again for a while when it `is_kept`."""
    call.state, call.answer, call.answered_by = _State.ANSWERED, said.text, said.model
    call.latency_ms, call.tries = latency_ms, tries
    if is_kept and settings.MODEL_CACHE_DAYS:
        call.fresh_until = timezone.now() + timedelta(days=settings.MODEL_CACHE_DAYS)
    _end(call, said.usage, "answer", "answered_by", "fresh_until")


def failed(call: ModelCall, error: ModelError, used: Usage, latency_ms: int, tries: int) -> None:
    """Close the row of a question that came to nothing: of what was set aside for it, only what it used stays."""
    call.state, call.failure, call.detail = _State.FAILED, error.code, str(error)
    call.latency_ms, call.tries = latency_ms, tries
    _end(call, used, "failure", "detail")


def _end(call: ModelCall, used: Usage, *told: str) -> None:
    call.tokens_in, call.tokens_out = used.tokens_in, used.tokens_out
    call.tokens_are_guessed, call.cost = used.is_estimate, used.cost
    names = ("state", "latency_ms", "tries", "tokens_in", "tokens_out", "tokens_are_guessed", "cost", *told)
    days.end_call(call.pk, {name: getattr(call, name) for name in names})


def _new(ask: Ask, model: str, **values: Any) -> ModelCall:
    """A row for a question; `values` are further columns of it."""
    row = ModelCall(
        purpose=ask.purpose, agent=ask.agent, goal=ask.goal, model=model, request_digest=digest(ask, model), **values
    )
    row.masked, row.asked_with, row.replay_of_id = ", ".join(ask.masked), _asked_with(ask), ask.replay_of
    row.messages = [{"role": one.role, "content": storable.text(one.content)} for one in ask.messages]
    as_json = {name: json.dumps(getattr(row, name)) for name in ("messages", "asked_with")}
    given = {name: getattr(row, name) for name in _WRITTEN} | as_json
    (row.pk,) = prepared.row(_INSERT, given) or (None,)
    row._state.adding, row._state.db = False, "default"
    return row


def _asked_with(ask: Ask) -> dict[str, Any]:
    """What a request says beside its messages, so that it can be sent again.

    Values are kept of the first prompt only: those of a repair hold what a model wrote.
    """
    prompts: list[dict[str, Any]] = [{"name": one.name, "version": one.version} for one in ask.prompts]
    if prompts:
        main, text = ask.prompts[0], ask.prompts[0].text.rstrip()
        # Else a secret was masked in it, and nobody can say any more where it ends.
        is_whole = bool(ask.messages) and ask.messages[0].content.startswith(text)
        prompts[0] |= {"values": dict(main.values), "chars": len(text) if is_whole else 0}
    return {"max_tokens": ask.max_tokens, "schema": ask.schema, "prompts": prompts}
