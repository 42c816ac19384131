from __future__ import annotations

import gzip
import json
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agents.toolkit.registry import REGISTRY
from sandbox.contract import Result
from tests.agents.toolkit.answering import Answering, answering, ok, status
from tests.agents.toolkit.conftest import AtWork, OpenWork
from tests.certificates import of_localhost


@pytest.fixture
def server() -> Iterator[Answering]:
    with answering() as found:
        yield found


@pytest.fixture
def at_work(open_work: OpenWork, server: Answering) -> AtWork:
    return open_work(hosts=[server.entry])


def get(at_work: AtWork, url: str, **params: Any) -> Result:
    return at_work.do("http_request", "get", url=url, **params)


def test_an_answer_is_told_in_fields(at_work: AtWork, server: Answering) -> None:
    server.answers["/a?b=%C3%A4"] = ok(json.dumps({"x": [1, "ä"]}).encode(), "application/json", X_More="yes")
    result = get(at_work, f"{server.address}/a?b=ä", headers="Accept: application/json\nX-Own: 1")
    assert result.ok, result
    assert (result.data["status_code"], result.data["json"]) == (200, {"x": [1, "ä"]})
    assert result.data["headers"]["x-more"] == "yes"
    head = server.requests[0].decode().split("\r\n")
    assert head[0] == "GET /a?b=%C3%A4 HTTP/1.1"
    assert {f"Host: {server.entry}", "X-Own: 1", "Accept: application/json", "Connection: close"} <= set(head)
    assert result.data["network"]["hosts"][0]["host"] == server.entry


def test_each_method_has_its_effect_and_sends_what_it_should(open_work: OpenWork, server: Answering) -> None:
    effects = {each.name: each.effect for each in REGISTRY.tool("http_request").commands}
    assert effects == {
        "get": "idempotent", "head": "idempotent", "download": "workspace", "post": "once", "put": "keyed",
        "patch": "once", "delete": "keyed",
    }  # fmt: skip
    for name in ("head", "post", "put", "patch", "delete"):
        server.answers["/x"] = ok(b"" if name == "head" else b"done")
        body = {"content": '{"ä": 1}'} if name in ("post", "put", "patch") else {}
        # An approved plan opens a jail of its own for hosts; one connection carries one request.
        assert open_work(hosts=[server.entry]).do("http_request", name, url=f"{server.address}/x", **body).ok
    sent = [request.decode().partition("\r\n\r\n") for request in server.requests]
    assert [head.split(" ")[0] for head, _, _ in sent] == ["HEAD", "POST", "PUT", "PATCH", "DELETE"]
    assert [body for _, _, body in sent] == ["", '{"ä": 1}', '{"ä": 1}', '{"ä": 1}', ""]


@pytest.mark.parametrize(
    ("line", "error_class"),
    [
        ("404 Not Found", "TOOL_EXECUTION_ERROR"),
        ("403 Forbidden", "PERMISSION_ERROR"),
        ("429 Too Many Requests", "RATE_LIMIT_ERROR"),
        ("503 Service Unavailable", "NETWORK_ERROR"),
    ],
)
def test_an_answer_that_says_no_is_a_failure_of_its_class(
    at_work: AtWork, server: Answering, line: str, error_class: str
) -> None:
    server.answers["/"] = status(line, b"why not", Retry_After="7")
    result = get(at_work, f"{server.address}/")
    assert (result.error_class, result.data["text"]) == (error_class, "why not")
    assert line in result.reason
    assert "wait 7 s" in result.reason
    assert get(at_work, f"{server.address}/", any_status=True).data["status_code"] == int(line[:3])


def test_what_is_not_approved_is_not_reached_not_even_by_a_redirect(at_work: AtWork, server: Answering) -> None:
    with answering() as other:
        other.answers["/secret"] = ok(b"told")
        server.answers["/away"] = status("302 Found", Location=f"{other.address}/secret")
        result = get(at_work, f"{server.address}/away")
        assert (result.error_class, other.requests) == ("PERMISSION_ERROR", [])
        assert f"redirected to {other.entry}, which was not approved" in result.reason
        refused = get(at_work, f"{other.address}/secret")
        assert (refused.error_class, other.requests) == ("PERMISSION_ERROR", [])
        # A program that were lied to about what is approved meets the gate.
        lied = get(at_work, f"{server.address}/away", hosts=[other.entry])
        assert (lied.error_class, other.requests) == ("PERMISSION_ERROR", [])


def test_redirects_are_followed_among_approved_hosts_and_never_for_ever(open_work: OpenWork, server: Answering) -> None:
    with answering() as other:
        at_work = open_work(hosts=[server.entry, other.entry])
        server.answers["/a"] = status("301 Moved", Location=f"{other.address}/b")
        other.answers["/b"] = status("307 Again", Location="c")
        other.answers["/c"] = ok(b"here")
        result = get(at_work, f"{server.address}/a", hosts=[other.entry], headers="X-Own: 1")
        assert (result.data["text"], result.data["url"]) == ("here", f"{other.address}/c")
        assert result.data["redirects"] == [f"{server.address}/a", f"{other.address}/b"]
        assert b"X-Own" in server.requests[0]
        assert b"X-Own" not in other.requests[0]
        server.answers["/loop"] = status("302 Found", Location="/loop")
        assert "more than 5 times" in get(at_work, f"{server.address}/loop").reason
        server.answers["/file"] = status("302 Found", Location="file:///etc/passwd")
        assert "http:// or https://" in get(at_work, f"{server.address}/file").reason
    server.answers["/a"] = status("303 See Other", Location="/loop")
    posted = at_work.do("http_request", "post", url=f"{server.address}/a", content="x")
    assert posted.data["status_code"] == 303


def test_bodies_are_bounded_whatever_they_pretend(at_work: AtWork, server: Answering) -> None:
    server.answers["/large"] = ok(b"x" * 5_000_000)
    large = get(at_work, f"{server.address}/large", most_bytes=1000).data
    assert (len(large["text"]), large["truncated"]) == (1000, True)
    server.answers["/bomb"] = ok(gzip.compress(b"\n" * 200_000_000, 9), Content_Encoding="gzip")
    bomb = get(at_work, f"{server.address}/bomb").data
    assert (len(bomb["text"]), bomb["truncated"]) == (100_000, True)
    server.answers["/broken"] = ok(b"no gzip", Content_Encoding="gzip")
    assert "cannot be unpacked" in get(at_work, f"{server.address}/broken").reason
    server.answers["/binary"] = ok(b"\x89PNG\0\1", "image/png")
    assert get(at_work, f"{server.address}/binary").data["base64"] == "iVBORwAB"


def test_text_is_read_by_its_charset_and_never_by_one_that_is_none(at_work: AtWork, server: Answering) -> None:
    for charset, body, text in (
        ("iso-8859-1", b"\xe4", "ä"),
        ("utf-16", "ä".encode("utf-16"), "ä"),
        ("rot13", b"abc", "abc"),
        ("unicode_escape", b"\\x41", "\\x41"),
        ("no such \x1b thing", "ä".encode(), "ä"),
    ):
        server.answers["/t"] = ok(body, f"text/plain; charset={charset}")
        assert get(at_work, f"{server.address}/t").data["text"] == text, charset
    server.answers["/json"] = ok(b"[" * 200 + b"1" + b"]" * 200, "application/json")
    assert "none that could be taken" in get(at_work, f"{server.address}/json").data["json_problem"]


def test_a_server_that_is_slow_or_talks_nonsense_ends_in_a_failure(at_work: AtWork, server: Answering) -> None:
    def drip(talking: socket.socket) -> None:
        talking.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while not server.ended.wait(0.05):
            talking.sendall(b"x")

    server.answers["/drip"] = drip
    dripped = get(at_work, f"{server.address}/drip", timeout_s=2)
    assert (dripped.error_class, "within 2 s" in dripped.reason) == ("NETWORK_ERROR", True), dripped
    for number, nonsense in enumerate(
        (b"", b"SSH-2.0-x\r\n", b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 500 + b"\r\n", b"HTTP/1.1 " + b"9" * 100_000)
    ):
        server.answers[f"/{number}"] = nonsense
        assert get(at_work, f"{server.address}/{number}").error_class == "NETWORK_ERROR"
    server.answers["/gone"] = b""
    gone = at_work.do("http_request", "post", url=f"{server.address}/gone", content="x")
    assert "it had been sent, so it may have taken effect" in gone.reason


def test_a_download_is_a_new_file_or_nothing(at_work: AtWork, server: Answering, root: Path) -> None:
    server.answers["/d"] = ok(b"\0\1\2" * 1000)
    done = at_work.do("http_request", "download", url=f"{server.address}/d", file="data.bin")
    assert done.data["size_bytes"] == 3000
    assert (root / "data.bin").read_bytes() == b"\0\1\2" * 1000
    again = at_work.do("http_request", "download", url=f"{server.address}/d", file="data.bin")
    assert again.error_class == "INVALID_PARAMETERS"
    server.answers["/cut"] = ok(b"x" * 10).replace(b"Content-Length: 10", b"Content-Length: 99")
    assert not at_work.do("http_request", "download", url=f"{server.address}/cut", file="cut.bin").ok
    assert not at_work.do("http_request", "download", url=f"{server.address}/none", file="none.bin").ok
    assert sorted(path.name for path in root.iterdir()) == ["data.bin"]


def test_a_certificate_is_checked(open_work: OpenWork, root: Path, tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", root / "ca.pem"
    for path, data in zip((key, certificate), of_localhost(), strict=True):
        path.write_bytes(data)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    with answering(context) as server:
        server.answers["/"] = ok(b"whole")
        at_work = open_work(hosts=[f"localhost:{server.port}"])
        url = f"https://localhost:{server.port}/"
        refused = get(at_work, url)
        assert (refused.error_class, "not to be trusted" in refused.reason) == ("PERMISSION_ERROR", True), refused
        assert server.requests == []
        assert get(at_work, url, ca_file="ca.pem").data["text"] == "whole"
