"""Checks and their results in words: on the page of a plan before it runs, on the goal's page and in the log after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.bdi.outcome import file_syntax
from agents.bdi.outcome.outcome import MISSED, NO_TEST_RAN, Check, CheckKind, Outcome, OutcomeVerdict

HEADLINES: Mapping[Outcome, str] = {
    Outcome.ACHIEVED: "Achieved",
    Outcome.NOTHING_CHANGED: "Ran, but nothing changed",
    Outcome.CHECK_FAILED: "Ran, but a check failed",
    Outcome.HANDED_OVER: "Handed over",
    Outcome.NOT_CHECKED: "Ran, not checked",
}
TONES: Mapping[Outcome, str] = {
    Outcome.ACHIEVED: "good",
    Outcome.NOTHING_CHANGED: "person",
    Outcome.CHECK_FAILED: "person",
    Outcome.HANDED_OVER: "person",
    Outcome.NOT_CHECKED: "",
}
# Of a goal that is achieved in the table of states, but of which that was not checked or is not so.
STATES: Mapping[str, str] = {
    Outcome.NOTHING_CHANGED.value: "ran, but nothing changed",
    Outcome.CHECK_FAILED.value: "ran, but a check failed",
    Outcome.HANDED_OVER.value: "handed over",
    Outcome.NOT_CHECKED.value: "ran, not checked",
}
_HELD = {True: ("check", "good", "holds"), False: ("x", "bad", "does not hold"), None: ("minus", "", "not known")}


@dataclass(frozen=True)
class Line:
    """A check as a list shows it; before the plan has run `icon` is a dot and `word` is empty."""

    text: str
    icon: str = "dot"
    tone: str = ""
    word: str = ""


# What is looked at, as a clause that must be true, and what is so instead.
_WORDS: Mapping[CheckKind, tuple[str, str]] = {
    CheckKind.CHANGED: ("A file changed, as “{word}” asks", "no file changed, although the goal asks to {word}"),
    CheckKind.EXISTS: ("{path} exists", "{path} does not exist"),
    CheckKind.GONE: ("{path} is gone", "{path} still exists"),
    CheckKind.FILE_CHANGED: ("{path} changed", "{path} did not change{why}"),
    CheckKind.HAS_LINE: ("{path} has the line “{word}”", "{path} does not have the line “{word}”{why}"),
    CheckKind.LACKS_TEXT: ("{path} no longer holds “{word}”", "{path} still holds “{word}”{why}"),
    CheckKind.REPORTED: ("A file changed, where {steps} says so", "no file changed, although {steps} says so{why}"),
    CheckKind.NOTHING_LEFT: ("{steps} left nothing as it was", "{steps} left something as it was{why}"),
    CheckKind.PARSES: ("{path} can be read as {language}", "{path} cannot be read as {language}{why}"),
    CheckKind.EXIT_ZERO: (
        "The program of {steps} ended with exit code 0",
        "the program of {steps} did not end with exit code 0{why}",
    ),
    CheckKind.TESTS_PASS: ("The tests of {steps} ran and passed", "the tests of {steps} did not pass{why}"),
    CheckKind.ANSWERED: ("{steps} gave an answer", "{steps} gave no answer"),
    CheckKind.HANDED_OVER: ("What {steps} asks for is up to people", "{steps} asked nobody{why}"),
    CheckKind.LEFT_OUT: ("No check of {word}, which this plan leaves out", "{word} is left out of this plan"),
    CheckKind.UNKNOWN: ("No check is defined for {steps}", "No check is defined for {steps}"),
}


def sentence(check: Check) -> str:
    """What is looked at, as a clause that must be true."""
    if check.kind is CheckKind.CHANGED and not check.word:
        return "A file changed"
    said = _filled(_WORDS[check.kind][0], check)
    return said[0].upper() + said[1:] if check.kind is CheckKind.ANSWERED else said


def missed(check: Check, said: str = "") -> str:
    """What is so instead, as a clause. `said`: the detail that the check found."""
    if said == NO_TEST_RAN and check.kind in (CheckKind.EXIT_ZERO, CheckKind.TESTS_PASS):
        return f"no test ran in {_steps(check.steps)}"
    return _filled(_WORDS[check.kind][1], check, f": {said}" if said else "")


def _filled(words: str, check: Check, why: str = "") -> str:
    language = file_syntax.language(check.path) or "what its name says"
    return words.format(path=check.path, word=check.word, steps=_steps(check.steps), language=language, why=why)


def _steps(steps: Sequence[int]) -> str:
    if len(steps) == 1:
        return f"step {steps[0]}"
    return f"steps {', '.join(map(str, steps[:-1]))} and {steps[-1]}" if steps else "the plan"


def before(checks: Sequence[Check]) -> list[Line]:
    """What will be checked."""
    return [Line(sentence(one)) for one in checks]


def after(results: Sequence[Mapping[str, Any]]) -> list[Line]:
    """What each check showed, from the stored results; what a later mindX stored is left out."""
    lines = []
    for one in results:
        try:
            check, holds, said = Check.from_json(one), one["holds"], one["said"]
        except (KeyError, TypeError):
            continue
        icon, tone, word = _HELD[holds if isinstance(holds, bool) else None]
        text = missed(check, said) if holds is False else sentence(check) + (f": {said}" if said else "")
        lines.append(Line(f"{text[:1].upper()}{text[1:]}" if not check.path else text, icon, tone, word))
    return lines


def headline(outcome: Outcome, results: Sequence[Mapping[str, Any]] = ()) -> str:
    """What came of the goal, in a few words."""
    if outcome is Outcome.CHECK_FAILED and any(
        one.get("said") == NO_TEST_RAN and one.get("holds") is False for one in results
    ):
        return "Ran, but no test ran"
    return HEADLINES[outcome]


@dataclass(frozen=True)
class Came:
    """What came of a goal that is achieved in the table of states: how a page says it, and why it is not so."""

    headline: str
    icon: str
    tone: str
    why: str = ""


_ICONS: Mapping[Outcome, str] = {
    Outcome.ACHIEVED: "check",
    Outcome.NOTHING_CHANGED: "warn",
    Outcome.CHECK_FAILED: "warn",
    Outcome.HANDED_OVER: "hand",
    Outcome.NOT_CHECKED: "minus",
}


def came(outcome: str, reason: str = "", results: Sequence[Mapping[str, Any]] = ()) -> Came:
    """How a page says it. Goals from before there were checks have no outcome: they are not checked."""
    known = Outcome(outcome) if outcome in set(Outcome) else Outcome.NOT_CHECKED
    why = reason[:1].upper() + reason[1:] if known in MISSED or known is Outcome.HANDED_OVER else ""
    return Came(headline(known, results), _ICONS[known], TONES[known], why)


def log_line(goal_id: int, verdict: OutcomeVerdict) -> str:
    """What the log says of the end of a plan."""
    results = [one.to_json() for one in verdict.results]
    if verdict.outcome is Outcome.ACHIEVED:
        count = len(results)
        return f"goal {goal_id} achieved: {count} check{'' if count == 1 else 's'} hold{'s' if count == 1 else ''}"
    said = headline(verdict.outcome, results)
    return f"goal {goal_id} {said[0].lower()}{said[1:]}" + (f": {why}" if (why := reason(verdict)) else "")


def reason(verdict: OutcomeVerdict) -> str:
    """What the checks that do not hold found instead, or what was handed to people, as clauses; else ""."""
    if verdict.outcome is Outcome.HANDED_OVER:
        return "; ".join(one.said for one in verdict.results if one.check.kind is CheckKind.HANDED_OVER and one.said)
    return "; ".join(missed(one.check, one.said) for one in verdict.failed)
