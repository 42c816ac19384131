"""A rule as its reader meets it, and the evidence of a run as a matrix."""

from __future__ import annotations

from agents.bdi.planning.means_ends import plan
from agents.presentation.matrix import Weighed, weighed_rules
from agents.presentation.rule_reading import numbered_lines, read_body, said_step
from agents.rules.grammar import Rule, parse
from agents.rules.linter import LintProblem
from agents.rules.selection import KnownRule
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import Belief, NoPlan, PlanDraft

RULE = """RULE greet somebody
IF your task is to greet {name}
CONSIDERING there is no file or folder named {name}
THEN:
  # So that it lasts.
  create the folder {name}
  PLAN TO sign it
  dance with {name}
ON FAILURE: remove the folder {name}
"""
SIGN = "RULE sign\nIF your task is to sign it\nTHEN: write hello to the file sign.txt\n"


def known(text: str, version: str = "1.0.0") -> KnownRule:
    rule = only(text)
    return KnownRule(rule.name, version, "1", rule)


def only(text: str) -> Rule:
    (rule,) = parse(text)
    return rule


def test_every_line_of_the_body_says_which_command_it_is() -> None:
    steps, cleanup = read_body(only(RULE), [known(SIGN)], REGISTRY)
    assert [step.call for step in steps] == ['SimpleCoder.mkdir(path="{name}")', "", ""]
    assert [step.is_known for step in steps] == [True, True, False]
    assert steps[0].why == "So that it lasts."
    assert (steps[0].effect, steps[0].line) == ("workspace", 6)
    assert steps[1].serves == "sign"
    assert [step.call for step in cleanup] == ['SimpleCoder.rm(path="{name}")']


def test_a_sub_goal_without_a_rule_is_not_known() -> None:
    steps, _ = read_body(only(RULE), [], REGISTRY)
    assert not steps[1].is_known


def test_a_planned_step_is_said_with_its_values() -> None:
    draft = plan("sign it", [known(SIGN)], [], REGISTRY)
    assert isinstance(draft, PlanDraft)
    said = said_step(draft.steps[0], REGISTRY)
    assert said.sentence == "write hello to the file sign.txt"
    assert said.call.startswith('SimpleCoder.write(path="sign.txt", content="hello"')
    assert said.rule == "sign 1.0.0"


def test_the_gravest_problem_marks_a_line() -> None:
    problems = [LintProblem("a", 2, "x", severity, "") for severity in ("hint", "error", "warning")]
    assert numbered_lines("one\ntwo", problems) == [(1, "one", ""), (2, "two", "error")]
    assert numbered_lines("", []) == [(1, "", "")]


def weighed(beliefs: list[Belief], goal: str = "greet Nora") -> list[Weighed]:
    text = RULE.replace("  PLAN TO sign it\n  dance with {name}\n", "")
    found = plan(goal, [known(text), known(text.replace("greet somebody", "greet twice"), "2.0.0")], beliefs, REGISTRY)
    assert isinstance(found, PlanDraft | NoPlan)
    return weighed_rules(found.evidence)


def test_the_matrix_holds_the_beliefs_that_say_something_and_marks_the_one_that_decides() -> None:
    first, second = weighed([Belief("The sky is blue."), Belief("The workspace is empty.")])
    assert (first.name, first.chosen, first.applicable, first.why_not) == ("greet somebody", True, True, "")
    assert [column.sentence for column in first.columns] == ["The workspace is empty."]
    assert first.silent == 1
    (row,) = first.rows
    assert row.holds
    assert [(cell.answer, cell.decides) for cell in row.cells] == [("yes", True)]
    assert first.slots == (("name", "Nora"),)
    assert (second.name, second.chosen, second.applicable) == ("greet twice", False, True)
    assert second.why_not


def test_a_condition_that_does_not_hold_says_what_speaks_against_it() -> None:
    first, _ = weighed([Belief("There is a folder named Nora.")])
    assert not first.applicable
    assert [cell.answer for cell in first.rows[0].cells] == ["no"]
    assert "Nora" in first.why_not


def test_without_beliefs_there_are_rows_without_columns() -> None:
    first, _ = weighed([])
    assert first.columns == ()
    assert not first.rows[0].holds
    assert first.rows[0].reason == "no belief says anything about it"


def test_an_unknown_goal_weighs_no_rule() -> None:
    assert weighed([], goal="paint the house") == []
