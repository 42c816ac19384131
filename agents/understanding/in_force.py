"""What holds for parameters at this moment: the newest saved version of each switch, mapping, rule and lesson."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agents.bdi.learning.corrections import RULE_NOTE
from agents.bdi.plans import lessons
from agents.bdi.understanding.names.paths import Mapped
from agents.models import Lesson, ParameterRule, ParameterSettings, PathMapping
from agents.record import prepared

# Asked while a goal is planned, once to understand it and once to mend what a rule or a model made of it.
_COLUMNS = tuple(field.attname for field in ParameterSettings._meta.concrete_fields)
_SWITCHES = f"SELECT {', '.join(_COLUMNS)} FROM {ParameterSettings._meta.db_table} ORDER BY id DESC LIMIT 1"  # noqa: S608  # names of our own tables
_TAUGHT = Lesson._meta.db_table
# Of what is about the same only the newest version: every one that was ever saved stays in the table. What the goal's
# submitter taught comes in the same statement, so that it costs no question of its own, and before the others.
_MAPPED = f"""
    SELECT said, path, tool, parameter, in_use, 0::bigint AS lesson, id FROM (
        SELECT DISTINCT ON (said, tool, parameter) * FROM {PathMapping._meta.db_table}
        ORDER BY said, tool, parameter, id DESC
    ) AS newest
    UNION ALL
    SELECT said, path, tool, parameter, state = '{Lesson.State.IN_FORCE}', id, id FROM (
        SELECT DISTINCT ON (said, tool, parameter) * FROM {_TAUGHT}
        WHERE teacher_id = %(person)s AND kind = '{Lesson.Kind.MAPPING}' ORDER BY said, tool, parameter, id DESC
    ) AS taught
    ORDER BY lesson DESC, id DESC
"""  # noqa: S608  # names of our own tables
_RULES = f"""
    (SELECT DISTINCT ON (tool, command, parameter)
        tool, command, parameter, "default", may_be_guessed, in_use, 0::bigint AS lesson
    FROM {ParameterRule._meta.db_table} ORDER BY tool, command, parameter, id DESC)
    UNION ALL
    (SELECT DISTINCT ON (tool, command, parameter)
        tool, command, parameter, "default", true, state = '{Lesson.State.IN_FORCE}', id
    FROM {_TAUGHT} WHERE teacher_id = %(person)s AND kind = '{Lesson.Kind.DEFAULT}'
    ORDER BY tool, command, parameter, id DESC)
    ORDER BY lesson
"""  # noqa: S608  # names of our own tables
# No person has this number: what holds for everybody.
NOBODY = 0


@dataclass(frozen=True)
class Rule:
    """What counts for one parameter: a default of its own (`has_default`), and whether it may be guessed.

    `lesson` is the number of the lesson that the default is of, 0 for one that holds for everybody.
    """

    default: Any = None
    has_default: bool = False
    may_be_guessed: bool = True
    lesson: int = 0

    @property
    def note(self) -> str:
        """What a value says that was taken from it."""
        return lessons.of_default(self.lesson) if self.lesson else RULE_NOTE


@dataclass(frozen=True)
class Tuning:
    """All that holds about parameters for the goals of one person, at one moment."""

    switches: ParameterSettings
    mapped: tuple[Mapped, ...]
    rules: Mapping[tuple[str, str, str], Rule]


def current(person: int) -> Tuning:
    """What counts now for the goals that this person submits."""
    return Tuning(switches(), mapped(person), rules(person))


def switches() -> ParameterSettings:
    """The newest settings; those that the code begins with where none were saved."""
    newest = prepared.row(_SWITCHES, {})
    return ParameterSettings.from_db("default", _COLUMNS, newest) if newest else ParameterSettings()


def mapped(person: int = NOBODY) -> tuple[Mapped, ...]:
    """The mapping table: of each name, tool and parameter the newest row, where it is in use; what this person taught
    stands before what holds for everybody. Case does not count.
    """
    newest: dict[tuple[bool, str, str, str], tuple[Mapped, bool]] = {}
    for said, path, tool, parameter, in_use, lesson, _ in prepared.rows(_MAPPED, {"person": person}):
        key = (lesson > 0, " ".join(said.casefold().split()), tool, parameter)
        newest.setdefault(key, (Mapped(said, path, tool, parameter, lesson), in_use))
    return tuple(one for one, in_use in newest.values() if in_use)


def rules(person: int = NOBODY) -> dict[tuple[str, str, str], Rule]:
    """The rules by tool, command and parameter: of each the newest row, where it is in use.

    A default that this person taught takes the place of that for everybody. Whether the value may be guessed stays what
    operators say.
    """
    found: dict[tuple[str, str, str], Rule] = {}
    for tool, command, parameter, default, may_be_guessed, in_use, lesson in prepared.rows(_RULES, {"person": person}):
        if in_use:
            key = (tool, command, parameter)
            value = None if default is None else json.loads(default)
            may = found.get(key, Rule()).may_be_guessed if lesson else may_be_guessed
            found[key] = Rule(value, value is not None, may, lesson)
    return found
