"""What mindX cannot do is told so, and what it can is planned so that it works; no language model is set up."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from agents.bdi.plans import document as documents
from agents.models import Goal
from agents.planning import answers
from agents.states import GoalState
from people.models import User

pytestmark = pytest.mark.django_db(transaction=True)
Ask = Callable[[str], Goal]


def _steps(goal: Goal) -> list[str]:
    (plan,) = goal.intent_plans.all()
    return [f"{one.command} {one.params['path']}" for one in documents.read(bytes(plan.document)).intents]


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("Show me pictures of cats", "the rule “list files”, but there is no folder named cats"),
        ("make me a coffee", "“write a text file”, but “coffee” may be no file"),
        ("Find me a hotel in Paris", "would only look for the words “me a hotel in Paris”"),
        ("What is the weather in Rome?", "no rule and no command comes near it"),
    ],
)
def test_what_no_command_does_is_neither_planned_nor_asked(ask: Ask, text: str, near: str) -> None:
    goal = ask(text)
    assert goal.state == GoalState.MANUAL
    assert goal.reason.partition(": ")[2].startswith("mindX cannot do this: ")
    assert near in goal.reason


@pytest.mark.parametrize("text", ["list all pdf files", "delete all .tmp files", "how many pictures are there"])
def test_of_files_that_are_not_there_it_is_said_that_there_are_none(
    ask: Ask, owner: User, client_of: Callable[[User], Client], text: str
) -> None:
    goal = ask(text)
    assert (goal.state, goal.reason.partition(": ")[0]) == (GoalState.MANUAL, "no_such_files")
    said = goal.reason.partition(": ")[2]
    assert said.startswith("There are no files named ")
    assert "There are no files named " in client_of(owner).get(f"/goals/{goal.pk}/").content.decode()


def test_the_folder_into_which_something_moves_is_made_before(ask: Ask) -> None:
    assert _steps(ask("Move notes.txt to kept/here/notes.txt")) == ["mkdir kept/here", "mv notes.txt"]
    assert _steps(ask("Move notes.txt to old/notes.txt")) == ["mv notes.txt"]


def test_what_is_in_the_way_is_only_offered_to_be_overwritten(ask: Ask) -> None:
    asked = answers.open_questions(ask("rename draft.txt to notes.txt"))
    assert asked is not None
    (choice,) = asked.questions[0].choices
    assert [one.values()["overwrite"] for one in choice.meant] == [True]
    swapped = answers.open_questions(ask("rename draft.txt to notes.txt and notes.txt to draft.txt"))
    offered = swapped.questions[0].choices if swapped is not None else ()
    assert not [one for choice in offered for one in choice.meant if one.command == "mv"]


def test_a_choice_says_in_plain_words_what_it_does_and_exactly_beneath(
    ask: Ask, owner: User, client_of: Callable[[User], Client]
) -> None:
    goal = ask('write "new text" into notes.txt')
    page = client_of(owner).get(f"/goals/{goal.pk}/answer").content.decode()
    for said in (
        "Append to notes.txt: “new text”",
        "simple_coder.write with path = notes.txt, content = new text, mode = append",
        "Write “new text” to notes.txt; anything in it is overwritten",
    ):
        assert said in page
