"""Runs of modular agents: each call is reviewed, people write and choose, and any state can be taken up again."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from agents.bdi.modular.combinations import CombinationRefused
from agents.bdi.modular.state import MODULE_TYPES, Chosen, FunctionCall
from agents.cycle import cycle
from agents.models import ModularCall, ModularRun, ModularStep
from agents.modular import branching, replaying, runs, states, stepping
from agents.modular.branching import Edit, EditRefused
from agents.modular.replaying import Replayed
from agents.modular.runs import Setup
from agents.record.errors import NotPossibleNow, NotYours
from agents.record.selectors import current_plan
from people.models import User
from review.deciding import decisions

pytestmark = pytest.mark.django_db(transaction=True)


def setup(
    prompter: str = "plain",
    generator: str = "person",
    discriminator: str = "first",
    actor: str = "plain",
    toolkit: str = "simple_coder",
    **also: Any,
) -> Setup:
    names = (prompter, generator, discriminator, actor, toolkit)
    return Setup({kind: Chosen(name) for kind, name in zip(MODULE_TYPES, names, strict=True)}, **also)


def gone_on(run: ModularRun) -> ModularRun:
    stepping.work(run.pk)
    return ModularRun.objects.get(pk=run.pk)


def say(run: ModularRun, by: User, name: str, **arguments: Any) -> ModularRun:
    runs.write(run, f"I call {name}", FunctionCall(name, arguments), by=by)
    return gone_on(run)


def reviewed(run: ModularRun, reviewer: User) -> ModularRun:
    goal = ModularCall.objects.select_related("goal").get(run=run, number=run.head + 1).goal
    plan = current_plan(goal)
    assert plan is not None
    decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")
    cycle.work(goal.pk)
    return gone_on(run)


@pytest.fixture
def written(owner: User, reviewer: User) -> ModularRun:
    """A run in which a file was written and which waits for the person again."""
    run = gone_on(runs.start("Say moon in a.txt", setup(), by=owner))
    run = say(run, owner, "simple_coder.write", path="a.txt", content="moon")
    assert (run.state, [want["kind"] for want in run.waits_for]) == ("waiting", ["call"])
    return reviewed(run, reviewer)


def test_a_call_waits_for_its_review_and_its_answer_becomes_a_node(written: ModularRun, owner: User) -> None:
    assert (written.state, written.waits_for[0]["kind"]) == ("waiting", "person")
    state = states.after(states.newest(written))
    assert [node.message.role for node in state.path()] == ["user", "assistant", "function"]
    ended = say(written, owner, "submit", answer="done")
    assert (ended.state, states.after(states.newest(ended)).submissions) == ("ended", ["done"])


def test_a_run_repeated_from_its_answers_is_the_same(written: ModularRun, owner: User) -> None:
    ended = say(written, owner, "submit", answer="done")
    assert replaying.replay(ended) == Replayed(ended.head)


def test_a_branch_has_the_files_of_its_step_and_leaves_the_old_run_alone(
    written: ModularRun, owner: User, reviewer: User
) -> None:
    before = ModularStep.objects.get(run=written, number=2)
    head = written.head
    run = branching.branch(before, Edit(message=(1, "Say sun in a.txt")), by=owner)
    state = states.after(states.newest(run))
    assert [node.message.content for node in state.path()] == ["Say sun in a.txt"]
    assert (state.path()[0].copy_of, state.path()[0].source) == (1, f"person:{owner.username}")
    assert (run.workspace.head, run.workspace_id == written.workspace_id) == (before.snapshot, False)
    written.refresh_from_db()
    assert (written.head, states.after(before).nodes[1].message.content) == (head, "Say moon in a.txt")


def test_an_edit_that_names_what_is_not_there_changes_nothing(written: ModularRun, owner: User) -> None:
    step = states.newest(written)
    for edit in (
        Edit(message=(99, "x")),
        Edit(option=(2, 7)),
        Edit(next_step={"module_type": "wizard", "args": {}}),
        Edit(settings={"actor": {"name": "wizard"}}),
    ):
        with pytest.raises(EditRefused):
            branching.branch(step, edit, by=owner)
    assert ModularRun.objects.count() == 1


def test_only_its_owner_and_operators_change_a_run(written: ModularRun, outsider: User, reviewer: User) -> None:
    for one in (outsider, reviewer):
        with pytest.raises(NotYours):
            runs.write(written, "mine", by=one)
        with pytest.raises(NotYours):
            branching.branch(states.newest(written), Edit(), by=one)
    assert not runs.visible_to(outsider).exists()


def test_a_combination_that_does_not_fit_is_refused_before_it_starts(owner: User) -> None:
    with pytest.raises(CombinationRefused, match="“Compare” does not fit the generator “A person”"):
        runs.start("x", setup(discriminator="compare"), by=owner)
    assert not ModularRun.objects.exists()


def test_a_run_pauses_steps_once_and_goes_on(owner: User) -> None:
    run = gone_on(runs.start("x", setup(pauses=True), by=owner))
    assert (run.state, run.head) == ("paused", 0)
    run = gone_on(runs.go_on(run, by=owner, steps=1))
    assert (run.state, run.head) == ("paused", 1)
    run = gone_on(runs.go_on(run, by=owner))
    assert run.state == "waiting"
    with pytest.raises(NotPossibleNow):
        runs.go_on(run, by=owner)


def test_a_worker_that_lost_its_run_stores_nothing(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    run = runs.start("x", setup(), by=owner)
    real = stepping._store

    def late(run: ModularRun, *args: Any, **also: Any) -> None:
        ModularRun.objects.filter(pk=run.pk).update(lease_fence=run.lease_fence + 1)
        real(run, *args, **also)

    monkeypatch.setattr(stepping, "_store", late)
    stepping.work(run.pk)
    assert ModularStep.objects.filter(run=run).count() == 1


def test_a_step_whose_worker_died_is_done_again(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    run = runs.start("x", setup(), by=owner)
    monkeypatch.setattr(stepping, "_store", lambda *args, **also: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        stepping.work(run.pk)
    monkeypatch.undo()
    assert stepping.claim(run.pk) is None
    ModularRun.objects.filter(pk=run.pk).update(lease_until="2020-01-01T00:00:00Z")
    assert gone_on(run).state == "waiting"


def test_an_answer_counts_once(written: ModularRun, owner: User) -> None:
    stale = ModularRun.objects.get(pk=written.pk)
    runs.write(written, "first", by=owner)
    with pytest.raises(NotPossibleNow):
        runs.write(stale, "second", by=owner)


def test_a_step_is_stored_once(written: ModularRun) -> None:
    step = states.newest(written)
    step.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        step.save(force_insert=True)
