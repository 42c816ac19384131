"""The history of a workspace: what stands there, what differs, who may go back; a digest opens nothing else."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from django.urls import reverse
from django.utils import timezone

from agents.models import Attempt
from agents.pages.files import snapshot_reading
from agents.workspaces import history, workspaces
from agents.workspaces.stores import store
from sandbox.store.snapshots import EMPTY

if TYPE_CHECKING:
    from django.test import Client

    from agents.models import IntentPlan, Workspace
    from people.models import User

Maker = Callable[..., "Workspace"]
ClientOf = Callable[["User"], "Client"]


def put(workspace: Workspace, by: User, path: str, content: bytes) -> str:
    """The head after a file was written."""
    workspaces.put_file(workspace, by=by, path=path, source=io.BytesIO(content))
    return workspace.head


@pytest.fixture
def moved(owner: User, make_workspace: Maker) -> Workspace:
    """A workspace whose files were written, changed and deleted by hand."""
    workspace = make_workspace(owner)
    put(workspace, owner, "notes.txt", b"one\ntwo\n<b>\n")
    put(workspace, owner, "notes.txt", b"one\n2\n<b>\n")
    put(workspace, owner, "gone.bin", b"\0\1")
    workspaces.remove_file(workspace, by=owner, path="gone.bin")
    return workspace


def ran(plan: IntentPlan, before: str, after: str, **also: Any) -> Attempt:
    """A try of the plan's first step that left this state."""
    values = {"number": 1, "outcome": "succeeded", "finished": timezone.now()} | also
    return Attempt.objects.create(
        intent=plan.intents.get(position=1), fence=1, worker="w", started=timezone.now(),
        snapshot_before=before, snapshot_after=after, **values,
    )  # fmt: skip


def at(workspace: Workspace) -> str:
    return reverse("workspace-history", args=[workspace.name])


def compared(workspace: Workspace, before: str, after: str, **more: str) -> str:
    rest = "".join(f"&{name}={quote(value)}" for name, value in more.items())
    return f"{reverse('workspace-compare', args=[workspace.name])}?from={before}&to={after}{rest}"


def back(workspace: Workspace, digest: str) -> str:
    return reverse("workspace-back", args=[workspace.name, digest])


# --- rights --------------------------------------------------------------------------------------------------------
def test_an_outsider_finds_no_history(
    moved: Workspace, outsider: User, reviewer: User, client_of: ClientOf, client: Client
) -> None:
    for address in (at(moved), compared(moved, EMPTY, moved.head), back(moved, EMPTY)):
        assert client_of(outsider).get(address).status_code == 404
        assert client.get(address)["Location"].startswith("/login/")
    assert client_of(outsider).post(back(moved, EMPTY), {"head": moved.head}).status_code == 404
    assert client_of(reviewer).get(at(moved)).status_code == 200
    assert client_of(reviewer).get(compared(moved, EMPTY, moved.head)).status_code == 200
    assert client_of(reviewer).get(back(moved, EMPTY)).status_code == 403
    assert client_of(reviewer).post(back(moved, EMPTY), {"head": moved.head}).status_code == 403
    assert "Go back" not in client_of(reviewer).get(at(moved)).content.decode()
    head = moved.head
    moved.refresh_from_db()
    assert moved.head == head


def test_a_digest_of_another_workspace_opens_nothing(
    moved: Workspace, outsider: User, make_workspace: Maker, client_of: ClientOf
) -> None:
    mine = make_workspace(outsider)
    own = put(mine, outsider, "own", b"own")
    client = client_of(outsider)
    assert client.get(compared(mine, EMPTY, own)).status_code == 200
    for digest in (moved.head, "0" * 64, "", "..", "\0", "x" * 500):
        assert client.get(compared(mine, own, digest)).status_code == 404
        assert client.get(compared(mine, digest, own)).status_code == 404
    assert client.get(back(mine, moved.head)).status_code == 404
    assert client.post(back(mine, moved.head), {"head": own}).status_code == 404
    mine.refresh_from_db()
    assert mine.head == own


# --- the timeline --------------------------------------------------------------------------------------------------
def test_people_and_steps_stand_in_one_line_newest_first(
    moved: Workspace, owner: User, make_goal: Callable[..., Any], propose_plan: Any, client_of: ClientOf
) -> None:
    plan = propose_plan(make_goal(owner, workspace=moved))
    made = store().with_files(moved.head, [(b"made", io.BytesIO(b"m"))]).digest
    ran(plan, moved.head, made)
    ran(plan, made, made, number=2)  # a step that changed nothing is no move
    ran(plan, made, "", number=3, outcome="lost")
    found = history.page(moved, by=owner).moves
    assert [(each.command, each.said, each.what) for each in found] == [
        ("mkdir", "", ""),
        ("", "deleted", "gone.bin"),
        ("", "wrote", "gone.bin"),
        ("", "wrote", "notes.txt"),
        ("", "wrote", "notes.txt"),
    ]
    page = client_of(owner).get(at(moved)).content.decode()
    assert f"goal {plan.goal_id}" in page
    assert "Olga Berg deleted" in page
    assert "current files" in page
    assert page.count("Go back") == 4  # two of the five moves led to the state of now; and one is the start
    assert back(moved, EMPTY) in page


def test_the_goal_of_somebody_else_is_not_named(
    moved: Workspace, owner: User, admin: User, make_goal: Callable[..., Any], propose_plan: Any, client_of: ClientOf
) -> None:
    plan = propose_plan(make_goal(admin, workspace=moved))
    ran(plan, EMPTY, moved.head)
    assert history.page(moved, by=owner).moves[0].goal is None
    assert "a goal you may not see" in client_of(owner).get(at(moved)).content.decode()
    assert history.page(moved, by=admin).moves[0].goal == plan.goal_id


def test_older_moves_are_on_further_pages(
    owner: User, make_workspace: Maker, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "PAGE", 2)
    workspace = make_workspace(owner)
    for number in range(5):
        put(workspace, owner, f"f{number}", b"x")
    seen, before = [], None
    for _ in range(3):
        found = history.page(workspace, by=owner, before=before)
        seen += [each.what for each in found.moves]
        before = found.older
    assert seen == ["f4", "f3", "f2", "f1", "f0"]
    assert before is None
    first = client_of(owner).get(at(workspace))
    assert "<div>Start<" not in first.content.decode()
    older = history.page(workspace, by=owner).older
    assert older is not None
    assert quote(older.isoformat()) in first.content.decode()
    for wrong in ("yesterday", "2024-13-45T99:00", "2024-01-01T00:00:00"):
        assert client_of(owner).get(f"{at(workspace)}?before={wrong}").status_code == 200


def test_a_new_workspace_says_what_will_stand_there(owner: User, make_workspace: Maker, client_of: ClientOf) -> None:
    assert "No changes yet" in client_of(owner).get(at(make_workspace(owner))).content.decode()


def test_a_state_that_was_pruned_is_told_and_offers_nothing(moved: Workspace, owner: User, client_of: ClientOf) -> None:
    first = moved.changes.order_by("pk")[0].after
    (store().folder / "manifests" / first).unlink()
    page = client_of(owner).get(at(moved)).content.decode()
    assert "no longer stored" in page
    assert back(moved, first) not in page
    assert client_of(owner).get(compared(moved, first, EMPTY)).status_code in {200, 404}
    refused = client_of(owner).post(back(moved, first), {"head": moved.head})
    assert refused.status_code == 422
    store().with_files(EMPTY, [(b"notes.txt", io.BytesIO(b"one\ntwo\n<b>\n"))])


# --- differences ---------------------------------------------------------------------------------------------------
def test_lines_that_changed_are_shown_deletions_first_and_escaped(
    moved: Workspace, owner: User, client_of: ClientOf
) -> None:
    first, second = (each.after for each in moved.changes.order_by("pk")[:2])
    page = client_of(owner).get(compared(moved, first, second)).content.decode()
    assert page.index('<li class="d"><b>2</b><b></b><code>two</code>') < page.index(
        '<li class="a"><b></b><b>2</b><code>2</code>'
    )
    assert "&lt;b&gt;" in page
    assert "1 changed" in page


def test_what_is_no_text_is_told_by_sizes_and_digests(moved: Workspace, owner: User, client_of: ClientOf) -> None:
    with_binary = moved.changes.order_by("pk")[2].after
    page = client_of(owner).get(compared(moved, with_binary, moved.head)).content.decode()
    assert "1 deleted" in page
    assert "before 2 bytes, SHA-256 b413f47d13ee2fe6c845b2ee141af81de858df4ec549a58b7970bb96645bc8d2" in page


def test_moves_modes_links_folders_and_environments_are_told(
    owner: User, make_workspace: Maker, client_of: ClientOf, tmp_path: Path
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for root, version in ((one, "13.0"), (two, "14.1")):
        (root / "env" / "lib" / "site-packages" / f"rich-{version}.dist-info").mkdir(parents=True)
        (root / "env" / "lib" / "site-packages" / f"rich-{version}.dist-info" / "METADATA").write_text(version)
        (root / "env" / "pyvenv.cfg").write_text("home")
        (root / "run.sh").write_text("run")
    (one / "old\u202ename").write_text("content")
    (two / "new name").write_text("content")
    (two / "run.sh").chmod(0o755)
    (one / "way").symlink_to("/one")
    (two / "way").symlink_to("/two")
    (two / "empty").mkdir()
    (one / "kind").mkdir()
    (two / "kind").write_text("now a file")
    workspace = make_workspace(owner)
    before, after = store().take(one).digest, store().take(two).digest
    workspace.changes.create(by=owner, kind="write", what="all", before=before, after=after)
    page = client_of(owner).get(compared(workspace, before, after)).content.decode()
    assert "U+202E" in page
    assert "\u202e" not in page
    for words in (
        "the same content",
        "permissions 644 before, now 755",
        "link to /one before, now to /two",
        "was a folder, is a file",
        "rich 13.0 before, now 14.1",
        "2 paths deleted",
    ):
        assert words in page, words
    assert "METADATA" not in page
    assert "METADATA" in client_of(owner).get(compared(workspace, before, after, all="1")).content.decode()


def test_what_does_not_fit_says_so_and_can_be_opened(
    owner: User, make_workspace: Maker, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot_reading, "TEXT_BYTES", 10)
    monkeypatch.setattr(snapshot_reading, "ALONE_BYTES", 100)
    monkeypatch.setattr(snapshot_reading, "PAGE", 2)
    workspace = make_workspace(owner)
    put(workspace, owner, "a-100%.txt", b"of more than ten bytes\n")
    put(workspace, owner, "b.txt", b"huge" * 50)
    head = put(workspace, owner, "c.txt", b"small\n")
    client = client_of(owner)
    page = client.get(compared(workspace, EMPTY, head)).content.decode()
    assert "3 new" in page
    assert "too long for this page" in page
    assert "too long to be compared line by line" in page
    assert "of more than ten bytes" not in page
    assert "start=2" in page
    assert "small" in client.get(compared(workspace, EMPTY, head, start="2")).content.decode()
    address = snapshot_reading.read(EMPTY, head).items[0].address
    assert f"file={quote(address)}" in page
    alone = client.get(compared(workspace, EMPTY, head, file=address)).content.decode()
    assert "of more than ten bytes" in alone
    for wrong in ("missing", "../../etc/passwd", "%00"):
        assert client.get(compared(workspace, EMPTY, head, file=wrong)).status_code == 404


def test_a_damaged_content_is_told_instead_of_shown(owner: User, make_workspace: Maker, client_of: ClientOf) -> None:
    workspace = make_workspace(owner)
    head = put(workspace, owner, "odd.txt", b"content that will be damaged")
    name = next(entry.sha256 for entry in store().entries(head) if entry.kind == "file") or ""
    blob = store().folder / "blobs" / name[:2] / name[2:]
    blob.write_bytes(b"another content of some size")
    page = client_of(owner).get(compared(workspace, EMPTY, head)).content.decode()
    assert "another content" not in page
    assert name in page
    blob.unlink()


# --- the way back --------------------------------------------------------------------------------------------------
def test_going_back_asks_with_all_that_changes_and_is_a_new_move(
    moved: Workspace, owner: User, client_of: ClientOf
) -> None:
    client, head, first = client_of(owner), moved.head, moved.changes.order_by("pk")[0].after
    asked = client.get(back(moved, first)).content.decode()
    assert "Go back to this state" in asked
    assert '<li class="a"><b></b><b>2</b><code>two</code>' in asked
    answer = client.post(back(moved, first), {"head": head})
    assert answer["Location"] == at(moved)
    moved.refresh_from_db()
    assert moved.head == first
    newest = history.page(moved, by=owner).moves[0]
    assert (newest.said, newest.before, newest.after) == ("went back to", head, first)
    assert client.post(back(moved, head), {"head": first}).status_code == 302
    moved.refresh_from_db()
    assert moved.head == head


def test_going_back_is_refused_when_the_files_moved_or_a_plan_runs(
    moved: Workspace, owner: User, make_goal: Callable[..., Any], propose_plan: Any, client_of: ClientOf
) -> None:
    client, seen, first = client_of(owner), moved.head, moved.changes.order_by("pk")[0].after
    head = put(moved, owner, "later.txt", b"x")
    for sent in (seen, "", "\0", "x" * 1000):
        refused = client.post(back(moved, first), {"head": sent})
        assert refused.status_code == 422
        assert "changed since you looked" in refused.content.decode()
    plan = propose_plan(make_goal(owner, workspace=moved))
    type(plan).objects.filter(pk=plan.pk).update(state="executing", approved_digest=plan.digest)
    refused = client.post(back(moved, first), {"head": head})
    assert refused.status_code == 422
    assert "A plan is running" in refused.content.decode()
    assert "Go back to this state" not in client.get(back(moved, first)).content.decode()
    moved.refresh_from_db()
    assert moved.head == head
