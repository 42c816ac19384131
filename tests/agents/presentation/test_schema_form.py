"""Forms made out of schemas, and what is read back from them."""

from __future__ import annotations

import pytest

from agents.presentation import schema_form
from agents.toolkit.command import Command
from agents.toolkit.registry import REGISTRY


def typed_in(value: object) -> str:
    """What a person would put into the form to mean this value."""
    if isinstance(value, bool):
        return "on" if value else ""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


@pytest.mark.parametrize("command", list(REGISTRY.commands), ids=lambda command: f"{command.tool}.{command.name}")
def test_every_command_has_a_form_whose_examples_read_back(command: Command) -> None:
    for example in command.examples:
        filled = {name: typed_in(value) for name, value in example.items()}
        params, errors = schema_form.read(command, filled)
        assert errors == {}
        assert {name: params[name] for name in example} == dict(example)
    assert [field.name for field in schema_form.fields(command)] or not command.properties


def test_required_fields_come_first_and_defaults_are_filled_in() -> None:
    fields = schema_form.fields(REGISTRY.command("simple_coder", "run"))
    assert fields[0].name == "command_line"
    assert fields[0].required
    assert {field.name: field.kind for field in fields}["timeout_s"] == "number"


def test_errors_name_their_field() -> None:
    command = REGISTRY.command("simple_coder", "run")
    _, errors = schema_form.read(command, {"command_line": "", "timeout_s": "soon"})
    assert set(errors) == {"command_line", "timeout_s"}
    shown = {field.name: field.error for field in schema_form.fields(command, {}, errors)}
    assert "whole number" in shown["timeout_s"]


def test_hosts_are_filled_in_as_words_and_a_wrong_one_is_named() -> None:
    command = REGISTRY.command("simple_coder", "run")
    (field,) = (field for field in schema_form.fields(command) if field.name == "hosts")
    assert (field.kind, field.required, field.value) == ("line", False, "")
    assert "packages is the package index" in field.hint
    filled = {"command_line": "python main.py", "hosts": "127.0.0.1:8123,\r\nthe package index"}
    params, errors = schema_form.read(command, filled)
    assert (params["hosts"], errors) == (["127.0.0.1:8123", "packages"], {})
    _, errors = schema_form.read(command, {"command_line": "python main.py", "hosts": "example.org/x"})
    assert "example.org/x" in errors["hosts"]
    without, _ = schema_form.read(command, {"command_line": "python main.py", "hosts": ""})
    assert "hosts" not in without


def test_line_ends_of_browsers_become_plain_ones() -> None:
    params, _ = schema_form.read(REGISTRY.command("simple_coder", "write"), {"path": "a", "content": "1\r\n2\r\n"})
    assert params["content"] == "1\n2\n"


def test_what_nobody_touched_is_read_back_as_it_was() -> None:
    command = REGISTRY.command("simple_coder", "run")
    params = {"command_line": "{{intents.1.result.stdout}}", "hosts": ["packages", "example.org"], "stdin": "a\nb\n"}
    filled = {**schema_form.shown(command, params), "stdin": "a\r\nb\r\n", "timeout_s": ""}
    assert filled["hosts"] == "packages, example.org"
    assert schema_form.read_over(command, params, filled) == (params, {}), "no switch that the step does not name"
    assert schema_form.read_over(command, params, {**filled, "terminal": "on"})[0]["terminal"] is True
    assert "terminal" not in schema_form.read_over(command, {**params, "terminal": True}, filled)[0]
