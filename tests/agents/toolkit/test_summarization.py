"""What the jail reads for a summary, and what a command that asks a model must say of itself."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.bdi.forecast.consequences import ToModel
from agents.bdi.forecast.forecasting import forecast
from agents.bdi.forecast.shadow import untried
from agents.bdi.forecast.touched_paths import touched
from agents.bdi.forecast.walk import BaseEntry
from agents.bdi.plans.approved_models import Asked, Model
from agents.bdi.plans.document import Document, IntentSpec
from agents.presentation import tool_page
from agents.toolkit import phrases
from agents.toolkit.registry import REGISTRY, Registry
from agents.toolkit.schemas import SchemaFault
from agents.toolkit.summarization import candidates, inside
from agents.toolkit.tools.summarization import TOOL
from review.risk import assessment
from tests.agents.toolkit.conftest import OpenWork

TO_MODEL = {command.name for command in TOOL.commands if command.asks_model}


def document(command: str, **params: Any) -> Document:
    effect = REGISTRY.command("summarization", command).effect
    spec = IntentSpec(
        1, "main", "summarization", command, params, (), "why", effect, {}, (), None, (), "", ""
    )  # fmt: skip
    if command in TO_MODEL:
        spec = replace(spec, asks=Asked((Model("openai/one"),), 16_000))
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
    (step,) = assessment.assess(plan, touched(plan, REGISTRY), {}).steps
    assert (step.level, step.reasons[0]) == ("high", "it sends a text to a language model outside, which costs money")


def test_what_stays_on_this_machine_is_foretold_as_looking_and_tried_in_the_copy() -> None:
    plan = document("key_sentences", path="a")
    told = forecast(plan, [BaseEntry("a", "file")], REGISTRY)
    assert (told.consequences, told.looks, untried(plan)) == ((), (1,), {})


def test_the_tools_page_says_where_the_text_goes() -> None:
    for shown in tool_page.shown(TOOL):
        goes = shown.name in TO_MODEL
        assert ("sent to the agent's language model" in shown.summary) is goes
        assert ("daily budget" in shown.summary) is goes
        assert any("A dry run never asks it" in remark for remark in shown.remarks) is goes


# -- what runs in the jail -------------------------------------------------------------------------------------------
@pytest.fixture
def read(root: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """`read("a.txt")`, `read(text="…")`: what the work of the jail answers, in the workspace but in this process."""
    monkeypatch.chdir(root)

    def answer(path: str = "", *, only_sentences: bool = False, **text: str) -> dict[str, Any]:
        return inside.main({**({"path": path} if path else text), "only_sentences": only_sentences})

    return answer


Read = Callable[..., dict[str, Any]]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"plain", "plain"),
        (b"\xef\xbb\xbfmarked", "marked"),
        ("ünï".encode("utf-16"), "ünï"),
        (b"a\r\nb\tc\x1b[31m", "a\nb\tc [31m"),
    ],
)
def test_text_is_read_as_what_it_is(content: bytes, text: str, root: Path, read: Read) -> None:
    (root / "a").write_bytes(content)
    assert (read("a")["text"], read("a")["whole_chars"]) == (text, len(text))


@pytest.mark.parametrize("content", [b"a\0b", b"\xff\xd8\xff\xe0", b"", b" \n\t", b"\xff\xfe\x00"])
def test_what_is_no_text_or_holds_none_is_refused(content: bytes, root: Path, read: Read) -> None:
    (root / "a").write_bytes(content)
    assert read("a")["error_class"] == "INVALID_PARAMETERS"


def test_folders_pipes_and_files_too_large_are_refused(root: Path, read: Read) -> None:
    os.mkfifo(root / "pipe")
    (root / "folder").mkdir()
    with (root / "large").open("wb") as file:
        file.truncate(1 << 40)  # sparse: a terabyte that takes no room
    for name in ("folder", ".", "pipe", "large", "gone", "folder/gone"):
        answer = read(name)
        assert answer["error_class"] == "INVALID_PARAMETERS", name
        assert name in answer["reason"]


@pytest.mark.parametrize("target", ["/etc/hostname", "/proc/self/environ", "/dev/zero", "inner/real.txt", "/usr", "."])
def test_no_link_is_followed_to_a_file_or_on_the_way_to_one(target: str, root: Path, read: Read) -> None:
    (root / "inner").mkdir()
    (root / "inner" / "real.txt").write_text("Real.")
    (root / "way").symlink_to(target)
    for name in ("way", "way/real.txt", "way/hostname", "way/lib/os-release"):
        answer = read(name)
        assert answer["error_class"] == "PERMISSION_ERROR"
        assert "links are not followed" in answer["reason"]
    assert read("inner/real.txt")["text"] == "Real."


def test_a_path_from_the_root_is_refused(read: Read) -> None:
    assert read("/etc/hostname")["error_class"] == "PERMISSION_ERROR"


def test_what_lies_on_another_file_system_is_refused(root: Path, read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "a").write_text("Words.")
    place = root.stat()
    monkeypatch.setattr(Path, "stat", lambda self: os.stat_result([*place[:2], place.st_dev + 1, *place[3:]]))
    answer = read("a")
    assert (answer["error_class"], "outside of the workspace" in answer["reason"]) == ("PERMISSION_ERROR", True)


def test_a_second_name_of_a_file_of_the_workspace_is_that_file(root: Path, read: Read) -> None:
    (root / "a").write_text("Words.")
    (root / "b").hardlink_to(root / "a")
    assert read("b")["text"] == "Words."


def test_a_file_that_changes_while_it_is_read_is_not_taken(
    root: Path, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "a").write_text("Words of a file.")
    opened = inside._opened

    def and_writes(path: str) -> int:
        descriptor = opened(path)
        fstat, count = os.fstat, iter(range(9))

        def changed(of: int) -> os.stat_result:
            if of == descriptor and next(count) == 2:
                (root / "a").write_text("Other words that are longer.")
            return fstat(of)

        monkeypatch.setattr(os, "fstat", changed)
        return descriptor

    monkeypatch.setattr(inside, "_opened", and_writes)
    answer = read("a")
    assert answer["error_class"] == "TOOL_EXECUTION_ERROR"
    assert "was changed while it was read" in answer["reason"]


def test_a_name_that_hides_something_is_told_as_what_it_is(root: Path, read: Read) -> None:
    name = "a\x1b[2Kb\u202etxt.\n"
    (root / name).write_text("Words.")
    assert read(name)["of"] == "a\\u{1b}[2Kb\\u{202e}txt.\\u{a}"


@pytest.mark.parametrize("only_sentences", [True, False])
@pytest.mark.parametrize("char", ["a", '"', "\x01", "é", "春", "🌧", "\n", "字。"])
def test_the_answer_fits_whatever_the_text_is_made_of(char: str, read: Read, only_sentences: bool) -> None:
    count = 100_000 if only_sentences else 1_400_000
    answer = read(text="begin " + char * count + " end", only_sentences=only_sentences)
    assert len(json.dumps(answer, ensure_ascii=False).encode()) < 1 << 20
    assert answer["whole_chars"] == len(char) * count + 10
    assert only_sentences or answer["text"].startswith("begin")


def test_of_a_long_file_a_model_gets_passages_from_beginning_to_end(root: Path, read: Read) -> None:
    lines = "🌧" + "".join(f"This is line {number}.\n" for number in range(250_000))
    assert len(lines) > 5_000_000
    (root / "a").write_text(lines)
    text = read("a")["text"]
    assert text.startswith("🌧This is line 0.\n")
    assert text.endswith("This is line 249999.\n")
    assert 350_000 < len(text) <= 400_040, "one wide character makes nothing else shorter"
    assert "This is line 125" in text


def test_of_a_long_file_sentences_of_all_of_it_are_taken(root: Path, read: Read) -> None:
    (root / "a").write_text("".join(f"This is what day {number} brought to us all.\n" for number in range(20_000)))
    answer = read("a", only_sentences=True)
    assert "text" not in answer
    assert (answer["there"], len(answer["candidates"])) == (20_000, candidates.MOST)
    days = [int(text.split()[4]) for text, *_ in answer["candidates"]]
    assert days == sorted(days)
    assert days[-1] > 19_000


def test_nothing_of_the_jail_is_read_by_a_path_or_a_link(open_work: OpenWork, root: Path) -> None:
    for name, target in (("hosts", "/etc/passwd"), ("self", "/proc/self/environ"), ("up", "..")):
        (root / name).symlink_to(target)
    (root / "in.txt").write_text("One sentence.\n")
    work = open_work()
    for command, key in (("key_sentences", "candidates"), ("send_file_to_model", "text")):
        for name in ("hosts", "self", "up/workspace/in.txt"):
            refused = work.do("summarization", command, path=name)
            assert refused.error_class == "PERMISSION_ERROR", refused
        assert work.do("summarization", command, path="../secret").error_class is not None
        assert work.do("summarization", command, path="in.txt").data[key]
    # No second name of a file from around the workspace can be made in it.
    assert work.run("python3 -c \"import os; os.link('/etc/passwd', 'mine')\"").data["return_code"] != 0
