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
    Outcome.NOT_CHECKED: "Ran, not checked",
}
TONES: Mapping[Outcome, str] = {
    Outcome.ACHIEVED: "good",
    Outcome.NOTHING_CHANGED: "person",
    Outcome.CHECK_FAILED: "person",
    Outcome.NOT_CHECKED: "",
}
# Of a goal that is achieved in the table of states, but of which that was not checked or is not so.
STATES: Mapping[str, str] = {
    Outcome.NOTHING_CHANGED.value: "ran, but nothing changed",
    Outcome.CHECK_FAILED.value: "ran, but a check failed",
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


def sentence(check: Check) -> str:
    """What is looked at, as a clause that must be true."""
    steps = _steps(check.steps)
    match check.kind:
        case CheckKind.CHANGED:
            return f"A file changed, as “{check.word}” asks" if check.word else "A file changed"
        case CheckKind.EXISTS:
            return f"{check.path} is there"
        case CheckKind.GONE:
            return f"{check.path} is gone"
        case CheckKind.FILE_CHANGED:
            return f"{check.path} changed"
        case CheckKind.PARSES:
            return f"{check.path} can be read as {file_syntax.language(check.path) or 'what its name says'}"
        case CheckKind.EXIT_ZERO:
            return f"The program of {steps} ended with exit code 0"
        case CheckKind.TESTS_PASS:
            return f"The tests of {steps} ran and passed"
        case CheckKind.ANSWERED:
            return f"{steps[0].upper()}{steps[1:]} gave an answer"
        case CheckKind.UNKNOWN:
            return f"No check is defined for {steps}"


def missed(check: Check, said: str = "") -> str:
    """What is so instead, as a clause. `said`: the detail that the check found."""
    steps, why = _steps(check.steps), f": {said}" if said else ""
    if said == NO_TEST_RAN and check.kind in (CheckKind.EXIT_ZERO, CheckKind.TESTS_PASS):
        return f"no test ran in {steps}"
    match check.kind:
        case CheckKind.CHANGED:
            return f"no file changed, although the goal asks to {check.word}"
        case CheckKind.EXISTS:
            return f"{check.path} is not there"
        case CheckKind.GONE:
            return f"{check.path} is still there"
        case CheckKind.FILE_CHANGED:
            return f"{check.path} did not change{why}"
        case CheckKind.PARSES:
            return f"{check.path} cannot be read as {file_syntax.language(check.path) or 'what its name says'}{why}"
        case CheckKind.EXIT_ZERO:
            return f"the program of {steps} did not end with exit code 0{why}"
        case CheckKind.TESTS_PASS:
            return f"the tests of {steps} did not pass{why}"
        case CheckKind.ANSWERED:
            return f"{steps} gave no answer"
    return sentence(check)


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
    Outcome.NOT_CHECKED: "minus",
}


def came(outcome: str, reason: str = "", results: Sequence[Mapping[str, Any]] = ()) -> Came:
    """How a page says it. Goals from before there were checks have no outcome: they are not checked."""
    known = Outcome(outcome) if outcome in set(Outcome) else Outcome.NOT_CHECKED
    why = reason[:1].upper() + reason[1:] if known in MISSED else ""
    return Came(headline(known, results), _ICONS[known], TONES[known], why)


def log_line(goal_id: int, verdict: OutcomeVerdict) -> str:
    """What the log says of the end of a plan."""
    results = [one.to_json() for one in verdict.results]
    if verdict.outcome is Outcome.ACHIEVED:
        count = len(results)
        return f"goal {goal_id} achieved: {count} check{'' if count == 1 else 's'} hold{'s' if count == 1 else ''}"
    said = headline(verdict.outcome, results)
    return f"goal {goal_id} {said[0].lower()}{said[1:]}" + (f": {why}" if (why := failed(verdict)) else "")


def failed(verdict: OutcomeVerdict) -> str:
    """What the checks that do not hold found instead, as clauses; "" where all hold."""
    return "; ".join(missed(one.check, one.said) for one in verdict.failed)
