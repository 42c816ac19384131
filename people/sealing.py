"""Seals: rows that a worker acts on, signed with the approval key by the code that acted for a person.

A model that names its meaningful columns in `sealed` is sealed; with `acted_on` it says which of its rows must be
genuine at any time, and `audit verify` looks at these. Whoever can write to the database but does not have the key can
make no row that counts, change none, and bring none back: seals are numbered and append-only, the newest one of a row
counts, and a row whose time is over gets one that fits no content.

The key is the one that seals approvals (`MINDX_APPROVAL_KEY`). Each kind of signature has a label of its own, and the
model's name is part of what is signed, so no seal passes for one of another kind.
"""

from __future__ import annotations

import hmac
import json
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar, cast

from django.apps import apps
from django.conf import settings
from django.db import connection
from django.db.models import Func, Max, Model, Q, QuerySet, TextField

from people.models import RowSeal

logger = logging.getLogger(__name__)

LABEL = b"mindx row 1"
_TABLE = RowSeal._meta.db_table
_INSERT = f"INSERT INTO {_TABLE} (model, row, number, mac) VALUES (%s, %s, %s, %s)"  # noqa: S608  # names of our own
# From here on Postgres writes a number without the point by which Python tells it from a whole one.
_LARGE = 1e16
_Row = TypeVar("_Row", bound=Model)


def models() -> list[type[Model]]:
    """Every model of which some rows must be genuine at any time."""
    return [model for model in apps.get_models() if hasattr(model, "acted_on")]


def fields_of(model: type[Model]) -> tuple[str, ...]:
    """The columns that a seal of this model covers, by the names they have on a row; none: it is not sealed."""
    found: tuple[str, ...] = getattr(model, "sealed", ())
    return found


def seal(row: Model) -> None:
    """Seal the row as it is stored now. Call it in the transaction that writes the row."""
    stored = with_seals(type(row)._base_manager.filter(pk=row.pk)).values(*fields_of(type(row)), "newest_seal").get()
    _insert(row._meta.label_lower, row.pk, _number(stored.pop("newest_seal")) + 1, stored)


def seal_new(row: Model) -> None:
    """The same for a row that was inserted in this transaction, in one statement where its values are plain.

    Somebody who guessed the row's number and put a seal there before makes it fail, and the row with it.
    """
    values = _values(row)
    _insert(row._meta.label_lower, row.pk, 1, values if _is_plain(values) else _stored(row))


def change(row: Model, newest: str | None, values: Mapping[str, Any]) -> str:
    """Store other values in columns of a row that is locked and fits `newest`, seal it, and return its new seal.

    What is signed is what was checked with the new values, so plain ones take one statement. The race it closes: the
    row got a newer seal than `newest` before it was locked. The constraint on the number refuses ours then, and the
    change with it.
    """
    for name, value in values.items():
        setattr(row, name, value)
    fields: list[Any] = [row._meta.get_field(name) for name in values]
    for field in fields:
        setattr(row, field.attname, field.get_prep_value(getattr(row, field.attname)))
    places = ", ".join(f'"{field.column}" = %s' for field in fields)
    update = f'UPDATE "{row._meta.db_table}" SET {places} WHERE "{row._meta.pk.column}" = %s'  # noqa: S608  # our own
    its = [*(field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields), row.pk]
    sealed, changed = _values(row), {field.attname for field in fields}
    if not all(_is_plain(sealed[name]) if name in changed else "__" not in name for name in sealed):
        with connection.cursor() as cursor:
            cursor.execute(update, its)
        row.refresh_from_db(fields=list(values))
        update, its, sealed = "", [], _stored(row)
    return _insert(row._meta.label_lower, row.pk, _number(newest) + 1, sealed, update, its)


def end(row: Model) -> None:
    """The row has done what it was for, or was taken back: from here on nothing counts that looks like it."""
    add(row._meta.label_lower, row.pk, None)


def seal_all(model: type[Model], keys: Iterable[int]) -> None:
    """`seal` for the rows with these keys at once."""
    rows = model._base_manager.filter(pk__in=keys).order_by("pk").values("pk", *fields_of(model))
    add_all(model._meta.label_lower, {row.pop("pk"): row for row in rows})


def seal_all_new(rows: Sequence[Model]) -> None:
    """`seal_new` for many rows that were inserted in this transaction."""
    RowSeal.objects.bulk_create(
        RowSeal(model=row._meta.label_lower, row=row.pk, number=1, mac=_mac(row._meta.label_lower, row.pk, 1, values))
        for row in rows
        for values in [_values(row)]
    )


def end_all(model: type[Model], keys: Iterable[int]) -> None:
    """`end` for the rows with these keys at once, which their transaction removes."""
    add_all(model._meta.label_lower, dict.fromkeys(keys))


def add_all(label: str, rows: Mapping[int, Mapping[str, Any] | None]) -> None:
    """`add` for many rows of a kind: the values to be sealed by the key of each; None ends what counts."""
    sealed = RowSeal.objects.filter(model=label, row__in=rows).order_by().values_list("row")
    last = dict(sealed.annotate(last=Max("number")))
    numbered = [(key, last.get(key, 0) + 1, values) for key, values in rows.items()]
    RowSeal.objects.bulk_create(
        RowSeal(model=label, row=key, number=number, mac=_mac(label, key, number, values))
        for key, number, values in numbered
    )


def add(label: str, key: int, values: Mapping[str, Any] | None) -> None:
    """Add a seal of the row with this key. For migrations, whose models know of no seals; others have `seal` and `end`.

    The race it closes: two sealing one row. The constraint on the number lets one of them through.
    """
    last = RowSeal.objects.filter(model=label, row=key).order_by("-number").values_list("number", flat=True).first()
    _insert(label, key, (last or 0) + 1, values)


def is_genuine(row: Model) -> bool:
    """Whether the row, as it was read, is what was sealed last. False for one that was never sealed."""
    return fits_row(row, newest_of(row))


def newest_of(row: Model) -> str | None:
    """The row's newest seal, as `newest_sql` gives it; None when it has none."""
    found = RowSeal.objects.filter(model=row._meta.label_lower, row=row.pk).order_by("-number").first()
    return f"{found.number} {found.mac}" if found is not None else None


def newest(model: type[Model], key: str = "pk") -> Func:
    """The newest seal of the row of this model whose key is at `key`, for rows that are read together with it."""
    return Func(key, template=newest_sql(model, "%(expressions)s"), output_field=TextField())


def with_seals(rows: QuerySet[_Row]) -> QuerySet[_Row]:
    """The rows, each read together with its newest seal (`fits_as_read`)."""
    found: Any = rows.annotate(newest_seal=newest(rows.model))
    return cast("QuerySet[_Row]", found)


def fits_row(row: Model, newest: str | None) -> bool:
    """`is_genuine` for a row that was read together with its newest seal."""
    return fits(type(row), row.pk, _values(row), newest)


def fits_as_read(row: Model) -> bool:
    """The same for a row of `with_seals`; False for any other."""
    return fits_row(row, getattr(row, "newest_seal", None))


def lock(row: _Row) -> tuple[_Row, str | None]:
    """The row as it is stored now, locked, and its seal; None where that does not fit. For whoever changes the row.

    The race it closes: somebody with the application's role has changed the row and not committed. Who has checked a
    copy, and only then waits for the row, would seal what they wrote.
    """
    rows = with_seals(type(row)._base_manager.select_for_update(no_key=True, of=("self",)))
    held = rows.get(pk=row.pk)
    # A row that had to be waited for is newer than the seal that was read with it.
    seal: str | None = held.newest_seal if fits_as_read(held) else newest_of(held)  # type: ignore[attr-defined]
    return held, seal if fits_row(held, seal) else None


def genuine(rows: QuerySet[_Row]) -> list[_Row]:
    """Those of the rows that are what was sealed last, in one question; the others are left out, and logged."""
    found = list(with_seals(rows))
    kept = [row for row in found if fits_as_read(row)]
    for row in found if len(kept) < len(found) else ():
        if row not in kept:
            logger.error("A row was not sealed by mindX: %s %s", row._meta.verbose_name, row.pk)
    return kept


def _stored(row: Model) -> dict[str, Any]:
    found: dict[str, Any] = type(row)._base_manager.filter(pk=row.pk).values(*fields_of(type(row))).get()
    return found


def _values(row: Model) -> dict[str, Any]:
    return {name: _value(row, name) for name in fields_of(type(row))}


def _value(row: Model, name: str) -> Any:
    """The value of a column; of another row's where the name says through what, as in a query."""
    value: Any = row
    for part in name.split("__"):
        value = getattr(value, part)
    return value


def newest_sql(model: type[Model], key: str) -> str:
    """A part of a statement: the newest seal of the row of this model whose key is the expression `key`."""
    return (
        f"(SELECT seal.number || ' ' || seal.mac FROM {_TABLE} seal"  # noqa: S608  # names of our own
        f" WHERE seal.model = '{model._meta.label_lower}' AND seal.row = {key} ORDER BY seal.number DESC LIMIT 1)"
    )


def fits(model: type[Model], key: int, values: Mapping[str, Any], newest: str | None) -> bool:
    """Whether `newest` is the seal of a row with these values in its sealed columns."""
    mac = (newest or "").partition(" ")[2]
    wanted = _mac(model._meta.label_lower, key, _number(newest), values)
    return bool(mac) and hmac.compare_digest(mac.encode(), wanted.encode())


def broken(model: type[Model]) -> Iterator[Model]:
    """The rows of one of `models` that a worker would act on and that are not what was sealed last, oldest first."""
    which: Q = getattr(model, "acted_on", Q())
    through = {name.rpartition("__")[0] for name in fields_of(model) if "__" in name}
    rows = with_seals(model._base_manager.filter(which)).order_by("pk")
    yield from (row for row in (rows.select_related(*through) if through else rows).iterator() if not fits_as_read(row))


def _number(newest: str | None) -> int:
    """The number of a seal as `newest_sql` gives it; 0 where there is none."""
    return int(newest.partition(" ")[0]) if newest else 0


def _insert(
    label: str, key: int, number: int, values: Mapping[str, Any] | None, update: str = "", its: Sequence[Any] = ()
) -> str:
    """Write a seal, in the same statement as an update with these values of its own; the seal as `newest_sql` gives it.

    As text, for Django would take three times as long to write it, and each step of a run is sealed.
    """
    mac = _mac(label, key, number, values)
    with connection.cursor() as cursor:
        cursor.execute(f"WITH changed AS ({update}) {_INSERT}" if update else _INSERT, [*its, label, key, number, mac])
    return f"{number} {mac}"


def _is_plain(value: Any) -> bool:
    """Whether the database gives a value back spelled as it is here. In JSON it writes some numbers with a point in
    another way, and keys as texts; values that are not JSON's are none of the plain ones.
    """
    if isinstance(value, str):  # most are
        return True
    if isinstance(value, dict):
        return all(isinstance(key, str) for key in value) and all(map(_is_plain, value.values()))
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    if isinstance(value, float):
        return abs(value) < _LARGE and str(value) != "-0.0"
    return value is None or isinstance(value, int)


def _mac(label: str, key: int, number: int, values: Mapping[str, Any] | None) -> str:
    content = {"model": label, "row": key, "number": number, "values": values}
    # What is signed was read from the database, as what is checked is: equal values are spelled alike.
    spelled = json.dumps(content, default=_spelled, sort_keys=True, separators=(",", ":"))
    return hmac.digest(settings.APPROVAL_KEY.encode(), LABEL + b"\0" + spelled.encode(), "sha256").hex()


def _spelled(value: Any) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    raise TypeError(f"{type(value).__name__} cannot be sealed")
