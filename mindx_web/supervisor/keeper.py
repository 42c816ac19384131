"""Keeps one part alive: starts it, waits until it is ready, starts it again when it ends, stops it when told."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import time
from pathlib import Path

from .part import Part

logger = logging.getLogger(__name__)

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 30.0
STEADY_S = 30.0  # a part that ran this long starts its pauses anew
POLL_S = 0.2
LONGEST_LOG_BYTES = 10 * 1024 * 1024
TRIES_AT_START = 3


class PartFailed(Exception):
    """A part did not become ready at the start of mindX; the message holds the end of its log."""


class Keeper:
    """Watches over one part from `start` to `stop`."""

    def __init__(self, part: Part, log_folder: Path) -> None:
        self.part = part
        self.log_path = log_folder / f"{part.name}.log"
        self._process: asyncio.subprocess.Process | None = None
        self._stopping = asyncio.Event()
        self._first_ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task: asyncio.Task[None] | None = None

    @property
    def has_been_ready(self) -> bool:
        """Whether the part became ready since `start`."""
        return self._first_ready.done()

    async def start(self, *, within_s: float) -> None:
        """Start the part and come back when it is ready. Raises PartFailed; the caller stops it then too."""
        self._turn_log()
        self._task = asyncio.create_task(self._keep(), name=f"keeper of {self.part.name}")
        try:
            await asyncio.wait_for(asyncio.shield(self._first_ready), within_s)
        except TimeoutError as error:
            told = f"{self.part.name} did not answer within {within_s:g} s.{end_of(self.log_path)}"
            raise PartFailed(told) from error

    async def stop(self) -> None:
        """Ask the part to end, kill it when it does not, and leave nothing of its process group."""
        self._stopping.set()
        if self._task is None:
            return
        process = self._process
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(self.part.stop_signal)
        done, _ = await asyncio.wait({self._task}, timeout=self.part.grace_s)
        if not done:
            logger.warning("%s did not stop within %g s and is killed", self.part.name, self.part.grace_s)
            self._kill_group()
            await asyncio.wait({self._task}, timeout=5)
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    async def _keep(self) -> None:
        pause_s, tries = FIRST_PAUSE_S, 0
        while not self._stopping.is_set():
            began, tries = time.monotonic(), tries + 1
            try:
                how = await self._live()
            except Exception as error:  # the edge of the loop: a start that fails is a part that ended
                logger.exception("%s could not be started", self.part.name)
                how = str(error)
            if self._stopping.is_set():
                return
            if not self._first_ready.done() and tries >= TRIES_AT_START:
                self._first_ready.set_exception(PartFailed(f"{self.part.name} {how}.{end_of(self.log_path)}"))
                return
            if time.monotonic() - began > STEADY_S:
                pause_s = FIRST_PAUSE_S
            logger.warning("%s %s; starting it again in %.1f s", self.part.name, how, pause_s)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), pause_s)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    async def _live(self) -> str:
        """One life of the part, from its start to its end; says how it ended."""
        await asyncio.to_thread(self.part.prepare)
        if self._stopping.is_set():
            return "was not needed any more"
        began = time.monotonic()
        with self.log_path.open("ab") as log:
            self._process = process = await asyncio.create_subprocess_exec(
                *self.part.argv(),
                env=self.part.environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C reaches us alone; we stop the parts in order
            )
        ended = asyncio.create_task(process.wait())
        while not ended.done():
            if await self.part.ready():
                logger.info("%s is ready after %.1f s", self.part.name, time.monotonic() - began)
                if not self._first_ready.done():
                    self._first_ready.set_result(None)
                break
            await asyncio.wait({ended}, timeout=POLL_S)
        code = await ended
        self._kill_group()
        return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"

    def _kill_group(self) -> None:
        """Children that outlived the part are in its group still, so its number is not anyone else's yet."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def _turn_log(self) -> None:
        if self.log_path.exists() and self.log_path.stat().st_size > LONGEST_LOG_BYTES:
            self.log_path.rename(self.log_path.with_suffix(".log.1"))


def end_of(log: Path) -> str:
    """The last lines of a log and where the rest is, ready to stand behind a sentence."""
    lines = log.read_text(errors="replace").splitlines()[-15:] if log.exists() else []
    return "".join(f"\n    {line}" for line in lines) + f"\n  The whole log: {log}"
