"""Trials on past cases: they tell what then really happens, write nothing, end in time, and show no foreign goal."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from django.db import InternalError, connection

from agents.bdi.plans import document as documents
from agents.bdi.understanding.drafting import QUESTION
from agents.models import Goal, IntentPlan, PathMapping, Plan
from agents.record.errors import NotYours
from agents.record.selectors import goals_visible_to
from agents.states import GoalState
from agents.tuning import trials, trying, versions
from agents.tuning.kinds import Kind
from agents.tuning.trials import Clock, Trial
from agents.workspaces import workspaces
from library.models import ModelCall
from people.models import User

pytestmark = pytest.mark.django_db(transaction=True)


def kind(name: str) -> Kind:
    found = versions.kind_named(name)
    assert found is not None
    return found


def tried(of: str, values: dict[str, Any], by: User, **also: Any) -> Trial:
    start = versions.current(kind(of))[0].values if of == "parameter_settings" else {}
    return trying.try_out(kind(of), versions.cleaned(kind(of), values, start).values, by=by, **also)


def steps(goal: Goal) -> str:
    spec = documents.read(bytes(goal.intent_plans.order_by("-revision")[0].document)).at(1)
    return f"{spec.tool}.{spec.command} path {spec.params['path']}"


def test_a_trial_of_a_mapping_tells_what_then_really_happens(goal_about: Callable[..., Goal], operator: User) -> None:
    before = goal_about("show app")
    other = goal_about("show src/util.py")
    mapping = {"said": "app", "path": "src/util.py", "in_use": True}
    trial = tried("path_mapping", mapping, operator)
    assert (trial.found, trial.tried, trial.changed, trial.untold, trial.drifted) == (2, 2, 1, 0, 0)
    (case,) = trial.cases
    assert (case.goal, case.text) == (before.pk, "show app")
    assert case.original == case.now == steps(before)
    versions.save(kind("path_mapping"), mapping, by=operator)
    assert steps(goal_about("show app")) == case.then, "the same case ends as the trial said"
    assert steps(goal_about("show src/util.py")) == steps(other)


@pytest.mark.parametrize(
    ("text", "values", "ends"),
    [
        ("show src/App.py", {"enable_path_correction": False}, "simple_coder.read path src/App.py"),
        ("show src/App.py", {"enable_understanding": False}, "not understood"),
        ("shwo me the file path/to/README", {"least_confidence": 1.0}, "asks: Which"),
    ],
)
def test_a_trial_of_settings_tells_what_then_really_happens(
    text: str, values: dict[str, Any], ends: str, goal_about: Callable[..., Goal], operator: User
) -> None:
    goal_about(text)
    trial = tried("parameter_settings", values, operator)
    assert trial.changed == 1
    assert trial.cases[0].then.startswith(ends)
    (one,) = versions.current(kind("parameter_settings"))
    versions.save(one.kind, values, by=operator, over=one)
    after = goal_about(text)
    if ends.startswith("simple_coder"):
        assert steps(after) == trial.cases[0].then
    else:
        assert after.state == GoalState.MANUAL
        code, _, said = after.reason.partition(": ")
        assert trial.cases[0].then == (f"asks: {said}" if code == QUESTION else "not understood")


def test_a_trial_of_a_rule_answers_a_question_that_was_open(goal_about: Callable[..., Goal], operator: User) -> None:
    goal = goal_about("commit everything")
    assert goal.reason.startswith("question_open")
    rule = {"tool": "git_tool", "command": "commit", "parameter": "message", "default": "As ever", "in_use": True}
    (case,) = tried("parameter_rule", rule, operator).cases
    assert case.original.startswith("asks: What is the")
    assert case.then == "git_tool.commit message As ever"
    versions.save(kind("parameter_rule"), rule, by=operator)
    spec = documents.read(bytes(goal_about("commit everything").intent_plans.get().document)).at(1)
    assert spec.params["message"] == "As ever"


def test_a_trial_looks_at_the_files_as_they_were(goal_about: Callable[..., Goal], operator: User, owner: User) -> None:
    goal = goal_about("show src/App.py")
    for path in ("src/App.py", "src/aPP.py"):
        workspaces.put_file(goal.workspace, by=owner, path=path, source=io.BytesIO(b""))
    goal.workspace.refresh_from_db()
    trial = tried("path_mapping", {"said": "nothing", "path": "x.py", "in_use": True}, operator)
    assert (trial.drifted, trial.changed, trial.tried) == (0, 0, 1)


def test_a_trial_writes_nothing_and_the_database_sees_to_it(
    goal_about: Callable[..., Goal], operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal_about("show app")

    def counts() -> list[int]:
        return [table._default_manager.count() for table in (Plan, IntentPlan, Goal, PathMapping, ModelCall)]

    before = counts()
    tried("path_mapping", {"said": "app", "path": "src/util.py", "in_use": True}, operator)
    assert counts() == before
    with pytest.raises(InternalError, match="read-only"), trials.nothing_written():
        PathMapping.objects.create(said="x", path="y")
    PathMapping.objects.create(said="x", path="y")  # and afterwards it can be written again
    with connection.cursor() as cursor:
        cursor.execute("SHOW transaction_read_only")
        assert cursor.fetchone() == ("off",)


def test_what_is_not_reached_in_time_is_said(goal_about: Callable[..., Goal], operator: User) -> None:
    goal_about("show app")
    trial = tried("path_mapping", {"said": "app", "path": "src/util.py", "in_use": True}, operator, clock=Clock(0.0))
    assert (trial.found, trial.tried, trial.in_time) == (1, 0, False)


def test_cases_of_goals_that_may_not_be_read_are_counted_and_never_shown(
    goal_about: Callable[..., Goal], operator: User, owner: User, outsider: User
) -> None:
    mine = goal_about("show app")
    goal_about("show app", by=outsider)
    mapping = {"said": "app", "path": "src/util.py", "in_use": True}
    trial = tried("path_mapping", mapping, operator, readable=goals_visible_to(owner))
    assert (trial.changed, trial.hidden, [case.goal for case in trial.cases]) == (2, 1, [mine.pk])
    assert tried("path_mapping", mapping, operator, readable=Goal.objects.none()).cases == ()
    with pytest.raises(NotYours):
        tried("path_mapping", mapping, owner)
