"""What the processes of one run share is made once, and a copy of it is its owner's alone."""

from __future__ import annotations

import fcntl
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from tests.prepared import MIGRATED, Prepared


@pytest.fixture
def prepared(tmp_path: Path) -> Prepared:
    return Prepared(tmp_path / "prepared")


def test_of_several_who_ask_at_once_one_makes_it_and_each_has_a_copy(prepared: Prepared, tmp_path: Path) -> None:
    made: list[Path] = []

    def make(folder: Path) -> None:
        made.append(folder)
        with (prepared.folder / ".thing-lock").open() as lock, pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # who comes now waits
        folder.mkdir(mode=0o700)
        (folder / "file").write_text("as made")

    copies = [tmp_path / f"copy-{number}" for number in range(4)]
    with ThreadPoolExecutor(4) as askers:
        list(askers.map(lambda into: prepared.copy("thing", into, make), copies))
    assert len(made) == 1
    (copies[0] / "file").write_text("changed")
    assert [(each / "file").read_text() for each in copies[1:]] == ["as made"] * 3
    assert copies[0].stat().st_mode & 0o777 == 0o700


def test_of_several_who_do_the_same_one_does_it_first_and_all_do_it(prepared: Prepared) -> None:
    done: list[str] = []

    def do(who: str) -> None:
        with prepared.first("thing"):
            if not done:  # whoever is here while nobody has done it is here alone
                with (prepared.folder / ".thing-lock").open() as lock, pytest.raises(BlockingIOError):
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            done.append(who)

    with ThreadPoolExecutor(4) as together:
        list(together.map(do, "abcd"))
    assert sorted(done) == list("abcd")


def test_who_fails_at_what_is_done_first_leaves_it_to_the_next(prepared: Prepared) -> None:
    with pytest.raises(OSError, match="no room"), prepared.first("thing"):
        raise OSError("no room")
    with prepared.first("thing"), (prepared.folder / ".thing-lock").open() as lock, pytest.raises(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with prepared.first("thing"), (prepared.folder / ".thing-lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_what_was_made_half_is_made_anew(prepared: Prepared, tmp_path: Path) -> None:
    def broken(folder: Path) -> None:
        folder.mkdir()
        (folder / "half").touch()
        raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        prepared.copy("thing", tmp_path / "first", broken)
    prepared.copy("thing", tmp_path / "second", lambda folder: folder.mkdir())
    assert list((tmp_path / "second").iterdir()) == []


def test_every_process_of_a_run_has_the_same_passwords_and_nobody_else_reads_them(prepared: Prepared) -> None:
    assert prepared.passwords() == Prepared(prepared.folder).passwords()
    assert (prepared.folder / "passwords").stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="a process alone copies nothing")
def test_the_copied_database_lacked_no_migration(db: None) -> None:
    from django.db import connection

    applied = "SELECT app, name, applied FROM django_migrations ORDER BY id"
    with connection.cursor() as cursor:
        cursor.execute(applied)
        ours = cursor.fetchall()
    here = connection.settings_dict
    with psycopg.connect(
        host=here["HOST"], port=here["PORT"], user=here["USER"], password=here["PASSWORD"], dbname=MIGRATED
    ) as copied:
        assert copied.execute(applied).fetchall() == ours
