"""The state as a document: a versioned JSON form, checked where it comes in, and its rows.

A document is `{"format": "mindx.modular", "version": 1, "state": {…}}`. The reference's own form is read as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from agents.bdi.modular import reference_format
from agents.bdi.modular.modules import UnknownModule, module
from agents.bdi.modular.state import MODULE_TYPES, ROLES, STEP_TYPES, Message, Node, State

FORMAT = "mindx.modular"
VERSION = 1
# What the reference trims its states to; more than this nobody opens in a page.
MOST_BYTES = 32_000_000
MOST_NODES = 20_000
_TOLD = 5
# The source of a node that stands for one whose row cannot be read.
UNREADABLE = "mindx:unreadable"


class StateRefused(ValueError):
    """The document is no state that can be opened; each problem is a sentence."""

    def __init__(self, *problems: str) -> None:
        super().__init__(" ".join(problems))
        self.problems = problems


class StateUnreadable(StateRefused):
    """A stored state that cannot be opened, whoever wrote it. The states before it may be readable."""


@cache
def _states() -> TypeAdapter[State]:
    return TypeAdapter(State)


@cache
def _nodes() -> TypeAdapter[list[Node]]:
    return TypeAdapter(list[Node])


def schema() -> Mapping[str, Any]:
    """The JSON Schema of a document of this version."""
    state = _states().json_schema(ref_template="#/$defs/{model}")
    parts = state.pop("$defs", {})
    state["properties"]["nodes"] = {"type": "array", "items": {"$ref": "#/$defs/Node"}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"format": {"const": FORMAT}, "version": {"const": VERSION}, "state": state},
        "required": ["format", "version", "state"],
        "additionalProperties": False,
        "$defs": parts,
    }


def write(state: State) -> dict[str, Any]:
    """A state as a document."""
    return {"format": FORMAT, "version": VERSION, "state": {**head(state), "nodes": nodes(state.nodes.values())}}


def head(state: State) -> dict[str, Any]:
    """A state without its nodes, as JSON."""
    found: dict[str, Any] = _states().dump_python(state, mode="json", exclude={"nodes"})
    return found


def nodes(some: Iterable[Node]) -> list[dict[str, Any]]:
    """Nodes as JSON."""
    found: list[dict[str, Any]] = _nodes().dump_python(list(some), mode="json")
    return found


def of_rows(stored: Mapping[str, Any], some: list[dict[str, Any]]) -> State:
    """A state out of what was stored of it."""
    return of_head(stored, read_nodes(some))


def of_head(stored: Mapping[str, Any], nodes: dict[int, Node]) -> State:
    """A state out of what was stored of it, with these nodes by their ids."""
    try:
        state = _states().validate_python({**stored, "nodes": {}})
    except ValidationError as error:
        raise StateUnreadable(*_in_words(error)) from error
    state.nodes = nodes
    if state.at in nodes and (broken := [node.id for node in state.path() if node.source == UNREADABLE]):
        raise StateUnreadable(f"Node {broken[-1]} of its path cannot be read.")
    return state


def read_nodes(some: list[dict[str, Any]]) -> dict[int, Node]:
    """Stored nodes by their ids, in order. One that cannot be read says so; its branch cannot be gone on with."""
    try:
        found = _nodes().validate_python(some)
    except ValidationError:
        found = [_read_node(one) for one in some]
    return {node.id: node for node in found}


def _read_node(stored: Any) -> Node:
    try:
        return _nodes().validate_python([stored])[0]
    except ValidationError as error:
        said = stored if isinstance(stored, Mapping) else {}
        number, parent = said.get("id"), said.get("parent")
        if not isinstance(number, int):
            raise StateUnreadable("A node has no number.") from error
        why = " ".join(_in_words(error))
        return Node(
            number,
            parent if isinstance(parent, int) else None,
            Message("function", f"This node cannot be read: {why}"),
            UNREADABLE,
            "",
        )


def _in_words(error: ValidationError) -> list[str]:
    return [f"{'.'.join(map(str, one['loc']))}: {one['msg']}." for one in error.errors()[:_TOLD]]


def loads(text: str | bytes) -> State:
    """The state in a document, ours or the reference's. Raises StateRefused with what is wrong."""
    if len(text) > MOST_BYTES:
        raise StateRefused(f"The state has {len(text):,} bytes, and {MOST_BYTES:,} are the most.")
    try:
        said = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise StateRefused(f"This is no JSON: {str(error)[:200]}.") from error
    return read(said)


def read(said: Any) -> State:
    """The state in a document that was read as JSON. Raises StateRefused."""
    if not isinstance(said, Mapping):
        raise StateRefused("A state is a JSON object.")
    if "format" not in said and "task_string" in said:
        try:
            said = reference_format.converted(said)
        except reference_format.Unreadable as error:
            raise StateRefused(str(error)) from error
    if said.get("format") != FORMAT:
        raise StateRefused(f"This is no state of a modular agent: “format” is not {FORMAT}.")
    version = said.get("version")
    if isinstance(version, int) and version > VERSION:
        raise StateRefused(f"The state is of version {version}, from a newer mindX; this one reads up to {VERSION}.")
    if version != VERSION:
        raise StateRefused(f"The state has no version that mindX knows; this one writes version {VERSION}.")
    inner = said.get("state")
    if not isinstance(inner, Mapping) or not isinstance(inner.get("nodes", []), list):
        raise StateRefused("“state” is an object, with a list of nodes.")
    return _read_state(inner)


def check(state: State) -> None:
    """Read what would be stored of a state that somebody changed. Raises StateRefused where it could not be opened."""
    # What is of another type than it should be is refused when it is read, in words.
    stored = _states().dump_python(state, mode="json", exclude={"nodes"}, warnings=False)
    stored["nodes"] = _nodes().dump_python(list(state.nodes.values()), mode="json", warnings=False)
    _read_state(json.loads(json.dumps(stored)))


def _read_state(inner: Mapping[str, Any]) -> State:
    found = inner.get("nodes", [])
    if len(found) > MOST_NODES:
        raise StateRefused(f"The state has {len(found):,} nodes, and {MOST_NODES:,} are the most.")
    without = [
        one.get("id", place) for place, one in enumerate(found, 1) if isinstance(one, Mapping) and "parent" not in one
    ]
    if without:
        raise StateRefused(f"Node {without[0]} has no parent. The first node has the parent null.")
    try:
        state = _states().validate_python({**inner, "nodes": {}})
        some = _nodes().validate_python(found)
    except ValidationError as error:
        raise StateRefused(*_in_words(error)) from error
    if problems := list(_problems_of_nodes(some)):
        raise StateRefused(*problems[:_TOLD])
    state.nodes = {node.id: node for node in sorted(some, key=lambda one: one.id)}
    if problems := list(problems_of(state)):
        raise StateRefused(*problems[:_TOLD])
    return state


def _problems_of_nodes(some: list[Node]) -> Iterable[str]:
    parents = {node.id: node.parent for node in some}
    if len(parents) < len(some):
        yield "Two nodes have the same id."
    for node in some:
        if node.id < 1:
            yield f"Node {node.id}: ids are from 1."
        if node.parent is not None and node.parent not in parents:
            yield f"Node {node.id} has the parent {node.parent}, which is not there."
        if node.message.role not in ROLES:
            yield f"Node {node.id}: a role is one of {', '.join(ROLES)}."
        if node.chosen is not None and not 0 <= node.chosen < len(node.options):
            yield f"Node {node.id} chose option {node.chosen}, which is not there."
    # Each node is walked once: those that lead to the root are remembered.
    fine: set[int | None] = {None}
    for start in parents:
        walked: set[int] = set()
        here: int | None = start
        while here not in fine and here in parents:
            if here in walked:
                yield f"Node {here} is its own ancestor."
                return
            walked.add(here)
            here = parents[here]
        fine |= walked


def problems_of(state: State) -> Iterable[str]:
    """What keeps a state from being continued, as sentences: what it names and is not there."""
    for kind, chosen in state.settings.items():
        if kind not in MODULE_TYPES:
            yield f"There is no kind of module called “{kind[:60]}”."
            continue
        try:
            module(kind, chosen.name).read_settings(chosen.settings)
        except (UnknownModule, ValueError) as error:
            yield str(error)
    if missing := [kind for kind in MODULE_TYPES if kind not in state.settings]:
        yield f"No {missing[0]} is chosen."
    if state.next_step.module_type not in ("", *STEP_TYPES):
        yield f"next_step names “{state.next_step.module_type[:60]}”; it is one of {', '.join(STEP_TYPES)}."
    if state.at is not None and state.at not in state.nodes:
        yield f"The present node {state.at} is not there."
    args = state.next_step.args
    named = [one for one in (*args.get("messages", ()), *args.get("node_ids", ())) if isinstance(one, int)]
    if gone := [one for one in named if one not in state.nodes]:
        yield f"next_step names node {gone[0]}, which is not there."
    if state.next_step.module_type == "discriminator" and not args.get("options"):
        yield "A discriminator needs options in next_step."
    if not state.task.strip():
        yield "The task is empty."
