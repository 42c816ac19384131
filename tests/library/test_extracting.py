"""A summary by a text's own sentences: central, without repeats, in order, bounded, always the same."""

from __future__ import annotations

import pytest

from library.errors import EmbeddingUnavailable
from library.language import extracting
from library.language.asking import Stopped
from library.language.extracting import Candidate, extract
from tests.library.vectors import WordVectors, install

CATS = "The old cat sleeps on the warm stove all day."
AGAIN = "The old cat sleeps on the warm stove all night."
BOATS = "Small boats leave the grey harbour before dawn."
NETS = "Small boats bring nets to the grey harbour at dusk."
ALL = (BOATS, CATS, AGAIN, NETS, "The grey harbour is full of small boats and cats.")


@pytest.fixture
def vectors(monkeypatch: pytest.MonkeyPatch) -> WordVectors:
    return install(monkeypatch)


def of(*texts: str, sections: int = 1) -> list[Candidate]:
    return [Candidate(text, at * sections // len(texts), at / len(texts)) for at, text in enumerate(texts)]


def test_sentences_keep_their_order_and_the_same_text_gives_the_same(vectors: WordVectors) -> None:
    found = extract(of(*ALL), "", 3, 1000)
    assert len(found) == 3
    assert [ALL.index(one) for one in found] == sorted(ALL.index(one) for one in found)
    assert extract(of(*ALL), "", 3, 1000) == found


@pytest.mark.parametrize("off", [("_SAME", 2.0), ("_SAME_WORDS", 2.0)])
def test_of_two_that_say_the_same_one_is_taken(
    off: tuple[str, float], vectors: WordVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert {CATS, AGAIN} - set(extract(of(*ALL), "", 5, 1000))
    monkeypatch.setattr(extracting, "_SAME", 2.0)
    monkeypatch.setattr(extracting, "_SAME_WORDS", 2.0)
    assert {CATS, AGAIN} <= set(extract(of(*ALL), "", 5, 1000))


def test_words_alone_tell_that_one_sentence_is_in_another(vectors: WordVectors) -> None:
    assert len(extract(of(BOATS, f"It is known: {BOATS}"), "", 5, 1000)) == 1


def test_it_is_bounded_in_characters(vectors: WordVectors) -> None:
    assert sum(map(len, extract(of(*ALL), "", 5, 110))) <= 110
    assert extract(of(*ALL), "", 5, 10) == ()


def test_where_there_is_no_sentence_there_is_no_summary(vectors: WordVectors) -> None:
    assert extract([], "A title", 3, 100) == ()


def test_what_is_no_whole_statement_stands_back(vectors: WordVectors) -> None:
    texts = [Candidate(CATS, 0, 0.5, 0.2), Candidate(BOATS, 0, 0.5, 1.0)]
    assert extract(texts, "", 1, 1000) == (BOATS,)
    assert extract([Candidate(CATS, 0, 0.5, 1.0), Candidate(BOATS, 0, 0.5, 0.2)], "", 1, 1000) == (CATS,)


def test_the_title_says_what_a_text_is_about(vectors: WordVectors) -> None:
    texts = [Candidate(CATS, 0, 0.5), Candidate(BOATS, 0, 0.5)]
    assert extract(texts, "Small boats", 1, 1000) == (BOATS,)
    assert extract(texts, "The old cat", 1, 1000) == (CATS,)


def test_a_long_section_does_not_speak_for_all(vectors: WordVectors) -> None:
    entries = [Candidate(f"Fixed fault number {number} of the parser.", 1, 0.5 + number / 100) for number in range(30)]
    found = extract([*entries, Candidate(BOATS, 2, 0.9), Candidate(CATS, 3, 0.95)], "", 4, 1000)
    assert {BOATS, CATS} <= set(found)


def test_who_wants_it_no_more_is_heard_between_batches(vectors: WordVectors) -> None:
    wanted = iter([True, False])
    with pytest.raises(Stopped):
        extract(
            of(*(f"Day {number} was as it is." for number in range(30))), "", 3, 1000, is_wanted=lambda: next(wanted)
        )
    assert len(vectors.texts) == extracting._BATCH


def test_without_a_sentence_model_it_says_so(vectors: WordVectors) -> None:
    vectors.broken = "no weights"
    with pytest.raises(EmbeddingUnavailable, match="no weights"):
        extract(of(*ALL), "", 3, 1000)
