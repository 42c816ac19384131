"""Writing plan rules: a text is read, linted among the active rules, and kept as a version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from agents.actors import firmware
from agents.bdi.language_models.firmware_checks import Looked
from agents.components.rules import KIND, known_rules, when_to_use
from agents.record.errors import AgentsError
from agents.rules import bodies, grammar
from agents.rules.grammar import Rule, RuleSyntaxError
from agents.rules.linter import LintProblem, lint_among
from agents.rules.naming import hidden_character
from agents.toolkit.registry import tools_in_use
from library.components import services
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion
from people.models import User


class RuleInvalid(AgentsError):
    """The text cannot become a rule; each problem names its line and the way out."""

    def __init__(self, problems: Sequence[LintProblem]) -> None:
        super().__init__("; ".join(problem.message for problem in problems))
        self.problems = list(problems)


@dataclass(frozen=True)
class Checked:
    """A rule text as read and linted. `rule` is None when it cannot be read."""

    rule: Rule | None
    problems: tuple[LintProblem, ...]

    @property
    def is_fit(self) -> bool:
        """True when nothing but hints is left."""
        return self.rule is not None and not self.errors

    @property
    def errors(self) -> list[LintProblem]:
        """What keeps it from working."""
        return [problem for problem in self.problems if problem.severity == "error"]


def check(text: str, *, instead_of: str = "", among: Iterable[Rule] = ()) -> Checked:
    """Read and lint the text of one rule among the active ones; `instead_of` names the rule it would replace.

    `among` are rules that are saved together with it and take the place of active ones of their names.
    """
    active = {known.name: known.rule for known in known_rules()}
    return _checked(text, instead_of, active | {rule.name: rule for rule in among})


def check_together(rules: Sequence[Rule]) -> list[LintProblem]:
    """Lint rules of one text among each other and the active ones whose place they do not take, by line."""
    written = {rule.name for rule in rules}
    others = [known.rule for known in known_rules() if known.name not in written]
    found: list[LintProblem] = []
    for rule in rules:
        found += lint_among(rule, [*others, *(other for other in rules if other is not rule)], tools_in_use())
        found += _against_firmware(rule)
    return sorted(found, key=lambda problem: problem.line)


def check_versions(versions: Sequence[ComponentVersion]) -> list[Checked]:
    """Check several stored versions among the active rules, in their order."""
    active = {known.name: known.rule for known in known_rules()}
    return [_checked(version.body, version.component.name, active) for version in versions]


def _checked(text: str, instead_of: str, active: Mapping[str, Rule]) -> Checked:
    hidden = tuple(hidden_characters(text))
    found, errors = grammar.read(text)
    if errors:
        return Checked(None, (*hidden, *map(_as_problem, errors)))
    if len(found) != 1:
        message = f"Here are {len(found)} rules; save one at a time, or import them together."
        return Checked(None, (LintProblem(found[1].name, found[1].line, "several_rules", "error", message),))
    (rule,) = found
    others = [other for name, other in active.items() if name not in (rule.name, instead_of)]
    problems = lint_among(rule, others, tools_in_use())
    against = _against_firmware(rule)
    return Checked(rule, tuple(sorted([*hidden, *problems, *against], key=lambda problem: problem.line)))


def _against_firmware(rule: Rule) -> Iterator[LintProblem]:
    """Lines that the checks of the general firmware forbid, with their values as they stand; slots are checked when a
    plan is proposed.
    """
    looked = []
    for line in (*rule.body, *rule.on_failure):
        reading = bodies.reading_of(line, tools_in_use())
        if reading is not None:
            command = reading.command
            params = {name: value.raw for name, value in reading.values.items()}
            hosts = tuple(" ".join(params.values()).replace(",", " ").split())
            looked.append(Looked(line.line, command.tool, command.name, command.effect, hosts, params))
    for found in firmware.problems_of_rule(looked):
        yield LintProblem(rule.name, found.position, "against_firmware", "error", found.says)


def hidden_characters(text: str) -> Iterator[LintProblem]:
    """Yield the lines with a character that cannot be seen.

    A rule is read by people before it is used, so nothing in it may be invisible or turn the reading direction."""
    for number, line in enumerate(text.splitlines(), start=1):
        if character := hidden_character(line.replace("\t", " ")):
            message = (
                f"This contains the hidden character {character}. Take it out, or write it as an escape in quotes."
            )
            yield LintProblem("", number, "hidden_character", "error", message)


def save(
    text: str,
    *,
    by: User,
    of: Component | None = None,
    changes: str = "",
    activate: bool = False,
    origin: str = services.PERSON,
    among: Iterable[Rule] = (),
) -> ComponentVersion:
    """Keep the text as a new version: a candidate, or at once the active one.

    Without `of` it is a new rule, whose name must be free. `among` are rules that are saved together with it.
    RuleInvalid with every problem, LibraryRefused when the person may not.
    """
    services.check_rights(by, activate=activate)
    text = text.replace("\r\n", "\n").strip() + "\n"
    checked = check(text, instead_of=of.name if of else "", among=among)
    if checked.rule is None or not checked.is_fit:
        raise RuleInvalid(checked.errors)
    name = checked.rule.name
    if of is None and Component.objects.filter(kind=KIND, name=name).exists():
        raise LibraryRefused(f"There is a rule “{name}” already. Edit that one, or give this one another name.", "body")
    if of is not None and name != of.name:
        raise LibraryRefused(
            f"This is a version of “{of.name}”. Keep the name, or save the text as a new rule.", "body"
        )
    return services.publish(
        KIND,
        name,
        text,
        by=by,
        changes=changes.strip(),
        applicability_text=when_to_use(checked.rule),
        status=ComponentVersion.Status.ACTIVE if activate else ComponentVersion.Status.CANDIDATE,
        origin=origin,
    )


def _as_problem(error: RuleSyntaxError) -> LintProblem:
    return LintProblem("", error.line, error.code, "error", error.message)
