"""A simpler plan where none was found: what is sound, and what can be planned."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.outcome.outcome import Check, CheckKind
from agents.bdi.plans.dependencies import link
from agents.bdi.recovery.simpler_goal import SIMPLIFIED, joined, left_out_checks, parts, sound, told
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import Param, PlanDraft, Step


def write(path: str, content: str = "x") -> Step:
    return Step("simple_coder", "write", {"path": Param(path, "explicit"), "content": Param(content, "explicit")}, "")


def read(path: str) -> Step:
    return Step("simple_coder", "read", {"path": Param(path, "explicit")}, "")


def draft(*steps: Step, cleanup: tuple[Step, ...] = ()) -> PlanDraft:
    return PlanDraft(link(steps, REGISTRY), link(cleanup, REGISTRY), "rule", {"rule": {"name": "r"}})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Do this", ("Do this",)),
        ("Do this. Do that.", ("Do this", "Do that")),
        ("do this, then do that and then rest", ("do this", "do that", "rest")),
        ("do this; and then that", ("do this", "that")),
        ("open 1.5.2 and https://a.example/b.html", ("open 1.5.2 and https://a.example/b.html",)),
        ("write “a. then b” to x. rest", ("write “a. then b” to x", "rest")),
        ("write 'a; b' to x", ("write 'a; b' to x",)),
        ("; ".join(["x"] * 13), ("; ".join(["x"] * 13),)),
    ],
)
def test_a_goal_falls_into_its_wishes(text: str, found: tuple[str, ...]) -> None:
    assert parts(text) == found


@given(st.text(max_size=200))
def test_nothing_of_a_goal_is_made_up(text: str) -> None:
    for part in parts(text):
        assert part in text


def test_what_stands_on_a_faulty_step_goes_with_it_and_references_follow() -> None:
    whole = draft(
        write("a.txt"), read("b.txt"), write("c.txt", "{{intents.2.result.content}}"), read("a.txt"),
        cleanup=(write("d.txt"),),
    )  # fmt: skip
    found = sound(whole, {1}, REGISTRY)
    assert found is not None
    less, gone = found
    assert gone == (1, 4)
    assert [step.command for step in less.steps] == ["read", "write"]
    assert less.steps[1].values()["content"] == "{{intents.1.result.content}}"
    assert [step.values()["path"] for step in less.cleanup] == ["d.txt"]
    assert less.evidence == whole.evidence


@pytest.mark.parametrize("faulty", [set(), {0}, {1, 2}, {3}])
def test_nothing_is_left_out_where_nothing_would_be_left_or_it_is_not_a_main_step(faulty: set[int]) -> None:
    assert sound(draft(write("a.txt"), read("b.txt"), cleanup=(write("d.txt"),)), faulty, REGISTRY) is None


def test_parts_come_one_after_the_other_and_read_their_own_results() -> None:
    one = draft(read("a.txt"), write("b.txt", "{{intents.1.result.content}}"), cleanup=(write("c.txt"),))
    found = joined([one, one], REGISTRY)
    assert found is not None
    contents = [step.values().get("content") for step in found.steps]
    assert contents == [None, "{{intents.1.result.content}}", None, "{{intents.3.result.content}}"]
    assert len(found.cleanup) == 2


def test_parts_behind_one_that_changes_the_session_are_no_plan() -> None:
    enter = Step("simple_coder", "cd", {"path": Param("x", "explicit")}, "")
    assert REGISTRY.command("simple_coder", "cd").changes_session
    assert joined([draft(enter), draft(read("a.txt"))], REGISTRY) is None
    assert joined([draft(read("a.txt")), draft(enter)], REGISTRY) is not None


def test_what_is_left_out_is_told_and_checked() -> None:
    part = told(draft(read("a.txt")), ["“rest”", "step 2 (simple_coder.write)"], "it has problems")
    assert part.evidence["rule"] == {"name": "r"}
    assert left_out_checks(part.evidence) == [
        Check(CheckKind.LEFT_OUT, word="“rest”"),
        Check(CheckKind.LEFT_OUT, word="step 2 (simple_coder.write)"),
    ]
    for evidence in ({}, {SIMPLIFIED: "no mapping"}, {SIMPLIFIED: {"left_out": "no list"}}):
        assert left_out_checks(evidence) == []
