"""Which sentences of a text are worth comparing: whole statements, from all of it, and what is said aside last."""

from __future__ import annotations

import pytest

from agents.toolkit.summarization import candidates, source
from agents.toolkit.summarization.candidates import MOST, Candidate, choose
from agents.toolkit.summarization.sentences import read, split

CATS = "The old cat sleeps on the warm stove all day."


def chosen(text: str) -> list[str]:
    return [one.text for one in choose(read(text)).candidates]


def form_of(text: str, part: str) -> float:
    (found,) = (one for one in choose(read(text)).candidates if part in one.text)
    return found.form


def test_a_sentence_that_stands_there_twice_counts_once() -> None:
    found = choose(read(f"{CATS} Small boats leave early. {CATS}"))
    assert (found.there, len(found.candidates)) == (2, 2)


@pytest.mark.parametrize("text", ["", "\n\n", "```\ncode\n```"])
def test_where_there_is_no_sentence_there_is_no_candidate(text: str) -> None:
    assert choose(read(text)) == candidates.Chosen((), 0, "")


def test_numbers_and_fragments_are_taken_only_where_there_is_nothing_else() -> None:
    assert chosen(f"1 2 3 4 5 6 7 8 9 10 11 12 13.\n\nYes.\n\nx = {{a: [1], b: (2)}} and so on and on.\n\n{CATS}") == [
        CATS
    ]
    assert chosen("Yes. No.") == ["Yes.", "No."]


def test_of_a_long_text_they_come_from_beginning_to_end() -> None:
    text = "\n".join(f"The weather of day {number} was as wet as on the other ones." for number in range(5_000))
    found = choose(read(text))
    assert (found.there, len(found.candidates)) == (5_000, MOST)
    tenths = {int(10 * one.place) for one in found.candidates}
    assert tenths == set(range(10))
    assert [one.place for one in found.candidates] == sorted(one.place for one in found.candidates)


def test_of_many_that_which_says_what_the_text_is_about_is_taken() -> None:
    filler = [f"Somebody {word} nothing whatever of note there." for word in (f"w{number}" for number in range(400))]
    filler[200] = "The harbour wall of the harbour town is repaired by harbour masons."
    filler[300], filler[350] = "The harbour masons like the town wall.", "The town wall has masons."
    assert filler[200] in chosen("\n\n".join(filler))


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("The cat sleeps on the warm stove all day long.", "the cat sleeps on the warm stove all night and"),
        ("The cat sleeps on the warm stove all day long.", "This cat sleeps on the warm stove all night long."),
        ("The cat sleeps on the warm stove all day long.", "Visit the cat that sleeps on the warm stove at night."),
        ("The cat sleeps on the warm stove all day long.", "Look at https://cat.example on the warm stove at night."),
        ("The cat sleeps on the warm stove all day long.", "Copyright of the cat on the stove, all rights reserved."),
    ],
)
def test_what_stands_for_itself_is_worth_more(better: str, worse: str) -> None:
    text = f"Here is the first of them all.\n\n{better}\n\n{worse}"
    assert form_of(text, better) > form_of(text, worse)


def test_what_a_project_says_aside_stands_back_under_its_subheadings_too() -> None:
    text = (
        "# Sponsors\n\n## Good Hosting\n\nGood Hosting runs queues for everybody in the world.\n\n"
        "# What it is\n\nA queue hands work from one machine to another one.\n"
    )
    found = choose(read(text))
    assert [one.place for one in found.candidates] == [0.0, 0.0], "the text begins where it is about itself"
    assert found.candidates[0].form < 0.7 < found.candidates[1].form
    assert found.title == "What it is"
    (alone,) = choose(read("# Sponsors\n\nGood Hosting runs queues for everybody in the world.\n")).candidates
    assert alone == Candidate(alone.text, 1, 0.0, alone.form)
    assert alone.form > 0.9, "where there is nothing else, that is what the text is about"


@pytest.mark.parametrize("heading", ["1.4.6 (2024-05-18)", "Licence and copyright", ""])
def test_a_date_or_an_aside_is_no_title(heading: str) -> None:
    assert choose(read(f"# {heading}\n\n{CATS}\n\n# Cats at home\n\nThey sleep by day and walk by night.")).title in (
        "Cats at home",
        "",
    )


PROGRAM = '''import os
from pathlib import Path

class Boat(Base):
    """A boat leaves the harbour before dawn.

    It comes back with nets at dusk.
    """

    limit = 5

    def sail(self, to: str) -> None:
        # The wind decides how long it takes.
        self.engine = start(to)
        for one in self.sails:
            one.hoist(to)
        return self.engine
'''


def test_of_a_program_what_is_written_for_people_is_read() -> None:
    assert source.is_source(PROGRAM.splitlines())
    assert split(PROGRAM) == [
        "A boat leaves the harbour before dawn.",
        "It comes back with nets at dusk.",
        "The wind decides how long it takes.",
    ]
    other = (
        "/* The boats\n * leave early. */\nint main(void) {\n  // Nobody looks back.\n  return 0;\n}\n"
        + "x = f(1);\n" * 9
    )
    assert split(other) == ["The boats leave early.", "Nobody looks back."]


def test_prose_is_no_program_though_its_lines_begin_like_code() -> None:
    text = (
        "import taxes were raised in May;\nfor all the boats of the harbour:\nreturn fares did not change (much)\n" * 4
    )
    assert not source.is_source(text.splitlines())


def test_a_signature_and_the_words_of_others_are_known() -> None:
    found = read(
        "> They wrote this line before.\n\nI answer with this one.\n\n-- \nAnna of the harbour office is here\n"
    )
    assert [(one.text, one.is_quoted) for one in found] == [
        ("They wrote this line before.", True),
        ("I answer with this one.", False),
    ]


def test_who_made_a_change_is_no_part_of_it() -> None:
    assert split("- Fix the lamp of the pier by @anna in #12\n- Paint the wall (#13)\n") == [
        "Fix the lamp of the pier",
        "Paint the wall",
    ]


def test_what_stands_before_a_document_are_names_and_values() -> None:
    assert split("---\nname: boats\ndescription: All boats of the town and their owners.\n---\nWords here.\n") == [
        "All boats of the town and their owners.",
        "Words here.",
    ]
