"""Taking the rules of a file into the library: all of them, or none."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from agents.components import rule_files
from agents.components.rule_files import Entry
from agents.components.rule_writing import RuleInvalid
from agents.evolution.candidates import saving
from agents.evolution.candidates.saving import Saved
from library.components import services
from people.models import User


@dataclass(frozen=True)
class Imported:
    """What happened to one rule of the file; `saved` is None if the library already has it."""

    entry: Entry
    saved: Saved | None

    @property
    def says(self) -> str:
        """One sentence for people."""
        if self.saved is None:
            there = self.entry.against
            said = f"version {there.version}, which is {there.status}" if there else "before"
            return f"“{self.entry.name}” is the same as {said}."
        version = self.saved.version
        said = f"“{self.entry.name}” is {self.entry.kind}: version {version.version} is saved as {version.status}."
        return f"{said} Earlier goals are replayed with it first." if self.saved.is_replayed else said


def take_in(text: str, *, by: User, activate: bool = False, changes: str = "") -> list[Imported]:
    """Save every rule of the text that is new or changed, each as a version of its own component.

    One that cannot be saved keeps all others out: RuleInvalid with the problems by line of the text, LibraryRefused
    when the person may not.
    """
    services.check_rights(by, activate=activate)
    found = rule_files.compare(text)
    if found.errors:
        raise RuleInvalid(found.errors)
    rules = [entry.rule for entry in found.entries]
    imported = []
    with transaction.atomic():
        for entry in found.entries:
            saved = None
            if entry.kind != rule_files.SAME:
                saved = saving.save(
                    entry.rule.source, by=by, of=entry.component, changes=changes, activate=activate, among=rules
                )
            imported.append(Imported(entry, saved))
    return imported
