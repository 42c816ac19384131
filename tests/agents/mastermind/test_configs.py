"""The config of an agent as people write it."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.mastermind.configs import ConfigRefused, parse

TOOLS = ["git_tool", "note_taking"]


def test_words_and_json_say_the_same() -> None:
    words = parse("tools=git_tool,note_taking repairs=1 firmware=finance people_only=yes", tools=TOOLS)
    written = {
        "tools": TOOLS,
        "max_repair_attempts": 1,
        "firmware_domain": "finance",
        "people_only": True,
    }
    assert words.values == parse(json.dumps(written), tools=TOOLS).values == written


def test_limits_name_a_tool_and_a_ceiling() -> None:
    found = parse("limits.git_tool.hard_s=30 limits.*.processes=50", tools=TOOLS).limits
    assert found == {"git_tool": {"hard_s": 30.0}, "*": {"processes": 50}}


def test_the_commitment_is_one_of_three() -> None:
    assert parse("commitment=Open-Minded", tools=TOOLS).commitment == "open_minded"
    assert parse("", tools=TOOLS).names == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tools=git_tol", "Did you mean git_tool"),
        ("tols=git_tool", "Did you mean tools"),
        ("repairs=many", "a number"),
        ("commitment=strong", "blind, single_minded, open_minded"),
        ("people_only=perhaps", "yes or no"),
        ("tools=git_tool tools=note_taking", "twice"),
        ("limits.git_tool.hard_s=99999", "from 1 s to"),
        ("limits.nothing.hard_s=5", "no tool"),
        ("limits.git_tool.hard=5", "Did you mean hard_s"),
        ("{", "JSON"),
        ("[1]", "name=value"),
        ("model", "name=value"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_way_out(text: str, said: str) -> None:
    with pytest.raises(ConfigRefused, match=said):
        parse(text, tools=TOOLS)


@given(st.text(max_size=80))
def test_whatever_is_written_is_a_config_or_refused(text: str) -> None:
    with suppress(ConfigRefused):
        parse(text, tools=TOOLS)
