"""A terminal as lines: what was typed, what it said, how it ended; and that output stays output."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from agents.presentation.timeline import Try
from agents.presentation.transcript import TAIL_LINES, Command, ending, lines

STARTED = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
TRY = Try(1, STARTED, STARTED + timedelta(seconds=2), "succeeded", "", "", None)
RUN = Command(3, "simple_coder.run", "run the command python x.py", TRY, {}, {})
HOSTILE = "<script>alert(1)</script>\x1b]0;title\x07\x1b[31mred\u202e"


def said(result: dict[str, Any], source: str) -> list[str]:
    return [str(line.html) for line in lines(replace(RUN, result=result)) if line.source == source]


def test_a_command_begins_with_what_was_asked_and_ends_with_what_became_of_it() -> None:
    first, *_, last = lines(replace(RUN, result={"return_code": 0, "stdout": "one\ntwo\n"}))
    assert (first.label, first.source, str(first.html)) == ("3", RUN.name, "$ run the command python x.py")
    assert (first.at, last.at) == (STARTED, STARTED + timedelta(seconds=2))
    assert str(last.html) == "succeeded, exit code 0, after 2.0 s"
    assert (first.level, last.level) == ("", "")


def test_a_further_try_and_a_clean_up_say_so() -> None:
    first = lines(replace(RUN, tried=replace(TRY, number=2), is_cleanup=True))[0]
    assert (first.label, str(first.html)) == ("3.2", "$ run the command python x.py, try 2, clean-up")


def test_both_streams_are_told_apart() -> None:
    found = lines(replace(RUN, result={"stdout": "out\n", "stderr": "err\n"}))
    assert [(line.source, line.level, str(line.html)) for line in found[1:-1]] == [
        ("stdout", "", "out"),
        ("stderr", "warning", "err"),
    ]


def test_only_the_end_of_long_output_is_shown_and_the_rest_is_counted() -> None:
    found = said({"stdout": "".join(f"line {number}\n" for number in range(1000))}, "stdout")
    assert found[0] == f"… {1000 - TAIL_LINES} earlier lines"
    assert found[1:] == [f"line {number}" for number in range(1000 - TAIL_LINES, 1000)]


def test_long_lines_at_the_end_are_fewer_and_whole() -> None:
    found = said({"stdout": "".join(f"{number} {'x' * 3000}\n" for number in range(40))}, "stdout")
    assert found[0] == "… 30 earlier lines"
    assert [line.split()[0] for line in found[1:]] == [str(number) for number in range(30, 40)]
    assert all(len(line) > 3000 for line in found[1:])


def test_a_megabyte_without_an_end_of_line_stays_bounded() -> None:
    found = said({"stdout": "x" * (1 << 20)}, "stdout")
    assert len(found) == 1
    assert found[0].startswith("… xx")
    assert found[0].endswith("xx …")
    assert len(found[0]) < 10_000


@pytest.mark.parametrize("where", ["stdout", "stderr", "message", "content", "items", "anything"])
def test_hostile_output_is_shown_and_does_nothing(where: str) -> None:
    shown = "".join(str(line.html) for line in lines(replace(RUN, result={where: HOSTILE})))
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert 'class="a-r"' in shown


def test_hostile_names_sentences_and_reasons_are_shown_and_do_nothing() -> None:
    tried = replace(TRY, outcome="failed", reason=HOSTILE, failure_class=HOSTILE)
    for line in lines(replace(RUN, sentence=HOSTILE, tried=tried)):
        assert "<script>" not in line.html


def test_a_listing_is_told_as_names_and_no_name_passes_for_two() -> None:
    items = [
        {"kind": "file", "name": "a.txt", "size_bytes": 30},
        {"kind": "dir", "name": "sub", "size_bytes": 4096},
        {"kind": "link", "name": "b\nc.txt", "size_bytes": 1},
        "d\ne",
    ]
    assert said({"items": items}, "items") == [
        "a.txt, file, 30 bytes",
        "sub/",
        "&quot;b\\nc.txt&quot;, link, 1 bytes",
        "&quot;d\\ne&quot;",
    ]


def test_lists_are_told_line_by_line_and_binary_content_is_not_told() -> None:
    assert said({"items": ["a.txt", {"name": "b"}, [1, 2]]}, "items") == [
        "a.txt",
        "name: b",
        "[1, 2]",
    ]
    assert said({"items": []}, "items") == ["nothing"]
    assert said({"content": "AAAA", "encoding": "base64"}, "content") == ["not text, so it is not shown"]
    assert said({"content": "x = 1\n", "encoding": "utf-8"}, "content") == ["x = 1"]


def test_the_end_names_the_limit_that_was_reached_and_what_was_used() -> None:
    failed = replace(TRY, outcome="failed", reason="reached its memory limit of 64 MiB", failure_class="TOOL_X")
    command = replace(
        RUN,
        tried=failed,
        result={"return_code": -9, "peak_memory_bytes": 66 << 20, "peak_processes": 2, "left_running": 3},
        limits={"memory_bytes": 64 << 20, "processes": 128},
        changed=True,
    )
    assert ending(command) == (
        "failed, exit code -9, after 2.0 s, TOOL_X: reached its memory limit of 64 MiB, used 66.0 MiB of 64 MiB,"
        " 2 of 128 processes, 3 processes were still running and were ended, files changed"
    )
    assert lines(command)[-1].level == "error"


def test_a_command_that_runs_says_so() -> None:
    assert ending(replace(RUN, tried=replace(TRY, finished=None, outcome=""))) == "runs"


def test_entries_of_a_list_are_told_by_what_they_hold() -> None:
    entries = [
        {"path": "a.txt", "staged": "", "unstaged": "modified", "binary": False},
        {"path": "b\nc", "added": 0},
        {"deep": {"x": 1}},
    ]
    assert said({"entries": entries}, "entries") == [
        "path: a.txt, unstaged: modified",
        "path: &quot;b\\nc&quot;, added: 0",
        "{&quot;deep&quot;: {&quot;x&quot;: 1}}",
    ]
