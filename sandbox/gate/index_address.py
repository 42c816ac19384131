"""The operator's package index: its address, credentials, and trusted certificates."""

from __future__ import annotations

import base64
import configparser
import ipaddress
import os
import ssl
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

_PYPI = "https://pypi.org/simple/"
_PORTS = {"https": 443, "http": 80}


class IndexRefused(Exception):
    """The operator's index cannot be used; the message never contains the user or password of its address."""


@dataclass(frozen=True)
class Origin:
    """Scheme, host and port of an address: what a connection is made to."""

    scheme: str
    host: str
    port: int


@dataclass(frozen=True)
class IndexAddress:
    """`url` ends in a slash and has no user in it; `authorization` is the header for its origin and no other."""

    url: str
    origin: Origin
    authorization: str | None = field(default=None, repr=False)
    certificates: str | None = None

    @property
    def tls(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.certificates)

    def lets(self, origin: Origin) -> bool:
        """Whether its scheme allows fetching: encrypted, or the index on this machine."""
        return origin.scheme == "https" or origin == self.origin


def find(environment: Mapping[str, str] = os.environ) -> IndexAddress:
    """MINDX_PACKAGE_INDEX, else what the operator's pip uses, else PyPI. Raises IndexRefused."""
    settings = _pip_settings(environment)
    text = environment.get("MINDX_PACKAGE_INDEX") or settings.get("index-url") or _PYPI
    return _address(text, settings.get("cert"))


def origin_of(url: str) -> Origin:
    """Raises ValueError for an address that is not HTTP or HTTPS."""
    parts = urlsplit(url)
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ValueError("no address of the web")
    return Origin(parts.scheme, parts.hostname, parts.port or _PORTS[parts.scheme])


def _address(text: str, certificates: str | None) -> IndexAddress:
    try:
        parts, origin = urlsplit(text), origin_of(text)
    except ValueError as error:
        raise IndexRefused("the address of the package index cannot be read") from error
    if origin.scheme != "https" and not _is_loopback(origin.host):
        raise IndexRefused(f"the package index {origin.host} is not encrypted (https)")
    bare = SplitResult(parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/") + "/", "", "")
    return IndexAddress(bare.geturl(), origin, _authorization(parts), certificates)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _authorization(parts: SplitResult) -> str | None:
    if parts.username is None:
        return None
    told = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return "Basic " + base64.b64encode(told.encode()).decode("ascii")


def _pip_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """`index-url` and `cert` as pip finds them: its files, the later ones winning, then the environment."""
    found: dict[str, str] = {}
    for path in _pip_files(environment):
        parser = configparser.RawConfigParser()
        with suppress(OSError, configparser.Error, UnicodeDecodeError):
            parser.read(path, encoding="utf-8")
        for section in ("global", "install"):
            if parser.has_section(section):
                found |= {name.replace("_", "-"): value for name, value in parser.items(section)}
    named = {"index-url": environment.get("PIP_INDEX_URL"), "cert": environment.get("PIP_CERT")}
    return found | {name: value for name, value in named.items() if value}


def _pip_files(environment: Mapping[str, str]) -> Iterator[Path]:
    home = Path(environment.get("HOME") or "/nonexistent")
    yield Path("/etc/pip.conf")
    yield home / ".pip" / "pip.conf"
    yield Path(environment.get("XDG_CONFIG_HOME") or home / ".config") / "pip" / "pip.conf"
    yield Path(sys.prefix) / "pip.conf"
    if named := environment.get("PIP_CONFIG_FILE"):
        yield Path(named)
