"""Firmware goes along in every request that generates, and its checks stop plans, rules and answers."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.utils import timezone

from agents.actors import environment_actions, firmware
from agents.bdi.modular.state import Chosen
from agents.beliefs.entailment_asking import LanguageModel
from agents.components import rule_writing
from agents.components.rule_writing import RuleInvalid
from agents.cycle import cycle
from agents.environments.policies import Situation
from agents.evolution.activation import deciding
from agents.evolution.candidates import writing
from agents.frameworks import factory
from agents.models import DEFAULT_AGENT, Agent, IntentPlan
from agents.modular import runs as modular_runs
from agents.modular import working as modular_working
from agents.modular.runs import Start
from agents.plans import proposals
from agents.record.errors import NotPossibleNow
from agents.toolkit.registry import REGISTRY
from agents.understanding import extraction
from library.components import services as library
from library.errors import LibraryRefused
from library.memory import model_summaries, questions
from library.memory import services as memory
from library.models import ComponentVersion
from people.models import User
from review.deciding import decisions
from review.errors import DecisionRefused
from tests.agents.execution.conftest import approved  # a fixture  # noqa: F401
from tests.agents.frameworks.double import Double
from tests.forging import forge
from tests.models.server import Provider
from tests.models.test_file_changes import workspace_with
from tests.models.test_planning import GOOD, log, planned, said

pytestmark = pytest.mark.django_db(transaction=True)
TOLD = "Write documents in German."
RULE = "RULE greet\nIF your task is to greet {name}\nTHEN:\n  # A folder lasts.\n  create the folder {name}\n"
Approved = Callable[..., IntentPlan]


@pytest.fixture(autouse=True)
def _no_embeddings(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.library.vectors import install

    install(monkeypatch)


def in_use(domain: str, text: str, by: User) -> ComponentVersion:
    return firmware.activate(firmware.save(domain, text, by=by), by=by)


def forbidding(*lines: str) -> str:
    return "\n".join((TOLD, "CHECKS:", *lines))


def _plan(owner: User, approved: Approved, make_goal: Any) -> None:  # noqa: F811
    planned(owner)


def _file_changes(owner: User, approved: Approved, make_goal: Any) -> None:  # noqa: F811
    step = {"tool": "audit_and_improve", "command": "send_file_to_model", "params": {"path": "app.py"}}
    cycle.work(approved([step], workspace=workspace_with(owner)).goal_id)


def _summary(owner: User, approved: Approved, make_goal: Any) -> None:  # noqa: F811
    step = {"tool": "summarization", "command": "send_file_to_model", "params": {"path": "app.py"}}
    cycle.work(approved([step], workspace=workspace_with(owner)).goal_id)


def _extract(owner: User, approved: Approved, make_goal: Any) -> None:  # noqa: F811
    extraction.values_for(make_goal(owner, "commit everything"), REGISTRY.command("git_tool", "commit"), ["message"])


def _entailment(owner: User, approved: Approved, make_goal: Any) -> None:  # noqa: F811
    judge = LanguageModel(make_goal(owner, "enter the castle"), lambda: True)
    judge.judge([("The gate stands wide open.", "The gate is open.")])


def _environment_action(owner: User, approved: Approved, make_goal: Any) -> None:  # noqa: F811
    agent, _ = Agent.objects.get_or_create(name=DEFAULT_AGENT)
    environment_actions.policy_for(agent).choose(Situation("win", (), ("look", "wait")))


def _candidate(owner: User, approved: Approved, make_goal: Any) -> None:  # noqa: F811
    Agent.objects.get_or_create(name=DEFAULT_AGENT)
    operator = ComponentVersion.objects.get(component__name="general").created_by
    assert operator is not None
    rule = library.publish("rule", "greet", RULE, by=operator, status="active")
    with pytest.raises(NotPossibleNow):
        writing.write(rule.component, by=operator, why="better", strategy="standard")


def _memory(owner: User, approved: Approved, make_goal: Any) -> None:  # noqa: F811
    memory.record(
        goal_ref="1", owner=owner, primary_goal_description="pay the invoices", final_outcome="failure",
        timestamp=timezone.now(), initiating_agent_id="default",
    )  # fmt: skip
    questions.reply("pay the invoices", user=owner, with_model=True)


def _memory_summary(owner: User, approved: Approved, make_goal: Any) -> None:  # noqa: F811
    memory.record(
        goal_ref="1", owner=owner, primary_goal_description="pay the invoices", final_outcome="failure",
        timestamp=timezone.now(), initiating_agent_id="default", output_summary="It could not be paid. " * 40,
    )  # fmt: skip
    model_summaries.write_some()


def _agent_turn(owner: User, approved: Approved, make_goal: Any) -> None:  # noqa: F811
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(factory, "FACTORY", factory.AgentFactory({Double.name: Double.create}))
        cycle.one(make_goal(owner, agent=Agent.objects.create(name="guest", framework=Double.name)).pk)


def _modular(owner: User, approved: Approved, make_goal: Any) -> None:  # noqa: F811
    chosen = {"prompter": "plain", "generator": "model", "discriminator": "first", "actor": "plain", "toolkit": "notes"}
    settings = {kind: Chosen(name) for kind, name in chosen.items()}
    modular_working.work(modular_runs.start(Start("a task", settings), by=owner).pk)


PURPOSES = {
    "agent_turn": _agent_turn,
    "memory": _memory,
    "memory_summary": _memory_summary,
    "candidate": _candidate,
    "modular": _modular,
    "plan": _plan,
    "file_changes": _file_changes,
    "summary": _summary,
    "extract": _extract,
    "entailment": _entailment,
    "environment_action": _environment_action,
}


def _python() -> list[Path]:
    rooms = ("agents", "library", "review", "mindx_web", "people")
    return [file for room in rooms for file in (Path(django_settings.BASE_DIR) / room).rglob("*.py")]


def test_no_request_is_made_but_by_the_one_function_and_every_purpose_is_walked_here() -> None:
    makers, purposes = set(), set()
    for file in _python():
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "Ask":
                makers.add(file.name)
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "PURPOSE":
                purposes.add(ast.literal_eval(node.value))
    assert makers == {"model_requests.py"}
    assert purposes == set(PURPOSES)


@pytest.mark.parametrize("purpose", PURPOSES)
def test_the_request_that_leaves_holds_the_firmware(
    purpose: str,
    provider: Provider,
    owner: User,
    operator: User,
    approved: Approved,  # noqa: F811
    make_goal: Any,
    valkey: object,
) -> None:
    in_use("general", forbidding("no-net: forbid host *.example.com"), operator)
    provider.will_say(said(GOOD) if purpose == "plan" else "{}")
    PURPOSES[purpose](owner, approved, make_goal)
    assert provider.asked
    for asked in provider.asked:
        (first, *rest) = asked["messages"]
        assert first["role"] == "system"
        assert TOLD in first["content"]
        assert TOLD not in json.dumps(rest)


def test_a_plan_that_violates_a_check_goes_back_to_the_model_and_is_never_proposed(
    provider: Provider, owner: User, operator: User, valkey: object
) -> None:
    in_use("general", forbidding("harbour-is-closed: forbid path harbour"), operator)
    provider.will_say(said(GOOD))
    goal = planned(owner)
    assert not goal.intent_plans.exists()
    assert "“harbour-is-closed” forbids the path “harbour”" in log(goal)
    assert "harbour-is-closed" in provider.asked[1]["messages"][-1]["content"], "the model reads which check it was"


def test_a_persons_plan_is_stopped_too_and_one_that_waits_cannot_be_approved_any_more(
    owner: User, operator: User, reviewer: User, propose_plan: Callable[..., IntentPlan], make_goal: Any
) -> None:
    steps = [{"tool": "simple_coder", "command": "mkdir", "params": {"path": "harbour"}}]
    waiting = propose_plan(owner, steps)
    in_use("general", forbidding("no-folders: forbid command simple_coder.mkdir"), operator)
    _, problems = proposals.draft_by_hand(make_goal(owner, "a folder"), steps, [], by=owner)
    assert [(one.position, one.code) for one in problems] == [(1, proposals.AGAINST_FIRMWARE)]
    with pytest.raises(DecisionRefused, match="no-folders"):
        decisions.approve(waiting, by=reviewer, digest=waiting.digest, via="api")


def test_a_summary_with_forbidden_words_is_not_used(
    provider: Provider,
    owner: User,
    operator: User,
    approved: Approved,  # noqa: F811
) -> None:
    in_use("general", forbidding("no-promises: forbid words guaranteed return"), operator)
    provider.will_say("It is a Guaranteed Return.")
    step = {"tool": "summarization", "command": "send_file_to_model", "params": {"path": "app.py"}}
    plan = approved([step], workspace=workspace_with(owner))
    cycle.work(plan.goal_id)
    attempt = plan.intents.get().attempts.order_by("pk")[0]
    assert "no-promises" in str((attempt.result or {}).get("reason"))


def test_a_rule_against_the_firmware_is_neither_saved_nor_activated(operator: User, reviewer: User) -> None:
    before = rule_writing.save(RULE, by=reviewer)
    in_use("general", forbidding("no-folders: forbid command simple_coder.mkdir"), operator)
    with pytest.raises(RuleInvalid, match="no-folders"):
        rule_writing.save(RULE.replace("lasts", "stays"), by=reviewer, of=before.component)
    with pytest.raises(RuleInvalid, match="no-folders"):
        deciding.activate(before, by=operator)
    before.refresh_from_db()
    assert before.status == "candidate"


def test_a_version_that_forbids_itself_nothing_takes_an_admin_with_a_reason(operator: User, admin: User) -> None:
    strict = in_use("general", forbidding("no-net: forbid host *.example.com", "no-rm: forbid tool git_tool"), operator)
    lax = firmware.save("general", forbidding("no-net: forbid host *.example.com"), by=operator)
    with pytest.raises(LibraryRefused, match=r"“no-rm” forbids.*Only an admin"):
        firmware.activate(lax, by=operator, reason="we need it for the release")
    with pytest.raises(LibraryRefused, match="Say why"):
        firmware.activate(lax, by=admin, reason="so")
    with pytest.raises(LibraryRefused, match="Only an admin"):
        firmware.retire(strict, by=operator)
    firmware.activate(lax, by=admin, reason="the release needs the tool")
    lax.refresh_from_db()
    assert "checks dropped by ada: the release needs the tool" in lax.changes
    # Stricter again is no loss.
    firmware.activate(strict, by=operator)


def test_a_damaged_text_in_use_stops_every_plan(owner: User, operator: User, make_goal: Any) -> None:
    version = in_use("general", forbidding("no-net: forbid host *.example.com"), operator)
    ComponentVersion.objects.filter(pk=version.pk).update(body="CHECKS:\nno-net: forbids")
    steps = [{"tool": "simple_coder", "command": "mkdir", "params": {"path": "a"}}]
    _, problems = proposals.draft_by_hand(make_goal(owner, "a folder"), steps, [], by=owner)
    assert "general 1.0.0" in problems[0].message


@pytest.mark.parametrize(
    "forgery", ["status = 'retired'", "body = 'be kind'", "component_id = component_id, version = '2.0.0'"]
)
def test_firmware_that_was_not_put_out_of_use_by_mindx_stops_every_plan(
    owner: User, operator: User, make_goal: Any, forgery: str
) -> None:
    version = in_use("general", forbidding("no-net: forbid host *.example.com"), operator)
    forge(f"UPDATE library_componentversion SET {forgery} WHERE id = %s", version.pk)
    steps = [{"tool": "simple_coder", "command": "mkdir", "params": {"path": "a"}}]
    _, problems = proposals.draft_by_hand(make_goal(owner, "a folder"), steps, [], by=owner)
    assert "cannot be read" in problems[0].message
