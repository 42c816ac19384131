"""What a model may answer that is shown a file: each malformed answer has its reason; only what was sent changes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.language_models import file_changes
from agents.bdi.language_models.file_changes import File, Proposal, Sent

TEXT = '''"""A shop."""

import os


def total(prices):
    sum = 0
    for price in prices:
        sum = sum + price
    return sum


def average(prices):
    try:
        return total(prices) / len(prices)
    except:
        return 0
'''
CHANGE = {"find": "    except:\n", "replace": "    except ZeroDivisionError:\n", "why": "Only this may happen."}


def file(text: str = TEXT, **more: Any) -> File:
    return File(**{"path": "shop.py", "text": text, "is_python": True, **more})


def shown(text: str = TEXT, **more: Any) -> Sent:
    found = file_changes.sent(file(text, **more), "", 50_000)
    assert found is not None
    return found


def answered(*changes: Any, to: Sent | None = None) -> Proposal:
    return file_changes.read(json.dumps({"changes": changes}), to or shown())


def problem(*changes: Any, to: Sent | None = None) -> str:
    found = answered(*changes, to=to)
    assert (found.after, found.changes) == ("", ())
    return " ".join(found.problems)


def changed(**parts: Any) -> dict[str, Any]:
    return {**CHANGE, **parts}


def test_a_change_is_made_where_it_says() -> None:
    found = answered(CHANGE, changed(find="    sum = 0\n", replace="    sum = 0.0\n"))
    assert found.problems == ()
    assert found.after == TEXT.replace("except:", "except ZeroDivisionError:").replace("sum = 0\n", "sum = 0.0\n")
    assert [one.line for one in found.changes] == [7, 16]
    diff = file_changes.diff("shop.py", TEXT, found.after)
    assert "-    except:\n+    except ZeroDivisionError:\n" in diff
    assert file_changes.fits(TEXT, diff, found.after)


@pytest.mark.parametrize(
    "answer",
    [
        "Certainly! Here it is:\n```json\n{}\n```\nTell me if you want more.",
        'With {"an": "example"} in it: {}',
        "{}",
    ],
)
def test_prose_around_the_answer_is_left_aside(answer: str) -> None:
    whole = json.dumps({"changes": [CHANGE]})
    assert file_changes.read(answer[::-1].replace("}{", whole[::-1], 1)[::-1], shown()).problems == ()


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("", "no JSON object"),
        ("I cannot do that.", "no JSON object"),
        ('{"changes": [', "no JSON object"),
        ('{"changes": [], "changes": []}', "stands twice"),
        ('{"changes": []} {"changes": []}', "2 answers"),
        ('{"changes": NaN}', "not a JSON number"),
        ('{"changes": []}', "at least one"),
        ('{"changes": {"find": "a"}}', "at least one"),
        ('{"nothing": ""}', "at least one"),
        ('{"nothing": 3}', "“nothing” is no field"),
        ('{"changes": [], "approved": true}', "“approved” is no field"),
        ('{"changes": ["a"]}', "exactly the fields"),
        ('{"changes": [{"find": "import os", "replace": ""}]}', "exactly the fields"),
        (json.dumps({"changes": [CHANGE] * 41}), "at most 40"),
    ],
)
def test_each_malformed_answer_goes_back_with_its_reason(answer: str, why: str) -> None:
    found = file_changes.read(answer, shown())
    assert why in " ".join(found.problems)
    assert not found.changes


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (["find", "replace", "why"], "exactly the fields"),
        (7, "exactly the fields"),
        (changed(path="../other.py"), "exactly the fields"),
        (changed(find=3), "are texts"),
        (changed(find=""), "has 1 to"),
        (changed(find="x" * 30_000), "has 1 to"),
        (changed(why=" "), "is a sentence"),
        (changed(why="x" * 501), "is a sentence"),
        (changed(why="fine\u202e"), "U+202E"),
        (changed(replace="    except ZeroDivisionError:  # \u200bfine\n"), "U+200B"),
        (changed(replace="    except ZeroDivisionError:\x1b[2J\n"), "U+001B"),
        (changed(find="    except :\n"), "letter by letter"),
        (changed(find="prices"), "stands there 5 times"),
        (changed(replace=CHANGE["find"]), "changes nothing"),
        (changed(replace="    except ZeroDivisionError\n"), "could be read as Python before"),
        (changed(replace="    except:  # " + "x" * 25_000 + "\n"), "at most"),
        (changed(replace="-" * 19_000 + "\n"), "could be read as Python before"),
        (changed(find=TEXT, replace="\n"), "Nothing of the file would be left"),
    ],
)
def test_each_change_that_cannot_be_made_goes_back_with_its_reason(change: Any, why: str) -> None:
    assert why in problem(change)


def test_one_bad_change_takes_all_of_them_back() -> None:
    assert "Change 2:" in problem(CHANGE, changed(find="nowhere"))


def test_changes_that_overlap_are_refused_and_those_beside_each_other_are_made() -> None:
    assert "overlap" in problem(CHANGE, changed(find="except:\n        return 0\n", replace="finally: pass\n"))
    beside = changed(find="        return 0\n", replace="        return 0.0\n")
    assert answered(CHANGE, beside).problems == ()


def test_changes_that_change_nothing_together_are_refused() -> None:
    swapped = [
        {"find": "a = 1\n", "replace": "", "why": "x."},
        {"find": "b = 2\n", "replace": "a = 1\nb = 2\n", "why": "x."},
    ]
    assert problem(*swapped, to=shown("a = 1\nb = 2\n")) == "All changes together change nothing."


def test_a_hidden_character_that_stood_there_may_stay() -> None:
    there = shown("a = 1  # so\u200bft\n")
    kept = {"find": "1  # so\u200bft", "replace": "2  # so\u200bft", "why": "Two."}
    assert answered(kept, to=there).after == "a = 2  # so\u200bft\n"


def test_names_that_others_use_stay() -> None:
    gone = {"find": "import os\n", "replace": "", "why": "Nothing here uses it."}
    assert "lose os" in problem(gone, to=shown(needed=("os", "total")))
    assert answered(gone, to=shown(needed=("total",))).problems == ()


def test_nothing_to_change_is_an_answer() -> None:
    for said in ({"nothing": "All is well."}, {"changes": [], "nothing": "All is well."}):
        assert file_changes.read(json.dumps(said), shown()) == Proposal(nothing="All is well.")
    # Some providers fill in every field of a schema.
    assert file_changes.read(json.dumps({"changes": [CHANGE], "nothing": ""}), shown()).problems == ()


def test_what_is_no_python_need_not_become_python() -> None:
    other = shown("Some text.\n", is_python=False)
    assert answered({"find": "Some", "replace": "Any (", "why": "Why not."}, to=other).after == "Any ( text.\n"


def test_of_a_file_that_is_too_long_only_what_was_sent_can_change() -> None:
    lines = "".join(f"line_{number} = {number}\n" for number in range(10_000))
    finding = {"rank": 0, "line": 5_000, "code": "S1", "message": "bad"}
    long = file(lines, findings=(finding, {**finding, "line": 9_990}))
    found = file_changes.sent(long, "", 5_000)
    assert found is not None
    material = json.loads(found.material)
    assert [part["from_line"] for part in material["parts"]] == [4960, 9950]
    assert len(found.material) <= 5_000
    assert found.left_out_chars > 100_000
    made = answered(changed(find="line_4999 = 4999\n", replace="line_4999 = 0\n"), to=found)
    assert made.after == lines.replace("line_4999 = 4999\n", "line_4999 = 0\n")
    assert "letter by letter" in problem(changed(find="line_10 = 10\n", replace="x = 1\n"), to=found)
    # Without a finding there is no telling which part to send.
    assert file_changes.sent(file(lines), "", 5_000) is None


def test_the_file_is_material_in_ascii() -> None:
    found = file_changes.sent(file("x = 'hid\u202eden'\n"), "say more", 9_000)
    assert found is not None
    assert found.material.isascii()
    assert json.loads(found.material)["wish"] == "say more"
    assert "\\u202e" in found.material


def test_lines_that_no_plan_could_show_stay_out_of_a_diff() -> None:
    before = "a = 1\n\x0c\nb = 2\nc = 3\n"
    diff = file_changes.diff("m.py", before, before.replace("3", "4"))
    assert "\x0c" not in diff
    assert file_changes.fits(before, diff, before.replace("3", "4"))


@given(st.text(), st.lists(st.tuples(st.integers(0, 40), st.integers(1, 9), st.text(max_size=12)), max_size=4))
def test_whatever_is_answered_becomes_a_diff_that_makes_exactly_it_or_nothing(
    text: str, edits: list[tuple[int, int, str]]
) -> None:
    text = "begin\n" + text.replace("\r", "")
    to = shown(text, is_python=False)
    changes = [changed(find=text[at : at + length], replace=new) for at, length, new in edits]
    found = file_changes.read(json.dumps({"changes": changes}), to)
    if found.changes:
        diff = file_changes.diff("m", text, found.after)
        assert file_changes.fits(text, diff, found.after)
