"""The journal: every event is written once, nothing can be changed unseen, and each person reads what they may."""

from __future__ import annotations

import csv
import io
import json
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.utils import timezone

from agents.actors import pauses
from agents.hands import hand_commands
from agents.models import Agent, Goal, IntentPlan, ToolLimit
from agents.workspaces import workspaces
from people import journal as told
from people import login_limit, tokens
from people.journal import Event
from people.models import User
from review.audit import journal
from review.deciding import decisions
from review.models import AuditEntry, Decision, TypedEvent
from review.reading import journal_lines
from tests.cast import PASSWORD

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
MakeGoal = Callable[..., Goal]
# What the form of an agent says of models when nobody touches it.
MODEL = {"uses_model": "on", "max_repair_attempts": "2", "framework": "mindx"}
Off = Callable[[str, str], AbstractContextManager[None]]
GUARD = ("review_auditentry", "review_auditentry_is_append_only")


@pytest.fixture(autouse=True)
def quick_passwords(settings: Any) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def entries(event: Event) -> list[AuditEntry]:
    return list(AuditEntry.objects.filter(event=event))


def one(event: Event) -> AuditEntry:
    """The only entry of this kind; more or none is a failure."""
    found = entries(event)
    assert len(found) == 1, [row.event for row in AuditEntry.objects.all()]
    return found[0]


def written(*people: User) -> None:
    for number, person in enumerate(people):
        journal.write(Event.LOGIN, by=person, subject=f"person:{person.username}", data={"number": number})


# --- each event, once ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("verdict", ["approve", "reject", "request_changes"])
def test_each_decision_leaves_one_entry_that_names_its_row(verdict: str, plan: IntentPlan, judge: User) -> None:
    words = {"approve": {}, "reject": {"reason": "no"}, "request_changes": {"comment": "elsewhere"}}[verdict]
    getattr(decisions, verdict)(plan, by=judge, digest=plan.digest, **words)
    row = one(Event.DECISION)
    assert (row.by, row.subject) == (judge, f"plan:{plan.pk}")
    assert row.data["decision"] == Decision.objects.get().pk
    assert (row.data["verdict"], row.data["digest"], row.data["goal"]) == (verdict, plan.digest, plan.goal_id)


def test_a_decision_that_is_refused_by_the_digest_leaves_none(plan: IntentPlan, judge: User) -> None:
    with pytest.raises(Exception, match="digest"):
        decisions.approve(plan, by=judge, digest="0" * 64)
    assert not entries(Event.DECISION)


def test_a_typed_command_leaves_one_entry_for_each_thing_that_happens_to_it(
    plan: IntentPlan, operator: User, submitter: User
) -> None:
    plan.workspace.owner = operator
    plan.workspace.save()
    command = hand_commands.submit(plan.goal, operator, "ls notes")
    row = one(Event.TYPED)
    assert (row.by, row.subject, row.data["text"]) == (operator, f"goal:{plan.goal_id}", "ls notes")
    hand_commands.cancel(command, operator)
    assert [row.data["row"] for row in entries(Event.TYPED)] == list(TypedEvent.objects.values_list("pk", flat=True))


def test_a_login_and_a_failed_one_leave_one_entry_each(owner: User) -> None:
    owner.set_password(PASSWORD)
    owner.save()
    Client().post("/login/", {"username": owner.username, "password": PASSWORD})
    row = one(Event.LOGIN)
    assert (row.by, row.subject, row.data) == (owner, "person:olga", {"address": "127.0.0.1"})
    Client().post("/login/", {"username": owner.username, "password": "hunter2hunter2"})
    row = one(Event.LOGIN_FAILED)
    assert (row.by, row.subject, row.data) == (None, "person:olga", {"address": "127.0.0.1"})
    one(Event.LOGIN)


def test_a_name_that_nobody_has_is_not_kept_for_it_may_be_a_password(owner: User) -> None:
    Client().post("/login/", {"username": "correct horse battery", "password": "x"})
    row = one(Event.LOGIN_FAILED)
    assert row.subject == "nobody"
    assert "horse" not in json.dumps(row.data)


def test_a_lockout_is_told_once_and_tries_behind_it_are_not(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(login_limit, "BY_NAME", replace(login_limit.BY_NAME, most=3))
    for _ in range(6):
        Client().post("/login/", {"username": owner.username, "password": "x"})
    assert len(entries(Event.LOGIN_FAILED)) == 2
    assert one(Event.LOCKED_OUT).subject == "person:olga"


def test_roles_that_are_given_and_taken_stand_with_before_and_after(
    admin: User, owner: User, client_of: ClientOf
) -> None:
    form = {"username": "olga", "roles": ["submitter", "reviewer"], "is_active": "on", "email": ""}
    client_of(admin).post(f"/admin/people/user/{owner.pk}/change/", form)
    row = one(Event.PERSON_CHANGED)
    assert (row.by, row.subject) == (admin, "person:olga")
    assert row.data == {"before": {"roles": ["submitter"]}, "after": {"roles": ["submitter", "reviewer"]}}
    # Saved again as it is: nothing happened, nothing is told.
    client_of(admin).post(f"/admin/people/user/{owner.pk}/change/", form)
    one(Event.PERSON_CHANGED)


def test_making_switching_off_and_removing_a_person_are_told(admin: User, client_of: ClientOf) -> None:
    client = client_of(admin)
    secret = "correct horse battery"
    client.post(
        "/admin/people/user/add/",
        {"username": "nina", "password1": secret, "password2": secret, "usable_password": "true"},
    )
    assert one(Event.PERSON_MADE).data["after"]["roles"] == ["submitter"]
    nina = User.objects.get(username="nina")
    client.post(f"/admin/people/user/{nina.pk}/change/", {"username": "nina", "roles": ["submitter"], "email": ""})
    assert one(Event.PERSON_CHANGED).data == {"before": {"active": True}, "after": {"active": False}}
    client.post(f"/admin/people/user/{nina.pk}/delete/", {"post": "yes"})
    assert not User.objects.filter(username="nina").exists()
    assert one(Event.PERSON_REMOVED).subject == "person:nina"
    assert secret not in json.dumps([row.data for row in AuditEntry.objects.all()])


def test_a_password_is_told_without_the_password(admin: User, owner: User, client_of: ClientOf) -> None:
    new = "correct horse battery"
    client_of(admin).post(
        f"/admin/people/user/{owner.pk}/password/", {"password1": new, "password2": new, "usable_password": "true"}
    )
    assert one(Event.PASSWORD).by == admin
    owner.refresh_from_db()
    client_of(owner).post(
        "/account/password/", {"old_password": new, "new_password1": f"{new} 2", "new_password2": f"{new} 2"}
    )
    assert [row.by for row in entries(Event.PASSWORD)] == [admin, owner]
    assert all(row.data == {} for row in entries(Event.PASSWORD))


def test_a_token_is_told_when_it_is_made_and_once_when_it_is_revoked(owner: User, client_of: ClientOf) -> None:
    client = client_of(owner)
    page = client.post("/account/tokens/", {"name": "build", "days": "30", "scopes": ["goals:read"]})
    row = one(Event.TOKEN_MADE)
    assert (row.by, row.subject, row.data["called"], row.data["scopes"]) == (
        owner,
        "person:olga",
        "build",
        ["goals:read"],
    )
    token = owner.tokens.get()
    assert page.context["secret"] not in json.dumps(row.data)
    assert token.digest not in json.dumps(row.data)
    tokens.revoke(token, by=owner)
    tokens.revoke(token, by=owner)
    assert one(Event.TOKEN_REVOKED).data == {"token": token.pk, "called": "build"}


def test_limits_are_told_with_before_and_after(admin: User, client_of: ClientOf) -> None:
    from tests.web.test_admin_limits import LIST, filled

    client = client_of(admin)
    client.post(f"{LIST}add/", filled(processes="30"))
    row = ToolLimit.objects.get()
    client.post(f"{LIST}{row.pk}/change/", filled(processes="40"))
    client.post(f"{LIST}{row.pk}/delete/", {"post": "yes"})
    made, changed, gone = entries(Event.LIMIT)
    assert (made.by, made.subject, made.data["after"]["processes"]) == (admin, f"toollimit:{row.pk}", 30)
    assert changed.data == {"before": {"processes": 30}, "after": {"processes": 40}}
    assert (gone.subject, gone.data["before"]["processes"]) == (f"toollimit:{row.pk}", 40)


def test_an_agent_that_is_paused_twice_is_told_of_once(operator: User, admin: User, client_of: ClientOf) -> None:
    agent = Agent.objects.create(name="scout")
    pauses.pause(agent, by=operator)
    pauses.pause(agent, by=operator)
    row = one(Event.AGENT)
    assert (row.by, row.subject) == (operator, "agent:scout")
    assert row.data == {"before": {"paused": False}, "after": {"paused": True}}
    client_of(admin).post(f"/admin/agents/agent/{agent.pk}/change/", {**MODEL, "tools": "simple_coder"})
    assert entries(Event.AGENT)[1].data["after"] == {"tools": ["simple_coder"], "paused": False}


def test_files_changed_by_hand_are_told_once(owner: User) -> None:
    workspace = workspaces.create(by=owner, name="notes")
    assert one(Event.WORKSPACE_MADE).subject == "workspace:notes"
    workspaces.put_file(workspace, by=owner, path="a.txt", source=io.BytesIO(b"one"))
    workspaces.put_file(workspace, by=owner, path="a.txt", source=io.BytesIO(b"one"))
    row = one(Event.WORKSPACE_FILES)
    assert (row.by, row.subject, row.data["what"]) == (owner, "workspace:notes", "a.txt")
    assert row.data["change"] == workspace.changes.get().pk


def test_a_workspace_that_a_goal_brought_is_told_as_one_made_by_hand(owner: User, make_goal: MakeGoal) -> None:
    goal = make_goal(owner, "Write a note")
    row = one(Event.WORKSPACE_MADE)
    assert (row.by, row.subject) == (owner, f"workspace:{goal.workspace.name}")
    make_goal(owner, "Write another", workspace=goal.workspace)
    assert one(Event.WORKSPACE_MADE) == row, "in one that was there nothing is made"


def test_a_workspace_that_gets_another_owner_is_told(admin: User, owner: User, client_of: ClientOf) -> None:
    workspace = workspaces.create(by=owner, name="notes")
    client_of(admin).post(
        f"/admin/agents/workspace/{workspace.pk}/change/", {"owner": admin.pk, "quota_bytes": workspace.quota_bytes}
    )
    assert one(Event.WORKSPACE_SETTINGS).data == {"before": {"owner": "olga"}, "after": {"owner": "ada"}}


def test_the_administration_that_is_refused_is_told_once(reviewer: User, client_of: ClientOf) -> None:
    assert client_of(reviewer).get("/admin/people/user/", follow=True).status_code == 403
    row = one(Event.REFUSED)
    assert (row.by, row.subject, row.data["path"]) == (reviewer, "page:admin:login", "/admin/login/")


def test_a_decision_on_the_page_without_the_role_is_told_once(
    plan: IntentPlan, submitter: User, client_of: ClientOf
) -> None:
    form = {"digest": plan.digest, "verdict": "approve"}
    assert client_of(submitter).post(f"/review/{plan.pk}/decide/", form).status_code == 403
    row = one(Event.REFUSED)
    assert (row.by, row.subject, row.data["method"]) == (submitter, "page:review-decide", "POST")


def test_a_decision_without_the_role_is_told_once_with_its_reason(
    plan: IntentPlan, submitter: User, api_of: Any
) -> None:
    answer = api_of(submitter).post(f"intent-plans/{plan.pk}/approve", {"digest": plan.digest})
    assert answer.status_code == 403
    row = one(Event.REFUSED)
    assert row.by == submitter
    assert row.data["why"] == answer.json()["detail"]


def test_an_operation_without_the_role_is_told_and_one_without_a_login_is_not(owner: User, api_of: Any) -> None:
    agent = Agent.objects.create(name="scout")
    assert api_of(None).post(f"agents/{agent.pk}/pause").status_code == 401
    assert not entries(Event.REFUSED)
    assert api_of(owner).post(f"agents/{agent.pk}/pause").status_code == 403
    assert one(Event.REFUSED).data["method"] == "POST"


def test_a_form_without_its_token_is_no_question_of_rights(owner: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner, backend="people.backends.SealedPeople")
    assert client.post("/account/password/", {}).status_code == 403
    assert not entries(Event.REFUSED)


def test_with_nothing_connected_nothing_that_must_be_told_happens(owner: User, monkeypatch: Any) -> None:
    monkeypatch.setattr(told, "_keep", None)
    with pytest.raises(told.NotConnected):
        tokens.issue(owner, "silent")
    assert not owner.tokens.exists()


def test_an_entry_goes_with_the_transaction_that_it_belongs_to(owner: User) -> None:
    with transaction.atomic():
        tokens.issue(owner, "undone", by=owner)
        transaction.set_rollback(True)
    assert not AuditEntry.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_many_writers_at_once_make_one_chain(owner: User) -> None:
    def write() -> None:
        try:
            for _ in range(10):
                written(owner)
        finally:
            connection.close()

    writers = [threading.Thread(target=write) for _ in range(6)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    found = journal.walk()
    assert (found.rows, found.broken) == (60, None)


# --- tampering -----------------------------------------------------------------------------------------------

CHANGES: dict[str, Any] = {
    "version": 2,
    "event": "password",
    "by": "another",
    "name": "otto",
    "subject": "person:otto",
    "data": {"number": 7},
    "at": "later",
    "previous_hash": "0" * 64,
    "hash": "0" * 64,
}


@pytest.mark.parametrize("field", CHANGES)
def test_a_change_of_any_field_is_found(
    field: str, owner: User, reviewer: User, outsider: User, without_guard: Off
) -> None:
    written(owner, reviewer, owner)
    row = AuditEntry.objects.order_by("pk")[1]
    value = {"another": outsider, "later": row.at + timedelta(microseconds=1)}.get(str(CHANGES[field]), CHANGES[field])
    assert journal.walk().broken is None
    with without_guard(*GUARD):
        AuditEntry.objects.filter(pk=row.pk).update(**{field: value})
    broken = journal.walk().broken
    assert broken is not None
    assert broken.row == row.pk
    with pytest.raises(CommandError, match=f"Row {row.pk} of the journal"):
        call_command("audit", "verify", stdout=io.StringIO())


def test_every_field_is_among_those_that_are_tried() -> None:
    assert {field.name for field in AuditEntry._meta.fields} - {"id"} == set(CHANGES)


def test_a_removed_entry_is_found_where_it_was(owner: User, without_guard: Off) -> None:
    written(owner, owner, owner)
    _, second, third = AuditEntry.objects.order_by("pk")
    with without_guard(*GUARD):
        second.delete()
    broken = journal.walk().broken
    assert broken is not None
    assert broken.row == third.pk
    assert "removed" in broken.reason


def test_two_entries_in_each_others_place_are_found(owner: User, without_guard: Off) -> None:
    written(owner, owner, owner)
    first, second, _ = AuditEntry.objects.order_by("pk")
    with without_guard(*GUARD):
        AuditEntry.objects.filter(pk=first.pk).update(id=second.pk + 1000)
        AuditEntry.objects.filter(pk=second.pk).update(id=first.pk)
        AuditEntry.objects.filter(pk=second.pk + 1000).update(id=second.pk)
    broken = journal.walk().broken
    assert broken is not None
    assert broken.row == first.pk


def test_an_end_that_was_cut_off_is_found_by_its_anchor(owner: User, without_guard: Off, tmp_path: Path) -> None:
    written(owner, owner)
    file = tmp_path / "anchors"
    call_command("audit", "anchor", "--file", str(file), stdout=io.StringIO())
    assert file.stat().st_mode & 0o777 == 0o600
    written(owner)
    out = io.StringIO()
    call_command("audit", "verify", "--anchors", str(file), stdout=out)
    assert "3 anchors fit" in out.getvalue()
    with without_guard(*GUARD):
        for row in AuditEntry.objects.order_by("-pk")[:2]:
            row.delete()
    assert journal.walk().broken is None
    with pytest.raises(CommandError, match="first 2 rows of the journal are others"):
        call_command("audit", "verify", "--anchors", str(file), stdout=io.StringIO())


@pytest.mark.parametrize("text", ["no json", "[1]", '{"chain": "journal"}', '{"chain":"x","rows":1,"last_hash":""}'])
def test_a_file_that_holds_no_anchors_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "anchors"
    file.write_text(text)
    with pytest.raises(CommandError, match=r"anchors|no chain"):
        call_command("audit", "verify", "--anchors", str(file), stdout=io.StringIO())


def test_a_broken_chain_of_decisions_is_named_by_the_same_command(
    plan: IntentPlan, judge: User, without_guard: Off
) -> None:
    decisions.approve(plan, by=judge, digest=plan.digest)
    out = io.StringIO()
    call_command("audit", "verify", stdout=out)
    assert "1 rows of the decisions hold" in out.getvalue()
    with without_guard("review_decision", "review_decision_is_append_only"):
        Decision.objects.update(comment="never said")
    with pytest.raises(CommandError, match="of the decisions does not hold"):
        call_command("audit", "verify", stdout=io.StringIO())


def test_the_database_refuses_to_change_or_remove_an_entry(owner: User) -> None:
    written(owner)
    for change in (lambda: AuditEntry.objects.update(name="x"), lambda: AuditEntry.objects.all().delete()):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            change()


def test_the_application_may_add_and_read_entries_and_nothing_else() -> None:
    from mindx_web.operations.grants import APPEND_ONLY, rights_of_tables

    assert rights_of_tables()["review_auditentry"] == APPEND_ONLY


def test_texts_that_a_database_cannot_hold_are_kept_in_another_spelling(owner: User) -> None:
    row = journal.write(
        Event.LOGIN, by=owner, subject="a\0b", data={"x": "\ud800\0", "n": 2**60, "long": "y" * 9_000, "f": 0.1}
    )
    row.refresh_from_db()
    assert row.subject == "a␀b"
    assert row.data["n"] == str(2**60)
    assert len(row.data["long"]) == journal.TEXT_MAX + 1
    assert journal.walk().broken is None


# --- reading -------------------------------------------------------------------------------------------------


def test_every_event_has_a_sentence_of_its_own() -> None:
    changed = {"before": {"a": 1}, "after": {"a": 2}}
    said = {event: journal_lines.sentence(event, "kind:name", changed) for event in Event}
    assert len(set(said.values())) == len(Event)
    unnamed = [event for event, line in said.items() if line == f"{event.value.replace('_', ' ')} kind name"]
    assert unnamed == []
    assert journal_lines.sentence("of_tomorrow", "goal:1", {}) == "of tomorrow goal 1"
    for name, event in (("why", Event.RECOVERY), ("note", Event.PARAMETERS), ("comment", Event.DECISION)):
        assert journal_lines.sentence(event, "kind:name", {name: "a new\nrouter"}).endswith(": a new router")
    assert "submitter → none" in journal_lines.sentence(
        Event.PERSON_CHANGED, "person:x", {"before": {"roles": ["submitter"]}, "after": {"roles": []}}
    )


def test_operators_and_admins_read_everything_and_others_what_they_did(
    owner: User, reviewer: User, operator: User, admin: User, client_of: ClientOf
) -> None:
    written(owner, reviewer)
    for person, sees in (
        (owner, {"olga"}),
        (reviewer, {"rita"}),
        (operator, {"olga", "rita"}),
        (admin, {"olga", "rita"}),
    ):
        page = client_of(person).get("/review/audit/", {"what": "login"})
        named = {line.entry.name for line in page.context["lines"]}
        assert named >= sees
        assert (len(sees) == 2) or named == sees
        assert client_of(person).get("/review/audit/", {"who": "rita"}).status_code == 200
    mine = client_of(owner).get("/review/audit/", {"who": "rita", "subject": "person:rita"})
    assert mine.context["lines"] == []
    assert Client().get("/review/audit/").status_code == 302


def test_filters_narrow_and_pages_go_on_where_they_ended(operator: User, owner: User, client_of: ClientOf) -> None:
    client = client_of(operator)
    written(*[owner] * 120)
    seen: list[int] = []
    query = "who=olga&what=login&subject=person:olga"
    while query:
        page = client.get(f"/review/audit/?{query}")
        seen += [line.entry.pk for line in page.context["lines"]]
        query = page.context["older"]
    assert seen == list(AuditEntry.objects.filter(by=owner).order_by("-pk").values_list("pk", flat=True))
    today = timezone.now().date()
    for ask, count in (
        ({"from": today.isoformat(), "to": today.isoformat(), "who": "olga"}, 50),
        ({"from": (today + timedelta(days=2)).isoformat()}, 0),
        ({"to": (today - timedelta(days=2)).isoformat()}, 0),
        ({"what": "password"}, 0),
    ):
        assert len(client.get("/review/audit/", ask).context["lines"]) == count, ask


@pytest.mark.parametrize(
    "ask",
    [{"from": "soon"}, {"to": "9999-12-31"}, {"what": "\0"}, {"who": "\0"}, {"before": "9" * 30}, {"before": "²"}],
)
def test_a_question_that_makes_no_sense_is_no_error(ask: dict[str, str], operator: User, client_of: ClientOf) -> None:
    assert client_of(operator).get("/review/audit/", ask).status_code == 200


def test_what_people_typed_is_text_on_the_page(operator: User, client_of: ClientOf) -> None:
    journal.write(
        Event.WORKSPACE_FILES,
        by=operator,
        subject="workspace:<b>",
        data={"kind": "write", "what": "<script>x</script>\u202e"},
    )
    text = client_of(operator).get("/review/audit/").content.decode()
    assert "<script>x" not in text
    assert "\u202e" not in text


def test_a_page_takes_few_queries_however_many_entries(
    operator: User, owner: User, client_of: ClientOf, django_assert_max_num_queries: Any
) -> None:
    written(*[owner] * 60)
    client = client_of(operator)
    with django_assert_max_num_queries(6):
        client.get("/review/audit/")


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_the_export_holds_what_verifies_and_no_formulas(form: str, owner: User) -> None:
    written(owner, owner)
    journal.write(Event.REFUSED, by=None, subject="=cmd()", data={"why": 'a,b\n"c"'})
    out = io.StringIO()
    call_command("audit", "export", "--format", form, stdout=out)
    if form == "jsonl":
        rows = [json.loads(line) for line in out.getvalue().splitlines()]
        assert rows[2]["subject"] == "=cmd()"
        assert rows[2]["data"] == {"why": 'a,b\n"c"'}
    else:
        rows = list(csv.DictReader(io.StringIO(out.getvalue(), newline="")))
        assert rows[2]["subject"] == "'=cmd()"
        assert json.loads(rows[2]["data"]) == {"why": 'a,b\n"c"'}
    assert [row["hash"] for row in rows] == list(AuditEntry.objects.order_by("pk").values_list("hash", flat=True))
    later = (timezone.now() + timedelta(days=1)).date().isoformat()
    out = io.StringIO()
    call_command("audit", "export", "--since", later, "--format", form, stdout=out)
    assert len(out.getvalue().splitlines()) == (1 if form == "csv" else 0)
    with pytest.raises(CommandError, match="--since"):
        call_command("audit", "export", "--since", "yesterday")


def test_executing_a_plan_never_writes_in_the_journal() -> None:
    """It would take its one lock at each step, and every running plan would wait for every other."""
    import ast

    from django.conf import settings

    allowed = {"typed.py"}  # ends what a person typed, once a command
    for file in (settings.BASE_DIR / "agents" / "execution").glob("*.py"):
        imported = {
            name.name
            for node in ast.walk(ast.parse(file.read_text()))
            if isinstance(node, ast.ImportFrom)
            for name in node.names
        }
        assert "journal" not in imported, file.name
        assert file.name in allowed or "audit" not in imported, file.name
