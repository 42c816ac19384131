from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agents.toolkit import phrases
from agents.toolkit.phrases import PhraseError, complete, read, say
from agents.toolkit.registry import REGISTRY, Command


def understood(line: str) -> tuple[str, dict[str, Any]]:
    command, values = read(line, REGISTRY)
    return command.name, values


@pytest.mark.parametrize(
    ("line", "name", "values"),
    [
        ("create the folder weather", "mkdir", {"path": "weather"}),
        ("Make a folder named 'my own'", "mkdir", {"path": "my own"}),
        ("go to weather/data", "cd", {"path": "weather/data"}),
        ("list the files", "ls", {}),
        ("list the files in the folder weather", "ls", {"path": "weather"}),
        ('write "a, \\"b\\"\\n" to the file x.txt', "write", {"path": "x.txt", "content": 'a, "b"\n'}),
        (
            "write {{intents.1.result.stdout}} to the file x",
            "write",
            {"path": "x", "content": "{{intents.1.result.stdout}}"},
        ),
        ('write "x" to the file y in the mode append', "write", {"path": "y", "content": "x", "mode": "append"}),
        ("delete the file x", "rm", {"path": "x"}),
        ("rename the file a.txt to b.txt", "mv", {"path": "a.txt", "to": "b.txt"}),
        ("move the folder a into b/a", "mv", {"path": "a", "to": "b/a"}),
        (
            "move the file or folder a to b with overwriting on",
            "mv",
            {"path": "a", "to": "b", "overwrite": True},
        ),
        ("copy a to b", "cp", {"path": "a", "to": "b"}),
        ("show the lines 3 to 5 of main.py", "read", {"path": "main.py", "from_line": 3, "to_line": 5}),
        ("read the file main.py from line 3", "read", {"path": "main.py", "from_line": 3}),
        ("set the variable GREETING to good day", "set_env", {"name": "GREETING", "value": "good day"}),
        ("forget the variable GREETING", "unset_env", {"name": "GREETING"}),
        ("find all files named *.py in the folder src", "find", {"pattern": "*.py", "path": "src"}),
        ("find everything below the folder src", "find", {"path": "src"}),
        ("search for 'a b' in src", "grep", {"text": "a b", "path": "src"}),
        ('search for the text "a b"', "grep", {"text": "a b"}),
        ("create a virtual environment", "create_venv", {}),
        ("create a venv named env", "create_venv", {"venv_name": "env"}),
        ("switch on autonomous mode", "toggle_autonomous_mode", {"on": True}),
        ("turn autonomous mode off", "toggle_autonomous_mode", {"on": False}),
        ("run python -m http.server", "run", {"command_line": "python -m http.server"}),
        (
            'run python -c "print(1, 2)" within 5 seconds',
            "run",
            {"command_line": 'python -c "print(1, 2)"', "timeout_s": 5},
        ),
        ('run cat with the input "a b"', "run", {"command_line": "cat", "stdin": "a b"}),
        ("run 'python  main.py'", "run", {"command_line": "python  main.py"}),
        ("run Grep -R X .", "run", {"command_line": "Grep -R X ."}),
        (
            "run the program python main.py with access to example.org, 127.0.0.1:8123 and the package index",
            "run",
            {"command_line": "python main.py", "hosts": ["example.org", "127.0.0.1:8123", "packages"]},
        ),
        (
            "run python main.py with access to the host of http://127.0.0.1:8123/a,b with the input x within 5 seconds",
            "run",
            {"command_line": "python main.py", "hosts": ["127.0.0.1:8123"], "stdin": "x", "timeout_s": 5},
        ),
        (
            "run python main.py with the input x within 5 seconds with access to 'example.org'",
            "run",
            {"command_line": "python main.py", "hosts": ["example.org"], "stdin": "x", "timeout_s": 5},
        ),
        ("run pip install x with access to nothing", "run", {"command_line": "pip install x", "hosts": []}),
        (
            'run "echo with access to nothing"',
            "run",
            {"command_line": "echo with access to nothing"},
        ),
        ("take the note ideas saying try it, soon", "write_note", {"name": "ideas", "text": "try it, soon"}),
        ("add more to the note ideas", "append_note", {"name": "ideas", "text": "more"}),
    ],
)
def test_a_line_is_read_as_the_command_it_says(line: str, name: str, values: dict[str, Any]) -> None:
    assert understood(line) == (name, values)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("dance", "no command matches this"),
        ("create the fodler x", "nearest phrase is “create the folder {path}”"),
        ("", "no command"),
        ("run x within 99999 seconds", "must be at most 3600"),
        ('write "x" to the file y in the mode loud', "must be one of"),
        ("show the note " + "x" * 300, "more than 120"),
        ("run " + "x" * 300_000, "more than 200000 characters"),
    ],
)
def test_a_line_that_says_nothing_is_answered_with_a_way_out(line: str, words: str) -> None:
    with pytest.raises(PhraseError, match=words):
        read(line, REGISTRY)


@pytest.mark.parametrize("one", list(REGISTRY.commands), ids=lambda one: f"{one.tool}.{one.name}")
def test_every_example_is_said_and_read_back(one: Command) -> None:
    for params in one.examples:
        assert read(say(one, params), REGISTRY) == (one, dict(params))
        assert read(say(one, one.defaults() | dict(params)), REGISTRY)[0] == one


TEXT = st.text(max_size=40)
NAMES = st.text(min_size=1, max_size=20)


@given(TEXT, NAMES, st.sampled_from(["overwrite", "append"]))
def test_whatever_is_written_is_said_and_read_back(content: str, path: str, mode: str) -> None:
    write = REGISTRY.command("simple_coder", "write")
    values = {"path": path, "content": content, "mode": mode}
    command, back = read(say(write, values), REGISTRY)
    assert (command, write.defaults() | back) == (write, values)


@given(
    st.sampled_from(["python main.py", "pip install httpx", "echo with access to x"]),
    st.lists(st.sampled_from(["packages", "a.example", "within", "the", "b.example:81", "10.0.0.1"]), max_size=4),
    st.one_of(st.none(), st.integers(1, 29)),
)
def test_whatever_may_be_reached_is_said_and_read_back(line: str, hosts: list[str], timeout_s: int | None) -> None:
    params = {"command_line": line, "hosts": hosts} | ({} if timeout_s is None else {"timeout_s": timeout_s})
    said = say(REGISTRY.command("simple_coder", "run"), params)
    assert understood(said) == ("run", params), said


@given(st.text(min_size=1, max_size=40), st.integers(1, 300), st.one_of(st.none(), TEXT))
@example("PROGRAM", 1, None)
@example("command", 2, "seconds")
@example("a", 1, None)
@example("the", 1, None)
def test_whatever_is_run_is_said_and_read_back(line: str, timeout_s: int, stdin: str | None) -> None:
    run = REGISTRY.command("simple_coder", "run")
    values = {"command_line": line, "timeout_s": timeout_s} | ({} if stdin is None else {"stdin": stdin})
    command, back = read(say(run, values), REGISTRY)
    assert (command, run.defaults() | back) == (run, values)


@pytest.mark.parametrize(
    ("prefix", "first"),
    [
        ("cre", "create the folder {path}"),
        ("create the v", "create the virtual environment {venv_name}"),
        ("go to", "go to the folder {path}"),
        ("turn", "turn autonomous mode {on}"),
        ("Write the note", "write the note {name} saying {text}"),
    ],
)
def test_a_beginning_is_completed_by_the_phrases_that_go_on_from_it(prefix: str, first: str) -> None:
    assert complete(prefix, REGISTRY)[0].text == first


def test_completion_knows_when_nothing_begins_like_this_and_offers_all_at_the_start() -> None:
    assert complete("xyz", REGISTRY) == []
    assert len(complete("", REGISTRY, limit=1_000)) == len(list(REGISTRY.commands))
    assert all(suggestion.summary for suggestion in complete("", REGISTRY))


def test_a_sentence_shows_hidden_characters_as_escapes() -> None:
    said = phrases.say(REGISTRY.command("simple_coder", "mkdir"), {"path": "a\u202eb"})
    assert said == 'create the folder "a\\u202eb"'
