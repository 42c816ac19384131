"""What is said to follow from an answer is what follows from it."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.plans.document import CommandFacts, Document, specs
from agents.presentation.answers import consequences
from agents.toolkit.types import Param, Step


def _step(command: str, **values: Any) -> Step:
    return Step("simple_coder", command, {name: Param(value, "person") for name, value in values.items()}, "why")


_START, _STOP = _step("start", name="server", command_line="sleep 60"), _step("stop", name="server")
_WRITE = _step("write", path="a.txt", content="x")


def _document(steps: list[Step], cleanup: list[Step]) -> Document:
    facts = CommandFacts("once")
    main = specs(steps, [facts] * len(steps))
    undo = specs(cleanup, [facts] * len(cleanup), phase="cleanup", first=len(steps) + 1)
    return Document("1", "a goal", "lab", "", 1, "person", main, undo)


@pytest.mark.parametrize(
    ("steps", "position", "took_effect", "again"),
    [
        ([_START, _WRITE, _STOP], 1, "server, beside which the plan goes on, ended with its worker.", "started again"),
        ([_START], 1, "the plan is complete", "started again"),
        (
            [_START, _STOP, _WRITE],
            2,
            "so it is stopped. The plan continues after it.",
            "server, beside which the plan goes on, ended",
        ),
        ([_WRITE, _WRITE], 1, "The plan continues after it.", "Only if running it twice does no harm."),
        ([_WRITE], 2, "The clean-up continues after it", "Only if running it twice does no harm."),
    ],
)
def test_each_answer_says_what_comes_of_it(steps: list[Step], position: int, took_effect: str, again: str) -> None:
    said = consequences(_document(steps, [_WRITE]), position, set(range(1, position)))
    assert took_effect in said.took_effect
    assert again in said.again
    assert ("clean-up continues" if position > len(steps) else "the approved clean-up runs") in said.did_not


def test_without_a_clean_up_none_is_promised() -> None:
    assert "No clean-up was approved." in consequences(_document([_WRITE], []), 1, set()).did_not
