"""What the pages of one web process share, that slow ones harm nobody, and a channel layer that goes away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from channels.layers import InMemoryChannelLayer, get_channel_layer
from django.urls import reverse

from agents.live import consumers, goal_watch
from agents.live import hub as hubs
from agents.pages.goals import goal_log
from agents.pages.goals.goal_page import GoalPage
from agents.record import wake_ups
from tests.web.test_live import Browser, Maker, hint, lines, one_transaction_and_no_redis, run

if TYPE_CHECKING:
    from django.test import Client

    from people.models import User

__all__ = ["one_transaction_and_no_redis"]
WITHIN_S = 45


async def wait_for(condition: Any) -> None:
    async with asyncio.timeout(WITHIN_S):
        while not condition():
            await asyncio.sleep(0.005)


async def joined(group: str) -> None:
    await wait_for(lambda: not hubs.hub().is_deaf and get_channel_layer().groups.get(group))


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers that were asked after, one for each look at the lines."""
    seen: list[int] = []

    def following(goal_id: int, number: int) -> goal_log.Window:
        seen.append(number)
        return real(goal_id, number)

    real = goal_log.following
    monkeypatch.setattr(goal_log, "following", following)
    return seen


def test_ten_pages_of_one_goal_are_one_subscription_and_one_look(
    owner: User, make_goal: Maker, looks: list[int]
) -> None:
    goal = make_goal(owner)

    async def work() -> None:
        pages = [Browser(owner, f"/ws/goals/{goal.pk}/?after=0") for _ in range(10)]
        for page in pages:
            await page.open()
            await page.fragments()
        await joined(wake_ups.goal_group(goal.pk))
        assert len(get_channel_layer().groups[wake_ups.goal_group(goal.pk)]) == 1
        before = await sync_to_async(goal.log_lines.count)()
        last = await sync_to_async(lines)(goal, "for all of them")
        await hint(goal)
        for page in pages:
            await page.read_until(last)
            assert page.numbers == list(range(1, last + 1))
        # One look found it; whoever else asked after this number would be a look of a page's own.
        assert looks.count(before) >= 1
        assert looks.count(last) <= looks.count(before) + 2
        for page in pages:
            await page.leave()
        assert hubs.hub()._listeners == {}

    run(work)


def test_fragments_are_drawn_for_each_person_and_once_for_the_pages_of_one(
    owner: User, reviewer: User, make_goal: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal = make_goal(owner)
    drawn: list[int] = []

    def fragments(page: GoalPage) -> dict[str, str]:
        drawn.append(page.user.pk)
        return real(page)

    real = GoalPage.fragments
    monkeypatch.setattr(GoalPage, "fragments", fragments)

    async def work() -> None:
        pages = [Browser(person, f"/ws/goals/{goal.pk}/") for person in (owner, owner, reviewer, owner)]
        for page in pages:
            await page.open()
        shown = [await page.fragments() for page in pages]
        assert "Cancel" in shown[0]["goal-actions"]
        assert "Cancel" not in shown[2]["goal-actions"]
        assert sorted(drawn) == sorted([owner.pk, reviewer.pk])
        for page in pages:
            await page.leave()

    run(work)


def test_a_page_that_takes_nothing_holds_up_no_other_and_loses_nothing(owner: User, make_goal: Maker) -> None:
    goal = make_goal(owner)

    async def work() -> None:
        quick = Browser(owner, f"/ws/goals/{goal.pk}/?after=0")
        slow = Browser(owner, f"/ws/goals/{goal.pk}/?after=0")
        for page in (quick, slow):
            await page.open()
            await page.fragments()
        consumer = slow.hold()
        last = 0
        for n in range(5):
            last = await sync_to_async(lines)(goal, *(f"round {n}, line {i}" for i in range(100)))
            await hint(goal)
            await quick.read_until(last)
        assert consumer.waiting <= 2, "the server keeps messages for a page that takes none"
        consumer.release()
        await slow.read_until(last)
        assert slow.numbers == quick.numbers == list(range(1, last + 1))
        for page in (quick, slow):
            await page.leave()

    run(work)


def test_a_page_that_is_far_behind_is_told_to_catch_up_by_itself(
    owner: User, make_goal: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers, "BEHIND_LINES", 50)
    goal = make_goal(owner)
    last = lines(goal, *(f"line {n}" for n in range(51)))

    async def work() -> None:
        page = Browser(owner, f"/ws/goals/{goal.pk}/?after=0")
        await page.open()
        assert await page.closed_with() == consumers.BEHIND
        near = Browser(owner, f"/ws/goals/{goal.pk}/?after={last - 50}")
        await near.open()
        await near.read_until(last)
        assert near.numbers == list(range(last - 49, last + 1))
        await near.leave()

    run(work)


@pytest.mark.parametrize("inside", [0, 7])
def test_a_page_far_behind_takes_what_is_kept_even_from_within_a_shared_message(
    owner: User, make_goal: Maker, monkeypatch: pytest.MonkeyPatch, inside: int
) -> None:
    monkeypatch.setattr(consumers, "BEHIND_LINES", 50)
    goal = make_goal(owner)
    base = lines(goal, "the first")

    async def work() -> None:
        page = Browser(owner, f"/ws/goals/{goal.pk}/?after={base}")
        await page.open()
        await page.read_until(base)
        last = base
        for n in range(6):
            last = await sync_to_async(lines)(goal, *(f"line {n}.{m}" for m in range(20)))
            await hint(goal)
            await page.read_until(last)
        late = Browser(owner, f"/ws/goals/{goal.pk}/?after={base + inside}")
        await late.open()
        await late.read_until(last)
        assert late.numbers == list(range(base + inside + 1, last + 1))
        for one in (page, late):
            await one.leave()

    run(work)


def test_what_is_kept_for_pages_a_little_behind_is_bounded(
    owner: User, make_goal: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(goal_watch, "KEPT_CHARS", 2_000)
    goal = make_goal(owner)

    async def work() -> None:
        page = Browser(owner, f"/ws/goals/{goal.pk}/?after=0")
        await page.open()
        last = 0
        for n in range(10):
            last = await sync_to_async(lines)(goal, f"{n}" * 500)
            await hint(goal)
            await page.read_until(last)
        kept = goal_watch.watch_of(goal.pk)._kept
        assert len(kept) < 10
        assert sum(len(news.text) for news in kept.values()) <= 2_000
        await page.leave()

    run(work)


def test_lines_arrive_while_the_layer_fails_and_hints_count_again_when_it_is_back(
    owner: User, make_goal: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(goal_watch, "LOOK_WHEN_DEAF_S", 0.02)
    monkeypatch.setattr(hubs, "RETRY_S", 0.02)
    goal = make_goal(owner)
    away = True

    async def joins(self: InMemoryChannelLayer, group: str, channel: str) -> None:
        if away:
            raise ConnectionError("Redis is away")
        await real(self, group, channel)

    real = InMemoryChannelLayer.group_add
    monkeypatch.setattr(InMemoryChannelLayer, "group_add", joins)

    async def work() -> None:
        nonlocal away
        page = Browser(owner, f"/ws/goals/{goal.pk}/?after=0")
        await page.open()
        await page.fragments()
        await page.read_until(await sync_to_async(lines)(goal, "nobody is told of this"))
        assert hubs.hub().is_deaf
        # From now on only a hint can bring a line in time.
        monkeypatch.setattr(goal_watch, "LOOK_EVERY_S", 3_600.0)
        away = False
        await joined(wake_ups.goal_group(goal.pk))
        last = await sync_to_async(lines)(goal, "of this it is told")
        await hint(goal)
        await page.read_until(last)
        assert page.numbers == list(range(1, last + 1))
        await page.leave()

    run(work)


def test_a_layer_that_hangs_keeps_no_page_waiting(
    owner: User, make_goal: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hanging(self: object, group: str, channel: str) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(InMemoryChannelLayer, "group_add", hanging)
    monkeypatch.setattr(goal_watch, "LOOK_WHEN_DEAF_S", 0.02)
    goal = make_goal(owner)

    async def work() -> None:
        page = Browser(owner, f"/ws/goals/{goal.pk}/?after=0")
        await page.open()
        await page.read_until(await sync_to_async(lines)(goal, "one"))
        await page.leave()

    run(work)


def test_a_layer_that_forgot_its_groups_is_joined_again(
    owner: User, make_goal: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hubs, "REJOIN_EVERY_S", 0.02)
    goal = make_goal(owner)

    async def work() -> None:
        page = Browser(owner, f"/ws/goals/{goal.pk}/?after=0")
        await page.open()
        await joined(wake_ups.goal_group(goal.pk))
        get_channel_layer().groups.clear()
        await joined(wake_ups.goal_group(goal.pk))
        await page.leave()

    run(work)


def test_a_look_that_fails_closes_the_pages_and_the_next_page_gets_a_new_watch(
    owner: User, make_goal: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal = make_goal(owner)

    def broken(goal_id: int, number: int) -> goal_log.Window:
        raise OSError("the database is away")

    async def work() -> None:
        with monkeypatch.context() as patch:
            patch.setattr(goal_log, "following", broken)
            page = Browser(owner, f"/ws/goals/{goal.pk}/?after=0")
            await page.open()
            assert await page.closed_with() == consumers.FAILED
        again = Browser(owner, f"/ws/goals/{goal.pk}/?after=0")
        await again.open()
        await again.read_until(await sync_to_async(lines)(goal, "it is back"))
        await again.leave()

    run(work)


def test_a_page_that_overflows_and_breaks_again_and_again_has_the_same_bytes_in_the_end(
    owner: User, make_goal: Maker, client_of: Callable[[User], Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(goal_watch, "KEPT_CHARS", 20_000)
    goal = make_goal(owner)

    async def work() -> tuple[str, int]:
        shown, last = "", 0
        for turn in range(6):
            page = Browser(owner, f"/ws/goals/{goal.pk}/?after={last}")
            await page.open()
            await page.fragments()
            consumer = page.hold()
            # Much more than is kept comes while nobody reads; one message waits, and then the line breaks under it.
            for n in range(4):
                end = await sync_to_async(lines)(goal, *(f"<{turn}.{n}.{m}>" for m in range(100)))
                await hint(goal)
            await wait_for(lambda held=consumer: held.waiting)
            assert consumer.waiting <= 2
            if turn % 2:
                # Some of it still arrives, and only that is known to have.
                consumer.release()
                await page.read()
            shown += "".join(message.get("lines", "") for message in page.messages)
            last = max([last, *(message["last"] for message in page.messages)])
            await page.leave()
        page = Browser(owner, f"/ws/goals/{goal.pk}/?after={last}")
        await page.open()
        await page.read_until(end)
        await page.leave()
        return shown + "".join(message.get("lines", "") for message in page.messages), end

    whole, after = "", 0
    shown, end = async_to_sync(work)()
    client = client_of(owner)
    while after < end:
        answer = client.get(reverse("goal-log", args=[goal.pk]), {"after": after}).json()
        whole, after = whole + answer["lines"], answer["last"]
    assert shown == whole
