"""An audit of the past: what it proposes from facts, what it reads, and what people do with its proposals."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from agents.evolution.auditing import components, gaps, proposing, reading, redundancies, risks, strategies
from agents.evolution.auditing.facts import Facts, Part, Past, Tried
from agents.evolution.auditing.statistics import more_often
from agents.models import EvolutionProposal, Goal
from agents.record.errors import NotPossibleNow, NotYours
from library.components import services as library
from people.models import User
from tests.agents.evolution.conftest import Totalled, rule

NOW = datetime(2026, 11, 27, tzinfo=UTC)


def past(goal: int, *rules: str, worked: bool | None = True, **more: Any) -> Past:
    return Past(goal, f"do {goal}", NOW, rules, is_served=bool(rules), worked=worked, **more)


def part(name: str, successes: int, failures: int, **more: Any) -> Part:
    uses = successes + failures
    return Part("rule", name, NOW - timedelta(days=90), uses, successes, failures, last_used=NOW, **more)


def facts(pasts: Iterable[Past] = (), parts: Iterable[Part] = (), **more: Any) -> Facts:
    return Facts(NOW, tuple(pasts), tuple(parts), **more)


def test_the_exact_test_agrees_with_a_table_by_hand() -> None:
    # Fisher's tea: three of four right beside one of four.
    assert more_often(3, 4, 1, 4) == pytest.approx(17 / 70)
    assert more_often(4, 4, 0, 4) == pytest.approx(1 / 70)
    assert more_often(0, 4, 3, 4) == 1.0
    assert more_often(1, 1, 0, 0) == 1.0


def test_a_rule_that_fails_more_than_the_others_is_proposed_and_chance_is_not() -> None:
    usual = [part(f"usual {number}", 18, 2) for number in range(5)]
    (found,) = components.find(facts(parts=[*usual, part("bad", 4, 6)]))
    assert (found.kind, found.component) == ("low_success", ("rule", "bad"))
    assert found.why == "6 of its 10 runs failed; of all other rules, 10 of 100 did."
    assert list(components.find(facts(parts=[*usual, part("unlucky", 8, 2)]))) == []
    # Four failures of four are few, and five of five are enough.
    assert list(components.find(facts(parts=[*usual, part("new", 0, 4)]))) == []
    assert len(list(components.find(facts(parts=[*usual, part("new", 0, 5)])))) == 1


def test_a_rule_that_began_to_fail_is_one_that_worked_before() -> None:
    usual = [part("usual", 40, 20)]
    lately = part("lately", 45, 7, recent=(False,) * 7 + (True,) * 3)
    (found,) = components.find(facts(parts=[*usual, lately]))
    assert (found.kind, found.why) == ("failing", "7 of its last 10 runs failed, 0 of 42 before.")
    assert list(components.find(facts(parts=[*usual, part("always so", 30, 22, recent=(True, False) * 5)]))) == []


def test_unused_and_orphaned_rules_are_named_and_starters_are_not_unused() -> None:
    old = NOW - timedelta(days=61)
    idle = Part("rule", "idle", old)
    unused = components.find(facts(parts=[idle, replace(idle, name="shipped", is_starter=True)]))
    assert [one.subject for one in unused] == ["rule idle"]
    assert list(components.find(facts(parts=[replace(idle, since=NOW)]))) == []
    (found,) = components.find(facts(parts=[part("left", 1, 0, owner_is_gone=True)]))
    assert found.kind == "orphaned"


def unit(*values: float) -> list[float]:
    length = sum(value * value for value in values) ** 0.5
    return [value / length for value in values]


def test_a_gap_is_three_goals_that_mean_the_same_and_that_no_rule_served() -> None:
    vectors = {"translate it": unit(1, 0.1, 0), "put it into french": unit(1, 0, 0.1), "walk the dog": unit(0, 0, 1)}
    texts = ["translate a.txt", "translate b.txt", "put c.txt into French", "walk the dog"]
    asked = [replace(past(number), text=text) for number, text in enumerate(texts)]
    (found,) = gaps.find(facts(asked, vectors=vectors))
    assert (set(found.goals), found.weight) == ({0, 1, 2}, 3)
    assert list(gaps.find(facts(asked[1:], vectors=vectors))) == []
    served = [replace(asked[0], is_served=True), *asked[1:]]
    assert list(gaps.find(facts(served, vectors=vectors))) == []
    assert list(gaps.find(facts(asked))) == [], "without vectors nothing is guessed"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Translate notes.txt into French.", "translate it into french"),
        ("total “a b.csv” of 2024", "total it of it"),
        ("count the lines", "count the lines"),
    ],
)
def test_what_a_goal_names_is_left_out_of_its_task(text: str, said: str) -> None:
    assert gaps.plain(text) == said


def test_redundant_are_rules_that_do_the_same_for_every_goal_that_both_apply_to() -> None:
    pasts = [past(number, "a", rivals=("b",)) for number in range(3)]
    assert redundancies.pairs(facts(pasts)) == {("a", "b"): [0, 1, 2]}
    assert redundancies.pairs(facts(pasts[:2])) == {}
    same = {("a", "b"): {0: True, 1: True, 2: True}, ("a", "c"): {0: True, 1: False, 2: True}, ("a", "d"): {0: True}}
    assert [one.subject for one in redundancies.find(facts(pasts, same_steps=same))] == ["a / b"]


def failing(number: int, name: str, mark: str, said: str = "") -> Past:
    return past(number, name, worked=False, marks=frozenset({mark}), failed_marks=frozenset({mark}), failure=said)


def test_a_risk_is_one_thing_that_several_rules_fail_on_and_others_do_not() -> None:
    fine = [past(100 + number, "usual", marks=frozenset({"host b.example"})) for number in range(30)]
    bad = [failing(number, f"rule {number % 3}", "host a.example") for number in range(6)]
    (found,) = risks.find(facts([*fine, *bad]))
    assert (found.subject, found.weight) == ("host a.example", 6)
    two = [failing(number, f"rule {number % 2}", "host a.example") for number in range(6)]
    assert list(risks.find(facts([*fine, *two]))) == [], "two rules are no system"
    everywhere = [failing(number, f"rule {number % 3}", "host b.example") for number in range(6)]
    assert list(risks.find(facts([*fine, *everywhere]))) == [], "what mostly works is not the cause"


def test_the_same_complaint_of_several_rules_is_a_risk_and_said_once() -> None:
    said = [f"exit code 1: no module named 'm{number}'" for number in range(4)]
    bad = [failing(number, f"rule {number % 3}", f"file {number}.txt", said[number]) for number in range(4)]
    (found,) = risks.find(facts(bad))
    assert found.subject == "complaint exit code …: no module named …"
    alike = [replace(one, failure=said[0]) for one in bad]
    (found,) = risks.find(facts(alike))
    assert found.subject == f"complaint {said[0]}"
    # A host and the one program that calls it are one risk.
    both = [
        replace(one, marks=frozenset({"host a", "program b"}), failed_marks=frozenset({"host a", "program b"}))
        for one in alike
    ]
    fine = [past(100 + number, "usual") for number in range(30)]
    assert len(list(risks.find(facts([*fine, *both])))) == 1


@pytest.mark.django_db(transaction=True)
def test_real_goals_are_read_as_facts(
    totalled: Totalled,
    operator: User,
    owner: User,
    make_goal: Callable[..., Goal],
) -> None:
    """Goals that worked, failed, were known by a rule that could not plan them, and that no rule knows."""
    library.publish("rule", "sums", rule("strict").replace("total a list", "sums"), by=operator, status="active")
    worked, failed = totalled("1\n2\n"), totalled("1\n\n2\n")
    unknown = make_goal(owner, "whistle a tune")
    found = reading.facts()
    by_goal = {one.goal: one for one in found.pasts}
    one = by_goal[worked.pk]
    assert (one.worked, one.failure) == (True, "")
    assert {*one.rules, *one.rivals} == {"total a list", "sums"}
    assert {"program python", "file strict.py", "file numbers.txt", f"agent {worked.agent.name}"} <= one.marks
    assert by_goal[failed.pk].worked is False
    assert "ValueError" in by_goal[failed.pk].failure
    assert unknown.pk not in by_goal, "it has not been planned yet"
    assert found.same_steps == {}, "two goals are too few to compare the rules"
    (mine,) = (part for part in found.parts if part.name == one.rules[0])
    assert (mine.successes, mine.failures, mine.recent) == (1, 1, (False, True))


@pytest.mark.django_db
def test_a_proposal_is_kept_dismissed_and_comes_back_when_it_has_grown(
    reviewer: User, owner: User, client_of: Callable[[User], Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = [failing(number, f"rule {number % 3}", "host a.example") for number in range(6)]
    fine = [past(100 + number, "usual") for number in range(30)]
    monkeypatch.setattr(reading, "facts", lambda: facts([*fine, *bad]))
    assert proposing.refresh() == 1
    (row,) = proposing.open_ones()
    assert (row.kind, row.cases, row.goals) == ("risk", 6, [0, 1, 2, 3, 4, 5])
    with pytest.raises(NotYours):
        proposing.dismiss(row, by=owner, why="no")
    with pytest.raises(NotPossibleNow, match="Say why"):
        proposing.dismiss(row, by=reviewer, why=" ")
    page = client_of(reviewer)
    assert "Several rules fail on one thing: host a.example" in page.get("/evolution/").content.decode()
    page.post(f"/evolution/{row.pk}/dismiss", {"why": "known <b>outage</b>"})
    assert list(proposing.open_ones()) == []
    assert "known &lt;b&gt;outage&lt;/b&gt;" in page.get("/evolution/").content.decode()
    with pytest.raises(NotPossibleNow, match="already"):
        proposing.dismiss(row, by=reviewer, why="again")
    proposing.refresh()
    assert list(proposing.open_ones()) == [], "nothing has changed"
    more = [failing(10 + number, f"rule {number % 3}", "host a.example") for number in range(3)]
    monkeypatch.setattr(reading, "facts", lambda: facts([*fine, *bad, *more]))
    proposing.refresh()
    assert [one.cases for one in proposing.open_ones()] == [9]
    monkeypatch.setattr(reading, "facts", lambda: facts(fine))
    proposing.refresh()
    assert list(proposing.open_ones()) == []
    assert EvolutionProposal.objects.get().gone_at is not None
    page.post(f"/evolution/{row.pk}/restore")
    assert client_of(owner).post(f"/evolution/{row.pk}/dismiss", {"why": "mine"}).status_code == 302
    assert EvolutionProposal.objects.get().dismissed_at is None


@pytest.mark.django_db
def test_goals_of_others_are_counted_and_not_named(
    reviewer: User,
    outsider: User,
    owner: User,
    make_goal: Callable[..., Goal],
    client_of: Callable[[User], Client],
    api_of: Any,
) -> None:
    goals = [make_goal(owner, "whistle a tune").pk for _ in range(3)]
    EvolutionProposal.objects.create(
        kind="gap", subject="whistle", says="No rule knows this", why="3 goals", cases=3, goals=goals, seen_at=NOW
    )
    assert f"goal {goals[0]}" in client_of(reviewer).get("/evolution/").content.decode()
    shown = client_of(outsider).get("/evolution/").content.decode()
    assert f"goal {goals[0]}" not in shown
    assert "3 cases" in shown
    assert api_of(reviewer).get("evolution/proposals").json()["items"][0]["goals"] == [str(pk) for pk in goals]
    (item,) = api_of(outsider).get("evolution/proposals").json()["items"]
    assert (item["goals"], item["cases"]) == ([], 3)
    at = f"evolution/proposals/{item['id']}/dismiss"
    assert api_of(outsider).post(at, {"why": "no"}).status_code == 403
    assert api_of(reviewer).post(at, {"why": "done elsewhere"}).json()["dismissed_why"] == "done elsewhere"
    assert api_of(reviewer).post(at, {"why": "again"}).status_code == 409
    assert api_of(reviewer).get("evolution/proposals").json()["items"] == []
    assert api_of(reviewer).post("evolution/proposals/0/dismiss", {"why": "x"}).status_code == 404


def tried(strategy: str, cases: int, helped: int) -> Tried:
    return Tried("NETWORK_ERROR", "http_request", strategy, strategy, cases, helped)


def test_a_strategy_that_hardly_ever_helps_where_others_do_is_proposed_to_be_banned() -> None:
    (found,) = strategies.find(facts(tried=(tried("retry", 14, 0), tried("alternative", 10, 8))))
    assert (found.kind, found.weight) == ("setting", 14)
    assert found.why == "It helped 0 of 14 times, all others together 8 of 10."
    assert found.component == ("setting", "NETWORK_ERROR/http_request/retry")
    for quiet in (
        (tried("retry", 9, 0), tried("alternative", 10, 8)),
        (tried("retry", 14, 3), tried("alternative", 10, 8)),
        (tried("retry", 14, 0), tried("alternative", 10, 0)),
        (tried("retry", 14, 0),),
    ):
        assert list(strategies.find(facts(tried=quiet))) == []


@pytest.mark.django_db
def test_what_is_banned_is_not_proposed_again_and_the_proposal_fills_the_form(
    operator: User, client_of: Callable[[User], Client]
) -> None:
    from agents.bdi.recovery.failures import FailureClass
    from agents.models import RecoveryStatistic
    from agents.recovery import recovery_learning

    for strategy, cases, helped in (("retry_with_delay", 14, 0), ("alternative_tool", 10, 8)):
        RecoveryStatistic.objects.create(
            failure_class="NETWORK_ERROR", tool="http_request", strategy=strategy, cases=cases, successes=helped
        )
    assert [one.kind for one in proposing.find(reading.facts())] == ["setting"]
    proposing.refresh()
    client = client_of(operator)
    page = client.get("/evolution/").content.decode()
    (address,) = re.findall(r'href="(/tuning/recovery_policy/[^"]*)"', page)
    form = client.get(html.unescape(address)).content.decode()
    assert re.search(r'value="retry_with_delay" checked', form)
    assert re.search(r'value="NETWORK_ERROR" selected', form)
    recovery_learning.save_policy(
        FailureClass.NETWORK_ERROR, "http_request", pinned="", banned=["retry_with_delay"], by=operator, note="x"
    )
    assert proposing.find(reading.facts()) == []
