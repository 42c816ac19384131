"""A design of several components as a picture."""

from __future__ import annotations

from agents.bdi.designing import blueprint
from agents.bdi.designing.blueprint import Blueprint
from agents.presentation import flow_graph
from agents.presentation.flow_graph import FlowStep, Graph


def drawn(design: Blueprint) -> Graph:
    """The components and what each waits for."""
    at = {one.name: number for number, one in enumerate(design.components, 1)}
    return flow_graph.draw(
        [
            FlowStep(
                at[one.name],
                f"{one.choice} {one.name}",
                tuple(at[name] for name in one.after),
                one.does,
                component=f"{one.kind} {one.what}" if one.what else "",
            )
            for one in design.components
        ]
    )


def of_text(text: str) -> Graph | None:
    """The picture of a design's text; None where that names no components, or cannot be read."""
    found = _read(text)
    return drawn(found) if found is not None else None


def asks(text: str) -> tuple[str, ...]:
    """The values that a design's text leaves to people, in words."""
    found = _read(text)
    return found.asks if found is not None else ()


def _read(text: str) -> Blueprint | None:
    try:
        return blueprint.read(text)
    except ValueError:
        return None
