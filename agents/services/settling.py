"""What holds for parameters at this moment: the newest saved version of each switch, mapping and rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agents.bdi.understanding.paths import Mapped
from agents.models import ParameterRule, ParameterSettings, PathMapping


@dataclass(frozen=True)
class Rule:
    """What counts for one parameter: a default of its own (`has_default`), and whether it may be guessed."""

    default: Any = None
    has_default: bool = False
    may_be_guessed: bool = True


def switches() -> ParameterSettings:
    """The newest settings; those that the code begins with where none were saved."""
    return ParameterSettings.objects.order_by("-pk").first() or ParameterSettings()


def mapped() -> tuple[Mapped, ...]:
    """The mapping table: of each name, tool and parameter the newest row, where it is in use."""
    newest: dict[tuple[str, str, str], PathMapping] = {}
    for row in PathMapping.objects.order_by("-pk"):
        newest.setdefault((" ".join(row.said.casefold().split()), row.tool, row.parameter), row)
    return tuple(Mapped(row.said, row.path, row.tool, row.parameter) for row in newest.values() if row.in_use)


def rules() -> dict[tuple[str, str, str], Rule]:
    """The rules by tool, command and parameter: of each the newest row, where it is in use."""
    newest: dict[tuple[str, str, str], ParameterRule] = {}
    for row in ParameterRule.objects.order_by("-pk"):
        newest.setdefault((row.tool, row.command, row.parameter), row)
    return {
        key: Rule(row.default, row.default is not None, row.may_be_guessed) for key, row in newest.items() if row.in_use
    }
