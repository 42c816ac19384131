"""The steps of a document for the page: every argument, its earlier value, and its origin."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agents.bdi.plans import conditions
from agents.bdi.plans.document import Document, IntentSpec, Parameter
from agents.presentation.values import as_text
from agents.toolkit.limits import Ceiling, unusual
from review.reading import asked_models, difference, texts
from review.reading.difference import Difference, InFull

_LONGEST_SENTENCE = 160


@dataclass(frozen=True)
class Argument(InFull):
    """A parameter in full: as running text, or as a block of numbered lines if running text would lose something.

    `shown_at` is the place on the page where exactly this text is shown in full; the step then links to it.
    """

    parameter: Parameter
    text: str
    was: str | None
    shown_at: str = ""
    anchor: str = ""

    @property
    def was_facts(self) -> str:
        """The size of the earlier value, if running text would lose parts of it; else ""."""
        return texts.facts(self.was) if self.was is not None and texts.needs_block(self.was) else ""


@dataclass(frozen=True)
class Step:
    """One step for the page."""

    spec: IntentSpec
    arguments: tuple[Argument, ...]
    condition: str
    is_cleanup: bool
    # Its alternatives if it fails, in their order.
    alternatives: tuple[Step, ...] = ()

    @property
    def sentence(self) -> str:
        """The step in one English sentence; "" if it would repeat an argument that is shown as a block."""
        said = self.spec.sentence
        repeats = len(said) > _LONGEST_SENTENCE or any(argument.is_block for argument in self.arguments)
        return "" if repeats or "\n" in said else said

    @property
    def call(self) -> str:
        """The command with its values, in short: for a line that names several steps."""
        values = [argument.facts if argument.is_block else argument.text for argument in self.arguments]
        return " ".join([self.spec.command, *values])

    @property
    def unusual_limits(self) -> list[Ceiling]:
        """The limits that are not the defaults."""
        return unusual(self.spec.limits)


@dataclass(frozen=True)
class ShownText:
    """A text of this step that is shown in full elsewhere on the page, at this anchor."""

    position: int
    text: str
    anchor: str


def steps_of(document: Document, shown: Collection[ShownText] = ()) -> tuple[Step, ...]:
    """Every step, main ones first. `shown`: the files whose content the page shows anyway."""
    return tuple(_step(spec, [one for one in shown if one.position == spec.position]) for spec in document.all_intents)


def _step(spec: IntentSpec, shown: Collection[ShownText], at: str = "") -> Step:
    at = at or str(spec.position)
    named = {parameter.name for parameter in spec.parameters}
    # `params` is what runs, so a value without a recorded origin is shown too.
    extra = tuple(Parameter(name, value, "") for name, value in spec.params.items() if name not in named)
    return Step(
        spec=spec,
        arguments=tuple(
            _argument(one, spec, shown, f"argument-{at}-{number}")
            for number, one in enumerate((*spec.parameters, *extra), 1)
        ),
        condition=_condition(spec.condition) if spec.condition else "",
        is_cleanup=spec.phase == "cleanup",
        alternatives=tuple(
            _step(other, (), f"{at}-instead-{number}") for number, other in enumerate(spec.alternatives, 1)
        ),
    )


def _condition(condition: Mapping[str, Any]) -> str:
    """As a sentence; as it is stored where that is no condition that mindX knows."""
    known = set(condition) == set(conditions.FIELDS) and condition["operator"] in conditions.OPERATORS
    return conditions.say(condition).removeprefix("only if ") if known else as_text(condition)


def _argument(parameter: Parameter, spec: IntentSpec, shown: Collection[ShownText], anchor: str) -> Argument:
    # The value in `params` runs; the record only explains it.
    text = as_text(spec.params.get(parameter.name))
    was = None if parameter.original is None else as_text(parameter.original)
    place = next((one.anchor for one in shown if one.text in (text, f"{text}\n")), "")
    return Argument(
        parameter=parameter,
        text=text,
        was=was,
        shown_at=place if texts.needs_block(text) else "",
        anchor=anchor,
    )


def as_lines(document: Document) -> str:
    """A whole document as lines for comparison: one fact a line, every argument in full."""
    lines = [f"goal: {document.goal_text}", f"workspace: {document.workspace}", f"made on snapshot: {document.base}"]
    for step in steps_of(document):
        spec = step.spec
        lines += ["", f"{'clean-up step' if step.is_cleanup else 'step'} {spec.position}: {spec.tool}.{spec.command}"]
        lines.append(f"  effect: {spec.effect}")
        lines += _order_lines(step)
        if spec.hosts:
            lines.append("  may reach: " + ", ".join(spec.hosts))
        if spec.asks is not None:
            lines.append(f"  sends its text to: {asked_models.in_words(spec.asks)}")
        if spec.limits:
            lines.append(f"  limits: {as_text(dict(spec.limits))}")
        lines += _argument_lines(step)
        lines.append(f"  why: {spec.justification}")
        for number, other in enumerate(step.alternatives, 1):
            lines.append(f"  alternative {number} when it fails: {other.spec.tool}.{other.spec.command}")
            lines.append(f"    effect: {other.spec.effect}")
            if other.spec.hosts:
                lines.append("    may reach: " + ", ".join(other.spec.hosts))
            if other.spec.asks is not None:
                lines.append(f"    sends its text to: {asked_models.in_words(other.spec.asks)}")
            lines += [f"  {line}" for line in _argument_lines(other)]
    return "\n".join(lines) + "\n"


def _order_lines(step: Step) -> Iterator[str]:
    """What a step depends on, its condition, its branch, and its retries."""
    spec = step.spec
    if spec.depends_on:
        yield "  after: " + ", ".join(map(str, spec.depends_on))
    if step.condition:
        yield f"  only if: {step.condition}"
    if spec.branch:
        yield f"  branch: {spec.branch}"
    if spec.retries is not None:
        yield f"  retries: at most {spec.retries}"


def _argument_lines(step: Step) -> Iterator[str]:
    for argument in step.arguments:
        if argument.is_block:
            yield f"  {argument.parameter.name} ({argument.facts}):"
            yield from (f"    {piece}" for piece in texts.split(argument.text))
        else:
            yield f"  {argument.parameter.name}: {argument.text}"
        if argument.was is not None:
            yield f"    in place of: {argument.was}"


def compared(before: Document, after: Document, *, folds: bool = True) -> Difference:
    """The changes from one document to another."""
    return difference.between(as_lines(before), as_lines(after), folds=folds)
