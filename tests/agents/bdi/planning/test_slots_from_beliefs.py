"""Slots that the task does not say and a context finds in a belief: what is tried, in which order, and what is kept."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.beliefs.perception import perceive
from agents.bdi.planning.means_ends import plan
from agents.bdi.plans.validation import validate
from agents.environments.beliefs import Beliefs
from agents.environments.choosing import Library, goal_text
from agents.environments.entailing import cascade, structured
from agents.rules.binding import MAX_MATCHES, MAX_NEARLY
from agents.rules.cascade import Likelihood
from agents.rules.grammar import parse
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import Belief, NoPlan, PlanDraft
from tests.agents.bdi.worlds import known, world
from tests.agents.rules.test_cascade import Model

TAKE = (
    "RULE take\nIF your task is to tidy up\nCONSIDERING you see a {thing} on the {place}\nAND the {place} is open\n"
    "THEN: create the folder {place}, write {thing} to the file list\n"
)
SEEN = [
    Belief("You see a metal pot on the table."),
    Belief("You see the cup on the shelf."),
    Belief("The shelf is open."),
    Belief("The table is closed."),
]


def outcome(rules: str, beliefs: list[Belief], goal: str = "tidy up") -> PlanDraft | NoPlan:
    return plan(goal, known(rules), beliefs, REGISTRY)


def drafted(rules: str, beliefs: list[Belief], goal: str = "tidy up") -> PlanDraft:
    found = outcome(rules, beliefs, goal)
    assert isinstance(found, PlanDraft), found.evidence["rejected"]
    assert validate(found.steps, found.cleanup, REGISTRY) == []
    return found


def values(draft: PlanDraft) -> list[dict[str, Any]]:
    return [step.values() for step in draft.steps]


def test_the_first_match_with_which_all_contexts_hold_gives_the_values() -> None:
    draft = drafted(TAKE, SEEN)
    assert (draft.steps[0].values()["path"], draft.steps[1].values()["content"]) == ("shelf", "cup")
    assert [context["sentence"] for context in draft.evidence["contexts"]] == [
        "you see a cup on the shelf",
        "the shelf is open",
    ]
    assert [context["holds"] for context in draft.evidence["contexts"]] == [True, True]
    assert drafted(TAKE.replace("open", "closed"), SEEN).steps[1].values()["content"] == "metal pot"


def test_reviewers_see_which_belief_gave_a_value() -> None:
    param = drafted(TAKE, SEEN).steps[0].params["path"]
    assert (param.origin, param.span) == ("belief", None)
    assert param.note == "filled from {place}, as the belief “You see the cup on the shelf.” says"
    assert drafted(TAKE, SEEN).evidence["slots"]["thing"]["belief"] == "You see the cup on the shelf."


def test_when_no_match_fits_the_reason_is_that_of_the_nearest_one() -> None:
    no = outcome(TAKE, SEEN[:2])
    assert isinstance(no, NoPlan)
    (rejected,) = no.evidence["rejected"]
    assert rejected["why"] == "nothing shows that the table is open (match 1 of 2 with beliefs)"
    (rejected,) = outcome(TAKE, []).evidence["rejected"]
    assert rejected["why"] == "nothing shows that you see a {thing} on the {place}"


def test_when_the_body_cannot_be_planned_with_one_match_the_next_is_tried() -> None:
    rules = (
        "RULE outer\nIF your task is to tidy up\nCONSIDERING you see a {thing}\nTHEN: PLAN TO wash {thing}\n"
        "RULE wash\nIF your task is to wash {thing}\nCONSIDERING {thing} is dirty\nTHEN: write {thing} to the file x\n"
    )
    seen = [Belief("You see the pot."), Belief("You see the cup."), Belief("You see the pan.")]
    draft = drafted(rules, [*seen, Belief("Cup is dirty.")])
    assert draft.steps[0].values()["content"] == "cup"
    assert draft.steps[0].params["content"].origin == "belief", "the value reaches the sub-goal with its belief"
    assert [one["rule"]["name"] for one in draft.evidence["relevant"]] == ["outer"], "a rule is named once"
    no = outcome(rules, seen)
    assert isinstance(no, NoPlan)
    assert "(match 3 of 3 with beliefs)" in no.evidence["rejected"][0]["why"]


def test_what_the_goal_says_is_never_taken_from_a_belief() -> None:
    rules = (
        "RULE r\nIF your task is to take {thing} [from {place}]\nCONSIDERING you see a {thing} on the {place}\n"
        "AND the {place} belongs to {owner}\nTHEN: create the folder {place}, write {owner} to the file {thing}\n"
    )
    beliefs = [*SEEN, Belief("The shelf belongs to Nora."), Belief("The table belongs to Olaf.")]
    assert drafted(rules, beliefs, "take cup from shelf").steps[1].values()["content"] == "Nora"
    assert isinstance(outcome(rules, beliefs, "take cup from table"), NoPlan)
    # The task may say the place, so without it the rule cannot be used.
    assert isinstance(outcome(rules, beliefs, "take cup"), NoPlan)


def test_two_contexts_agree_on_a_slot_that_both_name_first() -> None:
    rules = (
        "RULE r\nIF your task is to tidy up\nCONSIDERING you see a {thing} on the {place}\n"
        "AND the {place} belongs to {owner}\nTHEN: write {thing} to the file {owner}\n"
    )
    beliefs = [*SEEN, Belief("The bed belongs to Olaf."), Belief("The shelf belongs to Nora.")]
    assert drafted(rules, beliefs).steps[0].values()["path"] == "Nora"


def test_files_of_a_list_are_matches_seen_from_the_current_folder() -> None:
    rules = (
        "RULE r\nIF your task is to show a file\nCONSIDERING there is a file named {file}\nTHEN: read the file {file}\n"
    )
    assert drafted(rules, perceive(world("notes.txt")), "show a file").steps[0].values()["path"] == "notes.txt"
    inner = perceive(world("a.txt", "weather/", 'weather/my "b".txt', folder="weather"))
    assert drafted(rules, inner, "show a file").steps[0].values()["path"] == 'my "b".txt'


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "-rf", "a\u202eb"])
def test_a_belief_never_gives_a_path_that_a_goal_may_not_give(name: str) -> None:
    rules = "RULE r\nIF your task is to tidy up\nCONSIDERING you see the thing {file}\nTHEN: read the file {file}\n"
    no = outcome(rules, [Belief(f"You see the thing {name}.")])
    assert isinstance(no, NoPlan)
    assert drafted(rules, [Belief(f"You see the thing {name}."), Belief("You see the thing b.")])


def test_a_belief_is_one_argument_and_never_a_command_line_or_a_host() -> None:
    head = "RULE r\nIF your task is to tidy up\nCONSIDERING you see {thing}\n"
    belief = [Belief('You see "x; rm -rf *".')]
    line = drafted(head + "THEN: run echo {thing}", belief).steps[0].values()["command_line"]
    assert line == "echo 'x; rm -rf *'"
    inner = "RULE s\nIF your task is to do {text}\nTHEN: run {text}\n"
    host = [Belief("You see example.org.")]
    for body, seen in (
        ("run {thing}", belief),
        ("run {thing} --version", belief),
        ("run ./{thing}", belief),
        ("run x with access to {thing}", host),
        ("PLAN TO do {thing}", belief),
        ("PLAN TO do echo {thing}", belief),
    ):
        no = outcome(f"{head}THEN: {body}\n{inner}", seen)
        assert isinstance(no, NoPlan), body
        assert "never is a program or a host" in str(no.evidence["rejected"][0]["why"])


def test_only_so_many_matches_are_tried_and_the_reason_says_so() -> None:
    seen = [Belief(f"You see the cup {n} on the shelf{n}.") for n in range(MAX_MATCHES + 50)]
    assert isinstance(outcome(TAKE, [*seen, Belief(f"The shelf{MAX_MATCHES - 1} is open.")]), PlanDraft)
    no = outcome(TAKE, [*seen, Belief(f"The shelf{MAX_MATCHES} is open.")])
    assert isinstance(no, NoPlan)
    assert f"match 1 of {MAX_MATCHES} with beliefs; only the first {MAX_MATCHES} are tried" in str(
        no.evidence["rejected"][0]["why"]
    )


def test_what_does_not_agree_with_the_goal_or_another_context_is_no_match_that_counts() -> None:
    others = [Belief(f"You see the cup{n} on the shelf{n}.") for n in range(MAX_MATCHES + 50)]
    said = (
        "RULE r\nIF your task is to look at {place}\nCONSIDERING you see a {thing} on the {place}\n"
        "THEN: write {thing} to the file {place}\n"
    )
    assert drafted(said, [*others, Belief("You see the pot on the bed.")], "look at bed").evidence["rejected"] == []
    agreed = (
        "RULE r\nIF your task is to tidy up\nCONSIDERING the {place} belongs to {owner}\n"
        "AND you see a {thing} on the {place}\nTHEN: write {thing} to the file {owner}\n"
    )
    beliefs = [*others, Belief("You see the pot on the bed."), Belief("The bed belongs to Nora.")]
    assert drafted(agreed, beliefs).steps[0].values()["content"] == "pot"


_THINGS = st.sampled_from(["pot", "cup", "metal pot", "x; rm"])
_PLACES = st.sampled_from(["table", "shelf", "box"])
_BELIEFS = st.lists(
    st.builds("You see the {} on the {}.".format, _THINGS, _PLACES)
    | st.builds("The {} is {}.".format, _PLACES, st.sampled_from(["open", "closed"])),
    max_size=8,
)


@given(_BELIEFS)
def test_values_from_beliefs_make_every_context_hold_and_are_found_when_any_do(said: list[str]) -> None:
    found = outcome(TAKE, [Belief(sentence) for sentence in said])
    fitting = {
        (thing, place)
        # What is no plain words is quoted in a context, and then no belief without the quotes says the same.
        for thing in ("pot", "cup", "metal pot")
        for place in ("table", "shelf", "box")
        if f"You see the {thing} on the {place}." in said and f"The {place} is open." in said
    }
    assert isinstance(found, PlanDraft) == bool(fitting)
    if isinstance(found, PlanDraft):
        slots = found.evidence["slots"]
        assert (slots["thing"]["value"], slots["place"]["value"]) in fitting
        assert all(context["holds"] for context in found.evidence["contexts"])


GROWS = (
    "RULE pick\nIF your task is to tidy up\nCONSIDERING a {kind} tree grows in the {pot}\n"
    "THEN: write {kind} to the file {pot}\n"
)
PLANTED = [
    Belief("The gate is open."),
    Belief("You see a lemon tree in the saucer."),
]


def judged_by(model: Model, rules: str, beliefs: list[Belief]) -> PlanDraft | NoPlan:
    return plan("tidy up", known(rules), beliefs, REGISTRY, judge_by=[model])


def test_a_model_is_asked_with_the_values_of_a_belief_that_says_a_context_in_part() -> None:
    model = Model()
    draft = judged_by(model, GROWS, PLANTED)
    assert isinstance(draft, PlanDraft), draft.evidence["rejected"]
    assert (draft.steps[0].values()["path"], draft.steps[0].values()["content"]) == ("saucer", "lemon")
    assert model.asked == [("You see a lemon tree in the saucer.", "a lemon tree grows in the saucer")]
    assert draft.evidence["slots"]["kind"]["belief"] == "You see a lemon tree in the saucer."


def test_what_a_belief_says_in_part_is_no_match_when_no_model_confirms_it() -> None:
    assert isinstance(judged_by(Model(Likelihood(0.0, 1.0, 0.0)), GROWS, PLANTED), NoPlan)
    (rejected,) = outcome(GROWS, PLANTED).evidence["rejected"]
    assert rejected["why"] == "nothing shows that a {kind} tree grows in the {pot}"


def test_what_a_belief_says_in_full_is_taken_alone() -> None:
    model = Model()
    beliefs = [*PLANTED, Belief("A plum tree grows in the tub.")]
    draft = judged_by(model, GROWS, beliefs)
    assert isinstance(draft, PlanDraft)
    assert (draft.steps[0].values()["path"], model.asked) == ("tub", [])


@pytest.mark.parametrize(
    "context",
    [
        "{kind} grows in the {pot}",  # “in” alone says nothing about what it is about
        "a {kind} called {pot} in the saucer",  # nothing would part both values
        "NOT a {kind} tree grows in the {pot}",
        "a ({kind} or wild) tree grows in the {pot}",  # one end of the brackets is left out
    ],
)
def test_too_little_in_common_is_no_match(context: str) -> None:
    model = Model()
    found = judged_by(model, GROWS.replace("a {kind} tree grows in the {pot}", context), PLANTED)
    assert isinstance(found, NoPlan)
    assert model.asked == []


def test_of_many_beliefs_only_the_nearest_are_tried_in_an_environment() -> None:
    held = Beliefs(oldest=10)
    held.perceive([f"You see a lemon tree in the pot{number}." for number in range(40)])
    rule = parse("IF your task is to rest\nCONSIDERING a {kind} tree grows in the {pot}\nTHEN: focus on {kind}")
    asking = Library(rule, cascade([Model()]))
    assert len(list(asking.matches(goal_text("rest"), held))) == MAX_NEARLY
    assert asking.choices(goal_text("rest"), held)[0].values == {"kind": "lemon", "pot": "pot0"}
    assert not Library(rule, structured).choices(goal_text("rest"), held)
    held.perceive(["You see a lemon tree in the pot.", "A plum tree grows in the tub."])
    assert [one.values() for one in asking.matches(goal_text("rest"), held)] == [{"kind": "plum", "pot": "tub"}]
