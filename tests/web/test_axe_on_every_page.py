"""Every page of the application in one Chromium, as axe reads it: wide and light, narrow and dark.

The list of pages is the URLconf's. What is no page is named with what it is; `test_words_on_every_page` asks for it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from playwright.sync_api import Page

from agents.models import BusRequest, EnvironmentPolicy
from library.models import Component, ModelCall
from people.models import User
from people.roles import Role
from tests.axe import SCRIPT
from tests.browser import COVERED, sideways
from tests.review.plans import person
from tests.web.furnished import Furnished, People, furnish

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
OpenPage = Callable[..., Page]


@dataclass(frozen=True)
class Place:
    """A page: who opens it, and with which arguments and query."""

    who: str
    args: Callable[[Furnished], list[Any]] = lambda _: []
    query: Callable[[Furnished], str] = lambda _: ""


def _goal(all_: Furnished) -> list[Any]:
    return [all_.done.pk]


def _files(all_: Furnished) -> list[Any]:
    return [all_.workspace.name]


def _first(all_: Furnished) -> str:
    return str(all_.workspace.changes.order_by("pk")[0].after)


def _plan(all_: Furnished) -> list[Any]:
    return [all_.waiting.pk]


# One name may be several pages.
PAGES: dict[str, list[Place]] = {
    "login": [Place("")],
    "overview": [Place("owner"), Place("judge")],
    "account": [Place("owner")],
    "goals": [Place("owner"), Place("owner", query=lambda _: "?q=nothing+fits")],
    "goal-new": [Place("owner", query=lambda _: "?text=Write+a+note+named+two+saying+second")],
    "goal": [
        Place("owner", _goal),
        Place("owner", lambda all_: [all_.manual.pk]),
        Place("owner", lambda all_: [all_.flow.goal_id]),
        Place("owner", lambda all_: [all_.guest.pk]),
    ],
    "goal-plans": [Place("owner", _goal), Place("owner", lambda all_: [all_.sent_back.pk])],
    "goal-beliefs": [Place("owner", _goal), Place("owner", lambda all_: [all_.waiting.goal_id])],
    "goal-attempts": [Place("owner", _goal)],
    "goal-report": [
        Place("owner", lambda all_: [all_.analysed.intent_plan.goal_id, all_.analysed.pk]),
        Place("owner", lambda all_: [all_.improved.intent_plan.goal_id, all_.improved.pk]),
    ],
    "goal-files": [Place("owner", _goal)],
    "goal-session": [Place("owner", _goal)],
    "goal-answer": [Place("owner", lambda all_: [all_.asking.pk])],
    "goal-hand": [Place("owner", lambda all_: [all_.stuck.pk])],
    "goal-decisions": [Place("owner", _goal)],
    "goal-cancel": [Place("owner", lambda all_: [all_.manual.pk])],
    "goal-terms": [Place("owner", lambda all_: [all_.manual.pk])],
    "goal-design": [Place("owner", lambda all_: [all_.sent_back.pk])],
    "goal-plan-by-hand": [Place("owner", lambda all_: [all_.manual.pk])],
    "workspaces": [Place("owner")],
    "workspace": [Place("owner", _files)],
    "workspace-history": [Place("owner", _files)],
    "workspace-compare": [Place("owner", _files, lambda all_: f"?from={_first(all_)}&to={all_.workspace.head}")],
    "workspace-back": [Place("owner", lambda all_: [all_.workspace.name, _first(all_)])],
    "workspace-folder": [Place("owner", lambda all_: [all_.workspace.name, "in"])],
    "workspace-file": [Place("owner", lambda all_: [all_.workspace.name, "held.txt"])],
    "workspace-delete": [Place("owner", lambda all_: [all_.workspace.name, "held.txt"])],
    "agents-foreign": [Place("keeper"), Place("owner")],
    "mastermind": [Place("keeper"), Place("owner", query=lambda _: "?line=evolve+the+git+tool")],
    "mastermind-backlog": [
        Place("keeper"),
        Place("keeper", query=lambda _: "?state=&critical=on"),
        Place("owner", query=lambda _: "?q=nothing+fits"),
    ],
    "mastermind-copy": [
        Place("owner", lambda all_: [all_.copy.pk]),
        Place("keeper", lambda all_: [all_.copy.pk]),
    ],
    "mastermind-item": [Place("keeper", lambda all_: [all_.item.pk])],
    "rules": [Place("keeper")],
    "evolution": [Place("keeper")],
    "version-trials": [Place("keeper"), Place("owner")],
    "version-trial-new": [
        Place("keeper", query=lambda all_: f"?component={all_.prompt.component_id}&b={all_.prompt.pk}&mode=live"),
        Place("owner", query=lambda all_: f"?component={all_.rule.pk}"),
    ],
    "version-trial": [
        Place("keeper", lambda all_: [all_.trials[0]]),
        Place("owner", lambda all_: [all_.trials[1]]),
    ],
    "library": [Place("keeper"), Place("keeper", query=lambda _: "?task=total+a+list&q=python&status=")],
    "library-component": [
        Place("keeper", lambda _: [Component.objects.latest("pk").pk]),
        Place("keeper", lambda _: [Component.objects.get(kind="prompt", name="plan").pk]),
        Place("keeper", lambda all_: [all_.prompt.component_id], lambda all_: f"?version={all_.prompt.pk}"),
    ],
    "library-prompt": [Place("keeper", lambda _: [Component.objects.get(kind="prompt", name="plan").pk])],
    "agents": [Place("owner")],
    "system-agents": [Place("owner")],
    "architect": [Place("owner")],
    "agent": [
        Place("owner", lambda all_: [all_.manual.agent_id]),
        Place("keeper", lambda all_: [all_.manual.agent_id]),
        Place("owner", lambda all_: [all_.guest.agent_id]),
    ],
    "tools": [Place("owner")],
    "tool": [
        Place("owner", lambda _: ["simple_coder"]),
        Place("owner", lambda _: ["audit_and_improve"]),
        Place("keeper", lambda _: ["word_count"]),
    ],
    "tool-new": [Place("keeper"), Place("keeper", query=lambda _: "?example")],
    "mcp-servers": [Place("owner"), Place("keeper")],
    "mcp-server": [Place("owner", lambda all_: [all_.mcp]), Place("keeper", lambda all_: [all_.mcp])],
    "tool-edit": [Place("keeper", lambda _: ["word_count"])],
    "bus": [Place("owner"), Place("owner", query=lambda _: "?task=write+a+file")],
    "bus-requests": [Place("owner"), Place("owner", query=lambda _: "?q=nothing+fits")],
    "bus-request": [
        Place("owner", lambda _: [BusRequest.objects.filter(state="answered").latest("pk").pk]),
        Place("owner", lambda _: [BusRequest.objects.filter(state="with_goal").latest("pk").pk]),
    ],
    "bus-log": [Place("owner"), Place("keeper", query=lambda _: "?side=system")],
    "bus-breakers": [Place("owner"), Place("keeper", query=lambda _: "?failures=1&cooldown_s=9&try=1")],
    "modular": [Place("owner"), Place("keeper")],
    "modular-new": [Place("owner")],
    "modular-run": [
        Place("owner", lambda all_: [all_.modular], query=lambda _: "?node=2"),
        Place("owner", lambda all_: [all_.modular + 1]),
    ],
    "modular-compare": [Place("owner", lambda all_: [all_.modular], query=lambda _: "?left=1&right=2")],
    "environments": [Place("owner"), Place("keeper", query=lambda _: "?environment=scienceworld")],
    "environment-run": [
        Place("owner", lambda all_: [all_.environment], query=lambda _: "?step=2"),
        Place("owner", lambda all_: [all_.environment + 1]),
    ],
    "environment-rules": [Place("owner", lambda all_: [all_.environment])],
    "environment-policies": [Place("owner"), Place("keeper")],
    "environment-policy": [
        Place("keeper", lambda _: [EnvironmentPolicy.objects.latest("pk").pk]),
    ],
    "workflows": [Place("owner"), Place("judge")],
    "workflow": [
        Place("judge", lambda _: [Component.objects.get(kind="workflow", name="Greet").pk]),
        Place("keeper", lambda _: [Component.objects.filter(kind="workflow").latest("pk").pk]),
    ],
    "workflow-new": [Place("judge")],
    "workflow-edit": [Place("judge", lambda _: [Component.objects.get(kind="workflow", name="Greet").pk])],
    "firmware": [Place("owner"), Place("keeper")],
    "firmware-new": [Place("keeper")],
    "rule-new": [Place("keeper")],
    "rules-import": [Place("keeper")],
    "rules-coverage": [Place("keeper"), Place("owner")],
    "rules-proposals": [Place("keeper")],
    "rules-try": [
        Place("keeper"),
        Place("owner", query=lambda _: "?premise=The+door+is+not+open.&hypothesis=The+door+is+closed."),
    ],
    "rule": [Place("keeper", lambda all_: [all_.rule.pk])],
    "rule-edit": [Place("keeper", lambda all_: [all_.rule.pk])],
    "memory": [Place("owner"), Place("owner", query=lambda _: "?q=note")],
    "experience": [Place("owner", lambda all_: [all_.experience.pk])],
    "experience-forget": [Place("owner", lambda all_: [all_.experience.pk])],
    "insights-models": [Place("keeper"), Place("keeper", query=lambda _: "?from=2020-01-01&to=2020-02-01")],
    "insights-calls": [Place("keeper")],
    "insights-call": [
        Place("keeper", lambda _: [ModelCall.objects.get(replay_of__isnull=False).pk]),
        Place("owner", lambda _: [ModelCall.objects.filter(state="failed").latest("pk").pk]),
    ],
    "insights-mind": [Place("keeper"), Place("keeper", query=lambda _: "?from=2020-01-01&to=2020-02-01")],
    "insights-corrections": [Place("keeper")],
    "insights-plannings": [Place("keeper"), Place("keeper", query=lambda _: "?from=2020-01-01&to=2020-02-01")],
    "insights-recoveries": [Place("keeper")],
    "recovery": [Place("keeper"), Place("keeper", query=lambda _: "?tool=simple_coder")],
    "recovery-failures": [Place("keeper"), Place("keeper", query=lambda _: "?tool=none")],
    "recovery-time": [Place("keeper"), Place("keeper", query=lambda _: "?failure_class=NETWORK_ERROR&tool=none")],
    "recovery-rules": [Place("keeper")],
    "tuning": [Place("keeper")],
    "tuning-new": [
        Place("keeper", lambda _: ["path_mapping"]),
        Place("keeper", lambda _: ["recovery_policy"]),
        Place("keeper", lambda _: ["failure_rule"]),
    ],
    "tuning-one": [
        Place("keeper", lambda _: ["parameter_settings", "current"]),
        Place("keeper", lambda all_: ["path_mapping", str(all_.mapping)]),
        Place("keeper", lambda _: ["recovery_setting", "retry_delay_seconds"]),
        Place("keeper", lambda _: ["stop_rules", "current"]),
    ],
    "taught": [Place("judge"), Place("keeper"), Place("owner")],
    "taught-one": [Place("judge", lambda all_: [all_.lesson]), Place("keeper", lambda all_: [all_.lesson])],
    "review": [Place("judge"), Place("judge", query=lambda _: "?risk=high&by=olga&words=nothing+fits")],
    "review-group": [Place("judge", lambda all_: [all_.waiting.queue_entry.shape, all_.waiting.queue_entry.trial])],
    "review-assign": [Place("judge", query=lambda all_: f"?plan={all_.waiting.pk}")],
    "review-audit": [Place("admin")],
    "review-notices": [Place("judge")],
    "review-levels": [Place("judge")],
    "inbox": [Place("judge")],
    "inbox-request": [Place("judge", lambda all_: [all_.inbox]), Place("owner", lambda all_: [all_.decided])],
    "review-level": [Place("judge", lambda all_: [all_.design.pk]), Place("judge", lambda all_: [all_.choice.pk])],
    "review-level-compare": [Place("judge", lambda all_: [all_.design.pk, 1])],
    "review-plan": [
        Place("judge", _plan),
        Place("judge", lambda all_: [all_.revised.pk]),
        Place("judge", lambda all_: [all_.flow.pk]),
        Place("owner", lambda all_: [all_.done.intent_plans.get().pk]),
    ],
    "review-compare": [Place("judge", lambda all_: [all_.revised.pk, 1])],
    "review-against": [Place("judge", lambda all_: [all_.revised.pk, all_.waiting.pk])],
    "review-teach": [Place("judge", lambda all_: [all_.revised.pk, 1, "path"])],
    "review-edit": [Place("judge", lambda all_: [all_.waiting.pk, 2])],
    "policies": [Place("keeper"), Place("keeper", query=lambda _: "?history=1")],
    "policy-new": [Place("keeper")],
    "policy": [Place("keeper", lambda all_: [all_.policy.pk])],
    "policy-edit": [Place("keeper", lambda all_: [all_.policy.pk])],
}

# Addresses that take a POST only: a GET is refused as 405.
ACTIONS = {
    "logout",
    "account-password",
    "token-new",
    "token-revoke",
    "goal-example",
    "goal-type-in",
    "goal-type-cancel",
    "goal-again",
    "goal-again-with-access",
    "goal-plan-again",
    "goal-take-over",
    "goal-outcome",
    "goal-belief-tell",
    "goal-belief-deny",
    "goal-belief-retract",
    "goal-belief-back",
    "goal-plan-check",
    "workspace-upload",
    "mastermind-copy-decide",
    "mastermind-decide",
    "mastermind-process",
    "mastermind-lift",
    "agent-commitment",
    "agent-memory",
    "memory-ask",
    "memory-merge",
    "experience-part",
    "experience-rate",
    "agent-pause",
    "agents-go-on",
    "agents-stop",
    "agent-resume",
    "agent-version",
    "recovery-reset",
    "recovery-reset-back",
    "recovery-correct",
    "recovery-rule-switch",
    "tuning-revert",
    "taught-take-back",
    "taught-promote",
    "rule-check",
    "tool-check",
    "tool-evolve",
    "mcp-server-refresh",
    "mcp-server-remove",
    "tool-version",
    "bus-ask",
    "bus-request-act",
    "modular-do",
    "modular-answer",
    "modular-branch",
    "environment-do",
    "environment-answer",
    "environment-policy-do",
    "bus-settings",
    "bus-breaker-close",
    "workflow-check",
    "workflow-process",
    "workflow-define",
    "workflow-version",
    "workflow-evolve",
    "workflow-search",
    "rule-evolve",
    "rule-search",
    "tool-search",
    "library-when",
    "library-prompt-version",
    "library-prompt-evolve",
    "library-prompt-search",
    "library-replay",
    "a2a",
    "oidc-connect",
    "oidc-disconnect",
    "insights-call-again",
    "version-trial-stop",
    "evolution-dismiss",
    "evolution-grant",
    "evolution-restore",
    "rule-version",
    "firmware-version",
    "review-notices-read",
    "review-notices-choice",
    "review-level-decide",
    "inbox-decide",
    "inbox-cancel",
    "review-try-again",
    "review-extend",
    "review-undo",
    "review-undo-batch",
    "review-edit-as-said",
    "review-withdraw",
    "review-second",
    "review-say",
    "review-settle",
    "review-answer",
    "review-contradict",
    "review-filters",
    "review-group-decide",
    "review-filter-delete",
    "policy-act",
}
# Parts of a page that a script asks for, data and files: nothing that a person reads as a page.
PARTS: dict[str, Callable[[Furnished], list[Any]]] = {
    "agents-foreign-readings": lambda _: [],
    "goal-preview": lambda _: [],
    "goal-state": _goal,
    "goal-log": _goal,
    "goal-log-raw": _goal,
    "goal-log-line": lambda all_: [all_.done.pk, 1],
    "goal-plan-phrases": lambda all_: [all_.manual.pk],
    "workspace-archive": _files,
    "workspace-download": lambda all_: [all_.workspace.name, "held.txt"],
    "workspace-image": lambda all_: [all_.workspace.name, "held.txt"],
    "review-standing": _plan,
    "review-shadow": _plan,
    # Leads on to the comparison of what was chosen.
    "review-compare-choose": _plan,
    # Leads on to the plan that its form decides.
    "review-decide": _plan,
    "review-held": lambda all_: [all_.waiting.pk, 1],
    "review-held-batch": lambda _: ["none"],
    # Leads on to what it is about, or to a plan's page.
    "review-notice": lambda all_: [all_.notice.pk],
    # Leads on to the first of them.
    "insights": lambda _: [],
    # Lead on to the provider of sign-in and from there; without one there is nothing here.
    "oidc": lambda _: [],
    "oidc-return": lambda _: [],
    "favicon.ico": lambda _: [],
    "metrics": lambda _: [],
    "agent-card": lambda _: [],
    "memory-export": lambda _: [],
    "rules-export": lambda _: [],
    "modular-export": lambda all_: [all_.modular],
    "modular-advice": lambda _: [],
}


# The document is the same in both looks: all rules are held against the first, those about sight against the
# second as well, which keeps the walk short.
ALL_RULES: dict[str, Any] = {}
SIGHT = {"runOnly": ["color-contrast", "link-in-text-block", "scrollable-region-focusable"]}
LOOKS = ((1440, "light", ALL_RULES), (390, "dark", SIGHT))
# Without `preload` axe does not fetch every style sheet again for rules that this walk has no media for.
RUN_AXE = """rules => axe.run(document, {resultTypes: ["violations"], preload: false, ...rules}).then(found =>
    found.violations.map(one =>
        ({impact: one.impact, id: one.id, at: one.nodes.map(node => node.html.slice(0, 120)).slice(0, 3)})))"""

# A colour on its way from light to dark is neither.
STILL = "() => Promise.all(document.getAnimations().map(one => one.finished))"


def addresses(patterns: list[Any], before: str = "") -> Iterator[tuple[str, str]]:
    """Name and route of every address, without Django's administration and the API."""
    for pattern in patterns:
        route = f"{before}{pattern.pattern}"
        if isinstance(pattern, URLResolver):
            if pattern.namespace is None:
                yield from addresses(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern):
            yield pattern.name or route, route


@pytest.fixture
def furnished(transactional_db: None, monkeypatch: pytest.MonkeyPatch, admin: User) -> Furnished:
    from tests.library.vectors import install

    install(monkeypatch)
    people = People(
        owner=person("olga", Role.SUBMITTER, first_name="Olga", last_name="Berg"),
        judge=person("rita", Role.SUBMITTER, Role.REVIEWER, first_name="Rita", last_name="Holm"),
        keeper=person("kim", Role.OPERATOR, Role.REVIEWER, first_name="Kim", last_name="Aas"),
        admin=admin,
    )
    return furnish(people)


def test_every_address_is_a_page_of_the_walk_or_named_with_what_it_is_instead() -> None:
    known = [*PAGES, *ACTIONS, *PARTS]
    assert sorted(known) == sorted(set(known)), "a name stands twice"
    assert set(known) == {name for name, _ in addresses(get_resolver().url_patterns)}


@pytest.mark.long
def test_axe_finds_nothing_on_any_page_and_nothing_scrolls_sideways(furnished: Furnished, open_page: OpenPage) -> None:
    walked: dict[str, Page] = {}
    found: list[str] = []
    for name, places in PAGES.items():
        for place in places:
            if place.who not in walked:
                who = getattr(furnished.people, place.who) if place.who else None
                walked[place.who] = with_axe(open_page(who, "/login/"))
            address = reverse(name, args=place.args(furnished)) + place.query(furnished)
            found += looked_at(walked[place.who], name, address)
    assert found == []


def with_axe(page: Page) -> Page:
    """Every document that this page opens from now on brings axe along: handing it over anew takes longer."""
    page.add_init_script(SCRIPT)
    return page


def looked_at(page: Page, name: str, address: str) -> list[str]:
    """What is wrong with a page that brings axe along: wide and light, then narrow and dark."""
    see(page, *LOOKS[0][:2])
    answer = page.goto(address)
    if answer is None or answer.status != HTTPStatus.OK:
        return [f"{name}: {address} answered {answer and answer.status}"]
    found = []
    for number, (width, scheme, rules) in enumerate(LOOKS):
        if number:
            see(page, width, scheme)
        page.evaluate(STILL)
        violations = page.evaluate(RUN_AXE, rules)
        found += [f"{name} at {width}, {scheme}: {one['impact']} {one['id']} {one['at']}" for one in violations]
        found += [f"{name} at {width}: covered is {one}" for one in page.evaluate(COVERED)]
        if more := sideways(page):
            found.append(f"{name} at {width}: {more} px wider than the window")
        if folder := os.environ.get("SHOTS"):
            page.screenshot(path=Path(folder) / f"{name}-{width}.png")
    return found


def see(page: Page, width: int, scheme: Any) -> None:
    """The window's size and the person's colours."""
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
