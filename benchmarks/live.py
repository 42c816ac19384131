"""`make bench-live`: how long a line takes from a program to fifty open pages, and what is missing after reconnects.

The whole of mindX runs as `make up` starts it. An approved step prints 500 lines a second; the viewers are real sockets
with a session of a person who logged in. The program in its jail says when it printed each line, Postgres when that was
committed (`track_commit_timestamp`), and everything runs on one machine, so all of them read one clock. Afterwards each
viewer's log is compared byte by byte with what the page's own address answers.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import secrets
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode

import psycopg
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

ROOT = Path(__file__).parents[1]
_PASSWORD = secrets.token_hex(12)
_WAIT_S = 120.0
_BEHIND = 4409
_PRINTER = """\
import sys, time
began = time.monotonic()
for n in range({lines}):
    print(n, time.time(), "a line of a build, as long as such lines are")
    if n % 10 == 9:
        sys.stdout.flush()
        time.sleep(max(0, began + n / {rate} - time.monotonic()))
"""


def _step(command: str, **params: object) -> dict[str, object]:
    return {"tool": "simple_coder", "command": command, "params": params}


class Whole:
    """A running mindX in a folder of its own, and a person who is logged in."""

    def __init__(self, place: Path) -> None:
        self.place = place
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        ours = ("MINDX_", "DJANGO_", "DATABASE_URL", "REDIS_URL")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        self.environment = {
            **clean,
            "MINDX_DATA": str(place / "data"),
            "MINDX_PORT": str(self.port),
            "MINDX_ADMIN_PASSWORD": _PASSWORD,
            "MINDX_HOLD_S": "0",
        }
        (place / "data").mkdir(mode=0o755)
        self.jar = CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))

    @property
    def address(self) -> str:
        """Where its pages are."""
        return f"http://127.0.0.1:{self.port}"

    @contextmanager
    def running(self) -> Iterator[None]:
        """Start it, have Postgres keep commit times, log in; stop it at the end."""
        said = (self.place / "said").open("wb")
        line = [sys.executable, "-m", "mindx_web.supervisor"]
        process = subprocess.Popen(line, cwd=ROOT, env=self.environment, stdout=said, stderr=said)
        try:
            self._until(self._is_ready, "mindX to be ready")
            self._keep_commit_times()
            self._log_in()
            self.token = self._manage("token", "admin").split()[-1]
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=60)

    def database(self) -> psycopg.Connection[Any]:
        """A connection that may read when rows were committed."""
        known = json.loads((self.place / "data" / "run" / "servers.json").read_text())
        password = (self.place / "data" / "secrets" / "pg_superuser_password").read_text().strip()
        name = psycopg.conninfo.conninfo_to_dict(known["database_url"])
        return psycopg.connect(
            host=name["host"], port=name.get("port"), dbname=name["dbname"], user="postgres", password=password,
            autocommit=True,
        )  # fmt: skip

    def api(self, path: str, data: Any = None) -> Any:
        """An answer of the API; `data` is posted."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        body = json.dumps(data).encode() if data is not None else None
        asked = urllib.request.Request(f"{self.address}/api/v1/{path}", body, headers)  # noqa: S310
        try:
            with urllib.request.urlopen(asked, timeout=60) as answer:  # noqa: S310
                return json.load(answer)
        except HTTPError as refused:
            raise RuntimeError(f"{path}: {refused} {refused.read().decode(errors='replace')}") from refused

    def page(self, path: str) -> str:
        """A page as the logged-in person gets it."""
        with self.opener.open(f"{self.address}{path}", timeout=60) as answer:
            text: str = answer.read().decode()
            return text

    def cookies(self) -> str:
        """The session, as a header."""
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.jar)

    def run_printer(self, lines: int, rate: int) -> int:
        """Approve a plan of one step that prints this much; the goal's number."""
        goal = self.api("goals", {"text": f"Print the ledger of {time.monotonic_ns()}"})["id"]
        self._until(lambda: self.api(f"goals/{goal}")["state"] == "manual", "the goal to want a plan")
        printer = _PRINTER.format(lines=lines, rate=rate)
        steps = [
            _step("write", path="printer.py", content=printer),
            _step("run", command_line="python printer.py", timeout_s=120),
        ]
        self.api(f"goals/{goal}/plan", {"steps": steps})
        plan = self.api(f"intent-plans/{self.api(f'goals/{goal}')['intent_plan']}")
        self._approve = (plan["id"], plan["digest"])
        return int(goal)

    def approve(self) -> None:
        """Let the plan that was made last begin."""
        number, digest = self._approve
        self.api(f"intent-plans/{number}/approve", {"digest": digest})

    def has_ended(self, goal: int) -> bool:
        """Whether the goal is over; it must have been achieved."""
        state = self.api(f"goals/{goal}")["state"]
        if state in {"failed", "dropped", "manual"}:
            raise RuntimeError(f"goal {goal} is {state}: {self.page(f'/goals/{goal}/log.txt')[-2000:]}")
        return bool(state == "achieved")

    def until_remembered(self, goal: int) -> None:
        """Wait for the last word about the goal: what it taught is kept after its end."""
        asked = "SELECT 1 FROM agents_goal WHERE id = %s AND learned_at IS NOT NULL"
        with self.database() as database:
            self._until(lambda: database.execute(asked, [goal]).fetchone() is not None, "the goal to be remembered")

    def web(self) -> int:
        """The process that serves the pages."""
        for folder in Path("/proc").iterdir():
            with suppress(OSError):
                if folder.name.isdigit() and f"--port\0{self.port}" in (folder / "cmdline").read_text():
                    return int(folder.name)
        raise RuntimeError("no web process")

    def _is_ready(self) -> bool:
        return "mindX is ready" in (self.place / "said").read_text()

    def _keep_commit_times(self) -> None:
        with self.database() as database:
            database.execute("ALTER SYSTEM SET track_commit_timestamp = on")
        postmaster = self.place / "data" / "postgres" / "data" / "postmaster.pid"
        os.kill(int(postmaster.read_text().split()[0]), signal.SIGINT)
        self._until(self._keeps_commit_times, "Postgres to be back")
        self._until(lambda: self.page("/login/"), "the pages to be back")

    def _keeps_commit_times(self) -> bool:
        with self.database() as database:
            row = database.execute("SHOW track_commit_timestamp").fetchone()
            return row is not None and row[0] == "on"

    def _log_in(self) -> None:
        self.page("/login/")
        token = next(cookie.value for cookie in self.jar if cookie.name == "csrftoken")
        fields = {"csrfmiddlewaretoken": token, "username": "admin", "password": _PASSWORD}
        self.opener.open(f"{self.address}/login/", urlencode(fields).encode(), timeout=60).close()

    def _manage(self, *words: str) -> str:
        line = [sys.executable, "manage.py", *words]
        return subprocess.run(line, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=True).stdout

    def _until(self, condition: Any, what: str) -> None:
        until = time.monotonic() + _WAIT_S
        while time.monotonic() < until:
            with suppress(OSError, psycopg.Error):
                if condition():
                    return
            time.sleep(0.1)
        raise RuntimeError(f"waited in vain for {what}: {(self.place / 'said').read_text()[-2000:]}")


def items(lines: str) -> list[str]:
    """The list items of a message. What a line says is escaped, so no end of an item stands in it."""
    return lines.split("</li>\n")[:-1]


def number_of(item: str) -> int:
    """The line's number: `<li id="L17" …`."""
    return int(item[len('<li id="L') : item.index('"', len('<li id="L'))])


class Viewer:
    """An open page: the lines it has, each with the moment at which it came."""

    def __init__(self, whole: Whole, goal: int) -> None:
        self.whole, self.goal = whole, goal
        self.lines: dict[int, str] = {}
        self.came: dict[int, float] = {}
        self.last = 0
        self.faults: list[str] = []
        self.reconnects = self.behind = 0
        self._socket: Any = None

    async def look(self, ended: asyncio.Event) -> None:
        """Follow the goal until `ended`; a socket that closes is opened again, after the last number here."""
        address = f"ws://127.0.0.1:{self.whole.port}/ws/goals/{self.goal}/"
        headers = {"Cookie": self.whole.cookies(), "Origin": self.whole.address}
        while not ended.is_set():
            async with connect(f"{address}?after={self.last}", additional_headers=headers, max_size=None) as opened:
                self._socket = opened
                with suppress(ConnectionClosed):
                    while True:
                        self.take(await opened.recv())
            self.reconnects += not ended.is_set()
            if opened.close_code == _BEHIND:
                await asyncio.to_thread(self.catch_up)

    def catch_up(self) -> None:
        """What a page does that is far behind: ask for what it lacks by HTTP."""
        self.behind += 1
        more = True
        while more:
            answer = self.whole.page(f"/goals/{self.goal}/log?still&after={self.last}")
            self.take(answer)
            more = json.loads(answer)["more"]

    async def drop(self) -> None:
        """Lose the connection, without a word."""
        if self._socket is not None:
            self._socket.transport.abort()

    def take(self, text: str | bytes) -> None:
        """What a page does with a message."""
        now = time.time()
        message = json.loads(text)
        if message["after"] > self.last:
            self.faults.append(f"gap before {message['after']}, has {self.last}")
        for item in items(message["lines"]):
            number = number_of(item)
            if number > self.last + 1 and number not in self.lines:
                self.faults.append(f"{number} follows {self.last}")
            if number <= self.last:
                self.faults.append(f"{number} came twice")
            self.lines[number] = item
            self.came[number] = now
            self.last = number
        self.last = max(self.last, message["last"])

    def digest(self) -> str:
        """Of everything shown, in order."""
        return hashlib.sha256("".join(self.lines[n] for n in sorted(self.lines)).encode()).hexdigest()


async def follow(whole: Whole, viewers: int, lines: int, rate: int, reconnect_s: float) -> tuple[int, list[Viewer]]:
    """One goal and its viewers; with `reconnect_s`, each loses its connection about that often."""
    goal = await asyncio.to_thread(whole.run_printer, lines, rate)
    pages = [Viewer(whole, goal) for _ in range(viewers)]
    ended = asyncio.Event()
    looking = [asyncio.create_task(page.look(ended)) for page in pages]
    await asyncio.to_thread(whole.approve)
    turn, until = 0, time.monotonic() + _WAIT_S + 2 * lines / rate
    while not await asyncio.to_thread(whole.has_ended, goal):
        if time.monotonic() > until:
            raise RuntimeError(f"goal {goal} does not end: {whole.page(f'/goals/{goal}/log.txt')[-2000:]}")
        await asyncio.sleep(reconnect_s / viewers if reconnect_s else 0.5)
        if reconnect_s:
            await pages[turn % viewers].drop()
            turn += 1
    await asyncio.to_thread(whole.until_remembered, goal)
    end = await asyncio.to_thread(last_number, whole, goal)
    until = time.monotonic() + 60
    while any(page.last < end for page in pages) and time.monotonic() < until:
        await asyncio.sleep(0.05)
    ended.set()
    for page in pages:
        await page.drop()
    await asyncio.gather(*looking, return_exceptions=True)
    return goal, pages


def last_number(whole: Whole, goal: int) -> int:
    """The number of the goal's last line."""
    with whole.database() as database:
        return int(database.execute("SELECT last FROM agents_logcounter WHERE goal_id = %s", [goal]).fetchone()[0])  # type: ignore[index]


def moments(whole: Whole, goal: int) -> dict[int, tuple[float, float]]:
    """When each line was printed, and when it was committed."""
    asked = (
        "SELECT number, split_part(text, ' ', 2)::float8, extract(epoch FROM pg_xact_commit_timestamp(xmin))::float8"
        " FROM agents_logline WHERE goal_id = %s AND source = 'stdout'"
    )
    with whole.database() as database:
        return {int(number): (float(printed), float(at)) for number, printed, at in database.execute(asked, [goal])}


def say_delays(what: str, delays_s: list[float]) -> None:
    """How long it took, over all lines and pages."""
    p50, p95, p99 = (statistics.quantiles(delays_s, n=100)[n - 1] * 1000 for n in (50, 95, 99))
    sys.stdout.write(
        f"{what}, n={len(delays_s):,}: p50 {p50:.0f} ms, p95 {p95:.0f} ms, p99 {p99:.0f} ms,"
        f" longest {max(delays_s) * 1000:.0f} ms\n"
    )


def as_the_page_says(whole: Whole, goal: int) -> str:
    """The digest of the whole log as the page's own address answers it."""
    shown, after, more = "", 0, True
    while more:
        answer = json.loads(whole.page(f"/goals/{goal}/log?after={after}"))
        shown += "".join(items(answer["lines"]))
        after, more = answer["last"], answer["more"]
    return hashlib.sha256(shown.encode()).hexdigest()


def cpu_s(pid: int) -> float:
    """Processor time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def check(whole: Whole, goal: int, pages: list[Viewer]) -> str:
    """Say what is missing, doubled or different."""
    wanted, numbers = as_the_page_says(whole, goal), range(1, last_number(whole, goal) + 1)
    gaps = sum(len(set(numbers) - set(page.lines)) for page in pages)
    faults = [fault for page in pages for fault in page.faults]
    same = sum(page.digest() == wanted for page in pages)
    return (
        f"{len(numbers):,} lines, {gaps} gaps, {len(faults)} faults {faults[:3] or ''}, "
        f"{same} of {len(pages)} logs byte-identical, {sum(page.reconnects for page in pages)} reconnects,"
        f" {sum(page.behind for page in pages)} times far behind"
    )


def main() -> None:
    """Measure, and say it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--viewers", type=int, default=50)
    parser.add_argument("--rate", type=int, default=500, help="lines a second")
    parser.add_argument("--seconds", type=int, default=20)
    asked = parser.parse_args()
    place = Path(tempfile.mkdtemp(prefix="mindx-live-"))
    place.chmod(0o755)
    whole = Whole(place)
    lines = asked.rate * asked.seconds
    try:
        with whole.running():
            before, started = cpu_s(whole.web()), time.monotonic()
            goal, pages = asyncio.run(follow(whole, asked.viewers, lines, asked.rate, 0))
            busy = (cpu_s(whole.web()) - before) / (time.monotonic() - started)
            at = moments(whole, goal)
            ends = sorted(commit for _, commit in at.values())
            rate = len(at) / (ends[-1] - ends[0])
            sys.stdout.write(f"{asked.viewers} viewers, {rate:.0f} lines/s (asked: p50 50 ms, p95 150 ms)\n")
            came = [(page.came[n], *at[n]) for page in pages for n in at if n in page.came]
            say_delays("print to arrival", [there - printed for there, printed, _ in came])
            say_delays("commit to arrival", [there - commit for there, _, commit in came])
            sys.stdout.write(
                f"  web process: {busy:.2f} of a core; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n"
                f"  {check(whole, goal, pages)}\n"
            )
            goal, pages = asyncio.run(follow(whole, asked.viewers, lines, asked.rate, 4.0))
            sys.stdout.write(f"every viewer cut off about every 4 s: {check(whole, goal, pages)}\n")
    finally:
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()
