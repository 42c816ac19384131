"""The pages of designs and choices of rules, without scripts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from agents.bdi.planning import levels as documents
from agents.models import Goal, LevelDocument
from agents.states import GoalState, LevelState
from people.models import User
from review.levels import decisions
from review.models import AuditEntry
from review.notices import levels
from tests.review.plans import goal_of, proposed
from tests.review.some_levels import DESIGN, GOAL, asked_choice, switch_on, with_design, worked

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]


@pytest.fixture(autouse=True)
def _word_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.library.vectors import install

    install(monkeypatch)


def html(response: Any, status: int = 200) -> str:
    assert response.status_code == status, response.content.decode()[:400]
    return re.sub(r"\s+", " ", response.content.decode())


def decide(client: Client, document: LevelDocument, verdict: str, **said: str) -> Any:
    sent = {"digest": document.digest, "verdict": verdict, **said}
    return client.post(f"/review/levels/{document.pk}/decide/", sent)


def test_a_goal_is_sent_in_with_a_design_and_a_reviewer_approves_exactly_what_is_shown(
    submitter: User, judge: User, client_of: ClientOf
) -> None:
    switch_on("design")
    sent = client_of(submitter).post("/goals/new/", {"text": GOAL, "design": DESIGN, "priority": "3"})
    assert sent.status_code == 302
    design = LevelDocument.objects.get()
    assert "Open the design" in html(client_of(submitter).get(sent["Location"]))
    assert GOAL in html(client_of(judge).get("/review/levels/"))
    page = html(client_of(judge).get(f"/review/levels/{design.pk}/"))
    assert "- The note is kept in a folder" in page
    assert f'name="digest" value="{design.digest}"' in page
    assert decide(client_of(judge), design, "approve").status_code == 302
    assert Goal.objects.get().state == GoalState.PENDING
    decided = html(client_of(judge).get(f"/review/levels/{design.pk}/"))
    assert "Jo Lindt" in decided
    assert 'id="decide"' not in decided


def test_the_plans_page_shows_the_design_with_its_digest_and_who_approved_it(
    submitter: User, judge: User, client_of: ClientOf
) -> None:
    switch_on("design")
    goal = goal_of(submitter)
    from agents.plans import designs

    design = designs.take(goal, DESIGN, by=submitter)
    decisions.approve(design, by=judge, digest=design.digest)
    Goal.objects.filter(pk=goal.pk).update(state="awaiting_review")
    plan = proposed(Goal.objects.get(pk=goal.pk))
    page = html(client_of(judge).get(plan.get_absolute_url()))
    assert f'href="/review/levels/{design.pk}/"' in page
    assert "approved by Jo Lindt" in page
    assert design.digest[:8] in page


def test_the_choice_shows_all_rules_with_scores_and_another_one_can_be_chosen(
    submitter: User, judge: User, client_of: ClientOf
) -> None:
    choice = asked_choice(submitter)
    page = html(client_of(judge).get(f"/review/levels/{choice.pk}/"))
    for said in ("keep a note in a folder", "keep a note as a file", "keep a note twice", "does not apply"):
        assert said in page
    selection = documents.read_selection(bytes(choice.document)).choices[0]
    other = next(rule for rule in selection.rules if rule.choosable and rule.version_id != selection.chosen)
    assert page.count('type="radio" form="decide"') == 2
    sent = decide(client_of(judge), choice, "approve", **{"choice-0": other.version_id})
    assert sent.status_code == 302
    assert [one.command for one in worked(choice.goal).intent_plans.get().intents.all()] == ["write"]


def test_sent_back_the_submitter_reads_why_and_versions_can_be_compared(
    submitter: User, judge: User, client_of: ClientOf
) -> None:
    switch_on("design")
    design = with_design(submitter)
    assert decide(client_of(judge), design, "request-changes", comment="Say <where>").status_code == 302
    form = html(client_of(submitter).get(f"/goals/{design.goal_id}/design"))
    assert "Say &lt;where&gt;" in form
    assert "Nothing is deleted" in form
    same = client_of(submitter).post(f"/goals/{design.goal_id}/design", {"design": DESIGN})
    assert "same as the current version" in html(same, 422)
    sent = client_of(submitter).post(f"/goals/{design.goal_id}/design", {"design": "# How\n\n- In one file\n"})
    assert sent.status_code == 302
    second = LevelDocument.objects.get(number=2)
    compared = html(client_of(judge).get(f"/review/levels/{second.pk}/compare/1/"))
    assert "In one file" in compared
    assert "Nothing is deleted" in compared


def test_what_is_refused_keeps_the_words_and_says_why(
    submitter: User, judge: User, second_judge: User, client_of: ClientOf, settings: Any
) -> None:
    switch_on("design")
    design = with_design(submitter)
    client = client_of(judge)
    assert "Write a few words" in html(decide(client, design, "reject", reason=" "), 422)
    assert "Choose what" in html(decide(client, design, "burn"), 422)
    forged = client.post(
        f"/review/levels/{design.pk}/decide/", {"digest": "0" * 64, "verdict": "reject", "reason": "No <b>use</b>"}
    )
    assert "No &lt;b&gt;use&lt;/b&gt;" in html(forged, 409)
    assert "reviewer role" in html(decide(client_of(submitter), design, "approve"), 403)
    settings.FOUR_EYES = True
    assert "reviewer role" in html(client_of(submitter).get(f"/review/levels/{design.pk}/"))
    settings.FOUR_EYES = False
    decide(client_of(second_judge), design, "approve")
    late = html(decide(client, design, "reject", reason="Too late"), 409)
    assert "approved by kai" in late
    assert AuditEntry.objects.filter(event="level").count() == 1


def test_the_queue_counts_what_a_person_may_decide_before_the_plan(
    submitter: User, judge: User, second_judge: User, client_of: ClientOf, settings: Any
) -> None:
    def counted(user: User) -> str:
        found = re.search(r"Designs and rules(.*?)</a>", html(client_of(user).get("/review/")))
        return re.sub(r"<[^>]+>", "", found[1]).strip() if found else "no link"

    switch_on("design")
    with_design(submitter)
    with_design(judge)
    assert [counted(user) for user in (judge, second_judge, submitter)] == ["2 to decide", "2 to decide", ""]
    settings.FOUR_EYES = True
    assert [counted(user) for user in (judge, second_judge)] == ["1 to decide", "2 to decide"]


def test_strangers_see_nothing_of_it(submitter: User, stranger: User, client_of: ClientOf) -> None:
    switch_on("design")
    design = with_design(submitter)
    client = client_of(stranger)
    assert GOAL not in html(client.get("/review/levels/"))
    for path in ("", "compare/1/"):
        assert client.get(f"/review/levels/{design.pk}/{path}").status_code == 404
    assert decide(client, design, "approve").status_code == 404
    assert client.get(f"/goals/{design.goal_id}/design").status_code == 404
    assert LevelDocument.objects.get().state == LevelState.AWAITING_REVIEW


def test_a_notice_leads_to_the_design(submitter: User, judge: User, client_of: ClientOf) -> None:
    switch_on("design")
    design = with_design(submitter)
    levels.sweep()
    notice = judge.notices.get()
    assert f"design of goal {design.goal_id}" in html(client_of(judge).get("/review/notices/"))
    answer = client_of(judge).get(f"/review/notices/{notice.pk}/")
    assert answer["Location"] == f"/review/levels/{design.pk}/"


def test_text_that_hides_something_is_made_visible(submitter: User, judge: User, client_of: ClientOf) -> None:
    switch_on("design")
    design = with_design(submitter, "Keep \u202eit <script>x</script>")
    page = html(client_of(judge).get(f"/review/levels/{design.pk}/"))
    assert "<script>x" not in page
    assert "202E" in page


def test_an_admin_switches_levels_for_an_agent_and_it_is_told(admin: User, client_of: ClientOf) -> None:
    from agents.models import Agent
    from review.models import AuditEntry

    agent = Agent.objects.create(name="mindx")
    planning = {"uses_model": "on", "max_repair_attempts": "2", "framework": "mindx"}
    form = {"tools": "", "review_design": "on", "people_only": "on"} | planning
    answer = client_of(admin).post(f"/admin/agents/agent/{agent.pk}/change/", form)
    assert answer.status_code == 302, answer.content.decode()
    agent.refresh_from_db()
    assert (agent.review_design, agent.review_selection, agent.people_only) == (True, False, True)
    entry = AuditEntry.objects.filter(event="agent").get()
    assert entry.data["after"] == {"review_design": True, "people_only": True}
