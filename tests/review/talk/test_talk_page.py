"""Speaking on the plan's page, without scripts: each word beside what it stands on, harmless, refused with reason."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.test import Client

from agents.models import IntentPlan
from people.models import User
from review.deciding import decisions
from review.models import Comment, RoundLimit
from review.policy.verdict import Action
from review.talk import carrying, comments
from tests.review.plans import MKDIR, goal_of, proposed, step
from tests.review.some_policies import in_force

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
QUESTION = Comment.Kind.QUESTION
MARKUP = "<script>alert(1)</script> <img src=x onerror=alert(2)> {{ csrf_token }} \u200bzero"


def page_of(client: Client, plan: IntentPlan, query: str = "") -> str:
    answer = client.get(f"/review/{plan.pk}/{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def plain(html: str) -> str:
    """What a reader sees."""
    return " ".join(unescape(re.sub(r"<[^>]+>", "", html)).split())


def say(client: Client, plan: IntentPlan, text: str, anchor: str = "", kind: str = "note") -> int:
    answer = client.post(f"/review/{plan.pk}/say/", {"text": text, "anchor": anchor, "kind": kind})
    return answer.status_code


def test_a_comment_stands_beside_its_step_in_every_later_revision(
    plan: IntentPlan, judge: User, client_of: ClientOf
) -> None:
    client = client_of(judge)
    assert say(client, plan, "Use docs instead", "intent:1:path") == 302
    first = page_of(client, plan).split('id="intent-1"')[1].split('id="intent-2"')[0]
    assert "Jo Lindt on path" in plain(first)
    assert "Use docs instead" in plain(first)
    later = proposed(plan.goal, [step("mkdir", path="docs")])
    carrying.carry_to(later.pk)
    again = page_of(client, later).split('id="intent-1"')[1].split("</ol>")[0]
    assert "on r1" in plain(again)
    assert "addressed in r2" in plain(again)
    assert "Use docs instead" in plain(again)


def test_speaking_leaves_the_ticks_as_they_stand(plan: IntentPlan, judge: User, client_of: ClientOf) -> None:
    client = client_of(judge)
    words = {"text": "Only these", "anchor": "", "kind": "note", "ticks": "", "intents": ["1", "<b>"]}
    answer = client.post(f"/review/{plan.pk}/say/", words)
    assert "?ticks=&intents=1&intents=0#said-" in answer["Location"]
    ticks = re.findall(r"<input[^>]*data-tick[^>]*>", client.get(answer["Location"]).content.decode())
    assert [" checked" in tick for tick in ticks] == [True] + [False] * (len(ticks) - 1)
    assert len(ticks) > 1
    refused = client.post(f"/review/{plan.pk}/say/", words | {"text": ""})
    assert refused.status_code == 422
    assert re.findall(r"<input[^>]*data-tick[^>]*>", refused.content.decode()) == ticks


def test_what_people_write_is_shown_and_does_nothing(plan: IntentPlan, judge: User, client_of: ClientOf) -> None:
    client = client_of(judge)
    assert say(client, plan, MARKUP, "intent:1") == 302
    assert say(client, plan, MARKUP, "intent:2", "question") == 302
    page = page_of(client, plan)
    assert "<script>alert" not in page
    assert "<img" not in page.split("<main")[1]
    assert page.count("U+200B") >= 2
    assert "{{ csrf_token }}" in unescape(page)


def test_what_is_refused_says_why_and_keeps_the_words(plan: IntentPlan, judge: User, client_of: ClientOf) -> None:
    client = client_of(judge)
    for text, anchor, why in (
        ("kept words", "intent:7", "no such step"),
        ("kept words" + "x" * 4_000, "intent:1", "Shorten this to 4,000 characters or fewer"),
        ("kept words \u202e", "intent:1", "U+202E"),
    ):
        answer = client.post(f"/review/{plan.pk}/say/", {"text": text, "anchor": anchor})
        assert answer.status_code == 422
        assert why in plain(answer.content.decode())
        assert "kept words" in answer.content.decode().split('id="say-text"')[1].split("</textarea>")[0]
    assert not Comment.objects.exists()


def test_the_link_at_a_step_chooses_it_without_scripts(plan: IntentPlan, judge: User, client_of: ClientOf) -> None:
    page = page_of(client_of(judge), plan, "?about=intent:2")
    assert '<details class="say" id="say" open>' in page
    assert '<option value="intent:2" selected>' in page
    harmless = page_of(client_of(judge), plan, "?about=%22%3E%3Cscript%3E")
    assert 'about="' not in harmless
    assert '<script>"' not in harmless


def test_comments_of_other_goals_and_of_strangers_are_not_there(
    plan: IntentPlan, judge: User, stranger: User, client_of: ClientOf
) -> None:
    other = proposed(goal_of(judge, "another goal"))
    foreign = comments.say(other, by=judge, text="Elsewhere", kind=QUESTION)
    own = comments.say(plan, by=judge, text="Why?", kind=QUESTION)
    for who, of, comment in ((judge, plan, foreign), (stranger, plan, own)):
        client = client_of(who)
        assert client.post(f"/review/{of.pk}/questions/{comment.pk}/answer/", {"text": "x"}).status_code == 404
        assert client.post(f"/review/{of.pk}/comments/{comment.pk}/", {"state": "resolved"}).status_code == 404
    assert say(client_of(stranger), plan, "Me too") == 404
    assert set(Comment.objects.values_list("state", flat=True)) == {"open"}


def test_the_submitter_is_told_and_answers_and_the_asker_sees_it(
    plan: IntentPlan, judge: User, submitter: User, client_of: ClientOf
) -> None:
    assert say(client_of(judge), plan, "Why notes?", "intent:1", "question") == 302
    question = Comment.objects.get()
    submitters = client_of(submitter)
    assert "Somebody asked you about a plan" in plain(submitters.get("/review/notices/").content.decode())
    notice = submitters.get(f"/review/notices/{submitter.notices.get().pk}/")
    assert notice["Location"] == f"/review/{plan.pk}/#said-{question.pk}"
    assert submitters.post(f"/review/{plan.pk}/questions/{question.pk}/answer/", {"text": ""}).status_code == 422
    told = submitters.post(f"/review/{plan.pk}/questions/{question.pk}/answer/", {"text": "They are mine"})
    assert told["Location"] == f"/review/{plan.pk}/#said-{question.pk}"
    shown = plain(page_of(client_of(judge), plan).split(f'id="said-{question.pk}"')[1].split("</article>")[0])
    for words in ("answered", "Why notes?", "Sue Bennet", "They are mine"):
        assert words in shown


def test_open_questions_stand_in_the_queue_and_beside_the_decision(
    plan: IntentPlan, judge: User, submitter: User, client_of: ClientOf
) -> None:
    client = client_of(judge)
    for text in ("Why?", "When?"):
        comments.say(plan, by=judge, text=text, kind=QUESTION)
    comments.say(plan, by=judge, text="a note")
    assert "2 open questions" in plain(client.get("/review/").content.decode())
    assert "2 questions open." in plain(page_of(client, plan).split('id="decide"')[1])
    for question in Comment.objects.filter(kind=QUESTION):
        comments.answer(question, by=submitter, text="So")
    assert "open question" not in plain(client.get("/review/").content.decode())
    assert "question open" not in plain(page_of(client, plan).split('id="decide"')[1])


def test_the_bar_says_what_goes_along_and_which_round_it_is(
    plan: IntentPlan, judge: User, client_of: ClientOf, settings: Any
) -> None:
    settings.MODEL = "openai/any"  # by rules alone there are no rounds
    type(plan.goal.agent).objects.filter(pk=plan.goal.agent_id).update(uses_model=True)
    client = client_of(judge)
    comments.say(plan, by=judge, text="Use docs", anchor="intent:1:path")
    bar = plain(page_of(client, plan).split('id="decide"')[1])
    assert "round 1 of 5" in bar
    assert "Sent with it:" in bar
    assert "step 1, mkdir: path: Use docs" in bar
    RoundLimit.objects.create(rounds=1)
    decisions.request_changes(plan, by=judge, digest=plan.digest, comment="")
    plan.goal.refresh_from_db()
    type(plan.goal).objects.filter(pk=plan.goal_id).update(state="awaiting_review")
    again = page_of(client, proposed(type(plan.goal).objects.get(pk=plan.goal_id), [MKDIR]))
    assert "The one round of changes is used up." in plain(again)
    assert "1 of 1 rounds used" in plain(again)


def test_a_plan_that_has_ended_takes_no_more_words(plan: IntentPlan, judge: User, client_of: ClientOf) -> None:
    decisions.reject(plan, by=judge, digest=plan.digest, reason="No")
    client = client_of(judge)
    assert "so its discussion is closed" in plain(page_of(client, plan))
    assert 'id="say-text"' not in page_of(client, plan)
    assert say(client, plan, "Still") == 409


def test_the_bar_names_the_first_and_the_second_of_two_and_why_one_may_not(
    plan: IntentPlan, judge: User, second_judge: User, keeper: User, submitter: User, client_of: ClientOf
) -> None:
    in_force(Action.REQUIRE_TWO, keeper, commands=["write"])
    assert "Approve as first of two" in plain(page_of(client_of(judge), plan))
    decisions.approve(plan, by=judge, digest=plan.digest)
    mine = page_of(client_of(judge), plan).split('id="decide"')[1]
    assert "Approve as" not in plain(mine)
    assert "You approved it as the first of two; another person must approve it too" in mine
    assert "Approve as second of two" in plain(page_of(client_of(second_judge), plan))
    theirs = page_of(client_of(submitter), plan)
    assert 'id="decide"' not in theirs
    assert "Deciding needs the reviewer role." in plain(theirs)
    in_force(Action.FORBID, keeper, name="no notes", commands=["write"])
    forbidden = page_of(client_of(second_judge), plan)
    assert "A policy forbids this plan" in forbidden
    assert "Approve as" not in plain(forbidden)
