"""The review queue's order and filters for the list of intent plans, and giving a plan to a reviewer."""

from __future__ import annotations

from typing import Literal

from django.db.models import QuerySet
from ninja import Schema
from pydantic import Field

from agents.models import IntentPlan
from agents.states import PlanState
from mindx_web.api.protocol.problems import Problem, invalid
from mindx_web.api.protocol.shapes import Strict
from people.models import User
from review.queue import assigning, listing
from review.reading import filters
from review.reading.filters import ME, NOBODY, Filters


class Asked(Schema):
    """The order, and filters for waiting plans. The filters need `order=queue`."""

    order: Literal["newest", "queue"] = Field(
        "newest", description="queue: only what awaits review, by risk, what cannot be taken back, priority, waiting"
    )
    words: str = Field("", description="words in the goal")
    risk: str = Field("", description="high, unknown, medium or low")
    agent: str = Field("", description="name of the agent")
    by: str = Field("", description="login of the submitter")
    workspace: str = ""
    does: str = Field("", description="a tool, a command, or `tool.command` that it holds")
    longer: str = Field("", description="it waits longer than so many minutes")
    assigned: str = Field("", description=f"login of a reviewer, `{ME}` or `{NOBODY}`")

    def filters(self) -> Filters:
        """The filter. Raises the 422 problem if it is not valid."""
        found, problems = filters.read(self.model_dump(exclude={"order"}))
        if found.does and not listing.commands_called(found.does):
            problems["does"] = "There is no tool or command with this name."
        for field, message in problems.items():
            raise invalid(field, message)
        return found


class AssignIn(Strict):
    """Who means to decide the plan: a reviewer's login, `me`, or `nobody`. Other reviewers can still decide."""

    to: str = Field(max_length=filters.LONGEST)


def page(
    user: User, asked: Asked, state: PlanState | None, after: str, limit: int
) -> tuple[list[IntentPlan], str | None]:
    """One page of the queue with complete plans, and the cursor of the next page. Raises the 422 problem."""
    if state not in (None, PlanState.AWAITING_REVIEW):
        raise invalid("state", "Only what is awaiting_review stands in the queue.")
    cursor = listing.Cursor.read(after) if after else None
    if after and cursor is None:
        raise invalid("after", "Use `next` of the page before.")
    entries = listing.waiting_for(user, asked.filters())
    rows = list((listing.beyond(entries, cursor) if cursor else entries)[: limit + 1])
    following = str(listing.Cursor.of(rows[limit - 1])) if len(rows) > limit else None
    plans = whole(IntentPlan.objects.select_related("goal__submitted_by", "workspace", "plan"))
    by_id = plans.in_bulk([entry.pk for entry in rows[:limit]])
    return [by_id[entry.pk] for entry in rows[:limit] if entry.pk in by_id], following


def whole(plans: QuerySet[IntentPlan]) -> QuerySet[IntentPlan]:
    """The same with their steps, always in two queries."""
    return plans.select_related("risk", "clock", "queue_entry__assigned_to").prefetch_related("intents")


def assign(plan: IntentPlan, to: str, by: User) -> None:
    """Assign a plan to somebody. Raises the 422 problem if there is nobody of that name."""
    person = None if to == NOBODY else by if to == ME else User.objects.filter(username=to).first()
    if person is None and to != NOBODY:
        raise invalid("to", "There is no person with that login.")
    assigning.assign(plan, person, by=by)


def refuse_filters(asked: Asked) -> None:
    """Raises the 422 problem for a filter without `order=queue`."""
    if asked.filters():
        raise Problem(422, "Filters are for `order=queue`.", kind="invalid")
