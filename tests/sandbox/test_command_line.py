"""How a command line is read, and which program it may mean."""

from __future__ import annotations

import pytest

from sandbox.command_line import candidates, split
from sandbox.commands import Refusal


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("python --version", ["python", "--version"]),
        ("python -c 'print(1); print(2)'", ["python", "-c", "print(1); print(2)"]),
        ('grep "a|b" file', ["grep", "a|b", "file"]),
        (r"find . -name x \; ", ["find", ".", "-name", "x", ";"]),
        ("echo $HOME", ["echo", "$HOME"]),
        ("echo ''", ["echo", ""]),
        ('python -c "x = 1\nprint(x)"', ["python", "-c", "x = 1\nprint(x)"]),
    ],
)
def test_a_line_becomes_words_without_a_shell(line: str, words: list[str]) -> None:
    assert split(line) == words


@pytest.mark.parametrize(
    "line", ["a | b", "a && b", "a; b", "a > f", "a < f", "a `b`", "a $(b)", "a & ", "a\nb", "a 'x' |b"]
)
def test_shell_syntax_is_refused_and_named(line: str) -> None:
    with pytest.raises(Refusal, match="there is no shell") as refused:
        split(line)
    assert refused.value.error_class == "INVALID_PARAMETERS"


@pytest.mark.parametrize("line", ["", "   ", "echo 'open", "x" * 200_000])
def test_a_line_that_is_none_is_refused(line: str) -> None:
    with pytest.raises(Refusal, match="command_line"):
        split(line)


def test_python_is_the_virtual_environments_first() -> None:
    assert candidates(["python", "a.py"], "", None) == [["python3", "a.py"]]
    assert candidates(["python", "a.py"], "app", "app/.venv")[0] == ["/workspace/app/.venv/bin/python", "a.py"]


def test_pip_of_an_active_environment_is_never_the_systems() -> None:
    for name in ("pip", "pip3", "pytest"):
        for words in candidates([name], "", ".venv"):
            assert words[0] in (f"/workspace/.venv/bin/{name}", name)


def test_tools_installed_in_the_environment_may_run_by_name() -> None:
    assert candidates(["flask", "run"], "", ".venv") == [["/workspace/.venv/bin/flask", "run"]]
    with pytest.raises(Refusal) as refused:
        candidates(["flask", "run"], "", None)
    assert refused.value.error_class == "PERMISSION_ERROR"


def test_a_path_is_one_within_the_workspace() -> None:
    assert candidates(["./go", "x"], "app", None) == [["/workspace/app/go", "x"]]
    assert candidates(["bin/go"], "", None) == [["/workspace/bin/go"]]
    for path in ("/bin/sh", "../../bin/sh", "./../../usr/bin/curl"):
        with pytest.raises(Refusal, match="outside"):
            candidates([path], "app", None)
