"""The pages of recovery: numbers with their cases, classes, rules with a preview, pins and resets; operators only."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.bdi.recovery.failures import Facts, FailureClass, Rule
from agents.models import FailureRecord, FailureRule, Goal, RecoveryPolicy, RecoveryReset, RecoveryStatistic
from agents.pages.recovery import failure_causes
from agents.pages.recovery.recovery_time import RecoveryTime
from agents.recovery import failure_log, recovery_learning
from people.models import User

pytestmark = pytest.mark.django_db
Clients = Callable[[User], Client]


@pytest.fixture
def failure(owner: User, make_goal: Callable[..., Goal]) -> FailureRecord:
    goal = make_goal(owner)
    facts = Facts(tool="simple_coder", command="run", exit_code=3, text="<b>quota</b> exceeded")
    row = FailureRecord.objects.create(
        goal=goal, stage="execution", tool="simple_coder", command="run", facts=facts.to_json(), reason="<i>exit</i>",
        classified_as="TOOL_EXECUTION_ERROR", failure_class="TOOL_EXECUTION_ERROR", strategy="retry_with_delay",
        succeeded=True, settled_at=goal.created_at,
    )  # fmt: skip
    recovery_learning.rebuild({("TOOL_EXECUTION_ERROR", "simple_coder", "retry_with_delay")})
    return row


@pytest.mark.parametrize("address", ["", "failures/", "rules/", "time/"])
def test_the_pages_are_operators_and_foreign_text_stays_text(
    failure: FailureRecord, operator: User, owner: User, client_of: Clients, address: str
) -> None:
    page = client_of(operator).get(f"/recovery/{address}")
    assert page.status_code == 200
    assert "<b>quota" not in page.content.decode()
    assert "<i>exit" not in page.content.decode()
    assert client_of(owner).get(f"/recovery/{address}").status_code == 403


def test_pins_and_bans_are_called_as_everywhere(operator: User, client_of: Clients) -> None:
    RecoveryPolicy.objects.create(
        failure_class="NETWORK_ERROR", tool="", number=1, pinned="escalate_to_agint",
        banned=["retry_with_delay", "retry_with_delay:cool_down"], by=operator,
    )  # fmt: skip
    page = client_of(operator).get("/recovery/").content.decode()
    assert "pinned: escalate to AGInt" in page
    assert "banned: retry with delay; cool-down, then retry" in page


def test_a_number_has_its_n_and_leads_to_its_cases(failure: FailureRecord, operator: User, client_of: Clients) -> None:
    client = client_of(operator)
    page = client.get("/recovery/").content.decode()
    assert "n = 1" in page
    address = "/recovery/failures/?failure_class=TOOL_EXECUTION_ERROR&tool=&strategy=retry_with_delay"
    assert address.replace("&", "&amp;") in page
    assert f"goal {failure.goal_id}" in client.get(address).content.decode()
    assert f"goal {failure.goal_id}" not in client.get("/recovery/failures/?strategy=manual_fallback").content.decode()


def test_a_number_leads_to_exactly_the_cases_that_it_counts(
    failure: FailureRecord, operator: User, client_of: Clients
) -> None:
    again = FailureRecord.objects.get(pk=failure.pk)
    again.pk, again.succeeded, again.overtaken_by = None, False, "retry_with_delay"
    again.save()
    still_open = FailureRecord.objects.get(pk=failure.pk)
    still_open.pk, still_open.succeeded, still_open.settled_at = None, None, None
    still_open.save()
    recovery_learning.rebuild({("TOOL_EXECUTION_ERROR", "simple_coder", "retry_with_delay")})
    client = client_of(operator)
    address = "/recovery/failures/?failure_class=TOOL_EXECUTION_ERROR&tool=&strategy=retry_with_delay"
    assert f"{address}&counted=1".replace("&", "&amp;") in client.get("/recovery/").content.decode()

    def listed(query: str = "") -> list[int]:
        return [one.pk for one in client.get(address + query).context["failures"]]

    assert listed("&counted=1") == [failure.pk]
    assert listed() == [still_open.pk, again.pk, failure.pk]
    assert "tried the same way again" in client.get(address).content.decode()
    recovery_learning.reset(by=operator, failure_class="TOOL_EXECUTION_ERROR", tool="git_tool", strategy="", why="x")
    assert listed("&counted=1") == [failure.pk]
    recovery_learning.reset(by=operator, failure_class="", tool="", strategy="retry_with_delay", why="x")
    assert listed("&counted=1") == []
    assert "No matching failures" in client.get(f"{address}&counted=1").content.decode()


def test_what_fails_most_is_said_first_and_leads_to_its_cases(
    failure: FailureRecord, owner: User, make_goal: Callable[..., Goal], operator: User, client_of: Clients
) -> None:
    client = client_of(operator)
    assert "What fails most" not in client.get("/recovery/failures/").content.decode()

    def fails(goal: Goal, reason: str, command: str = "run") -> FailureRecord:
        return FailureRecord.objects.create(
            goal=goal, stage="execution", tool="simple_coder", command=command, reason=reason,
            classified_as="INVALID_PARAMETERS", failure_class="INVALID_PARAMETERS", strategy="graceful_abort",
        )  # fmt: skip

    one, other = make_goal(owner), make_goal(owner)
    thrice = [fails(one, "three tries of one goal") for _ in range(3)]
    twice = [fails(goal, "sales.csv: <b>no such file</b>", "read") for goal in (one, other)]
    fails(other, "sales.csv: <b>no such file</b>", "ls")
    found = failure_causes.causes(failure_log.visible_to(operator))
    assert [(cause.newest, cause.failures, cause.goals) for cause in found] == [(twice[1], 2, 2), (thrice[2], 3, 1)]
    page = client.get("/recovery/failures/").content.decode()
    head = page[page.index("What fails most") :]
    assert "<b>no such file" not in page
    assert "<strong>2 times</strong> in 2 goals" in head
    assert "<strong>3 times</strong> in 1 goal<" in head
    # The link keeps the filter, and leads to exactly these.
    address = re.findall(r'href="(\?[^"]*like=\d+)"', head)[0].replace("&amp;", "&")
    listed = client.get(f"/recovery/failures/{address}").content.decode()
    assert re.findall(r'id="failure-(\d+)"', listed) == [str(row.pk) for row in reversed(twice)]
    assert "Clear" in listed
    narrowed = client.get("/recovery/failures/?failure_class=TOOL_EXECUTION_ERROR").content.decode()
    assert "What fails most" not in narrowed


def test_a_switch_of_a_rule_waits_its_turn_and_never_brings_an_older_version_back(
    operator: User, client_of: Clients
) -> None:
    client = client_of(operator)
    old = failure_log.save_rule(Rule(FailureClass.RATE_LIMIT_ERROR, "quota", text="quota"), by=operator)
    with CaptureQueriesContext(connection) as asked:
        client.post(f"/recovery/rules/{old.pk}/switch")
    said = [query["sql"] for query in asked.captured_queries]
    lock = next(at for at, sql in enumerate(said) if "pg_advisory_xact_lock" in sql)
    assert lock < next(at for at, sql in enumerate(said) if sql.startswith('INSERT INTO "agents_failurerule"'))
    off = FailureRule.objects.latest("pk")
    assert (off.number, off.enabled) == (2, False)
    # Two have the page open: the second of them reads what the first one did, and nothing is changed.
    again = client.post(f"/recovery/rules/{old.pk}/switch", follow=True)
    assert "Somebody saved another version in the meantime" in again.content.decode()
    assert FailureRule.objects.count() == 2
    on = client.post(f"/recovery/rules/{off.pk}/switch", follow=True)
    assert "The rule quota is on again, from the next failure on." in on.content.decode()
    assert failure_log.in_force()[0].number == 3


def test_a_rule_about_a_tool_that_is_gone_is_switched_off_but_not_on(operator: User, client_of: Clients) -> None:
    client = client_of(operator)
    gone = failure_log.save_rule(Rule(FailureClass.RATE_LIMIT_ERROR, "old", tool="fax", command="send"), by=operator)
    client.post(f"/recovery/rules/{gone.pk}/switch")
    off = FailureRule.objects.latest("pk")
    assert not off.enabled
    shown = client.post(f"/recovery/rules/{off.pk}/switch", follow=True)
    assert "There is no tool “fax”" in shown.content.decode()
    assert failure_log.in_force() == []


def test_a_rule_is_shown_with_what_it_changes_before_it_is_saved(
    failure: FailureRecord, operator: User, client_of: Clients
) -> None:
    client = client_of(operator)
    filled = {"name": "quota", "text": "exceeded", "failure_class": "RATE_LIMIT_ERROR", "act": "preview"}
    shown = client.post("/recovery/rules/", filled).content.decode()
    assert "changed 1 of the last 1 failures" in shown
    assert not FailureRule.objects.exists()
    seen = {"tried": re.search(r'name="tried" value="(\w+)"', shown)[1], "act": "save"}  # type: ignore[index]
    other = client.post("/recovery/rules/", {**filled, **seen, "text": "quota"})
    assert "The rule changed after its preview" in other.content.decode(), "whoever types on sees the next one first"
    assert not FailureRule.objects.exists()
    assert client.post("/recovery/rules/", {**filled, **seen}).status_code == 302
    assert FailureRule.objects.get().failure_class == "RATE_LIMIT_ERROR"
    assert client.post("/recovery/rules/", {**filled, "text": "", "act": "save"}).status_code == 422
    for code in ("x", "--5", "-", "99999999"):
        refused = client.post("/recovery/rules/", {**filled, "exit_code": code})
        assert refused.status_code == 422
        assert "An exit code is a whole number." in refused.content.decode()


def test_a_class_is_corrected_and_statistics_begin_anew(
    failure: FailureRecord, operator: User, owner: User, client_of: Clients
) -> None:
    client, address = client_of(operator), f"/recovery/failures/{failure.pk}/class"
    assert client_of(owner).post(address, {"failure_class": "NETWORK_ERROR"}).status_code == 403
    back_to = client.post(
        f"{address}?tool=simple_coder&counted=1", {"failure_class": "NETWORK_ERROR", "why": "the <net> was down"}
    )
    assert back_to["Location"] == f"/recovery/failures/?tool=simple_coder&counted=1#failure-{failure.pk}"
    listed = client.get("/recovery/failures/").content.decode()
    assert f'id="failure-{failure.pk}"' in listed
    assert f'action="{address}?counted=1"' in client.get("/recovery/failures/?counted=1").content.decode()
    said = f"TOOL_EXECUTION_ERROR → NETWORK_ERROR by {operator.display_name}: the &lt;net&gt; was down"
    assert said in listed, "who corrected it, and why, stays beside it"
    assert RecoveryStatistic.objects.get(failure_class="NETWORK_ERROR").cases == 1
    assert client_of(owner).post("/recovery/reset", {"why": "x"}).status_code == 403
    client.post("/recovery/reset", {"why": "a new machine"})
    assert RecoveryReset.objects.get().why == "a new machine"
    assert RecoveryStatistic.objects.get(failure_class="NETWORK_ERROR").cases == 0
    assert FailureRecord.objects.count() == 1, "what was is kept"
    row = RecoveryReset.objects.get()
    back = f"/recovery/reset/{row.pk}/back"
    assert client_of(owner).post(back).status_code == 403
    assert "Undo<" in client.get("/recovery/").content.decode()
    assert "count again" in client.post(back, follow=True).content.decode()
    assert RecoveryStatistic.objects.get(failure_class="NETWORK_ERROR").cases == 1
    assert "already undone" in client.post(back, follow=True).content.decode()
    assert client.post(f"/recovery/reset/{RecoveryReset.objects.latest('pk').pk}/back").status_code == 404
    shown = client.get("/recovery/").content.decode()
    assert "undone" in shown
    client.post("/recovery/reset", {"tool": "another", "why": "only that tool"})
    assert RecoveryStatistic.objects.get(failure_class="NETWORK_ERROR").cases == 1


def test_what_helped_over_time_is_what_is_known_now_with_resets_and_pins_marked(
    failure: FailureRecord, operator: User, client_of: Clients
) -> None:
    known = recovery_learning.known_of(
        FailureClass.TOOL_EXECUTION_ERROR, "simple_coder", recovery_learning.current_settings()
    )
    page = RecoveryTime("", None)
    assert (page.failure_class, page.tool) == ("TOOL_EXECUTION_ERROR", "simple_coder")
    (series,) = page.series
    assert series.last.counting == pytest.approx(sum(known.cell.counts("retry_with_delay")))
    assert (series.last.percent, series.last.cases) == (100, 1)
    of_class, note = FailureClass.TOOL_EXECUTION_ERROR, "<i>it</i> helps"
    recovery_learning.save_policy(of_class, "", pinned="retry_with_delay", banned=[], by=operator, note=note)
    recovery_learning.reset(by=operator, why="a new machine")
    client = client_of(operator)
    shown = client.get("/recovery/time/").content.decode()
    for words in ("a new machine", "pinned for every tool, version 1", "ev-pin", "ev-reset", "counting as 1.0"):
        assert words in shown
    assert "<i>it" not in shown
    assert "strategy=retry_with_delay" in shown
    assert "No data yet" in client.get("/recovery/time/?failure_class=x&tool=%00").content.decode()
