"""A browser that asks for an address which only takes forms: it is told where the form is, instead of nothing at all.

People come there by an address that they copied, by a bookmark, or when their browser opens its tabs again.
"""

from __future__ import annotations

from http import HTTPStatus
from pathlib import PurePosixPath

from asgiref.sync import sync_to_async
from django.http import HttpRequest
from django.http.response import HttpResponse, HttpResponseBase
from django.urls import Resolver404, resolve

from mindx_web.views import errors
from mindx_web.web.middleware import Around


class PostOnly(Around):
    """See the module."""

    def now(self, request: HttpRequest) -> HttpResponseBase:
        """Answer it."""
        return _explained(request, self.get_response(request))

    async def later(self, request: HttpRequest) -> HttpResponseBase:
        """As `now`."""
        response = await self.get_response(request)
        return await sync_to_async(_explained)(request, response) if _is_bare(request, response) else response


def _is_bare(request: HttpRequest, response: HttpResponseBase) -> bool:
    refused = response.status_code == HTTPStatus.METHOD_NOT_ALLOWED and request.method in ("GET", "HEAD")
    is_page = not request.path.startswith(errors.API_PREFIX)
    return refused and is_page and isinstance(response, HttpResponse) and not response.content


def _explained(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    if not _is_bare(request, response):
        return response
    page = errors.respond(request, errors.POST_ONLY, way_on=_above(request.path))
    page.headers["Allow"] = response.headers["Allow"]
    return page


def _above(path: str) -> str:
    """The nearest address above this one that leads anywhere: there the form is."""
    for parent in PurePosixPath(path).parents:
        for address in (f"{parent}/".replace("//", "/"), str(parent)):
            try:
                resolve(address)
            except Resolver404:
                continue
            return address
    return "/"
