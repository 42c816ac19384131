"""The first goal as a newcomer has it in a browser; by the script that the README names it is achieved in test_up."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser import ARGUMENTS, LAUNCH_MS, PROGRAM, approve
from tests.waiting import wait_until
from tests.whole.started import PASSWORD, Whole

pytestmark = pytest.mark.xdist_group("whole")
SLOW_MS = 60_000


@pytest.fixture
def window() -> Iterator[Browser]:
    """Debian's Chromium."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=PROGRAM, args=list(ARGUMENTS), timeout=LAUNCH_MS)
        expect.set_options(timeout=SLOW_MS)
        yield chromium
        chromium.close()


def _logged_in(window: Browser, whole: Whole, width: int) -> Page:
    page = window.new_context(viewport={"width": width, "height": 844}, base_url=whole.address).new_page()
    page.set_default_timeout(SLOW_MS)
    page.goto("/")
    page.locator("input[name=username]").fill("admin")
    page.locator("input[name=password]").fill(PASSWORD)
    with page.expect_navigation(url=f"{whole.address}/"):
        page.keyboard.press("Enter")
    return page


@pytest.mark.browser
def test_a_person_takes_a_goal_through_the_pages_alone(whole: Whole, window: Browser) -> None:
    page = _logged_in(window, whole, 390)
    page.locator("textarea[name=text]").first.fill(
        "Create a Python project named weather with a virtual environment and a script that prints the Python version"
    )
    expect(page.get_by_text("would plan this")).to_be_visible()
    page.get_by_role("button", name="Submit goal").click()
    page.get_by_role("link", name="Review the plan").click()
    expect(page.get_by_text("python main.py").first).to_be_visible()
    approve(page)
    page.wait_for_url(re.compile(r"/goals/\d+/"))
    # Live: nobody reloads this page.
    expect(page.locator("#goal-state")).to_contain_text("achieved")
    expect(page.get_by_role("log")).to_contain_text(re.compile(r"Python 3\.\d+"))
    numbers = [int(text) for text in page.locator(".term-lines .ln").all_inner_texts()]
    assert numbers == list(range(1, len(numbers) + 1))
    expect(page.get_by_role("log")).to_contain_text("remembered as an experience")
    page.goto("/memory/?q=python+project")
    expect(page.get_by_text("weather").first).to_be_visible()
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.browser
def test_a_browser_that_was_away_gets_exactly_the_lines_it_missed(whole: Whole, window: Browser) -> None:
    slow = "import time\nfor n in range(60):\n    print(n, flush=True)\n    time.sleep(0.1)\n"
    number, plan = whole.plan_by_hand(
        {"tool": "simple_coder", "command": "write", "params": {"path": "slow.py", "content": slow}},
        {"tool": "simple_coder", "command": "run", "params": {"command_line": "python slow.py"}},
    )
    page = _logged_in(window, whole, 1280)
    page.goto(f"/goals/{number}/")
    whole.approve(plan)
    expect(page.get_by_role("log")).to_contain_text("5")
    page.context.set_offline(True)
    page.evaluate("window.dispatchEvent(new Event('offline'))")
    whole.wait_for(number, "achieved")
    wait_until(lambda: any("remembered" in text for text in whole.log(number)), what="the last line of the log")
    page.context.set_offline(False)
    # A program that only the plan by hand names: nothing says what it must bring about.
    expect(page.locator("#goal-state")).to_contain_text("ran, not checked")
    expect(page.locator(".term-lines .ln").last).to_have_text(str(len(whole.log(number))))
    numbers = [int(text) for text in page.locator(".term-lines .ln").all_inner_texts()]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert numbers[0] == 1
