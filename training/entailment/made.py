"""Pairs made from topics and from numbers: their truth is computed, their wordings are drawn.

A pair about two different things is neutral, whatever it says of them; so is what follows only from a premise that is
hedged, past or conditional. That is how the network learns not to take likeness for truth.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from training.entailment.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL, Pair
from training.entailment.topics import CHECKED, TRAINED, Claim, Topic, read

Maker = Callable[[random.Random, bool], Pair]

INFINITE = float("inf")
OTHER_THING, HEDGED, DENIED, BESIDE = 0.2, 0.1, 0.05, 0.25

VALUES: dict[str, list[str]] = tomllib.loads(Path(__file__).with_name("values.toml").read_text("utf-8"))
HEDGES = (
    "Perhaps {x}.",
    "It is not known whether {x}.",
    "Yesterday somebody thought that {x}.",
    "Tomorrow it may be that {x}.",
    "If everything goes well, {x}.",
    "Someone asks whether {x}.",
    "You would like to see that {x}.",
    "Check that {x}.",
    "It is possible that {x}.",
    "Unless it was changed, {x}.",
    "Nobody has said that {x}.",
    "Make sure that {x}.",
)


WORKSPACE, OTHER_SUBJECTS = "workspace", "other subjects"
# Every fifth topic of workspaces is only for choosing thresholds: rules speak of more than anything can be trained on.
HELD_OUT_TOPIC = 5


def _parted() -> tuple[list[Topic], list[Topic]]:
    """The topics that are trained on, and those of workspaces that are not."""
    topics = read()
    other = [topic for topic in topics if topic.group == WORKSPACE][HELD_OUT_TOPIC - 1 :: HELD_OUT_TOPIC]
    return [topic for topic in topics if topic not in other], other


def of_other_subjects(number: int, rng: random.Random) -> list[Pair]:
    """So many pairs of workspaces about what no trained pair is about."""
    _, topics = _parted()
    found = [_balanced(lambda rng, _: about(rng.choice(topics), topics, rng, False), rng, False) for _ in range(number)]
    return [replace(pair, source=OTHER_SUBJECTS) for pair in found]


def made(number: int, rng: random.Random, held_out: bool) -> list[Pair]:
    """So many pairs: four in nine of workspaces, four in nine of rooms and things, one in nine of numbers."""
    topics, _ = _parted()
    groups = [[topic for topic in topics if topic.group == group] for group in (WORKSPACE, "household")]

    def of_topic(group: list[Topic]) -> Maker:
        return lambda rng, held_out: about(rng.choice(group), topics, rng, held_out)

    makers = [of_topic(group) for group in groups for _ in range(4)] + [compared]
    return [_balanced(rng.choice(makers), rng, held_out) for _ in range(number)]


def _balanced(make: Maker, rng: random.Random, held_out: bool) -> Pair:
    """A pair of a label that was drawn first: most of what is drawn at random would be neutral."""
    wanted = rng.choice((ENTAILMENT, NEUTRAL, CONTRADICTION))
    for _ in range(60):
        pair = make(rng, held_out)
        if pair.label == wanted:
            break
    return pair


def about(topic: Topic, topics: Sequence[Topic], rng: random.Random, held_out: bool) -> Pair:
    """A pair of two claims of a topic, now and then about two things, or with a premise that is not plainly said."""
    premise, hypothesis = two_claims(topic, rng)
    label = _label(topic, premise, hypothesis)
    values = {**_values(topic, rng), **_numbers(rng)}
    others = _others(topic, values, rng) if rng.random() < OTHER_THING else values
    wording, other_wording = (_wording(topic.claims[claim], rng, held_out) for claim in (premise, hypothesis))
    both = [slot for slot in values if f"{{{slot}}}" in wording and f"{{{slot}}}" in other_wording]
    # What one of both sentences does not name is no other thing.
    if any(values[slot] != others[slot] for slot in both):
        label = NEUTRAL
    # Whether “3 files” excludes “5 files” depends on what is counted; it never follows.
    is_coarse = label == NEUTRAL and any(values[slot] != others[slot] for slot in both if slot in _NUMBERS)
    said = _said(topic, wording, values, rng)
    asked = _said(topic, other_wording, others, rng)
    draw = rng.random()
    if draw < HEDGED:
        said, label = rng.choice(HEDGES).format(x=inner(said)), NEUTRAL
    elif draw < HEDGED + DENIED:
        label = _label_of_denial(topic, premise, hypothesis, label, is_same_thing=others == values)
        said = f"It is not true that {inner(said)}."
    elif draw < HEDGED + DENIED + BESIDE:
        said = _beside([one for one in topics if one is not topic], said, rng, held_out)
    return Pair(said, asked, label, topic.group, two_classes=is_coarse and label == NEUTRAL)


def _label_of_denial(topic: Topic, premise: str, hypothesis: str, label: int, *, is_same_thing: bool) -> int:
    """What the denial of a premise has for a label, which has this one when it is said plainly."""
    if label == ENTAILMENT and topic.follows(hypothesis, premise):
        return CONTRADICTION
    if premise in ("yes", "no") and is_same_thing:  # of two opposites the other one is true
        return _label(topic, "no" if premise == "yes" else "yes", hypothesis)
    return NEUTRAL


def two_claims(topic: Topic, rng: random.Random) -> tuple[str, str]:
    """What is said and what is asked; never both of a claim whose wordings say different things."""
    said, asked = (rng.choice(list(topic.claims)) for _ in range(2))
    while said == asked and topic.claims[said].apart:
        asked = rng.choice(list(topic.claims))
    return said, asked


def _label(topic: Topic, premise: str, hypothesis: str) -> int:
    if topic.follows(premise, hypothesis):
        return ENTAILMENT
    return CONTRADICTION if topic.excluded(premise, hypothesis) else NEUTRAL


def _values(topic: Topic, rng: random.Random) -> dict[str, str]:
    """A value for each slot; of two slots of one kind never the same."""
    found: dict[str, str] = {}
    for slot, kind in topic.slots.items():
        value = _value(kind, rng)
        while value in found.values():
            value = _value(kind, rng)
        found[slot] = value
    return found


def _numbers(rng: random.Random) -> dict[str, str]:
    """A number of things and a version."""
    return {"n": str(rng.randint(2, 60)), "v": f"{rng.randint(1, 24)}.{rng.randint(0, 12)}"}


_NUMBERS = frozenset({"n", "v"})


def _others(topic: Topic, values: dict[str, str], rng: random.Random) -> dict[str, str]:
    """The same values but for one or all: a name that differs in little is the harder to tell."""
    drawn = {**_values(topic, rng), **_numbers(rng)}
    # In another slot the same value would say something else than another thing.
    while set(drawn.values()) & set(values.values()):
        drawn = {**_values(topic, rng), **_numbers(rng)}
    if rng.random() < 0.4:
        return drawn
    slot = rng.choice(sorted(values))
    return {**values, slot: drawn[slot]}


def _value(kind: str, rng: random.Random) -> str:
    if kind == "file":
        name = f"{rng.choice(VALUES['word'])}{rng.choice(('', '', '_2', '-old', '1'))}.{rng.choice(VALUES['ending'])}"
        return rng.choice((name, name, f"{rng.choice(VALUES['folder'])}/{name}"))
    return rng.choice(VALUES[kind])


def _wording(claim: Claim, rng: random.Random, held_out: bool) -> str:
    return rng.choice(claim.wordings(CHECKED if held_out else TRAINED))


def _said(topic: Topic, wording: str, values: dict[str, str], rng: random.Random) -> str:
    # Quoted or not, but the same way throughout a sentence; names only, not things.
    quoted = rng.random() < 0.4
    named = {"file", "folder"}
    shown = {
        slot: f'"{value}"' if quoted and topic.slots.get(slot) in named else value for slot, value in values.items()
    }
    text = wording.format(**shown)
    text = with_articles(text[0].upper() + text[1:] if text[1:2] != " " or rng.random() < 0.5 else text)
    if rng.random() < 0.3:
        text = text[0].lower() + text[1:] if text.split()[0] in _SMALL else text
    return text.removesuffix(".") if rng.random() < 0.3 else text


_SMALL = frozenset(("The", "There", "You", "A", "An", "All", "No", "Some", "It", "In", "This", "Your", "Nobody"))


def with_articles(text: str) -> str:
    """The text with “an” where a vowel follows."""
    return re.sub(r"\b([aA]) (?=[aeio])", r"\1n ", text)


def inner(sentence: str) -> str:
    text = sentence.removesuffix(".")
    return text[0].lower() + text[1:] if text.split()[0] in _SMALL else text


def _beside(others: Sequence[Topic], said: str, rng: random.Random, held_out: bool) -> str:
    """The sentence with one of another topic before or after it, which decides nothing."""
    topic = rng.choice(others)
    wording = _wording(rng.choice(list(topic.claims.values())), rng, held_out)
    other = _said(topic, wording, {**_values(topic, rng), **_numbers(rng)}, rng)
    both = [said.removesuffix(".") + ".", other.removesuffix(".") + "."]
    rng.shuffle(both)
    return " ".join(text[0].upper() + text[1:] for text in both)


# --- numbers

# A wording, and whether what it measures comes in whole numbers only.
_MEASURED = (
    ("The file {f} has {q} lines", True),
    ("There are {q} files in {d}", True),
    ("The temperature of the {x} is {q} degrees celsius", False),
    ("The thermometer reads {q} degrees celsius", False),
    ("{q} tests failed", True),
    ("You have {q} apples", True),
    ("The disk has {q} GB of free space", False),
    ("The {s} has answered {q} requests", True),
    ("There are {q} open goals", True),
    ("The folder {d} contains {q} files", True),
)
_SLOTS = {"f": "file", "d": "folder", "x": "substance", "s": "service"}
_BOUNDS: tuple[tuple[tuple[str, ...], Callable[[float, float], tuple[float, float]]], ...] = (
    (("exactly {n}", "{n}", "just {n}", "precisely {n}"), lambda n, step: (n, n)),
    (("at least {n}", "{n} or more", "no fewer than {n}", "not less than {n}"), lambda n, step: (n, INFINITE)),
    (("more than {n}", "over {n}", "above {n}", "upwards of {n}"), lambda n, step: (n + step, INFINITE)),
    (("at most {n}", "no more than {n}", "{n} or fewer", "up to {n}"), lambda n, step: (-INFINITE, n)),
    (("fewer than {n}", "less than {n}", "below {n}", "under {n}"), lambda n, step: (-INFINITE, n - step)),
)
# The next number after one that is excluded: for what is measured there is always one still nearer.
_WHOLE, _MEASURE = 1, 1e-6


def compared(rng: random.Random, held_out: bool) -> Pair:
    """A pair of one measure and two bounds; of whole numbers “more than 4” is “at least 5”."""
    wording, whole = rng.choice(_MEASURED)
    values = {slot: _value(kind, rng) for slot, kind in _SLOTS.items()}
    number = rng.randint(2, 120)
    other = max(2, number + rng.choice((0, 0, 1, -1, 5, -5, 30, -30)))
    step = _WHOLE if whole else _MEASURE
    said, known = _bound(number, step, rng, held_out, _BOUNDS[:1] if rng.random() < 0.6 else _BOUNDS)
    asked, wanted = _bound(other, step, rng, held_out, _BOUNDS)
    premise, hypothesis = (f"{_capital(wording.format(**values, q=text))}." for text in (said, asked))
    return Pair(premise, hypothesis, _label_of_bounds(known, wanted), "numbers")


def _bound(
    number: int, step: float, rng: random.Random, held_out: bool, bounds: Sequence[Any]
) -> tuple[str, tuple[float, float]]:
    wordings, bound = rng.choice(bounds)
    return rng.choice(wordings[3:] if held_out else wordings[:3]).format(n=number), bound(number, step)


def _label_of_bounds(known: tuple[float, float], wanted: tuple[float, float]) -> int:
    if wanted[0] <= known[0] and known[1] <= wanted[1]:
        return ENTAILMENT
    return CONTRADICTION if known[1] < wanted[0] or wanted[1] < known[0] else NEUTRAL


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
