"""Which checks a plan gets, by its goal's words and its steps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agents.bdi.forecast.forecasting import forecast
from agents.bdi.forecast.outcome_checks import asked_change, can_change_files, checks_for, runs_tests
from agents.bdi.forecast.walk import BaseEntry
from agents.bdi.outcome.outcome import Check, CheckKind
from agents.bdi.plans import document as documents
from agents.bdi.plans.document import Document, IntentSpec, Parameter
from agents.toolkit.registry import REGISTRY

K = CheckKind
BASE = [
    BaseEntry("fix_me.py", "file", 40),
    BaseEntry("notes.txt", "file", 40),
    BaseEntry("src", "dir"),
    BaseEntry("src/a.json", "file", 9),
]
LS: tuple[str, dict[str, Any]] = ("ls", {"path": "."})
GREP: tuple[str, dict[str, Any]] = ("grep", {"text": "out why", "path": "fix_me.py"})


def plan(goal: str, *steps: tuple[str, dict[str, Any]], span: tuple[int, int] | None = None) -> Document:
    specs = tuple(_spec(at, name, params, span) for at, (name, params) in enumerate(steps, 1))
    return Document("1", goal, "ws", "0" * 64, 1, "rule", specs, ())


def _spec(position: int, name: str, params: dict[str, Any], span: tuple[int, int] | None) -> IntentSpec:
    tool, _, command = name.rpartition(".")
    of = REGISTRY.command(tool or "simple_coder", command)
    values = {**of.defaults(), **params}
    parameters = tuple(Parameter(key, value, "explicit", span=span) for key, value in values.items())
    return IntentSpec(
        position, "main", of.tool, command, values, parameters, "", of.effect, {}, (), None, (), "", ""
    )  # fmt: skip


def checks(document: Document, *, has_changed: bool = False) -> list[tuple[str, str, tuple[int, ...]]]:
    files = {one.path for one in BASE if one.kind == "file"}
    found = checks_for(document, forecast(document, BASE, REGISTRY), files, REGISTRY, has_changed=has_changed)
    return [(one.kind.value, one.path, one.steps) for one in found]


def write(path: str, content: str = "x", **also: Any) -> tuple[str, dict[str, Any]]:
    return "write", {"path": path, "content": content, **also}


def run(line: str) -> tuple[str, dict[str, Any]]:
    return "run", {"command_line": line}


CHANGED = ("changed", "", ())


@pytest.mark.parametrize(
    ("goal", "steps", "expected"),
    [
        ("The script fix_me.py fails, find out why and fix it", [GREP], [CHANGED, ("parses", "fix_me.py", ())]),
        (
            "fix fix_me.py",
            [("audit_and_improve.apply_fixes", {"path": "fix_me.py"})],
            [CHANGED, ("parses", "fix_me.py", ())],
        ),
        (
            "fix fix_me.py",
            [write("fix_me.py")],
            [CHANGED, ("exists", "fix_me.py", ()), ("parses", "fix_me.py", ())],
        ),
        ("make a file a.txt", [write("a.txt")], [("exists", "a.txt", ())]),
        ("put x at the end of it", [write("notes.txt", mode="append")], [("file_changed", "notes.txt", ())]),
        ("tidy up", [("rm", {"path": "src"})], [("gone", "src", ())]),
        (
            "rename notes.txt to b.txt",
            [("mv", {"path": "notes.txt", "to": "b.txt"})],
            [CHANGED, ("gone", "notes.txt", ()), ("exists", "b.txt", ())],
        ),
        ("show the files", [LS], [("answered", "", (1,))]),
        ("how is it", [("cd", {"path": "src"}), LS, GREP], [("answered", "", (2, 3))]),
        ("run the tests", [run("python run_all.py")], [("tests_pass", "", (1,))]),
        ("see that all is well", [run("python -m pytest -q")], [("tests_pass", "", (1,))]),
        ("run python job.py", [run("python job.py")], [("exit_zero", "", (1,))]),
        ("start the script job.py", [run("python3 job.py --now")], [("exit_zero", "", (1,))]),
        ("How many lines has notes.txt?", [run("wc -l notes.txt")], [("answered", "", (1,))]),
        ("make the data nice", [run("python clean.py")], [("unknown", "", (1,))]),
        ("set the variable A to b", [("set_env", {"name": "A", "value": "b"})], []),
        ("move to the folder src", [("cd", {"path": "src"})], []),
        ("delete the agent", [("agent_registry.retire_agent", {"name": "x", "reason": "y"})], [("unknown", "", (1,))]),
        ("make it a repository", [("git_tool.init", {})], [("exists", ".git/HEAD", ())]),
        ("evolve it", [("audit_and_improve.apply_fixes", {"path": "src"})], [("reported", "", (1,))]),
        ("why does it fail?", [("failing_scripts.why", {"path": "fix_me.py"})], [("answered", "", (1,))]),
        (
            "as yaml",
            [("data_files.convert_beside", {"path": "src/a.json", "format": "yaml"})],
            [("exists", "src/a.yaml", ())],
        ),
        (
            "save my work",
            [("git_tool.commit", {"message": "x"}), ("git_tool.create_branch", {"name": "try"})],
            [("file_changed", ".git/objects", ()), ("exists", ".git/refs/heads/try", ()), ("nothing_left", "", (1,))],
        ),
        ("take it back", [("git_tool.undo_commit", {})], [("file_changed", ".git/ORIG_HEAD", ())]),
        # Of two branches the later one is where it ends.
        (
            "look at both",
            [("git_tool.switch_branch", {"name": "a"}), ("git_tool.switch_branch", {"name": "b"})],
            [("has_line", ".git/HEAD", ())],
        ),
        (
            "tidy the texts",
            [
                ("many_files.replace_text", {"path": "docs/a.md", "old": "colour", "new": "color"}),
                ("many_files.replace_text", {"path": "docs/b.md", "old": "color", "new": "colors"}),
                ("many_files.rename_ending", {"path": "c.txt", "ending": "*.md"}),
                ("many_files.rename_part", {"path": "my d.txt", "old": " ", "new": "_"}),
            ],
            [
                ("lacks_text", "docs/a.md", ()),
                ("file_changed", "docs/b.md", ()),
                ("gone", "c.txt", ()),
                ("exists", "c.md", ()),
                ("gone", "my d.txt", ()),
                ("exists", "my_d.txt", ()),
            ],
        ),
        # What an earlier step finds out is not known yet.
        (
            "go there",
            [("git_tool.branches", {}), ("git_tool.switch_branch", {"name": "{{intents.1.result.branch}}"})],
            [("answered", "", (1,)), ("unknown", "", (2,))],
        ),
        (
            "write down that it works",
            [("note_taking.write_note", {"name": "it", "text": "works"})],
            [("exists", "notes", ()), ("exists", "notes/it.md", ())],
        ),
    ],
)
def test_the_goal_and_the_steps_say_what_is_checked(
    goal: str, steps: list[tuple[str, dict[str, Any]]], expected: list[tuple[str, str, tuple[int, ...]]]
) -> None:
    assert checks(plan(goal, *steps)) == expected


def test_a_commit_is_looked_for_in_the_repository_that_its_folder_lies_in() -> None:
    document = plan("save it", ("git_tool.switch_branch", {"path": "app/src", "name": "try"}))
    for files, place in (({"app/.git/HEAD"}, "app/"), ({".git/HEAD"}, ""), (set[str](), "app/src/")):
        (check,) = checks_for(document, forecast(document, BASE, REGISTRY), files, REGISTRY)
        assert check == Check(K.HAS_LINE, f"{place}.git/HEAD", word="ref: refs/heads/try")


def test_what_people_are_asked_for_is_no_change_of_files_and_no_answer() -> None:
    asked = ("system_agent.evolve_component", {"kind": "tool", "name": "a", "wish": "mend it"})
    assert checks(plan("Fix the tool a", asked)) == [("handed_over", "", (1,))]
    assert ("handed_over", "", (2,)) in checks(plan("Fix the tool a", write("a.py"), asked))


def test_what_the_goals_words_say_to_run_is_checked_by_its_exit_code() -> None:
    document = plan("start the nightly job", run("python nightly.py"), span=(10, 21))
    assert checks(document) == [("exit_zero", "", (1,))]


def test_what_a_rule_runs_is_checked_by_its_exit_code() -> None:
    document = plan("create a project", run("python main.py"))
    assert checks(document) == [("unknown", "", (1,))], "nobody said what it must bring about"
    of_a_rule = replace(document, intents=(replace(document.intents[0], rule="start a project 1.0.0"),))
    assert checks(of_a_rule) == [("exit_zero", "", (1,))]


def test_what_installs_packages_for_later_steps_is_checked_by_its_exit_code() -> None:
    """A remedy puts it before the step that lacked the package; alone it is nothing that the goal asked for."""
    install, job = run("pip install ledgerly"), run("python job.py")
    assert checks(plan("run job.py", install, job)) == [("exit_zero", "", (1,)), ("exit_zero", "", (2,))]
    assert checks(plan("create a project", install)) == [("unknown", "", (1,))]


def test_a_later_step_outdoes_what_an_earlier_one_made() -> None:
    make, remove = ("mkdir", {"path": "tmp"}), ("rm", {"path": "tmp"})
    assert checks(plan("work", make, write("tmp/a.txt"), remove)) == [("gone", "tmp", ())]
    again = plan("work", make, write("tmp/a.txt"), remove, make, write("tmp/b.txt"))
    assert checks(again) == [("exists", "tmp", ()), ("exists", "tmp/b.txt", ())]


def test_a_step_under_a_condition_is_not_counted_on() -> None:
    document = plan("work", write("a.txt"), write("b.txt"))
    only_if = {"intent": 1, "key": "message", "equals": "x"}
    intents = (document.intents[0], replace(document.intents[1], condition=only_if))
    assert checks(replace(document, intents=intents)) == [("exists", "a.txt", ())]


def test_what_earlier_revisions_changed_need_not_change_again() -> None:
    document = plan("fix fix_me.py and run it", run("python fix_me.py"))
    assert CHANGED in checks(document)
    assert CHANGED not in checks(document, has_changed=True)


def test_a_plan_that_can_change_nothing_is_told_before_it_is_approved() -> None:
    goal = "The script fix_me.py fails, find out why and fix it"
    files = {"fix_me.py"}

    def proposed(*steps: tuple[str, dict[str, Any]], text: str = goal) -> Document:
        bare = plan(text, *steps)
        return replace(bare, checks=checks_for(bare, forecast(bare, BASE, REGISTRY), files, REGISTRY))

    assert asked_change(proposed(GREP, LS)) == "fix"
    assert asked_change(proposed(LS, text="show the files")) == ""
    assert not can_change_files(proposed(GREP, LS))
    assert can_change_files(proposed(GREP, write("fix_me.py")))
    assert can_change_files(proposed(run("python mend.py"))), "a program may change files"


@pytest.mark.parametrize(
    ("line", "is_a_test_run"),
    [
        ("pytest -q", True),
        (".venv/bin/pytest", True),
        ("python -m unittest discover", True),
        ("npm run test", True),
        ("make test", True),
        ("cargo test", True),
        ("python manage.py test", True),
        ("python test.py", False),
        ("make all", False),
        ("cat tests", False),
        ("go build", False),
    ],
)
def test_a_line_that_runs_tests_is_known_by_its_program(line: str, is_a_test_run: bool) -> None:
    assert runs_tests(line) is is_a_test_run


def test_checks_are_part_of_the_bytes_that_are_approved() -> None:
    bare = plan("work", write("a.txt"))
    checked = replace(bare, checks=(Check(K.EXISTS, "a.txt"),))
    assert documents.read(documents.write(checked)) == checked
    assert documents.digest_of(documents.write(checked)) != documents.digest_of(documents.write(bare))


def test_a_plan_without_checks_has_the_bytes_that_it_had_before_there_were_any() -> None:
    data = documents.write(plan("work", write("a.txt")))
    assert b"checks" not in data
    assert documents.read(data).checks == ()


def test_a_check_that_only_a_later_version_knows_is_not_guessed_at() -> None:
    data = documents.write(replace(plan("work"), checks=(Check(K.EXISTS, "a.txt"),)))
    with pytest.raises(documents.Unreadable):
        documents.read(data.replace(b'"exists"', b'"shines"'))
