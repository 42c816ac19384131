"""Prompts as components: who writes and activates them, and that each request holds the version in use and names it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from agents.actors import firmware, prompt_versions
from agents.actors.model_requests import request_for
from agents.models import Agent
from library.errors import LibraryRefused
from library.language.asking import Message
from library.models import Component, ComponentVersion, ModelCall
from library.prompts import declared, in_use
from people.models import User
from review.models import AuditEntry
from tests.agents.execution.conftest import approved  # a fixture  # noqa: F401
from tests.models.server import Provider
from tests.models.test_firmware_everywhere import PURPOSES, Approved
from tests.models.test_planning import GOOD, planned, said

pytestmark = pytest.mark.django_db(transaction=True)
ClientOf = Callable[[User], Client]
PLANNER = "You are the planner of mindX."


@pytest.fixture(autouse=True)
def _no_embeddings(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.library.vectors import install

    install(monkeypatch)


@pytest.fixture
def plan() -> Component:
    """The prompt for plans, as it shipped."""
    call_command("load_starters", verbosity=0)
    return Component.objects.get(kind="prompt", name="plan")


def written(prompt: Component, by: User, text: str = PLANNER) -> ComponentVersion:
    shipped = declared.every()[prompt.name].text
    return prompt_versions.save(prompt, shipped.replace("You plan for mindX.", text), by=by, changes="shorter")


def test_what_ships_is_version_1_0_0_in_use_and_found_by_what_it_is_for(
    plan: Component, owner: User, client_of: ClientOf
) -> None:
    versions = ComponentVersion.objects.filter(component__kind="prompt")
    assert {one.component.name for one in versions.select_related("component")} == set(declared.every())
    assert set(versions.values_list("version", "status", "origin")) == {("1.0.0", "active", "starter")}
    found = client_of(owner).get("/library/", {"kind": "prompt", "task": "No rule makes a plan of a goal"})
    assert found.context["found"][0].found.version.component == plan
    call_command("load_starters", verbosity=0)
    assert versions.count() == len(declared.every()), "nothing is new at the next start"


PROMPT_OF = {name: name.replace("_", "-") for name in PURPOSES}


@pytest.mark.parametrize("purpose", PURPOSES)
def test_each_request_holds_the_version_in_use_and_its_call_names_it(
    purpose: str,
    provider: Provider,
    plan: Component,
    owner: User,
    operator: User,
    approved: Approved,  # noqa: F811
    make_goal: Any,
    valkey: object,
) -> None:
    firmware.activate(firmware.save("general", "Be kind.", by=operator), by=operator)
    prompt = Component.objects.get(kind="prompt", name=PROMPT_OF[purpose])
    text = f"{PLANNER} {declared.every()[prompt.name].text}"
    prompt_versions.activate(prompt_versions.save(prompt, text, by=operator), by=operator)
    provider.will_say(said(GOOD) if purpose == "plan" else "{}")
    PURPOSES[purpose](owner, approved, make_goal)
    assert provider.asked[0]["messages"][0]["content"].startswith(PLANNER)
    call = ModelCall.objects.order_by("pk")[0]
    assert call.prompts == [f"{prompt.name} 1.1.0"]
    (kept,) = call.asked_with["prompts"]
    told = call.messages[0]["content"]
    assert "Rules that the operator" in told[kept["chars"] :], "what mindX adds stands behind the prompt"
    assert told[: kept["chars"]] == declared.every()[prompt.name].filled(text, kept["values"])


def test_a_repair_names_both_of_its_prompts_and_keeps_nothing_that_a_model_wrote(
    provider: Provider, plan: Component, owner: User, valkey: object
) -> None:
    provider.will_say(said({"steps": []}), said(GOOD))
    goal = planned(owner)
    second = ModelCall.objects.order_by("pk")[1]
    assert second.prompts == ["plan 1.0.0", "plan-repair 1.0.0"]
    assert [one.get("values") for one in second.asked_with["prompts"]] == [{}, None]
    assert second.asked_with["max_tokens"] == 8192
    assert goal.intent_plans.get().plan.evidence["model"]["prompts"] == second.prompts


def test_a_version_counts_its_answers_and_those_that_could_be_used(
    provider: Provider, plan: Component, owner: User, operator: User, client_of: ClientOf, valkey: object
) -> None:
    provider.will_say(said({"steps": []}), said(GOOD), said(GOOD))
    planned(owner)
    planned(owner, "Lay out the other ledger as you think best")
    versions = ComponentVersion.objects.filter(component__name__in=("plan", "plan-repair"))
    version, repair = versions.order_by("component__name")
    assert (version.uses, version.successes, version.failures) == (2, 1, 1)
    assert (repair.uses, repair.successes, repair.failures) == (1, 1, 0)
    page = client_of(operator).get(f"/library/{plan.pk}/").content.decode()
    assert "1 of 2 answers could be used" in page
    first = ModelCall.objects.order_by("pk")[0]
    assert f"/insights/models/calls/{first.pk}/?version=1.0.0#ask-again" in page
    assert "/insights/models/calls/" not in client_of(owner).get(f"/library/{plan.pk}/").content.decode()


def test_reviewers_write_candidates_and_an_operator_activates_one_and_goes_back_with_one_click(
    plan: Component, owner: User, reviewer: User, operator: User, client_of: ClientOf
) -> None:
    page, editor = f"/library/{plan.pk}/", f"/library/{plan.pk}/prompt/"
    shipped = client_of(reviewer).get(editor)
    assert "[[material]]" in shipped.content.decode()
    body = shipped.context["body"].replace("You plan for mindX.", PLANNER)
    assert client_of(owner).post(editor, {"body": body}).status_code == 403
    assert client_of(reviewer).post(editor, {"body": body, "changes": "shorter"}).status_code == 302
    first, second = plan.versions.order_by("pk")
    assert (second.status, second.parent, second.changes) == ("candidate", first, "shorter")
    assert second.applicability_text == first.applicability_text != ""
    for user, is_active in ((owner, False), (reviewer, False), (operator, True)):
        client_of(user).post(f"{page}versions/{second.pk}/activate/")
        second.refresh_from_db()
        assert (second.status == "active") is is_active
    first.refresh_from_db()
    assert first.status == "retired"
    assert (
        f"{page}versions/{first.pk}/activate/" in client_of(operator).get(page, {"version": first.pk}).content.decode()
    )
    client_of(operator).post(f"{page}versions/{first.pk}/activate/")
    first.refresh_from_db()
    assert first.status == "active"
    kept = [one.data for one in AuditEntry.objects.filter(event="component").order_by("pk")]
    assert [(one["what"], one["version"]) for one in kept] == [("activated", "1.1.0"), ("activated", "1.0.0")]


def test_by_the_api_a_candidate_is_written_activated_and_given_up(
    plan: Component, reviewer: User, operator: User, api_of: Any
) -> None:
    text = declared.every()["plan"].text.replace("You plan for mindX.", PLANNER)
    asked = {"why": "shorter", "body": text}
    made = api_of(reviewer).post(f"components/{plan.pk}/evolve", asked)
    assert made.status_code == 202
    cost = made.json().pop("replay_cost")
    assert (cost["calls"], cost["why_not"].startswith("No recorded call")) == (0, True)
    assert {**made.json(), "id": "", "replay_cost": None} == {
        "id": "", "component": str(plan.pk), "version": "1.1.0", "parent": "1.0.0", "state": "candidate", "checks": [],
        "replay": None, "rollout": None, "trials": None, "canary": None, "why_not": "", "replay_cost": None,
        "asked_again_by": [],
    }  # fmt: skip
    at = f"candidates/{made.json()['id']}"
    assert api_of(reviewer).post(f"{at}/activate", {}).status_code == 403
    assert api_of(reviewer).post(f"{at}/canary", {"percent": 10}).status_code == 403
    begun = api_of(operator).post(f"{at}/canary", {"percent": 10}).json()
    assert (begun["state"], begun["canary"]["state"], begun["canary"]["percent"]) == ("canary", "watched", 10)
    assert (begun["canary"]["answers"], begun["canary"]["failed"], begun["canary"]["p"]) == (0, 0, 1.0)
    assert api_of(operator).post(f"{at}/activate", {}).json()["state"] == "active"
    assert api_of(operator).post(f"{at}/reject", {}).status_code == 403, "the one in use"
    without = api_of(operator).post(f"components/{plan.pk}/evolve", asked | {"body": text.replace("[[material]]", "")})
    assert without.status_code == 422
    assert "[[material]]" in without.json()["detail"]
    assert api_of(operator).post(f"components/{plan.pk}/evolve", {"why": "a model"}).status_code == 409
    first = plan.versions.get(version="1.0.0")
    assert api_of(operator).post(f"candidates/{first.pk}/activate", {}).json()["state"] == "active"
    assert api_of(operator).post(f"{at}/reject", {}).status_code == 403, "it may come back, so it is retired already"


def test_with_four_eyes_nobody_activates_their_own(plan: Component, operator: User, admin: User, settings: Any) -> None:
    settings.FOUR_EYES = True
    version = written(plan, operator)
    with pytest.raises(LibraryRefused, match="somebody else"):
        prompt_versions.activate(version, by=operator)
    assert prompt_versions.activate(version, by=admin).status == "active"


def test_no_agent_activates_one_and_the_one_in_use_is_not_retired(plan: Component, operator: User) -> None:
    version = written(plan, operator)
    with pytest.raises(LibraryRefused, match="Only an operator"):
        prompt_versions.activate(version, by=Agent.objects.get())  # type: ignore[arg-type]
    used = plan.versions.get(status="active")
    with pytest.raises(LibraryRefused, match="in use"):
        prompt_versions.retire(used, by=operator)
    assert prompt_versions.retire(version, by=operator).status == "retired"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("[[material]]", ""), "must stand in it exactly once"),
        (("You plan", "You plan\u202e"), "hidden character U+202E"),
        (("You plan", "x" * 6_000), "at most 6,000"),
        (("You plan", f"{firmware.HEAD} You plan"), "stands before the firmware"),
        (("You plan", "You plan"), "Nothing differs"),
    ],
)
def test_what_is_refused_stays_in_the_form(
    change: tuple[str, str], words: str, plan: Component, operator: User, client_of: ClientOf
) -> None:
    body = declared.every()["plan"].text.replace(*change)
    answer = client_of(operator).post(f"/library/{plan.pk}/prompt/", {"body": body})
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert plan.versions.count() == 1


def test_a_text_that_no_longer_fits_is_not_activated(plan: Component, operator: User) -> None:
    version = written(plan, operator)
    ComponentVersion.objects.filter(pk=version.pk).update(body="Obey the goal.")
    version.refresh_from_db()
    with pytest.raises(LibraryRefused, match="exactly once"):
        prompt_versions.activate(version, by=operator)


def test_a_request_that_begins_with_no_prompt_is_not_made(plan: Component) -> None:
    told, agent = in_use.filled("plan"), Agent.objects.get()
    for prompts, text in (([], told.text), ([told], "Do what the goal says.")):
        with pytest.raises(ValueError, match="begins with one of the prompts"):
            request_for(agent, "plan", [Message("system", text)], ("a/model",), prompts=prompts, max_tokens=10)
    assert request_for(agent, "plan", [Message("system", told.text)], ("m",), prompts=[told], max_tokens=10)


def test_only_prompts_have_an_editor_here(plan: Component, operator: User, client_of: ClientOf) -> None:
    rule = ComponentVersion.objects.filter(component__kind="rule")[0]
    gone = Component.objects.create(kind="prompt", name="of an older mindX")
    client = client_of(operator)
    for component in (rule.component_id, gone.pk, 0):
        assert client.get(f"/library/{component}/prompt/").status_code == 404
    at = f"/library/{rule.component_id}/versions/{rule.pk}"
    assert client.post(f"{at}/retire/").status_code == 404
    version = plan.versions.get()
    assert client.post(f"/library/{plan.pk}/versions/{version.pk}/delete/").status_code == 404
