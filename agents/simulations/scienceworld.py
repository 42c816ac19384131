"""ScienceWorld 1.2.3 as an environment of text: unsimplified, 100 steps, nothing but what it says to its player.

What is perceived is the answer to the last action, the room and the inventory, as the authors' own agents see them. The
tree of objects and the gold path are never asked for. The list of valid actions is given to fallback policies only, as
the authors' learned agents have it; rules never see it.

The package is in an environment of its own (`make scienceworld`), or beside mindX. Its simulator is a Java process:
there is one at most in a process of ours, and it is ended however its use ends.
"""

from __future__ import annotations

import contextlib
import logging
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from agents.environments.environment import Percept
from agents.environments.guarding import EnvironmentFailure, within
from agents.simulations.rule_files import RuleFile, shipped
from agents.simulations.worlds import Begin, NoSuchVariation, WorldBusy, WorldUnusable

logger = logging.getLogger(__name__)

STEPS = 100
SPLITS = ("train", "dev", "test")
_ENVIRONMENT = Path(__file__).parents[2] / ".venv-scienceworld"
# For Java to start, and for a variation to be loaded; and to be ended by its own means.
_BEGINS_S, _ENDS_S = 60.0, 5.0
_one = threading.Lock()
# How many train, dev and test variations each task of 1.2.3 has, in this order from 0. The simulator tells, but only
# once it runs.
_COUNTS = {
    "boil": (14, 7, 9),
    "change-the-state-of-matter-of": (14, 7, 9),
    "chemistry-mix": (16, 8, 8),
    "chemistry-mix-paint-secondary-color": (18, 9, 9),
    "chemistry-mix-paint-tertiary-color": (18, 9, 9),
    "find-animal": (150, 75, 75),
    "find-living-thing": (150, 75, 75),
    "find-non-living-thing": (150, 75, 75),
    "find-plant": (150, 75, 75),
    "freeze": (14, 7, 9),
    "grow-fruit": (62, 31, 33),
    "grow-plant": (62, 31, 33),
    "identify-life-stages-1": (6, 3, 5),
    "identify-life-stages-2": (4, 2, 4),
    "inclined-plane-determine-angle": (84, 42, 42),
    "inclined-plane-friction-named-surfaces": (692, 346, 348),
    "inclined-plane-friction-unnamed-surfaces": (80, 40, 42),
    "lifespan-longest-lived": (62, 31, 32),
    "lifespan-longest-lived-then-shortest-lived": (62, 31, 32),
    "lifespan-shortest-lived": (62, 31, 32),
    "measure-melting-point-known-substance": (218, 109, 109),
    "measure-melting-point-unknown-substance": (150, 75, 75),
    "melt": (14, 7, 9),
    "mendelian-genetics-known-plant": (60, 30, 30),
    "mendelian-genetics-unknown-plant": (240, 120, 120),
    "power-component": (10, 5, 5),
    "power-component-renewable-vs-nonrenewable-energy": (10, 5, 5),
    "test-conductivity": (450, 225, 225),
    "test-conductivity-of-unknown-substances": (300, 150, 150),
    "use-thermometer": (270, 135, 135),
}
_REFUSALS = (
    "no known action matches that input",
    "ambiguous request",
    "it's not clear how",
    "i'm not sure how",
    "unknown action",
    "you can't",
    "can't be",
    "can't move",
    "not moveable",
    "cannot",
    "is not open",
    "isn't open",
    "not a container",
    "is closed, so",
)
_ARTICLE = re.compile(r"\ba\(n\)")
_QUOTED = re.compile(r"'([\w -]+)'")


class ScienceWorld:
    """One variation of a task, begun anew. `simulator` is a `ScienceWorldEnv`, which many of them may use in turn.

    `simplifications` are the simulator's own, such as `easy`: doors are open and one may go to any room at once.
    """

    is_simulation = True
    # Two of the simulator's moves, the action and one more; its `wait` takes eleven.
    wait_action = "wait1"

    def __init__(self, simulator: Any, task: str, variation: int, simplifications: str = "") -> None:
        self._simulator = simulator
        simulator.load(task, variation, simplifications)
        _, self._info = simulator.reset()
        self.goal = goal_of(self._info["taskDesc"])

    def perceive(self) -> Percept:
        """The room and the inventory."""
        return Percept(self._seen())

    def act(self, action: str) -> Percept:
        """Do one action; of several readings of it the first counts, which costs a step more."""
        said, _, is_over, self._info = self._simulator.step(action)
        if said.casefold().startswith("ambiguous request"):
            said, _, is_over, self._info = self._simulator.step("0")
        refused = any(refusal in said.casefold() for refusal in _REFUSALS)
        return Percept(f"{said}\n\n{self._seen()}", not refused, is_over)

    def score(self) -> float:
        """The simulator's score, 0 to 1; a failed task, which it gives -100, counts as 0."""
        return max(0.0, float(self._info["score"]) / 100)

    def actions(self) -> list[str]:
        """The actions that the simulator calls valid now, some hundreds."""
        return list(self._info["valid"])

    def _seen(self) -> str:
        return f"{self._info['look']}\n\n{self._info['inv']}"


def goal_of(description: str) -> str:
    """Return the task as a goal: without its headline, and with “a” for “a(n)”."""
    told = description.partition(":")[2] if description.startswith("Task Description") else description
    return _QUOTED.sub(r"\1", _ARTICLE.sub("a", " ".join(told.split())))


def variations_of(simulator: Any, task: str) -> dict[str, list[int]]:
    """Return the official splits of a task."""
    simulator.load(task, 0, "")
    return {
        "train": simulator.get_variations_train(),
        "dev": simulator.get_variations_dev(),
        "test": simulator.get_variations_test(),
    }


class ScienceWorldWorld:
    """ScienceWorld among the worlds. Runs see its train and dev variations; nobody tunes rules on the test split."""

    name = "scienceworld"
    title = "ScienceWorld"
    about = "Science tasks in a house with ten rooms, a kitchen among them: melt, boil, grow, measure, find."
    is_simulation = True

    def missing(self) -> str:
        """The package, or Java."""
        absent = []
        if not is_installed():
            absent.append("the package scienceworld")
        if shutil.which("java") is None:
            absent.append("Java")
        if not absent:
            return ""
        said = "An operator installs what is missing with “make scienceworld”, on each machine with workers."
        return f"Missing: {' and '.join(absent)}. {said}"

    def tasks(self) -> Sequence[str]:
        """All tasks of the benchmark."""
        return tuple(_COUNTS)

    def variations(self, task: str) -> Mapping[str, Sequence[int]]:
        """Those of train and dev."""
        train, dev, _ = _COUNTS[task]
        return {"train": range(train), "dev": range(train, train + dev)}

    def rules(self) -> Sequence[RuleFile]:
        """The rules that the benchmark measures."""
        return shipped(self.name)

    @contextmanager
    def running(self) -> Iterator[Begin]:
        """Start the simulator. Raises WorldUnusable, EnvironmentFailure."""

        with simulator() as running:

            def begin(task: str, variation: int) -> ScienceWorld:
                if not 0 <= variation < sum(_COUNTS.get(task, (0, 0, 0))[:2]):
                    raise NoSuchVariation(f"ScienceWorld has no variation {variation} of “{task[:60]}” for runs.")
                begun: ScienceWorld = within(_BEGINS_S, ScienceWorld, running, task, variation)
                return begun

            yield begin


def is_installed() -> bool:
    """Whether the package is there; where it is in its own environment, it is found from now on."""
    if find_spec("scienceworld") is None:
        for packages in sorted(_ENVIRONMENT.glob("lib/python*/site-packages")):
            # Behind our own packages, so that none of ours is replaced.
            if str(packages) not in sys.path:
                sys.path.append(str(packages))
    return find_spec("scienceworld") is not None


@contextmanager
def simulator() -> Iterator[Any]:
    """A `ScienceWorldEnv`, which has ended when this is left. Raises WorldUnusable, EnvironmentFailure."""
    if not is_installed() or shutil.which("java") is None:
        raise WorldUnusable(ScienceWorldWorld().missing())
    if not _one.acquire(blocking=False):
        raise WorldBusy("ScienceWorld runs in this process already.")
    try:
        started = within(_BEGINS_S, _started)
        try:
            yield started
        finally:
            _end(started)
    finally:
        _one.release()


def _started() -> Any:
    from scienceworld import ScienceWorldEnv

    return ScienceWorldEnv("", envStepLimit=STEPS)


def _end(started: Any) -> None:
    """By its own means if they help, else by force: one that hangs must not stay."""
    process = started._gateway.java_process
    with contextlib.suppress(EnvironmentFailure):
        within(_ENDS_S, started.close)
    # Its destructor would write to a process that has ended.
    started.close = lambda: None
    try:
        process.wait(_ENDS_S)
    except Exception:  # subprocess.TimeoutExpired, or whatever a broken gateway raises
        logger.warning("ScienceWorld did not end and is ended by force")
        process.kill()
        # On a busy machine even that takes its time, and what was done with it is not lost for it.
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_BEGINS_S)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
