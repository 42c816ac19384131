"""A2A streams: what is told when, to whom, for how long, and that whoever goes away gives the place back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from channels.layers import get_channel_layer
from django.core.handlers.asgi import ASGIHandler
from django.test import override_settings

from mindx_web.interop.a2a import streams
from people import tokens
from people.scopes import Scope

if TYPE_CHECKING:
    from agents.models import Goal, IntentPlan
    from people.models import ApiToken, User

pytestmark = pytest.mark.django_db(transaction=True)
BOTH = (Scope.GOALS_READ, Scope.GOALS_WRITE)
WITHIN_S = 60.0
NEVER_S = 3600.0
MESSAGE = {"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": "Write a note"}]}


@pytest.fixture(autouse=True)
def no_redis() -> Iterator[None]:
    with override_settings(
        CHANNEL_LAYERS={"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}, ALLOWED_HOSTS=["*"]
    ):
        yield
    assert not streams._open


@pytest.fixture
def looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "LOOK_EVERY_S", 0.02)
    monkeypatch.setattr(streams, "LOOK_WHEN_DEAF_S", 0.02)


@pytest.fixture
def looks_never(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a hint wakes a stream."""
    monkeypatch.setattr(streams, "LOOK_EVERY_S", NEVER_S)
    monkeypatch.setattr(streams, "LOOK_WHEN_DEAF_S", NEVER_S)


class Reader:
    """A client of the real application: one POST, and what the server sends, as it comes."""

    def __init__(self, secret: str, method: str, **params: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", "id": "7", "method": method, "params": params}).encode()
        self._asked = [{"type": "http.request", "body": body, "more_body": False}]
        self._gone = asyncio.Event()
        self._sent: asyncio.Queue[Mapping[str, Any]] = asyncio.Queue()
        self._rest = ""
        self.beats = 0
        headers = {"authorization": f"Bearer {secret}", "a2a-version": "1.0", "content-type": "application/json"}
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": "/a2a/",
            "raw_path": b"/a2a/",
            "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in {"host": "testserver", **headers}.items()],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 80),
        }
        self._task = asyncio.create_task(ASGIHandler()(scope, self._receive, self._keep))

    async def _receive(self) -> dict[str, Any]:
        if self._asked:
            return self._asked.pop()
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _keep(self, sent: Mapping[str, Any]) -> None:
        self._sent.put_nowait(sent)

    async def answered(self) -> tuple[int, dict[str, str]]:
        start = await self._next()
        assert start["type"] == "http.response.start"
        return start["status"], {name.decode().lower(): value.decode() for name, value in start["headers"]}

    async def opened(self) -> dict[str, Any]:
        """The task that a stream begins with."""
        status, headers = await self.answered()
        assert (status, headers["content-type"]) == (200, "text/event-stream")
        assert headers["cache-control"] == "no-store"
        return (await self.event())["result"]["task"]

    async def event(self) -> dict[str, Any]:
        told = await self.told()
        assert told is not None, "the stream ended"
        return told

    async def told(self) -> dict[str, Any] | None:
        """The next event; None at the end."""
        # Signs of life go on for ever: the bound is on the event.
        async with asyncio.timeout(WITHIN_S):
            while (part := await self._part()) is not None:
                if part.startswith(":"):
                    self.beats += 1
                    continue
                told: dict[str, Any] = json.loads(part.removeprefix("data: "))
                assert (told["jsonrpc"], told["id"]) == ("2.0", "7")
                return told
        return None

    async def _part(self) -> str | None:
        """What stands up to the next empty line; None at the end."""
        while "\n\n" not in self._rest:
            sent = await self._next()
            assert sent["type"] == "http.response.body"
            self._rest += sent.get("body", b"").decode()
            if not sent.get("more_body", False):
                return None
        part, self._rest = self._rest.split("\n\n", 1)
        return part

    async def quiet(self) -> bool:
        """Wait for a sign of life; whether no event came before it."""
        while "\n\n" not in self._rest:
            self._rest += (await self._next())["body"].decode()
        return self._rest.startswith(":")

    async def body(self) -> dict[str, Any]:
        """All of an answer that is no stream."""
        await self.answered()
        return json.loads((await self._next())["body"])

    async def ended(self) -> None:
        assert await self.told() is None
        await self.leave()

    async def leave(self) -> None:
        """Go away, and wait until the server is through with it."""
        self._gone.set()
        async with asyncio.timeout(WITHIN_S):
            await self._task

    async def _next(self) -> Mapping[str, Any]:
        async with asyncio.timeout(WITHIN_S):
            return await self._sent.get()


def secret_of(user: User, *scopes: Scope) -> tuple[ApiToken, str]:
    return tokens.issue(user, "a client", wanted=list(scopes), days=1, by=user)


def run(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async_to_sync(work)()


def state_of(event: dict[str, Any]) -> str:
    state: str = event["result"]["statusUpdate"]["status"]["state"]
    return state


def end(goal: Goal, state: str) -> None:
    from agents.models import Goal as Goals

    Goals.objects.filter(pk=goal.pk).update(state=state, ended_at="2026-01-01T00:00Z")


def only_goal() -> Goal:
    from agents.models import Goal as Goals

    return Goals.objects.get()


# --- what is told ------------------------------------------------------------------------------------------------


def test_a_stream_tells_the_task_the_plan_and_the_end(
    owner: User, propose_plan: Callable[..., IntentPlan], looks_often: None
) -> None:
    _, secret = secret_of(owner, *BOTH, Scope.REVIEW_READ)

    async def work() -> None:
        reader = Reader(secret, streams.SEND, message=MESSAGE)
        task = await reader.opened()
        assert task["status"]["state"] == "TASK_STATE_SUBMITTED"
        assert task["history"][0]["parts"] == [{"text": "Write a note"}]
        goal = await sync_to_async(only_goal)()
        plan = await sync_to_async(propose_plan)(goal)
        while state_of(asked := await reader.event()) != "TASK_STATE_INPUT_REQUIRED":
            pass
        update = asked["result"]["statusUpdate"]
        assert (update["taskId"], update["contextId"]) == (task["id"], task["contextId"])
        data = update["status"]["message"]["parts"][1]["data"]
        assert data["digest"] == plan.digest
        assert data["plan"]["intents"][1]["params"]["content"] == "first line\n"
        await sync_to_async(end)(goal, "achieved")
        artifact = (await reader.event())["result"]["artifactUpdate"]
        assert (artifact["taskId"], artifact["lastChunk"], artifact["append"]) == (task["id"], True, False)
        assert len(artifact["artifact"]["parts"][0]["data"]["steps"]) == 2
        assert state_of(await reader.event()) == "TASK_STATE_COMPLETED"
        await reader.ended()

    run(work)


def test_a_hint_wakes_a_stream(owner: User, propose_plan: Callable[..., IntentPlan], looks_never: None) -> None:
    from agents.record.wake_ups import goal_group

    _, secret = secret_of(owner, *BOTH)

    async def work() -> None:
        reader = Reader(secret, streams.SEND, message=MESSAGE)
        await reader.opened()
        goal = await sync_to_async(only_goal)()
        group = goal_group(goal.pk)
        async with asyncio.timeout(WITHIN_S):
            while not get_channel_layer().groups.get(group):
                await asyncio.sleep(0.005)
        # The look that makes up for the time before the joining is over: what follows is found by its hint alone.
        assert await reader.quiet()
        await sync_to_async(propose_plan)(goal)
        await get_channel_layer().group_send(group, {"type": "hint", "group": group, "log": None})
        while state_of(await reader.event()) != "TASK_STATE_INPUT_REQUIRED":
            pass
        await reader.leave()

    run(work)


def test_what_changes_in_nothing_that_is_told_is_no_event(
    owner: User, looks_often: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, secret = secret_of(owner, *BOTH)
    look_again, looks = streams._look_again, []

    def counted(*asked: Any) -> Any:
        looks.append(asked)
        return look_again(*asked)

    monkeypatch.setattr(streams, "_look_again", counted)

    def touch(goal: Goal) -> None:
        from django.utils import timezone

        type(goal).objects.filter(pk=goal.pk).update(changed_at=timezone.now())

    async def work() -> None:
        reader = Reader(secret, streams.SEND, message=MESSAGE)
        await reader.opened()
        goal = await sync_to_async(only_goal)()
        await sync_to_async(touch)(goal)
        before = len(looks)
        async with asyncio.timeout(WITHIN_S):
            while len(looks) < before + 2:  # the second of them began after the touch
                await asyncio.sleep(0.005)
        await sync_to_async(end)(goal, "dropped")
        assert state_of(await reader.event()) == "TASK_STATE_CANCELED"
        await reader.ended()

    run(work)


def test_a_task_can_be_subscribed_to_again_and_not_when_it_is_over(owner: User, looks_often: None) -> None:
    _, secret = secret_of(owner, *BOTH)

    async def work() -> None:
        first = Reader(secret, streams.SEND, message=MESSAGE)
        task = await first.opened()
        await first.leave()
        again = Reader(secret, streams.SUBSCRIBE, id=task["id"])
        assert await again.opened() == task
        await sync_to_async(end)(await sync_to_async(only_goal)(), "dropped")
        assert state_of(await again.event()) == "TASK_STATE_CANCELED"
        await again.ended()
        late = Reader(secret, streams.SUBSCRIBE, id=task["id"])
        assert (await late.body())["error"]["code"] == -32004
        await late.leave()
        sent_again = Reader(secret, streams.SEND, message=MESSAGE)
        assert (await sent_again.opened())["status"]["state"] == "TASK_STATE_CANCELED"
        await sent_again.ended()

    run(work)


# --- rights ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scopes", "method", "params"),
    [
        ((Scope.GOALS_READ,), streams.SEND, {"message": MESSAGE}),
        ((Scope.GOALS_WRITE,), streams.SEND, {"message": MESSAGE}),
        ((Scope.GOALS_WRITE,), streams.SUBSCRIBE, {"id": "1"}),
    ],
)
def test_a_stream_needs_the_scopes_of_sending_and_reading(
    owner: User, scopes: tuple[Scope, ...], method: str, params: dict[str, Any]
) -> None:
    from agents.models import Goal

    _, secret = secret_of(owner, *scopes)

    async def work() -> None:
        reader = Reader(secret, method, **params)
        assert (await reader.answered())[0] == 403
        await reader.leave()

    run(work)
    assert not Goal.objects.exists()


def test_a_task_of_somebody_else_is_not_there(owner: User, outsider: User) -> None:
    _, secret = secret_of(owner, *BOTH)
    _, other = secret_of(outsider, *BOTH)

    async def work() -> None:
        mine = Reader(secret, streams.SEND, message=MESSAGE)
        task = await mine.opened()
        told = []
        for number in (task["id"], "made-up"):
            theirs = Reader(other, streams.SUBSCRIBE, id=number)
            told.append((await theirs.body())["error"])
            await theirs.leave()
        assert told[0] == told[1]
        assert told[0]["code"] == -32001
        await mine.leave()

    run(work)


def test_a_revoked_token_and_a_lost_right_end_the_stream(owner: User, reviewer: User, looks_often: None) -> None:
    token, secret = secret_of(owner, *BOTH)
    _, judges = secret_of(reviewer, *BOTH)

    def lose_the_role() -> None:
        reviewer.roles = []
        reviewer.save()

    async def work() -> None:
        mine = Reader(secret, streams.SEND, message=MESSAGE)
        task = await mine.opened()
        judge = Reader(judges, streams.SUBSCRIBE, id=task["id"])
        await judge.opened()
        await sync_to_async(tokens.revoke)(token, by=owner)
        assert (await mine.event())["error"]["code"] == -32600
        await mine.ended()
        await sync_to_async(lose_the_role)()
        assert "error" in await judge.event()
        await judge.ended()

    run(work)


# --- bounds ------------------------------------------------------------------------------------------------------


def test_places_are_few_and_come_back_when_a_client_goes(
    owner: User, outsider: User, looks_never: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agents.models import Goal

    monkeypatch.setattr(streams, "MOST_PER_PERSON", 2)
    monkeypatch.setattr(streams, "MOST_AT_ONCE", 3)
    _, secret = secret_of(owner, *BOTH)
    _, other = secret_of(outsider, *BOTH)

    async def opened(who: str, number: str) -> Reader:
        reader = Reader(who, streams.SEND, message=MESSAGE | {"messageId": number})
        await reader.opened()
        return reader

    async def refused(who: str) -> None:
        reader = Reader(who, streams.SEND, message=MESSAGE | {"messageId": "m-refused"})
        status, headers = await reader.answered()
        assert (status, headers["retry-after"]) == (429, "5")
        await reader.leave()

    async def work() -> None:
        mine = [await opened(secret, f"m-{index}") for index in range(2)]
        await refused(secret)
        theirs = await opened(other, "m-3")
        await refused(other)
        await mine.pop().leave()
        mine.append(await opened(secret, "m-4"))
        await refused(other)
        for reader in (*mine, theirs):
            await reader.leave()
        assert not streams._open

    run(work)
    assert Goal.objects.count() == 4


def test_a_refused_message_holds_no_place(owner: User) -> None:
    _, secret = secret_of(owner, *BOTH)

    async def work() -> None:
        reader = Reader(secret, streams.SEND, message=MESSAGE | {"parts": [{"raw": "aGVsbG8="}]})
        assert (await reader.body())["error"]["code"] == -32005
        await reader.leave()
        assert not streams._open

    run(work)


def test_a_stream_ends_with_its_time_and_lives_meanwhile(
    owner: User, looks_often: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "LONGEST_S", 1.0)
    _, secret = secret_of(owner, *BOTH)

    async def work() -> None:
        reader = Reader(secret, streams.SEND, message=MESSAGE)
        await reader.opened()
        await reader.ended()
        assert reader.beats > 1

    run(work)


def test_nobody_is_listened_for_when_the_last_stream_has_gone(owner: User, looks_never: None) -> None:
    from agents.live.hub import hub

    _, secret = secret_of(owner, *BOTH)

    async def work() -> None:
        reader = Reader(secret, streams.SEND, message=MESSAGE)
        await reader.opened()
        assert await reader.quiet()
        assert hub()._listeners
        await reader.leave()
        assert not hub()._listeners

    run(work)


def test_a_fault_while_it_streams_is_its_last_event_and_tells_nothing_of_itself(
    owner: User, looks_often: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, secret = secret_of(owner, *BOTH)

    def broken(*_: Any) -> None:
        raise RuntimeError("the secret of the house")

    async def work() -> None:
        reader = Reader(secret, streams.SEND, message=MESSAGE)
        await reader.opened()
        monkeypatch.setattr(streams, "_look_again", broken)
        told = await reader.event()
        assert told["error"]["code"] == -32603
        assert "secret" not in json.dumps(told)
        await reader.ended()

    run(work)
