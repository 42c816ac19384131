"""The rules that mindX begins with: clean, and planned against worlds as perception sees them."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from agents.bdi.beliefs.perception import World, perceive
from agents.bdi.planning.means_ends import plan
from agents.bdi.plans.validation import validate
from agents.rules.linter import lint
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import NoPlan, PlanDraft
from tests.agents.bdi.worlds import STARTER, world

FULL = (
    "weather/main.py",
    "weather/tests/test_main.py",
    "weather/.venv/pyvenv.cfg",
    "weather/.venv/bin/pytest",
    "calc/test_calc.py",
    "packed/tests/__init__.py",
    "packed/tests/test_packed.py",
    "loose/tests/test_loose.py",
    "bare/main.py",
    "notes/todo.md",
    "old.txt",
)


def steps(goal: str, seen: World) -> list[tuple[str, dict[str, Any]]]:
    draft = planned(goal, seen)
    assert isinstance(draft, PlanDraft), draft.evidence["rejected"]
    assert validate(draft.steps, draft.cleanup, REGISTRY) == []
    assert all(step.justification for step in draft.steps)
    return [(step.command, step.values()) for step in draft.steps]


def planned(goal: str, seen: World) -> PlanDraft | NoPlan:
    looked = World(**{**vars(seen), "about": goal})
    return plan(goal, STARTER, perceive(looked), REGISTRY)


def refusal(goal: str, seen: World) -> str:
    draft = planned(goal, seen)
    assert isinstance(draft, NoPlan)
    return " ".join(entry["why"] for entry in draft.evidence["rejected"]) or draft.reason


def test_the_starter_rules_are_clean() -> None:
    rules = [known.rule for known in STARTER]
    assert [found for found in lint(rules, REGISTRY) if found.severity != "hint"] == []
    assert len({rule.name for rule in rules}) == len(rules)


@pytest.mark.parametrize(
    "goal",
    [
        "Create a Python project named weather with a virtual environment and a script that prints the Python version",
        "create a python project named weather",
        "Please make a new Python project called “weather” with its own venv.",
        "Could you start a python project named weather in its own virtual environment, and run it?",
        "set up a python project named 'weather' and a program that shows the Python version and runs it",
    ],
)
def test_a_python_project_is_created_whatever_way_it_is_asked_for(goal: str) -> None:
    assert [name for name, _ in steps(goal, world())] == ["mkdir", "cd", "create_venv", "activate_venv", "write", "run"]
    assert steps(goal, world())[0] == ("mkdir", {"path": "weather"})
    assert steps(goal, world("other/"))[0] == ("mkdir", {"path": "weather"})


REFERENCE = (
    "Create a Python project named 'api_client', set up a virtual environment, install 'httpx', "
    "and create a script to ping the GitHub API."
)


@pytest.mark.parametrize(
    ("goal", "address", "host"),
    [
        (REFERENCE, "https://api.github.com", "api.github.com"),
        (
            "create a python project named api_client with its own venv, install httpx and write a script that "
            "requests http://127.0.0.1:8123/status?x=1,2 and run it",
            "http://127.0.0.1:8123/status?x=1,2",
            "127.0.0.1:8123",
        ),
        (
            "Please set up a new Python project called api_client, install the package httpx into it, and make a "
            "program that fetches https://Example.org:8443/a.",
            "https://Example.org:8443/a",
            "example.org:8443",
        ),
    ],
)
def test_a_project_that_asks_an_address_may_reach_its_host_and_nothing_else(goal: str, address: str, host: str) -> None:
    found = steps(goal, world())
    assert [name for name, _ in found] == ["mkdir", "cd", "create_venv", "activate_venv", "run", "write", "run"]
    install, script, run = found[4:]
    assert (install[1]["command_line"], install[1]["hosts"]) == ("pip install httpx", ["packages"])
    assert "import httpx" in script[1]["content"]
    assert (shlex.split(run[1]["command_line"]), run[1]["hosts"]) == (["python", "main.py", address], [host])
    assert all("hosts" not in values for name, values in found if name != "run")


def test_a_package_is_installed_into_a_new_project_or_one_that_is_there() -> None:
    fresh = steps("create a python project named weather with a venv and install the package rich>=13 in it", world())
    assert [name for name, _ in fresh] == ["mkdir", "cd", "create_venv", "activate_venv", "run", "run"]
    assert fresh[4][1]["command_line"] == "pip install 'rich>=13'"
    there = steps("install the package httpx in the project weather", world(*FULL))
    assert [name for name, _ in there] == ["cd", "activate_venv", "run"]
    assert there[-1][1]["hosts"] == ["packages"]
    assert "virtual environment" in refusal("install the package httpx in the project calc", world(*FULL))


def test_an_address_can_be_asked_without_installing_anything() -> None:
    write, run = steps("write a script that requests http://127.0.0.1:8123/ and run it", world())
    assert "httpx" not in write[1]["content"]
    assert run[1]["hosts"] == ["127.0.0.1:8123"]
    assert "main.py" in refusal("write a script that requests http://127.0.0.1:8123/", world("main.py"))


def test_what_is_no_address_or_no_package_is_not_taken_for_one() -> None:
    for goal in (
        "write a script that requests the weather",
        "write a script that requests ftp://example.org/",
        "write a script that requests http://example.org/ and http://evil.example/",
        "create a python project named weather and install httpx and create a script to ping the weather API",
        "create a python project named weather and install --index-url=http://evil.example/",
        "create a python project named weather and install httpx and a database",
    ):
        assert refusal(goal, world()) == "no_relevant_rule", goal
    assert "cannot be let in" in refusal("write a script that requests http://[::1]/", world())


def test_what_the_rule_does_not_do_is_not_promised() -> None:
    for goal in (
        "create a python project named weather with a database",
        "create a python project named weather and a script that prints the time",
        "create a rust project named weather",
    ):
        assert refusal(goal, world()) == "no_relevant_rule"


def test_a_project_is_not_created_over_something_that_is_there() -> None:
    goal = "create a python project named weather"
    assert "There is a folder named weather." in refusal(goal, world("weather/main.py"))
    assert "There is a file named weather." in refusal(goal, world("weather"))
    assert "python is installed" in refusal(goal, world(python_version="", programs=("bash",)))


def test_a_project_is_not_created_while_it_is_unknown_what_is_there() -> None:
    assert "nothing shows" in refusal("create a python project named weather", world(complete=False))


def test_a_virtual_environment_is_set_up_once() -> None:
    assert [name for name, _ in steps("set up a virtual environment", world())] == ["create_venv", "activate_venv"]
    assert ".venv" in refusal("set up a virtual environment", world(".venv/pyvenv.cfg"))


@pytest.mark.parametrize(
    ("goal", "programs", "lines"),
    [
        ("run the tests of weather", ("python",), ["weather", ".venv", "python -m pytest -q -p no:cacheprovider"]),
        ("Run all tests in the folder calc.", ("python",), ["calc", "python -m unittest discover -v"]),
        ("test the project calc", ("python", "pytest"), ["calc", "python -m pytest -q -p no:cacheprovider"]),
        ("run the tests of packed", ("python",), ["packed", "python -m unittest discover -v"]),
        ("run the tests of loose", ("python",), ["loose", "python -m unittest discover -v -s tests"]),
        ("run the tests of loose", None, ["loose", "python -m unittest discover -v"]),
    ],
)
def test_the_tests_of_a_project_are_run_with_what_is_there(goal: str, programs: Any, lines: list[str]) -> None:
    found = steps(goal, world(*FULL, programs=programs))
    assert [next(iter(values.values())) for _, values in found] == lines


def test_the_step_says_which_runner_it_uses_and_why() -> None:
    draft = planned("run the tests of weather", world(*FULL))
    assert isinstance(draft, PlanDraft)
    assert "pytest is installed there" in draft.steps[-1].justification


def test_tests_that_are_not_there_are_not_run() -> None:
    assert "The folder bare has no tests." in refusal("run the tests of bare", world(*FULL))
    assert "nothing shows" not in refusal("run the tests of nowhere", world(*FULL))
    assert "The workspace has no tests." in refusal("run the tests", world(*FULL))


def test_the_tests_of_the_workspace_itself_are_run() -> None:
    assert steps("run all the tests", world("test_a.py")) == [
        ("run", {"command_line": "python -m unittest discover -v"})
    ]
    with_pytest = world("test_a.py", programs=("pytest", "python"))
    assert "pytest" in steps("run the tests in the workspace", with_pytest)[0][1]["command_line"]


def test_notes_are_written_word_for_word() -> None:
    goal = 'Write a note named shopping that says buy milk, 2 eggs & "rye bread" (sliced)!'
    text = 'buy milk, 2 eggs & "rye bread" (sliced)!'
    assert steps(goal, world()) == [("write_note", {"name": "shopping", "text": text})]
    assert steps("note the sky is the limit as ideas", world()) == [
        ("write_note", {"name": "ideas", "text": "the sky is the limit"})
    ]


def test_notes_are_shown_listed_and_added_to_only_when_they_are_there() -> None:
    seen = world(*FULL)
    assert steps("show me the note todo", seen) == [("show_note", {"name": "todo"})]
    assert steps("show what the note todo says", seen) == [("show_note", {"name": "todo"})]
    assert steps("list my notes", seen) == [("list_notes", {})]
    assert steps("add buy tea to the note todo", seen) == [("append_note", {"name": "todo", "text": "buy tea"})]
    assert "todo" in refusal("show the note ideas", seen)
    assert "empty" in refusal("list all notes", world())


def test_a_note_is_found_among_more_notes_than_a_list_shows() -> None:
    many = world(*(f"notes/n{number:03}.md" for number in range(100)))
    assert steps("show the note n077", many) == [("show_note", {"name": "n077"})]


@pytest.mark.parametrize(
    ("goal", "path"),
    [
        ("remove the file old.txt", "old.txt"),
        ("Please delete the file 'weather/main.py'.", "weather/main.py"),
        ("delete the folder weather and everything in it", "weather"),
        ("tidy up and remove the folder notes", "notes"),
    ],
)
def test_tidying_switches_autonomous_mode_on_for_one_visible_step(goal: str, path: str) -> None:
    assert steps(goal, world(*FULL)) == [
        ("toggle_autonomous_mode", {"on": True}),
        ("rm", {"path": path}),
        ("toggle_autonomous_mode", {"on": False}),
    ]


def test_tidying_refuses_what_is_not_there_not_that_kind_or_not_inside() -> None:
    assert "There is a folder named weather." in refusal("remove the file weather", world(*FULL))
    assert "There is no file or folder named gone.txt." in refusal("remove the file gone.txt", world(*FULL))
    assert "leads out of the workspace" in refusal("remove the file ../../etc/passwd", world(*FULL))
    assert "leads out of the workspace" in refusal("remove the file ../root/weather/main.py", world(*FULL))
    assert "not inside the workspace" in refusal("remove the folder /", world(*FULL))


GIT = ("weather/.git/HEAD", "weather/main.py", "plain/main.py")


@pytest.mark.parametrize(
    ("goal", "names"),
    [
        ("show what changed in the git repository weather", ["status", "diff"]),
        ("show me the history of the repository weather", ["log"]),
        ("commit the changes of the repository weather with the message add a script", ["diff", "commit"]),
        (
            "commit everything in the repository weather to a new branch named try saying 'add a script'",
            ["create_branch", "switch_branch", "commit"],
        ),
        ("put the folder plain under version control", ["init", "commit"]),
    ],
)
def test_a_repository_is_looked_at_and_committed(goal: str, names: list[str]) -> None:
    found = steps(goal, world(*GIT))
    assert [name for name, _ in found] == names
    messages = [values["message"] for name, values in found if name == "commit"]
    assert messages in ([], ["add a script"], ["First commit"])


def test_a_folder_that_is_no_repository_is_not_committed() -> None:
    assert "plain/.git" in refusal("commit the changes of the repository plain saying x", world(*GIT))


@pytest.mark.parametrize(
    ("goal", "names", "url"),
    [
        ("fetch http://127.0.0.1:8123/status and show me the answer", ["get"], "http://127.0.0.1:8123/status"),
        ("show me what https://example.org/a?b=c,d answers", ["get"], "https://example.org/a?b=c,d"),
        ("download https://example.org/data.csv to the file data.csv", ["download"], "https://example.org/data.csv"),
        ("ask https://example.org and note the answer as answer", ["get", "write_note"], "https://example.org"),
    ],
)
def test_an_address_is_asked_and_nothing_else(goal: str, names: list[str], url: str) -> None:
    found = steps(goal, world("main.py"))
    assert [name for name, _ in found] == names
    assert found[0][1]["url"] == url
    assert "hosts" not in found[0][1]


def test_nothing_is_downloaded_over_a_file_that_is_there() -> None:
    assert "main.py" in refusal("download https://example.org/x as main.py", world("main.py"))


@pytest.mark.parametrize(
    ("goal", "names"),
    [
        ("summarize old.txt", ["key_sentences"]),
        ("sum up the file weather/main.py", ["key_sentences"]),
        ("summarise old.txt as the note short", ["key_sentences", "write_note"]),
        ("summarize the file old.txt with a language model", ["send_file_to_model"]),
    ],
)
def test_a_file_is_summarised_and_goes_to_a_model_only_where_the_goal_says_so(goal: str, names: list[str]) -> None:
    found = steps(goal, world(*FULL))
    assert [name for name, _ in found if name != "toggle_autonomous_mode"] == names
    assert refusal(goal.replace("old.txt", "gone.txt").replace("main", "gone"), world(*FULL))


def with_model(*entries: str) -> World:
    return World(**{**vars(world(*entries)), "has_model": True})


@pytest.mark.parametrize(
    "goal", ["improve the file old.txt", "improve old.txt", "mend the file old.txt with a language model"]
)
def test_a_model_is_asked_to_improve_a_file_where_there_is_one(goal: str) -> None:
    assert steps(goal, with_model(*FULL)) == [("send_file_to_model", {"path": "old.txt"})]


def test_without_a_model_a_file_gets_its_safe_fixes_and_the_plan_says_what_was_missing() -> None:
    draft = planned("improve the file old.txt", world(*FULL))
    assert isinstance(draft, PlanDraft)
    assert [step.command for step in draft.steps] == ["audit", "apply_fixes"]
    assert "a language model is available" in str(draft.evidence["rejected"])


def test_a_folder_is_never_sent() -> None:
    assert [name for name, _ in steps("improve the folder weather", with_model(*FULL))] == ["audit", "apply_fixes"]
    assert "language model" in refusal("improve the file old.txt with a language model", world(*FULL))


def test_a_component_is_improved_as_somebody_wishes_where_there_is_a_model() -> None:
    goal = "improve the component old.txt with the wish that it says less"
    expected = {"path": "old.txt", "wish": "that it says less"}
    assert steps(goal, with_model(*FULL)) == [("send_file_to_model", expected)]
