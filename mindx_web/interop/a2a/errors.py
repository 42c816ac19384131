"""Errors of A2A: JSON-RPC codes with a reason that clients recognise (A2A 1.0, 5.4 and 9.5)."""

from __future__ import annotations

from enum import Enum
from typing import Any

from mindx_web.api.protocol.problems import Problem

_DOMAIN = "a2a-protocol.org"
_INFO = "type.googleapis.com/google.rpc.ErrorInfo"


class Kind(Enum):
    """Code and reason."""

    PARSE = (-32700, "JSON_PARSE_ERROR")
    REQUEST = (-32600, "INVALID_REQUEST")
    METHOD = (-32601, "METHOD_NOT_FOUND")
    PARAMS = (-32602, "INVALID_PARAMS")
    INTERNAL = (-32603, "INTERNAL_ERROR")
    NO_TASK = (-32001, "TASK_NOT_FOUND")
    NOT_CANCELABLE = (-32002, "TASK_NOT_CANCELABLE")
    NO_PUSH = (-32003, "PUSH_NOTIFICATION_NOT_SUPPORTED")
    UNSUPPORTED = (-32004, "UNSUPPORTED_OPERATION")
    CONTENT_TYPE = (-32005, "CONTENT_TYPE_NOT_SUPPORTED")
    NO_EXTENDED_CARD = (-32007, "EXTENDED_AGENT_CARD_NOT_CONFIGURED")
    VERSION = (-32009, "VERSION_NOT_SUPPORTED")


class A2AError(Exception):
    """An answer with an error. `told`: a sentence for people."""

    def __init__(self, kind: Kind, told: str) -> None:
        super().__init__(told)
        self.kind = kind
        self.told = told

    def as_json(self) -> dict[str, Any]:
        """The error object of JSON-RPC."""
        code, reason = self.kind.value
        return {
            "code": code,
            "message": self.told,
            "data": [{"@type": _INFO, "reason": reason, "domain": _DOMAIN}],
        }


def of(problem: Problem) -> A2AError:
    """What a problem of the API is here."""
    if problem.status >= 500:
        return A2AError(Kind.INTERNAL, problem.detail)
    kind = {"malformed": Kind.PARSE, "duplicate_key": Kind.PARSE, "too_large": Kind.REQUEST}.get(problem.kind)
    return A2AError(kind or Kind.PARAMS, problem.detail)
