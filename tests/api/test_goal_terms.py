"""PATCH of an open goal, and agents with how firmly they hold on, by programs."""

from __future__ import annotations

from typing import Any

import pytest

from agents.goals import goals
from agents.models import Agent

pytestmark = pytest.mark.django_db

UNTIL = "2040-01-31T18:00:00Z"


def test_what_is_named_changes_and_the_rest_stays(api_of: Any, owner: Any, make_goal: Any) -> None:
    goal, whole, before = make_goal(owner, priority=4), make_goal(owner), make_goal(owner)
    caller = api_of(owner)
    body = {"deadline": UNTIL, "parent": str(whole.pk), "depends_on": [str(before.pk)]}
    answer = caller.patch(f"goals/{goal.pk}", body)
    assert answer.status_code == 200
    said = answer.json()
    assert (said["priority"], said["parent"], said["depends_on"]) == (4, str(whole.pk), [str(before.pk)])
    assert (said["deadline"], said["state"]) == (UNTIL, "blocked")
    said = caller.patch(f"goals/{goal.pk}", {"deadline": None, "parent": None, "depends_on": [], "priority": 1}).json()
    assert (said["priority"], said["parent"], said["depends_on"], said["deadline"]) == (1, None, [], None)
    assert said["state"] == "pending"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"priority": None}, "priority"),
        ({"priority": 9}, "priority"),
        ({"priority": "1"}, "priority"),
        ({"depends_on": None}, "depends_on"),
        ({"depends_on": ["999999"]}, "depends_on.0"),
        ({"deadline": "2020-01-01T00:00:00Z"}, "deadline"),
        ({"deadline": "tomorrow"}, "deadline"),
        ({"text": "Another text"}, "text"),
    ],
)
def test_what_will_not_do_is_refused_at_its_field(
    body: dict[str, Any], field: str, api_of: Any, owner: Any, make_goal: Any
) -> None:
    goal = make_goal(owner)
    answer = api_of(owner).patch(f"goals/{goal.pk}", body)
    assert answer.status_code == 422
    assert [one["field"] for one in answer.json()["errors"]] == [field]
    goal.refresh_from_db()
    assert (goal.priority, goal.deadline) == (3, None)


def test_only_who_may_change_it_and_only_while_it_is_open(
    api_of: Any, owner: Any, reviewer: Any, outsider: Any, make_goal: Any
) -> None:
    goal = make_goal(owner)
    assert api_of(outsider).patch(f"goals/{goal.pk}", {"priority": 1}).status_code == 404
    assert api_of(reviewer).patch(f"goals/{goal.pk}", {"priority": 1}).status_code == 403
    foreign = make_goal(outsider)
    assert api_of(owner).patch(f"goals/{goal.pk}", {"parent": str(foreign.pk)}).status_code == 404
    goals.cancel(goal, by=owner)
    assert api_of(owner).patch(f"goals/{goal.pk}", {"priority": 1}).status_code == 409


def test_an_operator_sets_how_firmly_an_agent_holds_on_and_everybody_reads_who_and_why(
    api_of: Any, owner: Any, operator: Any
) -> None:
    agent = Agent.objects.get_or_create(name="mindx")[0]
    at, caller = f"agents/{agent.pk}", api_of(operator)
    read = api_of(owner).get(at).json()
    assert (read["commitment"], read["commitments"], read["status"]) == ("single_minded", [], "idle")
    assert api_of(owner).get("agents").json()["items"][0]["name"] == "mindx"
    answer = caller.post(f"{at}/commitment", {"kind": "open_minded", "why": "It plans by the weather."})
    assert (answer.status_code, answer.json()["commitment"]) == (200, "open_minded")
    (said,) = api_of(owner).get(at).json()["commitments"]
    assert (said["kind"], said["by"], said["why"]) == ("open_minded", operator.username, "It plans by the weather.")
    assert caller.post(f"{at}/commitment", {"kind": "stubborn"}).status_code == 422
    assert caller.post("agents/999/commitment", {"kind": "blind"}).status_code == 404
    operator.roles = ["submitter", "reviewer"]
    operator.save()
    assert caller.post(f"{at}/commitment", {"kind": "blind"}).status_code == 403
    assert api_of(owner).get(at).json()["commitment"] == "open_minded"
