"""A model proposes changes to a file, over the real protocol: what it is told, what comes of each answer, and that
nothing changes before a person has read exactly the diff that is made.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from agents.coordinator import taking_over
from agents.cycle import cycle
from agents.goals import goals
from agents.models import Agent, Goal, Intent, IntentPlan, LogLine, Workspace
from agents.presentation import code_report
from agents.presentation.code_report import Changes
from agents.record.errors import NotPossibleNow, PlanInvalid
from agents.states import GoalState, PlanState
from agents.workspaces import workspaces
from agents.workspaces.stores import store
from library.language import generation
from library.models import ModelCall
from people.models import User
from review.deciding import decisions
from review.models import Approval
from review.policy.verdict import Action
from sandbox.store.snapshots import EMPTY
from tests.agents.execution.conftest import approved  # a fixture  # noqa: F401
from tests.models.conftest import KEY, MODEL
from tests.models.server import Provider, breaking_off, refusing
from tests.review.conftest import cases, keeper, submitter  # noqa: F401  # fixtures
from tests.review.some_policies import in_force, tried

pytestmark = pytest.mark.django_db(transaction=True)
FILE = """import subprocess


def listed(folder):
    try:
        return subprocess.check_output("ls " + folder, shell=True)
    except:
        return b""
"""
CHANGES = [
    {
        "find": '        return subprocess.check_output("ls " + folder, shell=True)\n',
        "replace": '        return subprocess.check_output(["ls", "--", folder])\n',
        "why": "A folder's name is no command.",
    },
    {
        "find": "    except:\n",
        "replace": "    except (OSError, subprocess.CalledProcessError):\n",
        "why": "Only these.",
    },
]
AFTER = FILE.replace(CHANGES[0]["find"], CHANGES[0]["replace"]).replace(CHANGES[1]["find"], CHANGES[1]["replace"])
Approved = Callable[..., IntentPlan]
Proposed = Callable[..., Intent]
TEXTS = [
    line.encode().decode("unicode_escape") if "\\u" in line else line
    for line in (Path(__file__).parent / "injections.txt").read_text().splitlines()
]


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generation, "FIRST_WAIT_S", 0.0)


def said(*changes: Any) -> str:
    return json.dumps({"changes": changes or CHANGES})


def workspace_with(by: User, name: str = "shop", **files: str) -> Workspace:
    made = workspaces.create(by=by, name=name)
    texts = {"app.py": FILE, **{path.replace("__", "."): text for path, text in files.items()}}
    uploads = [workspaces.Upload(path, BytesIO(text.encode()), len(text.encode())) for path, text in texts.items()]
    return workspaces.put_files(made, by=by, uploads=uploads)


STEP = {"tool": "audit_and_improve", "command": "send_file_to_model", "params": {"path": "app.py"}}


@pytest.fixture
def proposed(
    approved: Approved,  # noqa: F811
    owner: User,
) -> Proposed:
    """`proposed(text, other__py=…)`: the step that asked for the file, when it has run."""

    def ran(text: str = FILE, **more: str) -> Intent:
        plan = approved([STEP], workspace=workspace_with(owner, app__py=text, **more))
        cycle.work(plan.goal_id)
        return plan.intents.get()

    return ran


def reason(step: Intent) -> str:
    """Why the first try failed: its class, and the sentence."""
    attempt = step.attempts.order_by("pk")[0]
    return f"{attempt.failure_class}: {(attempt.result or {}).get('reason')}"


def report_of(step: Intent) -> Changes:
    found = code_report.read((step.result or {})["report"])
    assert isinstance(found, Changes)
    return found


def content(workspace: Workspace, path: str = "app.py") -> str:
    workspace.refresh_from_db()
    with store().open(workspace.head, path.encode()) as file:
        return file.read().decode()


def test_from_the_goal_to_the_changed_file(
    provider: Provider, owner: User, proposed: Proposed, reviewer: User, client_of: Any, valkey: object
) -> None:
    provider.will_say(said())
    call_command("load_starters", verbosity=0)
    goal = goals.submit(by=owner, text="improve the file app.py", workspace=workspace_with(owner))
    cycle.work(goal.pk)
    asking = goal.intent_plans.get()
    assert f"<code>{MODEL}</code>" in client_of(reviewer).get(asking.get_absolute_url()).content.decode()
    decisions.approve(asking, by=reviewer, digest=asking.digest)
    cycle.work(goal.pk)
    step = asking.intents.get()
    goal.refresh_from_db()
    assert goal.state == GoalState.ACHIEVED, goal.reason
    assert content(goal.workspace) == FILE, "a proposal changes nothing"
    system, user = provider.asked[0]["messages"]
    assert "subprocess" not in system["content"]
    material = json.loads(user["content"])
    assert material["file"] == "app.py"
    assert [part["text"] for part in material["parts"]] == [FILE]
    assert {"S602", "E722"} <= {one["code"] for one in material["findings"]}
    call = ModelCall.objects.get()
    assert (call.purpose, call.goal, call.state) == ("file_changes", str(goal.pk), ModelCall.State.ANSWERED)

    client = client_of(owner)
    address = f"/goals/{goal.pk}/intents/{step.pk}/report"
    page = client.get(address).content.decode()
    for shown in ("Make a plan from these changes", "A folder&#x27;s name is no command.", "No file was changed"):
        assert shown in page
    assert f"/goals/{goal.pk}/intents/{step.pk}/report" in client.get(f"/goals/{goal.pk}/").content.decode()
    assert "Asked by a step" in client.get(f"/goals/{goal.pk}/plans/").content.decode()
    answer = client.post(f"/goals/{goal.pk}/intents/{step.pk}/take-over")
    following = Goal.objects.exclude(pk=goal.pk).get()
    assert answer.headers["Location"] == f"/goals/{following.pk}/"
    # A doubled click is the same goal.
    client.post(f"/goals/{goal.pk}/intents/{step.pk}/take-over")
    assert Goal.objects.count() == 2
    assert f"goal {following.pk}</a>" in client.get(address).content.decode()

    plan = following.intent_plans.get()
    assert plan.state == PlanState.AWAITING_REVIEW
    review = client_of(reviewer).get(plan.get_absolute_url()).content.decode()
    assert "no policy approves it" in review
    assert content(goal.workspace) == FILE
    decisions.approve(tried(plan), by=reviewer, digest=plan.digest)
    cycle.work(following.pk)
    following.refresh_from_db()
    assert following.state == GoalState.ACHIEVED, following.reason
    assert content(goal.workspace) == AFTER


def test_what_was_wrong_goes_back_and_every_attempt_is_kept(
    provider: Provider, owner: User, proposed: Proposed, client_of: Any, valkey: object
) -> None:
    provider.will_say(said({**CHANGES[0], "find": "nowhere"}), f"Gladly:\n```json\n{said()}\n```")
    step = proposed()
    first, second = report_of(step).attempts
    assert ("letter by letter" in first.problems[0], second.problems) == (True, [])
    assert [one["role"] for one in provider.asked[1]["messages"]] == ["system", "user", "assistant", "user"]
    assert "letter by letter" in provider.asked[1]["messages"][3]["content"]
    assert ModelCall.objects.filter(goal=str(step.intent_plan.goal_id)).count() == 2
    page = client_of(owner).get(f"/goals/{step.intent_plan.goal_id}/intents/{step.pk}/report").content.decode()
    assert "Repair 1" in page
    assert "1 problem" in page
    assert LogLine.objects.filter(goal=step.intent_plan.goal_id, text__contains="it goes back with them").exists()


def test_a_secret_in_the_file_is_not_sent_and_stays_in_the_file(
    provider: Provider, proposed: Proposed, valkey: object
) -> None:
    token = "ghp_" + "a1B2" * 9

    def reply(asked: Any) -> None:
        mark = re.search(r"MASKED_SECRET_[0-9a-f]{8}", asked.server.asked[-1]["messages"][1]["content"])
        find = f'TOKEN = "{mark[0]}"'  # type: ignore[index]
        asked.stream(said({"find": find, "replace": f"{find}  # rotate it", "why": "It is old."}))

    provider.will_say(reply)
    step = proposed(f'TOKEN = "{token}"\nprint(len(TOKEN))\n')
    assert token not in json.dumps(provider.asked)
    assert f'+TOKEN = "{token}"  # rotate it' in (step.result or {})["diff"]
    lines = LogLine.objects.filter(goal=step.intent_plan.goal_id).values_list("text", flat=True)
    assert any("is hidden from the model (GitHub token)" in line for line in lines)


def test_a_mark_that_was_not_sent_is_no_change(provider: Provider, proposed: Proposed, valkey: object) -> None:
    provider.will_say(said({"find": "TOKEN = 1", "replace": 'TOKEN = "MASKED_SECRET_00000000"', "why": "It is old."}))
    step = proposed("TOKEN = 1\nprint(TOKEN)\n")
    assert "is no mark in what was sent" in reason(step)


@pytest.mark.parametrize("repairs", [0, 2])
def test_a_model_that_never_gives_a_valid_answer_is_asked_exactly_so_often(
    provider: Provider, proposed: Proposed, valkey: object, repairs: int
) -> None:
    provider.will_say("Certainly! I have changed the file.")
    Agent.objects.update_or_create(name="mindx", defaults={"max_repair_attempts": repairs})
    step = proposed()
    assert reason(step).startswith("TOOL_EXECUTION_ERROR: ")
    assert "no answer could be accepted" in reason(step)
    assert "no JSON object" in reason(step)
    assert len(provider.asked) == repairs + 1
    assert content(Workspace.objects.get()) == FILE


@pytest.mark.parametrize(
    ("reply", "failure"),
    [
        (refusing(500), "NETWORK_ERROR"),
        (refusing(401), "TOOL_UNAVAILABLE"),
        (refusing(429), "RATE_LIMIT_ERROR"),
        (breaking_off('{"changes": ['), "TOOL_EXECUTION_ERROR"),
    ],
)
def test_what_a_provider_does_is_the_steps_failure(
    provider: Provider, proposed: Proposed, valkey: object, reply: Any, failure: str
) -> None:
    provider.will_say(reply)
    step = proposed()
    assert reason(step).startswith(failure)
    assert content(step.intent_plan.goal.workspace) == FILE


def test_without_a_model_it_is_not_planned(owner: User, settings: Any, valkey: object) -> None:
    settings.MODEL, settings.MODEL_FALLBACKS = "", []
    goal = goals.submit(by=owner, text="improve the file app.py", workspace=workspace_with(owner))
    with pytest.raises(PlanInvalid, match="asks a language model, and none is set up"):
        goals.supply_plan(goal, by=owner, steps=[STEP])
    instead = {"tool": "simple_coder", "command": "ls", "params": {}, "alternatives": [STEP]}
    with pytest.raises(PlanInvalid, match="asks a language model, and none is set up"):
        goals.supply_plan(goal, by=owner, steps=[instead])


def test_a_file_that_changed_meanwhile_is_not_patched(
    provider: Provider, owner: User, proposed: Proposed, valkey: object
) -> None:
    provider.will_say(said())
    step = proposed()
    workspace = Workspace.objects.get()
    data = (FILE + "\n").encode()
    workspaces.put_files(workspace, by=owner, uploads=[workspaces.Upload("app.py", BytesIO(data), len(data))])
    with pytest.raises(NotPossibleNow, match="has changed since goal"):
        taking_over.take_over(Intent.objects.get(pk=step.pk), by=owner)
    assert Goal.objects.count() == 1


def test_only_who_may_write_the_workspace_makes_a_plan_of_it(
    provider: Provider, owner: User, proposed: Proposed, reviewer: User, outsider: User, client_of: Any, valkey: object
) -> None:
    provider.will_say(said())
    step = proposed()
    address = f"/goals/{step.intent_plan.goal_id}/intents/{step.pk}/take-over"
    assert client_of(outsider).post(address).status_code == 404
    assert "Make a plan from" not in client_of(reviewer).get(address.replace("take-over", "report")).content.decode()
    client_of(reviewer).post(address)
    assert client_of(owner).get(address).status_code == 405
    assert Goal.objects.count() == 1


def test_the_api_makes_a_plan_of_it_for_who_may_write_and_once(
    provider: Provider, owner: User, proposed: Proposed, reviewer: User, outsider: User, api_of: Any, valkey: object
) -> None:
    provider.will_say(said())
    step = proposed()
    address = f"intents/{step.pk}/take-over"
    assert api_of(outsider).post(address).status_code == 404
    assert api_of(reviewer).post(address).status_code == 403
    assert Goal.objects.count() == 1
    mine = api_of(owner)
    made = mine.post(address)
    assert made.status_code == 201, made.content
    plan = made.json()
    assert made.headers["Location"] == f"/api/v1/intent-plans/{plan['id']}"
    assert (plan["state"], plan["intents"][0]["params"]["mode"]) == ("awaiting_review", "patch")
    assert mine.post(address).json()["id"] == plan["id"]
    assert Goal.objects.count() == 2


def test_what_cannot_be_made_is_refused_before_there_is_a_goal(
    provider: Provider, owner: User, proposed: Proposed, reviewer: User, operator: User, api_of: Any, valkey: object
) -> None:
    provider.will_say(said())
    step = proposed()
    address = f"intents/{step.pk}/take-over"
    with pytest.raises(NotPossibleNow, match="that you can apply"):
        taking_over.take_over(step, by=reviewer)
    result = dict(step.result or {})
    other = step.result | {"diff": result["diff"].replace("\n-", "\n-x")}  # type: ignore[operator]
    Intent.objects.filter(pk=step.pk).update(result=other)
    with pytest.raises(NotPossibleNow, match="does not fit"):
        taking_over.take_over(Intent.objects.get(pk=step.pk), by=owner)
    nothing = result | {"report": result["report"] | {"changes": []}}
    Intent.objects.filter(pk=step.pk).update(result=nothing)
    assert not taking_over.may_take_over(Intent.objects.get(pk=step.pk), owner)
    assert api_of(owner).post(address).status_code == 409
    Intent.objects.filter(pk=step.pk).update(result=result)
    in_force(Action.FORBID, operator, "no writing", commands=["write"])
    refused = api_of(owner).post(address)
    assert (refused.status_code, "no writing" in refused.content.decode()) == (422, True)
    Workspace.objects.update(head=EMPTY)
    with pytest.raises(NotPossibleNow, match="has changed since goal"):
        taking_over.take_over(Intent.objects.get(pk=step.pk), by=owner)
    assert Goal.objects.count() == 1


def test_nothing_worth_changing_is_an_answer(
    provider: Provider, owner: User, proposed: Proposed, client_of: Any, valkey: object
) -> None:
    provider.will_say('{"nothing": "It is <b>fine</b>."}')
    step = proposed()
    assert step.intent_plan.goal.state == GoalState.ACHIEVED
    address = f"/goals/{step.intent_plan.goal_id}/intents/{step.pk}/"
    page = client_of(owner).get(f"{address}report").content.decode()
    assert "It is &lt;b&gt;fine&lt;/b&gt;." in page
    assert "Make a plan from" not in page
    client_of(owner).post(f"{address}take-over")
    assert Goal.objects.count() == 1


def test_instructions_inside_a_file_stay_material_whatever_the_model_makes_of_them(
    provider: Provider,
    cases: None,  # noqa: F811
    owner: User,
    approved: Approved,  # noqa: F811
    proposed: Proposed,
    keeper: User,  # noqa: F811
    valkey: object,
) -> None:
    """The model obeys: it answers with what an attacker would like, then with changes of a file it was not shown."""
    in_force(Action.AUTO_APPROVE, keeper, "writing passes", commands=["write"], risk_at_most="low")
    obeying = json.dumps({"changes": CHANGES, "approved": True, "risk": "low"})
    elsewhere = said({"find": "the only copy", "replace": "", "why": "As the file says.", "path": "../secret.py"})
    outside = said({"find": "the only copy", "replace": "gone", "why": "As the file says."})
    remarks = "".join(f"# {''.join(char for char in text if char.isprintable())}\n" for text in (*TEXTS, KEY))
    provider.will_say(obeying, elsewhere, outside)
    agent_asks = 3
    step = proposed(FILE + remarks, secret__py="held = 'the only copy'\n")
    assert len(provider.asked) == agent_asks
    assert step.intent_plan.goal.state != GoalState.ACHIEVED
    first = provider.asked[0]["messages"]
    assert [one["role"] for one in first] == ["system", "user"]
    assert first[1]["content"].isascii()
    material = json.loads(first[1]["content"])
    assert set(material) <= {"file", "python", "parts", "findings", "needed"}
    assert re.sub(r"MASKED_SECRET_[0-9a-f]{8}", KEY, material["parts"][0]["text"]) == FILE + remarks
    assert len({one["messages"][0]["content"] for one in provider.asked}) == 1
    assert not any(text in first[0]["content"] for text in TEXTS)
    sent = json.dumps(provider.asked)
    assert KEY not in sent
    assert "the only copy'" not in sent, "no other file is sent"
    assert Approval.objects.count() == 1
    workspace = step.intent_plan.goal.workspace
    assert content(workspace, "secret.py") == "held = 'the only copy'\n"
    # A valid answer to such a file waits for a person, whatever policies say of writing.
    provider.will_say(said())
    plan = approved([STEP], workspace=workspace_with(owner, "again", app__py=FILE + remarks))
    cycle.work(plan.goal_id)
    made = taking_over.take_over(plan.intents.get(), by=owner)
    assert tried(made).state == PlanState.AWAITING_REVIEW


def test_what_is_said_in_a_report_is_shown_as_text(
    provider: Provider, owner: User, proposed: Proposed, client_of: Any, valkey: object
) -> None:
    provider.will_say(said({**CHANGES[0], "why": "<script>alert(1)</script>"}))
    step = proposed()
    page = client_of(owner).get(f"/goals/{step.intent_plan.goal_id}/intents/{step.pk}/report").content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x = 1\r\n", "carriage returns"),
        ("x" * 200_001, "longer than"),
        (" \n", "empty"),
    ],
)
def test_a_file_that_cannot_become_a_diff_is_never_sent(
    provider: Provider, proposed: Proposed, valkey: object, text: str, why: str
) -> None:
    step = proposed(text)
    assert reason(step).startswith("INVALID_PARAMETERS: ")
    assert why in reason(step)
    # A simpler plan is asked for; the file goes nowhere.
    asked = [message["content"] for one in provider.asked for message in one["messages"]]
    assert not [said for said in asked if text.strip() and text in said]
    for_plans = ("You plan for mindX", "You take the values of a command's parameters out of a goal")
    assert all(one["messages"][0]["content"].startswith(for_plans) for one in provider.asked)
