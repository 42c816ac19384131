"""A thread beside a running claim: keeps the lease alive, notices cancellation, and writes output as it comes."""

from __future__ import annotations

import logging
import os
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Self

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection

from agents.record import draining, logs
from agents.record.logs import NewLine

logger = logging.getLogger(__name__)

BEAT_S = 0.1
# What a program says is written this long after its first word: soon enough for who looks on, and in few transactions.
GATHER_S = 0.02
CHECK_S = 1.0
LINE_BYTES = 8 * 1024
BATCH = 500
# A claim gets its thread between one and two of these after it began, or with the first word of a program.
ALONE_S = 0.05
# There is one companion for each claim of this process, and none may wait for another to end: the lease would run out.
_AT_ONCE = 1_000


class _Attendants:
    """Gives claims their threads. One that is over within a moment gets none: a thread that comes and goes takes the
    interpreter from the worker several times, which costs a plan of quick steps as much as three of them.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._alone: set[Companion] = set()
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="companion")
        self._wanted = threading.Event()
        self._is_looking = False
        self._looks: threading.Thread | None = None

    def expect(self, companion: Companion) -> None:
        """A claim has begun."""
        with self._lock:
            self._alone.add(companion)
            if self._looks is None:
                self._looks = threading.Thread(target=self._look, name="companions", daemon=True)
                self._looks.start()
            if not self._is_looking:
                self._is_looking = True
                self._wanted.set()

    def begin(self, companion: Companion) -> None:
        """It is needed now, unless its claim has ended meanwhile."""
        with self._lock:
            if companion in self._alone:
                companion.begin_in(self._threads)
                self._alone.remove(companion)

    def end(self, companion: Companion) -> None:
        """The claim is over: what has no thread gets none any more."""
        with self._lock:
            self._alone.discard(companion)

    def _look(self) -> None:
        """Begin those that are there for the second time; between claims nobody looks."""
        while True:
            self._wanted.wait()
            self._wanted.clear()
            seen: set[Companion] = set()
            while self._is_looking:
                time.sleep(ALONE_S)
                with self._lock:
                    due, seen = self._alone & seen, set(self._alone)
                    self._is_looking = bool(seen)
                for companion in due:
                    try:
                        self.begin(companion)
                    except RuntimeError:  # no thread to be had: it is there the next time as well
                        logger.exception("The claim of goal %s has no companion yet", companion.goal_id)


def _new_attendants() -> None:
    """No thread comes along into a forked process."""
    global _attendants
    _attendants = _Attendants()


_attendants: _Attendants
_new_attendants()
os.register_at_fork(after_in_child=_new_attendants)


class Companion:
    """Runs while a worker holds a claim.

    `stop_work` is set when the running step must end: `lost` says the lease is gone (nothing may be recorded),
    `cancelled` that a person wants it to stop, `interrupted` that this worker is told to, `out_of_time` that the plan's
    time is over (`deadline`). `renew` extends the claim's lease and says whether it still is ours; `is_cancelled` asks
    the table. Both are called in this thread, with its own connection. `before_writing` is called before lines are
    written and at each beat, in whatever thread does it, with whether it may wait: not in this one, for the lease must
    be renewed meanwhile. Where it says no, the lines come with a later beat.
    """

    def __init__(
        self,
        goal_id: int,
        *,
        renew: Callable[[], bool],
        is_cancelled: Callable[[], bool],
        before_writing: Callable[[bool], bool] = lambda wait: True,
    ) -> None:
        self.goal_id = goal_id
        self._renew = renew
        self._before_writing = before_writing
        self._is_cancelled = is_cancelled
        self.stop_work = threading.Event()
        self.lost = False
        self.cancelled = False
        self.interrupted = False
        self.out_of_time = False
        # The moment of the monotonic clock at which the plan's time is over; None: it has none.
        self.deadline: float | None = None
        self._lines: queue.Queue[NewLine] = queue.Queue()
        self._partial: dict[str, bytes] = {}
        self._unwritten: list[NewLine] = []
        self._lines_taken = self._bytes_taken = 0
        self._lines_left_out = self._bytes_left_out = 0
        self._done = threading.Event()
        self._has_lines = threading.Event()
        self._writing = threading.Lock()
        self._renew_every_s = max(0.2, float(settings.LEASE_S) / 4)
        self._running: Future[None] | None = None

    def __enter__(self) -> Self:
        _attendants.expect(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _attendants.end(self)
        self._done.set()
        self._has_lines.set()
        if self._running is not None and (broken := self._running.exception()) is not None:
            logger.error("The companion of goal %s ended early", self.goal_id, exc_info=broken)

    def begin_in(self, threads: ThreadPoolExecutor) -> None:
        """Begin to run beside the claim. The first beat comes at once."""
        self._has_lines.set()
        self._running = threads.submit(self._run)

    # -- called by the worker ---------------------------------------------------------------------------------
    def new_attempt(self) -> None:
        """Forget what is left of the last attempt's output."""
        self._partial.clear()
        self._lines_taken = self._bytes_taken = 0
        self._lines_left_out = self._bytes_left_out = 0

    def output(self, stream: str, data: bytes) -> None:
        """Take raw bytes of stdout or stderr; whole lines are queued, a rest waits for its end.

        What one try may put into the log is bounded, and so is what waits here while the database is away. Of what
        comes after that only the amount is kept.
        """
        if self._is_full and not self._partial.get(stream):
            self._leave_out(data)
            return
        *lines, rest = (self._partial.get(stream, b"") + data).split(b"\n")
        if len(rest) > LINE_BYTES:
            lines, rest = [*lines, rest], b""
        self._partial[stream] = rest
        for line in lines:
            self._queue(stream, line)

    def say(self, line: NewLine) -> None:
        """Take a line as it is, to be written in its turn. How many come is for the caller to bound."""
        self._lines.put(line)

    def drain(self) -> list[NewLine]:
        """The lines that still wait when a program has ended, unfinished ones included, for the caller to write.

        At most a batch: what is more is written here, before it.
        """
        for stream, rest in self._partial.items():
            if rest:
                self._queue(stream, rest)
        self._partial.clear()
        self._say_what_is_missing()
        with self._writing:
            while self._unwritten or self._lines.qsize() > BATCH:
                self._write_batch(wait=True)
            return self._take()

    @property
    def _is_full(self) -> bool:
        return self._lines_taken >= settings.STEP_LOG_LINES or self._bytes_taken >= settings.STEP_LOG_BYTES

    def _leave_out(self, data: bytes) -> None:
        self._lines_left_out += data.count(b"\n")
        self._bytes_left_out += len(data)

    def _queue(self, stream: str, line: bytes) -> None:
        if self._is_full:
            self._leave_out(line + b"\n")
            return
        self._lines_taken += 1
        self._bytes_taken += min(len(line), LINE_BYTES)
        text = line[:LINE_BYTES].decode(errors="replace").rstrip("\r")
        if len(line) > LINE_BYTES:
            text += f" … {len(line) - LINE_BYTES:,} more bytes of this line were left out"
        self._lines.put(NewLine(stream, "execute", text))
        self._has_lines.set()
        if self._running is None:
            _attendants.begin(self)

    def _say_what_is_missing(self) -> None:
        if self._bytes_left_out:
            text = (
                f"left out of the log: {self._lines_left_out:,} more lines, {self._bytes_left_out:,} bytes, after"
                f" {self._lines_taken:,} lines; the end of the output is in the step's result"
            )
            self._lines.put(NewLine("worker", "execute", text, "warning"))
            self._lines_left_out = self._bytes_left_out = 0

    def without_deadline(self) -> None:
        """What runs from here on (the clean-up) has only its own limits."""
        self.deadline, self.out_of_time = None, False
        if not (self.lost or self.cancelled or self.interrupted):
            self.stop_work.clear()

    # -- the thread -------------------------------------------------------------------------------------------
    def _run(self) -> None:
        """Beat until the claim ends. A database that is away is tried again; the lease decides who was right."""
        next_renewal = time.monotonic() + self._renew_every_s
        next_check = time.monotonic() + CHECK_S
        answers = True
        try:
            while not self._is_done():
                try:
                    now = time.monotonic()
                    self._check_time(now)
                    if now >= next_renewal:
                        next_renewal = now + self._renew_every_s
                        if not self._renew():
                            self.lost = True
                            self.stop_work.set()
                    if now >= next_check:
                        next_check = now + CHECK_S
                        self._check_cancel()
                        answers = True
                    if self._before_writing(False):
                        self._flush(until=min(next_renewal, next_check))
                except (DatabaseError, InterfaceError):
                    if answers:  # once an outage, not at every beat
                        logger.warning("The database did not answer; trying again.", exc_info=True)
                    answers = False
                    connection.close()
        finally:
            connection.close()

    def _is_done(self) -> bool:
        """Wait for the next beat, or for what a program says and a moment longer; whether the claim has ended."""
        if self._has_lines.wait(BEAT_S):
            self._has_lines.clear()
            return self._done.wait(GATHER_S)
        return self._done.is_set()

    def _check_time(self, now: float) -> None:
        """The worker was told to end what runs, or the plan's time is over."""
        self.interrupted = self.interrupted or draining.is_urgent()
        self.out_of_time = self.out_of_time or (self.deadline is not None and now >= self.deadline)
        if self.interrupted or self.out_of_time:
            self.stop_work.set()

    def _check_cancel(self) -> None:
        if not self.cancelled and self._is_cancelled():
            self.cancelled = True
            self.stop_work.set()

    def _flush(self, until: float) -> None:
        """Write what waits, and leave the rest of a flood for the next beat: the lease and a cancel do not wait for it.

        Both threads write; the lock keeps lines in the order in which they came. While the other has it, it writes.
        """
        if not self._writing.acquire(blocking=False):
            return
        try:
            while (self._unwritten or not self._lines.empty()) and time.monotonic() < until:
                if not self._write_batch(wait=False):
                    return
        finally:
            self._writing.release()

    def _write_batch(self, *, wait: bool) -> bool:
        # Kept until they are stored, so that a database that is away loses nothing.
        self._unwritten = self._unwritten or self._take()
        if not self._before_writing(wait):
            return False
        logs.write(self.goal_id, self._unwritten)
        self._unwritten = []
        return True

    def _take(self) -> list[NewLine]:
        lines: list[NewLine] = []
        while len(lines) < BATCH:
            try:
                lines.append(self._lines.get_nowait())
            except queue.Empty:
                break
        return lines
