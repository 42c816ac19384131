"""The history of a workspace in real Chromium: without a script, and on a narrow screen."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from agents.models import Workspace
from agents.workspaces import workspaces
from people.models import User
from tests.browser import sideways

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
LONG = "averylongwordwithoutspaces" * 6


@pytest.fixture
def moved(owner: User, make_workspace: Callable[..., Workspace]) -> Workspace:
    """A workspace with two states and names that want to break out of their column."""
    workspace = make_workspace(owner)
    for content in (b"one\n", f"two\n{LONG}\n".encode()):
        workspaces.put_file(workspace, by=owner, path=f"{LONG}.txt", source=io.BytesIO(content))
    return workspace


def test_two_chosen_states_are_compared_and_one_is_gone_back_to(
    owner: User, moved: Workspace, open_page: OpenPage
) -> None:
    first = moved.changes.order_by("pk")[0].after
    page = open_page(owner, f"/workspaces/{moved.name}/history/")
    page.locator(f'input[name="from"][value="{moved.head}"]').check()
    page.locator(f'input[name="to"][value="{first}"]').check()
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.locator(".diff-lines .a code").first).to_contain_text("one")
    with page.expect_navigation():
        page.get_by_role("link", name="History", exact=True).click()
    page.get_by_role("link", name=f"Go back to snapshot {first[:8]}").click()
    page.get_by_role("button", name="Go back to this state").click()
    expect(page.locator(".rows .row-title").first).to_contain_text("went back to")
    moved.refresh_from_db()
    assert moved.head == first


def test_nothing_scrolls_sideways_on_the_smallest_phone(owner: User, moved: Workspace, open_page: OpenPage) -> None:
    first = moved.changes.order_by("pk")[0].after
    base = f"/workspaces/{moved.name}/history/"
    for address in (base, f"{base}compare/?from={first}&to={moved.head}", f"{base}{first}/back/"):
        page = open_page(owner, address, width=360)
        assert sideways(page) == 0, address
