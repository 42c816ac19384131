"""The stamp: another word after whatever the gate reads has changed, the same after all else, and what it costs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from agents.models import IntentPlan, Workspace
from agents.record import gate
from library.components.services import record_use
from library.models import Component, ComponentVersion
from mindx_web.operations.grants import grant, rights_of_tables
from people.models import User
from review.deciding import decisions
from review.models import Decision, PolicyVersion, ReviewPolicy
from review.policy.verdict import Action
from tests.cast import person
from tests.review.plans import goal_of, proposed
from tests.review.some_policies import in_force

pytestmark = pytest.mark.django_db
Change = Callable[[], object]
Off = Callable[[str, str], AbstractContextManager[None]]


@pytest.fixture
def approved(plan: IntentPlan, judge: User) -> IntentPlan:
    return decisions.approve(plan, by=judge, digest=plan.digest)


@pytest.fixture
def policy(keeper: User) -> ReviewPolicy:
    return in_force(Action.REQUIRE_TWO, keeper, commands=["rm"])


@pytest.fixture
def version(db: None) -> ComponentVersion:
    component = Component.objects.create(kind="rule", name="a rule")
    return ComponentVersion.objects.create(component=component, version="1", body="IF …", status="active")


def _version_of(policy: ReviewPolicy) -> PolicyVersion:
    return PolicyVersion.objects.create(
        policy=policy, number=policy.number + 1, action="forbid", conditions={}, owner=person("olga", "operator")
    )


def _other_rule() -> Component:
    return Component.objects.create(kind="rule", name="some other rule")


def test_it_is_another_after_each_change_of_what_the_gate_reads(
    approved: IntentPlan, judge: User, policy: ReviewPolicy, version: ComponentVersion, without_guard: Off
) -> None:
    policies, people = ReviewPolicy.objects.filter(pk=policy.pk), User.objects.filter(pk=judge.pk)
    written = PolicyVersion.objects.filter(policy=policy)
    components, versions = Component.objects.filter(pk=version.component_id), ComponentVersion.objects
    changes: dict[str, Change] = {
        "a policy was switched off": lambda: policies.update(state="suspended"),
        "another version of it counts": lambda: policies.update(number=2, replayed=2),
        "a version of it was written": lambda: _version_of(policy),
        "what a version says is another": lambda: written.filter(number=1).update(conditions={"commands": ["ls"]}),
        "another person answers for it": lambda: written.filter(number=1).update(owner=person("oda", "operator")),
        "a version is gone": lambda: written.filter(number=2).delete(),
        "a policy is there": lambda: ReviewPolicy.objects.create(name="another"),
        "a policy is gone": lambda: ReviewPolicy.objects.filter(name="another").delete(),
        "the approver may do other things": lambda: people.update(roles=["submitter"]),
        "the approver may do everything": lambda: people.update(is_superuser=True),
        "the approver has left": lambda: people.update(is_active=False),
        "a person was removed": lambda: person("nobody", "submitter").delete(),
        "a rule was withdrawn": lambda: versions.filter(pk=version.pk).update(status="retired"),
        "a rule has another text": lambda: versions.filter(pk=version.pk).update(body="IF …, …"),
        "a rule's version has another name": lambda: versions.filter(pk=version.pk).update(version="1.1"),
        "a rule has another name": lambda: components.update(name="another rule"),
        "a rule has a newer version": lambda: versions.create(component=version.component, version="2", body="IF"),
        "a rule's version is another's": lambda: versions.filter(version="2").update(component=_other_rule()),
        "a rule is no rule any more": lambda: components.update(kind="tool"),
        "a rule is gone": lambda: components.delete(),
    }
    words = [gate.stamp(approved.pk)]
    for what, change in changes.items():
        with without_guard("review_policyversion", "review_policyversion_is_append_only"):
            change()
        words.append(gate.stamp(approved.pk))
        assert words[-1] not in words[:-1], what


def test_it_stays_the_same_after_everything_else(
    approved: IntentPlan, judge: User, policy: ReviewPolicy, version: ComponentVersion
) -> None:
    granted = gate.stamp(approved.pk)
    judge.last_login = timezone.now()
    judge.save()
    ReviewPolicy.objects.filter(pk=policy.pk).update(replay={"plans": 3}, changed_at=timezone.now())
    record_use(version.pk, succeeded=True)
    person("newcomer", "reviewer")
    Component.objects.create(kind="tool", name="a tool")
    IntentPlan.objects.filter(pk=approved.pk).update(position=2)
    another = proposed(goal_of(judge, "Another goal"))
    decisions.reject(another, by=judge, digest=another.digest, reason="no")
    assert gate.stamp(approved.pk) == granted


def test_it_looks_at_no_row_of_other_plans(approved: IntentPlan, judge: User, submitter: User) -> None:
    others = [proposed(goal_of(submitter, f"Goal {number}")) for number in range(3)]
    for other in others:
        decisions.reject(other, by=judge, digest=other.digest, reason="no")
    with connection.cursor() as cursor:
        # As if there were many: a small table is read whole by whoever asks, as this connection may have planned it.
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("DISCARD PLANS")
        before = _rows_read(cursor)
        gate.stamp(approved.pk)
        read = {table: after - before[table] for table, after in _rows_read(cursor).items()}
        cursor.execute("DISCARD PLANS")
    assert read["review_decision"] <= 2, read
    assert read["review_approval"] <= 1, read
    assert read["people_user"] == read["review_policyversion"] == read["library_componentversion"] == 0, read
    assert Decision.objects.count() > 2


def _rows_read(cursor: object) -> dict[str, int]:
    """Rows that this transaction has read of each table, by an index or without."""
    cursor.execute(  # type: ignore[attr-defined]
        "SELECT relname, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables"
    )
    return dict(cursor.fetchall())  # type: ignore[attr-defined]


def test_what_was_counted_cannot_be_written_by_the_application() -> None:
    grant(connection, "mindx_app")
    assert rights_of_tables()["review_ground"] == ("SELECT",)


def test_a_change_that_nobody_counts_is_refused(policy: ReviewPolicy) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM review_ground WHERE name = 'policy'")
    with pytest.raises(IntegrityError, match="nothing counts"), transaction.atomic():
        ReviewPolicy.objects.filter(pk=policy.pk).update(state="suspended")


@pytest.mark.parametrize("column", ["document", "digest", "goal_id", "revision", "workspace_id", "plan_id"])
def test_what_an_approval_stands_on_cannot_be_changed(approved: IntentPlan, judge: User, column: str) -> None:
    other = proposed(goal_of(judge, "Another goal"))
    values = {
        "document": b"{}",
        "digest": "0" * 64,
        "revision": 7,
        "goal_id": goal_of(judge, "A goal without a plan").pk,
        "workspace_id": Workspace.objects.create(name="other", owner=judge).pk,
        "plan_id": other.plan_id,
    }
    with pytest.raises(IntegrityError, match="immutable"), transaction.atomic():
        IntentPlan.objects.filter(pk=approved.pk).update(**{column: values[column]})
