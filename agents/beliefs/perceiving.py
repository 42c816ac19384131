"""Looking at the workspace, the tools and the machine, so that the pure core can say it in sentences."""

from __future__ import annotations

import logging
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from django.utils import timezone

from agents.actors.models_in_use import models_of
from agents.bdi.beliefs import perception
from agents.bdi.beliefs.denial import Correction
from agents.bdi.beliefs.perception import Entry, World
from agents.beliefs import belief_rows
from agents.models import Goal, Workspace
from agents.toolkit.registry import tools_in_use
from agents.toolkit.types import Belief
from agents.workspaces.stores import store
from sandbox.command_line import PROGRAMS
from sandbox.contract import DEFAULT_LIMITS, SandboxError
from sandbox.jail import interpreter, probe

logger = logging.getLogger(__name__)

# What a workspace may hold at most: then nothing is left out, and what is absent can be said to be absent.
ENTRIES_MAX = DEFAULT_LIMITS.workspace_files
# The folders of programs that every jail sees.
_JAIL_PATH = "/usr/bin:/bin"


@dataclass(frozen=True)
class Place:
    """Where it is looked from: a snapshot of the files, and how the session stands."""

    head: str
    folder: str = ""
    venv: str | None = None
    autonomous: bool = False


@dataclass(frozen=True)
class Words:
    """What people have told an agent about a goal, and when the first of it ends."""

    told: tuple[Belief, ...]
    corrections: tuple[Correction, ...]
    until: datetime | None

    def expires(self, now: datetime) -> bool:
        """Whether some of it is over by now."""
        return self.until is not None and self.until <= now


def words_about(goal: Goal) -> Words:
    """What is held on people's word about the goal at this moment."""
    told, corrections, ends = [], [], []
    for row in belief_rows.told(goal):
        if row.denies:
            corrections.append(Correction(row.denies, row.belief))
        else:
            told.append(row.belief)
        if row.expires_at is not None:
            ends.append(row.expires_at)
    return Words(tuple(told), tuple(corrections), min(ends, default=None))


def perceive(goal: Goal, at: Place | None = None, words: Words | None = None) -> list[Belief]:
    """What is so now, for planning this goal, with what people have told the agent about it.

    `at`: between two steps of its plan, as the session and the files are then. `words`: what was told, where it is
    known already.
    """
    words = words or words_about(goal)
    return of_workspace(
        goal.workspace,
        about=goal.text,
        told=words.told,
        corrections=words.corrections,
        has_model=bool(models_of(goal.agent)),
        at=at,
    )


def of_workspace(
    workspace: Workspace,
    *,
    about: str = "",
    told: Sequence[Belief] = (),
    corrections: Sequence[Correction] = (),
    has_model: bool = False,
    at: Place | None = None,
) -> list[Belief]:
    """What is so in a workspace; names in the text `about` are looked up on their own."""
    at = at or Place(workspace.head)
    entries = store().entries(at.head)
    world = World(
        entries=tuple(
            Entry(entry.path.decode(errors="replace"), entry.kind, entry.size) for entry in entries[:ENTRIES_MAX]
        ),
        complete=len(entries) <= ENTRIES_MAX,
        folder=at.folder,
        venv=at.venv,
        autonomous=at.autonomous,
        python_version=python_version(),
        sandbox_level=_level(),
        programs=programs(),
        tools=tuple(tool.label for tool in tools_in_use().tools),
        has_model=has_model,
        told=tuple(told),
        corrections=tuple(corrections),
        about=about,
        now=timezone.now().isoformat(),
    )
    return perception.perceive(world)


@cache
def programs() -> tuple[str, ...]:
    """The allowed programs that this machine really has where the jail looks for them."""
    return tuple(sorted(name for name in PROGRAMS if shutil.which(name, path=_JAIL_PATH)))


@cache
def python_version() -> str:
    """The version of the jail's Python, such as 3.11.2; empty when it does not answer."""
    program = interpreter.choose().program
    try:
        said = subprocess.run(
            [program, "-I", "-c", "import platform; print(platform.python_version())"],
            capture_output=True,
            text=True,
            timeout=10,
            env={"PATH": _JAIL_PATH},
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        logger.warning("The jail's Python at %s does not answer.", program, exc_info=True)
        return ""
    return said.stdout.strip()


def _level() -> str:
    try:
        return probe.level().name
    except SandboxError:
        logger.warning("The sandbox could not be tried.", exc_info=True)
        return ""
