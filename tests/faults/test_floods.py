"""A step that never stops printing, a browser that cannot keep up, and a disk without room."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from tests.faults.ledger import Ledger
from tests.faults.oracle import at_most_once, everything_holds
from tests.faults.system import PATIENCE_S, begun, finished, hands, masters, rows, written
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


def test_a_step_that_prints_a_gigabyte_harms_nobody(system: Whole, book: Ledger, results: Results) -> None:
    with results.case("log flood: a step prints 1 GB") as case:
        line = 'import sys; [sys.stdout.write("x"*1023+"\\n") for _ in range(1<<20)]'
        goal, plan = system.plan_by_hand(program(line))
        beside = written(system, book)
        system.approve(plan)
        wait_until(lambda: len(system.log(goal)) > 100, within=PATIENCE_S, what="the flood")
        system.approve(beside.plan)
        most, pages = 0, []
        while system.goal(goal)["state"] not in ("achieved", "failed"):
            most = max(most, _resident_bytes(hands(*masters(system))))
            at = time.monotonic()
            assert httpx.get(f"{system.address}/login/", timeout=30).status_code == 200
            pages.append(time.monotonic() - at)
        case.landed += 1
        finished(system, beside)
        everything_holds(system, beside, book)
        at_most_once(system, goal)
        lines = rows(
            system, "SELECT count(*), sum(octet_length(text)) FROM agents_logline WHERE goal_id = %s", int(goal)
        )[0]
        state = system.goal(goal)
        assert lines[0] < 21_000, "the log stays within its limit"
        case.note = (
            f"the step {state['state']}; {lines[0]:,} lines, {int(lines[1]) / 1e6:.0f} MB kept; worker at most"
            f" {most / 1e6:.0f} MB; slowest page meanwhile {max(pages):.2f} s"
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


def _socket(whole: Whole, cookie: str, goal: str, after: int) -> ClientConnection:
    return connect(
        f"ws://127.0.0.1:{whole.port}/ws/goals/{goal}/?after={after}",
        additional_headers={"Cookie": f"sessionid={cookie}"},
        origin=Origin(whole.address),
        max_size=None,
        max_queue=1,
    )


def test_sockets_that_break_in_a_flood_show_every_line_once(system: Whole, results: Results) -> None:
    with results.case("socket not read until it overflows, then reconnected, again and again") as case:
        line = (
            'import sys,time; [(sys.stdout.write("line %06d\\n" % n), n % 500 or (sys.stdout.flush(), time.sleep(0.4)))'
            " for n in range(15000)]"
        )
        goal, plan = system.plan_by_hand(program(line))
        cookie = _session(system)
        system.approve(plan)
        seen, last = "", 0
        while True:
            over = system.goal(goal)["state"] in ("achieved", "failed", "manual")
            with _socket(system, cookie, goal, last) as socket:
                for _ in range(10**6 if over else 4):
                    try:
                        message: dict[str, Any] = json.loads(socket.recv(timeout=4))
                    except (TimeoutError, ConnectionClosed):
                        break
                    if "lines" in message:
                        assert message["after"] == last, "what comes follows what was there"
                        seen, last = seen + message["lines"], message["last"]
                if not over:
                    # Nobody reads for a while: the server's buffers fill up, and then the tab is gone without a word.
                    wait_until(partial(_grown_or_over, system, goal, last + 400), within=PATIENCE_S, what="lines")
                    socket.socket.close()
                    case.landed += 1
            if over and last == _last_line(system, goal):
                break
        whole_log = ""
        after = 0
        with httpx.Client(base_url=system.address, cookies={"sessionid": cookie}, timeout=30) as browser:
            while after < last:
                answer = browser.get(f"/goals/{goal}/log", params={"after": after}).raise_for_status().json()
                whole_log, after = whole_log + answer["lines"], answer["last"]
            raw = browser.get(f"/goals/{goal}/log.txt").raise_for_status().text
        assert seen == whole_log, "byte for byte what the table says"
        assert [f"line {number:06d}" for number in range(15_000)] == [
            text[-11:] for text in raw.splitlines() if text[-11:-6] == "line "
        ]
        case.note = f"{last:,} lines, the same bytes as the table's"
        case.survived = case.landed


def _last_line(whole: Whole, goal: str) -> int:
    return int(rows(whole, "SELECT coalesce(max(number), 0) FROM agents_logline WHERE goal_id = %s", int(goal))[0][0])


def _grown_or_over(whole: Whole, goal: str, number: int) -> bool:
    return _last_line(whole, goal) >= number or whole.goal(goal)["state"] in ("achieved", "failed", "manual")


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
