"""A framework of our own for the tests: a loop as simple as one can be, whose messages are its checkpoint."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, ClassVar, Self

from agents.frameworks.contract import (
    Answered,
    Ask,
    Brief,
    Call,
    Finished,
    Interrupted,
    Json,
    Outcome,
    Question,
    Said,
    Waits,
)


class Double:
    """Asks its model with all that was said, and stands still where that calls something."""

    name: ClassVar[str] = "langgraph"

    def __init__(self, brief: Brief, ask: Ask) -> None:
        self._brief, self._ask = brief, ask
        self._interrupted = threading.Event()

    @classmethod
    def create(cls, brief: Brief, ask: Ask) -> Self:
        return cls(brief, ask)

    def run(self) -> Outcome:
        return self._think([Said("user", self._brief.task)])

    def resume(self, checkpoint: Json, answered: Sequence[Answered]) -> Outcome:
        told = [Said("tool", one.text, call_id=one.call.id, failed=one.failed) for one in answered]
        return self._think([*map(_said, checkpoint), *told])

    def interrupt(self) -> None:
        self._interrupted.set()

    def close(self) -> None:
        """It holds nothing."""

    def _think(self, messages: list[Said]) -> Outcome:
        reply = self._ask(Question(tuple(messages), self._brief.tools))
        if self._interrupted.is_set():
            raise Interrupted("the double was interrupted")
        if reply.call is None:
            return Finished(reply.text)
        messages.append(Said("assistant", reply.text, (reply.call,)))
        return Waits((reply.call,), [_plain(one) for one in messages])


def _plain(said: Said) -> dict[str, Any]:
    calls = [{"id": one.id, "name": one.name, "arguments": dict(one.arguments)} for one in said.calls]
    return {"role": said.role, "text": said.text, "calls": calls, "call_id": said.call_id, "failed": said.failed}


def _said(plain: dict[str, Any]) -> Said:
    calls = tuple(Call(one["id"], one["name"], one["arguments"]) for one in plain["calls"])
    return Said(plain["role"], plain["text"], calls, plain["call_id"], plain["failed"])
