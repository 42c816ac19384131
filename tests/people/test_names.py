"""Names that could be taken for another person's."""

from __future__ import annotations

import pytest

from people import names


@pytest.mark.parametrize(
    "name",
    [
        "", "nina", "Nina.Lund+x@example.org", "O’Brien (ext.)", "Zoë", "Zoe\u0308", "ẹ\u0301", "Ngô Thị", "Иван",
        "Ελένη", "محمد",
        "अनीता", "山田 太郎", "ヤマダー", "やまだ花子", "김철수", "12_a-b",
    ],
)  # fmt: skip
def test_peoples_names_are_no_problem(name: str) -> None:
    assert names.problem(name) == ""


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("\u0430dmin", "Cyrillic and Latin"),
        ("admin\u03bf", "Greek and Latin"),
        ("adm\u0456n", "scripts"),
        ("\uff41dmin", "wide"),
        ("\U0001d41admin", "wide"),
        ("\u202enimda", "U+202E"),
        ("ad\u200bmin", "U+200B"),
        ("ad\u3164min", "U+3164"),
        ("admin\ufe00", "U+FE00"),
        ("ad\u034fmin", "U+034F"),
        ("ad\xa0min", "U+00A0"),
        ("ad\0min", "U+0000"),
        ("ad\ud800min", "U+D800"),
        ("bob\u0661", "Arabic-indic"),
    ],
)
def test_what_could_be_taken_for_another_name_is_refused_with_the_reason(name: str, says: str) -> None:
    assert says in names.problem(name)
