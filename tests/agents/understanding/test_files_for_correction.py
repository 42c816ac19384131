"""Which plans' files are read for a correction: only of those with a path that could be mended."""

from __future__ import annotations

import pytest

from agents.bdi.understanding.names.paths import Tree
from agents.models import Goal, ParameterSettings
from agents.toolkit.types import Param, PlanDraft, Step
from agents.understanding import in_force, parameters


def draft(command: str, origin: str, **values: str) -> PlanDraft:
    step = Step("simple_coder", command, {name: Param(value, origin) for name, value in values.items()}, "")
    return PlanDraft((step,), (), "model", {})


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The goals whose files were read; each has a file main.py."""
    seen: list[object] = []

    def tree_of(goal: Goal, mapped: object) -> Tree:
        seen.append(goal)
        return Tree.of([("main.py", "file")])

    monkeypatch.setattr(parameters, "tree_of", tree_of)
    monkeypatch.setattr(in_force, "mapped", lambda person: ())
    monkeypatch.setattr(in_force, "switches", lambda: ParameterSettings())
    return seen


GOAL = Goal(submitted_by_id=1)


def test_for_a_path_that_a_model_wrote_and_that_must_be_there_they_are_read(read: list[object]) -> None:
    found = parameters.corrected(GOAL, draft("read", "model", path="mian.py"))
    assert found.steps[0].params["path"].value == "main.py"
    assert read == [GOAL]


@pytest.mark.parametrize(
    "made",
    [
        draft("write", "model", path="mian.py", content="x"),
        draft("read", "person", path="mian.py"),
        draft("run", "model", command_line="python mian.py"),
        draft("read", "model", path="{{intents.1.result.path}}"),
    ],
)
def test_for_what_no_files_could_mend_none_are_read(made: PlanDraft, read: list[object]) -> None:
    assert parameters.corrected(GOAL, made) is made
    assert read == []


def test_with_correction_switched_off_none_are_read(read: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_force, "switches", lambda: ParameterSettings(enable_path_correction=False))
    made = draft("read", "model", path="mian.py")
    assert parameters.corrected(GOAL, made) is made
    assert read == []
