"""The built-in world: a house of three rooms with doors, things, a box and a kettle. It needs nothing. Pure.

A variation says where a thing lies and which door is closed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from agents.environments.environment import Percept
from agents.simulations.rule_files import RuleFile, shipped
from agents.simulations.worlds import Begin, NoSuchVariation

ROOMS: Mapping[str, tuple[str, ...]] = {"hall": ("kitchen", "study"), "kitchen": ("hall",), "study": ("hall",)}
_CARRIED = ("key", "cup", "book")
_CLOSED = ("", "kitchen", "study")
# From filling it to boiling water, in waits.
_WAITS = 2
BRING, TEA = "bring", "tea"


@dataclass(frozen=True)
class _Variation:
    goal: str
    thing: str
    place: str
    closed: str


def _variations() -> Mapping[str, tuple[_Variation, ...]]:
    brought = [
        _Variation(f"bring the {thing} to the box in the kitchen", thing, place, closed)
        for place in ("study", "hall")
        for closed in _CLOSED
        for thing in _CARRIED
    ]
    tea = [_Variation("make tea", "cup", place, closed) for place in ("study", "hall", "kitchen") for closed in _CLOSED]
    return {BRING: tuple(brought), TEA: tuple(tea)}


VARIATIONS = _variations()


class House:
    """One variation, begun anew in the hall."""

    is_simulation = True

    def __init__(self, task: str, variation: int) -> None:
        """Raises NoSuchVariation."""
        known = VARIATIONS.get(task, ())
        if not 0 <= variation < len(known):
            raise NoSuchVariation(f"The house has no variation {variation} of “{task[:60]}”.")
        self._task, self._of = task, known[variation]
        self.goal = self._of.goal
        self._room = "hall"
        self._closed = {self._of.closed} - {""}
        self._things: dict[str, list[str]] = {room: [] for room in ROOMS}
        self._things[self._of.place].append(self._of.thing)
        self._carried: list[str] = []
        self._in_box: list[str] = []
        self._water, self._is_on, self._waited = False, False, 0
        self._has_tea = False

    def perceive(self) -> Percept:
        """The room, and what is carried."""
        return self._percept("")

    def act(self, action: str) -> Percept:
        """Do one of the actions of the house; anything else is not accepted."""
        done = next((do for said, do in self._possible() if said == action), None)
        if done is None:
            return self._percept("That does not work.", accepted=False)
        self._boil()
        return self._percept(done())

    def score(self) -> float:
        """For bringing: a half for having it. For tea: a quarter for cup, water, boiling water and tea each."""
        if self._task == BRING:
            return 1.0 if self._in_box else 0.5 if self._of.thing in self._carried else 0.0
        steps = ("cup" in self._carried, self._water, self._is_boiling, self._has_tea)
        return 1.0 if self._has_tea else sum(steps) / 4

    def actions(self) -> list[str]:
        """What is possible now."""
        return [said for said, _ in self._possible()]

    @property
    def _is_boiling(self) -> bool:
        return self._water and self._waited >= _WAITS

    @property
    def _is_over(self) -> bool:
        return bool(self._in_box) or self._has_tea

    def _possible(self) -> Iterator[tuple[str, Callable[[], str]]]:
        if self._is_over:
            return
        yield "look", lambda: "You look around."
        yield "wait", lambda: "You wait."
        for room in ROOMS[self._room]:
            if self._is_closed(room):
                yield f"open door to {room}", partial(self._open, room)
            else:
                yield f"go to {room}", partial(self._go, room)
        for thing in self._things[self._room]:
            yield f"take {thing}", partial(self._take, thing)
        if self._room == "kitchen":
            yield from self._in_kitchen()

    def _in_kitchen(self) -> Iterator[tuple[str, Callable[[], str]]]:
        for thing in self._carried:
            # The box takes what was asked for.
            if self._task == BRING:
                yield f"put {thing} in box", partial(self._put, thing)
        if not self._water:
            yield "fill kettle", self._fill
        if not self._is_on:
            yield "turn on kettle", self._turn_on
        if self._is_boiling and "cup" in self._carried:
            yield "pour kettle into cup", self._pour

    def _is_closed(self, room: str) -> bool:
        """There are two doors, both of the hall; each has the name of the room behind it."""
        return (room if self._room == "hall" else self._room) in self._closed

    def _open(self, room: str) -> str:
        self._closed.discard(room if self._room == "hall" else self._room)
        return f"You open the door to the {room}."

    def _go(self, room: str) -> str:
        self._room = room
        return f"You go to the {room}."

    def _take(self, thing: str) -> str:
        self._things[self._room].remove(thing)
        self._carried.append(thing)
        return f"You take the {thing}."

    def _put(self, thing: str) -> str:
        self._carried.remove(thing)
        self._in_box.append(thing)
        return f"You put the {thing} in the box."

    def _fill(self) -> str:
        self._water = True
        return "You fill the kettle with water."

    def _turn_on(self) -> str:
        self._is_on = True
        return "You turn the kettle on."

    def _pour(self) -> str:
        self._has_tea = True
        return "You pour the water into the cup. The tea is ready."

    def _boil(self) -> None:
        if self._water and self._is_on:
            self._waited += 1

    def _percept(self, said: str, *, accepted: bool = True) -> Percept:
        seen = [f"\ta {thing}" for thing in self._things[self._room]]
        if self._room == "kitchen":
            seen += ["\ta box", f"\ta kettle, which is {'on' if self._is_on else 'off'}. {self._kettle()}"]
        doors = [
            f"\tA door to the {room} (that is {'closed' if self._is_closed(room) else 'open'})"
            for room in ROOMS[self._room]
        ]
        lines = [said, "", f"This room is called the {self._room}. In it, you see:", *seen, "You also see:", *doors]
        carried = ["", "In your inventory, you see:", *(f"\ta {thing}" for thing in self._carried)]
        return Percept("\n".join([*lines, *carried]), accepted, self._is_over)

    def _kettle(self) -> str:
        if not self._water:
            return "The kettle is empty."
        return "The kettle is full. " + ("The water is boiling." if self._is_boiling else "The water is cold.")


class HouseWorld:
    """The house among the worlds."""

    name = "house"
    title = "A small house"
    about = "Three rooms, doors, a few things, a box and a kettle. It is part of mindX and needs nothing."
    is_simulation = True

    def missing(self) -> str:
        """Nothing ever is."""
        return ""

    def tasks(self) -> Sequence[str]:
        """Bring something to the box; make tea."""
        return tuple(VARIATIONS)

    def variations(self, task: str) -> Mapping[str, Sequence[int]]:
        """Of three variations two are of the train split and one is of the dev split."""
        numbers = range(len(VARIATIONS[task]))
        return {"train": [n for n in numbers if n % 3 != 2], "dev": [n for n in numbers if n % 3 == 2]}

    def rules(self) -> Sequence[RuleFile]:
        """The rules that are shipped with it."""
        return shipped(self.name)

    @contextmanager
    def running(self) -> Iterator[Begin]:
        """Nothing has to be started."""
        yield House
