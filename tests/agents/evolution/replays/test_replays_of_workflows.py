"""Versions of workflows: processed anew with the parameters of earlier goals, beside their parents, and watched."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from agents.cycle import cycle
from agents.evolution import replaying
from agents.evolution.ab_trials import version_trials
from agents.evolution.ab_trials.trial_plans import Asked
from agents.evolution.ab_trials.version_trials import Wanted
from agents.evolution.activation import deciding, rollouts
from agents.evolution.candidates import saving, searching
from agents.evolution.replays import gate, replays
from agents.evolution.replays.gate import Verdict
from agents.goals import workflow_goals
from agents.goals.component_goals import Terms
from agents.models import Goal, HandItem, Replay, Rollout
from agents.record import draining
from agents.record.errors import NotPossibleNow
from agents.states import GoalState, ReplayState, RolloutState
from agents.workspaces import workspaces
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion
from people.models import User
from review.deciding import decisions
from tests.agents.bdi.workflows.workflow_texts import execute, text
from tests.agents.evolution.conftest import LENIENT, PICKY, STRICT
from tests.agents.execution.conftest import give_up
from tests.models.conftest import provider
from tests.models.server import Provider

__all__ = ["provider"]

pytestmark = pytest.mark.django_db(transaction=True)
Totalled = Callable[..., Goal]
STEP = execute("simple_coder.run", 'input: {command_line: "python PROGRAM.py {{params.file}}"}')
CALLER = text(execute("Total", "input: {file: numbers.txt}", item="WORKFLOW"), name="Report")


def body(program: str, params: str = "params: {file: numbers.txt}") -> str:
    return text(STEP.replace("PROGRAM", program), name="Total", params=f"\n{params}")


def candidate(by: User, program: str, params: str = "params: {file: numbers.txt}") -> ComponentVersion:
    component = Component.objects.get(kind="workflow", name="Total")
    return saving.save_workflow(body(program, params), by=by, of=component, changes="blank lines").version


def replayed(version: ComponentVersion) -> Replay:
    replay = replays.latest(version)
    assert replay is not None
    replaying.work(replay.pk)
    return Replay.objects.get(pk=replay.pk)


@pytest.fixture
def total(operator: User) -> ComponentVersion:
    saved = saving.save_workflow(body("strict"), by=operator, of=None)
    assert not saved.is_replayed
    return deciding.activate(saved.version, by=operator)


@pytest.fixture
def processed(owner: User) -> Callable[..., Goal]:
    """`processed(total, "1\n2\n")`: a goal whose plan a version of a workflow made, awaiting review."""
    made: list[Goal] = []

    def one(version: ComponentVersion, numbers: str, **params: str) -> Goal:
        workspace = workspaces.create(by=owner, name=f"case-{len(made)}")
        programs = {"strict.py": STRICT, "lenient.py": LENIENT, "picky.py": PICKY}
        for path, content in {**programs, "numbers.txt": numbers, "other.txt": "1\n"}.items():
            workspaces.put_file(workspace, by=owner, path=path, source=io.BytesIO(content.encode()))
        made.append(workflow_goals.process(version, params, Terms(owner, workspace)).goal)
        return made[-1]

    return one


@pytest.fixture
def totalled(processed: Callable[..., Goal], owner: User, reviewer: User, total: ComponentVersion) -> Totalled:
    """`totalled("1\n2\n")`: the same, run to its end, well or badly."""

    def one(numbers: str, version: ComponentVersion = total, **params: str) -> Goal:
        goal = processed(version, numbers, **params)
        plan = goal.intent_plans.get()
        decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")
        cycle.work(goal.pk)
        if HandItem.objects.filter(goal=goal, answered_at=None).exists():
            give_up(goal.pk, owner)
        goal.refresh_from_db()
        return goal

    return one


def test_five_fixes_and_no_break_let_it_in_and_four_or_a_break_do_not(
    totalled: Totalled, operator: User, reviewer: User, client_of: Callable[[User], Client]
) -> None:
    failed = [totalled(f"{number}\n\n2\n") for number in range(4)]
    worked = [totalled(f"{number}\n1\n") for number in (3, 7)]
    assert {goal.state for goal in failed} == {GoalState.FAILED}
    assert {goal.state for goal in worked} == {GoalState.ACHIEVED}
    lenient = candidate(reviewer, "lenient")
    judged = replays.judgement(replayed(lenient))
    assert (judged.verdict, judged.fixed, judged.broken, judged.unchanged) == (Verdict.TOO_FEW, 4, 0, 2)
    with pytest.raises(LibraryRefused, match=r"Too few: 4 fixed, 0 broken\. Only an admin"):
        deciding.activate(lenient, by=operator, reason="it is obviously right")
    totalled("5\n\n5\n")
    picky = candidate(reviewer, "picky")
    assert (one := replays.judgement(replayed(picky))).verdict is Verdict.BROKE
    assert (one.fixed, one.broken) == (5, 1)
    page = f"/workflows/{picky.component_id}/"
    client = client_of(operator)
    client.post(f"{page}versions/{picky.pk}/activate/")
    assert ComponentVersion.objects.get(pk=picky.pk).status == "candidate"
    assert "breaks 1" in client.get(f"{page}?version={picky.pk}").content.decode()
    client.post(f"{page}versions/{lenient.pk}/replay/")
    assert replays.judgement(replayed(lenient)).verdict is Verdict.ADMITTED
    shown = client.get(f"{page}?version={lenient.pk}").content.decode()
    assert shown.count('<strong class="is-good">fixed</strong>') == 5
    client.post(f"{page}versions/{lenient.pk}/activate/")
    assert ComponentVersion.objects.get(pk=lenient.pk).status == "active"


def test_a_worker_that_is_told_to_stop_leaves_what_is_done_and_another_goes_on(
    totalled: Totalled, reviewer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    totalled("1\n\n2\n")
    totalled("1\n2\n")
    lenient = candidate(reviewer, "lenient")
    asked = iter([False, True])
    monkeypatch.setattr(draining, "is_asked", lambda: next(asked, False))
    first = replayed(lenient)
    assert list(first.cases.values_list("is_done", flat=True)) == [True, False]
    (done,) = first.cases.filter(is_done=True)
    again = replayed(lenient)
    assert (again.state, again.lease_fence) == (ReplayState.DONE, 2)
    assert again.cases.get(pk=done.pk).candidate_s == done.candidate_s, "what is done is not done again"
    assert replays.judgement(again).fixed == 1


def test_goals_of_a_workflow_that_calls_it_are_its_cases_too(
    totalled: Totalled, operator: User, reviewer: User
) -> None:
    report = deciding.activate(saving.save_workflow(CALLER, by=operator, of=None).version, by=operator)
    totalled("1\n\n2\n", version=report)
    lenient = candidate(reviewer, "lenient")
    (case,) = replayed(lenient).cases.all()
    assert (case.parent_passes, case.candidate_passes) == (False, True)
    # The other way round: the text of then, and what it calls as it is used now.
    longer = CALLER + execute("simple_coder.read", "input: {path: other.txt}")
    later = saving.save_workflow(longer, by=reviewer, of=report.component)
    assert later.is_replayed
    assert replays.judgement(replayed(later.version)).unchanged == 1


def test_what_was_left_at_its_default_gets_the_new_one_and_what_was_given_stays(
    totalled: Totalled, reviewer: User
) -> None:
    totalled("1\n\n2\n")
    totalled("1\n\n2\n", file="./numbers.txt")
    other = candidate(reviewer, "strict", "params: {file: other.txt}")
    cases = replayed(other).cases.order_by("goal_id")
    assert [one.candidate_passes for one in cases] == [True, False]
    assert [one.differs for one in cases] == [True, False]


def test_a_version_that_takes_a_parameter_no_longer_fails_the_goals_that_gave_it(
    totalled: Totalled, reviewer: User
) -> None:
    totalled("1\n2\n", file="other.txt")
    fixed = text(STEP.replace("PROGRAM", "strict").replace("{{params.file}}", "numbers.txt"), name="Total")
    component = Component.objects.get(kind="workflow", name="Total")
    version = saving.save_workflow(fixed, by=reviewer, of=component).version
    (case,) = replayed(version).cases.all()
    assert (case.parent_passes, case.candidate_passes) == (True, False)
    assert "there is no parameter “file”" in case.candidate_said


def test_a_version_with_the_same_steps_is_inert_and_one_that_cannot_be_read_is_not_tried(
    totalled: Totalled, total: ComponentVersion, reviewer: User
) -> None:
    totalled("1\n\n2\n")
    same = candidate(reviewer, "strict", "description: says what it is for\nparams: {file: numbers.txt}")
    assert replays.judgement(replayed(same)).verdict is Verdict.INERT
    ComponentVersion.objects.filter(pk=same.pk).update(body="steps: [")
    replays.ask(ComponentVersion.objects.get(pk=same.pk), by=reviewer)
    again = replayed(same)
    assert (again.state, again.reason[:24]) == (ReplayState.IMPOSSIBLE, "a version cannot be read")


def test_a_version_that_an_admin_lets_in_all_the_same_is_taken_back(
    totalled: Totalled, processed: Callable[..., Goal], total: ComponentVersion, reviewer: User, admin: User
) -> None:
    totalled("7\n1\n")
    picky = candidate(reviewer, "picky")
    replayed(picky)
    deciding.activate(picky, by=admin, reason="seven is not wanted any more")
    rollout = Rollout.objects.get(version=picky)
    processed(total, "7\n2\n")
    for number in range(5):
        processed(picky, f"7\n{number}\n")
    rollouts.sweep()
    replaying.work()
    rollout.refresh_from_db()
    assert rollout.state == RolloutState.RETURNED
    assert rollouts.judgement(rollout).broken == 5, "the plan that the version before made is no case"
    statuses = dict(picky.component.versions.values_list("version", "status"))
    assert statuses == {total.version: "active", picky.version: "retired"}


def test_a_model_writes_the_next_version_from_the_probe_half_and_goes_no_further_than_its_strategy(
    request: pytest.FixtureRequest,
    totalled: Totalled,
    total: ComponentVersion,
    reviewer: User,
    api_of: Any,
    client_of: Callable[[User], Client],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gate, "is_sealed", lambda name, goal: goal % 2 == 0)
    goals = [totalled(f"{number}\n\n2\n", file=f"{'./' * number}numbers.txt") for number in range(6)]
    # Not before: with a model there a goal that failed would be planned anew.
    provider: Provider = request.getfixturevalue("provider")
    too_far = body("lenient", "params: {path: numbers.txt}").replace("params.file", "params.path")
    provider.will_say(*(json.dumps({"workflow": one}) for one in (too_far, body("lenient"))))
    answer = api_of(reviewer).post(f"components/{total.component_id}/evolve", {"why": "blank lines"})
    assert answer.status_code == 202
    searching.work()
    told = api_of(reviewer).get(f"searches/{answer.json()['id']}").json()
    assert told["state"] == "done", told["reason"]
    first, second = (one["messages"][-1]["content"] for one in provider.asked)
    material = json.loads(first)
    assert {one["goal"] for one in material["failed"]} == {goal.text for goal in goals if goal.pk % 2}
    assert all("invalid literal for int" in one["error"] for one in material["failed"])
    assert "“file” is gone" in second
    version = ComponentVersion.objects.get(pk=told["candidate"])
    assert (version.origin, version.status, version.parent) == ("model", "candidate", total)
    assert replays.judgement(replayed(version)).verdict is Verdict.ADMITTED
    page = client_of(reviewer).get(f"/workflows/{total.component_id}/").content.decode()
    assert "Ask a model for a candidate" in page
    assert "Search for a better version" in page


def test_the_next_version_by_the_api_is_replayed(
    totalled: Totalled, total: ComponentVersion, reviewer: User, api_of: Any
) -> None:
    totalled("1\n\n2\n")
    written = api_of(reviewer).post("workflows", {"body": body("lenient"), "changes": "blank lines"}).json()
    (replay,) = Replay.objects.all()
    assert written["version_id"] == str(replay.version_id)
    replaying.work(replay.pk)
    candidate_told = api_of(reviewer).get(f"candidates/{replay.version_id}").json()
    assert candidate_told["checks"] == []
    told = candidate_told["replay"]
    assert (told["verdict"], told["fixed"], told["cases"][0]["flip"]) == ("too_few", 1, "fixed")
    evolved = api_of(reviewer).post(
        f"components/{total.component_id}/evolve", {"why": "blank lines", "body": body("picky")}
    )
    assert (evolved.status_code, evolved.json()["replay"]["state"]) == (202, "waiting")
    with pytest.raises(NotPossibleNow, match="first version"):
        replays.ask(total, by=reviewer)


def test_a_trial_of_two_versions_ends_with_the_case_that_decides(
    totalled: Totalled,
    repeated: Callable[[int], None],
    total: ComponentVersion,
    operator: User,
    reviewer: User,
) -> None:
    totalled("1\n\n2\n")
    repeated(7)
    lenient = candidate(reviewer, "lenient")
    replayed(lenient)
    trial = version_trials.begin(Wanted(total, lenient, "replayed", Asked(60, 100, 10)), by=operator)
    replaying.work()
    trial.refresh_from_db()
    assert (trial.verdict, trial.reason) == ("b_better", "after 6 cases: B did better in 6, A in 0")
    assert ComponentVersion.objects.get(pk=lenient.pk).status == "candidate", "a person activates it"
