"""Rows of evolution written with the application's role alone: nothing is put back, written or begun by them."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO, StringIO

import pytest
from django.core.management import CommandError, call_command

from agents.components import candidates
from agents.coordinator import commanding
from agents.coordinator.commanding import Given
from agents.evolution.activation import deciding, rollouts
from agents.evolution.candidates import starting
from agents.evolution.replays import replays
from agents.models import CandidateSearch, EvolutionGrant, EvolvedCopy, Goal, Replay, ReplayCase, Rollout
from agents.record.causes import Forged
from agents.workspaces import workspaces
from library.components import services as library
from library.models import ComponentVersion
from people.models import User
from tests.agents.evolution.conftest import rule
from tests.forging import forge

pytestmark = pytest.mark.django_db(transaction=True)
NAME = "total a list"


def named_by_the_audit(kind: str) -> None:
    with pytest.raises(CommandError, match=kind):
        call_command("audit", "verify", stdout=StringIO())


def put_to_use(by: User, admin: User) -> Rollout:
    version = library.publish("rule", NAME, rule("picky"), by=by, changes="another program")
    deciding.activate(version, by=admin, reason="there is nothing to measure it by yet")
    return Rollout.objects.get(version=version)


def test_only_what_was_in_use_before_is_put_back(strict: ComponentVersion, reviewer: User, admin: User) -> None:
    rollout = put_to_use(reviewer, admin)
    never_used = library.publish("rule", NAME, rule("lenient"), by=reviewer, changes="blank lines")
    forge("UPDATE agents_rollout SET previous_id = %s WHERE id = %s", never_used.pk, rollout.pk)
    named_by_the_audit("rollout")
    rollouts.sweep()
    with pytest.raises(Forged):
        rollouts.take_back(Rollout.objects.get(pk=rollout.pk), "worse", {})
    never_used.refresh_from_db()
    assert never_used.status == "candidate"
    assert not rollouts.was_before_another(never_used)
    assert rollouts.latest(rollout.version) is None


def test_a_verdict_counts_only_cases_that_were_tried(strict: ComponentVersion, reviewer: User, admin: User) -> None:
    lenient = library.publish("rule", NAME, rule("lenient"), by=reviewer, changes="blank lines")
    replay = Replay.objects.create(version=lenient, parent=strict, by=reviewer, state="done")
    for number in range(1, 9):
        forge(
            "INSERT INTO agents_replaycase (replay_id, number, text, half, succeeded_then, base, is_done,"
            " parent_passes, candidate_passes, parent_said, candidate_said, parent_s, candidate_s, differs)"
            " VALUES (%s, %s, '', 'probe', true, '', true, false, true, '', '', 0, 0, true)",
            replay.pk,
            number,
        )
    assert ReplayCase.objects.count() == 8
    judged = replays.judgement(replay)
    assert (judged.fixed, judged.is_admitted) == (0, False)
    named_by_the_audit("replay case")


def test_nothing_is_begun_by_a_grant_that_nobody_gave(admin: User, monkeypatch: pytest.MonkeyPatch) -> None:
    starting.grant(0, by=admin)
    zero = EvolutionGrant.objects.get()
    forge("UPDATE agents_evolutiongrant SET starts_a_day = 20 WHERE id = %s", zero.pk)
    assert starting.granted() is None
    forge("DELETE FROM agents_evolutiongrant")
    forge("INSERT INTO agents_evolutiongrant (starts_a_day, by_id, at) VALUES (20, %s, now())", admin.pk)
    named_by_the_audit("evolution grant")
    assert starting.run() == 0
    assert not CandidateSearch.objects.exists()


def test_an_older_grant_does_not_come_back(admin: User) -> None:
    starting.grant(20, by=admin)
    before = EvolutionGrant.objects.get()
    starting.grant(0, by=admin)
    forge("DELETE FROM agents_evolutiongrant")
    forge(
        "INSERT INTO agents_evolutiongrant (id, starts_a_day, by_id, at) VALUES (%s, 20, %s, now())",
        before.pk,
        admin.pk,
    )
    assert starting.granted() is None


@pytest.mark.parametrize("column", ["target_name", "goal_id"])
def test_no_version_is_written_of_a_copy_that_no_goal_was_given(
    column: str, operator: User, make_goal: Callable[..., Goal]
) -> None:
    answer = commanding.carry_out(Given("evolve the git tool", operator, "terminal"))
    goal = Goal.objects.get(pk=answer.goals[0])
    path = "git_tool/tools/git_tool.py"
    with workspaces.open_file(goal.workspace, path)[0] as source:
        text = source.read()
    goal.workspace.refresh_from_db()
    workspaces.put_file(goal.workspace, by=operator, path=path, source=BytesIO(b"# changed\n" + text))
    other = make_goal(operator)
    value = {"target_name": "simple_coder", "goal_id": other.pk}[column]
    forge(f"UPDATE agents_evolvedcopy SET {column} = %s", value)
    of = other if column == "goal_id" else goal
    Goal.objects.filter(pk=of.pk).update(state="achieved")
    before = ComponentVersion.objects.count()
    candidates.offer(Goal.objects.get(pk=of.pk))
    copy = EvolvedCopy.objects.get()
    assert (copy.version, ComponentVersion.objects.count()) == (None, before)
    assert "not as mindX stored it" in copy.said
