"""What is tuned, as it counts now and as it was: listed, saved and taken back.

Nothing is changed or deleted. A version is a row; of those about the same the newest counts, read at each decision.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection, transaction

from agents.actors import tuning_rights
from agents.record.errors import NotPossibleNow, TuningRefused
from agents.tuning import of_backlog, of_entailment, of_parameters, of_recovery
from agents.tuning.kinds import Change, Checked, Field, Kind, Values, changes
from people.models import User

KINDS: tuple[Kind, ...] = (
    of_parameters.Settings(),
    of_parameters.Mappings(),
    of_parameters.Rules(),
    of_recovery.Settings(),
    of_recovery.Policies(),
    of_recovery.Rules(),
    of_backlog.StopRules(),
    of_entailment.Thresholds(),
)
NOTE = Field("note", "Why", "text", "It is shown in the history.", most=300, blank=True)
PAGE = 50
# "mxtu": versions of one kind are written one after the other, so that the newest row is the one that was saved last.
_LOCK = 0x6D787475


@dataclass(frozen=True)
class Tunable:
    """Something that is tuned, as it counts. `version` is the number of the row, 0 before anything was saved."""

    kind: Kind
    ref: str
    values: Values
    version: int
    by: User | None = None
    at: datetime | None = None
    note: str = ""

    @property
    def id(self) -> str:
        """How the API names it."""
        return f"{self.kind.name}.{self.ref}"

    @property
    def title(self) -> str:
        """What it is about."""
        return self.kind.title(self.values)

    @property
    def summary(self) -> str:
        """What it says."""
        return self.kind.summary(self.values)

    @property
    def usual(self) -> Values | None:
        """What held before anything was saved."""
        return self.kind.usual(self.values)


@dataclass(frozen=True)
class Version:
    """A saved version. `number` counts from 1, `changes` is what it changed."""

    id: int
    number: int
    values: Values
    changes: tuple[Change, ...]
    by: User | None
    at: datetime
    note: str
    counts: bool


def kind_named(name: str) -> Kind | None:
    """The kind of this name."""
    return next((kind for kind in KINDS if kind.name == name), None)


def current(kind: Kind) -> list[Tunable]:
    """Everything of this kind, as it counts now. One look at the table."""
    rows = kind.newest()
    saved = {kind.identity(kind.of(row)): row for row in rows}
    usual = [values for values in kind.all_usual() if kind.identity(values) not in saved]
    found = [_tunable(kind, kind.of(row), row) for row in rows] + [_tunable(kind, values, None) for values in usual]
    if not kind.all_usual():
        return found
    order = {kind.identity(values): at for at, values in enumerate(kind.all_usual())}
    return sorted(found, key=lambda one: order.get(kind.identity(one.values), len(order)))


def find(kind: Kind, ref: str) -> Tunable | None:
    """The one that an address means, by its name or the number of any of its versions."""
    key = kind.key_of(ref)
    return None if key is None else about(kind, key)


def about(kind: Kind, key: Mapping[str, Any]) -> Tunable | None:
    """The one that is about this; None where nothing was saved and nothing holds by itself."""
    row = kind.rows_about(key).first()
    values = kind.usual(key) if row is None else kind.of(row)
    return None if values is None else _tunable(kind, values, row)


def history(one: Tunable, *, before: int | None = None, most: int = PAGE) -> tuple[list[Version], int | None]:
    """Its versions, newest first, and the number to ask `before` for the next ones (None at the end)."""
    rows = one.kind.rows_about(one.values)
    part = rows if before is None else rows.filter(pk__lt=before)
    found = list(part[: most + 1])
    count = part.count() if len(found) > most else len(found)
    versions = []
    for at, row in enumerate(found[:most]):
        older = one.kind.of(found[at + 1]) if at + 1 < len(found) else one.kind.usual(one.values)
        values = one.kind.of(row)
        versions.append(
            Version(
                row.pk, count - at, values, tuple(changes(one.kind, older, values)), row.by, row.at, row.note,
                counts=row.pk == one.version,
            )
        )  # fmt: skip
    return versions, found[most - 1].pk if len(found) > most else None


def cleaned(kind: Kind, given: Mapping[str, Any], start: Mapping[str, Any] | None = None) -> Checked:
    """The values that would be saved, with what should be known of them. Raises TuningRefused."""
    return kind.cleaned(given, start or {})


def save(
    kind: Kind,
    given: Mapping[str, Any],
    *,
    by: User,
    note: str = "",
    over: Tunable | None = None,
    seen: int | None = None,
) -> Tunable:
    """Save a version; it counts from the next decision on. What `given` leaves out stays as it is in `over`.

    `seen` is the number of the version that this one was written over: another that came meanwhile is not lost. Raises
    NotYours, TuningRefused, NotPossibleNow.
    """
    tuning_rights.check_operator(by)
    note = note.strip()
    if problem := NOTE.problem(note):
        raise TuningRefused({NOTE.name: problem})
    values = cleaned(kind, given, over.values if over else None).values
    if over is not None and kind.identity(values) != kind.identity(over.values):
        raise TuningRefused({kind.key[0]: "This is about something else. Write a new one for it."})
    return _saved(kind, values, by=by, note=note, seen=seen)


def revert(one: Tunable, version: int, *, by: User, note: str = "", seen: int | None = None) -> Tunable:
    """Save what an earlier version said as the newest one; 0 is what held before anything was saved.

    What it says is checked again: a tool that it names may be gone. Raises NotYours, TuningRefused, NotPossibleNow.
    """
    tuning_rights.check_operator(by)
    if version == 0:
        values = one.usual
        said = "mindX's default"
    else:
        row = one.kind.rows_about(one.values).filter(pk=version).first()
        values = None if row is None else one.kind.of(row)
        said = f"back to what was saved {row.at:%Y-%m-%d %H:%M} UTC" if row is not None else ""
    if values is None:
        raise NotPossibleNow("There is no such version of this.")
    values = one.kind.checked(values).values
    return _saved(one.kind, values, by=by, note=f"{said}{'; ' + note.strip() if note.strip() else ''}"[:300], seen=seen)


def switch(one: Tunable, *, on: bool, by: User, seen: int) -> Tunable:
    """Put a version out of force or back, as a further version. `seen`: the number of the one that was read.

    What is switched off is not checked: a tool that it names may be gone. Errors as of `save`.
    """
    tuning_rights.check_operator(by)
    values = {**one.values, "enabled": on}
    values = one.kind.checked(values).values if on else values
    return _saved(one.kind, values, by=by, note=one.note, seen=seen)


def _saved(kind: Kind, values: Values, *, by: User, note: str, seen: int | None) -> Tunable:
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_LOCK, KINDS.index(kind)])
        newest = kind.rows_about(values).first()
        if seen is not None and seen != (newest.pk if newest else 0):
            raise NotPossibleNow(
                "Somebody saved another version in the meantime. Read that one first; nothing was changed."
            )
        before = kind.usual(values) if newest is None else kind.of(newest)
        if before == values:
            raise NotPossibleNow("These values are already in use; nothing was changed.")
        row = kind.store(values, before=before, by=by, note=note)
    return _tunable(kind, kind.of(row), row)


def _tunable(kind: Kind, values: Values, row: Any) -> Tunable:
    if row is None:
        return Tunable(kind, kind.ref_of(values, None), values, 0)
    return Tunable(kind, kind.ref_of(values, row), values, row.pk, row.by, row.at, row.note)
