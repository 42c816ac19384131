"""Each system agent, with a language model and with none: it does its work, or the page says plainly why not."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from agents.bus import answering, requests
from agents.components import workflow_library
from agents.cycle import cycle
from agents.goals.component_goals import Terms
from agents.models import Agent, BusRequest, EvolutionProposal, Goal, Intent, IntentPlan
from agents.system import architect
from agents.toolkit.tools.system_agent import TOOL
from agents.views.agents.system import COMMANDS_WITHOUT_MODEL, WITHOUT_MODEL
from library.components import services
from library.memory import services as memory
from library.models import ModelCall
from people import sealing
from people.models import User
from tests.agents.bdi.workflows.workflow_texts import GREET
from tests.agents.execution.conftest import approved as approved
from tests.models.server import Provider

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("models")]

ClientOf = Callable[[User], Client]
RULE = "RULE total a list\nIF your task is to total the list {file}\nTHEN:\n  run python total.py {file}\n"
ANSWERS = {
    "You take requirements apart": {"components": [{"name": "fog", "does": "Measure the fog", "after": []}]},
    "You improve one plan rule": {"rule": RULE.replace("THEN:\n", "THEN:\n  # It adds the numbers up.\n")},
    "You read a plan": {"remarks": [{"step": 1, "remark": "Nobody asked for that folder."}]},
}


def model(asked: Any) -> None:
    """Answers by what it is told to be."""
    told = str(asked.server.asked[-1]["messages"][0]["content"])
    if "You answer a question about earlier goals" in told:
        return asked.stream("The host did not answer [1].")
    if "You write one workflow" in told:
        name = f"Greet by model {len(asked.server.asked)}"
        return asked.stream(json.dumps({"workflow": GREET.replace("Greet", name)}))
    return asked.stream(json.dumps(next(said for begin, said in ANSWERS.items() if begin in told)))


@pytest.fixture(params=["without a model", "with a model"])
def has_model(request: pytest.FixtureRequest) -> bool:
    """Whether a language model answers on loopback."""
    if request.param == "without a model":
        return False
    provider: Provider = request.getfixturevalue("provider")
    provider.will_say(model)
    return True


@dataclass(frozen=True)
class Row:
    """A command, and what the goal's page says without a model and with one; `fails` without one."""

    command: str
    params: dict[str, Any]
    without: str
    with_one: str = ""
    fails: bool = False


# {waits}: a goal whose plan awaits review; {designed}: one with a design; {chosen}: one whose rules await review.
ROWS = (
    Row("search_component", {"task": "total a list"}, "found"),
    Row("task_context", {"task": "total a list"}, "2 lines of context"),
    Row("build_context", {"task": "total a list"}, "left out, about"),
    Row("discover_agent", {"task": "answer a question"}, "can be asked now"),
    Row("review_design", {"goal": "{designed}"}, "written new, so nothing is known of it"),
    Row("review_selection", {"goal": "{chosen}"}, "No problems found."),
    Row("ask_for_approval", {"goal": "{waits}", "why": "it is due"}, "people are asked to decide on goal"),
    Row("record_experience", {"task": "a", "outcome": "success", "summary": "b"}, "is recorded"),
    Row("register_agent", {"name": "t", "description": "d", "capability": "c"}, "t is registered"),
    Row("request_agent", {"capability": "propose_evolution", "why": "to learn"}, "was answered by EvolutionStrategist"),
    Row("process_workflow", {"name": "Greet"}, "has the plan of the workflow Greet"),
    Row(
        "design_solution",
        {"requirements": "Measure the fog"},
        "a design of 1 component by templates (No language model is set up); people review it",
        "a design of 1 component by test-model; people review it",
    ),
    Row(
        "evolve_component",
        {"kind": "rule", "name": "total a list", "wish": "say why"},
        "no language model is set up, so people are asked: item",
        "is a candidate and is replayed; people decide on it",
    ),
    Row(
        "create_component",
        {"kind": "workflow", "wish": "greet somebody"},
        "New code needs a language model or a person, and no model is set up. Give the component's whole text",
        "1.0.0 is a candidate; people decide whether it is put to use",
        fails=True,
    ),
    Row(
        "generate_workflow",
        {"wish": "forecast the weather of Jupiter", "name": "Jupiter"},
        "No language model is set up, and no goal like this was achieved yet. Write the workflow, or set up a model.",
        "is a candidate; a language model wrote it",
        fails=True,
    ),
)


def shown(client: Client, path: str) -> str:
    """What a person reads on a page."""
    page = client.get(path).content.decode()
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def steps(rows: Sequence[Row], numbers: dict[str, int]) -> list[dict[str, Any]]:
    def filled(value: Any) -> Any:
        return numbers[value.strip("{}")] if isinstance(value, str) and value.startswith("{") else value

    return [
        {
            "tool": "system_agent",
            "command": one.command,
            "params": {name: filled(value) for name, value in one.params.items()},
        }
        for one in rows
    ]


def test_the_table_has_every_command_and_the_page_says_what_each_does_without_a_model(
    owner: User, client_of: ClientOf
) -> None:
    assert {one.command for one in ROWS} == {one.name for one in TOOL.commands}
    assert set(COMMANDS_WITHOUT_MODEL) == {one.command for one in ROWS if one.with_one}
    page = shown(client_of(owner), "/agents/system/")
    for said in (*WITHOUT_MODEL.values(), *COMMANDS_WITHOUT_MODEL.values(), "No language model is set up."):
        assert said in page


def test_every_command_of_system_agent_does_its_work_or_says_why_not(
    has_model: bool,
    approved: Callable[..., IntentPlan],
    owner: User,
    reviewer: User,
    operator: User,
    propose_plan: Callable[..., IntentPlan],
    make_goal: Callable[..., Goal],
    client_of: ClientOf,
) -> None:
    owner.roles = ["submitter", "developer"]
    owner.save()
    sealing.seal(owner)
    services.publish("rule", "total a list", RULE, by=operator, status="active")
    call_command("load_starters", verbosity=0)
    saved = workflow_library.save(GREET, by=reviewer)
    assert saved.component.name == "Greet"
    designed = architect.submit(architect.design("Measure the fog", with_model=False), Terms(owner))
    Agent.objects.filter(name="mindx").update(review_selection=True)
    chosen = make_goal(owner, "write a note named tides saying low at noon")
    cycle.work(chosen.pk)
    Agent.objects.filter(name="mindx").update(review_selection=False)
    waits = propose_plan(owner)
    numbers = {"waits": waits.goal_id, "designed": designed.pk, "chosen": chosen.pk}
    asked_before = ModelCall.objects.count()

    failing = [one for one in ROWS if one.fails and not has_model]
    plans = [(approved(steps([one for one in ROWS if one not in failing], numbers)), False)]
    plans += [(approved(steps([one], numbers)), True) for one in failing]
    client = client_of(reviewer)
    page = ""
    for plan, fails in plans:
        cycle.work(plan.goal_id)
        states = dict(Intent.objects.filter(intent_plan__goal=plan.goal_id).values_list("command", "state"))
        assert set(states.values()) == {"failed" if fails else "succeeded"}, states
        page += shown(client, f"/goals/{plan.goal_id}/")
    for one in ROWS:
        assert (one.with_one if has_model and one.with_one else one.without) in page, one.command
    purposes = {one.command for one in ROWS if one.with_one} if has_model else set()
    assert ModelCall.objects.count() - asked_before == len(purposes)


@dataclass(frozen=True)
class Asked:
    """A capability, and what the request's page says without a model and with one."""

    capability: str
    content: dict[str, Any]
    without: str
    with_one: str = ""


CAPABILITIES = (
    Asked("find_components", {"task": "total a list"}, "found"),
    Asked("discover_agents", {"task": "answer a question"}, "can be asked now"),
    Asked("build_context", {"task": "total a list"}, "left out, about"),
    Asked("design_solution", {"requirements": "Measure the fog"}, "No language model is set up.", "test-model"),
    Asked(
        "answer_about_experience",
        {"question": "what failed about the prices?", "with_model": True},
        "No language model is set up.",
        "The host did not answer [1].",
    ),
    Asked("propose_evolution", {}, "1 proposal; people decide on it"),
    Asked(
        "read_plan",
        {"goal": 0, "with_model": True},
        "code only. No language model is set up.",
        "Nobody asked for that folder.",
    ),
)


def test_every_agent_of_the_bus_answers_or_says_why_no_model_did(
    has_model: bool, owner: User, propose_plan: Callable[..., IntentPlan], client_of: ClientOf
) -> None:
    plan = propose_plan(owner)
    memory.record(
        owner=owner,
        goal_ref="7",
        primary_goal_description="fetch the prices",
        final_outcome="failure",
        timestamp=timezone.now(),
        initiating_agent_id="mindx",
        output_summary="the host did not answer",
    )
    EvolutionProposal.objects.create(
        kind="failing", subject="rule:x", says="Evolve x", why="it fails", weight=2, goals=[7], seen_at=timezone.now()
    )
    client = client_of(owner)
    for one in CAPABILITIES:
        content = {**one.content, "goal": plan.goal_id} if "goal" in one.content else one.content
        asked = requests.request(by=owner, capability=one.capability, content=content)
        answering.work(asked.pk)
        asked = BusRequest.objects.get(pk=asked.pk)
        assert asked.state == "answered", (one.capability, asked.reason)
        page = shown(client, f"/bus/requests/{asked.pk}/")
        assert (one.with_one if has_model and one.with_one else one.without) in page, (one.capability, page)
