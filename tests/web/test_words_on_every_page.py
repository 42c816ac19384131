"""People read words: no page shows a state or a reason as programs write it, where it is not code that is quoted.

And what the walk of `test_axe_on_every_page` leaves out is no page. That is asked here since some of it is
asynchronous, and Django refuses to call it in a thread that has Playwright's event loop.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from html.parser import HTMLParser
from http import HTTPStatus

import pytest
from django.test import Client
from django.urls import get_resolver, reverse

from agents import states
from agents.bdi.intentions.cycle import AgentStatus
from agents.bdi.recovery.strategies import Strategy
from agents.presentation import endings
from agents.presentation.endings import TOLD_BY_THE_REST
from agents.states import GoalState, PlanState
from mindx_web.presentation import words
from tests.review.plans import goal_of
from tests.web.furnished import Furnished
from tests.web.test_axe_on_every_page import ACTIONS, PAGES, PARTS, addresses
from tests.web.test_axe_on_every_page import furnished as furnished

pytestmark = pytest.mark.django_db(transaction=True)
# What is quoted as it is: commands, files, logs. And what nobody reads.
_QUOTED = {"code", "pre", "kbd", "script", "style", "textarea", "title"}
_QUOTED_CLASSES = {"mono", "verbatim", "term", "cmd"}
_VOID = {"br", "hr", "img", "input", "link", "meta", "path", "source", "use", "wbr"}
_ENUMS = [AgentStatus, Strategy, *(one for one in vars(states).values() if isinstance(one, type))]


def _codes() -> Iterator[str]:
    """Every name that programs know and that is no word: it holds an underscore or shouts."""
    found = {str(one) for kind in _ENUMS if issubclass(kind, StrEnum) for one in kind}
    found |= {*endings._MANUAL, *endings._REASONS, *words._REASONS, "question_open", "planned_anew", "planned_later"}
    yield from (one for one in found if "_" in one or one.isupper())


CODES = frozenset(_codes())


class Read(HTMLParser):
    """The text of a page as people read it."""

    def __init__(self) -> None:
        super().__init__()
        self._open: list[tuple[str, bool]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _VOID:
            classes = set((dict(attrs).get("class") or "").split())
            self._open.append((tag, tag in _QUOTED or bool(classes & _QUOTED_CLASSES)))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not any(quoted for _, quoted in self._open):
            self.text += f" {data}"


def codes_in(page: str) -> set[str]:
    read = Read()
    read.feed(page)
    return set(CODES.intersection(re.findall(r"\w+", read.text)))


def test_a_code_is_seen_where_it_is_read_and_not_where_it_is_quoted() -> None:
    assert codes_in('<p title="awaiting_review">it is <b>awaiting_review</b></p>') == {"awaiting_review"}
    assert codes_in("<p>it is awaiting review<code>awaiting_review</code><br>FAILED_PLANNING</p>") == {
        "FAILED_PLANNING"
    }


@pytest.mark.parametrize("code", sorted(CODES))
def test_every_code_has_words(code: str) -> None:
    assert words.words(code) not in CODES
    said = f"{words.words(code)}: of a_file.py"
    # A question, and what mindX cannot do, are said by themselves: the badge beside them tells what is needed.
    assert words.words(f"{code}: of a_file.py") == ("of a_file.py" if code in TOLD_BY_THE_REST else said)


def test_a_plan_that_a_step_ended_is_told_by_the_step() -> None:
    reason = "TOOL_EXECUTION_ERROR: step 1 (simple_coder.run) failed: exit code 1"
    assert words.words(reason) == "step 1 (run) failed: exit code 1"


def test_no_page_shows_a_code(furnished: Furnished) -> None:
    people, client = furnished.people, Client()
    for state in GoalState:  # beside what the house has anyway, a goal in each state, each with a reason in code
        goal = goal_of(people.owner, f"Stand as {state.replace('_', ' ')}")
        type(goal).objects.filter(pk=goal.pk).update(state=state.value, reason="no_plan_is_open: as it is")
    plan = furnished.done.intent_plans.get()
    plan.transitions.create(
        goal=furnished.done, old=PlanState.AWAITING_REVIEW, new=PlanState.SUPERSEDED, by="x", reason="planned_anew: so"
    )
    type(plan).objects.filter(pk=plan.pk).update(reason="planned_anew: so")
    shown = {}
    for name, places in PAGES.items():
        for place in places:
            if place.who:
                client.force_login(getattr(people, place.who), backend="people.backends.SealedPeople")
            address = reverse(name, args=place.args(furnished)) + place.query(furnished)
            if found := codes_in(client.get(address).content.decode()):
                shown[address] = found
    assert shown == {}


def test_what_the_walk_leaves_out_is_no_page(furnished: Furnished) -> None:
    """An action refuses to be read, a part is no whole document."""
    client = Client()
    client.force_login(furnished.people.admin, backend="people.backends.SealedPeople")
    for name, route in addresses(get_resolver().url_patterns):
        if name in ACTIONS:
            assert client.get("/" + re.sub(r"<[^>]+>", "1", route)).status_code == HTTPStatus.METHOD_NOT_ALLOWED, name
    for name, args in PARTS.items():
        answer = client.get("/favicon.ico" if name == "favicon.ico" else reverse(name, args=args(furnished)))
        whole = answer.status_code == HTTPStatus.OK and not answer.streaming and b"<main" in answer.content
        assert not whole, f"{name} is a page"
