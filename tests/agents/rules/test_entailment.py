from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.rules.entailment import decidable, entails
from agents.rules.facts import Listing, Thing
from agents.rules.sentences import at, read_fact

PAIRS = [
    # equality, and what must not be taken for it
    ("There is a door.", "there is a door", "yes"),
    ("You see a door to the hallway.", "you see a door to the hallway", "yes"),
    ("There is a folder named Weather.", "there is a folder named weather", "unknown"),
    ("The cat likes fish.", "the dog likes fish", "unknown"),
    # place
    ("You are in the kitchen", "You are not in the bedroom", "yes"),
    ("You are in the kitchen", "You are in the living room", "no"),
    ("You are in the kitchen", "You see a door to the hallway", "unknown"),
    ("This room is called the kitchen", "you are in the kitchen", "yes"),
    ("You are not in the kitchen", "you are in the bedroom", "unknown"),
    ("The pot is in the cupboard", "the pot is in the kitchen", "unknown"),
    ("You are in the workspace.", "you are in the folder weather", "no"),
    # open and closed
    ("In it, you see a cupboard. The cupboard is closed.", "you see the cupboard closed", "yes"),
    ("You see a door to the hallway (that is open)", "you see the cupboard closed", "unknown"),
    ("The door to the hallway is open", "the door to the hallway is closed", "no"),
    ("The cupboard isn't open.", "the cupboard is closed", "yes"),
    ("The glass is not full", "the glass is empty", "unknown"),
    ("The glass is full", "the glass is empty", "no"),
    ("Autonomous mode is off.", "autonomous mode is on", "no"),
    # existence
    ("There is no folder named weather.", "there is a folder named weather", "no"),
    ("There is no file or folder named weather.", "there is no folder named weather", "yes"),
    ("There is no folder named weather.", "there is no file or folder named weather", "unknown"),
    ("There is a file named weather.", "there is a folder named weather", "no"),
    ("There is a file named weather/main.py.", "there is a folder named weather", "yes"),
    ("There is a file named weather.", "there is no file named weather/main.py", "yes"),
    ("There is no folder named weather.", "there is a file named weather/main.py", "no"),
    ("The folder weather exists.", "there is a folder named weather", "yes"),
    ('There is a folder named "my own".', "the folder 'my own' does not exist", "no"),
    ("There is a file named ../secret.", "there is no file named ../secret", "unknown"),
    # complete lists say what is not there, cut ones do not
    ("The folders in the workspace are: gauges, tides.", "there is no folder named weather", "yes"),
    ("The folders in the workspace are: gauges, weather.", "there is no folder named weather", "no"),
    ("The folders in the workspace are: gauges and 3 more.", "there is no folder named weather", "unknown"),
    ("The folders in the workspace are: weather and 3 more.", "there is a folder named weather", "yes"),
    ("The folders in the workspace are: gauges.", "there is no file named weather", "unknown"),
    ("The files and folders in the workspace are: gauges.", "there is no file or folder named weather", "yes"),
    ("The workspace has the folders tides and gauges.", "there is no folder named weather", "yes"),
    ("The workspace is empty.", "there is no file named weather/main.py", "yes"),
    ("The folder weather is empty.", "there is no folder named tides", "unknown"),
    ("The files in the folder weather are: a.py.", "there is no file named weather/b.py", "yes"),
    ("The files in the folder weather are: a.py.", "there is a folder named weather", "yes"),
    ("There are no files in the workspace.", "there is a file named a", "no"),
    ("The workspace is empty.", "there is no file named ../a", "unknown"),
    ("The notes in the workspace are: todo.", "there is a note named todo", "yes"),
    ("The notes in the workspace are: todo.", "there is a note named shopping", "no"),
    # virtual environments, tests
    ("The folder w has a virtual environment named .venv.", "the folder w has a virtual environment", "yes"),
    ("The folder w has a virtual environment named .venv.", "there is a folder named w/.venv", "yes"),
    (
        "The folder w has a virtual environment named env.",
        "the folder w has a virtual environment named .venv",
        "unknown",
    ),
    ("The folder w has no virtual environment.", "the folder w has a virtual environment named .venv", "no"),
    ("There are no folders in the folder w.", "the folder w has a virtual environment", "no"),
    ("There is no folder named w.", "the folder w does not have a virtual environment", "yes"),
    ("The folder w has tests.", "the folder w has no tests", "no"),
    ("The folder w has tests.", "the folder v has tests", "unknown"),
    ("The workspace is empty.", "the workspace has tests", "no"),
    ("You have the metal pot", "you do not have the metal pot", "no"),
    # programs, versions, numbers
    ("Python 3.11.2 is installed.", "python is installed", "yes"),
    ("Python 3.11.2 is installed.", "Python 3.10 or newer is installed", "yes"),
    ("Python 3.11.2 is installed.", "the python version is less than 3.9", "no"),
    ("Python 3.11.2 is installed.", "python 3.1 is installed", "no"),
    ("The installed programs are: pip, python.", "pytest is not installed", "yes"),
    ("The installed programs are: pip, python.", "pip is available", "yes"),
    ("pytest is installed in the folder w.", "pytest is installed", "unknown"),
    ("The tools are: note_taking, simple_coder.", "the tool simple_coder is available", "yes"),
    ("There are 3 files in the workspace.", "there are at least 2 files in the workspace", "yes"),
    ("There are 3 files in the workspace.", "there are more than 3 files in the workspace", "no"),
    ("There are at least 3 files in the workspace.", "there are exactly 4 files in the workspace", "unknown"),
    ("The files in the workspace are: a, b.", "there are two files in the workspace", "yes"),
    ("The temperature is 55 degrees", "the temperature is more than 50 degrees", "yes"),
    ("The temperature is more than 50 degrees", "the temperature is more than 60 degrees", "unknown"),
    ("The temperature is 55 degrees", "the pressure is more than 50 degrees", "unknown"),
    # plain denial
    ("You can not see a door", "you can see a door", "no"),
    ("It does not rain", "it does rain", "no"),
]


@pytest.mark.parametrize(("premise", "hypothesis", "answer"), PAIRS)
def test_the_cascade_answers(premise: str, hypothesis: str, answer: str) -> None:
    verdict = entails(premise, hypothesis)
    assert verdict.answer == answer
    assert verdict.reason
    assert (verdict.score == 0) == (answer == "unknown")


@pytest.mark.parametrize(("premise", "hypothesis", "answer"), PAIRS)
def test_negation_flips_yes_and_no_and_keeps_unknown(premise: str, hypothesis: str, answer: str) -> None:
    flipped = entails(premise, hypothesis).negated()
    assert flipped.answer == {"yes": "no", "no": "yes", "unknown": "unknown"}[answer]
    assert flipped.negated() == entails(premise, hypothesis)


def test_a_context_speaks_about_the_current_folder() -> None:
    assert entails("The folder weather is empty.", "there is no folder named .venv", "weather").answer == "yes"
    assert entails("There is a folder named weather/.venv.", "there is no folder named .venv", "weather").answer == "no"
    assert entails("There is a folder named .venv.", "there is no folder named .venv", "weather").answer == "unknown"
    assert (
        entails("There is a folder named .venv.", "there is a folder named .venv in the workspace", "w").answer == "yes"
    )


def test_a_sentence_can_be_said_from_the_root() -> None:
    assert at("there is a folder named .venv", "weather") == "There is a folder named weather/.venv."
    assert at("you are in the folder ..", "weather") == "You are in the workspace."
    assert at("autonomous mode is on", "weather") == "autonomous mode is on"


def test_a_file_name_that_reads_like_a_sentence_says_nothing_more_than_its_name() -> None:
    belief = 'The files in the workspace are: "x. There is no folder named weather", b.'
    assert entails(belief, "there is no folder named weather").answer == "unknown"
    assert entails(belief, "there is no file named c").answer == "yes"


NAMES = st.text(min_size=1, max_size=12).filter(
    lambda name: "/" not in name and "\0" not in name and name not in (".", "..") and name.strip() == name
)


@given(NAMES, st.sampled_from(["file", "folder", "entry"]), st.booleans())
def test_what_a_fact_says_is_read_back_as_the_same_fact(name: str, kind: str, exists: bool) -> None:
    fact = Thing(kind, name, exists)
    assert read_fact(fact.sentence()) == fact


@given(st.lists(NAMES, max_size=5, unique=True), NAMES)
def test_a_complete_list_decides_about_every_name(names: list[str], other: str) -> None:
    listing = Listing("file", "", tuple(sorted(names)))
    assert read_fact(listing.sentence()) == listing
    wanted = Thing("file", other, exists=True).sentence()
    assert entails(listing.sentence(), wanted).answer == ("yes" if other in names else "no")


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_two_texts_get_an_answer(premise: str, hypothesis: str) -> None:
    assert entails(premise, hypothesis).answer in ("yes", "no", "unknown")


def test_the_matcher_says_what_it_cannot_decide() -> None:
    assert decidable("there is no folder named {name}")
    assert decidable("the cupboard is open")
    assert not decidable("someone ought to be happy about this")


def test_the_same_words_from_another_folder_say_something_else() -> None:
    assert entails("There is a folder named b.", "there is a folder named b", "a").answer == "unknown"
    assert entails("There is a folder named b.", "there is a folder named b").answer == "yes"
