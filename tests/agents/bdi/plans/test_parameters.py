from __future__ import annotations

import pytest

from agents.bdi.plans.parameters import from_person, from_rule
from agents.rules.selection import SlotValue
from agents.toolkit.phrases import read_raw
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import Param

RUN = REGISTRY.command("simple_coder", "run")


def hosts_of(line: str, **slots: str) -> Param | None:
    """What a rule's line may reach, with these slots filled."""
    reading = read_raw(line, REGISTRY)
    assert reading is not None
    filled = {name: SlotValue(value, "text", (3, 9)) for name, value in slots.items()}
    return from_rule(reading.command, reading.values, filled, "a rule").get("hosts")


def test_installing_packages_gets_the_index_and_says_why() -> None:
    hosts = from_person(RUN, {"command_line": "pip install httpx"})["hosts"]
    assert (hosts.value, hosts.origin) == (["packages"], "default")
    assert "package index" in hosts.note
    assert hosts_of("run pip install {package}", package="httpx") == hosts


@pytest.mark.parametrize("hosts", [[], ["example.org"]])
def test_what_was_said_about_hosts_is_never_added_to(hosts: list[str]) -> None:
    params = from_person(RUN, {"command_line": "pip install httpx", "hosts": hosts})
    assert (params["hosts"].value, params["hosts"].origin) == (hosts, "explicit")


def test_no_other_host_is_guessed() -> None:
    for line in ("python main.py https://example.org", "git clone https://example.org/x", "pip install --no-index x"):
        assert "hosts" not in from_person(RUN, {"command_line": line})


def test_a_rule_can_let_in_the_host_of_an_address_and_only_that() -> None:
    line = "run python main.py {address} with access to the host of {address}"
    hosts = hosts_of(line, address="http://127.0.0.1:8123/status")
    assert hosts is not None
    assert (hosts.value, hosts.origin, hosts.span) == (["127.0.0.1:8123"], "rule_slot", (3, 9))
    assert "{address}" in hosts.note


@pytest.mark.parametrize("address", ["http://a.example and evil.example", "http://a.example, evil.example", "x\ny"])
def test_a_value_with_separators_stays_one_entry_that_is_refused_later(address: str) -> None:
    hosts = hosts_of("run python main.py with access to the host of {address}", address=address)
    assert hosts is not None
    assert hosts.value == [address]


def test_a_list_that_is_one_slot_is_the_persons_own() -> None:
    hosts = hosts_of("run python main.py with access to {hosts}", hosts="a.example and the package index")
    assert hosts is not None
    assert hosts.value == ["a.example", "packages"]
    fixed = hosts_of("run python main.py with access to example.org")
    assert fixed is not None
    assert (fixed.value, fixed.origin) == (["example.org"], "explicit")
