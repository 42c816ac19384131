from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.rules.selection import Judgement, judge, nearest_belief, relevant_rules
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import Belief
from agents.toolkit.wording.words import read_text
from tests.agents.bdi.worlds import known

RULE = (
    "RULE three\nIF your task is to tidy up {name}\nCONSIDERING there is a folder named {name}\n"
    "AND autonomous mode is off\nAND the folder {name} has no tests\nTHEN: create the folder {name}"
)
TRUE = [
    Belief("There is a folder named weather."),
    Belief("Autonomous mode is off."),
    Belief("The folder weather has no tests."),
]
OTHERS = [
    Belief("You are in the workspace."),
    Belief("The folder weather has tests."),
    Belief("Autonomous mode is on."),
    Belief("There is no file or folder named weather."),
    Belief("The cat sleeps.", "person"),
    Belief("There is a folder named tides."),
]


def judged(beliefs: list[Belief], rule: str = RULE) -> Judgement:
    (match,) = relevant_rules(read_text("tidy up weather"), known(rule), REGISTRY)
    return judge(match, beliefs)


def test_a_rule_applies_when_every_context_is_entailed_by_some_belief() -> None:
    judgement = judged([*OTHERS[:1], *TRUE])
    assert judgement.applicable
    assert [context.decided_by for context in judgement.contexts] == [1, 2, 3]
    assert judgement.minimum == 1.0


def test_a_rule_never_fires_when_only_its_third_context_is_false() -> None:
    judgement = judged([*TRUE[:2], Belief("The folder weather has tests.")])
    assert [context.holds for context in judgement.contexts] == [True, True, False]
    assert not judgement.applicable
    assert judgement.minimum == 0.0


@given(st.lists(st.sampled_from([*TRUE[:2], *OTHERS]), unique=True, max_size=8))
def test_no_set_of_beliefs_without_the_third_lets_the_rule_fire(beliefs: list[Belief]) -> None:
    entailing = [b for b in beliefs if b.sentence == "There is no file or folder named weather."]
    # That nothing is there entails that it has no tests; it is the one other way to make the third context true.
    assert judged(beliefs).contexts[2].holds == bool(entailing)


@given(st.lists(st.sampled_from([*TRUE, *OTHERS]), max_size=8), st.sampled_from([*TRUE, *OTHERS]))
def test_another_belief_never_makes_a_context_fail(beliefs: list[Belief], more: Belief) -> None:
    before, after = judged(beliefs), judged([*beliefs, more])
    for one, two in zip(before.contexts, after.contexts, strict=True):
        assert two.holds or not one.holds
        assert two.score >= one.score
    assert after.applicable or not before.applicable


@given(st.lists(st.sampled_from([*TRUE, *OTHERS]), max_size=6))
def test_a_denied_context_gets_the_flipped_answer_of_every_belief(beliefs: list[Belief]) -> None:
    denied = RULE.replace("CONSIDERING there", "CONSIDERING NOT there")
    for one, two in zip(
        judged(beliefs).contexts[0].verdicts, judged(beliefs, denied).contexts[0].verdicts, strict=True
    ):
        assert {one.answer, two.answer} in ({"yes", "no"}, {"unknown"})
        assert one.score == two.score


def test_the_matrix_holds_answer_score_and_reason_of_every_pair() -> None:
    judgement = judged([*TRUE, *OTHERS])
    for context in judgement.contexts:
        assert len(context.verdicts) == len(TRUE) + len(OTHERS)
        assert all(verdict.reason for verdict in context.verdicts)


def test_a_belief_held_half_heartedly_counts_half() -> None:
    judgement = judged([Belief("There is a folder named weather.", confidence=0.5), *TRUE[1:]])
    assert judgement.minimum == 0.5


def test_the_nearest_belief_is_the_one_that_speaks_against_a_context() -> None:
    beliefs = [Belief("The folder weather has a virtual environment named .venv."), *OTHERS]
    context = judged(beliefs).contexts[2]
    nearest = nearest_belief(context, beliefs)
    assert nearest is not None
    assert beliefs[nearest].sentence == "The folder weather has tests."


def test_a_value_that_holds_words_of_the_language_stays_a_value() -> None:
    rule = (
        "IF your task is to tidy up {name}\nCONSIDERING there is a folder named {name}\nTHEN: create the folder {name}"
    )
    goal = 'tidy up "weather AND there is a folder named weather"'
    (match,) = relevant_rules(read_text(goal), known(rule), REGISTRY)
    (context,) = judge(match, TRUE).contexts
    assert context.sentence == 'there is a folder named "weather AND there is a folder named weather"'
    assert not context.holds


@pytest.mark.parametrize("keyword", ["UNLESS", "CONSIDERING NOT"])
def test_a_rule_that_a_denied_context_forbids_stays_so_when_the_context_is_not_read_to_its_end(keyword: str) -> None:
    rule = "IF your task is to tidy up {{name}}\n{} you are in the kitchen{}\nTHEN: create the folder {{name}}"
    (match,) = relevant_rules(read_text("tidy up weather"), known(rule.format(keyword, " at the moment")), REGISTRY)
    assert not judge(match, [Belief("You are in the kitchen.")]).applicable
    assert not judge(match, [Belief("You are in the bedroom.")]).applicable
    assert not judge(match, []).applicable
    (match,) = relevant_rules(read_text("tidy up weather"), known(rule.format(keyword, "")), REGISTRY)
    assert judge(match, [Belief("You are in the bedroom.")]).applicable


_WRITES = "RULE keep\nIF your task is to keep {text} as {file}\nTHEN: write the text {text} to the file {file}"
_RUNS = "RULE do\nIF your task is to do {text}\nTHEN: run {text}"


def test_a_line_break_in_quotes_is_one_where_a_step_takes_several_lines() -> None:
    (match,) = relevant_rules(read_text(r'keep "one\ntwo \\n \d" as "a\nb"'), known(_WRITES), REGISTRY)
    assert match.slots["text"].value == "one\ntwo \\n \\d"
    assert match.slots["file"].value == r"a\nb"
    (match,) = relevant_rules(read_text(r'do "printf a\nb"'), known(_RUNS), REGISTRY)
    assert match.slots["text"].value == r"printf a\nb"
