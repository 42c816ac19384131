"""What mindX asks the provider: bounded in time as a whole, in size, and in how many requests ask at once.

Anybody may start a sign-in, so a slow provider must not be a way to hold all threads of the web process.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection

from people.oidc.configuration import is_safe
from people.timed_sockets import TimedSocket, left_s

# For everything that one request of a browser asks the provider: discovery, token, keys and userinfo.
WHOLE_S = 10.0
AT_ONCE = 4
_ANSWER_BYTES_MAX = 1024 * 1024

_until: ContextVar[float] = ContextVar("oidc_until")
_places = threading.BoundedSemaphore(AT_ONCE)


class TooMany(Exception):
    """As many sign-ins as may ask the provider at once are doing so."""


@contextmanager
def bounded() -> Iterator[None]:
    """Around all that a request asks the provider. Raises TooMany at once rather than let the request wait."""
    if not _places.acquire(blocking=False):
        raise TooMany
    token = _until.set(time.monotonic() + WHOLE_S)
    try:
        yield
    finally:
        _until.reset(token)
        _places.release()


class BoundedSession(requests.Session):
    """Follows no redirect, and reads neither for ever nor more than an answer of this kind can have."""

    def __init__(self) -> None:
        super().__init__()
        for scheme in ("http://", "https://"):
            self.mount(scheme, _TimedAdapter())

    def request(self, method: Any, url: Any, *args: Any, **also: Any) -> requests.Response:
        """As ever; raises `RequestException` where a bound is passed."""
        if not is_safe(url):
            raise requests.RequestException("an address of the provider does not begin with https://")
        try:
            also |= {"allow_redirects": False, "stream": True, "timeout": left_s(_until.get())}
            response = super().request(method, url, *args, **also)
        except TimeoutError as error:
            raise requests.Timeout("the provider's answer takes too long") from error
        body = b""
        with response:
            for part in response.iter_content(64 * 1024):
                body += part
                if len(body) > _ANSWER_BYTES_MAX:
                    raise requests.RequestException("the provider's answer is too large")
        response._content = body  # what has been streamed has no content otherwise
        return response


class _Connection(HTTPConnection):
    def connect(self) -> None:
        super().connect()
        self.sock = TimedSocket(self.sock, _until.get())


class _TlsConnection(HTTPSConnection):
    def connect(self) -> None:
        super().connect()
        self.sock = TimedSocket(self.sock, _until.get())


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _TlsPool(HTTPSConnectionPool):
    ConnectionCls = _TlsConnection


class _TimedAdapter(HTTPAdapter):
    def init_poolmanager(self, *args: Any, **also: Any) -> None:
        super().init_poolmanager(*args, **also)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _TlsPool}

    def proxy_manager_for(self, *args: Any, **also: Any) -> Any:
        manager = super().proxy_manager_for(*args, **also)
        manager.pool_classes_by_scheme = {"http": _Pool, "https": _TlsPool}
        return manager
