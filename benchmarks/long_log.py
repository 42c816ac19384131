"""`make bench-log`: a log of 100 MB, and 100,000 lines in a few seconds, in a real Chromium.

The whole of mindX runs as `make up` starts it; the log's lines are put into its table at once, what comes while
somebody looks is written as a worker writes it. Told are the moments at which the lines stand in view, the frames while
a person scrolls, tasks that kept the page from answering (longer than 50 ms), and what the tab holds in memory.
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
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.live import ROOT, Whole, last_number

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--enable-precise-memory-info")
_WAIT_MS = 60_000
_LINE = (
    "'[' || n || '/1400000] module ' || mod(n * 7919::bigint, 100003) || ' of a long build, as compilers say it again'"
)
# Runs before the page's own scripts: when the wanted line first stood in view, the frames, and the long tasks.
_WATCH = """
window.seen = {at: 0, frames: [], tasks: []};
const observe = list => seen.tasks.push(...list.getEntries().map(task => task.duration));
new PerformanceObserver(observe).observe({type: "longtask"});
let before = 0;
const look = now => {
  if (before) seen.frames.push(now - before);
  before = now;
  const line = document.getElementById("L" + WANTED), scroller = line && line.closest(".term-scroll");
  if (!seen.at && line) {
    const place = line.getBoundingClientRect(), room = scroller.getBoundingClientRect();
    if (place.bottom <= room.bottom + 2 && place.top >= room.top - 2) seen.at = performance.now();
  }
  requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""
_WRITER = """
import time
from agents.record import logs
from agents.record.logs import NewLine
began = time.monotonic()
for batch in range({batches}):
    texts = (f"follow {{batch}} {{n}} of a build that says much" for n in range({size}))
    logs.write({goal}, [NewLine("stdout", "execute", text) for text in texts])
    time.sleep(max(0, began + (batch + 1) / {rate} - time.monotonic()))
print("took", time.monotonic() - began)
"""


def main() -> None:
    """Fill, look, and say it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=1_400_000, help="72 bytes each (default 1,400,000: 100 MB)")
    parser.add_argument("--rounds", type=int, default=10)
    asked = parser.parse_args()
    place = Path(tempfile.mkdtemp(prefix="mindx-log-"))
    place.chmod(0o755)
    whole = Whole(place)
    try:
        with whole.running():
            goal = int(whole.api("goals", {"text": "Build everything"})["id"])
            size = _fill(whole, goal, asked.lines)
            _say(f"{asked.lines:,} lines, {size / 1e6:.0f} MB of text; {os.cpu_count()} processors, {_load()}")
            from playwright.sync_api import sync_playwright

            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=list(_ARGUMENTS))
                _look(browser, whole, goal, asked.rounds)
                browser.close()
            _say(f"at the end {_load()}")
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _fill(whole: Whole, goal: int, lines: int) -> int:
    """Put the lines behind what the log holds; how many bytes of text it has then."""
    with whole.database() as database:
        # Whoever has a word to say about the new goal has said it by then.
        until = time.monotonic() + 60
        while whole.api(f"goals/{goal}")["state"] != "manual" and time.monotonic() < until:
            time.sleep(0.1)
        database.execute(
            "WITH counted AS (UPDATE agents_logcounter SET last = last + %(lines)s WHERE goal_id = %(goal)s"  # noqa: S608
            " RETURNING last - %(lines)s AS last)"
            " INSERT INTO agents_logline (goal_id, number, at, source, stage, level, text, data)"
            " SELECT %(goal)s, last + n, clock_timestamp(), 'stdout', 'execute', 'info',"
            f" {_LINE}, '{{}}' FROM counted, generate_series(1, %(lines)s) AS n",
            {"lines": lines, "goal": goal},
        )
        database.execute("ANALYZE agents_logline")
        found = database.execute("SELECT sum(octet_length(text)) FROM agents_logline WHERE goal_id = %s", [goal])
        return int(found.fetchone()[0])  # type: ignore[index]


def _look(browser: Browser, whole: Whole, goal: int, rounds: int) -> None:
    last, address = last_number(whole, goal), f"{whole.address}/goals/{goal}/"
    ways = {
        "the newest lines": (address, last),
        "its middle": (f"{address}?line={last // 2}", last // 2),
        # Nearly as far as one search goes; lines of the goal itself stand before those of the program.
        "a text far from its begin": (f"{address}?find=[{last // 15}/", None),
    }
    for name, (asked, wanted) in ways.items():
        took = []
        for _ in range(rounds + 1):
            with _tab(browser, whole, wanted or 0) as page:
                started = time.monotonic()
                page.goto(asked, wait_until="commit")
                if wanted is None:
                    page.wait_for_selector("[data-wanted]")
                    took.append((time.monotonic() - started) * 1000)
                else:
                    page.wait_for_function("() => seen.at")
                    took.append(page.evaluate("seen.at"))
        del took[0]  # fills the caches
        _say(f"from navigation to {name}, n={len(took)}: {_spread(took)}")
    with _tab(browser, whole, last) as page:
        page.goto(address)
        page.wait_for_function("() => seen.at")
        _say(f"the tab then holds {_memory(browser, page)}")
        _reading(page)
        _say(f"after the reading {_memory(browser, page)}")
    with _tab(browser, whole, last) as page:
        page.goto(address)
        page.wait_for_function("() => seen.at")
        _following(page, whole, goal, "500 lines/s for 10 s", batches=200, size=25, rate=20)
        _following(page, whole, goal, "100,000 lines as quickly as they are written", batches=200, size=500, rate=1e9)
        _say(f"after the following {_memory(browser, page)}")


def _tab(browser: Browser, whole: Whole, wanted: int) -> Any:
    """A page of the person who logged in, in a context of its own."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.add_cookies([{"name": one.name, "value": one.value or "", "url": whole.address} for one in whole.jar])
    context.add_init_script(_WATCH.replace("WANTED", str(wanted)))
    context.set_default_timeout(_WAIT_MS)
    page = context.new_page()
    return _Closing(page)


class _Closing:
    """The page; its context goes with it."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def __enter__(self) -> Page:
        return self.page

    def __exit__(self, *_: object) -> None:
        self.page.context.close()


def _reading(page: Page) -> None:
    """Scroll up with the wheel for ten seconds, as somebody who looks for something."""
    page.locator(".term-scroll").hover()
    _forget(page)
    first, until = _first(page), time.monotonic() + 10
    while time.monotonic() < until:
        page.mouse.wheel(0, -1_000)
        page.wait_for_timeout(16)
    _say(f"scrolling up for 10 s, {first - _first(page):,} lines: {_smooth(page)}")


def _following(page: Page, whole: Whole, goal: int, what: str, **pace: float) -> None:
    """Follow the end while lines come."""
    _forget(page)
    code = _WRITER.format(goal=goal, **pace)
    words = [sys.executable, "manage.py", "shell", "-v", "0", "-c", code]
    said = subprocess.run(words, cwd=ROOT, env=whole.environment, capture_output=True, text=True, check=True).stdout
    ended, last = time.monotonic(), last_number(whole, goal)
    page.wait_for_selector(f"#L{last}")
    late = (time.monotonic() - ended) * 1000
    items = page.locator(".term-lines > li").count()
    _say(f"following {what} ({said.strip()} s): {_smooth(page)};")
    _say(f"  the last line stood there {late:.0f} ms after the writer's end; {items:,} lines are kept in the page")


def _forget(page: Page) -> None:
    page.evaluate("seen.frames = []; seen.tasks = []; null")


def _smooth(page: Page) -> str:
    frames, tasks = page.evaluate("[seen.frames, seen.tasks]")
    longest = f", the longest {max(tasks):.0f} ms" if tasks else ""
    return f"frames {_spread(frames)}, n={len(frames):,}; {len(tasks)} tasks above 50 ms{longest}"


def _first(page: Page) -> int:
    """The number of the first line in view."""
    return int(
        page.evaluate(
            "(() => { const room = document.querySelector('.term-scroll').getBoundingClientRect();"
            " return [...document.querySelectorAll('.term-lines > li')]"
            ".find(line => line.getBoundingClientRect().bottom > room.top).dataset.n; })()"
        )
    )


def _memory(browser: Browser, page: Page) -> str:
    """What scripts hold, how many nodes there are, and what the tab's process has of its own."""
    heap = page.evaluate("performance.memory.usedJSHeapSize") / 1e6
    nodes = page.evaluate("document.getElementsByTagName('*').length")
    known = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    own = [_private_bytes(one["id"]) for one in known if one["type"] == "renderer"]
    return f"{heap:.1f} MB of scripts' objects, {nodes:,} elements; its process {max(own, default=0) / 1e6:.0f} MB"


def _private_bytes(pid: int) -> int:
    """Memory that no other process shares."""
    fields = (line.split() for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines())
    return sum(int(words[1]) * 1024 for words in fields if words[0].startswith("Private_"))


def _spread(took: list[float]) -> str:
    """Median, 95th percentile and the longest."""
    last = statistics.quantiles(took, n=20, method="inclusive")[-1] if len(took) > 1 else took[0]
    return f"p50 {statistics.median(took):.0f} ms, p95 {last:.0f} ms, longest {max(took):.0f} ms"


def _load() -> str:
    return f"load {os.getloadavg()[0]:.1f}"


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
