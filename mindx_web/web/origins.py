"""Which pages may open a live socket: those of this very origin, and those of the public address.

The cookie goes along from every port of the same host, so the host alone proves nothing. The rule is the one by which
Django believes a form: the page's scheme, host and port are those that the request was sent to, or a trusted origin.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http.request import split_domain_port, validate_host

Application = Callable[[Any, Any, Any], Awaitable[Any]]
_PORTS = {"http": 80, "https": 443}


class SameOrigin:
    """ASGI middleware: refuses the handshake of a socket that a page of another origin opens."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> Any:
        origins = [value.decode("latin-1") for name, value in scope["headers"] if name == b"origin"]
        hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        scheme = "https" if scope.get("scheme") == "wss" else "http"
        one = len(origins) == len(hosts) == 1
        if one and is_ours(origins[0], scheme, hosts[0], settings.ALLOWED_HOSTS, settings.CSRF_TRUSTED_ORIGINS):
            return await self._application(scope, receive, send)
        await receive()
        await send({"type": "websocket.close"})
        return None


def is_ours(origin: str, scheme: str, host: str, allowed_hosts: Iterable[str], trusted: Collection[str]) -> bool:
    """Whether a page of `origin` may open a socket by a request to `host` (a Host header) over `scheme`."""
    asking = _parts(origin)
    if asking is None:
        return False
    if any(asking == _parts(each) for each in trusted):
        return True
    domain, _ = split_domain_port(host)
    return bool(domain) and validate_host(domain, list(allowed_hosts)) and asking == _parts(f"{scheme}://{host}")


def _parts(origin: str) -> tuple[str, str, int] | None:
    """Scheme, host and port; None for what is no origin of a web page (`null`, a file, a broken port)."""
    try:
        parts = urlsplit(origin)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _PORTS or not parts.hostname or parts.path or parts.query or parts.username is not None:
        return None
    return parts.scheme, parts.hostname, port or _PORTS[parts.scheme]
