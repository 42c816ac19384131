"""Reading a state of the reference's own form, of which ours is a superset.

It has `task_string`, `nodes` with `node_id`, `parent` and `message`, `last_node_id`, `next_step`, limits and usage. Its
module names say what its modules do; each becomes the nearest of ours.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_NEAREST: Mapping[str, tuple[tuple[str, str], ...]] = {
    "toolkit": (("none", "notes"), ("", "simple_coder")),
    "prompter": (("aware", "aware"), ("", "plain")),
    "generator": (("", "model"),),
    "discriminator": (
        ("regenerate", "compare_and_regenerate"),
        ("compare", "compare"),
        ("assess", "assess_and_backtrack"),
        ("rating", "person"),
        ("", "first"),
    ),
    "actor": (("search", "search_first"), ("always_save", "save_output"), ("", "plain")),
}


class Unreadable(ValueError):
    """It looks like a state of the reference, and cannot be read; the message says why."""


def converted(said: Mapping[str, Any]) -> dict[str, Any]:
    """The same state as a document of ours, which is checked like any other. Raises Unreadable."""
    nodes = said.get("nodes", [])
    if not isinstance(nodes, list) or not all(isinstance(one, Mapping) for one in nodes):
        raise Unreadable("“nodes” is a list of objects.")
    # Its nodes may count from 0, and ours from 1.
    shift = 1 if any(one.get("node_id") == 0 for one in nodes) else 0
    next_step = said.get("next_step") or {}
    if not isinstance(next_step, Mapping):
        raise Unreadable("“next_step” is an object.")
    limits = {"tokens": said.get("token_limit"), "time_s": said.get("time_limit")}
    usage = {"tokens": said.get("token_usage"), "time_s": said.get("time_usage")}
    state = {
        "task": said.get("task_string"),
        "settings": _settings(said.get("settings") or {}),
        "limits": {name: value for name, value in limits.items() if value is not None},
        "usage": {name: value for name, value in usage.items() if value is not None},
        "submissions": said.get("submissions") or [],
        "nodes": [_node(one, shift) for one in nodes],
        "at": _shifted(said.get("last_node_id"), shift),
        "next_step": {"module_type": next_step.get("module_type", "prompter"), "args": _args(next_step)},
    }
    return {"format": "mindx.modular", "version": 1, "state": state}


def _settings(given: Any) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise Unreadable("“settings” is an object.")
    found = {}
    for kind, nearest in _NEAREST.items():
        name = str(given.get(kind, ""))
        found[kind] = {"name": next(ours for word, ours in nearest if word in name), "settings": {}}
    return found


def _shifted(number: Any, shift: int) -> Any:
    return number + shift if isinstance(number, int) else number


def _node(one: Mapping[str, Any], shift: int) -> dict[str, Any]:
    found = {
        "id": _shifted(one.get("node_id"), shift),
        "message": _message(one.get("message")),
        "source": "reference",
        "at": "",
        "metadata": one.get("metadata") or {},
    }
    if "parent" in one:
        # Its root is its own parent, or has none.
        parent = one["parent"]
        found["parent"] = None if parent == one.get("node_id") else _shifted(parent, shift)
    return found


def _message(said: Any) -> dict[str, Any]:
    if not isinstance(said, Mapping):
        raise Unreadable("A node's “message” is an object.")
    role, content = said.get("role"), said.get("content")
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False) if content else ""
    found: dict[str, Any] = {
        "role": "user" if role == "system" else role,
        "content": text,
        "name": said.get("name") or "",
    }
    if call := said.get("function_call"):
        if not isinstance(call, Mapping):
            raise Unreadable("A “function_call” is an object.")
        found["function_call"] = {"name": call.get("name"), "arguments": _arguments(call.get("arguments"))}
    return found


def _arguments(given: Any) -> Any:
    """They may be JSON in a text; what is none is kept as one value."""
    if not isinstance(given, str):
        return given or {}
    try:
        read = json.loads(given)
    except (ValueError, RecursionError):
        return {"text": given}
    return read if isinstance(read, Mapping) else {"text": given}


def _args(next_step: Mapping[str, Any]) -> dict[str, Any]:
    args = next_step.get("args") or {}
    if not isinstance(args, Mapping):
        raise Unreadable("“args” is an object.")
    found: dict[str, Any] = {}
    for name in ("messages", "options"):
        if name in args:
            if not isinstance(args[name], list):
                raise Unreadable(f"“{name}” is a list.")
            said = [_message(one) for one in args[name]]
            found[name] = said if name == "messages" else [{"message": one, "source": "reference"} for one in said]
    return found
