"""Rules in files (`*.plan`): what a file would change in the library, and the library as such a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from agents.components import rule_writing
from agents.components.rules import KIND, known_rules
from agents.rules import grammar
from agents.rules.grammar import Rule, RuleSyntaxError
from agents.rules.linter import LintProblem
from agents.rules.printing import print_rule, print_rules
from library.components import services
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion

# A whole library in one file, and a page that still shows what it would change.
MAX_CHARS = 500_000
MAX_RULES = 500
NEW, CHANGED, SAME = "new", "changed", "same"
_Status = ComponentVersion.Status


@dataclass(frozen=True)
class Entry:
    """One rule of a file. `kind`: new, changed or same; `against` is the version that it is compared with, if any.

    `before` and `after` are printed in the one form that rules have, so that layout is no difference.
    """

    rule: Rule
    kind: str
    component: Component | None
    against: ComponentVersion | None
    before: str
    after: str

    @property
    def name(self) -> str:
        return self.rule.name


@dataclass(frozen=True)
class Comparison:
    """What a file would change, and what is wrong with it, by line of the file.

    Of rules that stay as they are only errors are told, and these keep nothing out: they are in the library already.
    """

    entries: tuple[Entry, ...]
    problems: tuple[LintProblem, ...]

    @property
    def errors(self) -> list[LintProblem]:
        """What keeps all of it from being saved."""
        return [one for one in self.problems if one.severity == "error" and one.rule not in self.unchanged]

    @property
    def unchanged(self) -> set[str]:
        """The names of the rules that are not saved."""
        return {entry.name for entry in self.entries} - {entry.name for entry in self.to_save}

    @property
    def to_save(self) -> list[Entry]:
        """The rules that are new or changed."""
        return [entry for entry in self.entries if entry.kind != SAME]


class UnknownRules(LookupError):
    """No active rule has these names."""


def export(names: Sequence[str] = ()) -> str:
    """Return the active rules of these names, or all, by name, as the text of a file. Raises UnknownRules."""
    active = {known.name: known.rule for known in known_rules()}
    if missing := [name for name in names if name not in active]:
        raise UnknownRules(f"No active rule is named {', '.join(f'“{name}”' for name in missing)}.")
    # A component is found again by its own name, whatever its text says.
    return print_rules(replace(active[name], name=name) for name in sorted(set(names) or active))


def compare(text: str) -> Comparison:
    """Return what the text of a file would change."""
    text = text.replace("\r\n", "\n")
    rules, errors = grammar.read(text, MAX_CHARS, MAX_RULES)
    problems = [*_unreadable(errors), *rule_writing.hidden_characters(text), *_unfit_names(rules)]
    problems += rule_writing.check_together(rules)
    components = {one.name: one for one in Component.objects.filter(kind=KIND, name__in=[rule.name for rule in rules])}
    versions = _versions(components)
    entries = tuple(_entry(rule, components.get(rule.name), versions.get(rule.name, [])) for rule in rules)
    found = Comparison(entries, tuple(sorted(problems, key=lambda problem: problem.line)))
    told = (one for one in found.problems if one.severity == "error" or one.rule not in found.unchanged)
    return replace(found, problems=tuple(told))


def _unreadable(errors: Sequence[RuleSyntaxError]) -> Iterator[LintProblem]:
    for error in errors:
        yield LintProblem("", error.line, error.code, "error", error.message)


def _unfit_names(rules: Sequence[Rule]) -> Iterator[LintProblem]:
    for rule in rules:
        try:
            services.check_text(rule.name, rule.source)
        except LibraryRefused as refused:
            yield LintProblem(rule.name, rule.line, "refused", "error", str(refused))


def _versions(components: Mapping[str, Component]) -> dict[str, list[ComponentVersion]]:
    """The versions of each that are or may come into use, the active one first, then the newest."""
    found: dict[str, list[ComponentVersion]] = {}
    rows = ComponentVersion.objects.filter(component__in=components.values()).exclude(status=_Status.RETIRED)
    for version in rows.select_related("component").order_by("-pk"):
        found.setdefault(version.component.name, []).append(version)
    for versions in found.values():
        versions.sort(key=lambda version: version.status != _Status.ACTIVE)
    return found


def _entry(rule: Rule, component: Component | None, versions: Sequence[ComponentVersion]) -> Entry:
    after = print_rule(rule)
    printed = [(version, _printed(version)) for version in versions]
    for version, before in printed:
        if before == after:
            return Entry(rule, SAME, component, version, before, after)
    against, before = printed[0] if printed else (None, "")
    return Entry(rule, NEW if component is None else CHANGED, component, against, before, after)


def _printed(version: ComponentVersion) -> str:
    """The text of a version in its one form; as it stands where it cannot be read."""
    rules, errors = grammar.read(version.body)
    return version.body if errors else print_rules(replace(rule, name=version.component.name) for rule in rules)
