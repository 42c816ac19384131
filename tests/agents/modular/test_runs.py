"""Runs of modular agents: every call is reviewed, every state can be opened and changed, and nothing is lost."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from agents.bdi.modular import document, loop, model_requests
from agents.bdi.modular.agent import Want
from agents.bdi.modular.combinations import CombinationRefused
from agents.bdi.modular.document import StateRefused
from agents.bdi.modular.state import Chosen, Limits
from agents.cycle import cycle
from agents.execution import shadow
from agents.models import Agent, Goal, ModularNode, ModularRun, ModularStep, ModularWant, Standstill
from agents.modular import branching, replaying, rights, runs, states, wanting, working
from agents.modular.branching import Edit
from agents.modular.runs import Start
from agents.modular.states import Written
from agents.presentation.rates import KNOWN_FROM
from agents.record import causes, leased
from agents.record.errors import GoalRefused, NotPossibleNow, NotYours
from agents.record.moves import move_plan
from agents.states import GoalState, ModularRunState, PlanState
from library.language import generation
from library.language.asking import BudgetSpent
from library.models import ComponentVersion, Experience
from people.models import User
from review.deciding import auto_approval, decisions
from review.policies import writing
from review.policy.verdict import Action
from tests.models.conftest import provider as provider
from tests.models.server import Provider
from tests.review.plans import goal_of, proposed, step
from tests.review.some_policies import draft, in_force

pytestmark = pytest.mark.django_db(transaction=True)
S = ModularRunState
BY_HAND = {
    "prompter": Chosen("plain"),
    "generator": Chosen("person"),
    "discriminator": Chosen("first"),
    "actor": Chosen("plain"),
    "toolkit": Chosen("simple_coder"),
}
BY_MODEL = {**BY_HAND, "generator": Chosen("model", {"samples": 1})}
WRITE = {"name": "simple_coder.write", "arguments": {"path": "a.txt", "content": "moon"}}
RUN = {"name": "simple_coder.run", "arguments": {"command_line": "python -c pass"}}
SUBMIT = {"name": "submit", "arguments": {"answer": "done"}}


def says(call: Mapping[str, Any] | None, content: str = "because") -> str:
    return json.dumps({"content": content, "function_call": call})


@pytest.fixture
def begun(owner: User) -> Callable[..., ModularRun]:
    def made(settings: Mapping[str, Chosen] = BY_HAND, **also: Any) -> ModularRun:
        run = runs.start(Start("write the moon into a.txt", settings, **also), by=owner)
        working.work(run.pk)
        run.refresh_from_db()
        return run

    return made


def wrote(run: ModularRun, by: User, call: Mapping[str, Any] | None, content: str = "because") -> ModularRun:
    """A person writes what comes next, and the run goes on as far as it can."""
    (want,) = wanting.asked_of_people(run)
    wanting.answer_as_person(want, {"content": content, "function_call": call}, by=by)
    return worked(run)


def worked(run: ModularRun) -> ModularRun:
    working.work(run.pk)
    run.refresh_from_db()
    return run


def approve(run: ModularRun, reviewer: User) -> Goal:
    """The call that waits is approved and carried out."""
    want = ModularWant.objects.get(run=run, kind="call", answer__isnull=True)
    assert want.goal is not None
    plan = want.goal.intent_plans.get()
    decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")
    cycle.work(plan.goal_id)
    return Goal.objects.get(pk=plan.goal_id)


def test_without_a_model_a_person_writes_each_call_is_reviewed_and_the_run_is_remembered(
    begun: Callable[..., ModularRun], owner: User, reviewer: User
) -> None:
    run = begun()
    assert (run.state, run.reason) == (S.WAITING, "a person has to answer")
    run = wrote(run, owner, WRITE)
    assert (run.state, run.reason) == (S.WAITING, "a plan is reviewed or runs")
    goal = Goal.objects.get()
    assert goal.state == GoalState.AWAITING_REVIEW
    assert approve(run, reviewer).state == GoalState.ACHIEVED
    run = worked(ModularRun.objects.get(pk=run.pk))
    assert states.tree_of(run).path()[-1].message.role == "function"
    run = wrote(run, owner, SUBMIT)
    assert (run.state, run.outcome) == (S.ENDED, "achieved")
    assert states.tree_of(run).submissions == ["done"]
    told = Experience.objects.get(goal_ref=f"modular-{run.pk}")
    assert (told.final_outcome, told.owner_id) == ("success", owner.pk)
    assert replaying.replay(run).is_same


def test_a_rejected_call_is_answered_with_the_reason_and_the_run_goes_on(
    begun: Callable[..., ModularRun], owner: User, reviewer: User
) -> None:
    run = wrote(begun(), owner, WRITE)
    plan = Goal.objects.get().intent_plans.get()
    decisions.reject(plan, by=reviewer, digest=plan.digest, reason="not that file", via="api")
    cycle.work(plan.goal_id)
    run = worked(ModularRun.objects.get(pk=run.pk))
    assert "not that file" in states.tree_of(run).path()[-1].message.content
    assert run.reason == "a person has to answer"


def test_harmless_calls_pass_by_a_policy_as_long_as_its_budget_lasts(
    begun: Callable[..., ModularRun], owner: User, admin: User
) -> None:
    # Of a command that was hardly used the risk is unknown, and no policy passes it.
    earlier = proposed(goal_of(owner, "earlier"), [step("ls", path=".")] * KNOWN_FROM)
    move_plan(earlier, PlanState.REJECTED, by="a test")
    earlier.intents.update(state="succeeded")
    passing = draft(Action.AUTO_APPROVE, "reading passes", budget=1, commands=["ls", "write"], reading_calls=True)
    policy = writing.write(passing, by=admin)
    writing.replay(policy, by=admin)
    writing.enable(policy, by=admin, number=policy.number)
    look = {"name": "simple_coder.ls", "arguments": {"path": "."}}

    def looked(run: ModularRun) -> str:
        """The state of the plan of the newest call, after a dry run, the policies, and whatever they let pass."""
        want = ModularWant.objects.filter(run=run, kind="call").latest("pk")
        assert want.goal is not None
        plan = want.goal.intent_plans.get()
        shadow.one()
        auto_approval.look(plan.pk)
        cycle.work(want.goal_id)
        plan.refresh_from_db()
        return plan.state

    run = wrote(begun(), owner, look)
    assert looked(run) == PlanState.COMPLETE, "nobody was asked"
    run = worked(ModularRun.objects.get(pk=run.pk))
    run = wrote(run, owner, look)
    assert looked(run) == PlanState.AWAITING_REVIEW, "its budget of one a day is spent"
    assert run.state == S.WAITING


@pytest.mark.parametrize(
    ("call", "conditions"),
    [
        (WRITE, {"commands": ["write"], "reading_calls": True}),
        ({"name": "simple_coder.ls", "arguments": {"path": "."}}, {"commands": ["ls"]}),
        (
            {"name": "simple_coder.run", "arguments": {"command_line": "python -c pass"}},
            {"commands": ["run"], "reading_calls": True},
        ),
    ],
    ids=["it writes", "the policy lets no agent read", "it runs a program"],
)
def test_no_policy_passes_a_call_that_may_do_more_than_read(
    call: Mapping[str, Any], conditions: Mapping[str, Any], begun: Callable[..., ModularRun], owner: User, admin: User
) -> None:
    in_force(Action.AUTO_APPROVE, admin, "much passes", **conditions)
    wrote(begun(), owner, call)
    want = ModularWant.objects.get(kind="call")
    assert want.goal is not None
    plan = want.goal.intent_plans.get()
    shadow.one()
    auto_approval.look(plan.pk)
    plan.refresh_from_db()
    assert plan.state == PlanState.AWAITING_REVIEW
    assert [one["why"] for one in plan.policy_evaluations.latest("pk").declined] == [
        "what a tool wrote went into this plan"
    ]


def test_a_call_that_cannot_be_made_is_told_and_makes_no_goal(begun: Callable[..., ModularRun], owner: User) -> None:
    run = wrote(begun(), owner, {"name": "simple_coder.read", "arguments": {"path": "../../etc/passwd"}})
    assert not Goal.objects.exists()
    assert "did not succeed (refused)" in states.tree_of(run).path()[-1].message.content
    run = wrote(run, owner, {"name": "no.such", "arguments": {}})
    assert "There is no function" in states.tree_of(run).path()[-1].message.content


def test_a_model_is_asked_under_the_house_rules_and_what_it_says_is_kept_for_a_replay(
    begun: Callable[..., ModularRun], provider: Provider, reviewer: User
) -> None:
    provider.will_say("not JSON", says(WRITE), says(SUBMIT))
    run = begun(BY_MODEL)
    assert approve(run, reviewer).state == GoalState.ACHIEVED
    run = worked(ModularRun.objects.get(pk=run.pk))
    assert (run.state, run.outcome) == (S.ENDED, "achieved"), run.reason
    assert len(provider.asked) == 3
    assert "cannot be read" in json.dumps(provider.asked[1])
    assert states.tree_of(run).usage.tokens > 0
    asked = len(provider.asked)
    assert replaying.replay(run).is_same
    assert len(provider.asked) == asked, "a replay asks nobody"


def test_several_samples_are_asked_for_at_the_same_time_and_keep_their_order(
    begun: Callable[..., ModularRun], provider: Provider
) -> None:
    """Each of three requests is held back until all three are there; one after another they would never be."""
    together, counted = threading.Barrier(3, timeout=20), itertools.count(1)

    def held(asked: Any) -> None:
        number = next(counted)
        if number <= 3:
            together.wait()
        asked.stream(says(SUBMIT, f"answer {number}"))

    provider.will_say(held)
    run = begun({**BY_MODEL, "generator": Chosen("model", {"samples": 3, "temperature": 0.5})})
    assert (run.state, run.outcome) == (S.ENDED, "achieved"), run.reason
    wants = ModularWant.objects.filter(run=run, kind="model").order_by("pk")
    assert wants.count() == len(provider.asked) == 3
    node = next(node for node in states.tree_of(run).nodes.values() if node.options)
    said = [json.loads(want.answer["text"])["content"] for want in wants if want.answer is not None]
    assert [option.message.content for option in node.options] == said, "by the name of the sample, not by arrival"
    assert replaying.replay(run).is_same


def test_what_one_of_several_models_answers_is_kept_when_another_one_breaks(
    begun: Callable[..., ModularRun], provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.will_say(says(SUBMIT))
    real = generation.ask
    broken = threading.Lock()

    def one_breaks(request: Any, **more: Any) -> Any:
        if broken.acquire(blocking=False):
            raise SystemError("killed")
        return real(request, **more)

    monkeypatch.setattr(generation, "ask", one_breaks)
    with pytest.raises(SystemError):
        begun({**BY_MODEL, "generator": Chosen("model", {"samples": 3})})
    assert ModularWant.objects.filter(answer__isnull=True).count() == 1
    run = ModularRun.objects.get()
    ModularRun.objects.filter(pk=run.pk).update(lease_until=timezone.now())
    assert worked(run).outcome == "achieved"
    assert len(provider.asked) == 3, "only what was missing was asked for again"


def test_models_asked_at_the_same_time_share_one_budget(
    begun: Callable[..., ModularRun], provider: Provider, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first is held back until the others were refused, so what it is going to use counts already."""
    refused, real, both = itertools.count(1), generation.ask, threading.Event()

    def counted(request: Any, **more: Any) -> Any:
        try:
            return real(request, **more)
        except BudgetSpent:
            if next(refused) == 2:
                both.set()
            raise

    def held(asked: Any) -> None:
        both.wait(timeout=20)
        asked.stream(says(SUBMIT))

    provider.will_say(held)
    monkeypatch.setattr(generation, "ask", counted)
    run = begun({**BY_MODEL, "generator": Chosen("model", {"samples": 3, "max_tokens": 2_000})}, paused=True)
    Agent.objects.filter(pk=run.agent_id).update(tokens_per_day=8_000)
    runs.go_on(run, by=owner)
    run = worked(run)
    assert (run.state, run.outcome, len(provider.asked)) == (S.ENDED, "achieved", 1), run.reason
    said = ModularWant.objects.filter(run=run, kind="model").values_list("answer__error", flat=True)
    assert sorted(map(str, said)) == ["None", "budget_spent", "budget_spent"]
    assert replaying.replay(run).is_same


def test_an_edit_while_a_step_is_under_way_is_refused_and_neither_is_lost(
    begun: Callable[..., ModularRun], provider: Provider, owner: User
) -> None:
    """A worker in another thread is in the middle of a step: its model has been asked and has not answered."""
    is_asked, may_answer = threading.Event(), threading.Event()

    def held(asked: Any) -> None:
        is_asked.set()
        may_answer.wait(timeout=20)
        asked.stream(says(SUBMIT))

    provider.will_say(held)
    run = begun(BY_MODEL, paused=True)
    runs.go_on(run, by=owner)

    def work() -> None:
        try:
            working.work(run.pk)
        finally:
            connection.close()

    worker = threading.Thread(target=work)
    worker.start()
    try:
        assert is_asked.wait(timeout=20)
        before = ModularStep.objects.count()
        with pytest.raises(NotPossibleNow, match="A step is under way"):
            branching.branch(run, Edit(1, content="the sun instead"), by=owner)
        assert ModularStep.objects.count() == before
    finally:
        may_answer.set()
        worker.join(timeout=20)
    run.refresh_from_db()
    assert (run.state, run.outcome) == (S.ENDED, "achieved"), "what was under way was not disturbed"
    kept = states.tree_of(run).nodes
    branching.branch(run, Edit(1, content="the sun instead"), by=owner)
    run = worked(run)
    after = states.tree_of(run)
    assert (run.outcome, after.task) == ("achieved", "the sun instead"), "and the edit can be made now"
    assert all(after.nodes[number] == node for number, node in kept.items())
    assert replaying.replay(run).is_same


def test_two_workers_that_want_the_same_share_one_row_and_the_first_answer_stays(
    begun: Callable[..., ModularRun], provider: Provider, owner: User
) -> None:
    """The late one looked before the other had written: it knows of no rows."""
    provider.will_say(says(SUBMIT), says(SUBMIT, "another answer"))
    run = begun(BY_MODEL, paused=True)
    want = Want(
        "sample-1", "model", model_requests.request("sample-1", "modular", [{"role": "user", "content": "go"}]).args
    )
    first: dict[str, ModularWant] = {}
    late: dict[str, ModularWant] = {}
    assert not wanting.settle(run, 2, [want], first)
    assert not wanting.settle(run, 2, [want], late)
    assert len(provider.asked) == 1
    assert late["sample-1"].answer == first["sample-1"].answer
    stale = ModularWant.objects.get()
    stale.answer = None
    wanting._answer(stale, {"text": "another answer"})
    assert stale.answer == first["sample-1"].answer


def test_a_replay_says_where_a_state_differs(begun: Callable[..., ModularRun], owner: User) -> None:
    run = wrote(begun(), owner, SUBMIT)
    step = ModularStep.objects.filter(run=run, kind="step").last()
    assert step is not None
    ModularStep.objects.filter(pk=step.pk).update(head={**step.head, "reason": "something else"})
    (found,) = replaying.replay(run).differences
    assert (found.step, found.where, found.before) == (step.number, "reason", "something else")


@pytest.mark.parametrize("broken", ["state", "node"])
def test_a_run_goes_on_from_the_last_state_that_can_be_read(
    broken: str, begun: Callable[..., ModularRun], owner: User, api_of: Any, client_of: Any
) -> None:
    run = begun()
    step = states.latest(run)
    made = branching.branch(run, Edit(node=1, content="Write the sun into a.txt", paused=True), by=owner)
    number, before = made.number, made.parent
    if broken == "state":
        ModularStep.objects.filter(pk=made.pk).update(head={**made.head, "next_step": {"args": {"options": "x"}}})
    else:
        node = ModularNode.objects.filter(run=run).latest("number")
        ModularNode.objects.filter(pk=node.pk).update(data={**node.data, "message": {"role": 5}})
    address = run.get_absolute_url()
    assert client_of(owner).get(address).status_code == 200, "before a worker has come to it"
    runs.go_on(run, by=owner)
    run = worked(run)
    assert (run.state, run.at_step) == (S.PAUSED, before)
    assert run.reason.startswith(f"state {number} cannot be read: ")
    assert f"stands at state {before}, the last that can be read" in run.reason
    assert run.reason[:30] in client_of(owner).get(address).content.decode()
    assert api_of(owner).get(f"states/{made.pk}").status_code == 409
    assert api_of(owner).get(f"states/{step.pk}").status_code == 200
    runs.go_on(run, by=owner)
    run = worked(run)
    assert run.state == S.WAITING
    run = wrote(run, owner, SUBMIT)
    assert (run.state, run.outcome) == (S.ENDED, "achieved")
    ids = list(ModularNode.objects.filter(run=run).order_by("number").values_list("number", flat=True))
    assert ids == list(range(1, len(ids) + 1)), "no node was written over"


def test_a_run_of_which_no_state_can_be_read_says_so(
    begun: Callable[..., ModularRun], owner: User, client_of: Any
) -> None:
    run = begun()
    ModularStep.objects.filter(run=run).update(head={"task": 5})
    assert client_of(owner).get(run.get_absolute_url()).status_code == 302
    wanting.ready(run)
    run = worked(run)
    assert run.state == S.PAUSED
    assert "None before it can" in run.reason


def test_any_state_is_opened_edited_and_continued_as_a_branch_that_names_its_person(
    begun: Callable[..., ModularRun], owner: User, reviewer: User
) -> None:
    run = wrote(begun(), owner, WRITE)
    approve(run, reviewer)
    run = wrote(worked(ModularRun.objects.get(pk=run.pk)), owner, SUBMIT)
    before = states.tree_of(run)
    called = next(node for node in before.nodes.values() if node.message.function_call is not None)
    edit = Edit(called.id, arguments={"path": "b.txt", "content": "sun"})
    step = branching.branch(run, edit, by=owner)
    assert (step.kind, step.by) == ("edit", owner)
    run = worked(ModularRun.objects.get(pk=run.pk))
    assert run.state == S.WAITING
    assert approve(run, reviewer).workspace.name.endswith("-branch")
    run = wrote(worked(ModularRun.objects.get(pk=run.pk)), owner, SUBMIT)
    after = states.tree_of(run)
    assert (run.state, after.submissions) == (S.ENDED, ["done"])
    assert all(after.nodes[number] == node for number, node in before.nodes.items()), "the old ones stay"
    copy = next(node for node in after.nodes.values() if node.copy_of == called.id)
    assert (copy.parent, copy.source) == (called.parent, f"person:{owner.username}")
    assert replaying.replay(run).is_same


def test_a_call_that_the_left_state_waited_for_leaves_the_queue(begun: Callable[..., ModularRun], owner: User) -> None:
    run = wrote(begun(), owner, WRITE)
    branching.branch(run, Edit(1, content="something else", paused=True), by=owner)
    goal = Goal.objects.get()
    assert (goal.state, goal.intent_plans.get().state) == (GoalState.DROPPED, "cancelled")


def test_a_worker_reads_only_what_is_new_of_a_tree_and_has_the_same_state(
    begun: Callable[..., ModularRun], owner: User, django_assert_num_queries: Any
) -> None:
    run, trees = begun(), states.Trees(most=2)
    assert trees.of(run, states.latest(run)) == states.tree_of(run)
    given = trees.of(run, states.latest(run))
    given.nodes.clear()
    run = wrote(run, owner, {"name": "notes", "arguments": {}})
    branching.branch(run, Edit(1, content="something else", paused=True), by=owner)
    run.refresh_from_db()
    step = states.latest(run)
    with django_assert_num_queries(1) as asked:
        found = trees.of(run, step)
    assert '"number" > 1 ' in asked.captured_queries[0]["sql"]
    assert found == states.tree_of(run)
    assert list(found.nodes) == sorted(found.nodes)
    again = ModularRun(pk=run.pk, created_at=run.created_at.replace(year=2020))
    assert trees.of(again, step) == found, "a number alone is not enough: it is read whole"


def test_what_cannot_be_continued_is_refused_and_changes_nothing(
    begun: Callable[..., ModularRun], owner: User, outsider: User
) -> None:
    run = begun()
    count = ModularStep.objects.count()
    for edit in (
        Edit(99),
        Edit(1, option=3),
        Edit(1, next_step="no such"),
        Edit(1, arguments={}),
        Edit(1, next_step="discriminator"),
    ):
        with pytest.raises(StateRefused):
            branching.branch(run, edit, by=owner)
    with pytest.raises(CombinationRefused):
        branching.branch(run, Edit(1, settings={**BY_HAND, "discriminator": Chosen("person")}), by=owner)
    with pytest.raises(NotYours):
        branching.branch(run, Edit(1), by=outsider)
    held = working.claim(run.pk) if run.state == S.READY else None
    assert held is None
    ModularRun.objects.filter(pk=run.pk).update(state=S.RUNNING.value)
    with pytest.raises(NotPossibleNow, match="under way"):
        branching.branch(run, Edit(1), by=owner)
    assert ModularStep.objects.count() == count


def test_single_steps_pause_run_until_and_end(begun: Callable[..., ModularRun], owner: User, outsider: User) -> None:
    run = begun(paused=True)
    assert (run.state, run.at_step) == (S.PAUSED, 1)
    runs.step(run, by=owner)
    run = worked(run)
    assert (run.state, run.at_step, run.reason) == (S.PAUSED, 2, "stopped at step 2")
    with pytest.raises(NotPossibleNow):
        runs.go_on(run, by=owner, until=2)
    with pytest.raises(NotYours):
        runs.end(run, by=outsider)
    runs.go_on(run, by=owner)
    run = worked(run)
    assert run.state == S.WAITING
    runs.pause(run, by=owner)
    run.refresh_from_db()
    assert run.state == S.PAUSED
    runs.end(run, by=owner)
    run.refresh_from_db()
    assert run.state == S.ENDED
    assert not rights.visible_to(outsider).exists()


def test_ending_a_run_cancels_the_call_that_waits(begun: Callable[..., ModularRun], owner: User) -> None:
    run = wrote(begun(), owner, WRITE)
    runs.end(run, by=owner)
    assert Goal.objects.get().state == GoalState.DROPPED


def test_a_worker_that_was_given_up_writes_nothing(begun: Callable[..., ModularRun], owner: User) -> None:
    run = begun(paused=True)
    runs.go_on(run, by=owner)
    late = working.claim(run.pk)
    assert late is not None
    assert working.claim(run.pk) is None
    ModularRun.objects.filter(pk=run.pk).update(lease_until="2020-01-01T00:00Z")
    now = working.claim(run.pk)
    assert now is not None
    assert now.lost_workers == 1
    assert not working.turn(late)
    assert not leased.renew(late)
    assert ModularStep.objects.filter(run=run).count() == 1
    assert working.turn(now)
    assert ModularStep.objects.filter(run=run).count() == 2


def test_a_step_that_was_not_written_is_done_again_with_the_answers_that_there_are(
    begun: Callable[..., ModularRun], provider: Provider, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.will_say(says(SUBMIT))
    run = begun(BY_MODEL, paused=True)
    runs.go_on(run, by=owner, until=2)
    run = worked(run)
    runs.go_on(run, by=owner, until=3)
    held = working.claim(run.pk)
    assert held is not None

    def killed(*_: object) -> bool:
        raise SystemError("killed")

    with monkeypatch.context() as dying:
        dying.setattr(working, "_write", killed)
        with pytest.raises(SystemError):
            working.turn(held)
    assert len(provider.asked) == 1, "the model has answered, and the worker dies before the step is written"
    ModularRun.objects.filter(pk=run.pk).update(lease_until="2020-01-01T00:00Z")
    run = worked(run)
    assert (run.at_step, len(provider.asked)) == (3, 1)


def test_a_step_that_costs_many_workers_is_left_to_a_person(begun: Callable[..., ModularRun], owner: User) -> None:
    run = begun(paused=True)
    runs.go_on(run, by=owner)
    ModularRun.objects.filter(pk=run.pk).update(
        state=S.RUNNING.value, lost_workers=ModularRun.lost_most - 1, lease_until="2020-01-01T00:00Z"
    )
    assert working.claim(run.pk) is None
    run.refresh_from_db()
    assert (run.state, run.reason) == (S.PAUSED, "6 workers died while it ran")


def test_a_module_that_raises_pauses_the_run_and_loses_nothing(
    begun: Callable[..., ModularRun], owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begun(paused=True)

    def broken(agent: Any, kind: str) -> str:
        raise loop.ModuleFailed("The prompter “plain” failed: ValueError: oh")

    monkeypatch.setattr(loop, "_run", broken)
    runs.go_on(run, by=owner)
    run = worked(run)
    assert (run.state, run.at_step) == (S.PAUSED, 1)
    assert "ValueError: oh" in run.reason


def test_limits_end_a_run(begun: Callable[..., ModularRun], owner: User) -> None:
    run = begun(limits=Limits(steps=2), settings=BY_HAND)
    run = wrote(run, owner, None, "thinking")
    assert (run.state, run.outcome) == (S.ENDED, "limit")


def test_a_run_at_its_limit_gets_a_higher_one_and_goes_on_where_it_was(
    begun: Callable[..., ModularRun], owner: User, outsider: User
) -> None:
    run = begun(limits=Limits(steps=3), settings=BY_HAND)
    run = wrote(run, owner, None, "thinking")
    assert (run.state, run.outcome) == (S.ENDED, "limit")
    ended, files = run.at_step, run.workspace_id
    with pytest.raises(StateRefused, match="3 steps is reached"):
        branching.set_limits(run, Limits(steps=3), by=owner)
    with pytest.raises(NotYours):
        branching.set_limits(run, Limits(steps=30), by=outsider)
    assert ModularRun.objects.get(pk=run.pk).at_step == ended
    step = branching.set_limits(run, Limits(steps=30), by=owner)
    assert (step.number, step.by, step.kind) == (ended + 1, owner, "edit")
    assert (run.state, run.outcome, run.workspace_id) == (S.READY, "", files)
    run = worked(run)
    assert run.state == S.WAITING, "it goes on with the step that the limit kept it from"
    run = wrote(run, owner, SUBMIT)
    assert (run.state, run.outcome) == (S.ENDED, "achieved")
    assert replaying.replay(run).is_same
    with pytest.raises(NotPossibleNow, match="submitted"):
        branching.set_limits(run, Limits(steps=60), by=owner)
    told = Experience.objects.filter(goal_ref=f"modular-{run.pk}").order_by("pk")
    assert [(one.kind, one.final_outcome) for one in told] == [("goal", "failure"), ("recovery", "success")]
    assert ComponentVersion.objects.get(component__kind="modular").uses == 1, "a run counts once"


def test_what_a_near_limit_submitted_is_no_answer_once_there_is_more(
    begun: Callable[..., ModularRun], owner: User
) -> None:
    run = wrote(begun(settings=BY_HAND), owner, None, "nearly there")
    assert run.state == S.WAITING
    # As if the time that it has used were spent now: of the ten hours it has two minutes left.
    branching.set_limits(run, Limits(time_s=36_000), by=owner)
    step = states.latest(run)
    head = {**step.head, "usage": {**step.head["usage"], "time_s": 35_990.0}}
    made = states.write(
        run,
        document.of_rows(head, [one.data for one in run.nodes.all()]),
        Written("edit", step.now, step.number, by=owner),
        run.workspace,
    )
    causes.change(ModularRun.objects.get(pk=run.pk), at_step=made.number, state=S.READY.value)
    run = worked(run)
    assert (run.outcome, states.tree_of(run).submissions) == ("limit", ["nearly there"])
    branching.set_limits(run, Limits(time_s=72_000), by=owner)
    run = worked(run)
    assert (run.state, states.tree_of(run).submissions) == (S.WAITING, [])


def test_a_waiting_run_gets_other_limits_and_its_call_is_answered_all_the_same(
    begun: Callable[..., ModularRun], owner: User, reviewer: User
) -> None:
    run = wrote(begun(), owner, WRITE)
    assert run.state == S.WAITING
    branching.set_limits(run, Limits(steps=500), by=owner)
    assert run.state == S.WAITING
    approve(run, reviewer)
    run = worked(run)
    assert run.state == S.WAITING
    run = wrote(run, owner, SUBMIT)
    assert (run.outcome, states.tree_of(run).limits.steps) == ("achieved", 500)
    assert ModularWant.objects.filter(run=run, kind="call").count() == 1, "the call was made once"
    assert replaying.replay(run).is_same


def test_a_branch_at_a_limit_is_refused_unless_it_gets_a_higher_one(
    begun: Callable[..., ModularRun], owner: User
) -> None:
    run = begun(limits=Limits(steps=3), settings=BY_HAND)
    run = wrote(run, owner, None, "thinking")
    with pytest.raises(StateRefused, match="higher limit"):
        branching.branch(run, Edit(1, "another task"), by=owner)
    branching.branch(run, Edit(1, "another task", limits=Limits(steps=30)), by=owner)
    assert (run.state, run.outcome) == (S.READY, "")


def test_a_person_rates_picks_or_writes_and_only_once(
    begun: Callable[..., ModularRun], provider: Provider, owner: User, outsider: User
) -> None:
    provider.will_say(says(None, "one"), says(None, "two"), says(SUBMIT))
    run = begun({**BY_MODEL, "generator": Chosen("model", {"samples": 2}), "discriminator": Chosen("person")})
    (want,) = wanting.asked_of_people(run)
    # Both are asked for at the same time, so either may have been answered first.
    offered = [one["content"] for one in want.args["options"]]
    assert sorted(offered) == ["one", "two"]
    # At temperature 0 every sample would be the same.
    assert {asked["temperature"] for asked in provider.asked} == {0.7}
    with pytest.raises(NotYours):
        wanting.answer_as_person(want, {"chosen": 0}, by=outsider)
    for wrong in ({}, {"chosen": 2}, {"chosen": 0, "scores": [2]}, {"written": {"content": " "}}):
        with pytest.raises(NotPossibleNow):
            wanting.answer_as_person(want, wrong, by=owner)
    wanting.answer_as_person(want, {"chosen": 1, "scores": [0.2, 0.9]}, by=owner)
    with pytest.raises(NotPossibleNow, match="already"):
        wanting.answer_as_person(want, {"chosen": 0}, by=owner)
    run = worked(ModularRun.objects.get(pk=run.pk))
    node = next(node for node in states.tree_of(run).nodes.values() if node.options)
    assert (node.message.content, [one.score for one in node.options]) == (offered[1], [0.2, 0.9])


def test_who_may_start_what(owner: User, outsider: User, begun: Callable[..., ModularRun]) -> None:
    with pytest.raises(GoalRefused):
        runs.start(Start("x", BY_HAND), by=User.objects.create_user("nora", roles=[]))
    with pytest.raises(CombinationRefused, match="asks a language model, and none is set up"):
        runs.start(Start("x", BY_MODEL), by=owner)
    theirs = begun().workspace
    with pytest.raises(GoalRefused, match="No workspace of yours"):
        runs.start(Start("x", BY_HAND, workspace=theirs), by=outsider)
    first, again = (runs.start(Start("x", BY_HAND, key="k"), by=owner) for _ in range(2))
    assert first.pk == again.pk


def test_a_model_that_the_operator_did_not_set_up_is_not_asked(owner: User, provider: Provider) -> None:
    settings = {**BY_MODEL, "generator": Chosen("model", {"model": "openai/elsewhere"})}
    with pytest.raises(CombinationRefused, match="is not set up for this agent"):
        runs.start(Start("x", settings), by=owner)


def test_a_state_is_exported_and_taken_in_again(begun: Callable[..., ModularRun], owner: User) -> None:
    run = wrote(begun(), owner, {"name": "note", "arguments": {"text": "\x00zero"}})
    text = json.dumps(document.write(states.tree_of(run)))
    again = runs.take_in(text, by=owner)
    assert again.state == S.PAUSED
    assert states.tree_of(again).nodes == states.tree_of(run).nodes
    with pytest.raises(StateRefused):
        runs.take_in("{}", by=owner)


def test_what_no_hint_reached_the_sweep_finds(
    begun: Callable[..., ModularRun], owner: User, reviewer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = wrote(begun(), owner, WRITE)
    monkeypatch.setattr(wanting, "ready", lambda run: None)
    with monkeypatch.context() as deaf:
        deaf.setattr(wanting, "_call_ended", lambda row: False)
        approve(run, reviewer)
    monkeypatch.undo()
    working.sweep()
    run.refresh_from_db()
    assert run.state == S.READY


def test_nothing_begins_at_a_standstill(begun: Callable[..., ModularRun], operator: User, owner: User) -> None:
    run = begun(paused=True)
    runs.go_on(run, by=owner)
    Standstill.objects.create(by=operator)
    assert working.claim() is None


def test_rows_of_steps_and_nodes_are_never_rewritten() -> None:
    assert ModularStep.append_only
    assert ModularNode.append_only
