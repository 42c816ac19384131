"""Rows of modular runs written with the application's role alone: no call is made of them, and each is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from agents.models import Goal, ModularRun, ModularWant
from agents.modular import branching, wanting
from agents.modular.branching import Edit
from agents.record import authors
from agents.states import ModularRunState
from agents.workspaces import workspaces
from people.models import User
from review import rights
from review.models import AuditEntry
from tests.agents.modular.test_runs import BY_MODEL, WRITE, approve, worked, wrote
from tests.agents.modular.test_runs import begun as begun
from tests.cast import person
from tests.forging import forge
from tests.models.conftest import provider as provider
from tests.models.server import Provider

pytestmark = pytest.mark.django_db(transaction=True)
Begun = Callable[..., ModularRun]
_HARM = {"content": "because", "function_call": {**WRITE, "arguments": {"path": "a.txt", "content": "forged"}}}


def named_by_audit() -> str:
    with pytest.raises(CommandError) as refused:
        call_command("audit", "verify", stdout=StringIO())
    return str(refused.value)


@pytest.mark.parametrize("column", ["by_id", "workspace_id", "task", "at_step"])
def test_a_run_that_was_moved_to_somebody_else_or_elsewhere_does_nothing(
    column: str, begun: Begun, owner: User, reviewer: User
) -> None:
    workspace = workspaces.create(by=reviewer, name="theirs")
    run = wrote(begun(), owner, None, "let me think")
    values = {"by_id": reviewer.pk, "workspace_id": workspace.pk, "task": "take everything", "at_step": 1}
    (want,) = wanting.asked_of_people(run)
    wanting.answer_as_person(want, {"content": "go on", "function_call": WRITE}, by=owner)
    forge(f"UPDATE agents_modularrun SET {column} = %s WHERE id = %s", values[column], run.pk)  # our own names
    assert f"modular run {run.pk}" in named_by_audit()
    run = worked(run)
    assert run.state == ModularRunState.PAUSED
    assert "is not as mindX stored it" in run.reason
    assert not Goal.objects.exists()


@pytest.mark.parametrize("key_of", ["answered", "inserted", "replayed"])
def test_an_answer_that_nobody_gave_makes_no_call(key_of: str, begun: Begun, owner: User) -> None:
    run = begun()
    (want,) = wanting.asked_of_people(run)
    answered = "UPDATE agents_modularwant SET answer = %s, by_id = %s, answered_at = now() WHERE id = %s"
    if key_of == "answered":
        forge(answered, json.dumps({**_HARM, "by": owner.username}), owner.pk, want.pk)
    elif key_of == "inserted":
        forge(
            "INSERT INTO agents_modularwant (run_id, step, key, kind, args, answer, by_id, asked_at)"
            " VALUES (%s, %s, 'call-1', 'call', %s, NULL, NULL, now())",
            run.pk,
            want.step,
            json.dumps({"name": WRITE["name"], "arguments": WRITE["arguments"]}),
        )
    else:  # an answer of an earlier step, under its genuine seal, given to the next one
        run = wrote(run, owner, None, "let me think")
        forge("DELETE FROM agents_modularwant WHERE run_id = %s AND step = %s", run.pk, run.at_step + 1)
        forge("UPDATE agents_modularwant SET step = %s WHERE id = %s", run.at_step + 1, want.pk)
    forge("UPDATE agents_modularrun SET state = 'ready' WHERE id = %s", run.pk)
    run = worked(run)
    assert run.state == ModularRunState.PAUSED
    assert "is not as mindX stored it" in run.reason
    assert not Goal.objects.exists()


def test_a_forged_answer_of_a_call_is_not_taken_for_its_result(begun: Begun, owner: User) -> None:
    run = wrote(begun(), owner, WRITE)
    want = ModularWant.objects.get(run=run, kind="call")
    forge("UPDATE agents_modularwant SET args = %s WHERE id = %s", json.dumps({"name": "x"}), want.pk)
    forge("UPDATE agents_goal SET ended_at = now() WHERE id = %s", want.goal_id)
    assert f"modular want {want.pk}" in named_by_audit()
    assert want.goal_id is not None
    wanting.goal_ended(want.goal_id)
    want.refresh_from_db()
    assert want.answer is None


@pytest.mark.parametrize("is_asked", [False, True])
def test_an_answer_that_comes_while_a_step_is_under_way_has_to_be_genuine(
    is_asked: bool, begun: Begun, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Forged once the step has looked for what it has: before it asks, and before it keeps the model's answer."""
    calls: list[object] = []

    def forged(run: ModularRun, args: object) -> dict[str, str]:
        values = json.dumps(args), json.dumps({"text": json.dumps(_HARM)}), run.pk, run.at_step + 1
        if is_asked:
            forge("UPDATE agents_modularwant SET answer = %s WHERE run_id = %s AND step = %s", *values[1:])
        calls.append(values)
        return {"text": "nothing", "model": "m"}

    def late(run: ModularRun, step: int) -> dict[str, ModularWant]:
        found = wanted(run, step)
        if not is_asked:
            columns = "run_id, step, key, kind, args, answer, asked_at"
            values = run.pk, step, json.dumps({"text": json.dumps(_HARM)})
            forge(
                f"INSERT INTO agents_modularwant ({columns}) VALUES (%s, %s, 'sample-1', 'model', '{{}}', %s, now())"
                " ON CONFLICT DO NOTHING",
                *values,
            )
        return found

    wanted = wanting.wanted
    monkeypatch.setattr(wanting, "_asked", forged)
    monkeypatch.setattr(wanting, "wanted", late)
    run = begun(BY_MODEL)
    assert (run.state, bool(calls)) == (ModularRunState.PAUSED, is_asked)
    assert "is not as mindX stored it" in run.reason
    assert not Goal.objects.exists()


def test_the_end_of_another_goal_is_no_answer_to_a_call(begun: Begun, owner: User, reviewer: User) -> None:
    first = wrote(begun(), owner, WRITE)
    done = approve(first, reviewer)
    run = wrote(begun(), owner, WRITE)
    want = ModularWant.objects.get(run=run, kind="call")
    forge("UPDATE agents_modularwant SET goal_id = %s WHERE id = %s", done.pk, want.pk)
    assert f"modular want {want.pk}" in named_by_audit()
    wanting.goal_ended(done.pk)
    want.refresh_from_db()
    assert want.answer is None


def test_who_edited_a_run_is_an_author_of_what_it_calls(
    begun: Begun, owner: User, operator: User, settings: object, client_of: Any
) -> None:
    settings.FOUR_EYES = True  # type: ignore[attr-defined]
    operator.roles = ["operator", "reviewer"]
    operator.save()
    run = wrote(begun(), owner, WRITE)
    node = ModularWant.objects.get(run=run, kind="call")
    last = run.nodes.order_by("number").last()
    assert node.goal is not None
    assert last is not None
    assert not rights.why_not(operator, node.goal.intent_plans.get())
    edit = Edit(last.number, arguments={"path": "b.txt", "content": "as I want it"})
    branching.branch(run, edit, by=operator)
    run = worked(ModularRun.objects.get(pk=run.pk))
    plan = Goal.objects.latest("pk").intent_plans.get()
    assert plan.goal_id != node.goal_id
    assert authors.of([plan.goal_id])[plan.goal_id][operator.pk] == "had a say in what this agent did"
    assert "someone else must decide" in rights.why_not(operator, plan)
    assert Goal.objects.filter(authors.wrote(operator, "pk"), pk=plan.goal_id).exists()
    # The journal and the plan's page name who wrote it, and the files are still of whoever the run is of.
    entry = AuditEntry.objects.get(event="run", by=operator)
    assert (entry.by, entry.subject, entry.data["of"]) == (operator, f"run:{run.pk}", owner.username)
    assert entry.data["after"]["calls"] == {"simple_coder.write": {"path": "b.txt", "content": "as I want it"}}
    made = AuditEntry.objects.filter(event="workspace_made").latest("pk")
    assert (made.by, plan.workspace.owner) == (operator, owner)
    page = " ".join(client_of(person("rita", "reviewer")).get(plan.get_absolute_url()).content.decode().split())
    parts = page.partition("written in part by")[2].partition("</span>")[0]
    assert f"<strong>{operator.display_name}</strong>" in parts
