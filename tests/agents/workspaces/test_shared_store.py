"""A snapshot store that several machines share: turns by the database, what operators are told, what pages say."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections

from agents.models import Workspace
from agents.workspaces import snapshot_maintenance, stores, workspaces
from agents.workspaces.store_lock import DatabaseTurns
from mindx_web.doctor import installation
from mindx_web.doctor.finding import Grade
from mindx_web.operations import health
from people.models import User
from sandbox.store.objects import StoreUnavailable
from sandbox.store.remote import RemoteStore
from sandbox.store.s3 import S3, Patience
from sandbox.store.snapshots import EMPTY
from sandbox.store.store_address import parse
from sandbox.store.store_lock import StoreBusy
from tests.bucket import OwnBucket

_NO_PATIENCE = Patience(0.2, 0.2, 1)
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def shared(bucket: OwnBucket, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OwnBucket:
    """This installation, with an own data folder, keeps its snapshots in a bucket."""
    settings.DATA_DIR = tmp_path / "data"
    settings.STORE_PLACE = parse(bucket.url)
    monkeypatch.setattr(health, "_looked", (0.0, None))
    return bucket


@pytest.fixture
def another_machine() -> Iterator[Any]:
    """Runs something in a thread, and so on a connection, of its own; `done` is set when it has ended."""
    threads: list[threading.Thread] = []

    def run(work: Any) -> threading.Event:
        done = threading.Event()

        def all_of_it() -> None:
            try:
                work()
            finally:
                done.set()
                connections.close_all()

        threads.append(threading.Thread(target=all_of_it))
        threads[-1].start()
        return done

    yield run
    for thread in threads:
        thread.join(60)


# --- turns -----------------------------------------------------------------------------------------------------------
def test_writers_share_and_a_remover_waits_for_all_of_them(another_machine: Any) -> None:
    turns, inside, leave = DatabaseTurns(), threading.Event(), threading.Event()

    def write() -> None:
        with DatabaseTurns().writing():
            inside.set()
            leave.wait(60)

    another_machine(write)
    assert inside.wait(60)
    with turns.writing():
        pass
    with pytest.raises(StoreBusy), turns.removing(0.0):
        pass
    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        assert cursor.fetchone() == ("0",), "what comes afterwards waits as before"
    leave.set()
    with turns.removing(45.0):
        came = another_machine(lambda: DatabaseTurns().writing().__enter__())
        assert not came.wait(0.3), "no writer while names are removed"
    assert came.wait(60)


def test_a_writer_whose_connection_was_lost_does_not_believe_that_it_was_alone() -> None:
    with pytest.raises(StoreUnavailable, match="connection to the database was lost"), DatabaseTurns().writing():
        connection.close()


# --- the installation ------------------------------------------------------------------------------------------------
def test_files_of_a_workspace_are_there_for_another_data_folder(
    shared: OwnBucket, owner: User, settings: Any, tmp_path: Path
) -> None:
    workspace = workspaces.create(by=owner, name="w")
    workspaces.put_file(workspace, by=owner, path="src/a.txt", source=io.BytesIO(b"bytes"))
    workspace.refresh_from_db()
    settings.DATA_DIR = tmp_path / "other"
    assert isinstance(stores.store(), RemoteStore)
    source, size = workspaces.open_file(workspace, "src/a.txt")
    with source:
        assert (source.read(), size) == (b"bytes", 5)
    assert snapshot_maintenance.verify().damages == ()


def test_what_was_there_before_is_taken_over(shared: OwnBucket, owner: User, capsys: Any) -> None:
    old = stores.own_store().with_files(EMPTY, [(b"a", io.BytesIO(b"from before"))])
    Workspace.objects.create(name="w", owner=owner, head=old.digest)
    assert [each.what for each in snapshot_maintenance.verify().damages] == ["missing"]
    said = {each.grade: each.says for each in installation.snapshot_store()}
    assert "1 snapshots lie in the data folder" in said[Grade.WARN]
    call_command("snapshots", "upload")
    assert "1 snapshots of this machine are in the shared store" in capsys.readouterr().out
    assert snapshot_maintenance.verify().damages == ()


def test_without_a_shared_store_there_is_nothing_to_upload(settings: Any) -> None:
    settings.STORE_PLACE = None
    with pytest.raises(CommandError, match="MINDX_STORE_URL"):
        call_command("snapshots", "upload")


def test_a_machines_copies_mend_the_bucket(shared: OwnBucket, owner: User) -> None:
    workspace = workspaces.create(by=owner, name="w")
    workspaces.put_file(workspace, by=owner, path="a.txt", source=io.BytesIO(b"bytes"))
    for name in shared.names():
        shared.client.delete_object(Bucket=shared.name, Key=f"mindx/{name}")
    assert len(snapshot_maintenance.verify().damages) == 1, "without the manifest nobody knows of the content"
    assert snapshot_maintenance.repair().left == ()
    assert snapshot_maintenance.verify().damages == ()


# --- when it is away -------------------------------------------------------------------------------------------------
def test_a_store_that_works_is_a_part_that_works(shared: OwnBucket) -> None:
    part = next(part for part in health.current().parts if part.name == "store")
    assert part.ok
    assert shared.names() == [], "the probe leaves nothing"
    assert [each.grade for each in installation.snapshot_store()] == [Grade.OK]


def test_a_store_that_is_away_is_told_everywhere(
    shared: OwnBucket, owner: User, client_of: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = workspaces.create(by=owner, name="w")
    workspaces.put_file(workspace, by=owner, path="a.txt", source=io.BytesIO(b"bytes"))
    settings.DATA_DIR = settings.DATA_DIR / "empty"
    settings.STORE_PLACE = parse(f"s3://{shared.name}/mindx?endpoint=http://127.0.0.1:9")
    monkeypatch.setattr("agents.workspaces.stores.Patience", lambda *_: _NO_PATIENCE)
    monkeypatch.setattr(S3.__init__, "__defaults__", ("", "", "", _NO_PATIENCE))
    part = next(part for part in health.current().parts if part.name == "store")
    assert part.ok is False
    assert not health.Health((part,)).is_ready
    found = list(installation.snapshot_store())
    assert [each.grade for each in found] == [Grade.FAIL]
    assert "does not answer" in found[0].says
    client = client_of(owner)
    client.raise_request_exception = False
    page = client.get(f"/workspaces/{workspace.name}/")
    assert page.status_code == 503
    assert "The file store does not answer" in page.content.decode()
