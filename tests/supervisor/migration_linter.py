"""What of a migration would keep others from a large table, or break the version that still runs."""

from __future__ import annotations

from collections.abc import Iterator

from django.contrib.postgres.operations import (
    AddConstraintNotValid,
    AddIndexConcurrently,
    RemoveIndexConcurrently,
    ValidateConstraint,
)
from django.db.migrations import Migration
from django.db.migrations.operations import models as model_operations
from django.db.migrations.operations import special
from django.db.migrations.operations.base import Operation
from django.db.migrations.operations.fields import AddField, AlterField, RemoveField, RenameField
from django.db.models import NOT_PROVIDED

_SAFE = (
    model_operations.CreateModel,
    model_operations.AlterModelOptions,
    model_operations.AlterModelManagers,
    AddIndexConcurrently,
    AddConstraintNotValid,
    ValidateConstraint,
    RemoveIndexConcurrently,
    model_operations.RemoveConstraint,
)
_CONCURRENT = (AddIndexConcurrently, RemoveIndexConcurrently)
_REMOVES = (RemoveField, RenameField, model_operations.RenameModel, model_operations.DeleteModel)
# Said in a comment of the statement or a docstring of the function by who has looked at it.
LOOKED_AT = "short lock"


def faults(migration: Migration) -> Iterator[str]:
    """Each operation that is not safe under load, and what to do instead."""
    new = {each.name_lower for each in migration.operations if isinstance(each, model_operations.CreateModel)}
    for operation in migration.operations:
        if getattr(operation, "model_name", "").lower() not in new and (why := _why(operation)):
            yield f"{migration.app_label}.{migration.name}: {operation.describe()}: {why}"
    if migration.atomic and any(isinstance(each, _CONCURRENT) for each in migration.operations):
        yield f"{migration.app_label}.{migration.name}: set atomic = False for an index built concurrently"


def _why(operation: Operation) -> str:
    if isinstance(operation, _SAFE):
        return ""
    if isinstance(operation, special.SeparateDatabaseAndState):
        return "; ".join(filter(None, map(_why, operation.database_operations)))
    if isinstance(operation, AddField):
        return _of_field(operation)
    if isinstance(operation, _REMOVES):
        return "the version that still runs uses it: remove it one release later, marked as looked at"
    if isinstance(operation, model_operations.AddIndex):
        return "use AddIndexConcurrently"
    if isinstance(operation, model_operations.AddConstraint):
        return "use AddConstraintNotValid, and ValidateConstraint in a migration of its own"
    if isinstance(operation, AlterField):
        return "may rewrite the table: write the statements yourself, marked as looked at"
    text = str(getattr(operation, "sql", "")) + str(getattr(getattr(operation, "code", None), "__doc__", ""))
    return "" if LOOKED_AT in text else f"say “{LOOKED_AT}” in it when you have seen that it takes no long one"


def _of_field(operation: AddField) -> str:
    field = operation.field
    if field.unique:
        return "a unique column builds its index under a lock: add it without, then the index concurrently"
    if not field.null and field.db_default is NOT_PROVIDED and not field.many_to_many:
        return "the version that still runs writes no value: give it a db_default, or let it be null"
    return ""
