"""What holds for parameters at this moment: the newest saved version of each switch, mapping and rule."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agents import prepared
from agents.bdi.understanding.paths import Mapped
from agents.models import ParameterRule, ParameterSettings, PathMapping

# Asked while a goal is planned, once to understand it and once to mend what a rule or a model made of it.
_COLUMNS = tuple(field.attname for field in ParameterSettings._meta.concrete_fields)
_SWITCHES = f"SELECT {', '.join(_COLUMNS)} FROM {ParameterSettings._meta.db_table} ORDER BY id DESC LIMIT 1"  # noqa: S608  # names of our own tables
# Of what is about the same only the newest version: every one that was ever saved stays in the table.
_MAPPED = f"""
    SELECT said, path, tool, parameter, in_use FROM (
        SELECT DISTINCT ON (said, tool, parameter) * FROM {PathMapping._meta.db_table}
        ORDER BY said, tool, parameter, id DESC
    ) AS newest ORDER BY id DESC
"""  # noqa: S608  # names of our own tables
_RULES = f"""
    SELECT DISTINCT ON (tool, command, parameter) tool, command, parameter, "default", may_be_guessed, in_use
    FROM {ParameterRule._meta.db_table} ORDER BY tool, command, parameter, id DESC
"""  # noqa: S608  # names of our own tables


@dataclass(frozen=True)
class Rule:
    """What counts for one parameter: a default of its own (`has_default`), and whether it may be guessed."""

    default: Any = None
    has_default: bool = False
    may_be_guessed: bool = True


@dataclass(frozen=True)
class Tuning:
    """All that operators set about parameters, at one moment."""

    switches: ParameterSettings
    mapped: tuple[Mapped, ...]
    rules: Mapping[tuple[str, str, str], Rule]


def current() -> Tuning:
    """What counts now."""
    return Tuning(switches(), mapped(), rules())


def switches() -> ParameterSettings:
    """The newest settings; those that the code begins with where none were saved."""
    newest = prepared.row(_SWITCHES, {})
    return ParameterSettings.from_db("default", _COLUMNS, newest) if newest else ParameterSettings()


def mapped() -> tuple[Mapped, ...]:
    """The mapping table: of each name, tool and parameter the newest row, where it is in use. Case does not count."""
    newest: dict[tuple[str, str, str], tuple[Mapped, bool]] = {}
    for said, path, tool, parameter, in_use in prepared.rows(_MAPPED, {}):
        key = (" ".join(said.casefold().split()), tool, parameter)
        newest.setdefault(key, (Mapped(said, path, tool, parameter), in_use))
    return tuple(one for one, in_use in newest.values() if in_use)


def rules() -> dict[tuple[str, str, str], Rule]:
    """The rules by tool, command and parameter: of each the newest row, where it is in use."""
    found = {}
    for tool, command, parameter, default, may_be_guessed, in_use in prepared.rows(_RULES, {}):
        if in_use:
            value = None if default is None else json.loads(default)
            found[tool, command, parameter] = Rule(value, value is not None, may_be_guessed)
    return found
