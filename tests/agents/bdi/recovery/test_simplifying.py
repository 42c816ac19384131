"""The simplified approach: asking for less, in smaller pieces, or without the step and what stands on it."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.plans.document import Document, IntentSpec, Parameter
from agents.bdi.recovery.failures import FailureClass
from agents.bdi.recovery.simplifying import MOST_PIECES, fixed, pieces, simpler, without
from agents.toolkit.registry import REGISTRY

INVALID, FAILED = FailureClass.INVALID_PARAMETERS, FailureClass.TOOL_EXECUTION_ERROR


def spec(
    position: int = 1, command: str = "run", depends_on: tuple[int, ...] = (), origin: str = "explicit", **params: Any
) -> IntentSpec:
    records = tuple(Parameter(name, value, origin) for name, value in params.items())
    return IntentSpec(
        position=position, phase="main", tool="simple_coder", command=command, params=params, parameters=records,
        justification="", effect="workspace", limits={}, depends_on=depends_on, condition=None, hosts=(), rule="",
        sentence="",
    )  # fmt: skip


def document(*specs: IntentSpec) -> Document:
    return Document("1", "goal", "w", "0" * 64, 0, "person", specs, ())


@pytest.mark.parametrize("origin", ["model", "experience", "mapping", "default"])
def test_with_wrong_parameters_the_usual_value_takes_the_place_of_a_guessed_one(origin: str) -> None:
    step = spec(command="write", path="a.txt", content="x", mode="append", origin=origin)
    found = simpler(document(step), 1, INVALID, REGISTRY)
    assert found is not None
    (made,) = found.instead
    usual = REGISTRY.command("simple_coder", "write").defaults()["mode"]
    assert (made.params["mode"], made.params["content"]) == (usual, "x")
    record = next(one for one in made.parameters if one.name == "mode")
    assert (record.origin, record.original) == ("default", "append")
    assert "asks for less: mode as usual" in found.why


def test_what_somebody_asked_for_is_kept() -> None:
    step = spec(command="write", path="a.txt", content="x", mode="append")
    assert simpler(document(step), 1, INVALID, REGISTRY) is None


def test_other_failures_do_not_change_values() -> None:
    step = spec(command="write", path="a.txt", content="x", mode="append", origin="model")
    assert simpler(document(step), 1, FAILED, REGISTRY) is None


def test_packages_are_installed_one_by_one() -> None:
    found = pieces(spec(command_line="pip install httpx attrs httpx"))
    assert found is not None
    assert [one.params["command_line"] for one in found.instead] == ["pip install httpx", "pip install attrs"]
    assert "2 smaller steps" in found.why


@pytest.mark.parametrize(
    "line",
    [
        "pip install httpx",
        "pip install -r wanted.txt httpx attrs",
        "pip download httpx attrs",
        "python make.py one two",
        "pip install 'unclosed",
        "pip install " + " ".join(f"p{number}" for number in range(MOST_PIECES + 1)),
    ],
)
def test_what_cannot_be_cut_surely_stays_whole(line: str) -> None:
    assert pieces(spec(command_line=line)) is None


def test_a_list_of_files_is_done_file_by_file_and_two_lists_are_not() -> None:
    found = pieces(spec(command="any", paths=["a", "b"]))
    assert found is not None
    assert [one.params["paths"] for one in found.instead] == [["a"], ["b"]]
    assert pieces(spec(command="any", paths=["a", "b"], files=["c", "d"])) is None


def test_what_stands_on_a_step_is_left_out_with_it() -> None:
    found = without(document(spec(1), spec(2, depends_on=(1,)), spec(3), spec(4, depends_on=(2,))), 1)
    assert found is not None
    assert (found.instead, found.left_out) == ((), (2, 4))
    assert "one of the plan's steps is left" in found.why
    assert without(document(spec(1), spec(2, depends_on=(1,))), 1) is None
    assert without(document(spec(1), spec(2)), 2) is None, "what is done already is no rest"


def test_a_step_that_may_not_be_done_without_is_not_left_out() -> None:
    plan = document(spec(1), spec(2))
    assert simpler(plan, 1, FAILED, REGISTRY) is not None
    assert simpler(plan, 1, FAILED, REGISTRY, leave_out=False) is None


def test_a_fixed_value_keeps_what_stood_there_and_an_equal_one_changes_nothing() -> None:
    step = spec(path="a", other=1)
    made = fixed(step, {"path": "b", "other": 1}, "person", "fixed by Rita")
    assert (made.params, step.params["path"]) == ({"path": "b", "other": 1}, "a")
    by_name = {one.name: one for one in made.parameters}
    assert (by_name["path"].origin, by_name["path"].original, by_name["path"].note) == ("person", "a", "fixed by Rita")
    assert by_name["other"].origin == "explicit"
