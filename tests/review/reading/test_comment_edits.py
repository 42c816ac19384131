"""What a comment asks to be changed, found in plain words and never guessed."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.plans.document import IntentSpec
from review.reading.comment_edits import edits_in, values_of


def step(position: int, **params: Any) -> IntentSpec:
    return IntentSpec(position, "main", "simple_coder", "write", params, (), "", "", {}, (), None, (), "", "")


STEPS = (
    step(1, path="weather"),
    step(2, path="weather/report.md", content="The weather, and weatherproof coats."),
    step(3, command_line="python tides.py", times=3, strict=True),
)


@pytest.mark.parametrize(
    "comment",
    [
        "change weather to tides",
        "Please rename the folder weather to tides.",
        "use tides instead of weather",
        "weather should be tides!",
        'replace "weather" with "tides"',
        "weather → tides",
        "Tides please, I mean tides, not weather",
    ],
)
def test_a_text_is_replaced_wherever_it_is_a_value_or_a_whole_word_in_one(comment: str) -> None:
    found = edits_in(comment, STEPS)
    assert [(one.position, one.parameter, one.after) for one in found] == [
        (1, "path", "tides"),
        (2, "content", "The tides, and weatherproof coats."),
        (2, "path", "tides/report.md"),
    ]
    assert values_of(found, STEPS)[2] == {"path": "tides/report.md", "content": "The tides, and weatherproof coats."}


@pytest.mark.parametrize(
    ("comment", "name", "value"),
    [
        ("times: 5", "times", 5),
        ("set the times to 5, please", "times", 5),
        ("strict should be off", "strict", False),
        ("the command line should be 'python moon.py --all'", "command_line", "python moon.py --all"),
        ('content: "Nothing"', "content", "Nothing"),
    ],
)
def test_a_value_may_be_said_by_the_name_of_its_parameter(comment: str, name: str, value: object) -> None:
    (one,) = edits_in(comment, STEPS)
    assert (one.parameter, one.value) == (name, value)


@pytest.mark.parametrize(
    "comment",
    [
        "",
        "This is not what I want.",
        "path: tides",  # two steps have one
        "times: many",
        "change snow to rain",
        "change weather to weather",
        "Why weather? Explain it to me.",
        "\x00" * 300 + '"' * 3000,
        "change " * 500,
        f"change weather to tides{' ' * 4_000}",  # longer than what is taken
    ],
)
def test_nothing_is_made_of_what_names_no_value(comment: str) -> None:
    assert edits_in(comment, STEPS) == ()
