"""Keeping beliefs consistent: a new belief replaces what it contradicts, and lists change as names appear or go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import compress

from agents.rules.entailment import entails
from agents.rules.facts import Fact, Listing, Place, Thing, is_below
from agents.rules.sentences import at, read_fact
from agents.rules.speaking import speaking_of, spoken_of
from agents.toolkit.command import Command
from agents.toolkit.effects import fill_sentence
from agents.toolkit.types import Belief


def revise(beliefs: Sequence[Belief], news: Iterable[Belief]) -> tuple[Belief, ...]:
    """Return the beliefs with the news taken in.

    A list that the news makes incomplete is corrected rather than dropped, because what it says about everything else
    still holds; any other belief that contradicts the news goes.
    """
    kept = list(beliefs)
    for new in news:
        fact, said = read_fact(new.sentence), new.sentence
        spoken = spoken_of(said, [old.sentence for old in kept])
        kept = [
            corrected
            for old, is_spoken_of in zip(kept, spoken, strict=True)
            if old.sentence != said and (corrected := _corrected(old, new, fact) if is_spoken_of else old) is not None
        ]
        kept.append(new)
    return tuple(kept)


def _corrected(old: Belief, new: Belief, fact: Fact) -> Belief | None:
    """What becomes of a belief that the news speaks of: a list that names or should name a thing is spoken of by it."""
    listing = read_fact(old.sentence)
    if isinstance(fact, Thing) and isinstance(listing, Listing) and not is_below(listing.folder + "/", fact.path):
        changed = _with_thing(listing, fact)
        return old if changed == listing else replace(old, sentence=changed.sentence(), source=new.source, at=new.at)
    return None if entails(new.sentence, old.sentence).answer == "no" else old


def _with_thing(listing: Listing, thing: Thing) -> Listing:
    """Return the list as it is once the thing is there or gone, which is not the list's own folder or one above it."""
    if not is_below(thing.path, listing.folder):
        return listing
    rest = thing.path[len(listing.folder) + 1 :] if listing.folder else thing.path
    first, deeper, _ = rest.partition("/")
    kind = "folder" if deeper else thing.kind
    names = set(listing.names)
    if not thing.exists:
        gone = (not deeper and listing.kind in (thing.kind, "entry")) or (not deeper and thing.kind == "entry")
        names -= {first} if gone else set()
    elif listing.kind in (kind, "entry"):
        names |= {first}
    return replace(listing, names=tuple(sorted(names)))


def current_folder(beliefs: Sequence[Belief]) -> str:
    """Return the folder the session is in, as the last belief about it says; the root when none does."""
    for belief in reversed(beliefs):
        if (folder := _folder_of(belief.sentence)) is not None:
            return folder
    return ""


@lru_cache(maxsize=16_384)
def _folder_of(sentence: str) -> str | None:
    """The folder that a sentence says the session is in."""
    fact = read_fact(sentence)
    is_folder = isinstance(fact, Place) and fact.who == "you" and fact.is_folder and fact.positive
    return fact.where if isinstance(fact, Place) and is_folder else None


def predict(command: Command, values: dict[str, object], beliefs: Sequence[Belief]) -> tuple[Belief, ...]:
    """Return the beliefs as they should be after the command succeeded with these values."""
    cwd = current_folder(beliefs)
    usable = {name: value for name, value in values.items() if value is not None}
    added = [_effect(sentence, usable, cwd, beliefs) for sentence in command.beliefs_added]
    removed = {at(fill_sentence(sentence, usable), cwd) for sentence in command.beliefs_removed}
    kept = [belief for belief in beliefs if belief.sentence not in removed]
    return revise(kept, [Belief(sentence, "inference") for sentence in added if sentence])


def _effect(sentence: str, values: dict[str, object], cwd: str, beliefs: Sequence[Belief]) -> str:
    said, _, unless = sentence.partition(" UNLESS ")
    if unless:
        condition = fill_sentence(unless, values)
        sentences = [belief.sentence for belief in beliefs]
        speaking = compress(sentences, speaking_of([condition], sentences, cwd))
        if not any(entails(each, condition, cwd).answer == "no" for each in speaking):
            return ""
    whole = at(fill_sentence(said, values), cwd).rstrip(".")
    return f"{whole[:1].upper()}{whole[1:]}."


def folder_after(command: Command, values: dict[str, object], cwd: str) -> str:
    """Return the current folder after the command, for readers that follow paths without beliefs."""
    for sentence in command.beliefs_added:
        if sentence.startswith("you are in "):
            fact = read_fact(fill_sentence(sentence, values), cwd)
            if isinstance(fact, Place):
                return fact.where
    return cwd
