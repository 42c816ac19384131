"""`python -m sandbox` in a real terminal: what a person types, and what the screen shows of it."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
# What the line editor itself says to the terminal: where the cursor is, and how a paste is marked.
_EDITING = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x07")


class Screen:
    """The master's end of the terminal. Each wait takes up where the last one ended."""

    def __init__(self, master: int, pid: int) -> None:
        self.pid = pid
        self.raw = b""
        self._master = master
        self._at = 0

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def wait_for(self, words: str, within_s: float = 30) -> str:
        """Everything new up to these words and with them."""
        until = time.monotonic() + within_s
        while True:
            found = self.text.find(words, self._at)
            if found >= 0:
                start, self._at = self._at, found + len(words)
                return self.text[start : self._at]
            assert self._read(until), f"{words!r} did not come; the screen shows {self.text[self._at :]!r}"

    def press_until(self, key: str, words: str) -> str:
        """Press the key, again when nothing comes of it, as a person does: everything new up to these words.

        Python's own prompt misses an interrupt that falls between its last look for one and its wait for a key.
        """
        for _ in range(10):
            self.type(key)
            try:
                return self.wait_for(words, within_s=3)
            except AssertionError:
                continue
        raise AssertionError(f"{words!r} did not come after ten times; the screen shows {self.text[self._at :]!r}")

    def end(self) -> int:
        """The exit code, when everything was shown."""
        until = time.monotonic() + 30
        while self._read(until):
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    @property
    def text(self) -> str:
        return _EDITING.sub("", self.raw.decode(errors="replace")).replace("\r", "")

    def _read(self, until: float) -> bool:
        if not select.select([self._master], [], [], max(0.0, until - time.monotonic()))[0]:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # the other end is closed
            return False
        self.raw += data
        return bool(data)


@contextmanager
def opened(root: Path, data: Path, *words: str, **environment: str) -> Iterator[Screen]:
    """A terminal with a session over `root`, with its history and all else that it keeps under `data`."""
    pid, master = pty.fork()
    if pid == 0:
        os.chdir(REPOSITORY)
        own = os.environ | {"TERM": "xterm", "MINDX_DATA": str(data), **environment}
        os.execve(sys.executable, [sys.executable, "-m", "sandbox", "--root", str(root), *words], own)
    screen = Screen(master, pid)
    try:
        yield screen
    finally:
        os.close(master)
        try:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
