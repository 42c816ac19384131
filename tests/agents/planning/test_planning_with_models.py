"""What a turn costs that asks the entailment model, and that it asks nothing twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.beliefs import entailment_model
from agents.cycle import cycle
from agents.models import EntailmentThresholds, Goal
from library.components import services
from library.errors import EntailmentUnavailable
from library.language.entailment import judgement, model
from library.models import EntailmentVerdict
from people.models import User

RULE = (
    "RULE greet\nIF your task is to greet {name}\nCONSIDERING the workspace holds nothing whatsoever\n"
    "THEN: create the folder {name}\n"
)
TABLE = EntailmentVerdict._meta.db_table
SURE, NEUTRAL = judgement.Judgement("entailment", 0.999, 0.001, 0.0), judgement.Judgement("neutral", 0.0, 1.0, 0.0)


@pytest.fixture
def asked(operator: User, settings: Any, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The pairs that the model is asked, one of which it is sure of."""
    settings.ENTAILMENT = "model"
    values = {"environment_entailment": 0.9, "environment_contradiction": 0.01, "language_entailment": 0.95}
    EntailmentThresholds.objects.create(entailment=0.97, contradiction=0.01, **values)
    services.publish("rule", "greet", RULE, by=operator, status="active")
    pairs = list[tuple[str, str]]()

    def judge(some: Sequence[tuple[str, str]]) -> list[judgement.Judgement]:
        pairs.extend(some)
        return [SURE if premise == "The workspace is empty." else NEUTRAL for premise, _ in some]

    monkeypatch.setattr(model, "judge", judge)
    return pairs


def turn(goal: Goal) -> list[str]:
    with CaptureQueriesContext(connection) as taken:
        cycle.one(goal.pk)
    return [each["sql"] for each in taken.captured_queries if TABLE in each["sql"]]


@pytest.mark.django_db(transaction=True)
def test_verdicts_are_read_once_and_written_once_and_the_next_turn_asks_nothing(
    asked: list[tuple[str, str]], owner: User, make_goal: Callable[..., Goal]
) -> None:
    first, second = make_goal(owner, "greet Ada"), make_goal(owner, "greet Bob")
    assert [said.split()[0] for said in turn(first)] == ["SELECT", "INSERT"]
    first.refresh_from_db()
    assert first.state == "awaiting_review"
    assert len(asked) == EntailmentVerdict.objects.count() > 0
    asked.clear()
    assert [said.split()[0] for said in turn(second)] == ["SELECT"]
    second.refresh_from_db()
    assert (second.state, asked) == ("awaiting_review", [])


@pytest.mark.django_db(transaction=True)
def test_a_turn_that_needs_no_model_neither_reads_nor_writes_verdicts(
    asked: list[tuple[str, str]], owner: User, make_goal: Callable[..., Goal], settings: Any
) -> None:
    settings.ENTAILMENT = "structured"
    assert turn(make_goal(owner, "greet Ada")) == []
    settings.ENTAILMENT = "model"
    assert turn(make_goal(owner, "pay the invoices")) == []
    assert asked == []


@pytest.mark.django_db(transaction=True)
def test_a_damaged_model_leaves_the_matcher_alone_keeps_nothing_and_says_so(
    asked: list[tuple[str, str]],
    owner: User,
    make_goal: Callable[..., Goal],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def damaged(pairs: Any) -> Any:
        raise EntailmentUnavailable("trained.npz is damaged")

    monkeypatch.setattr(model, "judge", damaged)
    goal = make_goal(owner, "greet Ada")
    cycle.one(goal.pk)
    goal.refresh_from_db()
    assert goal.state == "manual"
    assert not EntailmentVerdict.objects.exists()
    assert "The structured matcher decides alone: trained.npz is damaged" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_a_model_whose_thresholds_leave_it_no_yes_is_not_asked(
    asked: list[tuple[str, str]], owner: User, make_goal: Callable[..., Goal]
) -> None:
    EntailmentThresholds.objects.update(entailment=1.0, contradiction=0.0)
    assert turn(make_goal(owner, "greet Ada")) == []
    assert asked == []


@pytest.mark.django_db
def test_what_is_remembered_is_not_asked_again_within_a_turn(asked: list[tuple[str, str]]) -> None:
    pair = ("The workspace is empty.", "The workspace holds nothing whatsoever.")
    with entailment_model.asked_about([pair[0]], keeps=False) as (judge,):
        assert judge.judge([pair, pair])[1].entailment == SURE.entailment
        assert judge.judge([pair])
    assert asked == [pair]
    assert not EntailmentVerdict.objects.exists()
