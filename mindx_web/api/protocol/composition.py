"""The API object: strict bodies, guarded views, problems for every error that the apps below can raise."""

from __future__ import annotations

import logging
from typing import Any, cast

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError
from ninja.openapi.schema import OpenAPISchema

from agents.record.errors import (
    AgentsError,
    CommandRefused,
    GoalRefused,
    NotPossibleNow,
    NotYours,
    PlanInvalid,
    StaleDigest,
    TooManyGoals,
    TuningRefused,
    WorkspaceRefused,
)
from agents.states import MoveRefused
from mindx_web.api.protocol import problems
from mindx_web.api.protocol.guard import guarded
from mindx_web.api.protocol.problems import FieldError, Problem, invalid
from mindx_web.web.outages import outage_of
from review.errors import DecisionRefused, NotNow, WordsRefused

logger = logging.getLogger(__name__)

# Names of the operations whose PUT takes any bytes.
FILE_OPERATIONS = frozenset({"workspace_file"})


class Api(NinjaAPI):
    """A NinjaAPI in which the guard protects every view."""

    @property
    def urls(self) -> tuple[list[Any], str, str]:
        """The addresses, for Django's `path`."""
        patterns, app, namespace = super().urls
        for pattern in cast(list[URLPattern], patterns):
            pattern.callback = guarded(pattern.callback, takes_files=pattern.name in FILE_OPERATIONS)
        return patterns, app, namespace

    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:
        """OpenAPI 3.1, with the shape that all errors share."""
        schema = super().get_openapi_schema(**options)
        schema["components"].setdefault("schemas", {})["Problem"] = _PROBLEM_SCHEMA
        error = {
            "description": "A problem (RFC 9457)",
            "content": {problems.MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for operations in schema["paths"].values():
            for operation in operations.values():
                operation["responses"].setdefault("default", error)
        return schema

    def set_default_exception_handlers(self) -> None:
        """Every error becomes a problem; an unknown one is a 500 that shows only its request id."""
        self.add_exception_handler(Exception, _answer)


_PROBLEM_SCHEMA = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "description": "urn:mindx:problem:KIND, or about:blank"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "what happened, for people"},
        "instance": {"type": "string", "description": "the request id, as in the server's log"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "message"],
                "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
            },
        },
    },
}


def _answer(request: HttpRequest, error: Exception | type[Exception]) -> HttpResponse:
    # Ninja's annotation allows a class, but an exception that was raised is always an instance.
    return problems.answer(problem_of(request, cast(Exception, error)), request)


def problem_of(request: HttpRequest, error: Exception) -> Problem:
    """The problem that an exception means."""
    if (problem := _refusal(error) or _misuse(error)) is not None:
        return problem
    if (outage := outage_of(error)) is not None:
        logger.error("A request of the API met an outage (%s): %s", outage.kind, error)
        wait = {"Retry-After": str(outage.retry_after_s)}
        return Problem(503, f"{outage.title}. {outage.happened}", kind=outage.kind, headers=wait)
    request_id = getattr(request, "request_id", "")
    logger.error("The API failed in request %s", request_id, exc_info=error, extra={"path": request.path})
    return Problem(
        500, "mindX failed; the request id finds the reason in its log. What you asked for may not have happened."
    )


def _misuse(error: Exception) -> Problem | None:
    """Refusals by Django and Ninja: a request that does not match the API."""
    match error:
        case Problem():
            return error
        case ValidationError():
            return _fields(error)
        case HttpError():
            # Ninja wraps the parser's exception; the parser's own message is better.
            return (
                error.__cause__ if isinstance(error.__cause__, Problem) else Problem(error.status_code, error.message)
            )
        case PermissionDenied():
            return Problem(403, str(error) or "You may not do this.", kind="forbidden")
        case Http404():
            return Problem(404, "There is nothing at this address.", kind="not_found")
        case RequestDataTooBig():
            return Problem(413, "The body is larger than mindX takes.", kind="too_large")
        case SuspiciousOperation():
            return Problem(400, "mindX cannot read this request.", kind="malformed")
    return None


def _refusal(error: Exception) -> Problem | None:
    """Refusals by mindX's own services."""
    match error:
        case WorkspaceRefused(field="workspace"):
            # The request is valid but comes at a bad moment: a plan runs on these files, or somebody else writes.
            return Problem(409, str(error), kind="not_possible_now")
        case TooManyGoals():
            return Problem(429, str(error), kind="too_many_goals", headers={"Retry-After": str(error.wait_s)})
        case WordsRefused() | GoalRefused() | WorkspaceRefused():
            return invalid(error.field, str(error))
        case TuningRefused():
            return _values(error)
        case CommandRefused():
            return invalid("text", str(error))
        case PlanInvalid():
            return _steps(error)
        case StaleDigest() | NotPossibleNow() | MoveRefused() | NotNow():
            kind = "stale_digest" if isinstance(error, StaleDigest) else "not_possible_now"
            return Problem(409, str(error), kind=kind)
        case DecisionRefused() | NotYours():
            return Problem(403, str(error) or "You may not do this.", kind="forbidden")
        case AgentsError():
            return Problem(422, str(error), kind="refused")
    return None


_EXTRA = "mindX does not know this field."
# Limit the answer to a body with thousands of wrong fields, or with very long names.
_MOST_FIELDS = 100
_FIELD_SHOWN_MAX = 400


def _fields(error: ValidationError) -> Problem:
    """Pydantic's list in our format, without its location prefix and internals."""
    found = []
    for item in error.errors[:_MOST_FIELDS]:
        source, *path = item["loc"]
        # A body is one parameter of the operation, whose name means nothing to the caller.
        path = path[1:] if source == "body" else path
        message = _EXTRA if item["type"] == "extra_forbidden" else str(item["msg"])
        found.append(FieldError(".".join(str(part) for part in path)[:_FIELD_SHOWN_MAX], message))
    first = found[0]
    where = f"{first.field}: " if first.field else ""
    return Problem(422, f"{where}{first.message}", kind="invalid", errors=found)


def _values(error: TuningRefused) -> Problem:
    """Each invalid value, at its field."""
    found = [FieldError(f"values.{name}" if name else "", message) for name, message in error.errors.items()]
    return Problem(422, str(error), kind="invalid", errors=found)


def _steps(error: PlanInvalid) -> Problem:
    """The plan's problems, each at its step. Positions count from 1, as everywhere; 0 is the plan as a whole."""
    found = [
        FieldError(
            ".".join(part for part in (f"step {problem.position}" if problem.position else "", problem.field) if part),
            problem.message,
        )
        for problem in error.problems
    ]
    return Problem(422, "The plan is not valid.", kind="plan_invalid", errors=found)
