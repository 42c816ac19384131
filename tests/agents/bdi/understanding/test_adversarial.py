"""No text that people can type makes what reads it raise or take long. The usual run reads some of them,
`MINDX_FUZZ_TEXTS=3000` as many as the figures in docs/parameters.md are of.

Times are the process's own. They are bounded at twice what an undisturbed machine needs at most: two processes on one
core, or a core that is clocked down, count as much.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import cache

import pytest

from agents.bdi.understanding.paths import Tree
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

COUNT = int(os.environ.get("MINDX_FUZZ_TEXTS", "120"))
MOST_S = 0.4


@cache
def _tree(name: str) -> Tree:
    tree = {"small": adversarial.small_tree, "large": adversarial.large_tree}[name]()
    understand("show README.md", tree, REGISTRY)  # what is made once for a tree is no part of a text's time
    return tree


def _slow_ones(read: Callable[[str], object], seed: int) -> list[tuple[int, str, int]]:
    """Milliseconds, kind and length of what takes longer than it may."""
    slow = []
    for kind, text in adversarial.texts(COUNT, seed):
        before = time.process_time()
        read(text)
        took = time.process_time() - before
        if took > MOST_S:
            slow.append((round(1000 * took), kind, len(text)))
    return slow


@pytest.mark.parametrize("tree", ["small", "large"])
def test_a_goal_is_read_without_an_error_and_in_time(tree: str) -> None:
    assert _slow_ones(lambda text: understand(text, _tree(tree), REGISTRY), seed=1) == []


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
    assert _slow_ones(reader, seed=2) == []
