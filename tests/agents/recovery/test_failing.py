"""Failures as they are kept: corrected by operators, and classed by the rules they write."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agents.bdi.recovery.failures import Facts, Failure, FailureClass, Rule
from agents.models import ClassCorrection, FailureRecord, FailureRule, Goal, RecoveryStatistic
from agents.record.errors import NotPossibleNow, NotYours
from agents.recovery import failure_log, recovery_learning
from agents.recovery.failure_log import RuleRefused
from people.models import User
from review.models import AuditEntry

pytestmark = pytest.mark.django_db
Failed = Callable[..., FailureRecord]


@pytest.fixture
def failed(owner: User, make_goal: Callable[..., Goal]) -> Failed:
    """`failed(text=…, succeeded=…)`: a failure of a step as it is kept; settled where `succeeded` is given."""
    goal = make_goal(owner)

    def made(
        text: str = "quota exceeded", failure_class: str = "TOOL_EXECUTION_ERROR", succeeded: bool | None = None
    ) -> FailureRecord:
        facts = Facts(tool="simple_coder", command="run", exit_code=3, text=text)
        return FailureRecord.objects.create(
            goal=goal, stage="execution", tool="simple_coder", command="run", facts=facts.to_json(),
            classified_as=failure_class, failure_class=failure_class, reason="exit code 3",
            strategy="retry_with_delay", succeeded=succeeded,
            settled_at=None if succeeded is None else goal.created_at,
        )  # fmt: skip

    return made


UNKNOWN = Failure(FailureClass.UNKNOWN_ERROR, "x")
QUOTA = Rule(FailureClass.RATE_LIMIT_ERROR, "quota", tool="simple_coder", text="quota exceeded")


def test_an_operator_sees_what_a_rule_would_have_changed_before_it_is_saved(failed: Failed, operator: User) -> None:
    first, _, third = failed(), failed("other"), failed(failure_class="RATE_LIMIT_ERROR")
    found = failure_log.preview(QUOTA)
    assert (found.looked_at, found.fitting) == (3, 2)
    assert [(one.failure, one.to) for one in found.changed] == [(first, FailureClass.RATE_LIMIT_ERROR)]
    assert third.pk not in [one.failure.pk for one in found.changed]
    assert not FailureRule.objects.exists()
    failure_log.save_rule(QUOTA, by=operator)
    assert failure_log.classed(Facts.from_json(first.facts), UNKNOWN).failure_class is FailureClass.RATE_LIMIT_ERROR


def test_only_the_last_two_hundred_are_looked_at(failed: Failed) -> None:
    old = failed()
    FailureRecord.objects.bulk_create(
        FailureRecord(
            goal=old.goal, stage="execution", facts=Facts(text="other").to_json(), classified_as="UNKNOWN_ERROR",
            failure_class="UNKNOWN_ERROR", reason="x", strategy="graceful_abort",
        )
        for _ in range(failure_log.PREVIEWED)
    )  # fmt: skip
    assert (failure_log.preview(QUOTA).looked_at, failure_log.preview(QUOTA).fitting) == (200, 0)


def test_each_saved_version_is_a_row_and_the_newest_counts(operator: User) -> None:
    failure_log.save_rule(QUOTA, by=operator)
    row = failure_log.save_rule(Rule(FailureClass.NETWORK_ERROR, "quota", text="quota"), by=operator)
    assert [(one.name, one.number) for one in failure_log.in_force()] == [("quota", 2)]
    failure_log.save_rule(failure_log.rule_of(row), by=operator, enabled=False)
    assert failure_log.in_force() == []
    assert list(FailureRule.objects.order_by("number").values_list("number", "enabled")) == [
        (1, True),
        (2, True),
        (3, False),
    ]


@pytest.mark.parametrize(
    ("rule", "field"),
    [
        (Rule(FailureClass.NETWORK_ERROR, "", text="abc"), "name"),
        (Rule(FailureClass.NETWORK_ERROR, "x" * 81, text="abc"), "name"),
        (Rule(FailureClass.NETWORK_ERROR, "every failure"), "text"),
        (Rule(FailureClass.NETWORK_ERROR, "short", text="a"), "text"),
    ],
)
def test_a_rule_that_would_class_everything_is_refused(rule: Rule, field: str, operator: User) -> None:
    with pytest.raises(RuleRefused) as refused:
        failure_log.save_rule(rule, by=operator)
    assert refused.value.field == field
    assert not FailureRule.objects.exists()


def test_a_corrected_class_moves_the_case_to_the_other_statistic(failed: Failed, operator: User) -> None:
    row = failed(succeeded=True)
    recovery_learning.rebuild({("TOOL_EXECUTION_ERROR", "simple_coder", "retry_with_delay")})
    failure_log.correct(row, FailureClass.RATE_LIMIT_ERROR, by=operator, why="a quota")
    cases = dict(RecoveryStatistic.objects.values_list("failure_class", "cases"))
    assert cases == {"TOOL_EXECUTION_ERROR": 0, "RATE_LIMIT_ERROR": 1}
    row.refresh_from_db()
    assert (row.classified_as, row.failure_class) == ("TOOL_EXECUTION_ERROR", "RATE_LIMIT_ERROR")
    assert ClassCorrection.objects.get().by == operator
    assert AuditEntry.objects.filter(event="recovery", subject=f"failure:{row.pk}").count() == 1
    with pytest.raises(NotPossibleNow):
        failure_log.correct(row, FailureClass.RATE_LIMIT_ERROR, by=operator)


def test_nobody_but_an_operator_corrects_or_writes_rules(failed: Failed, owner: User, reviewer: User) -> None:
    row = failed()
    for person in (owner, reviewer):
        with pytest.raises(NotYours):
            failure_log.correct(row, FailureClass.NETWORK_ERROR, by=person)
        with pytest.raises(NotYours):
            failure_log.save_rule(QUOTA, by=person)
    row.refresh_from_db()
    assert row.failure_class == "TOOL_EXECUTION_ERROR"
    assert not FailureRule.objects.exists()


def test_failures_are_seen_with_the_rights_of_their_goal(failed: Failed, owner: User, outsider: User) -> None:
    row = failed()
    assert list(failure_log.visible_to(owner)) == [row]
    assert list(failure_log.visible_to(outsider)) == []
