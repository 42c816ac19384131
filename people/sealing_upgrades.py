"""Seals for rows that are older than their seals: given once, by a migration, under the role that owns the tables.

An upgrade vouches for what it finds, as it does for everything else that is in the database at that moment.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from django.apps.registry import Apps
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Q

from people import sealing

_AT_ONCE = 200


class Kind(NamedTuple):
    """A model, what its seal covers, and which of its rows are acted on, as when it was written."""

    model: str
    columns: tuple[str, ...]
    which: Q = Q()


def sealer(app: str, kinds: Sequence[Kind]) -> Callable[[Apps, BaseDatabaseSchemaEditor], None]:
    """What a migration of the app runs to seal rows of these kinds."""

    def seal(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
        """A short lock: it reads the rows, and inserts their seals into another table."""
        for kind in kinds:
            rows: Any = apps.get_model(app, kind.model).objects.order_by("pk")
            keys = list(rows.filter(kind.which).values_list("pk", flat=True))
            for at in range(0, len(keys), _AT_ONCE):
                some = rows.filter(pk__in=keys[at : at + _AT_ONCE]).values("pk", *kind.columns)
                sealing.add_all(f"{app}.{kind.model.lower()}", {row.pop("pk"): row for row in some})

    return seal
