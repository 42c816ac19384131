"""Imprecise commands over a small workspace: what they mean, and when a question is the only honest answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.bdi.plans import lessons
from agents.bdi.understanding.names.paths import ANY, FILE, NEW, Mapped, Tree, find
from agents.bdi.understanding.texts import triggers
from agents.bdi.understanding.understand import by_name, understand
from agents.bdi.understanding.understood import Understood
from agents.bdi.understanding.words.spelling import distance, is_near
from agents.toolkit.registry import REGISTRY

PATHS = (
    "README.md",
    "main.py",
    "settings.ini",
    "src/app.py",
    "src/config.json",
    "docs/guide.md",
    "notes/ideas.md",
    "tools/summarization_tool.py",
    "tools/base_gen_agent.py",
    "old/report.txt",
    "backup/.keep",
)
TREE = Tree.of((path, "file") for path in PATHS)


def meant(text: str) -> Understood:
    return understand(text, TREE, REGISTRY)


def steps(text: str) -> list[tuple[str, dict[str, Any]]]:
    found = meant(text)
    assert found.is_sure, found.questions
    return [(f"{tool}.{command}", dict(values)) for tool, command, values in by_name(found)]


def test_the_references_first_example_evolve_the_summarization_tool() -> None:
    (step,) = steps("evolve the summarization tool")
    assert step == ("audit_and_improve.propose_fixes", {"path": "tools/summarization_tool.py"})
    assert "The goal asks for an improvement." in meant("evolve the summarization tool").beliefs


def test_the_references_second_example_improve_the_base_generator() -> None:
    (step,) = steps("improve the base generator")
    assert step == ("audit_and_improve.propose_fixes", {"path": "tools/base_gen_agent.py"})


def test_the_references_parameter_names_are_read_as_ours() -> None:
    """Its third: the mapping of tool types to their path parameters."""
    assert steps("base_gen_agent root_path_str=src to=docs/code") == [
        ("base_gen_agent.document", {"path": "src", "to": "docs/code"})
    ]
    assert steps("audit_and_improve target_path=tools")[0] == ("audit_and_improve.audit", {"path": "tools"})
    assert steps("system_analyzer analysis_path=src")[0] == ("system_analyzer.analyze", {"path": "src"})


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("analyze", "analysis"),
        ("review", "analysis"),
        ("assess", "analysis"),
        ("improve", "improvement"),
        ("enhance", "improvement"),
        ("optimize", "improvement"),
        ("evolve", "improvement"),
        ("create", "creation"),
        ("deploy", "creation"),
        ("instantiate", "creation"),
    ],
)
def test_trigger_words_become_beliefs_about_what_is_wanted(text: str, wanted: str) -> None:
    said = triggers.beliefs(f"{text} the summarization tool", TREE)
    assert any(wanted in sentence for sentence in said)
    assert any("tools/summarization_tool.py" in sentence for sentence in said)


@pytest.mark.parametrize(
    "text", ["x_tool", "the x tool", "the tool for x", "X_Tool and more"], ids=["name", "spoken", "reversed", "case"]
)
def test_components_are_recognised_however_they_are_named(text: str) -> None:
    assert triggers.references(f"improve {text}") == ("x_tool",)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("could you please shwo me path/to/main.py?", [("simple_coder.read", {"path": "main.py"})]),
        ("Open C:\\work\\src\\App.PY", [("simple_coder.read", {"path": "src/app.py"})]),
        ("report.txt should be deleted", [("simple_coder.rm", {"path": "old/report.txt"})]),
        ("to backup, copy main.py", [("simple_coder.cp", {"path": "main.py", "to": "backup/main.py"})]),
        (
            "make a folder site, then copy main.py into it",
            [("simple_coder.mkdir", {"path": "site"}), ("simple_coder.cp", {"path": "main.py", "to": "site/main.py"})],
        ),
        (
            "delete main.py and settings.ini",
            [("simple_coder.rm", {"path": "main.py"}), ("simple_coder.rm", {"path": "settings.ini"})],
        ),
        ("commit it all saying 'wip'", [("git_tool.commit", {"message": "wip"})]),
        ("read main.py --verbose", [("simple_coder.read", {"path": "main.py"})]),
    ],
)
def test_what_is_said_in_passing_is_what_is_meant(text: str, wanted: list[tuple[str, dict[str, Any]]]) -> None:
    assert steps(text) == wanted


def test_a_superfluous_value_is_named_and_not_hidden() -> None:
    (one,) = meant("read main.py --verbose").meant
    assert one.superfluous == ("--verbose",)


@pytest.mark.parametrize(
    "text",
    [
        "don't delete main.py",
        "delete main.py if it is empty",
        "delete everything except main.py",
        "delete the file",
        "make it faster",
        "commit everything",
        "rename main.py",
        "delete main.py --dry-run",
        "remove the trailing whitespace from main.py",
        "delete <file>",
    ],
)
def test_what_is_not_clear_is_never_done_in_silence(text: str) -> None:
    found = meant(text)
    assert not found.is_sure
    assert not found.meant or found.questions


def test_a_plain_word_that_only_resembles_a_name_is_not_removed() -> None:
    assert not meant("delete the sourc").is_sure


def test_a_correction_keeps_what_was_said_with_its_place_and_reason() -> None:
    (one,) = meant("show Main.py").meant
    path = one.params["path"]
    assert (path.value, path.original, path.origin) == ("main.py", "Main.py", "mapping")
    assert path.span is not None
    assert "show Main.py"[slice(*path.span)] == "Main.py"
    assert path.note


def test_the_table_overrides_what_would_be_found() -> None:
    tree = Tree.of(((path, "file") for path in PATHS), mapped=(Mapped("guide", "README.md"),))
    assert find("guide", tree, FILE).value == "README.md"
    assert find("guide", TREE, FILE).value == "docs/guide.md"


def test_the_table_names_paths_from_the_root_whatever_folder_the_step_begins_in() -> None:
    tree = Tree.of([("src/app.py", "file"), ("notes.md", "file")], folder="src", mapped=(Mapped("it all", "notes.md"),))
    assert find("it all", tree, FILE).value == "../notes.md"
    inside = replace(tree, mapped=(Mapped("it all", "src/app.py"),))
    assert find("it all", inside, FILE).value == "app.py"
    assert find("it all", replace(tree, mapped=(Mapped("it all", "src"),)), FILE).value is None, "a folder is no file"


def test_what_the_submitter_taught_comes_before_what_holds_for_everybody() -> None:
    everybodys = Mapped("guide", "README.md", "simple_coder", "path")
    taught = Mapped("Guide", "main.py", lesson=7)
    for mapped in ((everybodys, taught), (taught, everybodys)):
        tree = Tree.of(((path, "file") for path in PATHS), mapped=mapped)
        found = find("guide", tree, FILE, tool="simple_coder", parameter="path")
        assert (found.value, lessons.named_in("mapping", found.why)) == ("main.py", 7)
    exact = Mapped("guide", "README.md", "simple_coder", "path", lesson=8)
    tree = Tree.of(((path, "file") for path in PATHS), mapped=(Mapped("guide", "main.py", lesson=9), exact))
    assert find("guide", tree, FILE, tool="simple_coder", parameter="path").value == "README.md"


def test_two_that_are_about_as_good_are_asked_about() -> None:
    tree = Tree.of([("a/util.py", "file"), ("b/util.py", "file")])
    found = find("util.py", tree, FILE)
    assert found.value is None
    assert {one.path for one in found.choices} == {"a/util.py", "b/util.py"}


def test_what_is_made_new_is_not_bent_towards_what_exists() -> None:
    assert find("settings2.ini", TREE, NEW).value == "settings2.ini"
    assert find("docs/guid.md", TREE, NEW).value == "docs/guid.md"


@given(st.text(min_size=0, max_size=80))
@settings(max_examples=150, deadline=None)
def test_no_text_breaks_it_or_leads_out_of_the_workspace(text: str) -> None:
    for one in meant(text).meant:
        assert REGISTRY.command(one.tool, one.command)


@given(st.sampled_from(PATHS), st.sampled_from(["", "path/to/", "/home/me/", "./"]))
def test_an_exact_path_is_itself_whatever_stands_before_it(path: str, before: str) -> None:
    found = find(before + path, TREE, ANY)
    assert found.value == path


@given(st.text("abcde", max_size=8), st.text("abcde", max_size=8))
def test_the_distance_is_symmetric_and_zero_only_for_the_same(one: str, other: str) -> None:
    assert distance(one, other, 9) == distance(other, one, 9)
    assert (distance(one, other, 9) == 0) is (one == other)


def test_another_number_is_no_slip() -> None:
    assert not is_near("report1", "report2")
    assert is_near("reprot", "report")
