"""What a clause that only tells something is about, so that “it” in the next one is understood."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from agents.bdi.understanding.asides import moods
from agents.bdi.understanding.names import descriptions, paths
from agents.bdi.understanding.names.paths import FILE, Tree
from agents.bdi.understanding.words.filler import ARTICLES, IDLE
from agents.bdi.understanding.words.lexicon import Lexicon
from agents.bdi.understanding.words.naming_words import FILE_HEADS, FOLDER_HEADS
from agents.bdi.understanding.words.tokens import PATH, QUOTED, WORD, Token, tokens_of


def spoken_of(text: str, told: moods.Told, tree: Tree) -> list[tuple[int, str]]:
    """What the clauses that tell name of what is there, with where it stands."""
    found = []
    for start, end in told.spans:
        for token in tokens_of(" " * start + text[start:end]):
            if token.kind in (PATH, QUOTED) or (token.kind == WORD and tree.kind(token.value) == FILE):
                there = paths.find(token.value, tree)
                if there.value is not None and there.confidence >= 0.8:
                    found.append((token.start, tree.full(there.value)))
        found += _described_in(tokens_of(" " * start + text[start:end]), tree)
    return sorted(found)


def _described_in(tokens: Sequence[Token], tree: Tree) -> list[tuple[int, str]]:
    """What is there by the nouns behind an article: “the nightly script belongs elsewhere”."""
    found = []
    for at, token in enumerate(tokens):
        if token.text not in ARTICLES:
            continue
        words = [one.text for one in itertools.takewhile(lambda one: one.kind == WORD, tokens[at + 1 : at + 4])]
        for many in range(len(words), 0, -1):
            there = descriptions.described(words[: many - 1] or words[:many], words[many - 1 : many], tree, paths.ANY)
            if there.value is not None and there.confidence >= 0.93:
                found.append((token.start, tree.full(there.value)))
                break
    return found


def things_of(text: str, told: moods.Told, lexicon: Lexicon) -> tuple[tuple[str, ...], ...]:
    """What the clauses that tell speak of by the nouns of commands: “the virtual environment”."""
    kinds = {lexicon.registry.said(command).it.partition(" ")[0] for command in lexicon.registry.commands} - {""}
    for start, end in reversed(told.spans):
        tokens = [token for token in tokens_of(" " * start + text[start:end]) if token.kind == WORD]
        for token, name in itertools.pairwise(tokens):
            if token.text in kinds and name.text not in IDLE and not lexicon.knows(name.text):
                return ((token.text, name.value),)
        for at, token in enumerate(tokens):
            if token.text in ("the", "this", "that", "my", "our"):
                words = tuple(itertools.takewhile(lexicon.knows, (one.text for one in tokens[at + 1 : at + 4])))
                words = tuple(word for word in words if word not in IDLE | FILE_HEADS | FOLDER_HEADS)
                if any(word in lexicon.keys for word in words):
                    return (words,)
    return ()
