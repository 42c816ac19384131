"""What happened at the gate since the last call, in the form of a command's result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_MOST_REFUSED = 50
_MOST_DOWNLOADS = 500
_MOST_NAME_CHARS = 253


@dataclass
class Traffic:
    """Connections to one host and port, and the bytes that went each way."""

    connections: int = 0
    sent_bytes: int = 0
    received_bytes: int = 0


class Notes:
    """Used only from the gate's own thread. Limited, because a program decides how much happens."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._refused: dict[tuple[str, int | None], str] = {}
        self._downloads: list[dict[str, Any]] = []
        self._hosts: dict[str, Traffic] = {}
        self._left_out = 0

    def refused(self, host: str, port: int | None, why: str = "") -> None:
        """`why` is only for an approved host that could not be reached."""
        key = (host[:_MOST_NAME_CHARS], port)
        if key in self._refused or len(self._refused) < _MOST_REFUSED:
            self._refused.setdefault(key, why)
        else:
            self._left_out += 1

    def downloaded(self, file: str, sha256: str, size_bytes: int, cached: bool) -> None:
        said = {"file": file, "sha256": sha256, "size_bytes": size_bytes, "cached": cached}
        if len(self._downloads) < _MOST_DOWNLOADS:
            self._downloads.append(said)
        else:
            self._left_out += 1

    def traffic(self, host: str) -> Traffic:
        """The counts of a host such as `127.0.0.1:8123`. There are no more of them than approved ones."""
        return self._hosts.setdefault(host, Traffic())

    def take(self) -> dict[str, Any]:
        """All of it, {} when nothing happened; from then on nothing has."""
        refused = [
            {"host": host, "port": port} | ({"why": why} if why else {}) for (host, port), why in self._refused.items()
        ]
        hosts = [{"host": host, **vars(traffic)} for host, traffic in sorted(self._hosts.items())]
        said = {"refused": refused, "downloads": self._downloads, "hosts": hosts, "left_out": self._left_out}
        self._forget()
        if not (refused or said["downloads"] or hosts):
            return {}
        return {name: value for name, value in said.items() if name != "left_out" or value}
