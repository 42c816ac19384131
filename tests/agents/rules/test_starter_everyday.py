"""Everyday goals in several wordings, by the rules that ship: which command they come to, and which make no plan."""

from __future__ import annotations

import pytest

from agents.bdi.plans.validation import validate
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import PlanDraft
from tests.agents.bdi.worlds import world
from tests.agents.rules.test_starter import planned, refusal, steps

FILES = world("sales.csv", "data/config.yaml", "b.json", "a.py", ".git/HEAD", "docs/b.md")
WITH_ENVIRONMENT = world("a.py", ".venv/pyvenv.cfg", ".venv/bin/python")


@pytest.mark.parametrize(
    ("goal", "command", "values"),
    [
        ("convert sales.csv to YAML", "convert_beside", {"path": "sales.csv", "format": "yaml"}),
        ("Turn b.json into a csv file, please", "convert_beside", {"path": "b.json", "format": "csv"}),
        ("convert sales.csv to out.yaml", "convert", {"path": "sales.csv", "to": "out.yaml"}),
        (
            "what is server.port set to in data/config.yaml?",
            "entry",
            {"path": "data/config.yaml", "entry": "server.port"},
        ),
        ("is b.json valid json?", "check", {"path": "b.json"}),
        ("what's wrong with a.py?", "why", {"path": "a.py"}),
        ("a.py keeps crashing, find out why", "why", {"path": "a.py"}),
        ("why won't a.py run?", "why", {"path": "a.py"}),
        ("which commits changed a.py?", "log", {"path": ".", "most": 20, "only": "a.py"}),
        ("compare a.py with the last commit", "diff", {"path": ".", "what": "all", "only": "a.py"}),
        ("Undo my last commit but keep the files", "undo_commit", {"path": "."}),
        ("create a branch called feature/x", "switch_branch", {"path": ".", "name": "feature/x"}),
    ],
)
def test_an_everyday_goal_is_planned(goal: str, command: str, values: dict[str, object]) -> None:
    assert steps(goal, FILES)[-1] == (command, values)


def test_an_environment_gets_its_package_from_the_index_and_tells_its_version() -> None:
    found = steps("make a virtual environment with requests>=2 and tell me its version", world("a.py"))
    assert [name for name, _ in found] == ["create_venv", "activate_venv", "run", "version"]
    assert (found[2][1]["command_line"], found[2][1]["hosts"]) == ("pip install 'requests>=2'", ["packages"])
    assert [name for name, _ in steps("which version of requests do I have?", WITH_ENVIRONMENT)] == ["version"]
    assert ".venv" in refusal("make a virtual environment with requests", WITH_ENVIRONMENT)


@pytest.mark.parametrize(
    ("goal", "module"),
    [
        ("make a python project called x with a function that adds two numbers and a test", "add"),
        ("Create a Python project named x with a function that checks if a number is prime and a test", "is_prime"),
        ("set up a python project named x that has a function to convert celsius to fahrenheit, with a test for it",
         "celsius_to_fahrenheit"),
        ("make a python project named x with a factorial function and tests", "factorial"),
    ],
)  # fmt: skip
def test_a_project_with_a_known_function_is_built_and_its_test_is_run(goal: str, module: str) -> None:
    found = steps(goal, world())
    assert [name for name, _ in found] == ["mkdir", "cd", "write", "write", "run"]
    assert (found[2][1]["path"], found[3][1]["path"]) == (f"{module}.py", f"test_{module}.py")
    assert found[4][1]["command_line"] == f"python -m unittest -v test_{module}"


def test_a_function_that_nobody_knows_is_not_made_up() -> None:
    for does in ("parses klingon", "adds three numbers", "adds two numbers and sorts a list"):
        assert refusal(f"make a python project called x with a function that {does} and a test", world())


def test_a_function_and_its_test_are_taken_from_the_goal_word_for_word() -> None:
    goal = "make a python project called x with a function double(x) that returns 2 * x and a test that double(4) is 8"
    _, _, module, test, _ = steps(goal, world())
    assert module[1]["content"] == "def double(x):\n    return 2 * x\n"
    assert "self.assertEqual(double(4), 8)" in test[1]["content"]


def test_a_branch_of_several_words_is_a_problem_of_the_plan() -> None:
    draft = planned("create a branch called try and commit", FILES)
    assert isinstance(draft, PlanDraft)
    assert "it is one word" in str(validate(draft.steps, draft.cleanup, REGISTRY))
