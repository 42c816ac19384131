"""The checks that firmware carries: how they are read, what they find, and that none is lost unseen."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.actors import firmware
from agents.bdi.language_models.firmware_checks import Check, Looked, dropped, in_text, read, unknown, violations
from agents.toolkit.registry import REGISTRY


def looked(tool: str = "simple_coder", command: str = "run", **params: Any) -> Looked:
    return Looked(3, tool, command, "workspace", ("api.example.com",), params)


def test_checks_follow_their_head_and_everything_before_is_text() -> None:
    checks, wrong = read("no-rm: forbid tool x\nBe careful.\nCHECKS:\n\n  no-net: forbid host *.example.com, b.org\n")
    assert checks == (Check("no-net", "host", ("*.example.com", "b.org")),)
    assert wrong == ()
    assert read("Only text.") == ((), ())


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("be nice", "Line 2 is no check"),
        ("a: forbid planet mars", "Line 2 is no check"),
        ("a: forbid path *", "forbid everything"),
        ("a: forbid path , ,", "1 to 50 values"),
        ("a: forbid effect magic", "no effect"),
        ("a: forbid command run", "write tool.command"),
        ("a: forbid tool x\na: forbid tool y", "already"),
    ],
)
def test_a_line_that_is_no_check_is_refused(line: str, said: str) -> None:
    assert said in " ".join(read(f"CHECKS:\n{line}")[1])


@pytest.mark.parametrize(
    ("kind", "value", "step"),
    [
        ("tool", "git_tool", looked("git_tool", "commit")),
        ("command", "simple_coder.rm", looked(command="rm", path="a")),
        ("host", "*.EXAMPLE.com", looked()),
        ("effect", "workspace", looked()),
        ("path", "records", looked(path="records/a.txt")),
        ("path", "records", looked(path="./x/../Records")),
        ("path", "records", looked(command_line="cat records/a.txt>b")),
        ("path", "*.key", looked(paths=[{"from": "a/b.key"}])),
        ("words", "guaranteed  Return", looked(content="A GUARANTEED\nreturn!")),
    ],
)
def test_a_check_finds_what_it_forbids(kind: str, value: str, step: Looked) -> None:
    (found,) = violations([Check("no-this", kind, ("else.else", value))], [step])
    assert found.position == 3
    assert "“no-this”" in found.says
    assert value in found.says


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("tool", "git_tool"), ("command", "simple_coder.rm"), ("host", "example.com"), ("effect", "once"),
        ("path", "record"), ("words", "turn"),
    ],
)  # fmt: skip
def test_a_check_lets_the_rest_through(kind: str, value: str) -> None:
    step = looked(path="records/a.txt", content="a return")
    assert violations([Check("no-this", kind, (value,))], [step]) == []


def test_only_words_are_looked_for_in_a_text() -> None:
    checks = [Check("a", "tool", ("x",)), Check("b", "words", ("eval",))]
    assert [one.check.name for one in in_text(checks, "eval(x)")] == ["b"]
    assert in_text(checks, "evaluate(x)") == []


def test_a_check_is_dropped_when_anything_that_it_forbids_is_let_through() -> None:
    before = [Check("a", "tool", ("x", "y")), Check("b", "words", ("One two",))]
    assert dropped(before, before) == []
    assert (
        dropped(before, [Check("c", "tool", ("x",)), Check("d", "tool", ("y",)), Check("b", "words", ("one TWO",))])
        == []
    )
    assert dropped(before, [Check("a", "tool", ("x",)), before[1]]) == ["a"]
    assert dropped(before, [Check("a", "host", ("x", "y"))]) == ["a", "b"]
    assert dropped(before, []) == ["a", "b"]


def test_a_misspelt_tool_is_told() -> None:
    checks = [Check("a", "tool", ("simple_coder", "gti_tool")), Check("b", "command", ("simple_coder.rn",))]
    assert len(unknown(checks, REGISTRY)) == 2


@given(st.text("ab*/", min_size=1, max_size=12), st.text("ab/", max_size=30))
def test_any_pattern_and_any_text_end(pattern: str, text: str) -> None:
    violations([Check("a", kind, (pattern,)) for kind in ("path", "host", "words")], [looked(path=text)])


def test_a_pattern_of_many_stars_takes_no_time_on_a_long_text() -> None:
    check = Check("a", "path", ("*a" * 40 + "b",))
    begun = time.process_time()
    assert violations([check], [looked(path="a" * 100_000)]) == []
    assert time.process_time() - begun < 2


def test_the_shipped_firmware_can_be_read_and_forbids_only_what_there_is() -> None:
    names = []
    for starter in firmware.starters():
        checks, wrong = read(starter.body)
        assert checks
        assert wrong == ()
        assert unknown(checks, REGISTRY) == []
        names.append(starter.name)
    assert names == ["finance", "medical"]
