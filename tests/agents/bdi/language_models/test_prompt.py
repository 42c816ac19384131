"""What a model is told of its answer: everything that matters of it, and no more than it can read."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from agents.bdi.language_models.prompt import Prompt, Situation, build, listed
from agents.bdi.plans.validation import Problem
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import Belief

ASKED = Prompt((("system", "rules"), ("user", "{}")), ("goal",))


def told(problems: list[Problem]) -> tuple[list[Any], str]:
    """The problems as they go back, and all that is said of them."""
    said = listed(problems)
    return json.loads(said.split("\n")[0]), said


def test_what_a_failed_step_wrote_comes_behind_peoples_words_and_counts_as_a_programs() -> None:
    people = [Belief("The ledger is in May.", "person")]
    situation = Situation("sum it", people, failed_wrote={"stdout": "half", "stderr": "no ledger"})
    full = build("", situation, REGISTRY, ["note_taking"], tokens=4_000)
    material = json.loads(full.messages[1][1])
    assert material["failed_step_wrote"] == [{"stdout": "half"}, {"stderr": "no ledger"}]
    assert full.has_tool_output, "no policy approves what comes of it"
    assert not build("", replace(situation, failed_wrote={}), REGISTRY, ["note_taking"], tokens=4_000).has_tool_output
    long = replace(situation, failed_wrote={"stdout": "x" * 13_000})
    crowded = build("", long, REGISTRY, ["note_taking"], tokens=4_000)
    assert json.loads(crowded.messages[1][1])["people_say"] == ["The ledger is in May."]
    assert (crowded.left_out, crowded.has_tool_output) == ({"failed_step": 1}, False)


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
