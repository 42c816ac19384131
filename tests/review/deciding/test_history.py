"""What of earlier steps counts for the risk of a plan, and how its page says so."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import unescape

import pytest
from django.test import Client

from agents.bdi.plans.document import IntentSpec
from agents.models import IntentPlan
from agents.record.moves import move_plan
from agents.states import PlanState
from people.models import User
from review.entries import risks
from review.models import PlanRisk, QueueEntry
from review.queue import listing
from tests.review.plans import MKDIR, WRITE, goal_of, proposed, step, tried

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
JOB = step("run", command_line="python job.py")
OTHER = step("run", command_line="python other.py")
CLEANUP = (step("toggle_autonomous_mode", on=True), step("rm", path="notes"))


def done(owner: User, steps: Sequence[IntentSpec], times: int, *, cleanup: Sequence[IntentSpec] = ()) -> None:
    """Plans of these steps that ran and ended well; the clean-up was never needed."""
    for number in range(times):
        plan = proposed(goal_of(owner, f"earlier {number}"), steps, cleanup=cleanup)
        move_plan(plan, PlanState.REJECTED, by="a test")
        plan.intents.filter(phase="main").update(state="succeeded")
        plan.intents.filter(phase="cleanup").update(state="skipped")


def page(client: Client, plan: IntentPlan) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", "", client.get(plan.get_absolute_url()).content.decode())).split())


def test_a_plan_of_a_rule_that_worked_thirteen_times_is_known_whatever_its_clean_up(
    submitter: User, judge: User, client_of: ClientOf
) -> None:
    done(submitter, [MKDIR, WRITE], 13, cleanup=CLEANUP)
    plan = proposed(goal_of(submitter), [MKDIR, WRITE], cleanup=CLEANUP)
    tried(plan)
    risk = PlanRisk.objects.get(intent_plan=plan)
    assert (risk.level, [step["failures"]["cases"] for step in risk.steps]) == ("medium", [13, 13, 0, 0])
    assert risk.after_failure is not None
    assert risk.after_failure["level"] == "medium"
    assert QueueEntry.objects.get(pk=plan.pk).level == "medium"
    text = page(client_of(judge), plan)
    assert "0 of 13 mkdir steps failed" in text
    assert "0 of 13 write steps for .txt files failed" in text
    assert "so far" not in text
    assert "Only after a failure: Risk medium" in text


def test_runs_of_one_program_say_nothing_of_another(submitter: User, judge: User, client_of: ClientOf) -> None:
    done(submitter, [OTHER], 13)
    assert risks.counts() == {("simple_coder", "run", "python other.py"): (0, 13)}
    plan, known = (proposed(goal_of(submitter), [one]) for one in (JOB, OTHER))
    tried(plan)
    tried(known)
    assert [one.risk.level for one in IntentPlan.objects.filter(pk__in=[plan.pk, known.pk])] == ["medium", "unknown"]
    # Said once for the plan, not again at each step.
    unknown = page(client_of(judge), plan)
    assert unknown.count("so far") == 1
    assert "step 1: fewer than 10 cases so far" in unknown
    assert "0 of 13 runs of python other.py failed" in page(client_of(judge), known)


def test_what_has_just_failed_in_the_copy_never_fails_0_percent(
    submitter: User, judge: User, client_of: ClientOf
) -> None:
    done(submitter, [JOB], 13)
    plan = proposed(goal_of(submitter), [JOB])
    tried(plan)
    assert "fails 0 %" in page(client_of(judge), plan)
    tried(plan, failed_at=1)
    text = page(client_of(judge), plan)
    assert "fails 0 %" not in text
    assert "Risk high failed in dry run" in text
    assert "It failed in its dry run. Before that: 0 of 13 runs of python job.py failed" in text


def test_a_failed_shadow_run_raises_a_plan_in_the_queue_and_its_row_says_so(
    submitter: User, judge: User, client_of: ClientOf
) -> None:
    done(submitter, [JOB], 13)
    plans = [proposed(goal_of(submitter, f"goal {number}"), [JOB]) for number in range(3)]
    for plan in plans:
        tried(plan)
    assert [row.plan for row in listing.page(judge, None)[0]] == plans
    client = client_of(judge)
    assert "failed in the dry run" not in client.get("/review/").content.decode()
    tried(plans[2], failed_at=1)
    rows, _ = listing.page(judge, None)
    assert [row.plan for row in rows] == [plans[2], plans[0], plans[1]]
    assert rows[0].reason == "step 1: it failed in the dry run, priority 3"
    assert client.get("/review/").content.decode().count("<strong>Step 1 failed in the dry run") == 1


def test_a_risk_that_was_stored_before_history_was_counted_by_program_is_still_shown(
    submitter: User, judge: User, client_of: ClientOf
) -> None:
    plan = proposed(goal_of(submitter), [JOB])
    rate = {"worked": 0, "cases": 13, "percent": 0, "low": 0, "high": 23}
    old = [{"position": 1, "level": "low", "reasons": [], "failures": rate}]
    PlanRisk.objects.create(intent_plan=plan, level="low", rank=3, steps=old)
    text = page(client_of(judge), plan)
    assert "n = 13" in text
    assert "runs of" not in text
