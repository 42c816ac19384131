"""Whose word about a client's address counts: that of a proxy which the operator named, and nobody else's."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.handlers.asgi import ASGIRequest
from django.test import RequestFactory
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from mindx_web.asgi import application
from people.addresses import client_address, shared_by_one_client

CLIENT = "9.9.9.9"


def address_behind(trusted: ProxyHeadersMiddleware, peer: str, *forwarded: str) -> str:
    """The address that a view is told, for a request from `peer` with these headers."""
    found: list[str] = []

    async def view(scope: Any, receive: Any, send: Any) -> None:
        found.append(client_address(ASGIRequest(scope, BytesIO())))

    scope = {
        "type": "http",
        "method": "GET",
        "path": "/",
        "query_string": b"",
        "headers": [(b"x-forwarded-for", value.encode()) for value in forwarded],
        "client": (peer, 1234),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trusted, "app", view)
        async_to_sync(trusted)(scope, None, None)  # type: ignore[arg-type]  # the view neither receives nor sends
    return found[0]


@pytest.mark.parametrize("peer", ["127.0.0.1", "10.0.0.1", "::1"])
def test_nobody_is_believed_about_an_address_unless_named(peer: str) -> None:
    assert address_behind(application, peer, CLIENT) == peer


def test_a_named_proxy_is_believed_about_the_last_address_before_it() -> None:
    behind = ProxyHeadersMiddleware(application.app, ["10.0.0.0/8"])
    assert address_behind(behind, "10.0.0.1", CLIENT) == CLIENT
    assert address_behind(behind, "10.0.0.1", CLIENT, "10.0.0.2") == CLIENT
    assert address_behind(behind, "10.0.0.1", f"1.2.3.4, {CLIENT}, 10.0.0.2") == CLIENT, "not what the client had sent"
    assert address_behind(behind, "127.0.0.1", CLIENT) == "127.0.0.1"


@pytest.mark.parametrize(
    ("told", "address", "one_client"),
    [
        ("192.0.2.7", "192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7", "192.0.2.7"),
        ("2001:DB8:0:1:2:3:4:5", "2001:db8:0:1:2:3:4:5", "2001:db8:0:1::/64"),
        ("fe80::1%eth0", "fe80::1", "fe80::/64"),
        ("", "", "unknown"),
        ("'; DROP TABLE", "", "unknown"),
    ],
)
def test_an_address_has_one_spelling(told: str, address: str, one_client: str) -> None:
    found = client_address(RequestFactory().get("/", REMOTE_ADDR=told))
    assert (found, shared_by_one_client(found)) == (address, one_client)
