"""The pages of workspaces: rights, browsing, uploads, and that no file of anybody becomes a page of ours."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from agents.workspaces import file_paths, workspaces
from agents.workspaces.stores import store

if TYPE_CHECKING:
    from django.test import Client

    from agents.models import IntentPlan, Workspace
    from people.models import User

Maker = Callable[..., "Workspace"]
ClientOf = Callable[["User"], "Client"]
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


@pytest.fixture
def filled(owner: User, make_workspace: Maker, tmp_path: Path) -> Workspace:
    """A workspace with a file of every kind, as the steps of a plan could have left it."""
    folder = tmp_path / "checkout"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "app.py").write_text("print('hi')\n<b>\u202e\n")
    (folder / "evil.html").write_text("<script>alert(1)</script>")
    (folder / "picture.txt").write_bytes(PNG)
    (folder / "drawing.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")
    (folder / "data.bin").write_bytes(b"\x00\x01\x02")
    (folder / "link").symlink_to("/etc/passwd")
    (Path(str(folder)) / "photo\u202egpj.exe").write_text("x")
    with open(bytes(folder) + b"/caf\xe9 100%.txt", "wb") as odd:
        odd.write(b"odd")
    workspace = make_workspace(owner)
    workspace.head = store().take(folder).digest
    workspace.save()
    return workspace


def at(workspace: Workspace, name: str, path: str = "") -> str:
    return reverse(f"workspace-{name}" if name else "workspace", args=[workspace.name, *([path] if path else [])])


def body(answer: object) -> bytes:
    return b"".join(answer.streaming_content)  # type: ignore[attr-defined]


# --- rights ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("", ""),
        ("folder", "src"),
        ("file", "src/app.py"),
        ("download", "src/app.py"),
        ("image", "picture.txt"),
        ("archive", ""),
        ("delete", "src/app.py"),
    ],
)
def test_an_outsider_finds_no_such_workspace(
    name: str, path: str, filled: Workspace, outsider: User, reviewer: User, client_of: ClientOf, client: Client
) -> None:
    address = at(filled, name, path)
    assert client_of(outsider).get(address).status_code == 404
    assert client.get(address)["Location"].startswith("/login/")
    assert client_of(reviewer).get(address).status_code == (403 if name == "delete" else 200)


def test_only_the_owner_uploads_and_deletes(
    filled: Workspace, outsider: User, reviewer: User, client_of: ClientOf
) -> None:
    before = filled.head
    for person, status in ((outsider, 404), (reviewer, 403)):
        sent = {"files": SimpleUploadedFile("new.txt", b"x")}
        assert client_of(person).post(at(filled, "upload"), sent).status_code == status
        assert client_of(person).post(at(filled, "delete", "data.bin")).status_code == status
    filled.refresh_from_db()
    assert filled.head == before


def test_everybody_lists_their_own(filled: Workspace, outsider: User, reviewer: User, client_of: ClientOf) -> None:
    address = reverse("workspaces")
    assert filled.name not in client_of(outsider).get(address).content.decode()
    assert filled.name in client_of(reviewer).get(address).content.decode()


# --- looking ----------------------------------------------------------------------------------------------------
def test_a_folder_shows_names_as_they_are(filled: Workspace, owner: User, client_of: ClientOf) -> None:
    page = client_of(owner).get(at(filled, "")).content.decode()
    assert "U+202E" in page
    assert "\u202e" not in page
    assert "byte E9" in page
    assert "points to" in page
    assert "/etc/passwd" in page


def test_text_is_shown_with_numbers_and_hidden_characters(filled: Workspace, owner: User, client_of: ClientOf) -> None:
    page = client_of(owner).get(at(filled, "file", "src/app.py")).content.decode()
    assert "print(&#x27;hi&#x27;)" in page
    assert "&lt;b&gt;" in page
    assert "U+202E" in page
    assert "<b>2</b>" in page


def test_what_is_no_text_is_told_by_size_and_digest(filled: Workspace, owner: User, client_of: ClientOf) -> None:
    page = client_of(owner).get(at(filled, "file", "data.bin")).content.decode()
    assert "not text" in page
    assert "ae4b3280e56e2faf83f414a6e3dabe9d5fbe18976544c05fed121accb85b53fc" in page


def test_a_picture_is_known_by_its_bytes_and_a_drawing_with_a_program_is_none(
    filled: Workspace, owner: User, client_of: ClientOf
) -> None:
    client = client_of(owner)
    picture = client.get(at(filled, "image", "picture.txt"))
    assert (picture["Content-Type"], picture["X-Content-Type-Options"]) == ("image/png", "nosniff")
    assert "sandbox" in picture["Content-Security-Policy"]
    for other in ("drawing.svg", "evil.html", "data.bin", "link"):
        assert client.get(at(filled, "image", other)).status_code == 404
    assert "<svg xmlns" not in client.get(at(filled, "file", "drawing.svg")).content.decode()


def test_a_download_is_saved_and_never_opened(filled: Workspace, owner: User, client_of: ClientOf) -> None:
    answer = client_of(owner).get(at(filled, "download", "evil.html"))
    assert body(answer) == b"<script>alert(1)</script>"
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["Content-Disposition"] == "attachment; filename=\"evil.html\"; filename*=UTF-8''evil.html"
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_a_name_cannot_break_out_of_its_header(filled: Workspace, owner: User, client_of: ClientOf) -> None:
    client = client_of(owner)
    odd = client.get(at(filled, "download", file_paths.to_address(b"caf\xe9 100%.txt")))
    assert body(odd) == b"odd"
    assert 'filename="caf_byte E9_ 100_.txt"' in odd["Content-Disposition"]
    workspaces.put_file(filled, by=owner, path='a"; filename="evil.exe', source=io.BytesIO(b"x"))
    quoted = client.get(at(filled, "download", 'a"; filename="evil.exe'))["Content-Disposition"]
    assert quoted.count('"') == 2


@pytest.mark.parametrize("path", ["link", "src", "missing", "../../etc/passwd", "src/../data.bin", "%2e%2e/x"])
def test_only_files_are_downloaded_and_nothing_outside(
    path: str, filled: Workspace, owner: User, client_of: ClientOf
) -> None:
    assert client_of(owner).get(f"/workspaces/{filled.name}/download/{path}").status_code == 404


def test_the_whole_workspace_comes_as_a_zip(filled: Workspace, owner: User, client_of: ClientOf) -> None:
    answer = client_of(owner).get(at(filled, "archive"))
    with zipfile.ZipFile(io.BytesIO(body(answer))) as zipped:
        assert zipped.testzip() is None
        assert "src/app.py" in zipped.namelist()
    assert f'filename="{filled.name}.zip"' in answer["Content-Disposition"]


# --- sending ----------------------------------------------------------------------------------------------------
def test_several_files_are_sent_into_a_folder(filled: Workspace, owner: User, client_of: ClientOf) -> None:
    sent = [SimpleUploadedFile("one.txt", b"1"), SimpleUploadedFile("two.txt", b"2")]
    answer = client_of(owner).post(at(filled, "upload"), {"files": sent, "folder": "in/here"}, follow=True)
    assert answer.redirect_chain[-1][0].endswith("/folder/in/here")
    filled.refresh_from_db()
    assert [item.name for item in workspaces.list_files(filled, "in/here")] == ["one.txt", "two.txt"]


def test_a_zip_is_unpacked_where_asked(filled: Workspace, owner: User, client_of: ClientOf) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as zipped:
        zipped.writestr("deep/x.txt", "x")
    sent = {"files": SimpleUploadedFile("a.zip", packed.getvalue()), "unpack": "1", "folder": "unpacked"}
    client_of(owner).post(at(filled, "upload"), sent)
    filled.refresh_from_db()
    assert [item.text for item in workspaces.list_files(filled, "unpacked/deep")] == ["unpacked/deep/x.txt"]


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"files": SimpleUploadedFile("a.zip", b"no zip"), "unpack": "1"}, "not a zip file"),
        ({"files": SimpleUploadedFile("a.txt", b"x"), "folder": "../out"}, "leaves the workspace"),
        ({"files": SimpleUploadedFile("a.txt", b"x"), "folder": "a\u202eb"}, "U+202E"),
        ({}, "at least one file"),
        ({"unpack": "1"}, "exactly one zip"),
    ],
)
def test_a_refused_upload_says_why_and_changes_nothing(
    sent: dict[str, object], said: str, filled: Workspace, owner: User, client_of: ClientOf
) -> None:
    before = filled.head
    answer = client_of(owner).post(at(filled, "upload"), sent)
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "Nothing was changed." in page
    assert said in page
    filled.refresh_from_db()
    assert filled.head == before


def test_deleting_asks_first(filled: Workspace, owner: User, client_of: ClientOf) -> None:
    client = client_of(owner)
    address = at(filled, "delete", "src")
    assert "One file is deleted." in client.get(address).content.decode()
    assert client.get(at(filled, "file", "src/app.py")).status_code == 200
    client.post(address)
    assert client.get(at(filled, "file", "src/app.py")).status_code == 404
    assert client.post(at(filled, "delete", "src")).status_code == 404


def test_nothing_is_sent_while_a_plan_runs(
    filled: Workspace,
    owner: User,
    make_goal: Callable[..., object],
    propose_plan: Callable[..., IntentPlan],
    client_of: ClientOf,
) -> None:
    plan = propose_plan(make_goal(owner, workspace=filled))
    type(plan).objects.filter(pk=plan.pk).update(state="executing", approved_digest=plan.digest)
    client = client_of(owner)
    assert "A plan is running" in client.get(at(filled, "")).content.decode()
    answer = client.post(at(filled, "upload"), {"files": SimpleUploadedFile("new.txt", b"x")})
    assert (answer.status_code, "A plan is running" in answer.content.decode()) == (422, True)
    client.post(at(filled, "delete", "data.bin"))
    assert client.get(at(filled, "file", "data.bin")).status_code == 200


# --- making ------------------------------------------------------------------------------------------------------
def test_a_workspace_is_made_and_a_bad_name_is_explained(owner: User, client_of: ClientOf) -> None:
    client = client_of(owner)
    assert client.post(reverse("workspaces"), {"name": "weather"})["Location"] == "/workspaces/weather/"
    for name in ("weather", "two words", "<script>"):
        answer = client.post(reverse("workspaces"), {"name": name})
        assert answer.status_code == 422
        assert 'aria-invalid="true"' in answer.content.decode()
        assert '<script>"' not in answer.content.decode()
