from __future__ import annotations

from agents.bdi.plans.dependencies import link
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import Step
from tests.agents.bdi.worlds import by_hand


def needs(*steps: Step) -> list[tuple[int, ...]]:
    return [step.depends_on for step in link(steps, REGISTRY)]


def test_a_step_stands_on_session_paths_and_results_before_it() -> None:
    assert needs(
        by_hand("mkdir", path="a"),
        by_hand("mkdir", path="b"),
        by_hand("write", path="a/x", content="1"),
        by_hand("cd", path="b"),
        by_hand("read", path="../a/x"),
        by_hand("write", path="y", content="{{intents.5.result.content}}"),
    ) == [(), (), (1,), (2,), (1, 3, 4), (2, 4, 5)]


def test_a_program_may_read_anything_and_needs_every_change_before_it() -> None:
    run = by_hand("run", command_line="python x")
    assert needs(by_hand("mkdir", path="a"), by_hand("read", path="b"), run, run) == [(), (), (1,), (1, 3)]


def test_only_the_last_change_of_a_part_of_the_session_counts() -> None:
    steps = (
        by_hand("activate_venv", venv_name="a"),
        by_hand("activate_venv", venv_name="b"),
        by_hand("run", command_line="python x"),
    )
    assert needs(*steps)[2] == (2,)


def test_a_condition_needs_the_step_it_reads() -> None:
    condition = {"left": "{{intents.1.result.items}}", "operator": "contains", "value": "x"}
    step = Step("simple_coder", "ls", {}, "", condition=condition)
    assert needs(by_hand("ls", path="a"), by_hand("ls", path="b"), step)[2] == (1,)
