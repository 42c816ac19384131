"""What the application's database role may do: everything it needs on rows, nothing on tables.

A model with `append_only = True` is a record that is never corrected: its rows can be read and added, and no bug or
stolen connection of the application can change or remove one.
"""

from __future__ import annotations

from django.apps import apps
from django.db import models, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg import sql

EVERYTHING = ("SELECT", "INSERT", "UPDATE", "DELETE")
APPEND_ONLY = ("SELECT", "INSERT")
READ_ONLY = ("SELECT",)
# Functions of the tables' owner that the application may call; each decides itself whether it may act now.
FUNCTIONS = ("agents_log_ahead()", "agents_log_expire(integer)", "agents_bus_expire(integer, integer)")


def rights_of_tables() -> dict[str, tuple[str, ...]]:
    """For each table that a model or a many-to-many field has, what the application may do with its rows."""
    written_by_others = ("django_migrations", "agents_logpartition", "review_ground")
    rights: dict[str, tuple[str, ...]] = dict.fromkeys(written_by_others, READ_ONLY)
    # The version before writes it while an upgrade runs. Its table goes one release later.
    rights["review_leveldecision"] = APPEND_ONLY
    for model in apps.get_models(include_auto_created=True):
        if model._meta.managed and not model._meta.proxy:
            rights[model._meta.db_table] = APPEND_ONLY if is_append_only(model) else EVERYTHING
    return rights


def is_append_only(model: type[models.Model]) -> bool:
    """Whether the model says that its rows are never changed."""
    return bool(getattr(model, "append_only", False))


def grant(connection: BaseDatabaseWrapper, role: str) -> None:
    """Give `role` exactly these rights, and revoke all others. The connection must own the tables."""
    app = sql.Identifier(role)
    statements = [
        sql.SQL("GRANT USAGE ON SCHEMA public TO {}").format(app),
        sql.SQL("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {}").format(app),
        sql.SQL("GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {}").format(app),
    ]
    for table, rights in sorted(rights_of_tables().items()):
        words = sql.SQL(", ").join(map(sql.SQL, rights))
        statements.append(sql.SQL("GRANT {} ON {} TO {}").format(words, sql.Identifier(table), app))
    statements += [sql.SQL("GRANT EXECUTE ON FUNCTION {} TO {}").format(sql.SQL(name), app) for name in FUNCTIONS]
    # In one transaction, so a running application is never without its rights.
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
