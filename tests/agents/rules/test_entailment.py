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
    # what an instrument measures, also below zero
    (
        "The thermometer measures a temperature of -4 degrees celsius.",
        "the temperature is less than 0 degrees celsius",
        "yes",
    ),
    (
        "The thermometer measures a temperature of -4 degrees celsius.",
        "the temperature is more than -10.0 degrees celsius",
        "yes",
    ),
    (
        "The thermometer measures a temperature of -14 degrees celsius.",
        "the temperature is more than -10.0 degrees celsius",
        "no",
    ),
    (
        "The thermometer measures a temperature of 43 degrees celsius.",
        "the temperature is at least 50 degrees celsius",
        "no",
    ),
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
    # a denied bound is the other bound
    ("The temperature is 50 degrees", "the temperature is not below 50 degrees", "yes"),
    ("The temperature is 49 degrees", "the temperature is not below 50 degrees", "no"),
    ("The temperature is not above 50 degrees", "the temperature is at most 50 degrees", "yes"),
    ("The temperature is not at least 50 degrees", "the temperature is 50 degrees", "no"),
    ("The temperature is not 50 degrees", "the temperature is less than 50 degrees", "unknown"),
    # plain denial
    ("You can not see a door", "you can see a door", "no"),
    ("It does not rain", "it does rain", "no"),
    ("You see no door to the hallway", "you see a door to the hallway", "no"),
    ("The network does not answer", "the network does answer", "no"),
    ("The agent never sleeps in winter", "the agent sleeps in winter", "no"),
    ("No tests fail", "tests fail", "no"),
    ("The power supply is on", "the power supply is off", "no"),
    ("You are in the living room", "you are in the dining room", "no"),
    ("You are in the north wing", "you are in the wing", "unknown"),
]

# Each of them says no or yes when a word is taken for what it is not.
UNREAD = [
    ("You are in the kitchen", "you are in the kitchen at the moment"),
    ("You are in the kitchen eating", "you are in the kitchen"),
    ("You are in the garden or the kitchen", "you are in the kitchen"),
    ("You are in a hurry", "you are in the kitchen"),
    ("You are in danger", "you are in the kitchen"),
    ("You are on the list", "you are on the roof"),
    ("Some tests do not pass", "some tests pass"),
    ("The file that is not open is empty", "the file that is open is empty"),
    ("You may not see a door", "you may see a door"),
    ("The door sometimes is open", "the door sometimes is closed"),
    ("The door usually is open", "the door usually is closed"),
    ("Some doors are open", "some doors are closed"),
    ("A door is open", "a door is closed"),
    ("A door is open", "the door is closed"),
    ("A door is not open", "the door is open"),
    ("Nothing is open", "nothing is closed"),
    ("The door and the window are not open", "the door and the window are closed"),
    ("There are 3 files or more", "there are 4 files or more"),
    ("The pressure is 3 sometimes", "the pressure is 4 sometimes"),
    ("The pressure is not below 4 sometimes", "the pressure is 3 sometimes"),
    ("A pressure is not below 4", "the pressure is 3"),
    ("You have the pot sometimes", "you do not have the pot sometimes"),
    ("The files in the workspace are old", "there is a file named main.py"),
    ("The workspace has the files needed", "there is a file named main.py"),
    ("The tools are ready", "the tool notes is available"),
    ("The current folder is writable", "you are in the folder weather"),
    ("The installed programs are: pip, python.", "the network is available"),
    ("The workspace is empty", "the workspace has a quota"),
    ("Is there a folder named weather?", "there is a folder named weather"),
    ("The door is open?", "the door is closed"),
    ('You say "a pot"', 'you say "pot"'),
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


@pytest.mark.parametrize(("premise", "hypothesis"), UNREAD)
def test_words_that_are_not_read_decide_nothing(premise: str, hypothesis: str) -> None:
    assert entails(premise, hypothesis).answer == "unknown"
    assert entails(premise, hypothesis).negated().answer == "unknown"
    assert entails(hypothesis, premise).answer == "unknown"


TAILS = st.one_of(
    st.sampled_from(
        [
            "at the moment", "right now", "today", "again", "for now", "most of the time", "currently", "usually",
            "alone", "waiting for Bob", "eating", "whenever it rains", "if nobody minds", "or somewhere else",
            "and nowhere else", "that somebody painted", "which is old", "who is late", "as far as we know",
            "unless it is Sunday", "because of the noise", "without a reason", "on weekdays", "until noon",
            "so to speak", "more or less", "with some luck", "but not always", "(perhaps)", ", they say",
            "?", "- or not",
        ]
    ),
    st.lists(st.sampled_from(["blue", "of", "wood", "near", "quiet", "under", "by"]), min_size=3).map(" ".join),
)  # fmt: skip


@given(st.sampled_from([pair for pair in PAIRS if pair[2] != "unknown"]), TAILS, st.booleans())
def test_a_sentence_that_goes_on_unread_decides_nothing(pair: tuple[str, str, str], tail: str, first: bool) -> None:
    said = [each.rstrip(".") for each in pair[:2]]
    said[0 if first else 1] += f" {tail}"
    assert entails(*said).answer == "unknown"


@given(
    st.sampled_from([pair for pair in PAIRS if pair[2] != "unknown"]),
    st.sampled_from(["Maybe", "Sometimes", "Bob says", "If it rains", "Nobody says that", "Until noon,", "Usually"]),
    st.booleans(),
)
def test_a_sentence_that_begins_unread_decides_nothing(pair: tuple[str, str, str], lead: str, first: bool) -> None:
    said = list(pair[:2])
    number = 0 if first else 1
    said[number] = f"{lead} {said[number][:1].lower()}{said[number][1:]}"
    # Of several sentences the others still count.
    if ". " not in pair[number]:
        assert entails(*said).answer == "unknown"


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


@given(
    st.sampled_from(["at least", "more than", "above", "at most", "no more than", "below", "less than", "under"]),
    st.integers(-20, 20),
    st.integers(-20, 20),
)
def test_of_a_bound_and_its_denial_one_holds(op: str, bound: int, number: int) -> None:
    premise = f"The temperature is {number} degrees."
    plain, denied = (entails(premise, f"the temperature is {word}{op} {bound} degrees").answer for word in ("", "not "))
    assert {plain, denied} == {"yes", "no"}
