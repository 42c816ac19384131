"""Pages of modular agents: start, step, answer, open a node, branch, compare, export; refused for who may not."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from agents.bdi.modular.state import Limits
from agents.models import ModularRun
from agents.modular import runs, states, wanting, working
from agents.modular.runs import Start
from people.models import User
from tests.agents.modular.test_runs import BY_HAND

pytestmark = pytest.mark.django_db(transaction=True)
FORM = {
    "task": "write <b>the moon</b>",
    "workspace": "",
    "prompter": "plain",
    "generator": "person",
    "discriminator": "first",
    "actor": "plain",
    "toolkit": "notes",
    "limit.tokens": "200000",
    "limit.time_s": "3600",
    "limit.cost": "5",
    "limit.submissions": "1",
    "limit.steps": "50",
}


@pytest.fixture
def started(owner: User, client: Client) -> ModularRun:
    client.force_login(owner)
    response = client.post("/modular/new/", FORM)
    assert response.status_code == 302, response.content.decode()[:2000]
    run = ModularRun.objects.get()
    working.work(run.pk)
    run.refresh_from_db()
    return run


def _answered(client: Client, run: ModularRun, **form: Any) -> ModularRun:
    (want,) = wanting.asked_of_people(run)
    client.post(f"/modular/{run.pk}/answer/", {"want": want.key, "step": str(want.step), **form})
    working.work(run.pk)
    run.refresh_from_db()
    return run


def test_a_run_is_started_answered_opened_branched_compared_and_exported(started: ModularRun, client: Client) -> None:
    page = f"/modular/{started.pk}/"
    shown = client.get(page).content.decode()
    assert "Write the next answer" in shown
    assert "<b>the moon" not in shown
    run = _answered(client, started, written="I think", call="note", arguments='{"text": "first"}')
    run = _answered(client, run, written="", call="submit", arguments='{"answer": "the moon"}')
    assert (run.state, run.outcome) == ("ended", "achieved")
    shown = client.get(page).content.decode()
    assert "submitted" in shown
    assert "the moon" in shown
    called = next(node for node in states.tree_of(run).nodes.values() if node.message.function_call is not None)
    assert "Edit and continue as a branch" in client.get(f"{page}?node={called.id}").content.decode()
    client.post(f"{page}branch/", {"node": str(called.id), "content": "I think again", "next": "actor"})
    run.refresh_from_db()
    assert run.state == "ready"
    working.work(run.pk)
    tree = states.tree_of(run)
    copy = next(node for node in tree.nodes.values() if node.copy_of == called.id)
    assert copy.message.content == "I think again"
    side = client.get(f"{page}compare/", {"left": called.id, "right": copy.id}).content.decode()
    assert "I think again" in side
    assert "Both share 1 node" in side
    exported = json.loads(client.get(f"{page}export/").content)
    assert exported["format"] == "mindx.modular"
    fragment = client.get(page, headers={"HX-Target": "tree"}).content.decode()
    assert fragment.lstrip().startswith('<section class="card" id="tree"')


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"discriminator": "person"}, "does not fit"),
        ({"generator": "model", "generator.model.samples": "many"}, "is no number"),
        ({"limit.steps": "-1"}, "is no limit"),
        ({"workspace": "not-mine"}, "No workspace of yours"),
        ({"generator": "model"}, "none is set up"),
        ({"task": ""}, "mpty"),
    ],
)
def test_what_cannot_be_started_says_why_and_keeps_the_form(
    wrong: dict[str, str], said: str, owner: User, client: Client
) -> None:
    client.force_login(owner)
    usual = {"generator.model.samples": "2", "generator.model.temperature": "0", "generator.model.max_tokens": "100"}
    response = client.post("/modular/new/", {**FORM, **usual, **wrong})
    assert response.status_code == 400
    shown = response.content.decode()
    assert said in shown
    assert not ModularRun.objects.exists()


def test_others_see_and_change_nothing(started: ModularRun, outsider: User, client: Client) -> None:
    client.force_login(outsider)
    page = f"/modular/{started.pk}/"
    for path in ("", "export/", "compare/?left=1&right=1"):
        assert client.get(page + path).status_code == 404
    for path in ("do/", "answer/", "branch/"):
        assert client.post(page + path, {"do": "cancel", "node": "1"}).status_code == 404
    assert "write" not in client.get("/modular/").content.decode().split("<main", 1)[1].split("No run yet")[0][-400:]
    started.refresh_from_db()
    assert started.state == "waiting"


def test_a_reviewer_reads_it_and_cannot_change_it(started: ModularRun, reviewer: User, client: Client) -> None:
    client.force_login(reviewer)
    shown = client.get(f"/modular/{started.pk}/?node=1").content.decode()
    assert "Edit and continue" not in shown
    client.post(f"/modular/{started.pk}/do/", {"do": "cancel"})
    started.refresh_from_db()
    assert started.state == "waiting"


def test_it_is_paused_stepped_and_ended_with_the_buttons(started: ModularRun, client: Client) -> None:
    act = f"/modular/{started.pk}/do/"

    def state() -> str:
        started.refresh_from_db()
        return started.state

    client.post(act, {"do": "pause"})
    assert state() == "paused"
    client.post(act, {"do": "until", "until": "x"})
    assert state() == "paused"
    client.post(act, {"do": "step"})
    assert state() == "ready"
    assert client.post(act, {"do": "dance"}).status_code == 404
    client.post(act, {"do": "cancel"})
    assert state() == "ended"


def test_a_paused_run_gets_other_limits_on_its_page(started: ModularRun, client: Client) -> None:
    page = f"/modular/{started.pk}/"
    assert "Change the limits" not in client.get(page).content.decode(), (
        "a page that looks again would lose what is typed"
    )
    client.post(f"{page}do/", {"do": "pause"})
    before = states.tree_of(started).limits
    assert "Change the limits" in client.get(page).content.decode()
    wanted = {
        "limit.tokens": "9000",
        "limit.time_s": "60",
        "limit.cost": "1.5",
        "limit.submissions": "2",
        "limit.steps": "77",
    }
    for wrong in ({"limit.steps": "x"}, {"limit.tokens": "-1"}, {"limit.steps": "0"}, {"limit.cost": "NaN"}):
        client.post(f"{page}do/", {"do": "limits", **wanted, **wrong})
    assert states.tree_of(ModularRun.objects.get()).limits == before
    client.post(f"{page}do/", {"do": "limits", **wanted})
    found = ModularRun.objects.get()
    assert (found.state, states.tree_of(found).limits) == ("paused", Limits(9_000, 60.0, Decimal("1.5"), 2, 77))
    assert "of 77" in client.get(page).content.decode()


def test_rubbish_is_refused_and_changes_nothing(started: ModularRun, client: Client) -> None:
    page = f"/modular/{started.pk}/"
    count = started.steps.count()
    for form in ({}, {"node": "99"}, {"node": "1", "settings": "{"}, {"node": "1", "settings": "[]"}, {"node": "x"}):
        assert client.post(f"{page}branch/", form).status_code == 302
    assert client.post(f"{page}answer/", {"want": "written", "step": "2"}).status_code == 302
    (want,) = wanting.asked_of_people(started)
    for form in ({"written": ""}, {"call": "note", "arguments": "{"}, {"call": "note", "arguments": "[]"}):
        client.post(f"{page}answer/", {"want": want.key, "step": str(want.step), **form})
    assert client.get(f"{page}?node=abc&from=99999").status_code == 200
    assert client.get(f"{page}compare/?left=1&right=77").status_code == 302
    assert started.steps.count() == count
    assert wanting.asked_of_people(started)


def test_five_thousand_nodes_come_in_pages(owner: User, client: Client) -> None:
    from agents.bdi.modular.state import Message
    from agents.modular.states import Written

    run = runs.start(Start("a long one", BY_HAND, paused=True), by=owner)
    state = states.tree_of(run)
    for number in range(4_999):
        state.add(Message("assistant", f"thought {number}"), source="x", at="2026-01-01")
    states.write(run, state, Written("edit", "2026-01-01", 1), run.workspace)
    ModularRun.objects.filter(pk=run.pk).update(at_step=2)
    client.force_login(owner)
    shown = client.get(f"/modular/{run.pk}/").content.decode()
    assert shown.count("twig-no") <= 200
    assert "5,000 rows" in shown
    assert "thought 4998" in shown
    assert "Earlier" in shown
