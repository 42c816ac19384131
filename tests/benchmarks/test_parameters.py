"""The benchmark of commands: it draws what it says, judges rightly, and a sample of it comes to what is asked for."""

from __future__ import annotations

from benchmarks.parameters.__main__ import ASKED, RIGHT, WRONG, judged
from benchmarks.parameters.cases import Case
from benchmarks.parameters.drawn.drawing import KINDS, cases


def test_the_same_seed_draws_the_same_and_all_kinds() -> None:
    drawn = cases(120, 3)
    assert drawn == cases(120, 3)
    assert {case.kind for case, _ in drawn} == set(KINDS)


def test_a_wrong_meaning_is_told_from_a_right_one_and_from_a_question() -> None:
    entries = (("main.py", "file"),)
    right = (("simple_coder", "read", {"path": "main.py"}),)
    other = (("simple_coder", "rm", {"path": "main.py"}),)
    assert judged(Case("show main.py", "x", entries, (right,))).verdict == RIGHT
    assert judged(Case("show main.py", "x", entries, (other,))).verdict == WRONG
    assert judged(Case("make it better", "x", entries, ())).verdict == ASKED


def test_a_sample_is_understood_as_often_as_is_asked() -> None:
    outcomes = [judged(case, lacks) for case, lacks in cases(100, 11)]
    right = sum(one.verdict == RIGHT for one in outcomes)
    assert right >= 80
    assert sum(one.verdict == WRONG for one in outcomes) <= 2
