"""A delegated request that has ended becomes an experience of whoever asked, in the transaction that ends it.

So there is one whatever happens, and none comes back that a person has had forgotten. What people ask themselves, for
no goal, is no delegation: what it led to is remembered with the goal that answered it.
"""

from __future__ import annotations

from django.utils import timezone

from agents.bdi.bus.remembering import Delegated, experience_of
from agents.bdi.outcome.outcome import Outcome
from agents.models import BusRequest, Goal
from agents.record import prepared
from agents.states import GoalState
from library.memory import services as memory


def is_delegated(request: BusRequest) -> bool:
    """Whether an agent asked: for a goal, or while it answered something itself."""
    return request.parent_id is not None or request.within_id is not None


def remember(request: BusRequest) -> None:
    """Record the request as it has ended, once. Call it in the transaction that ends it."""
    whole = _whole(request)
    if whole is None:
        return
    told = experience_of(_delegated(request, whole))
    asked = memory.recording(goal_ref=str(whole.pk), owner=request.by_id, timestamp=timezone.now(), **told)
    memory.recorded(prepared.row(*asked))


def _whole(request: BusRequest) -> Goal | None:
    """The goal for which it was asked, or for which what it stands below was."""
    at: BusRequest | None = request
    while at is not None:
        if at.parent is not None:
            return at.parent
        if at.pk != request.pk and at.goal is not None:
            return at.goal
        at = at.within
    return None


def _delegated(request: BusRequest, whole: Goal) -> Delegated:
    goal, member, offered = request.goal, request.member, request.offered
    is_own = whole.submitted_by_id == request.by_id
    return Delegated(
        number=request.pk,
        capability=request.capability,
        task=request.task,
        content=request.content,
        why=request.why,
        strategy=request.strategy,
        state=request.state,
        reason=request.reason,
        answer=request.answer or {},
        whole=whole.text if is_own else "",
        agent=request.caller.name if request.caller is not None else whole.agent.name,
        member=member.name if member is not None else "",
        kind=member.kind if member is not None else "",
        earned=offered.earned if offered is not None else None,
        attempts=request.attempts,
        goal=goal.pk if goal is not None else None,
        is_checked=goal is not None and goal.state == GoalState.ACHIEVED and goal.outcome == Outcome.ACHIEVED,
        was_let_go=goal is not None and goal.state == GoalState.DROPPED,
        tags=[whole.workspace.name] if is_own else [],
    )
