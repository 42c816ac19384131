"""What the jail reads for a summary, and what a command that asks a model must say of itself."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.bdi.consequences import ToModel
from agents.bdi.document import Document, IntentSpec
from agents.bdi.forecast import BaseEntry, forecast
from agents.bdi.shadow import untried
from agents.bdi.touched import touched
from agents.presentation import tool_page
from agents.toolkit import phrases
from agents.toolkit.registry import REGISTRY, Registry
from agents.toolkit.schemas import SchemaFault
from agents.toolkit.tools.summarization import TOOL, read
from review import risk
from tests.agents.toolkit.conftest import OpenWork

TO_MODEL = {command.name for command in TOOL.commands if command.asks_model}


def document(command: str, **params: Any) -> Document:
    effect = REGISTRY.command("summarization", command).effect
    spec = IntentSpec(
        1, "main", "summarization", command, params, (), "why", effect, {}, (), None, (), "", ""
    )  # fmt: skip
    return Document("1", "a goal", "ws", "0" * 64, 0, "rule", (spec,), ())


def test_a_text_goes_to_a_model_only_by_commands_whose_names_say_so() -> None:
    assert {name for name in (each.name for each in TOOL.commands) if name.endswith("_to_model")} == TO_MODEL
    assert len(TO_MODEL) == 2


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("summarize the file a.txt", "key_sentences"),
        ("sum up a.txt", "key_sentences"),
        ("summarise a.txt with a language model", "send_file_to_model"),
        ("summarize the file a.txt by the model", "send_file_to_model"),
        ("summarize the text {{intents.1.result.text}}", "key_sentences_of_text"),
        ("send the text {{intents.1.result.text}} to the language model for a summary", "send_text_to_model"),
    ],
)
def test_what_people_say_means_the_way_that_they_name(line: str, command: str) -> None:
    assert phrases.read(line, REGISTRY)[0].name == command


@pytest.mark.parametrize("effect", ["idempotent", "workspace"])
def test_no_tool_can_ask_a_model_and_say_that_all_stays_inside(effect: str) -> None:
    wrong = [replace(command, effect=effect) if command.asks_model else command for command in TOOL.commands]
    with pytest.raises(SchemaFault, match="goes to a model"):
        Registry([replace(TOOL, commands=tuple(wrong))])


def test_a_service_that_does_not_exist_is_a_fault() -> None:
    with pytest.raises(SchemaFault, match="no service “magic”"):
        Registry([replace(TOOL, commands=(replace(TOOL.commands[0], finish="magic"),))])


def test_another_service_is_another_command() -> None:
    command = REGISTRY.command("summarization", "key_sentences")
    assert replace(command, finish="").version != command.version


@pytest.mark.parametrize(
    ("command", "params", "path"),
    [("send_file_to_model", {"path": "a"}, "a"), ("send_text_to_model", {"text": "b"}, "")],
)
def test_a_reviewer_sees_that_a_text_leaves_and_no_shadow_run_sends_it(
    command: str, params: dict[str, Any], path: str
) -> None:
    plan = document(command, **params)
    assert [one.path for one in forecast(plan, [BaseEntry("a", "file")], REGISTRY).of(ToModel)] == [path]
    assert 1 in untried(plan)
    (step,) = risk.assess(plan, touched(plan, REGISTRY), {}).steps
    assert (step.level, step.reasons[0]) == ("high", "it sends a text to a language model outside, which costs money")


def test_what_stays_on_this_machine_is_foretold_as_looking_and_tried_in_the_copy() -> None:
    plan = document("key_sentences", path="a")
    told = forecast(plan, [BaseEntry("a", "file")], REGISTRY)
    assert (told.consequences, told.looks, untried(plan)) == ((), (1,), {})


def test_the_tools_page_says_where_the_text_goes() -> None:
    for shown in tool_page.shown(TOOL):
        goes = shown.name in TO_MODEL
        assert ("sent to the language model" in shown.summary) is goes
        assert ("budget of the day pays" in shown.summary) is goes
        assert any("A shadow run never asks it" in remark for remark in shown.remarks) is goes


# -- what runs in the jail -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"plain", "plain"),
        (b"\xef\xbb\xbfmarked", "marked"),
        ("ünï".encode("utf-16"), "ünï"),
        (b"a\r\nb\tc\x1b[31m", "a\nb\tc [31m"),
    ],
)
def test_text_is_read_as_what_it_is(content: bytes, text: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(content)
    answer = read({"path": str(tmp_path / "a")})
    assert (answer["text"], answer["whole_chars"]) == (text, len(text))


@pytest.mark.parametrize("content", [b"a\0b", b"\xff\xd8\xff\xe0", b"", b" \n\t", b"\xff\xfe\x00"])
def test_what_is_no_text_or_holds_none_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(content)
    assert read({"path": str(tmp_path / "a")})["error_class"] == "INVALID_PARAMETERS"


def test_folders_pipes_devices_and_files_too_large_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "large").open("wb") as file:
        file.truncate((16 << 20) + 1)
    for name in (str(tmp_path), str(tmp_path / "pipe"), "/dev/zero", str(tmp_path / "large"), str(tmp_path / "gone")):
        assert read({"path": name})["error_class"] == "INVALID_PARAMETERS", name


@pytest.mark.parametrize("char", ["a", '"', "\x01", "é", "春", "🌧", "\n"])
@pytest.mark.parametrize("count", [400_001, 1_400_000])
def test_the_answer_fits_whatever_the_text_is_made_of(char: str, count: int) -> None:
    answer = read({"text": "begin " + char * count + " end"})
    assert len(json.dumps(answer, ensure_ascii=False).encode()) < 1 << 20
    assert answer["whole_chars"] == count + 10
    assert answer["text"].startswith("begin")


def test_of_a_long_file_passages_from_beginning_to_end_are_read(tmp_path: Path) -> None:
    lines = "".join(f"This is line {number}.\n" for number in range(250_000))
    assert len(lines) > 5_000_000
    (tmp_path / "a").write_text(lines)
    text = read({"path": str(tmp_path / "a")})["text"]
    assert text.startswith("This is line 0.\n")
    assert text.endswith("This is line 249999.\n")
    assert 300_000 < len(text) <= 400_040
    assert "This is line 125" in text
    assert set(lines.splitlines()) >= set(text.splitlines()[:5])


def test_nothing_of_this_machine_is_read_by_a_path_or_a_link(open_work: OpenWork, root: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("of this machine")
    (root / "way").symlink_to(tmp_path / "secret")
    (root / "in.txt").write_text("One sentence.\n")
    work = open_work()
    assert work.do("summarization", "key_sentences", path="way").error_class == "INVALID_PARAMETERS"
    assert work.do("summarization", "key_sentences", path="../secret").error_class is not None
    assert work.do("summarization", "key_sentences", path="in.txt").data["text"] == "One sentence.\n"
