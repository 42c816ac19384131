"""Which worlds there are: those of mindX, and those that packages bring under the entry point `mindx.environments`.

A world begins environments of text (`agents.environments.environment`). It is untrusted in what it says, and trusted
code like any package that an operator installs.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Protocol

from agents.environments.environment import Environment
from agents.simulations.rule_files import RuleFile

logger = logging.getLogger(__name__)

GROUP = "mindx.environments"
_SHIPPED = (("agents.simulations.house", "HouseWorld"), ("agents.simulations.scienceworld", "ScienceWorldWorld"))


class WorldUnusable(Exception):
    """A world cannot be used now; the message says why."""


class UnknownWorld(WorldUnusable):
    """No world has this name."""


class NoSuchVariation(WorldUnusable):
    """The world has no such task, or the task no such variation."""


class WorldBusy(WorldUnusable):
    """This process runs the world already."""


class Begun(Environment, Protocol):
    """An environment at its beginning, and the goal to pursue in it, in words."""

    goal: str


# Begins a variation of a task anew. Raises NoSuchVariation.
Begin = Callable[[str, int], Begun]


class World(Protocol):
    """A world by its name. Only one that says so itself, by `is_simulation`, may be acted in without review."""

    name: str
    title: str
    about: str
    is_simulation: bool

    def missing(self) -> str:
        """What has to be installed before it can be used, and how; empty when nothing is missing."""
        ...

    def tasks(self) -> Sequence[str]:
        """Names of its tasks; known without running it."""
        ...

    def variations(self, task: str) -> Mapping[str, Sequence[int]]:
        """The variations of a task that runs may see, by split; `train` are those that policies are trained on."""
        ...

    def rules(self) -> Sequence[RuleFile]:
        """Rules that come with it; none where it has none."""
        ...

    def running(self) -> AbstractContextManager[Begin]:
        """Start what it needs; all of that has ended when the context is left. Raises WorldUnusable."""
        ...


def every() -> dict[str, World]:
    """All worlds by name. One of a package that cannot be loaded is logged and left out."""
    found: dict[str, World] = {}
    for world in (*_shipped(), *_installed()):
        if world.name in found:
            logger.error("Two environments are called %s; the first one is used.", world.name)
            continue
        found[world.name] = world
    return found


def named(name: str) -> World:
    """A world by its name. Raises UnknownWorld, whose message lists those there are."""
    worlds = every()
    if name not in worlds:
        raise UnknownWorld(f"There is no environment “{name[:60]}”; there are {', '.join(worlds)}.")
    return worlds[name]


def split_of(world: World, task: str, variation: int) -> str:
    """The split that a variation is of. Raises NoSuchVariation."""
    if task not in world.tasks():
        raise NoSuchVariation(f"{world.title} has no task “{task[:60]}”.")
    splits = world.variations(task)
    split = next((split for split, numbers in splits.items() if variation in numbers), None)
    if split is None:
        numbers = sorted(number for of_split in splits.values() for number in of_split)
        raise NoSuchVariation(f"The variations of {task} go from {numbers[0]} to {numbers[-1]}.")
    return split


def _shipped() -> Iterator[World]:
    # By name: they use what is declared here.
    for module, of in _SHIPPED:
        yield getattr(import_module(module), of)()


@cache
def _installed() -> tuple[World, ...]:
    """Looked for once: asking every package takes longer than a page."""
    return tuple(_of_packages())


def _of_packages() -> Iterator[World]:
    for point in entry_points(group=GROUP):
        try:
            world = point.load()()
        except Exception:  # whatever a package raises when it is imported
            logger.exception("The environment %s of a package cannot be loaded.", point.name)
            continue
        if all(hasattr(world, wanted) for wanted in ("name", "title", "about", "tasks", "variations", "running")):
            yield world
        else:
            logger.error("%s of a package is no environment.", point.name)
