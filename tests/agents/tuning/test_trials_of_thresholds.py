"""Thresholds of entailment: what is saved holds at the next planning, and a trial shows which goals it would change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, astuple
from typing import Any

import pytest

from agents.beliefs import entailment_model
from agents.beliefs.entailment_model import Thresholds
from agents.cycle import cycle
from agents.models import EntailmentThresholds, Goal
from agents.tuning import trials, trying, versions
from agents.tuning.of_entailment import Thresholds as Kind
from library.components import services
from library.errors import EntailmentUnavailable
from library.language.entailment import judgement, model, trained
from library.models import EntailmentVerdict
from people.models import User
from tests.agents.planning.test_planning_with_models import RULE

pytestmark = pytest.mark.django_db(transaction=True)
KIND = next(kind for kind in versions.KINDS if isinstance(kind, Kind))
USUAL = entailment_model.usual_thresholds()
LOOSER = {**asdict(USUAL), "entailment": 0.9, "contradiction": 0.01}


@pytest.fixture
def nearly(operator: User, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """A rule, and a model that is nearly sure of what it needs; the pairs that it is asked."""
    services.publish("rule", "greet", RULE, by=operator, status="active")
    asked = list[tuple[str, str]]()

    def judge(pairs: Sequence[tuple[str, str]]) -> list[judgement.Judgement]:
        asked.extend(pairs)
        said = {"The workspace is empty.": judgement.Judgement("entailment", 0.95, 0.05, 0.0)}
        return [said.get(premise, judgement.Judgement("neutral", 0.0, 1.0, 0.0)) for premise, _ in pairs]

    monkeypatch.setattr(model, "judge", judge)
    return asked


def state(goal: Goal) -> str:
    cycle.one(goal.pk)
    return str(Goal.objects.get(pk=goal.pk).state)


def test_as_mindx_comes_they_are_those_of_the_shipped_model() -> None:
    (one,) = versions.current(KIND)
    card = trained.read_card()
    assert one.version == 0
    assert (one.values["entailment"], one.values["contradiction"]) == astuple(card.usual)
    assert (one.values["environment_entailment"], one.values["environment_contradiction"]) == astuple(card.environment)
    assert entailment_model.thresholds() == entailment_model.usual_thresholds()


def test_what_is_saved_holds_at_the_next_planning(
    nearly: list[tuple[str, str]], operator: User, owner: User, make_goal: Callable[..., Goal], settings: Any
) -> None:
    settings.ENTAILMENT = "model"
    assert state(make_goal(owner, "greet Ada")) == "manual"
    versions.save(KIND, LOOSER, by=operator, over=versions.current(KIND)[0])
    assert entailment_model.thresholds() == Thresholds(**LOOSER)
    assert state(make_goal(owner, "greet Bob")) == "awaiting_review"
    assert len(nearly) == EntailmentVerdict.objects.count(), "verdicts do not depend on thresholds"


@pytest.mark.parametrize("mode", ["structured", "model"])
def test_a_trial_shows_which_goals_would_get_a_rule_and_changes_nothing(
    nearly: list[tuple[str, str]],
    operator: User,
    owner: User,
    outsider: User,
    make_goal: Callable[..., Goal],
    settings: Any,
    mode: str,
) -> None:
    goals = [make_goal(owner, "greet Ada"), make_goal(outsider, "pay the invoices")]
    assert [state(goal) for goal in goals] == ["manual", "manual"]
    settings.ENTAILMENT = mode
    found = trying.try_out(KIND, LOOSER, by=operator, readable=Goal.objects.filter(submitted_by=owner))
    assert (found.found, found.tried, found.changed, found.hidden) == (2, 2, 1, 0)
    (case,) = found.cases
    assert (case.goal, case.text, case.now, case.then) == (
        goals[0].pk,
        "greet Ada",
        "no rule: no applicable rule",
        "a rule: greet",
    )
    assert {(one.words, one.now, one.then) for one in found.totals} == {("a rule", 0, 1), ("no rule", 2, 1)}
    assert any("do not ask the entailment model here" in note for note in found.notes) == (mode == "structured")
    assert not EntailmentThresholds.objects.exists()
    assert not EntailmentVerdict.objects.exists()
    hidden = trying.try_out(KIND, LOOSER, by=operator, readable=Goal.objects.none())
    assert (hidden.changed, hidden.hidden, hidden.cases) == (1, 1, ())


def test_a_trial_without_a_usable_model_says_so(
    operator: User, owner: User, make_goal: Callable[..., Goal], monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(pairs: Any) -> Any:
        raise EntailmentUnavailable("It is damaged.")

    monkeypatch.setattr(model, "judge", damaged)
    state(make_goal(owner, "greet Ada"))
    found = trying.try_out(KIND, LOOSER, by=operator)
    assert (found.tried, found.changed) == (1, 0)
    assert "The entailment model cannot be used: It is damaged." in found.notes


def test_what_is_less_sure_than_measured_is_saved_with_a_warning() -> None:
    assert versions.cleaned(KIND, LOOSER).warnings
    assert versions.cleaned(KIND, {**asdict(USUAL), "environment_contradiction": 0.4}).warnings
    assert not versions.cleaned(KIND, {**asdict(USUAL), "environment_entailment": 1.0}).warnings


def test_the_time_in_which_the_model_is_loaded_does_not_count(
    nearly: list[tuple[str, str]],
    operator: User,
    owner: User,
    make_goal: Callable[..., Goal],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state(make_goal(owner, "greet Ada"))
    now = [0.0]

    def loaded() -> str:
        now[0] += 60
        return ""

    monkeypatch.setattr(trials, "monotonic", lambda: now[0])
    monkeypatch.setattr(model, "why_unavailable", loaded)
    assert trying.try_out(KIND, LOOSER, by=operator).tried == 1


def test_the_summary_says_where_no_model_is_asked(settings: Any) -> None:
    settings.ENTAILMENT = "structured"
    assert "Rules ask no model here" in KIND.summary(LOOSER)
    settings.ENTAILMENT = "model"
    assert KIND.summary({**LOOSER, "environment_entailment": 0.8, "environment_contradiction": 0.05}) == (
        "at least 90.0% sure of a yes and at most 1.0% of the contrary; in environments at least 80.0% sure of a yes "
        "and at most 5.0% of the contrary; the language model at least 95.0%"
    )
