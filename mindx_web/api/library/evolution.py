"""`evolution/proposals`: changes that an audit of past goals proposes, and dismissing a proposal."""

from __future__ import annotations

from datetime import datetime

from ninja import Field, Router, Schema

from agents.evolution.auditing import proposing
from agents.models import EvolutionProposal
from agents.record.errors import NotPossibleNow, NotYours
from agents.record.selectors import goals_visible_to
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import found_id
from mindx_web.api.protocol.problems import Problem
from people.models import User
from people.scopes import Scope

router = Router(tags=["evolution"])
_MISSING = Problem(404, "There is no such proposal.", kind="not_found")
_MOST = 200


class ProposalOut(Schema):
    """A proposal with its reason. `goals` are those of its `cases` that the caller may see, at most fifty."""

    id: str
    kind: str
    subject: str
    says: str
    why: str
    cases: int
    goals: list[str]
    found_at: datetime
    dismissed_why: str | None


class ProposalPage(Schema):
    """The open proposals, the most important first. `next` is null: there is only one page."""

    items: list[ProposalOut]
    next: str | None = None


class DismissIn(Schema):
    """Why it is dismissed; others can read this."""

    why: str = Field(min_length=1, max_length=300)


@router.get(
    "/proposals", response=ProposalPage, auth=BearerToken(Scope.LIBRARY_READ), operation_id="list_evolution_proposals"
)
def proposals(request: ApiRequest) -> ProposalPage:
    """Proposals from the goals of the last ninety days."""
    rows = list(proposing.open_ones(proposing.visible_to(request.auth.user, request.auth.scopes))[:_MOST])
    return ProposalPage(items=_told(rows, request.auth.user))


@router.post(
    "/proposals/{proposal_id}/dismiss",
    response=ProposalOut,
    auth=BearerToken(Scope.LIBRARY_WRITE),
    operation_id="dismiss_evolution_proposal",
)
def dismiss(request: ApiRequest, proposal_id: str, payload: DismissIn) -> ProposalOut:
    """Dismiss it until half as many more goals support it."""
    row = (
        proposing.visible_to(request.auth.user, request.auth.scopes)
        .filter(pk=found_id(proposal_id, _MISSING), gone_at=None)
        .first()
    )
    if row is None:
        raise _MISSING
    try:
        proposing.dismiss(row, by=request.auth.user, why=payload.why)
    except NotYours as refused:
        raise Problem(403, str(refused), kind="forbidden") from refused
    except NotPossibleNow as refused:
        raise Problem(409, str(refused), kind="not_possible") from refused
    row.refresh_from_db()
    return _told([row], request.auth.user)[0]


def _told(rows: list[EvolutionProposal], user: User) -> list[ProposalOut]:
    named = {goal for row in rows for goal in row.goals}
    seen = set(goals_visible_to(user).filter(pk__in=named).values_list("pk", flat=True))
    return [
        ProposalOut(
            id=str(row.pk),
            kind=row.kind,
            subject=row.subject,
            says=row.says,
            why=row.why,
            cases=row.cases,
            goals=[str(goal) for goal in row.goals if goal in seen],
            found_at=row.found_at,
            dismissed_why=row.dismissed_why if row.dismissed_at is not None else None,
        )
        for row in rows
    ]
