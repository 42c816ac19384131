"""What a step would do, told before anything runs: each kind of consequence, with what a reader must know.

The forecast finds them, step by step; the review page tells them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from agents.bdi.plans.approved_models import Asked


@dataclass(frozen=True)
class Inside:
    """What lies directly in a folder that goes: itself, and how many files of today are below it."""

    path: str
    kind: str
    files: int
    size_bytes: int


@dataclass(frozen=True)
class Consequence:
    """Something a step would do. `position` is the step's; `unsure`: a program that runs before it may change this."""

    position: int
    cleanup: bool = False
    unsure: bool = False
    conditional: bool = False


Kind = TypeVar("Kind", bound=Consequence)


@dataclass(frozen=True)
class Removal(Consequence):
    """A file or folder goes. Files and sizes count what is there today; `made` counts paths of earlier steps."""

    path: str = ""
    kind: str = "missing"
    files: int = 0
    size_bytes: int = 0
    made: int = 0
    inside: tuple[Inside, ...] = ()
    origin: str = ""


@dataclass(frozen=True)
class Content:
    """What a file holds: the text an earlier step wrote, else what stands today at `origin` ("": nobody knows)."""

    origin: str = ""
    text: str | None = None


@dataclass(frozen=True)
class Transfer(Consequence):
    """A file, link or folder gets a new path (`moves`), or a copy there.

    Files and sizes count what it holds today. `may_replace`: a file that a program puts there before would go.
    """

    source: str = ""
    path: str = ""
    kind: str = "missing"
    files: int = 0
    size_bytes: int = 0
    moves: bool = True
    may_replace: bool = False


@dataclass(frozen=True)
class Overwriting(Consequence):
    """A file is lost because another one takes its path."""

    path: str = ""
    source: str = ""
    lost: Content = Content()
    comes: Content = Content()


@dataclass(frozen=True)
class Writing(Consequence):
    """A file gets this content, put behind what is there (`appends`) or applied to it as a diff (`patches`).

    `before` is what goes: "" nothing, "base" today's content, "step" an earlier step's. `origin` is where
    today's content stands today: an earlier step may have moved or copied it.
    """

    path: str = ""
    origin: str = ""
    content: str = ""
    before: str = ""
    before_text: str = ""
    appends: bool = False
    patches: bool = False


@dataclass(frozen=True)
class NewFolder(Consequence):
    """A folder is made."""

    path: str = ""


@dataclass(frozen=True)
class Environment(Consequence):
    """A Python virtual environment is made."""

    path: str = ""


@dataclass(frozen=True)
class Program(Consequence):
    """A program runs in the jail. What it reads, writes or removes in the workspace is unknown before it runs.

    `hosts` is all it may reach. `installs`: it is pip, and packages go into the environment. `lacks_index`: it is pip,
    and would ask the package index, which it may not reach.
    """

    command_line: str = ""
    folder: str = ""
    environment: str = ""
    hosts: tuple[str, ...] = ()
    installs: bool = False
    lacks_index: bool = False
    name: str = ""  # of one that lives on beside the next steps
    stopped: bool = True  # False: it ends with the plan, since no step stops it


@dataclass(frozen=True)
class ToolWork(Consequence):
    """A tool does its work by a program of its own, which may reach `hosts`.

    `changes_files`: it changes files of the workspace, and which is unknown before it runs.
    """

    folder: str = ""
    hosts: tuple[str, ...] = ()
    changes_files: bool = True


@dataclass(frozen=True)
class ToModel(Consequence):
    """A text goes to the language models that the plan names, and costs money; `path` is of the file, "" for another
    text. `asked` None: the document names none, so it would fail.
    """

    path: str = ""
    asked: Asked | None = None


@dataclass(frozen=True)
class AutonomousMode(Consequence):
    """The safety for removals is switched."""

    on: bool = False


@dataclass(frozen=True)
class WouldFail(Consequence):
    """As written, the step would be refused or fail, for this reason."""

    reason: str = ""


@dataclass(frozen=True)
class Unread(Consequence):
    """A command this reading does not know."""

    command: str = ""


@dataclass(frozen=True)
class Forecast:
    """All consequences by step, and the steps that only look or move about."""

    consequences: tuple[Consequence, ...]
    looks: tuple[int, ...]

    def of(self, kind: type[Kind]) -> tuple[Kind, ...]:
        """The consequences of one kind, in the order of the steps."""
        return tuple(found for found in self.consequences if isinstance(found, kind))
