"""Observations of ScienceWorld (Wang et al. 2022), and pairs of what they say and what follows from it.

Only variations of the training split are played, by taking random steps; nothing that a test of agents there uses is
looked at. Observations are kept in a file, since playing needs Java and some minutes.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from training.entailment.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL, Pair

VARIATIONS, STEPS = 6, 24
# Connecting anything with anything is most of what is allowed and says little.
_VERBS = (
    "open",
    "close",
    "activate",
    "deactivate",
    "pick",
    "put",
    "look",
    "go",
    "teleport",
    "use",
    "pour",
    "move",
    "wait1",
)


def observe(path: Path, seed: int) -> None:
    """Play, and write one JSON line for each step: `look` (the room) and `inventory`, as the simulator says them."""
    from scienceworld import ScienceWorldEnv

    rng = random.Random(seed)
    env = ScienceWorldEnv("", envStepLimit=STEPS * 2)
    seen: set[str] = set()
    for task in env.get_task_names():
        env.load(task, 0, "")
        variations = list(env.get_variations_train())
        for variation in rng.sample(variations, min(VARIATIONS, len(variations))):
            env.load(task, variation, "teleportAction")
            env.reset()
            seen.update(_walk(env, rng))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in sorted(seen)), "utf-8")


def _walk(env: Any, rng: random.Random) -> Iterator[str]:
    for _ in range(STEPS):
        actions = [action["action"] for action in env.get_valid_action_object_combinations_with_templates()]
        by_verb: dict[str, list[str]] = {}
        for action in actions:
            by_verb.setdefault(action.split()[0], []).append(action)
        verb = rng.choice([verb for verb in _VERBS if verb in by_verb])
        said, _, done, info = env.step(rng.choice(by_verb[verb]))
        yield json.dumps({"look": info["look"], "inventory": info["inv"]})
        if done or "Ambiguous" in said:
            env.step("0")
        if done:
            return


@dataclass(frozen=True)
class Seen:
    """One line of a room or an inventory, and what it says. None: it does not say."""

    line: str
    name: str
    room: str | None
    door: bool = False
    open: bool | None = None
    on: bool | None = None
    degrees: int | None = None
    inside: tuple[str, ...] | None = None
    place: str = "in"


_ROOM = re.compile(r"This room is called the ([a-z ]+)\.")
_DOOR = re.compile(r"A door to the ([a-z ]+) \(that is (open|closed)\)")
_THING = re.compile(r"(?:an? )?(?:substance called )?([a-z0-9 -]+?)(?= \(|,|\.|$)")
_DEGREES = re.compile(r"reading a temperature of (-?\d+) degrees")
_INSIDE = re.compile(r"\(containing ((?:[^()]|\([^()]*\))*)\)|(On|In) the [a-z0-9 ]+ is: (.*?)\.?$")
_ITEM = re.compile(r"(?:^|, )(?:an? )?(?:substance called )?([a-z][a-z0-9 -]*)")


def read(line: str, room: str | None) -> Seen | None:
    """What one line says; None when it is not understood, or says nothing of interest."""
    line = line.strip()
    if door := _DOOR.fullmatch(line):
        return Seen(line, door[1], room, door=True, open=door[2] == "open")
    thing = _THING.match(line)
    if thing is None or thing[1] in ("agent", "the agent", "air", "nothing"):
        return None
    degrees = _DEGREES.search(line)
    inside = _INSIDE.search(line)
    content = inside and (inside[1] if inside[1] is not None else inside[3])
    return Seen(
        line,
        thing[1],
        room,
        open=None if "door is" not in line else "door is open" in line,
        on=None if "turned o" not in line else "turned on" in line,
        degrees=int(degrees[1]) if degrees else None,
        inside=None if content is None else _items(content),
        place="on" if inside and inside[2] == "On" else "in",
    )


def _items(text: str) -> tuple[str, ...]:
    """Names in a list, without what is inside of them."""
    flat = re.sub(r" ?\([^()]*(?:\([^()]*\)[^()]*)*\)", "", text)
    return tuple(name for name in _ITEM.findall(flat) if name not in ("nothing", "air"))


def rooms(path: Path) -> list[tuple[str, list[Seen], list[Seen]]]:
    """The observations of a file: the room's name, what is seen there, and what is carried."""
    found = []
    for text in path.read_text("utf-8").splitlines():
        row = json.loads(text)
        called = _ROOM.search(row["look"])
        if called:
            seen = _read_all(row["look"], called[1])
            found.append((called[1], seen, _read_all(row["inventory"], None)))
    return found


def _read_all(text: str, room: str | None) -> list[Seen]:
    lines = [line for line in text.splitlines() if line.startswith("\t")]
    return [seen for line in lines if (seen := read(line, room)) is not None]


# --- what follows

# A hypothesis with its label, for something seen. The last of each group of wordings is held out.
_SWITCHED = (
    ("The {n} is {s}.", "The {n} is turned {s}.", "The {n} is switched {s}.", "You see a {n} that is {s}."),
    ("The {n} is not {t}.", "The {n} is not turned {t}.", "The {n} is {s} now."),
)
_OPENED = (
    ("The {n} is {s}.", "The {n} door is {s}.", "You see a {n} that is {s}.", "The door of the {n} is {s}."),
    ("The {n} is not {t}.", "The {n} door is not {t}.", "No {n} here is {t}."),
)
_DOOR_IS = (
    (
        "The door to the {n} is {s}.",
        "There is a door to the {n} that is {s}.",
        "You see the {s} door to the {n}.",
        "The {n} door is {s}.",
    ),
    ("The door to the {n} is not {t}.", "You see that the door to the {n} is {s}.", "A door to the {n} is {s}."),
)
_NOTHING_OF_A_DOOR = (
    "You are in the {n}.",
    "You see a {o}.",
    "This room is called the {n}.",
    "The door to the {n} is locked.",
    "The {n} is empty.",
    "You have just come from the {n}.",
    "The door to the {o} is {s}.",
    "There is a {o} in the {n}.",
    "The {n} is {s}.",
    "You want to go to the {n}.",
)
_HERE = (" in the {n}.", "called the {n}.")
_SEEN = ("You see a {n}.", "There is a {n}.", "There is a {n} here.", "You can see a {n}.")
_SEEN_IN = (
    "There is a {n} in the {r}.",
    "The {n} is in the {r}.",
    "You see a {n} in the {r}.",
    "In the {r} there is a {n}.",
)
_NOT_SEEN = ("You see no {n}.", "There is no {n} here.", "You do not see a {n}.", "No {n} can be seen.")
_CARRIED = (
    "You have the {n}.",
    "The {n} is in your inventory.",
    "You are carrying a {n}.",
    "You hold the {n}.",
    "Your inventory contains a {n}.",
)
_NOT_CARRIED = (
    "You do not have the {n}.",
    "The {n} is not in your inventory.",
    "You have no {n}.",
    "Your inventory does not contain a {n}.",
)
_HOLDS = (
    "The {i} is {p} the {n}.",
    "There is a {i} {p} the {n}.",
    "You see a {i} {p} the {n}.",
    "A {i} is {p} the {n}.",
)
_HOLDS_NOT = (
    "The {i} is not {p} the {n}.",
    "There is no {i} {p} the {n}.",
    "There is nothing {p} the {n}.",
    "The {n} is empty.",
)
_EMPTY = (
    "The {n} is empty.",
    "There is nothing {p} the {n}.",
    "Nothing is {p} the {n}.",
    "There is not anything {p} the {n}.",
)
_OTHER = (
    "The {o} is open.",
    "The {o} is turned on.",
    "There is a {o}.",
    "You are in the {o}.",
    "The {n} is hot.",
    "The {n} is made of metal.",
    "The {o} is {p} the {n}.",
)
_READS = (
    (
        "The {n} reads {d} degrees celsius.",
        "The {n} shows a temperature of {d} degrees.",
        "The {n} reads a temperature above {low} degrees.",
        "The {n} shows less than {high} degrees.",
        "The {n} is currently reading {d} degrees.",
    ),
    (
        "The {n} reads {high} degrees celsius.",
        "The {n} shows a temperature below {low} degrees.",
        "The {n} reads more than {high} degrees.",
        "The {n} is currently reading {low} degrees.",
    ),
    (
        "The water has a temperature of {d} degrees celsius.",
        "The temperature of the {o} is {d} degrees.",
        "The {o} is below {high} degrees.",
    ),
)


def pairs(path: Path, number: int, rng: random.Random, held_out: bool) -> list[Pair]:
    """So many pairs from the observations of a file; of every eight rooms one is held out."""
    known = [room for at, room in enumerate(rooms(path)) if (at % 8 == 0) == held_out]
    names = sorted({seen.name for _, lines, _ in known for seen in lines})
    found: list[Pair] = []
    while len(found) < number:
        room, lines, carried = rng.choice(known)
        draw = rng.random()
        if draw < 0.2 and carried:
            said, asked, label = _of_inventory(carried, names, rng, held_out)
        elif draw < 0.35 and lines:
            said, asked, label = _of_room(room, lines, names, rng, held_out)
        elif lines:
            said, asked, label = _of_thing(rng.choice(lines), names, rng, held_out)
        else:
            continue
        found.append(Pair(said, _with_article(asked), label, "scienceworld"))
    return found


def _drawn(wordings: Sequence[str], rng: random.Random, held_out: bool) -> str:
    return wordings[-1] if held_out else rng.choice(wordings[:-1])


def _premise(seen: Seen, rng: random.Random) -> tuple[str, bool]:
    """A line as a sentence, and whether it names the room."""
    draw = rng.random()
    plain = seen.line if seen.line.endswith((".", ")")) else f"{seen.line}."
    lower = plain[0].lower() + plain[1:]
    if draw < 0.3:
        return plain, False
    if draw < 0.55 or seen.room is None:
        return f"You see {lower}", False
    return rng.choice(
        (f"In the {seen.room}, you see {lower}", f"This room is called the {seen.room}. In it, you see: {lower}")
    ), True


def _of_thing(seen: Seen, names: Sequence[str], rng: random.Random, held_out: bool) -> tuple[str, str, int]:
    said, with_room = _premise(seen, rng)
    other = rng.choice([name for name in names if name not in said])
    choices = list(_door_claims(seen, with_room) if seen.door else _thing_claims(seen, with_room))
    wordings, label, words = rng.choice(choices)
    some = {"n": seen.name, "o": other, "r": seen.room or "", "p": seen.place, **words}
    return said, _drawn(wordings, rng, held_out).format(**some), label


Claims = Iterator[tuple[Sequence[str], int, dict[str, str]]]


def _states(yes: bool, words: tuple[str, str], wordings: Sequence[Sequence[str]]) -> Claims:
    """The claims that a thing is in one of two states: those that hold, and the same of the other state."""
    now, not_now = words if yes else words[::-1]
    for some in wordings:
        yield some, ENTAILMENT, {"s": now, "t": not_now}
        yield some, CONTRADICTION, {"s": not_now, "t": now}


def _door_claims(seen: Seen, with_room: bool) -> Claims:
    yield from _states(bool(seen.open), ("open", "closed"), _DOOR_IS)
    # Who sees the door in a room that is named is not behind it: that would be a contradiction.
    nothing = [wording for wording in _NOTHING_OF_A_DOOR if not with_room or not wording.endswith(_HERE)]
    yield from ((nothing, NEUTRAL, {"s": "open" if seen.open else "closed"}) for _ in range(2))


def _thing_claims(seen: Seen, with_room: bool) -> Claims:
    yield _SEEN, ENTAILMENT, {}
    yield _NOT_SEEN, CONTRADICTION, {}
    yield _CARRIED if seen.room else _SEEN_IN, NEUTRAL, {"r": "kitchen"}
    yield _OTHER, NEUTRAL, {}
    if with_room:
        yield _SEEN_IN, ENTAILMENT, {}
    if seen.on is not None:
        yield from _states(seen.on, ("on", "off"), _SWITCHED)
    if seen.open is not None:
        yield from _states(seen.open, ("open", "closed"), _OPENED)
    if seen.degrees is not None:
        numbers = {"d": str(seen.degrees), "low": str(seen.degrees - 7), "high": str(seen.degrees + 12)}
        yield from ((wordings, label, numbers) for label, wordings in zip(_READS_LABELS, _READS, strict=True))
    if seen.inside is not None and not seen.inside:
        yield _EMPTY, ENTAILMENT, {}
        yield _HOLDS[:4], CONTRADICTION, {"i": "apple"}
    for item in seen.inside or ():
        yield _HOLDS, ENTAILMENT, {"i": item}
        yield _HOLDS_NOT, CONTRADICTION, {"i": item}
        yield _CARRIED, NEUTRAL, {"n": item}


_READS_LABELS = (ENTAILMENT, CONTRADICTION, NEUTRAL)
_IN_ROOM = (
    "You are in the {r}.",
    "This room is the {r}.",
    "You are inside the {r}.",
    "This room is called the {r}.",
    "The room that you are in is the {r}.",
)
_NOT_IN_ROOM = (
    "You are not in the {r}.",
    "This room is not the {r}.",
    "You are outside of the {r}.",
    "You are somewhere else than in the {r}.",
)


def _of_room(
    room: str, lines: Sequence[Seen], names: Sequence[str], rng: random.Random, held_out: bool
) -> tuple[str, str, int]:
    """A premise that names the room and some of what is in it."""
    shown = rng.sample(list(lines), min(len(lines), rng.randint(1, 4)))
    said = f"This room is called the {room}. In it, you see: {' '.join(_ended(seen.line) for seen in shown)}"
    behind = [seen.name for seen in shown if seen.door] or ["attic"]
    other = rng.choice([name for name in names if name not in said])
    thing = rng.choice(shown)
    choices = [
        (_IN_ROOM, ENTAILMENT, {"r": room}),
        (_NOT_IN_ROOM, CONTRADICTION, {"r": room}),
        (_IN_ROOM, CONTRADICTION, {"r": rng.choice(behind)}),
        (_CARRIED, NEUTRAL, {"n": thing.name}),
        (_SEEN, NEUTRAL, {"n": other}),
    ]
    if not thing.door:
        choices += [(_SEEN_IN, ENTAILMENT, {"n": thing.name, "r": room}), (_SEEN, ENTAILMENT, {"n": thing.name})]
    wordings, label, words = rng.choice(choices)
    return said, _drawn(wordings, rng, held_out).format(**words), label


def _of_inventory(
    carried: Sequence[Seen], names: Sequence[str], rng: random.Random, held_out: bool
) -> tuple[str, str, int]:
    shown = rng.sample(list(carried), min(len(carried), rng.randint(1, 4)))
    said = f"In your inventory, you see: {', '.join(seen.line.rstrip('. ') for seen in shown)}"
    thing = rng.choice(shown).name
    other = rng.choice([name for name in names if name not in said])
    wordings, label, name = rng.choice(
        (
            (_CARRIED, ENTAILMENT, thing),
            (_NOT_CARRIED, CONTRADICTION, thing),
            (_CARRIED, NEUTRAL, other),
            (
                (
                    "There is a {n} in this room.",
                    "The {n} is on the table.",
                    "You have put down the {n}.",
                    "The {n} is heavy.",
                ),
                NEUTRAL,
                thing,
            ),
            (("Your inventory is empty.", "You have nothing.", "You carry nothing at all."), CONTRADICTION, thing),
        )
    )
    return said, _drawn(wordings, rng, held_out).format(n=name), label


def _ended(line: str) -> str:
    text = line.strip()
    return text if text.endswith(".") else f"{text}."


def _with_article(text: str) -> str:
    return re.sub(r"\b([aA]) (?=[aeio])", r"\1n ", text)
