"""Members that answer within a worker: parts of mindX that only read, behind one small Protocol.

They are connected once, where mindX is put together (`mindx_web.wiring`), and registered on the bus by themselves
(`agents.bus.in_step`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from agents.bus.members import Offer
from agents.models import BusRequest, Goal, Workspace
from people.models import User


@dataclass(frozen=True)
class Asked:
    """What a provider is asked. `content` is untrusted text. It acts with the rights of `by`, and no others.

    Its own requests of the bus stand below this one by themselves. `id` and `attempt` name the try.
    """

    id: int
    by: User
    capability: str
    content: Mapping[str, Any]
    task: str = ""
    why: str = ""
    attempt: int = 1
    deadline: datetime | None = None
    parent: Goal | None = None
    workspace: Workspace | None = None
    request: BusRequest | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Answer:
    """The outcome: a result, or why there is none."""

    result: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""
    succeeded: bool = True

    @classmethod
    def refused(cls, reason: str, **result: Any) -> Answer:
        """It was understood and cannot be done; the reason is for people. It counts in the member's record."""
        return cls(result, reason, succeeded=False)


class Provider(Protocol):
    """Answers requests. An exception means that it could not answer at all: that counts for its breaker, and the
    request is tried again as far as the capability's effect allows.
    """

    def answer(self, request: Asked) -> Answer:
        """Answer one request. It may take its time: the lease is kept alive beside it."""
        ...


class ProviderUnavailable(Exception):
    """The provider cannot answer anything at the moment; the message says why."""


@dataclass(frozen=True)
class Connected:
    """A provider with what it says of itself on the bus."""

    name: str
    description: str
    offers: Sequence[Offer]
    provider: Provider


_connected: dict[str, Connected] = {}
_answering: ContextVar[BusRequest | None] = ContextVar("bus_request_being_answered", default=None)


def connect(one: Connected) -> None:
    """Have this provider answer in this process, in place of one of the same name."""
    _connected[one.name] = one


def disconnect(name: str) -> None:
    """Have it answer no more in this process. For tests."""
    _connected.pop(name, None)


def connected() -> Mapping[str, Connected]:
    """The providers of this process by the name of their member."""
    return dict(_connected)


def being_answered() -> BusRequest | None:
    """The request that is answered in this context: what is asked meanwhile stands below it."""
    return _answering.get()


@contextmanager
def answering(request: BusRequest) -> Iterator[None]:
    """Within this block the request is being answered."""
    token = _answering.set(request)
    try:
        yield
    finally:
        _answering.reset(token)
