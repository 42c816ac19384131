from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.environments.cutting import MOST_CHARS, atomic_beliefs

ROOM = """This room is called the kitchen. In it, you see:
\ta table. On the table is: a cup (containing a substance called tea), a lamp, which is off.
\ta oven, which is turned off. The oven door is closed.
\ta chest (containing nothing)
You also see:
\tA door to the hall (that is open)

In your inventory, you see:
\tan orange
"""


def test_a_room_is_cut_into_atomic_beliefs() -> None:
    assert atomic_beliefs(ROOM) == (
        "This room is called the kitchen.",
        "You are in the kitchen.",
        "You see a table.",
        "You see a cup.",
        "You see a cup on the table.",
        "You see tea.",
        "You see tea in the cup.",
        "You see a lamp.",
        "You see a lamp on the table.",
        "The lamp is off.",
        "You see a oven.",
        "The oven is turned off.",
        "The oven door is closed.",
        "You see a chest.",
        "The chest is empty.",
        "You see a door to the hall.",
        "The door to the hall is open.",
        "You have an orange.",
    )


def test_prose_is_cut_at_its_full_stops() -> None:
    assert atomic_beliefs("The door is now open. You hear 3.5 beeps.") == (
        "The door is now open.",
        "You hear 3.5 beeps.",
    )


@given(st.text(alphabet="ab ().,:\n\tyouseIn", max_size=200))
def test_any_text_is_cut_into_single_lines(text: str) -> None:
    assert all("\n" not in belief and belief.strip() for belief in atomic_beliefs(text))


def test_no_more_is_read_than_the_limit() -> None:
    assert atomic_beliefs("x" * MOST_CHARS + ". The end.") == ("X" + "x" * (MOST_CHARS - 1) + ".",)
