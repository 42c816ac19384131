"""A text goes to the models that people saw when they approved it, and to no other one, whatever is set up since."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from agents.actors import models_in_use
from agents.actors.step_model_calls import Means
from agents.bdi.plans import document as documents
from agents.bdi.plans.approved_models import Asked, Model
from agents.cycle import cycle
from agents.execution import tool_answers
from agents.goals import goals
from agents.models import Goal, IntentPlan
from agents.states import GoalState, PlanState
from agents.toolkit.registry import REGISTRY
from library.language import generation
from people.models import User
from review.deciding import decisions, editing
from review.errors import WordsRefused
from sandbox.contract import Result
from tests.agents.execution.conftest import write
from tests.cast import person
from tests.models.conftest import MODEL
from tests.models.server import Provider, refusing

pytestmark = pytest.mark.django_db(transaction=True)
OTHER = "openai/other-model"
TEXT = "The harbour was closed in May. It opened again in June.\n"
Propose = Callable[..., IntentPlan]
Approved = Callable[..., IntentPlan]


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch, provider: Provider) -> None:
    monkeypatch.setattr(generation, "FIRST_WAIT_S", 0.0)
    provider.will_say("Closed, then open.")


def step(command: str, **params: Any) -> dict[str, Any]:
    return {"tool": "summarization", "command": command, "params": params}


SEND = step("send_file_to_model", path="a.txt")
STEPS = [write("a.txt", TEXT), SEND]


def newest(plan: IntentPlan) -> IntentPlan:
    found = IntentPlan.objects.filter(goal=plan.goal_id).order_by("-revision").first()
    assert found is not None
    return found


def asks_of(plan: IntentPlan, position: int = 2) -> Asked | None:
    return documents.read(bytes(plan.document)).at(position).asks


def names_of(plan: IntentPlan) -> list[str]:
    asks = asks_of(plan)
    return [] if asks is None else [one.name for one in asks.models]


def state_of(plan: IntentPlan) -> str:
    return Goal.objects.get(pk=plan.goal_id).state


# -- what the document holds ----------------------------------------------------------------------------------------
def test_the_approved_bytes_name_the_models_where_they_are_and_what_they_cost(
    provider: Provider, owner: User, propose_plan: Propose, settings: Any
) -> None:
    settings.MODEL_FALLBACKS = ["anthropic/spare"]
    plan = propose_plan(owner, STEPS)
    assert asks_of(plan) == Asked(
        (
            Model(MODEL, provider.address, "$1 for a million tokens read, $2 written"),
            Model("anthropic/spare"),
        ),
        settings.MODEL_PROMPT_TOKENS,
    )
    assert asks_of(plan, 1) is None
    raw = json.loads(bytes(plan.document))
    assert "asks" not in raw["intents"][0], "who asks no model keeps the bytes that it had before there were any"


def test_a_revision_names_what_is_set_up_when_it_is_made(
    owner: User, reviewer: User, propose_plan: Propose, settings: Any
) -> None:
    plan = propose_plan(owner, STEPS)
    settings.MODEL = OTHER
    assert names_of(propose_plan(owner, STEPS)) == [OTHER], "the same steps once more, as a rule gives them"
    edited = editing.edit(plan, by=reviewer, digest=plan.digest, position=2, params={"path": "a.txt", "words": 40})
    assert names_of(edited) == [OTHER]


# -- between approval and claim -------------------------------------------------------------------------------------
def test_another_model_is_asked_about_again_and_then_asked(
    provider: Provider, approved: Approved, reviewer: User, settings: Any
) -> None:
    plan = approved(STEPS)
    settings.MODEL = OTHER
    cycle.work(plan.goal_id)
    plan.refresh_from_db()
    again = newest(plan)
    assert (plan.state, again.state, provider.asked) == (PlanState.SUPERSEDED, PlanState.AWAITING_REVIEW, [])
    assert f"the plan was made for {MODEL}, and its agent asks {OTHER} now" in plan.reason
    assert names_of(again) == [OTHER]
    decisions.approve(again, by=reviewer, digest=again.digest)
    cycle.work(plan.goal_id)
    assert state_of(plan) == GoalState.ACHIEVED
    assert [asked["model"] for asked in provider.asked] == ["other-model"]


def test_the_same_model_at_another_address_is_another_one(
    provider: Provider, approved: Approved, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = approved(STEPS)
    monkeypatch.setenv("OPENAI_API_BASE", provider.address.replace("127.0.0.1", "localhost"))
    cycle.work(plan.goal_id)
    assert (newest(plan).state, provider.asked) == (PlanState.AWAITING_REVIEW, [])


def test_a_step_that_has_run_is_not_asked_about_again(provider: Provider, approved: Approved, settings: Any) -> None:
    plan = approved([*STEPS, write("b.txt")])
    agent = plan.goal.agent
    document = documents.read(bytes(plan.document))
    settings.MODEL = OTHER
    assert len(models_in_use.changed_since(document, agent, first=2)) == 1
    assert models_in_use.changed_since(document, agent, first=3) == []
    assert models_in_use.changed_since(document, agent, first=1, settled={2}) == []


# -- when the step runs ---------------------------------------------------------------------------------------------
def finished(asks: Asked | None, **given: Any) -> Result:
    """What comes of a step with this approval, under what is set up now."""
    command = REGISTRY.command("summarization", "send_text_to_model")
    made = goals.submit(by=person("sue", "submitter"), text="Write a note")
    Goal.objects.filter(pk=made.pk).update(state=GoalState.EXECUTING.value)
    answer = Result("SUCCESS", {"text": given.get("text", TEXT), "of": "the text", "whole_chars": len(TEXT)})
    means = Means(goal=made.pk, asks=asks)
    return tool_answers.finished(command, {**command.defaults(), "text": TEXT}, answer, means)


@pytest.mark.parametrize("approved_models", [None, Asked((), 9_000), Asked((Model(OTHER),), 9_000)])
def test_nothing_is_sent_to_a_model_that_the_step_was_not_approved_for(
    approved_models: Asked | None, provider: Provider
) -> None:
    done = finished(approved_models)
    assert (done.error_class, provider.asked) == ("TOOL_UNAVAILABLE", [])
    assert "Nothing was sent" in done.reason
    assert "Plan the goal again" in done.reason


def test_the_approved_model_is_asked_though_another_one_comes_first_now(provider: Provider, settings: Any) -> None:
    approved_models = models_in_use.bound(goals.submit(by=person("sam", "submitter"), text="Write a note").agent)
    settings.MODEL, settings.MODEL_FALLBACKS = OTHER, [MODEL]
    assert finished(approved_models).ok
    assert [asked["model"] for asked in provider.asked] == ["test-model"]


def test_a_fall_back_that_nobody_approved_is_not_asked_and_one_that_is_gone_neither(
    provider: Provider, settings: Any
) -> None:
    settings.MODEL_FALLBACKS = ["openai/gone"]
    approved_models = models_in_use.bound(goals.submit(by=person("sam", "submitter"), text="Write a note").agent)
    settings.MODEL_FALLBACKS = [OTHER]
    provider.will_say(refusing(401))
    done = finished(approved_models)
    assert (done.ok, [asked["model"] for asked in provider.asked]) == (False, ["test-model"])
    assert "nobody else was asked, for openai/gone was approved for this step and is no longer set up" in done.reason


def test_no_more_is_sent_than_was_approved(provider: Provider, settings: Any) -> None:
    settings.MODEL_PROMPT_TOKENS = 2_000
    approved_models = models_in_use.bound(goals.submit(by=person("sam", "submitter"), text="Write a note").agent)
    settings.MODEL_PROMPT_TOKENS = 50_000
    assert finished(approved_models, text="Words of a long text. " * 2_000).ok
    assert len(provider.asked[0]["messages"][1]["content"]) < 6_000


# -- what is done in a step's place ---------------------------------------------------------------------------------
def test_sentences_that_were_granted_are_chosen_when_the_model_is_another_one(
    provider: Provider, owner: User, reviewer: User, propose_plan: Propose, settings: Any
) -> None:
    instead = {**step("key_sentences", path="a.txt")}
    plan = propose_plan(owner, [write("a.txt", TEXT), {**SEND, "alternatives": [instead]}])
    decisions.approve(plan, by=reviewer, digest=plan.digest, alternatives=[(2, 1)])
    settings.MODEL = OTHER
    cycle.work(plan.goal_id)
    assert (state_of(plan), provider.asked) == (GoalState.ACHIEVED, [])
    assert (plan.intents.get(position=2).result or {})["chosen"] == 2


@pytest.mark.parametrize("now", [MODEL, OTHER, ""])
def test_an_alternative_asks_the_model_that_was_approved_for_it_or_none(
    now: str, provider: Provider, owner: User, reviewer: User, propose_plan: Propose, settings: Any
) -> None:
    fails = {**step("key_sentences", path="gone.txt"), "alternatives": [SEND]}
    plan = propose_plan(owner, [write("a.txt", TEXT), fails])
    (other,) = documents.read(bytes(plan.document)).at(2).alternatives
    assert other.asks is not None
    assert [one.name for one in other.asks.models] == [MODEL]
    decisions.approve(plan, by=reviewer, digest=plan.digest, alternatives=[(2, 1)])
    settings.MODEL = now
    cycle.work(plan.goal_id)
    assert (state_of(plan) == GoalState.ACHIEVED) == (now == MODEL)
    for_plans = ("You plan for mindX", "You take the values of a command's parameters out of a goal")
    sent = [one for one in provider.asked if not one["messages"][0]["content"].startswith(for_plans)]
    assert len(sent) == (1 if now == MODEL else 0), "another one may be asked for a plan, and never gets the text"


# -- approving a part -----------------------------------------------------------------------------------------------
def test_a_part_is_not_approved_when_it_would_ask_another_model_than_the_page_says(
    owner: User, reviewer: User, propose_plan: Propose, settings: Any
) -> None:
    plan = propose_plan(owner, [*STEPS, write("b.txt")])
    settings.MODEL = OTHER
    with pytest.raises(WordsRefused, match="another language model than this page says"):
        editing.approve_part(plan, by=reviewer, digest=plan.digest, intents=[1, 2], reason="only these")
    plan.refresh_from_db()
    assert (plan.state, newest(plan).pk) == (PlanState.AWAITING_REVIEW, plan.pk)
    settings.MODEL = MODEL
    part = editing.approve_part(plan, by=reviewer, digest=plan.digest, intents=[1, 2], reason="only these")
    assert (part.state, asks_of(part)) == (PlanState.APPROVED, asks_of(plan))


# -- what people see ------------------------------------------------------------------------------------------------
def test_the_page_names_what_stands_in_the_bytes_and_not_what_is_set_up_now(
    provider: Provider, owner: User, reviewer: User, propose_plan: Propose, client_of: Any, settings: Any
) -> None:
    settings.MODEL_FALLBACKS = ["openai/spare"]
    fails = {**step("key_sentences", path="b.txt"), "alternatives": [SEND]}
    plan = propose_plan(owner, [*STEPS, fails])

    def page() -> str:
        return " ".join(re.sub(r"<[^>]+>", "", client_of(reviewer).get(plan.get_absolute_url()).text).split())

    goes = f"{MODEL} at {provider.address} ($1 for a million tokens read, $2 written)"
    goes += f", and where that gives no answer to openai/spare at {provider.address}"
    said = page()
    assert f"sends the text of a.txt out of this machine, to the language model {goes}." in said
    line = f"Leaves this machine: the text of a.txt goes to the language model {goes}."
    assert said.count(line) == 2, "of the step, and of what is declared in another step's place"
    assert f"Sends text to {MODEL} or openai/spare." in said
    assert "no step may reach another machine by itself" in said
    assert "The models have changed" not in said
    settings.MODEL = OTHER
    said = page()
    assert line in said
    assert f"the plan was made for {MODEL}, and its agent asks {OTHER} now" in said
    assert "nothing is sent: it comes back for review" in said


def test_without_a_model_the_page_says_that_none_is_asked(
    owner: User, reviewer: User, propose_plan: Propose, client_of: Any, settings: Any
) -> None:
    settings.MODEL = ""
    plan = propose_plan(owner, STEPS)
    assert asks_of(plan) == Asked((), settings.MODEL_PROMPT_TOKENS)
    said = " ".join(re.sub(r"<[^>]+>", "", client_of(reviewer).get(plan.get_absolute_url()).text).split())
    assert "would fail: no language model was set up when this plan was made, and none is asked" in said
