"""What plans of one shape share, and what each of them has for itself. Pure; every value is told in full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agents.bdi.document import Document, IntentSpec
from agents.bdi.limits import unusual
from agents.presentation.values import as_text
from review.reading import asking
from review.reading.difference import InFull

# The position of what holds for a plan as a whole.
WHOLE = 0


@dataclass(frozen=True)
class Key:
    """What a fact is about: an argument or a property of a step, or (position 0) of the whole plan."""

    position: int
    name: str


@dataclass(frozen=True)
class Fact(InFull):
    """One thing that a plan says, in full."""

    key: Key
    text: str
    is_argument: bool = True


@dataclass(frozen=True)
class SharedStep:
    """A step as all plans of a shape take it: what it says in all of them, and what it says in each otherwise."""

    position: int
    is_cleanup: bool
    tool: str
    command: str
    same: tuple[Fact, ...]
    differing: tuple[str, ...]


def facts_of(document: Document) -> dict[Key, Fact]:
    """Everything that a plan says besides its shape, step by step, whole plan first.

    The words of its goal, its number and the files it was made on are left out: they differ in every plan.
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
    said.append(_fact(at, "why", spec.justification))
    for number, other in enumerate(spec.alternatives, 1):
        said += _asked(other, at, f"or else ({number}) {other.tool}.{other.command}: ")
    return said


def _asked(spec: IntentSpec, at: int, before: str) -> list[Fact]:
    """What a step, or what may be done in its place, is given; `before` stands before each name."""
    said = [Fact(Key(at, f"{before}{name}"), as_text(value)) for name, value in sorted(spec.params.items())]
    for one in spec.parameters:
        if one.original is not None:
            said.append(_fact(at, f"{before}{one.name} before correction", as_text(one.original)))
    said.append(_fact(at, f"{before}only if", as_text(spec.condition) if spec.condition else ""))
    said.append(_fact(at, f"{before}may reach", ", ".join(spec.hosts)))
    said.append(_fact(at, f"{before}sends its text to", "" if spec.asks is None else asking.in_words(spec.asks)))
    said.append(_fact(at, f"{before}effect", spec.effect))
    limits = [f"{limit.label} {limit.value} (usually {limit.usual})" for limit in unusual(spec.limits)]
    said.append(_fact(at, f"{before}limits", ", ".join(limits)))
    return said


def _fact(position: int, name: str, text: str) -> Fact:
    return Fact(Key(position, name), text, is_argument=False)


def shared(members: Sequence[Mapping[Key, Fact]]) -> dict[Key, Fact]:
    """What all of them say in the same words; of one alone nothing is shared, so that all of it is shown."""
    if len(members) < 2:
        return {}
    first, rest = members[0], members[1:]
    return {key: fact for key, fact in first.items() if all(key in one and one[key].text == fact.text for one in rest)}


def own(member: Mapping[Key, Fact], same: Mapping[Key, Fact]) -> tuple[Fact, ...]:
    """What a plan says otherwise than the others: every differing argument, whatever its length.

    Of a property that only some have, those that have none of it say nothing.
    """
    return tuple(fact for key, fact in member.items() if key not in same and (fact.is_argument or fact.text))


@dataclass(frozen=True)
class Own:
    """What a plan says otherwise than the others, once, with every step that says it under this name."""

    positions: tuple[int, ...]
    name: str
    fact: Fact

    @property
    def where(self) -> str:
        """The steps, or "" for the plan as a whole."""
        return ", ".join(str(position) for position in self.positions if position != WHOLE)


def merged(facts: Sequence[Fact]) -> tuple[Own, ...]:
    """The same value under the same name is told once, where it comes first."""
    found: dict[tuple[str, str], list[Fact]] = {}
    for fact in facts:
        found.setdefault((fact.key.name, fact.text), []).append(fact)
    return tuple(Own(tuple(one.key.position for one in alike), name, alike[0]) for (name, _), alike in found.items())


def steps(document: Document, same: Mapping[Key, Fact]) -> tuple[SharedStep, ...]:
    """The steps of the shape, as this plan of it has them, with what is shared."""
    return tuple(_shared_step(spec, same) for spec in document.all_intents)


def _shared_step(spec: IntentSpec, same: Mapping[Key, Fact]) -> SharedStep:
    here = [fact for key, fact in same.items() if key.position == spec.position and (fact.is_argument or fact.text)]
    differing = tuple(name for name in sorted(spec.params) if Key(spec.position, name) not in same)
    return SharedStep(spec.position, spec.phase == "cleanup", spec.tool, spec.command, tuple(here), differing)
