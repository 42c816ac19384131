"""A person tunes in Chromium: tries a mapping on past commands, reads what it changes, saves it, and takes it back."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from agents.bdi.recovery.recovery import Standing
from agents.bdi.recovery.strategies import ALTERNATIVE, SIMPLER
from agents.cycle import cycle
from agents.models import FailureRecord, Goal
from agents.understanding import in_force
from agents.workspaces import workspaces
from people.models import User
from tests.axe import SCRIPT
from tests.browser import sideways
from tests.web.test_axe_on_every_page import LOOKS, RUN_AXE, STILL, see

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LONG = "averylongnamewithoutspaces" * 4


def looked_at(page: Page, name: str) -> list[str]:
    """What axe finds on the page as it stands, and whether it is wider than the window."""
    page.evaluate(SCRIPT)
    found = []
    for width, scheme, rules in LOOKS:
        see(page, width, scheme)
        page.evaluate(STILL)
        found += [f"{name} at {width}: {one['id']} {one['at']}" for one in page.evaluate(RUN_AXE, rules)]
        if more := sideways(page):
            found.append(f"{name} at {width}: {more} px wider than the window")
        if folder := os.environ.get("SHOTS"):
            page.screenshot(path=Path(folder) / f"{name}-{width}-{scheme}.png", full_page=True)
    see(page, *LOOKS[0][:2])
    return found


def test_a_mapping_is_tried_saved_and_taken_back(
    operator: User, owner: User, make_goal: Callable[..., Goal], open_page: Callable[..., Page]
) -> None:
    for text in ("show app", f"show {LONG}", "show app and list src"):
        goal = make_goal(owner, text)
        for path in ("src/app.py", "src/util.py", f"in/{LONG}.txt"):
            workspaces.put_file(goal.workspace, by=owner, path=path, source=io.BytesIO(b"x"))
        cycle.work(goal.pk)
    said = {"stage": "execution", "tool": "simple_coder", "command": "run", "facts": {}, "reason": LONG}
    standing = {"standing": Standing({SIMPLER: "x", ALTERNATIVE: "x"}).to_json()}
    for _ in range(5):
        FailureRecord.objects.create(
            goal=goal, weighed=standing, strategy="retry_with_delay", classified_as="NETWORK_ERROR",
            failure_class="NETWORK_ERROR", **said,
        )  # fmt: skip
    page = open_page(operator, "/tuning/")
    found = looked_at(page, "tuning")
    page.get_by_role("link", name="Write one of path mappings").click()
    page.get_by_label("As people say it").fill("app")
    page.get_by_label("Path", exact=True).fill("../outside")
    page.get_by_role("button", name="Try on past cases").click()
    expect(page.get_by_text("leads out of the workspace")).to_be_visible()
    found += looked_at(page, "tuning-refused")
    page.get_by_label("Path", exact=True).fill("src/util.py")
    page.get_by_role("button", name="Try on past cases").click()
    expect(page.get_by_role("heading", name="2 of 3 would end differently")).to_be_visible()
    found += looked_at(page, "tuning-trial")
    assert in_force.mapped() == ()
    page.get_by_label("Why").fill("It is the one we mean.")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("It is used from the next decision on.")).to_be_visible()
    page.get_by_label("In use").uncheck()
    page.get_by_role("button", name="Try on past cases").click()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Version 2")).to_be_visible()
    found += looked_at(page, "tuning-one")
    page.get_by_role("button", name="Restore version").click()
    expect(page.get_by_text("Version 3")).to_be_visible()
    assert [one.path for one in in_force.mapped()] == ["src/util.py"]
    page.goto(page.url.split("/tuning/")[0] + "/tuning/recovery_setting/retry_delay_seconds/")
    page.get_by_role("textbox", name="Value").fill("9")
    page.get_by_role("button", name="Try on past cases").click()
    expect(page.get_by_role("heading", name="5 of 5 would end differently")).to_be_visible()
    found += looked_at(page, "tuning-failures")
    assert found == []
