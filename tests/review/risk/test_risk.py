"""Risk: levels with reasons from facts, shares of failures from real cases, and unknown where nobody knows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import pytest

from agents.bdi.forecast.touched_paths import touched
from agents.bdi.plans.approved_models import Asked, Model
from agents.bdi.plans.document import Document, IntentSpec
from agents.toolkit.registry import REGISTRY
from review.risk.assessment import Level, PlanRisk, Tried, assess, widened


class Whatever(dict[tuple[str, str], tuple[int, int]]):
    """Counts of commands that hold whatever they act on."""

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get(key[:2], default)


MANY = Whatever(
    {("simple_coder", name): (1, 40) for name in ("write", "mkdir", "rm", "run", "ls", "cd", "mv", "cp", "find")}
)
MANY["simple_coder", "toggle_autonomous_mode"] = (0, 40)


def spec(command: str, /, *, effect: str = "workspace", **params: Any) -> IntentSpec:
    return IntentSpec(0, "main", "simple_coder", command, params, (), "", effect, {}, (), None, (), "", "")


def document(main: Sequence[IntentSpec], cleanup: Sequence[IntentSpec] = ()) -> Document:
    steps = tuple(replace(one, position=at) for at, one in enumerate(main, 1))
    undo = tuple(replace(one, position=at, phase="cleanup") for at, one in enumerate(cleanup, len(steps) + 1))
    return Document("1", "a goal", "notes", "0" * 64, 1, "rule", steps, undo)


def risk(
    *main: IntentSpec,
    cleanup: Sequence[IntentSpec] = (),
    counts: Any = MANY,
    tried: Tried | None = None,
    there: Collection[str] | None = (),
    after_failure: Collection[int] = (),
) -> PlanRisk:
    written = document(main, cleanup)
    named = touched(written, REGISTRY)
    return assess(written, named, counts, tried, there=there, after_failure=after_failure)


def test_an_ordinary_step_with_many_cases_is_low() -> None:
    found = risk(spec("write", path="a.txt", content="x"))
    assert (found.level, found.reasons) == (Level.LOW, ())
    assert (found.steps[0].failures.percent, found.steps[0].failures.cases) == (2, 40)


def test_below_ten_cases_nothing_is_low_and_the_number_of_cases_is_told() -> None:
    found = risk(spec("write", path="a.txt", content="x"), counts=Whatever({("simple_coder", "write"): (0, 9)}))
    assert found.level is Level.UNKNOWN
    assert found.reasons == ("step 1: fewer than 10 cases so far, too few to know how often that fails",)
    assert found.steps[0].failures.percent is None


def test_what_a_step_could_do_is_told_before_what_nobody_knows_and_that_once() -> None:
    found = risk(spec("mkdir", path="a"), spec("write", path="a/.env", content="x"), counts={})
    assert found.level is Level.UNKNOWN
    assert found.reasons == (
        "step 2: it changes the hidden path a/.env",
        "steps 1, 2: fewer than 10 cases so far, too few to know how often that fails",
    )
    # Also where something else is more dangerous: the page does not say it at each step.
    found = risk(spec("mkdir", path="a"), spec("rm", path="b"), spec("cd", path="a"), counts={})
    assert found.level is Level.HIGH
    assert found.reasons[-1].startswith("steps 1 to 3: fewer than 10 cases so far")
    assert [step.lacks_cases for step in found.steps] == [True, False, True]


@pytest.mark.parametrize(
    ("step", "level", "words"),
    [
        (spec("rm", path="old"), Level.HIGH, "removes old"),
        (spec("mv", path="a", to="b"), Level.HIGH, "moves a away"),
        (spec("cp", path="a", to="b", overwrite=True), Level.HIGH, "over a file"),
        (spec("toggle_autonomous_mode", effect="idempotent", on=True), Level.HIGH, "autonomous"),
        (spec("write", path=".env", content=""), Level.MEDIUM, "hidden path .env"),
        (spec("write", path="{{intents.1.path}}", content=""), Level.UNKNOWN, "only when it runs"),
        (replace(spec("run", command_line="ls"), hosts=("example.org",)), Level.HIGH, "reaches example.org"),
        (replace(spec("write", path="a", content=""), effect="once"), Level.HIGH, "cannot be repeated"),
        (replace(spec("write", path="a", content=""), effect="keyed"), Level.MEDIUM, "outside of the workspace"),
    ],
)
def test_a_fact_raises_the_level_and_says_why(step: IntentSpec, level: Level, words: str) -> None:
    found = risk(step)
    assert found.level is level
    assert words in " ".join(found.reasons)


def test_a_step_that_would_send_a_text_is_high_and_one_that_can_send_none_says_that_it_cannot_run() -> None:
    sends = replace(spec("send_text_to_model", effect="keyed", text="x"), tool="summarization")
    counts = Whatever({("summarization", "send_text_to_model"): (0, 40)})
    asked = risk(replace(sends, asks=Asked((Model("openai/one"),), 16_000)), counts=counts)
    assert (asked.level, "costs money" in asked.reasons[0]) == (Level.HIGH, True)
    for nobody in (Asked((), 16_000), None):
        found = risk(replace(sends, asks=nobody), counts=counts)
        assert found.level is Level.MEDIUM
        assert "it cannot run: no language model was set up" in found.reasons[0]


@pytest.mark.parametrize(
    ("command", "level", "words"),
    [
        ("retire_agent", Level.HIGH, "nothing undoes that"),
        ("create_agent", Level.MEDIUM, "outside of the workspace"),
        ("change_agent", Level.MEDIUM, "outside of the workspace"),
    ],
)
def test_what_mindx_does_to_itself_is_high_where_nothing_undoes_it(command: str, level: Level, words: str) -> None:
    step = replace(spec(command, effect="keyed", name="scout"), tool="agent_registry")
    found = risk(step, counts=Whatever({("agent_registry", command): (0, 40)}))
    assert found.level is level
    assert words in found.reasons[0]


def test_a_command_says_that_it_cannot_be_undone_where_its_service_does() -> None:
    said = {command.name for command in REGISTRY.commands if "cannot be undone" in command.summary}
    assert said == {command.name for command in REGISTRY.commands if command.cannot_be_undone} == {"retire_agent"}


def test_a_program_is_unknown_until_it_was_tried_and_medium_when_it_left_everything_in_place() -> None:
    program = spec("run", command_line="python a.py")
    assert risk(program).level is Level.UNKNOWN
    assert risk(program, tried=Tried({1: "done"})).level is Level.MEDIUM
    assert risk(program, tried=Tried({1: "done"}, ["a", "b"])).level is Level.HIGH
    assert "deleted 2 paths" in " ".join(risk(program, tried=Tried({1: "done"}, ["a", "b"])).reasons)
    assert risk(program, tried=Tried({1: "unproven"})).level is Level.UNKNOWN


def test_a_program_in_autonomous_mode_is_high() -> None:
    found = risk(spec("toggle_autonomous_mode", effect="idempotent", on=True), spec("run", command_line="ls"))
    assert found.steps[1].level is Level.HIGH


def test_clean_up_that_removes_what_the_plan_makes_is_medium_and_anything_else_is_high() -> None:
    make = spec("mkdir", path="weather")
    assert risk(make, cleanup=[spec("rm", path="weather")]).level is Level.MEDIUM
    assert risk(make, cleanup=[spec("rm", path="other")]).level is Level.HIGH
    # Making a folder that is there makes nothing: what was in it would go with it.
    assert risk(make, cleanup=[spec("rm", path="weather")], there=["weather"]).level is Level.HIGH
    assert risk(make, cleanup=[spec("rm", path="weather")], there=None).level is Level.HIGH


def test_autonomous_mode_for_a_tidy_clean_up_is_medium_and_for_any_other_high() -> None:
    make, on = spec("mkdir", path="weather"), spec("toggle_autonomous_mode", effect="idempotent", on=True)
    gone = spec("rm", path="weather")
    assert risk(make, cleanup=[on, gone]).level is Level.MEDIUM
    assert risk(make, cleanup=[on, gone], there=["weather"]).level is Level.HIGH
    assert risk(make, cleanup=[on, gone, spec("rm", path="other")]).steps[1].level is Level.HIGH
    assert risk(make, cleanup=[on, gone, spec("run", command_line="ls")]).steps[1].level is Level.HIGH
    assert risk(make, on, gone, cleanup=[gone]).steps[1].level is Level.HIGH


def test_a_folder_is_found_however_the_steps_go_there() -> None:
    inside = risk(spec("mkdir", path="weather"), spec("cd", effect="idempotent", path="weather"), _write("a.txt"))
    assert inside.level is Level.LOW
    away = (spec("mkdir", path="weather"), spec("cd", effect="idempotent", path="weather"), _write("../notes.txt"))
    assert risk(*away).level is Level.MEDIUM


def test_a_command_that_fails_often_is_no_longer_low() -> None:
    assert risk(_write("a"), counts=Whatever({("simple_coder", "write"): (4, 10)})).level is Level.MEDIUM


def test_history_is_that_of_the_same_program_and_the_same_kind_of_thing() -> None:
    counts = {("simple_coder", "run", "python job.py"): (0, 13), ("simple_coder", "write", ".txt"): (1, 40)}
    known = risk(spec("run", command_line="python3 ./job.py --fast"), counts=counts, tried=Tried({1: "done"})).steps[0]
    assert (known.failures.cases, known.program, known.level) == (13, "python job.py", Level.MEDIUM)
    other = risk(spec("run", command_line="python other.py"), counts=counts, tried=Tried({1: "done"})).steps[0]
    assert (other.failures.cases, other.level) == (0, Level.UNKNOWN)
    written = risk(_write("a.txt"), _write("a.py"), counts=counts).steps
    assert [(step.failures.cases, step.about, step.level) for step in written] == [
        (40, "for .txt files", Level.LOW),
        (0, "for .py files", Level.UNKNOWN),
    ]


def test_clean_up_that_never_ran_does_not_keep_a_plan_unknown() -> None:
    counts = {("simple_coder", "mkdir", ""): (0, 13)}
    on, gone = spec("toggle_autonomous_mode", effect="idempotent", on=True), spec("rm", path="weather")
    found = risk(spec("mkdir", path="weather"), cleanup=[on, gone], counts=counts)
    assert found.level is Level.MEDIUM
    assert [step.level for step in found.steps] == [Level.LOW, Level.MEDIUM, Level.MEDIUM]
    assert found.steps[2].failures.cases == 0
    assert not any("fewer than 10" in reason for reason in found.reasons)
    looks = risk(spec("mkdir", path="weather"), cleanup=[spec("ls", effect="idempotent", path=".")], counts=counts)
    assert (looks.level, looks.after_failure) == (Level.LOW, Level.LOW)


def test_clean_up_is_judged_apart_by_what_it_could_do() -> None:
    found = risk(spec("mkdir", path="weather"), cleanup=[spec("rm", path="other")])
    assert (found.level, found.after_failure) == (Level.HIGH, Level.HIGH)
    assert found.after_failure_reasons[0] == "step 2: it removes other"
    own = risk(spec("rm", path="old"), cleanup=[spec("ls", effect="idempotent", path=".")])
    assert (own.level, own.after_failure, own.after_failure_reasons) == (Level.HIGH, Level.LOW, ())
    assert risk(_write("a.txt")).after_failure is None


def test_an_alternative_without_history_is_judged_by_what_it_could_do() -> None:
    counts = {("simple_coder", "mkdir", ""): (0, 13)}
    other = risk(spec("ls", effect="idempotent", path="."), counts={}, after_failure=[1]).steps[0]
    assert other.level is Level.LOW
    found = widened(risk(spec("mkdir", path="weather"), counts=counts), [(1, 1, other)])
    assert found.level is Level.LOW


def test_what_failed_in_the_shadow_run_is_high_and_never_fails_0_percent() -> None:
    found = risk(spec("mkdir", path="a"), spec("run", command_line="ls"), tried=Tried({1: "done", 2: "failed"}))
    assert [step.level for step in found.steps] == [Level.LOW, Level.HIGH]
    assert [step.failed_in_copy for step in found.steps] == [False, True]
    assert found.level is Level.HIGH
    assert found.reasons[0] == "step 2: it failed in the dry run"


def test_the_order_is_high_unknown_medium_low() -> None:
    assert sorted(Level, key=lambda level: level.rank) == [Level.HIGH, Level.UNKNOWN, Level.MEDIUM, Level.LOW]
    assert Level.LOW.is_at_most(Level.MEDIUM)
    assert not Level.UNKNOWN.is_at_most(Level.MEDIUM)


def _write(path: str) -> IntentSpec:
    return spec("write", path=path, content="x")
