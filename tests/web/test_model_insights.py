"""The insights of models: sums of the rows, numbers that lead to their calls, rights, and bad addresses."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from agents.actors.budgets import Budget
from agents.models import Agent, Generation, Goal
from agents.states import GoalState
from library.language import days, insights
from library.models import ModelCall, ModelDay
from mindx_web.insights import asked_days, model_insights
from mindx_web.insights.model_insights import Asking
from mindx_web.presentation import amounts, bars
from people.models import User

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
PAGE, CALLS = "/insights/models/", "/insights/models/calls/"
HOSTILE = "openai/<b>\u202ebold"


@pytest.fixture
def agent() -> Agent:
    return Agent.objects.create(name="<i>planner</i>")


def called(agent: Agent | None = None, state: str = "answered", *, ago: int = 0, **more: Any) -> ModelCall:
    """A call that ended so many days ago."""
    values: dict[str, Any] = {"model": "openai/one", "tokens_in": 100, "tokens_out": 20, "latency_ms": 2000, **more}
    if state == "answered":
        values.setdefault("cost", Decimal("0.5"))
    if state == "failed":
        values = {**values, "tokens_in": 0, "tokens_out": 0, "cost": Decimal(0), **more}
    row = ModelCall.objects.create(
        purpose="plan",
        agent=str(agent.pk) if agent else "",
        state=state,
        messages=[],
        request_digest="0",
        at=timezone.now() - timedelta(days=ago),
        **values,
    )
    days.add_call(row.pk)
    return row


def attempted(call: ModelCall, goal: Goal, attempt: int, *, problems: int = 0) -> None:
    Generation.objects.create(goal=goal, turn=1, attempt=attempt, call=call, problems=[{"message": "no"}] * problems)
    days.add_attempt(call.pk, is_plan=not problems)


def read(client: Client, address: str = PAGE) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def text_of(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


# -- sums --------------------------------------------------------------------------------------------------------------
def test_what_answered_and_what_broke_off_has_used_something(agent: Agent) -> None:
    called(agent)
    called(agent, cost=None)
    called(agent, "cached", tokens_in=0, tokens_out=0, latency_ms=0)
    called(agent, "failed")
    called(agent, "failed", tokens_in=50, tokens_out=3, cost=Decimal("0.25"))
    row = ModelDay.objects.get()
    assert (row.day, row.agent, row.model) == (timezone.now().astimezone(UTC).date(), str(agent.pk), "openai/one")
    assert (row.answered, row.cached, row.failed, row.unpriced) == (2, 1, 2, 1)
    assert (row.tokens_in, row.tokens_out, row.cost, row.latency_ms) == (250, 43, Decimal("0.75"), 4000)


def test_each_day_agent_and_model_has_sums_of_its_own(agent: Agent) -> None:
    for more in ({}, {"ago": 1}, {"model": "openai/two"}):
        called(agent, **more)
    called(None)
    assert ModelDay.objects.count() == 4
    today = timezone.now().astimezone(UTC).date()
    assert insights.total(insights.sums(insights.Asked(today, today)).by_day.values()).answered == 3
    assert insights.total(insights.sums(insights.Asked(today, today, agent="")).by_day.values()).answered == 1


def test_the_day_is_that_of_utc(settings: Any) -> None:
    settings.TIME_ZONE = "Pacific/Kiritimati"
    late = datetime(2026, 3, 1, 23, 59, 59, tzinfo=UTC)
    row = ModelCall.objects.create(purpose="plan", model="m", messages=[], request_digest="0", state="failed", at=late)
    days.add_call(row.pk)
    assert ModelDay.objects.get().day == date(2026, 3, 1)
    assert insights.Asked(date(2026, 3, 1), date(2026, 3, 1)).calls().get() == row


# -- the page ----------------------------------------------------------------------------------------------------------
def test_the_numbers_of_the_page(
    agent: Agent, operator: User, owner: User, client_of: ClientOf, goal_rows: Any
) -> None:
    (goal,) = goal_rows(owner, GoalState.PENDING)
    first = called(agent, goal=str(goal.pk))
    second = called(agent, goal=str(goal.pk), latency_ms=4000)
    attempted(first, goal, 1, problems=2)
    attempted(second, goal, 2)
    called(agent, "cached", tokens_in=0, tokens_out=0)
    called(agent, "failed", detail="the provider refused the key")
    page = read(client_of(operator))
    said = text_of(page)
    for words in ("4 calls, 1 without an answer", "240 tokens: 200 input, 40 output", "$1.00 for 2 answers"):
        assert words in said
    for words in ("3.0 s median of the newest answers", "33 % of the answers came from the cache", "2.00 attempts per"):
        assert words in said
    assert "<i>planner</i>" in said
    assert "<i>planner" not in page
    assert page.count('class="chart"') == 6
    assert "style=" not in page


def test_every_number_leads_to_as_many_calls(
    agent: Agent, operator: User, owner: User, client_of: ClientOf, goal_rows: Any
) -> None:
    (goal,) = goal_rows(owner, GoalState.PENDING)
    attempted(called(agent, goal=str(goal.pk)), goal, 1, problems=1)
    attempted(called(agent, model="openai/two", ago=3, cost=None), goal, 2)
    called(agent, "failed", detail=HOSTILE)
    called(agent, "failed", tokens_in=50, ago=2)
    called(None, "cached", ago=40)
    client = client_of(operator)
    page = read(client)
    came = {"": 4, "answered": 2, "failed": 2, "cached": 0, "attempt": 2, "plan": 1, "used": 3, "unpriced": 1}
    today = timezone.now().astimezone(UTC).date()
    for word, count in came.items():
        address = f"{CALLS}?{Asking(today - timedelta(days=29), today, came=word).query()}"
        assert html.escape(address) in page or not count or word in ("plan", "used"), word
        listed = read(client, address)
        assert listed.count('class="row-title"') == count, word
        assert ("No matching calls" in listed) == (count == 0)
    assert f"/goals/{goal.pk}/plans/" in read(client, CALLS)
    assert "<b>" not in read(client, f"{CALLS}?came=failed")
    for link in set(re.findall(r'href="(/insights/[^"]+|\?from[^"]+)"', page)):
        read(client, html.unescape(link if link.startswith("/") else PAGE + link))


def test_one_agent_one_model_and_other_days(agent: Agent, operator: User, client_of: ClientOf) -> None:
    other = Agent.objects.create(name="the other")
    called(agent, tokens_in=7000)
    called(other, model=HOSTILE, tokens_in=9000, ago=40)
    client = client_of(operator)
    assert "9 k" not in text_of(read(client))
    long_ago = timezone.now() - timedelta(days=60)
    page = read(client, f"{PAGE}?from={long_ago:%Y-%m-%d}&agent={other.pk}")
    assert "9 k" in text_of(page)
    assert "7 k" not in text_of(page)
    assert "<b>" not in page
    assert read(client, f"{CALLS}?from={long_ago:%Y-%m-%d}&agent={agent.pk}").count('class="row-title"') == 1
    assert read(client, f"{CALLS}?from={long_ago:%Y-%m-%d}&agent=-").count('class="row-title"') == 0


def test_lists_go_on_where_they_ended(
    agent: Agent, operator: User, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_insights, "PAGE", 2)
    moment = timezone.now()
    rows = [called(agent, "failed", detail=f"number {n}") for n in range(5)]
    ModelCall.objects.update(at=moment)  # all at once: the number decides
    client, address, seen = client_of(operator), CALLS, []
    while address:
        page = read(client, address)
        seen += re.findall(r"number \d", page)
        older = re.search(r'href="(\?[^"]+after=[^"]+)"', page)
        address = CALLS + html.unescape(older.group(1)) if older else ""
    assert seen == [f"number {n}" for n in reversed(range(len(rows)))]


@pytest.mark.parametrize("who", ["owner", "reviewer", "outsider"])
def test_who_does_not_operate_sees_no_costs(who: str, request: pytest.FixtureRequest, client_of: ClientOf) -> None:
    called(None)
    client = client_of(request.getfixturevalue(who))
    for address in (PAGE, CALLS):
        answer = client.get(address)
        assert answer.status_code == 403
        assert b"openai/one" not in answer.content
    assert "/insights/" not in client.get("/goals/").content.decode()


def test_operators_and_admins_have_it_in_their_navigation(operator: User, admin: User, client_of: ClientOf) -> None:
    for user in (operator, admin):
        assert 'href="/insights/mind/"' in read(client_of(user), "/goals/")
        assert f'href="{PAGE}"' in read(client_of(user), "/insights/mind/")
    assert client_of(operator).get("/insights/").headers["Location"] == "/insights/mind/"


@pytest.mark.parametrize(
    ("most", "used", "percent"),
    [
        ((100, None), (50, "9"), 50),
        ((100, "2"), (10, "1.5"), 75),
        ((None, "0"), (0, "0"), 100),
        ((10, None), (99, "0"), 100),
    ],
)
def test_a_budget_is_as_full_as_its_nearer_bound(most: Any, used: Any, percent: int) -> None:
    tokens, cost = most
    agent = Agent(tokens_per_day=tokens, cost_per_day=None if cost is None else Decimal(cost))
    assert Budget(agent, used[0], Decimal(used[1])).percent == percent


def test_without_calls_it_says_what_to_do(operator: User, client_of: ClientOf, settings: Any) -> None:
    assert "MINDX_MODEL" in read(client_of(operator))
    settings.MODEL = "openai/one"
    assert "openai/one plans the goals that no rule covers" in text_of(read(client_of(operator)))


@pytest.mark.parametrize(
    "query",
    [
        "from=soon",
        "from=2026-02-31",
        "from=2026-03-02&to=2026-03-01",
        "from=1990-01-01",
        "from=2001-01-01&to=2026-01-01",
        "from=0001-01-01",
        "to=9999-12-31",
        "agent=%00&model=%00",
        "agent=" + "9" * 300,
        "came=drop+table",
        "after=yesterday~1",
        "after=2026-01-01T00:00:00~1",
        "after=2026-01-01T00:00:00%2B00:00~" + "9" * 40,
        "after=~",
    ],
)
def test_no_address_breaks_it(query: str, operator: User, client_of: ClientOf) -> None:
    called(None)
    for address in (PAGE, CALLS):
        read(client_of(operator), f"{address}?{query}")


def test_a_year_is_drawn_with_few_bars_and_asked_in_few_questions(
    agent: Agent, operator: User, client_of: ClientOf
) -> None:
    for ago in range(0, 365, 7):
        called(agent, ago=ago)
    client, today = client_of(operator), timezone.now().astimezone(UTC).date()
    address = f"{PAGE}?from={today - timedelta(days=364)}&to={today}"
    read(client, address)
    with CaptureQueriesContext(
        connection,
    ) as asked:
        page = read(client, address)
    assert len(asked) <= 8
    assert "per 7 days" in page
    bins = model_insights.ModelInsights(Asking(today - timedelta(days=364), today)).bins
    assert len(bins) <= asked_days.MOST_BARS
    assert sum(one.figures.answered for one in bins) == 53
    assert (bins[0].first, bins[-1].last) == (today - timedelta(days=364), today)


# -- shapes and words --------------------------------------------------------------------------------------------------
@given(st.lists(st.lists(st.floats(0, 1e9), min_size=1, max_size=3), max_size=40), st.floats(0.01, 100))
def test_no_bar_leaves_its_chart(stacks: list[list[float]], least: float) -> None:
    drawn = bars.bars([[("mind", value) for value in parts] for parts in stacks], amounts.short, least)
    assert drawn.top >= least
    for rect in drawn.rects:
        assert -0.01 <= rect.y <= rect.y + rect.height <= bars.HEIGHT + 0.01
        assert 0 <= rect.x < drawn.width


@pytest.mark.parametrize(
    ("most", "top"), [(1, 1), (1.1, 2), (2, 2), (3, 4), (5, 5), (6, 10), (0.03, 0.04), (100, 100), (501, 1000)]
)
def test_an_axis_ends_at_a_round_number(most: float, top: float) -> None:
    assert bars.round_top(most) == pytest.approx(top)


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (0, "0"),
        (7, "7"),
        (999, "999"),
        (1000, "1 k"),
        (1240, "1.2 k"),
        (33_600, "34 k"),
        (999_900, "1 M"),
        (5e9, "5 G"),
    ],
)
def test_counts_are_short(count: float, said: str) -> None:
    assert amounts.short(count) == said


@pytest.mark.parametrize(
    ("amount", "said"),
    [(0, "$0"), (0.00001, "under $0.0001"), (0.0042, "$0.0042"), (0.37, "$0.37"), (12.4, "$12.40"), (1240, "$1,240")],
)
def test_dollars_are_as_exact_as_they_are_of_use(amount: float, said: str) -> None:
    assert amounts.dollars(amount) == said
