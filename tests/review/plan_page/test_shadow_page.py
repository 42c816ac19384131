"""The plan page with its dry run: what was tried, what it proved, what it would change, what stays unproven."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from agents.execution import shadow
from agents.models import IntentPlan, ShadowRun, TerminalSession, Workspace
from agents.plans import shadowing
from agents.record.moves import move_shadow
from agents.states import ShadowState
from agents.workspaces import workspaces
from people.models import User
from people.roles import Role
from review.deciding import decisions
from sandbox.store.snapshots import EMPTY
from tests.review.plans import MKDIR, WRITE, goal_of, person, proposed, step

pytestmark = pytest.mark.django_db(transaction=True)
ClientOf = Callable[[User], Client]
HOSTILE = "<script>alert(1)</script> \u202egnp.exe \x1b[31mred \u200bzero"


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, settings: Any) -> None:
    settings.DATA_DIR = tmp_path


def test_a_plan_that_changed_nothing_in_its_copy_although_a_change_is_asked_for_says_so(
    owner: User, make_goal: Any, make_workspace: Any, propose_plan: Any, client_of: ClientOf
) -> None:
    workspace = make_workspace(owner)
    workspaces.put_file(workspace, by=owner, path="fix_me.py", source=io.BytesIO(b"def add(a, b:\n"))
    goal = make_goal(owner, "fix fix_me.py", workspace=Workspace.objects.get(pk=workspace.pk))
    fixes = {"tool": "audit_and_improve", "command": "apply_fixes", "params": {"path": "fix_me.py"}}
    plan = propose_plan(goal, [fixes])
    told = "This plan changes nothing, but the goal asks to fix."
    assert told not in client_of(owner).get(plan.get_absolute_url()).content.decode(), "nobody knows yet"
    tried(plan)
    assert told in client_of(owner).get(plan.get_absolute_url()).content.decode()


def tried(plan: IntentPlan) -> ShadowRun:
    """The plan after its dry run in the real jail."""
    shadowing.ask(plan)
    shadow.one()
    run = shadowing.latest(plan)
    assert run is not None
    return run


def page(client: Client, plan: IntentPlan) -> str:
    response = client.get(plan.get_absolute_url())
    assert response.status_code == 200
    return response.content.decode()


def plain(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", "", html)).split())


def test_what_the_copy_became_is_on_the_page_deletions_first(
    submitter: User, reviewer: User, client_of: ClientOf
) -> None:
    workspace = Workspace.objects.create(name="w", owner=submitter, head=EMPTY)
    workspaces.put_file(workspace, by=submitter, path="old.txt", source=_file(b"to be lost\n"))
    switch = step("toggle_autonomous_mode", on=True)
    program = step("run", command_line="python -c \"print('seen', 6 * 7)\"")
    plan = proposed(
        goal_of(submitter, workspace=workspace), (MKDIR, WRITE, switch, step("rm", path="old.txt"), program)
    )
    run = tried(plan)
    assert run.state == ShadowState.DONE, run.reason
    html = page(client_of(reviewer), plan)
    text = plain(html)
    assert "Dry run" in text
    assert "Step 5 ended with exit code 0" in text
    assert "seen 42" in text
    assert "to be lost" in text
    assert text.index("old.txtdeleted") < text.index("notes/one.txtnew")
    assert "first line" in text
    assert text.count("second line") == 1, "what stands in the shadow's files is not repeated by the steps"


def test_a_step_that_would_fail_says_so(submitter: User, reviewer: User, client_of: ClientOf) -> None:
    plan = proposed(goal_of(submitter), (step("run", command_line="python -c 'raise SystemExit(7)'"), WRITE))
    tried(plan)
    text = plain(page(client_of(reviewer), plan))
    assert "Step 1 would fail" in text
    assert "exit code 7" in text
    assert "Step 2 was not reached" in text
    assert "second line" in text, "a step that was not reached is still shown in full"


def test_an_unproven_step_is_marked_at_its_place_and_told_from_the_steps(
    submitter: User, reviewer: User, client_of: ClientOf
) -> None:
    from dataclasses import replace

    unproven = replace(step("run", command_line="python x.py"), hosts=("example.org",))
    plan = proposed(goal_of(submitter), (MKDIR, WRITE, unproven))
    tried(plan)
    text = plain(page(client_of(reviewer), plan))
    assert "Step 3 is unproven: it uses the network" in text
    assert "unproven" in text.split("Dry run")[0]
    assert "runs python x.py" in text


def test_hostile_output_and_names_do_nothing_on_the_page(submitter: User, reviewer: User, client_of: ClientOf) -> None:
    plan = proposed(goal_of(submitter), (step("write", path=f"{HOSTILE[:20].replace('/', '')}x", content=HOSTILE),))
    run = tried(plan)
    finding = {**run.findings[0], "answer": {"return_code": 0, "stdout": HOSTILE, "stdout_is_cut": True}}
    ShadowRun.objects.filter(pk=run.pk).update(findings=[finding])
    html = page(client_of(reviewer), plan)
    assert "<script>alert(1)" not in html
    assert "\u202e" not in html
    assert "\x1b" not in html


def test_a_prediction_goes_stale_when_the_workspace_moves_and_can_be_made_again(
    submitter: User, reviewer: User, client_of: ClientOf
) -> None:
    plan = proposed(goal_of(submitter))
    tried(plan)
    client = client_of(reviewer)
    assert "The dry run used older files" not in plain(page(client, plan))
    workspaces.put_file(plan.workspace, by=submitter, path="new.txt", source=_file(b"x"))
    assert "The dry run used older files" not in plain(page(client, plan)), "this plan does not stand on that file"
    workspaces.put_file(plan.workspace, by=submitter, path="notes/one.txt", source=_file(b"x"))
    assert "The dry run used older files" in plain(page(client, plan))
    assert client.post(f"/review/{plan.pk}/try-again/").status_code == 302
    shadow.one()
    assert plan.shadow_runs.count() == 2
    assert "The dry run used older files" not in plain(page(client, plan))


def test_an_open_page_asks_until_the_run_has_ended(submitter: User, reviewer: User, client_of: ClientOf) -> None:
    plan = proposed(goal_of(submitter))
    run = shadowing.ask(plan)
    assert run is not None
    client = client_of(reviewer)
    assert "Dry run queued" in plain(page(client, plan))
    address = f"/review/{plan.pk}/shadow/"
    assert client.get(address, {"seen": f"{run.pk}-waiting"}).status_code == 204
    shadow.one()
    fresh = client.get(address, {"seen": f"{run.pk}-waiting"})
    assert fresh.status_code == 200
    assert fresh.content.decode().startswith('<div class="panes" id="panes">')
    assert client.get(address, {"seen": f"{run.pk}-done"}).status_code == 204


def test_a_run_that_was_impossible_says_why(submitter: User, reviewer: User, client_of: ClientOf) -> None:
    plan = proposed(goal_of(submitter))
    shadowing.ask(plan)
    run = shadowing.claim()
    assert run is not None
    move_shadow(run, ShadowState.IMPOSSIBLE, reason="no jail of level L3 here")
    text = plain(page(client_of(reviewer), plan))
    assert "No dry run: no jail of level L3 here" in text


def test_who_may_not_see_the_plan_learns_and_starts_nothing(
    submitter: User, stranger: User, client_of: ClientOf
) -> None:
    plan = proposed(goal_of(submitter))
    client = client_of(stranger)
    assert client.get(f"/review/{plan.pk}/shadow/").status_code == 404
    assert client.post(f"/review/{plan.pk}/try-again/").status_code == 404
    assert not plan.shadow_runs.exists()


def test_somebody_who_only_looks_has_nothing_tried(submitter: User, client_of: ClientOf) -> None:
    plan = proposed(goal_of(submitter))
    operator = person("looks", Role.OPERATOR)
    answer = client_of(operator).post(f"/review/{plan.pk}/try-again/")
    assert answer.status_code in (403, 404)
    assert not plan.shadow_runs.exists()


def test_a_tried_state_is_looked_at_and_never_taken_up(submitter: User, reviewer: User, client_of: ClientOf) -> None:
    plan = proposed(goal_of(submitter))
    run = tried(plan)
    client = client_of(submitter)
    name = plan.workspace.name
    assert client.get(f"/workspaces/{name}/history/compare/", {"from": run.base, "to": run.after}).status_code == 200
    back = client.post(f"/workspaces/{name}/history/{run.after}/back/", {"head": run.base})
    assert back.status_code == 404
    assert Workspace.objects.get(pk=plan.workspace_id).head == run.base


def test_after_the_end_the_page_says_whether_it_went_as_shown(
    submitter: User, reviewer: User, client_of: ClientOf
) -> None:
    from agents.cycle import cycle

    program = step("run", command_line="python -c \"open('when', 'w').write(__import__('os').urandom(8).hex())\"")
    plans = [proposed(goal_of(submitter)), proposed(goal_of(submitter), (program,))]
    for plan in plans:
        TerminalSession.objects.create(intent_plan=plan)
        tried(plan)
        decisions.approve(plan, by=reviewer, digest=plan.digest)
        cycle.work(plan.goal_id)
    client = client_of(reviewer)
    assert "it did exactly what is shown here" in plain(page(client, plans[0]))
    text = plain(page(client, plans[1]))
    assert "1 path turned out differently than in the dry run: when is different" in text


def _file(content: bytes) -> Any:
    import io

    return io.BytesIO(content)
