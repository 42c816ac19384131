"""The learned policy: it learns on the spot, begins again in the same way, and refuses files that are not its own."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest

from agents.environments import learned
from agents.environments.beliefs import Held
from agents.environments.interpreter import Limits, run
from agents.environments.learned import Learned, PolicyUnusable, Settings
from agents.environments.policies import Outcome, Situation
from tests.agents.environments.house import GOAL, House

LEFT = Situation("find the way", (Held("A red sign."),), ("go left", "go right", "wait"))
RIGHT = Situation("find the way", (Held("A blue sign."),), ("go left", "go right", "wait"))


def taught(times: int = 150, seed: int = 3) -> Learned:
    """At the red sign left is right, at the blue one right."""
    policy = Learned(seed, Settings(explores_for=100))
    policy.start()
    for number in range(times):
        situation, good = ((LEFT, "go left"), (RIGHT, "go right"))[number % 2]
        action = policy.choose(situation)
        assert action is not None
        policy.learn(Outcome(situation, action, float(action == good), None))
    policy.stop()
    return policy


def test_it_learns_which_action_is_worth_something_by_what_is_believed() -> None:
    policy = taught()
    assert [policy.choose(LEFT), policy.choose(RIGHT)] == ["go left", "go right"]


def test_what_is_won_later_makes_the_way_there_worth_something() -> None:
    policy = Learned(1, Settings(explores_for=1))
    policy.start()
    begin = Situation("win", (Held("You are outside."),), ("enter", "sleep"))
    inside = Situation("win", (Held("You are inside."),), ("press the bell", "sleep"))
    for _ in range(80):
        policy.learn(Outcome(begin, "enter", 0.0, inside))
        policy.learn(Outcome(begin, "sleep", 0.0, None))
        policy.learn(Outcome(inside, "press the bell", 1.0, None))
        policy.learn(Outcome(inside, "sleep", 0.0, None))
    policy.stop()
    assert policy.choose(begin) == "enter"
    enter, sleep = policy.values(begin, ["enter", "sleep"])
    assert enter == pytest.approx(0.9, abs=0.3)
    assert sleep < 0.3


def test_the_same_seed_learns_the_same_and_reset_forgets_all_of_it() -> None:
    one, other = taught(), taught()
    assert one.to_bytes() == other.to_bytes()
    fresh = Learned(3, Settings(explores_for=100))
    one.reset()
    assert one.to_bytes() == fresh.to_bytes()
    assert (one.choices, one.lessons) == (0, 0)


def test_while_it_is_stopped_it_learns_nothing_and_tries_nothing() -> None:
    policy = Learned(3)
    before = policy.to_bytes()
    chosen = {policy.choose(LEFT) for _ in range(20)}
    policy.learn(Outcome(LEFT, "go left", 1.0, None))
    assert len(chosen) == 1
    assert policy.to_bytes() == before


def test_an_action_that_was_tried_here_is_worth_less_so_that_it_does_not_stand_still() -> None:
    policy = taught()
    again = Situation(LEFT.goal, LEFT.beliefs, LEFT.actions, {"go left": 30})
    assert policy.choose(again) != "go left"


def test_a_reward_that_is_no_number_and_a_situation_without_actions_do_nothing() -> None:
    policy = Learned(3)
    policy.start()
    before = policy.to_bytes()
    policy.learn(Outcome(LEFT, "go left", math.nan, None))
    assert policy.to_bytes() == before
    assert policy.choose(Situation("win", ())) is None


def test_ten_thousand_beliefs_a_long_one_and_thousands_of_actions_are_answered() -> None:
    policy = Learned(3)
    policy.start()
    many = Situation(
        "win",
        (*(Held(f"The gate {number} is shut.") for number in range(10_000)), Held("very " * 20_000)),
        tuple(f"open gate {number}" for number in range(3_000)),
    )
    action = policy.choose(many)
    assert action is not None
    policy.learn(Outcome(many, action, 0.0, many))
    assert np.isfinite(policy.values(many, ["open gate 1"])).all()


def test_what_was_learned_is_kept_with_its_version() -> None:
    policy = taught()
    again = Learned.from_bytes(policy.to_bytes())
    assert (again.choose(LEFT), again.choose(RIGHT), again.is_learning) == ("go left", "go right", False)
    assert (again.choices, again.settings, again.to_bytes()) == (policy.choices, policy.settings, policy.to_bytes())


def test_a_file_that_is_damaged_or_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = taught(4).to_bytes()
    for bad in (b"", b"PK", data[: len(data) // 2], b"x" * 30_000_000):
        with pytest.raises(PolicyUnusable):
            Learned.from_bytes(bad)
    changed = taught(4)
    changed._bias[0] = math.nan
    with pytest.raises(PolicyUnusable, match="damaged"):
        Learned.from_bytes(changed.to_bytes())
    with np.load(io.BytesIO(data)) as file:
        arrays = {name: file[name] for name in file.files}
    arrays["bias"] = arrays["bias"] + 1
    swapped = io.BytesIO()
    np.savez_compressed(swapped, **arrays)
    with pytest.raises(PolicyUnusable, match="damaged"):
        Learned.from_bytes(swapped.getvalue())
    monkeypatch.setattr(learned, "FORMAT", 2)
    with pytest.raises(PolicyUnusable, match="of version 1, not 2"):
        Learned.from_bytes(data)


def test_it_learns_to_bring_the_key_where_there_are_no_rules() -> None:
    policy = Learned(1, Settings(explores_for=500))
    policy.start()
    for _ in range(80):
        run(House(), GOAL, [], fallback=policy, limits=Limits(steps=25))
    policy.stop()
    ended = run(House(), GOAL, [], fallback=policy, limits=Limits(steps=25))
    assert ended.score == 1.0
    assert {action.by for action in ended.actions} == {"learned"}
