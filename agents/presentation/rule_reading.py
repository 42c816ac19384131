"""A rule as its reader meets it: every line of the body with the command it becomes (pure)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from agents.rules.bodies import reading_of, with_subgoals
from agents.rules.grammar import BodyLine, Rule, Rules
from agents.rules.linter import SEVERITIES, LintProblem
from agents.rules.selection import KnownRule
from agents.rules.wording import best_wording
from agents.toolkit.phrases import Reading, say
from agents.toolkit.registry import Registry
from agents.toolkit.types import Step
from agents.toolkit.wording.words import read_text


@dataclass(frozen=True)
class ReadLine:
    """One line of a body. `call` is the command with its arguments, `serves` the rule a sub-goal would use."""

    line: int
    text: str
    why: str
    subgoal: bool
    call: str = ""
    summary: str = ""
    effect: str = ""
    serves: str = ""

    @property
    def is_known(self) -> bool:
        """False when no command matches this, or no rule is about the sub-goal."""
        return bool(self.call or self.serves)


@dataclass(frozen=True)
class SaidStep:
    """A step with its values: the sentence people read, the call it is, why it is there, and the rule it came from."""

    sentence: str
    call: str
    why: str
    rule: str


def said_step(step: Step, registry: Registry) -> SaidStep:
    """Say a planned step."""
    command = registry.command(step.tool, step.command)
    arguments = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in step.values().items())
    call = f"{registry.tool(step.tool).label}.{step.command}({arguments})"
    return SaidStep(say(command, step.values()), call, step.justification, step.rule)


def read_body(rule: Rule, rules: list[KnownRule], registry: Registry) -> tuple[list[ReadLine], list[ReadLine]]:
    """Return the steps and the clean-up steps of a rule as commands, slots still open."""
    resolved = with_subgoals(rule, Rules(known.rule for known in rules), registry)
    return (
        [_read(line, rules, registry) for line in resolved.body],
        [_read(line, rules, registry) for line in rule.on_failure],
    )


def _read(line: BodyLine, rules: list[KnownRule], registry: Registry) -> ReadLine:
    if line.subgoal:
        serving = _serving(line.text, rules)
        return ReadLine(line.line, line.text, line.why, True, serves=serving)
    reading = reading_of(line, registry)
    said = str(line) if line.wait is not None else line.text
    if reading is None:
        return ReadLine(line.line, said, line.why, False)
    command = reading.command
    call = _call(reading, registry)
    return ReadLine(line.line, said, line.why, False, call, command.summary, command.effect)


def _serving(text: str, rules: list[KnownRule]) -> str:
    """The first rule about a sub-goal, its slots taken as the words they are."""
    words = read_text(text.replace("{", "").replace("}", ""))
    return next((known.name for known in rules if best_wording(known.rule, words, {})), "")


def _call(reading: Reading, registry: Registry) -> str:
    arguments = ", ".join(f"{name}={_argument(value.raw)}" for name, value in reading.values.items())
    return f"{registry.tool(reading.command.tool).label}.{reading.command.name}({arguments})"


def _argument(raw: str) -> str:
    return raw if raw.isdigit() else f'"{raw}"'


def numbered_lines(body: str, problems: Iterable[LintProblem]) -> list[tuple[int, str, str]]:
    """Return (number, line, severity of its gravest problem or "") for every line."""
    marks: dict[int, str] = {}
    for problem in sorted(problems, key=lambda one: SEVERITIES.index(one.severity), reverse=True):
        marks[problem.line] = problem.severity
    return [(number, line, marks.get(number, "")) for number, line in enumerate(body.splitlines() or [""], start=1)]
