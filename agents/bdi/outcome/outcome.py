"""Whether a plan that has run brought about what its goal asked for: checks, and the verdict on them. Pure.

Checks are made with the plan (agents.bdi.forecast.outcome_checks) and stand in its document, so they are approved with
it. After the plan has run, `evaluate` holds them against what is so now.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from agents.bdi.outcome import file_syntax
from agents.states import GoalState


class CheckKind(StrEnum):
    """What is looked at. `unknown`: nothing says what this step must bring about, so it cannot be checked.

    `handed_over`: the step asks people for what the goal wishes, so that it is theirs afterwards. `left_out`: the plan
    is of a part of the goal, and nothing it does can show that the rest is done.
    """

    CHANGED = "changed"
    EXISTS = "exists"
    GONE = "gone"
    FILE_CHANGED = "file_changed"
    HAS_LINE = "has_line"
    LACKS_TEXT = "lacks_text"
    REPORTED = "reported"
    NOTHING_LEFT = "nothing_left"
    PARSES = "parses"
    EXIT_ZERO = "exit_zero"
    TESTS_PASS = "tests_pass"  # noqa: S105  # no password
    ANSWERED = "answered"
    HANDED_OVER = "handed_over"
    LEFT_OUT = "left_out"
    UNKNOWN = "unknown"


class Outcome(StrEnum):
    """What came of a goal whose plan ran to its end."""

    ACHIEVED = "achieved"
    NOTHING_CHANGED = "nothing_changed"
    CHECK_FAILED = "check_failed"
    HANDED_OVER = "handed_over"
    NOT_CHECKED = "not_checked"


NO_TEST_RAN = "no test ran"
# What was asked for did not come about, although every step ran.
MISSED = frozenset({Outcome.NOTHING_CHANGED, Outcome.CHECK_FAILED})


def shown_state(state: str, outcome: str) -> str:
    """A goal's state as people read it: of one whose plan ran to its end, what came of it.

    Goals from before there were checks have no outcome: nothing checked them.
    """
    return (outcome or Outcome.NOT_CHECKED.value) if state == GoalState.ACHIEVED else state


@dataclass(frozen=True)
class Check:
    """One thing that must be so afterwards: about a path, or about the results of steps.

    `word`: the goal's word that asks for it, where one does; the line of `has_line`; the key of a result that tells
    whether a step changed files, of `reported`; what the plan does not do, of `left_out`.
    """

    kind: CheckKind
    path: str = ""
    steps: tuple[int, ...] = ()
    word: str = ""

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Check:
        """The check as it is stored. Raises KeyError, TypeError for what is none or of a later mindX."""
        if raw["kind"] not in set(CheckKind):
            raise KeyError(raw["kind"])
        return cls(CheckKind(raw["kind"]), str(raw["path"]), tuple(raw["steps"]), str(raw["word"]))

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind.value, "path": self.path, "steps": list(self.steps), "word": self.word}


@dataclass(frozen=True)
class CheckResult:
    """What came of one check. `holds` None: it could not be told. `said`: a detail in words, "" for none."""

    check: Check
    holds: bool | None
    said: str = ""

    def to_json(self) -> dict[str, Any]:
        return {**self.check.to_json(), "holds": self.holds, "said": self.said}


@dataclass(frozen=True)
class Facts:
    """What is so when the last step has ended. What cannot be told is None or missing.

    `changed`: whether the files differ from those before the first step. `before`, `after`: what lies at a path, by any
    word that is another one for other content; read only when a check asks. `results`: of the steps, by position.
    `content`: a file's bytes, None when it is none or too long.
    """

    changed: bool | None = None
    before: Callable[[], Mapping[str, str] | None] = lambda: None
    after: Callable[[], Mapping[str, str] | None] = lambda: None
    results: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    content: Callable[[str], bytes | None] = lambda path: None


@dataclass(frozen=True)
class OutcomeVerdict:
    """The outcome with the result of each check."""

    outcome: Outcome
    results: tuple[CheckResult, ...] = ()

    @property
    def failed(self) -> tuple[CheckResult, ...]:
        """The checks that do not hold."""
        return tuple(one for one in self.results if one.holds is False)


def evaluate(checks: Sequence[Check], facts: Facts) -> OutcomeVerdict:
    """Hold the checks against the facts. Achieved only when there are checks and every one of them holds.

    What was handed to people is done when they have done it, and that is no fact of this plan.
    """
    results = tuple(CheckResult(check, *_JUDGES[check.kind](check, facts)) for check in checks)
    failed = {one.check.kind for one in results if one.holds is False}
    if failed & {CheckKind.CHANGED, CheckKind.FILE_CHANGED, CheckKind.REPORTED} and facts.changed is False:
        return OutcomeVerdict(Outcome.NOTHING_CHANGED, results)
    if failed:
        return OutcomeVerdict(Outcome.CHECK_FAILED, results)
    if any(one.check.kind is CheckKind.HANDED_OVER for one in results):
        return OutcomeVerdict(Outcome.HANDED_OVER, results)
    if not results or any(one.holds is None for one in results):
        return OutcomeVerdict(Outcome.NOT_CHECKED, results)
    return OutcomeVerdict(Outcome.ACHIEVED, results)


Judged = tuple[bool | None, str]
# So much is told of what a step said.
_SAID_MAX = 300


def _changed(_check: Check, facts: Facts) -> Judged:
    return facts.changed, ""


def _exists(check: Check, facts: Facts) -> Judged:
    there = facts.after()
    return (None, "") if there is None else (check.path in there, "")


def _gone(check: Check, facts: Facts) -> Judged:
    there = facts.after()
    return (None, "") if there is None else (check.path not in there, "")


def _file_changed(check: Check, facts: Facts) -> Judged:
    before, after = facts.before(), facts.after()
    if before is None or after is None:
        return None, ""
    if check.path not in after:
        return False, "it is not there"
    return _at_or_below(check.path, before) != _at_or_below(check.path, after), ""


def _at_or_below(path: str, files: Mapping[str, str]) -> dict[str, str]:
    return {name: what for name, what in files.items() if name == path or name.startswith(f"{path}/")}


def _of_content(check: Check, facts: Facts, judge: Callable[[bytes], Judged]) -> Judged:
    """What `judge` says of the file's content; where it cannot be read, why."""
    there = facts.after()
    if there is None:
        return None, ""
    if check.path not in there:
        return False, "it is not there"
    content = facts.content(check.path)
    return (None, "it is too long to be read here") if content is None else judge(content)


def _has_line(check: Check, facts: Facts) -> Judged:
    return _of_content(check, facts, lambda content: (check.word.encode() in content.splitlines(), ""))


def _lacks_text(check: Check, facts: Facts) -> Judged:
    return _of_content(check, facts, lambda content: (check.word.encode() not in content, ""))


def _reported(check: Check, facts: Facts) -> Judged:
    results = [facts.results.get(step) for step in check.steps]
    if any(result is None for result in results):
        return False, "it did not run"
    # That there was nothing to change is no success and no failure.
    told = any(result.get(check.word) for result in results if result is not None)
    return (facts.changed, "") if told else (None, "it had nothing to change")


def _nothing_left(check: Check, facts: Facts) -> Judged:
    results = [facts.results.get(step) for step in check.steps]
    if any(result is None for result in results):
        return False, "it did not run"
    left = [str(one) for result in results if result is not None for one in result.get(check.word) or ()]
    more = f" and {len(left) - _NAMED_LEFT} more" if len(left) > _NAMED_LEFT else ""
    return not left, f"{', '.join(left[:_NAMED_LEFT])}{more}"


def _parses(check: Check, facts: Facts) -> Judged:
    def judge(content: bytes) -> Judged:
        try:
            fault = file_syntax.fault(check.path, content)
        except file_syntax.NotRead as error:
            return None, str(error)
        return not fault, fault

    return _of_content(check, facts, judge)


def _exit_zero(check: Check, facts: Facts) -> Judged:
    results = [facts.results.get(step, {}) for step in check.steps]
    codes = [result.get("return_code") for result in results]
    # Whatever was run: where it says that it is about tests and found none, nothing was tested.
    if all(code == 0 for code in codes):
        none_ran = any(_NONE_RAN.search(_printed(one)) and passed_tests(_printed(one)) == 0 for one in results)
        return (False, NO_TEST_RAN) if none_ran else (True, "")
    return (False, f"exit code {codes[0]}") if codes[0] is not None else (False, "it did not run")


def _tests_pass(check: Check, facts: Facts) -> Judged:
    passed: int | None = 0
    for step in check.steps:
        result = facts.results.get(step)
        if result is None:
            return False, "they did not run"
        if result.get("return_code") not in (0, None):
            return False, f"exit code {result['return_code']}"
        ran = passed_tests(_printed(result))
        passed = None if ran is None or passed is None else passed + ran
    if passed is None:
        return None, "its output does not say how many ran"
    return (True, f"{passed} passed") if passed else (False, NO_TEST_RAN)


def _printed(result: Mapping[str, Any]) -> str:
    return f"{result.get('stdout', '')}\n{result.get('stderr', '')}"


def _answered(check: Check, facts: Facts) -> Judged:
    results = [facts.results.get(step) for step in check.steps]
    return all(result is not None and _says_something(result) for result in results), ""


def _handed_over(check: Check, facts: Facts) -> Judged:
    found = [facts.results.get(step) for step in check.steps]
    said = "; ".join(str(one["message"])[:_SAID_MAX] for one in found if one and one.get("message"))
    return (False, "it did not run") if any(one is None for one in found) else (True, said)


def _says_something(result: Mapping[str, Any]) -> bool:
    """A program answers by what it prints; a command of mindX by its result, where finding nothing is an answer too."""
    if "return_code" in result:
        return bool(f"{result.get('stdout', '')}{result.get('stderr', '')}".strip())
    return bool(result)


def _unknown(_check: Check, _facts: Facts) -> Judged:
    return None, ""


_JUDGES: Mapping[CheckKind, Callable[[Check, Facts], Judged]] = {
    CheckKind.CHANGED: _changed,
    CheckKind.EXISTS: _exists,
    CheckKind.GONE: _gone,
    CheckKind.FILE_CHANGED: _file_changed,
    CheckKind.HAS_LINE: _has_line,
    CheckKind.LACKS_TEXT: _lacks_text,
    CheckKind.REPORTED: _reported,
    CheckKind.NOTHING_LEFT: _nothing_left,
    CheckKind.PARSES: _parses,
    CheckKind.EXIT_ZERO: _exit_zero,
    CheckKind.TESTS_PASS: _tests_pass,
    CheckKind.ANSWERED: _answered,
    CheckKind.HANDED_OVER: _handed_over,
    CheckKind.LEFT_OUT: _unknown,
    CheckKind.UNKNOWN: _unknown,
}

# How test programs count: pytest, jest, cargo ("12 passed"), unittest ("Ran 12 tests"), TAP ("# pass 12"), mocha
# ("12 passing"), RSpec ("12 examples, 0 failures"), PHPUnit ("OK (12 tests, …"); and how they say that nothing ran.
# So many of what a step left as it was are named.
_NAMED_LEFT = 3
_COUNTS = (
    re.compile(r"\b(\d{1,9}) (?:tests? )?(?:passed|passing)\b"),
    re.compile(r"^Ran (\d{1,9}) tests?\b", re.MULTILINE),
    re.compile(r"^(?:#|ℹ) pass (\d{1,9})$", re.MULTILINE),
    re.compile(r"^(\d{1,9}) examples?, \d", re.MULTILINE),
    re.compile(r"^OK \((\d{1,9}) tests?, ", re.MULTILINE),
)
_NONE_RAN = re.compile(
    r"\bno tests? (?:ran|found|collected|executed|were found|to run|is available|(?:files?|modules?|suites?)\b)"
    r"|\bcollected 0 items\b|^Ran 0 tests\b|^0 examples, |^1\.\.0\b"
    r"|^=* ?(?:\d{1,9} (?:skipped|deselected|warnings?)(?:, )?)+ in \d"
    r"|\bnothing to be done for [`'‘](?:test|tests|check)\b",
    re.IGNORECASE | re.MULTILINE,
)
# Go says of each package that its tests passed, and not how many there were.
_PASSED_UNCOUNTED = re.compile(r"^ok[ \t]+\S+[ \t]+(?:\(cached\)|[\d.]+s)(?!.*\[no tests to run\])", re.MULTILINE)
_SKIPPED = re.compile(r"\bskipped=(\d{1,9})\b")


def passed_tests(output: str) -> int | None:
    """How many tests ran and passed, by what the program printed; None when it does not say."""
    for pattern in _COUNTS:
        if found := pattern.findall(output):
            skipped = sum(map(int, _SKIPPED.findall(output)))
            return max(0, sum(map(int, found)) - skipped)
    is_none = _NONE_RAN.search(output) and not _PASSED_UNCOUNTED.search(output)
    return 0 if is_none else None
