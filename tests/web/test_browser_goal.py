"""A goal's page, its files and the plan by hand in real Chromium. This server has no sockets: pages ask by HTTP."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from io import BytesIO

import pytest
from playwright.sync_api import Page, Route, WebSocketRoute, expect

from agents.models import Goal, IntentPlan
from agents.record import logs
from agents.record.logs import NewLine
from agents.record.moves import move_goal
from agents.states import GoalState
from agents.workspaces import workspaces
from people.models import User
from tests.browser import sideways, wait_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
Maker = Callable[..., Goal]
LONG = "averylongwordwithoutspaces" * 6


def fill(goal: Goal, count: int, text: str = "line") -> int:
    return logs.write(goal.pk, [NewLine("stdout", "execute", f"\x1b[3{n % 8}m{text} {n}") for n in range(count)])


def manual(goal: Goal) -> Goal:
    goal = move_goal(goal, GoalState.PLANNING, by="bdi_agent")
    return move_goal(goal, GoalState.MANUAL, by="bdi_agent", reason="no_relevant_rule")


def numbers(page: Page) -> list[int]:
    found: list[str] = page.locator(".term-lines .ln").all_inner_texts()
    return [int(text) for text in found]


def test_without_a_socket_the_page_asks_and_misses_nothing(owner: User, make_goal: Maker, open_page: OpenPage) -> None:
    goal = make_goal(owner)
    page = open_page(owner, f"/goals/{goal.pk}/")
    for _ in range(3):
        last = fill(goal, 150)
        expect(page.locator(f"#L{last}")).to_be_attached()
    shown = numbers(page)
    assert shown == list(range(1, last + 1))
    move_goal(goal, GoalState.PLANNING, by="bdi_agent")
    expect(page.locator("#goal-state")).to_contain_text("planning")
    expect(page.locator("#goal-timeline")).to_contain_text("Perceived the workspace")
    expect(page.locator("[data-status]")).to_contain_text("checking every 2 s")


@pytest.mark.parametrize(
    ("code", "said"),
    [(4403, "Your session has ended"), (4404, "no longer see this goal"), (4429, "too many live pages open")],
)
def test_a_page_whose_socket_was_ended_says_so_and_asks_no_more(
    code: int, said: str, owner: User, make_goal: Maker, open_page: OpenPage
) -> None:
    goal = make_goal(owner)
    page = open_page(owner, "/account/")
    asked: list[WebSocketRoute] = []

    def end(socket: WebSocketRoute) -> None:
        asked.append(socket)
        if len(asked) == 1:
            socket.send(json.dumps({"after": 0, "last": 0, "lines": ""}))
        socket.close(code=code)

    page.route_web_socket("**/ws/goals/**", end)
    page.goto(page.url.replace("/account/", f"/goals/{goal.pk}/"))
    expect(page.locator("[data-status]")).to_contain_text(said)
    assert len(asked) == (2 if code == 4403 else 1), "asked again once where the session may only have been renewed"


def test_a_page_whose_connection_is_cut_says_so_and_comes_back(
    owner: User, make_goal: Maker, open_page: OpenPage
) -> None:
    goal = make_goal(owner)
    page = open_page(owner, "/account/")
    sockets: list[WebSocketRoute] = []
    word = json.dumps({"after": 0, "last": 0, "lines": ""})
    mute = False

    def answer(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        if not mute:
            socket.send(word)

    page.route_web_socket("**/ws/goals/**", answer)
    page.route(re.compile("/log/?[?]"), lambda route: route.abort())
    page.clock.install()
    page.goto(page.url.replace("/account/", f"/goals/{goal.pk}/"))
    status, note = page.locator("[data-status]"), page.locator("#goal-cut")
    expect(status).to_contain_text("live")
    for _ in range(3):  # beats, and longer than a silence may be
        page.clock.run_for(3_000)
        sockets[-1].send(word)
        expect(status).to_contain_text("live")
    mute = True
    page.clock.run_for(6_000)
    expect(status).to_contain_text("reconnecting …")
    expect(note).to_be_visible()
    mute = False
    page.clock.run_for(30_000)
    expect(status).to_contain_text("live")
    expect(note).to_be_hidden()
    page.context.set_offline(True)
    expect(status).to_contain_text("reconnecting …")
    expect(note).to_contain_text("may be out of date")
    page.context.set_offline(False)
    expect(status).to_contain_text("live")
    expect(note).to_be_hidden()


def test_who_scrolls_up_reads_in_peace_and_follow_leads_back(
    owner: User, make_goal: Maker, open_page: OpenPage
) -> None:
    goal = make_goal(owner)
    last = fill(goal, 500)
    page = open_page(owner, f"/goals/{goal.pk}/")
    follow = page.locator("[data-follow]")
    expect(follow).to_have_attribute("aria-pressed", "true")
    expect(page.locator(f"#L{last}")).to_be_in_viewport()
    page.locator("[data-older]").click()
    expect(page.locator(f"#L{last - 399}")).to_be_attached()
    expect(follow).to_have_attribute("aria-pressed", "false")
    newest = fill(goal, 3, "new")
    expect(page.locator(f"#L{newest}")).to_be_attached()
    expect(page.locator(f"#L{newest}")).not_to_be_in_viewport()
    shown = numbers(page)
    assert shown == list(range(last - 399, newest + 1))
    follow.click()
    expect(page.locator(f"#L{newest}")).to_be_in_viewport()


def test_a_flood_keeps_the_page_small_and_its_end_in_sight(owner: User, make_goal: Maker, open_page: OpenPage) -> None:
    goal = make_goal(owner)
    page = open_page(owner, f"/goals/{goal.pk}/")
    last = fill(goal, 2_600)
    expect(page.locator(f"#L{last}")).to_be_in_viewport()
    assert page.locator(".term-lines > li").count() == 2_000
    expect(page.locator("[data-older]")).to_be_visible()


def test_a_goal_is_sent_by_keyboard_and_an_empty_one_is_not(owner: User, open_page: OpenPage) -> None:
    page = open_page(owner, "/goals/new/")
    field = page.locator("textarea[name=text]")
    field.press("Control+Enter")  # the browser says what is missing
    expect(page).to_have_url("/goals/new/")
    field.fill("Create the folder letters")
    field.press("Enter")
    expect(field).to_have_value("Create the folder letters\n")
    field.press("Control+Enter")
    expect(page.get_by_role("heading", name="Create the folder letters")).to_be_visible()
    assert Goal.objects.get().text == "Create the folder letters"


def test_cancelling_opens_a_dialog_that_says_what_stays(owner: User, make_goal: Maker, open_page: OpenPage) -> None:
    goal = make_goal(owner)
    page = open_page(owner, f"/goals/{goal.pk}/")
    page.locator("#goal-cancel").click()
    dialog = page.locator("#cancel")
    expect(dialog).to_be_visible()
    expect(dialog).to_contain_text("stays as it is")
    expect(dialog.get_by_role("button", name="Keep the goal")).to_be_focused()
    dialog.get_by_role("button", name="Keep the goal").click()
    expect(dialog).not_to_be_visible()
    page.locator("#goal-cancel").click()
    dialog.get_by_role("button", name="Cancel the goal").click()
    expect(page.locator("#goal-state")).to_contain_text("dropped")


def test_what_is_pressed_while_the_goal_moves_is_exchanged_when_it_was_let_go(
    owner: User, make_goal: Maker, open_page: OpenPage
) -> None:
    goal = make_goal(owner)
    page = open_page(owner, f"/goals/{goal.pk}/")
    page.locator("#goal-cancel").hover()
    page.mouse.down()
    manual(goal)
    expect(page.locator("#goal-state")).to_contain_text("needs a plan")
    page.mouse.up()
    expect(page.locator("#cancel")).to_be_visible()
    expect(page.locator("#goal-by-hand")).to_be_attached()


def test_a_chosen_phrase_stays_chosen_when_the_phrases_come_anew(
    owner: User, make_goal: Maker, open_page: OpenPage
) -> None:
    goal = manual(make_goal(owner))
    page = open_page(owner, f"/goals/{goal.pk}/plan")
    chosen = page.locator("#hand-suggestions [aria-selected=true]")
    page.locator("#hand-add").focus()
    expect(page.locator("#hand-suggestions li").first).to_be_visible()
    held: list[Route] = []
    page.route(re.compile(r"\?q=cr"), lambda route: held.append(route))
    page.keyboard.type("cr")
    page.keyboard.press("ArrowDown")
    text = chosen.get_attribute("data-text")
    wait_in(page, lambda: held, "the question for the phrases")
    held[0].fulfill(json={"items": [{"text": "another", "summary": ""}, {"text": text, "summary": ""}]})
    expect(page.locator("#hand-suggestions li").first).to_have_text("another")
    expect(chosen).to_have_attribute("data-text", str(text))


def test_a_plan_is_written_with_completion_by_keyboard(owner: User, make_goal: Maker, open_page: OpenPage) -> None:
    goal = manual(make_goal(owner, "Keep a diary"))
    page = open_page(owner, f"/goals/{goal.pk}/")
    with page.expect_navigation():
        page.locator("#goal-by-hand").click()
    line = page.locator("#hand-add")
    line.fill("create the fo")
    expect(page.get_by_role("option").first).to_contain_text("create the folder {path}")
    expect(line).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowDown")
    expect(line).to_have_attribute("aria-activedescendant", "hand-suggestion-0")
    page.keyboard.press("Enter")
    page.keyboard.type("diary")  # the open slot is selected
    expect(line).to_have_value("create the folder diary")
    page.keyboard.press("Enter")
    expect(page.locator("#hand-steps")).to_have_value("create the folder diary")
    expect(page.locator("#hand-check")).to_contain_text("no problems")
    expect(page.locator("#hand-check ins")).to_have_text("diary")
    page.locator("#hand-steps").fill("create the folder diary\nsing a song")
    expect(page.locator("#hand-check")).to_contain_text("line 2")
    page.locator("#hand-steps").fill("create the folder diary")
    expect(page.locator("#hand-check")).to_contain_text("no problems")
    page.get_by_role("button", name="Propose for review").click()
    expect(page.locator("#goal-state")).to_contain_text("awaiting review")
    assert IntentPlan.objects.get(goal=goal).intents.count() == 1


def test_everything_works_without_a_script(owner: User, make_goal: Maker, open_page: OpenPage) -> None:
    goal = manual(make_goal(owner, "Keep a diary"))
    last = fill(goal, 300)
    page = open_page(owner, f"/goals/{goal.pk}/", width=390, scripts=False)
    page.locator("a[data-older]").click()
    expect(page.locator(f"#L{last - 200}")).to_be_attached()
    page.get_by_role("link", name="Plan by hand").click()
    page.locator("#hand-add").fill("create the folder diary")
    page.locator("#hand-add").press("Enter")
    expect(page.locator("#hand-steps")).to_have_value("create the folder diary")
    page.select_option("#hand-command", "simple_coder.write")
    page.get_by_role("button", name="Show form").click()
    page.locator("#hand-p-path").fill("diary/one.txt")
    page.locator("#hand-p-content").fill("dear diary\n")
    page.get_by_role("button", name="Add this step").click()
    expect(page.locator("#hand-check")).to_contain_text("2 steps")
    page.get_by_role("button", name="Propose for review").click()
    expect(page.locator("#goal-state")).to_contain_text("awaiting review")
    page.locator("#goal-cancel").click()
    page.get_by_role("button", name="Cancel the goal").click()
    expect(page.locator("#goal-state")).to_contain_text("dropped")


@pytest.mark.parametrize("width", [360, 1280])
def test_no_page_of_a_goal_or_a_workspace_is_wider_than_the_window(
    width: int, owner: User, propose_plan: Callable[..., IntentPlan], make_goal: Maker, open_page: OpenPage
) -> None:
    name = f"notes/{LONG[:120]}.txt"
    step = {"tool": "simple_coder", "command": "write", "params": {"path": name, "content": LONG * 4 + "\n  x"}}
    plan = propose_plan(make_goal(owner, f"Write about {LONG}"), [step])
    workspace = plan.workspace
    workspaces.put_file(workspace, by=owner, path=name, source=BytesIO(LONG.encode() * 40))
    fill(plan.goal, 5, LONG * 3)
    page = open_page(owner, "/workspaces/", width=width)
    parts = ["", "plans/", "beliefs/", "attempts/", "files/", "decisions/", "plan", "cancel"]
    addresses = [f"/goals/{plan.goal_id}/{part}" for part in parts] + [
        f"/workspaces/{workspace.name}/{part}" for part in ("", "folder/notes", f"file/{name}", f"delete/{name}")
    ]
    for address in addresses:
        page.goto(address)
        assert sideways(page) <= 0, address


def test_a_file_is_sent_looked_at_and_saved(
    owner: User, make_workspace: Callable[..., object], open_page: OpenPage
) -> None:
    workspace = make_workspace(owner, name="letters")
    page = open_page(owner, "/workspaces/letters/")
    page.set_input_files("#upload-files", {"name": "hello.txt", "mimeType": "text/plain", "buffer": b"dear you\n"})
    page.get_by_role("button", name="Upload").click()
    page.get_by_role("link", name="hello.txt", exact=True).click()
    expect(page.locator(".diff-lines code")).to_have_text("dear you")
    with page.expect_download() as saved:
        page.get_by_role("link", name=re.compile("Download")).click()
    assert saved.value.suggested_filename == "hello.txt"
    assert saved.value.path().read_bytes() == b"dear you\n"
    assert workspace is not None


def test_a_long_log_is_read_from_any_line_by_scrolling(owner: User, make_goal: Maker, open_page: OpenPage) -> None:
    goal = make_goal(owner)
    last = fill(goal, 1_500)
    page = open_page(owner, f"/goals/{goal.pk}/?line=700")
    expect(page.locator("#L700")).to_be_in_viewport()
    page.locator("#L879").scroll_into_view_if_needed()
    expect(page.locator("#L1000")).to_be_attached()
    assert numbers(page) == sorted(set(numbers(page)))
    page.locator(".term-scroll").focus()
    page.keyboard.press("Home")
    expect(page.locator("#L1")).to_be_in_viewport()
    page.locator(".term-scroll").focus()
    page.keyboard.press("/")
    page.keyboard.type("no such text")
    page.keyboard.press("Enter")
    expect(page.get_by_text("is in no line")).to_be_visible()
    page.locator(".term-scroll").focus()
    page.keyboard.press("End")
    expect(page.locator(f"#L{last}")).to_be_in_viewport()
