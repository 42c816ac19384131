"""Asking on the bus, cancelling, and asking the same again in a copy."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.conf import settings as django_settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from agents.bdi.bus import limits
from agents.bdi.bus.limits import Link
from agents.bdi.bus.routing import Strategy
from agents.bus import entries, goal_providers, in_step, moves, providers, routing, settings
from agents.goals import goals
from agents.models import BusCapability, BusMember, BusRequest, Goal, Workspace
from agents.record import selectors, wake_ups
from agents.record.errors import NotPossibleNow, NotYours, RequestRefused, TooManyGoals
from agents.states import MoveRefused, RequestState
from agents.toolkit import canonical, schemas
from agents.workspaces import workspaces
from people import rate_limits, sealing
from people.models import User
from people.rate_limits import Limit
from people.roles import Role

CONTENT_MAX_CHARS = 100_000
_TASK_MAX, _WHY_MAX = 10_000, 300
# How many parents of a goal are looked at for the request that led to it.
_GOALS_UP = 20


def request(
    *,
    by: User,
    capability: str = "",
    task: str = "",
    content: Mapping[str, Any] | None = None,
    deadline: datetime | None = None,
    min_confidence: float = 0.0,
    strategy: str = Strategy.CONFIDENCE,
    why: str = "",
    caller: BusMember | None = None,
    within: BusRequest | None = None,
    parent: Goal | None = None,
    workspace: Workspace | None = None,
    key: str = "",
) -> BusRequest:
    """Ask for a capability, or for a task in words, with the rights of `by` and no others. It is answered once.

    Without content a task is its own: `{"text": task}`. What an agent asks while it answers stands below that request
    (`within`), found by itself where it is not given. The same person with the same key gets the request that there
    is. Raises RequestRefused naming the field, TooManyGoals. Never call this inside a transaction for a task.
    """
    content = dict(content) if content is not None else ({"text": task} if task else {})
    _check(by, capability, task, content, min_confidence, strategy, why, deadline)
    _check_places(by, parent, workspace)
    if (earlier := _asked_before(by, key)) is not None:
        return earlier
    within = within or providers.being_answered() or _asked_by(parent)
    if within is None:
        _check_pace(by)
    _check_offered(capability, content, min_confidence)
    made = BusRequest(
        by=by,
        caller=caller or (within.member if within is not None else None),
        within=within,
        parent=parent,
        workspace=workspace,
        capability=capability,
        task=task,
        content=content,
        digest=digest_of(capability, task, content),
        why=why,
        strategy=Strategy(strategy).value,
        min_confidence=min_confidence,
        deadline=deadline,
        submission_key=key,
    )
    try:
        with transaction.atomic():
            return _made(made)
    except IntegrityError:
        # The race this answers: the same key twice at once. The unique constraint let one through.
        if (earlier := _asked_before(by, key)) is not None:
            return earlier
        raise


def _asked_before(by: User, key: str) -> BusRequest | None:
    return BusRequest.objects.filter(by=by, submission_key=key).first() if key else None


def digest_of(capability: str, task: str, content: Mapping[str, Any]) -> str:
    """SHA-256 over what is asked for."""
    return hashlib.sha256(canonical.dumps([capability, task, dict(content)])).hexdigest()


def cancel(asked: BusRequest, *, by: User) -> BusRequest:
    """Cancel the request, and the goal that answers it. An answer that comes later is refused.

    Raises NotYours, NotPossibleNow when it has ended already.
    """
    if not may_change(by, asked):
        raise NotYours("Only whoever asked, or an operator, can cancel a request.")
    with transaction.atomic():
        asked = BusRequest.objects.select_for_update(no_key=True, of=("self",)).get(pk=asked.pk)
        if asked.has_ended:
            raise NotPossibleNow(f"Request {asked.pk} has ended already: {asked.state}.")
        moves.move(asked, RequestState.CANCELLED, reason=f"cancelled by {by.username}")
        goal_providers.adopt(asked)
        entries.data("cancelled", asked, by_id=by.pk)
    _end_goal(asked, by)
    return asked


def replay(asked: BusRequest, *, by: User) -> BusRequest:
    """Ask the same of the same member again, in a copy of the files that it had. What it leads to is reviewed anew.

    Raises NotPossibleNow for what a copy cannot hold: a member that acts outside mindX at once, one that is gone.
    """
    if not visible_to(by).filter(pk=asked.pk).exists():
        raise NotYours("Only whoever may read a request can replay it.")
    if asked.offered is None or asked.member is None:
        raise NotPossibleNow("No member has received this request yet, so there is nothing to replay.")
    if asked.offered.effect in ("once", "keyed") and asked.member.kind == BusMember.Kind.FOREIGN:
        raise NotPossibleNow(f"{asked.member.name} works outside mindX, so it cannot work on a copy.")
    _check_rights(by)
    _check_pace(by)
    with transaction.atomic():
        again = BusRequest(
            by=by,
            capability=asked.capability,
            task=asked.task,
            content=asked.content,
            digest=asked.digest,
            why=f"replay of request {asked.pk}",
            workspace=_copied_files(asked, by),
            replay_of=asked,
            pinned=asked.offered,
        )
        return _made(again, event="replayed")


def visible_to(user: User) -> QuerySet[BusRequest]:
    """The person's own requests; for reviewers, operators and admins all."""
    rows = BusRequest.objects.select_related("by", "caller", "member", "offered", "goal", "workspace", "parent")
    return rows if selectors.sees_everything(user) else rows.filter(by=user)


def may_change(user: User, asked: BusRequest) -> bool:
    """True for whoever asked, operators and admins."""
    return user.is_active and (asked.by_id == user.pk or user.has_role(Role.OPERATOR))


def chain_of(asked: BusRequest | None) -> list[BusRequest]:
    """The requests that one stands below, the first one first, it itself last."""
    found: list[BusRequest] = []
    while asked is not None:
        found.insert(0, asked)
        asked = asked.within
    return found


def _end_goal(asked: BusRequest, by: User) -> None:
    if asked.goal is not None and not asked.goal.has_ended:
        try:
            goals.cancel(asked.goal, by=by)
        except (NotPossibleNow, MoveRefused):
            return  # it has ended by itself meanwhile


def _check_places(by: User, parent: Goal | None, workspace: Workspace | None) -> None:
    if parent is not None and (parent.has_ended or not selectors.may_change(by, parent)):
        raise RequestRefused("parent", "A request can only be part of a goal of yours that has not ended.")
    if workspace is not None and not selectors.workspaces_writable_by(by).filter(pk=workspace.pk).exists():
        raise RequestRefused("workspace", "No workspace of yours has this name.")


def _check(
    by: User,
    capability: str,
    task: str,
    content: Mapping[str, Any],
    min_confidence: float,
    strategy: str,
    why: str,
    deadline: datetime | None,
) -> None:
    _check_rights(by)
    if not capability and not task.strip():
        raise RequestRefused("capability", "Name a capability, or describe the task in words.")
    if len(capability) > 130 or "\0" in capability:
        raise RequestRefused("capability", "No capability has this name.")
    if len(task) > _TASK_MAX or "\0" in task:
        raise RequestRefused("task", f"A task has at most {_TASK_MAX:,} characters.")
    if len(why) > _WHY_MAX or "\0" in why:
        raise RequestRefused("why", f"The reason has at most {_WHY_MAX} characters.")
    if isinstance(min_confidence, bool) or not math.isfinite(min_confidence) or not 0 <= min_confidence <= 1:
        raise RequestRefused("min_confidence", "A number from 0 to 1.")
    if strategy not in set(Strategy):
        raise RequestRefused("strategy", f"Choose one of {', '.join(Strategy)}.")
    if deadline is not None and deadline <= timezone.now():
        raise RequestRefused("deadline", "This time is in the past. Choose a later one, or leave it out.")
    _check_content(content)


def _check_content(content: Mapping[str, Any]) -> None:
    try:
        written = canonical.dumps(dict(content)).decode()
        schemas.loads_strict(written)
    except (ValueError, TypeError, RecursionError) as error:
        raise RequestRefused("content", f"This is no JSON that can be kept: {str(error)[:200]}.") from error
    if len(written) > CONTENT_MAX_CHARS:
        raise RequestRefused("content", f"It has at most {CONTENT_MAX_CHARS:,} characters as JSON.")


def _check_rights(by: User) -> None:
    if not by.has_role(Role.SUBMITTER, Role.REVIEWER, Role.OPERATOR, Role.DEVELOPER):
        raise RequestRefused("capability", "You may not send requests on the bus. Ask an admin for the role submitter.")


def _check_pace(by: User) -> None:
    most: int = django_settings.GOALS_PER_MINUTE
    if most and (wait_s := rate_limits.take(Limit("bus", most, 60 / most), str(by.pk)).wait_s):
        raise TooManyGoals(most, wait_s)


def _check_offered(capability: str, content: Mapping[str, Any], least: float) -> None:
    """What nobody offers is refused at once; what somebody offers who is away is kept."""
    if not capability:
        return
    offered = routing.offers_of(capability)
    if not offered:
        in_step.refresh()
        offered = routing.offers_of(capability)
    if not offered:
        raise RequestRefused("capability", f"Nobody on the bus offers “{capability}”. Search by a task in words.")
    if all(one.earned < least for one in offered):
        best = max(one.earned for one in offered)
        raise RequestRefused("min_confidence", f"No member is that confident; the highest confidence is {best:.2f}.")
    faults = [_faults(one, content) for one in offered]
    if all(faults):
        name, message = faults[0][0]
        raise RequestRefused("content", f"{name}: {message}" if name else message)


def _faults(one: BusCapability, content: Mapping[str, Any]) -> list[tuple[str, str]]:
    return schemas.problems(one.takes, content) if one.takes else []


def _asked_by(parent: Goal | None) -> BusRequest | None:
    """The request that a goal, or one that it is a part of, is the answer of."""
    goal = parent
    for _ in range(_GOALS_UP):
        if goal is None:
            return None
        if (asked := BusRequest.objects.filter(goal=goal).first()) is not None:
            return asked
        goal = goal.parent
    return None


def _made(made: BusRequest, *, event: str = "asked") -> BusRequest:
    """Insert it below the one that it is within, as far as calls among agents may go.

    The race it closes: two requests below the same first one at once. Each counts under the lock of that one's row.
    """
    if made.within is not None:
        chain = chain_of(made.within)
        made.root, made.depth = chain[0], len(chain)
        BusRequest.objects.select_for_update(no_key=True, of=("self",)).get(pk=chain[0].pk)
        count = BusRequest.objects.filter(root=chain[0]).count()
        links = [Link(one.capability, one.digest) for one in chain]
        bounds = settings.in_force().bounds
        if why := limits.refusal(links, Link(made.capability, made.digest), count, bounds):
            raise RequestRefused("within", f"{limits.IN_WORDS[why]}.")
    made.save(force_insert=True)
    sealing.seal_new(made)
    if event != "asked":
        entries.data(event, made)
    wake_ups.wake_bus(made.pk)
    return made


def _copied_files(asked: BusRequest, by: User) -> Workspace | None:
    """A new workspace of the person with the files that the request's goal began with; None where there are none."""
    files = asked.goal.workspace if asked.goal is not None else asked.workspace
    if files is None:
        return None
    plan = selectors.current_plan(asked.goal) if asked.goal is not None else None
    document = selectors.read_document(plan) if plan is not None else None
    base = document.base if document is not None else files.head
    copy = workspaces.create_numbered(by=by, name=f"{files.name[:60]}-replay")
    Workspace.objects.filter(pk=copy.pk).update(head=base)
    copy.head = base
    return copy
