"""No malformed answer becomes an intent, whatever is done to a good one."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from agents.bdi.language_models.model_answer import read
from agents.bdi.plans.dependencies import link
from agents.bdi.plans.validation import validate
from agents.toolkit.registry import REGISTRY

GOAL = "Make a folder docs with a note of the tide, then show it"
GOOD: dict[str, Any] = {
    "steps": [
        {"tool": "simple_coder", "command": "mkdir", "params": {"path": "docs"}, "why": "a place"},
        {
            "tool": "simple_coder",
            "command": "write",
            "params": {"path": "docs/tide.md", "content": "low at noon\n", "mode": "create"},
            "why": "the note",
        },
        {"tool": "simple_coder", "command": "run", "params": {"command_line": "cat docs/tide.md"}, "why": "to see it"},
        {
            "tool": "note_taking",
            "command": "append_note",
            "params": {"name": "log", "text": "{{intents.3.result.stdout}}"},
            "why": "to keep it",
        },
    ],
    "cleanup": [{"tool": "simple_coder", "command": "ls", "params": {}, "why": "what is left"}],
}
# What people's eyes would not tell from the real thing, and what no schema expects.
STRANGE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=12),
    st.sampled_from(
        ["../up", "/etc/passwd", "", " ", "a\0b", "docs\u202e", "{{intents.9.result.stdout}}", "rm -rf /", "mkdir "]
    ),
    st.lists(st.text(max_size=3), max_size=3),
    st.dictionaries(st.text(max_size=5), st.integers(), max_size=2),
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a tree, the root too."""
    found = [path]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found += places(inner, (*path, key))
    return found


def put(tree: Any, path: tuple[Any, ...], value: Any) -> Any:
    """The tree with another value at a place."""
    if not path:
        return value
    holder = tree
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return tree


def is_well_formed(text: str) -> bool:
    """What a plan must be, said once more and in another way: fields, names and the commands' own schemas."""

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len(found) == len(dict(found))
        return dict(found)

    try:
        plan = json.loads(text[text.index("{") : text.rindex("}") + 1], object_pairs_hook=pairs)
        assert set(plan) <= {"steps", "cleanup"}
        assert plan["steps"]
        for step in [*plan["steps"], *plan.get("cleanup", [])]:
            assert {"tool", "command"} <= set(step) <= {"tool", "command", "params", "why", "condition"}
            (command,) = [one for one in REGISTRY.commands if (one.tool, one.name) == (step["tool"], step["command"])]
            given = step.get("params", {})
            known = {
                name: value for name, value in given.items() if not (isinstance(value, str) and value.startswith("{{"))
            }
            needed = [name for name in command.required if name not in given]
            assert not needed
            Draft202012Validator({**command.schema, "required": []}).validate(known)
    except (AssertionError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False
    except Exception:  # jsonschema's own error
        return False
    return True


def becomes_intents(text: str) -> bool:
    found = read(text, REGISTRY, goal=GOAL)
    # Also of what could be read only in part the values are looked at, as far as they go.
    wrong = validate(link(found.steps, REGISTRY), link(found.cleanup, REGISTRY), REGISTRY)
    return not (found.problems or found.cannot or wrong)


def test_the_good_one_is_good() -> None:
    text = json.dumps(GOOD)
    assert is_well_formed(text)
    assert becomes_intents(text)


@given(st.data())
def test_what_is_changed_anywhere_in_a_plan_is_noticed(data: st.DataObject) -> None:
    tree = copy.deepcopy(GOOD)
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(places(tree)))
        kind = data.draw(st.sampled_from(["other", "gone", "more", "twice"]))
        if kind == "other":
            tree = put(tree, path, data.draw(STRANGE))
        elif path:
            holder = tree
            for key in path[:-1]:
                holder = holder[key]
            if kind == "gone":
                del holder[path[-1]]
            elif kind == "more" and isinstance(holder, dict):
                holder[data.draw(st.text(min_size=1, max_size=8))] = data.draw(STRANGE)
            elif kind == "twice" and isinstance(holder, list):
                holder.append(copy.deepcopy(holder[path[-1]]))
        if not isinstance(tree, dict):
            break
    text = json.dumps(tree)
    assert not becomes_intents(text) or is_well_formed(text)


@given(st.data())
def test_what_is_changed_in_its_letters_is_noticed(data: st.DataObject) -> None:
    text = json.dumps(GOOD)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(at, min(len(text), at + 12)))
        text = text[:at] + data.draw(st.text(max_size=4)) + text[end:]
    assert not becomes_intents(text) or is_well_formed(text)


@given(st.text())
def test_no_text_whatever_makes_an_error(text: str) -> None:
    read(text, REGISTRY, goal=GOAL)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"steps":' * 20_000,
        '{"steps": [' + ",".join(["{}"] * 5_000) + "]}",
        "{" * 50_000 + json.dumps(GOOD),
        json.dumps({"steps": [{"tool": "simple_coder", "command": "run", "params": {"x": "y" * 10**6}}] * 3}),
        '{"steps": [1e999]}',
        '{"steps": [NaN]}',
        '{"steps": [{"tool": "\ud800", "command": "x"}]}',
    ],
    ids=["brackets", "nested", "many", "braces before", "large", "infinity", "no number", "half a character"],
)
def test_monsters_are_problems_and_no_errors(text: str) -> None:
    assert not becomes_intents(text)


def test_nothing_of_a_step_but_its_five_fields_is_taken() -> None:
    for name in (
        "effect",
        "hosts",
        "limits",
        "risk",
        "approved",
        "approved_digest",
        "position",
        "rule",
        "phase",
        "state",
    ):
        changed = copy.deepcopy(GOOD)
        changed["steps"][0][name] = "idempotent"
        assert [one.code for one in read(json.dumps(changed), REGISTRY, goal=GOAL).problems] == ["unknown_field"]


def test_steps_stand_at_their_positions_whatever_is_between_them() -> None:
    steps = [GOOD["steps"][0], "mkdir", {**GOOD["steps"][0], "command": "mkdirs"}, GOOD["steps"][0]]
    found = read(json.dumps({"steps": steps, "cleanup": [7]}), REGISTRY, goal=GOAL)
    assert [step.command for step in found.steps] == ["mkdir", "", "", "mkdir"]
    assert found.unread == {2, 3, 5} == {one.position for one in found.problems}


@pytest.mark.parametrize(
    "pair", ['"path": "docs"', '"tool": "simple_coder"', '"params": {}', '"steps": [', '"why": "a place"']
)
def test_a_key_that_stands_twice_is_no_plan_whichever_would_count(pair: str) -> None:
    text, key = json.dumps(GOOD), pair.split(":")[0]
    twice = text.replace(pair, f"{key}: null, {pair}", 1)
    assert twice != text
    assert not becomes_intents(twice)
    assert "stands twice" in read(twice, REGISTRY, goal=GOAL).problems[0].message
