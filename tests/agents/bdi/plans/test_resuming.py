"""What is left of a plan that stopped: nothing twice, nothing lost, results filled in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agents.bdi.plans import document as documents
from agents.bdi.plans.document import CommandFacts, Document
from agents.bdi.plans.resuming import holds_results, remaining
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import Param, PlanDraft, Step
from agents.toolkit.versions import version_of


def step(command: str, condition: dict[str, Any] | None = None, /, **params: Any) -> Step:
    return Step("simple_coder", command, {k: Param(v, "person") for k, v in params.items()}, "", condition=condition)


def plan(*steps: Step, cleanup: tuple[Step, ...] = ()) -> Document:
    facts = [CommandFacts("workspace", alternatives=(CommandFacts("workspace"),) * len(s.alternatives)) for s in steps]
    main = documents.specs(steps, facts)
    undo = documents.specs(cleanup, [CommandFacts("workspace")] * len(cleanup), phase="cleanup", first=len(main) + 1)
    return Document("1", "a goal", "files", "0" * 64, 1, "person", main, undo)


def said(draft: PlanDraft) -> list[tuple[str, dict[str, Any]]]:
    return [(one.command, one.values()) for one in draft.steps]


def test_from_the_first_step_on_it_is_the_whole_plan() -> None:
    whole = plan(step("mkdir", path="a"), step("cd", path="a"), step("ls", path="."), cleanup=(step("ls", path="."),))
    draft = remaining(whole, 1, {}, REGISTRY)
    assert [command for command, _ in said(draft)] == ["mkdir", "cd", "ls"]
    assert [one.command for one in draft.cleanup] == ["ls"]
    assert draft.steps[2].depends_on == (1, 2)


def test_a_program_that_was_running_is_started_once_more_and_one_that_was_stopped_is_not() -> None:
    start = [step("start", command_line=f"python -m {name}", name=name) for name in ("one", "two")]
    whole = plan(*start, step("stop", name="one"), step("mkdir", path="a"), step("stop", name="two"))
    draft = remaining(whole, 4, {1: {}, 2: {}, 3: {}}, REGISTRY)
    assert [(c, v.get("name")) for c, v in said(draft)] == [("start", "two"), ("mkdir", None), ("stop", "two")]


def test_a_result_of_a_step_that_is_over_becomes_a_value_and_others_follow_their_steps() -> None:
    whole = plan(
        step("run", command_line="one"),
        step("run", command_line="two"),
        step("write", path="a", content="{{intents.1.result.stdout}}"),
        step("write", path="b", content="{{intents.2.result.stdout}}"),
    )
    draft = remaining(whole, 2, {1: {"stdout": "out"}}, REGISTRY)
    assert [values.get("content") for _, values in said(draft)] == [None, "out", "{{intents.1.result.stdout}}"]
    assert draft.steps[1].params["content"].original == "{{intents.1.result.stdout}}"
    assert holds_results(draft)
    assert not holds_results(remaining(whole, 1, {}, REGISTRY))


@pytest.mark.parametrize(("code", "left"), [(0, ["mkdir", "ls"]), (1, ["ls"])])
def test_a_condition_on_a_step_that_is_over_is_decided_now(code: int, left: list[str]) -> None:
    condition = {"left": "{{intents.1.result.return_code}}", "operator": "equals", "value": 0}
    whole = plan(step("run", command_line="one"), step("mkdir", condition, path="a"), step("ls", path="."))
    draft = remaining(whole, 2, {1: {"return_code": code}}, REGISTRY)
    assert [command for command, _ in said(draft)] == left
    assert draft.steps[0].condition is None


def test_a_result_that_is_not_there_makes_no_plan() -> None:
    whole = plan(step("run", command_line="one"), step("write", path="a", content="{{intents.1.result.stdout}}"))
    with pytest.raises(ValueError, match="that is missing"):
        remaining(whole, 2, {}, REGISTRY)


def test_the_clean_up_stays_and_reads_what_is_over() -> None:
    undo = step("write", path="log", content="{{intents.1.result.stdout}}")
    whole = plan(step("run", command_line="one"), step("mkdir", path="a"), cleanup=(undo,))
    draft = remaining(whole, 2, {1: {"stdout": "out"}}, REGISTRY)
    assert draft.cleanup[0].values()["content"] == "out"


def test_the_version_of_a_command_is_what_it_does_and_not_how_a_form_calls_it() -> None:
    write = REGISTRY.command("simple_coder", "write")
    properties = write.schema["properties"]
    renamed = {**write.schema, "properties": {**properties, "path": {**properties["path"], "title": "Where"}}}
    wider = {**write.schema, "properties": {**properties, "path": {**properties["path"], "maxLength": 9}}}
    assert version_of(replace(write, schema=renamed)) == version_of(write)
    assert version_of(replace(write, schema=wider)) != version_of(write)
    assert version_of(replace(write, effect="once")) != version_of(write)
    assert version_of(REGISTRY.command("simple_coder", "ls")) != version_of(write)


def test_something_else_takes_the_place_of_the_step_and_the_clean_up_follows_to_its_new_place() -> None:
    undo = step("write", path="log", content="{{intents.2.result.stdout}}")
    whole = plan(
        step("run", command_line="one"),
        step("run", command_line="two"),
        step("run", command_line="three"),
        cleanup=(undo, step("ls", path=".")),
    )
    two, three = whole.at(2), whole.at(3)
    as_one = remaining(whole, 2, {1: {}}, REGISTRY, instead=replace(two, params={"command_line": "other"}))
    assert [values["command_line"] for _, values in said(as_one)] == ["other", "three"]
    assert as_one.cleanup[0].values()["content"] == "{{intents.1.result.stdout}}"
    as_none = remaining(whole, 3, {1: {}, 2: {"stdout": "out"}}, REGISTRY, instead=())
    assert (said(as_none), as_none.cleanup[0].values()["content"]) == ([], "out")
    smaller = [replace(three, params={"command_line": name}) for name in ("a", "b")]
    as_two = remaining(whole, 3, {1: {}, 2: {"stdout": "out"}}, REGISTRY, instead=smaller)
    assert [values["command_line"] for _, values in said(as_two)] == ["a", "b"]


def test_the_clean_up_reads_another_step_of_the_clean_up_at_its_new_place() -> None:
    undo = (step("run", command_line="save"), step("write", path="log", content="{{intents.3.result.stdout}}"))
    whole = plan(step("run", command_line="one"), step("run", command_line="two"), cleanup=undo)
    draft = remaining(whole, 2, {1: {}}, REGISTRY)
    assert draft.cleanup[1].values()["content"] == "{{intents.2.result.stdout}}"


def test_later_steps_may_be_left_out_and_no_other_goes_with_them() -> None:
    whole = plan(step("mkdir", path="a"), step("mkdir", path="b"), step("mkdir", path="c"), step("mkdir", path="d"))
    draft = remaining(whole, 2, {1: {}}, REGISTRY, left_out=(3,))
    assert [values["path"] for _, values in said(draft)] == ["b", "d"]


def test_only_steps_that_succeeded_before_it_are_done_once_more_for_the_session() -> None:
    whole = plan(step("cd", path="a"), step("cd", path="b"), step("mkdir", path="c"), step("cd", path="d"))
    draft = remaining(whole, 3, {1: {}, 4: {}}, REGISTRY)
    assert said(draft) == [("cd", {"path": "a"}), ("mkdir", {"path": "c"}), ("cd", {"path": "d"})]


def test_a_condition_on_a_step_that_is_still_to_run_stays_and_follows_it() -> None:
    condition = {"left": "{{intents.2.result.return_code}}", "operator": "equals", "value": 0}
    whole = plan(step("run", command_line="one"), step("run", command_line="two"), step("mkdir", condition, path="a"))
    draft = remaining(whole, 2, {1: {"return_code": 1}}, REGISTRY)
    assert draft.steps[1].condition == {**condition, "left": "{{intents.1.result.return_code}}"}
    gone = plan(
        step("run", command_line="one"), step("mkdir", {**condition, "left": "{{intents.1.result.x}}"}, path="a")
    )
    with pytest.raises(ValueError, match="not there"):
        remaining(gone, 2, {1: {"return_code": 0}}, REGISTRY)


def test_alternatives_are_filled_in_as_their_step_and_count_as_holding_results() -> None:
    other = step("write", path="b", content="{{intents.1.result.stdout}}")
    condition = {"left": "{{intents.1.result.return_code}}", "operator": "equals", "value": 0}
    whole = plan(
        step("run", command_line="one"), replace(step("mkdir", condition, path="a"), alternatives=(other, other))
    )
    draft = remaining(whole, 2, {1: {"stdout": "out", "return_code": 0}}, REGISTRY)
    assert [one.values() for one in draft.steps[0].alternatives] == [{"path": "b", "content": "out"}] * 2
    filled = draft.steps[0].alternatives[0].params["content"]
    assert (filled.origin, filled.note) == ("reference", "from step 1, which is done")
    assert [one.condition for one in draft.steps[0].alternatives] == [None, None]
    assert holds_results(draft)
    untold = remaining(plan(step("run", command_line="one"), step("mkdir", path="a")), 2, {1: {}}, REGISTRY)
    assert not holds_results(untold)


def test_a_tool_that_is_not_there_any_more_changed_no_session() -> None:
    whole = plan(step("cd", path="a"), step("mkdir", path="b"), step("ls", path="."))
    away = replace(whole.at(1), tool="no_such_tool")
    gone = replace(whole, intents=(away, *whole.intents[1:]))
    assert [command for command, _ in said(remaining(gone, 2, {1: {}}, REGISTRY))] == ["mkdir", "ls"]
