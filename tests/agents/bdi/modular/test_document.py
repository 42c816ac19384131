"""States as documents: what is written is read again, and what is wrong is said."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from agents.bdi.modular import acting, combinations, document, loop, modules
from agents.bdi.modular.agent import ModularAgent
from agents.bdi.modular.document import StateRefused
from agents.bdi.modular.loop import ModuleFailed
from agents.bdi.modular.modules import Module
from agents.bdi.modular.prompters import aware
from agents.bdi.modular.state import MODULE_TYPES, Chosen, FunctionCall, Message, State
from tests.agents.bdi.modular import scripted


def _setting(*names: str) -> dict[str, Chosen]:
    return combinations.checked({kind: Chosen(name) for kind, name in zip(MODULE_TYPES, names, strict=True)})


PLAIN = ("plain", "model", "first", "plain", "simple_coder")


def _written() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(document.write(scripted.run(_setting(*PLAIN), "good"))))
    return found


def test_a_document_is_read_as_it_was_written_and_fits_its_schema() -> None:
    said = _written()
    assert document.write(document.read(said)) == said
    Draft202012Validator(document.schema()).validate(said)


def _without_parent(said: dict[str, Any]) -> None:
    del said["state"]["nodes"][1]["parent"]


def _cycle(said: dict[str, Any]) -> None:
    said["state"]["nodes"][0]["parent"] = 2


def _newer(said: dict[str, Any]) -> None:
    said["version"] = 2


def _unknown_module(said: dict[str, Any]) -> None:
    said["state"]["settings"]["actor"]["name"] = "wizard"


def _gone(said: dict[str, Any]) -> None:
    said["state"]["nodes"][2]["parent"] = 99


def _unknown_step(said: dict[str, Any]) -> None:
    said["state"]["next_step"] = {"module_type": "toolkit", "args": {}}


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_without_parent, "Node 2 has no parent"),
        (_cycle, "is its own ancestor"),
        (_newer, "from a newer mindX"),
        (_unknown_module, "There is no actor “wizard”; there are plain, save_output, search_first"),
        (_gone, "has the parent 99, which is not there"),
        (_unknown_step, "next_step names “toolkit”"),
    ],
)
def test_a_state_that_cannot_be_opened_says_why(spoil: Callable[[dict[str, Any]], None], said: str) -> None:
    whole = _written()
    spoil(whole)
    with pytest.raises(StateRefused, match=said):
        document.read(whole)


def test_fifty_megabytes_are_refused_before_they_are_read() -> None:
    with pytest.raises(StateRefused, match="50,000,000 bytes"):
        document.loads("x" * 50_000_000)


@pytest.mark.parametrize(
    "text", ["", "[", "[1]", "{}", '{"format": "mindx.modular", "version": 1, "state": 5}', "[" * 99_999]
)
def test_what_is_no_state_is_refused(text: str) -> None:
    with pytest.raises(StateRefused):
        document.loads(text)


def test_a_state_of_the_reference_is_read_and_goes_on() -> None:
    call = {"name": "bash", "arguments": '{"command": "ls"}'}
    node = {"node_id": 0, "parent": 0, "children": [1], "message": {"role": "system", "content": "Be good"}}
    below = {
        "node_id": 1,
        "parent": 0,
        "children": [],
        "message": {"role": "assistant", "content": None, "function_call": call},
        "metadata": {"temp": 1},
    }
    said = {
        "task_string": "List the files",
        "nodes": [node, below],
        "last_node_id": 1,
        "next_step": {"module_type": "prompter", "args": {}},
        "token_limit": 500_000,
        "token_usage": 12,
        "time_limit": 900,
        "submissions": [],
        "settings": {"discriminator": "_compare_and_regenerate_2_rounds_gpt", "actor": "_always_save"},
    }
    state = document.read(said)
    assert [(one.id, one.parent, one.message.role) for one in state.path()] == [(1, None, "user"), (2, 1, "assistant")]
    assert state.nodes[2].message.function_call is not None
    assert state.nodes[2].message.function_call.arguments == {"command": "ls"}
    assert (state.settings["discriminator"].name, state.settings["actor"].name) == (
        "compare_and_regenerate",
        "save_output",
    )
    assert (state.limits.tokens, state.usage.tokens) == (500_000, 12)
    agent = ModularAgent(state, "now", scripted.CATALOGUE)
    assert loop.step(agent).is_done
    assert state.next_step.module_type == "generator"


def test_a_module_that_raises_stops_the_run_and_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(agent: ModularAgent) -> None:
        raise RuntimeError("boom")

    other = {**modules.every(), ("prompter", "plain"): Module("prompter", "plain", "Plain", "", broken)}
    monkeypatch.setattr(modules, "every", lambda: other)
    with pytest.raises(ModuleFailed, match="The prompter “plain” failed: RuntimeError: boom"):
        loop.step(ModularAgent(State("x", _setting(*PLAIN)), "now", scripted.CATALOGUE))


def test_the_actor_makes_the_calls_of_the_nodes_that_the_discriminator_names() -> None:
    state = State("x", _setting(*PLAIN), tools=[*acting.OWN])
    loop.begin(state, "now")
    noting = [Message("assistant", "", FunctionCall("note", {"text": text})) for text in ("first", "second", "third")]
    one, two, _ = (state.add(message, source="model", at="now").id for message in noting)
    state.go_on("actor", node_ids=[one, two])
    assert loop.step(ModularAgent(state, "now", scripted.CATALOGUE)).is_done
    assert state.context["notes"] == ["first", "second"], "not that of the present node"


def test_a_package_offers_modules_and_a_broken_one_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass
    class Point:
        name: str
        found: object

        def load(self) -> object:
            if isinstance(self.found, Exception):
                raise self.found
            return self.found

    def first_words(agent: ModularAgent) -> None:
        agent.state.go_on("generator", messages=[Message("user", agent.state.task.split()[0])])

    offered = Module("prompter", "first_word", "The first word", "Sends one word.", first_words)
    taken = Module("prompter", "plain", "Not plain", "", first_words)
    points = [Point("good", offered), Point("taken", taken), Point("bad", ImportError("gone")), Point("odd", "text")]
    monkeypatch.setattr(modules, "entry_points", lambda group: points if group == modules.GROUP else [])
    modules.every.cache_clear()
    try:
        assert modules.module("prompter", "first_word") is offered
        assert modules.module("prompter", "plain").title == "Plain", "a package takes no name that is there"
        assert len(modules.every()) == len([*modules._shipped()]) + 1
        state = State("greet the moon", _setting("first_word", *PLAIN[1:]))
        loop.step(ModularAgent(state, "now", scripted.CATALOGUE))
        assert state.next_step.args["messages"] == [Message("user", "greet")]
    finally:
        modules.every.cache_clear()


def test_an_answer_of_ten_megabytes_is_cut_and_says_so() -> None:
    state = State("x", {})
    node = state.add(Message("assistant", "x" * 10_000_000), source="model", at="now")
    assert len(node.message.content) < 101_000
    assert "more characters]" in node.message.content


def test_options_are_compared_in_one_form_whatever_model_wrote_them() -> None:
    """The reference formats every option by the function that its last loop left in a global."""
    from agents.bdi.modular.choosing import option_shown
    from agents.bdi.modular.state import Option

    message = Message("assistant", "same")
    assert option_shown(Option(message, "gpt")) == option_shown(Option(message, "claude"))


def test_what_is_left_out_takes_no_more_room_in_a_long_tree() -> None:
    """Each step's row holds the context: a list of thousands of ids was most of what a step cost."""

    def context(count: int) -> int:
        state = State("x", _setting("aware", *PLAIN[1:]))
        loop.begin(state, "now")
        for number in range(count):
            state.add(Message("user", f"message {number}" * 20), source="x", at="now")
        loop.step(ModularAgent(state, "now", scripted.CATALOGUE))
        return len(json.dumps(document.head(state)))

    assert context(5_000) < context(500) + 100


def test_ids_are_told_as_unbroken_rows() -> None:
    assert aware.ranges([]) == []
    assert aware.ranges([2, 3, 4, 7, 9, 10]) == [[2, 4], [7, 7], [9, 10]]


def test_what_is_left_out_is_said() -> None:
    state = State("x", _setting("aware", *PLAIN[1:]))
    state.settings["prompter"] = Chosen("aware", {"tokens": 1_000, "longest": 500})
    loop.begin(state, "now")
    for number in range(20):
        state.add(Message("user", f"{number} " * 400), source="x", at="now")
    loop.step(ModularAgent(state, "now", scripted.CATALOGUE))
    entries = state.next_step.args["messages"]
    said = " ".join(one.content for one in entries if isinstance(one, Message))
    ((first, last),) = state.context["left_out"]["nodes"]
    left_out = range(first, last + 1)
    assert f"{len(left_out)} earlier messages are left out here." in said
    assert len(left_out) + len(entries) == len(state.nodes) + 1
