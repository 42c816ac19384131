"""A backup of a newer mindX is refused; one of an older mindX, and of its own, is taken."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindx_web.backup import versions
from mindx_web.backup.contents import BackupRefused
from tests.supervisor.running import ROOT

ROWS = """--
COPY public.django_migrations (id, app, name, applied) FROM stdin;
1\tcontenttypes\t9999_of_another_project\t2026-01-31 12:00:00+00
2\tagents\t0001_initial\t2026-01-31 12:00:00+00
3\tagents\t{}\t2026-01-31 12:00:00+00
\\.
"""


def _dump(monkeypatch: pytest.MonkeyPatch, newest: str) -> None:
    monkeypatch.setattr(versions, "said_by", lambda *_: ROWS.format(newest))


def test_the_newest_migration_of_each_app_is_known() -> None:
    found = versions.newest_in(ROOT)
    assert set(found) >= {"agents", "library", "people", "review"}
    assert found["agents"] >= 3


def test_a_dump_of_a_newer_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    _dump(monkeypatch, "9998_of_the_future")
    with pytest.raises(BackupRefused, match=r"made by a newer mindX \(it has agents.9998_of_the_future\)"):
        versions.check_not_newer(Path("dump"), ROOT)


@pytest.mark.parametrize("name", ["0002_taken_out_since", "a_name_without_a_number", "0072_settled_levels_are_sealed"])
def test_what_this_version_has_or_had_is_taken(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _dump(monkeypatch, name)
    versions.check_not_newer(Path("dump"), ROOT)


def test_a_dump_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "dump").write_bytes(b"rubbish")
    with pytest.raises(BackupRefused, match="pg_restore failed"):
        versions.check_not_newer(tmp_path / "dump", ROOT)
