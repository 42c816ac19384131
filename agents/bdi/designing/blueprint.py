"""A design of several components as the text that people review, and read back from it when it is carried out.

There is no second copy: what is planned is what stands in the approved text, whoever wrote or changed it.

    Design of 2 components for: Report the sales
    Component count-lines: reuse the workflow “Count lines” 1.0.0
    count-lines does: Count the lines of sales.csv
    count-lines takes file: sales.csv
    Component write-report: create
    write-report does: Write a report about them
    write-report waits for: count-lines
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.bdi.designing.choosing import CREATE, EVOLVE, REUSE, Decided, Thresholds
from agents.bdi.designing.needs import Need
from agents.bdi.designing.workflow_values import Chosen
from agents.toolkit.parts import Part
from agents.toolkit.schemas import JsonError, loads_strict

_HEAD = re.compile(r"Design of \d{1,3} components? for: (?P<title>.+)")
_COMPONENT = re.compile(
    r"Component (?P<name>[a-z][a-z0-9-]{0,31}): (?P<choice>reuse|evolve|create)"
    r"(?: the (?P<kind>[a-z]+) “(?P<what>.{1,200})” (?P<version>\d[\w.]{0,31}))?"
)
_TAKES = re.compile(r"(?P<name>[a-z][a-z0-9-]{0,31}) takes (?P<param>[A-Za-z_][A-Za-z0-9_]{0,63}): (?P<value>.+)")
# Stands in place of a value that somebody has to give.
OPEN = "?"
# A longer default stays in the workflow: nobody reads it within a line.
_VALUE_MAX = 300
_SAYS = re.compile(r"(?P<name>[a-z][a-z0-9-]{0,31}) (?P<what>does|waits for): (?P<text>.+)")
NEW_CODE = "nothing writes new code by itself here: no language model is set up, so a person is asked for its plan"
BETTER = "that this is developed further, as a wish on the backlog, about which people decide"
NEW_BY_MODEL = "a language model may plan it or write it, and people review that"


@dataclass(frozen=True)
class Component:
    """A part of a design as its text says it. `kind`, `what`, `version`: of the library, empty for a new one.
    `takes`: values of a workflow's parameters; None where somebody has to give one.
    """

    name: str
    choice: str
    does: str
    after: tuple[str, ...] = ()
    kind: str = ""
    what: str = ""
    version: str = ""
    takes: tuple[tuple[str, Any], ...] = ()

    @property
    def goal(self) -> str:
        """The text of the sub-goal that sees to it: the need in its own words.

        Asking for a better component would see to nothing; that is a proposal beside it (`better`).
        """
        if self.choice == REUSE and self.kind == "workflow":
            values = f" with the values {json.dumps(dict(self.takes))}" if self.takes else ""
            return f'Process the workflow "{self.what}"{values}'
        return self.does


@dataclass(frozen=True)
class Blueprint:
    """A design that was read."""

    title: str
    components: tuple[Component, ...]

    @property
    def better(self) -> tuple[Component, ...]:
        """The components of which the library has one that does nearly this: it is proposed to develop it further."""
        return tuple(one for one in self.components if one.choice == EVOLVE)

    @property
    def asks(self) -> tuple[str, ...]:
        """The values that somebody has to give before it can be carried out, in words."""
        return tuple(f"{name} of {one.name}" for one in self.components for name, value in one.takes if value is None)


def write(title: str, decided: Sequence[tuple[Need, Decided]], thresholds: Thresholds, *, has_model: bool) -> str:
    """The text of a design. What people and libraries say stands within lines, and never begins one."""
    count = "1 component" if len(decided) == 1 else f"{len(decided)} components"
    lines = [
        f"Design of {count} for: {_quiet(title)}",
        f"A component is reused from a score of {thresholds.reuse:.2f} and evolved from {thresholds.evolve:.2f};"
        " a score is 0.7 × task + 0.3 × content, and a little for what has proved itself",
    ]
    for need, one in decided:
        lines += [
            f"Component {need.name}: {_chosen(one)}",
            f"{need.name} does: {_quiet(need.does)}",
            f"{need.name} because: {_quiet(one.because)}",
        ]
        lines += _values(need.name, one.values)
        if need.after:
            lines.append(f"{need.name} waits for: {', '.join(need.after)}")
            lines.append(f"{need.name} reads: the files that {' and '.join(need.after)} left in the workspace")
        if one.choice == CREATE:
            lines.append(f"{need.name} asks: {NEW_BY_MODEL if has_model else NEW_CODE}")
        if one.choice == EVOLVE:
            lines.append(f"{need.name} proposes: {BETTER}")
    return "\n".join(lines)


def read(text: str) -> Blueprint | None:
    """The design in a text; None for a text that is no design of components.

    Raises ValueError with the first fault of one that claims to be.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    head = _HEAD.fullmatch(lines[0]) if lines else None
    if head is None:
        return None
    found: dict[str, Component] = {}
    takes: dict[str, dict[str, Any]] = {}
    says: dict[tuple[str, str], str] = {}
    for line in lines[1:]:
        if (one := _COMPONENT.fullmatch(line)) is not None:
            name = one["name"]
            if name in found:
                raise ValueError(f"two components are named {name}")
            found[name] = Component(
                name, one["choice"], "", (), one["kind"] or "", one["what"] or "", one["version"] or ""
            )
        elif (said := _SAYS.fullmatch(line)) is not None:
            says[said["name"], said["what"]] = said["text"]
        elif (given := _TAKES.fullmatch(line)) is not None:
            takes.setdefault(given["name"], {})[given["param"]] = _value(given["value"])
    whole = _whole(found.values(), says)
    return Blueprint(head["title"], tuple(replace(one, takes=_taken(one, takes)) for one in whole))


def parts(blueprint: Blueprint) -> tuple[Part, ...]:
    """The sub-goals that carry the design out, in order."""
    return tuple(Part(one.name, one.goal, one.after) for one in blueprint.components)


def _whole(found: Iterable[Component], says: dict[tuple[str, str], str]) -> Iterable[Component]:
    before: set[str] = set()
    for one in found:
        does = says.get((one.name, "does"), "")
        if not does:
            raise ValueError(f"the component {one.name} does not say what it does")
        if one.choice != CREATE and not one.what:
            raise ValueError(f"the component {one.name} does not say what of the library it is to {one.choice}")
        after = tuple(name for name in re.split(r"[,\s]+", says.get((one.name, "waits for"), "")) if name)
        if missing := [name for name in after if name not in before]:
            raise ValueError(f"{one.name} waits for {missing[0]}, which does not come before it")
        before.add(one.name)
        yield Component(one.name, one.choice, does, after, one.kind, one.what, one.version)
    if not before:
        raise ValueError("it names no component")


def _taken(one: Component, takes: dict[str, dict[str, Any]]) -> tuple[tuple[str, Any], ...]:
    """What is given to a component; ValueError where that takes nothing."""
    given = tuple(takes.get(one.name, {}).items())
    if given and (one.choice != REUSE or one.kind != "workflow"):
        raise ValueError(f"{one.name} takes {given[0][0]}, but only a workflow that is reused takes values")
    return given


def _values(name: str, values: Sequence[Chosen]) -> Iterator[str]:
    """A line for each value, and one with the reasons."""
    for one in values:
        said = OPEN if one.value is None else _written(one.value)
        if len(said) <= _VALUE_MAX:
            yield f"{name} takes {one.name}: {said}"
        else:
            yield f"{name} leaves {one.name}: as the workflow says, {len(said):,} characters"
    if values:
        yield f"{name} values because: {'; '.join(f'{one.name}, {_quiet(one.because)}' for one in values)}"


def _written(value: Any) -> str:
    """A text as it is where it reads back the same, anything else as JSON, whose escapes end no line."""
    if isinstance(value, str) and value != OPEN and value == _quiet(value) and _value(value) == value:
        return value
    return json.dumps(value)


def _value(said: str) -> Any:
    """JSON, or the text that stands there; None for what is still open."""
    if said == OPEN:
        return None
    try:
        found = loads_strict(said)
    except JsonError:
        return said
    return said if found is None else found


def _chosen(one: Decided) -> str:
    if one.choice == CREATE or one.match is None:
        return CREATE
    return f"{one.choice} the {one.match.kind} “{_quiet(one.match.name)}” {one.match.version}"


def _quiet(text: str) -> str:
    return " ".join(text.split())
