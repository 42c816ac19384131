from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from agents.bdi.plans.validation import PlanLimits, Problem, validate, validate_values
from agents.toolkit.limits import DEFAULTS
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import Param, Step
from tests.agents.bdi.worlds import by_hand


def problems(*steps: Step, cleanup: tuple[Step, ...] = (), **limits: Any) -> list[tuple[int, str, str]]:
    found = validate(steps, cleanup, REGISTRY, PlanLimits(**limits) if limits else None)
    assert all(problem.message.endswith((".", "?")) for problem in found)
    return [(problem.position, problem.field, problem.code) for problem in found]


def raw(command: str, tool: str = "simple_coder", **params: Any) -> Step:
    """A step as it may arrive, unresolved and unchecked."""
    return Step(tool, command, {name: Param(value, "explicit") for name, value in params.items()}, "because")


RUN = by_hand("run", command_line="python --version")


def test_a_sound_plan_has_no_problems() -> None:
    steps = (
        by_hand("mkdir", path="weather"),
        by_hand("cd", path="weather"),
        RUN,
        by_hand("write", path="version.txt", content="{{intents.3.result.stdout}}"),
        by_hand("read", path="../weather/version.txt"),
        by_hand("write_note", tool="note_taking", name="done", text="{{intents.5.result.content}}"),
    )
    assert problems(*steps) == []


def test_hosts_may_be_said_and_a_problem_names_the_entry() -> None:
    assert problems(by_hand("run", command_line="python x.py", hosts=["127.0.0.1:8123", "packages"])) == []
    assert problems(by_hand("run", command_line="python x.py", hosts=[])) == []
    step = raw("run", command_line="python x.py", hosts=["good.example", "bad.example/x"])
    (found,) = validate((step,), (), REGISTRY)
    assert "bad.example/x" in found.message
    assert "good.example" not in found.message
    many = raw("run", command_line="python x.py", hosts=[f"h{number}.example" for number in range(17)])
    assert {problem.field for problem in validate((many,), (), REGISTRY)} == {"hosts"}


@pytest.mark.parametrize(
    ("step", "field", "code"),
    [
        (raw("fly", path="x"), "command", "unknown_command"),
        (raw("ls", tool="shell"), "tool", "unknown_tool"),
        (raw("mkdir"), "path", "schema"),
        (raw("mkdir", path=7), "path", "schema"),
        (raw("mkdir", path=""), "path", "schema"),
        (raw("mkdir", path="x", mode="777"), "mode", "schema"),
        (raw("run", command_line="x", timeout_s=100_000), "timeout_s", "schema"),
        (raw("run", command_line="x", timeout_s=True), "timeout_s", "schema"),
        (raw("toggle_autonomous_mode", on="yes"), "on", "schema"),
        (raw("run", command_line="pip list", hosts="packages"), "hosts", "schema"),
        (raw("run", command_line="pip list", hosts=["https://example.org"]), "hosts", "host"),
        (raw("run", command_line="pip list", hosts=["*.example.org"]), "hosts", "host"),
        (raw("run", command_line="pip list", hosts=["example.org\u200b"]), "hosts", "host"),
        (raw("run", command_line="pip list", hosts=["{{intents.1.result.stdout}}"]), "hosts", "reference_not_allowed"),
        (raw("run", command_line="pip list", hosts="{{intents.1.result.stdout}}"), "hosts", "reference_not_allowed"),
        (raw("mkdir", path="/etc"), "path", "path_absolute"),
        (raw("mkdir", path="~/x"), "path", "path_absolute"),
        (raw("mkdir", path="a/../../b"), "path", "path_outside"),
        (raw("mkdir", path=".."), "path", "path_outside"),
        (raw("mkdir", path="../root/x"), "path", "path_outside"),
        (raw("mkdir", path="a/../../root/x"), "path", "path_outside"),
        (raw("mkdir", path="a\u202eb"), "path", "path_hidden_character"),
        (raw("mkdir", path="a\u200bb"), "path", "path_hidden_character"),
        (raw("mkdir", path="a\nb"), "path", "path_hidden_character"),
        (raw("mkdir", path="a\x00b"), "path", "path_hidden_character"),
        (raw("mkdir", path="\ud800"), "path", "path_hidden_character"),
        (raw("mkdir", path="-rf"), "path", "path_not_a_name"),
        (raw("mkdir", path="a\\b"), "path", "path_not_a_name"),
        (raw("mkdir", path="x" * 300), "path", "path_too_long"),
        (raw("show_note", tool="note_taking", name="a/b"), "name", "path_not_a_name"),
        (raw("show_note", tool="note_taking", name=".."), "name", "path_not_a_name"),
        (raw("run", command_line="python \u202ex"), "command_line", "hidden_character"),
        (raw("run", command_line="python x\nrm y"), "command_line", "line_break"),
        (raw("write", path="x", content="a\x00b"), "content", "unstorable"),
        (raw("write", path="x", content="a\ud800b"), "content", "unstorable"),
        (raw("run", command_line="x", hosts=["a", "b\x00"]), "hosts", "unstorable"),
        (raw("rm", path="x"), "command", "needs_autonomous_mode"),
        (dataclasses.replace(RUN, depends_on=(1,)), "depends_on", "order"),
        (dataclasses.replace(RUN, justification="x" * 5000), "justification", "too_long"),
        (Step("simple_coder", "ls", {"path": Param("a", "magic")}, ""), "path", "unknown_origin"),
    ],
)
def test_a_fault_is_named_with_its_field_and_code(step: Step, field: str, code: str) -> None:
    assert (1, field, code) in problems(step)


@pytest.mark.parametrize(
    ("name", "params", "code"),
    [
        ("run", {"command_line": "{{intents.1.result.stdout}}"}, "reference_not_allowed"),
        ("mkdir", {"path": "{{intents.1.result.stdout}}"}, "reference_not_allowed"),
        ("run", {"command_line": "echo {{intents.1.result.stdout}}"}, "reference_not_whole"),
        ("write", {"path": "x", "content": "so: {{intents.1.result.stdout}}"}, "reference_not_whole"),
        ("write", {"path": "x", "content": "{{intents.2.result.stdout}}"}, "reference_order"),
        ("write", {"path": "x", "content": "{{intents.9.result.stdout}}"}, "reference_order"),
        ("write", {"path": "x", "content": "{{intents.1.result.nothing}}"}, "reference_key"),
        ("write", {"path": "x", "content": "{{intents.one.result.stdout}}"}, "reference_malformed"),
    ],
)
def test_references_are_whole_allowed_earlier_and_real(name: str, params: dict[str, Any], code: str) -> None:
    (found,) = {problem for problem in problems(RUN, raw(name, **params)) if problem[2].startswith("reference")}
    assert (found[0], found[2]) == (2, code)


def test_clean_up_counts_on_and_may_not_use_results() -> None:
    note = by_hand("write", path="x", content="{{intents.1.result.stdout}}")
    assert problems(RUN, cleanup=(note, by_hand("rm", path="x"))) == [
        (2, "content", "reference_in_cleanup"),
        (3, "command", "needs_autonomous_mode"),
    ]


def test_autonomous_mode_counts_only_after_the_step_that_switches_it_on() -> None:
    on, off, rm = (
        by_hand("toggle_autonomous_mode", on=True),
        by_hand("toggle_autonomous_mode", on=False),
        by_hand("rm", path="x"),
    )
    assert problems(on, rm, off) == []
    assert problems(rm, on) == [(1, "command", "needs_autonomous_mode")]
    assert problems(on, off, rm) == [(3, "command", "needs_autonomous_mode")]
    assert problems(on, cleanup=(rm,)) == [(2, "command", "needs_autonomous_mode")]


@pytest.mark.parametrize("command", ["mv", "cp"])
def test_overwriting_needs_autonomous_mode_as_removing_does(command: str) -> None:
    on = by_hand("toggle_autonomous_mode", on=True)
    over = by_hand(command, path="a", to="b", overwrite=True)
    assert problems(over) == [(1, "command", "needs_autonomous_mode")]
    assert problems(on, over) == []
    assert problems(on, cleanup=(over,)) == [(2, "command", "needs_autonomous_mode")]
    assert problems(by_hand(command, path="a", to="b")) == []
    (told,) = validate([over], [], REGISTRY)
    assert told.message.startswith(f"{command} with overwrite works only in autonomous mode")


def test_paths_are_judged_from_the_folder_that_the_plan_went_to() -> None:
    assert problems(by_hand("cd", path="a/b"), by_hand("read", path="../../x.txt")) == []
    assert problems(by_hand("cd", path="a"), by_hand("cd", path=".."), by_hand("read", path="../x")) == [
        (3, "path", "path_outside")
    ]


def test_plans_have_limits() -> None:
    assert problems() == [(0, "steps", "no_steps")]
    assert problems(*[RUN] * 51) == [(0, "steps", "too_many_steps")]
    assert problems(RUN, cleanup=(RUN,) * 51) == [(0, "cleanup", "too_many_steps")]
    large = by_hand("write", path="x", content="é" * 600_000)
    assert (1, "content", "value_too_large") in problems(large)
    assert (0, "steps", "plan_too_large") in problems(large, large, large, large)


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ({"left": "{{intents.1.result.return_code}}", "operator": "equals", "value": 0}, None),
        ({"left": "{{intents.1.result.return_code}}", "operator": "equals"}, "condition_shape"),
        ({"left": "1", "operator": "equals", "value": 0}, "condition_left"),
        ({"left": "{{intents.1.result.return_code}}", "operator": "like", "value": 0}, "condition_operator"),
        ({"left": "{{intents.1.result.return_code}}", "operator": "less", "value": "0"}, "condition_value"),
        ({"left": "{{intents.1.result.stdout}}", "operator": "contains", "value": 1}, "condition_value"),
        ({"left": "{{intents.1.result.stdout}}", "operator": "equals", "value": "{{x}}"}, "condition_value"),
        ({"left": "{{intents.1.result.stdout}}", "operator": "equals", "value": [1]}, "condition_value"),
        ({"left": "{{intents.2.result.stdout}}", "operator": "equals", "value": 1}, "reference_order"),
        ({"left": "{{intents.1.result.colour}}", "operator": "equals", "value": 1}, "reference_key"),
    ],
)
def test_a_condition_compares_an_earlier_result_with_a_literal(condition: dict[str, Any], code: str | None) -> None:
    found = problems(RUN, dataclasses.replace(RUN, condition=condition))
    assert found == ([] if code is None else [(2, "condition", code)])


def test_every_message_says_the_way_out() -> None:
    (found,) = validate([raw("rn", command_line="x")], [], REGISTRY)
    assert found == Problem(1, "command", "unknown_command", "simple_coder has no command “rn”; did you mean “run”?")
    (needs,) = validate([by_hand("rm", path="x")], [], REGISTRY)
    assert "turn autonomous mode on" in needs.message


def test_a_step_asks_for_no_more_time_than_its_limits_give() -> None:
    steps = [by_hand("run", command_line="python x.py", timeout_s=time_s) for time_s in (10, 11)]
    ceilings = {"simple_coder": {**DEFAULTS, "hard_s": 10.5}}
    (found,) = validate(steps, steps[:1], REGISTRY, ceilings=ceilings)
    assert (found.position, found.field, found.code) == (2, "timeout_s", "above_limit")
    assert found.message.startswith("It asks for 11 s, and a step of simple_coder may ask for 10.5 s at most;")
    (undo,) = validate(steps[:1], steps[1:], REGISTRY, ceilings=ceilings)
    assert undo.position == 2
    # Where nobody knows the limits, only what no administration can allow is a problem.
    assert validate(steps, [], REGISTRY) == []
    assert validate(steps, [], REGISTRY, ceilings={"note_taking": {"hard_s": 1}}) == []


def test_filled_values_are_checked_again() -> None:
    write = REGISTRY.command("simple_coder", "write")
    assert validate_values(write, {"path": "x", "content": "fine"}) == []
    assert validate_values(write, {"path": "x", "content": 7}) == [("content", "content must be of type string.")]
    assert [name for name, _ in validate_values(write, {"path": "../x", "content": ""})] == ["path"]


def test_a_program_that_may_not_run_is_a_problem_before_anybody_approves_it() -> None:
    def run(line: str) -> Step:
        return Step("simple_coder", "run", {"command_line": Param(line, "explicit")}, "")

    activate = Step("simple_coder", "activate_venv", {"venv_name": Param(".venv", "explicit")}, "")
    assert [found.code for found in validate([run("curl http://127.0.0.1")], [], REGISTRY)] == ["not_runnable"]
    assert [found.code for found in validate([run("cat a | wc")], [], REGISTRY)] == ["not_runnable"]
    assert [found.code for found in validate([run("echo 'open")], [], REGISTRY)] == ["not_runnable"]
    assert validate([run("python main.py"), run("./tool --fast")], [], REGISTRY) == []
    # An environment brings programs of its own; which ones, only the run can tell.
    assert validate([activate, run("httpx --help")], [], REGISTRY) == []
    assert validate([activate], [run("httpx --help")], REGISTRY) != []
