"""Agent cards as strangers write them: read strictly, bounded, and believed in nothing. Pure."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from agents.toolkit import web_address
from agents.toolkit.web_address import Address

BINDING = "JSONRPC"
_MAJOR = "1"
_NOT_IN_A_NAME = re.compile(r"[^a-z0-9]+")
_NAME_LENGTH = 24


class CardRefused(ValueError):
    """The card cannot be used; the message says why."""


def _clean(value: object) -> object:
    """Text without what a column cannot hold or an eye cannot see."""
    if not isinstance(value, str):
        return value
    return "".join(sign for sign in value if sign.isprintable() or sign == "\n")


_Clean = Annotated[str, BeforeValidator(_clean)]
_Short = Annotated[_Clean, Field(max_length=200)]
_Long = Annotated[_Clean, Field(max_length=5_000)]


class _Part(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore", frozen=True)


class _Skill(_Part):
    id: _Short = ""
    name: _Short = ""
    description: _Long = ""
    tags: Annotated[list[_Short], Field(max_length=50)] = []
    examples: Annotated[list[_Long], Field(max_length=20)] = []


class _Interface(_Part):
    url: Annotated[_Clean, Field(min_length=1, max_length=web_address.MOST_CHARS)]
    protocol_binding: _Short
    protocol_version: _Short = ""


class _Document(_Part):
    name: Annotated[_Short, Field(min_length=1)]
    description: _Long = ""
    version: _Short = ""
    supported_interfaces: Annotated[list[_Interface], Field(min_length=1, max_length=20)]
    skills: Annotated[list[_Skill], Field(max_length=100)] = []
    security_requirements: Annotated[list[Any], Field(max_length=100)] = []


@dataclass(frozen=True)
class Card:
    """`told` is what is kept of it: name, description, version, skills, interfaces, all of it a stranger's words."""

    name: str
    endpoint: Address
    told: dict[str, Any]

    @property
    def short_name(self) -> str:
        """Made of the name: 1 to 24 of a-z, 0-9 and single _, beginning with a letter."""
        plain = _NOT_IN_A_NAME.sub("_", self.name.lower()).strip("_")[:_NAME_LENGTH].strip("_")
        return plain if plain[:1].isalpha() else f"agent_{plain}".strip("_")[:_NAME_LENGTH]


def read(data: bytes) -> Card:
    """Raises CardRefused."""
    try:
        document = _Document.model_validate(json.loads(data))
    except (RecursionError, UnicodeDecodeError) as error:
        raise CardRefused("The card is not JSON in UTF-8.") from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])[:200]
        raise CardRefused(f"The card does not fit A2A 1.0: {where or 'it'}: {first['msg']}.") from error
    except ValueError as error:
        raise CardRefused("The card is not JSON.") from error
    if document.security_requirements:
        raise CardRefused("This agent wants a login. Steps get no secrets, so mindX cannot ask it.")
    fitting = [
        one
        for one in document.supported_interfaces
        if one.protocol_binding == BINDING and one.protocol_version.partition(".")[0] == _MAJOR
    ]
    if not fitting:
        raise CardRefused("This agent offers no interface that mindX speaks: JSON-RPC of A2A 1.0.")
    try:
        endpoint = web_address.read(fitting[0].url)
    except ValueError as error:
        raise CardRefused(f"The agent's address cannot be used: {error}.") from error
    return Card(document.name, endpoint, document.model_dump(exclude={"security_requirements"}))
