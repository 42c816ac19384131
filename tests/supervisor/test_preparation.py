"""What `manage.py prepare` does to a database: rights, first login, static files."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from pytest_django.fixtures import Settings

from mindx_web.operations import static_files
from mindx_web.operations.first_login import make_first_login
from mindx_web.operations.grants import grant, is_append_only, rights_of_tables
from mindx_web.supervisor.postgres import APP
from people.models import User
from people.roles import Role


def may(table: str, right: str) -> bool:
    """Whether the application's role has the right on the table now."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_table_privilege(%s, %s, %s)", [APP, table, right])
        row = cursor.fetchone()
    return bool(row and row[0])


@pytest.mark.django_db
def test_append_only_rows_can_be_read_and_added_but_not_changed() -> None:
    grant(connection, APP)
    tables = [model._meta.db_table for model in apps.get_models() if is_append_only(model)]
    assert {"review_decision", "review_approval"} <= set(tables)
    for table in tables:
        assert may(table, "SELECT")
        assert may(table, "INSERT")
        for right in ("UPDATE", "DELETE", "TRUNCATE", "TRIGGER"):
            assert not may(table, right), f"{right} on {table}"


@pytest.mark.django_db
def test_every_table_of_a_model_can_be_worked_with_and_none_can_be_emptied() -> None:
    grant(connection, APP)
    tables = rights_of_tables()
    assert "agents_goal" in tables
    assert "people_user_groups" in tables, "tables of many-to-many fields count too"
    for table, rights in tables.items():
        assert all(may(table, right) for right in rights)
        assert not may(table, "TRUNCATE")


@pytest.mark.django_db
def test_rights_that_were_given_by_hand_are_taken() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"GRANT ALL ON review_decision, django_migrations TO {APP}")
    assert may("review_decision", "UPDATE")
    grant(connection, APP)
    assert not may("review_decision", "UPDATE")
    assert not may("django_migrations", "INSERT")


@pytest.mark.django_db
def test_the_first_login_is_an_admin_whose_password_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    User.objects.all().delete()
    monkeypatch.delenv("MINDX_ADMIN_PASSWORD", raising=False)
    told = make_first_login()
    admin = User.objects.get()
    assert admin.username == "admin"
    assert admin.has_role(Role.ADMIN)
    password = told.split("password: ")[1].split()[0]
    assert admin.check_password(password)
    assert password not in admin.password
    assert make_first_login() == ""
    assert User.objects.count() == 1


@pytest.mark.django_db
def test_a_given_password_is_used_and_never_told(monkeypatch: pytest.MonkeyPatch) -> None:
    User.objects.all().delete()
    monkeypatch.setenv("MINDX_ADMIN_PASSWORD", "given by the operator")
    assert "given by the operator" not in make_first_login()
    assert User.objects.get().check_password("given by the operator")


@pytest.mark.django_db
def test_an_existing_person_is_never_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    User.objects.all().delete()
    User.objects.create_user("somebody", password="before")
    monkeypatch.setenv("MINDX_ADMIN_PASSWORD", "given by the operator")
    assert make_first_login() == ""
    assert User.objects.get().check_password("before")


def test_a_database_that_does_not_answer_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Dead:
        settings_dict: dict[str, object] = {"USER": "mindx_app"}

    def refuse(*_: object, **__: object) -> None:
        from django.db import OperationalError

        raise OperationalError("connection refused")

    monkeypatch.setattr("mindx_web.management.commands.prepare.connection", Dead())
    monkeypatch.setattr("mindx_web.management.commands.prepare.call_command", refuse)
    monkeypatch.setattr("mindx_web.operations.migrating.connection", Dead())
    monkeypatch.setattr(Dead, "cursor", refuse, raising=False)
    monkeypatch.setattr("mindx_web.management.commands.prepare._become_owner", lambda: "mindx_app")
    with pytest.raises(CommandError, match="The database does not answer: connection refused"):
        call_command("prepare")


def test_static_files_are_collected_once_and_again_after_a_change(tmp_path: Path, settings: Settings) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "app.css").write_text("a {}")
    settings.STATIC_ROOT = tmp_path / "collected"
    settings.STATICFILES_DIRS = [source]
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    assert static_files.collect() is True
    assert (tmp_path / "collected" / "app.css").read_text() == "a {}"
    assert static_files.collect() is False
    (source / "app.css").write_text("a { color: red }")
    assert static_files.collect() is True
    assert "red" in (tmp_path / "collected" / "app.css").read_text()
