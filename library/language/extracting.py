"""A summary made of a text's own sentences: what the text is about, from all of its parts, and nothing twice.

How central a sentence is, is measured twice over the embeddings: by LexRank (Erkan and Radev, Journal of Artificial
Intelligence Research 22, 2004), and by its likeness to the mean of the text's sections, where a section of a hundred
lines does not outweigh ten others a hundred times. What repeats is left out by maximal marginal relevance (Carbonell
and Goldstein, SIGIR 1998). Nothing is chosen by chance: the same text gives the same summary.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from library.language import embeddings
from library.language.asking import Stopped

Matrix = NDArray[np.float64]

# Four at once take an eighth of the memory of thirty-two and no more time; and a sentence's beginning says what it is
# about, while its end costs as much.
_BATCH, _COMPARED_CHARS = 4, 240
_LEAST_LIKENESS = 0.15  # less is noise, and would make every sentence a neighbour of every other
_DAMPING = 0.85
_STEPS = 100
_WEIGHT_OF_RANK = 0.7
_SAME = 0.8
# As many words in common, of the shorter one's, are the same said twice, however the vectors lie.
_SAME_WORDS = 0.8
# What a sentence is worth is the sum of these: centrality in the sections and among the sentences, likeness to the
# title, and standing early (which fades within the first tenth).
_OF_SECTIONS, _OF_RANK, _OF_TITLE, _OF_PLACE = 0.35, 0.2, 0.2, 0.25
# Of that a sentence keeps half whatever its form; the other half as its form is worth.
_WHATEVER_FORM = 0.5
# Taken from a further sentence of a section, and of a tenth of the text, for each that is chosen there already.
_OF_SAME_SECTION, _OF_SAME_TENTH = 0.04, 0.03


@dataclass(frozen=True)
class Candidate:
    """A sentence, its section's number, its place (0 the beginning, 1 the end) and its worth by form, 0 to 1."""

    text: str
    section: int = 0
    place: float = 0.0
    form: float = 1.0


def extract(
    candidates: Sequence[Candidate],
    title: str,
    most: int,
    most_chars: int,
    *,
    is_wanted: Callable[[], bool] = lambda: True,
) -> tuple[str, ...]:
    """At most so many of the sentences, of at most so many characters in all, in their order.

    Raises EmbeddingUnavailable, and Stopped when the summary is wanted no more.
    """
    if not candidates:
        return ()
    rows = _embedded([*(one.text for one in candidates), *([title] if title else [])], is_wanted)
    vectors, of_title = rows[: len(candidates)], rows[len(candidates) :]
    likeness: Matrix = np.maximum(np.clip(vectors @ vectors.T, -1.0, 1.0), _repeated([one.text for one in candidates]))
    sections = [one.section for one in candidates]
    tenths = [int(10 * one.place) for one in candidates]
    worth = (
        _OF_SECTIONS * _to_one(vectors @ _middle(vectors, sections))
        + _OF_RANK * _ranks(likeness)
        + _OF_TITLE * (_to_one(vectors @ of_title[0]) if len(of_title) else 0.5)
        + _OF_PLACE / (1 + 10 * np.array([one.place for one in candidates]))
    )
    worth *= _WHATEVER_FORM + (1 - _WHATEVER_FORM) * np.array([one.form for one in candidates])
    chosen = _chosen(worth, likeness, [len(one.text) for one in candidates], (sections, tenths), most, most_chars)
    return tuple(candidates[index].text for index in sorted(chosen))


def _embedded(texts: Sequence[str], is_wanted: Callable[[], bool]) -> Matrix:
    """A unit vector for each text."""
    vectors: list[list[float]] = []
    for start in range(0, len(texts), _BATCH):
        if not is_wanted():
            raise Stopped("The summary is no longer needed.")
        vectors += embeddings.embed([text[:_COMPARED_CHARS] for text in texts[start : start + _BATCH]])
    return np.asarray(vectors)


def _repeated(texts: Sequence[str]) -> Matrix:
    """1 for every two texts that have nearly all words of the shorter one in common, else 0."""
    words = [{word.strip(".,;:!?()\"'").casefold() for word in text.split()} for text in texts]
    return np.array(
        [[float(len(one & other) >= _SAME_WORDS * min(len(one), len(other)) > 3) for other in words] for one in words]
    )


def _middle(vectors: Matrix, sections: Sequence[int]) -> Matrix:
    """The mean of the sections' means, each counting with the root of its number of sentences."""
    of = np.asarray(sections)
    total = np.zeros(vectors.shape[1])
    for section in np.unique(of):
        own = vectors[of == section]
        total += own.mean(axis=0) * np.sqrt(len(own))
    return total


def _to_one(values: Matrix) -> Matrix:
    """As parts of the greatest, which is 1; what points away is 0."""
    found: Matrix = np.clip(values, 0.0, None) / max(float(values.max()), 1e-9)
    return found


def _ranks(likeness: Matrix) -> Matrix:
    """How central each sentence is, the most central 1: where a walk from likeness to likeness stays longest."""
    count = len(likeness)
    weights = np.where(likeness >= _LEAST_LIKENESS, likeness, 0.0)
    np.fill_diagonal(weights, 0.0)
    sums = weights.sum(axis=1, keepdims=True)
    walk = np.where(sums > 0, weights / np.where(sums > 0, sums, 1.0), 1.0 / count)
    rank = np.full(count, 1.0 / count)
    for _ in range(_STEPS):
        following = (1 - _DAMPING) / count + _DAMPING * (rank @ walk)
        if np.abs(following - rank).sum() < 1e-9:
            break
        rank = following
    found: Matrix = rank / rank.max()
    return found


def _chosen(
    worth: Matrix,
    likeness: Matrix,
    lengths: list[int],
    parts: tuple[Sequence[int], Sequence[int]],
    most: int,
    most_chars: int,
) -> list[int]:
    """One after another the sentence that is worth most and unlike what is chosen already, as far as there is room.

    `parts`: section and tenth of each, so that all of the text has a chance.
    """
    of, tenth = (np.asarray(each) for each in parts)
    repeats = np.zeros(len(worth))
    open_ = np.ones(len(worth), dtype=bool)
    chosen: list[int] = []
    while len(chosen) < most and open_.any():
        scores = np.where(open_, _WEIGHT_OF_RANK * worth - (1 - _WEIGHT_OF_RANK) * repeats, -np.inf)
        # Rounded, so that another processor's last digit does not choose another sentence; of equals the first.
        best = int(np.argmax(np.round(scores, 6)))
        open_[best] = False
        if lengths[best] + 1 > most_chars:
            continue
        chosen.append(best)
        most_chars -= lengths[best] + 1
        repeats = np.maximum(repeats, likeness[best])
        worth = worth - _OF_SAME_SECTION * (of == of[best]) - _OF_SAME_TENTH * (tenth == tenth[best])
        open_ &= likeness[best] < _SAME
    return chosen
