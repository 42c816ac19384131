"""The harness of ScienceWorld, without the simulator: no Java here."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from itertools import pairwise

import pytest

from agents.environments.policies import Outcome, Situation
from agents.rules.cascade import Likelihood
from agents.rules.grammar import Rule, parse
from agents.simulations.rule_files import part_of
from agents.simulations.scienceworld import ScienceWorld, goal_of
from benchmarks.scienceworld.__main__ import _spread, main
from benchmarks.scienceworld.entailing import Counted, ShippedJudge, entailment_by
from benchmarks.scienceworld.playing import Played, json_line, library, play, table_1, won
from benchmarks.scienceworld.rewording import BY_HAND, REWORDED, SCRIPT, reworded


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
            "valid": ["look", "focus on cup"],
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


class Focuses:
    """A policy that does the same twice, and gives up."""

    name, needs_simulation = "learned", True

    def __init__(self) -> None:
        self.left = 2

    def choose(self, situation: Situation) -> str | None:
        assert situation.actions == ("look", "focus on cup")
        self.left -= 1
        return "focus on cup" if self.left >= 0 else None

    def learn(self, outcome: Outcome) -> None:
        """It knows it all."""


class Pays(Simulator):
    """Gives a tenth for each action, and two for a focus."""

    def step(self, action: str) -> tuple[str, int, bool, dict[str, object]]:
        self.score += 20 if action.startswith("focus") else 10
        return super().step(action)


def test_the_score_is_told_by_who_won_it() -> None:
    rules = parse("IF your task is to find a plant CONSIDERING you see a plant THEN: look")
    played, done = play(Pays(), "find-plant", 0, "dev", rules, fallback=Focuses(), share=25)
    assert (played.score, played.score_by_rules, played.score_by_fallback) == (0.4, 0.0, 0.4)
    assert (played.actions_by_rules, played.actions_by_fallback) == (0, 2)
    assert won(done) == (0.0, 0.4)
    rules = parse("IF your task is to find a plant THEN: look, wait")
    begun = Pays()
    begun.score = 5
    assert won(play(begun, "find-plant", 0, "dev", rules)[1]) == (0.2, 0.0), "what it began with nobody won"
    played, _ = play(Pays(), "find-plant", 0, "dev", rules, fallback=Focuses())
    assert (played.score_by_rules, played.score_by_fallback, played.actions_by_fallback) == (0.2, 0.0, 0)
    row = table_1([played]).splitlines()[-1]
    assert row == "| find-plant | dev | 100 % | learned | 1 | 0.20 | 0.20 | 0.00 | 2.0 | 0.0 |"


def test_a_part_of_the_library_is_the_same_each_time_and_lies_in_every_larger_one() -> None:
    rules = library().rules
    parts = [part_of(rules, share) for share in (0, 25, 50, 75, 100)]
    assert [len(part) for part in parts] == [0, 20, 40, 59, 79]
    for smaller, larger in pairwise(parts):
        assert {rule.name for rule in smaller} <= {rule.name for rule in larger}
    assert part_of(tuple(reversed(rules)), 50) == tuple(reversed(parts[2]))


@pytest.mark.parametrize(
    "options", [["--fallback", "person", "--split", "test"], ["--library", "25,200"], ["--policy", "x"]]
)
def test_what_would_show_test_variations_or_mix_policies_up_is_refused(
    options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["scienceworld", *options])
    with pytest.raises(SystemExit) as refused:
        main()
    assert refused.value.code == 2


@pytest.mark.parametrize("by", [SCRIPT, BY_HAND])
def test_only_contexts_are_reworded_and_all_of_them(by: str) -> None:
    plain = library().rules
    other = reworded(plain) if by == SCRIPT else library(REWORDED).rules
    assert len(other) == len(plain)
    assert _bodies(other) == _bodies(plain)
    texts = {context.text for rule in plain for context in rule.contexts}
    assert texts.isdisjoint(context.text for rule in other for context in rule.contexts)


def _bodies(rules: Sequence[Rule]) -> list[tuple[object, ...]]:
    return [
        (rule.name, rule.priority, [line.text for line in rule.body], [one.negated for one in rule.contexts])
        for rule in rules
    ]


def test_likeness_says_yes_from_its_threshold_on_and_is_counted() -> None:
    counted = Counted(entailment_by("overlap", 0.5))
    answers = [one.verdict.answer for one in counted(["You see a red cup.", "You see a dog."], "you see a red box")]
    assert answers == ["yes", "unknown"]
    assert (len(counted.asked), counted.entailed) == (2, {("You see a red cup.", "you see a red box")})


def test_what_the_matcher_proves_is_not_put_to_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str]] = []

    def judge(self: ShippedJudge, pairs: Sequence[tuple[str, str]]) -> list[Likelihood]:
        asked.extend(pairs)
        return [Likelihood(0.99, 0.01, 0.0) for _ in pairs]

    monkeypatch.setattr(ShippedJudge, "judge", judge)
    cascade = entailment_by("cascade", None)
    assert [one.verdict.answer for one in cascade(["The cupboard is open."], "the cupboard is closed")] == ["no"]
    assert asked == []
    assert [one.stage for one in cascade(["The broth boils."], "the broth is boiling")] == ["model"]
    assert len(asked) == 1


def test_variations_are_spread_over_the_split() -> None:
    assert _spread(list(range(10)), 2) == [0, 5]
    assert _spread([1, 2], 5) == [1, 2]
