"""Workspaces and their files by the API."""

from __future__ import annotations

import hashlib
import io
import zipfile
from typing import Any

import pytest
from django.db import connection

from agents.models import IntentPlan, Workspace
from agents.record.moves import move_plan
from agents.states import PlanState
from mindx_web.api.protocol.problems import Problem
from mindx_web.api.workspaces import receive

pytestmark = pytest.mark.django_db


def content_of(answer: Any) -> bytes:
    """The body of a streamed answer."""
    return b"".join(answer.streaming_content)


@pytest.fixture
def files(api_of: Any, owner: Any, make_workspace: Any) -> Any:
    """A workspace of the owner's, for the API by its name: `textkit`."""
    return make_workspace(owner, "textkit")


def test_a_workspace_is_made_and_found_under_its_address(api_of: Any, owner: Any) -> None:
    caller = api_of(owner)
    answer = caller.post("workspaces", {"name": "weather-report"})
    assert answer.status_code == 201
    assert answer.headers["Location"] == "/api/v1/workspaces/weather-report"
    assert caller.get("workspaces/weather-report").json() == answer.json()
    assert [item["name"] for item in caller.get("workspaces").json()["items"]] == ["weather-report"]
    assert caller.get("workspaces/weather-report/files").json() == {"items": [], "next": None}


@pytest.mark.parametrize("name", ["", "  ", "a/b", "../x", "a b", "é", "x" * 81, "new", "a\u202eb", "<b>"])
def test_a_name_that_is_none_is_refused_at_its_field(api_of: Any, owner: Any, name: str) -> None:
    answer = api_of(owner).post("workspaces", {"name": name})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "name")
    assert not Workspace.objects.exists()


def test_a_name_is_taken_once(api_of: Any, outsider: Any, files: Any) -> None:
    answer = api_of(outsider).post("workspaces", {"name": "textkit"})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "name")


def test_a_file_goes_in_and_comes_out_byte_for_byte(api_of: Any, owner: Any, files: Any) -> None:
    caller, data = api_of(owner), bytes(range(256)) * 5000
    put = caller.send("PUT", "workspaces/textkit/files/src/all%20bytes.bin", data, "image/png")
    assert put.status_code == 201, put.content
    assert put.json() == {
        "path": "src/all bytes.bin",
        "kind": "file",
        "size_bytes": len(data),
        "mode": "0644",
        "sha256": hashlib.sha256(data).hexdigest(),
        "target": None,
    }
    got = caller.get("workspaces/textkit/files/src/all%20bytes.bin")
    assert content_of(got) == data
    assert got.headers["Content-Length"] == str(len(data))


def test_a_file_is_never_shown_in_place(api_of: Any, owner: Any, files: Any) -> None:
    caller = api_of(owner)
    caller.send("PUT", "workspaces/textkit/files/page.html", b"<script>alert(1)</script>", "text/html")
    got = caller.get("workspaces/textkit/files/page.html")
    assert got.headers["Content-Type"] == "application/octet-stream"
    assert got.headers["Content-Disposition"].startswith("attachment")
    assert got.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in got.headers["Content-Security-Policy"]


def test_writing_over_a_file_is_200_and_an_empty_file_is_a_file(api_of: Any, owner: Any, files: Any) -> None:
    caller, address = api_of(owner), "workspaces/textkit/files/a.txt"
    assert caller.send("PUT", address, b"one").status_code == 201
    again = caller.send("PUT", address, b"")
    assert (again.status_code, again.json()["size_bytes"]) == (200, 0)
    assert content_of(caller.get(address)) == b""


@pytest.mark.parametrize(
    "path",
    [
        "../outside.txt",
        "a/../../outside.txt",
        "/etc/passwd",
        "a//b",
        "./a",
        "a/.",
        "a\\b",
        "a%5Cb",
        "a%0Ab",
        "a%E2%80%AEb",
        "%1B[2J",
        "x" * 300,
        "/".join(["d"] * 80),
        "a/",
    ],
)
def test_a_path_that_leaves_or_deceives_is_refused_and_nothing_is_written(
    api_of: Any, owner: Any, files: Any, path: str
) -> None:
    answer = api_of(owner).send("PUT", f"workspaces/textkit/files/{path}", b"x")
    assert answer.status_code in {404, 422}, answer.content
    assert answer.headers["Content-Type"] == "application/problem+json"
    head = files.head
    files.refresh_from_db()
    assert files.head == head


@pytest.mark.parametrize("path", ["nothing.txt", "src", "../../etc/passwd", "%00", "a%00b", "", "%FF", "a/b/c"])
def test_a_file_that_is_not_there_is_not_found(api_of: Any, owner: Any, files: Any, path: str) -> None:
    caller = api_of(owner)
    caller.send("PUT", "workspaces/textkit/files/src/one.txt", b"x")
    answer = caller.get(f"workspaces/textkit/files/{path}")
    assert answer.status_code == 404
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_a_percent_sign_in_a_name_is_read_once(api_of: Any, owner: Any, files: Any) -> None:
    caller = api_of(owner)
    caller.send("PUT", "workspaces/textkit/files/100%2525.txt", b"x")
    assert [item["path"] for item in caller.get("workspaces/textkit/files").json()["items"]] == ["100%25.txt"]
    assert content_of(caller.get("workspaces/textkit/files/100%2525.txt")) == b"x"


def test_the_files_are_listed_by_path_in_pages(api_of: Any, owner: Any, files: Any) -> None:
    caller = api_of(owner)
    for name in ("b.txt", "a/2.txt", "a/1.txt"):
        caller.send("PUT", f"workspaces/textkit/files/{name}", name.encode())
    seen, after = [], ""
    while after is not None:
        page = caller.get(f"workspaces/textkit/files?limit=2&after={after}").json()
        seen += [item["path"] for item in page["items"] if item["kind"] == "file"]
        after = page["next"]
    assert seen == ["a/1.txt", "a/2.txt", "b.txt"]


def test_the_archive_holds_all_files(api_of: Any, owner: Any, files: Any) -> None:
    caller = api_of(owner)
    caller.send("PUT", "workspaces/textkit/files/a/1.txt", b"one")
    got = caller.get("workspaces/textkit/archive")
    assert 'filename="textkit.zip"' in got.headers["Content-Disposition"]
    with zipfile.ZipFile(io.BytesIO(content_of(got))) as archive:
        assert archive.read("a/1.txt") == b"one"


def test_an_outsider_finds_nothing_and_a_reviewer_may_read_but_not_write(
    api_of: Any, owner: Any, outsider: Any, reviewer: Any, files: Any
) -> None:
    api_of(owner).send("PUT", "workspaces/textkit/files/a.txt", b"one")
    foreign, reading = api_of(outsider), api_of(reviewer)
    for path in ("", "/files", "/files/a.txt", "/archive"):
        assert foreign.get(f"workspaces/textkit{path}").status_code == 404
        assert reading.get(f"workspaces/textkit{path}").status_code == 200
    assert foreign.send("PUT", "workspaces/textkit/files/a.txt", b"two").status_code == 404
    assert reading.send("PUT", "workspaces/textkit/files/a.txt", b"two").status_code == 403
    assert content_of(reading.get("workspaces/textkit/files/a.txt")) == b"one"
    assert foreign.get("workspaces").json()["items"] == []


def test_a_file_larger_than_the_limit_is_refused(api_of: Any, owner: Any, files: Any, settings: Any) -> None:
    settings.UPLOAD_MAX_BYTES = 10
    caller, address = api_of(owner), "workspaces/textkit/files/a.txt"
    assert caller.send("PUT", address, b"x" * 11).status_code == 413
    assert caller.send("PUT", address, b"x" * 10).status_code == 201


def test_a_body_that_announced_no_length_is_counted_while_it_comes(settings: Any) -> None:
    settings.UPLOAD_MAX_BYTES = 10
    for size, is_taken in ((10, True), (11, False)):
        request: Any = io.BytesIO(b"x" * size)
        if is_taken:
            receive(request, io.BytesIO())
        else:
            with pytest.raises(Problem) as refused:
                receive(request, io.BytesIO())
            assert refused.value.status == 413


def test_files_are_not_changed_while_a_plan_runs_on_them(
    api_of: Any, owner: Any, make_goal: Any, propose_plan: Any
) -> None:
    plan = propose_plan(make_goal(owner))
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE agents_intentplan SET state = 'approved', approved_digest = digest WHERE id = %s", [plan.pk]
        )
    move_plan(IntentPlan.objects.get(pk=plan.pk), PlanState.EXECUTING, by="a test")
    answer = api_of(owner).send("PUT", f"workspaces/{plan.workspace.name}/files/a.txt", b"x")
    assert answer.status_code == 409
    assert "plan is running" in answer.json()["detail"]
