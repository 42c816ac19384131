"""`GET health`: is mindX ready? `GET health/live`: does this process answer?

Public, because supervisors and load balancers ask; details are for people.
"""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema
from ninja.responses import Status

from mindx_web.api.protocol.auth import token_of
from mindx_web.operations import health

router = Router(tags=["health"])


class HealthOut(Schema):
    """`parts` maps each part to ok, limited, down or unknown; `details` needs a login or a token."""

    status: str
    parts: dict[str, str]
    details: dict[str, dict[str, Any]] | None = None


class AliveOut(Schema):
    """The process answers."""

    status: str


@router.get("/live", response=AliveOut, auth=None, operation_id="alive")
def read_alive(request: HttpRequest) -> dict[str, str]:
    """200 as long as this process answers, whatever else is down: for supervisors that restart dead processes."""
    return {"status": "alive"}


@router.get("", response={200: HealthOut, 503: HealthOut}, auth=None, exclude_none=True, operation_id="health")
def read_health(request: HttpRequest) -> Status:
    """200 if goals can be submitted, planned and shown, else 503."""
    found = health.current()
    out = HealthOut(status=found.status, parts={part.name: part.state.value for part in found.parts})
    database_answers = out.parts["database"] == health.PartState.OK
    if database_answers and _is_known(request):
        out.details = {part.name: {"sentence": part.sentence, **part.facts} for part in found.parts}
    return Status(200 if found.is_ready else 503, out)


def _is_known(request: HttpRequest) -> bool:
    """The only place in the API that accepts a browser's session: it only shows more, and changes nothing."""
    return request.user.is_authenticated or token_of(request) is not None
