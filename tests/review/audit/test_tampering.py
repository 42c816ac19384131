"""A byte changed in what is stored of an approved plan, by somebody who owns the database: no step runs after it.

Every case changes one field of the document, the approval or a decision past the triggers that guard them, and then
asks what the executor asks at a claim and before a step. A seed is printed; TEST_SEED repeats a run.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from agents.execution import beginning, executor, gate_check
from agents.models import Attempt, Goal, IntentPlan
from agents.plans.reporting import Running
from agents.record import gate
from agents.record.lease import Lease
from agents.states import PlanState
from people.models import User
from review.deciding import decisions
from review.models import Approval, Decision
from review.policy.verdict import Action
from tests.review.plans import MKDIR, WRITE, goal_of, proposed, step
from tests.review.some_policies import in_force

CASES = 1_000
SEED = int(os.environ.get("TEST_SEED", secrets.randbelow(1_000_000)))
GUARDS = (
    ("agents_intentplan", "intent_plan_immutable"),
    ("review_approval", "review_approval_is_append_only"),
    ("review_decision", "review_decision_is_append_only"),
)
Value = Callable[[Any, random.Random], Any]


@dataclass(frozen=True)
class Field:
    """One column of one row, and how its value is changed into another one."""

    table: str
    row: int
    column: str
    changed: Value
    # Columns that a check of the database ties to this one, which the owner therefore changes with it.
    along: tuple[str, ...] = ()
    # Where the run stands, which every step moves: a worker under way takes nothing from it, `advance.sql` compares it.
    is_progress: bool = False

    @property
    def name(self) -> str:
        return f"{self.table}.{self.column}"


@pytest.fixture
def unguarded(db: None) -> Iterator[None]:
    """The tables as their owner can make them: without the triggers that refuse a change."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table, trigger in GUARDS:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER {trigger}")
        yield
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table, trigger in GUARDS:
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER {trigger}")


@pytest.fixture
def approved(submitter: User, judge: User, second_judge: User, keeper: User) -> IntentPlan:
    """Approved by two people, one of whom had taken their word back and given it again."""
    in_force(Action.REQUIRE_TWO, keeper, commands=["write"])
    later = step("write", path="notes/two.txt", content="third line\n")
    plan = proposed(goal_of(submitter), [MKDIR, WRITE, later], cleanup=[step("ls", path=".")])
    decisions.approve(plan, by=judge, digest=plan.digest, comment="go on")
    decisions.withdraw(plan, by=judge, digest=plan.digest)
    decisions.approve(plan, by=judge, digest=plan.digest)
    return decisions.approve(plan, by=second_judge, digest=plan.digest, comment="me too", tries=2)


@pytest.fixture
def other(submitter: User, judge: User, approved: IntentPlan) -> IntentPlan:
    """Another plan with a decision of its own, to which rows can be pointed."""
    plan = proposed(goal_of(submitter, "Another goal"), [MKDIR])
    decisions.reject(plan, by=judge, digest=plan.digest, reason="no")
    return plan


def _text(value: str, rng: random.Random) -> str:
    """Another text: a character changed, added or removed."""
    at = rng.randrange(len(value) + 1)
    ways = [value[:at] + chr(rng.randrange(33, 126)) + value[at:], value + " "]
    if value:
        at = rng.randrange(len(value))
        ways += [value[:at] + value[at + 1 :], value[:at] + chr(ord(value[at]) ^ 1) + value[at + 1 :], value.swapcase()]
    return rng.choice([way for way in ways if way != value])


def _hex(value: str, rng: random.Random) -> str:
    """Another text of hex digits of the same length."""
    at = rng.randrange(len(value)) if value else 0
    digits = [digit for digit in "0123456789abcdef" if digit != value[at : at + 1]]
    return (value[:at] + rng.choice(digits) + value[at + 1 :]) if value else "0" * 64


def _bytes(value: bytes, rng: random.Random) -> bytes:
    """Other bytes: one changed, added or removed."""
    at = rng.randrange(len(value))
    flipped = bytes([value[at] ^ (1 << rng.randrange(8))])
    return rng.choice(
        [value[:at] + flipped + value[at + 1 :], value[:at] + b" " + value[at:], value[:at] + value[at + 1 :]]
    )


def _json(value: str, rng: random.Random) -> str:
    """Another JSON value, also such that Python would take for the same one."""
    ways = ["null", "[]", "false", '""', "{}", '{"tries": 2.0}', '{"tries": 5}', '{"tries": 2, "x": 1}', '{"a": 1e400}']
    return rng.choice([way for way in ways if json.loads(way) != json.loads(value) or way == '{"tries": 2.0}'])


def _moment(value: Any, rng: random.Random) -> Any:
    from datetime import timedelta

    return value + timedelta(microseconds=rng.choice([-1, 1, 1_000_000, -86_400_000_000]))


def _one_of(*values: Any) -> Value:
    return lambda value, rng: rng.choice([one for one in values if one != value])


def _fields(plan: IntentPlan, other: IntentPlan, stranger: User) -> list[Field]:
    approval = Approval.objects.get(intent_plan=plan)
    free = Decision.objects.get(intent_plan=other).pk
    people = [stranger.pk, *User.objects.values_list("pk", flat=True)]
    found = [
        Field("agents_intentplan", plan.pk, "document", _bytes),
        Field("agents_intentplan", plan.pk, "digest", _hex, along=("approved_digest",)),
        Field("agents_intentplan", plan.pk, "workspace_id", _one_of(other.workspace_id)),
        Field("agents_intentplan", plan.pk, "revision", _one_of(2, 7)),
        Field("agents_intentplan", plan.pk, "position", _one_of(2, 3, 4), is_progress=True),
        Field("agents_intentplan", plan.pk, "aborting", _one_of("an earlier step failed"), is_progress=True),
        Field("review_approval", approval.pk, "intent_plan_id", _one_of(other.pk)),
        Field("review_approval", approval.pk, "decision_id", _one_of(free, *_decisions(plan))),
        Field("review_approval", approval.pk, "digest", _hex),
        Field("review_approval", approval.pk, "by_id", _one_of(*people)),
        Field("review_approval", approval.pk, "envelope", _json),
        Field("review_approval", approval.pk, "at", _moment),
        Field("review_approval", approval.pk, "mac", _hex),
    ]
    for row in _decisions(plan):
        found += [
            Field("review_decision", row, "intent_plan_id", _one_of(other.pk)),
            Field("review_decision", row, "digest", _hex),
            Field("review_decision", row, "verdict", _one_of(*Decision.Verdict.values)),
            Field("review_decision", row, "by_id", _one_of(*people)),
            Field("review_decision", row, "via", _text),
            Field("review_decision", row, "comment", _text),
            Field("review_decision", row, "edits", _json),
            Field("review_decision", row, "policy_id", _one_of(_any_policy())),
            Field("review_decision", row, "at", _moment),
            Field("review_decision", row, "previous_hash", _hex),
            Field("review_decision", row, "hash", _hex),
        ]
    return found


def _decisions(plan: IntentPlan) -> list[int]:
    return list(Decision.objects.filter(intent_plan=plan).values_list("pk", flat=True))


def _any_policy() -> int:
    from review.models import PolicyVersion

    return PolicyVersion.objects.values_list("pk", flat=True)[0]


def _change(field: Field, rng: random.Random) -> None:
    """Change the field of the stored row into something else."""
    with connection.cursor() as cursor:
        kind = "::text" if field.column in ("envelope", "edits") else ""
        cursor.execute(f"SELECT {field.column}{kind} FROM {field.table} WHERE id = %s", [field.row])
        (value,) = cursor.fetchone()
        value = bytes(value) if isinstance(value, memoryview) else value
        new = field.changed(value, rng)
        columns = ", ".join(f"{column} = %s" for column in (field.column, *field.along))
        cursor.execute(
            f"UPDATE {field.table} SET {columns} WHERE id = %s", [new] * (1 + len(field.along)) + [field.row]
        )


class _Undo(Exception):
    """Take a case back."""


def test_a_byte_changed_anywhere_a_thousand_times_and_no_step_runs(
    approved: IntentPlan, other: IntentPlan, stranger: User, unguarded: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []
    monkeypatch.setattr(executor.Executor, "run", lambda self: ran.append("it runs"))
    print(f"seed {SEED}")  # noqa: T201  # pytest shows it when the test fails
    rng = random.Random(SEED)
    granted = gate.check(IntentPlan.objects.get(pk=approved.pk))
    assert granted.allowed, granted.reason
    fields = _fields(approved, other, stranger)
    tried: Counter[str] = Counter()
    for number, field in enumerate(_order(fields, len(bytes(approved.document)), rng)):
        if tried.total() == CASES:
            break
        try:
            with transaction.atomic():
                _change(field, rng)
                # What the executor asks at a claim and before a step, and one in twenty times the executor itself.
                assert not gate.check(IntentPlan.objects.select_related("workspace").get(pk=approved.pk)).allowed, field
                assert field.is_progress or gate.stamp(approved.pk) != granted.stamp, field
                if number % 20 == 0:
                    _nothing_runs(approved, granted, field)
                assert not ran, field
                tried[field.name] += 1
                raise _Undo
        except _Undo:
            continue
        except IntegrityError:
            continue  # the database has a constraint against exactly this
    assert tried.total() == CASES
    assert set(tried) == {field.name for field in fields}, "every field was met"


def _order(fields: Sequence[Field], size: int, rng: random.Random) -> Iterator[Field]:
    """Each field once, then any of them; the document, which is most of what is stored, about four in ten times."""
    yield from fields
    weights = [size / 40 if field.column == "document" else 1 for field in fields]
    while True:
        yield rng.choices(fields, weights)[0]


def _nothing_runs(plan: IntentPlan, granted: gate.Verdict, field: Field) -> None:
    """A worker that claims the plan now, and one that has claimed it before and comes to the next step."""
    Goal.objects.filter(pk=plan.goal_id).update(lease_fence=7, lease_owner="a test")
    lease = Lease(plan.goal_id, 7, "a test")
    with contextlib.suppress(_Undo), transaction.atomic():
        if (begun := beginning.begin(lease)) is not None:
            executor.execute(lease, begun)
        assert IntentPlan.objects.get(pk=plan.pk).state != PlanState.APPROVED, field
        raise _Undo
    if field.is_progress:
        return
    step_one = plan.intents.all()[0]
    attempt = Attempt.objects.create(intent=step_one, number=1, fence=7, worker="a test", started=plan.created_at)
    with pytest.raises(gate_check.Refused):
        gate_check.before_a_try(lease, plan, Running(attempt.pk, 1, 1, ""), granted)
    assert Attempt.objects.get(pk=attempt.pk).outcome == "refused"
