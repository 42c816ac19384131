from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.toolkit.hosts import entries_of, host_problem, hosts_asked_for, in_words
from agents.toolkit.registry import REGISTRY
from sandbox.gate.hosts import HostRefused

RUN = REGISTRY.command("simple_coder", "run")


@pytest.mark.parametrize(
    ("said", "entries"),
    [
        ("example.org", ["example.org"]),
        ("127.0.0.1:8123 and the package index", ["127.0.0.1:8123", "packages"]),
        ("a.example, b.example and c.example:8080", ["a.example", "b.example", "c.example:8080"]),
        ("a.example, b.example, and Packages", ["a.example", "b.example", "packages"]),
        ("a.example,b.example", ["a.example", "b.example"]),
        ("a.example\r\nb.example\n", ["a.example", "b.example"]),
        ('"a.example" and “b.example”', ["a.example", "b.example"]),
        ("The  Package index", ["packages"]),
        ("the host of http://127.0.0.1:8123/status?x=1,2", ["127.0.0.1:8123"]),
        ("the host of https://API.example.org/a, the package index", ["api.example.org", "packages"]),
        ('the host of "https://user:word@example.org:8443/"', ["example.org:8443"]),
        ("nothing", []),
        ("Nothing", []),
        ("", []),
    ],
)
def test_a_list_of_hosts_is_read_as_it_is_said(said: str, entries: list[str]) -> None:
    assert entries_of(said) == entries


@pytest.mark.parametrize(
    "said", ["the host of the weather service", "the host of ftp://example.org/", "the host of http:///x"]
)
def test_the_host_of_what_is_no_web_address_is_refused_later(said: str) -> None:
    assert host_problem(entries_of(said)) is not None


def test_an_ipv6_address_stays_one_and_is_refused_as_such() -> None:
    assert entries_of("the host of http://[::1]:80/") == ["[::1]:80"]
    assert "IPv6" in str(host_problem(["[::1]:80"]))


_NAMES = st.from_regex(r"[a-z0-9]{1,6}(\.[a-z]{2,5}){1,2}(:[1-9][0-9]{0,3})?", fullmatch=True)


@given(st.lists(st.one_of(_NAMES, st.just("packages")), max_size=5))
def test_what_is_said_of_a_list_is_read_back_as_the_list(entries: list[str]) -> None:
    assert entries_of(in_words(entries)) == entries


def test_a_command_tells_the_hosts_its_parameters_ask_for_in_one_spelling() -> None:
    params = {"command_line": "python main.py", "hosts": ["PACKAGES", "b.example", "A.example", "b.example"]}
    assert RUN.hosts(params) == ("a.example", "b.example", "packages")
    assert RUN.hosts({"command_line": "python main.py"}) == ()
    with pytest.raises(HostRefused, match=r"example\.org/x"):
        RUN.hosts({"command_line": "python main.py", "hosts": ["example.org/x"]})


def test_only_parameters_of_the_kind_are_read_as_hosts() -> None:
    schema = {"properties": {"hosts": {"type": "array"}, "reach": {"type": "array", "x-kind": "hosts"}}}
    assert hosts_asked_for(schema, {"hosts": ["a.example"], "reach": ["b.example"]}) == ("b.example",)


def test_the_session_never_gets_the_hosts_but_everything_else() -> None:
    (request,) = RUN.requests({"command_line": "pip list", "hosts": ["packages"], "unknown": 1})
    assert dict(request.params) == {"command_line": "pip list", "unknown": 1}
