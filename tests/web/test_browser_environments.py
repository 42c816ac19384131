"""A person looks on in Chromium: starts a run, sees it go on by itself, steps back, chooses, trains a policy."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from agents.models import EnvironmentPolicy, EnvironmentRun
from agents.simulations import training, working
from people.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_person_watches_an_agent_think(operator: User, open_page: Callable[..., Page]) -> None:
    page = open_page(operator, "/environments/")
    page.get_by_label("Task").select_option("tea")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("No action yet", exact=True)).to_be_visible()
    working.work(EnvironmentRun.objects.get().pk)
    # The page asks by itself.
    expect(page.get_by_role("heading", name="Action 9 of 9")).to_be_visible()
    expect(page.get_by_text("task done")).to_be_visible()
    page.get_by_role("link", name="First").click()
    expect(page.get_by_role("heading", name="Action 1 of 9")).to_be_visible()
    page.get_by_role("link", name="Play").click()
    expect(page.get_by_role("heading", name="Action 4 of 9")).to_be_visible()
    page.get_by_role("link", name="Stop playback").click()
    page.get_by_role("link", name=re.compile("turn on kettle")).click()
    expect(page.get_by_text("The kettle is off. perceived")).to_be_visible()


def test_a_person_chooses_and_trains(operator: User, open_page: Callable[..., Page]) -> None:
    page = open_page(operator, "/environments/")
    page.get_by_label("Variation").fill("9")
    page.get_by_label("Rules", exact=True).select_option("0")
    page.get_by_label("Where no rule applies").select_option("person")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("No action yet", exact=True)).to_be_visible()
    run = EnvironmentRun.objects.get()
    for number, action in enumerate(("take key", "go to kitchen", "put key in box"), start=1):
        working.work(run.pk)
        expect(page.get_by_role("heading", name=f"Action {number} is yours to choose")).to_be_visible()
        page.get_by_label("Action", exact=True).fill(action)
        page.get_by_role("button", name="Do it").click()
        expect(page.get_by_role("heading", name=f"Action {number} is yours to choose")).to_be_hidden()
    working.work(run.pk)
    expect(page.get_by_text("task done")).to_be_visible()
    page.goto("/environments/policies/")
    page.get_by_label("Episodes").fill("3")
    page.get_by_role("button", name="Train").click()
    expect(page.get_by_text("waiting for a worker")).to_be_visible()
    training.work(EnvironmentPolicy.objects.get().pk)
    expect(page.get_by_text(re.compile("Score of 3 episodes"))).to_be_visible()
    page.get_by_role("button", name="Forget what was learned").click()
    expect(page.get_by_text("No episode was played yet.")).to_be_visible()
