"""What checks look at and what they found, in words."""

from __future__ import annotations

import pytest

from agents.bdi.outcome.outcome import Check, CheckKind, CheckResult, Outcome, OutcomeVerdict
from agents.presentation import outcome_words as words

K = CheckKind


@pytest.mark.parametrize("kind", list(CheckKind))
def test_every_check_has_words_before_and_after(kind: CheckKind) -> None:
    check = Check(kind, "a.py", (1, 3), "fix")
    assert words.sentence(check)
    for holds in (True, False, None):
        (line,) = words.after([CheckResult(check, holds).to_json()])
        assert line.text
        assert (line.icon, line.tone) == {True: ("check", "good"), False: ("x", "bad"), None: ("minus", "")}[holds]
    if kind is not K.UNKNOWN:
        assert words.missed(check) != words.sentence(check)


@pytest.mark.parametrize("outcome", list(Outcome))
def test_every_outcome_has_words_and_only_what_was_checked_is_green(outcome: Outcome) -> None:
    came = words.came(outcome.value)
    assert came.headline
    assert (came.tone == "good") == (outcome is Outcome.ACHIEVED)
    assert (outcome.value in words.STATES) == (outcome is not Outcome.ACHIEVED)


def test_the_log_says_what_was_missed() -> None:
    failed = CheckResult(Check(K.CHANGED, word="fix"), holds=False)
    verdict = OutcomeVerdict(Outcome.NOTHING_CHANGED, (failed,))
    said = "goal 7 ran, but nothing changed: no file changed, although the goal asks to fix"
    assert words.log_line(7, verdict) == said
    held = CheckResult(Check(K.EXISTS, "a.txt"), holds=True)
    assert words.log_line(7, OutcomeVerdict(Outcome.ACHIEVED, (held,))) == "goal 7 achieved: 1 check holds"
    assert words.log_line(7, OutcomeVerdict(Outcome.NOT_CHECKED)) == "goal 7 ran, not checked"


def test_several_steps_are_listed() -> None:
    assert words.sentence(Check(K.ANSWERED, steps=(1, 3, 4))) == "Steps 1, 3 and 4 gave an answer"
