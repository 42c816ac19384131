"""A part of a plan, a plan with other values: closed, renumbered, with what was there before kept."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.plans import selection
from agents.bdi.plans.dependencies import link
from agents.bdi.plans.document import CommandFacts, Document, specs
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import Param, Step


def _step(command: str, condition: dict[str, Any] | None = None, **params: Any) -> Step:
    bound = {name: Param(value, "rule_slot") for name, value in params.items()}
    return Step("simple_coder", command, bound, f"why {command}", "a rule", (), condition)


def _document(steps: list[Step], cleanup: list[Step] | None = None) -> Document:
    main, undo = link(steps, REGISTRY), link(cleanup or [], REGISTRY)
    facts = [CommandFacts("workspace")] * 100
    first = specs(main, facts[: len(main)])
    after = specs(undo, facts[: len(undo)], phase="cleanup", first=len(main) + 1)
    return Document("1", "a goal", "w", "", 1, "rule", first, after, ({"kind": "rule", "name": "r", "version": "1"},))


FIVE = _document(
    [
        _step("mkdir", path="one"),
        _step("write", path="one/a.txt", content="a"),
        _step("mkdir", path="two"),
        _step("read", path="two"),
        _step("write", path="two/b.txt", content="{{intents.4.result.content}}"),
    ],
    cleanup=[_step("mkdir", path="three")],
)


def test_a_part_takes_what_it_stands_on_along() -> None:
    assert selection.closed(FIVE, [2]) == (1, 2)
    assert selection.closed(FIVE, [5]) == (3, 4, 5)
    assert selection.closed(FIVE, [1, 3]) == (1, 3)
    assert selection.closed(FIVE, []) == ()


def test_a_part_is_never_rounded_to_something_else() -> None:
    for wrong in (0, 6, 99, -1):
        with pytest.raises(ValueError, match="no main step"):
            selection.closed(FIVE, [1, wrong])


def test_references_follow_their_steps_into_a_part() -> None:
    draft = selection.part(FIVE, (3, 4, 5), REGISTRY)
    assert [step.command for step in draft.steps] == ["mkdir", "read", "write"]
    assert draft.steps[2].params["content"].value == "{{intents.2.result.content}}"
    assert draft.steps[2].depends_on == (1, 2)
    assert [step.values() for step in draft.cleanup] == [{"path": "three"}]
    assert draft.steps[0].params["path"].origin == "rule_slot"
    assert draft.steps[0].justification == "why mkdir"


@given(st.sets(st.integers(1, 5)))
def test_every_closed_part_holds_all_it_needs(wanted: set[int]) -> None:
    positions = selection.closed(FIVE, wanted)
    assert wanted <= set(positions)
    draft = selection.part(FIVE, positions, REGISTRY)
    assert len(draft.steps) == len(positions)
    assert selection.closed(FIVE, positions) == positions
    for place, step in enumerate(draft.steps, 1):
        assert all(needed < place for needed in step.depends_on)


def test_a_condition_follows_too() -> None:
    condition = {"left": "{{intents.2.result.return_code}}", "operator": "equals", "value": 0}
    plan = _document(
        [_step("mkdir", path="x"), _step("run", command_line="true"), _step("write", condition, path="y", content="")]
    )
    positions = selection.closed(plan, [3])
    draft = selection.part(plan, positions, REGISTRY)
    condition = dict(draft.steps[-1].condition or {})
    assert condition["left"] == f"{{{{intents.{positions.index(2) + 1}.result.return_code}}}}"


def test_an_edit_keeps_what_was_there_and_says_whose_it_is() -> None:
    draft = selection.edited(FIVE, {2: {"path": "one/b.txt", "content": "a"}}, "rita", REGISTRY)
    path, content = draft.steps[1].params["path"], draft.steps[1].params["content"]
    assert (path.value, path.origin, path.original, path.note) == ("one/b.txt", "person", "one/a.txt", "edited by rita")
    assert (content.value, content.origin, content.original) == ("a", "rule_slot", None)
    assert [step.command for step in draft.steps] == [spec.command for spec in FIVE.intents]


def test_edited_twice_the_original_stays_the_planners() -> None:
    once = selection.edited(FIVE, {2: {"path": "one/b.txt", "content": "a"}}, "rita", REGISTRY)
    facts = [CommandFacts("workspace")] * 5
    again = replace(FIVE, intents=specs(once.steps, facts))
    twice = selection.edited(again, {2: {"path": "one/c.txt", "content": "a"}}, "edda", REGISTRY)
    path = twice.steps[1].params["path"]
    assert (path.value, path.original, path.note) == ("one/c.txt", "one/a.txt", "edited by edda")


def test_what_an_edit_changes_is_told_by_parameter_and_type() -> None:
    spec = FIVE.intents[1]
    assert selection.changes(spec, dict(spec.params)) == {}
    assert selection.changes(spec, {"path": "one/a.txt"}) == {"content": ("a", None)}
    run = _document([_step("run", command_line="x", timeout_s=1)]).intents[0]
    assert selection.changes(run, {"command_line": "x", "timeout_s": True}) == {"timeout_s": (1, True)}


def test_a_step_that_is_not_there_cannot_be_edited() -> None:
    with pytest.raises(LookupError):
        selection.edited(FIVE, {7: {}}, "rita", REGISTRY)


def test_a_clean_up_step_can_be_edited() -> None:
    draft = selection.edited(FIVE, {6: {"path": "four"}}, "rita", REGISTRY)
    assert draft.cleanup[0].params["path"].value == "four"


def test_a_wish_outlives_planning_again() -> None:
    wish = {
        "tool": "simple_coder",
        "command": "mkdir",
        "parameter": "path",
        "original": "one",
        "value": "uno",
        "by": "rita",
    }
    steps = selection.kept([_step("mkdir", path="one"), _step("mkdir", path="two")], [wish])
    assert [step.params["path"].value for step in steps] == ["uno", "two"]
    assert (steps[0].params["path"].origin, steps[0].params["path"].original) == ("person", "one")
    newest = selection.kept([_step("mkdir", path="one")], [wish, {**wish, "value": "ein"}])
    assert (newest[0].params["path"].value, newest[0].params["path"].original) == ("ein", "one")


def test_a_step_that_was_left_out_is_recognised_when_it_is_planned_again() -> None:
    out = {"tool": "simple_coder", "command": "rm", "params": {"path": "old"}, "reason": "still used"}
    assert selection.refused([_step("mkdir", path="one"), _step("rm", path="old")], [out]) == out
    assert selection.refused([_step("rm", path="older")], [out]) is None
