"""Everything that the gate needs for a plan, read in one exchange with the database."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from agents.models import IntentPlan
from agents.record import prepared
from people.journal import Event
from people.models import User
from review.models import Approval, Decision

# A function of the database (migration 0002): one value for all rows read here that somebody could change.
STAMP = "review_stamp"
# Read in an earlier statement: a change between the two is in the rows, and changes the next stamp.
_STAMP = f"SELECT {STAMP}(plan.id) FROM agents_intentplan plan WHERE {{which}}"  # noqa: S608  # words of our own
# The journal and the link of the chain before the approval can be changed by nobody, and where the plan stands is the
# worker's own doing: they are not in the stamp.
_READ = f"""
SELECT
    (SELECT jsonb_agg(to_jsonb(approval)) FROM review_approval approval WHERE approval.intent_plan_id = plan.id),
    (SELECT jsonb_agg(to_jsonb(decision) ORDER BY decision.id) FROM review_decision decision WHERE decision.id IN (
        SELECT id FROM review_decision WHERE intent_plan_id = plan.id
        UNION SELECT decision_id FROM review_approval WHERE intent_plan_id = plan.id)),
    EXISTS (SELECT FROM review_reviewpolicy),
    (SELECT jsonb_agg(told.data->'decision') FROM review_auditentry told
     WHERE told.event = '{Event.DECISION.value}' AND told.subject = 'plan:' || plan.id),
    (SELECT before.hash FROM review_decision before
     WHERE before.id < (SELECT decision_id FROM review_approval WHERE intent_plan_id = plan.id)
     ORDER BY before.id DESC LIMIT 1),
    (SELECT jsonb_agg(DISTINCT CASE WHEN intent.state IN ('succeeded', 'skipped') THEN intent.state
                               ELSE intent.state || ' ' || intent.position END)
     FROM agents_intent intent
     WHERE intent.intent_plan_id = plan.id AND intent.phase = 'main'
       AND (plan.aborting <> '' OR intent.position < plan.position)),
    (SELECT jsonb_build_array(person.is_active, person.username, person.first_name, person.last_name)
     FROM review_approval JOIN people_user person ON person.id = review_approval.by_id
     WHERE review_approval.intent_plan_id = plan.id)
FROM agents_intentplan plan
WHERE {{which}}
"""  # noqa: S608  # words of our own
# `{which}` is a condition on the plan.
READS = (_STAMP, _READ)
_ASKED = [each.replace("{which}", "plan.id = %(plan)s") for each in READS]


@dataclass(frozen=True)
class Grounds:
    """The rows that an answer is based on, and their `stamp`.

    `named` are the decisions that the journal names, `before` is the hash of the link before the approval's, `passed`
    the states of the steps before the plan's position, and `open_steps` those of them that have not ended well, by
    position. `policies`: whether there are any, even disabled ones, because a row's state counts only with its seal.
    """

    stamp: str
    approval: Approval | None
    decisions: Sequence[Decision]
    named: frozenset[int]
    before: str
    passed: frozenset[str]
    policies: bool
    open_steps: Mapping[int, str] = field(default_factory=dict)


def read(plan: IntentPlan, rows: Sequence[prepared.Row] | None = None) -> Grounds:
    """The current rows of the plan. Approval and decisions are as stored, linked to each other and to the person.

    `rows` are those of READS, if they were read already. For another plan they contain no approval of this one.
    """
    stamped, row = rows or prepared.together([(each, {"plan": plan.pk}) for each in _ASKED])
    if stamped is None or row is None:
        return Grounds("", None, (), frozenset(), "", frozenset(), policies=True)
    approvals, decided, policies, named, before, passed, approver = row
    decisions = [_decision(one) for one in _read(decided)]
    approval = _approval(_read(approvals)[0], decisions) if approvals else None
    if approval is not None and approver:
        approval.by = _approver(approval.by_id, _read(approver))
    return Grounds(
        stamp=stamped[0] or "",
        approval=approval,
        decisions=[one for one in decisions if one.intent_plan_id == plan.pk],
        named=frozenset(_read(named)),
        before=before or "",
        passed=frozenset(state.partition(" ")[0] for state in _read(passed)),
        policies=policies,
        open_steps={int(at): state for state, _, at in (one.partition(" ") for one in _read(passed)) if at},
    )


def _read(found: str | None) -> list[Any]:
    """A JSON array; empty if Postgres returns none."""
    read: list[Any] = json.loads(found) if found else []
    return read


def _decision(row: Mapping[str, Any]) -> Decision:
    return Decision(**{**row, "at": datetime.fromisoformat(row["at"])})


def _approval(row: Mapping[str, Any], decisions: Sequence[Decision]) -> Approval:
    approval = Approval(**{**row, "at": datetime.fromisoformat(row["at"])})
    made = next((one for one in decisions if one.pk == approval.decision_id), None)
    if made is not None:
        approval.decision = made
    return approval


def _approver(by_id: int, words: Sequence[Any]) -> User:
    """The approver, with the fields that the gate needs."""
    is_active, username, first_name, last_name = words
    return User(pk=by_id, username=username, first_name=first_name, last_name=last_name, is_active=is_active)
