"""A step that never stops printing, a browser that cannot keep up, and a disk without room."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from django.conf import settings
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from agents.live.consumers import BEHIND
from sandbox.contract import Limits
from tests.faults.ledger import Ledger
from tests.faults.oracle import at_most_once, everything_holds
from tests.faults.system import ENDED, PATIENCE_S, begun, finished, hands, masters, rows, written
from tests.faults.table import Results
from tests.faults.test_cancel import program
from tests.waiting import wait_until
from tests.whole.started import PASSWORD, Whole, started

pytestmark = [pytest.mark.xdist_group("whole"), pytest.mark.faults]


# -- a flood ------------------------------------------------------------------------------------------------------
def _resident_bytes(pids: list[int]) -> int:
    """The most that one of them holds."""
    found = [0]
    for pid in pids:
        with suppress(OSError, IndexError):
            found.append(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096)
    return max(found)


# A GiB, in lines of a KiB with their ends.
FLOOD_LINES, FLOOD_LINE_BYTES = 1 << 20, 1 << 10
# How much may come at once when a step reaches its output limit.
MOST_AT_ONCE_BYTES = 1 << 20
# All its tries, with their waits, on a busy machine.
FLOOD_S = 600
# What a worker may hold more than before the flood: far less than it was sent.
WORKER_GROWS_BYTES = 384 << 20


def _kept_of_the_flood(whole: Whole, goal: str, tries: int) -> int:
    """How many of its lines the log keeps: within the limits, and with those that it says it left out all that came.

    A step is ended at its output limit, which is far below what it would print; each try has the room anew.
    """
    ((lines, longest),) = rows(
        whole,
        "SELECT count(*), max(octet_length(text)) FROM agents_logline WHERE goal_id = %s AND source = 'stdout'",
        int(goal),
    )
    assert 0 < lines <= tries * settings.STEP_LOG_LINES
    assert longest < FLOOD_LINE_BYTES
    assert lines * longest <= tries * (settings.STEP_LOG_BYTES + longest)
    said = [text for text in whole_log(whole, goal) if text.startswith("left out of the log: ")]
    left = re.findall(r"log: [\d,]+ more lines, ([\d,]+) bytes", "\n".join(said))
    assert len(left) == tries
    came = lines * FLOOD_LINE_BYTES + sum(int(number.replace(",", "")) for number in left)
    assert abs(came - tries * Limits().output_file_bytes) <= tries * MOST_AT_ONCE_BYTES
    return int(lines)


def whole_log(whole: Whole, goal: str) -> list[str]:
    """The texts of every line of a goal's log, by number."""
    asked = "SELECT text FROM agents_logline WHERE goal_id = %s ORDER BY number"
    return [text for (text,) in rows(whole, asked, int(goal))]


def test_a_step_that_prints_a_gigabyte_harms_nobody(system: Whole, book: Ledger, results: Results) -> None:
    with results.case("log flood: a step prints 1 GB") as case:
        line = f'import sys; [sys.stdout.write("x"*{FLOOD_LINE_BYTES - 1}+"\\n") for _ in range({FLOOD_LINES})]'
        goal, plan = system.plan_by_hand(program(line))
        beside = written(system, book)
        before = _resident_bytes(hands(*masters(system)))
        system.approve(plan)
        wait_until(lambda: len(system.log(goal)) > 100, within=PATIENCE_S, what="the flood")
        at = time.monotonic()
        system.approve(beside.plan)
        most, pages = before, []
        while system.goal(goal)["state"] not in (*ENDED, "manual"):
            assert time.monotonic() - at < FLOOD_S, system.goal(goal)
            most = max(most, _resident_bytes(hands(*masters(system))))
            asked = time.monotonic()
            assert httpx.get(f"{system.address}/login/", timeout=30).status_code == 200
            pages.append(time.monotonic() - asked)
        took = time.monotonic() - at
        case.landed += 1
        finished(system, beside)
        everything_holds(system, beside, book)
        ended = system.goal(goal)
        assert (ended["state"], "reached its output limit" in ended["reason"]) == ("manual", True), ended
        system.api.post(f"goals/{goal}/cancel").raise_for_status()
        at_most_once(system, goal)
        outcomes = rows(
            system,
            "SELECT attempt.outcome FROM agents_attempt attempt JOIN agents_intent intent ON intent.id ="
            " attempt.intent_id JOIN agents_intentplan plan ON plan.id = intent.intent_plan_id WHERE plan.goal_id = %s",
            int(goal),
        )
        assert outcomes == [("failed",)], "it cost no worker, and it would print as much again"
        kept = _kept_of_the_flood(system, goal, len(outcomes))
        assert most - before <= WORKER_GROWS_BYTES
        case.note = (
            f"ended at its output limit, and a person is asked; {kept:,} lines kept, the rest counted; all over"
            f" after {took:.0f} s; worker {before / 1e6:.0f} MB before, at most {most / 1e6:.0f} MB; slowest page"
            f" meanwhile {max(pages):.2f} s; another plan ran beside"
        )
        case.held()


# -- a browser that cannot keep up --------------------------------------------------------------------------------
def _session(whole: Whole) -> str:
    """The cookie of a person who has logged in."""
    with httpx.Client(base_url=whole.address, timeout=30) as browser:
        browser.get("/login/")
        form = {"username": "admin", "password": PASSWORD, "csrfmiddlewaretoken": browser.cookies["csrftoken"]}
        browser.post("/login/", data=form, headers={"Referer": whole.address})
        return browser.cookies["sessionid"]


# Three steps that print so many lines each: far more than a web process keeps ready for the pages that watch.
LINES_OF_A_STEP, LINE_FILLER = 18_000, 800
# A page that lacks so many lacks what neither the kernel's buffers (4 MB) nor the web process (KEPT_CHARS) still holds,
# and of that more than is pushed through a socket.
FAR_BEHIND = 15_000
# Whoever breaks off has not read so many.
A_LITTLE_BEHIND = 1_000
SMALLEST_BUFFER_BYTES = 4096


@dataclass
class SlowPage:
    """A page whose browser does not read for a while: `shown` is what it has of the log, as HTML."""

    whole: Whole
    goal: str
    cookie: str
    shown: list[str] = field(default_factory=list)
    last: int = 0
    overflowed: int = 0
    torn: int = 0

    def is_over(self) -> bool:
        """Whether nothing more will be written."""
        asked = "SELECT 1 FROM agents_goal WHERE id = %s AND learned_at IS NOT NULL"
        return bool(rows(self.whole, asked, int(self.goal)))

    def watch(self, *, tear: bool) -> None:
        """Read a little, then nothing until it is behind; then break off without a word, or read all that comes."""
        with self._socket() as connection:
            self._take(json.loads(connection.recv(timeout=PATIENCE_S)))
            aim = self.last + (A_LITTLE_BEHIND if tear else FAR_BEHIND)
            wait_until(
                lambda: self.is_over() or _last_line(self.whole, self.goal) >= aim, within=PATIENCE_S, what="lines"
            )
            if tear and not self.is_over():
                connection.socket.close()
                self.torn += 1
                return
            with suppress(ConnectionClosed):
                while not self._has_all():
                    with suppress(TimeoutError):
                        self._take(json.loads(connection.recv(timeout=1)))
                return
            self.overflowed += connection.close_code == BEHIND
        self.fetch()

    def fetch(self) -> None:
        """Ask for what it lacks by HTTP, as a page does that was told that it is too far behind."""
        with httpx.Client(base_url=self.whole.address, cookies={"sessionid": self.cookie}, timeout=60) as browser:
            upto = _last_line(self.whole, self.goal)
            while self.last < upto:
                answer = browser.get(f"/goals/{self.goal}/log", params={"after": self.last}).raise_for_status().json()
                self._take({**answer, "after": self.last})

    def _take(self, message: dict[str, Any]) -> None:
        if message["lines"]:
            assert message["after"] == self.last, "what comes follows what was there"
            self.shown.append(message["lines"])
            self.last = message["last"]

    def _has_all(self) -> bool:
        return self.last == _last_line(self.whole, self.goal)

    def _socket(self) -> ClientConnection:
        narrow = socket.socket()
        narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALLEST_BUFFER_BYTES)
        narrow.connect(("127.0.0.1", self.whole.port))
        return connect(
            f"ws://127.0.0.1:{self.whole.port}/ws/goals/{self.goal}/?after={self.last}",
            sock=narrow,
            additional_headers={"Cookie": f"sessionid={self.cookie}"},
            origin=Origin(self.whole.address),
            max_size=None,
            max_queue=1,
        )


def test_sockets_that_overflow_in_a_flood_show_every_line_once(system: Whole, results: Results) -> None:
    with results.case("socket not read until it overflows or breaks off, then reconnected, again and again") as case:
        line = f'[print("line %06d " % n + "x"*{LINE_FILLER}) for n in range({LINES_OF_A_STEP})]'
        goal, plan = system.plan_by_hand(*[program(line)] * 3)
        page, tear = SlowPage(system, goal, _session(system)), True
        system.approve(plan)
        while not page.is_over():
            page.watch(tear=tear)
            tear = not tear
        page.fetch()
        case.landed = page.overflowed + page.torn
        assert page.overflowed, "the server closed it as too far behind"
        assert page.torn
        other = SlowPage(system, goal, page.cookie)
        other.fetch()
        assert page.last == other.last
        assert "".join(page.shown) == "".join(other.shown), "byte for byte what the table says"
        expected = [f"line {number:06d} {'x' * LINE_FILLER}" for number in range(LINES_OF_A_STEP)]
        assert [text for text in whole_log(system, goal) if text.startswith("line ")] == expected * 3
        case.note = (
            f"{page.last:,} lines; closed as too far behind {page.overflowed} times, broken off {page.torn} times;"
            f" the same {sum(map(len, page.shown)):,} characters as the table's"
        )
        case.survived = case.landed


def _last_line(whole: Whole, goal: str) -> int:
    return int(rows(whole, "SELECT coalesce(max(number), 0) FROM agents_logline WHERE goal_id = %s", int(goal))[0][0])


# -- a disk without room ------------------------------------------------------------------------------------------
@contextmanager
def _small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=755", "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"no small disk can be mounted here: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _answers(whole: Whole) -> bool:
    with suppress(psycopg.Error, httpx.HTTPError, AssertionError):
        return rows(whole, "SELECT 1") == [(1,)] and whole.api.get("goals?limit=1").status_code == 200
    return False


def test_a_full_disk_delays_and_loses_nothing(tmp_path: Path, book: Ledger, results: Results) -> None:
    with (
        results.case("disk full while plans run") as case,
        _small_disk(tmp_path / "disk", 700) as disk,
        started(disk / "data", lease_s=2) as whole,
    ):
        plans = [written(whole, book, "abc") for _ in range(6)]
        book.held = lambda visit: True
        for plan in plans:
            whole.approve(plan.plan)
        begun(book, plans[0].key(1))
        ballast = disk / "ballast"
        with suppress(OSError), ballast.open("wb", buffering=0) as file:
            while True:
                file.write(b"\0" * (1 << 20))
        with suppress(OSError), ballast.open("ab", buffering=0) as file:
            while True:
                file.write(b"\0" * 4096)
        assert shutil.disk_usage(disk).free < 64 * 1024
        case.landed += 1
        book.held = lambda visit: False
        for visit in book.visits:
            visit.go.set()
        at = time.monotonic()
        statuses = set()
        while time.monotonic() - at < 20:
            try:
                statuses.add(str(httpx.get(f"{whole.address}/login/", timeout=30).status_code))
            except httpx.HTTPError as error:
                statuses.add(type(error).__name__)
            time.sleep(0.5)
        ballast.unlink()
        wait_until(lambda: _answers(whole), within=PATIENCE_S, what="mindX back after the disk has room")
        for plan in plans:
            finished(whole, plan)
            everything_holds(whole, plan, book)
        case.note = (
            f"full for 20 s, the login page answered {', '.join(sorted(statuses))}; 6 plans ran to their end after"
        )
        case.held()
