"""AGInt looks at the whole agent and decides for a reason that it says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agents.bdi.recovery.agint import Decision, Health, Machine, Whole, assess, pressures
from agents.bdi.recovery.failures import FailureClass
from agents.bdi.recovery.program_errors import Cause
from agents.bdi.recovery.recovery_settings import USUAL
from agents.bdi.recovery.shared_causes import Kind, SharedCause

PYTEST = SharedCause(Kind.PROGRAM, ("pytest",), "simple_coder", "run")
CALM = Whole(FailureClass.UNKNOWN_ERROR, "simple_coder", machine=Machine(10.0, 20.0, 30.0), may_try=True)


@pytest.mark.parametrize(
    ("whole", "decision"),
    [
        (CALM, Decision.DELEGATE),
        (replace(CALM, cause=Cause.TIME, machine=Machine(99.0, 20.0, 30.0)), Decision.COOL_DOWN),
        (replace(CALM, machine=Machine(99.0, 99.0, 99.0)), Decision.DELEGATE),
        (replace(CALM, machine=Machine(None, None, None)), Decision.DELEGATE),
        (replace(CALM, shared=PYTEST, shared_health=Health(10, 9)), Decision.COOL_DOWN),
        (replace(CALM, shared=PYTEST, shared_health=Health(2, 2)), Decision.DELEGATE),
        (replace(CALM, asks_model=True, model_health=Health(6, 6)), Decision.COOL_DOWN),
        (replace(CALM, mendable=("the disk is nearly full",)), Decision.SELF_REPAIR),
        (replace(CALM, may_replan=True), Decision.RESEARCH),
        (replace(CALM, may_try=False), Decision.NOTHING),
        (replace(CALM, failure_class=FailureClass.PERMISSION_ERROR), Decision.NOTHING),
    ],
)
def test_each_decision_is_taken_for_what_is_seen(whole: Whole, decision: Decision) -> None:
    found = assess(whole, USUAL)
    assert found.decision is decision
    assert found.why


def test_what_is_seen_becomes_beliefs_that_replace_earlier_ones_and_end() -> None:
    whole = replace(
        CALM, shared=PYTEST, shared_health=Health(10, 9), same_failures=3, machine=Machine(99.0, 20.0, 30.0)
    )
    beliefs = assess(whole, USUAL).beliefs
    assert len({one.about for one in beliefs}) == len(beliefs) == 3
    assert all(one.for_s > 0 and 0 < one.confidence <= 1 for one in beliefs)


@pytest.mark.parametrize(
    ("whole", "decision"),
    [
        # The machine is short of something, but nothing may be tried, or the failure is none that passes by itself.
        (replace(CALM, cause=Cause.TIME, machine=Machine(99.0), may_try=False), Decision.NOTHING),
        (replace(CALM, machine=Machine(99.0), failure_class=FailureClass.PERMISSION_ERROR), Decision.NOTHING),
        # A model that fails is waited for by whom it is asked, and only where another try may be.
        (replace(CALM, asks_model=True, model_health=Health(6, 6), may_try=False), Decision.NOTHING),
        (replace(CALM, asks_model=False, model_health=Health(6, 6)), Decision.DELEGATE),
        (replace(CALM, asks_model=True, model_health=Health(6, 1)), Decision.DELEGATE),
        # So is a tool.
        (replace(CALM, shared=PYTEST, shared_health=Health(10, 9), may_try=False), Decision.NOTHING),
        (
            replace(CALM, shared=PYTEST, shared_health=Health(10, 9), failure_class=FailureClass.PERMISSION_ERROR),
            Decision.NOTHING,
        ),
        # What is mended is mended for something that can go on afterwards.
        (replace(CALM, mendable=("the disk is nearly full",), may_try=False), Decision.NOTHING),
        (replace(CALM, mendable=("the disk is nearly full",), may_try=False, may_replan=True), Decision.SELF_REPAIR),
    ],
)
def test_every_condition_of_a_decision_counts(whole: Whole, decision: Decision) -> None:
    assert assess(whole, USUAL).decision is decision


@pytest.mark.parametrize(
    ("health", "is_failing"),
    [(Health(), False), (Health(3, 3), False), (Health(4, 4), True), (Health(10, 6), True), (Health(10, 5), False)],
)
def test_what_fails_six_times_in_ten_is_failing_from_four_tries_on(health: Health, is_failing: bool) -> None:
    assert health.is_failing is is_failing


def test_a_cool_down_says_what_was_measured_and_nothing_of_others() -> None:
    found = assess(replace(CALM, shared=PYTEST, shared_health=Health(6, 5)), USUAL)
    assert (found.decision, found.why) == (Decision.COOL_DOWN, "pytest failed 5 of its last 6 tries")
    aside = Health(6, 5, own_faults=2).measured("pytest")
    assert aside == "pytest failed 5 of its last 6 tries, 2 aside that failed by their own files or code"


def test_pressure_begins_above_the_line_that_operators_drew() -> None:
    line = USUAL.pressure_memory_percent
    assert pressures(Machine(None, line, None), USUAL) == ()
    assert pressures(Machine(None, line + 1, None), USUAL) == (f"memory ({line + 1:.0f} % in use)",)


def test_each_belief_says_what_was_measured_and_for_how_long_it_holds() -> None:
    whole = replace(
        CALM,
        shared=PYTEST,
        shared_health=Health(10, 9),
        model="one",
        model_health=Health(6, 6),
        same_failures=2,
        machine=Machine(99.0),
    )
    assert [(one.sentence, one.about, one.for_s) for one in assess(whole, USUAL).beliefs] == [
        ("The machine is short of processors (99 % in use).", "agint:machine:processors", 300.0),
        ("Lately pytest failed 9 of its last 10 tries.", f"agint:{PYTEST.key}", 900.0),
        ("The language model does not answer at the moment.", "agint:model", 900.0),
        (
            "UNKNOWN_ERROR of simple_coder came 2 times lately.",
            "agint:class:UNKNOWN_ERROR:simple_coder",
            900.0,
        ),
    ]
    well = assess(
        replace(CALM, shared=PYTEST, shared_health=Health(4, 0), model="one", model_health=Health(1, 0)), USUAL
    ).beliefs
    assert [one.sentence for one in well] == [
        "Lately pytest failed 0 of its last 4 tries.",
        "The language model answers at the moment.",
    ]
    assert all(0 < one.confidence < 1 for one in well)


def test_of_what_is_hardly_known_nothing_is_believed() -> None:
    hardly = replace(
        CALM, shared=PYTEST, shared_health=Health(3, 3), model="one", model_health=Health(), same_failures=1
    )
    assert assess(hardly, USUAL).beliefs == ()
    assert assess(replace(CALM, model="", model_health=Health(6, 6)), USUAL).beliefs == ()


def test_what_was_measured_and_is_well_is_named_and_nothing_else() -> None:
    found = assess(replace(CALM, machine=Machine(99.0, 20.0, None)), USUAL)
    assert found.in_order == ("agint:machine:memory",), "processors are short, and the disk was not measured"


@pytest.mark.parametrize(("runs", "words"), [(0, "the goal is examined again"), (3, "3 earlier runs are similar")])
def test_research_says_what_it_goes_by(runs: int, words: str) -> None:
    found = assess(replace(CALM, may_replan=True, earlier_runs=runs), USUAL)
    assert found.why == f"the step as it is does not work; {words}"


@pytest.mark.parametrize("failure_class", list(FailureClass))
def test_only_what_may_pass_by_itself_is_waited_for_or_tried_again(failure_class: FailureClass) -> None:
    stays = {
        FailureClass.INVALID_PARAMETERS,
        FailureClass.PERMISSION_ERROR,
        FailureClass.PLANNING_ERROR,
        FailureClass.GOAL_PARSE_ERROR,
    }
    whole = replace(CALM, failure_class=failure_class)
    assert assess(whole, USUAL).decision is (Decision.NOTHING if failure_class in stays else Decision.DELEGATE)


SHORT = {"processors": Machine(cpu=99.0), "memory": Machine(memory=99.0), "disk": Machine(disk=99.0)}


@pytest.mark.parametrize(
    ("cause", "explained_by"),
    [
        (Cause.TIME, {"processors", "memory"}),
        (Cause.MEMORY, {"memory"}),
        (Cause.PROCESSES, {"processors", "memory"}),
        (Cause.DISK, {"disk"}),
        *((cause, set()) for cause in (Cause.CODE, Cause.INPUT, Cause.REMOTE, Cause.UNKNOWN)),
    ],
)
def test_load_explains_only_what_load_can_cause(cause: Cause, explained_by: set[str]) -> None:
    for name, machine in SHORT.items():
        whole = Whole(FailureClass.TOOL_EXECUTION_ERROR, "simple_coder", cause, machine=machine, may_try=True)
        found = assess(whole, USUAL)
        assert (found.decision is Decision.COOL_DOWN) is (name in explained_by), name
        assert ("is short of" in found.why) is (name in explained_by)


def test_each_figure_of_the_machine_is_held_against_its_own_line() -> None:
    lines = replace(USUAL, pressure_cpu_percent=10.0, pressure_memory_percent=20.0, pressure_disk_percent=30.0)
    assert pressures(Machine(10.0, 20.0, 30.0), lines) == ()
    short = ("processors (11 % in use)", "memory (21 % in use)", "disk (31 % in use)")
    assert pressures(Machine(11.0, 21.0, 31.0), lines) == short


def test_of_what_nobody_has_looked_at_nothing_is_believed_or_done() -> None:
    found = assess(Whole(FailureClass.UNKNOWN_ERROR, "simple_coder"), USUAL)
    assert (found.decision, found.beliefs, found.in_order) == (Decision.NOTHING, (), ())
    assert (Health().tried, Health(tried=4).failed) == (0, 0)
