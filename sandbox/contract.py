"""What callers and the jail agree on: limits, session state, requests and results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


class SandboxError(Exception):
    """The sandbox itself failed; the step neither succeeded nor failed."""


class SandboxUnavailable(SandboxError):
    """No jail of the wanted level is available here; the message says why and what to do."""


@dataclass(frozen=True)
class Limits:
    """The limits of one session. Sizes in bytes, times in seconds."""

    memory_bytes: int = 1 << 30
    processes: int = 128
    cpus: float = 1.0
    descriptors: int = 1024
    file_bytes: int = 256 << 20
    workspace_bytes: int = 1 << 30
    workspace_files: int = 50_000
    output_bytes: int = 1 << 20
    output_file_bytes: int = 64 << 20
    soft_s: float = 30.0
    hard_s: float = 300.0


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True)
class SessionState:
    """What a session remembers between commands.

    `cwd` and `venv` are posix paths relative to the workspace's root; "" is the root itself.
    """

    cwd: str = ""
    venv: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    autonomous: bool = False

    def to_json(self) -> dict[str, Any]:
        return {"cwd": self.cwd, "venv": self.venv, "env": dict(self.env), "autonomous": self.autonomous}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SessionState:
        return cls(
            cwd=str(data.get("cwd", "")),
            venv=data.get("venv"),
            env={str(name): str(value) for name, value in dict(data.get("env") or {}).items()},
            autonomous=data.get("autonomous") is True,
        )


@dataclass(frozen=True)
class Request:
    """One session command with its parameters, as in an intent."""

    command: str
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Result:
    """The result of a command. An ERROR is the step's own failure, never the sandbox's (that is SandboxError)."""

    status: str
    data: dict[str, Any]
    error_class: str | None = None
    reason: str = ""
    level: str = "L3"
    limit: str | None = None
    duration_s: float = 0.0

    @property
    def ok(self) -> bool:
        return self.status == "SUCCESS"

    def as_json(self) -> dict[str, Any]:
        """The flat form for people and programs: status first, then the command's answer."""
        answer: dict[str, Any] = {"status": self.status, **self.data}
        if self.error_class is not None:
            answer |= {"error_class": self.error_class, "reason": self.reason}
        if self.limit is not None:
            answer["limit"] = self.limit
        return answer | {"level": self.level, "duration_s": round(self.duration_s, 6)}
