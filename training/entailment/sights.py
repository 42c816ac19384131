"""Pairs about what ScienceWorld shows: its own sentences as premises, and what sights.toml says as hypotheses.

A premise is read with the product's own cutting into beliefs; what is true of a hypothesis is computed from the facts
found there. Like wordings make the hard pairs: another thing, another room, another vessel, roles swapped, a door to a
room instead of the room, something seen earlier.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from agents.environments.cutting import atomic_beliefs
from training.entailment.made import HEDGES, inner, with_articles
from training.entailment.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL, Pair
from training.entailment.topics import TRAINED, Topic, read

SOURCE = "scienceworld"
TOPICS = {topic.name: topic for topic in read(Path(__file__).with_name("sights.toml"))}
# How far from what a thermometer shows the bounds lie that hypotheses speak of.
_LOW, _HIGH = (3, 7, 20), (4, 12, 30)
_HEDGED, _SHORTENED, _IN_A_ROOM = 0.05, 0.5, 0.12
_TRIES = 40
_ROOMS = ["attic", "cellar", "garage", "library", "office", "laboratory"]
# What may be asked of a room by its name.
_IN_ROOMS = frozenset({"seen", "device", "opening", "inside", "content"})
# These speak of a thing and not of whether it is in sight: people judge differently then.
_MENTIONING = frozenset({"carried", "content", "device", "inside", "opening", "reading"})


@dataclass(frozen=True)
class Fact:
    """A claim of a topic about some values, by slot."""

    topic: str
    claim: str
    values: Mapping[str, str]


@dataclass(frozen=True)
class Shown:
    """A text that the environment says, the room it names (if any), and the facts in it. `past`: it is remembered."""

    text: str
    room: str | None
    facts: tuple[Fact, ...]
    past: bool = False


_ARTICLE = r"(?:an? |the |some )?"
_THING = r"[a-z][a-z0-9' -]*?"
# Atomic beliefs with the topic and claim that they are; {state} is a claim by itself.
_FORMS: tuple[tuple[re.Pattern[str], str, str], ...] = tuple(
    (re.compile(form.format(a=_ARTICLE, t=_THING) + r"\.\Z"), topic, claim)
    for form, topic, claim in (
        (r"You are in the (?P<r>{t})", "place", "in"),
        (r"You see a door to the (?P<r>{t})", "door", "there"),
        (r"The door to the (?P<r>{t}) is (?P<claim>open|closed)", "door", ""),
        (r"You see {a}(?P<n>(?:(?! in | on ).)+) (?P<p>in|on) the (?P<c>{t})", "inside", "in"),
        (r"You see {a}(?P<n>(?:(?! in | on ).)+)", "seen", "there"),
        (r"You have {a}(?P<n>(?:(?! in | on ).)+)", "carried", "have"),
        (r"The (?P<c>{t}) is empty", "content", "empty"),
        (r"The (?P<n>{t}) door is (?P<claim>open|closed)", "opening", ""),
        (r"The (?P<n>{t}) is (?:turned )?(?P<claim>on|off)", "device", ""),
        (r"The (?P<n>{t}) is activated", "device", "on"),
        (r"The (?P<n>{t}) is deactivated", "device", "off"),
        (r"The (?P<n>{t}) is currently reading a temperature of (?P<d>-?\d+) degrees celsius", "reading", "exact"),
    )
)
_NEVER = frozenset({"air", "agent", "nothing"})


def facts_of(text: str) -> tuple[Fact, ...]:
    """What a text says and what follows at once: a vessel with something in it is not empty, and both are seen."""
    found = [fact for belief in atomic_beliefs(text) if (fact := _fact(belief)) is not None]
    for fact in list(found):
        if fact.topic == "inside":
            if fact.values["p"] == "in":
                found.append(Fact("content", "filled", {"c": fact.values["c"]}))
            found += [Fact("seen", "there", {"n": fact.values[slot]}) for slot in ("n", "c")]
    return tuple(found)


def _fact(belief: str) -> Fact | None:
    for form, topic, claim in _FORMS:
        if match := form.match(belief):
            values = {slot: value for slot, value in match.groupdict().items() if slot != "claim"}
            if _NEVER & set(values.values()):
                return None
            return Fact(topic, claim or match["claim"], values)
    return None


def shown(path: Path) -> list[list[Shown]]:
    """Of each observation of a file, the texts that it gives as premises."""
    return [list(_texts(json.loads(line))) for line in path.read_text("utf-8").splitlines()]


def _texts(row: Mapping[str, str]) -> Iterator[Shown]:
    """Lines as they are shown, in a room or not; beliefs cut from them; the same as it is remembered."""
    called = re.search(r"This room is called the ([a-z ]+)\.", row["look"])
    if called is None:
        return
    room = called[1]
    lines = [line.strip() for line in row["look"].splitlines() if line.startswith("\t")]
    lines = [line for line in lines if "the agent" not in line and "called air" not in line]
    heading = f"This room is called the {room}. In it, you see:"
    for line in lines:
        # Cutting reads lists only below a heading, as the environment writes them.
        facts = facts_of(f"You see:\n\t{line}")
        ended = line if line.endswith(".") else f"{line}."
        small = ended[0].lower() + ended[1:]
        yield Shown(ended, None, facts)
        yield Shown(f"You see {small}", None, facts)
        here = (Fact("place", "in", {"r": room}), *facts)
        yield Shown(f"In the {room}, you see {small}", room, here)
        yield Shown(f"{heading} {small}", room, here)
        for belief in atomic_beliefs(f"You see:\n\t{line}"):
            one = facts_of(belief)
            if one:
                yield Shown(belief, None, one)
                yield _remembered(belief, room, one)
    yield Shown(f"You are in the {room}.", room, (Fact("place", "in", {"r": room}),))
    yield from _carried([line.strip() for line in row["inventory"].splitlines() if line.startswith("\t")])


def _carried(lines: Sequence[str]) -> Iterator[Shown]:
    for line in lines:
        yield Shown(f"In your inventory, you see: {line}", None, facts_of(f"In your inventory, you see:\n\t{line}"))
        for belief in atomic_beliefs(f"In your inventory, you see:\n\t{line}"):
            if one := facts_of(belief):
                yield Shown(belief, None, one)


def _remembered(belief: str, room: str, facts: tuple[Fact, ...]) -> Shown:
    """As a belief is kept once it is out of sight."""
    first = facts[0]
    if belief.startswith("You see "):
        text = f"In the {room} you saw {belief.removeprefix('You see ')}"
        seen = (Fact("saw", "saw", {"n": first.values["n"], "r": room}),) if first.topic == "seen" else ()
        return Shown(text, room, seen, past=True)
    return Shown(f"In the {room} the {belief.removeprefix('The ')}", room, facts, past=True)


class Asking:
    """Draws hypotheses about what is shown; `names` are the things and rooms of all observations."""

    def __init__(self, texts: Sequence[Sequence[Shown]], part: str, rng: random.Random) -> None:
        self._rng, self._part = rng, part
        facts = [fact for some in texts for one in some for fact in one.facts]
        rooms = {fact.values["r"] for fact in facts if "r" in fact.values}
        things = {fact.values[slot] for fact in facts for slot in ("n", "c") if slot in fact.values}
        self._names = {"r": sorted(rooms | set(_ROOMS)), "n": sorted(things), "c": sorted(things)}
        said = {sentence for some in texts for one in some for sentence in (one.text,)}
        self._masses = {name for name in things if f"You see {name}." in said}

    def pair(self, one: Shown) -> Pair | None:
        """A pair with a label that was drawn first, as far as one can be found."""
        wanted = self._rng.choice((ENTAILMENT, NEUTRAL, CONTRADICTION))
        last = None
        for _ in range(_TRIES):
            fact = self._drawn(one)
            label = judged(one, fact)
            if label is None:
                continue
            last = self._worded(one, fact, label)
            if last.label == wanted:
                break
        return last

    def _drawn(self, one: Shown) -> Fact:
        """A claim like one that is shown: the same values, one of them another, the topic another, or roles swapped."""
        fact = self._rng.choice(one.facts)
        topic = TOPICS[fact.topic]
        values, draw = dict(fact.values), self._rng.random()
        if draw < 0.25:
            slot = self._rng.choice([slot for slot in values if slot in self._names] or [""])
            values |= {slot: self._other(one, slot, values[slot])} if slot else {}
        elif draw < 0.33 and fact.topic == "inside":
            values["n"], values["c"] = values["c"], values["n"]
        elif draw < 0.5:
            topic, values = self._elsewhere(fact)
        return Fact(topic.name, self._rng.choice(list(topic.claims)), values)

    def _other(self, one: Shown, slot: str, now: str) -> str:
        """Another name: half the time one that is in the text as well."""
        near = sorted({fact.values[slot] for fact in one.facts if slot in fact.values} - {now})
        if near and self._rng.random() < 0.5:
            return self._rng.choice(near)
        return self._rng.choice([name for name in self._names[slot] if name != now])

    def _elsewhere(self, fact: Fact) -> tuple[Topic, dict[str, str]]:
        """Something else about the same thing or room."""
        if "n" in fact.values:
            name = self._rng.choice(("seen", "carried", "open_question", "open_question", "device", "opening"))
            return TOPICS[name], {"n": fact.values["n"]}
        if "c" in fact.values:
            return TOPICS["content"], {"c": fact.values["c"]}
        return TOPICS[self._rng.choice(("place", "door"))], {"r": fact.values["r"]}

    def _worded(self, one: Shown, fact: Fact, label: int) -> Pair:
        rng = self._rng
        wordings = TOPICS[fact.topic].claims[fact.claim].wordings(self._part)
        text = rng.choice(wordings).format(**self._words(fact.values))
        text = text[0].upper() + text[1:]
        said = one.text
        if fact.topic in _IN_ROOMS and fact.claim != "none":
            text, label = self._placed(one, text, label)
        if self._part == TRAINED and rng.random() < _HEDGED:
            said, label = rng.choice(HEDGES).format(x=inner(said)), NEUTRAL
        text = with_articles(text)
        if rng.random() < _SHORTENED:
            text = inner(text)
        return Pair(said, text, label, SOURCE)

    def _placed(self, one: Shown, text: str, label: int) -> tuple[str, int]:
        """What is remembered of a room is asked of a room; else that is done now and then."""
        rng = self._rng
        if not one.past and rng.random() >= _IN_A_ROOM:
            return text, label
        room = one.room if one.room and rng.random() < 0.75 else rng.choice(self._names["r"])
        place = f"In the {room}, " if rng.random() < 0.5 else f"In the {room} "
        return place + inner(text) + ".", label if room == one.room else NEUTRAL

    def _words(self, values: Mapping[str, str]) -> dict[str, str]:
        words = dict(values)
        for slot in {"n"} & values.keys():
            words[f"a_{slot}"] = values[slot] if values[slot] in self._masses else f"a {values[slot]}"
        if "d" in values:
            degrees = int(values["d"])
            words |= {"low": str(degrees - self._rng.choice(_LOW)), "high": str(degrees + self._rng.choice(_HIGH))}
        return words


def judged(one: Shown, asked: Fact) -> int | None:
    """The label of a hypothesis; None where people would judge differently."""
    topic = TOPICS[asked.topic]
    for fact in one.facts:
        if fact.topic == asked.topic and fact.values == asked.values:
            if topic.follows(fact.claim, asked.claim):
                return ENTAILMENT
            if topic.excluded(fact.claim, asked.claim):
                return CONTRADICTION
    by_rule = _by_rule(one, asked)
    if by_rule is not None:
        return by_rule
    return None if _is_moot(one, asked) else NEUTRAL


def _by_rule(one: Shown, asked: Fact) -> int | None:
    """What follows about other values: who is in one room is in no other, and nothing is in what is empty."""
    if asked.topic == "place" and any(fact.topic == "place" for fact in one.facts):
        return CONTRADICTION if asked.claim == "in" else ENTAILMENT
    if asked.topic == "carried" and any(fact.topic == "carried" for fact in one.facts):
        return {"nothing": CONTRADICTION, "something": ENTAILMENT}.get(asked.claim)
    if asked.values.get("p") == "in" and Fact("content", "empty", {"c": asked.values["c"]}) in one.facts:
        return CONTRADICTION if asked.claim == "in" else ENTAILMENT
    return None


def _is_moot(one: Shown, asked: Fact) -> bool:
    """Names of which one is part of the other, places of one thing, and things only mentioned."""
    names = [fact.values[slot] for fact in one.facts for slot in ("n", "c") if slot in fact.values]
    own = [asked.values[slot] for slot in ("n", "c") if slot in asked.values]
    if any(_is_part(a, b) for a in own for b in names):
        return True
    if one.past and asked.topic in ("carried", "place", "door", "reading"):
        return True
    if asked.topic in ("seen", "content"):
        return any(fact.topic in _MENTIONING and asked.values.items() <= _both(fact) for fact in one.facts)
    if asked.topic == "inside":
        return any(fact.topic == "inside" and fact.values["n"] == asked.values["n"] for fact in one.facts)
    return False


def _both(fact: Fact) -> set[tuple[str, str]]:
    """Its values, each as a thing and as a vessel."""
    return {(slot, value) for value in fact.values.values() for slot in ("n", "c")}


def _is_part(one: str, other: str) -> bool:
    words, others = set(one.split()), set(other.split())
    return words != others and (words <= others or others <= words)


def pairs(path: Path, number: int, rng: random.Random, part: str) -> list[Pair]:
    """So many pairs from the observations of a file, in the wordings of one part."""
    texts = [some for some in shown(path) if some]
    asking = Asking(texts, part, rng)
    ready = sorted({(one.text, one.past): one for some in texts for one in some if one.facts}.values(), key=_by_text)
    by_topic: dict[str, list[Shown]] = {}
    for one in ready:
        by_topic.setdefault("past" if one.past else one.facts[-1].topic, []).append(one)
    found: dict[tuple[str, str], Pair] = {}
    for _ in range(number * 3):
        # By what it is about: most of what is shown is merely that something is there.
        one = rng.choice(by_topic[rng.choice(sorted(by_topic))])
        pair = asking.pair(one)
        if pair is not None:
            found[pair.premise, pair.hypothesis] = pair
        if len(found) == number:
            break
    return list(found.values())


def _by_text(one: Shown) -> tuple[str, bool]:
    return one.text, one.past
