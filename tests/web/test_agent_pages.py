"""The pages of agents: what each does, intends and believes, as far as a person may see its goals."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.actors import commitments
from agents.cycle import cycle
from agents.models import Agent, Goal, Standstill
from agents.pages.agents import agent_page
from people.models import User

pytestmark = pytest.mark.django_db(transaction=True)

ClientOf = Callable[[User], Client]


@pytest.fixture
def goal(transactional_db: None, owner: User, make_goal: Callable[..., Goal]) -> Goal:
    call_command("load_starters", verbosity=0)
    made = make_goal(owner, "Create a Python project named tides")
    cycle.one(made.pk)
    made.refresh_from_db()
    return made


def test_an_agents_page_says_what_it_intends_and_why_and_what_its_plan_stands_on(
    goal: Goal, owner: User, client_of: ClientOf
) -> None:
    page = client_of(owner).get(f"/agents/{goal.agent_id}/").content.decode()
    assert "Create a Python project named tides" in page
    assert f"adopted goal {goal.pk}: priority 3, and no other goal is waiting" in page
    assert "its plan depends on this" in page
    assert "waiting" in page
    assert "single minded" in page
    listed = client_of(owner).get("/agents/").content.decode()
    assert "1 open goal" in listed
    assert "1 waiting for a person" in listed


def test_other_peoples_goals_and_beliefs_are_not_shown(goal: Goal, outsider: User, client_of: ClientOf) -> None:
    page = client_of(outsider).get(f"/agents/{goal.agent_id}/").content.decode()
    assert "tides" not in page
    assert "Nothing that you may see" in page
    assert client_of(outsider).get("/agents/999/").status_code == 404
    assert Client().get(f"/agents/{goal.agent_id}/").status_code == 302


def test_what_an_agent_does_is_said_in_a_word(goal: Goal, owner: User, operator: User, client_of: ClientOf) -> None:
    def status() -> str:
        (row,) = agent_page.page_of()[0]
        return row.status

    assert status() == "waiting"
    Goal.objects.filter(pk=goal.pk).update(state="manual", reason="no_applicable_rule")
    assert status() == "FAILED_PLANNING"
    Goal.objects.filter(pk=goal.pk).update(state="manual", reason="outcome_unknown: step 1")
    assert status() == "waiting"
    Agent.objects.update(paused=True)
    assert status() == "paused"


def test_the_pages_ask_the_same_however_much_there_is(
    goal: Goal, owner: User, make_goal: Callable[..., Goal], client_of: ClientOf
) -> None:
    for number in range(4):
        cycle.one(make_goal(owner, f"Create a Python project named tides{number}").pk)
    with CaptureQueriesContext(connection) as asked:
        agent_page.page_of()
    assert len(asked) == 2
    agent = goal.agent
    with CaptureQueriesContext(connection) as asked:
        agent_page.AgentPage(agent, owner)
    assert len(asked) <= 6


def test_beliefs_are_paged_by_key(goal: Goal, owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_page, "BELIEFS_A_PAGE", 5)
    seen: list[int] = []
    after: int | None = None
    while True:
        page = agent_page.AgentPage(goal.agent, owner, after)
        seen += [each.belief.pk for each in page.beliefs]
        after = page.older
        if after is None:
            break
    assert seen == list(goal.beliefs.filter(retracted_by="").order_by("-pk").values_list("pk", flat=True))


def test_what_is_held_of_several_goals_is_said_once_with_their_numbers(
    goal: Goal, owner: User, make_goal: Callable[..., Goal], client_of: ClientOf
) -> None:
    others = [make_goal(owner, f"Create a Python project named tides{number}") for number in range(8)]
    for other in others:
        cycle.one(other.pk)
    beliefs = agent_page.AgentPage(goal.agent, owner).beliefs
    (level,) = [one for one in beliefs if one.belief.sentence.startswith("The sandbox level is")]
    assert level.goals == [*(other.pk for other in reversed(others)), goal.pk]
    assert (len(level.named), level.more) == (6, 3)
    (own,) = [one for one in beliefs if one.belief.sentence == "There is no file or folder named tides."]
    assert (own.goals, own.stands) == ([goal.pk], [goal.pk])
    page = client_of(owner).get(f"/agents/{goal.agent_id}/").content.decode()
    assert page.count(level.belief.sentence) == 1
    assert "and 3 more" in page


def test_only_operators_set_the_commitment(goal: Goal, owner: User, operator: User, client_of: ClientOf) -> None:
    address = f"/agents/{goal.agent_id}/commitment"
    client_of(owner).post(address, {"kind": "blind"})
    assert commitments.of(goal.agent_id) == "single_minded"
    client_of(operator).post(address, {"kind": "nonsense"})
    assert commitments.of(goal.agent_id) == "single_minded"
    client_of(operator).post(address, {"kind": "open_minded", "why": "<i>weather</i>"})
    assert commitments.of(goal.agent_id) == "open_minded"
    page = client_of(operator).get(f"/agents/{goal.agent_id}/").content.decode()
    assert "&lt;i&gt;weather" in page
    assert (
        "<form" not in client_of(owner).get(f"/agents/{goal.agent_id}/").content.decode().split("commitment-title")[1]
    )


def test_an_operator_pauses_an_agent_on_its_page_and_its_goals_say_so(
    goal: Goal, owner: User, operator: User, client_of: ClientOf
) -> None:
    address = f"/agents/{goal.agent_id}/"
    assert f"{address}pause" in client_of(operator).get(address).content.decode()
    assert f"{address}pause" not in client_of(owner).get(address).content.decode()
    client_of(owner).post(f"{address}pause")
    assert not Agent.objects.get(pk=goal.agent_id).paused, "only operators may"
    client_of(operator).post(f"{address}pause")
    assert Agent.objects.get(pk=goal.agent_id).paused
    page = client_of(operator).get(address).content.decode()
    assert f"{address}resume" in page
    assert "starts no goal and no step until an operator resumes it" in page
    Goal.objects.filter(pk=goal.pk).update(state="pending")
    said = f"The agent {goal.agent.name} is paused."
    shown = client_of(owner).get(f"/goals/{goal.pk}/").content.decode()
    assert said in shown
    assert ("pending, paused" in shown, 'id="goal-state" class="live"' in shown) == (True, False)
    client_of(operator).post(f"{address}resume")
    assert said not in client_of(owner).get(f"/goals/{goal.pk}/").content.decode()


def test_an_operator_stops_everything_with_a_reason_and_lets_it_go_on(
    owner: User, operator: User, client_of: ClientOf
) -> None:
    may, may_not = client_of(operator), client_of(owner)
    assert "/agents/stop" in may.get("/agents/").content.decode()
    assert "/agents/stop" not in may_not.get("/agents/").content.decode()
    may_not.post("/agents/stop", {"reason": "a look"})
    for reason in ("", "   ", "x" * 301, "a\x00b"):
        told = may.post("/agents/stop", {"reason": reason}, follow=True).content.decode()
        assert "Give a reason of at most 300 characters" in told
    assert not Standstill.objects.exists(), "only operators may, and not without a reason"
    may.post("/agents/stop", {"reason": "moving <b>house</b>"})
    assert Standstill.objects.get().reason == "moving <b>house</b>"
    page = may.get("/agents/").content.decode()
    assert "moving &lt;b&gt;house&lt;/b&gt;" in page
    assert "/agents/stop" not in page
    assert "/agents/go-on" in may.get("/goals/").content.decode(), "on every page"
    assert "/agents/go-on" not in may_not.get("/goals/").content.decode()
    may_not.post("/agents/go-on")
    assert Standstill.objects.exists(), "only operators may"
    may.post("/agents/go-on")
    assert not Standstill.objects.exists()
    assert may.get("/agents/go-on").status_code == 405
