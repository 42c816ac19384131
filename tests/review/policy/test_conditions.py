"""Conditions are a checked object; what cannot be known counts against freedom."""

from __future__ import annotations

from typing import Any

import pytest

from review.policy.conditions import Conditions, ConditionsRefused, met
from tests.review.policy.facts import a_plan, a_step, touch


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        ({"colour": ["red"]}, "colour"),
        ({"tools": "simple_coder"}, "tools"),
        ({"tools": [""]}, "tools"),
        ({"tools": ["x" * 201]}, "tools"),
        ({"tools": ["a\u202eb"]}, "tools"),
        ({"tools": ["a"] * 33}, "tools"),
        ({"effects": ["sometimes"]}, "effects"),
        ({"sources": ["dream"]}, "sources"),
        ({"risk_at_most": "tiny"}, "risk_at_most"),
        ({"shadow_clean": "yes"}, "shadow_clean"),
        ({"asks_model": 1}, "asks_model"),
        (["tools"], "conditions"),
    ],
)
def test_what_is_no_condition_is_refused_by_its_name(raw: Any, field: str) -> None:
    with pytest.raises(ConditionsRefused) as refused:
        Conditions.read(raw)
    assert refused.value.field == field


def test_conditions_come_back_as_they_were_stored() -> None:
    raw = {"commands": ["rm", "run"], "risk_at_most": "medium", "shadow_clean": True}
    assert Conditions.read(raw).to_json() == raw
    assert Conditions.read({}).is_open


@pytest.mark.parametrize(
    ("conditions", "holds"),
    [
        ({"tools": ["simple_coder"]}, True),
        ({"tools": ["notes"]}, False),
        ({"commands": ["simple_coder.write"]}, True),
        ({"commands": ["notes.write"]}, False),
        ({"effects": ["idempotent"]}, False),
        ({"agents": ["mindx"], "submitters": ["sue"], "workspaces": ["notes"], "sources": ["rule"]}, True),
        ({"roles": ["admin"]}, False),
        ({"roles": ["submitter", "admin"]}, True),
        ({"risk_at_least": "medium"}, False),
        ({"risk_at_least": "low"}, True),
        ({"tools": ["simple_coder"], "submitters": ["somebody"]}, False),
    ],
)
def test_all_of_what_is_stated_must_hold(conditions: dict[str, Any], holds: bool) -> None:
    assert met(Conditions.read(conditions), a_step(), a_plan(), restricts=True)[0] is holds


def test_what_goes_to_a_language_model_can_be_restricted() -> None:
    conditions = Conditions.read({"asks_model": True})
    assert met(conditions, a_step(touch=touch(asks_model=True)), a_plan(), restricts=True)[0]
    assert not met(conditions, a_step(), a_plan(), restricts=True)[0]


@pytest.mark.parametrize(
    ("path", "pattern", "restricted"),
    [
        ("secrets/key", "secrets/*", True),
        ("secrets", "secrets/*", True),
        ("", "secrets/*", True),  # the root is around it
        ("other/key", "secrets/*", False),
        ("deep/down", "deep/down/under/*", True),
        ("deep/downer", "deep/down/under/*", False),
    ],
)
def test_a_restricting_pattern_is_met_by_the_folder_around_it_too(path: str, pattern: str, restricted: bool) -> None:
    conditions = Conditions.read({"paths": [pattern]})
    assert met(conditions, a_step(paths=(path,)), a_plan(), restricts=True)[0] is restricted


@pytest.mark.parametrize("open_path", [{"is_unsure": True}, {"is_program": True}])
def test_a_path_that_nobody_knows_is_restricted_and_never_let_pass(open_path: dict[str, bool]) -> None:
    conditions = Conditions.read({"paths": ["notes/*"]})
    step = a_step(touch=touch("notes/a", **open_path))
    assert met(conditions, step, a_plan(), restricts=True)[0]
    assert not met(conditions, step, a_plan(), restricts=False)[0]


def test_what_lets_pass_must_fit_every_path() -> None:
    conditions = Conditions.read({"paths": ["notes/*"]})
    assert met(conditions, a_step(paths=("notes/a", "notes/b")), a_plan(), restricts=False)[0]
    assert not met(conditions, a_step(paths=("notes/a", "other")), a_plan(), restricts=False)[0]
