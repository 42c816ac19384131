"""What history says against a policy that approves: found when planted, silent on good history, decided by people."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from agents.evolution.auditing import proposing
from agents.models import EvolutionProposal, IntentPlan, Workspace, WorkspaceChange
from agents.record.errors import NotYours
from agents.record.moves import move_plan
from agents.states import PlanState
from people import sealing
from people.models import User
from people.roles import Role
from review.deciding import decisions
from review.models import ReviewPolicy
from review.policies import tightening, writing
from review.policy.states import PolicyState
from review.policy.verdict import Action
from sandbox.store.snapshots import EMPTY
from tests.review.plans import WRITE, goal_of, person, proposed, tried
from tests.review.some_policies import in_force

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]


@pytest.fixture
def policy(cases: None, keeper: User) -> ReviewPolicy:
    return in_force(Action.AUTO_APPROVE, keeper, "harmless", tools=["simple_coder"])


@pytest.fixture
def ran(policy: ReviewPolicy, submitter: User, keeper: User) -> Callable[..., list[IntentPlan]]:
    """`ran("name", 3, fails=True)`: plans in this workspace that the policy approved, and how they ended.

    Whenever mindX has suspended it after one, its owner has looked at it and enabled it again.
    """

    def made(workspace: str, count: int, *, fails: bool = False) -> list[IntentPlan]:
        at, _ = Workspace.objects.get_or_create(name=workspace, defaults={"owner": submitter, "head": EMPTY})
        return [_one(at, fails) for _ in range(count)]

    def _one(at: Workspace, fails: bool) -> IntentPlan:
        plan = proposed(goal_of(submitter, f"write in {at.name}", workspace=at), [WRITE])
        sealing.seal(tried(plan))
        version = policy.versions.get(number=1)
        approved = decisions.approve(plan, by=keeper, digest=plan.digest, via="policy", policy=version)
        ended = move_plan(
            move_plan(approved, PlanState.EXECUTING, by="w"), PlanState.FAILED if fails else PlanState.COMPLETE, by="w"
        )
        policy.refresh_from_db()
        if policy.state == PolicyState.SUSPENDED:
            writing.enable(policy, by=keeper, number=1)
        return ended

    return made


def approved_by_people(submitter: User, judge: User, count: int) -> None:
    for number in range(count):
        plan = proposed(goal_of(submitter, f"by a person {number}"), [WRITE])
        approved = decisions.approve(plan, by=judge, digest=plan.digest)
        move_plan(move_plan(approved, PlanState.EXECUTING, by="w"), PlanState.COMPLETE, by="w")


def found() -> list[EvolutionProposal]:
    proposing.refresh()
    return list(proposing.open_ones().filter(component_kind="policy"))


def test_a_policy_whose_plans_fail_in_one_workspace_is_proposed_to_be_narrowed(
    policy: ReviewPolicy, ran: Any, keeper: User, client_of: ClientOf
) -> None:
    ran("notes", 8)
    bad = ran("legacy", 4, fails=True)
    (row,) = found()
    assert (row.kind, row.cases, row.weight) == ("setting", 4, 4)
    assert row.says == "Narrow the policy “harmless”: leave out the workspace legacy"
    assert "4 of 12 plans that it approved failed" in row.why
    assert "it would have approved 8 of them, of which 0 ended badly. The other 4 would" in row.why
    assert set(row.goals) == {plan.goal_id for plan in bad}
    client = client_of(keeper)
    page = client.get("/evolution/").content.decode()
    assert f"goal {bad[0].goal_id}</a>" in page
    (address,) = re.findall(rf'href="(/review/policies/{policy.pk}/[^"]*narrow[^"]*)"', page)
    form = client.get(html.unescape(address)).content.decode()
    assert re.search(r'name="workspaces"[^>]*>notes</textarea>', form)
    assert "without the workspace legacy, of which 4 of 4 plans ended badly" in form
    policy.refresh_from_db()
    assert (policy.number, policy.state) == (1, "enabled"), "proposing changes nothing"

    version = policy.versions.get()
    sent = {"name": "harmless", "action": "auto_approve", "tools": "simple_coder", "workspaces": "notes", "budget": 3}
    assert version.expires_at is not None
    sent |= {"expires_on": version.expires_at.date().isoformat(), "sampling_percent": 0}
    assert client.post(f"/review/policies/{policy.pk}/edit/", sent).status_code == 302
    assert client.post(f"/review/policies/{policy.pk}/replay/").status_code == 302
    policy.refresh_from_db()
    assert policy.replay["own"] == {"plans": 12, "bad": 4, "again": 8, "again_bad": 0}
    told = client.get(f"/review/policies/{policy.pk}/").content.decode()
    assert "This version would approve 8 of them again, of which 0 ended badly." in told
    writing.enable(policy, by=keeper, number=2)
    assert found() == [], "what was narrowed is not proposed again"


def test_good_history_proposes_nothing(policy: ReviewPolicy, ran: Any, submitter: User, judge: User) -> None:
    approved_by_people(submitter, judge, 8)
    ran("notes", 6)
    ran("legacy", 6)
    assert found() == []
    ran("legacy", 2, fails=True)
    assert found() == [], "two are bad luck"


def test_a_policy_that_no_condition_mends_is_proposed_to_be_withdrawn(
    policy: ReviewPolicy, ran: Any, submitter: User, judge: User, keeper: User
) -> None:
    ran("notes", 2)
    ran("notes", 4, fails=True)
    assert found() == [], "without plans of people there is nothing to compare with"
    approved_by_people(submitter, judge, 12)
    (row,) = found()
    assert row.says == "Withdraw the policy “harmless”"
    assert row.why.startswith("4 of 6 plans that it approved failed, missed what was asked, or were undone. ")
    assert "Of the plans that people approved, 0 of 12 ended badly." in row.why
    writing.retire(policy, by=keeper)
    assert found() == []


def test_two_bad_ends_are_bad_luck_however_good_people_were(
    policy: ReviewPolicy, ran: Any, submitter: User, judge: User
) -> None:
    approved_by_people(submitter, judge, 12)
    ran("notes", 2, fails=True)
    assert found() == []


def test_what_people_took_back_counts_as_bad(policy: ReviewPolicy, ran: Any, judge: User) -> None:
    ran("notes", 8)
    undone = ran("legacy", 4)
    for plan in undone:
        plan.shadow_runs.update(after="a" * 64)
    assert found() == []
    WorkspaceChange.objects.create(
        workspace=undone[0].workspace, by=judge, kind="return", what="snapshot", before="a" * 64, after=EMPTY
    )
    (row,) = found()
    assert set(row.goals) == {plan.goal_id for plan in undone}


def test_a_return_from_before_or_of_a_plan_that_changed_nothing_is_no_undoing(
    policy: ReviewPolicy, ran: Any, judge: User
) -> None:
    from review.policies import endings

    (plan,) = ran("notes", 1)
    change = {"workspace": plan.workspace, "by": judge, "kind": "return", "before": "a" * 64, "after": EMPTY}
    WorkspaceChange.objects.create(**change)
    assert not endings.is_undone(plan, plan.decisions.get().at), "it had changed nothing"
    plan.shadow_runs.update(after="a" * 64)
    assert endings.is_undone(plan, plan.decisions.get().at)
    assert not endings.is_undone(plan, timezone.now()), "that was before it was approved"


def test_who_may_not_read_policies_sees_nothing_of_it_and_dismisses_nothing(
    policy: ReviewPolicy, ran: Any, judge: User, stranger: User, client_of: ClientOf, api_of: Any
) -> None:
    ran("notes", 8)
    ran("legacy", 4, fails=True)
    (row,) = found()
    developer = person("dev", Role.DEVELOPER, Role.SUBMITTER)
    for blind in (stranger, developer):
        assert "harmless" not in client_of(blind).get("/evolution/").content.decode()
        assert api_of(blind).get("evolution/proposals").json()["items"] == []
        with pytest.raises(NotYours):
            proposing.dismiss(row, by=blind, why="x")
        with pytest.raises(NotYours):
            proposing.restore(row, by=blind)
    at = f"evolution/proposals/{row.pk}/dismiss"
    assert api_of(developer).post(at, {"why": "x"}).status_code == 404
    assert client_of(developer).post(f"/evolution/{row.pk}/dismiss", {"why": "x"}).status_code == 404
    assert client_of(developer).post(f"/evolution/{row.pk}/restore").status_code == 404
    # A reviewer reads it and puts it aside; writing the policy takes an operator.
    page = client_of(judge).get("/evolution/").content.decode()
    assert f'href="/review/policies/{policy.pk}/"' in page
    assert "narrow=1" not in page
    assert client_of(judge).get(f"/review/policies/{policy.pk}/edit/?narrow=1").status_code == 403
    narrow = api_of(judge, "library:read", "library:write")
    assert narrow.get("evolution/proposals").json()["items"] == [], "a token without policies:read"
    assert narrow.post(at, {"why": "x"}).status_code == 404
    assert api_of(judge).post(at, {"why": "they know"}).status_code == 200
    assert "harmless" not in client_of(developer).get("/evolution/").content.decode(), "nor among those put aside"


def test_a_draft_is_its_writers_and_a_policy_that_restricts_approves_nothing(
    policy: ReviewPolicy, ran: Any, keeper: User
) -> None:
    ran("notes", 8)
    ran("legacy", 4, fails=True)
    in_force(Action.FORBID, keeper, "no removing", commands=["rm"])
    assert tightening.of(policy) is not None
    assert [row.component_name for row in found()] == [f"{policy.pk}/narrow"]
    ReviewPolicy.objects.filter(pk=policy.pk).update(state="draft")
    assert found() == []
