"""The files of a workspace: what people may bring in, what is refused, and that a refusal changes nothing."""

from __future__ import annotations

import io
import os
import random
import stat
import struct
import time
import zipfile
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, BinaryIO

import pytest

from agents.record.errors import WorkspaceRefused
from agents.workspaces import file_paths, folders, workspaces, zip_import
from agents.workspaces.stores import store
from agents.workspaces.workspaces import Upload

if TYPE_CHECKING:
    from agents.models import IntentPlan, Workspace
    from people.models import User

Maker = Callable[..., "Workspace"]


def content_of(workspace: Workspace, path: str) -> bytes:
    source, size = workspaces.open_file(workspace, path)
    with source:
        data = source.read()
    assert len(data) == size
    return data


def names(workspace: Workspace) -> list[str]:
    return [file_paths.to_text(entry.path) for entry in store().entries(workspace.head) if entry.kind != "dir"]


def zip_of(members: Mapping[str, bytes], **how: Any) -> io.BytesIO:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED, **how) as zipped:
        for name, content in members.items():
            zipped.writestr(name, content)
    data.seek(0)
    return data


def zip_with(info: zipfile.ZipInfo, content: bytes = b"x") -> io.BytesIO:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as zipped:
        zipped.writestr(info, content)
    data.seek(0)
    return data


# --- single files --------------------------------------------------------------------------------------------------
def test_a_file_is_written_read_replaced_and_deleted(owner: User, make_workspace: Maker) -> None:
    workspace = make_workspace(owner)
    workspaces.put_file(workspace, by=owner, path="notes/one.txt", source=io.BytesIO(b"first"))
    first = workspace.head
    assert content_of(workspace, "notes/one.txt") == b"first"
    workspaces.put_file(workspace, by=owner, path="notes/one.txt", source=io.BytesIO(b"second"))
    assert content_of(workspace, "notes/one.txt") == b"second"
    assert workspace.head != first
    workspaces.remove_file(workspace, by=owner, path="notes/one.txt")
    with pytest.raises(KeyError):
        workspaces.open_file(workspace, "notes/one.txt")


def test_deleting_a_folder_deletes_what_is_in_it_and_nothing_beside(owner: User, make_workspace: Maker) -> None:
    workspace = make_workspace(owner)
    uploads = [Upload(path, io.BytesIO(b"x"), 1) for path in ("a/1", "a/b/2", "ab", "a.txt")]
    workspaces.put_files(workspace, by=owner, uploads=uploads)
    workspaces.remove_file(workspace, by=owner, path="a")
    assert names(workspace) == ["a.txt", "ab"]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("../outside", "leaves the workspace"),
        ("a/../../outside", "leaves the workspace"),
        ("/etc/passwd", "is absolute"),
        ("C:/windows", "is absolute"),
        ("a\\b", "backslash"),
        ("a//b", "empty name"),
        ("", "empty name"),
        ("a/", "empty name"),
        ("./a", "empty name"),
        ("a\nb", "U+000A"),
        ("a\x00b", "U+0000"),
        ("photo\u202egpj.exe", "U+202E"),
        ("zero\u200bwidth", "U+200B"),
        ("x" * 256, "too long"),
        ("/".join(["d"] * 65), "64 is the most"),
        ("/".join(["long" * 50] * 20), "too long"),
    ],
)
def test_a_path_that_nobody_should_trust_is_refused(path: str, said: str, owner: User, make_workspace: Maker) -> None:
    workspace = make_workspace(owner)
    before = workspace.head
    with pytest.raises(WorkspaceRefused, match=said.replace("+", r"\+")) as refused:
        workspaces.put_file(workspace, by=owner, path=path, source=io.BytesIO(b"x"))
    assert not any(char in refused.value.message for char in "\x00\n\u202e\u200b")
    workspace.refresh_from_db()
    assert workspace.head == before


def test_nobody_but_the_owner_and_an_admin_changes_files(
    owner: User, reviewer: User, outsider: User, operator: User, admin: User, make_workspace: Maker
) -> None:
    workspace = make_workspace(owner)
    for person in (reviewer, outsider, operator):
        with pytest.raises(WorkspaceRefused, match="Only the owner"):
            workspaces.put_file(workspace, by=person, path="a", source=io.BytesIO(b"x"))
    assert names(workspace) == []
    workspaces.put_file(workspace, by=admin, path="a", source=io.BytesIO(b"x"))
    assert names(workspace) == ["a"]


def test_no_file_takes_the_place_of_a_folder_or_lies_below_a_file(owner: User, make_workspace: Maker) -> None:
    workspace = make_workspace(owner)
    workspaces.put_file(workspace, by=owner, path="a/b", source=io.BytesIO(b"x"))
    with pytest.raises(WorkspaceRefused, match="is a folder"):
        workspaces.put_file(workspace, by=owner, path="a", source=io.BytesIO(b"y"))
    with pytest.raises(WorkspaceRefused, match="is a file"):
        workspaces.put_file(workspace, by=owner, path="a/b/c", source=io.BytesIO(b"y"))
    assert names(workspace) == ["a/b"]


def test_the_quota_holds(owner: User, make_workspace: Maker) -> None:
    workspace = make_workspace(owner)
    workspace.quota_bytes = 100
    workspace.save()
    workspaces.put_file(workspace, by=owner, path="a", source=io.BytesIO(b"x" * 60))
    with pytest.raises(WorkspaceRefused, match="100 is its quota"):
        workspaces.put_file(workspace, by=owner, path="b", source=io.BytesIO(b"x" * 60))
    with pytest.raises(WorkspaceRefused, match="may hold 100"):
        workspaces.put_file(workspace, by=owner, path="c", source=io.BytesIO(b"x" * 101))
    assert names(workspace) == ["a"]


def test_whoever_deletes_makes_room_even_when_it_is_still_too_much(owner: User, make_workspace: Maker) -> None:
    workspace = make_workspace(owner)
    for name in "abc":
        workspaces.put_file(workspace, by=owner, path=name, source=io.BytesIO(b"x" * 60))
    workspace.quota_bytes = 100
    workspace.save()
    workspaces.remove_file(workspace, by=owner, path="a")
    assert names(workspace) == ["b", "c"]
    with pytest.raises(WorkspaceRefused, match="100 is its quota"):
        workspaces.put_file(workspace, by=owner, path="b", source=io.BytesIO(b"x" * 61))


def test_nothing_changes_while_a_plan_runs(
    owner: User, make_workspace: Maker, make_goal: Callable[..., Any], propose_plan: Callable[..., IntentPlan]
) -> None:
    workspace = make_workspace(owner)
    plan = propose_plan(make_goal(owner, workspace=workspace))
    workspaces.put_file(workspace, by=owner, path="before", source=io.BytesIO(b"x"))
    type(plan).objects.filter(pk=plan.pk).update(state="executing", approved_digest=plan.digest)
    with pytest.raises(WorkspaceRefused, match="A plan is running"):
        workspaces.put_file(workspace, by=owner, path="during", source=io.BytesIO(b"x"))
    with pytest.raises(WorkspaceRefused, match="A plan is running"):
        workspaces.remove_file(workspace, by=owner, path="before")
    assert names(workspace) == ["before"]


def test_a_plan_claimed_while_a_file_is_being_stored_is_noticed(
    owner: User, make_workspace: Maker, make_goal: Callable[..., Any], propose_plan: Callable[..., IntentPlan]
) -> None:
    workspace = make_workspace(owner)
    plan = propose_plan(make_goal(owner, workspace=workspace))

    class Claiming(io.BytesIO):
        """The plan is claimed at the moment at which the file's content is read."""

        def read(self, size: int | None = -1, /) -> bytes:
            type(plan).objects.filter(pk=plan.pk).update(state="executing", approved_digest=plan.digest)
            return super().read(size)

    with pytest.raises(WorkspaceRefused):
        workspaces.put_file(workspace, by=owner, path="late", source=Claiming(b"x"))
    assert names(workspace) == []


def test_two_writers_at_once_lose_nothing(owner: User, make_workspace: Maker) -> None:
    workspace = make_workspace(owner)
    other = type(workspace).objects.get(pk=workspace.pk)
    raced: list[str] = []

    class Racing(io.BytesIO):
        """While this file is being read, somebody else writes another one."""

        def read(self, size: int | None = -1, /) -> bytes:
            if not raced:
                raced.append("once")
                workspaces.put_file(other, by=owner, path="theirs", source=io.BytesIO(b"theirs"))
            return super().read(size)

    workspaces.put_file(workspace, by=owner, path="mine", source=Racing(b"mine"))
    assert names(workspace) == ["mine", "theirs"]
    assert content_of(workspace, "mine") == b"mine"


def test_several_files_arrive_all_or_none(owner: User, make_workspace: Maker) -> None:
    workspace = make_workspace(owner)
    uploads = [Upload("good", io.BytesIO(b"x"), 1), Upload("../bad", io.BytesIO(b"x"), 1)]
    with pytest.raises(WorkspaceRefused):
        workspaces.put_files(workspace, by=owner, uploads=uploads)
    with pytest.raises(WorkspaceRefused, match="sent twice"):
        workspaces.put_files(workspace, by=owner, uploads=[uploads[0], uploads[0]])
    with pytest.raises(WorkspaceRefused, match="at least one"):
        workspaces.put_files(workspace, by=owner, uploads=[])
    assert names(workspace) == []


# --- names -----------------------------------------------------------------------------------------------------------
def test_a_workspace_has_a_plain_name_that_is_its_own(owner: User, outsider: User) -> None:
    assert workspaces.create(by=owner, name=" weather-report ").name == "weather-report"
    with pytest.raises(WorkspaceRefused, match="already a workspace named weather-report"):
        workspaces.create(by=outsider, name="weather-report")
    for name in ("", "a b", "ä/ö", "../x", "x" * 81, "<b>"):
        with pytest.raises(WorkspaceRefused) as refused:
            workspaces.create(by=owner, name=name)
        assert refused.value.field == "name"


# --- zips ------------------------------------------------------------------------------------------------------------
def test_a_zip_is_unpacked_as_one_change(owner: User, make_workspace: Maker) -> None:
    workspace = make_workspace(owner)
    workspaces.put_file(workspace, by=owner, path="kept", source=io.BytesIO(b"kept"))
    count = workspaces.import_zip(
        workspace, by=owner, source=zip_of({"src/": b"", "src/app.py": b"print(1)\n", "größe.txt": b"1"}), folder="in"
    )
    assert count == 2
    assert names(workspace) == ["in/größe.txt", "in/src/app.py", "kept"]
    assert content_of(workspace, "in/src/app.py") == b"print(1)\n"


def link(name: str = "link") -> BinaryIO:
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return zip_with(info, b"/etc/passwd")


def fifo() -> BinaryIO:
    info = zipfile.ZipInfo("pipe")
    info.create_system = 3
    info.external_attr = (stat.S_IFIFO | 0o644) << 16
    return zip_with(info)


def twice() -> BinaryIO:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as zipped:
        zipped.writestr("same", b"one")
        with pytest.warns(UserWarning, match="Duplicate name"):
            zipped.writestr("same", b"two")
    return data


def patched(source: io.BytesIO, local: bytes, central: bytes) -> BinaryIO:
    """The zip with flag bits of its one member set in both of its headers."""
    data = bytearray(source.getvalue())
    for magic, offset, flags in ((b"PK\x03\x04", 6, local), (b"PK\x01\x02", 8, central)):
        at = data.index(magic) + offset
        data[at : at + 2] = flags
    return io.BytesIO(bytes(data))


def encrypted() -> BinaryIO:
    return patched(zip_of({"secret": b"x"}), struct.pack("<H", 1), struct.pack("<H", 1))


def renamed(old: bytes, new: bytes) -> BinaryIO:
    """A zip whose member has a name that zipfile would not write."""
    assert len(old) == len(new)
    data = zip_of({old.decode(): b"x"}).getvalue()
    return io.BytesIO(data.replace(old, new))


def damaged() -> BinaryIO:
    data = bytearray(zip_of({"a.txt": b"hello hello hello " * 20}).getvalue())
    data[40] ^= 0xFF
    return io.BytesIO(bytes(data))


HOSTILE: dict[str, tuple[Callable[[], BinaryIO], str]] = {
    "absolute": (lambda: zip_of({"/etc/passwd": b"x"}), "is absolute"),
    "dotdot": (lambda: zip_of({"good": b"x", "../../outside": b"x"}), "leaves the workspace"),
    "backslash": (lambda: renamed(b"a_b.txt", b"a\\b.txt"), "backslash"),
    "symlink": (link, "symbolic link"),
    "fifo": (fifo, "neither a file nor a folder"),
    "duplicate": (twice, "twice"),
    "encrypted": (encrypted, "without a password"),
    "one bomb": (lambda: zip_of({"zeros": bytes(8 << 20)}), "times its size"),
    "a bomb among honest files": (
        lambda: zip_of({"zeros": bytes(8 << 20), "noise": random.Random(1).randbytes(1 << 20)}),
        "zeros.*times its size",
    ),
    "many small bombs": (lambda: zip_of({f"z{n}": bytes(1 << 20) for n in range(6)}), "times its size"),
    "too many": (lambda: zip_of({f"f{n}": b"" for n in range(10_001)}), "10,000 is the most"),
    "3,000 nested folders": (lambda: zip_of({"d/" * 3_000 + "x": b"x"}), "64 is the most"),
    "a folder too deep": (lambda: zip_of({"d/" * 3_000: b"", "x": b"x"}), "64 is the most"),
    "control character": (lambda: zip_of({"a\tb": b"x"}), "U\\+0009"),
    "null in the name": (lambda: renamed(b"a_b.txt", b"a\x00b.txt"), "U\\+0000"),
    "bidirectional": (lambda: zip_of({"photo\u202egpj.exe": b"x"}), "U\\+202E"),
    "not utf-8": (lambda: renamed(b"cafe.txt", b"caf\xe9.txt"), "U\\+DCE9|byte E9"),
    "empty": (lambda: zip_of({}), "no files"),
    "folders only": (lambda: zip_of({"a/": b""}), "no files"),
    "file and folder": (lambda: zip_of({"a": b"x", "a/b": b"x"}), "a file and a folder at once"),
    "not a zip": (lambda: io.BytesIO(b"this is no zip"), "not a zip"),
    "nothing": (io.BytesIO, "not a zip"),
    "cut off": (lambda: io.BytesIO(zip_of({"a": b"x" * 100}).getvalue()[:-30]), "not a zip"),
    "damaged": (damaged, "not a zip"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_zip_is_refused_clearly_and_changes_nothing(kind: str, owner: User, make_workspace: Maker) -> None:
    make, said = HOSTILE[kind]
    workspace = make_workspace(owner)
    workspaces.put_file(workspace, by=owner, path="kept", source=io.BytesIO(b"kept"))
    before = workspace.head
    with pytest.raises(WorkspaceRefused, match=said) as refused:
        workspaces.import_zip(workspace, by=owner, source=make())
    assert refused.value.field in {"files", "folder"}
    assert refused.value.message.isprintable()
    workspace.refresh_from_db()
    assert workspace.head == before


def test_a_zip_that_lies_about_its_sizes_delivers_no_more_than_it_declares(owner: User, make_workspace: Maker) -> None:
    data = bytearray(zip_of({"liar": b"A" * 5_000_000}).getvalue())
    at = data.index(b"PK\x01\x02") + 24
    data[at : at + 4] = struct.pack("<I", 10)
    workspace = make_workspace(owner)
    with pytest.raises(WorkspaceRefused, match="not a zip"):
        workspaces.import_zip(workspace, by=owner, source=io.BytesIO(bytes(data)))
    assert names(workspace) == []


def test_the_whole_of_a_zip_is_bounded(monkeypatch: pytest.MonkeyPatch, owner: User, make_workspace: Maker) -> None:
    workspace = make_workspace(owner)
    monkeypatch.setattr(zip_import, "TOTAL_MAX_BYTES", 50)
    with pytest.raises(WorkspaceRefused, match="50 is the most"):
        workspaces.import_zip(workspace, by=owner, source=zip_of({"a": b"x" * 30, "b": b"y" * 30}))
    monkeypatch.setattr(zip_import, "FILE_MAX_BYTES", 20)
    with pytest.raises(WorkspaceRefused, match="20 is the most"):
        workspaces.import_zip(workspace, by=owner, source=zip_of({"a": b"x" * 30}))


def test_a_zip_must_not_hide_existing_files(owner: User, make_workspace: Maker) -> None:
    workspace = make_workspace(owner)
    workspaces.put_file(workspace, by=owner, path="a/b", source=io.BytesIO(b"x"))
    with pytest.raises(WorkspaceRefused, match="is a folder"):
        workspaces.import_zip(workspace, by=owner, source=zip_of({"a": b"file over a folder"}))
    assert names(workspace) == ["a/b"]


def test_the_archive_holds_every_file_and_link_as_it_is(owner: User, make_workspace: Maker, tmp_path: Any) -> None:
    folder = tmp_path / "checkout"
    (folder / "sub" / "empty").mkdir(parents=True)
    (folder / "sub" / "run.sh").write_text("#!/bin/sh\n")
    (folder / "sub" / "run.sh").chmod(0o755)
    (folder / "link").symlink_to("sub/run.sh")
    (folder / "größe 100%.bin").write_bytes(bytes(range(256)) * 4_000)
    workspace = make_workspace(owner)
    workspace.head = store().take(folder).digest
    workspace.save()

    pieces = list(workspaces.archive(workspace))
    with zipfile.ZipFile(io.BytesIO(b"".join(pieces))) as zipped:
        assert zipped.testzip() is None
        assert sorted(zipped.namelist()) == ["größe 100%.bin", "link", "sub/", "sub/empty/", "sub/run.sh"]
        assert zipped.read("größe 100%.bin") == bytes(range(256)) * 4_000
        assert stat.S_ISLNK(zipped.getinfo("link").external_attr >> 16)
        assert zipped.read("link") == b"sub/run.sh"
        assert stat.S_IMODE(zipped.getinfo("sub/run.sh").external_attr >> 16) == 0o755
    assert len(pieces) > 4  # it was written in pieces, not gathered first


def test_an_archive_can_be_brought_back(owner: User, make_workspace: Maker) -> None:
    first, second = make_workspace(owner), make_workspace(owner)
    workspaces.import_zip(first, by=owner, source=zip_of({"a/b.txt": b"1", "c": b"2"}))
    workspaces.import_zip(second, by=owner, source=io.BytesIO(b"".join(workspaces.archive(first))))
    assert second.head == first.head


# --- browsing -----------------------------------------------------------------------------------------------------
def test_a_folder_lists_what_lies_directly_in_it_with_a_virtual_environment_folded(
    owner: User, make_workspace: Maker
) -> None:
    workspace = make_workspace(owner)
    site = ".venv/lib/python3.11/site-packages"
    members = {
        "api/main.py": b"1",
        "api/deep/x.py": b"22",
        "README": b"333",
        ".venv/pyvenv.cfg": b"home = /usr",
        f"{site}/pip-23.0.1.dist-info/METADATA": b"",
        f"{site}/httpx-0.28.1.dist-info/METADATA": b"",
    }
    workspaces.import_zip(workspace, by=owner, source=zip_of(members))
    root = workspaces.list_files(workspace)
    assert [(item.name, item.kind, item.files, item.size_bytes) for item in root] == [
        (".venv", "venv", 3, 11),
        ("api", "dir", 2, 3),
        ("README", "file", 1, 3),
    ]
    assert root[0].packages == ("httpx 0.28.1", "pip 23.0.1")
    assert [item.text for item in workspaces.list_files(workspace, "api")] == ["api/deep", "api/main.py"]
    with pytest.raises(KeyError):
        workspaces.list_files(workspace, "ap")


def test_links_are_not_followed(owner: User, make_workspace: Maker, tmp_path: Any) -> None:
    folder = tmp_path / "checkout"
    folder.mkdir()
    (folder / "link").symlink_to("/etc/passwd")
    workspace = make_workspace(owner)
    workspace.head = store().take(folder).digest
    with pytest.raises(KeyError):
        workspaces.open_file(workspace, "link")
    assert folders.listing(store().entries(workspace.head))[0].target_text == "/etc/passwd"


@pytest.mark.parametrize(
    "path", [b"plain.txt", b"100%.txt", b"caf\xe9.txt", b"a b/c#d?.txt", "größe".encode(), b"a\\b\n"]
)
def test_any_name_survives_an_address(path: bytes) -> None:
    address = file_paths.to_address(path)
    assert file_paths.from_address(address) == path
    assert address.isprintable()


# --- what people did, and the way back -----------------------------------------------------------------------------
def _rows(workspace: Workspace) -> list[tuple[str, str, str]]:
    return [(each.kind, each.what, each.by.username) for each in workspace.changes.order_by("pk")]


def test_every_move_of_the_head_leaves_a_row_that_says_who_and_what(
    owner: User, admin: User, make_workspace: Maker
) -> None:
    workspace = make_workspace(owner)
    first = workspace.head
    workspaces.put_file(workspace, by=owner, path="a/b.txt", source=io.BytesIO(b"x"))
    workspaces.put_files(workspace, by=owner, uploads=[Upload(name, io.BytesIO(b"y"), 1) for name in ("c", "d")])
    workspaces.import_zip(workspace, by=admin, source=zip_of({"e": b"1"}))
    workspaces.remove_file(workspace, by=owner, path="a")
    workspaces.go_back(workspace, by=owner, to=first, seen=workspace.head)
    assert _rows(workspace) == [
        ("write", "a/b.txt", "olga"),
        ("write", "2 files", "olga"),
        ("write", "1 file from a zip", "ada"),
        ("delete", "a", "olga"),
        ("return", f"snapshot {first[:8]}", "olga"),
    ]
    rows = list(workspace.changes.order_by("pk"))
    assert [row.before for row in rows] == [first, *(row.after for row in rows[:-1])]
    assert rows[-1].after == workspace.head == first


def test_what_changes_nothing_leaves_no_row(owner: User, make_workspace: Maker) -> None:
    workspace = make_workspace(owner)
    for _ in range(2):
        workspaces.put_file(workspace, by=owner, path="a", source=io.BytesIO(b"x"))
    with pytest.raises(KeyError):
        workspaces.remove_file(workspace, by=owner, path="missing")
    assert len(_rows(workspace)) == 1


def test_going_back_can_itself_be_taken_back(owner: User, make_workspace: Maker) -> None:
    workspace = make_workspace(owner)
    workspaces.put_file(workspace, by=owner, path="a", source=io.BytesIO(b"one"))
    one = workspace.head
    workspaces.put_file(workspace, by=owner, path="a", source=io.BytesIO(b"two"))
    two = workspace.head
    workspaces.go_back(workspace, by=owner, to=one, seen=two)
    assert content_of(workspace, "a") == b"one"
    workspaces.go_back(workspace, by=owner, to=two, seen=one)
    assert content_of(workspace, "a") == b"two"


def test_going_back_is_refused_where_it_would_do_something_else_than_was_seen(
    owner: User,
    reviewer: User,
    outsider: User,
    operator: User,
    make_workspace: Maker,
    make_goal: Callable[..., Any],
    propose_plan: Callable[..., IntentPlan],
) -> None:
    workspace = make_workspace(owner)
    first = workspace.head
    workspaces.put_file(workspace, by=owner, path="a", source=io.BytesIO(b"one"))
    head = workspace.head
    for person in (reviewer, outsider, operator):
        with pytest.raises(WorkspaceRefused, match="Only the owner"):
            workspaces.go_back(workspace, by=person, to=first, seen=head)
    for to, seen, said in (
        (first, first, "changed since you looked"),
        (head, head, "in this state already"),
        ("0" * 64, head, "no longer stored"),
    ):
        with pytest.raises(WorkspaceRefused, match=said):
            workspaces.go_back(workspace, by=owner, to=to, seen=seen)
    plan = propose_plan(make_goal(owner, workspace=workspace))
    type(plan).objects.filter(pk=plan.pk).update(state="executing", approved_digest=plan.digest)
    with pytest.raises(WorkspaceRefused, match="A plan is running"):
        workspaces.go_back(workspace, by=owner, to=first, seen=head)
    workspace.refresh_from_db()
    assert workspace.head == head
    assert len(_rows(workspace)) == 1


def test_a_state_gone_back_to_is_not_removed_as_old(owner: User, make_workspace: Maker) -> None:
    """The pruning may have looked at the rows just before the head moved; then only the renewed time keeps it."""
    workspace = make_workspace(owner)
    workspaces.put_file(workspace, by=owner, path="a", source=io.BytesIO(b"kept for long"))
    old = workspace.head
    workspaces.remove_file(workspace, by=owner, path="a")
    os.utime(store().folder / "manifests" / old, (0, 0))
    workspaces.go_back(workspace, by=owner, to=old, seen=workspace.head)
    at = store().stored_at(old)
    assert at is not None
    assert at > time.time() - 3600
