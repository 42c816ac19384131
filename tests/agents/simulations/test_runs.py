"""Runs in environments: every action is a row with its reasons, and nothing is lost when a worker dies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from agents.beliefs import entailment_model
from agents.models import Agent, EntailmentThresholds, EnvironmentAction, EnvironmentRun, Standstill
from agents.record.errors import GoalRefused, NotPossibleNow, NotYours
from agents.simulations import rights, runs, working
from agents.simulations.house import House
from agents.simulations.recording import Recorder
from agents.simulations.rule_files import RuleFile
from agents.simulations.runs import Start
from agents.states import EnvironmentRunState
from library.language.entailment import judgement, model
from people.models import User
from tests.agents.simulations.some_worlds import LIES, RULE, Button, ButtonWorld

pytestmark = pytest.mark.django_db(transaction=True)
S = EnvironmentRunState
Made = Callable[..., EnvironmentRun]


def acted(run: EnvironmentRun) -> list[str]:
    return list(EnvironmentAction.objects.filter(run=run).order_by("number").values_list("action", flat=True))


def again(run: EnvironmentRun) -> EnvironmentRun:
    run.refresh_from_db()
    working.work(run.pk)
    run.refresh_from_db()
    return run


def lose_the_worker(run: EnvironmentRun) -> None:
    """Its lease runs out."""
    EnvironmentRun.objects.filter(pk=run.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


def dies_before(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker ends after this action was done, before it is written."""
    write = Recorder._write

    def written(self: Recorder, action: Any) -> None:
        if action.number == number:
            raise KeyboardInterrupt
        write(self, action)

    monkeypatch.setattr(Recorder, "_write", written)


def test_a_run_reaches_its_goal_and_keeps_why(worked: Made) -> None:
    run = worked(task="tea", variation=1)
    assert (run.state, run.outcome, run.score) == ("ended", "over", 1.0)
    assert acted(run)[-1] == "pour kettle into cup"
    opened = EnvironmentAction.objects.get(run=run, action="fill kettle")
    assert (opened.by, opened.rule) == ("rule", "fill the kettle")
    (why,) = opened.why
    assert (why["context"], why["belief"][0]) == ("the kettle is empty", "The kettle is empty.")
    decision = opened.decisions[-1]
    assert decision["chosen"] == "fill the kettle"
    assert "“the water is cold” does not follow from any belief" in [one["why"] for one in decision["rejected"]]
    number = next(n for n, held in enumerate(opened.beliefs) if held[0] == "The kettle is empty.")
    assert decision["contexts"][0]["decided_by"] == number


def test_a_killed_worker_is_replaced_and_the_actions_are_the_same(
    started: Made, worked: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    undisturbed = acted(worked(task="tea", variation=1))
    run = started(task="tea", variation=1)
    with monkeypatch.context() as patch:
        dies_before(5, patch)
        with pytest.raises(KeyboardInterrupt):
            working.work(run.pk)
    assert acted(run) == undisturbed[:4]
    working.work(run.pk)
    assert acted(run) == undisturbed[:4], "the lease of the dead worker still holds"
    lose_the_worker(run)
    again(run)
    assert acted(run) == undisturbed
    assert (run.score, run.outcome, run.lost_workers) == (1.0, "over", 0)


def test_an_action_that_costs_three_workers_ends_the_run(started: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    run = started()
    dies_before(1, monkeypatch)
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            working.work(run.pk)
        lose_the_worker(run)
    again(run)
    assert (run.state, run.outcome) == ("ended", "workers_lost")


def test_a_late_worker_cannot_write_its_action(started: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    run = started()
    write = Recorder._write

    def written(self: Recorder, action: Any) -> None:
        if action.number == 2:
            EnvironmentRun.objects.filter(pk=run.pk).update(lease_fence=99)
        write(self, action)

    monkeypatch.setattr(Recorder, "_write", written)
    again(run)
    assert len(acted(run)) == 1
    assert run.state == S.RUNNING


class Knobs(ButtonWorld):
    """Its rule needs what only the model is sure of."""

    def rules(self) -> Sequence[RuleFile]:
        return (RuleFile("button", RULE.replace("THEN:", "CONSIDERING some button waits for a finger\nTHEN:")),)


def test_rules_in_an_environment_ask_the_model_as_sure_as_it_has_to_be_there(
    started: Made, world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, settings: Any, operator: User
) -> None:
    world(Knobs())
    sure = entailment_model.Thresholds(0.97, 0.01, 0.8, 0.05, 0.95)
    monkeypatch.setattr(entailment_model, "usual_thresholds", lambda: sure)
    monkeypatch.setattr(model, "judge", lambda pairs: [judgement.Judgement("entailment", 0.9, 0.07, 0.03)] * len(pairs))
    assert acted(again(started(environment="button", task="press"))) == [], "the matcher alone"
    settings.ENTAILMENT = "model"
    begun = started(environment="button", task="press")
    EntailmentThresholds.objects.create(by=operator, **asdict(replace(sure, environment_entailment=0.95)))
    assert acted(again(begun)) == ["press button"] * 3, "as sure as was wanted when it began"
    assert acted(again(started(environment="button", task="press"))) == []


def test_an_environment_that_says_something_else_when_replayed_ends_the_run(
    started: Made, world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = iter(["You see a button.", "You see a lever."])
    world(ButtonWorld(lambda: Button(text=next(texts))))
    run = started(environment="button", task="press")
    with monkeypatch.context() as patch:
        dies_before(2, patch)
        with pytest.raises(KeyboardInterrupt):
            working.work(run.pk)
    lose_the_worker(run)
    again(run)
    assert (run.outcome, len(acted(run))) == ("replay_differs", 1)
    assert "says something else" in run.reason


def test_the_order_in_which_things_are_listed_may_change(started: Made, world: Callable[..., Any]) -> None:
    texts = iter(["You see a button.\nYou see a cat.", "You see a cat.\nYou see a button."])
    world(ButtonWorld(lambda: Button(text=next(texts))))
    run = started(environment="button", task="press", paused=True)
    runs.step(run, by=run.by)
    again(run)
    assert (run.state, run.at_step) == ("paused", 1)
    runs.go_on(run, by=run.by)
    again(run)
    assert (run.outcome, acted(run)) == ("over", ["press button"] * 3)


@pytest.mark.parametrize(
    ("make", "outcome"), [({"hangs_at": 2}, "environment_hangs"), ({"dies_at": 2}, "environment_died")]
)
def test_an_environment_that_hangs_or_dies_ends_the_run_and_is_closed(
    make: dict[str, Any], outcome: str, worked: Made, world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(working, "ANSWER_S", 0.3)
    button = world(ButtonWorld(lambda: Button(**make)))
    run = worked(environment="button", task="press")
    assert (run.state, run.outcome, acted(run)) == ("ended", outcome, ["press button"])
    assert button.running_now == 0


def test_what_an_environment_says_stays_text(worked: Made, world: Callable[..., Any]) -> None:
    made = world(ButtonWorld(lambda: Button(text=LIES))).made
    run = worked(environment="button", task="press")
    assert made[0].done == ["press button"] * 3
    assert [one["name"] for one in run.rules] == ["press it"]
    assert "<script>" in str(run.first_percept)


def test_only_simulations_are_acted_in(started: Made, world: Callable[..., Any]) -> None:
    world(ButtonWorld(is_simulation=False))
    with pytest.raises(GoalRefused, match="no simulation"):
        started(environment="button", task="press")


def test_an_environment_that_says_it_is_none_after_all_is_not_acted_in(worked: Made, world: Callable[..., Any]) -> None:
    class Real(Button):
        is_simulation = "yes"

    made = world(ButtonWorld(lambda: Real())).made
    run = worked(environment="button", task="press")
    assert (run.outcome, made[0].done) == ("not_a_simulation", [])


def test_what_is_missing_is_said_and_nothing_starts(started: Made, world: Callable[..., Any]) -> None:
    world(ButtonWorld(missing="Missing: Java. make scienceworld"))
    with pytest.raises(GoalRefused, match="make scienceworld"):
        started(environment="button", task="press")


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"environment": "moon"}, "environment"),
        ({"task": "dance"}, "task"),
        ({"variation": 99}, "variation"),
        ({"fallback": "oracle"}, "fallback"),
        ({"fallback": "learned"}, "fallback"),
        ({"fallback": "language_model"}, "fallback"),
        ({"share": 101}, "share"),
        ({"step_limit": 0}, "step_limit"),
    ],
)
def test_what_cannot_be_started_names_its_field(wrong: dict[str, Any], field: str, started: Made) -> None:
    with pytest.raises(GoalRefused) as refused:
        started(**wrong)
    assert refused.value.field == field


def test_the_same_key_twice_is_the_same_run(started: Made) -> None:
    assert started(key="k") == started(key="k")


def test_a_step_limit_ends_it(worked: Made) -> None:
    run = worked(step_limit=2)
    assert (run.outcome, run.at_step) == ("step_limit", 2)


def test_without_rules_and_fallback_nothing_is_done(worked: Made) -> None:
    run = worked(share=0)
    assert (run.outcome, run.at_step, run.rules) == ("no_applicable_rule", 0, [])


def test_it_is_paused_stepped_continued_and_stopped(started: Made, owner: User) -> None:
    run = started(paused=True)
    assert again(run).at_step == 0
    runs.step(run, by=owner)
    assert (again(run).state, run.at_step) == (S.PAUSED, 1)
    runs.go_on(run, by=owner, until=3)
    assert (again(run).state, run.at_step) == (S.PAUSED, 3)
    with pytest.raises(NotPossibleNow):
        runs.go_on(run, by=owner, until=3)
    runs.stop(run, by=owner)
    run.refresh_from_db()
    assert (run.state, run.outcome) == (S.ENDED, "stopped")
    with pytest.raises(NotPossibleNow):
        runs.go_on(run, by=owner)


def test_a_running_run_is_paused_and_stopped_between_two_actions(
    started: Made, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Recorder._write

    def interrupts(what: Callable[..., None], run: EnvironmentRun) -> None:
        def written(self: Recorder, action: Any) -> None:
            write(self, action)
            if action.number == 2:
                what(run, by=owner)

        monkeypatch.setattr(Recorder, "_write", written)

    run = started()
    interrupts(runs.pause, run)
    assert (again(run).state, run.at_step) == (S.PAUSED, 2)
    other = started()
    interrupts(runs.stop, other)
    assert (again(other).state, other.at_step, other.outcome) == (S.ENDED, 2, "stopped")


def test_a_person_chooses_among_the_valid_actions_and_no_worker_waits(worked: Made, owner: User) -> None:
    run = worked(share=0, fallback="person", variation=9)
    assert (run.state, run.lease_until, (run.asked or {})["number"]) == (S.WAITING, None, 1)
    with pytest.raises(GoalRefused, match="none of the actions"):
        runs.answer(run, "take moon", number=1, by=owner)
    with pytest.raises(NotPossibleNow):
        runs.answer(run, "take key", number=2, by=owner)
    for number, action in enumerate(["take key", "go to kitchen", "put key in box"], start=1):
        runs.answer(run, action, number=number, by=owner)
        again(run)
    assert (run.outcome, run.score) == ("over", 1.0)
    chosen = EnvironmentAction.objects.filter(run=run).values_list("by", "person__username")
    assert set(chosen) == {("person", owner.username)}


def test_nothing_begins_while_everything_stands_still(started: Made, operator: User) -> None:
    Standstill.objects.create(by=operator, reason="repairs")
    assert again(started()).at_step == 0


@pytest.mark.parametrize("everything", [True, False])
def test_what_an_operator_pauses_stops_between_two_actions(
    everything: bool, started: Made, operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Recorder._write
    run = started()

    def written(self: Recorder, action: Any) -> None:
        write(self, action)
        if everything:
            Standstill.objects.get_or_create(defaults={"by": operator, "reason": "repairs"})
        else:
            Agent.objects.update(paused=True)

    monkeypatch.setattr(Recorder, "_write", written)
    assert (again(run).state, run.at_step) == (S.READY, 1)
    assert again(run).at_step == 1


def test_others_have_their_turn_after_a_slice(started: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working, "SLICE_S", -1.0)
    first, second = started(), started()
    again(first)
    assert (first.state, first.at_step) == (S.READY, 1)
    while EnvironmentRun.objects.exclude(state="ended").exists():
        working.work()
    assert acted(first) == acted(second)


def test_rights(started: Made, owner: User, outsider: User, reviewer: User, operator: User) -> None:
    run = started()
    assert not rights.visible_to(outsider).filter(pk=run.pk).exists()
    assert rights.visible_to(reviewer).filter(pk=run.pk).exists()
    for act in (runs.pause, runs.go_on, runs.step, runs.stop):
        for person in (outsider, reviewer):
            with pytest.raises(NotYours):
                act(run, by=person)
    with pytest.raises(NotYours):
        runs.answer(run, "look", number=1, by=outsider)
    with pytest.raises(GoalRefused):
        runs.start(Start("house", "bring"), by=User.objects.create_user("auditor", roles=["auditor"]))
    runs.pause(run, by=operator)


def test_the_house_ends_after_its_goal_and_takes_no_nonsense() -> None:
    house = House("bring", 9)
    assert not house.act("fly").accepted
    for action in ("take key", "go to kitchen", "put key in box"):
        assert house.act(action).accepted
    assert (house.perceive().is_over, house.actions()) == (True, [])
    assert EnvironmentAction.append_only
