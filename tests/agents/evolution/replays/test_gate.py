"""What a replay proves: fixes against breaks, and what is too little to say anything."""

from __future__ import annotations

from typing import Any

import pytest

from agents.evolution.replays.gate import Flip, Verdict, is_sealed, judge, sign_test

FIXED, BROKEN = Flip(False, True, differs=True), Flip(True, False, differs=True)
SAME, ALIKE = Flip(True, True, differs=True), Flip(True, True, differs=False)
UNPROVEN = Flip(None, True, differs=True)


@pytest.mark.parametrize(
    ("cases", "verdict"),
    [
        ([FIXED] * 5, Verdict.ADMITTED),
        ([FIXED] * 5 + [ALIKE] * 30 + [UNPROVEN] * 9, Verdict.ADMITTED),
        ([FIXED] * 4 + [SAME] * 30, Verdict.TOO_FEW),
        ([FIXED] * 40 + [BROKEN], Verdict.BROKE),
        ([BROKEN], Verdict.BROKE),
        ([SAME] * 9, Verdict.TOO_FEW),
        ([ALIKE] * 9, Verdict.INERT),
        ([UNPROVEN] * 9, Verdict.NO_CASES),
        ([], Verdict.NO_CASES),
    ],
)
def test_only_enough_fixes_and_not_one_break_let_a_candidate_in(cases: list[Flip], verdict: Verdict) -> None:
    judged = judge(cases)
    assert judged.verdict is verdict
    assert judged.is_admitted is (verdict is Verdict.ADMITTED)
    assert judged.fixed + judged.broken + judged.unchanged + judged.unproven == len(cases)
    assert judged.says.endswith(".")


def test_the_sign_test_is_the_upper_tail_of_the_binomial() -> None:
    assert sign_test(5, 0) == 1 / 32
    assert sign_test(4, 0) == 1 / 16
    assert sign_test(0, 0) == 1.0
    assert sign_test(0, 3) == 1.0
    assert sign_test(7, 1) == pytest.approx((8 + 1) / 256)  # R: pbinom(6, 8, 0.5, lower.tail = FALSE)


def test_cases_are_split_by_a_hash_into_two_halves_that_stay() -> None:
    sealed = [number for number in range(1_000) if is_sealed("total a list", number)]
    assert 400 < len(sealed) < 600
    assert sealed == [number for number in range(1_000) if is_sealed("total a list", number)]
    assert sealed != [number for number in range(1_000) if is_sealed("another rule", number)]


def test_who_has_no_key_cannot_reckon_which_cases_are_hidden(settings: Any) -> None:
    before = [is_sealed("total a list", number) for number in range(1_000)]
    settings.APPROVAL_KEY = "another key"
    after = [is_sealed("total a list", number) for number in range(1_000)]
    assert 400 < sum(one != other for one, other in zip(before, after, strict=True)) < 600
