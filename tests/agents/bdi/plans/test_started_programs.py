"""Programs that live on in a plan: what stands between their start and their stop, and which live at a step."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.forecast.consequences import Program
from agents.bdi.forecast.forecasting import forecast
from agents.bdi.plans.dependencies import link
from agents.bdi.plans.document import CommandFacts, Document, specs
from agents.bdi.plans.started_programs import living_before, unstopped
from agents.bdi.plans.validation import validate
from agents.bdi.recovery.recovery import Envelope, Failure, FailureClass, Situation, Strategy, choose
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import Param, Step


def _step(command: str, **values: Any) -> Step:
    return Step("simple_coder", command, {name: Param(value, "person") for name, value in values.items()}, "why")


def _ask(url: str) -> Step:
    given = {**REGISTRY.command("http_request", "get").defaults(), "url": url}
    return Step("http_request", "get", {name: Param(value, "person") for name, value in given.items()}, "why")


def _start(name: str = "server", **more: Any) -> Step:
    return _step("start", name=name, command_line="python -m http.server", **more)


_LOG, _STOP = _step("process_log", name="server"), _step("stop", name="server")
_RUN = _step("run", command_line="python ask.py")


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        ([_start(), _RUN, _LOG, _STOP], None),
        ([_start(), _STOP, _start(), _STOP], None),
        ([_start()], None),
        ([_LOG], "not_started"),
        ([_STOP], "not_started"),
        ([_start(), _STOP, _LOG], "not_started"),
        ([_start(), _STOP, _STOP], "not_started"),
        ([_start(), _start()], "program_lives"),
        ([_start("a b")], "program_name"),
        ([_start(f"n{n}") for n in range(9)], "too_many_programs"),
        ([_start(hosts=["packages"]), _RUN], "other_hosts"),
        ([_start(), _step("run", command_line="python a.py", hosts=["packages"])], "other_hosts"),
        ([_start(), _ask("http://a.example/")], "other_hosts"),
        ([_start(hosts=["A.example"]), _ask("http://a.example/")], None),
        ([_start(), _STOP, _ask("http://a.example/")], None),
        ([_start(hosts=["packages"]), _step("ls"), _LOG, _STOP, _RUN], None),
    ],
)
def test_a_plan_about_programs_is_checked(steps: list[Step], code: str | None) -> None:
    assert [problem.code for problem in validate(steps, [], REGISTRY)] == ([code] if code else [])


def test_the_clean_up_is_a_session_of_its_own() -> None:
    assert [one.code for one in validate([_start()], [_STOP], REGISTRY)] == ["not_started"]
    assert validate([_start()], [_start(), _STOP], REGISTRY) == []


def test_a_step_whose_tool_has_other_limits_cannot_stand_beside_a_program() -> None:
    """A jail has one set of limits, and the program ends with its jail."""
    asks = _ask("https://example.org/")
    same = {"simple_coder": {"processes": 64}, asks.tool: {"processes": 64}}
    other = same | {asks.tool: {"processes": 9}}
    hosts = _start(hosts=["example.org"])
    assert validate([hosts, asks, _STOP], [], REGISTRY, ceilings=same) == []
    (found,) = validate([hosts, asks, _STOP], [], REGISTRY, ceilings=other)
    assert (found.position, found.code) == (2, "other_limits")
    assert "other limits than server, which is running here" in found.message
    assert validate([hosts, _STOP, asks], [], REGISTRY, ceilings=other) == [], "it is stopped by then"
    assert validate([asks, hosts, _STOP], [], REGISTRY, ceilings=other) == [], "it is not started yet"


def _document(steps: list[Step], cleanup: list[Step]) -> Document:
    def facts(of: list[Step]) -> list[CommandFacts]:
        return [CommandFacts(REGISTRY.command(step.tool, step.command).effect) for step in of]

    main = specs(steps, facts(steps))
    undo = specs(cleanup, facts(cleanup), phase="cleanup", first=len(main) + 1)
    return Document("1", "a goal", "lab", "", 1, "person", main, undo)


def test_what_lives_at_a_step_is_what_was_started_and_not_stopped() -> None:
    main = _document([_start(), _start("other"), _RUN, _STOP, _RUN], []).intents
    assert living_before(main, 3, {1, 2}) == ("server", "other")
    assert living_before(main, 2, {1}) == ("server",)
    assert living_before(main, 1, set()) == ()
    assert living_before(main, 3, {2}) == ("other",)  # the first one was skipped
    assert living_before(main, 5, {1, 2, 3, 4}) == ("other",)


def test_a_start_that_nothing_stops_ends_with_the_plan_and_reviewers_are_told() -> None:
    document = _document([_start(), _start("other"), _STOP], [_start()])
    assert unstopped(document.all_intents) == {2, 4}
    told = [(one.name, one.stopped) for one in forecast(document, [], REGISTRY).of(Program)]
    assert told == [("server", True), ("other", False), ("server", False)]


def test_looking_and_stopping_stand_on_the_start() -> None:
    linked = link([_start(), _LOG, _STOP], REGISTRY)
    assert [step.depends_on for step in linked] == [(), (1,), (1,)]


def test_no_step_is_tried_again_without_the_programs_beside_it() -> None:
    failure = Failure(FailureClass.TOOL_EXECUTION_ERROR, "exit code 1")
    choice = choose(failure, Situation(envelope=Envelope(3), living=["server"]))
    assert choice.strategy is Strategy.GRACEFUL_ABORT
    assert "without the programs started before (server)" in choice.why
    assert choose(failure, Situation(envelope=Envelope(3))).strategy is not choice.strategy
