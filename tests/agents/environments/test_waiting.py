from __future__ import annotations

import pytest

from agents.environments.environment import Percept
from agents.environments.interpreter import Limits, Run, run
from agents.rules.grammar import parse


class Kettle:
    """Water that boils after so many waits; `wait_action` is its own word for waiting."""

    def __init__(self, boils_after: int, wait_action: str = "wait") -> None:
        self.boils_after, self.wait_action = boils_after, wait_action
        self.done: list[str] = []

    def perceive(self) -> Percept:
        waited = self.done.count(self.wait_action)
        return Percept(f"The kettle is {'hot' if waited >= self.boils_after else 'cold'}.")

    def act(self, action: str) -> Percept:
        self.done.append(action)
        is_accepted = action in (self.wait_action, "pour tea", "drink water")
        return Percept(self.perceive().text, is_accepted, is_over=action == "pour tea")

    def score(self) -> float:
        return float("pour tea" in self.done)


RULES = """
RULE make tea
PRIORITY 1
IF your task is to have a drink
THEN:
  WAIT UNTIL the kettle is hot AT MOST 4 steps
  pour tea
--
RULE drink water
IF your task is to have a drink
THEN: drink water
"""


def done(kettle: Kettle, rules: str = RULES, steps: int = 100) -> Run:
    return run(kettle, "have a drink", parse(rules), limits=Limits(steps=steps))


@pytest.mark.parametrize("boils_after", [0, 1, 4])
def test_a_rule_waits_until_the_context_is_believed_and_not_longer(boils_after: int) -> None:
    ended = done(Kettle(boils_after))
    assert [action.text for action in ended.actions] == [*["wait"] * boils_after, "pour tea"]
    assert {action.rule for action in ended.actions} == {"make tea"}


def test_what_does_not_come_in_time_fails_the_rule_and_the_next_one_is_tried() -> None:
    ended = done(Kettle(5))
    assert [(action.text, action.rule) for action in ended.actions] == [
        *[("wait", "make tea")] * 4,
        ("drink water", "drink water"),
    ]


def test_a_wait_in_vain_is_the_reason_when_nothing_else_is_left() -> None:
    ended = done(Kettle(9), RULES.split("--")[0])
    # The rule is tried twice before it counts as a loop.
    assert (ended.reason, ended.actions[-1].text) == ("waited_in_vain", "wait")
    assert "“the kettle is hot” did not come to hold within 4 steps" in ended.detail


def test_waiting_says_which_line_waits() -> None:
    first = done(Kettle(2)).actions[0]
    assert RULES.splitlines()[first.line - 1].strip() == "WAIT UNTIL the kettle is hot AT MOST 4 steps"


def test_an_environment_has_a_word_of_its_own_for_waiting() -> None:
    assert done(Kettle(1, "stay")).actions[0].text == "stay"


def test_a_wait_for_the_contrary_needs_that_it_is_known_to_be_false() -> None:
    rules = RULES.replace("the kettle is hot", "NOT the kettle is cold")
    assert [action.text for action in done(Kettle(1), rules).actions] == ["wait", "pour tea"]
    assert done(Kettle(0), rules.replace("the kettle is cold", "the door is open")).actions[-1].text == "drink water"


def test_a_wait_that_is_refused_fails_the_rule() -> None:
    kettle = Kettle(2)
    kettle.act = lambda action: Percept("No.", accepted=False)  # type: ignore[method-assign]
    ended = done(kettle)
    assert (ended.reason, [action.rule for action in ended.actions]) == ("action_refused", ["make tea", "drink water"])


def test_an_environment_counts_steps_and_no_minutes() -> None:
    ended = done(Kettle(1), RULES.split("--")[0].replace("4 steps", "4 minutes"))
    assert (ended.reason, ended.actions) == ("wait_in_time", ())


def test_a_wait_ends_with_the_actions_of_a_run() -> None:
    assert done(Kettle(9), steps=3).reason == "step_limit"


def test_every_wait_of_a_rule_has_steps_of_its_own() -> None:
    rules = RULES.split("--")[0].replace("  pour", "  WAIT UNTIL the kettle is cold AT MOST 2 steps\n  pour")
    assert [action.text for action in done(Kettle(3), rules).actions[:5]] == ["wait"] * 5


def test_a_slot_of_a_wait_takes_the_value_of_the_task() -> None:
    rules = "IF your task is to have a {what} THEN: WAIT UNTIL the {what} is hot AT MOST 3, pour tea"
    ended = run(Kettle(2), "have a kettle", parse(rules))
    assert [action.text for action in ended.actions] == ["wait", "wait", "pour tea"]


def test_an_open_slot_of_a_wait_fails_the_rule() -> None:
    assert done(Kettle(0), RULES.split("--")[0].replace("the kettle", "the {pot}")).reason == "open_slot"
