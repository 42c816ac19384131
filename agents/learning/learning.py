"""After the end: what a goal taught becomes an experience, and its rule's record is kept.

What it is made of is read in one statement, and all that comes of it is written in one transaction, mostly the one that
claims the goal: whoever goes on after a worker that died here finds all of it or nothing. Where files are looked at
first, because its steps changed some, the plan was tried in a copy or the goal worked on a component, the goal is
claimed before that.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from agents.bdi.learning import remembering
from agents.bdi.learning.remembering import Ended, Recovery, Revision
from agents.beliefs import belief_rows, perceiving
from agents.beliefs.perceiving import Place
from agents.components import candidates
from agents.execution import database_outage
from agents.insights import insight_cases
from agents.learning import changed_plans, uses
from agents.models import Goal, IntentPlan
from agents.plans import goal_families, shadowing
from agents.record import logs, prepared, signals, wake_ups
from agents.record.lease import Lease, LeaseLost
from agents.record.logs import NewLine
from agents.toolkit.types import Belief as Believed
from library.memory import services as memory
from sandbox.contract import SandboxError

logger = logging.getLogger(__name__)
_READ = (Path(__file__).parent / "learning.sql").read_text()
_CLOSE = """
UPDATE agents_goal SET learned_at = clock_timestamp(), lease_until = NULL, lease_owner = ''
WHERE id = %(goal)s AND lease_fence = %(fence)s AND learned_at IS NULL
RETURNING id
"""
_REMEMBERED = NewLine("bdi_agent", "learn", "remembered as an experience")


@dataclass(frozen=True)
class _Found:
    """An ended goal as it is read. `was_tried`: in a copy, and nobody has compared that with what came of it.
    `has_copy`: of a component, which nobody has offered. `has_parts`: goals that have not ended. `files`: the snapshot
    that its steps left, "" where they changed nothing. `has_key`: it was submitted under one, as calls are.
    """

    ended: Ended
    ended_at: datetime | None
    owner: int
    is_learned: bool
    was_tried: bool
    has_copy: bool
    has_parts: bool
    files: str
    has_key: bool


def learn_with_claim(lease: Lease) -> bool:
    """Within the transaction that has claimed the ended goal: remember it, once, and give the lease back.

    False, and nothing done, where files are looked at first.
    """
    found = _read(lease)
    if found.was_tried or found.has_copy or found.files:
        return False
    _remember(lease, found)
    return True


def learn(lease: Lease) -> None:
    """Record the ended goal as an experience, once, and give the lease back. The embeddings follow on their own."""
    found = _read(lease)
    if found.was_tried and found.ended.revision is not None:
        shadowing.compare_with_reality(IntentPlan.objects.get(pk=found.ended.revision.id))
    if found.has_copy:
        candidates.offer(Goal.objects.select_related("workspace", "submitted_by").get(pk=lease.goal_id))
    seen = _perceived(lease.goal_id, found.files) if found.files else None
    # Where only the reply to the commit was lost, it is found to be learned.
    database_outage.when_it_answers(lambda: _learn(lease, seen))


def _perceived(goal_id: int, files: str) -> Sequence[Believed] | None:
    """What is so now that its steps have changed files; None where it cannot be seen, which costs nothing else."""
    goal = Goal.objects.select_related("workspace", "agent").get(pk=goal_id)
    try:
        return perceiving.perceive(goal, Place(files))
    except (KeyError, OSError, SandboxError):
        logger.warning("What goal %s left could not be examined", goal_id, exc_info=True)
        return None


def _learn(lease: Lease, seen: Sequence[Believed] | None) -> None:
    with transaction.atomic():
        found = _read(lease)
        _remember(lease, found)
        # After it was read: the experience has what its plan was made from.
        if seen is not None and not found.is_learned:
            belief_rows.perceived(Goal(pk=lease.goal_id), seen)


def give_up(lease: Lease, reason: str) -> None:
    """Remembering it has cost workers: it stays as it ended, without an experience."""
    if Goal.objects.filter(pk=lease.goal_id, learned_at=None).update(learned_at=timezone.now()):
        logs.say(lease.goal_id, "worker", "learn", f"not remembered as an experience: {reason}", level="error")


def _remember(lease: Lease, found: _Found) -> None:
    """Write all of it: together, so that nothing is counted twice by whoever goes on after a worker that died."""
    if found.is_learned:
        return
    uses.count_ended(lease.goal_id, found.ended)
    insight_cases.judge_corrections(lease.goal_id)
    ended_at = found.ended_at or timezone.now()
    # One more for each recovery, in the same exchange: a goal without any pays nothing for it.
    experiences = [
        memory.recording(goal_ref=str(lease.goal_id), owner=found.owner, timestamp=ended_at, **told)
        for told in (remembering.experience_of(found.ended), *remembering.recoveries_of(found.ended))
    ]
    close = (_CLOSE, {"goal": lease.goal_id, "fence": lease.fence})
    asked = [close, logs.writing(lease.goal_id, [_REMEMBERED]), *experiences]
    closed, said, *new = prepared.together(asked)
    if closed is None:
        raise LeaseLost(f"goal {lease.goal_id} was taken over (fence {lease.fence})")
    for answer in new:
        memory.recorded(answer)
    if found.ended.was_changed and new[0] is not None:
        changed_plans.record(lease.goal_id, int(new[0][0]))
    wake_ups.goal_changed(lease.goal_id, int(said[0]) if said is not None else None)
    # Most goals are waited for by nobody, and asking who does costs each of them three statements.
    if found.has_key:
        signals.tell_of_end(lease.goal_id)
    if found.has_parts:
        transaction.on_commit(goal_families.drop_orphans, robust=True)


def _read(lease: Lease) -> _Found:
    """The goal as it has ended, its row locked until the transaction is over; LeaseLost when it was taken over."""
    bounds = {
        "beliefs": remembering.BELIEFS_MAX,
        "said": remembering.SAID_MAX,
        "last": remembering.LAST_STEPS,
        "recoveries": remembering.RECOVERIES_MAX,
        "sentence": remembering.SENTENCE_MAX,
        "steps": remembering.STEPS_MAX,
    }
    row = prepared.row(_READ, {"goal": lease.goal_id, "fence": lease.fence, **bounds})
    if row is None:
        raise LeaseLost(f"goal {lease.goal_id} was taken over (fence {lease.fence})")
    text, state, outcome, reason, ended_at, owner, is_learned, agent, workspace, *rest = row
    beliefs, wishes, whole, is_part, recoveries, moves, tries, failure, error, asked, revisions, *rest = rest
    plan_id, plan_state, made, steps, main, tools, worked, printed, *rest = rest
    was_tried, has_copy, has_parts, files, has_key = rest
    revision = None
    if plan_id is not None:
        by = json.loads(made) if made else {}
        revision = Revision(
            plan_id,
            plan_state,
            by.get("rule") or {},
            main,
            tools,
            worked,
            printed,
            steps=steps,
            source=by.get("source") or "",
            model=by.get("model") or "",
            workflow=by.get("workflow"),
        )
    return _Found(
        Ended(
            text=text,
            state=state,
            outcome=outcome,
            reason=reason,
            agent=agent,
            workspace=workspace,
            beliefs=beliefs,
            moves=[(new, by, why) for new, by, why in json.loads(moves)],
            tries=tries,
            failure=failure,
            error=error or "",
            asked=asked,
            revisions=revisions,
            revision=revision,
            edits=json.loads(wishes),
            whole=whole or "",
            is_part=is_part,
            recoveries=[Recovery(**one) for one in json.loads(recoveries or "[]")],
        ),
        ended_at=ended_at,
        owner=owner,
        is_learned=is_learned,
        was_tried=bool(was_tried),
        has_copy=has_copy,
        has_parts=has_parts,
        files=files or "",
        has_key=has_key,
    )
