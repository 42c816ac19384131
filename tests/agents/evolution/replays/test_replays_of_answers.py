"""A prompt and firmware are replayed on recorded calls: asked again side by side, checked by code, and gated."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.db.models.functions import Now
from django.test import Client

from agents.actors import firmware, prompt_versions
from agents.bdi.language_models import firmware_checks
from agents.evolution import replaying
from agents.evolution.ab_trials import version_trials
from agents.evolution.ab_trials.trial_plans import Asked
from agents.evolution.ab_trials.version_trials import Wanted
from agents.evolution.activation import deciding
from agents.evolution.replays import answer_cases, copies, replays
from agents.models import Agent, Goal, Replay
from agents.record.errors import NotPossibleNow
from agents.states import ReplayState
from library.errors import LibraryRefused
from library.language import generation
from library.models import Component, ComponentVersion, ModelCall
from library.prompts import declared
from people.models import User
from review.models import AuditEntry
from tests.forging import sealed
from tests.models.conftest import provider as provider
from tests.models.server import Provider, refusing
from tests.models.test_planning import GOOD, planned

pytestmark = pytest.mark.django_db(transaction=True)
PLANNER = "You are the planner of mindX."


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generation, "FIRST_WAIT_S", 0.0)


class Recorded:
    """Goals that a model planned, whose requests are the cases; `answers` decides what each version is told then."""

    def __init__(self, provider: Provider, owner: User) -> None:
        self.provider, self.owner, self.goals = provider, owner, list[Goal]()

    def plan(self, *answers: str) -> None:
        Agent.objects.update(max_repair_attempts=0)
        for number, answer in enumerate(answers, len(self.goals) + 1):
            self.provider.will_say(answer)
            self.goals.append(planned(self.owner, f"Lay out the harbour ledger {number} as you think best"))

    def answer(self, old: str | Callable[[int], str], new: str | Callable[[int], str]) -> None:
        """From now on a request with the new text is answered one way, any other one the other way."""

        def reply(asked: Any) -> None:
            sent = asked.server.asked[-1]["messages"]
            number = next(at for at, goal in enumerate(self.goals) if goal.text in sent[1]["content"])
            chosen = new if PLANNER in sent[0]["content"] else old
            asked.stream(chosen if isinstance(chosen, str) else chosen(number))

        self.provider.will_say(*[reply] * 100)


GOOD_TEXT, BAD_TEXT = json.dumps(GOOD), "I would rather not."


@pytest.fixture
def recorded(provider: Provider, owner: User, valkey: object) -> Recorded:
    call_command("load_starters", verbosity=0)
    Agent.objects.get_or_create(name="default")
    return Recorded(provider, owner)


def candidate(by: User, text: str = PLANNER) -> ComponentVersion:
    component = Component.objects.get(kind="prompt", name="plan")
    body = declared.every()["plan"].text.replace("You plan for mindX.", text)
    return prompt_versions.save(component, body, by=by, changes="shorter")


def done(version: ComponentVersion, by: User) -> tuple[Replay, Any]:
    replay = replays.ask(version, by=by)
    replaying.work(replay.pk)
    replay.refresh_from_db()
    return replay, replays.judgement(replay)


def test_five_fixes_admit_a_prompt_and_it_is_activated(
    recorded: Recorded, provider: Provider, operator: User, reviewer: User
) -> None:
    recorded.plan(*[BAD_TEXT] * 5, GOOD_TEXT)
    version = candidate(reviewer)
    assert deciding.standing(version).why_not == "It has not been replayed beside its parent yet."
    with pytest.raises(LibraryRefused, match="not been replayed"):
        deciding.activate_prompt(version, by=operator)
    cost = answer_cases.cost(version)
    assert (cost.cases, cost.calls) == (6, 12)
    recorded.answer(lambda number: BAD_TEXT if number < 5 else GOOD_TEXT, GOOD_TEXT)
    asked = len(provider.asked)
    replay, judged = done(version, operator)
    assert (replay.state, judged.verdict, judged.fixed, judged.broken, judged.unchanged) == (
        "done", "admitted", 5, 0, 1,
    ), [(one.parent_said, one.candidate_said) for one in replay.cases.all()]  # fmt: skip
    assert len(provider.asked) - asked == cost.calls
    used = ModelCall.objects.exclude(replay_of=None)
    assert sum(one.tokens for one in used) <= cost.tokens
    assert {one.candidate_call for one in replay.cases.all()} <= set(used.values_list("pk", flat=True))
    assert {goal.intent_plans.count() for goal in recorded.goals} == {0, 1}, "nothing was proposed"
    assert AuditEntry.objects.get(data__what="had 6 cases sent to models again").data["most_calls"] == 12
    assert deciding.activate_prompt(version, by=operator).status == "active"


def test_one_broken_plan_keeps_it_out_and_an_admin_lifts_it_with_a_reason(
    recorded: Recorded, operator: User, reviewer: User, admin: User
) -> None:
    recorded.plan(*[BAD_TEXT] * 6, GOOD_TEXT)
    version = candidate(reviewer)
    recorded.answer(
        lambda number: BAD_TEXT if number < 6 else GOOD_TEXT, lambda number: GOOD_TEXT if number < 6 else BAD_TEXT
    )
    _, judged = done(version, operator)
    assert (judged.verdict, judged.fixed, judged.broken) == ("broke", 6, 1)
    for put_to_use in (deciding.activate_prompt, lambda *a, **k: deciding.begin_prompt_canary(*a, percent=10, **k)):
        with pytest.raises(LibraryRefused, match="Breaks 1"):
            put_to_use(version, by=operator)
    with pytest.raises(LibraryRefused, match="10 characters"):
        deciding.activate_prompt(version, by=admin)
    lifted = deciding.activate_prompt(version, by=admin, reason="it reads much better")
    assert lifted.status == "active"
    assert "despite the failed check by" in ComponentVersion.objects.get(pk=version.pk).changes


def test_a_plan_that_cannot_run_is_broken_although_it_is_valid(
    recorded: Recorded, operator: User, reviewer: User
) -> None:
    recorded.plan(GOOD_TEXT)
    missing = {"tool": "simple_coder", "command": "read", "params": {"path": "no/such.txt"}, "why": "x"}
    recorded.answer(GOOD_TEXT, json.dumps({"steps": [missing]}))
    replay, judged = done(candidate(reviewer), operator)
    assert judged.broken == 1, replay.cases.get().candidate_said


@pytest.mark.parametrize(
    ("answers", "told"), [((GOOD_TEXT, f"Here: {GOOD_TEXT}"), "inert"), ((BAD_TEXT, GOOD_TEXT), "too_few")]
)
def test_it_can_be_inert_and_too_few(
    answers: tuple[str, str], told: str, recorded: Recorded, operator: User, reviewer: User
) -> None:
    recorded.plan(answers[0])
    recorded.answer(*answers)
    version = candidate(reviewer)
    _, judged = done(version, operator)
    assert judged.verdict == told
    assert deciding.standing(version).why_not == judged.says


def test_a_killed_worker_has_paid_for_what_it_was_answered(
    recorded: Recorded, provider: Provider, operator: User, reviewer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def killed(*_: Any) -> None:
        raise Killed

    recorded.plan(GOOD_TEXT, GOOD_TEXT)
    recorded.answer(GOOD_TEXT, GOOD_TEXT)
    asked = len(provider.asked)
    replay = replays.ask(candidate(reviewer), by=operator)
    with monkeypatch.context() as patched:
        patched.setattr(replays, "store", killed)
        with pytest.raises(Killed):
            replaying.work(replay.pk)
    assert len(provider.asked) - asked == 2
    Replay.objects.filter(pk=replay.pk).update(lease_until=Now())
    replaying.work(replay.pk)
    replay.refresh_from_db()
    assert (replay.state, len(provider.asked) - asked) == (ReplayState.DONE, 4), "two cases, two sides, once each"


def test_a_budget_that_is_used_up_ends_it_in_words_and_the_next_one_goes_on(
    recorded: Recorded, provider: Provider, operator: User, reviewer: User
) -> None:
    recorded.plan(GOOD_TEXT, GOOD_TEXT)
    version = candidate(reviewer)

    def last_one(asked: Any) -> None:
        Agent.objects.update(tokens_per_day=1)
        asked.stream(GOOD_TEXT)

    provider.will_say(last_one, *[GOOD_TEXT] * 10)
    asked = len(provider.asked)
    replay, _ = done(version, operator)
    assert (replay.state, "budget" in replay.reason) == (ReplayState.IMPOSSIBLE, True)
    assert deciding.standing(version).why_not.startswith("Its replay was not possible")
    Agent.objects.update(tokens_per_day=None)
    replay, _ = done(version, operator)
    assert (replay.state, len(provider.asked) - asked) == (ReplayState.DONE, 4)


def test_a_removed_call_and_a_provider_that_fails_prove_nothing(
    recorded: Recorded, provider: Provider, operator: User, reviewer: User, settings: Any
) -> None:
    settings.MODEL_TRIES = 1
    recorded.plan(GOOD_TEXT, GOOD_TEXT)
    replay = replays.ask(candidate(reviewer), by=operator)
    replay.cases.filter(number=1).update(call=0)
    provider.will_say(*[refusing(500)] * 4)
    replaying.work(replay.pk)
    judged = replays.judgement(replay)
    assert (judged.verdict, judged.unproven) == ("no_cases", 2)
    assert replay.cases.get(number=1).parent_said == copies.GONE
    assert replay.cases.get(number=2).parent_said.startswith("no answer: ")


def test_who_may_ask_for_one_and_what_cannot_be_measured(
    recorded: Recorded, operator: User, reviewer: User, owner: User, settings: Any, provider: Provider
) -> None:
    version = candidate(reviewer)
    with pytest.raises(NotPossibleNow, match="No recorded call"):
        replays.ask(version, by=operator)
    assert deciding.standing(version).why_not == "", "nothing was ever asked with it"
    recorded.plan(GOOD_TEXT)
    for person in (reviewer, owner):
        with pytest.raises(LibraryRefused):
            replays.ask(version, by=person)
    first = ComponentVersion.objects.get(component=version.component, version="1.0.0")
    with pytest.raises(NotPossibleNow, match="first version"):
        replays.ask(first, by=operator)
    settings.MODEL, settings.MODEL_FALLBACKS = "", []
    with pytest.raises(NotPossibleNow, match="No recorded call"):
        replays.ask(version, by=operator)
    assert not Replay.objects.exists()


def test_it_is_stopped_while_a_model_is_asked(
    recorded: Recorded, provider: Provider, operator: User, reviewer: User, owner: User, client: Client
) -> None:
    recorded.plan(GOOD_TEXT, GOOD_TEXT, GOOD_TEXT)
    version = candidate(reviewer)
    at = f"/library/{version.component_id}/versions/{version.pk}/replay/"
    client.force_login(operator)
    client.post(at)
    replay = Replay.objects.get(version=version)

    def reply(asked: Any) -> None:
        replays.stop(replay, by=operator)
        asked.stream(GOOD_TEXT)

    provider.will_say(reply, *[GOOD_TEXT] * 5)
    asked = len(provider.asked)
    replaying.work(replay.pk)
    replay.refresh_from_db()
    assert (replay.state, replay.reason) == (ReplayState.IMPOSSIBLE, f"stopped by {operator.username}")
    assert len(provider.asked) - asked <= 2
    assert not replay.cases.filter(is_done=True).exists()
    client.post(at, {"stop": "1"})
    assert "has ended already" in client.get(f"/library/{version.component_id}/?version={version.pk}").content.decode()
    with pytest.raises(LibraryRefused):
        replays.stop(replay, by=User.objects.create_user("nora", roles=[]))


def test_the_page_and_the_api_show_cost_flips_and_verdict_and_hide_what_is_sealed(
    recorded: Recorded, operator: User, reviewer: User, owner: User, client_of: Callable[[User], Client], api_of: Any
) -> None:
    recorded.plan(BAD_TEXT, GOOD_TEXT)
    version = candidate(reviewer)
    page = f"/library/{version.component_id}/?version={version.pk}"
    shown = client_of(operator).get(page).content.decode()
    assert "at most 4 calls and" in shown
    assert "It cannot be activated" in shown
    assert "An operator can have 2 recorded calls asked again." in client_of(owner).get(page).content.decode()
    at = f"candidates/{version.pk}"
    assert api_of(reviewer).post(f"{at}/replay", {}).status_code == 403
    told = api_of(operator).get(at).json()
    assert (told["replay"], told["replay_cost"]["calls"]) == (None, 4)
    recorded.answer(BAD_TEXT, GOOD_TEXT)
    assert api_of(operator).post(f"{at}/replay", {"reason": "<b>try</b> it"}).status_code == 202
    fragment = client_of(operator).get(page, headers={"HX-Target": "replay"}).content.decode()
    assert ("0 of 2 cases" in fragment, "<b>try" in fragment) == (True, False)
    replaying.work()
    first = Replay.objects.get(version=version).cases.get(number=1)
    first.half = "sealed"
    first.save()
    sealed(first)
    found = api_of(operator).get(at).json()["replay"]
    assert (found["state"], found["fixed"], found["verdict"]) == ("done", 2, "too_few")
    assert all(one["call"] and one["parent_call"] and one["candidate_call"] for one in found["cases"])
    assert "repeated with both versions" in client_of(operator).get(page).content.decode()
    hidden = [one["text"] for one in api_of(reviewer).get(at).json()["replay"]["cases"] if one["half"] == "sealed"]
    assert hidden
    assert set(hidden) == {None}
    assert api_of(operator).post(f"{at}/replay/stop", {}).status_code == 409


def test_firmware_is_asked_under_both_texts_and_held_to_the_new_checks(
    recorded: Recorded, provider: Provider, operator: User, reviewer: User, admin: User
) -> None:
    firmware.activate(firmware.save("general", "Be kind.", by=operator), by=operator)
    recorded.plan(GOOD_TEXT)
    version = firmware.save(
        "general", f"{PLANNER}\nCHECKS:\nno-harbour: forbid path harbour\n", by=reviewer, changes="no harbour"
    )
    checks, wrong = firmware_checks.read(version.body)
    assert (len(checks), wrong) == (1, ())
    other = json.dumps({"steps": [{**GOOD["steps"][0], "params": {"path": "quay"}}]})
    recorded.answer(GOOD_TEXT, other)
    replay, judged = done(version, operator)
    case = replay.cases.get()
    assert (judged.fixed, judged.broken, "no-harbour" in case.parent_said) == (1, 0, True), case.parent_said
    first, second = (one["messages"][0]["content"] for one in provider.asked[-2:])
    assert ("Be kind." in first, PLANNER in first, "Be kind." in second, PLANNER in second) == (
        True,
        False,
        False,
        True,
    )
    assert deciding.standing(version).why_not == "", "firmware may have to forbid at once"
    recorded.answer(other, BAD_TEXT)
    _, judged = done(version, operator)
    assert judged.verdict == "broke"
    with pytest.raises(LibraryRefused, match="Breaks 1"):
        deciding.activate_firmware(version, by=operator)
    assert deciding.activate_firmware(version, by=admin, reason="it is the law here").status == "active"


def test_a_replayed_trial_asks_no_more_than_it_says_and_nothing_once_it_knows(
    recorded: Recorded, provider: Provider, operator: User, reviewer: User
) -> None:
    recorded.plan(*[BAD_TEXT] * 8)
    b = candidate(reviewer)
    a = b.component.versions.get(status="active")
    wanted = Wanted(a, b, "replayed", Asked(difference=60, differ=100, alpha=10))
    cost = version_trials.offer(wanted).cost
    assert cost is not None
    assert (cost.cases, cost.calls) == (8, 16)
    recorded.answer(BAD_TEXT, GOOD_TEXT)
    asked = len(provider.asked)
    trial = version_trials.begin(wanted, by=operator)
    replaying.work()
    trial.refresh_from_db()
    assert (trial.verdict, trial.reason) == ("b_better", "after 6 cases: B did better in 6, A in 0")
    assert len(provider.asked) - asked == 12
    assert AuditEntry.objects.get(data__what__startswith="began replayed A/B trial").data["most_calls"] == 16


def test_a_trial_of_firmware_ends_with_the_case_that_decides(
    recorded: Recorded, provider: Provider, operator: User, reviewer: User
) -> None:
    a = firmware.activate(firmware.save("general", "Be kind.", by=operator), by=operator)
    recorded.plan(*[GOOD_TEXT] * 8)
    text = f"{PLANNER}\nCHECKS:\nno-harbour: forbid path harbour\n"
    b = firmware.save("general", text, by=reviewer, changes="no harbour")
    recorded.answer(GOOD_TEXT, json.dumps({"steps": [{**GOOD["steps"][0], "params": {"path": "quay"}}]}))
    trial = version_trials.begin(Wanted(a, b, "replayed", Asked(60, 100, 10)), by=operator)
    replaying.work()
    trial.refresh_from_db()
    assert (trial.verdict, trial.reason) == ("b_better", "after 6 cases: B did better in 6, A in 0")
    assert ComponentVersion.objects.get(pk=a.pk).status == "active", "a person activates it"
