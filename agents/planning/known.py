"""What memory, library and the discussion tell a model about a goal: within a budget of tokens, and kept with the plan.

What is kept names messages, experiences and components by id only. A reader of the plan sees of them what they may
read, and what is forgotten later is gone from here too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.bdi.language_models.prompt import Earlier, Told
from agents.models import Goal
from agents.planning import messages
from library.memory import context, switches
from library.memory.context import Item
from library.models import Component

# A third of a small model's window at most goes to what was before; the goal, its tools and files need the rest.
BUDGET_TOKENS = 2_000
_KEPT = 12
_OFF = {"off": True, "budget": BUDGET_TOKENS, "tokens": 0, "taken": [], "left_out": []}


@dataclass(frozen=True)
class Known:
    """What goes into a prompt, and the items it was made of. `kept` is what the plan's evidence has of it."""

    messages: tuple[Told, ...]
    earlier: tuple[Earlier, ...]
    components: tuple[str, ...]
    taken: tuple[Item, ...]
    left_out: tuple[Item, ...]
    is_off: bool = False

    def kept(self, missing: Mapping[str, int]) -> dict[str, Any]:
        """What was taken, what was not and why. `missing` counts by kind what the prompt itself had no room for."""
        if self.is_off:
            return dict(_OFF)
        said, experiences, components = _parted(self.taken)
        went_in = [
            *said[: len(said) - missing.get("messages", 0)],
            *experiences[: len(experiences) - missing.get("earlier_runs", 0)],
            *components[: len(components) - missing.get("components", 0)],
        ]
        crowded = [one for one in self.taken if one not in went_in]
        return {
            "off": False,
            "budget": BUDGET_TOKENS,
            "tokens": sum(one.tokens for one in went_in),
            "taken": [_entry(one, one.why) for one in went_in],
            "left_out": [
                *(_entry(one, "the prompt had no room for it") for one in crowded),
                *(_entry(one, one.why) for one in self.left_out),
            ][:_KEPT],
        }

    def experiences(self, missing: Mapping[str, int]) -> list[int]:
        """The ids of the experiences that went into the prompt."""
        _, found, _ = _parted(self.taken)
        return [int(one.id) for one in found[: len(found) - missing.get("earlier_runs", 0)]]


def known_for(goal: Goal) -> Known:
    """What its submitter may know for it. Compares sentences, so never inside a transaction."""
    if not switches.is_on(goal.agent.name):
        return Known((), (), (), (), (), is_off=True)
    found = context.build(
        goal.text,
        user=goal.submitted_by,
        budget_tokens=BUDGET_TOKENS,
        # Every prompt lists all tools that the agent may use.
        without_kinds={Component.Kind.TOOL.value},
        without_goal=str(goal.pk),
        messages=messages.of(goal, goal.submitted_by, without_told=True),
        near=lambda refs: in_workspace(goal.workspace_id, refs),
    )
    said, experiences, components = _parted(found.items)
    return Known(
        tuple(Told(one.text, one.parts["is_persons"]) for one in said),
        tuple(_earlier(one) for one in experiences),
        tuple(one.text for one in components),
        found.items,
        found.left_out,
    )


def in_workspace(workspace_id: int | None, refs: Sequence[str]) -> set[str]:
    """Those of these goals that work in this workspace; none without one."""
    ids = [int(ref) for ref in refs if ref.isascii() and ref.isdigit() and len(ref) < 19]
    return {str(pk) for pk in Goal.objects.filter(pk__in=ids, workspace=workspace_id).values_list("pk", flat=True)}


def _parted(items: Sequence[Item]) -> tuple[list[Item], list[Item], list[Item]]:
    """Messages, experiences, components."""
    by_kind: dict[str, list[Item]] = {messages.KIND: [], "experience": []}
    components = [item for item in items if item.kind not in by_kind]
    for item in items:
        by_kind.get(item.kind, []).append(item)
    return by_kind[messages.KIND], by_kind["experience"], components


def _earlier(item: Item) -> Earlier:
    parts = item.parts
    return Earlier(
        parts["goal"],
        parts["outcome"],
        parts["came_of_it"],
        parts["steps"],
        tuple(parts["decisions"]),
        tuple(parts["changed_later"]),
    )


def _entry(item: Item, why: str) -> dict[str, Any]:
    return {"kind": item.kind, "id": item.id, "tokens": item.tokens, "why": why}
