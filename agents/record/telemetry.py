"""What a goal goes through as one trace, and whose work a log line belongs to.

A goal's trace is derived from its id, so that web and workers write into the same one and no message carries it: losing
a wake-up loses no span. Without a provider (nobody set an endpoint) a span only names whose work this is, for the logs.

Attributes are numbers and words of our own code. Arguments and texts are added only where an operator asked for them.
"""

from __future__ import annotations

import hmac
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from functools import wraps
from types import MappingProxyType
from typing import Any, Concatenate, ParamSpec, TypeVar

from django.conf import settings
from django.db import transaction
from opentelemetry import trace
from opentelemetry.trace import NonRecordingSpan, Span, SpanContext, Status, StatusCode, TraceFlags, Tracer

from agents.bdi.plans.document import IntentSpec

CONTENT_MAX = 4_096
_NANO = 1_000_000_000
_ids: ContextVar[Mapping[str, object]] = ContextVar("mindx_ids", default=MappingProxyType({}))
# The span id that the next span must have: that of its goal's root, which others were derived from before it was there.
root_wanted: ContextVar[SpanContext | None] = ContextVar("mindx_root", default=None)
_tracer: Tracer | None = None
_has_content = False

P = ParamSpec("P")
R = TypeVar("R")


def use(tracer: Tracer | None, *, content: bool = False) -> None:
    """From now on spans go to this tracer; None: to nobody. `content`: arguments and texts go along."""
    global _tracer, _has_content
    _tracer, _has_content = tracer, content


def ids() -> Mapping[str, object]:
    """Whose work is being done: goal, plan, intent, worker, and the ids of the trace."""
    span = trace.get_current_span().get_span_context()
    found = dict(_ids.get())
    if span.is_valid:
        found |= {"trace_id": f"{span.trace_id:032x}", "span_id": f"{span.span_id:016x}"}
    return found


class working_on:  # a context manager, and not a generator: every step opens some
    """Log lines inside belong to these ids as well."""

    __slots__ = ("_more", "_token")

    def __init__(self, **more: object) -> None:
        self._more = more

    def __enter__(self) -> None:
        self._token = _ids.set({**_ids.get(), **self._more})

    def __exit__(self, *_: object) -> None:
        _ids.reset(self._token)


@contextmanager
def span(
    name: str, goal_id: int, said: Mapping[str, Any] | None = None, *, since: datetime | None = None
) -> Iterator[Span]:
    """A part of the goal's way, from now (or from an earlier moment) on, below whatever part is open here.

    An exception marks it as failed by its class alone: messages of exceptions hold texts.
    """
    with working_on(goal=goal_id):
        if _tracer is None:
            yield NonRecordingSpan(trace.INVALID_SPAN_CONTEXT)
            return
        here = trace.get_current_span().get_span_context()
        root = root_of(goal_id)
        # A worker goes from goal to goal: what is open must be of this one.
        above = None if here.trace_id == root.trace_id else trace.set_span_in_context(NonRecordingSpan(root))
        with _tracer.start_as_current_span(
            name,
            context=above,
            attributes={"mindx.goal.id": goal_id, "gen_ai.conversation.id": str(goal_id), **(said or {})},
            start_time=int(since.timestamp() * _NANO) if since is not None else None,
            record_exception=False,
            set_status_on_exception=False,
        ) as opened:
            try:
                yield opened
            except BaseException as error:
                opened.set_attribute("error.type", type(error).__name__)
                opened.set_status(Status(StatusCode.ERROR))
                raise


def root_of(goal_id: int) -> SpanContext:
    """The context of the goal's first span. The key keeps two installations with one collector apart."""
    made = hmac.digest(settings.SECRET_KEY.encode(), b"mindx trace 1:%d" % goal_id, "sha256")
    return SpanContext(
        int.from_bytes(made[:16]) or 1, int.from_bytes(made[16:24]) or 1, is_remote=True, trace_flags=TraceFlags(1)
    )


def submitted(goal_id: int, agent: str, text: str, began_ns: int) -> None:
    """The root of the goal's trace, once the goal is there for good."""
    transaction.on_commit(lambda: _write_root(goal_id, agent, text, began_ns))


def _write_root(goal_id: int, agent: str, text: str, began_ns: int) -> None:
    if _tracer is None:
        return
    token = root_wanted.set(root_of(goal_id))
    try:
        root = _tracer.start_span(
            f"invoke_agent {agent}",
            # Nothing above it, whatever request it came with: the goal outlives that by days.
            context=trace.set_span_in_context(trace.INVALID_SPAN),
            start_time=began_ns,
            attributes={
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.agent.name": agent,
                "gen_ai.conversation.id": str(goal_id),
                "mindx.goal.id": goal_id,
                "mindx.stage": "submit",
                **_content("mindx.goal.text", text),
            },
        )
    finally:
        root_wanted.reset(token)
    root.end()


def happened(name: str, goal_id: int, said: Mapping[str, Any], *, since: datetime | None = None) -> None:
    """A part that is over when the transaction commits: a decision and how long it was waited for, a result."""

    def write() -> None:
        with span(name, goal_id, said, since=since):
            pass

    if _tracer is not None:
        transaction.on_commit(write)


def step(
    run: Callable[Concatenate[IntentSpec, P], R],
) -> Callable[Concatenate[IntentSpec, P], R]:
    """Make each run of a step a span of the goal that is being worked on."""

    @wraps(run)
    def traced(spec: IntentSpec, *args: P.args, **kwargs: P.kwargs) -> R:
        with working_on(intent=spec.position):
            goal_id = _ids.get().get("goal")
            if _tracer is None or not isinstance(goal_id, int):
                return run(spec, *args, **kwargs)
            with span(f"execute_tool {spec.tool}.{spec.command}", goal_id, _of_step(spec)) as opened:
                outcome = run(spec, *args, **kwargs)
                _close(opened, outcome)
                return outcome

    return traced


def _of_step(spec: IntentSpec) -> dict[str, Any]:
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": f"{spec.tool}.{spec.command}",
        "gen_ai.tool.type": "function",
        "mindx.intent.position": spec.position,
        "mindx.intent.effect": spec.effect,
        **{f"mindx.{name}.id": value for name, value in _ids.get().items() if name == "plan"},
        **_content("gen_ai.tool.call.arguments", spec.params),
    }


def _close(opened: Span, outcome: Any) -> None:
    """Say how it went, in words of our own. A failed step is a result of the tool, so the span has failed with it."""
    if outcome.failure is not None:
        opened.set_attribute("error.type", outcome.failure.failure_class.value)
        opened.set_status(Status(StatusCode.ERROR))
    said = "failed" if outcome.failure is not None else "skipped" if outcome.skipped else "succeeded"
    opened.set_attributes({"mindx.outcome": said, **_content("gen_ai.tool.call.result", outcome.answer)})


def _content(name: str, value: object) -> dict[str, str]:
    """What people or tools wrote, bounded, and only where an operator asked for it."""
    if not _has_content:
        return {}
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return {name: text[:CONTENT_MAX]}


def now_ns() -> int:
    """This moment, as spans count."""
    return time.time_ns()
