"""Real Chromium over a real server, as fixtures: `open_page(user, path, …)` gives a page of a logged-in person.

A page that breaks the content security policy, throws in its script or asks for something that is not there fails its
test when it ends, whatever the test itself looked at.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.waiting import wait_until

if TYPE_CHECKING:
    from re import Pattern

    from django.test import Client
    from playwright.sync_api import Browser, Page, Route
    from pytest_django.live_server_helper import LiveServer

    from people.models import User

PHONE_WIDTH = 500
_HEIGHT = 844
# On a busy machine only waiting tells what comes late from what never comes; the first page that compares meanings
# also loads the sentence model.
_PATIENCE_MS = 45_000
LAUNCH_MS = 180_000

# Debian has the same engine with and without a window. The one without takes two thirds of the processor time.
_WITHOUT_WINDOW = Path("/usr/lib/chromium/chromium-headless-shell")
PROGRAM = _WITHOUT_WINDOW if _WITHOUT_WINDOW.exists() else Path("/usr/bin/chromium")

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # The server listens on 127.0.0.1; the same port of ::1, which is tried first, may be somebody else's.
    "--host-resolver-rules=MAP localhost 127.0.0.1",
)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, for the tests of one file.

    Playwright keeps an event loop running in the thread that started it. One for the whole session, as its pytest
    plugin has it, would make Django refuse the database to every later test of the process.
    """
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=_PATIENCE_MS)
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        # The ORM of the test itself is used between two steps of the browser, never within one.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=list(ARGUMENTS), timeout=LAUNCH_MS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(
    chromium: Browser, live_server: LiveServer, client_of: Callable[[User], Client]
) -> Iterator[Callable[..., Page]]:
    """`open_page(user, path, width=1280, scheme="light", scripts=True)`; `user` None is nobody."""
    contexts = []
    complaints: list[str] = []

    def opened(
        user: User | None, path: str = "/", *, width: int = 1280, scheme: Any = "light", scripts: bool = True
    ) -> Page:
        phone = width < PHONE_WIDTH
        context = chromium.new_context(
            viewport={"width": width, "height": _HEIGHT},
            color_scheme=scheme,
            reduced_motion="reduce",  # a colour on its way from one scheme to the other has no contrast to judge
            has_touch=phone,
            is_mobile=phone,
            java_script_enabled=scripts,
            base_url=live_server.url,
        )
        context.set_default_timeout(_PATIENCE_MS)
        contexts.append(context)
        if user is not None:
            session = client_of(user).cookies["sessionid"].value
            context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text) if _is_fault(message.text) else None)
        page.goto(path)
        return page

    yield opened
    for context in contexts:
        context.close()
    _all_answered(live_server)
    assert complaints == []


# What can be clicked or filled in, and whose middle something lies over that is no part of it.
COVERED = r"""() => {
  const found = [];
  const wanted = "a[href], button, summary, select, textarea, input:not([type=hidden])";
  for (const one of document.querySelectorAll(`main :is(${wanted})`)) {
    if (!one.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
    one.scrollIntoView({block: "center"});
    const box = [...one.getClientRects()].find((each) => each.width > 1 && each.height > 1);
    const top = box && document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    if (!top || one.contains(top) || top.contains(one)) continue;
    if ([...(one.labels ?? [])].some((label) => label.contains(top))) continue;
    found.push(`${one.tagName} “${(one.innerText || one.name || "").slice(0, 40)}” by ${top.tagName} ${top.className}`);
  }
  return found;
}"""


def _is_fault(text: str) -> bool:
    return "Content Security Policy" in text or "Refused to" in text or "Uncaught" in text


def _all_answered(live_server: LiveServer) -> None:
    """Wait until nothing that the closed pages asked is being worked on: it would meet the emptied tables, or hold
    them.
    """
    with socket.create_connection((live_server.thread.host, live_server.thread.port)) as last:
        last.shutdown(socket.SHUT_WR)
        last.recv(1)  # its end comes when it was accepted, and so was whatever knocked before it
    wait_until(lambda: not _serving(live_server), what="the end of every request")


def _serving(live_server: LiveServer) -> list[threading.Thread]:
    """The threads of the server, one for each connection; other servers of this process have such threads too."""
    server = live_server.thread.httpd
    return [one for one in threading.enumerate() if getattr(getattr(one, "_target", None), "__self__", None) is server]


def wait_in(page: Page, condition: Callable[[], object], what: str) -> None:
    """Wait for what the browser's events bring about in the test; they come only while the browser is spoken to."""

    def holds() -> object:
        page.wait_for_timeout(1)
        return condition()

    wait_until(holds, what=what)


@contextmanager
def kept_still(page: Page, asks: Pattern[str]) -> Iterator[None]:
    """What the page asks for by itself is answered when the block ends, so that nothing is exchanged within it."""
    held: list[Route] = []
    page.route(asks, lambda route: held.append(route))
    wait_in(page, lambda: held, "the page's next question")  # whatever it asked before has been answered
    yield
    for route in held:
        route.continue_()
    page.unroute(asks)


def arrived(page: Page, heading: str | Pattern[str]) -> None:
    """Wait for the page that a key or a click led to: its heading stands before its scripts hear a key."""
    from playwright.sync_api import expect

    expect(page.locator("h1")).to_have_text(heading)
    page.wait_for_load_state()


def approve(page: Page, button: str = "Approve") -> None:
    """Press this button, and once more where the page says first that the dry run has not ended."""
    from playwright.sync_api import expect

    page.get_by_role("button", name=button).first.click()
    page.wait_for_url(lambda url: "/decide/" in url or "/goals/" in url)
    if "/decide/" in page.url:
        expect(page.get_by_role("alert").filter(has_text="Not known before the dry run has ended")).to_be_visible()
        page.get_by_role("button", name=button).first.click()


def sideways(page: Page) -> int:
    """By how many pixels the page is wider than the window."""
    return int(page.evaluate("document.scrollingElement.scrollWidth - document.documentElement.clientWidth"))
