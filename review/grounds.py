"""All that the gate looks at around a plan, read in one statement."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from agents import prepared
from agents.models import IntentPlan
from people.journal import Event
from people.models import User
from review.models import Approval, Decision

# The function's answer holds the stamp of what it reads; beside it stands what nobody can change (the journal, the link
# of the chain before the approval) and what the worker itself moves on.
_READ = f"""
SELECT grounds::text,
    (SELECT jsonb_agg(told.data->'decision') FROM review_auditentry told
     WHERE told.event = '{Event.DECISION.value}' AND told.subject = 'plan:' || plan.id),
    (SELECT before.hash FROM review_decision before
     WHERE before.id < (SELECT decision_id FROM review_approval WHERE intent_plan_id = plan.id)
     ORDER BY before.id DESC LIMIT 1),
    (SELECT jsonb_agg(DISTINCT intent.state) FROM agents_intent intent
     WHERE intent.intent_plan_id = plan.id AND intent.phase = 'main'
       AND (plan.aborting <> '' OR intent.position < plan.position)),
    (SELECT jsonb_build_array(person.username, person.first_name, person.last_name)
     FROM review_approval JOIN people_user person ON person.id = review_approval.by_id
     WHERE review_approval.intent_plan_id = plan.id)
FROM agents_intentplan plan, review_grounds(plan.id) grounds
WHERE plan.id = %(plan)s
"""  # noqa: S608  # a word of our own


@dataclass(frozen=True)
class Grounds:
    """What an answer stands on, and the `stamp` of exactly that.

    `named` are the decisions that the journal tells of, `before` is the hash of the link before the approval's,
    `passed` the states of the steps that the plan's position has passed. `policies`: whether any is in force.
    """

    stamp: str
    approval: Approval | None
    decisions: Sequence[Decision]
    named: frozenset[int]
    before: str
    passed: frozenset[str]
    policies: bool


def read(plan: IntentPlan) -> Grounds:
    """What there is about the plan now. Approval and decisions are as stored, and lead to each other and the person."""
    row = prepared.row(_READ, {"plan": plan.pk})
    if row is None:
        return Grounds("", None, (), frozenset(), "", frozenset(), policies=True)
    found, named, before, passed, words = row
    stamp, (_, approvals, decided, policies, persons, _) = json.loads(found)
    decisions = [_decision(one) for one in decided or ()]
    approval = _approval(approvals[0], decisions) if approvals else None
    if approval is not None and words:
        approval.by = _approver(approval.by_id, persons or (), json.loads(words))
    return Grounds(
        stamp=stamp or "",
        approval=approval,
        decisions=[one for one in decisions if one.intent_plan_id == plan.pk],
        named=frozenset(json.loads(named)) if named else frozenset(),
        before=before or "",
        passed=frozenset(json.loads(passed)) if passed else frozenset(),
        policies=any(policy["state"] == "enabled" for policy in policies or ()),
    )


def _decision(row: Mapping[str, Any]) -> Decision:
    return Decision(**{**row, "at": datetime.fromisoformat(row["at"])})


def _approval(row: Mapping[str, Any], decisions: Sequence[Decision]) -> Approval:
    approval = Approval(**{**row, "at": datetime.fromisoformat(row["at"])})
    made = next((one for one in decisions if one.pk == approval.decision_id), None)
    if made is not None:
        approval.decision = made
    return approval


def _approver(by_id: int, persons: Sequence[Sequence[Any]], words: Sequence[str]) -> User:
    """The approver, as far as the gate asks about them."""
    is_active = any(person[0] == by_id and person[1] is True for person in persons)
    username, first_name, last_name = words
    return User(pk=by_id, username=username, first_name=first_name, last_name=last_name, is_active=is_active)
