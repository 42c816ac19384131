"""What of a model's answer is believed, and what earlier runs predict."""

from __future__ import annotations

import json

import pytest

from agents.bdi.understanding import extraction
from agents.bdi.understanding.experience import Seen, predict
from agents.toolkit.registry import REGISTRY

GOAL = "rename main.py so that it says start.py"
COMMAND = REGISTRY.command("simple_coder", "mv")


def read(answer: str) -> extraction.Extracted:
    return extraction.read(answer, GOAL, COMMAND, ["to"])


def test_a_value_is_believed_with_the_words_it_stands_in() -> None:
    param = read(json.dumps({"to": {"value": "start.py", "quote": "says start.py"}})).params["to"]
    assert (param.value, param.origin) == ("start.py", "model")
    assert param.span is not None
    assert GOAL[slice(*param.span)] == "says start.py"


@pytest.mark.parametrize(
    "answer",
    [
        "", "Certainly!", "[]", "null", "{", '{"to": "start.py"}', '{"to": {"value": "start.py"}}',
        '{"to": {"value": "start.py", "quote": "nowhere said"}}', '{"to": {"value": "other.py", "quote": "main.py"}}',
        '{"to": {"value": 7, "quote": "says start.py"}}', '{"path": {"value": "main.py", "quote": "main.py"}}',
        '{"to": {"value": "start.py", "quote": ""}}', '{"to": {"value": "a", "quote": "a"}, "to": {}}',
        '{"to": {"value": NaN, "quote": "says"}}',
    ],
)  # fmt: skip
def test_an_answer_that_is_not_as_asked_gives_no_value_and_says_why(answer: str) -> None:
    found = read(answer)
    assert found.params == {}
    assert found.refused or answer in ("{}",)


def test_a_fenced_answer_is_read() -> None:
    assert read('```json\n{"to": {"value": "start.py", "quote": "start.py"}}\n```').params


def test_runs_predict_only_where_enough_of_them_agree() -> None:
    same = [Seen("a", float(day), str(day)) for day in range(4)]
    found = predict(same, least_runs=3, least_share=0.8)
    assert found is not None
    assert (found.value, found.agreeing, found.runs) == ("a", 4, 4)
    # Four of four, by Laplace's rule of succession.
    assert found.confidence == round(5 / 6, 3)
    assert (found.newest_days, found.goals) == (0.0, ("0", "1", "2", "3"))
    assert found.why == "4 of 4 earlier runs took this, the newest today (goal 0, 1, 2)"
    assert predict(same[:2], least_runs=3, least_share=0.8) is None
    assert predict([*same, Seen("b", 0.0, "9"), Seen("b", 0.0, "8")], least_runs=3, least_share=0.8) is None


def test_old_habits_give_way_to_new_ones() -> None:
    old = [Seen("old", 400.0, str(goal)) for goal in range(6)]
    new = [Seen("new", 1.0, str(goal)) for goal in range(10, 14)]
    found = predict([*old, *new], least_runs=3, least_share=0.8)
    assert found is not None
    assert found.value == "new"


def test_many_runs_of_one_goal_are_one_habit() -> None:
    assert predict([Seen("a", 1.0, "1")] * 5, least_runs=3, least_share=0.8) is None


@pytest.mark.parametrize(
    ("days", "words"),
    [(0.9, "today"), (1.0, "1 day ago"), (1.4, "1 day ago"), (1.6, "2 days ago"), (30.0, "30 days ago")],
)
def test_the_evidence_says_how_long_ago_the_newest_run_was(days: float, words: str) -> None:
    found = predict([Seen("a", days + more, str(more)) for more in (2, 0, 1)], least_runs=3, least_share=0.8)
    assert found is not None
    assert (found.newest_days, found.goals) == (days, ("0", "1", "2")), "the newest first"
    assert found.why == f"3 of 3 earlier runs took this, the newest {words} (goal 0, 1, 2)"


def test_those_who_took_something_else_stand_in_the_evidence_and_lower_the_confidence() -> None:
    seen = [*(Seen("a", 0.0, str(goal)) for goal in range(8)), Seen("b", 0.0, "8"), Seen("b", 0.0, "9")]
    found = predict(seen, least_runs=3, least_share=0.8)
    assert found is not None, "exactly the share that is asked for is enough"
    assert (found.agreeing, found.runs, found.confidence) == (8, 10, 0.75)
    assert predict(seen, least_runs=3, least_share=0.801) is None


def test_a_run_counts_half_after_thirty_days_and_one_with_a_clock_ahead_no_more_than_one_of_today() -> None:
    four_old = [Seen("old", 30.0, str(goal)) for goal in range(4)]
    assert predict([*four_old, Seen("new", -400.0, "8")], least_runs=1, least_share=0.66) is not None
    assert predict([*four_old, Seen("new", -400.0, "8")], least_runs=1, least_share=0.67) is None


def test_the_same_value_in_another_order_of_keys_is_the_same_value() -> None:
    seen = [Seen({"a": 1, "b": 2}, 0.0, "1"), Seen({"b": 2, "a": 1}, 0.0, "2")]
    found = predict(seen, least_runs=2, least_share=1.0)
    assert found is not None
    assert found.agreeing == 2
