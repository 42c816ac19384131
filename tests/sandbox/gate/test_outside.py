"""Which addresses a name may lead to."""

from __future__ import annotations

import asyncio
import socket
import threading

import pytest

from sandbox.gate import outside
from sandbox.gate.outside import NoWay, is_public


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.77.0.1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254"),
        *("100.100.100.200", "168.63.129.16", "224.0.0.1", "255.255.255.255", "240.0.0.1", "192.0.2.1", "198.18.0.1"),
        *("::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1", "::ffff:127.0.0.1"),
        *("::ffff:8.8.8.8", "64:ff9b::7f00:1", "2002:7f00:1::1", "2001:0:7f00:1::1", "2001:db8::1", "no address"),
        *("::127.0.0.1", "fec0::1", "64:ff9b:1::a00:1", "::ffff:0:127.0.0.1", "5f00::1"),
    ],
)
def test_an_address_that_is_not_the_internets_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["93.184.216.34", "8.8.8.8", "2606:4700::1111"])
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(address)


def test_this_machines_own_address_is_not_public_whatever_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "_is_own", lambda address: address == "8.8.8.8")
    assert not is_public("8.8.8.8")
    monkeypatch.undo()
    assert outside._is_own("127.0.0.1")
    assert not outside._is_own("8.8.8.8")


def test_of_the_addresses_of_a_name_only_public_ones_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "look_up", lambda _: ["10.0.0.1", "8.8.8.8", "::1"])
    assert asyncio.run(outside.public_addresses("example.org")) == ["8.8.8.8"]


def test_a_name_that_leads_inside_is_refused_with_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "look_up", lambda _: ["10.0.0.1"])
    with pytest.raises(NoWay, match=r"10\.0\.0\.1, which is no public address") as no_way:
        asyncio.run(outside.public_addresses("example.org"))
    assert no_way.value.refused


def test_a_name_that_nobody_knows_is_no_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_: str) -> list[str]:
        raise socket.gaierror("nobody knows it")

    monkeypatch.setattr(outside, "look_up", unknown)
    with pytest.raises(NoWay, match="nobody knows it") as no_way:
        asyncio.run(outside.public_addresses("example.org"))
    assert not no_way.value.refused


def test_a_lookup_that_hangs_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()

    def hang(_: str) -> list[str]:
        go_on.wait(30)
        return []

    monkeypatch.setattr(outside, "look_up", hang)
    monkeypatch.setattr(outside, "_LOOK_UP_S", 0.05)
    with pytest.raises(NoWay, match="not found within"):
        asyncio.run(outside.public_addresses("example.org"))
    go_on.set()


def test_only_addresses_are_connected_to_never_names() -> None:
    with pytest.raises(ValueError, match="localhost"):
        asyncio.run(outside.reach("localhost", 80))
