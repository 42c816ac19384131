"""A goal is broken down into goals of its own: shown, reviewed each, made once, and not without end."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from agents.bdi.planning import means_ends
from agents.cycle import cycle
from agents.goals import goal_terms, goals, sub_goals
from agents.models import Goal, IntentPlan, SubGoal, Workspace
from agents.pages.goals import goal_tree
from agents.plans import goal_families, proposals
from agents.record import lease as leases
from agents.record.errors import NotPossibleNow
from agents.record.lease import claimable
from agents.states import GoalState
from agents.toolkit import parts
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import PlanDraft
from people.models import User
from tests.agents.bdi.worlds import known
from tests.agents.execution.conftest import approved as approved
from tests.forging import forge

pytestmark = pytest.mark.django_db(transaction=True)


def part(name: str, text: str = "", after: str = "", workspace: str = "") -> dict[str, Any]:
    """A step that adds a sub-goal."""
    params = {"name": name, "text": text or f"Write {name}.txt", "after": after, "workspace": workspace}
    return {"tool": "sub_goals", "command": "add", "params": params}


def wrong(goal: Goal, *steps: Mapping[str, Any]) -> str:
    return "; ".join(one.message for one in proposals.draft_by_hand(goal, steps, (), by=goal.submitted_by)[1])


def ended(goal: Goal, state: GoalState, outcome: str = "") -> None:
    """As if the sub-goal had come to this end."""
    Goal.objects.filter(pk=goal.pk).update(state=state.value, outcome=outcome)


def children_of(goal: Goal) -> dict[str, Goal]:
    return {row.name: row.goal for row in SubGoal.objects.filter(parent=goal).select_related("goal") if row.goal}


@pytest.fixture
def divided(approved: Callable[..., IntentPlan]) -> Goal:
    """A goal whose plan has run: `report` waits for `count`, `other` has a workspace of its own."""
    plan = approved([part("count"), part("report", after="count"), part("other", workspace="elsewhere")])
    assert not SubGoal.objects.exists(), "nothing is there before the plan runs"
    cycle.one(plan.goal_id)
    return Goal.objects.get(pk=plan.goal_id)


def test_sub_goals_are_made_once_the_plan_has_ended_and_wait_for_one_another(divided: Goal) -> None:
    assert (divided.state, divided.children.count()) == (GoalState.BLOCKED, 0)
    cycle.one(divided.pk)
    made = children_of(divided)
    assert list(made) == ["count", "report", "other"]
    assert {one.parent_id for one in made.values()} == {divided.pk}
    assert [one.state for one in made.values()] == ["pending", "blocked", "pending"]
    assert list(made["report"].depends_on.all()) == [made["count"]]
    assert made["count"].workspace_id == made["report"].workspace_id == divided.workspace_id
    assert made["other"].workspace.name == "elsewhere"
    assert made["other"].workspace.owner_id == divided.submitted_by_id
    assert {one.submitted_by_id for one in made.values()} == {divided.submitted_by_id}
    divided.refresh_from_db()
    assert divided.reason.startswith("waits for its sub-goals: goal ")
    assert divided.pk not in claimable(50), "nothing takes the goal up again while a part of it is open"


def test_each_sub_goal_has_a_plan_of_its_own_to_review(divided: Goal) -> None:
    cycle.one(divided.pk)
    count = children_of(divided)["count"]
    cycle.one(count.pk)
    count.refresh_from_db()
    assert count.state in (GoalState.AWAITING_REVIEW, GoalState.MANUAL), "nobody approved anything of it"


def test_the_goal_is_achieved_when_all_of_its_sub_goals_are(divided: Goal) -> None:
    cycle.one(divided.pk)
    made = children_of(divided)
    for name in ("count", "report"):
        ended(made[name], GoalState.ACHIEVED, "achieved")
    assert divided.pk not in claimable(50)
    ended(made["other"], GoalState.ACHIEVED, "achieved")
    assert divided.pk in claimable(50)
    cycle.one(divided.pk)
    divided.refresh_from_db()
    assert (divided.state, divided.outcome) == (GoalState.ACHIEVED, "achieved")


def test_a_goal_says_which_of_its_sub_goals_failed(divided: Goal) -> None:
    cycle.one(divided.pk)
    made = children_of(divided)
    ended(made["count"], GoalState.FAILED)
    cycle.one(made["report"].pk)
    made["report"].refresh_from_db()
    assert made["report"].state == GoalState.FAILED, "it waits for one that failed"
    ended(made["other"], GoalState.ACHIEVED, "achieved")
    cycle.one(divided.pk)
    divided.refresh_from_db()
    assert divided.state == GoalState.FAILED
    assert f"goal {made['count'].pk} (count) ended as failed" in divided.reason
    assert "(other)" not in divided.reason


@pytest.mark.parametrize("outcome", ["check_failed", "handed_over"])
def test_a_sub_goal_that_missed_what_was_asked_or_asked_people_shows_in_the_whole(divided: Goal, outcome: str) -> None:
    cycle.one(divided.pk)
    for name, child in children_of(divided).items():
        ended(child, GoalState.ACHIEVED, outcome if name == "other" else "achieved")
    cycle.one(divided.pk)
    divided.refresh_from_db()
    assert (divided.state, divided.outcome) == (GoalState.ACHIEVED, outcome)
    assert f"(other) ended as {outcome.replace('_', ' ')}" in divided.reason


def test_a_worker_that_dies_between_two_sub_goals_leaves_none_and_the_next_makes_each_once(
    divided: Goal, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = goals.submit
    made: list[Goal] = []

    def dies(**kwargs: Any) -> Goal:
        if len(made) == 2:
            raise SystemExit("killed")
        made.append(real(**kwargs))
        return made[-1]

    with monkeypatch.context() as broken:
        broken.setattr(goals, "submit", dies)
        with pytest.raises(SystemExit):
            cycle.one(divided.pk)
    assert len(made) == 2
    assert divided.children.count() == 0
    assert not Workspace.objects.filter(name="elsewhere").exists()
    Goal.objects.filter(pk=divided.pk).update(lease_until=None)
    cycle.one(divided.pk)
    Goal.objects.filter(pk=divided.pk).update(lease_until=None)
    cycle.one(divided.pk)
    assert sorted(divided.children.values_list("text", flat=True)) == [
        "Write count.txt",
        "Write other.txt",
        "Write report.txt",
    ]


def test_a_late_worker_makes_no_second_set(divided: Goal) -> None:
    late = leases.claim(divided.pk)
    assert late is not None
    Goal.objects.filter(pk=divided.pk).update(lease_until=None)
    cycle.one(divided.pk)
    with pytest.raises(leases.LeaseLost):
        sub_goals.go_on(late)
    assert divided.children.count() == 3


def test_the_step_tried_again_adds_no_second_sub_goal(
    approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    from agents.actors.step_model_calls import Means
    from agents.plans import sub_goals as steps
    from agents.states import PlanState

    plan = approved([part("count")])
    Goal.objects.filter(pk=plan.goal_id).update(state=GoalState.EXECUTING.value)
    IntentPlan.objects.filter(pk=plan.pk).update(state=PlanState.EXECUTING.value)
    params, means = part("count")["params"], Means(goal=plan.goal_id)
    assert steps.add(params, {}, means) == steps.add(params, {}, means)
    assert SubGoal.objects.count() == 1


def test_of_a_plan_that_fails_no_sub_goal_is_made(approved: Callable[..., IntentPlan]) -> None:
    no_such = {"tool": "simple_coder", "command": "read", "params": {"path": "missing.txt"}}
    plan = approved([part("count"), no_such])
    for _ in range(5):
        cycle.one(plan.goal_id)
    goal = Goal.objects.get(pk=plan.goal_id)
    assert goal.state != GoalState.BLOCKED
    assert goal.children.count() == 0


def test_what_was_not_approved_adds_nothing(owner: User, make_goal: Callable[..., Goal]) -> None:
    from agents.actors.step_model_calls import Means
    from agents.plans import sub_goals as steps
    from agents.record.errors import NotYours

    for means in (Means(), Means(goal=make_goal(owner).pk)):
        with pytest.raises(NotYours):
            steps.add(part("count")["params"], {}, means)
    assert not SubGoal.objects.exists()


def test_loops_are_refused(owner: User, make_goal: Callable[..., Goal]) -> None:
    goal = make_goal(owner, text="Tidy  up.")
    assert "cannot wait for itself" in wrong(goal, part("one", after="one"))
    assert "Put two before it" in wrong(goal, part("one", after="two"), part("two", after="one"))
    assert "no such sub-goal" in wrong(goal, part("one", after="three"))
    assert "Rename one" in wrong(goal, part("one"), part("one", text="Something else"))
    assert "broken down for ever" in wrong(goal, part("one", text="tidy up"))
    child = make_goal(owner, text="A part")
    Goal.objects.filter(pk=child.pk).update(parent=goal)
    child.refresh_from_db()
    assert "broken down for ever" in wrong(child, part("one", text="TIDY UP!"))
    assert wrong(child, part("one")) == ""


def test_depth_and_number_have_limits(owner: User, make_goal: Callable[..., Goal]) -> None:
    chain = [make_goal(owner, text=f"level {number}") for number in range(parts.MOST_LEVELS)]
    for above, below in itertools.pairwise(chain):
        Goal.objects.filter(pk=below.pk).update(parent=above)
    assert wrong(chain[-2], part("one")) == ""
    assert "levels deep" in wrong(chain[-1], part("one"))
    many = [part(f"p{number}") for number in range(parts.MOST_PARTS + 1)]
    assert wrong(chain[0], *many[:-1]) == ""
    assert f"{parts.MOST_PARTS} sub-goals at most" in wrong(chain[0], *many)
    for number in range(parts.MOST_IN_TREE):
        make_goal(owner, text=f"part {number}", parent=chain[1])
    assert "at most" in wrong(chain[0], part("one")), "those of the sub-goals count too"


def test_a_clean_up_adds_none_and_foreign_files_are_refused(
    owner: User, reviewer: User, make_goal: Callable[..., Goal]
) -> None:
    goal = make_goal(owner)
    Workspace.objects.create(name="theirs", owner=reviewer, head=goal.workspace.head)
    assert "may not change" in wrong(goal, part("one", workspace="theirs"))
    found = proposals.draft_by_hand(goal, [part("one")], [part("two")], by=owner)[1]
    assert [one.message for one in found] == ["A clean-up adds no sub-goals."]


def test_cancelling_the_goal_drops_its_sub_goals(divided: Goal, owner: User) -> None:
    cycle.one(divided.pk)
    goals.cancel(divided, by=owner)
    goal_families.drop_orphans()
    assert {one.state for one in divided.children.all()} == {"dropped"}


def test_what_can_no_longer_be_made_fails_the_goal_with_the_reason(divided: Goal, reviewer: User) -> None:
    Workspace.objects.create(name="elsewhere", owner=reviewer, head=divided.workspace.head)
    cycle.one(divided.pk)
    divided.refresh_from_db()
    assert divided.state == GoalState.FAILED
    assert divided.reason.startswith("sub_goals_not_made: No workspace")
    assert divided.children.count() == 0


def test_dependencies_do_not_start_a_goal_that_waits_for_its_parts(divided: Goal, owner: User) -> None:
    cycle.one(divided.pk)
    divided.refresh_from_db()
    with pytest.raises(NotPossibleNow):
        goal_terms.change(divided, by=owner, depends_on=[children_of(divided)["count"]])


def test_a_rule_breaks_a_goal_down() -> None:
    rule = """
IF your task is to publish the figures of {name}

THEN:
    add the sub-goal count with the text "Count the lines of the file {name}"
    add the sub-goal report with the text "Write a report" after count
"""
    draft = means_ends.plan("Publish the figures of sales.csv", known(rule), [], REGISTRY)
    assert isinstance(draft, PlanDraft), draft
    assert [step.values()["text"] for step in draft.steps] == [
        "Count the lines of the file sales.csv",
        "Write a report",
    ]
    assert [step.values()["after"] for step in draft.steps] == ["", "count"]


def test_the_tree_is_drawn_on_the_page_and_told_by_the_api_to_those_who_may_see_it(
    divided: Goal, owner: User, client_of: Callable[[User], Any], api_of: Callable[..., Any], outsider: User
) -> None:
    cycle.one(divided.pk)
    made = children_of(divided)
    page = client_of(owner).get(f"/goals/{made['report'].pk}/").content.decode()
    assert "Sub-goals" in page
    assert f"goal {made['count'].pk}, count" in page
    assert f"after goal {made['count'].pk}" in page
    told = api_of(owner).get(f"goals/{made['report'].pk}/tree").json()
    assert told["id"] == str(divided.pk)
    assert [(one["name"], one["here"]) for one in told["parts"]] == [
        ("count", False),
        ("report", True),
        ("other", False),
    ]
    assert told["parts"][1]["waits_for"] == [str(made["count"].pk)]
    assert api_of(outsider).get(f"goals/{divided.pk}/tree").status_code == 404


def test_a_part_of_somebody_elses_goal_shows_nothing_of_it(owner: User, outsider: User, make_goal: Any) -> None:
    whole, own = make_goal(owner), make_goal(outsider)
    Goal.objects.filter(pk=own.pk).update(parent=whole)
    below = make_goal(outsider, parent=own)
    tree = goal_tree.of(below, outsider)
    assert tree is not None
    assert [one.pk for one in tree] == [own.pk, below.pk]


@pytest.mark.parametrize(
    "forgery",
    [
        "INSERT INTO agents_subgoal (key, parent_id, number, name, text, after, workspace, at)"
        " SELECT repeat('f', 64), parent_id, 9, 'more', 'delete everything', '[]', '', now()"
        " FROM agents_subgoal WHERE name = 'count'",
        "UPDATE agents_subgoal SET text = 'delete everything' WHERE name = 'count'",
        "UPDATE agents_subgoal SET workspace = 'theirs' WHERE name = 'count'",
        "UPDATE agents_goal SET submitted_by_id = (SELECT id FROM people_user WHERE username = 'rita')"
        " WHERE id = (SELECT parent_id FROM agents_subgoal WHERE name = 'count')",
    ],
)
def test_of_a_forged_row_no_sub_goal_is_made(divided: Goal, reviewer: User, forgery: str) -> None:
    assert forge(forgery) == 1
    said = StringIO()
    with pytest.raises(CommandError):
        call_command("audit", "verify", stdout=said, stderr=said)
    cycle.one(divided.pk)
    divided.refresh_from_db()
    assert divided.state == GoalState.FAILED
    assert "is not as mindX stored it" in divided.reason
    assert not divided.children.exists()
