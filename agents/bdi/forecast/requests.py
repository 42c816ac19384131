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
    """Whether what the step reads goes to a language model."""
    try:
        return registry.command(spec.tool, spec.command).asks_model
    except UnknownTool:
        return False


def cannot_be_undone(spec: IntentSpec, registry: Registry) -> bool:
    """Whether mindX changes itself by the step in a way that nothing takes back."""
    try:
        return registry.command(spec.tool, spec.command).cannot_be_undone
    except UnknownTool:
        return False
