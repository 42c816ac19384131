"""When a start may leave the preparation out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mindx_web.supervisor import prepared
from mindx_web.supervisor.data_folder import DataFolder


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small project and its data folder, prepared by this code."""
    (tmp_path / "project" / "app" / "migrations").mkdir(parents=True)
    (tmp_path / "project" / "app" / "models.py").write_text("one = 1")
    (tmp_path / "data" / "static").mkdir(parents=True)
    (tmp_path / "data" / "static" / ".collected").write_text("digest")
    (tmp_path / "cluster").mkdir()
    monkeypatch.setattr(prepared, "PROJECT", tmp_path / "project")
    prepared.note_prepared(DataFolder(tmp_path / "data"), tmp_path / "cluster")
    return tmp_path


def still_prepared(root: Path) -> bool:
    return prepared.is_prepared(DataFolder(root / "data"), root / "cluster")


def test_nothing_changed_so_nothing_is_repeated(project: Path) -> None:
    (project / "project" / "app" / "__pycache__").mkdir()
    (project / "project" / "app" / "__pycache__" / "models.pyc").write_text("compiled")
    (project / "project" / ".mindx").mkdir()
    (project / "project" / ".mindx" / "web.log").write_text("lines")
    assert still_prepared(project)


def test_a_new_file_or_a_changed_one_asks_for_a_preparation(project: Path) -> None:
    migration = project / "project" / "app" / "migrations" / "0002_more.py"
    migration.write_text("")
    assert not still_prepared(project)
    migration.unlink()
    assert still_prepared(project)
    models = project / "project" / "app" / "models.py"
    os.utime(models, ns=(1, 1))
    assert not still_prepared(project)


def test_another_sentence_model_asks_for_a_preparation(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINDX_EMBEDDING_MODEL", "openai/another")
    assert not still_prepared(project), "it is asked whether its vectors can be stored"
    prepared.note_prepared(DataFolder(project / "data"), project / "cluster")
    assert still_prepared(project)


def test_another_password_of_the_database_asks_for_a_preparation(project: Path) -> None:
    folder = DataFolder(project / "data")
    folder.secrets.mkdir()
    folder.secret("pg_app_password")
    assert not still_prepared(project), "its role is given the password then"
    prepared.note_prepared(folder, project / "cluster")
    folder.secret("secret_key")
    assert still_prepared(project)


def test_a_new_cluster_or_missing_static_files_ask_for_one(project: Path) -> None:
    assert not prepared.is_prepared(DataFolder(project / "data"), project / "another")
    (project / "data" / "static" / ".collected").unlink()
    assert not still_prepared(project)


def test_a_preparation_that_was_begun_and_not_ended_counts_for_nothing(project: Path) -> None:
    prepared.forget_prepared(project / "cluster")
    assert not still_prepared(project)
