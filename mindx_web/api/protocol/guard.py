"""Checks around every operation of the API, before and after the operation itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, sync_to_async
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from mindx_web.api.protocol import problems
from mindx_web.api.protocol.auth import token_of
from mindx_web.api.protocol.problems import Problem, invalid
from people import idempotency
from people.models import AnsweredRequest

View = Callable[..., Any]

# Larger than any honest plan, too small to keep a JSON parser busy.
JSON_MAX_BYTES = 512 * 1024
_KEY_MAX = 180
_WITH_BODY = {"POST", "PUT", "PATCH"}


def guarded(view: View, *, takes_files: bool) -> View:
    """The view behind the checks. `takes_files`: its PUT accepts any bytes instead of JSON."""
    if iscoroutinefunction(view):

        async def answer_later(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            begun = await sync_to_async(_begin)(request, takes_files)
            if isinstance(begun, HttpResponse):
                return begun
            # A caller who disconnects cancels this request; its key must still get its answer.
            at_work = asyncio.ensure_future(_carry_out(begun, view(request, *args, **kwargs)))
            _at_work.add(at_work)
            at_work.add_done_callback(_at_work.discard)
            return await asyncio.shield(at_work)

        return _as_api(answer_later)

    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        begun = _begin(request, takes_files)
        if isinstance(begun, HttpResponse):
            return begun
        response: HttpResponseBase = view(request, *args, **kwargs)
        _finish(begun, response)
        return response

    return _as_api(answer)


# The event loop keeps only weak references to its tasks.
_at_work: set[asyncio.Future[HttpResponseBase]] = set()


async def _carry_out(begun: AnsweredRequest | None, answering: Awaitable[HttpResponseBase]) -> HttpResponseBase:
    response = await answering
    await sync_to_async(_finish)(begun, response)
    return response


def _as_api(view: View) -> View:
    """Without the cookie's login and without its CSRF token: the API reads neither."""
    view.csrf_exempt = True  # type: ignore[attr-defined]  # as Django's own decorator does
    return login_not_required(view)


def _begin(request: HttpRequest, takes_files: bool) -> HttpResponse | AnsweredRequest | None:
    """The stored answer if there is one, else the row of an idempotent request, else None."""
    try:
        _check_size(request, settings.UPLOAD_MAX_BYTES if takes_files and request.method == "PUT" else JSON_MAX_BYTES)
        _check_type(request, takes_files)
        _check_address(request)
        return _replayed(request)
    except Problem as problem:
        return problems.answer(problem, request)


def _check_size(request: HttpRequest, most: int) -> None:
    try:
        size = int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        raise Problem(400, "Content-Length is not a number.", kind="malformed") from None
    if size > most:
        raise Problem(413, f"The body has {size:,} bytes; {most:,} is the most here.", kind="too_large")


def _check_type(request: HttpRequest, takes_files: bool) -> None:
    if request.method not in _WITH_BODY or (takes_files and request.method == "PUT"):
        return
    has_body = bool(request.META.get("CONTENT_LENGTH") or 0) and request.META.get("CONTENT_LENGTH") != "0"
    if has_body and request.content_type != "application/json":
        raise Problem(415, "Send the body as application/json.", kind="unsupported_type")


def _check_address(request: HttpRequest) -> None:
    """Postgres cannot store U+0000, so nothing of that name exists and no search can use it."""
    if "\x00" in request.path_info:
        raise Problem(404, "There is nothing at this address.", kind="not_found")
    for name, values in request.GET.lists():
        if any("\x00" in value for value in values):
            raise invalid(name, "This holds the character U+0000. Remove it.")


def _replayed(request: HttpRequest) -> HttpResponse | AnsweredRequest | None:
    key = request.headers.get("Idempotency-Key", "")
    token = token_of(request) if key and request.method == "POST" else None
    if token is None:  # the operation itself answers 401
        return None
    if len(key) > _KEY_MAX or not key.isprintable():
        raise invalid("Idempotency-Key", f"An Idempotency-Key has at most {_KEY_MAX} printable characters.")
    fingerprint = idempotency.fingerprint_of("POST", request.get_full_path(), request.body)
    try:
        # Keys belong to a token: another token may lack the scope, and a stored answer does not check it.
        row = idempotency.begin(token.user, f"{token.pk}:{key}", fingerprint)
    except idempotency.KeyReused as error:
        raise Problem(422, str(error), kind="key_reused") from error
    except idempotency.StillAtWork as error:
        raise Problem(409, str(error), kind="still_at_work", headers={"Retry-After": "1"}) from error
    except idempotency.NotKept as error:
        raise Problem(409, str(error), kind="not_possible") from error
    if row.status is None:
        return row
    headers = {"Location": row.location} if row.location else {}
    return HttpResponse(row.body, status=row.status, content_type="application/json; charset=utf-8", headers=headers)


def _finish(begun: AnsweredRequest | None, response: HttpResponseBase) -> None:
    if begun is not None:
        body = response.content.decode() if isinstance(response, HttpResponse) else ""
        idempotency.finish(begun, response.status_code, location=response.headers.get("Location", ""), body=body)
