"""The verdict on a plan that has run: its checks held against files and results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.outcome.outcome import Check, CheckKind, Facts, Outcome, evaluate, passed_tests, shown_state

K = CheckKind
FILES = {"kept.py": "1", "new.py": "2", "same": "dir", "same/a": "1", "grown": "dir", "grown/a": "1", "grown2": "dir"}
CONTENTS = {"kept.py": b"x = 1\n", "new.py": b"def f(:\n"}
FACTS = Facts(
    changed=True,
    before=lambda: {"kept.py": "1", "old.py": "9", "same": "dir", "same/a": "1", "grown": "dir"},
    after=lambda: FILES,
    results={
        1: {"return_code": 0, "stdout": "3 passed in 0.1s"},
        2: {"return_code": 0, "stdout": "", "stderr": "Ran 0 tests in 0.000s\n\nOK"},
        3: {"return_code": 0, "stdout": "fine"},
        4: {"items": []},
        5: {"return_code": 2, "stdout": "no"},
        6: {"diff": "+x"},
        7: {"diff": ""},
        8: {"message": "people are asked: item 3"},
    },
    content=CONTENTS.get,
)


@pytest.mark.parametrize(
    ("check", "holds", "said"),
    [
        (Check(K.CHANGED), True, ""),
        (Check(K.EXISTS, "new.py"), True, ""),
        (Check(K.EXISTS, "old.py"), False, ""),
        (Check(K.GONE, "old.py"), True, ""),
        (Check(K.GONE, "new.py"), False, ""),
        (Check(K.FILE_CHANGED, "new.py"), True, ""),
        (Check(K.FILE_CHANGED, "kept.py"), False, ""),
        (Check(K.FILE_CHANGED, "old.py"), False, "it is not there"),
        (Check(K.FILE_CHANGED, "same"), False, ""),
        (Check(K.FILE_CHANGED, "grown"), True, ""),
        (Check(K.HAS_LINE, "kept.py", word="x = 1"), True, ""),
        (Check(K.HAS_LINE, "kept.py", word="x ="), False, ""),
        (Check(K.HAS_LINE, "old.py", word="x = 1"), False, "it is not there"),
        (Check(K.LACKS_TEXT, "kept.py", word="y"), True, ""),
        (Check(K.LACKS_TEXT, "kept.py", word="x ="), False, ""),
        (Check(K.LACKS_TEXT, "old.py", word="x"), False, "it is not there"),
        (Check(K.REPORTED, steps=(6,), word="diff"), True, ""),
        (Check(K.REPORTED, steps=(7,), word="diff"), None, "it had nothing to change"),
        (Check(K.REPORTED, steps=(9,), word="diff"), False, "it did not run"),
        (Check(K.PARSES, "kept.py"), True, ""),
        (Check(K.PARSES, "new.py"), False, "line 1: invalid syntax"),
        (Check(K.PARSES, "old.py"), False, "it is not there"),
        (Check(K.EXIT_ZERO, steps=(3,)), True, ""),
        (Check(K.EXIT_ZERO, steps=(5,)), False, "exit code 2"),
        (Check(K.EXIT_ZERO, steps=(9,)), False, "it did not run"),
        (Check(K.TESTS_PASS, steps=(1,)), True, "3 passed"),
        (Check(K.TESTS_PASS, steps=(2,)), False, "no test ran"),
        (Check(K.TESTS_PASS, steps=(3,)), None, "its output does not say how many ran"),
        (Check(K.TESTS_PASS, steps=(9,)), False, "they did not run"),
        (Check(K.ANSWERED, steps=(3, 4)), True, ""),
        (Check(K.ANSWERED, steps=(9,)), False, ""),
        (Check(K.HANDED_OVER, steps=(8,)), True, "people are asked: item 3"),
        (Check(K.HANDED_OVER, steps=(9,)), False, "it did not run"),
        (Check(K.LEFT_OUT, word="the rest"), None, ""),
        (Check(K.UNKNOWN, steps=(3,)), None, ""),
    ],
)
def test_each_check_is_held_against_what_is_so(check: Check, holds: bool | None, said: str) -> None:
    (found,) = evaluate([check], FACTS).results
    assert (found.holds, found.said) == (holds, said)


def test_a_program_that_prints_nothing_gives_no_answer() -> None:
    (found,) = evaluate(
        [Check(K.ANSWERED, steps=(1,))], Facts(results={1: {"return_code": 0, "stdout": " \n"}})
    ).results
    assert found.holds is False


@pytest.mark.parametrize("kind", [K.CHANGED, K.EXISTS, K.GONE, K.FILE_CHANGED, K.PARSES])
def test_files_that_cannot_be_read_fail_nothing_and_prove_nothing(kind: CheckKind) -> None:
    verdict = evaluate([Check(kind, "a.py")], Facts())
    assert (verdict.outcome, verdict.results[0].holds) == (Outcome.NOT_CHECKED, None)


@pytest.mark.parametrize(
    ("checks", "changed", "outcome"),
    [
        ([], True, Outcome.NOT_CHECKED),
        ([Check(K.CHANGED)], True, Outcome.ACHIEVED),
        ([Check(K.CHANGED)], False, Outcome.NOTHING_CHANGED),
        ([Check(K.CHANGED)], None, Outcome.NOT_CHECKED),
        ([Check(K.CHANGED), Check(K.GONE, "kept.py")], True, Outcome.CHECK_FAILED),
        ([Check(K.CHANGED), Check(K.GONE, "kept.py")], False, Outcome.NOTHING_CHANGED),
        ([Check(K.CHANGED), Check(K.UNKNOWN, steps=(1,))], True, Outcome.NOT_CHECKED),
        ([Check(K.CHANGED), Check(K.LEFT_OUT, word="the rest")], True, Outcome.NOT_CHECKED),
        # What people were asked for is theirs, whatever else holds or is not known.
        ([Check(K.HANDED_OVER, steps=(8,))], True, Outcome.HANDED_OVER),
        ([Check(K.HANDED_OVER, steps=(8,)), Check(K.UNKNOWN, steps=(1,))], True, Outcome.HANDED_OVER),
        ([Check(K.HANDED_OVER, steps=(8,)), Check(K.GONE, "kept.py")], True, Outcome.CHECK_FAILED),
        # Nothing had to change for this one.
        ([Check(K.TESTS_PASS, steps=(2,))], False, Outcome.CHECK_FAILED),
    ],
)
def test_the_outcome_follows_from_the_checks(checks: list[Check], changed: bool | None, outcome: Outcome) -> None:
    facts = Facts(changed, FACTS.before, FACTS.after, FACTS.results, FACTS.content)
    assert evaluate(checks, facts).outcome == outcome


_checks = st.builds(
    Check,
    st.sampled_from(CheckKind),
    st.sampled_from(["kept.py", "new.py", "old.py", "a.json"]),
    st.lists(st.integers(1, 9), min_size=1, max_size=3).map(tuple),
)
_maps = st.one_of(st.none(), st.dictionaries(st.sampled_from(["kept.py", "new.py", "a.json"]), st.sampled_from("12")))


@given(st.lists(_checks, max_size=6), st.sampled_from([True, False, None]), _maps, _maps)
def test_nothing_is_achieved_with_a_check_that_fails_or_is_not_known(
    checks: list[Check], changed: bool | None, before: dict[str, str] | None, after: dict[str, str] | None
) -> None:
    facts = Facts(changed, lambda: before, lambda: after, FACTS.results, CONTENTS.get)
    verdict = evaluate(checks, facts)
    held = [one.holds for one in verdict.results]
    is_handed_over = any(one.kind is K.HANDED_OVER for one in checks)
    assert (verdict.outcome is Outcome.ACHIEVED) == (bool(held) and all(held) and not is_handed_over)
    assert (verdict.outcome in (Outcome.NOTHING_CHANGED, Outcome.CHECK_FAILED)) == (False in held)


@pytest.mark.parametrize(
    ("output", "passed"),
    [
        ("==== 12 passed, 1 skipped in 0.32s ====", 12),
        ("collected 0 items\n\n==== no tests ran in 0.01s ====", 0),
        ("Ran 3 tests in 0.001s\n\nOK", 3),
        ("Ran 2 tests in 0.001s\n\nOK (skipped=2)", 0),
        ("\nRan 0 tests in 0.000s\n\nNO TESTS RAN", 0),
        ("test result: ok. 4 passed; 0 failed", 4),
        ("  7 passing (12ms)", 7),
        ("# pass 5\n# fail 0", 5),
        ("12 examples, 0 failures", 12),
        ("OK (4 tests, 9 assertions)", 4),
        ("0 examples, 0 failures", 0),
        ("No tests executed!", 0),
        ("No test files found, exiting with code 0", 0),
        ("3 skipped in 0.01s", 0),
        ("?   \texample.com/a\t[no test files]", 0),
        ("ok  \texample.com/a\t0.003s [no tests to run]", 0),
        ("?   \texample.com/a\t[no test files]\nok  \texample.com/b\t0.003s", None),
        ("make: Nothing to be done for 'test'.", 0),
        ("hello", None),
        ("", None),
    ],
)
def test_how_many_tests_passed_is_read_from_what_the_program_says(output: str, passed: int | None) -> None:
    assert passed_tests(output) == passed


@pytest.mark.parametrize(
    ("printed", "holds"),
    [("collected 0 items", False), ("Ran 0 tests in 0.000s\n\nOK", False), ("0 passed the exam", True), ("done", True)],
)
def test_a_program_that_says_it_found_no_test_is_no_success_whatever_it_is_called(printed: str, holds: bool) -> None:
    facts = Facts(results={1: {"return_code": 0, "stdout": "", "stderr": printed}})
    verdict = evaluate([Check(K.EXIT_ZERO, steps=(1,))], facts)
    assert [(one.holds, one.said) for one in verdict.results] == [(holds, "" if holds else "no test ran")]


@pytest.mark.parametrize(
    ("state", "outcome", "shown"),
    [
        ("achieved", "achieved", "achieved"),
        ("achieved", "nothing_changed", "nothing_changed"),
        ("achieved", "", "not_checked"),
        ("failed", "", "failed"),
        ("executing", "", "executing"),
    ],
)
def test_people_read_what_came_of_it(state: str, outcome: str, shown: str) -> None:
    assert shown_state(state, outcome) == shown


@pytest.mark.parametrize("raw", [{}, {"kind": "later", "path": "", "steps": [], "word": ""}, "x"])
def test_a_check_of_a_later_version_is_no_check(raw: Any) -> None:
    with pytest.raises((KeyError, TypeError)):
        Check.from_json(raw)


def test_a_check_is_the_same_after_it_was_stored() -> None:
    check = Check(K.TESTS_PASS, steps=(1, 3), word="run")
    stored: Mapping[str, Any] = check.to_json()
    assert Check.from_json(stored) == check


def test_a_step_that_tells_of_changes_where_there_are_none_missed() -> None:
    check = Check(K.REPORTED, steps=(1,), word="diff")
    verdict = evaluate([check], Facts(changed=False, results={1: {"diff": "+x"}}))
    assert verdict.outcome is Outcome.NOTHING_CHANGED
