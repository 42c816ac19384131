"""Every tool has a page that explains it, told from its declaration."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from django.urls import reverse
from django.utils.html import escape

from agents.presentation import tool_page
from agents.toolkit import phrases
from agents.toolkit.command import Tool
from agents.toolkit.registry import REGISTRY

if TYPE_CHECKING:
    from django.test import Client

    from people.models import User

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("tool", REGISTRY.tools, ids=lambda tool: tool.name)
def test_a_tools_page_says_all_its_commands_with_what_they_take_and_change(
    tool: Tool, owner: User, client_of: Callable[[User], Client]
) -> None:
    client = client_of(owner)
    said = client.get(reverse("tool", args=[tool.name])).content.decode()
    for command in tool_page.shown(tool):
        assert all(escape(phrase) in said for phrase in command.phrases)
        assert escape(command.effect_words) in said
        assert all(f">{one.name}</th>" in said for one in command.parameters)
        assert command.examples
    assert reverse("tool", args=[tool.name]) in client.get(reverse("tools")).content.decode()


def test_examples_are_sentences_that_are_read_back_as_the_command() -> None:
    for command in REGISTRY.commands:
        for shown in tool_page.shown(REGISTRY.tool(command.tool)):
            if shown.name == command.name:
                assert [phrases.read(one, REGISTRY)[0].name for one in shown.examples] == [command.name] * len(
                    command.examples
                )


def test_what_a_parameter_takes_is_said_in_words() -> None:
    mend = {one.name: one for one in tool_page.shown(REGISTRY.tool("audit_and_improve"))}["apply_fixes"]
    takes = {one.name: (one.takes, one.default, one.required) for one in mend.parameters}
    assert takes["path"] == ("a file or folder of the workspace", ".", False)
    assert takes["timeout_s"] == ("a whole number from 1 to 3,600", None, False)
    assert "Has no network." in mend.remarks


def test_there_is_no_page_of_an_unknown_tool_and_none_without_logging_in(
    owner: User, client: Client, client_of: Callable[[User], Client]
) -> None:
    assert client_of(owner).get(reverse("tool", args=["nothing"])).status_code == 404
    assert client.get(reverse("tools")).status_code == 302
