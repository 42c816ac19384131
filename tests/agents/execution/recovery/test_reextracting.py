"""Other values for a step that failed: only those that the goal itself names for it."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from agents.bdi.plans import document as documents
from agents.bdi.plans.document import IntentSpec
from agents.bdi.recovery.failures import Failure, FailureClass
from agents.models import Goal, IntentPlan, ParameterSettings
from agents.understanding import re_extraction
from agents.workspaces import workspaces
from people.models import User
from tests.agents.execution.conftest import write

pytestmark = pytest.mark.django_db
FAILED = Failure(FailureClass.INVALID_PARAMETERS, "there is no such file")
Propose = Callable[..., IntentPlan]


def read(path: str) -> dict[str, Any]:
    return {"tool": "simple_coder", "command": "read", "params": {"path": path}}


@pytest.fixture
def again(
    owner: User, make_goal: Callable[..., Goal], propose_plan: Propose
) -> Callable[..., tuple[IntentSpec | None, Mapping[str, Any]]]:
    """`again(text, *steps, position=1)`: the step as it is read again (None: as it was), and its new values."""

    def made(text: str, *steps: Mapping[str, Any], position: int = 1) -> tuple[IntentSpec | None, Mapping[str, Any]]:
        goal = make_goal(owner, text)
        workspaces.put_file(goal.workspace, by=owner, path="config/settings.yml", source=io.BytesIO(b"x: 1"))
        goal = Goal.objects.get(pk=goal.pk)
        document = documents.read(bytes(propose_plan(goal, steps).document))
        found = re_extraction.other_values(goal, document.at(position), FAILED, document.intents)
        return found, dict(found.params) if found is not None else {}

    return made


def test_a_path_is_read_again_on_the_files_as_they_are(again: Any) -> None:
    found, values = again("Read the file confg/settings.yml", read("confg/settings.yml"))
    assert values["path"] == "config/settings.yml"
    (record,) = [one for one in found.parameters if one.name == "path"]
    assert (record.origin, record.original) == ("mapping", "confg/settings.yml")
    assert "read again, because it failed: there is no such file" in record.note


def test_with_correction_switched_off_nothing_else_is_said(again: Any, operator: User) -> None:
    ParameterSettings.objects.create(enable_path_correction=False, by=operator)
    assert again("Read the file confg/settings.yml", read("confg/settings.yml"))[0] is None


def test_what_the_goal_says_itself_is_not_changed(again: Any) -> None:
    assert again("Read the file a.txt. Read the file b.txt.", read("a.txt"), read("b.txt"))[0] is None


def test_of_several_clauses_the_one_that_no_other_step_does_is_taken(again: Any) -> None:
    _, values = again("Read the file a.txt. Read the file b.txt.", read("a.txt"), read("c.txt"), position=2)
    assert values["path"] == "b.txt"


def test_other_commands_and_values_that_do_not_fit_are_left_alone(again: Any) -> None:
    assert again("Read the file a.txt", write("c.txt"))[0] is None
    assert again("Read the file ../../etc/passwd", read("a.txt"))[0] is None


def test_a_phrase_is_read_where_the_understanding_makes_nothing_of_it(again: Any) -> None:
    step = {"tool": "simple_coder", "command": "run", "params": {"command_line": "python bad.py"}}
    _, values = again("run python good.py with access to 127.0.0.1:80", step)
    assert (values["command_line"], values["hosts"]) == ("python good.py", ["127.0.0.1:80"])
