"""Which checks a plan gets: what its goal's words ask for, and what its own steps say they bring about. Pure.

Where neither says what must be so afterwards, a step is `unknown` and the plan is not checked: nothing is guessed.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Container, Iterable, Iterator, Sequence

from agents.bdi.forecast.consequences import (
    Consequence,
    Environment,
    Forecast,
    NewFolder,
    Removal,
    ToolWork,
    Transfer,
    Writing,
)
from agents.bdi.forecast.requested_outcome import Wanted, wanted
from agents.bdi.outcome import file_syntax
from agents.bdi.outcome.outcome import Check, CheckKind
from agents.bdi.plans.document import Document, IntentSpec
from agents.toolkit.command import Command
from agents.toolkit.packages import installs_packages
from agents.toolkit.registry import Registry
from sandbox.commands import Refusal, place

_OUTSIDE = frozenset({"once", "keyed"})
_RUNNERS = frozenset(
    {"pytest", "py.test", "unittest", "tox", "nox", "jest", "vitest", "mocha", "rspec", "phpunit", "ctest"}
)
_TEST_WORDS = frozenset({"test", "tests", "check"})
_BUILDERS = frozenset(
    {"make", "npm", "yarn", "pnpm", "cargo", "go", "mvn", "gradle", "manage.py", "dotnet", "bun", "deno"}
)
_FILE = re.compile(r"[\w./-]{1,255}")


def checks_for(
    document: Document, foreseen: Forecast, files: Container[str], registry: Registry, *, has_changed: bool = False
) -> tuple[Check, ...]:
    """The checks of a plan, most telling first.

    `foreseen` is the forecast of its steps, `files` the paths of the files that are there before it runs.
    `has_changed`: steps of the goal's earlier revisions have changed files already.
    """
    asked = wanted(document.goal_text, _contents(document, registry))
    main = [spec for spec in document.intents if spec.condition is None]
    vague = _vague(foreseen, main, files, registry)
    found = [*_paths(foreseen, main, files, registry), *_steps(asked, document, main, vague, registry)]
    if not has_changed and _must_change(asked, document, registry):
        found.insert(0, Check(CheckKind.CHANGED, word=asked.change))
    if asked.fix:
        found += [Check(CheckKind.PARSES, path, word="fix") for path in _mended(document, found, files)]
    return tuple(found)


def asked_change(document: Document) -> str:
    """The goal's word that asks for a change of files; "" where none does."""
    return next((one.word for one in document.checks if one.kind is CheckKind.CHANGED), "")


def can_change_files(document: Document) -> bool:
    """Whether any step, or what is declared to be done in its place, is of an effect that changes files."""
    steps = (one for spec in document.intents for one in (spec, *spec.alternatives))
    return any(one.effect == "workspace" for one in steps)


def _contents(document: Document, registry: Registry) -> list[tuple[int, int]]:
    """The parts of the goal's text that steps write somewhere: they are material and ask for nothing."""
    return [
        one.span
        for spec in document.all_intents
        for one in spec.parameters
        if one.span and registry.command(spec.tool, spec.command).properties.get(one.name, {}).get("x-multiline")
    ]


def _must_change(asked: Wanted, document: Document, registry: Registry) -> bool:
    """Whether some file must be another one afterwards, because the goal's words ask for a change of files."""
    commands = [(spec, registry.command(spec.tool, spec.command)) for spec in document.intents]
    outside = any(
        spec.effect in _OUTSIDE and (command.hands_over or not command.asks_model) for spec, command in commands
    )
    # “Remove the variable A”, “move to the folder b”: what changes is the session.
    session_only = all(command.changes_session for _, command in commands)
    return bool(asked.change) and not outside and not session_only


# -- what the steps say of paths ------------------------------------------------------------------------------------
def _paths(
    foreseen: Forecast, main: Sequence[IntentSpec], files: Container[str], registry: Registry
) -> Iterable[Check]:
    expected: dict[str, Check] = {}
    specs = {spec.position: spec for spec in main}
    for one in foreseen.consequences:
        if one.cleanup or one.conditional or one.position not in specs:
            continue
        for check in _expected(one, specs[one.position], files, registry):
            _expect(expected, check)
    return expected.values()


def _expected(one: Consequence, spec: IntentSpec, files: Container[str], registry: Registry) -> Iterator[Check]:
    match one:
        case Removal():
            yield Check(CheckKind.GONE, one.path)
        case Transfer():
            if one.moves:
                yield Check(CheckKind.GONE, one.source)
            yield Check(CheckKind.EXISTS, one.path)
        case Writing():
            added = bool(one.content) and (one.appends or one.patches)
            yield Check(CheckKind.FILE_CHANGED if added else CheckKind.EXISTS, one.path)
        case NewFolder() | Environment():
            yield Check(CheckKind.EXISTS, one.path)
        case ToolWork():
            yield from _declared(one, spec, registry)
            yield from _left(one, spec, files, registry)


def _vague(foreseen: Forecast, main: Sequence[IntentSpec], files: Container[str], registry: Registry) -> set[int]:
    """The steps whose tool changes files and does not declare which: there may be nothing that it has to change."""
    specs = {spec.position: spec for spec in main}
    works = [one for one in foreseen.of(ToolWork) if one.changes_files and one.position in specs]
    return {one.position for one in works if not any(_expected(one, specs[one.position], files, registry))}


def _declared(one: ToolWork, spec: IntentSpec, registry: Registry) -> Iterator[Check]:
    """The paths that a tool's command declares to make or to take away."""
    command = registry.command(spec.tool, spec.command)
    for name, about in registry.said(command).places.items():
        value = spec.params.get(name)
        if not isinstance(value, str) or "{{" in value or not (about.makes or about.goes):
            continue
        try:
            path = place(one.folder, about.at.replace("{}", value))
        except Refusal:
            continue
        yield Check(CheckKind.GONE if about.goes else CheckKind.EXISTS, path)


def _left(one: ToolWork, spec: IntentSpec, files: Container[str], registry: Registry) -> Iterator[Check]:
    """What a tool's command declares to leave in the files, where no parameter of it waits for an earlier result."""
    if any(isinstance(value, str) and "{{" in value for value in spec.params.values()):
        return
    for left in registry.command(spec.tool, spec.command).leaves(spec.params):
        try:
            folder = place(one.folder, left.folder)
        except Refusal:
            continue
        folder = _nearest(folder, left.beside, files) if left.beside else folder
        yield Check(CheckKind(left.kind), _below(folder, left.path), word=left.line)


def _nearest(folder: str, name: str, files: Container[str]) -> str:
    """The folder that has this file: the one itself or the nearest above it; the one itself where none has."""
    at = folder
    while _below(at, name) not in files:
        if at in ("", "."):
            return folder
        at = posixpath.dirname(at)
    return at


def _below(folder: str, path: str) -> str:
    return path if folder in ("", ".") else f"{folder}/{path}"


def _expect(expected: dict[str, Check], check: Check) -> None:
    """A later step outdoes earlier ones: what is in a folder goes with it, and a folder is there with what is in it."""
    path = check.path
    if path in ("", "."):
        return
    if check.kind is CheckKind.GONE:
        over = [other for other in expected if other.startswith(f"{path}/")]
    else:
        gone = [other for other, was in expected.items() if was.kind is CheckKind.GONE]
        over = [other for other in gone if path.startswith(f"{other}/")]
    for other in over:
        del expected[other]
    expected[path] = check


# -- what the steps answer ------------------------------------------------------------------------------------------
def _steps(
    asked: Wanted, document: Document, main: Sequence[IntentSpec], vague: Container[int], registry: Registry
) -> Iterator[Check]:
    given = [spec for spec in main if registry.command(spec.tool, spec.command).hands_over]
    if given:
        yield Check(CheckKind.HANDED_OVER, steps=tuple(spec.position for spec in given))
    main = [spec for spec in main if spec not in given]
    answering = [
        spec.position for spec in main if _answers(registry.command(spec.tool, spec.command)) and not asked.change
    ]
    if answering:
        yield Check(CheckKind.ANSWERED, steps=tuple(answering))
    for spec in main:
        if left := registry.command(spec.tool, spec.command).tells_left:
            yield Check(CheckKind.NOTHING_LEFT, steps=(spec.position,), word=left)
        kind = _of_a_program(spec, asked, document.goal_text)
        if kind is CheckKind.UNKNOWN and spec is not main[-1] and installs_packages(spec.params.get("command_line")):
            # It only prepares later steps, and pip fails when it has not installed what it was asked for.
            kind = CheckKind.EXIT_ZERO
        if kind is not None:
            yield Check(kind, steps=(spec.position,))
        elif spec.position in vague and not asked.change:
            yield from _of_vague(spec, registry.command(spec.tool, spec.command))


def _of_vague(spec: IntentSpec, command: Command) -> Iterator[Check]:
    """What can be said of a step that changes files, nobody knows which: what its result says of them."""
    if command.tells_changes:
        yield Check(CheckKind.REPORTED, steps=(spec.position,), word=command.tells_changes)
    elif not command.answers:
        yield Check(CheckKind.UNKNOWN, steps=(spec.position,))


def _answers(command: Command) -> bool:
    """Whether a command is there for what it answers."""
    return command.asks_model or command.answers or (command.effect == "idempotent" and not command.changes_session)


def _of_a_program(spec: IntentSpec, asked: Wanted, text: str) -> CheckKind | None:
    """What can be said of a step that runs a program, or does something outside of the workspace; None of others."""
    line = spec.params.get("command_line")
    if not isinstance(line, str) or spec.effect != "workspace":
        return CheckKind.UNKNOWN if spec.effect in _OUTSIDE and spec.asks is None else None
    if asked.tests or runs_tests(line):
        return CheckKind.TESTS_PASS
    # A rule is the reviewed recipe for such goals: what it runs must end well.
    if asked.change or spec.rule or _is_named(spec, line, asked, text):
        return CheckKind.EXIT_ZERO
    return CheckKind.ANSWERED if asked.answer else CheckKind.UNKNOWN


def runs_tests(command_line: str) -> bool:
    """Whether a command line is one that runs tests, by the program it names."""
    words = [word.rsplit("/", 1)[-1] for word in command_line.split()]
    if _RUNNERS & set(words):
        return True
    return bool(_BUILDERS & set(words[:2])) and bool(_TEST_WORDS & {word.partition(":")[0] for word in words[1:]})


def _is_named(spec: IntentSpec, line: str, asked: Wanted, text: str) -> bool:
    """Whether the goal itself says what to run: the line in its words, or the file that is run."""
    folded = " ".join(text.lower().split())
    is_of_its_words = any(one.name == "command_line" and one.span for one in spec.parameters)
    if is_of_its_words or " ".join(line.lower().split()) in folded:
        return True
    return asked.run and any("." in word.strip(".") and word.lower() in folded for word in line.split())


# -- what is mended -------------------------------------------------------------------------------------------------
def _mended(document: Document, found: Sequence[Check], files: Container[str]) -> list[str]:
    """The files that a fix is about and whose content can be read: those the goal names, and those the plan writes."""
    named = [word.strip(".-").removeprefix("./") for word in _FILE.findall(document.goal_text)]
    written = [check.path for check in found if check.kind in (CheckKind.EXISTS, CheckKind.FILE_CHANGED)]
    gone = {check.path for check in found if check.kind is CheckKind.GONE}
    candidates = [*(path for path in named if path in files), *written]
    return [path for path in dict.fromkeys(candidates) if path not in gone and file_syntax.language(path)]
