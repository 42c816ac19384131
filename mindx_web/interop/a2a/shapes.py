"""What clients send, as far as mindX reads it. Fields of later versions are let through, as the protocol wants."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from mindx_web.interop.a2a.errors import A2AError, Kind

# Ids that clients choose are kept in columns and shown.
Id = Annotated[str, Field(min_length=1, max_length=150, pattern=r"^[\x21-\x7e]+$")]


class Shape(BaseModel):
    """Spelled in camelCase on the wire; the JSON form of protobuf also knows the other spelling."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore")


class Part(Shape):
    """One part of a message; exactly one of these is set."""

    text: str | None = None
    raw: str | None = None
    url: str | None = None
    data: Any = None


class Message(Shape):
    """What somebody says. `metadata` may name a `workspace` of the person, and a `priority` from 1 to 5."""

    message_id: Id
    context_id: Id | Literal[""] = ""
    task_id: str = ""
    role: Literal["ROLE_USER"]
    parts: Annotated[list[Part], Field(min_length=1, max_length=100)]
    metadata: dict[str, Any] = {}

    @property
    def text(self) -> str:
        """All of its text. Raises A2AError where a part is none."""
        if any(part.text is None for part in self.parts):
            raise A2AError(Kind.CONTENT_TYPE, "mindX takes goals as text. Put files into the workspace by the API.")
        return "\n".join(part.text for part in self.parts if part.text is not None)


class Configuration(Shape):
    """How the client wants to be answered."""

    history_length: Annotated[int, Field(ge=0)] | None = None
    return_immediately: bool = False
    task_push_notification_config: dict[str, Any] | None = None


class Send(Shape):
    """Of SendMessage."""

    message: Message
    configuration: Configuration = Configuration()


class Get(Shape):
    """Of GetTask."""

    id: str
    history_length: Annotated[int, Field(ge=0)] | None = None


class Cancel(Shape):
    """Of CancelTask."""

    id: str


class List(Shape):
    """Of ListTasks."""

    context_id: str = ""
    # One that mindX never has (or a later one) fits no task.
    status: Annotated[str, Field(max_length=50)] = ""
    page_size: Annotated[int, Field(ge=1, le=100)] = 50
    page_token: str = ""
    history_length: Annotated[int, Field(ge=0)] | None = None
    include_artifacts: bool = False


S = TypeVar("S", bound=Shape)


def read(shape: type[S], params: object) -> S:
    """Raises A2AError with what does not fit, in words."""
    try:
        return shape.model_validate(params)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])[:200]
        raise A2AError(Kind.PARAMS, f"{where or 'params'}: {first['msg']}") from error
