"""A candidate is run beside its parent on the parent's own cases, in copies, before anybody can activate it."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from agents.evolution import replaying
from agents.evolution.activation import deciding
from agents.evolution.replays import cases, copies, replays
from agents.evolution.replays.gate import Verdict
from agents.models import Replay, ReplayCase, Workspace
from agents.record import draining
from agents.states import GoalState, ReplayState
from agents.workspaces import snapshot_references, workspaces
from agents.workspaces.stores import checkouts
from library.components import services as library
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion
from people import sealing
from people.models import User
from tests.agents.evolution.conftest import Totalled, rule
from tests.cast import person

pytestmark = pytest.mark.django_db(transaction=True)


def candidate(by: User, program: str) -> ComponentVersion:
    return library.publish("rule", "total a list", rule(program), by=by, changes="blank lines")


def replayed(version: ComponentVersion, by: User) -> Replay:
    replay = replays.ask(version, by=by, why="failed on blank lines")
    replaying.work(replay.pk)
    return Replay.objects.get(pk=replay.pk)


def test_five_fixes_and_no_break_let_it_in_and_four_or_a_break_do_not(
    totalled: Totalled, operator: User, reviewer: User, strict: ComponentVersion, client_of: Callable[[User], Client]
) -> None:
    failed = [totalled(f"{number}\n\n2\n") for number in range(4)]
    worked = [totalled(f"{number}\n1\n") for number in (3, 7)]
    assert [goal.state for goal in failed] == [GoalState.FAILED] * 4
    assert [goal.state for goal in worked] == [GoalState.ACHIEVED] * 2

    lenient = candidate(reviewer, "lenient")
    replay = replayed(lenient, reviewer)
    assert (replay.state, replay.reason) == (ReplayState.DONE, "")
    judged = replays.judgement(replay)
    assert (judged.verdict, judged.fixed, judged.broken, judged.unchanged) == (Verdict.TOO_FEW, 4, 0, 2)
    with pytest.raises(LibraryRefused, match=r"Too few: 4 fixed, 0 broken\. Only an admin"):
        deciding.activate(lenient, by=operator, reason="it is obviously right")

    totalled("5\n\n5\n")
    heads = {one.pk: one.head for one in Workspace.objects.all()}
    picky = candidate(reviewer, "picky")
    assert (one := replays.judgement(replayed(picky, reviewer))).verdict is Verdict.BROKE
    assert (one.fixed, one.broken) == (5, 1)
    with pytest.raises(LibraryRefused, match="Breaks 1 of what worked"):
        deciding.activate(picky, by=operator)

    again = replayed(lenient, reviewer)
    assert (one := replays.judgement(again)).verdict is Verdict.ADMITTED
    assert (one.fixed, one.broken, one.unchanged) == (5, 0, 2)
    # A sealed case stays from whoever wrote a version of the component; somebody else reads it.
    again.cases.filter(number=1).update(half=ReplayCase.Half.SEALED)
    sealing.seal(again.cases.get(number=1))
    sealed = again.cases.filter(half=ReplayCase.Half.SEALED).count()

    def page(user: User) -> str:
        return client_of(user).get(f"/rules/{lenient.component_id}/?version={lenient.pk}").content.decode()

    assert page(operator).count('<strong class="is-good">fixed</strong>') == 5
    assert "Activate 1.1.0" in page(operator)
    assert page(reviewer).count(", sealed</span>") == sealed, "the author of the version"
    assert page(operator).count(", sealed</span>") == sealed, "the author of its parent"
    assert ", sealed</span>" not in page(person("orla", "operator"))

    deciding.activate(lenient, by=operator)
    strict.refresh_from_db()
    assert strict.status == "retired"
    assert {one.pk: one.head for one in Workspace.objects.all()} == heads, "replays change no workspace"
    assert list(checkouts().iterdir()) == []
    # Going back is always possible.
    deciding.activate(strict, by=operator)


def test_the_gate_is_lifted_by_an_admin_with_a_reason_and_by_nobody_else(
    totalled: Totalled, operator: User, admin: User, reviewer: User
) -> None:
    totalled("1\n2\n")
    lenient = candidate(reviewer, "lenient")
    with pytest.raises(LibraryRefused, match="not been replayed"):
        deciding.activate(lenient, by=operator, reason="a reason that is long enough")
    with pytest.raises(LibraryRefused, match="give a reason"):
        deciding.activate(lenient, by=admin, reason="  so  ")
    # A rejected candidate is no version that was in use, so it does not come in by the back door.
    deciding.reject(lenient, by=operator, reason="not now")
    with pytest.raises(LibraryRefused, match="not been replayed"):
        deciding.activate(lenient, by=operator)
    deciding.activate(lenient, by=admin, reason="we saw it work on the old machine")
    lenient.refresh_from_db()
    assert lenient.status == "active"
    assert "activated despite the failed check by ada: we saw it work" in lenient.changes


def test_a_candidate_that_makes_the_same_steps_is_inert(totalled: Totalled, reviewer: User) -> None:
    totalled("1\n\n2\n")
    same = library.publish("rule", "total a list", rule("strict").replace("adds", "sums"), by=reviewer)
    replay = replayed(same, reviewer)
    assert replays.judgement(replay).verdict is Verdict.INERT
    assert [one.differs for one in replay.cases.all()] == [False]


def test_what_a_copy_cannot_prove_and_cases_that_are_gone_are_no_flips(
    totalled: Totalled, reviewer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    totalled("1\n\n2\n")
    lenient = candidate(reviewer, "lenient")
    replay = replays.ask(lenient, by=reviewer)
    replay.cases.update(base="0" * 64)
    replaying.work(replay.pk)
    case = replay.cases.get()
    assert (case.parent_passes, case.candidate_passes) == (None, None)
    assert "could not be tried" in case.candidate_said
    gone = replays.ask(lenient, by=reviewer)
    gone.cases.update(goal=None)
    replaying.work(gone.pk)
    assert gone.cases.get().parent_said == copies.GONE
    assert replays.judgement(gone).verdict is Verdict.NO_CASES


def test_a_candidate_that_plans_nothing_fails_the_case(totalled: Totalled, reviewer: User) -> None:
    totalled("1\n2\n")
    never = rule("lenient").replace("THEN:", "CONSIDERING there is a file named never.txt\nTHEN:")
    replay = replayed(library.publish("rule", "total a list", never, by=reviewer), reviewer)
    case = replay.cases.get()
    assert (case.parent_passes, case.candidate_passes) == (True, False)
    assert case.candidate_said == "no plan: no applicable rule"
    assert replays.judgement(replay).verdict is Verdict.BROKE


def test_a_worker_that_dies_or_is_told_to_stop_leaves_what_is_done(
    totalled: Totalled, reviewer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    totalled("1\n\n2\n")
    totalled("1\n2\n")
    lenient = candidate(reviewer, "lenient")
    replay = replays.ask(lenient, by=reviewer)
    assert replays.ask(lenient, by=reviewer).pk == replay.pk, "one open replay of a version is enough"
    asked = iter([False, True])
    monkeypatch.setattr(draining, "is_asked", lambda: next(asked, False))
    replaying.work(replay.pk)
    assert list(replay.cases.values_list("is_done", flat=True)) == [True, False]
    late = replays.claim()
    assert late is not None
    Replay.objects.filter(pk=replay.pk).update(lease_until=late.created_at)
    newer = replays.claim()
    assert newer is not None
    assert newer.lease_fence == late.lease_fence + 1
    case = replay.cases.get(is_done=False)
    assert not replays.store(late, case), "a late worker writes nothing"
    assert not replays.end(late, ReplayState.DONE)
    replaying.turn(newer)
    assert Replay.objects.get(pk=replay.pk).state == ReplayState.DONE
    assert replays.judgement(replay).fixed == 1


def test_the_files_of_a_case_are_kept_until_it_was_replayed(totalled: Totalled, owner: User, reviewer: User) -> None:
    goal = totalled("1\n2\n")
    replay = replays.ask(candidate(reviewer, "lenient"), by=reviewer)
    base = replay.cases.get().base
    workspaces.put_file(goal.workspace, by=owner, path="more.txt", source=io.BytesIO(b"x"))
    assert base in snapshot_references.needed_now()
    replaying.work(replay.pk)
    assert base not in snapshot_references.needed_now()


def test_only_writers_ask_and_only_versions_with_a_parent_are_measured(
    strict: ComponentVersion, owner: User, reviewer: User
) -> None:
    with pytest.raises(LibraryRefused, match="reviewer, operator or developer"):
        replays.ask(candidate(reviewer, "lenient"), by=owner)
    with pytest.raises(Exception, match="first version"):
        replays.ask(strict, by=reviewer)


def test_the_writer_does_not_activate_with_four_eyes_on(strict: ComponentVersion, settings: Any) -> None:
    settings.FOUR_EYES = True
    both = person("bob", "operator", "reviewer")
    mine = library.publish("rule", "total a list", rule("lenient"), by=both)
    with pytest.raises(LibraryRefused, match="somebody else must put it to use"):
        deciding.activate(mine, by=both)
    deciding.activate(mine, by=person("eve", "operator"))


def test_cases_are_one_a_goal_and_as_many_successes_as_failures(totalled: Totalled) -> None:
    failed = totalled("1\n\n2\n", give_it_up=False)
    assert failed.state == GoalState.MANUAL, "a plan that waits for a person has failed, too"
    worked = [totalled("1\n"), totalled("2\n")]
    ours = Component.objects.get(name="total a list")
    found = cases.of(ours)
    assert [(one.goal, one.succeeded) for one in found] == [(failed, False), (worked[-1], True)]
    other = library.publish("rule", "another rule", rule("lenient"), by=person("eve", "operator")).component
    assert cases.of(other) == []
    assert not cases.has_any(other)
