"""The config of an agent as people write it."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.intentions.commitment import Commitment
from agents.mastermind.configs import EVERY_TOOL, KEYS, ConfigRefused, applied, differing, of_params, parse
from agents.toolkit.frameworks import FRAMEWORKS
from agents.toolkit.tools import agent_registry

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


SETTINGS = st.fixed_dictionaries(
    {
        "framework": st.sampled_from(list(FRAMEWORKS)),
        "tools": st.lists(st.sampled_from(TOOLS), unique=True),
        "model": st.sampled_from(["", "openai/gpt-5", "anthropic/claude"]),
        "uses_model": st.booleans(),
        "firmware_domain": st.sampled_from(["", "finance"]),
        "max_repair_attempts": st.integers(0, 10),
        "tokens_per_day": st.none() | st.integers(0, 2**31 - 1),
        "cost_per_day": st.none() | st.sampled_from(["0", "2", "2.5", "99.0001"]),
        "people_only": st.booleans(),
        "review_design": st.booleans(),
        "review_selection": st.booleans(),
        "commitment": st.sampled_from([one.value for one in Commitment]),
        "limits": st.dictionaries(
            st.sampled_from([EVERY_TOOL, *TOOLS]),
            st.fixed_dictionaries(
                {}, optional={"hard_s": st.sampled_from([30.0, 1.5]), "processes": st.just(50)}
            ).filter(bool),
        ),
    }
)


@given(SETTINGS, SETTINGS)
def test_what_a_step_says_of_a_change_makes_of_one_agent_exactly_the_other(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    said = differing(before, after)
    assert applied(before, of_params(said, tools=TOOLS), whole_limits=True) == after
    assert set(said) == {name for name in after if before[name] != after[name]}


def test_a_ceiling_that_is_named_beside_others_leaves_them() -> None:
    values = {"limits": {"git_tool": {"hard_s": 30.0}}, "cost_per_day": None}
    config = parse("limits.git_tool.processes=9", tools=TOOLS)
    assert applied(values, config, whole_limits=False)["limits"] == {"git_tool": {"hard_s": 30.0, "processes": 9}}
    assert applied(values, config, whole_limits=True)["limits"] == {"git_tool": {"processes": 9}}


def test_a_step_that_makes_an_agent_has_a_value_for_everything_that_one_is_set_to() -> None:
    assert set(agent_registry.SETTINGS) == set(KEYS)
    assert tuple(one.value for one in Commitment) == agent_registry.COMMITMENTS
    usual = {name: value for name, (_, value) in agent_registry.SETTINGS.items()}
    assert of_params(usual, tools=TOOLS).values["tools"] == []
