"""What is left of a plan that stopped: nothing twice, nothing lost, results filled in."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi import document as documents
from agents.bdi.document import CommandFacts, Document
from agents.bdi.resuming import holds_results, remaining
from agents.bdi.types import Param, PlanDraft, Step
from agents.toolkit.registry import REGISTRY
from agents.toolkit.versions import version_of


def step(command: str, condition: dict[str, Any] | None = None, /, **params: Any) -> Step:
    return Step("simple_coder", command, {k: Param(v, "person") for k, v in params.items()}, "", condition=condition)


def plan(*steps: Step, cleanup: tuple[Step, ...] = ()) -> Document:
    main = documents.specs(steps, [CommandFacts("workspace")] * len(steps))
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
    with pytest.raises(ValueError, match="not there"):
        remaining(whole, 2, {}, REGISTRY)


def test_the_clean_up_stays_and_reads_what_is_over() -> None:
    undo = step("write", path="log", content="{{intents.1.result.stdout}}")
    whole = plan(step("run", command_line="one"), step("mkdir", path="a"), cleanup=(undo,))
    draft = remaining(whole, 2, {1: {"stdout": "out"}}, REGISTRY)
    assert draft.cleanup[0].values()["content"] == "out"


def test_the_version_of_a_command_is_what_it_does_and_not_how_a_form_calls_it() -> None:
    from dataclasses import replace

    write = REGISTRY.command("simple_coder", "write")
    properties = write.schema["properties"]
    renamed = {**write.schema, "properties": {**properties, "path": {**properties["path"], "title": "Where"}}}
    wider = {**write.schema, "properties": {**properties, "path": {**properties["path"], "maxLength": 9}}}
    assert version_of(replace(write, schema=renamed)) == version_of(write)
    assert version_of(replace(write, schema=wider)) != version_of(write)
    assert version_of(replace(write, effect="once")) != version_of(write)
    assert version_of(REGISTRY.command("simple_coder", "ls")) != version_of(write)
