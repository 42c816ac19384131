"""What a worker makes a goal, a call or a run of code from: a row that mindX sealed for whoever asked for it.

A worker seals what it makes, so it must not make anything of a row that nobody sealed: from then on the forged row
would look like a person's. Every maker calls `check` on what it acts on, under the lock under which it acts, and
whoever changes a sealed column calls it before it seals again.
"""

from __future__ import annotations

import logging
from typing import TypeVar

from django.db.models import Model

from agents.record.errors import NotPossibleNow
from people import sealing

logger = logging.getLogger(__name__)
_Row = TypeVar("_Row", bound=Model)


class Forged(NotPossibleNow):
    """A row is not as mindX sealed it: it was made or changed by something that has no key."""


def check(*rows: Model) -> None:
    """Raise Forged unless each of the rows, as it was read, is what was sealed last."""
    for row in rows:
        _checked(row)


def lock(row: _Row) -> _Row:
    """The row as it is stored now, locked. Raises Forged. Call it in the transaction that changes the row."""
    held, seal = sealing.lock(row)
    held.newest_seal = seal if seal is not None else _checked(held)  # type: ignore[attr-defined]  # a change goes by it
    return held


def change(row: Model, **values: object) -> None:
    """Store other values in sealed columns of a row that is locked, and seal it. Raises Forged.

    A row that was locked and read by `sealing.with_seals` is checked without a further statement.
    """
    # A row that had to be waited for is newer than the seal that was read with it.
    seal = row.newest_seal if sealing.fits_as_read(row) else _checked(row)  # type: ignore[attr-defined]  # it fits
    row.newest_seal = sealing.change(row, seal, values)  # type: ignore[attr-defined]  # what a second change goes by


def _checked(row: Model) -> str | None:
    seal = sealing.newest_of(row)
    if not sealing.fits_row(row, seal):
        what = f"{row._meta.verbose_name} {row.pk}"
        logger.error("A row was not sealed by mindX: %s", what, extra={"model": row._meta.label_lower})
        raise Forged(f"{what} is not as mindX stored it, so nothing is made of it")
    return seal
