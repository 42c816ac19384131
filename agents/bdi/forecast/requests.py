"""What a step asks: of the sandbox, of a language model, of mindX itself."""

from __future__ import annotations

from agents.bdi.plans.document import IntentSpec
from agents.toolkit.registry import Registry, UnknownTool
from sandbox.contract import Request


def requests_of(spec: IntentSpec, registry: Registry) -> tuple[Request, ...]:
    """What the sandbox will be asked for a step; a step nobody knows comes as a request of its own name."""
    try:
        return registry.command(spec.tool, spec.command).requests(spec.params)
    except (UnknownTool, KeyError, TypeError, ValueError):
        return (Request(f"{spec.tool}.{spec.command}", dict(spec.params)),)


def asks_model(spec: IntentSpec, registry: Registry) -> bool:
    """Whether the step asks a language model. Without one that it may ask, a step that does without asks none."""
    try:
        command = registry.command(spec.tool, spec.command)
    except UnknownTool:
        return False
    may_ask = spec.asks is not None and bool(spec.asks.models)
    return command.asks_model and (may_ask or not command.does_without_model(spec.params))


def cannot_be_undone(spec: IntentSpec, registry: Registry) -> bool:
    """Whether mindX changes itself by the step in a way that nothing takes back."""
    try:
        return registry.command(spec.tool, spec.command).cannot_be_undone
    except UnknownTool:
        return False
