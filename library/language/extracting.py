"""A summary made of a text's own sentences: those that the others are most like, and that are not like each other.

Centrality is LexRank (Erkan and Radev, Journal of Artificial Intelligence Research 22, 2004) over the embeddings of the
sentences; what repeats is left out by maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998). Nothing is
chosen by chance: the same text gives the same summary.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from library.language import embeddings, sentences
from library.language.asking import Stopped

Matrix = NDArray[np.float64]

# As many are compared with each other: some ten seconds of one processor at most, and 2 MB.
MOST_COMPARED = 400
LEAST_WORDS, LEAST_CHARS = 4, 24
_LEAST_LETTERS = 0.6
_LEAST_LIKENESS = 0.15  # less is noise, and would make every sentence a neighbour of every other
_DAMPING = 0.85
_STEPS = 100
_WEIGHT_OF_RANK = 0.7
_SAME = 0.85
# Whoever writes says early what the text is about: the worth of standing there, which fades within the first tenth.
_WEIGHT_OF_BEGINNING = 0.25


@dataclass(frozen=True)
class Extract:
    """The chosen sentences in the order of the text; `there`: how many it has, `compared`: how many were looked at."""

    sentences: tuple[str, ...]
    there: int
    compared: int


def extract(text: str, most: int, most_chars: int, *, is_wanted: Callable[[], bool] = lambda: True) -> Extract:
    """At most so many sentences of at most so many characters in all.

    Raises EmbeddingUnavailable, and Stopped when the summary is wanted no more.
    """
    there = _distinct(sentences.split(text))
    candidates = [one for one in there if _says_something(one)] or there
    compared = _spread(candidates, MOST_COMPARED)
    if not compared:
        return Extract((), 0, 0)
    likeness = _likeness(compared, is_wanted)
    chosen = _chosen(_ranks(likeness), likeness, [len(one) for one in compared], most, most_chars)
    return Extract(tuple(compared[index] for index in sorted(chosen)), len(there), len(compared))


def _distinct(found: list[str]) -> list[str]:
    """Each sentence once, where it stands first."""
    return list({one.casefold(): one for one in reversed(found)}.values())[::-1]


def _says_something(sentence: str) -> bool:
    """Whether it reads like a statement: long enough, and letters for the most part; scripts without spaces too."""
    marks = sum(not char.isspace() for char in sentence)
    letters = sum(unicodedata.category(char)[0] in "LM" for char in sentence)
    wide = sum(char > "\u2e7f" for char in sentence)
    if sentence.endswith((":", "：")) or letters < _LEAST_LETTERS * marks:
        return False
    return wide >= LEAST_CHARS // 3 or (len(sentence) >= LEAST_CHARS and len(sentence.split()) >= LEAST_WORDS)


def _spread(items: list[str], most: int) -> list[str]:
    """At most so many of them, evenly from the first to the last."""
    if len(items) <= most:
        return items
    return [items[index * (len(items) - 1) // (most - 1)] for index in range(most)]


def _likeness(compared: list[str], is_wanted: Callable[[], bool]) -> Matrix:
    """The cosine of every two sentences."""
    vectors: list[list[float]] = []
    for start in range(0, len(compared), embeddings.BATCH):
        if not is_wanted():
            raise Stopped("The summary is wanted no more.")
        vectors += embeddings.embed(compared[start : start + embeddings.BATCH])
    rows = np.asarray(vectors)
    found: Matrix = np.clip(rows @ rows.T, -1.0, 1.0)
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


def _chosen(ranks: Matrix, likeness: Matrix, lengths: list[int], most: int, most_chars: int) -> list[int]:
    """One after another the sentence that is central and unlike what is chosen already, as far as there is room."""
    count = len(ranks)
    beginning = 1 / (1 + 10 * np.arange(count) / count)
    worth = (1 - _WEIGHT_OF_BEGINNING) * ranks + _WEIGHT_OF_BEGINNING * beginning
    repeats = np.zeros(count)
    open_ = np.ones(count, dtype=bool)
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
        open_ &= likeness[best] < _SAME
    return chosen
