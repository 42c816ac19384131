"""The plan page: everything the plan would do is on it, nothing hostile works on it, and each decision lands once."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any
from urllib.parse import urljoin

import pytest
from django.test import Client
from django.utils import timezone

from agents.bdi.plans.document import Parameter
from agents.models import Goal, IntentPlan, Workspace
from agents.workspaces import base_files
from people.models import User
from people.roles import Role
from review.deciding import decisions
from review.models import Approval, Comment, Decision, HeldDecision
from review.policy.verdict import Action
from tests.review.plans import MKDIR, WRITE, goal_of, person, proposed, step, with_files
from tests.review.some_policies import in_force

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
Off = Callable[[str, str], AbstractContextManager[None]]
HOSTILE = "<script>alert(1)</script> \u202egnp.exe \x1b[31mred \u200bzero \"quoted\" 'single' &amp; {{ csrf_token }}"


def text_of(client: Client, plan: IntentPlan) -> str:
    response = client.get(plan.get_absolute_url())
    assert response.status_code == 200
    return response.content.decode()


def plain(html: str) -> str:
    """What a reader sees: tags gone, entities read, white space as it is drawn."""
    return " ".join(unescape(re.sub(r"<[^>]+>", "", html)).split())


def decide(client: Client, plan: IntentPlan, verdict: str, **fields: str) -> Any:
    return client.post(
        f"/review/{plan.pk}/decide/", {"digest": plan.digest, "verdict": verdict, **fields}, follow=False
    )


# --- who may see, who may decide ------------------------------------------------------------------------------------


def test_an_outsider_does_not_learn_that_the_plan_exists(plan: IntentPlan, stranger: User, client_of: ClientOf) -> None:
    client = client_of(stranger)
    for address in ("", "standing/", "compare/1/"):
        assert client.get(f"/review/{plan.pk}/{address}").status_code == 404
    assert decide(client, plan, "approve").status_code == 404
    assert not Decision.objects.exists()


def test_the_owner_who_is_no_reviewer_reads_everything_and_decides_nothing(
    plan: IntentPlan, submitter: User, client_of: ClientOf
) -> None:
    client = client_of(submitter)
    text = text_of(client, plan)
    assert "Deciding needs the reviewer role" in text
    assert 'id="decide"' not in text
    response = decide(client, plan, "approve")
    assert response.status_code == 403
    assert "Deciding needs the reviewer role" in response.content.decode()
    assert not Decision.objects.exists()


def test_under_four_eyes_ones_own_plan_has_no_buttons(judge: User, client_of: ClientOf, settings: Any) -> None:
    settings.FOUR_EYES = True
    own = proposed(goal_of(judge))
    client = client_of(judge)
    text = text_of(client, own)
    assert "four eyes are required" in text
    assert 'id="decide"' not in text
    assert decide(client, own, "approve").status_code == 403
    assert not Decision.objects.exists()


def test_a_decision_is_only_taken_by_post_and_with_the_forms_token(plan: IntentPlan, judge: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(judge, backend="people.backends.SealedPeople")
    read = client.get(f"/review/{plan.pk}/decide/", {"verdict": "approve", "digest": plan.digest})
    assert (read.status_code, read["Location"]) == (302, plan.get_absolute_url())
    assert decide(client, plan, "approve").status_code == 403
    assert not Decision.objects.exists()
    assert not HeldDecision.objects.exists()


# --- what the page shows --------------------------------------------------------------------------------------------


def test_a_reviewer_sees_until_when_the_goal_is_wanted(plan: IntentPlan, reviewer: User, client_of: ClientOf) -> None:
    client = client_of(reviewer)
    assert "until" not in plain(text_of(client, plan))
    Goal.objects.filter(pk=plan.goal_id).update(deadline=datetime(2040, 1, 31, 18, 30, tzinfo=UTC))
    assert "priority 3, until" in plain(text_of(client, plan))
    Goal.objects.filter(pk=plan.goal_id).update(deadline=datetime(2020, 1, 31, 18, 30, tzinfo=UTC))
    assert "priority 3, was due" in plain(text_of(client, plan))


def test_every_argument_of_every_step_is_on_the_page(judge: User, submitter: User, client_of: ClientOf) -> None:
    long = "".join(f"line number {number}\n" for number in range(400))
    steps = [
        MKDIR,
        step("write", path="notes/long.txt", content=long),
        step("run", command_line="python x.py", stdin=long),
    ]
    plan = proposed(goal_of(submitter), steps, cleanup=[step("rm", path="notes")])
    text = plain(text_of(client_of(judge), plan))
    for number in range(400):
        assert len(re.findall(rf"line number {number}(?!\d)", text)) >= 2, number
    assert "python x.py" in text
    assert "400 lines" in text
    assert "Only after a failure" in text


READ = {"tool": "simple_coder", "command": "read", "params": {"path": "fix_me.py"}}


def test_a_plan_that_changes_nothing_although_a_change_is_asked_for_says_so_before_it_is_approved(
    judge: User, make_goal: Any, propose_plan: Any, client_of: ClientOf
) -> None:
    plan = propose_plan(make_goal(judge, "The script fix_me.py fails, find out why and fix it"), [READ])
    text = plain(text_of(client_of(judge), plan))
    assert "This plan changes nothing, but the goal asks to fix." in text
    assert "What will be checked afterwards A file changed, as “fix” asks" in text
    other = propose_plan(make_goal(judge, "read fix_me.py"), [READ])
    text = plain(text_of(client_of(judge), other))
    assert "This plan changes nothing" not in text
    assert "What will be checked afterwards Step 1 gave an answer" in text


def test_a_plan_of_which_nothing_is_checked_says_so(plan: IntentPlan, judge: User, client_of: ClientOf) -> None:
    assert "What will be checked afterwards Nothing. Neither" in plain(text_of(client_of(judge), plan))


def test_the_page_of_a_plan_that_has_run_says_what_its_checks_showed(
    judge: User, make_goal: Any, propose_plan: Any, client_of: ClientOf
) -> None:
    plan = propose_plan(make_goal(judge, "fix fix_me.py"), [READ])
    stored = {"kind": "changed", "path": "", "steps": [], "word": "fix", "holds": False, "said": ""}
    IntentPlan.objects.filter(pk=plan.pk).update(state="complete", approved_digest=plan.digest, check_results=[stored])
    text = plain(text_of(client_of(judge), plan))
    assert "What was checked does not hold: No file changed, although the goal asks to fix" in text
    assert "This plan changes nothing" not in text


def test_a_corrected_argument_shows_what_it_was_and_where_it_came_from(
    judge: User, submitter: User, client_of: ClientOf
) -> None:
    corrected = replace(MKDIR, parameters=(Parameter("path", "notes", "mapping", original="path/to/notes"),))
    text = text_of(client_of(judge), proposed(goal_of(submitter), [corrected]))
    assert '<del><span class="vh">was </span>path/to/notes</del><ins>notes</ins>' in text
    assert "path mapping" in text


def test_lines_that_were_corrected_stand_as_lines_and_say_once_who_edited_them(
    judge: User, submitter: User, client_of: ClientOf
) -> None:
    lines = "first line\nsecond line\n"
    edited = Parameter("content", "other\n", "person", original=lines, note="edited by rita")
    one = replace(step("write", path="a.txt", content="other\n"), parameters=(edited,))
    text = text_of(client_of(judge), proposed(goal_of(submitter), [one]))
    assert "<summary>was <del>2 lines, 23 bytes</del></summary>" in text
    assert "<del>first line\nsecond line\n</del>" in text
    assert "edited: edited" not in text
    assert "<span>edited by rita</span>" in text


def test_hostile_text_is_shown_and_does_nothing(judge: User, submitter: User, client_of: ClientOf) -> None:
    hostile_step = step("write", path=f"{HOSTILE}.txt", content=f"{HOSTILE}\n{HOSTILE}\n", why=HOSTILE)
    goal = goal_of(submitter, HOSTILE)
    goal_workspace = goal.workspace
    plan = proposed(goal, [replace(hostile_step, sentence=HOSTILE, hosts=(HOSTILE,))], cleanup=[hostile_step])
    text = text_of(client_of(judge), plan)
    assert "<script>alert" not in text
    assert "\u202e" not in text
    assert "\x1b" not in text
    assert "\u200b" not in text
    for code in ("U+202E", "U+001B", "U+200B"):
        assert f">{code}</span>" in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "{{ csrf_token }}" in plain(text)
    assert goal_workspace.name in text
    queue_text = client_of(judge).get("/review/").content.decode()
    assert "<script>alert" not in queue_text
    assert "\u202e" not in queue_text


def test_a_removed_folder_is_told_in_words_first_with_files_and_size(
    judge: User, submitter: User, client_of: ClientOf, store: Any
) -> None:
    workspace = with_files(store, submitter, {f"old/part{n}.txt": b"x" * 1024 for n in range(14)} | {"keep.txt": b"k"})
    steps = [MKDIR, WRITE, step("toggle_autonomous_mode", on=True), step("rm", path="old")]
    text = text_of(client_of(judge), proposed(goal_of(submitter, "Tidy", workspace=workspace), steps))
    said = plain(text)
    assert "Step 4 removes the folder with everything in it: 14 files, 14 KB: old" in said
    assert all(f"old/part{number}.txt" in said for number in range(14))
    assert "keep.txt" not in said
    shown = text[text.index('id="h-diff"') :]
    assert shown.index("removes the folder") < shown.index("notes/one.txt")
    assert shown.index('id="f-1"') < shown.index('id="f-2"')
    assert "allows deleting from here on" in said
    assert "nothing has been run" in said


def test_what_only_follows_a_failure_is_told_apart(
    judge: User, submitter: User, client_of: ClientOf, store: Any
) -> None:
    workspace = with_files(store, submitter, {"old/a.txt": b"x"})
    undo = [step("toggle_autonomous_mode", on=True), step("rm", path="old")]
    plan = proposed(goal_of(submitter, "Note", workspace=workspace), [MKDIR, WRITE], cleanup=undo)
    text = text_of(client_of(judge), plan)
    said = plain(text[text.index('id="h-diff"') :])
    before, _, after = said.partition("Only after a failure")
    assert "removes" not in before
    assert "Clean-up step 4 removes the folder with everything in it: 1 file, 1 byte: old" in after


def test_a_removed_file_shows_the_lines_that_go(judge: User, submitter: User, client_of: ClientOf, store: Any) -> None:
    workspace = with_files(store, submitter, {"list.txt": b"first\nsecond\n"})
    steps = [step("toggle_autonomous_mode", on=True), step("rm", path="list.txt")]
    text = text_of(client_of(judge), proposed(goal_of(submitter, "Tidy", workspace=workspace), steps))
    assert '<li class="d"><b>2</b><b></b><code>second</code></li>' in text


def test_a_replaced_file_is_shown_as_a_difference_and_its_content_in_full(
    judge: User, submitter: User, client_of: ClientOf, store: Any
) -> None:
    before = "".join(f"old line {number}\n" for number in range(30))
    after = before.replace("old line 20\n", "new line 20\n")
    workspace = with_files(store, submitter, {"a.txt": before.encode()})
    plan = proposed(goal_of(submitter, "Change", workspace=workspace), [step("write", path="a.txt", content=after)])
    text = text_of(client_of(judge), plan)
    assert '<li class="d"><b>21</b><b></b><code>old line 20</code></li>' in text
    assert '<li class="a"><b></b><b>21</b><code>new line 20</code></li>' in text
    assert "lines 1 to 17 stay the same" in text
    assert "in full below" in text
    assert text.count("old line 5<") == 1


def test_a_binary_file_that_goes_is_named_with_its_size(
    judge: User, submitter: User, client_of: ClientOf, store: Any
) -> None:
    workspace = with_files(store, submitter, {"photo.jpg": bytes(range(256)) * 10})
    steps = [step("toggle_autonomous_mode", on=True), step("rm", path="photo.jpg")]
    said = plain(text_of(client_of(judge), proposed(goal_of(submitter, "Tidy", workspace=workspace), steps)))
    assert "removes the file: 2.5 KB" in said
    assert "not text, or too long to show" in said


def test_moves_are_named_and_what_they_replace_is_shown_as_lost(
    judge: User, submitter: User, client_of: ClientOf, store: Any
) -> None:
    workspace = with_files(store, submitter, {"a.txt": b"fresh\n", "b.txt": b"stale\n", "old/c.txt": b"x"})
    steps = [
        step("toggle_autonomous_mode", on=True),
        step("mv", path="a.txt", to="b.txt", overwrite=True),
        step("cp", path="old", to="<b>kept"),
    ]
    text = text_of(client_of(judge), proposed(goal_of(submitter, "Tidy", workspace=workspace), steps))
    said = plain(text[text.index('id="h-diff"') :])
    assert "Step 2 moves the file: a.txt to b.txt" in said
    assert "Step 2 replaces the file b.txt: its content is lost" in said
    assert "Step 3 copies the folder with everything in it (1 file, 1 byte): old to" in said
    assert "<b>kept" not in text
    assert '<li class="d"><b>1</b><b></b><code>stale</code></li>' in text
    assert '<li class="a"><b></b><b>1</b><code>fresh</code></li>' in text
    assert "No file is written, changed or removed" not in said


def test_a_patch_is_shown_as_the_difference_it_makes_or_as_one_that_does_not_fit(
    judge: User, submitter: User, client_of: ClientOf, store: Any
) -> None:
    workspace = with_files(store, submitter, {"a.txt": b"one\ntwo\n", "b.txt": b"other\n", "c.bin": b"\0\1"})
    patch = "@@ -1,2 +1,2 @@\n one\n-two\n+zwei\n"
    steps = [step("write", path=path, content=patch, mode="patch") for path in ("a.txt", "b.txt", "c.bin")]
    text = text_of(client_of(judge), proposed(goal_of(submitter, "Change", workspace=workspace), steps))
    assert '<li class="d"><b>2</b><b></b><code>two</code></li>' in text
    assert '<li class="a"><b></b><b>2</b><code>zwei</code></li>' in text
    said = plain(text[text.index('id="h-diff"') :])
    assert "does not fit the known content: hunk 1" in said
    assert "below is the patch itself" in said
    assert "-two" in said


def test_a_plan_that_only_moves_changes_something(
    judge: User, submitter: User, client_of: ClientOf, store: Any
) -> None:
    workspace = with_files(store, submitter, {"a.txt": b"x"})
    plan = proposed(goal_of(submitter, "Rename", workspace=workspace), [step("mv", path="a.txt", to="b.txt")])
    assert "No file is written, changed or removed" not in plain(text_of(client_of(judge), plan))


def test_programs_are_said_to_be_unknown_and_failures_foreseen(
    judge: User, submitter: User, client_of: ClientOf, store: Any
) -> None:
    workspace = with_files(store, submitter, {"a.txt": b"x"})
    steps = [step("rm", path="a.txt"), step("run", command_line="python -m pytest")]
    said = plain(text_of(client_of(judge), proposed(goal_of(submitter, "Try", workspace=workspace), steps)))
    assert "would fail: removing needs autonomous mode" in said
    assert "runs python -m pytest" in said
    assert "unknown before it runs" in said


def test_a_base_that_cannot_be_read_is_said_and_not_guessed(
    judge: User, submitter: User, client_of: ClientOf, store: Any
) -> None:
    gone = Workspace.objects.create(name="gone", owner=submitter, head="0" * 64)
    plan = proposed(goal_of(submitter, workspace=gone))
    with pytest.raises(base_files.BaseUnreadable):
        base_files.entries_of(plan.workspace.head)
    assert "mindX cannot say what this would change" in text_of(client_of(judge), plan)


def test_a_workspace_that_moved_since_is_said(judge: User, submitter: User, client_of: ClientOf, store: Any) -> None:
    workspace = with_files(store, submitter, {"a.txt": b"x"})
    plan = proposed(goal_of(submitter, "Change", workspace=workspace))
    moved = with_files(store, submitter, {"a.txt": b"y"})
    Workspace.objects.filter(pk=workspace.pk).update(head=moved.head)
    assert "changed since" not in plain(text_of(client_of(judge), plan)), "this plan does not stand on that file"
    moved = with_files(store, submitter, {"a.txt": b"y", "notes/one.txt": b"y"})
    Workspace.objects.filter(pk=workspace.pk).update(head=moved.head)
    assert "changed since: notes" in plain(text_of(client_of(judge), plan))


def test_a_document_whose_bytes_changed_is_shown_as_broken_without_buttons(
    plan: IntentPlan, judge: User, client_of: ClientOf, without_guard: Off
) -> None:
    with without_guard("agents_intentplan", "intent_plan_immutable"):
        changed = bytes(plan.document).replace(b"first line", b"first lime")
        IntentPlan.objects.filter(pk=plan.pk).update(document=changed)
    text = text_of(client_of(judge), plan)
    assert "not the one that was proposed" in text
    assert "first lime" in text
    assert 'id="decide"' not in text


def test_bytes_that_are_no_document_give_a_page_and_not_an_error(
    plan: IntentPlan, judge: User, client_of: ClientOf, without_guard: Off
) -> None:
    with without_guard("agents_intentplan", "intent_plan_immutable"):
        IntentPlan.objects.filter(pk=plan.pk).update(document=b"\xff\xfe nothing")
    assert "This plan cannot be read" in text_of(client_of(judge), plan)
    assert "cannot be read" in client_of(judge).get("/review/").content.decode()


def test_the_rule_its_conditions_and_the_rules_not_chosen_are_told(
    judge: User, submitter: User, client_of: ClientOf
) -> None:
    evidence = {
        "goal": "Write a note",
        "rule": {"name": "take a note", "version": "1.2.0", "component_version_id": None},
        "trigger": "write a note",
        "slots": {"name": {"value": "one", "kind": "name", "span": None}},
        "contexts": [
            {
                "text": "there is no note named one",
                "holds": True,
                "decided_by": 0,
                "cells": [{"belief": 0, "answer": "yes", "score": 0.98}, {"belief": 1, "answer": "unknown"}],
            }
        ],
        "beliefs": [
            {"sentence": "the folder notes is empty", "source": "perception", "confidence": 1.0, "at": ""},
            {"sentence": "it rains", "source": "person", "confidence": 0.5, "at": ""},
        ],
        "rejected": [{"rule": {"name": "other rule", "version": "2.0.0"}, "why": "nothing shows that it is dry"}],
        "subgoals": [],
    }
    said = plain(text_of(client_of(judge), proposed(goal_of(submitter), evidence=evidence)))
    for expected in (
        "take a note",
        "there is no note named one",
        "yes .98",
        "the folder notes is empty",
        "age unknown",
        "1 more belief says nothing about it",
        "other rule",
        "nothing shows that it is dry",
    ):
        assert expected in said, expected


def test_precedents_are_only_those_the_reader_may_see(
    plan: IntentPlan, judge: User, submitter: User, stranger: User, client_of: ClientOf
) -> None:
    from django.utils import timezone

    from library.memory import services as memory

    for number, who in enumerate((submitter, stranger), 900):
        memory.record(
            goal_ref=str(number),
            owner=who,
            primary_goal_description=f"Write a note for {who.username}",
            final_outcome="success",
            timestamp=timezone.now(),
            initiating_agent_id="mindx",
        )
    seen = text_of(client_of(judge), plan)
    assert "Write a note for sue" in seen
    assert "Write a note for stan" in seen
    own = text_of(client_of(submitter), plan)
    assert "Write a note for sue" in own
    assert "Write a note for stan" not in own


def test_two_revisions_are_compared_argument_by_argument(
    plan: IntentPlan, judge: User, submitter: User, client_of: ClientOf
) -> None:
    newer = proposed(plan.goal, [MKDIR, replace(WRITE, params={**WRITE.params, "content": "first line\nthird line\n"})])
    client = client_of(judge)
    assert f"/review/{newer.pk}/compare/1/" in text_of(client, newer)
    text = client.get(f"/review/{newer.pk}/compare/1/").content.decode()
    assert re.search(r'<li class="d"><b>\d+</b><b></b><code> +second line</code>', text)
    assert re.search(r'<li class="a"><b></b><b>\d+</b><code> +third line</code>', text)
    other = proposed(goal_of(submitter, "Another goal"))
    assert client.get(f"/review/{other.pk}/compare/2/").status_code == 404


# --- deciding -------------------------------------------------------------------------------------------------------


def test_approving_goes_on_to_the_next_plan_and_says_so(
    plan: IntentPlan, judge: User, submitter: User, client_of: ClientOf
) -> None:
    following = proposed(goal_of(submitter, "Another"))
    client = client_of(judge)
    response = decide(client, plan, "approve", tries="5")
    assert response.status_code == 302
    assert response["Location"] == following.get_absolute_url()
    assert Approval.objects.get(intent_plan=plan).envelope == {"tries": 5}
    assert f"Plan {plan.pk} approved" in client.get(response["Location"]).content.decode()


def test_after_the_last_one_the_goal_is_shown(plan: IntentPlan, judge: User, client_of: ClientOf) -> None:
    assert decide(client_of(judge), plan, "approve")["Location"] == f"/goals/{plan.goal_id}/"


def test_htmx_is_sent_on_by_the_browser_itself(plan: IntentPlan, judge: User, client_of: ClientOf) -> None:
    response = client_of(judge).post(
        f"/review/{plan.pk}/decide/",
        {"digest": plan.digest, "verdict": "approve"},
        headers={"HX-Request": "true"},
    )
    assert response["HX-Redirect"] == f"/goals/{plan.goal_id}/"


def test_a_rejection_takes_a_preset_words_or_both(
    plan: IntentPlan, judge: User, submitter: User, client_of: ClientOf
) -> None:
    client = client_of(judge)
    decide(client, plan, "reject", preset="Touches too much", reason="the notes of others")
    assert Decision.objects.latest("pk").comment == "Touches too much: the notes of others"
    second = proposed(goal_of(submitter, "Again"))
    decide(client, second, "reject", preset="Wrong place")
    assert Decision.objects.latest("pk").comment == "Wrong place"
    third = proposed(goal_of(submitter, "And again"))
    assert decide(client, third, "reject", preset="<b>made up</b>").status_code == 422
    assert Decision.objects.count() == 2


def test_words_that_cannot_be_taken_come_back_with_the_reason(
    plan: IntentPlan, judge: User, client_of: ClientOf
) -> None:
    response = decide(client_of(judge), plan, "request-changes", comment="left \u202e right")
    text = response.content.decode()
    assert response.status_code == 422
    assert "Remove the hidden character U+202E" in text
    assert '<details class="menu menu-up" open><summary class="btn" data-key="c">' in text
    assert not Comment.objects.exists()


def test_requested_changes_are_listed_as_a_comment(plan: IntentPlan, judge: User, client_of: ClientOf) -> None:
    client = client_of(judge)
    decide(client, plan, "request-changes", comment="Use <b>another</b> folder")
    newer = proposed(Goal.objects.get(pk=plan.goal_id))
    assert "Use &lt;b&gt;another&lt;/b&gt; folder" in text_of(client, newer)


@pytest.mark.parametrize("fields", [{"verdict": "delete"}, {"verdict": ""}, {"verdict": "approve", "tries": "9" * 50}])
def test_a_form_nobody_made_decides_nothing(
    fields: dict[str, str], plan: IntentPlan, judge: User, client_of: ClientOf
) -> None:
    response = client_of(judge).post(f"/review/{plan.pk}/decide/", {"digest": plan.digest, **fields})
    assert response.status_code == 422
    assert not Decision.objects.exists()


@pytest.mark.parametrize("digest", ["", "0" * 64, "\U0001f600", "x" * 5000])
def test_a_stale_digest_is_a_409_with_the_plan_as_it_is(
    digest: str, plan: IntentPlan, judge: User, client_of: ClientOf
) -> None:
    response = client_of(judge).post(f"/review/{plan.pk}/decide/", {"digest": digest, "verdict": "approve"})
    assert response.status_code == 409
    assert "Read the plan again" in response.content.decode()
    assert not Decision.objects.exists()


def test_the_second_of_two_reviewers_is_told_who_was_first(
    plan: IntentPlan, judge: User, second_judge: User, client_of: ClientOf
) -> None:
    decisions.approve(plan, by=second_judge, digest=plan.digest)
    response = decide(client_of(judge), plan, "reject", reason="no")
    text = response.content.decode()
    assert response.status_code == 409
    assert "already approved by kai" in text
    assert 'id="decide"' not in text
    assert Decision.objects.count() == 1


def test_a_button_of_the_first_of_two_never_has_the_plan_run(
    plan: IntentPlan, judge: User, second_judge: User, keeper: User, client_of: ClientOf
) -> None:
    """What the button says holds without scripts too, which hide it when somebody else was first."""
    in_force(Action.REQUIRE_TWO, keeper, commands=["write"])
    client, field = client_of(judge), 'name="as_first"'
    assert field in text_of(client, plan)
    decisions.approve(plan, by=second_judge, digest=plan.digest)
    refused = decide(client, plan, "approve", as_first="1")
    assert refused.status_code == 409
    assert "the plan would run" in refused.content.decode()
    assert [one.verdict for one in Decision.objects.all()] == ["first_approval"]
    assert field not in text_of(client, plan)
    decide(client, plan, "approve")
    plan.refresh_from_db()
    assert plan.state == "approved"


def test_an_open_page_learns_that_its_plan_was_decided(
    plan: IntentPlan, judge: User, second_judge: User, client_of: ClientOf
) -> None:
    client = client_of(judge)
    address = f"/review/{plan.pk}/standing/?state=awaiting_review"
    assert client.get(address).status_code == 204
    decisions.reject(plan, by=second_judge, digest=plan.digest, reason="Not needed")
    text = client.get(address).content.decode()
    assert 'id="standing"' in text
    assert "kai" in text
    assert "Not needed" in text


def test_a_superseded_plan_points_to_the_newer_one_and_has_no_buttons(
    plan: IntentPlan, judge: User, client_of: ClientOf
) -> None:
    newer = proposed(plan.goal)
    text = text_of(client_of(judge), plan)
    assert "A newer revision replaced this one" in text
    assert newer.get_absolute_url() in text
    assert 'id="decide"' not in text


def test_a_decided_plan_stays_readable_with_its_receipt(
    plan: IntentPlan, judge: User, submitter: User, client_of: ClientOf, without_guard: Off
) -> None:
    decisions.approve(plan, by=judge, digest=plan.digest, comment="Go on", tries=3)
    said = plain(text_of(client_of(submitter), plan))
    for expected in ("Jo Lindt", "Go on", "up to 2 retries of exactly these steps", "the same", "notes/one.txt"):
        assert expected in said
    with without_guard("review_approval", "review_approval_is_append_only"):
        Approval.objects.update(envelope={"tries": 5})
    assert "not what was decided" in plain(text_of(client_of(submitter), plan))


def test_the_fragment_that_htmx_gets_is_the_one_the_page_includes(
    plan: IntentPlan, judge: User, client_of: ClientOf
) -> None:
    # Within its first second it has waited “a moment”, then “1 s”: of days both requests say the same.
    IntentPlan.objects.filter(pk=plan.pk).update(queued_at=timezone.now() - timedelta(days=3, hours=1))
    client = client_of(judge)
    fragment = client.get(plan.get_absolute_url(), headers={"HX-Request": "true"}).content.decode().strip()
    assert fragment.startswith('<div class="plan" id="plan"')
    assert "waiting <strong>3 days</strong>" in fragment
    token = re.compile(r'value="[A-Za-z0-9]{64}"')  # it differs from one request to the next
    assert token.sub("", fragment) in token.sub("", text_of(client, plan))


def test_a_page_of_one_plan_asks_few_questions_of_the_database(
    judge: User, submitter: User, client_of: ClientOf, django_assert_max_num_queries: Any
) -> None:
    plan = proposed(goal_of(submitter), [WRITE] * 20)
    for number in range(5):
        proposed(goal_of(submitter, f"other {number}"))
    client = client_of(judge)
    with django_assert_max_num_queries(25):  # two of them count the rounds of changes
        text_of(client, plan)


def test_an_admin_may_decide_too(plan: IntentPlan, client_of: ClientOf) -> None:
    assert decide(client_of(person("root", Role.ADMIN)), plan, "approve").status_code == 302


def test_limits_that_are_not_the_usual_ones_are_told_at_their_step(reviewer: User, client_of: ClientOf) -> None:
    usual = replace(WRITE, limits={"memory_bytes": 1 << 30, "soft_s": 30})
    other = replace(MKDIR, limits={"memory_bytes": 2 << 30, "soft_s": 30, HOSTILE: HOSTILE})
    page = text_of(client_of(reviewer), proposed(goal_of(reviewer), [usual, other]))
    first, second = page.split('id="intent-2"')
    assert "Limits:" not in plain(first.split('id="intent-1"')[1])
    assert "Limits: memory 2 GiB (usually 1 GiB)" in plain(second)
    assert "<script>alert" not in page


def test_a_refused_decision_leaves_a_page_whose_links_lead_somewhere(
    plan: IntentPlan, judge: User, client_of: ClientOf
) -> None:
    """It stands at an address that only takes forms: what leads on from it must not count from there."""
    client = client_of(judge)
    at = f"{plan.get_absolute_url()}decide/"
    answer = client.post(at, {"verdict": "approve", "digest": "0" * 64})
    assert answer.status_code == 409
    ways = {urljoin(at, way) for way in re.findall(r'(?:href|hx-get)="([^"#]+)', unescape(answer.content.decode()))}
    assert any("about=" in way for way in ways)
    own = [way for way in ways if way.startswith(plan.get_absolute_url())]
    assert {client.get(way).status_code for way in own} <= {200, 204}
