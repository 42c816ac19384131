"""A mindX in which something of everything has happened: what a test needs that looks at every page."""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from django.core.management import call_command
from django.utils import timezone

from agents.actors import firmware, prompt_versions
from agents.bdi.modular.state import Chosen
from agents.bdi.recovery.failures import Facts, FailureClass, Rule
from agents.bdi.recovery.strategies import MANUAL
from agents.bus import answering, breakers, members, providers, requests
from agents.bus import settings as bus_settings
from agents.bus.members import Offer, Registration
from agents.components import tool_writing, workflow_library
from agents.coordinator import backlog, backlog_taking, commanding
from agents.coordinator.backlog import Wish
from agents.coordinator.commanding import Given
from agents.cycle import cycle
from agents.evolution.activation import tool_checks
from agents.foreign_tools import listing, servers
from agents.goals import goal_terms, goals, tool_calls, workflow_goals
from agents.goals.component_goals import Terms
from agents.goals.tool_calls import ToolCall
from agents.mastermind.components import Component as Named
from agents.mastermind.stops import Rules
from agents.models import (
    Agent,
    BacklogItem,
    Belief,
    EnvironmentRun,
    EvolutionProposal,
    EvolvedCopy,
    FailureRecord,
    FrameworkCall,
    FrameworkRun,
    Generation,
    Goal,
    Intent,
    IntentPlan,
    LevelDocument,
    Replay,
    ReplayCase,
    VersionTrial,
    VersionTrialCase,
    Workspace,
)
from agents.modular import branching, wanting
from agents.modular import runs as modular_runs
from agents.modular import working as modular_working
from agents.modular.branching import Edit
from agents.modular.runs import Start as ModularStart
from agents.plans import designs, shadowing
from agents.plans.tool_call_plans import Caller
from agents.recovery import failure_log, recovery_learning
from agents.simulations import learned_policies, training
from agents.simulations import runs as environment_runs
from agents.simulations import working as environment_working
from agents.simulations.runs import Start as EnvironmentStart
from agents.states import GoalState
from agents.tuning import lessons, versions
from agents.workspaces import workspaces
from library.language import days
from library.models import Component, ComponentVersion, Experience, ModelCall
from people import tokens
from people.models import User
from review.deciding import decisions, editing
from review.entries import risks
from review.inbox import requests as inbox
from review.inbox.requests import Sent, Verdict
from review.levels import decisions as level_decisions
from review.models import Comment, Notice, ReviewClock, ReviewPolicy
from review.notices import levels, notify
from review.policy.verdict import Action
from review.talk import comments
from review.teaching import lessons as teaching
from sandbox.store.snapshots import EMPTY
from tests.agents.bdi.workflows.workflow_texts import GREET, define, execute
from tests.agents.foreign_tools.mcp_programs import COMMAND, HONEST
from tests.agents.presentation.reports import report
from tests.agents.toolkit.made_texts import WORD_COUNT
from tests.forging import sealed
from tests.review.plans import MKDIR, WRITE, goal_of, proposed, step
from tests.review.some_levels import asked_choice
from tests.review.some_policies import in_force, tried

# What wants to break out of its column, and what could hide or run.
LONG = "averylongwordwithoutspaces" * 4
NASTY = f"Write <b>{LONG}</b> \u202eand more \x1b[31mred"
FAILS = "python -c 'raise SystemExit(3)'"
STEPS = (
    MKDIR,
    WRITE,
    step("toggle_autonomous_mode", on=True),
    step("rm", path="held.txt"),
    step("run", command_line="ls -l"),
)


@dataclass(frozen=True)
class People:
    """Who looks at what."""

    owner: User
    judge: User
    keeper: User
    admin: User


@dataclass(frozen=True)
class Furnished:
    """One row of each kind that has a page."""

    people: People
    done: Goal
    manual: Goal
    sent_back: Goal
    waiting: IntentPlan
    revised: IntentPlan
    design: LevelDocument
    choice: LevelDocument
    workspace: Workspace
    policy: ReviewPolicy
    rule: Component
    experience: Experience
    notice: Notice
    analysed: Intent
    improved: Intent
    item: BacklogItem
    asking: Goal
    stuck: Goal
    mapping: int
    lesson: int
    copy: EvolvedCopy
    # A candidate that was replayed on recorded calls.
    prompt: ComponentVersion
    # A live one that runs, and a replayed one that has ended.
    trials: tuple[int, int]
    flow: IntentPlan
    guest: Goal
    modular: int
    environment: int
    mcp: int
    inbox: int
    decided: int


def furnish(people: People) -> Furnished:
    """Make them, by the services that people and workers use."""
    owner, judge, keeper = people.owner, people.judge, people.keeper
    call_command("load_starters", verbosity=0)
    told = firmware.save("general", f"Write English.\nNever write {LONG}.", by=keeper, changes=LONG)
    firmware.activate(told, by=keeper)
    firmware.save("general", "Write German.", by=judge)
    made = tool_writing.save(WORD_COUNT, by=keeper, changes=LONG)
    tool_checks.ask(made, by=keeper)
    tool_checks.work(made.pk)
    developer = User.objects.create_user("dora", roles=["developer"])
    mcp = servers.add(by=developer, name="harbour", command=COMMAND, source=HONEST)
    listing.work(mcp.pk)
    done = _achieved(owner, judge)
    manual = _worked(goals.submit(by=owner, text=f"Reconcile the ledger of {LONG}"))
    workspace = Workspace.objects.create(name="papers", owner=owner, head=done.workspace.head)
    for name, content in (
        ("held.txt", b"held\n"),
        (f"{LONG}.md", b"# one\n"),
        (f"{LONG}.md", b"# two\n"),
        ("in/deep.txt", b"x"),
    ):
        workspaces.put_file(workspace, by=owner, path=name, source=io.BytesIO(content))
        workspace.refresh_from_db()
    _proposed_by_audit()
    policy = in_force(Action.REQUIRE_TWO, keeper, f"two for {LONG}", commands=["rm"], paths=["*.txt"])
    waiting = _waiting(owner, judge, workspace)
    revised = _revised(owner, judge)
    choice = asked_choice(owner)
    design, sent_back = _designs(owner, judge, choice)
    soon = timezone.now() + timedelta(days=2)
    goal_terms.change(manual, by=owner, parent=waiting.goal, deadline=soon, priority=2)
    _asked_on_the_bus(owner, keeper)
    notify.sweep()
    levels.sweep()
    tokens.issue(owner, f"token {LONG}"[:100])
    prompt = _replayed(keeper, done)
    return Furnished(
        people=people,
        done=done,
        manual=manual,
        sent_back=sent_back,
        waiting=waiting,
        revised=revised,
        design=design,
        choice=choice,
        workspace=workspace,
        policy=policy,
        rule=Component.objects.filter(kind=Component.Kind.RULE).order_by("pk")[0],
        experience=Experience.objects.order_by("pk")[0],
        notice=Notice.objects.filter(user=judge).order_by("-pk")[0],
        analysed=_analysed(owner),
        improved=_improved(owner),
        item=_wished(keeper),
        asking=_asking(owner),
        stuck=_stuck(owner, judge, keeper),
        mapping=_tuned(keeper),
        lesson=_taught(revised, judge),
        mcp=mcp.pk,
        copy=_copied(owner),
        prompt=prompt,
        trials=_trials(prompt, keeper, done),
        flow=_flow(owner, judge),
        guest=_guest(owner),
        modular=_modular(owner),
        inbox=_asked_in_the_inbox(owner),
        decided=_decided_in_the_inbox(owner, people.judge),
        environment=_environment(owner, keeper),
    )


def _guest(owner: User) -> Goal:
    """A goal that an agent of a framework worked on: a call that is reviewed, one that was refused, and an answer."""
    agent = Agent.objects.create(name="guest", framework="openai_agents")
    goal = goals.submit(by=owner, text=f"Copy {LONG}", agent=agent)
    run = sealed(
        FrameworkRun.objects.create(goal=goal, framework=agent.framework, turn=2, steps=2, tokens=300, answer=NASTY)
    )
    call = ToolCall("simple_coder", "read", {"path": "a.txt"}, NASTY)
    plan = tool_calls.propose(call, Terms(owner, agent=agent), Caller(agent.framework, "guest"), parent=goal)
    of = {"run": run, "turn": 1}
    sealed(
        FrameworkCall.objects.create(
            **of, position=1, call_id="1", name=f"{LONG}__{LONG}", refused=f"there is no {NASTY}"
        )
    )
    sealed(
        FrameworkCall.objects.create(
            **of, position=2, call_id="2", name="simple_coder__read", why=NASTY, goal=plan.goal
        )
    )
    return goal


def _flow(owner: User, judge: User) -> IntentPlan:
    """A workflow that calls another one and defines a tool, and the plan that the other made."""
    called = workflow_library.save(GREET.replace("hello.txt", f"{LONG}.txt"), by=judge, changes=LONG)
    calls = execute("Greet", "input: {name: moon}", item="WORKFLOW")
    shouts = define("shouts", "def shout(text):\n    return text.upper()")
    workflow_library.save(f"scenario_name: {LONG}\nsteps:\n{calls}{shouts}", by=judge)
    return workflow_goals.process(called, {"name": f"<b>{LONG}</b>"}, Terms(owner))


def _asked_in_the_inbox(owner: User) -> int:
    """A call that a program asks about, with everything that it can say."""
    schema = {"type": "object", "properties": {"to": {"type": "string"}}}
    arguments = {"to": NASTY, LONG: {"deep": [1, None, NASTY]}}
    sent = Sent(f"<i>{LONG}</i>"[:120], "mail.send", arguments, NASTY, LONG, inbox.Decision.values, schema)
    return inbox.take_in(sent, by=owner).pk


def _decided_in_the_inbox(owner: User, judge: User) -> int:
    row = inbox.take_in(Sent("a bot", LONG, {}, allowed=["respond", "reject"]), by=owner)
    return inbox.decide(row, Verdict("respond", {"said": NASTY}, "so be it"), by=judge, digest=row.digest).pk


def _modular(owner: User) -> int:
    """A modular agent whose call waits for review, with a branch beside what a person wrote, and one that rates."""
    names = {"prompter": "aware", "generator": "person", "discriminator": "first", "actor": "plain"}
    settings = {kind: Chosen(name) for kind, name in {**names, "toolkit": "simple_coder"}.items()}
    run = modular_runs.start(ModularStart(f"<b>{LONG}</b>", settings), by=owner)
    for call in (
        {"name": "note", "arguments": {"text": NASTY}},
        {"name": "simple_coder.read", "arguments": {"path": LONG}},
    ):
        modular_working.work(run.pk)
        run.refresh_from_db()
        (want,) = wanting.asked_of_people(run)
        wanting.answer_as_person(want, {"content": NASTY, "function_call": call}, by=owner)
    modular_working.work(run.pk)
    run.refresh_from_db()
    branching.branch(run, Edit(2, content=LONG, paused=True), by=owner)
    asks = modular_runs.start(ModularStart("say something", {**settings, "toolkit": Chosen("notes")}), by=owner)
    modular_working.work(asks.pk)
    return run.pk


def _environment(owner: User, keeper: User) -> int:
    """A run that was acted out by rules, one that waits for a person, and a policy that was trained a little."""
    run = environment_runs.start(EnvironmentStart("house", "tea", 1), by=owner)
    environment_working.work(run.pk)
    EnvironmentRun.objects.filter(pk=run.pk).update(first_percept=NASTY.replace("\x1b", ""), reason=LONG)
    asks = environment_runs.start(EnvironmentStart("house", "bring", 9, fallback="person", share=0), by=owner)
    environment_working.work(asks.pk)
    training.work(learned_policies.train("house", "bring", episodes=2, share=0, by=keeper).pk)
    return run.pk


def _asked_on_the_bus(owner: User, keeper: User) -> None:
    """Requests that were answered, failed and wait for review, an open breaker, and settings that were saved."""
    sick = members.register(
        Registration(f"{LONG}"[:100], "foreign", NASTY.replace("\x1b", ""), (Offer("say", LONG, confidence=0.9),))
    )
    bus_settings.change(by=keeper, failures=1, cooldown_s=900, depth=5, requests=50, why=LONG)
    for text in (LONG, NASTY.replace("\x1b", "")):
        asked = requests.request(by=owner, capability="say", content={"text": text}, why=LONG)
        answering.work(asked.pk)
    well = providers.Connected("echo", LONG, (Offer("echo"),), _Echo())
    providers.connect(well)
    answering.work(requests.request(by=owner, capability="echo", content={"<b>": NASTY}, why=LONG).pk)
    providers.disconnect("echo")
    write = {"path": f"{LONG}.txt", "content": "x"}
    answering.work(requests.request(by=owner, capability="simple_coder.write", content=write).pk)
    assert breakers.circuit_of(sick.breaker).state == "open"


class _Echo:
    def answer(self, request: providers.Asked) -> providers.Answer:
        """What was asked, and what wants to be more than text."""
        return providers.Answer({"<script>alert(1)</script>": NASTY, LONG: dict(request.content)}, reason=LONG)


def _copied(owner: User) -> EvolvedCopy:
    """What a submitter's goal made of firmware, which waits for somebody who may write."""
    return sealed(EvolvedCopy.objects.create(
        goal=goal_of(owner, f"Better {LONG}"), target_kind="firmware", target_name="general", wish=NASTY,
        proposed=f"Write English.\n{NASTY}\n", said=f"it waits, {LONG}", settled_at=timezone.now(),
    ))  # fmt: skip


def _tuned(keeper: User) -> int:
    """A mapping with a history, settings saved and taken back; the number of the mapping's newest version."""
    mappings, settings = versions.kind_named("path_mapping"), versions.kind_named("parameter_settings")
    assert mappings is not None
    assert settings is not None
    one = versions.save(mappings, {"said": f"<b>{LONG}", "path": f"{LONG}.md", "in_use": True}, by=keeper)
    one = versions.save(mappings, {"path": f"in/{LONG}"}, by=keeper, note=LONG, over=one)
    (all_of_it,) = versions.current(settings)
    saved = versions.save(settings, {"use_experience": False, "least_runs": 5}, by=keeper, over=all_of_it, note=LONG)
    versions.revert(saved, 0, by=keeper)
    return one.version


def _taught(revised: IntentPlan, judge: User) -> int:
    """A lesson with a history, one that was taken back, and its number."""
    edit = teaching.edit_of(revised, 1, "path")
    assert edit is not None
    first = teaching.teach(edit, teaching.taught_by(edit, teaching.MAPPING), by=judge, note=LONG)
    lessons.take_back(first, by=judge, note=NASTY.encode("ascii", "ignore").decode().replace("\x1b", "")[:300])
    teaching.teach(edit, teaching.taught_by(edit, teaching.DEFAULT), by=judge)
    return teaching.teach(edit, teaching.taught_by(edit, teaching.MAPPING), by=judge).pk


def _proposed_by_audit() -> None:
    """An open proposal and a dismissed one, with long and hostile words."""
    for kind, mark, at in (("risk", "", None), ("gap", "", timezone.now()), ("setting", "policy", None)):
        EvolutionProposal.objects.create(
            kind=kind, component_kind=mark, component_name="0/narrow" if mark else "",
            subject=LONG[:200], says=f"{NASTY} {LONG}"[:300], why=f"{LONG} {NASTY}", cases=7,
            seen_at=timezone.now(), dismissed_at=at, dismissed_why=f"<b>{LONG}"[:300] if at else "",
        )  # fmt: skip


def _wished(keeper: User) -> BacklogItem:
    """A wish said in other words too, tried in vain until a rule stopped everything; and lines with answers."""
    tool = Named("tool", "summarization")
    backlog_taking.save_rules(Rules(1, 1, 5), 0.5, by=keeper)
    text = f"please say it clearly and at length {LONG}"
    item = backlog.add(Wish(tool, text, by=keeper)).item
    backlog.add(Wish(tool, f"please say it clearly and at great length {LONG}", by=keeper))
    backlog.add(Wish(Named("firmware", "general"), f"Write {LONG}", by=keeper, critical=True))
    backlog.approve(item, by=keeper)
    backlog_taking.process(by=keeper)
    Goal.objects.filter(backlog_try__item=item).update(state="failed", reason=LONG, ended_at=timezone.now())
    backlog_taking.settle()
    for line in ("help", "introspect", f"evolve the {LONG} tool", "evovle the git tool"):
        commanding.carry_out(Given(line, keeper, "page"))
    item.refresh_from_db()
    return item


def _asking(owner: User) -> Goal:
    """A command that was understood but for where to, over a file with a long name."""
    workspace = Workspace.objects.create(name="drawer", owner=owner, head=EMPTY)
    workspaces.put_file(workspace, by=owner, path=f"in/{LONG}.txt", source=io.BytesIO(b"x"))
    goal = _worked(goals.submit(by=owner, text=f"rename in/{LONG}.txt", workspace=workspace))
    assert goal.reason.startswith("question_open"), goal.reason
    return goal


def _stuck(owner: User, judge: User, keeper: User) -> Goal:
    """A step that failed and waits for a hand; failures behind a number, a rule, a pin and a reset."""
    execution = FailureClass.TOOL_EXECUTION_ERROR
    recovery_learning.save_policy(execution, "", pinned=str(MANUAL), banned=["retry_with_delay"], by=keeper, note=LONG)
    recovery_learning.reset(by=keeper, failure_class=FailureClass.NETWORK_ERROR.value, tool=LONG[:64], why=LONG)
    rule = Rule(FailureClass.RATE_LIMIT_ERROR, name=LONG[:80], text=LONG, exit_code=3)
    failure_log.save_rule(rule, by=keeper, note=LONG)
    goal = goal_of(owner, f"Run {LONG}")
    facts = Facts(tool="simple_coder", command="run", exit_code=3, text=NASTY).to_json()
    said = {"stage": "execution", "tool": "simple_coder", "command": "run", "facts": facts, "reason": NASTY}
    for strategy, succeeded in (("retry_with_delay", True), ("manual_fallback", False)):
        for _ in range(12):
            FailureRecord.objects.create(
                goal=goal, **said, classified_as=execution.value, failure_class=execution.value, strategy=strategy,
                succeeded=succeeded, settled_at=timezone.now(),
            )  # fmt: skip
        recovery_learning.rebuild({(execution.value, "simple_coder", strategy)})
    goal = _worked(goals.submit(by=owner, text=f"Reckon {LONG}"))
    fails = {"tool": "simple_coder", "command": "run", "params": {"command_line": f"{FAILS} {LONG}"}}
    plan = goals.supply_plan(goal, by=owner, steps=[fails])
    decisions.approve(plan, by=judge, digest=plan.digest)
    goal = _worked(goal)
    assert goal.reason.startswith("needs_a_hand"), goal.reason
    return goal


def _worked(goal: Goal) -> Goal:
    cycle.work(goal.pk)
    return Goal.objects.get(pk=goal.pk)


def _achieved(owner: User, judge: User) -> Goal:
    goal = _worked(goals.submit(by=owner, text="Write a note named one saying first"))
    plan = goal.intent_plans.get()
    decisions.approve(plan, by=judge, digest=plan.digest, comment="Keep it short")
    goal = _worked(goal)
    assert goal.state == GoalState.ACHIEVED, goal.reason
    _asked_of_models(goal)
    return goal


def _replayed(by: User, goal: Goal) -> ComponentVersion:
    """A candidate of a prompt, with a case of each flip and reasons that are long and want to be markup."""
    used = ComponentVersion.objects.get(component__kind="prompt", component__name="plan", status="active")
    version = prompt_versions.save(used.component, used.body.replace("You plan", "You now plan"), by=by, changes=LONG)
    replay = sealed(Replay.objects.create(version=version, parent=used, by=by, why=NASTY, state="done"))
    call = ModelCall.objects.filter(goal=str(goal.pk)).latest("pk").pk
    for number, (parent, candidate) in enumerate(((True, False), (False, True), (None, True), (True, True)), start=1):
        sealed(ReplayCase.objects.create(
            replay=replay, number=number, goal=goal, call=call, parent_call=call, candidate_call=call, text=NASTY,
            half="probe", succeeded_then=True, base="", is_done=True, parent_passes=parent, candidate_passes=candidate,
            parent_said=NASTY, candidate_said=LONG, differs=number < 4,
        ))  # fmt: skip
    return version


def _trials(b: ComponentVersion, by: User, goal: Goal) -> tuple[int, int]:
    """A live trial with answers of both versions, and a replayed one that found B better."""
    asked: dict[str, Any] = {"difference": 20, "differ": 30, "alpha": 5, "power": 80, "most_cases": 85}
    asked |= {"component": b.component, "a": b.parent, "b": b, "by": by, "why": NASTY, "power_stated": 0.8}
    live = sealed(VersionTrial.objects.create(**asked, mode="live"))
    call = ModelCall.objects.filter(goal=str(goal.pk)).latest("pk").pk
    for number, (is_b, worked) in enumerate(((False, True), (True, False), (True, True), (False, False))):
        VersionTrialCase.objects.create(
            trial=live, call=call + number, is_b=is_b, worked=worked, known_at=timezone.now()
        )
    said = {"state": "ended", "verdict": "b_better", "reason": LONG, "ended_at": timezone.now()}
    ended = sealed(VersionTrial.objects.create(**asked, **said, mode="replayed"))
    replay = sealed(Replay.objects.create(version=b, parent=asked["a"], by=by, trial=ended, state="done"))
    for number, (a_passes, b_passes) in enumerate([(False, True)] * 7 + [(True, True), (None, True)], start=1):
        sealed(ReplayCase.objects.create(
            replay=replay, number=number, goal=goal, text=NASTY, half="probe", succeeded_then=True, base="",
            is_done=True, parent_passes=a_passes, candidate_passes=b_passes, parent_said=NASTY, candidate_said=LONG,
        ))  # fmt: skip
    return live.pk, ended.pk


_PLANNER = {"name": "plan", "version": "1.0.0", "values": {}, "chars": 0}


def _asked_of_models(goal: Goal) -> None:
    """A plan with a problem, its repair and that asked again, and a question without an answer, of a model with a long
    name.
    """
    values: dict[str, Any] = {"purpose": "plan", "agent": str(goal.agent_id), "goal": str(goal.pk), "answer": NASTY}
    values |= {"model": f"openai/{LONG}", "request_digest": "0", "messages": [{"role": "user", "content": NASTY}]}
    for attempt, problems in ((1, [{"position": 1, "field": "tool", "code": "x", "message": NASTY}]), (2, [])):
        call = ModelCall.objects.create(**values, state="answered", tokens_in=900, tokens_out=90, latency_ms=2100)
        days.add_call(call.pk)
        Generation.objects.create(goal=goal, turn=1, attempt=attempt, call=call, problems=problems)
        days.add_attempt(call.pk, is_plan=not problems)
    again = {**values, "answer": f"{NASTY} again", "replay_of": call, "asked_with": {"prompts": [_PLANNER]}}
    ModelCall.objects.create(**again, state="answered", tokens_in=900, tokens_out=90, latency_ms=2100)
    failed = ModelCall.objects.create(**values, state="failed", failure="key_refused", detail=NASTY, latency_ms=40)
    days.add_call(failed.pk)


def _analysed(owner: User) -> Intent:
    """A step whose result holds a report about code, with names that are long and want to be markup."""
    plan = proposed(goal_of(owner, "Analyze the code"), (step("run", command_line="ls"),))
    plan.intents.update(result={"message": NASTY, "report": report(f"{LONG}/<b>.py", NASTY)})
    return plan.intents.get()


def _improved(owner: User) -> Intent:
    """A step whose result holds what a model proposes, after an attempt that was sent back."""
    goal = goal_of(owner, "Improve a file")
    values: dict[str, Any] = {"purpose": "file_changes", "agent": str(goal.agent_id), "goal": str(goal.pk)}
    values |= {"model": f"openai/{LONG}", "request_digest": "0", "messages": [{"role": "user", "content": NASTY}]}
    call = ModelCall.objects.create(**values, state="answered", answer=NASTY, tokens_in=9, tokens_out=9, latency_ms=9)
    plan = proposed(goal, (step("run", command_line="ls"),))
    told = {
        "kind": "changes",
        "path": f"{LONG}/<b>.py",
        "sha256": "0" * 64,
        "target": "3.9",
        "model": LONG,
        "nothing": "",
        "changes": [{"line": 1, "why": f"{NASTY} {LONG}"}],
        "attempts": [{"call": call.pk, "model": LONG, "problems": [NASTY]}, {"call": 0, "model": LONG, "problems": []}],
        "findings": 3,
        "left_out_chars": 12,
        "notes": [NASTY],
    }
    diff = f"--- a/a.py\n+++ b/a.py\n@@ -1,1 +1,1 @@\n-{NASTY.splitlines()[0]}\n+{LONG}\n"
    plan.intents.update(result={"message": NASTY, "report": told, "diff": diff})
    return plan.intents.get()


def _waiting(owner: User, judge: User, workspace: Workspace) -> IntentPlan:
    """A plan with five steps, tried in a copy, under a time limit, talked about, with a belief that can be denied."""
    goal, said = goal_of(owner, NASTY, workspace=workspace), f"There is a folder named {LONG}."
    Belief.objects.create(goal=goal, sentence=said, source="perception", at=timezone.now())
    beliefs = [{"sentence": said, "source": "perception", "confidence": 1.0, "at": timezone.now().isoformat()}]
    held = {"text": f"there is a folder named {LONG}", "holds": True, "decided_by": 0, "cells": [{"belief": 0}]}
    evidence = {"rule": {"name": LONG, "version": "1.0.0"}, "beliefs": beliefs, "contexts": [held]}
    plan = proposed(goal, STEPS, cleanup=[step("rm", path="notes")], evidence=evidence)
    shadowing.ask(plan)
    plan = tried(plan)
    risks.store(plan, plan.shadow_runs.first())
    comments.say(plan, by=judge, text=f"Why {LONG}?", anchor="intent:1:path")
    question = comments.say(plan, by=judge, text=f"Who needs {LONG}?", kind=Comment.Kind.QUESTION)
    comments.answer(question, by=owner, text=f"I need {LONG}")
    comments.say(plan, by=owner, text=f"Is it {LONG}?", anchor="intent:2", kind=Comment.Kind.QUESTION)
    soon = timezone.now() + timedelta(minutes=20)
    ReviewClock.objects.create(intent_plan=plan, minutes=60, escalate_at=soon, escalated_at=timezone.now(), due_at=soon)
    return plan


def _revised(owner: User, judge: User) -> IntentPlan:
    """A plan in which a reviewer put another value, so that there are two revisions."""
    plan = proposed(goal_of(owner, "Write a longer note"), (MKDIR, replace(WRITE, depends_on=())))
    return editing.edit(plan, by=judge, digest=plan.digest, position=1, params={"path": "other"})


def _designs(owner: User, judge: User, choice: LevelDocument) -> tuple[LevelDocument, Goal]:
    """A second version of a design that awaits review, and a goal whose design was sent back."""
    agent = choice.goal.agent
    agent.review_design = True
    agent.save()
    goal = goals.submit(by=owner, text="Keep the note ebb", design=f"# How\n\n- In the folder {LONG}")
    first = goal.level_documents.get()
    design = designs.revise(goal, f"# How\n\n- In the folder {LONG}\n- Nothing is deleted", by=owner)
    assert first.pk != design.pk
    other = goals.submit(by=owner, text="Keep the note flood", design="- In one file")
    its = other.level_documents.get()
    level_decisions.request_changes(its, by=judge, digest=its.digest, comment="Say which file")
    return design, Goal.objects.get(pk=other.pk)
