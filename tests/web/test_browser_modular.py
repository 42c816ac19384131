"""A modular run in real Chromium: ten steps, a state opened and edited, a branch, a person's rating, both compared.

Once with a finger on a phone in the dark, once with nothing but the keyboard.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from agents.models import ModularRun
from agents.modular import states, working
from people.models import User
from tests.agents.modular.test_runs import says
from tests.browser import sideways, wait_in
from tests.models.conftest import provider as provider
from tests.models.server import Provider

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
OpenPage = Callable[..., Page]
MOST_TABS = 250


class Finger:
    """Taps and fills."""

    def press(self, target: Locator) -> None:
        target.click()

    def write(self, target: Locator, text: str) -> None:
        target.fill(text)


class Keyboard:
    """Tabs to things and types. What cannot be reached so, or shows no focus there, fails the test."""

    def press(self, target: Locator) -> None:
        self._to(target)
        target.page.keyboard.press("Space" if target.get_attribute("type") == "radio" else "Enter")

    def write(self, target: Locator, text: str) -> None:
        self._to(target)
        target.page.keyboard.press("Control+A")
        target.page.keyboard.insert_text(text)

    def _to(self, target: Locator) -> None:
        expect(target).to_be_visible()
        for _ in range(MOST_TABS):
            target.page.keyboard.press("Tab")
            if target.evaluate("it => it === document.activeElement"):
                outline = target.evaluate("it => getComputedStyle(it).outlineStyle + getComputedStyle(it).boxShadow")
                assert outline != "nonenone", "nobody sees that it has the focus"
                return
        raise AssertionError(f"{target} cannot be reached by Tab")


def model(asked: Any) -> None:
    """It offers to go on or to wait, until a message says that it may end."""
    said = json.dumps(asked.server.asked[-1]["messages"][2:])
    turn = len(asked.server.asked)
    if "you may end" in said:
        asked.stream(says({"name": "submit", "arguments": {"answer": f"it took {turn} answers"}}, f"end, as {turn}"))
    else:
        asked.stream(says({"name": "note", "arguments": {"text": f"note {turn}"}}, f"answer {turn}"))


def worked(page: Page) -> ModularRun:
    """What a worker does meanwhile. The page is loaded again, as its fragments do by themselves every two seconds."""
    wait_in(page, lambda: ModularRun.objects.filter(state="ready").exists(), "the run is to go on")
    expect(page.locator("#status")).to_contain_text("waiting for a worker")
    working.work()
    page.reload()
    return ModularRun.objects.get()


@pytest.mark.parametrize(
    ("hand", "width", "scheme"), [(Finger(), 390, "dark"), (Keyboard(), 1440, "light")], ids=["finger", "keyboard"]
)
def test_a_state_is_opened_edited_continued_rated_and_compared(
    hand: Finger | Keyboard,
    width: int,
    scheme: str,
    provider: Provider,
    owner: User,
    open_page: OpenPage,
    valkey: object,
) -> None:
    provider.will_say(model)
    page = open_page(owner, "/modular/new/", width=width, scheme=scheme)
    hand.write(page.get_by_label("What should be achieved"), "Keep notes until you may stop.")
    page.locator("#toolkit").select_option("notes")
    samples = page.locator('[name="generator.model.samples"]')
    hand.write(samples, "2")
    hand.press(page.get_by_role("button", name="Start"))
    expect(page.get_by_role("heading", name="Tree")).to_be_visible()
    run = ModularRun.objects.get()
    hand.press(page.get_by_role("button", name="Pause"))
    hand.write(page.get_by_label("until step"), "11")
    hand.press(page.get_by_role("button", name="Run until"))
    run = worked(page)
    assert (run.state, run.at_step) == ("paused", 11), "ten steps behind its beginning"

    # Step 4 put the first answer into the tree; its node says how it came about.
    node = run.nodes.get(step=4).number
    hand.press(page.locator(".twig a", has=page.locator(".twig-no", has_text=str(node))).first)
    card = page.locator("#node")
    expect(card).to_contain_text("chosen")
    expect(page.locator(".twig[aria-current=true]")).to_contain_text("answer")
    hand.press(card.locator("summary", has_text="Edit and continue as a branch"))
    hand.write(card.get_by_label("Message", exact=True), "It is enough: you may end.")
    hand.write(card.get_by_label("Arguments of the call as JSON"), '{"text": "a better note"}')
    settings = card.get_by_label("Modules and settings as JSON")
    chosen = json.loads(settings.input_value())
    chosen["discriminator"] = {"name": "person", "settings": {}}
    hand.write(settings, json.dumps(chosen))
    hand.press(card.get_by_role("button", name="Continue as a branch", exact=True))
    expect(page.locator(".notice, [role=status]").first).to_contain_text("A new branch begins here")
    expect(card).to_contain_text(f"a copy of {node}")
    before = ModularRun.objects.get().at_step

    # A person rates what the model offers now, and takes the second one.
    run = worked(page)
    assert run.reason == "a person has to answer", run.reason
    person = page.locator("#person")
    hand.write(person.get_by_label("Rating, 0 to 1").nth(0), "0.2")
    second = person.get_by_role("radio", name="Option 2")
    if isinstance(hand, Finger):
        second.check()
    else:
        hand._to(person.get_by_role("radio", name="Option 1"))
        page.keyboard.press("ArrowDown")
        expect(second).to_be_checked()
    hand.write(person.get_by_label("Rating, 0 to 1").nth(1), "0.9")
    hand.press(person.get_by_role("button", name="Answer"))
    run = worked(page)
    assert (run.state, run.outcome) == ("ended", "achieved"), run.reason
    assert run.at_step > before
    state = states.tree_of(run)
    last = max(state.nodes)
    rated = next(one for one in state.nodes.values() if one.options and one.options[0].score is not None)
    assert ([one.score for one in rated.options], rated.chosen) == ([0.2, 0.9], 1)
    expect(page.locator("#status")).to_contain_text("submitted")
    expect(page.locator("#tree .is-path .is-here")).to_contain_text(str(last))

    # The new branch beside the old one.
    hand.press(page.locator(".twig a.is-here"))
    old = max(one.number for one in run.nodes.filter(step__lte=11))
    hand.write(card.get_by_label("Compare this path with the one to node"), str(old))
    hand.press(card.get_by_role("button", name="Compare"))
    expect(page.get_by_role("heading", name="Two branches")).to_be_visible()
    sides = page.locator("section.card")
    expect(sides.first).to_contain_text("you may end")
    expect(sides.first).to_contain_text("it took")
    expect(sides.nth(1)).to_contain_text("Nothing was submitted on it")
    tops = [sides.nth(at).evaluate("it => it.getBoundingClientRect().top") for at in (0, 1)]
    assert (tops[0] == tops[1]) is (width > 1000), "side by side where there is room"
    assert sideways(page) == 0
