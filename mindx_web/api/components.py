"""`components?q=&task=`: what the library holds."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from ninja import Query, Router, Schema

from library.components import selectors
from library.errors import EmbeddingUnavailable
from library.models import Component, ComponentVersion
from mindx_web.api.auth import ApiRequest, BearerToken
from mindx_web.api.paging import Limit
from mindx_web.api.problems import Problem
from people.scopes import Scope

router = Router(tags=["components"])

# A search ranks at most this many of the nearest; the words of `q` choose among them.
_CANDIDATES = 100


class ComponentOut(Schema):
    """The version in use of a component. `similarity` is that of its applicability to `task`."""

    id: str
    kind: str
    name: str
    version: str
    body: str
    applicability_text: str
    uses: int
    successes: int
    failures: int
    created_at: datetime
    similarity: float | None


class ComponentPage(Schema):
    """Nearest to the task first, or by name without a task. `next` is null: one page holds what is worth reading."""

    items: list[ComponentOut]
    next: str | None = None


@router.get("", response=ComponentPage, auth=BearerToken(Scope.LIBRARY_READ), operation_id="search_components")
def search(
    request: ApiRequest,
    q: Annotated[str, Query(max_length=500, description="words that its name or body must hold")] = "",
    task: Annotated[str, Query(max_length=4000, description="what it should be of use for")] = "",
    limit: Limit = 50,
) -> ComponentPage:
    """Components by what they are of use for and by their words."""
    found = [pair for kind in Component.Kind for pair in _candidates(kind, task)]
    if task.strip():
        found.sort(key=lambda pair: pair[1] or 0.0, reverse=True)
    words = q.lower().split()
    chosen = [pair for pair in found if _holds(pair[0], words)]
    return ComponentPage(items=[_out(version, similarity) for version, similarity in chosen[:limit]])


def _candidates(kind: str, task: str) -> list[tuple[ComponentVersion, float | None]]:
    if not task.strip():
        return [(version, None) for version in selectors.active_versions(kind)]
    try:
        return list(selectors.nearest(kind, task, _CANDIDATES))
    except EmbeddingUnavailable as error:
        detail = "Sentences cannot be compared at the moment, so `task` finds nothing. Search by `q`."
        raise Problem(503, detail, kind="embeddings_unavailable") from error


def _holds(version: ComponentVersion, words: list[str]) -> bool:
    text = f"{version.component.name} {version.body}".lower()
    return all(word in text for word in words)


def _out(version: ComponentVersion, similarity: float | None) -> ComponentOut:
    return ComponentOut(
        id=str(version.pk),
        kind=version.component.kind,
        name=version.component.name,
        version=version.version,
        body=version.body,
        applicability_text=version.applicability_text,
        uses=version.uses,
        successes=version.successes,
        failures=version.failures,
        created_at=version.created_at,
        similarity=similarity,
    )
