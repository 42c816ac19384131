from __future__ import annotations

from dataclasses import replace

from agents.bdi.beliefs.revision import current_folder, folder_after, predict, revise
from agents.rules.entailment import entails
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import Belief


def after(sentences: list[str], *commands: tuple[str, dict[str, object]]) -> list[str]:
    beliefs = tuple(Belief(sentence) for sentence in sentences)
    for name, values in commands:
        beliefs = predict(REGISTRY.command("simple_coder", name), values, beliefs)
    return [belief.sentence for belief in beliefs]


def holds(sentences: list[str], context: str, cwd: str = "") -> bool:
    return any(entails(sentence, context, cwd).answer == "yes" for sentence in sentences)


def test_a_new_folder_joins_the_list_and_is_empty() -> None:
    left = after(["The files and folders in the workspace are: k."], ("mkdir", {"path": "b"}))
    assert "The files and folders in the workspace are: b, k." in left
    assert "The folder b is empty." in left
    assert not holds(left, "there is no folder named b")
    assert holds(left, "there is no folder named c")


def test_a_folder_that_was_there_is_not_said_to_be_empty() -> None:
    assert "The folder b is empty." not in after(["There is a folder named b."], ("mkdir", {"path": "b"}))
    assert "The folder b is empty." not in after([], ("mkdir", {"path": "b"}))


def test_a_file_fills_an_empty_folder() -> None:
    left = after(["The workspace is empty."], ("mkdir", {"path": "b"}), ("write", {"path": "b/x.txt", "content": ""}))
    assert not holds(left, "the folder b is empty")
    assert not holds(left, "the workspace is empty")
    assert holds(left, "there is a file named b/x.txt")
    assert holds(left, "there is no file named b/y.txt")


def test_removing_a_folder_takes_everything_below_it() -> None:
    left = after(
        ["There is a file named b/c/x.txt.", "The folder b has tests.", "The folders in the workspace are: b, k."],
        ("rm", {"path": "b"}),
    )
    assert holds(left, "there is no file named b/c/x.txt")
    assert not holds(left, "the folder b has tests")
    assert "The folders in the workspace are: k." in left


def test_paths_follow_the_current_folder() -> None:
    left = after(
        ["You are in the workspace.", "The workspace is empty."],
        ("mkdir", {"path": "w"}),
        ("cd", {"path": "w"}),
        ("create_venv", {"venv_name": ".venv"}),
        ("activate_venv", {"venv_name": ".venv"}),
    )
    assert current_folder([Belief(sentence) for sentence in left]) == "w"
    assert holds(left, "the folder w has a virtual environment named .venv")
    assert holds(left, "there is a folder named .venv", "w")
    assert holds(left, "a virtual environment is active")
    assert [s for s in left if s.startswith("You are in")] == ["You are in the folder w."]
    assert folder_after(REGISTRY.command("simple_coder", "cd"), {"path": "../v"}, "w/x") == "w/v"


def test_a_state_replaces_its_opposite_and_leaves_the_rest() -> None:
    left = after(["Autonomous mode is off.", "The door is open."], ("toggle_autonomous_mode", {"on": True}))
    assert left == ["The door is open.", "Autonomous mode is on."]


def test_newer_words_replace_older_ones_that_they_contradict() -> None:
    old = [Belief("The door is open.", "person"), Belief("The lamp is on.")]
    assert revise(old, [Belief("The door is closed.")]) == (Belief("The lamp is on."), Belief("The door is closed."))


def test_a_list_goes_with_its_own_folder_and_with_one_above_it_only() -> None:
    lists = [f"The files and folders in the folder {folder} are: x." for folder in ("b", "b/c", "bc")]
    assert after(lists, ("rm", {"path": "b"}))[:-1] == lists[2:]
    assert after(lists, ("mkdir", {"path": "b"}))[: len(lists)] == lists
    assert after(lists, ("rm", {"path": "bc"}))[:-1] == lists[:2]


def test_a_list_names_what_is_new_as_it_is_called_in_its_folder() -> None:
    lists = ["The files and folders in the folder b are: k.", "The folders in the folder b are: k."]
    left = after(lists, ("write", {"path": "b/c/x.txt", "content": ""}))
    assert "The files and folders in the folder b are: c, k." in left
    assert "The folders in the folder b are: c, k." in left
    files = after(["The files in the folder b are: k."], ("write", {"path": "b/c/x.txt", "content": ""}))
    assert "The files in the folder b are: k." in files
    assert "The files in the folder b are: k, y.txt." in after(files, ("write", {"path": "b/y.txt", "content": ""}))


def test_what_is_gone_leaves_the_lists_of_its_kind_and_nothing_deeper_does() -> None:
    def without(thing: str, listing: str) -> str:
        return revise([Belief(listing)], [Belief(thing)])[0].sentence

    files, folders = "The files in the workspace are: a, b.", "The folders in the workspace are: a, b."
    both = "The files and folders in the workspace are: a, b."
    assert without("There is no file named a.", files) == "The files in the workspace are: b."
    assert without("There is no file named a.", folders) == folders
    assert without("There is no file named a.", both) == "The files and folders in the workspace are: b."
    assert without("There is no file or folder named a.", folders) == "The folders in the workspace are: b."
    assert without("There is no file or folder named a/b.", both) == both
    assert without("There is no file named a/b.", files) == files


def test_a_corrected_list_stands_on_the_news_that_corrected_it() -> None:
    (listing, _) = revise(
        [Belief("The files in the workspace are: a.", "perception", at="2025")],
        [Belief("There is a file named b.", "inference", at="2026")],
    )
    assert (listing.source, listing.at) == ("inference", "2026")
    same = Belief("The folders in the workspace are: k.", "perception", at="2025")
    assert revise([same], [Belief("There is a file named b.", "inference", at="2026")])[0] is same


def test_the_current_folder_is_the_last_one_that_you_are_said_to_be_in() -> None:
    def folder(*sentences: str) -> str:
        return current_folder([Belief(sentence) for sentence in sentences])

    assert folder("You are in the folder a.", "You are in the folder b.", "The door is open.") == "b"
    assert folder("You are in the folder a.", "Anna is in the folder b.") == "a"
    assert folder("You are in the folder a.", "You are not in the folder a.") == "a"
    assert folder("The door is open.") == ""
    assert folder_after(REGISTRY.command("simple_coder", "ls"), {"path": "."}, "w/x") == "w/x"


def test_only_a_folder_that_one_is_said_to_be_in_is_the_current_one() -> None:
    def folder(*sentences: str) -> str:
        return current_folder([Belief(sentence) for sentence in sentences])

    assert folder("You are in the folder a.", "You are not in the folder b.") == "a"
    assert folder("You are in the folder a.", "You are in Paris.") == "a"


def test_what_does_not_hold_is_no_empty_belief_and_what_a_command_takes_away_goes() -> None:
    mkdir = REGISTRY.command("simple_coder", "mkdir")
    beliefs = [Belief("There is a folder named b."), Belief("The lamp is on."), Belief("The b is new.")]
    left = predict(mkdir, {"path": "b"}, beliefs)
    assert all(belief.sentence for belief in left), "that b is empty holds unless it was there"
    assert Belief("The b is new.") in left
    taking = replace(mkdir, beliefs_removed=("The {path} is new.",))
    said = [belief.sentence for belief in predict(taking, {"path": "b"}, beliefs)]
    assert "The lamp is on." in said
    assert not any("is new" in one for one in said)
