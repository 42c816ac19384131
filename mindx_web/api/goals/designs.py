"""`designs`: requirements in words become a design of several components, which is reviewed before it is planned."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from ninja import Router, Schema
from ninja.responses import Status
from pydantic import Field

from agents.bdi.designing.choosing import Thresholds
from agents.goals.component_goals import Terms
from agents.record import selectors
from agents.system import architect
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.problems import invalid
from mindx_web.api.protocol.shapes import Strict
from people.scopes import Scope

router = Router(tags=["designs"])
_MAY_WRITE = BearerToken(Scope.GOALS_WRITE)


class DesignIn(Strict):
    """What the solution should do, one requirement in each line or sentence."""

    requirements: str = Field(max_length=architect.REQUIREMENTS_MAX)
    reuse_from: float = Field(Thresholds().reuse, ge=0, le=1, description="score from which a component is reused")
    evolve_from: float = Field(Thresholds().evolve, ge=0, le=1, description="score from which one is evolved")
    workspace: str | None = Field(None, description="name of a workspace of yours")
    with_model: bool = Field(True, description="ask the model that is set up which components it takes")
    submit: bool = Field(False, description="make a goal of it; a reviewer decides on the design first")


class ValueOut(Schema):
    """A parameter of a reused workflow. `value` is null if somebody has to give one."""

    name: str
    value: Any
    because: str


class ComponentOut(Schema):
    """A component of the design. `choice` is reuse, evolve or create; scores are null if nothing was compared."""

    name: str
    does: str
    after: list[str]
    choice: str
    because: str
    kind: str = ""
    component: str = ""
    version: str = ""
    task: float | None = None
    content: float | None = None
    score: float | None = None
    values: list[ValueOut] = []


class DesignOut(Schema):
    """`text` is what people review. `goal` is null unless it was submitted."""

    text: str
    by: str
    why_no_model: str
    reuse_from: float
    evolve_from: float
    components: list[ComponentOut]
    goal: str | None = None


@router.post("", response={200: DesignOut, 201: DesignOut}, auth=_MAY_WRITE, operation_id="design_solution")
def design(request: ApiRequest, response: HttpResponse, payload: DesignIn) -> Status[DesignOut]:
    """Design a solution. Nothing is stored unless `submit` is true."""
    user = request.auth.user
    workspace = None
    if payload.workspace is not None:
        workspace = selectors.workspaces_writable_by(user).filter(name=payload.workspace).first()
        if workspace is None:
            raise invalid("workspace", "No workspace of yours has this name.")
    thresholds = Thresholds(payload.reuse_from, payload.evolve_from)
    drawn = architect.design(payload.requirements, thresholds, with_model=payload.with_model)
    out = _out(drawn)
    if not payload.submit:
        return Status(200, out)
    goal = architect.submit(drawn, Terms(user, workspace))
    out.goal = str(goal.pk)
    response["Location"] = f"/api/v1/goals/{goal.pk}"
    return Status(201, out)


def _out(drawn: architect.Design) -> DesignOut:
    components = []
    for need, one in drawn.decided:
        found = ComponentOut(
            name=need.name, does=need.does, after=list(need.after), choice=one.choice, because=one.because
        )
        found.values = [ValueOut(name=each.name, value=each.value, because=each.because) for each in one.values]
        if one.match is not None:
            found.kind, found.component, found.version = one.match.kind, one.match.name, one.match.version
            found.task, found.content, found.score = one.match.task, one.match.content, one.match.total
        components.append(found)
    return DesignOut(
        text=drawn.text,
        by=drawn.by,
        why_no_model=drawn.why_no_model,
        reuse_from=drawn.thresholds.reuse,
        evolve_from=drawn.thresholds.evolve,
        components=components,
    )
