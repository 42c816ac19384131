"""Live pages: who may listen, and that a page that was away gets exactly what it missed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from channels.layers import get_channel_layer
from channels.routing import URLRouter
from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.sessions.backends.base import SessionBase
from django.test import override_settings
from django.utils import timezone

from agents.live import audience, consumers, goal_watch
from agents.live.routing import websocket_urlpatterns
from agents.models import Attempt
from agents.record import logs, wake_ups
from agents.record.logs import NewLine
from agents.record.selectors import goals_visible_to
from tests.sockets import Socket, session_of

if TYPE_CHECKING:
    from agents.models import Goal, IntentPlan
    from people.models import User

Maker = Callable[..., "Goal"]
IN_MEMORY = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}


@pytest.fixture(autouse=True)
def one_transaction_and_no_redis(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Channels closes connections around database work, which would end the test's transaction. Beats come only where
    a test is about them.
    """
    monkeypatch.setattr(consumers, "BEAT_S", 3600)
    monkeypatch.setattr("channels.db.close_old_connections", lambda **_: None)
    with override_settings(CHANNEL_LAYERS=IN_MEMORY):
        yield


def lines(goal: Goal, *texts: str, source: str = "stdout") -> int:
    return logs.write(goal.pk, [NewLine(source, "execute", text) for text in texts])


class Browser:
    """A page: what it has shown, in order, and the last number it knows."""

    def __init__(self, user: User | None, path: str) -> None:
        self.socket = Socket(URLRouter(websocket_urlpatterns), path, user)
        self.numbers: list[int] = []
        self.messages: list[dict[str, Any]] = []

    async def open(self) -> None:
        assert await self.socket.connect()

    async def closed_with(self) -> int:
        """The code the server closes with, after whatever it still says."""
        while True:
            output = await self.socket.receive()
            if output["type"] == "websocket.close":
                await self.leave()
                return int(output["code"])

    async def read_until(self, number: int) -> None:
        while not self.messages or self.messages[-1]["last"] < number:
            await self.read()

    async def fragments(self) -> dict[str, str]:
        """The next fragments; lines may come before them."""
        while "fragments" not in (message := await self.read()):
            pass
        fragments: dict[str, str] = message["fragments"]
        return fragments

    async def read(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads((await self.socket.receive())["text"])
        self.messages.append(message)
        shown = message.get("lines", "").split('data-n="')[1:]
        self.numbers += [int(part.split('"', 1)[0]) for part in shown]
        return message

    def hold(self) -> Held:
        """Take nothing any more, as a browser behind a bad line does: the server's sends wait."""
        return Held(self.socket)

    async def leave(self) -> None:
        await self.socket.leave()


class Held:
    """A socket whose transport is full. `waiting` counts the messages that the server wants to send."""

    def __init__(self, socket: Socket) -> None:
        self.waiting = 0
        self._room = asyncio.Event()
        socket.on_send = self._wait

    async def _wait(self) -> None:
        self.waiting += 1
        await self._room.wait()
        self.waiting -= 1

    def release(self) -> None:
        self._room.set()


def run(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a page's life; database work stays in this thread, inside the test's transaction."""
    async_to_sync(work)()


async def hint(goal: Goal) -> None:
    await get_channel_layer().group_send(wake_ups.goal_group(goal.pk), hint_of(wake_ups.goal_group(goal.pk)))


def hint_of(group: str) -> dict[str, Any]:
    return {"type": "hint", "group": group, "log": None}


# --- who may listen ------------------------------------------------------------------------------------------------
def test_nobody_listens_without_logging_in(owner: User, make_goal: Maker) -> None:
    goal = make_goal(owner)

    async def work() -> None:
        for path in (f"/ws/goals/{goal.pk}/", "/ws/queue/"):
            page = Browser(None, path)
            await page.open()
            assert await page.closed_with() == consumers.NOT_LOGGED_IN

    run(work)


def test_an_outsider_learns_nothing_of_a_goal(owner: User, outsider: User, make_goal: Maker) -> None:
    goal = make_goal(owner)

    async def work() -> None:
        for pk in (goal.pk, goal.pk + 1_000, 2**70):
            page = Browser(outsider, f"/ws/goals/{pk}/")
            await page.open()
            assert await page.closed_with() == consumers.NOT_FOUND
            assert page.messages == []

    run(work)


def test_a_reviewer_sees_the_goals_of_others(owner: User, reviewer: User, make_goal: Maker) -> None:
    goal = make_goal(owner)
    last = lines(goal, "one", "two")

    async def work() -> None:
        page = Browser(reviewer, f"/ws/goals/{goal.pk}/?after=0")
        await page.open()
        await page.read_until(last)
        assert page.numbers == list(range(1, last + 1))
        await page.leave()

    run(work)


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000"])
def test_a_page_of_another_origin_is_not_let_in(owner: User, make_goal: Maker, host: str) -> None:
    from mindx_web.asgi import application

    goal = make_goal(owner)

    async def work() -> None:
        async def is_let_in(*headers: tuple[bytes, bytes]) -> bool:
            return await Socket(application, f"/ws/goals/{goal.pk}/", owner, list(headers)).connect()

        here = (b"host", host.encode())
        assert await is_let_in(here, (b"origin", f"http://{host}".encode()))
        assert not await is_let_in(here)
        for origin in ("http://evil.example", f"http://{host.replace('8000', '8001')}", f"https://{host}", "null"):
            assert not await is_let_in(here, (b"origin", origin.encode())), origin
        assert not await is_let_in((b"host", b"evil.example"), (b"origin", b"http://evil.example"))

    run(work)


@pytest.mark.parametrize("path", ["/ws/anything/", "/ws/goals/one/", "/ws/", "/goals/"])
def test_there_is_no_socket_at_another_address(db: None, path: str) -> None:
    from mindx_web.asgi import application

    async def work() -> None:
        headers = [(b"host", b"127.0.0.1:8000"), (b"origin", b"http://127.0.0.1:8000")]
        assert not await Socket(application, path, None, headers).connect()

    run(work)


def _revoke(person: User, session: SessionBase) -> None:
    type(person).objects.filter(pk=person.pk).update(roles=["submitter"])


def _change_password(person: User, session: SessionBase) -> None:
    person.set_password("another one, and long")
    person.save()


def _switch_off(person: User, session: SessionBase) -> None:
    type(person).objects.filter(pk=person.pk).update(is_active=False)


def _log_out(person: User, session: SessionBase) -> None:
    session.delete(session.session_key)


def _let_expire(person: User, session: SessionBase) -> None:
    session.set_expiry(-1)
    session.save()


@pytest.mark.parametrize(
    ("ending", "code"),
    [
        (_revoke, consumers.NOT_FOUND),
        (_change_password, consumers.NOT_LOGGED_IN),
        (_switch_off, consumers.NOT_LOGGED_IN),
        (_log_out, consumers.NOT_LOGGED_IN),
        (_let_expire, consumers.NOT_LOGGED_IN),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_who_loses_the_right_loses_the_page(
    owner: User,
    reviewer: User,
    make_goal: Maker,
    monkeypatch: pytest.MonkeyPatch,
    ending: Callable[[User, SessionBase], None],
    code: int,
) -> None:
    monkeypatch.setattr(audience, "CHECK_EVERY_S", 0.01)
    goal = make_goal(owner)
    lines(goal, "one")

    async def work() -> None:
        page = Browser(reviewer, f"/ws/goals/{goal.pk}/?after=0")
        await page.open()
        await page.read()
        await sync_to_async(ending)(reviewer, page.socket.scope["session"])
        assert await page.closed_with() == code
        again = Browser(reviewer, f"/ws/goals/{goal.pk}/?after=0")
        again.socket.scope["session"] = page.socket.scope["session"]
        await again.open()
        assert await again.closed_with() == code

    run(work)


def test_pages_are_checked_together(
    owner: User,
    reviewer: User,
    make_goal: Maker,
    monkeypatch: pytest.MonkeyPatch,
    django_assert_num_queries: Any,
) -> None:
    goals = [make_goal(owner), make_goal(owner)]
    sessions = [session_of(person) for person in (owner, reviewer, owner)]
    seats = [
        audience.Seat(person.pk, session.session_key, session[HASH_SESSION_KEY], goal_id)
        for person, session in zip((owner, reviewer, owner), sessions, strict=True)
        for goal_id in (None, goals[0].pk, goals[1].pk)
    ]
    with django_assert_num_queries(3):
        answers = audience.check(seats)
    assert answers == [owner] * 3 + [reviewer] * 3 + [owner] * 3


def test_a_check_agrees_with_what_people_may_see(
    owner: User, reviewer: User, outsider: User, operator: User, make_goal: Maker
) -> None:
    goal = make_goal(owner)
    for person in (owner, reviewer, outsider, operator):
        sees = goals_visible_to(person).filter(pk=goal.pk).exists()
        session = session_of(person)
        seat = audience.Seat(person.pk, session.session_key, session[HASH_SESSION_KEY], goal.pk)
        assert audience.check([seat]) == [person if sees else audience.Ending.NOT_VISIBLE], person


def test_one_person_holds_so_many_pages_open_and_the_oldest_gives_way(
    owner: User, reviewer: User, make_goal: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audience, "MOST_PER_SESSION", 2)
    monkeypatch.setattr(audience, "MOST_PER_PERSON", 3)

    async def work() -> None:
        async def opened(person: User, session: SessionBase) -> Browser:
            page = Browser(person, f"/ws/goals/{goal.pk}/")
            page.socket.scope["session"] = session
            await page.open()
            await page.read()
            return page

        one, other, anothers = [await sync_to_async(session_of)(person) for person in (owner, owner, reviewer)]
        bystander = await opened(reviewer, anothers)
        first, second, third = [await opened(owner, one) for _ in range(3)]
        assert await first.closed_with() == consumers.TOO_MANY
        fourth, fifth = [await opened(owner, other) for _ in range(2)]
        assert await second.closed_with() == consumers.TOO_MANY
        for page in (bystander, third, fourth, fifth):
            await page.leave()

    goal = make_goal(owner)
    run(work)


def test_a_browser_gives_no_commands(owner: User, make_goal: Maker) -> None:
    goal = make_goal(owner)

    async def work() -> None:
        page = Browser(owner, f"/ws/goals/{goal.pk}/?after=0")
        await page.open()
        await page.read()
        await page.socket.send(text='{"type": "hint", "cancel": true}')
        await page.socket.send(bytes=b"\x00\xff")
        await sync_to_async(lines)(goal, "still here")
        await hint(goal)
        await page.read_until(await sync_to_async(goal.log_lines.count)())
        await page.leave()

    run(work)
    goal.refresh_from_db()
    assert goal.state == "pending"


# --- signs of life -------------------------------------------------------------------------------------------------
def test_a_page_hears_the_server_while_nothing_happens(
    owner: User, make_goal: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers, "BEAT_S", 0.05)
    goal = make_goal(owner)
    last = lines(goal, "one")

    async def work() -> None:
        page, queue = Browser(owner, f"/ws/goals/{goal.pk}/?after={last}"), Browser(owner, "/ws/queue/")
        for one in (page, queue):
            await one.open()
        await page.fragments()
        seen = [await page.read() for _ in range(6)]
        assert seen.count({"after": last, "last": last, "lines": ""}) >= 3
        held = page.hold()
        heard = [json.loads((await queue.socket.receive())["text"]) for _ in range(6)]
        assert heard.count({"beat": True}) >= 4
        assert held.waiting <= 1, "beats pile up for a page that takes nothing"
        held.release()
        for one in (page, queue):
            await one.leave()

    run(work)


def test_a_step_says_while_it_runs_for_how_long_and_how_much_it_has_printed(
    owner: User, propose_plan: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers, "BEAT_S", 0.05)
    monkeypatch.setattr(goal_watch, "LOOK_EVERY_S", 0.05)
    monkeypatch.setattr(goal_watch, "LOOK_WHEN_DEAF_S", 0.05)
    monkeypatch.setattr(goal_watch, "SIGNATURE_EVERY_S", 0.05)
    plan = propose_plan(owner)
    goal = plan.goal
    lines(goal, "printed by a step before")
    step = plan.intents.order_by("position")[0]
    type(step).objects.filter(pk=step.pk).update(state="running")
    type(plan).objects.filter(pk=plan.pk).update(state="executing", approved_digest=plan.digest)
    begun = timezone.now()
    row = Attempt.objects.create(intent=step, number=1, fence=1, worker="w", started=begun, snapshot_before="0" * 64)
    lines(goal, "it begins", source="tool.SimpleCoder")
    lines(goal, "one", "two")

    async def work() -> None:
        async def told(what: str) -> None:
            while what not in (await page.fragments()).get("goal-running", ""):
                pass

        page = Browser(owner, f"/ws/goals/{goal.pk}/?after=0")
        await page.open()
        await told(", 2 lines printed")
        await sync_to_async(lines)(goal, "three", source="stderr")
        await told(", 3 lines printed")
        await sync_to_async(Attempt.objects.filter(pk=row.pk).update)(outcome="succeeded", finished=begun)
        await told('id="goal-running" hidden')
        await page.leave()

    run(work)


# --- nothing missed, nothing twice ---------------------------------------------------------------------------------
def test_a_page_that_was_away_gets_exactly_the_lines_it_missed(owner: User, make_goal: Maker) -> None:
    goal = make_goal(owner)
    seen = lines(goal, *(f"before {n}" for n in range(20)))

    async def work() -> None:
        page = Browser(owner, f"/ws/goals/{goal.pk}/?after=0")
        await page.open()
        await page.read_until(seen)
        await page.leave()
        missed = await sync_to_async(lines)(goal, *(f"missed {n}" for n in range(1_050)))
        back = Browser(owner, f"/ws/goals/{goal.pk}/?after={seen}")
        await back.open()
        await back.read_until(missed)
        assert back.numbers == list(range(seen + 1, missed + 1))
        pushed = [message for message in back.messages if message["lines"]]
        assert all(message["last"] - message["after"] <= 200 for message in pushed)
        assert [message["after"] for message in pushed[1:]] == [message["last"] for message in pushed[:-1]]
        await back.leave()

    run(work)


def test_a_hundred_hints_become_few_messages_and_no_line_comes_twice(
    owner: User, make_goal: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(goal_watch, "PAUSE_S", 2.0)
    goal = make_goal(owner)

    async def work() -> None:
        page = Browser(owner, f"/ws/goals/{goal.pk}/?after=0")
        await page.open()
        await page.read()
        last = 0
        for n in range(100):
            last = await sync_to_async(lines)(goal, f"line {n}")
            await hint(goal)
        await page.read_until(last)
        assert page.numbers == list(range(1, last + 1))
        assert len(page.messages) < 60
        await page.leave()

    run(work)


def test_a_line_whose_hint_was_lost_arrives_all_the_same(
    owner: User, make_goal: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(goal_watch, "LOOK_EVERY_S", 0.05)
    monkeypatch.setattr(goal_watch, "LOOK_WHEN_DEAF_S", 0.05)
    goal = make_goal(owner)

    async def work() -> None:
        page = Browser(owner, f"/ws/goals/{goal.pk}/?after=0")
        await page.open()
        await page.read()
        last = await sync_to_async(lines)(goal, "no hint for this one")
        await page.read_until(last)
        assert page.numbers[-1] == last
        await page.leave()

    run(work)


def test_one_speaker_can_be_followed_and_the_number_still_moves_on(owner: User, make_goal: Maker) -> None:
    goal = make_goal(owner)
    lines(goal, "out 1", source="stdout")
    wanted = lines(goal, "err 1", source="stderr")
    last = lines(goal, *(f"out {n}" for n in range(5)), source="stdout")

    async def work() -> None:
        page = Browser(owner, f"/ws/goals/{goal.pk}/?after=0&source=stderr")
        await page.open()
        await page.read_until(last)
        assert page.numbers == [wanted]
        assert page.messages[-1]["last"] == last
        await page.leave()

    run(work)


def test_fragments_come_when_the_state_changed_and_not_with_every_line(owner: User, make_goal: Maker) -> None:
    from agents.goals import goals

    goal = make_goal(owner)

    async def work() -> None:
        page = Browser(owner, f"/ws/goals/{goal.pk}/?after=0")
        await page.open()
        assert set(await page.fragments()) == {
            "goal-state", "goal-actions", "goal-way", "goal-tabs", "goal-timeline", "goal-side", "goal-running"
        }  # fmt: skip
        seen = len(page.messages)
        last = await sync_to_async(lines)(goal, "output")
        await hint(goal)
        await page.read_until(last)
        assert not any("fragments" in message for message in page.messages[seen:])
        await sync_to_async(goals.cancel)(goal, by=owner)
        await hint(goal)
        assert "dropped" in (await page.fragments())["goal-state"]
        await page.leave()

    run(work)


def test_a_terminal_escape_never_reaches_the_page(owner: User, make_goal: Maker) -> None:
    goal = make_goal(owner)
    last = lines(goal, "\x1b[31mred\x1b[0m <script>alert(1)</script> \u202eevil \x1b]0;title\x07")

    async def work() -> None:
        page = Browser(owner, f"/ws/goals/{goal.pk}/?after=0")
        await page.open()
        await page.read_until(last)
        html = "".join(message["lines"] for message in page.messages)
        assert '<span class="a-r">red</span>' in html
        assert "<script" not in html
        assert not {"\x1b", "\x07", "\u202e"} & set(html)
        await page.leave()

    run(work)


@pytest.mark.parametrize("after", ["-1", "x", "", "1e9", "9" * 40, "٣"])
def test_a_senseless_number_means_from_the_start(after: str, owner: User, make_goal: Maker) -> None:
    goal = make_goal(owner)
    last = lines(goal, "one")

    async def work() -> None:
        page = Browser(owner, f"/ws/goals/{goal.pk}/?after={after}".encode("ascii", "ignore").decode())
        await page.open()
        await page.read_until(last)
        assert page.numbers == list(range(1, last + 1))
        await page.leave()

    run(work)


def test_the_queue_says_that_it_changed(owner: User) -> None:
    async def work() -> None:
        page = Browser(owner, "/ws/queue/")
        await page.open()
        while not get_channel_layer().groups.get(wake_ups.QUEUE_GROUP):
            await asyncio.sleep(0.01)
        await get_channel_layer().group_send(wake_ups.QUEUE_GROUP, hint_of(wake_ups.QUEUE_GROUP))
        assert await page.read() == {"changed": True}
        await page.leave()

    run(work)
