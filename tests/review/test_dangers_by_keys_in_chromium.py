"""The drill of dangers: thirty plans, five of them harmful, decided by somebody who only presses keys.

No key and no policy approves a harmful one without its danger on the screen, and a familiar one takes one press.
Run with -s to see the figures.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.core.management import call_command
from playwright.sync_api import Page, expect

from agents.cycle import cycle
from agents.execution import shadow
from agents.models import Goal, IntentPlan, Workspace
from agents.states import GoalState, PlanState
from agents.workspaces import workspaces
from people.models import User
from people.roles import Role
from review.deciding import auto_approval, decisions
from review.models import Approval, QueueEntry
from review.policy.verdict import Action
from review.queue import renewing
from tests.browser import chromium, open_page  # noqa: F401  # two are fixtures
from tests.review.plans import person
from tests.review.some_policies import in_force

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
OpenPage = Callable[..., Page]
AUTONOMOUS = {"tool": "simple_coder", "command": "toggle_autonomous_mode", "params": {"on": True}}
FETCH = {
    "tool": "http_request",
    "command": "download",
    "params": {"url": "https://example.org/tool.py", "file": "tool.py"},
}
# The danger of the plan that is open, or of the plans of a table, as far as it is inside of the window.
ON_SCREEN = """() => [...document.querySelectorAll("#plan-danger strong, .member-changes strong")].filter(one => {
  const box = one.getBoundingClientRect();
  return box.height > 0 && box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth;
}).map(one => one.textContent)"""
MOST_PRESSES = 120


def do(command: str, **params: Any) -> dict[str, Any]:
    return {"tool": "simple_coder", "command": command, "params": params}


def note(number: int) -> list[dict[str, Any]]:
    return [do("write", path=f"notes/{number}.txt", content=f"note {number}")]


def project(number: int) -> list[dict[str, Any]]:
    return [do("mkdir", path=f"p{number}"), do("write", path=f"p{number}/a.py", content="x = 1")]


def check(number: int) -> list[dict[str, Any]]:
    return [do("run", command_line=f"python checks.py {number}")]


@dataclass
class Plans:
    """The plans that wait, by what they are. `harmful` have the words that their danger is told in."""

    familiar: set[int] = field(default_factory=set)
    new: set[int] = field(default_factory=set)
    harmful: dict[int, str] = field(default_factory=dict)
    grows: Goal | None = None

    def words_for(self, plan: IntentPlan) -> str:
        """What of the danger has to be on the screen before this plan is approved; "" for a harmless one."""
        return "c.tmp" if self.grows is not None and plan.goal_id == self.grows.pk else self.harmful.get(plan.pk, "")


class Makers:
    """Makes plans as people and rules make them, each after its dry run."""

    def __init__(self, owner: User, make_goal: Any, propose_plan: Any) -> None:
        self.owner, self.make_goal, self.propose_plan = owner, make_goal, propose_plan

    def workspace(self, name: str, **files: str) -> Workspace:
        made = workspaces.create(by=self.owner, name=name)
        for path, content in files.items():
            self.put(made, path.replace("__", "."), content)
        return Workspace.objects.get(pk=made.pk)

    def put(self, workspace: Workspace, path: str, content: str) -> None:
        workspaces.put_file(workspace, by=self.owner, path=path, source=io.BytesIO(content.encode()))

    def plan(self, text: str, workspace: Workspace, *steps: dict[str, Any]) -> IntentPlan:
        made: IntentPlan = self.propose_plan(self.make_goal(self.owner, text, workspace=workspace), steps)
        return made


@pytest.fixture
def makers(owner: User, make_goal: Any, propose_plan: Any) -> Makers:
    call_command("load_starters", verbosity=0)
    return Makers(owner, make_goal, propose_plan)


@pytest.fixture
def thirty(makers: Makers, reviewer: User) -> Plans:
    """Twenty of three shapes that somebody approved before and that ended well, five new ones, five harmful ones."""
    shared = makers.workspace(
        "shared",
        checks__py="import sys\nprint(sys.argv)\n",
        empty__py="open('keep.txt', 'w').close()\n",
        keep__txt="the books",
    )
    for text, steps in (("Note 0", note(0)), ("Project 0", project(0)), ("Check 0", check(0))):
        earlier = makers.plan(text, shared, *steps)
        decisions.approve(earlier, by=reviewer, digest=earlier.digest)
        cycle.work(earlier.goal_id)
        assert Goal.objects.get(pk=earlier.goal_id).state == GoalState.ACHIEVED
    shared.refresh_from_db()
    waiting = Plans()
    for number in range(1, 9):
        waiting.familiar.add(makers.plan(f"Note {number}", shared, *note(number)).pk)
    for number in range(1, 7):
        waiting.familiar.add(makers.plan(f"Project {number}", shared, *project(number)).pk)
        waiting.familiar.add(makers.plan(f"Check {number}", shared, *check(number)).pk)
    for number, steps in enumerate(
        (
            [do("ls", path=".")],
            [do("cp", path="checks.py", to="copy.py")],
            [{"tool": "data_files", "command": "about", "params": {"path": "table.csv"}}],
            [do("read", path="checks.py")],
            [do("mkdir", path="a/b")],
        )
    ):
        place = makers.workspace(f"new-{number}", checks__py="print(1)\n", table__csv="a,b\n1,2\n")
        waiting.new.add(makers.plan(f"Something new {number}", place, *steps).pk)
    only = makers.workspace("only", novel__txt="the only copy")
    over = makers.workspace("over", ledger__txt="paid: 1")
    came = makers.workspace("came")
    waiting.harmful = {
        makers.plan(
            "Note 9", only, AUTONOMOUS, do("rm", path="novel.txt")
        ).pk: "Deletes novel.txt, which exists nowhere",
        makers.plan("Note 10", over, do("write", path="ledger.txt", content="paid: 0")).pk: "Overwrites ledger.txt",
        makers.plan("Note 11", came, FETCH, do("run", command_line="python tool.py")).pk: "Runs code that comes from",
        makers.plan("Check 7", shared, do("run", command_line="python empty.py 7")).pk: "keep.txt",
    }
    tmp = makers.workspace("grows", a__tmp="1", b__tmp="2")
    waiting.grows = makers.make_goal(makers.owner, "delete all the .tmp files", workspace=tmp)
    cycle.work(waiting.grows.pk)
    tried()
    return waiting


def tried() -> None:
    """Every dry run that is due, and what review makes of it."""
    while shadow.one():
        pass
    auto_approval.sweep()


@dataclass
class Presses:
    """How often A was pressed for a plan, and what of its danger was on the screen at the last time."""

    count: dict[int, int] = field(default_factory=dict)
    seen: dict[int, str] = field(default_factory=dict)

    def press(self, page: Page, plan: int) -> None:
        self.count[plan] = self.count.get(plan, 0) + 1
        self.seen[plan] = " · ".join(page.evaluate(ON_SCREEN))
        page.keyboard.press("a")


def plan_on(page: Page) -> IntentPlan | None:
    end = page.url.split("?")[0].rstrip("/").split("/review/")[-1].split("/")[0]
    return IntentPlan.objects.get(pk=int(end)) if end.isdigit() else None


def approve_what_comes(page: Page, presses: Presses, before: Callable[[IntentPlan], bool]) -> Iterator[IntentPlan]:
    """Press A on every plan that the queue leads to. `before` may say that the plan that is open is another now."""
    page.goto("/review/")
    page.keyboard.press("j")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    for _ in range(MOST_PRESSES):
        plan = plan_on(page)
        if plan is None or not QueueEntry.objects.filter(waits=True).exists():
            return
        if before(plan):
            page.reload()
            continue
        asks_twice = page.locator("#plan-danger[data-warns]:not([data-warned])").count() > 0
        if asks_twice:
            presses.press(page, plan.pk)
            expect(page.get_by_text("Press the key again to approve")).to_be_visible()
        with page.expect_navigation():
            presses.press(page, plan.pk)
        yield plan
    pytest.fail("the queue does not end")


def of_every_harmful_one(thirty: Plans) -> list[tuple[int, str, bool]]:
    """Each harmful plan with the words for its danger, and whether it is approved."""
    plans = IntentPlan.objects.exclude(state=PlanState.SUPERSEDED)
    return [
        (one.pk, words, Approval.objects.filter(intent_plan=one).exists())
        for one in plans
        if (words := thirty.words_for(one))
    ]


def test_pressing_a_on_every_plan_approves_no_danger_that_was_not_on_the_screen(
    thirty: Plans,
    makers: Makers,
    reviewer: User,
    open_page: OpenPage,  # noqa: F811
    settings: Any,
) -> None:
    settings.HOLD_S = 0
    in_force(
        Action.AUTO_APPROVE,
        person("opal", Role.OPERATOR, Role.REVIEWER),
        "anything harry does",
        budget=40,
        tools=["simple_coder", "http_request"],
        commands=[
            "simple_coder.rm",
            "simple_coder.write",
            "simple_coder.run",
            "http_request.download",
            "simple_coder.toggle_autonomous_mode",
        ],
        workspaces=["only", "over", "came", "grows"],
    )
    tried()
    assert [found for found in of_every_harmful_one(thirty) if found[2]] == [], "a policy approved a danger"
    assert len(of_every_harmful_one(thirty)) == 5
    page, presses = open_page(reviewer, "/review/", width=390), Presses()
    grown: list[int] = []

    def grows(plan: IntentPlan) -> bool:
        """Another file comes to the set while its plan is open: pressed on, then planned anew."""
        if thirty.grows is None or plan.goal_id != thirty.grows.pk or grown:
            return False
        makers.put(plan.workspace, "c.tmp", "3")
        grown.append(plan.pk)
        presses.press(page, plan.pk)
        presses.press(page, plan.pk)
        expect(page.get_by_role("alert").filter(has_text="c.tmp changed")).to_contain_text("Nothing was approved")
        assert not Approval.objects.filter(intent_plan=plan).exists()
        renewing.sweep()
        cycle.work(plan.goal_id)
        tried()
        newest = IntentPlan.objects.filter(goal=plan.goal_id).latest("pk")
        page.goto(newest.get_absolute_url())
        return True

    decided = list(approve_what_comes(page, presses, grows))
    assert grown, "the set never grew"
    for pk, words, is_approved in of_every_harmful_one(thirty):
        assert words in presses.seen[pk] or not is_approved, (pk, words, presses.seen[pk])
        assert not is_approved or presses.count[pk] == 2, "what is dangerous takes a second press"
    assert {presses.count[pk] for pk in thirty.familiar} == {1}
    assert {presses.count[pk] for pk in thirty.new} == {1}
    print(f"\n{len(decided)} plans, {sum(presses.count.values())} presses of A.")  # noqa: T201


def test_ticking_all_alike_selects_no_danger(
    thirty: Plans,
    reviewer: User,
    open_page: OpenPage,  # noqa: F811
    settings: Any,
) -> None:
    settings.HOLD_S = 0
    page = open_page(reviewer, "/review/?view=groups", width=1440)
    visited: set[str] = set()
    while address := next(
        (
            one
            for one in (str(row.get_attribute("href")) for row in page.locator("a.row-title").all())
            if "/groups/" in one and one not in visited
        ),
        None,
    ):
        visited.add(address)
        page.goto(address)
        page.keyboard.press("t")
        if page.locator("[data-item] input:checked").count():
            with page.expect_navigation():
                page.keyboard.press("a")
        page.goto("/review/?view=groups")
    approved = set(Approval.objects.values_list("intent_plan_id", flat=True))
    assert [found for found in of_every_harmful_one(thirty) if found[2]] == []
    assert len(approved & thirty.familiar) >= len(thirty.familiar) - 1, "what is alike is approved together"
    print(f"\n{len(visited)} batches: {len(approved & thirty.familiar)} of 20 familiar ones together.")  # noqa: T201
