"""A small environment for tests: rooms with doors, things, and a box; a door may be locked, and texts may lie."""

from __future__ import annotations

from agents.environments.environment import Percept

HOUSE = {"hall": ("kitchen", "study"), "kitchen": ("hall",), "study": ("hall",)}
GOAL = "bring the key to the box in the kitchen"
RULES = """
RULE bring
IF your task is to bring the {thing} to the {box} in the {place}
THEN:
  PLAN TO fetch the {thing}
  PLAN TO get to the {place}
  put {thing} in {box}
--
RULE fetch what lies here
IF your task is to fetch the {thing}
CONSIDERING you see a {thing}
THEN:
  take {thing}
--
RULE fetch from where it was seen
PRIORITY -1
IF your task is to fetch the {thing}
CONSIDERING in the {place} you saw a {thing}
THEN:
  PLAN TO get to the {place}
  take {thing}
--
RULE look in the study
PRIORITY -2
IF your task is to fetch the {thing}
THEN:
  PLAN TO get to the study
  take {thing}
--
RULE be there
PRIORITY 2
IF your task is to get to the {place}
CONSIDERING you are in the {place}
THEN:
  look
--
RULE next door
PRIORITY 1
IF your task is to get to the {place}
CONSIDERING you see a door to the {place}
THEN:
  go to {place}
--
RULE by the hall
IF your task is to get to the {place}
CONSIDERING you see a door to the hall
THEN:
  go to hall
  PLAN TO get to the {place}
"""


class House:
    """Begins in the hall; the key lies in the study. `notes` are lines that a room shows besides."""

    def __init__(self, *, locked: str = "", notes: dict[str, str] | None = None) -> None:
        self.room, self.locked, self.notes = "hall", locked, notes or {}
        self.things = {"study": ["key"], "kitchen": ["box"], "hall": []}
        self.carried: list[str] = []
        self.done: list[str] = []
        self.is_over = False

    is_simulation = True

    def perceive(self) -> Percept:
        return self._percept("")

    def actions(self) -> list[str]:
        """What can be done here, and some that is of no use."""
        doors = [f"go to {room}" for room in HOUSE[self.room]]
        return [*doors, *(f"take {thing}" for thing in self.things[self.room]), "put key in box", "look"]

    def act(self, action: str) -> Percept:
        self.done.append(action)
        verb, _, rest = action.partition(" ")
        answers = {"look": self._look, "go": self._go, "take": self._take, "put": self._put}
        said = answers[verb](rest) if verb in answers else None
        return self._percept(said or "That does not work.", accepted=said is not None)

    def score(self) -> float:
        return 1.0 if self.is_over else 0.5 if "key" in self.carried else 0.0

    def _look(self, _: str) -> str:
        return "You look."

    def _go(self, rest: str) -> str | None:
        room = rest.removeprefix("to ")
        if room not in HOUSE[self.room] or room == self.locked:
            return None
        self.room = room
        return "You go."

    def _take(self, thing: str) -> str | None:
        if thing not in self.things[self.room] or thing == "box":
            return None
        self.things[self.room].remove(thing)
        self.carried.append(thing)
        return "Taken."

    def _put(self, rest: str) -> str | None:
        self.is_over = rest == "key in box" and "key" in self.carried and self.room == "kitchen"
        return "Done." if self.is_over else None

    def _percept(self, said: str, *, accepted: bool = True) -> Percept:
        seen = [f"\ta {thing}" for thing in self.things[self.room]]
        doors = [f"\tA door to the {room} (that is open)" for room in HOUSE[self.room]]
        lines = [said, "", f"This room is called the {self.room}. In it, you see:", *seen, "You also see:", *doors]
        carried = ["", "In your inventory, you see:", *(f"\ta {thing}" for thing in self.carried)]
        return Percept("\n".join([*lines, "", self.notes.get(self.room, ""), *carried]), accepted, self.is_over)
