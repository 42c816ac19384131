"""A restore that was stopped on the way is finished by starting it again, and nothing runs before that."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from celery.signals import worker_init
from django.conf import settings as django_settings
from django.core.management import call_command
from django.core.management.base import CommandError

from mindx_web.backup import restoring, settling
from mindx_web.backup.contents import BackupRefused
from mindx_web.backup.settled import Settled
from mindx_web.operations import half_restored
from mindx_web.supervisor import unfinished_restore, up
from mindx_web.supervisor.configuration import Configuration, ConfigurationError
from mindx_web.supervisor.data_folder import DataFolder
from mindx_web.supervisor.unfinished_restore import Unfinished
from tests.supervisor.running import free_port

ONE, OTHER = Unfinished("/backups/one", "1" * 64), Unfinished("/backups/other", "2" * 64)
AS_OF = "2026-01-31T12:00:00+00:00"


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    made = DataFolder(tmp_path / "data")
    made.make()
    return made


def begin(folder: DataFolder, which: Unfinished, *, has_rows: bool) -> None:
    restoring._begin(folder, which, has_rows=has_rows)


def test_one_that_was_stopped_goes_on_and_no_other_takes_its_place(folder: DataFolder) -> None:
    begin(folder, ONE, has_rows=False)
    begin(folder, ONE, has_rows=True)
    with pytest.raises(BackupRefused, match="/backups/one"):
        begin(folder, OTHER, has_rows=True)
    assert unfinished_restore.found(folder.root) == ONE


def test_a_mindx_that_is_there_is_never_taken_for_one(folder: DataFolder) -> None:
    with pytest.raises(BackupRefused, match="already belongs to a mindX installation"):
        begin(folder, ONE, has_rows=True)
    assert unfinished_restore.found(folder.root) is None, "nor marked as one"


def test_another_backup_may_follow_where_no_row_came_in(folder: DataFolder) -> None:
    begin(folder, ONE, has_rows=False)
    begin(folder, OTHER, has_rows=False)
    assert unfinished_restore.found(folder.root) == OTHER


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"folder": "x"}', "\x00" * 100])
def test_a_mark_that_cannot_be_read_still_stands(folder: DataFolder, text: str) -> None:
    (folder.root / "restoring").write_text(text)
    assert "restore DIR" in unfinished_restore.why_not_to_start(folder.root)


def test_mindx_does_not_start_on_it(folder: DataFolder) -> None:
    begin(folder, ONE, has_rows=False)
    environment = {"MINDX_DATA": str(folder.root), "MINDX_PORT": str(free_port())}
    with pytest.raises(ConfigurationError, match="restore /backups/one"):
        up.supervise(Configuration.from_environment(environment))


def test_nor_does_a_worker_that_was_started_without_the_supervisor(folder: DataFolder, settings: Any) -> None:
    assert half_restored.refuse in [receiver() for _, receiver in worker_init.receivers]
    settings.DATA_DIR = folder.root
    half_restored.refuse()
    begin(folder, ONE, has_rows=False)
    with pytest.raises(SystemExit, match=r"The worker did not start: .*restore /backups/one"):
        half_restored.refuse()


@pytest.mark.django_db
def test_settling_all_of_it_takes_the_mark_away_and_anything_less_does_not(
    folder: DataFolder, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DATA_DIR = folder.root
    begin(folder, ONE, has_rows=False)
    module = "mindx_web.management.commands.settle_restored"
    monkeypatch.setattr(f"{module}.settle", lambda as_of: [Settled(0, "plans", unsettled=("goal 1: plan 1",))])
    with pytest.raises(CommandError):
        call_command("settle_restored", "--as-of", AS_OF, stdout=StringIO())
    assert unfinished_restore.found(folder.root) == ONE
    monkeypatch.setattr(f"{module}.settle", settling.settle)
    call_command("settle_restored", "--as-of", AS_OF, stdout=StringIO())
    assert unfinished_restore.found(django_settings.DATA_DIR) is None


def test_an_error_of_a_part_is_said_in_a_line_and_kept_whole(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder.root / "manage.py").write_text("print('half of it')\nraise OSError(28, 'No space left on device')\n")
    monkeypatch.setattr(restoring, "PROJECT", folder.root)
    with pytest.raises(BackupRefused) as refused:
        restoring._manage(folder, "prepare")
    assert "half of it\nOSError: [Errno 28] No space left on device" in str(refused.value)
    assert "Traceback" not in str(refused.value)
    assert "Traceback" in (folder.log / "restore.log").read_text()
