"""The package index of a jail, with the jail's own pip, over an index of real wheels."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from sandbox.contract import Result
from tests.sandbox.conftest import Hands
from tests.sandbox.gate.conftest import Web, hands_with, wheel

TOOL = wheel("tool", "1.0", "def greet(): return 'hello'\n", requires="part")
PART = wheel("part", "2.0", "X = 1\n")
TOOL_FILE, PART_FILE = "tool-1.0-py3-none-any.whl", "part-2.0-py3-none-any.whl"


def _install(hands: Hands, what: str = "tool") -> Result:
    assert hands.do("create_venv", venv_name=".venv").ok
    assert hands.do("activate_venv", venv_name=".venv").ok
    return hands.run(f"pip install --retries 0 {what}", timeout_s=120)


def _downloads(result: Result) -> list[tuple[str, bool]]:
    return [(each["file"], each["cached"]) for each in result.data["network"]["downloads"]]


def _get(hands: Hands, *lines: str) -> str:
    """What the index answers to requests of one connection, written by hand."""
    said = "".join(f"{line}\r\n" for line in lines).encode()
    result = hands.python(
        f"""
import os, socket
host = os.environ["PIP_INDEX_URL"].split("/")[2]
with socket.create_connection((host, 80)) as there:
    there.sendall({said!r})
    there.settimeout(10)
    while block := there.recv(65536):
        print(block.decode("latin-1"), end="")
"""
    )
    assert result.ok, result
    return str(result.data["stdout"])


def test_the_references_example_works_whole(tmp_path: Path, index: Web) -> None:
    """Project, environment, `pip install`, script, run; and its request runs when that host is approved."""
    index.package("tool", {TOOL_FILE: TOOL})
    index.package("part", {PART_FILE: PART})
    index.page("/greeting", b"from the host")
    script = (
        "import tool, urllib.request\n"
        f"print(tool.greet(), urllib.request.urlopen('{index.url}/greeting').read().decode())\n"
    )
    with hands_with(tmp_path / "w", "packages", f"127.0.0.1:{index.port}") as hands:
        hands.do("mkdir", path="project")
        hands.do("cd", path="project")
        installed = _install(hands)
        assert installed.ok, installed
        hands.do("write", path="script.py", content=script)
        ran = hands.run("python script.py")
        state = hands.session.state
    assert ran.data["stdout"] == "hello from the host\n", ran
    assert installed.data["network"]["downloads"] == [
        {"file": file, "sha256": hashlib.sha256(content).hexdigest(), "size_bytes": len(content), "cached": False}
        for file, content in ((TOOL_FILE, TOOL), (PART_FILE, PART))
    ]
    with hands_with(tmp_path / "w", "packages", state=state) as hands:
        refused = hands.run("python script.py")
    assert refused.error_class == "PERMISSION_ERROR"
    assert f"127.0.0.1:{index.port}" in refused.reason


def test_the_operators_password_never_enters_the_jail(tmp_path: Path, index: Web) -> None:
    index.package("tool", {TOOL_FILE: TOOL})
    with hands_with(tmp_path / "w", "packages") as hands:
        result = _install(hands, "tool part")  # the index has no part, so that something is said of it
        seen = hands.run("env").data["stdout"]
    assert not result.ok
    assert {headers["authorization"] for _, _, headers in index.asked} == {"Basic b3BlcmF0b3I6aHVudGVyMg=="}
    for text in (json.dumps(result.as_json()), seen):
        assert "hunter2" not in text
        assert "b3BlcmF0b3I6" not in text


def test_a_file_comes_from_the_cache_unless_it_was_damaged(tmp_path: Path, index: Web) -> None:
    index.package("part", {PART_FILE: PART})
    kept = tmp_path / "packages" / hashlib.sha256(PART).hexdigest()
    for name, damage, cached in (("a", False, False), ("b", False, True), ("c", True, False)):
        if damage:
            kept.write_bytes(b"something else")
        with hands_with(tmp_path / name, "packages") as hands:
            result = _install(hands, "part")
        assert result.ok, result
        assert _downloads(result) == [(PART_FILE, cached)]
    assert kept.read_bytes() == PART
    assert [path for _, path, _ in index.asked].count(f"/kept/{PART_FILE}") == 2


def test_a_file_that_is_not_what_the_index_names_never_comes_in(tmp_path: Path, index: Web) -> None:
    index.package("part", {PART_FILE: PART}, said={PART_FILE: hashlib.sha256(b"the true one").hexdigest()})
    with hands_with(tmp_path / "w", "packages") as hands:
        result = _install(hands, "part")
    assert result.error_class == "PERMISSION_ERROR"
    assert "SHA-256" in result.data["network"]["refused"][0]["why"]
    assert result.data["network"]["downloads"] == []
    assert list((tmp_path / "packages").iterdir()) == []


def test_an_index_of_html_does_as_well(tmp_path: Path, index: Web) -> None:
    sha256 = hashlib.sha256(PART).hexdigest()
    links = f'<a href="../../kept/{PART_FILE}#sha256={sha256}" data-requires-python="&gt;=3">{PART_FILE}</a>'
    index.page("/simple/part/", f"<html><body>{links}</body></html>".encode(), "text/html")
    index.page(f"/kept/{PART_FILE}", PART)
    with hands_with(tmp_path / "w", "packages") as hands:
        assert _downloads(_install(hands, "part")) == [(PART_FILE, False)]


@pytest.mark.parametrize(
    "elsewhere", ["http://127.0.0.1:1/part.whl", "https://other.example/part.whl", "file:///etc/passwd"]
)
def test_a_redirect_leads_nowhere_else(tmp_path: Path, index: Web, elsewhere: str) -> None:
    index.package("part", {PART_FILE: PART})
    index.page(f"/kept/{PART_FILE}", b"", status=302, Location=elsewhere)
    with hands_with(tmp_path / "w", "packages") as hands:
        result = _install(hands, "part")
    assert not result.ok
    assert "network" not in result.data or result.data["network"]["downloads"] == []


def test_a_redirect_within_the_index_is_followed(tmp_path: Path, index: Web) -> None:
    index.package("part", {PART_FILE: PART})
    index.page("/elsewhere", PART)
    index.page(f"/kept/{PART_FILE}", b"", status=302, Location="/elsewhere")
    with hands_with(tmp_path / "w", "packages") as hands:
        assert _downloads(_install(hands, "part")) == [(PART_FILE, False)]


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        ("GET /simple/ HTTP/1.1", 404),
        ("GET /simple/../kept/secret HTTP/1.1", 404),
        ("GET /simple/%2e%2e/ HTTP/1.1", 404),
        ("GET /kept/secret HTTP/1.1", 404),
        (f"GET /files/{'a' * 64}/part-2.0-py3-none-any.whl HTTP/1.1", 404),
        ("POST /simple/part/ HTTP/1.1", 405),
        ("PUT /simple/part/ HTTP/1.1", 405),
        ("CONNECT other.example:443 HTTP/1.1", 405),
        ("GET http://other.example/simple/part/ HTTP/1.1", 405),
        ("no request at all", 400),
    ],
)
def test_nothing_else_can_be_had_of_it(tmp_path: Path, index: Web, request_line: str, status: int) -> None:
    index.page("/kept/secret", b"secret")
    with hands_with(tmp_path / "w", "packages") as hands:
        answer = _get(hands, request_line, "Host: x", "Connection: close", "")
    assert answer.startswith(f"HTTP/1.1 {status} "), answer
    assert index.asked == []


def test_a_head_has_no_body_and_one_connection_takes_many_requests(tmp_path: Path, index: Web) -> None:
    index.package("part", {PART_FILE: PART})
    with hands_with(tmp_path / "w", "packages") as hands:
        answer = _get(
            hands,
            *("HEAD /simple/part/ HTTP/1.1", "Host: x", ""),
            *("GET /simple/Part/ HTTP/1.1", "Host: x", "Connection: close", ""),
        )
    assert answer.count("HTTP/1.1 200 ") == 2
    assert answer.count("<!DOCTYPE html>") == 1
    assert len(index.asked) == 1  # asked once for the session


def test_the_index_is_not_there_without_approval(hands: Hands, index: Web) -> None:
    assert "PIP_INDEX_URL" not in hands.run("env").data["stdout"]
    result = hands.run("python -m pip download part --retries 0")
    assert result.error_class == "PERMISSION_ERROR", result
    assert {"host": "pypi.org", "port": None} in result.data["network"]["refused"]
    assert index.asked == []
