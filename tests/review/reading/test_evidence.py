"""Why a plan came about, as planning recorded it."""

from __future__ import annotations

from typing import Any

from agents.bdi.planning.means_ends import plan as make_plan
from agents.rules.grammar import parse
from agents.rules.selection import KnownRule
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import Belief, PlanDraft
from review.reading.evidence import why

RULES = """RULE start a project
IF your task is to start a project named {name}
CONSIDERING there is no folder named {name}
THEN: create the folder {name}
--
RULE start over
IF your task is to start a project named {name}
CONSIDERING there is a folder named {name}
THEN: list the files in {name}
"""


def evidence(*sentences: str) -> dict[str, Any]:
    rules = [KnownRule(rule.name, "1.0.0", str(7 + at), rule) for at, rule in enumerate(parse(RULES))]
    beliefs = [Belief(sentence, at="2026-11-21T09:00:00+00:00") for sentence in sentences]
    draft = make_plan("Start a project named rain", rules, beliefs, REGISTRY)
    assert isinstance(draft, PlanDraft)
    return dict(draft.evidence)


def test_rule_slots_conditions_and_the_rule_not_chosen_are_told() -> None:
    found = why(evidence("there is no folder named rain", "the machine has Python 3.11"))
    assert found is not None
    assert (found.rule, found.version, found.version_id) == ("start a project", "1.0.0", 7)
    assert found.slots == (("name", "rain"),)
    (condition,) = found.conditions
    assert condition.holds
    assert [cell.best for cell in condition.cells] == [True]
    assert found.beliefs[0].sentence == "there is no folder named rain"
    assert found.beliefs[0].at is not None
    (rejected,) = found.rejected
    assert rejected.name == "start over"
    assert rejected.why


def test_a_plan_by_hand_has_no_rule_behind_it() -> None:
    assert why({"written_by": "sue"}) is None


def test_evidence_of_any_shape_is_read_without_an_error() -> None:
    stranger: list[dict[str, Any]] = [
        {"rule": {}},
        {"rule": {"name": 3}, "contexts": "x", "beliefs": [1, None], "rejected": {}, "slots": []},
        {"rule": {}, "contexts": [{"decided_by": 9, "cells": [{"belief": "x"}, 4]}], "beliefs": [{"at": "never"}]},
        {"rule": {}, "contexts": [{"decided_by": 0, "cells": [{"belief": 0, "score": "x"}]}], "beliefs": [{}]},
    ]
    for strange in stranger:
        assert why(strange) is not None
