"""The danger sentence: what it says of each kind of plan, and what comes first."""

from __future__ import annotations

import pytest

from agents.bdi.forecast.program_runs import ProgramRun
from review.reading import danger
from review.reading.danger import Danger, Facts, File

NOWHERE = "in this workspace and its history (going back to before the plan restores that)"
FOREIGN = ProgramRun(2, "python tool.py", ("tool.py",), hosts=("example.org",), runs_it=True)
AFTER = ProgramRun(2, "make", hosts=("example.org", "packages"))
THREE = [File("a", 1), File("b", 1, is_elsewhere=True), File("c", 1)]
MANY = [File(f"f{number}", 1000, is_elsewhere=True) for number in range(5)]


@pytest.mark.parametrize(
    ("facts", "kind", "sentence"),
    [
        (Facts(deleted=[File("a.txt")]), Danger.LOSES, f"Deletes a.txt, which exists nowhere else {NOWHERE}"),
        (
            Facts(deleted=[File("a.txt", is_elsewhere=True)]),
            Danger.DELETES,
            "Deletes a.txt, which also exists elsewhere in this workspace or its history",
        ),
        (
            Facts(deleted=[File("env", is_made_again=True)]),
            Danger.DELETES,
            "Deletes env, a virtual environment that can be made again",
        ),
        (
            Facts(deleted=[File("a  b"), File(" c\n")]),
            Danger.LOSES,
            f"Deletes a␣␣b and ␣c⏎; both exist nowhere else {NOWHERE}",
        ),
        (Facts(added=["a\u00a0b"]), Danger.CHANGES, "Writes a[U+00A0]b"),
        (Facts(deleted=THREE), Danger.LOSES, f"Deletes a, b and c; 2 exist nowhere else {NOWHERE}"),
        (Facts(deleted=THREE[:2]), Danger.LOSES, f"Deletes a and b; one exists nowhere else {NOWHERE}"),
        (
            Facts(deleted=[File("a"), File("b")]),
            Danger.LOSES,
            f"Deletes a and b; both exist nowhere else {NOWHERE}",
        ),
        (
            Facts(deleted=MANY),
            Danger.DELETES,
            "Deletes 5 files, which also exist elsewhere in this workspace or its history",
        ),
        (
            Facts(overwritten=[File("notes.txt", 2048)]),
            Danger.OVERWRITES,
            "Overwrites notes.txt (2.0 KB; can be restored)",
        ),
        (Facts(overwritten=MANY), Danger.OVERWRITES, "Overwrites 5 files (4.9 KB; can be restored)"),
        (Facts(programs=[FOREIGN]), Danger.RUNS_FOREIGN, "Runs code that comes from example.org (python tool.py)"),
        (
            Facts(programs=[AFTER]),
            Danger.RUNS_FOREIGN,
            "Runs make after files came from example.org and the package index",
        ),
        (Facts(others=[(Danger.REACHES_OUT, "sends to a.example")]), Danger.REACHES_OUT, "Sends to a.example"),
        (Facts(unknown=["step 2 could not be tested: why"]), Danger.UNKNOWN, "Step 2 could not be tested: why"),
        (Facts(is_due=True, added=["x"]), Danger.UNKNOWN, "Not known before the dry run has ended"),
        (
            Facts(is_due=True, overwritten=[File("a", 1)]),
            Danger.OVERWRITES,
            "Overwrites a (1 byte; can be restored); the rest is not known before the dry run has ended",
        ),
        (Facts(added=["a", "b", "c", "d"]), Danger.CHANGES, "Writes 4 new files"),
        (Facts(added=["a"], moved=["b"], changed=["c", "d"]), Danger.CHANGES, "Writes a; changes 2 files; moves b"),
        (Facts(programs=[ProgramRun(1, "pytest -q")]), Danger.CHANGES, "Runs pytest -q"),
        (Facts(), Danger.NOTHING, "Changes nothing"),
    ],
)
def test_the_sentence_says_the_worst_first(facts: Facts, kind: Danger, sentence: str) -> None:
    told = danger.tell(facts)
    assert (told.danger, told.sentence) == (kind, sentence)


def test_a_plan_with_many_effects_names_the_worst_and_counts_the_rest() -> None:
    facts = Facts(
        deleted=[File("a")],
        overwritten=[File("b", 1)],
        programs=[FOREIGN],
        added=["c"],
        unknown=["step 3 is not known"],
    )
    told = danger.tell(facts)
    assert told.danger is Danger.LOSES
    assert told.sentence.split("; ", 2)[0].startswith("Deletes a, which exists nowhere else")
    assert told.sentence.endswith("runs code that comes from example.org (python tool.py); and 2 more effects")


def test_a_long_path_keeps_its_beginning_and_its_end() -> None:
    told = danger.tell(Facts(added=[f"deep/{'x' * 80}/important.txt"]))
    assert told.sentence.startswith("Writes deep/x")
    assert told.sentence.endswith("x/important.txt")
    assert len(told.sentence) < 80


def test_what_is_looked_at_by_itself() -> None:
    grave = [kind for kind in Danger if kind.is_grave]
    assert grave == [Danger.LOSES, Danger.DELETES, Danger.OVERWRITES, Danger.RUNS_FOREIGN, Danger.REACHES_OUT]


def test_a_name_does_not_read_as_part_of_the_sentence() -> None:
    one = File("x, which holds nothing", 4)
    assert danger.tell(Facts(deleted=[one])).sentence.startswith(
        "Deletes “x, which holds nothing”, which exists nowhere else"
    )
    assert danger.tell(Facts(deleted=[File("x.txt", 4)])).sentence.startswith("Deletes x.txt, which")
