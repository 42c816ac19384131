"""The review pages in real Chromium: by keyboard, without scripts, on a phone, and while somebody else decides."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page, Route, WebSocketRoute, expect

from agents.models import IntentPlan
from people.models import User
from people.roles import Role
from review.deciding import decisions
from review.models import Approval, Decision
from review.policy.verdict import Action
from tests.browser import arrived, chromium, open_page, sideways, wait_in  # noqa: F401  # two are fixtures
from tests.review.plans import MKDIR, WRITE, goal_of, person, proposed, step
from tests.review.some_policies import in_force

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
OpenPage = Callable[..., Page]
FIVE = (
    MKDIR,
    WRITE,
    step("toggle_autonomous_mode", on=True),
    step("rm", path="old"),
    step("run", command_line="ls -l"),
)


@pytest.fixture
def plans(submitter: User) -> list[IntentPlan]:
    """Three plans that wait, in the queue's order."""
    return [proposed(goal_of(submitter, f"Write note {number}")) for number in (1, 2, 3)]


def with_socket(page: Page) -> list[WebSocketRoute]:
    """Answer the queue's socket in the test's stead of the server, which here speaks HTTP only."""
    sockets: list[WebSocketRoute] = []
    page.route_web_socket("**/ws/queue/", lambda socket: sockets.append(socket))
    return sockets


def hint(page: Page, sockets: list[WebSocketRoute]) -> None:
    """What the server sends when the queue is different."""
    wait_in(page, lambda: sockets, "the page's socket")
    sockets[-1].send(json.dumps({"changed": True}))


def test_a_queue_is_worked_through_by_keyboard_alone(
    plans: list[IntentPlan],
    judge: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    page = open_page(judge, "/review/")
    expect(page).to_have_title("(3) Review · mindX")
    page.locator("body").press("j")
    page.keyboard.press("Enter")
    arrived(page, "Write note 1")
    page.keyboard.press("j")
    arrived(page, "Write note 2")
    page.keyboard.press("k")
    arrived(page, "Write note 1")
    page.keyboard.press("a")
    arrived(page, "Write note 2")
    expect(page.locator("#toasts")).to_contain_text(f"Plan {plans[0].pk} approved")
    page.keyboard.press("r")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.type("the notes of others")
    page.get_by_role("button", name="Reject and drop the goal").click()
    arrived(page, "Write note 3")
    page.keyboard.press("c")
    page.keyboard.type("Use another folder")
    page.keyboard.press("Control+Enter")
    expect(page).to_have_url(f"/goals/{plans[2].goal_id}/")
    said = list(Decision.objects.order_by("pk").values_list("verdict", "comment"))
    assert said == [
        ("approve", ""),
        ("reject", "Not needed: the notes of others"),
        ("request_changes", "Use another folder"),
    ]


def test_a_key_pressed_on_the_way_to_the_next_plan_decides_neither(
    plans: list[IntentPlan],
    judge: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    page = open_page(judge, plans[0].get_absolute_url())
    asked: list[Route] = []
    page.route(f"**{plans[1].get_absolute_url()}", lambda route: asked.append(route))
    page.keyboard.press("j")
    wait_in(page, lambda: asked, "the way to the next plan")
    page.keyboard.press("a")
    for route in asked:
        route.continue_()
    page.unroute_all()
    arrived(page, "Write note 2")
    assert not Decision.objects.exists()


def test_a_key_that_is_held_down_decides_one_plan(
    plans: list[IntentPlan],
    judge: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    page = open_page(judge, plans[0].get_absolute_url())
    page.keyboard.down("a")
    arrived(page, "Write note 2")
    page.keyboard.down("a")
    page.keyboard.up("a")
    page.keyboard.press("j")
    arrived(page, "Write note 3")
    assert [decision.intent_plan for decision in Decision.objects.all()] == plans[:1]


def test_keys_that_are_switched_off_decide_nothing(
    plans: list[IntentPlan],
    judge: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    page = open_page(judge, plans[0].get_absolute_url())
    page.evaluate("localStorage.setItem('keys', 'off')")
    page.reload()
    for key in ("a", "j", "r"):
        page.locator("body").press(key)
    expect(page.locator("h1")).to_have_text("Write note 1")
    expect(page.locator("details.menu[open]")).to_have_count(0)
    assert not Decision.objects.exists()


def test_everything_can_be_decided_without_scripts(
    plans: list[IntentPlan],
    judge: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    page = open_page(judge, "/review/", scripts=False)
    page.get_by_role("link", name="Write note 1").click()
    page.get_by_label("Retries of each step").select_option("5")
    page.get_by_role("button", name="Approve").click()
    expect(page.locator("h1")).to_have_text("Write note 2")
    page.locator("summary", has_text="Reject").click()
    page.get_by_label("Wrong place").check()
    page.get_by_role("button", name="Reject and drop the goal").click()
    expect(page.locator("h1")).to_have_text("Write note 3")
    assert Approval.objects.get().envelope == {"tries": 5}
    assert Decision.objects.latest("pk").comment == "Wrong place"


def test_the_buttons_go_when_somebody_else_decides(
    plans: list[IntentPlan],
    judge: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    other = person("kai", Role.REVIEWER)
    page = open_page(judge, "/account/")
    sockets = with_socket(page)
    page.goto(plans[0].get_absolute_url())
    expect(page.locator("#decide")).to_be_visible()
    expect(page.locator(".plan-head")).to_contain_text("awaiting review")
    decisions.approve(plans[0], by=other, digest=plans[0].digest)
    hint(page, sockets)
    expect(page.locator("#standing")).to_contain_text("This plan is approved, by kai")
    expect(page.locator("#decide")).to_have_count(0)
    expect(page.locator(".plan-head")).not_to_contain_text("awaiting review")
    expect(page.locator(".plan-head")).to_contain_text("proposed")
    expect(page.locator(".plan-head").get_by_role("button", name="Assign to me")).to_have_count(0)
    expect(page.locator("[data-tick], [data-edit]")).to_have_count(0)


@pytest.mark.parametrize(("code", "said"), [(4403, "Your session has ended"), (4429, "too many live pages open")])
def test_a_page_whose_socket_was_ended_says_so_and_asks_no_more(
    code: int,
    said: str,
    plans: list[IntentPlan],
    judge: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    page = open_page(judge, "/account/")
    asked: list[WebSocketRoute] = []

    def refuse(socket: WebSocketRoute) -> None:
        asked.append(socket)
        socket.close(code=code)

    page.route_web_socket("**/ws/queue/", refuse)
    page.goto(page.url.replace("/account/", "/review/"))
    expect(page.locator("#messages .notice")).to_contain_text(said)
    assert len(asked) == (2 if code == 4403 else 1), "asked again once where the session may only have been renewed"


def test_the_buttons_go_when_an_approval_would_mean_something_else(
    plans: list[IntentPlan],
    judge: User,
    keeper: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    other = person("kai", Role.REVIEWER)
    in_force(Action.REQUIRE_TWO, keeper, commands=["write", "mkdir"])
    page = open_page(judge, "/account/")
    sockets = with_socket(page)
    page.goto(plans[0].get_absolute_url())
    expect(page.locator("#decide")).to_contain_text("as first of two")
    decisions.approve(plans[0], by=other, digest=plans[0].digest)
    hint(page, sockets)
    expect(page.locator("#standing")).to_contain_text("kai approved this as the first of two.")
    expect(page.locator("#decide")).to_be_hidden()
    expect(page.locator("#plan-two")).to_contain_text("1 of 2 approvals, by kai")
    page.get_by_role("link", name="Reload the plan").click()
    expect(page.locator("#decide")).to_contain_text("as second of two")
    decisions.withdraw(plans[0], by=other, digest=plans[0].digest)
    hint(page, sockets)
    expect(page.locator("#standing")).to_contain_text("kai withdrew their approval.")
    expect(page.locator("#decide")).to_be_hidden()
    expect(page.locator("#plan-two")).to_contain_text("Two people must approve this.")
    decisions.request_changes(plans[0], by=other, digest=plans[0].digest, comment="elsewhere")
    hint(page, sockets)
    expect(page.locator("#standing")).to_contain_text("superseded")
    expect(page.locator("#plan-two")).not_to_contain_text("Two people")


def test_words_being_typed_survive_a_change_elsewhere_in_the_queue(
    plans: list[IntentPlan],
    judge: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    page = open_page(judge, "/account/")
    sockets = with_socket(page)
    page.goto(plans[0].get_absolute_url())
    page.locator("body").press("c")
    page.keyboard.type("Use another")
    decisions.reject(plans[1], by=judge, digest=plans[1].digest, reason="no")
    with page.expect_response("**/standing/**") as answer:
        hint(page, sockets)
    assert answer.value.status == 204
    expect(page.locator("#changes")).to_have_value("Use another")


def test_a_new_plan_appears_in_an_open_queue_and_in_its_title(
    plans: list[IntentPlan],
    submitter: User,
    judge: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    page = open_page(judge, "/account/")
    sockets = with_socket(page)
    page.goto("/review/")
    page.locator("body").press("j")
    page.keyboard.press("j")
    chosen = page.locator("[data-item][aria-current]").get_attribute("id")
    urgent = proposed(goal_of(submitter, "Write it now", priority=1))
    hint(page, sockets)
    expect(page.locator(f"#plan-{urgent.pk}")).to_be_visible()
    expect(page).to_have_title("(4) Review · mindX")
    assert page.locator("[data-item][aria-current]").get_attribute("id") == chosen


def test_five_steps_fit_one_screen_and_a_phone(submitter: User, judge: User, open_page: OpenPage) -> None:  # noqa: F811
    plan = proposed(goal_of(submitter, "Tidy"), FIVE)
    page = open_page(judge, plan.get_absolute_url(), width=1440)
    assert page.evaluate("document.scrollingElement.scrollHeight - innerHeight") <= 0
    assert sideways(page) == 0
    phone = open_page(judge, plan.get_absolute_url(), width=390)
    assert sideways(phone) == 0
    expect(phone.get_by_role("button", name="Approve")).to_be_in_viewport()
    phone.locator("summary", has_text="Reject").click()
    expect(phone.get_by_role("button", name="Reject and drop the goal")).to_be_in_viewport()
    queue = open_page(judge, "/review/", width=360)
    assert sideways(queue) == 0


def test_hostile_text_does_nothing_in_a_browser(submitter: User, judge: User, open_page: OpenPage) -> None:  # noqa: F811
    words = "</title><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\u202e"
    plan = proposed(
        goal_of(submitter, words), [step("write", path=f"{words}.txt", content=f"{words}\n{words}", why=words)]
    )
    page: Any = open_page(judge, plan.get_absolute_url())
    expect(page.locator(".intent")).to_contain_text("U+202E")
    assert page.title().startswith("Review: </title><script>")
    assert page.locator("main script, main img").count() == 0
    page.goto("/review/")
    assert page.title() == "(1) Review · mindX"


@pytest.mark.parametrize("width", [1280, 390])
def test_the_most_hosts_there_can_be_leave_room_for_the_decision(
    width: int,
    submitter: User,
    judge: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    hosts = tuple(f"{'a-long-name-of-a-host-' * 4}{number}.example:80{number:02}" for number in range(16))
    plan = proposed(goal_of(submitter), [replace(step("run", command_line="python ask.py"), hosts=hosts)])
    page = open_page(judge, f"/review/{plan.pk}/", width=width)
    approve = page.get_by_role("button", name=re.compile("^Approve"))
    expect(approve).to_be_in_viewport(ratio=1)
    bar = page.locator(".bound-reach")
    for host in hosts:
        expect(bar).to_contain_text(host)
    assert page.locator(".decision").evaluate("bar => bar.offsetHeight < innerHeight / 2")
    assert sideways(page) == 0


def test_what_is_hidden_in_a_long_pane_does_not_lengthen_the_page(
    submitter: User,
    judge: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    page = open_page(judge, proposed(goal_of(submitter)).get_absolute_url(), width=1440)
    page.evaluate("""document.querySelectorAll(".pane-scroll").forEach(pane => {
        for (let n = 0; n < 100; n++) pane.append(Object.assign(document.createElement("p"), { textContent: n }));
        pane.append(Object.assign(document.createElement("span"), { className: "vh", textContent: "hidden" }));
    })""")
    assert page.evaluate("document.scrollingElement.scrollHeight <= innerHeight")


def test_a_queue_whose_connection_is_cut_says_so_and_is_fresh_when_it_is_back(
    plans: list[IntentPlan],
    judge: User,
    open_page: OpenPage,  # noqa: F811
) -> None:
    page = open_page(judge, "/account/")
    sockets = with_socket(page)
    page.clock.install()
    page.goto(page.url.replace("/account/", "/review/"))
    wait_in(page, lambda: sockets, "the page's socket")
    note = page.locator("#review-cut")
    sockets[-1].send(json.dumps({"beat": True}))
    decisions.reject(plans[0], by=judge, digest=plans[0].digest, reason="no")
    page.clock.run_for(4_000)
    sockets[-1].send(json.dumps({"beat": True}))
    page.clock.run_for(4_000)
    expect(note).to_be_hidden()
    expect(page.locator(".qrow")).to_have_count(3)  # a sign of life is no news
    page.clock.run_for(1_200)
    expect(note).to_be_visible()
    page.clock.run_for(1_000)
    expect(note).to_be_hidden()
    expect(page.locator(".qrow")).to_have_count(2)
    page.context.set_offline(True)
    expect(note).to_be_visible()
    page.context.set_offline(False)
    expect(note).to_be_hidden()
