"""`manage.py rules check | import | export`: plan rules as files."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from agents.components import rule_files
from agents.components.rule_files import UnknownRules
from agents.components.rule_writing import RuleInvalid
from agents.evolution.candidates import rule_import
from agents.evolution.candidates.rule_import import Imported
from agents.presentation import hidden
from agents.record.errors import NotPossibleNow
from agents.rules.linter import LintProblem
from library.components import services
from library.errors import LibraryRefused
from people.models import User


class Command(BaseCommand):
    """Exit code 1 says that a file has errors; then none of its rules is saved."""

    help = "Check, import and export plan rules as .plan files."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        check = actions.add_parser("check", help="Show the problems of a file and what it would change.")
        take_in = actions.add_parser("import", help="Save the new and changed rules of a file: all of them, or none.")
        export = actions.add_parser("export", help="Print the active rules of these names, or all of them.")
        for one in (check, take_in):
            one.add_argument("file", type=Path, help="a .plan file: rules separated by lines --")
        take_in.add_argument("--activate", action="store_true", help="use the rules at once, not as candidates")
        take_in.add_argument(
            "--by", metavar="USER", help="login name of the importer (default: the only person who may import)"
        )
        export.add_argument("name", nargs="*", help="names of rules (default: all)")
        export.add_argument("--out", type=Path, metavar="FILE", help="write to this file")
        for one in (check, take_in, export):
            one.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        actions = {"check": self._check, "import": self._import, "export": self._export}
        actions[options["action"]](options)

    def _check(self, options: Mapping[str, Any]) -> None:
        found = rule_files.compare(_text_of(options["file"]))
        rules = [{"name": one.name, "line": one.rule.line, "kind": one.kind} for one in found.entries]
        lines = [f"line {one.rule.line}: “{one.name}” is {one.kind}." for one in found.entries]
        self._report(options, {"rules": rules}, lines, found.problems)
        if found.errors:
            sys.exit(1)

    def _import(self, options: Mapping[str, Any]) -> None:
        text, activate = _text_of(options["file"]), bool(options["activate"])
        by = _who(options["by"], activate=activate)
        try:
            imported = rule_import.take_in(text, by=by, activate=activate, changes=f"from {options['file'].name}"[:500])
        except RuleInvalid as invalid:
            self._report(options, {"rules": []}, ["Nothing is saved."], invalid.problems)
            sys.exit(1)
        except (LibraryRefused, NotPossibleNow) as refused:
            raise CommandError(f"Nothing is saved. {refused}") from refused
        self._report(options, {"rules": [_as_json(one) for one in imported]}, [one.says for one in imported], ())

    def _export(self, options: Mapping[str, Any]) -> None:
        try:
            text = rule_files.export(options["name"])
        except UnknownRules as unknown:
            raise CommandError(str(unknown)) from unknown
        if options["out"]:
            _write(options["out"], text)
        if options["json"]:
            self.stdout.write(json.dumps({"text": text}, ensure_ascii=False))
        elif not options["out"]:
            self.stdout.write(text, ending="")

    def _report(
        self,
        options: Mapping[str, Any],
        found: Mapping[str, Any],
        lines: Iterable[str],
        problems: Iterable[LintProblem],
    ) -> None:
        if options["json"]:
            listed = [
                {"line": one.line, "code": one.code, "severity": one.severity, "message": one.message, "rule": one.rule}
                for one in problems
            ]
            self.stdout.write(json.dumps({**found, "problems": listed}, ensure_ascii=False))
            return
        for line in (*lines, *(f"line {one.line}: {one.severity}: {one.message}" for one in problems)):
            self.stdout.write(hidden.visible_text(line))


def _text_of(file: Path) -> str:
    try:
        # Some editors begin a file with a mark that is no part of its text.
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{file} is not UTF-8 text; save it as UTF-8.") from error
    return text


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{file} cannot be written: {error.strerror}.") from error


def _who(name: str | None, *, activate: bool) -> User:
    """The person of this name; without one, the only person who may do it."""
    people = User.objects.filter(is_active=True)
    if name is not None:
        found = people.filter(username=name).first()
        if found is None:
            raise CommandError(f"There is no active person named {name!r}.")
        return found
    may = services.may_activate if activate else services.may_write
    able = [person for person in people.order_by("username") if may(person)]
    if len(able) != 1:
        raise CommandError(f"Say who imports: --by USER. {len(able)} people may.")
    return able[0]


def _as_json(one: Imported) -> dict[str, Any]:
    version = one.saved.version if one.saved else one.entry.against
    return {
        "name": one.entry.name,
        "kind": one.entry.kind,
        "version": version.version if version else None,
        "status": version.status if version else None,
        "is_replayed": bool(one.saved and one.saved.is_replayed),
    }
