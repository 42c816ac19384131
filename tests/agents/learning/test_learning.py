"""An ended goal is remembered once and whole, wherever a worker dies or the database goes away over it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from types import ModuleType

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.beliefs import belief_rows, perceiving
from agents.components import candidates
from agents.cycle import cycle
from agents.insights import insight_cases
from agents.learning import learning
from agents.models import Goal, IntentPlan, LogLine, Plan, ShadowRun
from agents.plans import shadowing
from agents.record import wake_ups
from agents.record.lease import Lease, LeaseLost, claim
from agents.toolkit.types import Belief as Believed
from library.components import services as components
from library.memory import services as memory
from library.models import ComponentVersion, Experience
from people.models import User
from tests.agents.execution.conftest import approved as approved
from tests.agents.execution.conftest import write

pytestmark = pytest.mark.django_db(transaction=True)
Approved = Callable[..., IntentPlan]
FOLDER = {"tool": "simple_coder", "command": "mkdir", "params": {"path": "weather"}}
IDLE = {"tool": "simple_coder", "command": "deactivate_venv", "params": {}}


class Died(BaseException):
    """What no handler of the worker takes for an error."""


@pytest.fixture
def rule(reviewer: User) -> ComponentVersion:
    return components.publish("rule", "tidy up", "IF … THEN …", by=reviewer)


@pytest.fixture
def ended(approved: Approved, rule: ComponentVersion) -> IntentPlan:
    """A plan that a rule made and that has run; nobody has remembered its goal yet."""
    plan = approved([IDLE, IDLE])
    Plan.objects.filter(pk=plan.plan_id).update(evidence={"rule": {"component_version_id": rule.pk}})
    assert cycle.one(plan.goal_id) == plan.goal_id
    assert not Experience.objects.exists()
    return plan


def tried_in_a_copy(plan: IntentPlan) -> ShadowRun:
    """So that files are compared before the goal is remembered."""
    plan.shadow_runs.all().delete()
    return ShadowRun.objects.create(intent_plan=plan, number=9, state="done", findings=[])


def is_whole(plan: IntentPlan, rule: ComponentVersion) -> None:
    """The goal was remembered, exactly once, and nobody has it."""
    goal = Goal.objects.get(pk=plan.goal_id)
    assert (goal.learned_at is not None, goal.lease_until, goal.lease_owner) == (True, None, "")
    kept = Experience.objects.get()
    assert (kept.goal_ref, kept.final_outcome, kept.workflow_id) == (str(goal.pk), "unchecked", str(plan.pk))
    assert kept.sub_task_description.count("eactivate the virtual environment.") == 2
    rule.refresh_from_db()
    assert (rule.uses, rule.successes, rule.failures) == (1, 1, 0)
    lines = LogLine.objects.filter(goal=goal)
    assert lines.filter(text="remembered as an experience").count() == 1
    numbers = list(lines.order_by("number").values_list("number", flat=True))
    assert numbers == list(range(1, len(numbers) + 1))
    assert claim(goal.pk) is None


def test_it_is_claimed_and_remembered_in_one_transaction(ended: IntentPlan, rule: ComponentVersion) -> None:
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert cycle.one(ended.goal_id) is None, "nothing is left to do for it"
    said = [one["sql"] for one in asked if not one["sql"].startswith(("SAVEPOINT", "RELEASE"))]
    assert [one for one in said if one == "BEGIN"] == ["BEGIN"]
    assert len(said) <= 9, said
    is_whole(ended, rule)


def test_the_most_urgent_goal_is_named_when_it_was_remembered(ended: IntentPlan) -> None:
    assert cycle.one() == ended.goal_id, "others may wait behind it"
    assert cycle.one() is None


@pytest.mark.parametrize(
    ("where", "what"),
    [
        (components, "record_use"),
        (insight_cases, "judge_corrections"),
        (memory, "recording"),
        (memory, "recorded"),
        (wake_ups, "goal_changed"),
    ],
)
@pytest.mark.parametrize("apart", [False, True], ids=["with the claim", "after it"])
def test_a_worker_that_dies_there_leaves_all_of_it_to_the_next(
    ended: IntentPlan,
    rule: ComponentVersion,
    monkeypatch: pytest.MonkeyPatch,
    where: ModuleType,
    what: str,
    apart: bool,
) -> None:
    if apart:
        tried_in_a_copy(ended)
    real = getattr(where, what)

    def dies(*args: object, **named: object) -> None:
        real(*args, **named)
        raise Died

    monkeypatch.setattr(where, what, dies)
    with pytest.raises(Died):
        cycle.one(ended.goal_id)
    monkeypatch.undo()
    rule.refresh_from_db()
    assert (Experience.objects.count(), rule.uses) == (0, 0)
    goal = Goal.objects.get(pk=ended.goal_id)
    assert goal.learned_at is None
    assert (goal.lease_owner != "") is apart, "claimed with it, it was never claimed"
    Goal.objects.filter(pk=goal.pk, lease_until__isnull=False).update(lease_until=timezone.now() - timedelta(seconds=1))
    cycle.work(ended.goal_id)
    is_whole(ended, rule)


@pytest.mark.parametrize("apart", [False, True], ids=["with the claim", "after it"])
@pytest.mark.parametrize("when", ["before the commit", "after it"])
def test_a_database_that_goes_away_there_costs_nothing(
    ended: IntentPlan, rule: ComponentVersion, monkeypatch: pytest.MonkeyPatch, when: str, apart: bool
) -> None:
    if apart:
        tried_in_a_copy(ended)
    lines = LogLine.objects.filter(goal=ended.goal_id).count()
    real, cuts = connection.commit, list[int]()

    def cut() -> None:
        with connection.wrap_database_errors:
            (remembered,) = connection.connection.execute("SELECT count(*) FROM library_experience").fetchone()
        if cuts or not remembered:
            return real()
        cuts.append(1)
        if when == "after it":
            real()
        connection.connection.close()
        raise OperationalError("server closed the connection unexpectedly")

    monkeypatch.setattr(connection, "commit", cut)
    cycle.work(ended.goal_id)
    monkeypatch.undo()
    assert cuts == [1]
    is_whole(ended, rule)
    said = list(LogLine.objects.filter(goal=ended.goal_id).order_by("number").values_list("text", flat=True))[lines:]
    assert said == ["remembered as an experience"], "no turn began again"


def test_a_late_worker_remembers_nothing(ended: IntentPlan, rule: ComponentVersion) -> None:
    late = claim(ended.goal_id)
    assert late is not None
    Goal.objects.filter(pk=ended.goal_id).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert claim(ended.goal_id) is not None
    with pytest.raises(LeaseLost):
        learning.learn(late)
    rule.refresh_from_db()
    assert (Experience.objects.count(), rule.uses) == (0, 0)
    assert Goal.objects.get(pk=ended.goal_id).learned_at is None


def test_a_worker_that_was_overtaken_while_it_compared_files_remembers_nothing(
    ended: IntentPlan, rule: ComponentVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried_in_a_copy(ended)
    next_one: list[Lease | None] = []

    def slow(_: IntentPlan) -> None:
        Goal.objects.filter(pk=ended.goal_id).update(lease_until=timezone.now() - timedelta(seconds=1))
        next_one.append(claim(ended.goal_id))

    monkeypatch.setattr(shadowing, "compare_with_reality", slow)
    cycle.one(ended.goal_id)
    goal = Goal.objects.get(pk=ended.goal_id)
    assert next_one[0] is not None
    assert (Experience.objects.count(), goal.learned_at) == (0, None)
    assert goal.lease_fence == next_one[0].fence, "the other one still has it"


def test_files_are_compared_outside_any_transaction(
    ended: IntentPlan, rule: ComponentVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tried_in_a_copy(ended)
    real, inside = shadowing.compare_with_reality, list[bool]()

    def watched(plan: IntentPlan) -> None:
        inside.append(connection.in_atomic_block)
        real(plan)

    monkeypatch.setattr(shadowing, "compare_with_reality", watched)
    monkeypatch.setattr(candidates, "offer", lambda _: pytest.fail("it worked on no component"))
    cycle.work(ended.goal_id)
    run.refresh_from_db()
    assert run.surprises is not None
    assert inside == [False]
    is_whole(ended, rule)


def test_an_error_that_stays_is_told_and_tried_again_later(ended: IntentPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> int:
        raise RuntimeError("a bug")

    monkeypatch.setattr(insight_cases, "judge_corrections", fail)
    assert cycle.one(ended.goal_id) == ended.goal_id
    goal = Goal.objects.get(pk=ended.goal_id)
    assert (goal.learned_at, goal.lease_until is not None) == (None, True), "the next try is not at once"
    assert LogLine.objects.filter(goal=goal, stage="cycle", level="error").count() == 1


def test_what_is_left_of_its_parts_is_dropped_with_it(
    ended: IntentPlan, owner: User, make_goal: Callable[..., Goal]
) -> None:
    part = make_goal(owner, "Reconcile the ledger")
    Goal.objects.filter(pk=part.pk).update(parent=ended.goal_id)
    cycle.one(ended.goal_id)
    part.refresh_from_db()
    assert (part.state, part.reason.startswith("superseded")) == ("dropped", True)


def test_what_a_step_said_is_remembered(approved: Approved) -> None:
    plan = approved([write("notes.md", "one")])
    cycle.work(plan.goal_id)
    intent = plan.intents.get()
    kept = Experience.objects.get()
    assert kept.output_summary == str((intent.result or {}).get("message") or "").strip()
    assert kept.output_summary
    signals = {"revisions": 1, "tries": 1, "error_type": ""}
    assert kept.feedback_signals == {**signals, "verdict": "approved", "edits": 0, "correction_needed": False}
    assert ["approved the plan" in said for said in kept.key_decisions_made] == [False, True]
    assert kept.tags == [plan.workspace.name]
    assert kept.timestamp == Goal.objects.get(pk=plan.goal_id).ended_at


@pytest.mark.parametrize("copied", [True, False])
def test_what_its_steps_changed_is_perceived_at_the_end_and_what_was_so_before_is_history(
    approved: Approved, client_of: Callable[[User], Client], owner: User, copied: bool
) -> None:
    before = "There is no file or folder named weather."
    plan = approved([FOLDER], text="Make the folder weather")
    if copied:
        tried_in_a_copy(plan)
    belief_rows.perceived(plan.goal, [Believed(before, "perception", 1.0, "")])
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).learned_at is not None
    held = set(plan.goal.beliefs.filter(retracted_by="").values_list("sentence", flat=True))
    assert "There is a folder named weather." in held
    assert before not in held
    # What its plan was made from is what a later goal is compared with.
    assert before in Experience.objects.get().input_context_summary
    page = client_of(owner).get(f"/goals/{plan.goal_id}/beliefs/").content.decode()
    now, _, earlier = page.partition('id="earlier-beliefs"')
    assert "There is a folder named weather." in now
    assert before not in now
    assert before in earlier


def test_a_goal_whose_files_are_gone_is_remembered_all_the_same(
    approved: Approved, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object) -> list[Believed]:
        raise KeyError("no such snapshot")

    plan = approved([write("a.txt")])
    monkeypatch.setattr(perceiving, "perceive", gone)
    cycle.work(plan.goal_id)
    assert Experience.objects.exists()
