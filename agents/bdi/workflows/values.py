"""The values of a workflow: parameters filled in at once, results of earlier steps referred to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.bdi.workflows import placeholders
from agents.bdi.workflows.placeholders import Malformed, Placeholder
from agents.rules.bodies import as_argument, open_quote
from agents.toolkit import phrases
from agents.toolkit.command import Command
from agents.toolkit.references import Reference
from agents.toolkit.schemas import NEVER_REFERENCED
from agents.toolkit.types import Param

OPEN = "a parameter that is given when the workflow is processed"


class ValueFault(ValueError):
    """A value cannot be bound; `mend` says what to write."""

    def __init__(self, message: str, mend: str = "") -> None:
        super().__init__(message)
        self.mend = mend


@dataclass(frozen=True)
class Open:
    """A parameter without a value yet, as it is written."""

    text: str


@dataclass(frozen=True)
class Result:
    """What a step comes to: the keys of its result, or the one of them that a sub-workflow returned."""

    position: int
    keys: tuple[str, ...]
    key: str = ""
    # The condition under which the step runs; empty when it always does.
    condition: str = ""

    def reference(self, key: str, written: object) -> Reference:
        """The reference to one key. Raises ValueFault where there is none of the name, or several to choose from."""
        wanted = key or self.key or (self.keys[0] if len(self.keys) == 1 else "")
        offered = (self.key,) if self.key else self.keys
        if not wanted:
            said = " or ".join("{{" + f"{str(written).strip('{}')}.{each}" + "}}" for each in self.keys)
            raise ValueFault(f"{written} has several parts" if self.keys else f"{written} has no result to use",
                             f"Write {said}" if said else "")  # fmt: skip
        if wanted not in offered:
            raise ValueFault(f"{written}: there is no “{wanted}” in it", f"It gives {' or '.join(offered)}")
        return Reference(self.position, wanted)


@dataclass(frozen=True)
class Names:
    """What placeholders may name here: parameters, and results of the steps so far or values that are known already."""

    params: Mapping[str, Any]
    outputs: Mapping[str, Any]
    # Results of branches that run beside the step, with their branch.
    beside: Mapping[str, str] = field(default_factory=dict)

    def value(self, one: Placeholder) -> Any:
        """A plain value, Open, or Result. Raises ValueFault for what is not known here."""
        if one.is_parameter:
            if one.key not in self.params:
                raise ValueFault(
                    f"there is no parameter “{one.key}”", "Give it under input of the step that calls this"
                )
            return self.params[one.key]
        if one.name not in self.outputs and one.name in self.beside:
            raise ValueFault(
                f"{{{{{one.name}}}}} is a result of branch {self.beside[one.name]}, which does not wait for this one",
                "Read it after PARALLEL, or put both steps into one branch",
            )
        if one.name not in self.outputs:
            known = ", ".join(f"{{{{{name}}}}}" for name in self.outputs) or "none"
            raise ValueFault(
                f"no earlier step has the output_var “{one.name}”", f"Those before this step: {known}. A step reads "
                "only what was there before it",
            )  # fmt: skip
        return self.outputs[one.name]


def bound(command: Command, name: str, value: Any, names: Names, origin: str) -> tuple[Param, bool]:
    """The parameter of a step, and whether it holds an open value. `origin`: where a literal is written.

    Raises ValueFault.
    """
    if not isinstance(value, str):
        filled, used = _inside(value, names)
        return Param(filled, "explicit", note=_note(used, origin)), _is_open(filled)
    try:
        found, only = placeholders.pieces(value), placeholders.exact(value)
    except Malformed as wrong:
        raise ValueFault(str(wrong), placeholders.HOW) from wrong
    if only is not None:
        return _whole(command, name, only, names)
    text, used = _joined(found, names, as_arguments=name == "command_line")
    return Param(text, "explicit", note=_note(used, origin)), _is_open(text)


def plain(value: Any, names: Names) -> Any:
    """A value for a sub-workflow's parameter: plain, Open, or Result narrowed to one key. Raises ValueFault."""
    if not isinstance(value, str):
        return _inside(value, names)[0]
    try:
        found, only = placeholders.pieces(value), placeholders.exact(value)
    except Malformed as wrong:
        raise ValueFault(str(wrong), placeholders.HOW) from wrong
    if only is None:
        return _joined(found, names, as_arguments=False)[0]
    given = names.value(only)
    if isinstance(given, Result):
        reference = given.reference("" if only.is_parameter else only.key, only)
        return Result(given.position, given.keys, reference.key, given.condition)
    return _without_key(given, only)


def _whole(command: Command, name: str, only: Placeholder, names: Names) -> tuple[Param, bool]:
    given = names.value(only)
    if isinstance(given, Open):
        return Param(given.text, "explicit", note=OPEN), True
    if isinstance(given, Result):
        _check_refers(command, name)
        reference = given.reference("" if only.is_parameter else only.key, only)
        return Param(str(reference), "reference", note=f"the value of {only}"), False
    given = _without_key(given, only)
    value = phrases.typed(command, name, given) if isinstance(given, str) else given
    return Param(value, "explicit", note=f"from {only}"), False


def _without_key(given: Any, only: Placeholder) -> Any:
    if not only.is_parameter and only.key:
        raise ValueFault(f"{only}: this is a value and has no “{only.key}”", f"Write {{{{{only.name}}}}}")
    return given


def _check_refers(command: Command, name: str) -> None:
    takes = {
        each for each, one in command.properties.items() if one.get("x-reference") and each not in NEVER_REFERENCED
    }
    if name not in takes:
        there = f"of this command only {' and '.join(sorted(takes))} can" if takes else "no value of this command can"
        raise ValueFault(f"{name} may not take its value from a result: it decides what is done", f"Here {there}")


def _inside(value: Any, names: Names) -> tuple[Any, list[str]]:
    """Lists and mappings with the parameters in them filled. Results fill whole values only."""
    if isinstance(value, list):
        made = [_inside(item, names) for item in value]
        return [item for item, _ in made], [one for _, used in made for one in used]
    if isinstance(value, dict):
        filled = {key: _inside(item, names) for key, item in value.items()}
        return {key: item for key, (item, _) in filled.items()}, [one for _, used in filled.values() for one in used]
    if not isinstance(value, str):
        return value, []
    try:
        found, only = placeholders.pieces(value), placeholders.exact(value)
    except Malformed as wrong:
        raise ValueFault(str(wrong), placeholders.HOW) from wrong
    if only is not None and only.is_parameter and not isinstance(given := names.value(only), Open | Result):
        return given, [str(only)]
    return _joined(found, names, as_arguments=False)


def _joined(found: list[placeholders.Piece], names: Names, *, as_arguments: bool) -> tuple[str, list[str]]:
    """A text with its parameters filled in. In a command line each stays a part of one argument."""
    text, used = "", []
    for piece in found:
        if isinstance(piece, str):
            text += piece
            continue
        given = names.value(piece)
        if isinstance(given, Result):
            raise ValueFault(
                f"{piece} stands inside a longer text, where a result is not filled in",
                "Make it the whole value, or have a program put the text together",
            )
        if not isinstance(given, Open | str | int | float):
            raise ValueFault(f"{piece} is a list or a mapping and cannot stand inside a text")
        word = given.text if isinstance(given, Open) else _word(given)
        is_argument = as_arguments and not isinstance(given, Open)
        text += as_argument(word, open_quote(text)) if is_argument else word
        used.append(str(piece))
    return text, used


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _note(used: list[str], origin: str) -> str:
    return f"filled from {', '.join(dict.fromkeys(used))}" if used else origin


def _is_open(value: Any) -> bool:
    return next(placeholders.parameters_in(value), None) is not None
