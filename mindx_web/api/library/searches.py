"""`searches`: a model writes several texts for a component, each tried on earlier goals; one candidate at most.

`POST components/{id}/evolve` without a text, and `POST components` with a wish, start a search for a single text, which
is read and stopped here.
"""

from __future__ import annotations

from datetime import datetime

from django.http import HttpResponse
from ninja import Field, Router, Schema, Status

from agents.evolution.candidates import searches
from agents.models import CandidateSearch, Replay
from agents.record.errors import NotPossibleNow
from library.errors import LibraryRefused
from library.models import Component
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import found_id
from mindx_web.api.protocol.problems import Problem
from people.scopes import Scope

router = Router(tags=["evolution"])
_MISSING = Problem(404, "There is no such search.", kind="not_found")
_NO_COMPONENT = Problem(404, "There is no such component.", kind="not_found")


class SearchIn(Schema):
    """What should be better, how much a text may differ from the version in use, and how many a model may write."""

    component: str
    why: str = Field(min_length=1, max_length=500)
    strategy: Replay.Strategy = Replay.Strategy.STANDARD
    texts: int = Field(5, ge=2, le=searches.MOST_TEXTS)


class TriedOut(Schema):
    """A text that was tried on all cases, and with how many it passes. The first is the version in use."""

    passed: int
    of: int
    text: str


class SearchOut(Schema):
    """A search and its progress. `candidate` is null if it found none, or none yet.

    `component` is null while a new one is written.
    `asked`: texts that a model was asked for; if `most_texts` is 1, requests. `href`: the address of this search.
    """

    id: str
    href: str
    component: str | None
    state: str
    reason: str
    asked: int
    most_texts: int
    tried: list[TriedOut]
    candidate: str | None
    created_at: datetime


@router.post("", response={202: SearchOut}, auth=BearerToken(Scope.LIBRARY_WRITE), operation_id="search_candidate")
def ask(request: ApiRequest, response: HttpResponse, payload: SearchIn) -> Status[SearchOut]:
    """Search for a better version of a rule, a tool, a workflow or a prompt. 409 says why no search is possible.

    The texts of a prompt are tried by asking models again, so that takes an operator.
    """
    component = Component.objects.filter(pk=found_id(payload.component, _NO_COMPONENT)).first()
    if component is None:
        raise _NO_COMPONENT
    try:
        search = searches.ask(
            component,
            by=request.auth.user,
            why=payload.why,
            strategy=payload.strategy.value,
            texts=payload.texts,
        )
    except (LibraryRefused, NotPossibleNow) as refused:
        raise _refused(refused) from refused
    return Status(202, begun(search, response))


@router.get(
    "/{search_id}", response=SearchOut, auth=BearerToken(Scope.LIBRARY_READ), operation_id="get_candidate_search"
)
def search(request: ApiRequest, search_id: str) -> SearchOut:
    """Its progress and its result."""
    return _told(_found(search_id))


@router.post(
    "/{search_id}/stop", response=SearchOut, auth=BearerToken(Scope.LIBRARY_WRITE), operation_id="stop_candidate_search"
)
def stop(request: ApiRequest, search_id: str) -> SearchOut:
    """Stop it early; what was tried stays."""
    found = _found(search_id)
    try:
        searches.stop(found, by=request.auth.user)
    except (LibraryRefused, NotPossibleNow) as refused:
        raise _refused(refused) from refused
    return _told(_found(search_id))


def begun(search: CandidateSearch, response: HttpResponse) -> SearchOut:
    """The answer when a search has started, with its address."""
    found = _told(search)
    response.headers["Location"] = found.href
    return found


def _found(search_id: str) -> CandidateSearch:
    found = CandidateSearch.objects.filter(pk=found_id(search_id, _MISSING)).select_related("parent", "version").first()
    if found is None:
        raise _MISSING
    return found


def _refused(error: LibraryRefused | NotPossibleNow) -> Problem:
    if isinstance(error, LibraryRefused):
        return Problem(403, str(error), kind="forbidden")
    return Problem(409, str(error), kind="not_possible")


def _told(search: CandidateSearch) -> SearchOut:
    known = search.parent or search.version
    return SearchOut(
        id=str(search.pk),
        href=f"/api/v1/searches/{search.pk}",
        component=str(known.component_id) if known is not None else None,
        state=search.state,
        reason=search.reason,
        asked=search.asked,
        most_texts=search.most_texts,
        tried=[TriedOut(**one) for one in search.tried],
        candidate=str(search.version_id) if search.version_id else None,
        created_at=search.created_at,
    )
