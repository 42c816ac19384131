"""Menus on a phone: each opens wholly within the window, and nothing lies over what can be pressed in it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from agents.coordinator import backlog_taking
from agents.mastermind.stops import Rules
from agents.models import BacklogItem, IntentPlan
from people.models import User
from tests.forging import sealed

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PHONE = 390

# Of each menu that can be opened: by how many pixels its panel leaves the window, and what of it lies under something.
CUT_OFF = r"""() => {
  const found = [];
  for (const menu of document.querySelectorAll("details.menu")) {
    const opens = menu.querySelector("summary");
    if (!opens.checkVisibility({visibilityProperty: true})) continue;
    opens.scrollIntoView({block: "center"});
    menu.open = true;
    const name = opens.innerText.trim().slice(0, 40);
    const panel = menu.querySelector(":scope > .menu-panel"), box = panel.getBoundingClientRect();
    const out = Math.max(-box.left, box.right - innerWidth, -box.top, box.bottom - innerHeight);
    if (box.width < 1 || out > 0) found.push(`${name}: ${out} px out of the window`);
    for (const one of panel.querySelectorAll("a[href], button, select, textarea, input:not([type=hidden])")) {
      const {x, y, width, height} = one.getBoundingClientRect();
      const top = document.elementFromPoint(x + width / 2, y + height / 2);
      const inside = [one, ...(one.labels ?? [])].some((each) => each.contains(top) || top?.contains(each));
      if (!top || !inside)
        found.push(`${name}: ${one.tagName} “${(one.innerText || one.name).slice(0, 30)}” under ${top?.className}`);
    }
    menu.open = false;
  }
  return found;
}"""


def test_no_menu_is_cut_off_on_a_phone(
    owner: User, admin: User, propose_plan: Callable[..., IntentPlan], open_page: Callable[..., Page]
) -> None:
    plan = propose_plan(owner, [{"tool": "simple_coder", "command": "mkdir", "params": {"path": "notes"}}])
    sealed(BacklogItem.objects.create(target="tool:reader", suggestion="Keep numbers", text_key="x", by=owner))
    backlog_taking.save_rules(Rules(per_day=0), 0.88, by=admin)
    page = open_page(admin, "/agents/", width=PHONE)
    home, found = page.url.removesuffix("/agents/"), {}
    for address in ("/agents/", "/review/", f"/review/{plan.pk}/", "/mastermind/backlog/"):
        page.goto(f"{home}{address}")
        assert page.locator("details.menu").count() > 0, f"{address} has no menu to look at"
        found[address] = page.evaluate(CUT_OFF)
    assert found == {address: [] for address in found}
