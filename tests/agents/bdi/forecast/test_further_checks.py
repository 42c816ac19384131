"""Checks by what the dry run made, and by what the author of a plan states; none that would hold without the plan."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agents.bdi.forecast.further_checks import joined, telling, with_made
from agents.bdi.outcome.outcome import Check, CheckKind, Facts
from agents.bdi.plans.document import Document
from tests.agents.bdi.forecast.test_outcome_checks import plan, run

K = CheckKind
TEXT = "make the changes of May from git into CHANGELOG.md and data/may.json"


def of_a_program(text: str = TEXT) -> Document:
    return replace(plan(text, run("python make.py")), checks=(Check(K.UNKNOWN, steps=(1,)),))


def told(checks: tuple[Check, ...]) -> list[tuple[str, str]]:
    return [(one.kind.value, one.path) for one in checks]


def test_a_file_that_the_goal_names_and_the_dry_run_made_is_checked() -> None:
    found = with_made(of_a_program(), lambda: {"added": ["data/may.json", "data/log"], "changed": ["CHANGELOG.md"]})
    assert told(found) == [
        ("exists", "data/may.json"),
        ("parses", "data/may.json"),
        ("file_changed", "CHANGELOG.md"),
        ("exit_zero", ""),
    ]


def test_a_name_alone_is_the_one_file_of_this_name() -> None:
    one, two = {"added": ["docs/CHANGELOG.md"]}, {"added": ["docs/CHANGELOG.md", "a/CHANGELOG.md"]}
    assert ("exists", "docs/CHANGELOG.md") in told(with_made(of_a_program(), lambda: one))
    assert told(with_made(of_a_program(), lambda: two)) == [("unknown", "")]


@pytest.mark.parametrize(
    ("document", "made"),
    [
        (of_a_program(), None),
        (of_a_program(), {"added": ["other.json"]}),
        (of_a_program(), {"deleted": ["CHANGELOG.md"]}),
        (of_a_program("make the data nice"), {"added": ["a.json"]}),
    ],
    ids=["not tried", "not named", "only deleted", "names none"],
)
def test_nothing_else_is_checked_for_it(document: Document, made: dict[str, list[str]] | None) -> None:
    assert told(with_made(document, lambda: made)) == [("unknown", "")]


def test_what_is_checked_already_asks_for_no_dry_run() -> None:
    document = replace(plan(TEXT, run("python make.py")), checks=(Check(K.EXIT_ZERO, steps=(1,)),))

    def asked() -> None:
        pytest.fail("the dry run was read for nothing")

    assert told(with_made(document, asked)) == [("exit_zero", "")]


def test_what_a_step_does_outside_stays_unknown() -> None:
    sends = ("http_request.post", {"url": "https://example.org/", "json": "{}"})
    document = replace(plan(TEXT, sends), checks=(Check(K.UNKNOWN, steps=(1,)),))
    assert told(joined(document, document.checks, [Check(K.EXISTS, "a.json")])) == [
        ("exists", "a.json"),
        ("unknown", ""),
    ]


def test_a_stated_check_that_holds_without_the_plan_does_not_count() -> None:
    files, content = {"a.txt": "1", "b.json": "2"}, {"a.txt": b"one\ntwo\n", "b.json": b"{}"}
    here = Facts(changed=False, before=lambda: files, after=lambda: files, content=content.get)
    counts = [
        Check(K.EXISTS, "new.json"),
        Check(K.GONE, "a.txt"),
        Check(K.HAS_LINE, "a.txt", word="three"),
        Check(K.LACKS_TEXT, "a.txt", word="one"),
        Check(K.FILE_CHANGED, "b.json"),
        Check(K.PARSES, "new.json"),
        Check(K.PARSES, "b.json"),
    ]
    proves_nothing = [
        Check(K.EXISTS, "a.txt"),
        Check(K.GONE, "new.json"),
        Check(K.HAS_LINE, "a.txt", word="two"),
        Check(K.LACKS_TEXT, "a.txt", word="nine"),
        Check(K.PARSES, "other.json"),
    ]
    assert set(telling([*counts, *proves_nothing], here)) == set(counts)
