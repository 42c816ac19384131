"""Answers that are written while they are made, and answers that a browser must keep its hands off."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from typing import TypeVar
from urllib.parse import quote

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase

from agents.presentation import hidden

Response = TypeVar("Response", bound=HttpResponseBase)
Pieces = Iterable[bytes] | Iterable[str]


def streamed(request: HttpRequest, pieces: Pieces, content_type: str) -> StreamingHttpResponse:
    """A response that is never whole in memory.

    Django gathers an ordinary iterator completely before it sends it through ASGI, so there it gets an asynchronous
    one that takes each piece in the thread of the request.
    """
    iterator: Iterator[bytes | str] = iter(pieces)
    body = _in_thread(iterator) if isinstance(request, ASGIRequest) else iterator
    return StreamingHttpResponse(body, content_type=content_type)


def as_attachment(response: Response, name: str) -> Response:
    """Make the browser save the answer under `name` instead of showing it, whatever is in it.

    The name is given twice: harmless ASCII for old readers, and exactly (RFC 5987) for all others.
    """
    exact = hidden.visible_text(name.replace("/", "_").replace("\\", "_"))
    simple = "".join(char if char.isascii() and (char.isalnum() or char in " ._-") else "_" for char in exact)
    response["Content-Disposition"] = (
        f"attachment; filename=\"{simple.strip() or 'file'}\"; filename*=UTF-8''{quote(exact, safe='')}"
    )
    return untrusted(response)


def untrusted(response: Response) -> Response:
    """Foreign content has no rights should it be opened as a page. (Every answer forbids guessing its type.)"""
    response["Content-Security-Policy"] = "default-src 'none'; sandbox; frame-ancestors 'none'"
    response["Cache-Control"] = "private, no-store"
    return response


async def _in_thread(iterator: Iterator[bytes | str]) -> AsyncIterator[bytes | str]:
    def following() -> bytes | str | None:
        return next(iterator, None)

    while (piece := await sync_to_async(following)()) is not None:
        yield piece
