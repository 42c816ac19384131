"""A summary by a text's own sentences: central, without repeats, in order, bounded, always the same."""

from __future__ import annotations

import pytest

from library.errors import EmbeddingUnavailable
from library.language import extracting
from library.language.asking import Stopped
from library.language.extracting import MOST_COMPARED, extract
from tests.library.vectors import WordVectors, install

CATS = "The old cat sleeps on the warm stove all day."
AGAIN = "The old cat sleeps on the warm stove all night."
BOATS = "Small boats leave the grey harbour before dawn."
NETS = "Small boats bring nets to the grey harbour at dusk."
TEXT = f"{BOATS} {CATS} {AGAIN} {NETS} The grey harbour is full of small boats and cats."


@pytest.fixture
def vectors(monkeypatch: pytest.MonkeyPatch) -> WordVectors:
    return install(monkeypatch)


def test_sentences_keep_their_order_and_the_same_text_gives_the_same(vectors: WordVectors) -> None:
    found = extract(TEXT, 3, 1000)
    places = [TEXT.index(one) for one in found.sentences]
    assert len(places) == 3
    assert places == sorted(places)
    assert (found.there, found.compared) == (5, 5)
    assert extract(TEXT, 3, 1000) == found


def test_of_two_that_say_the_same_one_is_taken(vectors: WordVectors, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {CATS, AGAIN} - set(extract(TEXT, 5, 1000).sentences)
    monkeypatch.setattr(extracting, "_SAME", 2.0)
    assert {CATS, AGAIN} <= set(extract(TEXT, 5, 1000).sentences)


def test_a_sentence_that_stands_there_twice_counts_once(vectors: WordVectors) -> None:
    assert extract(f"{CATS} {BOATS} {CATS}", 9, 1000).there == 2


def test_it_is_bounded_in_characters(vectors: WordVectors) -> None:
    assert sum(map(len, extract(TEXT, 5, 110).sentences)) <= 110
    assert extract(TEXT, 5, 10).sentences == ()


def test_of_a_long_text_sentences_from_beginning_to_end_are_compared(vectors: WordVectors) -> None:
    text = " ".join(f"The weather on day {number} was as it is." for number in range(5 * MOST_COMPARED))
    found = extract(text, 3, 1000)
    assert (found.there, found.compared) == (5 * MOST_COMPARED, MOST_COMPARED)
    assert len(vectors.texts) == MOST_COMPARED
    assert "day 0 " in vectors.texts[0]
    assert f"day {5 * MOST_COMPARED - 1} " in vectors.texts[-1]


@pytest.mark.parametrize("text", ["", "\n\n", "```\ncode\n```"])
def test_where_there_is_no_sentence_there_is_no_summary(text: str, vectors: WordVectors) -> None:
    assert extract(text, 3, 100).sentences == ()


def test_numbers_and_fragments_are_taken_only_where_there_is_nothing_else(vectors: WordVectors) -> None:
    assert extract(f"1 2 3 4 5 6 7 8 9 10 11 12 13.\n\nYes.\n\n{CATS}", 5, 1000).sentences == (CATS,)
    assert extract("Yes. No.", 5, 1000).sentences == ("Yes.", "No.")


def test_who_wants_it_no_more_is_heard_between_batches(vectors: WordVectors) -> None:
    text = " ".join(f"The weather on day {number} was as it is." for number in range(100))
    wanted = iter([True, False])
    with pytest.raises(Stopped):
        extract(text, 3, 1000, is_wanted=lambda: next(wanted))
    assert len(vectors.texts) == 32


def test_without_a_sentence_model_it_says_so(vectors: WordVectors) -> None:
    vectors.broken = "no weights"
    with pytest.raises(EmbeddingUnavailable, match="no weights"):
        extract(TEXT, 3, 1000)
