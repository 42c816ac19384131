"""Small worlds for the tests of the mind: paths become entries, a trailing slash makes a folder."""

from __future__ import annotations

from typing import Any

from agents.bdi.beliefs.perception import Entry, World
from agents.bdi.planning.means_ends import KnownRule
from agents.bdi.plans.parameters import from_person
from agents.rules.grammar import parse
from agents.rules.starter import starter_files
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import Step


def world(*paths: str, **parts: Any) -> World:
    """Return a world with these paths, on a machine like a real one unless `parts` say otherwise."""
    entries = tuple(Entry(path.rstrip("/"), "dir" if path.endswith("/") else "file") for path in paths)
    machine: dict[str, Any] = {
        "python_version": "3.11.2",
        "sandbox_level": "L3",
        "tools": ("simple_coder", "note_taking"),
        "programs": ("pip", "python3"),
        "now": "2026-01-02T03:04:05+00:00",
    }
    return World(entries, **(machine | parts))


def known(text: str) -> list[KnownRule]:
    """Return the rules of a text as the library would hand them over."""
    return [KnownRule(rule.name, "1.0.0", f"id of {rule.name}", rule) for rule in parse(text)]


STARTER = [rule for _, text in starter_files() for rule in known(text)]


def by_hand(command: str, tool: str = "simple_coder", **params: Any) -> Step:
    """Return a step as a person writes it."""
    return Step(tool, command, from_person(REGISTRY.command(tool, command), params), "written by hand")
