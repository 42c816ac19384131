"""Teaching by API: as on the pages, with a token's scopes and its person's rights."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest

from agents.cycle import cycle
from agents.models import Goal, IntentPlan, Lesson, PathMapping
from agents.workspaces import workspaces
from people.models import User
from review.deciding import editing

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def edited(reviewer: User, make_goal: Callable[..., Goal], monkeypatch: pytest.MonkeyPatch) -> IntentPlan:
    """The reviewer's own goal “show app”, whose path they corrected."""
    from tests.library.vectors import install

    install(monkeypatch)
    goal = make_goal(reviewer, "show app")
    for path in ("src/app.py", "src/util.py"):
        workspaces.put_file(goal.workspace, by=reviewer, path=path, source=io.BytesIO(b""))
    cycle.work(goal.pk)
    plan = goal.intent_plans.get()
    return editing.edit(plan, by=reviewer, digest=plan.digest, position=1, params={"path": "src/util.py"})


def sent(plan: IntentPlan, **also: Any) -> dict[str, Any]:
    return {"intent_plan": str(plan.pk), "position": 1, "parameter": "path", "teach": "mapping", **also}


def test_a_lesson_is_tried_taught_read_and_taken_back(api_of: Any, edited: IntentPlan, reviewer: User) -> None:
    call = api_of(reviewer)
    trial = call.post("tuning/taught/try", sent(edited)).json()
    assert (trial["mine"]["changed"], trial["everybody"]["changed"], trial["changes_its_goal"]) == (1, 1, True)
    assert not Lesson.objects.exists()
    made = call.post("tuning/taught", sent(edited, note="As I say", version=None))
    assert made.status_code == 201, made.json()
    one = made.json()
    assert (one["said"], one["path"], one["tool"], one["parameter"]) == ("app", "src/util.py", "simple_coder", "path")
    assert (one["teacher"], one["intent_plan"], one["state"]) == ("rita", str(edited.pk), "in_force")
    assert call.post("tuning/taught", sent(edited)).status_code == 409
    at = made.headers["Location"].removeprefix("/api/v1/")
    assert [each["id"] for each in call.get("tuning/taught").json()["items"]] == [one["id"]]
    assert call.post(f"{at}/take-back", {"version": "999"}).status_code == 409
    ended = call.post(f"{at}/take-back", {"version": one["id"], "note": "wrong"})
    assert (ended.status_code, ended.json()["state"]) == (201, "taken_back")
    assert [each["state"] for each in call.get(at).json()["versions"]] == ["taken_back", "in_force"]
    assert call.post(f"{at}/take-back", {}).status_code == 409


def test_an_operator_promotes_over_the_version_that_was_read(
    api_of: Any, edited: IntentPlan, reviewer: User, operator: User
) -> None:
    at = api_of(reviewer).post("tuning/taught", sent(edited)).headers["Location"].removeprefix("/api/v1/")
    call = api_of(operator)
    assert call.post(f"{at}/try").json()["changed"] == 0, "all of these goals are its teacher's"
    assert call.post(f"{at}/promote", {"over": "12"}).status_code == 409
    done = call.post(f"{at}/promote", {"over": None, "note": "Good"})
    assert done.status_code == 201, done.json()
    assert done.json()["note"].endswith("promoted by opal: Good")
    assert PathMapping.objects.get().by == operator
    assert call.get(at).json()["for_everybody"]["id"] == done.json()["id"]


def test_only_who_may_edit_teaches_and_only_operators_promote(
    api_of: Any, edited: IntentPlan, reviewer: User, operator: User, owner: User, admin: User
) -> None:
    at = api_of(reviewer).post("tuning/taught", sent(edited)).headers["Location"].removeprefix("/api/v1/")
    assert api_of(operator).post("tuning/taught", sent(edited)).status_code == 403
    assert api_of(operator).post("tuning/taught/try", sent(edited)).status_code == 403
    for act in ("promote", "try"):
        assert api_of(reviewer).post(f"{at}/{act}", {}).status_code == 403
    second = User.objects.create_user("rob", roles=["reviewer"])
    assert api_of(second).get(at).status_code == 404
    assert api_of(second).post(f"{at}/take-back", {}).status_code == 404
    assert api_of(second).get("tuning/taught").json()["items"] == []
    for nobody in (api_of(owner), api_of(reviewer, "review:decide")):
        assert nobody.get("tuning/taught").status_code == 403
        assert nobody.post("tuning/taught", sent(edited)).status_code == 403
    assert api_of(reviewer).get("tuning").status_code == 403, "what is tuned is the operators'"
    was = api_of(reviewer)
    reviewer.roles = ["submitter"]
    reviewer.save()
    assert was.post("tuning/taught", sent(edited, where="everywhere")).status_code == 403
    assert Lesson.objects.count() == 1


def test_what_nobody_edited_or_said_is_a_problem(api_of: Any, edited: IntentPlan, reviewer: User) -> None:
    call = api_of(reviewer)
    first = edited.goal.intent_plans.get(revision=1)
    for wrong in (
        {"position": 2},
        {"parameter": "content"},
        {"intent_plan": "0"},
        {"intent_plan": "x"},
        {"intent_plan": str(first.pk)},
    ):
        assert call.post("tuning/taught", {**sent(edited), **wrong}).status_code == 404, wrong
    refused = call.post("tuning/taught", sent(edited, said="README"))
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "said")
    for wrong in ({"teach": "rule"}, {"where": "there"}, {"path": "x"}, {"note": "x" * 301}):
        assert call.post("tuning/taught", sent(edited, **wrong)).status_code == 422, wrong
    assert call.get("tuning/taught/0").status_code == 404
    assert not Lesson.objects.exists()


def test_cases_are_shown_only_to_tokens_that_read_goals(api_of: Any, edited: IntentPlan, reviewer: User) -> None:
    blind = api_of(reviewer, "tuning:write").post("tuning/taught/try", sent(edited)).json()
    assert (blind["mine"]["changed"], blind["mine"]["hidden"], blind["mine"]["cases"]) == (1, 1, [])
    assert blind["changes_its_goal"] is True, "of the goal that was edited it is told"
