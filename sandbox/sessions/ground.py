"""The base of a session's commands: its state, its limits, and its jail."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sandbox import commands
from sandbox.commands import Refusal
from sandbox.contract import Limits, SessionState
from sandbox.gate.plan import Plan
from sandbox.jail.cell import Cell
from sandbox.jail.inside.frames import BadFrame, Frame
from sandbox.places import templates_folder
from sandbox.sessions import started
from sandbox.sessions.undo import Undo

_ANSWER_S = 300.0


class Ground:
    """The base of one session. The first command that needs a jail starts one; one that ended is replaced so, too.
    Before that, `lay_out` fills the folder: nothing reads it without a jail.

    `was_asked`: whether a jail was used since it was last set to False. Nothing else in a session writes into its
    folder. `starting_s`: the total time that jails took to start.
    """

    def __init__(
        self,
        root: Path,
        state: SessionState,
        limits: Limits,
        level: str,
        plan: Plan | None,
        undo: Undo | None,
        lay_out: Callable[[], None],
    ) -> None:
        self.state, self.limits, self.level, self.plan, self.undo = state, limits, level, plan, undo
        self._root, self._lay_out = root, lay_out
        self._living: tuple[str, ...] = ()
        self.cell: Cell | None = None
        self.was_asked = False
        self.starting_s = 0.0

    @property
    def living(self) -> tuple[str, ...]:
        """The names of the started programs that had not ended when the last command was answered."""
        return self._living if self.cell is not None else ()

    def jail(self) -> Cell:
        """The jail, started if necessary."""
        self.was_asked = True
        if self.cell is None:
            started = time.monotonic()
            self._lay_out()
            self.cell = self._new_cell()
            self.starting_s += time.monotonic() - started
        return self.cell

    def _new_cell(self) -> Cell:
        return Cell(self._root.resolve(strict=True), templates_folder(), self.limits, self.level, self.plan)

    def ask(self, message: dict[str, Any], body: bytes = b"") -> Frame:
        """The helper's answer. Raises Refusal if it refuses, CellEnded, BadFrame, TimeoutError."""
        cell = self.jail()
        cell.send({"watch_deletions": not self.state.autonomous, **message}, body)
        return self.answer(cell.receive(time.monotonic() + _ANSWER_S))

    def answer(self, frame: Frame) -> Frame:
        """A final frame without its wire fields. Raises Refusal if it contains one, BadFrame."""
        self._living = started.living(frame[0].pop("living", []))
        message, body = frame
        if message.pop("end", None) is not True:
            raise BadFrame("an answer out of turn")
        if "error_class" in message:
            raise Refusal(str(message["error_class"]), str(message.get("reason", "")))
        return message, body

    def place(self, path: str) -> str:
        """`path` as it was typed, relative to the workspace's root. Raises Refusal when it leads outside."""
        commands.encoded("path", path, commands.MAX_PATH_BYTES)
        return commands.place(self.state.cwd, path)

    def check_programs(self, why: str) -> None:
        """Raises Refusal, which says `why` the command needs programs, if the jail may run none."""
        if self.level == "L1":
            raise Refusal("PERMISSION_ERROR", f"{why}, and this session is of level L1: file commands only")

    def close(self) -> str:
        """Ends everything in the jail; returns the jail's own last message (usually "")."""
        if self.cell is None:
            return ""
        report = self.cell.end()
        self.cell = None
        return report.said
