"""Observations of ScienceWorld (Wang et al. 2022): what it shows to who walks about in it at random.

Which split is played is said by the caller; no goal is pursued, and neither score nor task is looked at. Observations
are kept in a file, since playing needs Java and some minutes.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from training.entailment.sights import Fact, facts_of

# So many variations of each task in each split, and so many steps in each of them.
VARIATIONS = {"train": 8, "dev": 3, "test": 3}
STEPS = 24
# What is tried, and with what that is shown: a fact's topic and its slot.
_TRIED = (
    ("open {}", "opening", "n"),
    ("close {}", "opening", "n"),
    ("activate {}", "device", "n"),
    ("deactivate {}", "device", "n"),
    ("pick up {}", "seen", "n"),
    ("pick up {}", "inside", "n"),
    ("put down {}", "carried", "n"),
    ("open door to {}", "door", "r"),
    ("close door to {}", "door", "r"),
    ("go to {}", "door", "r"),
    ("open {}", "content", "c"),
)
_TELEPORT = 0.3


def observe(path: Path, split: str, seed: int) -> None:
    """Play, and write one JSON line for each step: `look` (the room) and `inventory`, as the simulator says them."""
    from scienceworld import ScienceWorldEnv

    rng = random.Random(seed)
    env = ScienceWorldEnv("", envStepLimit=STEPS * 2)
    seen: set[str] = set()
    rooms: set[str] = set()
    for task in env.get_task_names():
        env.load(task, 0, "")
        variations = list(getattr(env, f"get_variations_{split}")())
        for variation in rng.sample(variations, min(VARIATIONS[split], len(variations))):
            env.load(task, variation, "teleportAction")
            env.reset()
            seen.update(_walk(env, rooms, rng))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in sorted(seen)), "utf-8")


def _walk(env: Any, rooms: set[str], rng: random.Random) -> Iterator[str]:
    for _ in range(STEPS):
        look, inventory = env.look(), env.inventory()
        yield json.dumps({"look": look, "inventory": inventory})
        facts = [*facts_of(look), *facts_of(inventory)]
        rooms.update(fact.values["r"] for fact in facts if fact.topic == "door")
        # Past `env.step`, which makes a list of all valid actions each time: most of the time goes there.
        said = env.server.step(_action(facts, rooms, rng))
        if "Ambiguous" in said:
            env.server.step("0")


def _action(facts: list[Fact], rooms: set[str], rng: random.Random) -> str:
    """Something that may be possible here; what is not costs a step."""
    if rooms and rng.random() < _TELEPORT:
        return f"teleport to {rng.choice(sorted(rooms))}"
    tried = {(verb, fact.values[slot]) for verb, topic, slot in _TRIED for fact in facts if fact.topic == topic}
    if not tried:
        return "look around"
    verb = rng.choice(sorted({verb for verb, _ in tried}))
    return verb.format(rng.choice(sorted(name for own, name in tried if own == verb)))
