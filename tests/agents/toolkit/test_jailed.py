from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from agents.bdi.forecast.consequences import ToolWork, WouldFail
from agents.bdi.forecast.forecasting import forecast
from agents.bdi.forecast.touched_paths import touched
from agents.bdi.forecast.walk import BaseEntry
from agents.bdi.plans.document import Document, IntentSpec
from agents.toolkit.command import Command, Tool
from agents.toolkit.describing import fields, hosts, line, path
from agents.toolkit.jailed import in_jail
from agents.toolkit.registry import Registry
from sandbox.commands import check
from tests.agents.toolkit import jailed_module

SCHEMA = fields({"path": path("File"), "words": line("Words"), "hosts": hosts()}, "path")


def count(params: dict[str, Any]) -> dict[str, Any]:
    """Stands for a tool's own work."""
    return {"count": len(params)}


def command(name: str, effect: str, work: Any = count) -> Command:
    reads_only = effect == "idempotent"
    requests = in_jail(work, SCHEMA, reads_only=reads_only, fixed=7)
    phrase = f"{name} {{path}} [with access to {{hosts}}]"
    return Command("t", name, "Does it.", SCHEMA, (phrase,), effect, requests, ("count",), ({"path": "a"},))


REGISTRY = Registry([Tool("t", "T", "Tries.", (command("look", "idempotent"), command("change", "workspace")))])


def document(*steps: tuple[str, dict[str, Any]]) -> Document:
    specs = tuple(
        IntentSpec(
            position=at, phase="main", tool="t", command=name, params=params, parameters=(), justification="",
            effect=REGISTRY.command("t", name).effect, limits={}, depends_on=(), condition=None,
            hosts=tuple(params.get("hosts", ())), rule="", sentence="",
        )
        for at, (name, params) in enumerate(steps, 1)
    )  # fmt: skip
    return Document("1", "goal", "w", "0" * 64, 0, "person", specs, ())


@pytest.mark.parametrize(("work", "function"), [(count, "count"), (jailed_module, "main")])
def test_the_source_goes_along_with_parameters_and_what_names_files(work: Any, function: str) -> None:
    (request,) = in_jail(work, SCHEMA, reads_only=True, fixed=7)({"path": "a", "words": "b"})
    check(request.command, request.params)
    params = request.params
    assert params["params"] == {"path": "a", "words": "b", "fixed": 7}
    assert params["paths"] == {"path": "a"}
    names: dict[str, Any] = {}
    exec(list(params["sources"].values())[-1], names)
    assert names[params["function"]](params["params"]) == {"count": 3}
    assert params["function"] == function
    assert isinstance(work, ModuleType) or work is count


def test_work_that_only_reads_is_foretold_as_looking() -> None:
    told = forecast(document(("look", {"path": "a"})), [BaseEntry("a", "file")], REGISTRY)
    assert (told.consequences, told.looks) == ((), (1,))
    gone = forecast(document(("look", {"path": "b"})), [], REGISTRY)
    assert [one.reason for one in gone.of(WouldFail)] == ["./b is not there"]


def test_work_that_changes_files_or_reaches_a_host_is_told_as_such() -> None:
    told = forecast(document(("change", {"path": "a"}), ("look", {"path": "b"})), [], REGISTRY)
    assert [one.changes_files for one in told.of(ToolWork)] == [True]
    assert not told.of(WouldFail)  # the tool may make b before
    (reached,) = forecast(document(("look", {"path": "a", "hosts": ["x.example"]})), [], REGISTRY).of(ToolWork)
    assert (reached.hosts, reached.changes_files) == (("x.example",), False)


def test_policies_and_risk_see_what_the_work_names_and_whether_it_may_change_any_file() -> None:
    found = touched(document(("look", {"path": "a/b"}), ("change", {"path": "c"})), REGISTRY)
    assert (found[1].paths, found[1].is_program) == (("a/b",), False)
    assert (found[2].paths, found[2].is_program) == (("c",), True)
