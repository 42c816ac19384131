"""SIGKILL while a step that must not be repeated is under way: what it asked for has arrived outside, its answer never
comes. A person says on the goal's page or by the API what became of it, and the plan goes on as said.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import ARGUMENTS, COVERED, LAUNCH_MS, PROGRAM, sideways
from tests.faults.oracle import at_most_once
from tests.faults.system import PATIENCE_S, end, rows, worker_of
from tests.faults.table import Results
from tests.waiting import wait_until
from tests.whole.started import PASSWORD, Whole

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.xdist_group("whole"), pytest.mark.browser]


@dataclass
class Till:
    """A server that is paid by POST: what arrived stays, and no answer is given before `opens`."""

    address: str = ""
    paid: list[str] = field(default_factory=list)
    opens: threading.Event = field(default_factory=threading.Event)


@contextmanager
def till() -> Iterator[Till]:
    """Serve a till on a free port of the loopback."""
    found = Till()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            found.paid.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
            found.opens.wait(PATIENCE_S)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        found.address = f"http://127.0.0.1:{server.server_address[1]}/pay"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield found
        found.opens.set()
        server.shutdown()


def write(path: str) -> dict[str, Any]:
    return {"tool": "simple_coder", "command": "write", "params": {"path": path, "content": "x"}}


def killed_while_it_pays(whole: Whole, till: Till, what: str) -> tuple[str, str]:
    """The goal whose worker was killed while it paid, and the id of that step."""
    pays = {"tool": "http_request", "command": "post", "params": {"url": till.address, "content": what}}
    goal, plan = whole.plan_by_hand(write("before"), pays, write("after"), cleanup=[write("tidy")])
    assert plan["intents"][1]["effect"] == "once"
    whole.approve(plan)
    wait_until(lambda: what in till.paid, within=PATIENCE_S, what="the money in the till")
    pid = worker_of(whole, goal)
    assert pid is not None
    assert end(pid)
    return goal, plan["intents"][1]["id"]


@contextmanager
def logged_in(whole: Whole) -> Iterator[Page]:
    """A page of the running product, as the first person of it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=list(ARGUMENTS), timeout=LAUNCH_MS)
        page = browser.new_page(base_url=whole.address, viewport={"width": 1440, "height": 900})
        page.set_default_timeout(PATIENCE_S * 1000)
        page.goto("/login/")
        page.get_by_label("Name").fill("admin")
        page.get_by_label("Password").fill(PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url(f"{whole.address}/")
        yield page
        browser.close()


def looks_right(page: Page, name: str) -> None:
    """Nothing lies over a button or leads out of the window, on a desk and on a phone."""
    for width, scheme in ((1440, "light"), (390, "dark"), (390, "light"), (1440, "dark")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
        assert sideways(page) == 0
        assert page.evaluate(COVERED) == []
        if folder := os.environ.get("SHOTS"):
            page.screenshot(path=Path(folder) / f"{name}-{width}-{scheme}.png", full_page=True)


def outcomes(whole: Whole, intent: str) -> list[str]:
    """What came of each try of a step."""
    tries = "SELECT attempt.outcome FROM agents_attempt attempt WHERE attempt.intent_id = %s ORDER BY attempt.number"
    return [outcome for (outcome,) in rows(whole, tries, int(intent))]


def test_a_worker_killed_while_it_pays_pays_once_and_the_plan_goes_on_as_a_person_says(
    system: Whole, results: Results
) -> None:
    with results.case("SIGKILL inside a POST; a person says on the page that it took effect, or that not") as case:
        with till() as counter:
            did, paying = killed_while_it_pays(system, counter, "ten for the rent")
            didnt, lost = killed_while_it_pays(system, counter, "five for the water")
            case.landed += 2
            for goal, intent in ((did, paying), (didnt, lost)):
                asked = system.wait_for(goal, "manual", within=PATIENCE_S)
                assert asked["reason"].startswith("outcome_unknown"), asked
                assert outcomes(system, intent) == ["lost"]
            assert counter.paid == ["ten for the rent", "five for the water"], "nobody paid a second time"
            with logged_in(system) as page:
                page.goto(f"/goals/{did}/")
                page.get_by_role("heading", name="Did it take effect?").wait_for()
                assert page.get_by_text("ten for the rent").first.is_visible()
                looks_right(page, "unknown-outcome")
                page.get_by_role("button", name="It did", exact=True).click()
                ended = system.wait_for(did, "achieved", "failed", within=PATIENCE_S)
                assert ended["state"] == "achieved", ended
                # What a person says of a step, no code has checked.
                page.get_by_text("Ran, not checked").first.wait_for()
                looks_right(page, "unknown-outcome-it-did")
                page.goto(f"/goals/{didnt}/")
                answer = system.api.post(f"intents/{lost}/outcome", json={"outcome": "failed"})
                assert answer.status_code == 200, answer.text
                assert system.wait_for(didnt, "achieved", "failed", within=PATIENCE_S)["state"] == "failed"
                page.get_by_role("heading", name="Did it take effect?").wait_for(state="detached")
                looks_right(page, "unknown-outcome-it-did-not")
            assert counter.paid == ["ten for the rent", "five for the water"], "nobody paid a second time"
        assert (system.file(did, "before"), system.file(did, "after")) == (b"x", b"x")
        assert system.file(didnt, "tidy") == b"x", "what was approved as clean-up ran"
        workspace = system.goal(didnt)["workspace"]
        assert system.api.get(f"workspaces/{workspace}/files/after").status_code == 404, "the rest did not run"
        for goal, intent in ((did, paying), (didnt, lost)):
            assert outcomes(system, intent) == ["lost"]
            assert system.api.post(f"intents/{intent}/outcome", json={"outcome": "succeeded"}).status_code == 409
            at_most_once(system, goal)
        case.survived += 2
