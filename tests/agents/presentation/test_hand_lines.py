"""Lines written by hand are read back as exactly the steps they were written from."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.presentation import hand_lines
from agents.toolkit.registry import REGISTRY

WRITE = REGISTRY.command("simple_coder", "write")
RUN = REGISTRY.command("simple_coder", "run")


def test_blank_lines_are_skipped_and_numbers_stay() -> None:
    lines = hand_lines.read_lines("\ncreate the folder a\n\nnonsense here\n", REGISTRY)
    assert [(line.number, line.step is not None) for line in lines] == [(2, True), (4, False)]
    assert lines[1].problem


@given(st.text(max_size=200).filter(lambda text: not any(0xD800 <= ord(char) < 0xE000 for char in text)))
def test_any_content_survives_the_way_through_a_line(content: str) -> None:
    params = {"path": "notes/a b.txt", "content": content}
    line = hand_lines.write_line(WRITE, params, REGISTRY)
    found = hand_lines.read_lines(line, REGISTRY)
    assert [one.problem for one in found] == [""]
    assert hand_lines.steps_of(found) == [{"tool": "simple_coder", "command": "write", "params": params}]


def test_what_no_phrase_can_say_takes_the_exact_form() -> None:
    line = hand_lines.write_line(WRITE, {"path": "a", "content": "one\ntwo"}, REGISTRY)
    assert "\n" not in line
    found = hand_lines.read_lines('simple_coder.run {"command_line": "python x.py", "timeout_s": 5}', REGISTRY)
    assert found[0].step == {
        "tool": "simple_coder", "command": "run", "params": {"command_line": "python x.py", "timeout_s": 5}
    }  # fmt: skip


def test_the_exact_form_is_read_strictly() -> None:
    for line, said in (
        ('simple_coder.write {"path": "a", "path": "b", "content": ""}', "twice"),
        ('simple_coder.write {"path": "a"}', "missing"),
        ('simple_coder.wriet {"path": "a"}', "did you mean"),
        ("simple_coder.write {not json}", "column"),
        ('simple_coder.write {"path": "a", "content": "", "shell": true}', "not a field"),
    ):
        assert said in hand_lines.read_lines(line, REGISTRY)[0].problem


def test_a_flood_of_lines_is_bounded() -> None:
    lines = hand_lines.read_lines("create the folder a\n" * 1_000, REGISTRY)
    assert len(lines) == hand_lines.LINES_MAX + 1
    assert "More than" in lines[-1].problem
