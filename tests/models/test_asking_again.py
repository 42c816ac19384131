"""A recorded call is sent again to compare answers: what is sent and kept, who may, and that nothing acts on it."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from agents.actors import firmware, prompt_versions
from agents.cycle import cycle
from agents.evolution.replays import asking_again
from agents.models import Agent, Generation, Goal
from agents.record.errors import NotPossibleNow, NotYours
from library.models import Component, ComponentVersion, ModelCall
from library.prompts import declared, in_use
from people.models import User
from review.models import AuditEntry
from tests.agents.execution.conftest import approved  # a fixture  # noqa: F401
from tests.models.conftest import MODEL
from tests.models.server import Provider, refusing
from tests.models.test_file_changes import workspace_with
from tests.models.test_firmware_everywhere import Approved
from tests.models.test_planning import GOOD, TEXT, log, planned, said

pytestmark = pytest.mark.django_db(transaction=True)
ClientOf = Callable[[User], Client]
OTHER = {"steps": [GOOD["steps"][0]]}
PLANNER = "You are the planner of mindX."


@pytest.fixture
def first(provider: Provider, owner: User, valkey: object) -> ModelCall:
    """The call that planned a goal, with the prompts that ship."""
    call_command("load_starters", verbosity=0)
    provider.will_say(said(GOOD))
    planned(owner)
    provider.will_say(said(OTHER))
    return ModelCall.objects.get()


def new_version(by: User) -> str:
    component = Component.objects.get(kind="prompt", name="plan")
    text = declared.every()["plan"].text.replace("You plan for mindX.", PLANNER)
    return prompt_versions.save(component, text, by=by).version


def test_it_is_sent_with_the_prompt_that_is_asked_for_and_the_firmware_of_today_and_kept_as_a_replay(
    first: ModelCall, provider: Provider, operator: User
) -> None:
    firmware.activate(firmware.save("general", "Write in German.", by=operator), by=operator)
    version = new_version(operator)
    made = asking_again.again(first, by=operator, version=version)
    before, now = (one["messages"] for one in provider.asked)
    assert now[0]["content"].startswith(PLANNER)
    assert now[0]["content"].endswith("Write in German.\n")
    behind = before[0]["content"].split("Tools:")[1]
    assert now[0]["content"].split("Tools:")[1].startswith(behind.rstrip())
    assert now[1:] == before[1:]
    assert provider.asked[1]["max_tokens"] == provider.asked[0]["max_tokens"]
    assert (made.replay_of, made.goal, made.agent) == (first, first.goal, first.agent)
    assert made.prompts == [f"plan {version}"]
    assert json.loads(made.answer) == OTHER
    entry = AuditEntry.objects.get(event="asked_again")
    assert entry.data == {"model": MODEL, "prompt": f"plan {version}"}
    # Firmware is no part of the prompt, and is not sent twice.
    once_more = asking_again.again(made, by=operator)
    assert provider.asked[2]["messages"][0]["content"].count("Write in German.") == 1
    assert once_more.prompts == ["plan 1.0.0"], "the version in use where none is named"
    assert once_more.replay_of == first


def test_nothing_acts_on_the_answer_and_it_answers_no_other_request(
    first: ModelCall, provider: Provider, owner: User, operator: User, settings: Any, client_of: ClientOf
) -> None:
    settings.MODEL_CACHE_DAYS = 7
    goal = Goal.objects.get()
    state, lines = goal.state, log(goal)
    made = asking_again.again(first, by=operator)
    goal.refresh_from_db()
    assert (goal.state, log(goal), goal.intent_plans.count()) == (state, lines, 1)
    assert Generation.objects.count() == 1
    assert made.fresh_until is None
    assert ComponentVersion.objects.get(component__name="plan").uses == 1, "an answer that nobody judged is not counted"
    assert "Asked by a step" not in client_of(owner).get(f"/goals/{goal.pk}/plans/").content.decode()
    asked = len(provider.asked)
    planned(owner)
    assert len(provider.asked) == asked + 1, "the same request is sent, not answered by the replay"


def test_a_secret_was_never_kept_and_is_not_sent_again(
    provider: Provider, owner: User, operator: User, valkey: object
) -> None:
    secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    provider.will_say(said(GOOD))
    planned(owner, f"{TEXT} with {secret}")
    asking_again.again(ModelCall.objects.get(), by=operator)
    assert secret not in json.dumps(provider.asked)
    first, second = (one["messages"][1] for one in provider.asked)
    assert first == second
    assert "MASKED_SECRET_" in second["content"]


def test_a_call_is_seen_by_whoever_sees_its_goal_and_asked_again_by_operators(
    first: ModelCall, provider: Provider, owner: User, outsider: User, reviewer: User, operator: User,
    client_of: ClientOf,
) -> None:  # fmt: skip
    at = f"/insights/models/calls/{first.pk}/"
    for user, sees, may in (
        (owner, 200, False), (outsider, 404, False), (reviewer, 200, False), (operator, 200, True),
    ):  # fmt: skip
        page = client_of(user).get(at)
        assert page.status_code == sees
        if sees == 200:
            assert (f"{at}again/" in page.content.decode()) is may
        answer = client_of(user).post(f"{at}again/", {"model": MODEL})
        assert answer.status_code == (302 if may else 404 if sees == 404 else 403)
    for user in (owner, outsider, reviewer):
        with pytest.raises(NotYours):
            asking_again.again(first, by=user)
    assert len(provider.asked) == 2, "the operator asked once, nobody else at all"


def test_a_call_for_no_goal_is_seen_by_operators_only(
    first: ModelCall, owner: User, reviewer: User, operator: User
) -> None:
    ModelCall.objects.update(goal="")
    first.refresh_from_db()
    assert [asking_again.may_see(user, first) for user in (owner, reviewer, operator)] == [False, False, True]
    ModelCall.objects.update(goal="987654321")  # gone
    first.refresh_from_db()
    assert [asking_again.may_see(user, first) for user in (owner, reviewer, operator)] == [False, False, True]


def test_both_answers_stand_side_by_side_with_their_difference(
    first: ModelCall, operator: User, client_of: ClientOf
) -> None:
    client = client_of(operator)
    shown = client.post(f"/insights/models/calls/{first.pk}/again/", follow=True)
    page = shown.content.decode()
    assert shown.context["page"].difference.deleted > 0
    assert shown.context["page"].difference.added == 0
    assert "Asked again" in page
    assert "Nothing acts on this answer" in page
    made = ModelCall.objects.latest("pk")
    version = new_version(operator)
    chosen = client.get(f"/insights/models/calls/{first.pk}/", {"version": version}).content.decode()
    assert f'<option value="{version}" selected>{version}, candidate' in chosen
    assert f"/insights/models/calls/{made.pk}/" in client.get(f"/insights/models/calls/{first.pk}/").content.decode()
    listed = client.get("/insights/models/calls/").content.decode()
    assert f'href="/insights/models/calls/{made.pk}/">Plan, asked again</a>' in listed


def test_only_models_that_may_be_asked_for_the_agent_are(
    first: ModelCall, provider: Provider, operator: User, settings: Any
) -> None:
    with pytest.raises(NotPossibleNow, match="may not be asked"):
        asking_again.again(first, by=operator, model="openai/somebody-else")
    settings.MODEL, settings.MODEL_FALLBACKS = "openai/new-model", [MODEL]
    settings.MODEL_PRICES = {**settings.MODEL_PRICES, "openai/new-model": (Decimal(1), Decimal(1))}
    assert asking_again.choice(first).models == (MODEL, "openai/new-model"), "the one that was asked comes first"
    assert asking_again.again(first, by=operator, model="openai/new-model").model == "openai/new-model"
    settings.MODEL, settings.MODEL_FALLBACKS = "", []
    with pytest.raises(NotPossibleNow, match="No model"):
        asking_again.again(first, by=operator)
    assert len(provider.asked) == 2


def test_what_a_step_sent_goes_only_to_the_model_that_was_approved_for_it(
    provider: Provider,
    owner: User,
    operator: User,
    approved: Approved,  # noqa: F811
    settings: Any,
    valkey: object,
) -> None:
    provider.will_say("It is an app.")
    step = {"tool": "summarization", "command": "send_file_to_model", "params": {"path": "app.py"}}
    cycle.work(approved([step], workspace=workspace_with(owner)).goal_id)
    call = ModelCall.objects.get()
    settings.MODEL_FALLBACKS = ["openai/new-model"]
    assert asking_again.choice(call).models == (MODEL,)
    made = asking_again.again(call, by=operator)
    assert "about 150 words" in provider.asked[1]["messages"][0]["content"], "the values of then fill the prompt"
    assert made.answer == "It is an app."
    settings.MODEL = "openai/new-model"
    assert "No model" in asking_again.choice(call).why_not


def test_the_budget_of_the_day_holds(first: ModelCall, provider: Provider, operator: User, api_of: Any) -> None:
    Agent.objects.update(tokens_per_day=first.tokens + 10)
    with pytest.raises(NotPossibleNow, match="of today's budget are used"):
        asking_again.again(first, by=operator)
    answer = api_of(operator).post(f"model-calls/{first.pk}/replay", {})
    assert answer.status_code == 409
    assert "budget" in answer.json()["detail"]
    assert len(provider.asked) == 1


def test_an_answer_that_never_came_is_kept_too(
    first: ModelCall, provider: Provider, operator: User, client_of: ClientOf
) -> None:
    provider.will_say(refusing(401))
    made = asking_again.again(first, by=operator)
    assert (made.state, made.replay_of) == ("failed", first)
    page = client_of(operator).get(f"/insights/models/calls/{made.pk}/")
    assert page.status_code == 200
    assert page.context["page"].difference is None
    goal = Goal.objects.get()
    assert made.detail not in client_of(operator).get(f"/goals/{goal.pk}/plans/").content.decode()


def test_a_prompt_that_is_no_version_or_cannot_be_exchanged_is_refused(
    first: ModelCall, provider: Provider, operator: User
) -> None:
    with pytest.raises(NotPossibleNow, match=r"no version 9\.9\.9"):
        asking_again.again(first, by=operator, version="9.9.9")
    version = new_version(operator)
    first.asked_with["prompts"][0]["chars"] = 0
    with pytest.raises(NotPossibleNow, match="cannot be exchanged"):
        asking_again.again(first, by=operator, version=version)
    made = asking_again.again(first, by=operator)
    assert provider.asked[1]["messages"] == provider.asked[0]["messages"], "it is sent as it was"
    assert made.prompts == ["plan 1.0.0"]
    first.asked_with = {}
    with pytest.raises(NotPossibleNow, match="older mindX"):
        asking_again.again(first, by=operator)


def test_a_prompt_in_which_a_secret_was_hidden_is_kept_as_it_was_sent(
    first: ModelCall, provider: Provider, owner: User, operator: User
) -> None:
    component = Component.objects.get(kind="prompt", name="plan")
    text = f"Log in with the password Tr0ub4dor&3. {declared.every()['plan'].text}"
    prompt_versions.activate(prompt_versions.save(component, text, by=operator), by=operator)
    planned(owner)
    call = ModelCall.objects.latest("pk")
    assert "Tr0ub4dor&3" not in json.dumps([call.messages, call.asked_with])
    assert call.asked_with["prompts"][0]["chars"] == 0
    with pytest.raises(NotPossibleNow, match="cannot be exchanged"):
        asking_again.again(call, by=operator, version="1.0.0")
    asking_again.again(call, by=operator)
    assert provider.asked[-1]["messages"] == provider.asked[-2]["messages"]


def test_a_repair_is_sent_again_with_all_that_was_said(
    provider: Provider, owner: User, operator: User, valkey: object
) -> None:
    provider.will_say(said({"steps": []}), said(GOOD))
    planned(owner)
    repair = ModelCall.objects.latest("pk")
    made = asking_again.again(repair, by=operator)
    assert [one["role"] for one in provider.asked[2]["messages"]] == ["system", "user", "assistant", "user"]
    assert provider.asked[2]["messages"] == provider.asked[1]["messages"]
    assert made.prompts == [f"plan {in_use.BUILT_IN}", f"plan-repair {in_use.BUILT_IN}"]


def test_by_the_api_it_is_read_and_sent_again(
    first: ModelCall, owner: User, outsider: User, operator: User, api_of: Any
) -> None:
    version = new_version(operator)
    answer = api_of(operator).post(f"model-calls/{first.pk}/replay", {"prompt_version": version})
    assert answer.status_code == 201
    made = answer.json()
    assert (made["replay_of"], made["prompts"], made["state"]) == (str(first.pk), [f"plan {version}"], "answered")
    assert "answer" not in made, "texts take the scope that reads goals"
    whole = api_of(owner).get(f"model-calls/{made['id']}").json()
    assert json.loads(whole["answer"]) == OTHER
    assert whole["messages"][0]["content"].startswith(PLANNER)
    assert api_of(owner).get(f"model-calls/{first.pk}").json()["replays"] == [made["id"]]
    listed = api_of(owner).get(f"goals/{first.goal}/generations").json()["items"]
    assert [one["id"] for one in listed] == [str(first.pk)]
    assert api_of(outsider).get(f"model-calls/{first.pk}").status_code == 404
    assert api_of(operator).post(f"model-calls/{first.pk}/replay", {"model": "openai/x"}).status_code == 409
    assert api_of(operator).post("model-calls/0/replay", {}).status_code == 404


def test_a_reviewer_may_not_ask_again_by_the_api(first: ModelCall, reviewer: User, api_of: Any) -> None:
    assert api_of(reviewer).post(f"model-calls/{first.pk}/replay", {}).status_code == 403
    assert ModelCall.objects.count() == 1
