"""No text that people can type makes what reads it raise or take long. The usual run reads some of them,
`make test-deep` many more.

What a text costs is counted in calls of functions, which come to the same on every machine, busy or not. The time is
bounded as well, far above what a busy machine needs: one call of a regular expression can go on without end.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from cProfile import Profile

import pytest

from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.understand import understand
from agents.mastermind import reading
from agents.rules.entailment import entails
from agents.rules.grammar import Rule, read
from agents.rules.selection import KnownRule, relevant_rules
from agents.rules.starter import starter_files
from agents.toolkit.phrases import complete, read_raw
from agents.toolkit.registry import REGISTRY
from agents.toolkit.wording.words import read_text
from tests.agents.bdi.understanding import adversarial
from tests.deep import DEEP

COUNT = 3_000 if DEEP else 40
# The hardest of 3,000 texts needs 1.8 million, which take 0.3 s.
MOST_CALLS = 3_000_000
STUCK_S = 20


def _tree(name: str) -> Tree:
    tree = {"small": adversarial.small_tree, "large": adversarial.large_tree}[name]()
    understand("show README.md", tree, REGISTRY)  # what is made once for a tree is no part of a text's time
    return tree


def _calls(read: Callable[[str], object], text: str) -> int:
    profile = Profile()
    profile.enable()
    try:
        read(text)
    finally:
        profile.disable()
    return sum(entry.callcount for entry in profile.getstats())


def _costly_ones(read: Callable[[str], object], seed: int) -> list[tuple[int, float, str, int]]:
    """Calls, seconds, kind and length of what costs more than it may."""
    costly = []
    for kind, text in adversarial.texts(COUNT, seed):
        before = time.process_time()
        calls = _calls(read, text)
        took = time.process_time() - before
        if calls > MOST_CALLS or took > STUCK_S:
            costly.append((calls, round(took, 1), kind, len(text)))
    return costly


@pytest.mark.parametrize("tree", ["small", "large"])
def test_a_goal_is_read_without_an_error_and_at_a_bounded_cost(tree: str) -> None:
    files = _tree(tree)
    assert _costly_ones(lambda text: understand(text, files, REGISTRY), seed=1) == []


def _rules() -> list[KnownRule]:
    found: list[Rule] = [rule for _, text in starter_files() for rule in read(text)[0]]
    return [KnownRule(rule.name, "1.0.0", "1", rule) for rule in found]


RULES = _rules()
READERS: dict[str, Callable[[str], object]] = {
    "a command of Mastermind": lambda text: reading.read(text),
    "a rule": lambda text: read(text),
    "a trigger": lambda text: relevant_rules(read_text(text), RULES, REGISTRY),
    "a step by hand": lambda text: read_raw(text, REGISTRY),
    "the beginning of a step": lambda text: complete(text, REGISTRY),
    "a belief": lambda text: entails(text, "you are in the kitchen"),
    "a context": lambda text: entails("there is a folder named x", text),
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_whatever_else_reads_words_stands_them_too(reader: Callable[[str], object]) -> None:
    assert _costly_ones(reader, seed=2) == []
