"""What a language model is asked for a plan. Pure: values in, messages out.

The instructions come in as a text (library.prompts); the tools are ours, and the firmware is put behind them
(agents.actors.firmware).
Everything else (the goal, beliefs, what people said, earlier runs) was written by somebody or something: it goes along
as JSON in a message of its own, which the instructions call material. That helps the model and is no safeguard: what a
plan may do is decided by validation, policies and people.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from agents.bdi.outcome.stated import STATED
from agents.bdi.plans.validation import Problem
from agents.toolkit.command import Command
from agents.toolkit.registry import Registry
from agents.toolkit.types import Belief

# Characters of a token, on the careful side; the figure that budgets are kept by.
CHARS_PER_TOKEN = 3
# What a model is told of its answer, at most. A message may quote what it wrote, however long that is.
_PROBLEMS_MAX, _PROBLEM_CHARS, _ANSWER_CHARS = 40, 500, 60_000
# Texts that a program may have written: file names, what earlier runs put out, answers from the bus.
_FROM_TOOLS = frozenset({"perception", "failed_step", "earlier_runs", "messages_of_programs"})


@dataclass(frozen=True)
class Earlier:
    """An earlier goal: its text, how it ended, its result, its steps and its decisions.

    `changed_later`: for which later goals people changed a plan that had followed it, and what they said.
    """

    goal: str
    outcome: str
    summary: str
    steps: str = ""
    decisions: tuple[str, ...] = ()
    changed_later: tuple[Mapping[str, str], ...] = ()

    def told(self) -> dict[str, Any]:
        """As a model reads it, without what is empty."""
        said = {"goal": self.goal, "outcome": self.outcome}
        more = {
            "came_of_it": self.summary,
            "steps": self.steps,
            "decisions": list(self.decisions),
            "changed_later": [dict(one) for one in self.changed_later],
        }
        return {**said, **{name: value for name, value in more.items() if value}}


@dataclass(frozen=True)
class Told:
    """What was said about the goal or the one that it is part of. `is_persons`: no program may have written it."""

    text: str
    is_persons: bool = False


@dataclass(frozen=True)
class Situation:
    """What a plan is made from. `refused` are steps that a person left out, `wishes` values that a person put in,
    `failed_wrote` the end of what the failed step wrote, by stream, where the goal is planned anew after one.

    What people said about the goal (a design, what should change, instructions) are beliefs whose source is a person.
    """

    goal: str
    beliefs: Sequence[Belief] = ()
    refused: Sequence[Mapping[str, Any]] = ()
    wishes: Sequence[Mapping[str, Any]] = ()
    earlier: Sequence[Earlier] = ()
    components: Sequence[str] = ()
    messages: Sequence[Told] = ()
    failed_wrote: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Prompt:
    """Messages by role and text. `held` says what kinds of text went in, `left_out` how many of each did not fit."""

    messages: tuple[tuple[str, str], ...]
    held: tuple[str, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def has_tool_output(self) -> bool:
        """Whether a program may have written some of it: policies approve no plan that comes of that."""
        return bool(_FROM_TOOLS & set(self.held))

    def answered_by(self, answer: str, said: str) -> Prompt:
        """The same conversation, gone on: what the model wrote, and what is said of it."""
        more = (("assistant", _shortened(answer)), ("user", said))
        return Prompt((*self.messages, *more), self.held, self.left_out)


def build(instructions: str, situation: Situation, registry: Registry, tools: Iterable[str], *, tokens: int) -> Prompt:
    """The prompt for a goal, of about `tokens` at most: what does not fit is left out, the least needed first.

    Goal, tools, and what people refused or put in always go in. Of the rest people's words go first, then what a failed
    step wrote, then what was seen from its beginning, then messages, the newest first, then earlier runs and
    components, nearest first.
    """
    system = f"{instructions}\n\n{_catalogue(registry, frozenset(tools))}"
    material = _always(situation)
    left = tokens * CHARS_PER_TOKEN - len(system) - len(_json(material))
    people = [one for one in situation.beliefs if one.source == "person"]
    others = [one for one in situation.beliefs if one.source != "person"]
    people_say, left, unheard = _fitting([one.sentence for one in people], left)
    wrote, left, unread = _fitting([{name: text} for name, text in situation.failed_wrote.items()], left)
    seen, left, unseen = _fitting([one.sentence for one in others], left)
    messages, left, unsaid = _fitting([one.text for one in situation.messages], left)
    earlier, left, fewer = _fitting([one.told() for one in situation.earlier], left)
    components, left, unnamed = _fitting(list(situation.components), left)
    told = people_say, wrote, seen, messages, earlier, components
    names = ("people_say", "failed_step_wrote", "seen", "messages", "earlier_runs", "components")
    material |= {name: texts for name, texts in zip(names, told, strict=True) if texts}
    of_programs = [one for one in situation.messages[: len(messages)] if not one.is_persons]
    kinds = {
        "people": people,
        "failed_step": wrote,
        "perception": seen,
        "messages": messages,
        "messages_of_programs": of_programs,
        "earlier_runs": earlier,
        "components": components,
    }
    held = ["goal", "tools", *(kind for kind, texts in kinds.items() if texts)]
    counts = {
        "beliefs": unheard + unseen,
        "failed_step": unread,
        "messages": unsaid,
        "earlier_runs": fewer,
        "components": unnamed,
    }
    missing = {name: count for name, count in counts.items() if count}
    return Prompt((("system", system), ("user", _json(material))), tuple(held), missing)


def _always(situation: Situation) -> dict[str, Any]:
    """What goes in whatever room there is."""
    material: dict[str, Any] = {"goal": situation.goal}
    if situation.refused:
        material["never_again"] = list(situation.refused)
    if situation.wishes:
        material["keep_these_values"] = list(situation.wishes)
    return material


def listed(problems: Sequence[Problem]) -> str:
    """What is wrong with a plan as a model reads it: of each kind of problem the first, then the others; 40 in all."""
    wrong = _of_every_kind(problems)
    left_out = len(problems) - len(wrong)
    more = f"\nThere are {left_out} more of these kinds." if left_out else ""
    return f"{_json([_told(one) for one in wrong])}{more}"


def _of_every_kind(problems: Sequence[Problem]) -> list[Problem]:
    """As many as a model is told at once, by position: of each kind the first, then whatever comes first."""
    first = {one.code: one for one in reversed(problems)}
    chosen = list(dict.fromkeys([*first.values(), *problems]))[:_PROBLEMS_MAX]
    return sorted(chosen, key=lambda one: one.position)


def _told(problem: Problem) -> dict[str, Any]:
    where = {"step": problem.position, "field": problem.field[:_PROBLEM_CHARS]} if problem.position else {}
    said = problem.message
    return {**where, "problem": said if len(said) <= _PROBLEM_CHARS else f"{said[:_PROBLEM_CHARS]} …"}


def _shortened(answer: str) -> str:
    """An answer as a model is shown it again: whole, unless no plan is so long."""
    left_out = len(answer) - _ANSWER_CHARS
    if left_out <= 0:
        return answer
    half = _ANSWER_CHARS // 2
    return f"{answer[:half]}\n… {left_out} characters …\n{answer[-half:]}"


def _fitting(items: Sequence[Any], left: int) -> tuple[list[Any], int, int]:
    """As many items as have room, in order; the room that is left, and how many were left out."""
    taken = []
    for item in items:
        size = len(_json(item)) + 2
        if size > left:
            break
        taken.append(item)
        left -= size
    return taken, left, len(items) - len(taken)


@lru_cache(maxsize=16)
def _catalogue(registry: Registry, named: frozenset[str]) -> str:
    """What a model is told of the tools with these names, of all where there are none; a registry never changes."""
    lines = ["Tools:"]
    for tool in registry.tools:
        if named and tool.name not in named:
            continue
        lines.append(f"\n{tool.name}: {tool.summary}")
        lines += [_command(command) for command in tool.commands]
    return "\n".join(lines) + "\n"


def _command(command: Command) -> str:
    params = ", ".join(_parameter(command, name) for name in command.properties)
    marks = [f"effect {command.effect}"]
    if command.needs_autonomous:
        marks.append("needs autonomous mode")
    if command.autonomous_with:
        marks.append(f"needs autonomous mode with {command.autonomous_with}")
    if command.result_keys:
        marks.append(f"result: {', '.join(command.result_keys)}")
    example = _json(dict(command.examples[0]))
    return f"- {command.name}({params}): {command.summary} [{'; '.join(marks)}] e.g. {example}"


def _parameter(command: Command, name: str) -> str:
    schema = command.properties[name]
    words = [str(schema.get("x-kind") or schema["type"])]
    if "enum" in schema:
        words.append("one of " + "|".join(map(str, schema["enum"])))
    if "default" in schema:
        words.append(f"default {_json(schema['default'])}")
    elif name not in command.required:
        words.append("may be left out")
    if schema.get("x-reference"):
        words.append("may refer")
    if described := schema.get("description"):
        words.append(str(described))
    return f"{name}: {', '.join(words)}"


def _json(value: Any) -> str:
    """JSON in plain ASCII: what hides in a text is spelt out, and no text can look like the end of the material."""
    return json.dumps(value, ensure_ascii=True)


def schema(registry: Registry, tools: Iterable[str]) -> dict[str, Any]:
    """The answer's JSON Schema, for providers that hold a model to one. Parameters are checked by us, by command."""
    named = set(tools)
    known = [tool.name for tool in registry.tools if not named or tool.name in named]
    step = {
        "type": "object",
        "properties": {
            "tool": {"type": "string", "enum": known},
            "command": {"type": "string"},
            "params": {"type": "object"},
            "why": {"type": "string"},
        },
        "required": ["tool", "command", "params", "why"],
    }
    check = {
        "type": "object",
        "properties": {
            "kind": {"type": "string", "enum": [kind.value for kind in STATED]},
            "path": {"type": "string"},
            "text": {"type": "string"},
        },
        "required": ["kind", "path"],
    }
    return {
        "type": "object",
        "properties": {
            "steps": {"type": "array", "items": step},
            "cleanup": {"type": "array", "items": step},
            "checks": {"type": "array", "items": check},
            "cannot": {"type": "string"},
        },
    }
