"""How sure a yes has to be: as little as gives 99 right answers in a hundred, with some certainty."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from library.language.entailment.trained import Sure
from training.entailment.calibrate import LEAST, NEVER, chosen, is_open, lower_bound, sure_enough
from training.entailment.pairs import ENTAILMENT, Pair


def shares(entailment: NDArray[np.float64], contradiction: float = 0.001) -> NDArray[np.float64]:
    return np.column_stack([entailment, 1 - entailment - contradiction, np.full(len(entailment), contradiction)])


def kinds(number: int, name: str = "world") -> NDArray[np.str_]:
    return np.array([name] * number)


def test_the_bound_is_wilsons() -> None:
    (found,) = lower_bound(np.array([990]), np.array([1_000]))
    assert found == pytest.approx(0.98334, abs=1e-5)


def test_it_is_the_least_from_which_on_answers_are_right() -> None:
    made = shares(np.linspace(0.8, 0.99, 2_000))
    right = made[:, 0] >= 0.9
    found = chosen(made, right, kinds(2_000))
    assert 0.89 < found.entailment < 0.9
    assert (
        lower_bound(*(np.array([some.sum()]) for some in (right & sure_enough(made, found), sure_enough(made, found))))
        >= 0.99
    )


def test_few_answers_show_nothing_however_right_they_are() -> None:
    made = shares(np.linspace(0.9, 0.99, 200))
    assert chosen(made, np.ones(200, bool), kinds(200)) == NEVER


def test_a_kind_that_is_wrong_is_not_paid_for_by_the_others() -> None:
    some, others = np.linspace(0.8, 0.99, 3_000), np.linspace(0.8, 0.99, 100)
    made = shares(np.concatenate([some, others]))
    right = np.concatenate([np.ones(3_000, bool), np.arange(100) % 20 != 0])
    named = np.concatenate([kinds(3_000), kinds(100, "workspace")])
    together = chosen(made, right, kinds(3_100))
    assert together.entailment < 0.82
    assert chosen(made, right, named).entailment > 0.9


def test_contradictions_are_kept_out_by_the_other_threshold() -> None:
    sure = np.full(1_000, 0.9)
    made = np.concatenate([shares(sure, 0.03), shares(sure, 0.08)])
    right = np.concatenate([np.ones(1_000, bool), np.zeros(1_000, bool)])
    assert chosen(made, right, kinds(2_000)) == Sure(0.9, 0.03)


def test_of_a_kind_that_is_seldom_sure_no_answer_is_wrong() -> None:
    many, few = np.linspace(0.8, 0.99, 3_000), np.linspace(0.8, 0.99, 30)
    made = shares(np.concatenate([many, few]))
    right = np.concatenate([np.ones(3_000, bool), np.arange(30) != 9])
    named = np.concatenate([kinds(3_000), kinds(30, "workspace")])
    assert few[9] < chosen(made, right, named).entailment <= few[10]


def test_what_is_hardly_probable_is_no_yes_however_right_it_is() -> None:
    made = shares(np.linspace(0.3, 0.99, 3_000))
    assert chosen(made, np.ones(3_000, bool), kinds(3_000)).entailment == pytest.approx(LEAST, abs=0.001)


def test_thresholds_are_chosen_on_what_the_matcher_leaves_open() -> None:
    said = ["The door is open.", "The door stands wide open.", "The door is closed."]
    pairs = [Pair(one, "the door is open", ENTAILMENT, "made") for one in said]
    assert [is_open(pair) for pair in pairs] == [False, True, False]
