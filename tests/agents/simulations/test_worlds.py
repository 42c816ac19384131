"""Which worlds there are: those of mindX, and those of packages, of which a broken one takes nothing with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest

from agents.environments.interpreter import run
from agents.simulations import worlds
from agents.simulations.house import VARIATIONS, House, HouseWorld
from agents.simulations.rule_files import part_of, rules_of
from agents.simulations.storable import Storable
from agents.simulations.worlds import NoSuchVariation, UnknownWorld
from tests.agents.simulations.some_worlds import Button, ButtonWorld


@dataclass
class Point:
    """An entry point of a package."""

    name: str
    made: Any

    def load(self) -> Any:
        if isinstance(self.made, Exception):
            raise self.made
        return self.made


@pytest.fixture(autouse=True)
def _looked_for_anew() -> Iterator[None]:
    worlds._installed.cache_clear()
    yield
    worlds._installed.cache_clear()


def test_worlds_of_packages_are_there_and_broken_ones_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    class Again(ButtonWorld):
        name = "house"

    points = [Point("a", ImportError("gone")), Point("b", lambda: object()), Point("c", ButtonWorld), Point("d", Again)]
    monkeypatch.setattr(worlds, "entry_points", lambda group: points if group == worlds.GROUP else [])
    assert list(worlds.every()) == ["house", "scienceworld", "button"]
    assert isinstance(worlds.named("house"), HouseWorld)


def test_what_is_not_there_is_named_with_what_is() -> None:
    with pytest.raises(UnknownWorld, match="there are house, scienceworld"):
        worlds.named("moon")
    with pytest.raises(NoSuchVariation, match="go from 0 to 17"):
        worlds.split_of(HouseWorld(), "bring", 18)
    assert worlds.split_of(HouseWorld(), "bring", 2) == "dev"


@pytest.mark.parametrize("task", list(VARIATIONS))
def test_the_rules_of_the_house_reach_every_variation(task: str) -> None:
    rules = rules_of(HouseWorld().rules())
    scores = [
        run(House(task, number), VARIATIONS[task][number].goal, rules).score for number in range(len(VARIATIONS[task]))
    ]
    assert scores == [1.0] * len(VARIATIONS[task])


def test_a_smaller_part_of_the_rules_lies_in_every_larger_one() -> None:
    rules = rules_of(HouseWorld().rules())
    parts = [set(part_of(rules, share)) for share in (0, 25, 50, 75, 100)]
    assert all(one <= other for one, other in pairwise(parts))
    assert (parts[0], len(parts[-1])) == (set(), 15)


@pytest.mark.parametrize(("score", "taken"), [(float("nan"), 0.0), (-3.0, 0.0), (7.0, 1.0), (0.5, 0.5)])
def test_a_score_is_from_0_to_1(score: float, taken: float) -> None:
    class Odd(Button):
        def score(self) -> float:
            return score

    assert Storable(Odd()).score() == taken


def test_only_actions_that_can_be_done_as_they_are_written_are_offered() -> None:
    class Odd(Button):
        def actions(self) -> list[str]:
            return ["look", "", "two\nlines", "x" * 201, "look", "a\x00b"]

    assert Storable(Odd()).actions() == ("look",)
