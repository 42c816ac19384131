"""`goals/{id}/questions` and `goals/{id}/answer`: open questions about a command, and a person's answer."""

from __future__ import annotations

from typing import Annotated

from django.http import HttpResponse
from ninja import Body, Router, Schema
from ninja.responses import Status
from pydantic import Field

from agents.planning import answers
from agents.planning.answers import Reply
from mindx_web.api.goals.goals import changeable, readable
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.shapes import Strict
from mindx_web.api.review.intent_plans import PlanOut, plan_out
from people.scopes import Scope

router = Router(tags=["goals"])

_MAY_READ = BearerToken(Scope.GOALS_READ)
_MAY_WRITE = BearerToken(Scope.GOALS_WRITE)


class QuestionOut(Schema):
    """`parameter` is empty if the question is which command is meant. Answer `choices` by their number, from 1."""

    text: str
    why: str
    parameter: str
    choices: list[str]


class QuestionsOut(Schema):
    """The questions of a goal; empty if it has none."""

    questions: list[QuestionOut]


class ReplyIn(Strict):
    """The number of a choice, or a value instead: a parameter's, or the command in other words."""

    choice: int | None = Field(None, ge=1)
    value: str = Field("", max_length=answers.MOST_CHARS)


class AnswerIn(Strict):
    """One answer for each question, in their order."""

    answers: list[ReplyIn] = Field(min_length=1, max_length=50)


@router.get("/{goal_id}/questions", response=QuestionsOut, auth=_MAY_READ, operation_id="read_questions")
def questions(request: ApiRequest, goal_id: str) -> QuestionsOut:
    """The questions of a goal that waits for an answer (`manual`, reason `question_open`)."""
    asked = answers.open_questions(readable(request.auth.user, goal_id))
    found = asked.questions if asked is not None else ()
    return QuestionsOut(
        questions=[
            QuestionOut(
                text=one.text, why=one.why, parameter=one.parameter, choices=[choice.label for choice in one.choices]
            )
            for one in found
        ]
    )


@router.post("/{goal_id}/answer", response={201: PlanOut}, auth=_MAY_WRITE, operation_id="answer_questions")
def answer(
    request: ApiRequest, response: HttpResponse, goal_id: str, payload: Annotated[AnswerIn, Body()]
) -> Status[PlanOut]:
    """Answer the questions. The plan that follows is reviewed like any other."""
    user = request.auth.user
    replies = [Reply(one.choice, one.value) for one in payload.answers]
    plan = answers.answer(changeable(user, goal_id), replies, by=user)
    response.headers["Location"] = f"/api/v1/intent-plans/{plan.pk}"
    return Status(201, plan_out(plan))
