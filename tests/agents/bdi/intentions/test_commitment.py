from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.beliefs.perception import perceive
from agents.bdi.intentions.commitment import Commitment, Course, Situation, in_words, reconsider
from agents.bdi.intentions.premises import Ground, Loss, begun, grounds_of, losses
from agents.bdi.planning import means_ends
from agents.bdi.plans.document import CommandFacts, specs
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import Belief, PlanDraft
from tests.agents.bdi.worlds import known, world

RULES = known(
    """
RULE start a project
IF your task is to start a project named {name}
CONSIDERING there is no folder named {name}
AND the network is up
AND there is a file named plan.txt
THEN: create the folder {name}, PLAN TO fill the folder {name}, remove plan.txt
--
RULE fill
IF your task is to fill the folder {name}
CONSIDERING there is a folder named {name}
THEN: write "one" to the file {name}/one.txt, write "two" to the file {name}/two.txt
"""
)
UP = Belief("The network is up.", "person")
LOSS = Loss(Ground("the network is up", "start a project", 3, (UP.sentence,), told=True), None)
SAID = {
    "achieved": Belief("The goal is achieved.", "person"),
    "impossible": Belief("The goal is impossible.", "person"),
    "unwanted": Belief("The goal is not wanted.", "person"),
}


def _planned() -> tuple[PlanDraft, list[Belief]]:
    beliefs = perceive(world("plan.txt", told=(UP,)))
    draft = means_ends.plan("Start a project named tides", RULES, beliefs, REGISTRY)
    assert isinstance(draft, PlanDraft), draft
    return draft, beliefs


def test_a_plan_stands_on_the_contexts_of_its_rules_as_far_as_its_own_steps_leave_them() -> None:
    draft, _ = _planned()
    start, fill = "start a project 1.0.0", "fill 1.0.0"
    assert [step.rule for step in draft.steps] == [start, fill, fill, start]
    grounds = grounds_of(draft.evidence, [step.rule for step in draft.steps])
    facts = [CommandFacts("workspace", {}, (), "said", (), None) for _ in draft.steps]
    document = specs(draft.steps, facts)
    standing = begun(grounds)
    due = [sorted(ground.sentence for ground in standing.expected(1))]
    for spec in document:
        standing = standing.after(spec, REGISTRY)
        due.append(sorted(ground.sentence for ground in standing.expected(spec.position + 1)))
    always = ["the network is up", "there is a file named plan.txt"]
    assert [[said for said in each if "tides" not in said] for each in due] == [always, always, always, always, []]
    # Its own first step makes the first context false and that of its sub-goal true, until the sub-goal is over.
    tides = [[said for said in each if "tides" in said] for each in due]
    assert tides[0] == ["there is no folder named tides"]
    assert tides[1] == tides[2] == ["there is a folder named tides"]
    assert tides[3] == tides[4] == []


def test_what_was_told_is_gone_when_nobody_says_so_and_what_was_seen_when_something_speaks_against_it() -> None:
    draft, beliefs = _planned()
    expected = begun(grounds_of(draft.evidence, [step.rule for step in draft.steps])).expected(1)
    assert losses(expected, beliefs) == ()
    (told,) = losses(expected, [each for each in beliefs if each is not UP and each.sentence != UP.sentence])
    assert (told.ground.sentence, told.against) == ("the network is up", None)
    # Nothing is known any more of what was seen: silence is no reason.
    assert {loss.ground.sentence for loss in losses(expected, [UP])} == set()
    gone = perceive(world(told=(UP,)))
    (seen,) = losses(expected, gone)
    assert seen.ground.sentence == "there is a file named plan.txt"
    assert seen.against in gone


def test_evidence_that_is_not_a_rules_holds_no_grounds() -> None:
    assert grounds_of({"written_by": "olga", "beliefs": 7, "subgoals": [3], "contexts": "x"}, ["", ""]) == ()


@pytest.mark.parametrize(
    ("kind", "courses"),
    [
        (Commitment.BLIND, {"achieved": "achieved", "impossible": "go_on", "unwanted": "go_on", "lost": "go_on"}),
        (
            Commitment.SINGLE_MINDED,
            {"achieved": "achieved", "impossible": "drop", "unwanted": "go_on", "lost": "go_on"},
        ),
        (
            Commitment.OPEN_MINDED,
            {"achieved": "achieved", "impossible": "drop", "unwanted": "drop", "lost": "plan_again"},
        ),
    ],
)
def test_each_kind_of_commitment_lets_go_for_its_own_reasons(kind: Commitment, courses: dict[str, str]) -> None:
    for word, course in courses.items():
        situation = Situation((LOSS,)) if word == "lost" else Situation(about_goal=(SAID[word],))
        decided = reconsider(kind, situation)
        assert decided.course == course, word
        assert decided.data["commitment"] == kind
        if course != "go_on":
            assert (SAID[word].sentence if word != "lost" else "the network is up") in decided.why


def test_what_a_commitment_does_not_look_at_is_named_all_the_same() -> None:
    decided = reconsider(Commitment.SINGLE_MINDED, Situation((LOSS,)))
    assert decided.why == (
        "the plan depended on “the network is up”, which nothing supports any more; a single-minded agent goes on"
    )
    assert decided.data["lost"][0]["context"] == "the network is up"


@pytest.mark.parametrize("kind", list(Commitment))
def test_what_another_goal_has_taken_over_is_dropped_whatever_is_believed_of_it(kind: Commitment) -> None:
    decided = reconsider(kind, Situation((LOSS,), (SAID["achieved"],), superseded="goal 7 does it"))
    assert (decided.course, decided.why) == (Course.DROP, "it is not needed any more: goal 7 does it")


@pytest.mark.parametrize("kind", list(Commitment))
def test_while_everything_holds_the_agent_goes_on_and_says_so(kind: Commitment) -> None:
    decided = reconsider(kind, Situation())
    assert (decided.course, decided.why) == (Course.GO_ON, "what the plan depends on still holds")
    assert decided.data == {"course": "go_on", "commitment": kind.value}


def test_what_is_gone_is_told_in_one_sentence_with_what_speaks_against_it_and_how_much_more_there_is() -> None:
    there = Belief("There is a folder named tides.", "perception")
    against = Loss(Ground("NOT there is a folder named tides.", "start a project", 1, (), told=False), there)
    stood = "the plan depended on “not: there is a folder named tides”: now There is a folder named tides."
    assert in_words((against,)) == stood
    assert in_words((against, LOSS)) == f"{stood}, and 1 more"
    assert in_words((against, LOSS, LOSS)) == f"{stood}, and 2 more"
    decided = reconsider(Commitment.OPEN_MINDED, Situation((against, LOSS)))
    assert [one["against"] for one in decided.data["lost"]] == [there.sentence, None]


def test_a_deadline_that_has_passed_makes_a_goal_impossible() -> None:
    situation = Situation(impossible="its deadline passed at 12:00")
    assert reconsider(Commitment.SINGLE_MINDED, situation).course == Course.DROP
    assert reconsider(Commitment.BLIND, situation).course == Course.GO_ON


@given(
    st.lists(st.sampled_from(sorted(SAID)), unique=True), st.booleans(), st.sampled_from(["", "its deadline passed"])
)
def test_who_is_more_open_lets_go_whenever_who_is_less_open_does(said: list[str], lost: bool, late: str) -> None:
    situation = Situation((LOSS,) if lost else (), tuple(SAID[word] for word in said), late)
    blind, single, open_minded = (reconsider(kind, situation).course for kind in Commitment)
    assert (blind is Course.GO_ON) or single is blind
    assert (single is Course.GO_ON) or open_minded is single
