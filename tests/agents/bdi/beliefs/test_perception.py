from __future__ import annotations

import dataclasses

from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.beliefs.perception import MAX_NAMES, MAX_TOLD, Entry, World, perceive
from agents.rules.entailment import entails
from agents.toolkit.types import Belief
from tests.agents.bdi.worlds import world


def sentences(seen: World) -> list[str]:
    return [belief.sentence for belief in perceive(seen)]


def shown(beliefs: list[str], context: str) -> str:
    """The answer of the firmest belief, as selection would use it."""
    answers = {entails(belief, context).answer for belief in beliefs}
    assert not {"yes", "no"} <= answers, f"beliefs contradict each other about “{context}”"
    return "yes" if "yes" in answers else "no" if "no" in answers else "unknown"


def test_an_empty_workspace_is_said_to_be_empty() -> None:
    seen = sentences(world())
    assert "The workspace is empty." in seen
    assert shown(seen, "there is no file or folder named anything/at/all") == "yes"


def test_a_project_is_seen_with_its_environment_tests_and_notes() -> None:
    seen = sentences(
        world(
            "weather/main.py",
            "weather/tests/test_main.py",
            "weather/.venv/pyvenv.cfg",
            "weather/.venv/bin/pytest",
            "weather/.venv/lib/python3.11/site-packages/test_something.py",
            "notes/todo.md",
            "calc/calc.py",
        )
    )
    for context, answer in {
        "the folder weather has a virtual environment": "yes",
        "the folder weather has a virtual environment named .venv": "yes",
        "the folder weather has tests": "yes",
        "pytest is installed in the folder weather": "yes",
        "pytest is installed": "no",
        "the folder calc has tests": "no",
        "the folder calc has a virtual environment": "no",
        "the workspace has tests": "no",
        "there is a note named todo": "yes",
        "there is a note named other": "no",
        "there is a file named weather/main.py": "yes",
        "there is no file named weather/other.py": "yes",
        "you are in the workspace": "yes",
        "autonomous mode is off": "yes",
        "no virtual environment is active": "yes",
        "python 3.10 or newer is installed": "yes",
        "the sandbox level is L3": "yes",
        "the tool note_taking is available": "yes",
    }.items():
        assert shown(seen, context) == answer, context
    assert not any("site-packages" in sentence for sentence in seen)


def test_a_large_folder_is_cut_and_says_how_much_is_missing() -> None:
    seen = sentences(world(*(f"data/file{n:03}.txt" for n in range(100))))
    (listing,) = [sentence for sentence in seen if sentence.startswith("The files in the folder data")]
    assert listing.endswith("and 60 more.")
    assert listing.count(",") == MAX_NAMES - 1
    assert shown(seen, "there is no file named data/file099.txt") == "unknown"
    assert shown(seen, "there are at least 50 files in the folder data") == "yes"


def test_many_folders_are_cut_and_counted() -> None:
    seen = sentences(world(*(f"d{n:03}/a.txt" for n in range(100))))
    assert "There are 61 more folders that are not listed here." in seen


def test_what_the_goal_names_is_looked_up_in_a_workspace_of_any_size() -> None:
    many = [f"project{n:03}/" for n in range(500)]
    about = "Create a python project named weather, like project499"
    seen = sentences(world(*many, about=about))
    assert "There is no file or folder named weather." in seen
    assert "There is a folder named project499." in seen


def test_words_of_a_goal_are_not_taken_for_names() -> None:
    seen = sentences(world("old/a.txt", about="Remove the folder named old. Don't keep it, and remove the file"))
    assert "There is a folder named old." in seen
    said = " ".join(seen)
    assert not any(word in said for word in ("named Remove", "named named", "named Don", "named and"))


def test_a_plain_word_that_something_there_is_named_is_looked_up() -> None:
    seen = sentences(world("Makefile", "src/a.py", about="Read Makefile and look through src"))
    assert {"There is a file named Makefile.", "There is a folder named src."} <= set(seen)


def test_names_are_looked_up_in_the_current_folder() -> None:
    seen = sentences(world("w/notes/todo.md", about="show the note todo", folder="w"))
    assert "There is no file or folder named w/todo." in seen
    assert "You are in the folder w." in seen
    assert shown(seen, "there is a note named w/x") != "yes"


def test_when_not_everything_was_looked_at_nothing_is_said_to_be_missing() -> None:
    seen = sentences(world("a.txt", complete=False, about="remove the file b.txt"))
    for context in ("there is no file named b.txt", "the workspace has no tests", "the workspace is empty"):
        assert shown(seen, context) != "yes", context
    assert shown(seen, "there is a file named a.txt") == "yes"
    assert shown(sentences(world(complete=False)), "there is no folder named b") == "unknown"


def test_unknown_programs_are_not_said_to_be_missing() -> None:
    assert shown(sentences(world(programs=None)), "pytest is installed") == "unknown"


def test_what_people_said_is_taken_over_once_and_within_bounds() -> None:
    told = (
        Belief("The door is open.", "person", 0.9),
        Belief("The door is open.", "person", 0.9),
        Belief("x" * 2000, "person"),
    )
    many = tuple(Belief(f"Fact {n} is known.", "experience") for n in range(MAX_TOLD * 2))
    seen = perceive(world(told=told + many))
    said = [belief for belief in seen if belief.source != "perception"]
    assert said[0] == told[0]
    assert len(said) == MAX_TOLD
    assert all(belief.at for belief in seen if belief.source == "perception")


def test_what_is_seen_outweighs_what_was_said() -> None:
    told = (Belief("There is no folder named weather.", "person"), Belief("The door is open.", "person"))
    said = [belief.sentence for belief in perceive(world("weather/", told=told)) if belief.source == "person"]
    assert said == ["The door is open."]


def test_file_names_cannot_add_sentences() -> None:
    nasty = ["a. There is no folder named b", "x\nThere is no folder named b", '"; There is no folder named b', "b/"]
    seen = sentences(world(*nasty))
    assert all("\n" not in sentence for sentence in seen)
    assert shown(seen, "there is a folder named b") == "yes"


PATHS = st.lists(
    st.lists(st.text(alphabet="ab. \n\"',é\u202e", min_size=1, max_size=4), min_size=1, max_size=3).map("/".join),
    max_size=6,
    unique=True,
).map(lambda paths: [p for p in paths if not any(part in (".", "..") or part != part.strip() for part in p.split("/"))])


@given(PATHS)
def test_every_path_is_seen_as_what_it_is_and_nothing_is_contradicted(paths: list[str]) -> None:
    # A path below a file cannot exist, so only leaves are files.
    files = [path for path in paths if not any(other.startswith(path + "/") for other in paths)]
    seen = perceive(World(tuple(Entry(path, "file") for path in files)))
    from agents.rules.facts import Thing

    for path in files:
        wanted = Thing("file", path, exists=True).sentence()
        answers = {entails(belief.sentence, wanted).answer for belief in seen}
        assert "yes" in answers
        assert "no" not in answers


def test_perceiving_is_a_function_of_the_world() -> None:
    one = world("b.txt", "a/c.txt", about="show a")
    assert perceive(one) == perceive(dataclasses.replace(one, entries=one.entries[::-1]))
