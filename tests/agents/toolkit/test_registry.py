from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from agents.toolkit.effects import EFFECTS
from agents.toolkit.finishing import SERVICES
from agents.toolkit.registry import REGISTRY, Command, Registry, Tool, UnknownCommand, UnknownTool, discover
from agents.toolkit.schemas import SchemaFault, problems
from agents.toolkit.tools import __path__ as tool_folder
from sandbox.commands import check
from sandbox.contract import Request

REFERENCE = {
    "ls", "cd", "mkdir", "read", "write", "rm", "mv", "cp", "find", "grep", "create_venv", "activate_venv",
    "deactivate_venv", "run", "start", "process_log", "stop", "set_env", "unset_env", "toggle_autonomous_mode",
}  # fmt: skip


def command(**changes: Any) -> Command:
    plain = Command(
        "t",
        "c",
        "Does it.",
        {"type": "object", "additionalProperties": False, "properties": {"x": {"type": "string"}}, "required": ["x"]},
        ("do {x}",),
        "idempotent",
        lambda params: (Request("ls", {}),),
        ("items",),
        ({"x": "1"},),
    )
    return dataclasses.replace(plain, **changes)


def test_simple_coder_has_every_command_of_the_session_and_no_other() -> None:
    assert {one.name for one in REGISTRY.tool("simple_coder").commands} == REFERENCE


@pytest.mark.parametrize("one", list(REGISTRY.commands), ids=lambda one: f"{one.tool}.{one.name}")
def test_every_command_asks_the_sandbox_for_what_it_understands(one: Command) -> None:
    for example in one.examples:
        requests = one.requests(one.defaults() | dict(example))
        assert requests
        for request in requests:
            check(request.command, request.params)
    assert one.effect in EFFECTS
    # What mindX does to itself answers no later step.
    assert one.result_keys or SERVICES[one.finish].acts
    assert one.summary.endswith(".")


def test_run_takes_a_command_line_and_nothing_is_named_command() -> None:
    assert "command_line" in REGISTRY.command("simple_coder", "run").properties
    assert all("command" not in one.properties for one in REGISTRY.commands)


def test_only_removing_renaming_and_overwriting_need_autonomous_mode() -> None:
    assert {one.name for one in REGISTRY.commands if one.needs_autonomous} == {
        "rename_ending", "rename_part", "rm"
    }  # fmt: skip
    assert [(one.name, one.autonomous_with) for one in REGISTRY.commands if one.autonomous_with] == [
        ("mv", "overwrite"), ("cp", "overwrite")
    ]  # fmt: skip
    move = REGISTRY.command("simple_coder", "mv")
    assert [move.destroys({"overwrite": value}) for value in (True, False, "yes")] == [True, False, False]
    assert not move.destroys({})


def test_notes_are_files_below_notes_written_and_added_to() -> None:
    write = REGISTRY.command("note_taking", "write_note").requests({"name": "a", "text": "b"})
    assert write == (Request("mkdir", {"path": "notes"}), Request("write", {"path": "notes/a.md", "content": "b\n"}))
    add = REGISTRY.command("note_taking", "append_note").requests({"name": "a", "text": "b"})
    assert add[1].params == {"path": "notes/a.md", "content": "b\n", "mode": "append"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"schema": {"type": "object"}}, "additionalProperties"),
        ({"phrases": ("do {y}",)}, "does not have"),
        ({"phrases": ("do it",)}, "leaves a required parameter open"),
        ({"phrases": ("do [{x}]",)}, "leaves a required parameter open"),
        ({"phrases": ("do [{x}",)}, "cannot be read"),
        ({"phrases": ()}, "at least one phrase"),
        ({"examples": ()}, "one example"),
        ({"examples": ({"y": 1},)}, "an example does not fit"),
        ({"effect": "whatever"}, "the effect"),
        ({"beliefs_added": ("there is a file named {y}",)}, "predicted belief"),
        ({"tool": "other"}, "belongs to"),
    ],
)
def test_a_command_that_does_not_fit_together_is_refused_at_registration(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(SchemaFault, match=words):
        Registry([Tool("t", "T", "", (command(**changes),))])


def test_two_tools_or_two_commands_of_one_name_are_refused() -> None:
    tool = Tool("t", "T", "", (command(),))
    with pytest.raises(SchemaFault, match="two tools"):
        Registry([tool, tool])
    with pytest.raises(SchemaFault, match="one command has one schema"):
        Registry([Tool("t", "T", "", (command(), command()))])
    with pytest.raises(SchemaFault, match="needs a name"):
        Registry([Tool("no name", "T", "", (command(),))])


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownTool, match="did you mean “simple_coder”"):
        REGISTRY.command("simple_code", "ls")
    with pytest.raises(UnknownCommand, match="did you mean “mkdir”"):
        REGISTRY.command("simple_coder", "mkdri")


def test_a_new_file_in_the_folder_of_tools_is_a_new_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shouting.py").write_text(
        "from agents.toolkit.command import Command, Tool\n"
        "from sandbox.contract import Request\n"
        "SCHEMA = {'type': 'object', 'additionalProperties': False, 'properties': {'text': {'type': 'string'}},\n"
        "          'required': ['text']}\n"
        "SHOUT = Command('shouting', 'shout', 'Shouts.', SCHEMA, ('shout {text}',), 'workspace',\n"
        "    lambda p: (Request('write', {'path': 'shout.txt', 'content': p['text'].upper()}),), ('message',),\n"
        "    ({'text': 'hi'},))\n"
        "TOOL = Tool('shouting', 'Shouting', 'Shouts.', (SHOUT,))\n"
    )
    tool_folder.append(str(tmp_path))
    try:
        registry = Registry(discover())
    finally:
        tool_folder.remove(str(tmp_path))
    assert registry.command("shouting", "shout").requests({"text": "a"})[0].params["content"] == "A"
    assert problems(registry.command("shouting", "shout").schema, {}) == [("text", "is missing; fill it in")]
