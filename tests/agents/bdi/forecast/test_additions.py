"""Which plans may be done without the rest of their goal: those that only read and make what was not there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agents.bdi.forecast.additions import only_adds
from agents.bdi.forecast.forecasting import forecast
from agents.bdi.plans.document import Document
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.forecast.test_forecast import BASE, ON, spec

Call = tuple[str, dict[str, Any]]


def adds(*calls: Call, effect: str = "workspace", alternatives: tuple[Any, ...] = ()) -> bool:
    specs = [spec(at, *call) for at, call in enumerate(calls, 1)]
    specs[-1] = replace(specs[-1], effect=effect, alternatives=alternatives)
    document = Document("1", "a goal", "ws", "0" * 64, 1, "rule", tuple(specs), ())
    return only_adds(document, forecast(document, BASE, REGISTRY))


@pytest.mark.parametrize(
    "calls",
    [
        [("read", {"path": "readme.md"})],
        [("ls", {"path": "docs"}), ("mkdir", {"path": "new"}), ("write", {"path": "new/a.txt", "content": "x"})],
        [("write", {"path": "new.txt", "content": "x"}), ("write", {"path": "new.txt", "content": "y"})],
        [("cp", {"path": "docs", "to": "saved"})],
    ],
)
def test_reading_and_making_new_things_stands_alone(calls: list[Call]) -> None:
    assert adds(*calls)


@pytest.mark.parametrize(
    "calls",
    [
        [ON],
        [ON, ("rm", {"path": "docs", "recursive": True})],
        [("mv", {"path": "docs", "to": "elsewhere"})],
        [("write", {"path": "readme.md", "content": "x"})],
        [("write", {"path": "readme.md", "content": "x", "mode": "append"})],
        [ON, ("cp", {"path": "docs/a.txt", "to": "readme.md", "overwrite": True})],
        [("run", {"command_line": "python x.py"})],
        [("start", {"command_line": "python x.py", "name": "x"})],
        [("read", {"path": "readme.md"}), ("write", {"path": "readme.md", "content": "x"})],
    ],
)
def test_what_takes_changes_or_runs_something_does_not(calls: list[Call]) -> None:
    assert not adds(*calls)


@pytest.mark.parametrize(("effect", "alone"), [("idempotent", True), ("once", False), ("keyed", False)])
def test_what_reaches_others_does_not(effect: str, alone: bool) -> None:
    assert adds(("read", {"path": "readme.md"}), effect=effect) is alone


def test_what_may_be_done_in_its_place_is_not_looked_at_so_it_does_not() -> None:
    other = spec(1, "rm", {"path": "docs"})
    assert not adds(("read", {"path": "readme.md"}), alternatives=(other,))
