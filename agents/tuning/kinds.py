"""One kind of tunable: which fields it has, what they may hold, and in which rows its versions are kept."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.db.models import Model, QuerySet

from agents.record.errors import TuningRefused
from agents.rules.naming import hidden_character
from agents.toolkit.registry import tools_in_use
from people.models import User

Values = dict[str, Any]
Type = Literal["switch", "whole", "number", "text", "json", "choice", "choices"]
# As JSON, in characters: a default is a value of a parameter, not a document.
MOST_JSON = 10_000


@dataclass(frozen=True)
class Field:
    """A value of a tunable as forms and the API take it. `most` of a text are its characters, else the greatest value.

    `blank`: it may be left empty, which is "" of a text or a choice and None of a number.
    """

    name: str
    label: str
    type: Type
    hint: str = ""
    least: float | None = None
    most: float | None = None
    choices: Sequence[tuple[str, str]] = ()
    blank: bool = False

    @property
    def empty(self) -> Any:
        """What it holds before anything was said."""
        return {"switch": False, "text": "", "choice": "", "choices": []}.get(self.type)

    def problem(self, value: Any) -> str:
        """Why this is no value of the field, as a sentence; "" when it is one."""
        match self.type:
            case "switch":
                return "" if isinstance(value, bool) else "It is on or off (true or false)."
            case "whole" | "number":
                return self._number_problem(value)
            case "text":
                return self._text_problem(value)
            case "choice":
                known = {name for name, _ in self.choices} | ({""} if self.blank else set())
                return "" if isinstance(value, str) and value in known else self._unknown(value)
            case "choices":
                known = {name for name, _ in self.choices}
                if not isinstance(value, list):
                    return "It is a list."
                wrong = next((one for one in value if not isinstance(one, str) or one not in known), None)
                return "" if wrong is None else self._unknown(wrong)
        return ""

    def _number_problem(self, value: Any) -> str:
        if value is None and self.blank:
            return ""
        whole = self.type == "whole"
        if isinstance(value, bool) or not isinstance(value, int if whole else int | float) or not math.isfinite(value):
            return "It is a whole number." if whole else "It is a number."
        if (self.least is not None and value < self.least) or (self.most is not None and value > self.most):
            return f"It is from {in_words(self.least)} to {in_words(self.most)}."
        return ""

    def _text_problem(self, value: Any) -> str:
        if not isinstance(value, str):
            return "It is text."
        if not value and not self.blank:
            return "It cannot be empty."
        if self.most is not None and len(value) > self.most:
            return f"It has at most {self.most:g} characters."
        if hidden := hidden_character(value):
            return f"It holds the hidden character {hidden}; type it without."
        return ""

    def _unknown(self, value: Any) -> str:
        names = ", ".join(name for name, _ in self.choices)
        return f"There is no {str(value)[:60] or 'empty one'}; there are {names}."


@dataclass(frozen=True)
class Checked:
    """Values that can be saved, and what whoever saves them should know."""

    values: Values
    warnings: tuple[str, ...] = ()


class Kind(ABC):
    """A kind of tunable. `key` names the fields by which two versions are about the same."""

    name: str
    words: str
    # One of them as it is written; of what there is one of, none is.
    one: str = ""
    about: str
    model: type[Model]
    fields: tuple[Field, ...]
    key: tuple[str, ...] = ()
    # What a version is tried on: commands that were understood, failures, tries of the backlog, or planned goals.
    trial: Literal["commands", "failures", "tries", "goals"] = "commands"

    def cleaned(self, given: Mapping[str, Any], start: Mapping[str, Any]) -> Checked:
        """The values that `given` means where `start` counts; what is left out stays. Raises TuningRefused."""
        known = {one.name: one for one in self.fields}
        wrong = {name: "There is no such field." for name in given if name not in known}
        values = {one.name: start.get(one.name, one.empty) for one in self.fields}
        for name, one in known.items():
            if name in given:
                value = given[name]
                values[name] = value.strip() if isinstance(value, str) and one.type == "text" else value
            if problem := one.problem(values[name]):
                wrong.setdefault(name, problem)
        if wrong:
            raise TuningRefused(wrong)
        return self.checked(values)

    def checked(self, values: Values) -> Checked:
        """What the kind itself demands of values whose fields are right. Raises TuningRefused."""
        return Checked(values)

    def of(self, row: Any) -> Values:
        """What a row says."""
        return {one.name: getattr(row, one.name) for one in self.fields}

    def identity(self, values: Mapping[str, Any]) -> tuple[Any, ...]:
        """What makes two versions be about the same."""
        return tuple(values[name] for name in self.key)

    def rows_about(self, values: Mapping[str, Any]) -> QuerySet[Any]:
        """Every saved version about the same as these values, newest first."""
        return self._rows().filter(**{name: values[name] for name in self.key})

    def newest(self) -> list[Any]:
        """The version that counts of everything that was ever saved, newest first."""
        rows = self._rows()
        if not self.key:
            return list(rows[:1])
        found: dict[tuple[Any, ...], Any] = {}
        for row in sorted(rows.order_by(*self.key, "-pk").distinct(*self.key), key=lambda row: -row.pk):
            found.setdefault(self.identity(self.of(row)), row)
        return list(found.values())

    def usual(self, key: Mapping[str, Any]) -> Values | None:
        """What holds before anything was saved; None where then there is nothing."""
        return None

    def all_usual(self) -> list[Values]:
        """Everything of this kind that is there before anything was saved."""
        return []

    def ref_of(self, values: Mapping[str, Any], row: Any) -> str:
        """Its part of an address: a name, or the number of a version."""
        return str(row.pk)

    def key_of(self, ref: str) -> Values | None:
        """The values of `key` that an address means; None when it means nothing."""
        if not (ref.isascii() and ref.isdigit() and len(ref) < 19):
            return None
        row = self._rows().filter(pk=int(ref)).first()
        return None if row is None else {name: value for name, value in self.of(row).items() if name in self.key}

    @abstractmethod
    def title(self, values: Mapping[str, Any]) -> str:
        """What it is about, for a heading."""

    @abstractmethod
    def summary(self, values: Mapping[str, Any]) -> str:
        """What it says, in a line."""

    @abstractmethod
    def store(self, values: Values, *, before: Values | None, by: User, note: str) -> Any:
        """Write the row and its entry in the journal; called inside a transaction that holds the kind's lock."""

    def _rows(self) -> QuerySet[Any]:
        return self.model._default_manager.select_related("by").order_by("-pk")


class OneRow(Kind):
    """A kind with one row for all of it, which holds what its model says until somebody saves another."""

    def usual(self, key: Mapping[str, Any]) -> Values:
        return self.of(self.model())

    def all_usual(self) -> list[Values]:
        return [self.usual({})]

    def ref_of(self, values: Mapping[str, Any], row: Any) -> str:
        return "current"

    def key_of(self, ref: str) -> Values | None:
        return {} if ref == "current" else None

    def title(self, values: Mapping[str, Any]) -> str:
        return self.words


@dataclass(frozen=True)
class Change:
    """A field that differs between two versions."""

    label: str
    before: Any
    after: Any


def changes(kind: Kind, before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> list[Change]:
    """What differs, in the order of the fields; `before` None: everything that is said is new."""
    return [
        Change(one.label, None if before is None else before.get(one.name), after.get(one.name))
        for one in kind.fields
        if (one.empty if before is None else before.get(one.name)) != after.get(one.name)
    ]


def in_words(number: float | None) -> str:
    """A number as it is typed, every digit of it: what is shown rounded would be saved rounded."""
    return "" if number is None else str(number).removesuffix(".0")


class _Tools(Sequence[tuple[str, str]]):
    """The tools in use, read whenever they are asked for: people make and retire tools while mindX runs."""

    def __getitem__(self, at: Any) -> Any:
        return one_of([tool.name for tool in tools_in_use().tools])[at]

    def __len__(self) -> int:
        return len(tools_in_use().tools)


TOOLS = _Tools()


def one_of(names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Choices whose words are their names."""
    return tuple((name, name.replace("_", " ")) for name in names)
