"""What the Tab key offers, and that the session reads back what was offered."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.commands import COMMANDS
from sandbox.console.completion import offers, read
from sandbox.console.typed import WORDS
from sandbox.contract import Request, Result, SessionState

TREE = {
    ".": [("src", "dir"), ("a b.txt", "file"), ("a'c.txt", "file"), (".env", "file"), ("alone", "link")],
    "src/": [("main.py", "file"), ("more", "dir")],
}


def ask(request: Request) -> Result:
    """A session over TREE that only looks."""
    if request.command == "find":
        return Result("SUCCESS", {"items": [{"path": "src/more/.venv/pyvenv.cfg"}, {"path": "pyvenv.cfg"}]})
    held = TREE.get(str(request.params["path"]))
    if held is None:
        return Result("ERROR", {}, "INVALID_PARAMETERS", "not there")
    return Result("SUCCESS", {"items": [{"name": name, "kind": kind, "size_bytes": 0} for name, kind in held]})


def lines(line: str, **state: object) -> list[str]:
    return [whole for whole, _ in offers(line, SessionState(**state), ask)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("rea", ["read "]),
        ("help gr", ["help grep "]),
        ("toggle_autonomous_mode o", ["toggle_autonomous_mode off ", "toggle_autonomous_mode on "]),
        ("json of", ["json off "]),
        ("cd ", ["cd src/"]),
        ("read src/", ["read src/main.py ", "read src/more/"]),
        ("read al", ["read alone "]),
        ("read .", ["read .env "]),
        ("read missing/", []),
        ("write alone text p", ["write alone text patch "]),
        ("write alone text mode=cr", ["write alone text mode=create "]),
        ("mv alone new o", ["mv alone new overwrite "]),
        ("mv alone new overwrite=o", ["mv alone new overwrite=off ", "mv alone new overwrite=on "]),
        ("find pattern=x k", ["find pattern=x kind="]),
        ("find x path=s", ["find x path=src/"]),
        ("find x kind=f kind", []),
        ("run pytho", ["run python ", "run python3 "]),
        ("run python s", ["run python src/"]),
        ("run src/m", ["run src/main.py ", "run src/more/"]),
        ("activate_venv ", ["activate_venv src/more/.venv "]),
        ("fly ", []),
        ("cd src x", []),
    ],
)
def test_tab_offers(line: str, expected: list[str]) -> None:
    assert lines(line) == expected


def test_variables_are_offered_for_forgetting() -> None:
    assert lines("unset_env ", env={"A": "1"}) == ["unset_env A "]


def test_environments_are_named_from_the_folder_one_is_in() -> None:
    assert lines("activate_venv ", cwd="src") == ["activate_venv more/.venv "]


def test_all_commands_and_words_are_offered_at_the_start() -> None:
    assert {line.strip() for line in lines("")} == {*COMMANDS, *WORDS}


@pytest.mark.parametrize("typed", ["read a", 'read "a', "read 'a", "run cat a"])
def test_what_is_offered_is_read_back_as_the_name_it_stands_for(typed: str) -> None:
    found = lines(typed)
    assert {shlex.split(line)[-1] for line in found} >= {"a b.txt", "a'c.txt"}
    assert all(line.endswith(" ") for line in found if not line.endswith("/"))


@given(st.lists(st.text(max_size=6).filter(lambda word: "\0" not in word)))
def test_whole_words_are_parted_as_the_session_parts_them(words: list[str]) -> None:
    line = " ".join(shlex.quote(word) for word in words)
    typed = read(f"{line} ")
    assert list(typed.words) == shlex.split(line)
    assert typed.word == ""


@given(st.text(alphabet=" ab'\"\\\t", max_size=12))
def test_any_line_is_read_as_shlex_reads_it_or_is_unfinished(line: str) -> None:
    typed = read(line)
    try:
        expected = shlex.split(line)
    except ValueError:
        return
    last = [typed.word] if typed.start < len(line) else []
    assert [*typed.words, *last] == expected
