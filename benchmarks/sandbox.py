"""`make bench-sandbox`: what the sandbox costs, each figure beside its plain counterpart in one interleaved run.

Prints medians with their range and the number of measurements. Judges nothing: machines differ, and a neighbour's
load is no fault. The figures to reach stand beside the measured ones.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.contract import Request, SandboxError, SessionState
from sandbox.jail import bubblewrap, interpreter, seccomp
from sandbox.jail.published import publish
from sandbox.places import templates_folder
from sandbox.sessions.session import Session, open_session
from sandbox.store.snapshots import SnapshotStore

_FILES = 2000
_CHANGED = 20
_VENV = ".venv"
_RUN = Request("run", {"command_line": "true"})
_BARE = ["/bin/true"]
_CONTENT = "a line of text\n" * 64


@dataclass
class Pair:
    """One figure: what is measured, beside what, and the aim for their difference (or for itself), in milliseconds."""

    name: str
    ours: Callable[[], object]
    plain: Callable[[], object] | None
    plain_name: str
    aim: str
    tidy: Callable[[], object] = lambda: None  # after each measurement, unmeasured
    ours_ms: list[float] = field(default_factory=list)
    plain_ms: list[float] = field(default_factory=list)

    def measure(self) -> None:
        """One measurement of each, in turns, so that a slow moment of the machine meets both."""
        self.ours_ms.append(_timed_ms(self.ours))
        self.tidy()
        if self.plain is not None:
            self.plain_ms.append(_timed_ms(self.plain))

    def lines(self) -> list[str]:
        if not self.plain_ms:
            return [f"{self.name:<34} {_spread(self.ours_ms)}   aim {self.aim}"]
        above = statistics.median(self.ours_ms) - statistics.median(self.plain_ms)
        return [
            f"{self.name:<34} {_spread(self.ours_ms)}",
            f"  {self.plain_name:<32} {_spread(self.plain_ms)}",
            f"  {'above it':<32} {above:8.2f} ms{'':<31}   aim {self.aim}",
        ]


def _timed_ms(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def _spread(values: list[float]) -> str:
    range_ms = f"({min(values):.2f} to {max(values):.2f}, n={len(values)})"
    return f"{statistics.median(values):8.2f} ms {range_ms:<31}"


class Bench:
    """The folders and sessions that are measured in."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self.root, self.plain = place / "workspace", place / "plain"
        self.root.mkdir()
        self.plain.mkdir()
        self._store = SnapshotStore(place / "store")
        self._large = place / "large"
        self._digest = self._fill()
        self._round = 0
        self._started = ExitStack()

    def start(self) -> None:
        self._started.enter_context(open_session(self.root, SessionState()))

    def end(self) -> None:
        self._started.close()

    def start_run_end(self) -> None:
        with open_session(self.root, SessionState()) as session:
            _succeed(session, _RUN)

    def bubblewrap_alone(self) -> None:
        """The same walls around the same program, and nobody within who watches or ends it: the least a jail costs."""
        files = {name: _held(content) for name, content in bubblewrap.etc_files().items()}
        filter_file, python = _held(seccomp.program()), interpreter.choose()
        try:
            bound = bubblewrap.binds(self.root, publish(), templates_folder(), python)
            words = bubblewrap.arguments(bound, filter_file, files, 0, python)
            words = [each.removeprefix(bubblewrap.STAGED) for each in words[: words.index("--")]]
            line = [str(bubblewrap.find()), *words, "--", *_BARE]
            subprocess.run(line, pass_fds=(filter_file, *files.values()), capture_output=True, check=True, env={})
        finally:
            for descriptor in (filter_file, *files.values()):
                os.close(descriptor)

    def remove_environment(self) -> None:
        shutil.rmtree(self.root / _VENV)

    def bare(self) -> None:
        subprocess.run(_BARE, capture_output=True, cwd=self.plain, check=True)

    def write_plain(self) -> None:
        """As whole as the command's: beside the file, then renamed."""
        (self.plain / "new").write_text(_CONTENT)
        (self.plain / "new").rename(self.plain / "file")

    def read_plain(self) -> None:
        (self.plain / "file").read_text()

    def list_plain(self) -> None:
        with os.scandir(self.plain) as entries:
            sorted((entry.name, entry.stat(follow_symlinks=False).st_size) for entry in entries)

    def little_changed(self) -> None:
        """A snapshot of the large folder after a few of its files were written, and what changed."""
        snapshot = self._store.take(self._large, self._digest)
        changes = self._store.diff(self._digest, snapshot.digest)
        if len(changes) != _CHANGED:
            raise SandboxError(f"{len(changes)} files changed, not {_CHANGED}")
        self._digest = snapshot.digest

    def change_a_little(self) -> None:
        self._round += 1
        for number in range(_CHANGED):
            _file(self._large, number * (_FILES // _CHANGED)).write_text(f"round {self._round}\n{_CONTENT}")

    def _fill(self) -> str:
        for number in range(_FILES):
            path = _file(self._large, number)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{number}\n{_CONTENT}")
        first = self._store.take(self._large).digest
        time.sleep(0.2)  # stamps this young are not trusted, and every later look would read all files again
        return self._store.take(self._large, first).digest


def _held(content: bytes) -> int:
    descriptor = os.memfd_create("bench")
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _file(folder: Path, number: int) -> Path:
    return folder / f"folder{number % 40}" / f"file{number}"


def _succeed(session: Session, request: Request) -> None:
    result = session.execute(request)
    if not result.ok:
        raise SandboxError(result.reason)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures what the sandbox costs.")
    parser.add_argument("--rounds", type=int, default=40, help="measurements of each figure (default 40)")
    rounds = parser.parse_args().rounds
    place = Path(tempfile.mkdtemp(prefix="mindx-bench-"))
    try:
        bench = Bench(place)
        with open_session(bench.root, SessionState()) as session:
            pairs = _pairs(bench, session)
            for each in pairs:
                each.ours()  # the first of anything also loads it
                each.tidy()
            for _ in range(rounds):
                for each in pairs:
                    each.measure()
            after = _snapshots(bench, rounds)
        _say([line for each in [*pairs, after] for line in each.lines()], rounds)
    finally:
        with suppress(OSError):
            shutil.rmtree(place)


def _pairs(bench: Bench, session: Session) -> list[Pair]:
    write = Request("write", {"path": "file", "content": _CONTENT})
    read, listing = Request("read", {"path": "file"}), Request("ls")
    return [
        Pair("write a file", lambda: _succeed(session, write), bench.write_plain, "Python's own", "-"),
        Pair("read it", lambda: _succeed(session, read), bench.read_plain, "Python's own", "-"),
        Pair("list the folder", lambda: _succeed(session, listing), bench.list_plain, "Python's own", "-"),
        Pair(
            "a command in a session", lambda: _succeed(session, _RUN), bench.bare, "a bare subprocess", "2 ms or less"
        ),
        Pair(
            "create_venv",
            lambda: _succeed(session, Request("create_venv", {"venv_name": _VENV})),
            None,
            "",
            "1,000 ms or less",
            bench.remove_environment,
        ),
        Pair("the start of a session", bench.start, None, "", "50 ms or less", bench.end),
        Pair("bubblewrap alone, no session", bench.bubblewrap_alone, bench.bare, "a bare subprocess", "-"),
        Pair("a fresh jail for a command", bench.start_run_end, bench.bare, "a bare subprocess", "15 ms or less"),
    ]


def _snapshots(bench: Bench, rounds: int) -> Pair:
    name = f"snapshot and diff, {_FILES:,} files"
    pair = Pair(name, bench.little_changed, None, "", "50 ms or less", bench.change_a_little)
    bench.change_a_little()
    for _ in range(rounds):
        pair.measure()
    return pair


def _say(lines: list[str], rounds: int) -> None:
    head = f"The sandbox, {rounds} rounds in turns, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}"
    sys.stdout.write("\n".join([head, f"{'':<34}   median    (range, n)", *lines]) + "\n")


if __name__ == "__main__":
    main()
