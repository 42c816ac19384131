from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.plans.validation import validate_values
from agents.toolkit import web_address
from agents.toolkit.hosts import address_problem
from agents.toolkit.registry import REGISTRY

GET = REGISTRY.command("http_request", "get")


@pytest.mark.parametrize(
    ("said", "entry", "target"),
    [
        ("https://Example.org", "example.org", "/"),
        ("https://example.org?q=1", "example.org", "/?q=1"),
        ("http://example.org:80/a b".replace(" ", "%20"), "example.org", "/a%20b"),
        ("https://example.org:8443/ä?q=ö#part", "example.org:8443", "/%C3%A4?q=%C3%B6"),
        ("http://127.0.0.1:8123/?a=1&b=%2F", "127.0.0.1:8123", "/?a=1&b=%2F"),
        ("http://example.org:443/", "example.org:443", "/"),
    ],
)
def test_an_address_is_taken_apart(said: str, entry: str, target: str) -> None:
    found = web_address.read(said)
    assert (found.entry, found.target) == (entry, target)
    assert GET.hosts({"url": said}) == (entry,)


@pytest.mark.parametrize(
    "said",
    [
        "ftp://example.org/", "file:///etc/passwd", "javascript:alert(1)", "example.org", "http://", "http:///x",
        "http://user:word@example.org/", "http://example.org\\@evil.example/", "http://a b/",
        "http://a.example/\r\nX: y",
        "http://a.example/\u202e", "http://[::1]/", "http://a.example:99999/", "http://a.example:0/", "http://bücher.example/",
        "http://127.1/", "http://0x7f000001/", "http://224.0.0.1/", "http://" + "a" * 3000,
    ],
)  # fmt: skip
def test_what_is_no_address_or_hides_where_it_leads_is_refused_before_anybody_reads_it(said: str) -> None:
    assert address_problem(said)
    assert [name for name, _ in validate_values(GET, {**GET.defaults(), "url": said})][:1] == ["url"]


@pytest.mark.parametrize(
    "line",
    [
        "Host: evil.example", "content-length: 5", "Transfer-Encoding: chunked", "Connection: keep-alive",
        "TE: trailers",
        "Proxy-Authorization: x", "Authorization: Bearer x", "cookie: a=b", "no header", "A b: c", ": c", "A: \x00",
        "A: \u202e", "A: b\x0bHost: c", "\n".join(["A: b"] * 51),
    ],
)  # fmt: skip
def test_headers_that_say_how_a_message_travels_or_hold_secrets_are_refused(line: str) -> None:
    found = validate_values(GET, {**GET.defaults(), "url": "http://a.example/", "headers": line})
    assert [name for name, _ in found] == ["headers"]


@given(st.text(max_size=60))
def test_no_text_becomes_a_header_that_breaks_out_of_its_line(text: str) -> None:
    try:
        found = web_address.headers(text)
    except ValueError:
        return
    for name, value in found:
        assert not set("\r\n\0") & set(name + value)
        value.encode("latin-1")


@given(st.text(max_size=40))
def test_no_text_becomes_a_target_that_breaks_out_of_its_line(text: str) -> None:
    try:
        found = web_address.read(f"http://a.example/{text}")
    except ValueError:
        return
    assert found.target.isascii()
    assert found.target.isprintable()
    assert " " not in found.target
    assert found.entry == "a.example"


def test_a_list_of_hosts_lets_in_the_ports_it_says() -> None:
    def is_let_in(said: str, *hosts: str) -> bool:
        return web_address.read(said).is_let_in_by(list(hosts))

    assert is_let_in("http://a.example/", "a.example")
    assert is_let_in("https://a.example/", "a.example")
    assert not is_let_in("http://a.example:8080/", "a.example")
    assert is_let_in("http://a.example:8080/", "a.example:8080")
    assert not is_let_in("http://a.example/", "a.example:8080", "b.example")


def test_the_hosts_of_a_step_are_that_of_its_address_and_those_it_names() -> None:
    params: dict[str, Any] = {"url": "https://A.example/x", "hosts": ["c.example", "b.example:81"]}
    assert GET.hosts(params) == ("a.example", "b.example:81", "c.example")
