"""Priority, deadline, parts and dependencies of a goal in the browser: composing it, and while it is open."""

from __future__ import annotations

import html
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.goals import goal_terms, goals
from agents.models import Agent, Goal
from agents.pages.goals import goal_family
from people.models import User

pytestmark = pytest.mark.django_db

ClientOf = Callable[[User], Client]
Maker = Callable[..., Goal]
UNTIL = datetime(2040, 1, 31, 18, 30, tzinfo=UTC)


def _filled(client: Client, goal: Goal) -> dict[str, Any]:
    """What a browser would post of the form as it is shown."""
    form = client.get(f"/goals/{goal.pk}/terms").context
    offered = {str(one.pk) for one in form["offered_goals"]}
    waits = sorted(offered & form["waits_for"])
    shown = {"seen": form["seen"], "priority": form["priority"], "parent": form["part_of"], "depends_on": waits}
    return {**shown, "deadline": form["form"]["deadline"].value() or ""}


def _page(client: Client, goal: Goal) -> str:
    return html.unescape(client.get(f"/goals/{goal.pk}/").content.decode())


def test_a_page_says_that_a_deadline_is_to_come_and_that_it_has_passed(
    owner: User, client_of: ClientOf, make_goal: Maker
) -> None:
    goal = make_goal(owner, deadline=UNTIL)
    client = client_of(owner)
    assert "until " in _page(client, goal)
    assert "was due" not in _page(client, goal)
    Goal.objects.filter(pk=goal.pk).update(deadline=timezone.now())
    assert "was due" in _page(client, goal)
    Goal.objects.filter(pk=goal.pk).update(state="dropped", ended_at=timezone.now())
    assert "was due" not in _page(client, goal)


def test_the_composer_takes_a_deadline_and_a_whole(owner: User, client_of: ClientOf, make_goal: Maker) -> None:
    whole = make_goal(owner, "Publish everything")
    client = client_of(owner)
    page = client.get("/goals/new/", {"parent": whole.pk}).content.decode()
    assert f'<option value="{whole.pk}" selected>' in page
    client.post("/goals/new/", {"text": "Read the tides", "deadline": "2040-01-31T18:30", "parent": whole.pk})
    made = Goal.objects.latest("pk")
    assert (made.deadline, made.parent) == (UNTIL, whole)


@pytest.mark.parametrize(
    ("field", "value"), [("deadline", "2020-01-01T00:00"), ("deadline", "soon"), ("parent", "999999"), ("parent", "x")]
)
def test_what_cannot_be_is_refused_under_its_field_and_the_rest_survives(
    field: str, value: str, owner: User, client_of: ClientOf
) -> None:
    answer = client_of(owner).post("/goals/new/", {"text": "Read the tides", "priority": "2", field: value})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert f'id="err-{field}"' in page
    assert "Read the tides" in page
    assert not Goal.objects.exists()


def test_an_open_goals_terms_are_changed_and_its_page_shows_them(
    owner: User, client_of: ClientOf, make_goal: Maker
) -> None:
    whole, before, goal = make_goal(owner, "Publish <b>all</b>"), make_goal(owner, "Gauge"), make_goal(owner, "Read")
    client = client_of(owner)
    wanted = {"priority": "1", "deadline": "2040-01-31T18:30", "parent": whole.pk, "depends_on": [before.pk]}
    answer = client.post(f"/goals/{goal.pk}/terms", {**_filled(client, goal), **wanted})
    assert answer["Location"] == f"/goals/{goal.pk}/"
    goal.refresh_from_db()
    assert (goal.priority, goal.deadline, goal.parent, goal.state) == (1, UNTIL, whole, "blocked")
    raw = client.get(f"/goals/{goal.pk}/").content.decode()
    assert "Publish &lt;b&gt;all" in raw
    page = _page(client, goal)
    assert "priority 1, until" in page
    assert "Part of" in page
    assert "Waits for" in page
    assert "Parts" in _page(client, whole)
    assert "Waits for this one" in _page(client, before)
    assert f"{owner.username} changes priority from 3 to 1" in page


def test_a_form_sent_as_it_was_shown_changes_nothing(owner: User, client_of: ClientOf, make_goal: Maker) -> None:
    goal = make_goal(owner, deadline=UNTIL.replace(second=7, microsecond=3), depends_on=[make_goal(owner)])
    client = client_of(owner)
    client.post(f"/goals/{goal.pk}/terms", _filled(client, goal))
    assert not goal.log_lines.filter(source="person").exists()


def test_what_somebody_else_changed_meanwhile_is_shown_and_not_taken_back(
    owner: User, operator: User, client_of: ClientOf, make_goal: Maker
) -> None:
    goal = make_goal(owner)
    client = client_of(owner)
    stale = _filled(client, goal)
    goal_terms.change(goal, by=operator, priority=1)
    answer = client.post(f"/goals/{goal.pk}/terms", {**stale, "deadline": "2040-01-31T18:30"}, follow=True)
    assert "Somebody changed this goal since you opened the page" in answer.content.decode()
    goal.refresh_from_db()
    assert (goal.priority, goal.deadline) == (1, None)


def test_what_the_person_does_not_see_is_not_taken_away_by_the_form(
    owner: User, outsider: User, operator: User, client_of: ClientOf, make_goal: Maker
) -> None:
    hidden, goal = make_goal(outsider, "A secret of others"), make_goal(owner)
    goal_terms.change(goal, by=operator, depends_on=[hidden], parent=hidden_whole(outsider, make_goal))
    client = client_of(owner)
    assert "secret" not in client.get(f"/goals/{goal.pk}/terms").content.decode()
    assert "secret" not in _page(client, goal)
    answer = client.post(f"/goals/{goal.pk}/terms", {**_filled(client, goal), "priority": "2"})
    assert answer.status_code == 302
    goal.refresh_from_db()
    assert goal.priority == 2
    assert list(goal.depends_on.all()) == [hidden]
    assert goal.parent is not None


def hidden_whole(of: User, make_goal: Maker) -> Goal:
    """A goal that only its submitter and those who see everything know."""
    return make_goal(of, "Another secret")


def test_a_goal_that_has_ended_offers_no_change(owner: User, client_of: ClientOf, make_goal: Maker) -> None:
    goal = goals.cancel(make_goal(owner), by=owner)
    client = client_of(owner)
    assert client.get(f"/goals/{goal.pk}/terms")["Location"] == f"/goals/{goal.pk}/"
    assert client.post(f"/goals/{goal.pk}/terms", {"priority": "1"}).status_code == 302
    goal.refresh_from_db()
    assert goal.priority == 3
    assert f"/goals/{goal.pk}/terms" not in _page(client, goal)


def test_the_family_of_a_goal_is_one_query_and_bounded(owner: User, make_goal: Maker) -> None:
    from django.db import connection

    whole = make_goal(owner)
    for _ in range(goal_family.MOST + 2):
        make_goal(owner, parent=whole)
    with CaptureQueriesContext(connection) as asked:
        family = goal_family.of(whole, owner)
    assert len(asked) == 1
    assert [one.kind for one in family] == ["Parts"] * goal_family.MOST


def test_the_composer_names_an_agent_and_offers_none_where_there_is_only_the_first(
    owner: User, client_of: ClientOf
) -> None:
    client = client_of(owner)
    assert 'name="agent"' not in client.get("/goals/new/").content.decode()
    Agent.objects.create(name="scout")
    Agent.objects.create(name="gone", retired_at=UNTIL)
    page = client.get("/goals/new/?agent=scout").content.decode()
    assert '<option value="scout" selected>' in page
    assert 'value="gone"' not in page
    client.post("/goals/new/", {"text": "Look around", "agent": "scout"})
    client.post("/goals/new/", {"text": "Look further", "agent": ""})
    assert [goal.agent.name for goal in Goal.objects.order_by("pk")] == ["scout", "mindx"]


@pytest.mark.parametrize(
    ("name", "said"), [("gone", "is retired"), ("scuot", "There is no agent"), ("<b>", "&lt;b&gt;")]
)
def test_an_agent_that_takes_no_goals_is_said_under_its_field(
    owner: User, client_of: ClientOf, name: str, said: str
) -> None:
    Agent.objects.create(name="gone", retired_at=UNTIL)
    page = client_of(owner).post("/goals/new/", {"text": "Look around", "agent": name})
    assert page.status_code == 422
    assert said in page.content.decode()
    assert 'id="err-agent"' in page.content.decode()
    assert not Goal.objects.exists()


def test_who_may_submit_nothing_may_use_no_agent(db: None) -> None:
    from agents.actors import lifecycle
    from agents.record.errors import GoalRefused
    from tests.cast import person

    Agent.objects.create(name="scout")
    with pytest.raises(GoalRefused, match="may not give goals"):
        lifecycle.usable("scout", by=person("nobody"))
