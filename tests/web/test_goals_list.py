"""The list of goals, the composer, its preview and the examples."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from agents.actors import pauses
from agents.components import rules
from agents.goals import examples, goals
from agents.goals.examples import EXAMPLES
from agents.models import Goal, IntentPlan, Workspace
from agents.pages.goals import goal_list
from agents.record.selectors import begun, goals_visible_to
from agents.rules.starter import starter_files
from agents.states import GoalState
from agents.understanding import goal_preview
from agents.workspaces import workspaces
from agents.workspaces.stores import store
from library.components.services import load_starters, publish
from people.models import User
from review.deciding import decisions

LIST = "/goals/"
NEW = "/goals/new/"

ClientOf = Callable[[User], Client]
GoalRows = Callable[..., list[Goal]]


def page_of(client: Client, address: str = LIST, **query: Any) -> str:
    response = client.get(address, query)
    assert response.status_code == 200
    return response.content.decode()


# --- list ------------------------------------------------------------------------------------------------------------
def test_the_list_shows_my_goals_newest_first(owner: User, client_of: ClientOf, goal_rows: GoalRows) -> None:
    goal_rows(owner, GoalState.ACHIEVED, text="the older one")
    goal_rows(owner, GoalState.PENDING, text="the newer one")
    page = page_of(client_of(owner))
    assert page.index("the newer one") < page.index("the older one")


def test_who_waits_for_a_worker_only_does_not_await_review(
    owner: User, reviewer: User, operator: User, client_of: ClientOf, propose_plan: Callable[..., IntentPlan]
) -> None:
    """Its agent is paused, so an approved plan does not begin: no list asks for a decision that was made."""
    plan = propose_plan(owner)
    whole = plan.goal
    part = propose_plan(goals.submit(by=owner, text="Write a note about it", parent=whole)).goal
    pauses.pause(whole.agent, by=operator)
    decisions.approve(plan, by=reviewer, digest=plan.digest)
    client = client_of(owner)
    page = page_of(client)
    assert page.count('data-s="approved"') == 1
    assert page.count('data-s="awaiting_review"') == 1
    for state, there, away in (("approved", plan.goal, part), ("awaiting_review", part, plan.goal)):
        narrowed = page_of(client, state=state)
        assert f'href="{there.get_absolute_url()}"' in narrowed
        assert f'href="{away.get_absolute_url()}"' not in narrowed
    assert ": in progress" not in page
    assert 'execute<span class="vh">: waiting, nothing is running' in page
    assert "approved, waits" in client.get(part.get_absolute_url()).content.decode()
    assert "approved, waits" in client.get(f"/agents/{whole.agent_id}/").content.decode()
    running = client.get("/").content.decode().partition('id="running"')[2]
    assert "approved, waits" in running
    assert running.count(f'href="{part.get_absolute_url()}"') == 0


@pytest.mark.parametrize(("state", "words"), [("executing", "executing, paused"), ("planning", "planning, paused")])
def test_what_stands_still_with_its_agent_is_not_said_to_be_in_motion(
    state: str, words: str, owner: User, operator: User, client_of: ClientOf, goal_rows: GoalRows
) -> None:
    """Also in the middle of a plan: what runs is recorded, and nothing more begins."""
    goal = goal_rows(owner, GoalState(state))[0]
    client = client_of(owner)
    assert words not in page_of(client)
    pauses.pause(goal.agent, by=operator)
    for page in (
        page_of(client),
        client.get("/").content.decode(),
        client.get(goal.get_absolute_url()).content.decode(),
    ):
        assert words in page
        assert ": in progress" not in page
        assert ": the agent is planning" not in page
        assert "waiting, nothing is running" in page


def test_a_submitter_sees_nothing_of_the_others(
    owner: User, outsider: User, client_of: ClientOf, goal_rows: GoalRows
) -> None:
    goal_rows(owner, GoalState.PENDING, text="a secret of hers")
    assert "a secret of hers" not in page_of(client_of(outsider))
    assert "a secret of hers" not in page_of(client_of(outsider), q="secret")


def test_a_reviewer_sees_whose_goal_it_is(
    owner: User, reviewer: User, client_of: ClientOf, goal_rows: GoalRows
) -> None:
    goal_rows(owner, GoalState.PENDING)
    assert "Olga Berg" in page_of(client_of(reviewer))


def test_nobody_reads_the_list_without_logging_in(client: Client) -> None:
    response = client.get(LIST)
    assert response.status_code == 302
    assert response["Location"].startswith("/login/")


def test_an_empty_list_says_what_fills_it(owner: User, client_of: ClientOf) -> None:
    page = page_of(client_of(owner))
    assert "No goal yet" in page
    assert reverse("goal-new") in page


def test_the_list_can_be_narrowed_to_a_state(owner: User, client_of: ClientOf, goal_rows: GoalRows) -> None:
    goal_rows(owner, GoalState.ACHIEVED, text="this one worked")
    goal_rows(owner, GoalState.MANUAL, text="this one waits")
    page = page_of(client_of(owner), state="manual")
    assert "this one waits" in page
    assert "this one worked" not in page
    assert "this one worked" not in page_of(client_of(owner), state="open")


def test_an_unknown_state_is_said_and_narrows_nothing(owner: User, client_of: ClientOf, goal_rows: GoalRows) -> None:
    goal_rows(owner, GoalState.PENDING, text="still here")
    page = page_of(client_of(owner), state="sleeping")
    assert "There is no such state" in page
    assert "still here" in page


@pytest.mark.parametrize("after", ["0", "-1", "x", "9" * 30, "١٢"])
def test_a_strange_cursor_is_no_error_of_the_server(owner: User, client_of: ClientOf, after: str) -> None:
    page_of(client_of(owner), after=after)


def test_the_search_finds_words_workspaces_and_numbers(owner: User, client_of: ClientOf, goal_rows: GoalRows) -> None:
    (wanted,) = goal_rows(owner, GoalState.PENDING, text="Tidy the ATTIC")
    goal_rows(owner, GoalState.PENDING, text="Paint the fence")
    for words in ("attic", f"#{wanted.pk}"):
        page = page_of(client_of(owner), q=words)
        assert "Tidy the ATTIC" in page
    assert "Paint the fence" not in page_of(client_of(owner), q="attic")
    assert "Paint the fence" in page_of(client_of(owner), q="of-olga")


def test_a_per_cent_sign_in_the_search_is_a_per_cent_sign(
    owner: User, client_of: ClientOf, goal_rows: GoalRows
) -> None:
    goal_rows(owner, GoalState.PENDING, text="Paint the fence")
    assert "No matching goals" in page_of(client_of(owner), q="%")


def test_pages_follow_each_other_without_gap_or_repetition(
    owner: User, client_of: ClientOf, goal_rows: GoalRows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(goal_list, "PAGE", 2)
    goals = [goal_rows(owner, GoalState.PENDING, text=f"number {n}.")[0] for n in range(5)]
    seen: list[int] = []
    wanted = goal_list.GoalFilter()
    while True:
        page = goal_list.find(Goal.objects.select_related("workspace"), wanted)
        seen += [goal.pk for goal in page.goals]
        if page.older is None:
            break
        wanted = goal_list.GoalFilter(after=page.older)
    assert seen == [goal.pk for goal in reversed(goals)]


def test_a_search_looks_at_one_window_at_a_time_and_says_that_it_goes_on(
    owner: User, goal_rows: GoalRows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(goal_list, "SEARCH_WINDOW", 3)
    (needle,) = goal_rows(owner, GoalState.PENDING, text="a needle")
    goal_rows(owner, *[GoalState.PENDING] * 4, text="hay")
    first = goal_list.find(Goal.objects.all(), goal_list.GoalFilter(text="needle"))
    assert (first.goals, first.searched_all) == ([], False)
    then = goal_list.find(Goal.objects.all(), goal_list.GoalFilter(text="needle", after=first.older))
    assert (then.goals, then.older) == ([needle], None)


def test_the_list_costs_at_most_six_queries_and_counts_nothing(
    owner: User, reviewer: User, client_of: ClientOf, goal_rows: GoalRows
) -> None:
    goal_rows(owner, *[GoalState.PENDING] * 30)
    client = client_of(reviewer)
    client.get(LIST)
    for query in ({}, {"q": "note"}, {"state": "open"}):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            client.get(LIST, query)
        assert len(queries) <= 6, [query["sql"] for query in queries]
        assert not [query["sql"] for query in queries if "OFFSET" in query["sql"]]


def test_hostile_text_is_shown_and_does_nothing(owner: User, client_of: ClientOf, goal_rows: GoalRows) -> None:
    goal_rows(owner, GoalState.PENDING, text="<script>alert(1)</script> \u202egpj.exe\u200b")
    page = page_of(client_of(owner))
    assert "<script>alert" not in page
    assert "U+202E" in page
    assert "\u202e" not in page
    assert "\u200b" not in page


# --- composer --------------------------------------------------------------------------------------------------------
def test_a_goal_is_submitted_and_its_page_is_next(owner: User, client_of: ClientOf) -> None:
    response = client_of(owner).post(NEW, {"text": "Write a note", "priority": "2", "key": "k1"})
    goal = Goal.objects.get()
    assert response.status_code == 302
    assert response["Location"] == reverse("goal", args=[goal.pk])
    assert (goal.text, goal.priority, goal.submitted_by) == ("Write a note", 2, owner)


def test_the_same_form_sent_twice_makes_one_goal(owner: User, client_of: ClientOf) -> None:
    client = client_of(owner)
    answers = [client.post(NEW, {"text": "Write a note", "key": "once"})["Location"] for _ in range(2)]
    assert answers[0] == answers[1]
    assert Goal.objects.count() == 1


def test_one_goal_too_many_a_minute_keeps_the_text_and_says_when(
    owner: User, client_of: ClientOf, settings: Any
) -> None:
    settings.GOALS_PER_MINUTE = 1
    client = client_of(owner)
    client.post("/goals/new/", {"text": "Write a note", "priority": "3", "key": "one"})
    refused = client.post("/goals/new/", {"text": "Write another note", "priority": "3", "key": "two"})
    page = refused.content.decode()
    assert refused.status_code == 429
    assert "Write another note" in page
    assert re.search(r"You may submit 1 goals a minute.*Try again in \d+ s", page)


def test_the_composer_carries_a_fresh_key_each_time(owner: User, client_of: ClientOf) -> None:
    client = client_of(owner)
    assert page_of(client, NEW) != page_of(client, NEW)
    assert 'name="key" value=""' not in page_of(client, NEW)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Say what should be achieved."),
        ("   \n ", "Say what should be achieved."),
        ("x" * 5000, "4,000 is the most"),
        ("a\x00b", "U+0000"),
        ("a\x1b[31mb", "U+001B"),
    ],
)
def test_a_text_that_cannot_be_a_goal_is_refused_under_its_field(
    owner: User, client_of: ClientOf, text: str, said: str
) -> None:
    response = client_of(owner).post(NEW, {"text": text, "key": "k"})
    assert response.status_code == 422
    page = response.content.decode()
    assert said in page
    assert 'id="err-text"' in page
    assert not Goal.objects.exists()


def test_a_megabyte_of_text_is_refused_and_nothing_is_stored(owner: User, client_of: ClientOf) -> None:
    response = client_of(owner).post(NEW, {"text": "word " * 200_000})
    assert response.status_code == 422
    assert not Goal.objects.exists()


def test_what_was_typed_survives_an_error_in_another_field(owner: User, client_of: ClientOf) -> None:
    response = client_of(owner).post(NEW, {"text": "Keep <me>", "priority": "9", "key": "kept-key"})
    page = response.content.decode()
    assert response.status_code == 422
    assert "Keep &lt;me&gt;" in page
    assert "Priority is a number from 1" in page
    assert 'value="kept-key"' in page


def test_a_workspace_of_somebody_else_is_as_unknown_as_a_missing_one(
    owner: User, outsider: User, client_of: ClientOf, make_workspace: Callable[..., Workspace]
) -> None:
    make_workspace(owner, "hers")
    answers = [
        client_of(outsider).post(NEW, {"text": "Read it", "workspace": name, "key": "k"})
        for name in ("hers", "nothing")
    ]
    assert [answer.status_code for answer in answers] == [422, 422]
    assert all("No workspace of yours has this name" in answer.content.decode() for answer in answers)
    assert "hers" not in page_of(client_of(outsider), NEW)


@pytest.mark.parametrize("pk", ["999999", "x", "-3", "9" * 40, "9" * 5000, "²", "1e3"])
def test_a_goal_to_wait_for_must_be_one_i_can_see(owner: User, client_of: ClientOf, pk: str) -> None:
    response = client_of(owner).post(NEW, {"text": "Then this", "depends_on": [pk], "key": "k"})
    assert response.status_code == 422
    assert not Goal.objects.exists()


def test_i_cannot_wait_for_a_goal_of_somebody_else(
    owner: User, outsider: User, client_of: ClientOf, goal_rows: GoalRows
) -> None:
    (hers,) = goal_rows(owner, GoalState.PENDING)
    response = client_of(outsider).post(NEW, {"text": "Then this", "depends_on": [hers.pk], "key": "k"})
    assert response.status_code == 422
    assert "not yours to see" in response.content.decode()


def test_a_goal_that_waits_for_another_is_blocked(owner: User, client_of: ClientOf, goal_rows: GoalRows) -> None:
    (first,) = goal_rows(owner, GoalState.PENDING)
    client_of(owner).post(NEW, {"text": "Then this", "depends_on": [first.pk], "key": "k"})
    assert Goal.objects.get(text="Then this").state == GoalState.BLOCKED


def test_somebody_without_a_role_is_told_whom_to_ask(db: None, client_of: ClientOf) -> None:
    nobody = User.objects.create_user("nora", roles=[])
    response = client_of(nobody).post(NEW, {"text": "Write a note", "key": "k"})
    assert response.status_code == 422
    assert "Ask an admin" in response.content.decode()


def test_the_composer_takes_only_forms_of_its_own_pages(owner: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner, backend="people.backends.SealedPeople")
    response = client.post(NEW, {"text": "Write a note"})
    assert response.status_code == 403
    assert "The form was not accepted" in response.content.decode()
    assert not Goal.objects.exists()


def test_each_end_of_a_plan_is_a_state_of_the_filter(owner: User, client_of: ClientOf, goal_rows: GoalRows) -> None:
    ends = {
        "achieved": "ledger",
        "handed_over": "garden",
        "not_checked": "kitchen",
        "check_failed": "attic",
        "": "shed",
    }
    for outcome, text in ends.items():
        goal_rows(owner, GoalState.ACHIEVED, text=text, outcome=outcome)
    client = client_of(owner)

    def listed(state: str) -> set[str]:
        page = page_of(client, state=state)
        return {text for text in ends.values() if f">{text}<" in page}

    assert listed("achieved") == {"ledger"}
    assert listed("handed_over") == {"garden"}
    assert listed("not_checked") == {"kitchen", "shed"}
    assert listed("check_failed") == {"attic"}
    assert '<option value="handed_over">handed over</option>' in page_of(client)


# --- preview ---------------------------------------------------------------------------------------------------------
RULE = """RULE water a plant
IF your task is to water the plant {name} [with {amount} litres]
CONSIDERING there is no file or folder named {name}
THEN: create the folder {name}
"""


@pytest.fixture
def a_rule(admin: User) -> str:
    """One active rule; the id of its version."""
    version = publish(
        "rule", "water a plant", RULE, by=admin, changes="", applicability_text="water a plant", status="active"
    )
    return str(version.pk)


def test_the_preview_shows_the_rule_that_would_fire_with_its_slots(
    owner: User, client_of: ClientOf, a_rule: str
) -> None:
    page = page_of(client_of(owner), "/goals/preview/", text="Water the plant fern")
    assert "water a plant" in page
    assert "fern" in page
    assert 'name="slot-amount"' in page, "what the goal leaves open can be filled in"
    assert not Goal.objects.exists()


def test_hostile_text_in_the_preview_is_shown_and_does_nothing(owner: User, client_of: ClientOf, a_rule: str) -> None:
    page = page_of(client_of(owner), "/goals/preview/", text='Water the plant "<b>\u202ex"')
    assert "<b>" not in page
    assert "\u202e" not in page


def test_a_text_no_rule_knows_gets_the_nearest_rules_as_forms(
    owner: User, client_of: ClientOf, a_rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = rules.known_rules()
    monkeypatch.setattr(rules, "nearest_rules", lambda text, limit=3: [(known[0], 0.8)])
    page = page_of(client_of(owner), "/goals/preview/", text="My flowers are thirsty")
    assert "No rule matches this goal yet" in page
    assert 'name="slot-name"' in page


def test_the_preview_says_what_is_planned_without_a_rule_and_what_is_asked(
    owner: User, client_of: ClientOf, make_goal: Callable[..., Goal]
) -> None:
    """A command needs no rule, so the preview may not speak of a plan by hand."""
    workspace = make_goal(owner).workspace
    for path in ("job.py", "notes/a.txt", "notes/b.txt"):
        workspaces.put_file(workspace, by=owner, path=path, source=io.BytesIO(b"x = 1\n"))

    def shown(text: str) -> str:
        return page_of(client_of(owner), "/goals/preview/", text=text, workspace=workspace.name)

    planned = shown("run python job.py")
    assert "mindX would plan this as" in planned
    assert "python job.py" in planned
    assert "by hand" not in planned
    asked = shown("show me the text file")
    assert "mindX will ask: " in asked
    assert "by hand" not in asked
    assert "it will need a plan by hand" in shown("My flowers are thirsty")


def test_a_form_made_of_a_rule_submits_the_sentence_with_its_slots(
    owner: User, client_of: ClientOf, a_rule: str
) -> None:
    client_of(owner).post(NEW, {"rule": a_rule, "slot-name": "big fern", "slot-amount": "2", "key": "k"})
    assert Goal.objects.get().text == 'Water the plant "big fern" with 2 litres'


def test_a_form_of_a_rule_that_is_gone_keeps_the_person_on_the_page(owner: User, client_of: ClientOf) -> None:
    response = client_of(owner).post(NEW, {"rule": "999", "slot-name": "fern", "key": "k"})
    assert response.status_code == 422


def test_the_preview_works_without_scripts(owner: User, client_of: ClientOf, a_rule: str) -> None:
    response = client_of(owner).post(NEW, {"text": "Water the plant fern", "key": "k", "show": "preview"})
    assert response.status_code == 200
    assert "would plan this" in response.content.decode()
    assert not Goal.objects.exists()


def test_the_preview_of_an_unfit_text_says_why(owner: User, client_of: ClientOf) -> None:
    assert "U+0007" in page_of(client_of(owner), "/goals/preview/", text="ring \x07")


# --- examples --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("key", EXAMPLES)
def test_each_example_becomes_a_goal_in_a_workspace_of_its_own(owner: User, client_of: ClientOf, key: str) -> None:
    client = client_of(owner)
    response = client.post(reverse("goal-example", args=[key]), {"key": "example"})
    goal = Goal.objects.get()
    assert response["Location"] == reverse("goal", args=[goal.pk])
    assert goal.text == EXAMPLES[key].text
    paths = {entry.path.decode() for entry in store().entries(goal.workspace.head)}
    assert set(EXAMPLES[key].files) <= paths


@pytest.mark.parametrize("key", EXAMPLES)
def test_a_starter_rule_plans_each_example_but_the_one_for_a_model(owner: User, key: str) -> None:
    load_starters(rules.starters(starter_files()))
    goal = examples.start(EXAMPLES[key], by=owner)
    found = goal_preview.preview(goal.text, by=owner, workspace=goal.workspace)
    assert (found.fires is None) is EXAMPLES[key].needs_model
    assert found.fires is None or found.fires.removes is (key == "removal")


def test_the_first_visit_shows_a_model_at_work_where_there_is_one() -> None:
    assert [one.needs_model for one in examples.shown(with_model=True)] == [False, True, False]
    assert not any(one.needs_model for one in examples.shown(with_model=False))


def test_an_example_clicked_twice_is_one_goal_and_another_day_another_workspace(
    owner: User, client_of: ClientOf
) -> None:
    client = client_of(owner)
    for key in ("one", "one", "two"):
        client.post(reverse("goal-example", args=["removal"]), {"key": key})
    assert sorted(Goal.objects.values_list("workspace__name", flat=True)) == ["ledgers", "ledgers-2"]


def test_an_example_nobody_prepared_is_not_found(owner: User, client_of: ClientOf) -> None:
    assert client_of(owner).post("/goals/examples/nothing/").status_code == 404
    assert client_of(owner).get("/goals/examples/note/").status_code == 405


def test_whether_a_step_was_tried_is_looked_up_for_each_goal_of_the_page(owner: User) -> None:
    """Postgres may answer an EXISTS that is asked of every row by reading all tries: an eighth of a second."""
    page = goals_visible_to(owner).annotate(begun=begun()).order_by("-pk")[:41]
    assert "EXISTS" not in str(page.query)
    assert "hashed SubPlan" not in page.explain()
