"""Summaries of what memory holds: a text's own sentences, chosen on this machine as the summarization tool does it."""

from __future__ import annotations

from agents.toolkit.summarization import candidates, sentences

_MOST_CHARS = 600


def summarise(text: str, most: int) -> str:
    """At most so many of its sentences in their order; "" where none says something. Raises EmbeddingUnavailable."""
    from library.language import extracting  # with NumPy, which the web server would pay for when it starts

    chosen = candidates.choose(sentences.read(text))
    taken = [extracting.Candidate(one.text, one.section, one.place, one.form) for one in chosen.candidates]
    return "\n".join(extracting.extract(taken, chosen.title, most, _MOST_CHARS))
