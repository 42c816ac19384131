"""What a model is told of its answer: everything that matters of it, and no more than it can read."""

from __future__ import annotations

import json
from typing import Any

from agents.bdi.language_models.prompt import Prompt, listed
from agents.bdi.plans.validation import Problem

ASKED = Prompt((("system", "rules"), ("user", "{}")), ("goal",))


def told(problems: list[Problem]) -> tuple[list[Any], str]:
    """The problems as they go back, and all that is said of them."""
    said = listed(problems)
    return json.loads(said.split("\n")[0]), said


def test_every_problem_goes_back_with_its_place() -> None:
    problems = [Problem(0, "steps", "no_steps", "None."), Problem(2, "path", "schema", "Not this.")]
    assert told(problems)[0] == [{"problem": "None."}, {"step": 2, "field": "path", "problem": "Not this."}]


def test_of_too_many_each_kind_goes_back_and_the_rest_is_counted() -> None:
    problems = [Problem(n, "path", "schema", f"Wrong {n}.") for n in range(1, 100)]
    problems.append(Problem(100, "command", "unknown_command", "Unknown."))
    back, message = told(problems)
    assert [one["problem"] for one in back] == [*(f"Wrong {n}." for n in range(1, 40)), "Unknown."]
    assert message.endswith("There are 60 more of these kinds.")


def test_what_a_model_wrote_at_length_does_not_come_back_at_length() -> None:
    long = "x" * 1_000_000
    prompt = ASKED.answered_by(long, listed([Problem(1, long, "unknown_field", f"“{long}” is no field.")]))
    assert sum(len(text) for _, text in prompt.messages) < 70_000
    assert "940000 characters" in prompt.messages[2][1]
