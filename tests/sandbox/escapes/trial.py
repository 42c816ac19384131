"""Making attempts, outside and in a jail, and reading how they went."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from unittest import mock

from sandbox.contract import Limits, Request, Result, SessionState
from sandbox.sessions.session import Session, open_session
from tests.sandbox.escapes.attempts import ROWS
from tests.sandbox.escapes.attempts.row import ENDS, HELD, SEEN, Place, Row

MIB = 1 << 20
MARKER = "marker-of-the-worker-5d1c"
SECRET = "the host's secret"
OUTSIDE_PATIENCE_S = 0.6
TIGHT = Limits(
    memory_bytes=64 * MIB,
    processes=24,
    descriptors=64,
    file_bytes=4 * MIB,
    workspace_bytes=12 * MIB,
    workspace_files=300,
    output_file_bytes=MIB,
)
_INHERITED = 97
# Against the time limit, and against the helper, who cannot answer once it is stopped.
_TIMES_S = {"time": 0.8, "parent": 2}
_LINE = re.compile(r"^(STARTED|CONTROL|LAME|THROUGH|STOPPED) (\d+) ?(.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Outcome:
    """How one row went: `words` are its lines, `planted` whether the host has the file that it wanted to write."""

    words: frozenset[str]
    said: str
    planted: bool

    @property
    def started(self) -> bool:
        return "STARTED" in self.words

    @property
    def can_do_what_is_allowed(self) -> bool:
        return "CONTROL" in self.words

    @property
    def has_ended(self) -> bool:
        """Whether it got as far as an answer, instead of taking the whole jail along."""
        return bool(self.words & {"THROUGH", "STOPPED"})

    @property
    def through(self) -> bool:
        return "THROUGH" in self.words or self.planted


@contextmanager
def host(folder: Path) -> Iterator[Place]:
    """A host with something to want: a secret, a process that holds it, servers, sockets, a terminal."""
    home = folder / "home"
    for each in (home, folder / "planted"):
        each.mkdir(parents=True)
    secret = home / "credentials"
    secret.write_text(SECRET)
    with ExitStack() as stack:
        stack.enter_context(mock.patch.dict(os.environ, {"MINDX_ESCAPES": MARKER, "HOME": str(home)}))
        peer = stack.enter_context(
            subprocess.Popen(["/bin/sleep", "600"], stdin=secret.open(), cwd=home, env={"SECRET": MARKER})
        )
        stack.callback(peer.kill)
        unix = str(folder / "socket")
        for address in (unix, "\0" + unix):
            plug = stack.enter_context(socket.socket(socket.AF_UNIX))
            plug.bind(address)
            plug.listen()
        master, terminal = os.openpty()
        stack.callback(os.close, master)
        stack.callback(os.close, terminal)
        yield Place(
            secret=str(secret),
            outside=str(folder / "planted"),
            marker=MARKER,
            peer=peer.pid,
            port=_port(stack, "127.0.0.1"),
            port_any=_port(stack, "0.0.0.0"),
            port_v6=_port(stack, "::1"),
            address=_own_address(),
            socket=unix,
            terminal=os.ttyname(terminal),
            guard=0,
            patience_s=OUTSIDE_PATIENCE_S,
        )


def _port(stack: ExitStack, address: str) -> int:
    """The port of a server at `address`; 0 where this machine has no such address."""
    try:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        server = stack.enter_context(socket.create_server((address, 0), family=family))
    except OSError:
        return 0
    port: int = server.getsockname()[1]
    return port


def _own_address() -> str:
    """This machine's address in its network, found without sending anything; "" where there is none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(("192.0.2.1", 9))
        except OSError:
            return ""
        address: str = asking.getsockname()[0]
        return address


def prepare(folder: Path, place: Place) -> None:
    """Puts the attempts into a folder, with what they have to know."""
    shutil.copytree(Path(__file__).parent / "attempts", folder / "attempts", ignore=shutil.ignore_patterns("*.pyc"))
    (folder / "facts.json").write_text(json.dumps(asdict(place)))


def outside(folder: Path, place: Place, rows: Iterable[int]) -> dict[int, Outcome]:
    """Makes attempts in a folder without any jail."""
    prepare(folder, place)
    with open(os.devnull) as extra:
        inherited = os.dup2(extra.fileno(), _INHERITED)
        try:
            done = subprocess.run(
                [sys.executable, "-m", "attempts", "facts.json", "all", *map(str, rows)],
                cwd=folder, capture_output=True, text=True, timeout=120, pass_fds=(inherited,), check=False,
            )  # fmt: skip
        finally:
            os.close(inherited)
    assert done.returncode == 0, done.stderr[-2000:]
    return outcomes(done.stdout, place)


def inside(place: Place, level: str) -> Place:
    """What is different for an attempt in a jail: process 1 watches, and the time limit shall come first."""
    return replace(place, guard=1, patience_s=15, level=level)


def outcomes(text: str, place: Place) -> dict[int, Outcome]:
    found: dict[int, list[tuple[str, str]]] = {}
    for word, number, said in _LINE.findall(text):
        found.setdefault(int(number), []).append((word, said))
    return {
        number: Outcome(
            frozenset(word for word, _ in lines),
            "; ".join(said for _, said in lines if said),
            os.path.lexists(f"{place.outside}/{number}"),
        )
        for number, lines in found.items()
    }


class Jail:
    """A session over a folder with the attempts in it."""

    def __init__(self, session: Session, root: Path, place: Place) -> None:
        self.session = session
        self.root = root
        self._place = place

    def together(self, rows: Iterable[int]) -> dict[int, Outcome]:
        """Many attempts in one command, each in a process of its own."""
        result = self._run(f"all {' '.join(map(str, rows))}", 120)
        return outcomes(str(result.data.get("stdout")), self._place)

    def alone(self, number: int) -> tuple[Outcome, Result]:
        """One attempt as a command of its own, and its later look as another."""
        row: Row = ROWS[number]
        result = self._run(f"first {number}", _TIMES_S.get(row.kind, 20))
        text = str(result.data.get("stdout"))
        if row.later is not None:
            text += str(self._run(f"later {number}", 20).data.get("stdout"))
        shutil.rmtree(self.root / "rows", ignore_errors=True)
        return outcomes(text, self._place).get(number, Outcome(frozenset(), text, False)), result

    def _run(self, words: str, timeout_s: float) -> Result:
        line = f"python -m attempts facts.json {words}"
        return self.session.execute(Request("run", {"command_line": line, "timeout_s": timeout_s}))


@contextmanager
def jail(root: Path, place: Place, limits: Limits = Limits(), level: str = "L3") -> Iterator[Jail]:  # noqa: B008
    root.mkdir()
    prepare(root, inside(place, level))
    with open_session(root, SessionState(autonomous=True), limits, minimum=level) as session:
        yield Jail(session, root, inside(place, level))


@dataclass(frozen=True)
class Tried:
    """A row outside and in a jail: how both went, and what the session said of a row that had a command to itself."""

    bare: Outcome
    held: Outcome
    limit: str | None = None
    reason: str = ""

    @classmethod
    def from_json(cls, told: dict[str, Any]) -> Tried:
        bare, held = (Outcome(**each | {"words": frozenset(each["words"])}) for each in (told["bare"], told["held"]))
        return cls(bare, held, told["limit"], told["reason"])

    def to_json(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(json.dumps(asdict(self), default=sorted))
        return told


def without_a_jail(folder: Path, wanted: Iterable[int] | None = None) -> dict[int, Outcome]:
    """Makes attempts (all, unless some are named) where nothing holds them, below a folder of their own."""
    (folder / "outside").mkdir(parents=True)
    with host(folder / "host") as place:
        return outside(folder / "outside", place, range(len(ROWS)) if wanted is None else wanted)


def tries(folder: Path, level: str, bare: Mapping[int, Outcome]) -> dict[int, Tried]:
    """Makes the attempts that were made outside in jails of `level` too, below a folder anybody can pass."""
    # Who ends the helper would take the others along.
    apart = {number for number in bare if ROWS[number].alone or ROWS[number].expect.get(level) == ENDS}
    nothing = Outcome(frozenset(), "", False)
    with host(folder / "host") as place:
        with jail(folder / "together", place, level=level) as there:
            held = there.together(number for number in bare if number not in apart)
        found = {number: Tried(bare[number], held.get(number, nothing)) for number in bare if number not in apart}
        with jail(folder / "tight", place, TIGHT, level) as there:
            for number in sorted(apart):
                outcome, result = there.alone(number)
                found[number] = Tried(bare[number], outcome, result.limit, result.reason)
    return found


def unproved(row: Row, tried: Tried, is_root: bool) -> bool:
    """Whether the row needs something outside that this machine or user does not have, and so counts for nothing."""
    return bool(row.needs) and not tried.bare.through and not (row.needs == "root" and is_root)


def fault(row: Row, tried: Tried, level: str) -> str:
    """What went otherwise than the row says; "" when nothing did."""
    expected, held = row.expect[level], tried.held
    if not tried.bare.started or not tried.bare.through:
        return f"the attempt proves nothing: {tried.bare}"
    if expected == ENDS:
        return "" if "the jail ended" in tried.reason else f"the jail goes on: {tried}"
    if not held.started or not held.can_do_what_is_allowed:
        return f"it did not start, or cannot do what is allowed: {held}"
    if expected in (HELD, SEEN):
        return "" if held.has_ended and held.through == (expected == SEEN) else f"{expected} was expected: {held}"
    return "" if tried.limit == expected else f"the limit {expected} was expected, not {tried.limit}: {held}"
