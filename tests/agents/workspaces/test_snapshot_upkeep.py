"""Looking after the store: what rows need stays, what is damaged is named with its rows, and what the command says."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from agents.models import Attempt, WorkspaceChange
from agents.workspaces import snapshot_maintenance, snapshot_references, stores, workspaces
from agents.workspaces.workspaces import Upload
from sandbox.store.prune import DAY_S, Policy
from sandbox.store.snapshots import EMPTY, SnapshotStore

if TYPE_CHECKING:
    from agents.models import IntentPlan, Workspace
    from people.models import User

Maker = Callable[..., "Workspace"]


@pytest.fixture(autouse=True)
def fresh(tmp_path: Path, settings: Any) -> SnapshotStore:
    """A store of this test's own: other tests leave theirs behind."""
    settings.DATA_DIR = tmp_path
    return stores.store()


def _put(workspace: Workspace, by: User, path: str, content: bytes) -> str:
    workspaces.put_files(workspace, by=by, uploads=[Upload(path, io.BytesIO(content), len(content))])
    return workspace.head


def _ran(plan: IntentPlan, before: str, after: str) -> Attempt:
    intent = plan.intents.get(position=1)
    return Attempt.objects.create(
        intent=intent, number=1, fence=1, worker="w", started=timezone.now(), snapshot_before=before,
        snapshot_after=after, outcome="succeeded",
    )  # fmt: skip


def _end(plan: IntentPlan) -> None:
    type(plan).objects.filter(pk=plan.pk).update(state="rejected")
    type(plan.goal).objects.filter(pk=plan.goal_id).update(state="dropped")


def _age(store: SnapshotStore, days: float) -> None:
    for path in store.folder.rglob("*"):
        state = path.stat()
        os.utime(path, (state.st_atime, state.st_mtime - days * DAY_S))


def _spoil(store: SnapshotStore, digest: str, path: bytes) -> Path:
    name = next(entry.sha256 for entry in store.read(digest) if entry.path == path)
    assert name is not None
    blob = store.folder / "blobs" / name[:2] / name[2:]
    blob.write_bytes(b"?" * blob.stat().st_size)
    return blob


def _said(*args: str) -> str:
    out = io.StringIO()
    call_command("snapshots", *args, stdout=out)
    return out.getvalue()


def test_heads_bases_of_open_plans_and_states_of_open_goals_are_needed_now(
    fresh: SnapshotStore, owner: User, make_workspace: Maker, make_goal: Callable[..., Any], propose_plan: Any
) -> None:
    workspace = make_workspace(owner)
    base = _put(workspace, owner, "a", b"base")
    plan = propose_plan(make_goal(owner, workspace=workspace))
    head = _put(workspace, owner, "a", b"head")
    made = fresh.with_files(EMPTY, [(b"m", io.BytesIO(b"made"))]).digest
    _ran(plan, base, made)
    assert snapshot_references.needed_now() == {base, head, made}
    _end(plan)
    assert snapshot_references.needed_now() == {head}
    assert {digest for digest, last in snapshot_references.uses().items() if last is not None} >= {base, made}


def test_pruning_keeps_what_rows_need_and_history_for_its_time(
    fresh: SnapshotStore, owner: User, make_workspace: Maker, make_goal: Callable[..., Any], propose_plan: Any
) -> None:
    workspace = make_workspace(owner)
    plan = propose_plan(make_goal(owner, workspace=workspace))
    head = _put(workspace, owner, "a", b"head")
    old = fresh.with_files(EMPTY, [(b"m", io.BytesIO(b"old"))]).digest
    attempt = _ran(plan, EMPTY, old)
    nobodys = fresh.with_files(EMPTY, [(b"m", io.BytesIO(b"nobody's"))]).digest
    _end(plan)
    _age(fresh, 200)
    assert snapshot_maintenance.prune(Policy()).snapshots == (nobodys,)
    Attempt.objects.filter(pk=attempt.pk).update(started=timezone.now() - timedelta(days=91))
    assert snapshot_maintenance.prune(Policy()).snapshots == (old,)
    assert fresh.digests() == [head]
    assert snapshot_maintenance.verify().damages == ()


def test_states_that_people_left_are_history_too(
    fresh: SnapshotStore, owner: User, make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make_workspace(owner)
    old = _put(workspace, owner, "a", b"old")
    head = _put(workspace, owner, "a", b"new")
    _age(fresh, 200)
    assert snapshot_maintenance.prune(Policy()).snapshots == ()
    later = time.time() + 91 * DAY_S
    monkeypatch.setattr("agents.workspaces.snapshot_maintenance.time.time", lambda: later)
    assert snapshot_maintenance.prune(Policy()).snapshots == (old,)
    assert fresh.digests() == [head]


def test_verify_names_the_workspace_the_step_and_the_file(
    fresh: SnapshotStore, owner: User, make_workspace: Maker, make_goal: Callable[..., Any], propose_plan: Any
) -> None:
    workspace = make_workspace(owner, "garden")
    plan = propose_plan(make_goal(owner, workspace=workspace))
    head = _put(workspace, owner, "notes/a.txt", b"text")
    _ran(plan, EMPTY, head)
    assert "Nothing is missing." in _said("verify")
    _spoil(fresh, head, b"notes/a.txt")
    out = io.StringIO()
    with pytest.raises(CommandError, match="1 parts are damaged") as failed:
        call_command("snapshots", "verify", stdout=out)
    assert failed.value.returncode == 1
    assert "is damaged" in out.getvalue()
    assert "file notes/a.txt" in out.getvalue()
    assert "head of workspace garden" in out.getvalue()
    assert f"after step 1 (try 1) of goal {plan.goal_id}, workspace garden" in out.getvalue()


def test_a_head_without_its_manifest_is_found(fresh: SnapshotStore, owner: User, make_workspace: Maker) -> None:
    workspace = make_workspace(owner)
    head = _put(workspace, owner, "a", b"text")
    (fresh.folder / "manifests" / head).unlink()
    assert [(each.part, each.what) for each in snapshot_maintenance.verify().damages] == [("manifest", "missing")]


def test_repair_finds_contents_in_checkouts_and_named_folders_and_tells_what_is_lost(
    fresh: SnapshotStore, owner: User, make_workspace: Maker, tmp_path: Path
) -> None:
    workspace = make_workspace(owner, "garden")
    _put(workspace, owner, "a", b"in a checkout")
    _put(workspace, owner, "b", b"in a backup")
    head = _put(workspace, owner, "c", b"nowhere")
    (tmp_path / "backup" / "deep").mkdir(parents=True)
    (tmp_path / "backup" / "deep" / "x").write_bytes(b"in a backup")
    fresh.checkout(head, stores.checkouts() / "1-1-main")
    for path in (b"a", b"b", b"c"):
        _spoil(fresh, head, path)
    (stores.checkouts() / "1-1-main" / "b").unlink()
    (stores.checkouts() / "1-1-main" / "c").unlink()
    out = io.StringIO()
    with pytest.raises(CommandError, match="1 parts could not be repaired"):
        call_command("snapshots", "repair", "--from", str(tmp_path / "backup"), stdout=out)
    assert out.getvalue().count("Brought back: content") == 2
    assert "head of workspace garden" in out.getvalue()
    _put(workspace, owner, "c", b"another one")
    (tmp_path / "backup" / "c").write_bytes(b"nowhere")
    assert "Nothing is missing." in _said("repair", "--from", str(tmp_path / "backup"))
    with pytest.raises(CommandError, match="no folder"):
        _said("repair", "--from", str(tmp_path / "missing"))


def test_the_command_prunes_and_tells_beforehand(fresh: SnapshotStore, owner: User, make_workspace: Maker) -> None:
    workspace = make_workspace(owner)
    _put(workspace, owner, "a", b"head")
    fresh.with_files(EMPTY, [(b"m", io.BytesIO(b"nobody's"))])
    _age(fresh, 2)
    assert "Would remove 1 snapshots, 1 contents of 8 bytes" in _said("prune", "--dry-run")
    assert "Removed 1 snapshots, 1 contents of 8 bytes" in _said("prune", "--older-than", "5", "--keep-bytes", "0")
    assert fresh.digests() == [workspace.head]
    for wrong in (("--older-than", "-1"), ("--keep-bytes", "-1"), ("--older-than", "nan")):
        with pytest.raises(CommandError):
            _said("prune", *wrong)


def test_the_daily_pruning_waits_for_another_day_when_it_cannot(
    fresh: SnapshotStore, owner: User, make_workspace: Maker, caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    workspace = make_workspace(owner)
    head = _put(workspace, owner, "a", b"head")
    (fresh.folder / "manifests" / head).write_bytes(b"?")
    _age(fresh, 2)
    snapshot_maintenance.prune_daily()
    assert "were not pruned" in caplog.text
    assert len(list(fresh.blobs.stored())) == 1


def test_how_long_history_is_kept_is_for_the_operator_to_say(
    fresh: SnapshotStore, owner: User, make_workspace: Maker, settings: Any
) -> None:
    workspace = make_workspace(owner)
    earlier = _put(workspace, owner, "a", b"earlier")
    head = _put(workspace, owner, "a", b"head")
    WorkspaceChange.objects.update(at=timezone.now() - timedelta(days=3))
    _age(fresh, 3)
    snapshot_maintenance.prune_daily()
    assert set(fresh.digests()) == {earlier, head}
    settings.SNAPSHOT_KEEP_DAYS = 2
    snapshot_maintenance.prune_daily()
    assert fresh.digests() == [head]


def test_the_pool_prunes_every_day() -> None:
    from mindx_web.processes.duties import of_pool

    (duty,) = [duty for duty in of_pool() if duty.name == "prune snapshots"]
    assert duty.every_s == 86_400
