from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.rules.grammar import RuleSyntaxError, parse, read

OWN = """RULE start a python project
IF your task is to create a python project named {name}
CONSIDERING there is no folder named {name}
THEN: create the folder {name}, go to the folder {name}, PLAN TO set up a virtual environment
ON FAILURE: remove the folder {name}
"""


def test_a_rule_as_the_design_writes_it_is_read() -> None:
    (rule,) = parse(OWN)
    assert rule.name == "start a python project"
    assert [trigger.text for trigger in rule.triggers] == ["create a python project named {name}"]
    assert [str(context) for context in rule.contexts] == ["there is no folder named {name}"]
    assert [(line.text, line.subgoal, line.line) for line in rule.body] == [
        ("create the folder {name}", False, 4),
        ("go to the folder {name}", False, 4),
        ("set up a virtual environment", True, 4),
    ]
    assert [line.text for line in rule.on_failure] == ["remove the folder {name}"]


def test_the_original_form_is_read_with_its_separators() -> None:
    first, second = parse(
        "IF your goal is to get the metal pot CONSIDERING you are in the kitchen AND you see the cupboard closed "
        "THEN open the cupboard, take the metal pot\n--\nIF your goal is to melt water\nTHEN:\n"
        "PLAN TO get the metal pot\npick up thermometer\n"
    )
    assert first.name == "get the metal pot"
    assert [str(context) for context in first.contexts] == ["you are in the kitchen", "you see the cupboard closed"]
    assert [line.text for line in first.body] == ["open the cupboard", "take the metal pot"]
    assert [(line.text, line.subgoal) for line in second.body] == [
        ("get the metal pot", True),
        ("pick up thermometer", False),
    ]


def test_commas_and_keywords_inside_quotes_are_text() -> None:
    (rule,) = parse("IF your task is to x\nTHEN: write \"a, b AND THEN c\" to the file x, say '1, 2', z")
    assert [line.text for line in rule.body] == ['write "a, b AND THEN c" to the file x', "say '1, 2'", "z"]


def test_not_and_unless_deny_one_context_each() -> None:
    (rule,) = parse("IF your task is to x CONSIDERING a AND NOT b UNLESS c UNLESS d THEN: y")
    assert [str(context) for context in rule.contexts] == ["a", "NOT b", "NOT c", "NOT d"]


def test_other_wordings_follow_with_or() -> None:
    (rule,) = parse("IF your task is to make {a}\nOR your task is to build {a}\nTHEN: y")
    assert [(trigger.text, trigger.line) for trigger in rule.triggers] == [("make {a}", 1), ("build {a}", 2)]


def test_a_comment_above_a_step_says_why_it_is_there() -> None:
    (rule,) = parse("# about this file\nIF your task is to x\nTHEN:\n  # first,\n  # because\n  one\n  two")
    assert [(line.text, line.why) for line in rule.body] == [("one", "first, because"), ("two", "")]


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        ("IF your task is to go\nTHEN: b\nIF your task is to c\nTHEN: d", 3, "missing_separator"),
        ("IF your task is to go\nCONSIDERING x\nIF your task is to c\nTHEN: d", 3, "missing_separator"),
        ("RULE r\nCONSIDERING x\nTHEN: d", 2, "no_trigger"),
        ("RULE r", 1, "no_trigger"),
        ("if your task is to go\nthen: b", 1, "no_trigger"),
        ("IF your task is to go", 1, "no_body"),
        ("IF your task is to go\nTHEN:", 2, "no_body"),
        ("IF your task is to go\nTHEN: b\nON FAILURE:", 3, "no_body"),
        ("IF your task is to go\nTHEN: b\nCONSIDERING c", 3, "order"),
        ("IF your task is to go\nTHEN: b AND c", 2, "order"),
        ("IF your task is to go\nCONSIDERING b\nCONSIDERING c\nTHEN: d", 3, "order"),
        ("IF your task is to go UNLESS b AND c THEN: d", 1, "unclear_unless"),
        ("IF your task is to go UNLESS NOT b THEN: d", 1, "double_negation"),
        ("IF your task is to go CONSIDERING AND b THEN: d", 1, "no_context"),
        ("IF your task is to go\nTHEN: PLAN TO", 2, "no_subgoal"),
        ("IF your task is to go\nTHEN: b\nON FAILURE: PLAN TO c", 3, "subgoal_in_clean_up"),
        ('IF your task is to go\nTHEN: write "b to the file c', 2, "open_quote"),
        ("IF your task is to [a\nTHEN: b", 1, "trigger"),
        ("IF your task is to\nTHEN: b", 1, "no_trigger"),
        ("RULE\nIF your task is to a\nTHEN: b", 1, "no_name"),
        ("", 1, "empty"),
        ("# nothing but words about rules", 1, "empty"),
        ("IF your task is to a\nTHEN: b\x00", 2, "control_character"),
        ("PRIORITY 5\nTHEN: b", 2, "no_trigger"),
        ("PRIORITY 5", 1, "no_trigger"),
        ("IF your task is to go\nPRIORITY\nTHEN: b", 2, "priority"),
        ("IF your task is to go\nPRIORITY high\nTHEN: b", 2, "priority"),
        ("IF your task is to go\nPRIORITY 1.5\nTHEN: b", 2, "priority"),
        ("IF your task is to go\nPRIORITY 101\nTHEN: b", 2, "priority"),
        ("IF your task is to go\nPRIORITY -101\nTHEN: b", 2, "priority"),
        ("PRIORITY 1\nIF your task is to go\nPRIORITY 1\nTHEN: b", 3, "priority"),
        ("IF your task is to go\nTHEN: b\nPRIORITY 1", 3, "order"),
        ("IF your task is to go\nPRIORITY 1\nIF your task is to run\nTHEN: b", 3, "missing_separator"),
        ("IF your task is to go CONSIDERING b IF your\ntask is to run\nTHEN: c", 1, "broken_keyword"),
        ("IF your task is to go\nTHEN:\na, RULE b", 3, "misplaced"),
        ("IF your task is to go\nTHEN:\na, --", 3, "misplaced"),
        ("IF your task is to go\nTHEN: b, # a", 2, "misplaced"),
        ('IF your task is to go\nTHEN: a,"b', 2, "open_quote"),
    ],
)
def test_a_fault_is_named_with_its_line(text: str, line: int, code: str) -> None:
    with pytest.raises(RuleSyntaxError) as caught:
        parse(text)
    assert (caught.value.line, caught.value.code) == (line, code)
    assert str(caught.value).startswith(f"line {line}: ")


@pytest.mark.parametrize(
    ("text", "priority"),
    [
        ("RULE r\nPRIORITY 10\nIF your task is to go\nTHEN: b", 10),
        ("IF your task is to go\n  PRIORITY: -100\nTHEN: b", -100),
        ("IF your task is to go CONSIDERING b\nPRIORITY +7\nAND c\nTHEN: d", 7),
        ("IF your task is to go CONSIDERING b PRIORITY\nTHEN: c", 0),
        ("IF your task is to go\nTHEN: b", 0),
    ],
)
def test_a_priority_stands_on_a_line_of_its_own_before_the_steps(text: str, priority: int) -> None:
    (rule,) = parse(text)
    assert rule.priority == priority


def test_a_faulty_rule_does_not_take_the_others_with_it() -> None:
    rules, errors = read(OWN + "--\nIF your task is to b\n--\nIF your task is to c\nTHEN: d")
    assert [rule.name for rule in rules] == ["start a python project", "c"]
    assert [(error.line, error.code) for error in errors] == [(7, "no_body")]


def test_a_line_of_many_quotations_is_read_in_no_time() -> None:
    (rule,) = parse("IF your task is to go\nTHEN: " + 'say "," ,' * 10_000)
    assert len(rule.body) == 10_000


def test_a_new_rule_line_parts_rules_too() -> None:
    assert [rule.name for rule in parse(OWN + OWN.replace("start", "begin"))] == [
        "start a python project",
        "begin a python project",
    ]


_PIECES = [
    *"ab{}[]()|\"'\\,:#-\n \t“",
    "IF your task is to ",
    "THEN:",
    "AND ",
    "\n--\n",
    "UNLESS ",
    "ON FAILURE:",
    "RULE ",
    "\nPRIORITY 1\n",
]


@given(st.lists(st.sampled_from(_PIECES), max_size=40).map("".join))
def test_no_text_makes_the_reader_fall_over(text: str) -> None:
    rules, errors = read(text)
    assert rules or errors
    assert all(error.line >= 1 for error in errors)
