from __future__ import annotations

import pytest

from agents.bdi.beliefs.perception import perceive
from agents.bdi.planning import levels
from agents.bdi.planning.means_ends import plan
from agents.rules.cascade import Likelihood
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import NoPlan, PlanDraft
from tests.agents.bdi.worlds import known, world
from tests.agents.rules.test_cascade import Model

TWO = """
RULE keep a note in a folder
IF your task is to keep the note {name}
CONSIDERING there is no folder named {name}
THEN: create the folder {name}
--
RULE keep a note as a file
IF your task is to keep the note {name}
THEN: write "kept" to the file {name}.txt
--
RULE keep a note where it is
IF your task is to keep the note {name}
CONSIDERING there is a folder named {name}
THEN: go to the folder {name}
--
RULE tidy up
IF your task is to tidy up
THEN: PLAN TO keep the note one, PLAN TO keep the note two
"""
GOAL = "keep the note tides"
EMPTY = perceive(world())


def drafted(goal: str = GOAL, **parts: object) -> PlanDraft:
    found = plan(goal, known(TWO), EMPTY, REGISTRY, **parts)  # type: ignore[arg-type]
    assert isinstance(found, PlanDraft), found
    return found


def selected(goal: str = GOAL) -> levels.Selection:
    return levels.selection_of(drafted(goal).evidence, ["a step"])


def test_a_choice_shows_every_relevant_rule_with_its_score_and_what_decided_it() -> None:
    (choice,) = selected().choices
    assert choice.chosen == "id of keep a note in a folder"
    chosen, applies, applies_not = choice.rules
    assert [rule.choosable for rule in choice.rules] == [True, True, False]
    assert (chosen.name, chosen.why) == ("keep a note in a folder", "")
    assert chosen.score > 0
    assert [(one.holds, bool(one.belief)) for one in chosen.conditions] == [(True, True)]
    assert "more specific" in applies.why
    assert applies_not.name == "keep a note where it is"
    assert not applies_not.conditions[0].holds
    assert applies_not.why


def test_a_condition_that_no_model_was_asked_about_is_said_to_be_left_out() -> None:
    rules = known(
        TWO.replace("CONSIDERING there is a folder named {name}", "CONSIDERING the sun shines\nAND it is May")
    )
    found = plan(GOAL, rules, EMPTY, REGISTRY, judge_by=[Model(Likelihood(0.0, 1.0, 0.0))])
    assert isinstance(found, PlanDraft)
    selection = levels.selection_of(found.evidence, ["a step"])
    conditions = selection.choices[0].rules[-1].conditions
    assert [(one.holds, one.left_out) for one in conditions] == [(False, False), (False, True)]
    assert levels.read_selection(levels.write_selection(1, selection)) == selection


def test_what_was_written_is_read_again_and_other_bytes_are_refused() -> None:
    selection = selected("tidy up")
    data = levels.write_selection(7, selection)
    assert levels.read_selection(data) == selection
    assert levels.read_design(levels.write_design(7, "Use one folder")) == "Use one folder"
    for other in (b"", b"[]", b"\xff", levels.write_design(7, "x")):
        with pytest.raises(ValueError, match="not a"):
            levels.read_selection(other)
    with pytest.raises(ValueError, match="not a"):
        levels.read_design(data)


def test_the_rule_that_a_reviewer_chose_is_the_one_that_is_planned_with() -> None:
    selection = selected()
    wanted = {selection.choices[0].key: "id of keep a note as a file"}
    draft = drafted(chosen=levels.chosen_instead(selection, wanted))
    assert [step.command for step in draft.steps] == ["write"]
    assert draft.evidence["rule"]["name"] == "keep a note as a file"
    assert [step.command for step in drafted(chosen=levels.confirmed(selection)).steps] == ["mkdir"]


def test_a_sub_goals_rule_can_be_chosen_too_and_the_other_sub_goal_keeps_its_own() -> None:
    selection = selected("tidy up")
    assert [choice.depth for choice in selection.choices] == [0, 1, 1]
    second = selection.choices[2].key
    chosen = levels.chosen_instead(selection, {second: "id of keep a note as a file"})
    assert [step.command for step in drafted("tidy up", chosen=chosen).steps] == ["mkdir", "write"]


@pytest.mark.parametrize("version_id", ["id of keep a note where it is", "id of tidy up", ""])
def test_a_rule_that_does_not_apply_cannot_be_chosen(version_id: str) -> None:
    selection = selected()
    with pytest.raises(ValueError, match="apply"):
        levels.chosen_instead(selection, {selection.choices[0].key: version_id})
    with pytest.raises(ValueError, match="apply"):
        levels.chosen_instead(selection, {"another goal": selection.choices[0].chosen})


def test_a_chosen_rule_that_no_longer_applies_makes_no_plan_instead_of_another_one() -> None:
    key = selected().choices[0].key
    found = plan(GOAL, known(TWO), EMPTY, REGISTRY, chosen={key: "id of keep a note where it is"})
    assert isinstance(found, NoPlan)


def test_a_design_is_taken_apart_into_its_statements() -> None:
    text = "# The way\n\n- Use one folder\n 2. There is no folder named x\n- Use one folder\n-not a mark\n"
    assert levels.statements(text) == ("The way", "Use one folder", "There is no folder named x", "-not a mark")
