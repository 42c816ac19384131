"""A part is approved and runs, the rest has a recorded result; an edit is a new revision that planning keeps to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from django.db import transaction

from agents.bdi.plans import document as documents
from agents.cycle import cycle
from agents.models import Belief, Goal, IntentPlan, Workspace
from agents.plans import earlier_plans, kept_edits, proposals
from agents.record.errors import PlanInvalid, StaleDigest
from agents.record.moves import move_goal
from agents.states import GoalState
from agents.workspaces.stores import store
from people.models import User
from review.audit import decision_chain
from review.deciding import decisions, editing
from review.errors import DecisionRefused, WordsRefused
from review.models import Approval, Decision

pytestmark = pytest.mark.django_db(transaction=True)
Make = Callable[..., IntentPlan]


def write(path: str, content: str = "x") -> dict[str, Any]:
    return {"tool": "simple_coder", "command": "write", "params": {"path": path, "content": content}}


def mkdir(path: str) -> dict[str, Any]:
    return {"tool": "simple_coder", "command": "mkdir", "params": {"path": path}}


@pytest.fixture(autouse=True)
def _word_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.library.vectors import install

    install(monkeypatch)


@pytest.fixture
def made(owner: User, make_goal: Callable[..., Goal]) -> Make:
    """`made(steps)`: an intent plan that awaits review."""

    def make(steps: Sequence[Mapping[str, Any]], cleanup: Sequence[Mapping[str, Any]] = ()) -> IntentPlan:
        goal = make_goal(owner)
        draft, problems = proposals.draft_by_hand(goal, steps, cleanup, by=owner)
        assert problems == []
        with transaction.atomic():
            locked = Goal.objects.select_for_update(no_key=True).get(pk=goal.pk)
            move_goal(locked, GoalState.PLANNING, by="a test")
            return proposals.propose(locked, draft, by=owner)

    return make


def _paths(workspace: Workspace) -> set[bytes]:
    return {entry.path for entry in store().entries(Workspace.objects.get(pk=workspace.pk).head)}


FOUR = (mkdir("a"), write("a/one.txt"), mkdir("b"), write("b/two.txt"))


def test_a_part_runs_with_what_it_stands_on_and_nothing_else(made: Make, reviewer: User) -> None:
    plan = made(FOUR)
    part = editing.approve_part(plan, by=reviewer, digest=plan.digest, intents=[2], reason="b is not ours", rest="drop")
    assert part.pk != plan.pk
    assert [(one.command, one.state) for one in part.intents.all()] == [("mkdir", "pending"), ("write", "pending")]
    cycle.work(plan.goal_id)
    goal = Goal.objects.get(pk=plan.goal_id)
    assert goal.state == GoalState.ACHIEVED
    assert _paths(plan.workspace) == {b"a", b"a/one.txt"}
    old = {one.position: (one.state, one.reason) for one in plan.intents.all()}
    assert old[3] == ("skipped", f"not approved by {reviewer.username}: b is not ours")
    assert old[1][0] == "pending", "what runs has its results in the revision that runs"
    approval = Approval.objects.get()
    assert (approval.intent_plan_id, approval.digest) == (part.pk, part.digest)
    edits = approval.decision.edits
    assert (edits["from_digest"], [one["position"] for one in edits["left_out"]]) == (plan.digest, [3, 4])
    assert decision_chain.walk().broken is None


def test_the_rest_is_planned_again_with_the_reason_and_never_the_same(made: Make, reviewer: User) -> None:
    plan = made(FOUR)
    editing.approve_part(plan, by=reviewer, digest=plan.digest, intents=[1, 2], reason="two.txt is still read")
    cycle.work(plan.goal_id)
    goal = Goal.objects.get(pk=plan.goal_id)
    assert goal.state == GoalState.MANUAL, "no rule plans this goal, so a person is asked"
    assert _paths(plan.workspace) == {b"a", b"a/one.txt"}
    sentences = Belief.objects.filter(goal=goal, source="person").values_list("sentence", flat=True)
    assert any("two.txt is still read" in sentence for sentence in sentences)
    draft, _ = proposals.draft_by_hand(goal, FOUR, [], by=reviewer)
    again = kept_edits.fitted(goal, draft, earlier_plans.of(goal))
    assert getattr(again, "reason", "") == "refused_step_again"


def test_all_steps_are_the_ordinary_approval(made: Make, reviewer: User) -> None:
    plan = made(FOUR)
    same = editing.approve_part(plan, by=reviewer, digest=plan.digest, intents=[2, 4], reason="")
    assert (same.pk, same.state) == (plan.pk, "approved")


@pytest.mark.parametrize(
    ("intents", "more", "field"),
    [
        ([], {}, "intents"),
        ([9], {}, "intents"),
        ([0], {}, "intents"),
        ([2], {"reason": ""}, "reason"),
        ([2], {"reason": "x\u202e"}, "reason"),
        ([2], {"rest": "whatever"}, "rest"),
        ([2], {"tries": 99}, "tries"),
    ],
)
def test_what_is_no_part_is_refused_and_nothing_happens(
    made: Make, reviewer: User, intents: list[int], more: dict[str, Any], field: str
) -> None:
    plan = made(FOUR)
    given = {"reason": "because"} | more
    with pytest.raises(WordsRefused) as refused:
        editing.approve_part(plan, by=reviewer, digest=plan.digest, intents=intents, **given)
    assert refused.value.field == field
    plan.refresh_from_db()
    assert plan.state == "awaiting_review"
    assert plan.goal.intent_plans.count() == 1
    assert not Decision.objects.exists()


def test_who_may_not_decide_approves_no_part_and_edits_nothing(made: Make, owner: User) -> None:
    plan = made(FOUR)
    with pytest.raises(DecisionRefused):
        editing.approve_part(plan, by=owner, digest=plan.digest, intents=[2], reason="x")
    with pytest.raises(DecisionRefused):
        editing.edit(plan, by=owner, digest=plan.digest, position=1, params={"path": "c"})
    assert not Decision.objects.exists()


def test_another_digest_approves_no_part_and_edits_nothing(made: Make, reviewer: User) -> None:
    plan = made(FOUR)
    for digest in ("", "0" * 64, plan.digest.upper(), plan.digest[:-1]):
        with pytest.raises(StaleDigest):
            editing.approve_part(plan, by=reviewer, digest=digest, intents=[2], reason="x")
        with pytest.raises(StaleDigest):
            editing.edit(plan, by=reviewer, digest=digest, position=1, params={"path": "c"})
    assert not Decision.objects.exists()


def test_an_edit_is_a_new_revision_with_the_original_kept(made: Make, reviewer: User) -> None:
    plan = made(FOUR)
    revision = editing.edit(
        plan, by=reviewer, digest=plan.digest, position=2, params={"path": "a/uno.txt", "content": "x"}
    )
    plan.refresh_from_db()
    assert (plan.state, revision.state, revision.revision) == ("superseded", "awaiting_review", 2)
    assert not Approval.objects.exists(), "an edit approves nothing"
    spec = documents.read(bytes(revision.document)).intents[1]
    path = next(one for one in spec.parameters if one.name == "path")
    assert (path.value, path.origin, path.original) == ("a/uno.txt", "person", "a/one.txt")
    decision = Decision.objects.get()
    assert (decision.verdict, decision.digest) == ("edit", plan.digest)
    assert decision.edits["changes"] == {"path": ["a/one.txt", "a/uno.txt"]}
    assert decision_chain.walk().broken is None
    with pytest.raises(StaleDigest):
        decisions.approve(plan, by=reviewer, digest=plan.digest)


def test_the_planner_keeps_to_an_edit(made: Make, reviewer: User) -> None:
    plan = made(FOUR)
    editing.edit(plan, by=reviewer, digest=plan.digest, position=2, params={"path": "a/uno.txt", "content": "x"})
    goal = Goal.objects.get(pk=plan.goal_id)
    draft, _ = proposals.draft_by_hand(goal, FOUR, [], by=reviewer)
    planned = kept_edits.fitted(goal, draft, earlier_plans.of(goal))
    assert [step.params["path"].value for step in planned.steps] == ["a", "a/uno.txt", "b", "b/two.txt"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "params",
    [
        {"path": "../outside", "content": "x"},
        {"path": "a/one.txt"},
        {"path": "a/one.txt", "content": "x", "superfluous": 1},
        {"path": 7, "content": "x"},
        {"path": "{{intents.1.result.message}}", "content": "x"},
    ],
)
def test_an_edit_is_validated_like_any_plan(made: Make, reviewer: User, params: dict[str, Any]) -> None:
    plan = made(FOUR)
    with pytest.raises(PlanInvalid):
        editing.edit(plan, by=reviewer, digest=plan.digest, position=2, params=params)
    plan.refresh_from_db()
    assert plan.state == "awaiting_review"
    assert Goal.objects.get(pk=plan.goal_id).wishes == []
    assert not Decision.objects.exists()


def test_an_edit_that_changes_nothing_is_none(made: Make, reviewer: User) -> None:
    plan = made(FOUR)
    values = dict(documents.read(bytes(plan.document)).intents[1].params)
    with pytest.raises(WordsRefused):
        editing.edit(plan, by=reviewer, digest=plan.digest, position=2, params=values)
    with pytest.raises(WordsRefused):
        editing.edit(plan, by=reviewer, digest=plan.digest, position=12, params={})


def test_a_change_to_the_stored_edits_breaks_the_chain(made: Make, reviewer: User, without_guard: Any) -> None:
    plan = made(FOUR)
    editing.edit(plan, by=reviewer, digest=plan.digest, position=2, params={"path": "a/uno.txt", "content": "x"})
    with without_guard("review_decision", "review_decision_is_append_only"):
        Decision.objects.update(edits={})
    assert decision_chain.walk().broken is not None
