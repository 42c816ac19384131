"""What `manage.py` says while mindX starts, and where it does not run."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from mindx_web.supervisor.data_folder import STARTING, STOPPING, DataFolder, Lock, holder_of
from mindx_web.supervisor.installing import STILL_INSTALLING
from mindx_web.supervisor.postgres import APP, EmbeddedPostgres

# After each other: one of them holds the lock of set-up, which others would notice.
pytestmark = pytest.mark.xdist_group("command line")

ROOT = Path(__file__).parents[2]
STILL_STARTING = "mindX is still starting; try again when make up says that it is ready.\n"
# Needs the database, but none of its tables.
ASKS = "from django.db import connection; connection.ensure_connection(); print('reached')"
WITHOUT_PACKAGES = (sys.executable, "-S")
NOBODY = "postgres://nobody@%2Fnowhere/mindx"


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    """A data folder as a start makes it, whose database does not answer."""
    folder = DataFolder(tmp_path / "data")
    folder.make()
    folder.secret("secret_key")
    folder.publish({"database_url": NOBODY})
    return folder


def _manage(
    folder: DataFolder, *arguments: str, python: Sequence[str] = (sys.executable,), **environment: str
) -> subprocess.CompletedProcess[str]:
    ours = ("MINDX_", "DJANGO_", "DATABASE_URL", "REDIS_URL", "PYTEST_")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return subprocess.run(
        [*python, "manage.py", *(arguments or ("shell", "-v", "0", "-c", ASKS))],
        cwd=ROOT,
        env={**clean, "MINDX_DATA": str(folder.root), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_commands_wait_for_the_end_of_the_start_whether_or_not_the_database_answers(
    folder: DataFolder, postgres: EmbeddedPostgres
) -> None:
    lock = Lock(folder)
    lock.take(f"http://127.0.0.1:8000/{STARTING}")
    token = _manage(folder, "token", "admin")
    assert (token.returncode, token.stderr) == (1, STILL_STARTING)

    folder.publish({"database_url": postgres.url(APP)})
    early = _manage(folder)
    assert (early.returncode, early.stdout, early.stderr) == (1, "", STILL_STARTING)

    lock.note("http://127.0.0.1:8000/")
    assert _manage(folder).stdout == "reached\n"


def test_what_a_killed_supervisor_noted_does_not_count(folder: DataFolder, postgres: EmbeddedPostgres) -> None:
    (folder.run / "lock").write_text(f"process 1, http://127.0.0.1:8000/{STARTING}\n")
    assert holder_of(folder) is None
    down = _manage(folder)
    assert (down.returncode, down.stderr) == (1, f"mindX does not run on {folder.root}; start it with make up.\n")
    folder.publish({"database_url": postgres.url(APP)})
    assert _manage(folder).stdout == "reached\n"


def test_a_command_during_the_end_says_so(folder: DataFolder) -> None:
    lock = Lock(folder)
    lock.take(f"http://127.0.0.1:8000/{STOPPING}")
    assert _manage(folder).stderr == "mindX is stopping; start it again with make up.\n"


def test_a_folder_without_a_first_start_is_told_to_be_started(tmp_path: Path) -> None:
    done = _manage(DataFolder(tmp_path / "none"), "token", "admin")
    assert done.returncode == 1
    assert "start mindX once with `make up`" in done.stderr
    assert "Traceback" not in done.stderr


def test_with_a_database_of_the_operators_nothing_is_looked_at(folder: DataFolder, postgres: EmbeddedPostgres) -> None:
    lock = Lock(folder)
    lock.take(f"http://127.0.0.1:8000/{STARTING}")
    assert _manage(folder, DATABASE_URL=postgres.url(APP)).stdout == "reached\n"
    assert "OperationalError" in _manage(folder, DATABASE_URL=NOBODY).stderr


def test_while_packages_are_installed_commands_are_told_to_wait(tmp_path: Path) -> None:
    nothing_made = DataFolder(tmp_path / "none")
    with (ROOT / "requirements.txt").open() as packages:
        assert "ModuleNotFoundError" in _manage(nothing_made, python=WITHOUT_PACKAGES).stderr
        fcntl.flock(packages, fcntl.LOCK_EX)  # as scripts/setup.sh does
        for python in (WITHOUT_PACKAGES, (sys.executable,)):
            told = _manage(nothing_made, "token", "admin", python=python)
            assert (told.returncode, told.stderr) == (1, f"{STILL_INSTALLING}\n")


def test_a_command_that_glances_at_the_lock_does_not_stop_a_start(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder.run / "lock").touch()
    glancing = (folder.run / "lock").open()
    fcntl.flock(glancing, fcntl.LOCK_SH)
    monkeypatch.setattr("mindx_web.supervisor.data_folder.time.sleep", lambda _: glancing.close())
    Lock(folder).take("http://127.0.0.1:8000/")
    assert glancing.closed
