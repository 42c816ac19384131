"""People tell the agent what is so, in the browser and by the API."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.test import Client

from agents.cycle import cycle
from agents.models import Goal
from agents.states import GoalState
from people.models import User
from tests.cast import ApiCaller

pytestmark = pytest.mark.django_db(transaction=True)

THERE = "There is a folder named tides."


@pytest.fixture
def goal(transactional_db: None, owner: User, make_goal: Callable[..., Goal]) -> Goal:
    call_command("load_starters", verbosity=0)
    made = make_goal(owner, "Create a Python project named tides")
    cycle.one(made.pk)
    made.refresh_from_db()
    return made


def test_a_belief_said_in_the_browser_has_the_plan_made_again_and_is_taken_back(
    goal: Goal, owner: User, client_of: Callable[[User], Client]
) -> None:
    client = client_of(owner)
    page = f"/goals/{goal.pk}/beliefs/"
    said = client.post(f"{page}tell", {"sentence": THERE, "confidence": "0.8", "lasts": "24"}, follow=True)
    assert "The agent plans again." in said.content.decode()
    belief = goal.beliefs.get(source="person")
    assert (belief.sentence, belief.confidence) == (THERE, 0.8)
    assert belief.expires_at is not None
    goal.refresh_from_db()
    assert goal.state == GoalState.PENDING
    plain = goal.beliefs.create(sentence="The tide is high.", source="person", by=owner, at=belief.at)
    shown = client.get(page).content.decode()
    assert f"{page}{plain.pk}/retract" in shown
    client.post(f"{page}{plain.pk}/retract")
    plain.refresh_from_db()
    assert plain.retracted_by == "retracted by olga"


def test_what_the_agent_saw_is_denied_in_the_browser(
    goal: Goal, reviewer: User, client_of: Callable[[User], Client]
) -> None:
    seen = goal.beliefs.filter(source="perception").first()
    assert seen is not None
    client = client_of(reviewer)
    assert f"/goals/{goal.pk}/beliefs/{seen.pk}/deny" in client.get(f"/goals/{goal.pk}/beliefs/").content.decode()
    client.post(f"/goals/{goal.pk}/beliefs/{seen.pk}/deny", {"instead": "<b>The door</b> is open."})
    page = client.get(f"/goals/{goal.pk}/beliefs/").content.decode()
    assert "&lt;b&gt;The door&lt;/b&gt;" in page
    assert "<b>The door" not in page


def test_nobody_else_tells_it_anything(
    goal: Goal, outsider: User, operator: User, client_of: Callable[[User], Client]
) -> None:
    seen = goal.beliefs.filter(source="perception").first()
    assert seen is not None
    for path in ("tell", f"{seen.pk}/deny", f"{seen.pk}/retract"):
        address = f"/goals/{goal.pk}/beliefs/{path}"
        client_of(outsider).post(address, {"sentence": THERE})
        client_of(operator).post(address, {"sentence": THERE})
        assert client_of(operator).get(address).status_code == 405
    assert "Tell the agent" not in client_of(operator).get(f"/goals/{goal.pk}/beliefs/").content.decode()
    assert not goal.beliefs.filter(source="person").exists()
    assert not goal.beliefs.exclude(retracted_by="").exists()


def test_the_api_tells_contradicts_and_retracts(
    goal: Goal, owner: User, outsider: User, api_of: Callable[..., ApiCaller]
) -> None:
    api = api_of(owner)
    told = api.post(f"goals/{goal.pk}/beliefs", {"sentence": "The tide is high.", "confidence": 0.9})
    assert told.status_code == 201
    body = told.json()  # type: ignore[attr-defined]
    assert (body["does"], body["belief"]["by"], body["belief"]["confidence"]) == ("nothing", "olga", 0.9)
    number = body["belief"]["id"]
    again = api.post(f"goals/{goal.pk}/beliefs/{number}/retract").json()  # type: ignore[attr-defined]
    assert again["belief"]["retracted_by"] == "retracted by olga"
    assert api.post(f"goals/{goal.pk}/beliefs/{number}/retract").status_code == 409
    held = api.get(f"goals/{goal.pk}/beliefs?limit=100").json()["items"]  # type: ignore[attr-defined]
    seen = next(one for one in held if one["source"] == "perception" and "tides" in one["sentence"])
    denied = api.post(f"goals/{goal.pk}/beliefs/{seen['id']}/contradict", {}).json()  # type: ignore[attr-defined]
    assert denied["belief"]["denies"] == seen["sentence"]
    assert denied["does"] == "plan_again"
    assert api.post(f"goals/{goal.pk}/beliefs", {"sentence": " "}).status_code == 422
    assert api.post(f"goals/{goal.pk}/beliefs", {"sentence": "x", "confidence": 0}).status_code == 422
    assert api_of(outsider).get(f"goals/{goal.pk}/beliefs").status_code == 404
    assert api_of(outsider).post(f"goals/{goal.pk}/beliefs", {"sentence": "The tide is high."}).status_code == 404
    assert api_of(owner, "goals:read").post(f"goals/{goal.pk}/beliefs", {"sentence": "x"}).status_code == 403


def test_a_goal_with_a_deadline_and_a_whole_is_taken_in_by_the_api(
    goal: Goal, owner: User, api_of: Callable[..., ApiCaller]
) -> None:
    api = api_of(owner)
    body = {"text": "Read the tides", "parent": str(goal.pk), "deadline": "2099-01-01T00:00:00Z"}
    made = api.post("goals", body)
    assert made.status_code == 201
    part = Goal.objects.get(pk=int(made.json()["id"]))  # type: ignore[attr-defined]
    assert part.parent_id == goal.pk
    assert part.deadline is not None
    assert api.post("goals", {**body, "deadline": "2001-01-01T00:00:00Z"}).status_code == 422
    assert api.post("goals", {**body, "deadline": "2099-01-01T00:00:00"}).status_code == 422
    assert api.post("goals", {**body, "parent": "999999"}).status_code == 404
