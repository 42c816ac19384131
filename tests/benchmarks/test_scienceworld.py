"""The harness of ScienceWorld, without the simulator: no Java here."""

from __future__ import annotations

import json
import sys

import pytest

from benchmarks.scienceworld.__main__ import main
from benchmarks.scienceworld.adapter import ScienceWorld, goal_of
from benchmarks.scienceworld.playing import Played, json_line, library


class Simulator:
    """Answers like a `ScienceWorldEnv`; “cup” is ambiguous."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.score = 0

    def load(self, task: str, variation: int, simplifications: str) -> None:
        assert simplifications == ""

    def reset(self) -> tuple[str, dict[str, object]]:
        return "", self._info()

    def step(self, action: str) -> tuple[str, int, bool, dict[str, object]]:
        self.asked.append(action)
        answers = {
            "take cup": "Ambiguous request: Please enter the number",
            "0": "Taken.",
            "fly": "No known action matches that input.",
        }
        return answers.get(action, "Done."), 0, False, self._info()

    def _info(self) -> dict[str, object]:
        return {
            "look": "You see a cup.",
            "inv": "",
            "score": self.score,
            "taskDesc": "Task Description:\nYour task is to find a(n) plant.",
        }


def test_of_several_readings_the_first_is_taken() -> None:
    simulator = Simulator()
    percept = ScienceWorld(simulator, "find-plant", 0).act("take cup")
    assert (percept.accepted, simulator.asked) == (True, ["take cup", "0"])


def test_what_the_simulator_does_not_understand_is_not_accepted() -> None:
    world = ScienceWorld(Simulator(), "find-plant", 0)
    assert not world.act("fly").accepted
    assert world.act("wait").accepted


def test_a_failed_task_scores_nothing() -> None:
    simulator = Simulator()
    simulator.score = -100
    assert ScienceWorld(simulator, "find-plant", 0).score() == 0


def test_a_goal_is_the_task_without_its_headline() -> None:
    assert goal_of("Task Description:\nYour task is to find a(n) 'red thing'.") == "Your task is to find a red thing."


@pytest.mark.parametrize("split", ["test", "all"])
def test_actions_in_test_variations_are_not_shown(split: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["scienceworld", "--trace", "--split", split])
    with pytest.raises(SystemExit) as refused:
        main()
    assert refused.value.code == 2


def test_what_went_wrong_in_a_test_variation_is_not_shown() -> None:
    told = {
        split: json.loads(json_line(Played("t", 1, split, 0.5, "loop", "why", 3, 0, (), 1.0), "d"))
        for split in ("dev", "test")
    }
    assert told["dev"]["detail"] == "why"
    assert "detail" not in told["test"]


def test_all_rules_can_be_read_and_tasks_have_few_of_their_own() -> None:
    own = library().own
    assert own.pop("melt") <= 21
    assert own.pop("find-non-living-thing") <= 9
    assert max(own.values()) <= 8
