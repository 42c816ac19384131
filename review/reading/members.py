"""What plans of one shape share, and how each of them differs. Pure; every value is complete."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agents.bdi.plans.document import Document, IntentSpec
from agents.presentation.values import as_text
from agents.toolkit.limits import unusual
from review.reading import asked_models
from review.reading.difference import InFull

# The position for facts about a plan as a whole.
WHOLE = 0
WHY = "why"


@dataclass(frozen=True)
class Key:
    """What a fact is about: an argument or a property of a step, or (position 0) of the whole plan."""

    position: int
    name: str


@dataclass(frozen=True)
class Fact(InFull):
    """One fact of a plan, in full."""

    key: Key
    text: str
    is_argument: bool = True


@dataclass(frozen=True)
class SharedStep:
    """A step of all plans of a shape: what is the same in all of them, and what differs in each."""

    position: int
    is_cleanup: bool
    tool: str
    command: str
    same: tuple[Fact, ...]
    differing: tuple[str, ...]


def facts_of(document: Document) -> dict[Key, Fact]:
    """All facts of a plan besides its shape, step by step, the whole plan first.

    The words of its goal, its number and its base files are left out, because they differ in every plan.
    """
    rules = ", ".join(f"{one['name']} {one['version']}" for one in document.components)
    found = [_fact(WHOLE, "workspace", document.workspace), _fact(WHOLE, "planned by", document.source)]
    found.append(_fact(WHOLE, "made with", rules))
    for spec in document.all_intents:
        found += _step(spec)
    return {fact.key: fact for fact in found}


def _step(spec: IntentSpec) -> list[Fact]:
    at = spec.position
    said = _asked(spec, at, "")
    said.append(_fact(at, "after", ", ".join(map(str, spec.depends_on))))
    said.append(_fact(at, WHY, spec.justification))
    for number, other in enumerate(spec.alternatives, 1):
        said += _asked(other, at, f"or else ({number}) {other.tool}.{other.command}: ")
    return said


def _asked(spec: IntentSpec, at: int, before: str) -> list[Fact]:
    """The values of a step, or of an alternative; `before` is put before each name."""
    said = [Fact(Key(at, f"{before}{name}"), as_text(value)) for name, value in sorted(spec.params.items())]
    for one in spec.parameters:
        if one.original is not None:
            said.append(_fact(at, f"{before}{one.name} before correction", as_text(one.original)))
    said.append(_fact(at, f"{before}only if", as_text(spec.condition) if spec.condition else ""))
    said.append(_fact(at, f"{before}may reach", ", ".join(spec.hosts)))
    said.append(_fact(at, f"{before}sends its text to", "" if spec.asks is None else asked_models.in_words(spec.asks)))
    said.append(_fact(at, f"{before}effect", spec.effect))
    limits = [f"{limit.label} {limit.value} (usually {limit.usual})" for limit in unusual(spec.limits)]
    said.append(_fact(at, f"{before}limits", ", ".join(limits)))
    return said


def _fact(position: int, name: str, text: str) -> Fact:
    return Fact(Key(position, name), text, is_argument=False)


def shared(members: Sequence[Mapping[Key, Fact]]) -> dict[Key, Fact]:
    """The facts that all share in the same words; a single plan shares nothing, so that all of it is shown."""
    if len(members) < 2:
        return {}
    first, rest = members[0], members[1:]
    return {key: fact for key, fact in first.items() if all(key in one and one[key].text == fact.text for one in rest)}


@dataclass(frozen=True)
class Column:
    """A column in which plans differ: its steps (none: the whole plan), and its name."""

    positions: tuple[int, ...]
    name: str

    @property
    def where(self) -> str:
        """The steps, or "" for the plan as a whole."""
        return ", ".join(str(position) for position in self.positions if position != WHOLE)

    @property
    def head(self) -> str:
        """Both in one line."""
        return f"{self.where} {self.name}".strip()

    @property
    def keys(self) -> tuple[Key, ...]:
        """The facts of this column."""
        return tuple(Key(position, self.name) for position in self.positions)


def columns(members: Sequence[Mapping[Key, Fact]], same: Mapping[Key, Fact]) -> tuple[Column, ...]:
    """The columns to compare for plans that share `same`, in the order of the steps.

    Values of one name that are equal within each plan are shown once. The reason for a step is left out, because it
    mostly repeats the goal.
    """
    found: dict[tuple[str, tuple[str | None, ...]], list[int]] = {}
    for key in dict.fromkeys(key for member in members for key in member):
        texts = tuple(_text(member, key) for member in members)
        if key not in same and key.name != WHY and any(texts):
            found.setdefault((key.name, texts), []).append(key.position)
    return tuple(Column(tuple(positions), name) for (name, _), positions in found.items())


def _text(member: Mapping[Key, Fact], key: Key) -> str | None:
    return member[key].text if key in member else None


def cell(member: Mapping[Key, Fact], column: Column) -> Fact | None:
    """A plan's value in a column; None if it has none."""
    return member.get(column.keys[0])


def steps(document: Document, same: Mapping[Key, Fact]) -> tuple[SharedStep, ...]:
    """The steps of the shape, as in this plan, with what is shared."""
    return tuple(_shared_step(spec, same) for spec in document.all_intents)


def _shared_step(spec: IntentSpec, same: Mapping[Key, Fact]) -> SharedStep:
    here = [fact for key, fact in same.items() if key.position == spec.position and (fact.is_argument or fact.text)]
    differing = tuple(name for name in sorted(spec.params) if Key(spec.position, name) not in same)
    return SharedStep(spec.position, spec.phase == "cleanup", spec.tool, spec.command, tuple(here), differing)
