"""What an entry of a host list may say, and what a list stands for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.gate.hosts import PACKAGES, HostRefused, canonical, destinations


def test_a_list_has_one_spelling() -> None:
    assert canonical(["Example.org:8080", "packages", "127.0.0.1:8123", "example.ORG:8080"]) == (
        "127.0.0.1:8123",
        "example.org:8080",
        "packages",
    )
    assert canonical([]) == ()


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("https://example.org", "scheme"),
        ("example.org/path", "path"),
        ("user@example.org", "user"),
        ("*.example.org", "wildcard"),
        ("example.org?a", "query"),
        ("example.org#a", "fragment"),
        ("::1", "IPv6"),
        ("[::1]:80", "IPv6"),
        ("fe80::1", "IPv6"),
        ("bücher.example", "ASCII"),
        ("example.org:0", "port"),
        ("example.org:65536", "port"),
        ("example.org:080", "port"),
        ("example.org:http", "port"),
        ("example.org:", "port"),
        ("", "no host name"),
        ("example.org.", "no host name"),
        ("exa mple.org", "no host name"),
        ("example.org\n", "no host name"),
        ("-example.org", "no host name"),
        ("a" * 64 + ".org", "no host name"),
        ("a." * 130 + "org", "no host name"),
        ("127.1", "four numbers"),
        ("2130706433", "four numbers"),
        ("0x7f000001", "four numbers"),
        ("127.0.0.01", "four numbers"),
        ("127.0.0.256", "four numbers"),
        ("example.123", "four numbers"),
        ("0.0.0.0", "single host"),
        ("224.0.0.1", "single host"),
        ("255.255.255.255:80", "single host"),
        ("packages:80", "package index"),
    ],
)
def test_what_names_no_host_is_refused_with_the_reason(entry: str, why: str) -> None:
    with pytest.raises(HostRefused, match=why) as refused:
        canonical(["example.org", entry])
    assert entry.strip("\n")[:99] in str(refused.value)


def test_an_entry_that_is_no_text_is_refused() -> None:
    with pytest.raises(HostRefused, match="not int"):
        canonical([80])  # type: ignore[list-item]


def test_sixteen_hosts_are_the_most() -> None:
    names = [f"host{number}.example" for number in range(17)]
    assert len(canonical(names[:16] * 2)) == 16
    with pytest.raises(HostRefused, match="17 hosts are too many"):
        canonical(names)


def test_a_host_alone_stands_for_the_ports_of_the_web() -> None:
    found = destinations(canonical(["example.org", "example.org:443", "127.0.0.1:8123", PACKAGES]))
    assert [(each.host, each.port) for each in found] == [
        ("127.0.0.1", 8123),
        ("example.org", 80),
        ("example.org", 443),
    ]
    assert [each.address for each in found] == ["127.0.0.1", None, None]


@given(st.lists(st.text(alphabet="aZ09.-:*/@[ü", max_size=12), max_size=4))
def test_what_is_accepted_is_its_own_canonical_form(entries: list[str]) -> None:
    try:
        found = canonical(entries)
    except HostRefused:
        return
    assert canonical(found) == found
    assert all(entry == entry.lower() and " " not in entry for entry in found)
