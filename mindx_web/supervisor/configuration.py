"""What the environment says about a start."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]


class ConfigurationError(Exception):
    """The environment asks for something that cannot be; the message says what."""


def data_of(environment: Mapping[str, str]) -> Path:
    """The data folder."""
    return Path(environment.get("MINDX_DATA") or PROJECT / ".mindx").absolute()


@dataclass(frozen=True)
class Configuration:
    """One start. A URL that is set means: use that server and start none."""

    data: Path
    bind: str
    port: int
    public_url: str
    database_url: str
    redis_url: str

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Configuration:
        """Read it. Raises ConfigurationError."""
        port_text = environment.get("MINDX_PORT") or "8000"
        if not port_text.isascii() or not port_text.isdigit() or not 0 < int(port_text) < 65536:
            raise ConfigurationError(f"MINDX_PORT must be a number from 1 to 65535, not {port_text!r}.")
        port = int(port_text)
        return cls(
            data=data_of(environment),
            bind=environment.get("MINDX_BIND") or "127.0.0.1",
            port=port,
            public_url=(environment.get("MINDX_PUBLIC_URL") or f"http://127.0.0.1:{port}").rstrip("/") + "/",
            database_url=environment.get("DATABASE_URL", ""),
            redis_url=environment.get("REDIS_URL", ""),
        )

    @property
    def own_address(self) -> str:
        """Where this machine itself reaches the web part."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.bind, self.bind)  # noqa: S104  # read, not bound
        return f"[{host}]:{self.port}" if ":" in host else f"{host}:{self.port}"

    def check_port(self) -> None:
        """Raises ConfigurationError when the web part could not listen."""
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(
                self.bind, self.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            with socket.socket(family, kind, protocol) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
        except OSError as error:
            raise ConfigurationError(
                f"mindX cannot listen on {self.bind}, port {self.port}: {error.strerror or error}. "
                f"Free it or choose another port, for example: MINDX_PORT={self.port % 65535 + 1} make up"
            ) from error
