"""A design of several components as the text that people review, and read back from it when it is carried out.

There is no second copy: what is planned is what stands in the approved text, whoever wrote or changed it.

    Design of 2 components for: Report the sales
    Component count-lines: reuse the workflow “Count lines” 1.0.0
    count-lines does: Count the lines of sales.csv
    Component write-report: create
    write-report does: Write a report about them
    write-report waits for: count-lines
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agents.bdi.designing.choosing import CREATE, EVOLVE, REUSE, Decided, Thresholds
from agents.bdi.designing.needs import Need
from agents.toolkit.parts import Part

_HEAD = re.compile(r"Design of \d{1,3} components? for: (?P<title>.+)")
_COMPONENT = re.compile(
    r"Component (?P<name>[a-z][a-z0-9-]{0,31}): (?P<choice>reuse|evolve|create)"
    r"(?: the (?P<kind>[a-z]+) “(?P<what>.{1,200})” (?P<version>\d[\w.]{0,31}))?"
)
_SAYS = re.compile(r"(?P<name>[a-z][a-z0-9-]{0,31}) (?P<what>does|waits for): (?P<text>.+)")
NEW_CODE = "nothing writes new code by itself here: no language model is set up, so a person is asked for its plan"
NEW_BY_MODEL = "a language model may plan it or write it, and people review that"


@dataclass(frozen=True)
class Component:
    """A part of a design as its text says it. `kind`, `what`, `version`: of the library, empty for a new one."""

    name: str
    choice: str
    does: str
    after: tuple[str, ...] = ()
    kind: str = ""
    what: str = ""
    version: str = ""

    @property
    def goal(self) -> str:
        """The text of the sub-goal that sees to it."""
        if self.choice == REUSE and self.kind == "workflow":
            return f'Process the workflow "{self.what}"'
        if self.choice == EVOLVE:
            return f'Evolve the component "{self.what}" of the kind {self.kind} so that it does "{self.does}"'
        return self.does


@dataclass(frozen=True)
class Blueprint:
    """A design that was read."""

    title: str
    components: tuple[Component, ...]


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
        if need.after:
            lines.append(f"{need.name} waits for: {', '.join(need.after)}")
            lines.append(f"{need.name} reads: the files that {' and '.join(need.after)} left in the workspace")
        if one.choice == CREATE:
            lines.append(f"{need.name} asks: {NEW_BY_MODEL if has_model else NEW_CODE}")
        if one.choice == EVOLVE:
            lines.append(f"{need.name} asks: it becomes a candidate, and people decide whether it is put to use")
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
    return Blueprint(head["title"], tuple(_whole(found.values(), says)))


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


def _chosen(one: Decided) -> str:
    if one.choice == CREATE or one.match is None:
        return CREATE
    return f"{one.choice} the {one.match.kind} “{_quiet(one.match.name)}” {one.match.version}"


def _quiet(text: str) -> str:
    return " ".join(text.split())
