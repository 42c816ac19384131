"""Tools that people make: one text, read strictly and without running any of it."""

from __future__ import annotations

import contextlib
import dataclasses

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from agents.toolkit import made, registry, snippets, strict_yaml
from agents.toolkit.command import Command, check_command
from agents.toolkit.made import MadeToolFault
from agents.toolkit.registry import REGISTRY, put_to_use, tools_in_use, with_tool
from agents.toolkit.schemas import SchemaFault
from agents.toolkit.yaml_nodes import YamlFault
from tests.agents.toolkit.made_texts import WORD_COUNT


def test_a_text_is_read_into_a_tool_with_its_code_as_a_part_of_its_version() -> None:
    found = made.read(WORD_COUNT, "1.0.0")
    (command,) = found.tool.commands
    assert (found.tool.name, found.tool.release, command.name, command.effect) == (
        "word_count",
        "1.0.0",
        "count_words",
        "idempotent",
    )
    assert WORD_COUNT.splitlines()[found.code_line - 1] == "def count_words(params):"
    (request,) = command.requests({"path": "a.txt"})
    assert request.params["function"] == "count_words"
    assert request.params["paths"] == {"path": "a.txt"}
    other = made.read(WORD_COUNT.replace("len(text.split())", "len(text.split()) + 1")).tool.commands[0]
    assert other.version != command.version


@pytest.mark.parametrize(
    ("before", "after", "line", "says"),
    [
        ("effect: idem", "effekt: idem", 5, "effect is missing"),
        ("    results: [words]", "    results: [words]\n    services: [x]", 13, "is not known here"),
        ("[words]", "&a [words]", None, ""),
        ("results: [words]", "results: *a", 12, "aliases"),
        ("effect: idempotent", "effect: harmless", 11, "does not fit"),
        ("kind: path", "kind: decimal", 8, "does not fit"),
        ("tool: word_count", "tool: Word-Count", 1, "2 to 40 of a-z"),
        ("tool: word_count", "tool: !!python/object:os.system x", 1, "tag"),
        ("label: Word count", "tool: again", 2, "is here twice"),
        ("from pathlib", "from requests", 20, "is not in the jail"),
        ("def count_words(params)", "def count(params)", 19, "has no function"),
        ("def count_words(params)", "def count_words(path, more)", 19, "takes one parameter"),
        ('return {"words"', 'return {{"words"', None, "is not Python"),
        ("{path: README.md}", "{pth: README.md}", 5, "an example does not fit"),
        ("params: {path: a.txt}", "params: {paths: a.txt}", 5, "a trial does not fit"),
        ("of the file {path}", "of the file", 5, "leaves a required parameter open"),
        ("\n---\n", "\n", 1, "there is none"),
    ],
)
def test_each_fault_names_its_line_and_what_to_write(before: str, after: str, line: int | None, says: str) -> None:
    text = WORD_COUNT.replace(before, after, 1)
    assert text != WORD_COUNT
    if not says:
        made.read(text)  # an anchor alone stands for nothing
        return
    with pytest.raises(MadeToolFault, match=says) as fault:
        made.read(text)
    assert line is None or fault.value.line == line


def test_yaml_that_would_grow_without_end_is_refused_at_once() -> None:
    bomb = "a: &a [x, x]\n" + "\n".join(f"b{n}: &b{n} [*a, *a]" for n in range(50))
    with pytest.raises(YamlFault, match="aliases"):
        strict_yaml.load(bomb)
    with pytest.raises(YamlFault, match="nested"):
        strict_yaml.load("[" * 25 + "]" * 25)
    with pytest.raises(YamlFault):
        strict_yaml.load("[" * 5_000)
    with pytest.raises(YamlFault, match="more than"):
        strict_yaml.load("x" * (strict_yaml.MAX_CHARS + 1))


_PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-999, 999) | st.text("abc: -#'\"{}[]|>\n é", max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", min_size=1, max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(_PLAIN)
def test_strict_yaml_reads_back_what_yaml_writes(data: object) -> None:
    assert strict_yaml.load(yaml.safe_dump(data, allow_unicode=True)).data == data


@given(st.text(max_size=200))
def test_no_text_makes_the_reader_raise_anything_else(text: str) -> None:
    for whole in (text, WORD_COUNT + text, text + WORD_COUNT):
        with contextlib.suppress(MadeToolFault):
            made.read(whole)


def test_a_tool_is_in_use_beside_what_ships_and_gone_again() -> None:
    tool = made.read(WORD_COUNT).tool
    try:
        put_to_use([tool])
        assert tools_in_use().command("word_count", "count_words").source
        taken = dataclasses.replace(tool, name="simple_coder")
        with pytest.raises(SchemaFault):
            put_to_use([taken])
        assert tools_in_use().tool("word_count") is tool, "what does not fit changes nothing"
    finally:
        put_to_use([])
    assert tools_in_use() is REGISTRY


def test_only_what_is_new_beside_the_tools_in_use_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    tool = made.read(WORD_COUNT).tool
    asked: list[Command] = []

    def counted(command: Command) -> None:
        asked.append(command)
        check_command(command)

    monkeypatch.setattr(registry, "check_command", counted)
    (command,) = tool.commands
    faulty = dataclasses.replace(tool, commands=(dataclasses.replace(command, effect="nothing"),))
    with pytest.raises(SchemaFault, match="effect"), with_tool(faulty):
        pass
    with with_tool(tool), pytest.raises(SchemaFault, match="effect"), with_tool(faulty):
        pass
    assert asked == [*faulty.commands, command, *faulty.commands]


def test_another_version_holds_in_its_block_only() -> None:
    first, second = made.read(WORD_COUNT, "1.0.0").tool, made.read(WORD_COUNT, "1.1.0").tool
    try:
        put_to_use([first])
        with with_tool(second) as tools:
            assert tools is tools_in_use()
            assert tools.tool("word_count").release == "1.1.0"
        assert tools_in_use().tool("word_count").release == "1.0.0"
    finally:
        put_to_use([])


SNIPPET = '''
import re
from typing import Literal


def most_common(path, top: int = 3, ignore_case=True, by: Literal["word", "letter"] = "word"):
    """Count what is most common in a text.

    >>> most_common("example.txt", top=1)
    {"items": ["one"]}
    """
    text = open(path).read()
    return {"items": re.findall("[a-z]+", text)[:top]}


def _hidden():
    pass
'''


def test_python_becomes_a_tool_whose_trials_are_its_docstring() -> None:
    found = made.read(snippets.from_code(SNIPPET))
    (command,) = found.tool.commands
    assert (command.name, command.effect, command.result_keys) == ("run_most_common", "idempotent", ("items",))
    assert command.required == ("path",)
    assert [command.kinds[name] for name in command.properties] == ["path", "number", "switch", "choice"]
    assert command.defaults() == {"top": 3, "ignore_case": True, "by": "word"}
    (trial,) = command.trials
    assert trial.params == {"path": "example.txt", "top": 1}
    assert trial.result == {"items": ["one"]}
    assert "example.txt" in trial.files


@pytest.mark.parametrize(
    ("code", "effect"),
    [
        ("def f(path):\n    return open(path, 'w').write('x')", "workspace"),
        ("def f(path):\n    return open(path).read().replace('a', 'b')", "idempotent"),
        ("from pathlib import Path\ndef f(path):\n    Path(path).unlink()", "workspace"),
        ("import subprocess\ndef f(text):\n    return subprocess.run(['ls'])", "workspace"),
        ("import urllib.request\ndef f(url):\n    return 1", "once"),
    ],
)
def test_the_effect_is_guessed_from_what_the_code_does(code: str, effect: str) -> None:
    assert made.read(snippets.from_code(code)).tool.commands[0].effect == effect


@pytest.mark.parametrize("code", ["x = 1", "def f(:", "class A: pass", "def _f(a): pass", "def f(*a): pass", "\0"])
def test_code_that_cannot_become_a_tool_says_why(code: str) -> None:
    with pytest.raises(MadeToolFault):
        snippets.from_code(code)


def test_a_sentence_becomes_a_draft_that_fails_until_a_person_writes_its_code() -> None:
    text = snippets.from_description("Counts how often each word stands in a file")
    (command,) = made.read(text).tool.commands
    assert command.kinds == {"path": "path"}
    assert "nobody has written yet" in command.source
