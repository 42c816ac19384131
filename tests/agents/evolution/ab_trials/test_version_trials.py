"""A/B trials of two versions: they end as soon as they know, put nothing to use, and stand beside no canary."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from agents.cycle import cycle
from agents.evolution import replaying
from agents.evolution.ab_trials import trial_cases, version_trials
from agents.evolution.ab_trials.trial_plans import Asked
from agents.evolution.ab_trials.version_trials import Wanted
from agents.evolution.activation import deciding, rollouts
from agents.evolution.replays import replays
from agents.evolution.replays.cases import Found
from agents.models import Goal, Replay, ReplayCase, Rollout, VersionTrial, VersionTrialCase
from agents.record.errors import NotPossibleNow
from agents.record.moves import end_trial
from agents.states import MoveRefused, ReplayState, RolloutState, TrialState
from agents.workspaces import workspaces
from library.components import services as library
from library.errors import LibraryRefused
from library.models import ComponentVersion
from people.models import User
from review.models import AuditEntry
from tests.agents.evolution.conftest import LENIENT, STRICT, rule
from tests.forging import sealed

pytestmark = pytest.mark.django_db(transaction=True)

NAME = "total a list"
Totalled = Callable[..., Goal]
# Six cases that all speak for the same version decide; the plan counts with no more.
SURE = Asked(difference=60, differ=100, alpha=10, power=80)
BLANK, PLAIN, SEVEN = "1\n\n2\n", "1\n2\n", "1\n7\n"


@pytest.fixture
def lenient(strict: ComponentVersion, reviewer: User) -> ComponentVersion:
    return library.publish("rule", NAME, rule("lenient"), by=reviewer, changes="blank lines")


def wanted(a: ComponentVersion, b: ComponentVersion, mode: str = "replayed", asked: Asked = SURE) -> Wanted:
    return Wanted(a, b, mode, asked, "Are blank lines worth it?", "an admin wants to know")


def status(version: ComponentVersion) -> str:
    return ComponentVersion.objects.get(pk=version.pk).status


def journalled() -> list[str]:
    rows = AuditEntry.objects.filter(event="component", data__what__icontains="A/B trial").order_by("pk")
    return [row.data["what"].split(" A/B trial")[0] for row in rows]


def test_a_replayed_trial_ends_with_the_case_that_decides(
    totalled: Totalled,
    repeated: Callable[[int], None],
    strict: ComponentVersion,
    lenient: ComponentVersion,
    operator: User,
) -> None:
    totalled(BLANK, give_it_up=False)
    repeated(7)
    offered = version_trials.offer(wanted(strict, lenient))
    assert (offered.available, offered.why_not) == (7, "")
    assert offered.plan.most == 7
    trial = version_trials.begin(wanted(strict, lenient), by=operator)
    replaying.work()
    trial.refresh_from_db()
    assert (trial.state, trial.verdict) == (TrialState.ENDED, "b_better")
    assert trial.reason == "after 6 cases: B did better in 6, A in 0"
    assert ReplayCase.objects.filter(replay__trial=trial, is_done=True).count() == 6
    assert Replay.objects.get(trial=trial).state == ReplayState.DONE
    assert status(lenient) == "candidate", "a person activates it"
    assert replays.latest(lenient) is None, "it is no proof for the gate"
    assert "not been replayed" in deciding.standing(lenient).why_not
    assert journalled() == ["began replayed", "ended"]


def decided(trial: VersionTrial, ends: list[tuple[bool | None, bool | None]]) -> None:
    """As if a worker had done these cases."""
    rows = list(ReplayCase.objects.filter(replay__trial=trial).order_by("number"))
    for row, (parent, candidate) in zip(rows, ends, strict=False):
        row.is_done, row.parent_passes, row.candidate_passes = True, parent, candidate
        row.save()


@pytest.fixture
def many(strict: ComponentVersion, totalled: Totalled, repeated: Callable[[int], None]) -> None:
    """Forty cases, of which the tests write what they come to."""
    totalled(PLAIN)
    repeated(40)


USUAL = Asked(difference=40, differ=60, alpha=5, power=80)


def test_equal_versions_end_without_a_difference_and_what_a_copy_cannot_prove_counts_for_nobody(
    many: None, strict: ComponentVersion, lenient: ComponentVersion, operator: User
) -> None:
    trial = version_trials.begin(wanted(strict, lenient, asked=USUAL), by=operator)
    decided(trial, [(None, True)] * 9 + [(True, True), (False, False)])
    version_trials.sweep()
    trial.refresh_from_db()
    assert trial.is_running
    assert [look.count.cases for look in version_trials.looks(trial)] == [1, 2]
    decided(trial, [(None, True)] * 9 + [(True, True)] * 12)
    version_trials.sweep()
    trial.refresh_from_db()
    assert trial.verdict == "no_difference"
    assert Replay.objects.get(trial=trial).state == ReplayState.IMPOSSIBLE, "nobody waits for it any more"


def test_a_trial_that_knows_nothing_after_all_cases_is_undecided(
    many: None, strict: ComponentVersion, lenient: ComponentVersion, operator: User
) -> None:
    trial = version_trials.begin(wanted(strict, lenient, asked=USUAL), by=operator)
    decided(trial, [(True, False), (False, True), (False, True)] * 40)
    Replay.objects.filter(trial=trial).update(state=ReplayState.DONE.value)
    version_trials.sweep()
    trial.refresh_from_db()
    assert (trial.verdict, status(lenient)) == ("undecided", "candidate")
    assert "could be compared" in trial.reason


def test_a_worker_that_dies_costs_nothing_and_a_replay_that_cannot_go_on_ends_the_trial(
    totalled: Totalled,
    repeated: Callable[[int], None],
    strict: ComponentVersion,
    lenient: ComponentVersion,
    operator: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    totalled(BLANK, give_it_up=False)
    repeated(6)
    trial = version_trials.begin(wanted(strict, lenient), by=operator)
    calls: list[str] = []
    real = replaying.tried

    def dies(case: Any, side: Any, name: str, stop_work: Any) -> Any:
        calls.append(name)
        if len(calls) == 5:
            raise SystemExit
        return real(case, side, name, stop_work)

    monkeypatch.setattr(replaying, "tried", dies)
    with pytest.raises(SystemExit):
        replaying.work()
    assert ReplayCase.objects.filter(replay__trial=trial, is_done=True).count() == 2
    Replay.objects.update(lease_until=None)
    Replay.objects.filter(trial=trial).update(lease_until=trial.started_at)
    replaying.work()
    trial.refresh_from_db()
    assert (trial.verdict, len(calls)) == ("b_better", 5 + 8)

    again = version_trials.begin(wanted(strict, lenient), by=operator)
    Replay.objects.filter(trial=again).update(state="running", lease_fence=Replay.lost_most)
    Replay.objects.filter(trial=again).update(lease_until=again.started_at)
    replaying.work()
    version_trials.sweep()
    again.refresh_from_db()
    assert (again.verdict, again.reason) == ("stopped", "its replay ended: 5 workers died while it ran")


def test_a_live_trial_gives_half_of_the_goals_to_each_and_ends_with_the_canary_a_candidate_again(
    totalled: Totalled,
    ended: Callable[[str, VersionTrial], Goal],
    strict: ComponentVersion,
    lenient: ComponentVersion,
    admin: User,
    operator: User,
) -> None:
    totalled(PLAIN)
    with pytest.raises(LibraryRefused, match="not been replayed"):
        version_trials.begin(wanted(strict, lenient, "live"), by=operator)
    assert not VersionTrial.objects.exists()
    assert status(lenient) == "candidate", "a refused trial leaves nothing behind"
    trial = version_trials.begin(wanted(strict, lenient, "live"), by=both(admin))
    assert trial.rollout is not None
    assert (status(lenient), trial.rollout.percent) == ("canary", 50)
    assert trial.rollout.state == RolloutState.WATCHED
    sides: dict[bool, list[Goal]] = {False: [], True: []}
    while min(map(len, sides.values())) < 6:
        goal = ended(BLANK, trial)
        sides[trial_cases.is_of_b(trial, goal.pk)].append(goal)
        version_trials.sweep()
    trial.refresh_from_db()
    assert (trial.verdict, trial.reason) == ("b_better", "after 6 cases: B did better in 6, A in 0")
    counted = {case.goal_id: (case.is_b, case.worked) for case in trial.cases.all()}
    for is_b, goals in sides.items():
        assert {counted[goal.pk] for goal in goals if goal.pk in counted} == {(is_b, is_b)}
    assert (status(strict), status(lenient)) == ("active", "candidate")
    assert Rollout.objects.get(version=lenient).state == RolloutState.ENDED
    assert journalled() == ["began live", "ended"]
    assert not deciding.may_return_to(ComponentVersion.objects.get(pk=lenient.pk))


@pytest.fixture
def ended(owner: User, make_goal: Callable[..., Goal]) -> Callable[[str, VersionTrial], Goal]:
    """A goal that was planned, and that ended as its version's program would have it with blank lines."""

    def made(numbers: str, trial: VersionTrial) -> Goal:
        goal = make_goal(owner, "total the list numbers.txt")
        for path, text in {"strict.py": STRICT, "lenient.py": LENIENT, "numbers.txt": numbers}.items():
            workspaces.put_file(goal.workspace, by=owner, path=path, source=io.BytesIO(text.encode()))
        cycle.work(goal.pk)
        assert Goal.objects.get(pk=goal.pk).state == "awaiting_review", "nothing runs unreviewed"
        came = "achieved" if trial_cases.is_of_b(trial, goal.pk) else "failed"
        Goal.objects.filter(pk=goal.pk).update(state=came)
        return goal

    return made


def both(admin: User) -> User:
    """An admin who is an operator, too: they lift the gate and begin."""
    admin.roles = [*admin.roles, "operator"]
    admin.save()
    return admin


def test_a_goal_that_one_version_does_not_plan_is_its_failure(
    totalled: Totalled,
    strict: ComponentVersion,
    reviewer: User,
    admin: User,
    make_goal: Callable[..., Goal],
    owner: User,
) -> None:
    totalled(PLAIN)
    narrow = rule("strict").replace("THEN:", "CONSIDERING there is a file named never.txt\nTHEN:")
    version = library.publish("rule", NAME, narrow, by=reviewer, changes="never")
    trial = version_trials.begin(wanted(strict, version, "live"), by=both(admin))
    goals = [make_goal(owner, "total the list numbers.txt")]
    while not trial_cases.is_of_b(trial, goals[-1].pk):
        goals.append(make_goal(owner, "total the list numbers.txt"))
    for goal in goals:
        cycle.work(goal.pk)
    trial_cases.take(trial)
    case = VersionTrialCase.objects.filter(trial=trial, is_b=True).get()
    assert case.worked is False, "nobody planned it"
    waiting = VersionTrialCase.objects.filter(trial=trial, is_b=False)
    assert set(waiting.values_list("worked", flat=True)) <= {None}, "those of A wait for a reviewer"


def test_the_watch_and_people_end_a_live_trial(
    totalled: Totalled, strict: ComponentVersion, lenient: ComponentVersion, admin: User
) -> None:
    totalled(PLAIN)
    by = both(admin)
    trial = version_trials.begin(wanted(strict, lenient, "live"), by=by)
    assert trial.rollout is not None
    rollouts.take_back(trial.rollout, "taken back automatically", {})
    version_trials.sweep()
    trial.refresh_from_db()
    assert (trial.verdict, status(lenient)) == ("stopped", "retired")
    assert "the watch ended it" in trial.reason
    other = library.publish("rule", NAME, rule("picky"), by=by, changes="no sevens", parent=strict)
    second = version_trials.begin(wanted(strict, other, "live"), by=by)
    deciding.activate(other, by=by, reason="because it is an admin's wish")
    version_trials.sweep()
    second.refresh_from_db()
    assert (second.verdict, second.reason) == ("stopped", f"version {other.version} is active")
    assert status(other) == "active", "what a person put to use stays"


def test_who_may_begin_and_stop_one_and_what_it_refuses(
    many: None, strict: ComponentVersion, lenient: ComponentVersion, owner: User, reviewer: User, operator: User
) -> None:
    for nobody in (owner, reviewer):
        with pytest.raises(LibraryRefused, match="do not allow you to start"):
            version_trials.begin(wanted(strict, lenient), by=nobody)
    for pair, says in (
        ((strict, strict, "replayed"), "two different"),
        ((strict, lenient, "sideways"), "live or replayed"),
        ((lenient, strict, "live"), "A is the version in use"),
    ):
        with pytest.raises(NotPossibleNow, match=says):
            version_trials.begin(wanted(*pair), by=operator)
    assert not VersionTrial.objects.exists()
    trial = version_trials.begin(wanted(strict, lenient), by=operator)
    with pytest.raises(NotPossibleNow, match=f"A/B trial {trial.pk} of 1.0.0 and 1.1.0 is running"):
        version_trials.begin(wanted(lenient, strict), by=operator)
    with pytest.raises(IntegrityError), transaction.atomic():
        sealed(VersionTrial.objects.create(
            component=strict.component, a=lenient, b=strict, mode="replayed", difference=9, differ=9, alpha=5,
            power=80, most_cases=9, power_stated=0.5,
        ))  # fmt: skip
    with pytest.raises(NotPossibleNow, match="An A/B trial replays"):
        replays.ask(lenient, by=operator)
    with pytest.raises(LibraryRefused, match="Stop it first"):
        deciding.begin_canary(lenient, by=operator, percent=10)
    with pytest.raises(LibraryRefused, match="do not allow you to stop"):
        version_trials.stop(trial, by=reviewer)
    version_trials.stop(trial, by=operator)
    assert (trial.verdict, trial.reason) == ("stopped", f"stopped by {operator.username}")
    assert Replay.objects.get(trial=trial).state == ReplayState.IMPOSSIBLE
    with pytest.raises(NotPossibleNow, match="has already ended"):
        version_trials.stop(VersionTrial.objects.get(pk=trial.pk), by=operator)
    with pytest.raises(MoveRefused):
        end_trial(trial, "b_better", reason="late")
    assert journalled() == ["began replayed", "stopped"]


def test_it_does_not_begin_beside_a_canary_or_a_replay_or_without_cases(
    strict: ComponentVersion, lenient: ComponentVersion, operator: User, totalled: Totalled
) -> None:
    with pytest.raises(NotPossibleNow, match="There are only 0 cases; fewer than 6 can prove nothing"):
        version_trials.begin(wanted(strict, lenient), by=operator)
    deciding.begin_canary(lenient, by=operator, percent=10)
    with pytest.raises(NotPossibleNow, match=r"1\.1\.0 is a canary\. Activate or retire it first"):
        version_trials.begin(wanted(strict, lenient, "live"), by=operator)


def test_a_version_under_replay_is_not_replayed_twice(
    many: None, strict: ComponentVersion, lenient: ComponentVersion, operator: User
) -> None:
    replays.ask(lenient, by=operator)
    with pytest.raises(NotPossibleNow, match="is being replayed already"):
        version_trials.begin(wanted(strict, lenient), by=operator)
    assert not VersionTrial.objects.exists()


def test_the_order_of_cases_is_drawn_and_stays() -> None:
    goals = [Found(Goal(pk=number), None, "", False) for number in range(1, 40)]  # type: ignore[arg-type]
    first, second = (trial_cases.in_drawn_order(VersionTrial(pk=pk), goals) for pk in (1, 2))
    assert first == trial_cases.in_drawn_order(VersionTrial(pk=1), list(reversed(goals)))
    assert first != second
    assert first != goals


def test_who_may_not_see_a_goal_sees_only_that_it_is_counted(
    totalled: Totalled,
    repeated: Callable[[int], None],
    strict: ComponentVersion,
    lenient: ComponentVersion,
    operator: User,
    owner: User,
    outsider: User,
    client_of: Callable[[User], Client],
) -> None:
    goal = totalled(PLAIN)
    repeated(8)
    replayed = version_trials.begin(wanted(strict, lenient), by=operator)
    decided(replayed, [(True, True), (True, False)])
    version_trials.stop(replayed, by=operator)
    shared = {"difference": 20, "differ": 30, "alpha": 5, "power": 80, "most_cases": 85, "power_stated": 0.8}
    live = sealed(VersionTrial.objects.create(component=strict.component, a=strict, b=lenient, mode="live", **shared))
    VersionTrialCase.objects.create(trial=live, goal=goal, is_b=True)
    for trial in (replayed, live):
        address = f"/evolution/trials/{trial.pk}/"
        assert f'href="/goals/{goal.pk}/"' in client_of(owner).get(address).content.decode()
        page = client_of(outsider).get(address).content.decode()
        assert f'href="/goals/{goal.pk}/"' not in page
        assert "total the list" not in page
    page = client_of(outsider).get(f"/evolution/trials/{replayed.pk}/").content.decode()
    assert "only A works: 1" in page
    form = client_of(outsider).get(f"/evolution/trials/new?component={strict.component_id}&mode=live").content.decode()
    assert "The gate keeps B out of use: It has not been replayed beside its parent yet." in form
    asked = {"component": strict.component_id, "a": strict.pk, "b": lenient.pk, "mode": "replayed", "alpha": 5}
    asked |= {"difference": 20, "differ": 30, "power": 80}
    VersionTrial.objects.filter(pk=live.pk).delete()
    answer = client_of(outsider).post("/evolution/trials/new", asked, follow=True).content.decode()
    assert "Your roles do not allow you to start" in answer
    assert VersionTrial.objects.count() == 1


def test_results_count_in_the_order_in_which_chance_gave_the_goals(
    strict: ComponentVersion, lenient: ComponentVersion
) -> None:
    shared = {"difference": 20, "differ": 30, "alpha": 5, "power": 80, "most_cases": 85, "power_stated": 0.8}
    trial = sealed(VersionTrial.objects.create(component=strict.component, a=strict, b=lenient, mode="live", **shared))

    def case(is_b: bool, worked: bool | None, *, is_known: bool = True) -> VersionTrialCase:
        known_at = timezone.now() if is_known else None
        return VersionTrialCase.objects.create(trial=trial, is_b=is_b, worked=worked, known_at=known_at)

    slow = case(False, None, is_known=False)
    case(False, False)
    case(True, True)
    dropped = case(True, None)
    case(True, False)
    assert trial_cases.pairs(trial) == [], "the first goal of A is not known yet"
    slow.worked, slow.known_at = True, timezone.now()
    slow.save()
    assert trial_cases.pairs(trial) == [0, 0], "one that was dropped says nothing"
    dropped.worked = True
    dropped.save()
    assert trial_cases.pairs(trial) == [0, 1]


def test_a_goal_that_was_handed_to_people_is_known_and_says_nothing(
    strict: ComponentVersion, lenient: ComponentVersion, owner: User, make_goal: Callable[..., Goal]
) -> None:
    shared = {"difference": 20, "differ": 30, "alpha": 5, "power": 80, "most_cases": 85, "power_stated": 0.8}
    trial = sealed(
        VersionTrial.objects.create(
            component=strict.component, a=strict, b=lenient, mode="live", started_at=timezone.now(), **shared
        )
    )
    goal = make_goal(owner)
    case = VersionTrialCase.objects.create(trial=trial, goal=goal, is_b=False)
    trial_cases.take(trial)
    case.refresh_from_db()
    assert case.known_at is None, "it goes on"
    Goal.objects.filter(pk=goal.pk).update(state="achieved", outcome="handed_over", ended_at=timezone.now())
    trial_cases.take(trial)
    case.refresh_from_db()
    assert (case.known_at is not None, case.worked) == (True, None)
