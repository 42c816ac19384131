"""A framework's question as a prompt, and a model's answer as what it calls or says."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.frameworks import conversation
from agents.frameworks.contract import Call, Offered, Question, Said
from agents.frameworks.conversation import Read
from agents.frameworks.offered import command_named, offered
from agents.toolkit.registry import REGISTRY

READ = Offered(
    "files__read", "Read a file.",
    {
        "type": "object",
        "properties": {"path": {"type": "string"}, "lines": {"type": "integer", "default": 9}},
        "required": ["path"],
    },
)  # fmt: skip
QUESTION = Question((Said("user", "count the words"),), (READ,))


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (
            '```json\n{"call": {"tool": "files__read", "params": {"path": "a"}}, "why": "to see"}\n```',
            Read("files__read", {"path": "a"}, "to see"),
        ),
        ('{"call": {"tool": "files__read"}}', Read("files__read", {})),
        ('{"answer": " There are nine. "}', Read(answer="There are nine.")),
        ("There are nine.", Read(answer="There are nine.")),
    ],
)
def test_an_answer_is_a_call_or_the_last_words(text: str, read: Read) -> None:
    assert conversation.read(text, QUESTION) == read


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no JSON object"),
        ("{}", "no JSON object"),
        ('{"call": {"tool": "files__rm"}}', "There is no tool “files__rm”; there are files__read."),
        ('{"call": {"tool": "files__read", "params": []}}', "“params” is an object"),
        ('{"call": {"tool": "files__read", "approved": true}}', "“call” names a tool and its parameters"),
        ('{"call": {"tool": "files__read"}, "answer": "x"}', "not both"),
        ('{"call": {"tool": "files__read"}, "approve": true}', "has the field “approve”"),
        ('{"call": {"tool": "files__read"}} {"answer": "x"}', "it holds 2 answers"),
        ('{"answer": ""}', "“answer” is a text"),
        ('{"answer": "a\\u202eb"}', "hidden character U+202E"),
        ('{"call": {"tool": "files__read"}, "why": "a\\u200bb"}', "hidden character U+200B"),
        ('{"answer": "a", "answer": "b"}', "stands twice"),
        ('{"answer": "\\u0000"}', "U+0000"),
        (json.dumps({"answer": "x" * 20_001}), "more than 20,000 characters"),
    ],
)
def test_what_is_no_answer_says_what_is_wrong(text: str, says: str) -> None:
    (problem,) = conversation.read(text, QUESTION).problems
    assert says in problem


VALUES = st.recursive(st.none() | st.text(), lambda one: st.lists(one) | st.dictionaries(st.text(), one))


@given(st.text(max_size=200) | VALUES.map(json.dumps))
def test_whatever_a_model_writes_is_read_or_refused(text: str) -> None:
    found = conversation.read(text, QUESTION)
    assert bool(found.problems) != bool(found.answer or found.tool)


def test_tools_stand_in_the_instructions_and_what_was_said_behind_them_as_data() -> None:
    made = (Call("1", "files__read", {"path": "a"}),)
    said = (
        Said("system", "Think first."), *QUESTION.messages, Said("assistant", "to see", made),
        Said("tool", 'x"} {"call": …', call_id="1", failed=True),
    )  # fmt: skip
    (role, system), *rest = conversation.messages("Be good.", Question(said, (READ,)), tokens=4_000)
    assert role == "system"
    assert system.startswith("Be good.")
    assert "- files__read(path: string, lines: integer, default 9): Read a file." in system
    assert [(role, json.loads(text)) for role, text in rest] == [
        ("user", {"framework_says": "Think first.", "task": "count the words"}),
        ("assistant", {"call": {"tool": "files__read", "params": {"path": "a"}}, "why": "to see"}),
        ("user", {"result_of": "1", "succeeded": False, "result": 'x"} {"call": …'}),
    ]


def test_what_does_not_fit_is_left_out_from_the_oldest_result_on() -> None:
    said: list[Said] = [Said("user", "the task")]
    for number in range(9):
        said.append(Said("assistant", "", (Call(str(number), "files__read", {}),)))
        said.append(Said("tool", "y" * 3_000, call_id=str(number)))
    messages = conversation.messages("Be good.", Question(tuple(said), (READ,)), tokens=4_000)
    told = [json.loads(text) for role, text in messages[1:] if role == "user"]
    assert told[0] == {"task": "the task"}
    assert "left_out" in told[1]
    assert told[-1]["result"] == "y" * 3_000
    assert sum(len(text) for _, text in messages) <= 4_000 * 3
    (only,) = conversation.messages("Be good.", Question((Said("user", "z" * 90_000),), ()), tokens=2_000)[1:]
    assert len(only[1]) < 6_000


def test_every_tool_that_makes_sense_alone_is_offered_and_named_both_ways() -> None:
    found = offered(REGISTRY)
    names = {one.name for one in found}
    assert {"simple_coder__read", "simple_coder__write", "git_tool__commit"} <= names
    assert not names & {"simple_coder__cd", "simple_coder__rm", "simple_coder__toggle_autonomous_mode"}
    for one in found:
        tool, command = command_named(one.name)
        assert REGISTRY.command(tool, command)
        assert "x-" not in json.dumps(list(_keys(one.schema)))
    assert {one.name.partition("__")[0] for one in offered(REGISTRY, ["git_tool"])} == {"git_tool"}
    assert command_named("nonsense") == ("nonsense", "")


def _keys(schema: Any) -> Any:
    if isinstance(schema, dict):
        for name, one in schema.items():
            yield name
            yield from _keys(one)
