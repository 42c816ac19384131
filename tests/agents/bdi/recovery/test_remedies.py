"""What is offered for a failure whose cause is known, and what is not."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import pytest

from agents.bdi.outcome.network import Network, Refused
from agents.bdi.plans.document import IntentSpec
from agents.bdi.recovery.failures import Facts
from agents.bdi.recovery.remedies import APPROVE_HOSTS, INSTALL, MORE_TIME, Around, Remedy, remedies
from agents.toolkit.registry import REGISTRY

LIMITS = {"soft_s": 30.0, "hard_s": 300.0}
FACTS = Facts(tool="simple_coder", command="run")
LATE = replace(FACTS, limit="time")


def step(line: str = "python main.py", **params: Any) -> IntentSpec:
    values = {"command_line": line, **params}
    hosts = tuple(values.get("hosts", ()))
    return IntentSpec(
        2, "main", "simple_coder", "run", values, (), "", "workspace", LIMITS, (), None, hosts, rule="", sentence=""
    )


def offered(
    failed: IntentSpec, facts: Facts = FACTS, *refused: str, environment: str = "", there: Collection[str] = ()
) -> dict[str, Remedy]:
    network = Network(refused=tuple(Refused(host) for host in refused))
    command = REGISTRY.command(failed.tool, failed.command)
    return {one.name: one for one in remedies(failed, command, facts, Around(network, environment, there))}


@pytest.mark.parametrize(("had", "wanted", "was"), [(None, 60, 30), (20, 40, 20), (200, 300, 200)])
def test_a_step_that_reached_its_time_gets_twice_of_it_within_what_it_may_ask_for(
    had: int | None, wanted: int, was: int
) -> None:
    one = offered(step(timeout_s=had) if had else step(), LATE)[MORE_TIME]
    assert one.says == f"Its time limit becomes {wanted} s instead of {was} s."
    (made,) = one.instead
    assert (made.params["timeout_s"], made.params["command_line"]) == (wanted, "python main.py")
    record = next(each for each in made.parameters if each.name == "timeout_s")
    assert (record.origin, record.original) == ("person", had)


def test_no_more_time_is_offered_than_there_is_nor_for_what_ended_otherwise() -> None:
    assert not offered(step(timeout_s=300), LATE)
    assert not offered(step(), replace(FACTS, limit="memory"))
    assert not offered(step(), replace(FACTS, limit="plan_time"))
    assert not offered(step(), replace(LATE, tool="http_request", command="get")), "an alternative ran, not the step"
    write = replace(step(), command="write", params={"path": "a", "content": "b"})
    assert not offered(write, replace(LATE, command="write")), "it takes no time limit"


def test_hosts_that_were_refused_are_added_to_those_that_it_has() -> None:
    one = offered(step(hosts=["a.org"]), FACTS, "b.org", "b.org")[APPROVE_HOSTS]
    assert (one.label, one.says) == ("Approve this host", "The step may reach b.org, which it asked for.")
    (made,) = one.instead
    assert made.params["hosts"] == ["a.org", "b.org"]
    two = offered(step("pip install x"), FACTS, "pypi.org", "c.org:8080")[APPROVE_HOSTS]
    assert (two.label, two.instead[0].params["hosts"]) == ("Approve these hosts", ["c.org:8080", "packages"])
    assert "the package index" in two.says
    assert not offered(step(hosts=["a.org"]), FACTS, "a.org")


MISSING = replace(FACTS, text="Traceback …\nModuleNotFoundError: No module named 'tomlkit.items'\n")


def test_a_missing_module_is_installed_in_the_environment_that_is_active() -> None:
    one = offered(step(), MISSING, environment="env")[INSTALL]
    assert one.label == "Install tomlkit"
    assert "in the environment env" in one.says
    install, again = one.instead
    assert (install.command, dict(install.params)) == (
        "run", {"command_line": "pip install tomlkit", "hosts": ["packages"]},
    )  # fmt: skip
    assert again == step()
    assert install.position == again.position


@pytest.mark.parametrize(
    ("there", "commands"),
    [
        ((), ["create_venv", "activate_venv", "run", "run"]),
        ((".venv/pyvenv.cfg",), ["activate_venv", "run", "run"]),
    ],
)
def test_without_an_active_environment_one_is_made_or_used(there: tuple[str, ...], commands: list[str]) -> None:
    one = offered(step(), MISSING, there=there)[INSTALL]
    assert [each.command for each in one.instead] == commands
    assert "in the environment .venv" in one.says


@pytest.mark.parametrize(
    ("facts", "there"),
    [
        # Of Python itself, of these files, or said by something else.
        (replace(FACTS, text="ModuleNotFoundError: No module named 'distutils'"), ()),
        (replace(FACTS, text="ModuleNotFoundError: No module named 'ledger'"), ("src/ledger.py",)),
        (replace(FACTS, text="ModuleNotFoundError: No module named 'ledger'"), ("src/ledger/__init__.py",)),
        (replace(FACTS, text="No such file or directory: 'tomlkit'"), ()),
    ],
)
def test_no_package_is_offered_for_what_is_none(facts: Facts, there: tuple[str, ...]) -> None:
    assert not offered(step(), replace(facts), there=there)


def test_a_module_that_pytest_or_python_lacks_is_found_in_either_stream() -> None:
    collected = replace(FACTS, printed="E   ModuleNotFoundError: No module named 'tomlkit'\nERROR t.py\n")
    there = [".venv/lib/python3/site-packages/tomlkit/__init__.py"]
    assert offered(step("pytest"), collected, there=there)[INSTALL].label == "Install tomlkit"
    assert offered(step("python -m black ."), replace(FACTS, text="/usr/bin/python: No module named black"))
