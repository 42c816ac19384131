"""The insights of the mind: each number is as many as the list it leads to, rights, bad addresses, few questions."""

from __future__ import annotations

import html
import io
import re
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.bdi.learning.corrections import Came
from agents.cycle import cycle
from agents.insights import insight_cases, insight_sums
from agents.insights.insight_sums import Asked
from agents.models import Agent, Correction, FailureRecord, Goal, Plan, Planning
from agents.states import GoalState
from agents.workspaces import workspaces
from mindx_web.insights import mind_cases as lists
from mindx_web.insights.mind_tables import Cell, Row, Table
from people.models import User
from review.deciding import decisions
from tests.cast import ApiCaller

pytestmark = pytest.mark.django_db(transaction=True)
ClientOf = Callable[[User], Client]
PAGE = "/insights/mind/"
LISTS = tuple(f"{PAGE}{name}/" for name in ("corrections", "plannings", "recoveries"))
HOSTILE = "<b>\u202ebold"
# Of recoveries: helped, taken over by another way, did not help, not ended, taken over by the same way again.
ENDS = ((True, ""), (True, "manual_fallback"), (False, ""), (None, ""), (True, "alternative_tool"))


def read(client: Client, address: str = PAGE) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def counted(page: str) -> list[tuple[str, int]]:
    """Every number of a page that leads to its cases: the address, and how many there should be."""
    found = re.findall(r'<a href="([^"]+)" data-cases="(\d+)"', page)
    return [(html.unescape(href), int(cases)) for href, cases in found]


def cases_of(client: Client, address: str) -> int:
    """How many cases a list has, read to its end."""
    cases, path = 0, address.partition("?")[0]
    while address:
        page = read(client, address)
        cases += page.count('class="row-title"')
        older = re.search(r'href="(\?[^"]+after=[^"]+)"', page)
        address = path + html.unescape(older.group(1)) if older else ""
    return cases


def of_everything(goal: Goal, ago: int) -> None:
    """Cases of all kinds and ends, so many days ago, as the rows that services write."""
    at = timezone.now() - timedelta(days=ago)
    for number, (source, is_valid, attempts) in enumerate(
        [("rule", True, 1), ("model", True, 3), ("model", False, 3), ("understanding", True, 1)], 1
    ):
        plan = Plan.objects.create(goal=goal, number=100 * ago + number, source=source, steps=[])
        Planning.objects.create(
            plan=plan, goal=goal, agent=goal.agent, source=source, is_valid=is_valid, attempts=attempts, at=at,
            waited_ms=10 * ago, perceive_ms=3, rules_ms=7, model_ms=900 if source == "model" else None, total_ms=1000,
        )  # fmt: skip
    for came in Came:
        Correction.objects.create(
            goal=goal, agent=goal.agent, tool=HOSTILE, command="read", parameter="path", origin="mapping",
            original=HOSTILE, value="README.md", came=came.value, at=at,
        )  # fmt: skip
    for succeeded, overtaken in (
        (True, ""),
        (True, "manual_fallback"),
        (False, ""),
        (None, ""),
        (True, "alternative_tool"),
    ):
        row = FailureRecord.objects.create(
            goal=goal, stage="execution", tool=HOSTILE, command="run", reason=HOSTILE, strategy="alternative_tool",
            # Rows from before failures said whose they are have none.
            agent=goal.agent if succeeded else None,
            classified_as="NETWORK_ERROR", failure_class="NETWORK_ERROR", succeeded=succeeded, overtaken_by=overtaken,
            settled_at=None if succeeded is None else at,
        )  # fmt: skip
        FailureRecord.objects.filter(pk=row.pk).update(at=at)
    for succeeded in (True, None):
        row = FailureRecord.objects.create(
            goal=goal, stage="planning", reason=HOSTILE, strategy="manual_fallback", agent=goal.agent,
            classified_as="PLANNING_ERROR", failure_class="PLANNING_ERROR", succeeded=succeeded,
            settled_at=None if succeeded is None else at,
        )  # fmt: skip
        FailureRecord.objects.filter(pk=row.pk).update(at=at)


@pytest.fixture
def filled(owner: User, goal_rows: Any) -> Goal:
    """Cases of today and of ten days before; those of days that are over are added up."""
    goal: Goal = goal_rows(owner, GoalState.PENDING)[0]
    of_another: Goal = goal_rows(owner, GoalState.PENDING, agent=Agent.objects.create(name=HOSTILE))[0]
    for ago in range(11):
        of_everything(goal, ago)
    of_everything(of_another, 20)
    assert insight_cases.add_up_days() > 0
    return of_another


def test_every_number_leads_to_as_many_cases(filled: Goal, operator: User, client_of: ClientOf) -> None:
    client = client_of(operator)
    page = read(client)
    numbers = counted(page)
    assert len(numbers) > 60
    assert {address.partition("?")[0] for address, _ in numbers} == set(LISTS)
    for address, cases in set(numbers):
        assert cases_of(client, address) == cases, address
    assert "<b>" not in page
    narrower = read(client, f"{PAGE}?agent={filled.agent_id}")
    assert 0 < len(counted(narrower)) < len(numbers)
    for address, cases in set(counted(narrower)):
        assert cases_of(client, address) == cases, address


def test_the_numbers_of_the_page(filled: Goal, operator: User, client_of: ClientOf) -> None:
    page = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", read(client_of(operator)))).split())
    # Of each day: four of five corrections are judged, one of which worked; five attempts for three plans, three more
    # in vain; of three recoveries that ended (one was the same way again, and is no case of its own) one helped, and
    # one has not ended. What a person planned is none of them.
    assert "25 % Parameter correction success" in page
    assert "n = 48" in page
    assert "1.67 Plan generation efficiency: attempts per valid plan, n = 36 ; not counted: 12 without a plan" in page
    assert "33 % Recovery effectiveness" in page
    assert "n = 36 ; not counted: 24 left to a person" in page
    assert "PLANNING_ERROR" not in page
    assert re.search(r"1(\.0)? s Processing latency", page)


def test_what_really_happened_is_counted(
    owner: User, reviewer: User, operator: User, make_goal: Callable[..., Goal], client_of: ClientOf
) -> None:
    call_command("load_starters", verbosity=0)
    goal = make_goal(owner, "could you please shwo me the file path/to/README")
    workspaces.put_file(goal.workspace, by=owner, path="README.md", source=io.BytesIO(b"# one\n"))
    cycle.work(goal.pk)
    plan = goal.intent_plans.get()
    decisions.approve(plan, by=reviewer, digest=plan.digest)
    cycle.work(goal.pk)
    cycle.work(goal.pk)
    client = client_of(operator)
    assert "README.md" in read(client, f"{LISTS[0]}?came=succeeded")
    for address, cases in counted(read(client)):
        assert cases_of(client, address) == cases == 1


def test_a_cell_is_text_whatever_it_is_made_of() -> None:
    shown = Cell("<b>1", '?tool="><i>&a=b', 3, sub="<i>").html
    href = "?tool=&quot;&gt;&lt;i&gt;&amp;a=b"
    sub = '<small class="faint nowrap">&lt;i&gt;</small>'
    assert shown == f'<a href="{href}" data-cases="3">&lt;b&gt;1 {sub}</a>'
    assert Cell("<b>").html == "&lt;b&gt;"
    table = Table("k", "t", "s", ("<u>A", "<u>B"), (Row(HOSTILE, (Cell("<i>"),), '?"<'),), "")
    assert '<td class="num">&lt;i&gt;</td>' in table.html
    assert '<th scope="row"><a href="?&quot;&lt;">&lt;b&gt;<span class="hidden-char"' in table.html
    assert "&lt;u&gt;A" in table.html
    assert not re.search(r"<[bui]>", table.html)


def test_days_that_are_one_bar_are_counted_together(filled: Goal) -> None:
    today = timezone.now().date()
    asked = Asked(today - timedelta(days=21), today)
    days, weeks = insight_sums.sums(asked).days, insight_sums.sums(asked, together=7).days
    assert set(weeks) == {asked.first + timedelta(days=n) for n in (0, 7, 14, 21)}
    for first, figures in weeks.items():
        inside = [one for day, one in days.items() if first <= day < first + timedelta(days=7)]
        assert figures.attempts == sum(one.attempts for one in inside) > 0
        for counts in ("corrected", "planned", "recovered"):
            assert getattr(figures, counts) == sum((getattr(one, counts) for one in inside), Counter())
        assert figures.total.buckets == sum((one.total.buckets for one in inside), Counter())
        assert figures.took["rules"].amount_ms == sum(one.took["rules"].amount_ms for one in inside)


def test_a_bar_of_several_days_leads_to_their_cases(filled: Goal, operator: User, client_of: ClientOf) -> None:
    client = client_of(operator)
    page = read(client, f"{PAGE}?from={timezone.now() - timedelta(days=89):%Y-%m-%d}")
    of_bars = [(address, cases) for address, cases in counted(page[page.index('id="t-by-day"') :]) if cases]
    assert len(of_bars) > 40
    for address, cases in set(of_bars):
        assert cases_of(client, address) == cases, address


@pytest.mark.parametrize("who", ["owner", "reviewer", "outsider"])
def test_who_does_not_operate_sees_none_of_it(
    who: str, filled: Goal, request: pytest.FixtureRequest, client_of: ClientOf
) -> None:
    client = client_of(request.getfixturevalue(who))
    for address in (PAGE, *LISTS):
        answer = client.get(address)
        assert answer.status_code == 403
        assert b"README" not in answer.content


def test_lists_go_on_where_they_ended(
    filled: Goal, operator: User, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "PAGE", 2)
    client = client_of(operator)
    for address in LISTS:
        assert cases_of(client, address) == {0: 60, 1: 48, 2: 72}[LISTS.index(address)]


@pytest.mark.parametrize(
    "query",
    ["from=soon", "from=2026-03-02&to=2026-03-01", "from=2001-01-01&to=2026-01-01", "agent=%00", "agent=" + "9" * 300,
     "came=drop+table&origin=x&source=y&stage=z", "tool=%00&strategy=a:b:c&failure_class=%00", "stage=at", "after=~",
     "after=2026-01-01T00:00:00%2B00:00~" + "9" * 40],
)  # fmt: skip
def test_no_address_breaks_it(query: str, operator: User, client_of: ClientOf) -> None:
    for address in (PAGE, *LISTS):
        read(client_of(operator), f"{address}?{query}")


def test_programs_read_the_same_numbers(
    filled: Goal, operator: User, owner: User, api_of: Callable[..., ApiCaller]
) -> None:
    answer: Any = api_of(operator).get("insights/mind")
    assert answer.status_code == 200
    found = answer.json()
    total = found["total"]
    assert total["correction_success"] == pytest.approx(
        {"cases": 48, "share": 0.25, "low": 0.149, "high": 0.388}, abs=1e-3
    )
    assert total["planned"] == {"first": 24, "repaired": 12, "none": 12}
    assert total["attempts_per_plan"] == pytest.approx(60 / 36)
    assert total["recovered"] == {"helped": 12, "not_helped": 24, "open": 12}
    assert total["left_to_a_person"] == {"helped": 12, "not_helped": 0, "open": 12}
    assert total["latency"]["cases"] == 36
    assert total["stages"]["model"] == {
        "cases": 12,
        "p50_ms": pytest.approx(900, rel=0.05),
        "p95_ms": pytest.approx(900, rel=0.05),
        "mean_ms": 900.0,
    }
    assert len(found["days"]) == 12
    for part in ("days", "agents", "sources"):
        assert sum(one["valid_at_once"]["cases"] for one in found[part]) == 48
    assert {one["of"]["strategy"] for one in found["recoveries"]} == {"alternative_tool"}
    assert api_of(owner).get("insights/mind").status_code == 403
    for query in ("from=soon", "agent=x", "agent=-1", "from=2026-03-02&to=2026-03-01"):
        assert api_of(operator).get(f"insights/mind?{query}").status_code == 422, query


def test_without_cases_it_says_what_fills_it(operator: User, client_of: ClientOf) -> None:
    client = client_of(operator)
    assert "Planning runs appear here" in read(client)
    assert "No matching cases" in read(client, LISTS[0])


def test_it_is_asked_in_few_questions(filled: Goal, operator: User, client_of: ClientOf) -> None:
    client = client_of(operator)
    today = timezone.now()
    for address in (f"{PAGE}?from={today - timedelta(days=364):%Y-%m-%d}&to={today:%Y-%m-%d}", *LISTS):
        read(client, address)
        with CaptureQueriesContext(connection) as asked:
            page = read(client, address)
        assert len(asked) <= 6, [one["sql"][:80] for one in asked]
        assert "OFFSET" not in " ".join(one["sql"] for one in asked)
        assert "style=" not in page
