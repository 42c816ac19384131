"""The two addresses of A2A: the public card, and the endpoint that takes JSON-RPC with a token."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_not_required
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET

from mindx_web.api.protocol import problems
from mindx_web.api.protocol.auth import REALM, token_of, unauthorized
from mindx_web.api.protocol.body import read_json
from mindx_web.api.protocol.composition import problem_of
from mindx_web.api.protocol.guard import JSON_MAX_BYTES
from mindx_web.api.protocol.problems import Problem
from mindx_web.api.review import waiting
from mindx_web.interop.a2a import errors, methods, shapes, streams, tasks
from mindx_web.interop.a2a.card import PROTOCOL, card
from mindx_web.interop.a2a.errors import A2AError, Kind
from mindx_web.interop.a2a.methods import ScopeMissing
from people.models import ApiToken

logger = logging.getLogger(__name__)

# The official client's own patience is five seconds; what is not settled by then is asked for again.
WAIT_S = 4.0
_FIRST_LOOK_S = 0.05
_CALMEST_LOOK_S = 0.4
# A comment of server-sent events: who waits knows that the line holds, and who went away is found out.
_BEAT = ": \n\n"


@login_not_required
@require_GET
def agent_card(request: HttpRequest) -> HttpResponse:
    """What mindX offers."""
    response = JsonResponse(card())
    response.headers["Cache-Control"] = "public, max-age=300"
    return response


@csrf_exempt
@login_not_required
async def endpoint(request: HttpRequest) -> HttpResponseBase:
    """One JSON-RPC request, answered with one object or with a stream of them. No cookie is looked at."""
    if request.method != "POST":
        return HttpResponse(status=405, headers={"Allow": "POST"})
    asked: Any = None
    try:
        token = await sync_to_async(_token)(request)
        asked = await sync_to_async(_asked)(request)
        method, params = asked.get("method"), asked.get("params", {})
        if method in streams.METHODS:
            return await _stream(request, asked["id"], streams.events(token, method, params))
        result = await _result(token, method, params)
    except Exception as error:  # the edge: what a service refuses is told, what nobody knows is logged
        refused = _refused(request, error)
        return refused if isinstance(refused, HttpResponse) else _answer(asked, error=refused.as_json())
    return _answer(asked, result=result)


def _refused(request: HttpRequest, error: Exception) -> HttpResponse | A2AError:
    """What to answer instead: a problem of HTTP, or an error of the protocol."""
    if isinstance(error, A2AError):
        return error
    if isinstance(error, ScopeMissing):
        scope = f'{REALM}, error="insufficient_scope", scope="{error.scope}"'
        problem = Problem(403, str(error), kind="insufficient_scope", headers={"WWW-Authenticate": scope})
        return problems.answer(problem, request)
    problem = problem_of(request, error)
    if problem.status in (401, 403, 413, 429, 503):
        return problems.answer(problem, request)
    return errors.of(problem)


async def _stream(
    request: HttpRequest, number: str | int, events: AsyncGenerator[streams.Event | None]
) -> StreamingHttpResponse:
    """The events as they come. What the first one is refused with is raised: it has a status of HTTP."""
    first = await anext(events)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    written = _written(request, number, first, events)
    return StreamingHttpResponse(written, content_type="text/event-stream", headers=headers)


async def _written(
    request: HttpRequest, number: str | int, first: streams.Event | None, events: AsyncGenerator[streams.Event | None]
) -> AsyncGenerator[str]:
    # However the client goes, the place of its stream is given back at once.
    async with aclosing(events):
        try:
            yield _event(number, result=first)
            async for event in events:
                yield _BEAT if event is None else _event(number, result=event)
        except Exception as error:  # the edge: the status is sent already, so an error is the last event
            refused = _refused(request, error)
            ended = (
                refused if isinstance(refused, A2AError) else A2AError(Kind.INTERNAL, "Subscribe again in a moment.")
            )
            yield _event(number, error=ended.as_json())


def _event(number: str | int, **told: Any) -> str:
    return f"data: {json.dumps({'jsonrpc': '2.0', 'id': number, **told})}\n\n"


def _token(request: HttpRequest) -> ApiToken:
    token = token_of(request)
    if token is None:
        raise unauthorized(request)
    request.user = token.user
    version = request.headers.get("A2A-Version", "")
    if version.partition(".")[0] != PROTOCOL.partition(".")[0]:
        raise A2AError(Kind.VERSION, f"mindX speaks A2A {PROTOCOL}; send A2A-Version: {PROTOCOL}.")
    return token


def _asked(request: HttpRequest) -> dict[str, Any]:
    if len(request.body) > JSON_MAX_BYTES:
        raise Problem(413, f"A message has at most {JSON_MAX_BYTES:,} bytes.", kind="too_large")
    asked = read_json(request.body)
    if not isinstance(asked, dict) or asked.get("jsonrpc") != "2.0":
        raise A2AError(Kind.REQUEST, 'A request is one object with "jsonrpc": "2.0".')
    if not isinstance(asked.get("id"), str | int) or isinstance(asked.get("id"), bool):
        raise A2AError(Kind.REQUEST, "A request has an id.")
    return asked


async def _result(token: ApiToken, method: object, params: Any) -> dict[str, Any]:
    """What the method answers; a message, unless it asks otherwise, when its task is over or waits for somebody."""
    call = sync_to_async(methods.call)
    if method != "SendMessage" or not _waits(params):
        return await call(method, token, params)
    with waiting.place(token.user_id):
        begun = await call(method, token, params)
        code = begun["task"]["id"]
        until, pause = time.monotonic() + WAIT_S, _FIRST_LOOK_S
        while time.monotonic() < until and not await sync_to_async(_is_at_rest)(code):
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, _CALMEST_LOOK_S)
        history = shapes.read(shapes.Send, params).configuration.history_length
        return {"task": await sync_to_async(methods.told)(token, code, history)}


def _waits(params: Any) -> bool:
    told = params.get("configuration") if isinstance(params, dict) else None
    return not (isinstance(told, dict) and (told.get("returnImmediately") or told.get("return_immediately")))


def _is_at_rest(code: str) -> bool:
    try:
        return tasks.is_at_rest(code)
    finally:
        # The wait is long: the connection is held for the question only.
        connection.close()


def _answer(asked: Any, **told: Any) -> JsonResponse:
    found = asked.get("id") if isinstance(asked, dict) else None
    number = found if isinstance(found, str | int) else None
    response = JsonResponse({"jsonrpc": "2.0", "id": number, **told})
    response.headers["Cache-Control"] = "no-store"
    return response
