"""Reading a language model's answer: a plan, a refusal to plan, or the problems to send it back with. Pure.

What a model wrote is believed in nothing: it names tools, commands and values, and everything else of a step (effect,
hosts, limits, risk, who approves) follows from those, as it does for a person's plan.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from agents.bdi.outcome.outcome import Check, CheckKind
from agents.bdi.outcome.stated import STATED
from agents.bdi.plans import parameters
from agents.bdi.plans.validation import Problem
from agents.rules.naming import hidden_character, path_problem
from agents.toolkit.command import Command
from agents.toolkit.references import is_reference
from agents.toolkit.registry import Registry, UnknownTool
from agents.toolkit.schemas import JsonError, loads_strict
from agents.toolkit.types import Param, Restored, Step, as_it_is

STEPS_MAX = 50
WORDS_MAX = 2_000
# Where the JSON may begin, in prose that holds many brackets.
_BEGINNINGS = 200
_ANSWERS = frozenset({"steps", "cannot"})
CHECKS_MAX = 20
_CHECK_WORD_MAX = 500
_PLAN_FIELDS = ("steps", "cleanup", "checks")
_CHECK_FIELDS = ("kind", "path", "text")
# The kinds that say which line or text.
_WITH_TEXT = frozenset({CheckKind.HAS_LINE, CheckKind.LACKS_TEXT})
_STEP_FIELDS = ("tool", "command", "params", "why", "condition")
_VALUE_FIELDS = ("params", "condition")
_NO_STEP = Step("", "", {}, "")
_SHAPE = '{"steps": [{"tool", "command", "params", "why"}], "cleanup": […], "checks": […]}, or {"cannot": "why not"}'


@dataclass(frozen=True)
class Read:
    """What an answer holds: steps, or the model's own word that it cannot; or problems, which say the way out.

    With problems the steps are those that could be read, so that what is wrong with their values is told with the
    rest. Each stands at its own position; at one of `unread` stands a step without a name.
    """

    steps: tuple[Step, ...] = ()
    cleanup: tuple[Step, ...] = ()
    cannot: str = ""
    problems: tuple[Problem, ...] = ()
    checks: tuple[Check, ...] = ()

    @property
    def unread(self) -> frozenset[int]:
        """The positions of what is no step of a known command."""
        both = enumerate((*self.steps, *self.cleanup), 1)
        return frozenset(position for position, step in both if step is _NO_STEP)


def read(text: str, registry: Registry, *, goal: str, restored: Restored = as_it_is) -> Read:
    """The plan in an answer, whatever prose or code fence is around it; `goal` is what values are looked up in.

    `restored` puts secrets back that the model saw marks of: into values, and not into what it says about them.
    """
    try:
        found = loads_strict(object_in(text, _ANSWERS))
    except JsonError as error:
        return _wrong(Problem(0, "answer", "no_json", f"The answer is no JSON object of the form {_SHAPE}: {error}."))
    if set(found) == {"cannot"} and isinstance(found["cannot"], str) and found["cannot"].strip():
        return Read(cannot=" ".join(found["cannot"].split())[:WORDS_MAX])
    problems = _unknown(0, found, _PLAN_FIELDS, "the answer")
    if not isinstance(found.get("steps"), list):
        problems.append(Problem(0, "steps", "malformed", f"The answer needs “steps”, a list: {_SHAPE}."))
        return Read(problems=tuple(problems))
    cleanup = found.get("cleanup", [])
    if not isinstance(cleanup, list):
        problems.append(Problem(0, "cleanup", "malformed", "“cleanup” is a list of steps, or is left out."))
        cleanup = []
    if len(found["steps"]) + len(cleanup) > 2 * STEPS_MAX:
        return _wrong(Problem(0, "steps", "too_many_steps", f"At most {STEPS_MAX} steps and {STEPS_MAX} to clean up."))
    main = _steps(_restored(found["steps"], restored), registry, goal, problems, first=1)
    undo = _steps(_restored(cleanup, restored), registry, goal, problems, first=len(found["steps"]) + 1)
    checks = _checks(_restored_checks(found.get("checks", []), restored), problems)
    return Read(main, undo, problems=tuple(problems), checks=checks)


def _restored_checks(raw: Any, restored: Restored) -> Any:
    return [restored(one) for one in raw] if isinstance(raw, list) else raw


def _checks(raw: Any, problems: list[Problem]) -> tuple[Check, ...]:
    """What must be so when the steps have run, as the model states it; code looks it up."""
    if not isinstance(raw, list) or len(raw) > CHECKS_MAX:
        problems.append(Problem(0, "checks", "malformed", f"“checks” is a list of at most {CHECKS_MAX}, or left out."))
        return ()
    return tuple(check for one in raw if (check := _check(one, problems)) is not None)


def _check(raw: Any, problems: list[Problem]) -> Check | None:
    said = [raw.get(name, "") for name in _CHECK_FIELDS] if isinstance(raw, dict) else []
    if not said or not all(isinstance(one, str) for one in said) or raw.keys() - {*_CHECK_FIELDS}:
        problems.append(Problem(0, "checks", "malformed", "A check is an object: {kind, path, text}."))
        return None
    kind, path, text = said
    if kind not in STATED:
        problems.append(Problem(0, "checks", "malformed", f"A check is one of {', '.join(STATED)}, and not “{kind}”."))
        return None
    if (wrong := path_problem(path)) is not None:
        problems.append(Problem(0, "checks", wrong[0], f"The path of a check {wrong[1]}."))
        return None
    needs = CheckKind(kind) in _WITH_TEXT
    if bool(text) != needs or len(text) > _CHECK_WORD_MAX or hidden_character(text) or "\n" in text:
        which = f"needs “text”, one line of at most {_CHECK_WORD_MAX} characters" if needs else "has no “text”"
        problems.append(Problem(0, "checks", "malformed", f"A check “{kind}” {which}."))
        return None
    return Check(CheckKind(kind), posixpath.normpath(path), word=text)


def _wrong(problem: Problem) -> Read:
    return Read(problems=(problem,))


def object_in(text: str, fields: Set[str]) -> str:
    """The one JSON object with one of these fields in a text that may say something around it.

    Raises JsonError for none and for several.
    """
    decoder = json.JSONDecoder()
    spans: list[tuple[int, int]] = []
    at, tried, first_fault = text.find("{"), 0, ""
    while at >= 0 and tried < _BEGINNINGS:
        tried += 1
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            first_fault = first_fault or str(error)
            at = text.find("{", at + 1)
            continue
        # Brackets in prose may be JSON too, such as {} or an example of a value.
        if isinstance(value, dict) and not fields.isdisjoint(value):
            spans.append((at, end))
        at = text.find("{", end)
    if not spans:
        raise JsonError(first_fault or "there is no { in it")
    if len(spans) > 1:
        raise JsonError(f"it holds {len(spans)} answers; give one")
    return text[spans[0][0] : spans[0][1]]


def _restored(steps: Sequence[Any], restored: Restored) -> list[Any]:
    """The steps with the secrets in what they do, and not in what they say of it."""
    return [
        {name: restored(value) if name in _VALUE_FIELDS else value for name, value in one.items()}
        if isinstance(one, dict)
        else one
        for one in steps
    ]


def _steps(
    raw: Sequence[Any], registry: Registry, goal: str, problems: list[Problem], *, first: int
) -> tuple[Step, ...]:
    return tuple(
        _step(position, item, registry, goal, problems) or _NO_STEP for position, item in enumerate(raw, first)
    )


def _step(position: int, item: Any, registry: Registry, goal: str, problems: list[Problem]) -> Step | None:
    if not isinstance(item, dict):
        problems.append(Problem(position, "", "malformed", "A step is an object: {tool, command, params, why}."))
        return None
    problems += _unknown(position, item, _STEP_FIELDS, "a step")
    tool, name = item.get("tool"), item.get("command")
    params, why = item.get("params", {}), item.get("why", "")
    if not isinstance(tool, str) or not isinstance(name, str):
        problems.append(Problem(position, "command", "malformed", "“tool” and “command” are names in quotes."))
        return None
    if not isinstance(params, dict):
        problems.append(Problem(position, "params", "malformed", "“params” is an object of the command's parameters."))
        return None
    if not isinstance(why, str) or len(why) > WORDS_MAX:
        message = f"“why” is a sentence of at most {WORDS_MAX} characters."
        problems.append(Problem(position, "why", "malformed", message))
        why = ""
    if hidden := hidden_character(why.replace("\n", " ").replace("\t", " ")):
        problems.append(Problem(position, "why", "hidden_character", f"“why” holds the hidden character {hidden}."))
    condition = item.get("condition")
    if condition is not None and not isinstance(condition, dict):
        problems.append(Problem(position, "condition", "malformed", "“condition” is an object, or is left out."))
        condition = None
    try:
        command = registry.command(tool, name)
    except UnknownTool as unknown:
        words = str(unknown)
        # A sentence, unless it begins with the tool's name, which is no other one in capitals.
        said = words if words.startswith(tool) else f"{words[:1].upper()}{words[1:]}"
        problems.append(Problem(position, "command", "unknown_command", said if said.endswith("?") else f"{said}."))
        return None
    return Step(tool, name, _params(command, params, goal), why.strip() or command.summary, condition=condition)


def _params(command: Command, values: Mapping[str, Any], goal: str) -> dict[str, Param]:
    """Each value with its origin: the model, or a reference; and where it stands in the goal when it does."""
    found = {}
    for name, value in values.items():
        if is_reference(value):
            found[name] = Param(value, "reference")
            continue
        span = _span(value, goal)
        note = "as the goal says it" if span else "written by the model"
        found[name] = Param(value, "model", span=span, note=note)
    return parameters.with_defaults(command, found)


def _span(value: Any, goal: str) -> tuple[int, int] | None:
    """Where a value stands in the goal's words; short ones stand anywhere by chance."""
    if not isinstance(value, str) or len(value) < 3:
        return None
    at = goal.find(value)
    return (at, at + len(value)) if at >= 0 else None


def _unknown(position: int, given: Mapping[str, Any], known: Sequence[str], what: str) -> list[Problem]:
    there_are = ", ".join(known)
    return [
        Problem(position, name, "unknown_field", f"“{name}” is no field of {what}; there are {there_are}.")
        for name in (each[:60] for each in given if each not in known)
    ]
