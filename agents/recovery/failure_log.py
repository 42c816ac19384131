"""Failures as they are kept: classified with the operators' rules of this moment, corrected by them afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.db import transaction
from django.db.models import Max, OuterRef, QuerySet, Subquery

from agents.actors.tuning_rights import check_operator
from agents.bdi.recovery.failures import Facts, Failure, FailureClass, Rule, classified
from agents.models import ClassCorrection, FailureRecord, FailureRule, Goal
from agents.record.errors import NotPossibleNow
from agents.record.selectors import sees_everything
from agents.recovery import recovery_learning
from people import journal
from people.journal import Event
from people.models import User

# Before a rule is saved, so many of the newest failures are shown as they would be with it.
PREVIEWED = 200
MOST_RULES = 200


class RuleRefused(ValueError):
    """A rule that cannot be saved; `field` is the one at fault."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True)
class Changed:
    """A stored failure that a rule would class otherwise than it is classed now."""

    failure: FailureRecord
    to: FailureClass


@dataclass(frozen=True)
class Preview:
    """What a rule would have made of the newest failures: how many it fits, and which of them change."""

    looked_at: int
    fitting: int
    changed: tuple[Changed, ...]


def in_force() -> list[FailureRule]:
    """The newest version of each rule that is not switched off, newest first."""
    newest = FailureRule.objects.filter(name=OuterRef("name")).order_by("-number").values("pk")[:1]
    return list(FailureRule.objects.filter(pk=Subquery(newest), enabled=True).order_by("-pk")[:MOST_RULES])


def rule_of(row: FailureRule) -> Rule:
    """The pure pattern of a row."""
    return Rule(
        FailureClass(row.failure_class),
        row.name,
        row.pk or 0,
        row.stage,
        row.tool,
        row.command,
        row.error_class,
        row.exit_code,
        row.limit,
        row.host,
        row.text,
    )


def classed(facts: Facts, found: Failure) -> Failure:
    """`found`, unless a rule that is in force now fits these facts: then what that one says."""
    rules = [rule_of(row) for row in in_force()]
    fitting = [rule for rule in rules if rule.fits(facts)]
    return classified(facts, fitting) if fitting else found


def visible_to(user: User) -> QuerySet[FailureRecord]:
    """The failures of the goals this person may see, newest first."""
    rows = FailureRecord.objects.select_related("goal__submitted_by").order_by("-pk")
    return rows if sees_everything(user) else rows.filter(goal__submitted_by=user)


def correct(failure: FailureRecord, new: FailureClass, *, by: User, why: str = "") -> FailureRecord:
    """Say that a recorded failure is of another class; statistics of both classes follow. Raises NotYours and
    NotPossibleNow (it is of that class already).
    """
    check_operator(by)
    with transaction.atomic():
        row = FailureRecord.objects.select_for_update(no_key=True).get(pk=failure.pk)
        old = row.failure_class
        if old == new.value:
            raise NotPossibleNow(f"This failure is of class {old} already.")
        ClassCorrection.objects.create(failure=row, old=old, new=new.value, why=why.strip()[:300], by=by)
        row.failure_class = new.value
        row.save(update_fields=["failure_class"])
        recovery_learning.rebuild({(old, row.tool, row.cell_strategy), (new.value, row.tool, row.cell_strategy)})
        changed = {"before": {"class": old}, "after": {"class": new.value}, "why": why}
        journal.record(Event.RECOVERY, by=by, subject=f"failure:{row.pk}", data=changed)
    return row


def preview(rule: Rule, *, of: Sequence[FailureRecord] | None = None) -> Preview:
    """What the newest failures would be with this rule in force beside the others, its own earlier version aside."""
    rows = list(FailureRecord.objects.order_by("-pk")[:PREVIEWED]) if of is None else list(of)
    # It would be the newest: of two rules that say equally much it wins.
    candidate = replace(rule, version=1 << 62)
    rules = [rule_of(row) for row in in_force() if row.name != rule.name]
    changed, fitting = [], 0
    for row in rows:
        facts = Facts.from_json(row.facts)
        if not candidate.fits(facts):
            continue
        fitting += 1
        found = classified(facts, [*rules, candidate]).failure_class
        if found.value != row.failure_class:
            changed.append(Changed(row, found))
    return Preview(len(rows), fitting, tuple(changed))


def check_rule(rule: Rule) -> None:
    """Raise RuleRefused for a rule without a name, or one that would class what it is not about."""
    if not rule.name.strip():
        raise RuleRefused("name", "Give the rule a name.")
    if len(rule.name) > 80:
        raise RuleRefused("name", "A name has at most 80 characters.")
    if not rule.conditions:
        raise RuleRefused("text", "Set at least one condition: a rule without any would class every failure.")
    if rule.text and len(rule.text.strip()) < 3:
        raise RuleRefused("text", "Words to look for are three characters or more.")


def save_rule(rule: Rule, *, by: User, note: str = "", enabled: bool = True) -> FailureRule:
    """Keep a rule as the next version of its name; it counts from the next failure on. Raises NotYours, RuleRefused."""
    check_operator(by)
    check_rule(rule)
    with transaction.atomic():
        earlier = FailureRule.objects.filter(name=rule.name)
        number = (earlier.aggregate(last=Max("number"))["last"] or 0) + 1
        row = FailureRule.objects.create(
            name=rule.name.strip(),
            number=number,
            stage=rule.stage,
            tool=rule.tool,
            command=rule.command,
            error_class=rule.error_class,
            exit_code=rule.exit_code,
            limit=rule.limit,
            host=rule.host,
            text=rule.text,
            failure_class=rule.failure_class.value,
            enabled=enabled,
            note=note.strip()[:300],
            by=by,
        )
        after = {"rule": row.name, "version": number, "class": row.failure_class, "enabled": enabled}
        told = {"after": {**after, "if": rule.conditions}, "why": row.note}
        journal.record(Event.RECOVERY, by=by, subject=f"failure_rule:{row.name}", data=told)
    return row


def rule_versions() -> list[FailureRule]:
    """Every rule's newest version, switched-off ones too, newest first."""
    newest = FailureRule.objects.filter(name=OuterRef("name")).order_by("-number").values("pk")[:1]
    rows = FailureRule.objects.filter(pk=Subquery(newest)).select_related("by")
    return list(rows.order_by("-enabled", "-pk")[:MOST_RULES])


def newest_of(goal: Goal) -> FailureRecord | None:
    """The goal's last failure."""
    return goal.failures.order_by("-pk").first()
