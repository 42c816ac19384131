from __future__ import annotations

import pytest

from agents.toolkit.packages import fetches_packages, installs_packages, needs_environment


@pytest.mark.parametrize(
    "line",
    [
        "pip install httpx",
        "pip3 install -U httpx rich",
        "python -m pip install httpx",
        ".venv/bin/pip --quiet install httpx",
        "pip --timeout 5 install httpx",
        "python3 -m pip install -r requirements.txt",
    ],
)
def test_pip_that_installs_is_recognised(line: str) -> None:
    assert fetches_packages(line)
    assert installs_packages(line)


def test_downloading_asks_the_index_and_installs_nothing() -> None:
    assert fetches_packages("pip download httpx")
    assert not installs_packages("pip download httpx")


def test_pip_that_is_told_to_ask_no_index_asks_none() -> None:
    assert not fetches_packages("pip install --no-index ./wheels/x.whl")
    assert installs_packages("pip install --no-index ./wheels/x.whl")


def test_pip_needs_an_active_environment_unless_it_is_told_where() -> None:
    assert needs_environment("pip install httpx")
    assert needs_environment("python -m pip install --no-index ./x.whl")
    for line in (".venv/bin/pip install httpx", "pip install --target=lib httpx", "pip install -t lib x", "pip list"):
        assert not needs_environment(line)


@pytest.mark.parametrize(
    "line",
    [
        *("pip list", "pip", "python -m pip", "python install", "echo pip install httpx", "python main.py"),
        *("pip --log install list", "pip install httpx && ls", 'pip "install', 7, None),
    ],
)
def test_nothing_else_is_taken_for_it(line: object) -> None:
    assert not fetches_packages(line)
    assert not installs_packages(line)
