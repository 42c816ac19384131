"""Prepared statements as the mind uses them: the library's, and rows that become instances of a model."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import Model

from library.prepared import Row, first_of, row, rows, run, together

__all__ = ["Columns", "Row", "first_of", "row", "rows", "run", "together"]

M = TypeVar("M", bound=Model)


class Columns(Generic[M]):
    """A model's own columns as `select` in a prepared statement, where its table is `alias`, and rows of them. Those
    that it is made `without` are read when somebody asks for them.
    """

    def __init__(self, model: type[M], alias: str, without: Collection[str] = ()) -> None:
        fields = [field for field in model._meta.concrete_fields if field.name not in without]
        self._model, self._names = model, [field.attname for field in fields]
        self._read = [(at, field.from_db_value) for at, field in enumerate(fields) if hasattr(field, "from_db_value")]
        self.select = ", ".join(f"{alias}.{field.column}" for field in fields)

    def __len__(self) -> int:
        return len(self._names)

    def made(self, values: Sequence[Any]) -> M:
        """The instance that these values are, as Django would make it of them."""
        held = list(values)
        for at, read in self._read:
            held[at] = read(held[at], None, connection)
        return self._model.from_db(connection.alias, self._names, held)
