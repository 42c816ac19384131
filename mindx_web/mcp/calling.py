"""Asks an operation of the REST API within this process: the same view behind the same guard, with somebody's token.

Nothing is decided here. What the API refuses is refused, in its own words.
"""

from __future__ import annotations

import io
import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlencode, urlsplit

from asgiref.sync import async_to_sync, iscoroutinefunction, sync_to_async
from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.db import connections
from django.urls import resolve

from mindx_web.api.protocol import problems
from mindx_web.api.protocol.auth import token_of, unauthorized
from mindx_web.api.protocol.problems import Problem
from people.models import ApiToken

_API = "/api/v1/"
Result = TypeVar("Result")


@dataclass(frozen=True)
class Caller:
    """Whose token is used, and the network address it came from (wrong tokens are counted by it)."""

    secret: str
    came_from: str = "127.0.0.1"


@dataclass(frozen=True)
class Answer:
    """What the API said: its HTTP status and its JSON."""

    status: int
    data: dict[str, Any]

    @property
    def refused(self) -> bool:
        """Whether it is a problem document."""
        return self.status >= 400


def ask(
    caller: Caller,
    method: str,
    path: str,
    *,
    query: Mapping[str, Any] | None = None,
    body: Mapping[str, Any] | None = None,
    key: str = "",
) -> Answer:
    """Ask one operation, e.g. `ask(caller, "GET", "goals/1")`. `key` is its Idempotency-Key."""
    request = _request(caller, method, _API + path, query or {}, body, key)
    found = resolve(request.path_info)
    view = async_to_sync(found.func) if iscoroutinefunction(found.func) else found.func
    response = view(request, *found.args, **found.kwargs)
    problems.rewrite(response, request)
    return Answer(response.status_code, json.loads(response.content or b"{}"))


async def aside(work: Callable[..., Result], *given: Any, **named: Any) -> Result:
    """The work in a thread of its own; its database connection goes back when it is done, as after a request."""

    def done() -> Result:
        try:
            return work(*given, **named)
        finally:
            connections.close_all()

    # Clients wait in many calls at once, which must not queue for one thread.
    return await sync_to_async(done, thread_sensitive=False)()


def token(caller: Caller) -> ApiToken:
    """The valid token of the caller. Raises the Problem with which the API answers every other."""
    request = _request(caller, "GET", _API, {}, None, "")
    found = token_of(request)
    if found is None:
        raise unauthorized(request)
    return found


def refusal(problem: Problem) -> bytes:
    """The problem document of a request that reached no operation."""
    return problems.document(problem, _request(Caller(""), "GET", _API, {}, None, ""))


def _request(
    caller: Caller, method: str, path: str, query: Mapping[str, Any], body: Mapping[str, Any] | None, key: str
) -> WSGIRequest:
    public = urlsplit(settings.PUBLIC_URL)
    sent = json.dumps(body).encode() if body is not None else b""
    environ: dict[str, Any] = {
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "QUERY_STRING": urlencode({name: value for name, value in query.items() if value is not None}),
        "SERVER_NAME": public.hostname or "localhost",
        "SERVER_PORT": str(public.port or 80),
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": caller.came_from,
        "wsgi.input": io.BytesIO(sent),
        "wsgi.url_scheme": public.scheme,
    }
    if caller.secret:
        environ["HTTP_AUTHORIZATION"] = f"Bearer {caller.secret}"
    if sent:
        environ |= {"CONTENT_TYPE": "application/json", "CONTENT_LENGTH": str(len(sent))}
    if key:
        environ["HTTP_IDEMPOTENCY_KEY"] = key
    request = WSGIRequest(environ)
    request.request_id = str(uuid.uuid4())  # type: ignore[attr-defined]  # as the edge of the API gives it
    return request
