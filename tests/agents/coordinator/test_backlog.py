"""The backlog: merged, decided, taken up, stopped, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.coordinator import backlog, backlog_list, backlog_sources, backlog_taking, commanding
from agents.coordinator.backlog import Wish
from agents.coordinator.backlog_list import ItemFilter
from agents.coordinator.backlog_overview import overview
from agents.coordinator.commanding import Given
from agents.mastermind import stops
from agents.mastermind.components import Component
from agents.mastermind.stops import Figures, Rules
from agents.models import (
    Agent,
    Attempt,
    BacklogItem,
    BacklogTry,
    GivenCommand,
    Goal,
    Intent,
    IntentPlan,
)
from agents.record.errors import GoalRefused, NotPossibleNow, NotYours
from agents.record.moves import move_backlog_item
from agents.states import BACKLOG_MOVES, BacklogState, MoveRefused
from people.models import User
from review.models import AuditEntry
from tests.forging import sealed

pytestmark = pytest.mark.django_db

TOOL = Component("tool", "summarization")


@pytest.fixture(autouse=True)
def first_agent(db: None) -> Agent:
    return Agent.objects.get_or_create(name="mindx")[0]


def wish(text: str, by: User | None = None, **also: Any) -> backlog.Added:
    return backlog.add(Wish(also.pop("component", TOOL), text, by=by, **also))


def approved(text: str, reviewer: User, **also: Any) -> BacklogItem:
    return backlog.approve(wish(text, reviewer, **also).item, by=reviewer)


def give(line: str, by: User) -> Any:
    return commanding.carry_out(Given(line, by, "terminal"))


def ended(item: BacklogItem, state: str = "failed", reason: str = "") -> BacklogItem:
    """The item's goal has ended, and somebody looked."""
    Goal.objects.filter(backlog_try__item=item, ended_at=None).update(
        state=state, reason=reason, ended_at=timezone.now()
    )
    backlog_taking.settle()
    item.refresh_from_db()
    return item


# --- adding and merging ----------------------------------------------------------------------------------------------
def test_the_same_wish_is_counted_and_not_added_again(owner: User, outsider: User) -> None:
    first = wish("Add better error handling", owner)
    again = wish("  add better ERROR handling! ", outsider, priority=1)
    assert (first.is_new, again.is_new, again.merged) == (True, False, None)
    item = BacklogItem.objects.get()
    assert (item.count, item.priority) == (2, 1)


def test_the_same_in_other_words_is_merged_kept_and_can_be_split(owner: User, reviewer: User) -> None:
    kept = wish("please handle every error of the reader much better", owner).item
    added = wish("please handle every error of the reader better", owner)
    assert added.item == kept
    assert added.merged is not None
    assert added.merged.likeness is not None
    assert 0.88 <= added.merged.likeness < 1
    kept.refresh_from_db()
    assert kept.count == 2
    with pytest.raises(NotYours):
        backlog.split(added.merged, by=owner)
    apart = backlog.split(added.merged, by=reviewer)
    kept.refresh_from_db()
    assert (apart.state, kept.count, apart.merged_into) == ("pending", 1, None)
    assert AuditEntry.objects.latest("pk").data["what"] == "split"


def test_two_wishes_in_a_script_that_the_sentence_model_cannot_read_are_two(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As the shipped model does with Thai: one vector for all of it.
    monkeypatch.setattr("library.language.embeddings.embed", lambda texts: [[1.0, *[0.0] * 383] for _ in texts])
    assert wish("ชำระใบแจ้งหนี้ทั้งหมด", owner).is_new
    assert wish("รดน้ำต้นไม้ในสวน", owner).is_new
    assert not wish("รดน้ำต้นไม้ในสวน", owner).is_new


def test_a_merged_wish_that_is_said_again_counts_on_both(owner: User) -> None:
    kept = wish("please handle every error of the reader much better", owner).item
    merged = wish("please handle every error of the reader better", owner).merged
    assert merged is not None
    assert wish("Please handle every error of the reader better.", owner).item == kept
    kept.refresh_from_db()
    merged.refresh_from_db()
    assert (kept.count, merged.count) == (3, 2)


def test_wishes_about_different_components_are_never_one(owner: User) -> None:
    wish("Add better error handling", owner)
    assert wish("Add better error handling", owner, component=Component("tool", "git_tool")).is_new


def test_without_a_sentence_model_only_the_same_words_are_merged(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.library.vectors import install

    install(monkeypatch).broken = "no model here"
    wish("please handle every error of the reader much better", owner)
    assert wish("please handle every error of the reader better", owner).is_new
    assert not wish("please handle every error of the reader BETTER", owner).is_new


def test_a_rejected_wish_said_again_stays_rejected(owner: User, reviewer: User) -> None:
    backlog.reject(wish("Rewrite it in Rust", owner).item, by=reviewer, reason="no")
    answer = give("coord_improve summarization Rewrite it in Rust", owner)
    assert "was rejected: no" in answer.said[0]
    assert BacklogItem.objects.get().state == "rejected"


def test_what_was_done_may_be_wished_again(owner: User) -> None:
    item = wish("Add better error handling", owner).item
    BacklogItem.objects.filter(pk=item.pk).update(state="done")
    assert wish("Add better error handling", owner).is_new


def test_people_merge_what_mindx_did_not(owner: User, reviewer: User, outsider: User) -> None:
    one, other = wish("Show progress", owner).item, wish("Tell how far it is", owner).item
    deep = wish("Say what it does", owner).item
    with pytest.raises(NotYours):
        backlog.merge(one, other, by=owner)
    backlog.merge(deep, other, by=reviewer)
    into = backlog.merge(other, one, by=reviewer)
    deep.refresh_from_db()
    assert (into.count, deep.merged_into_id) == (3, one.pk)
    with pytest.raises(NotPossibleNow):
        backlog.merge(one, one, by=reviewer)


def test_nobody_adds_what_is_no_wish(owner: User) -> None:
    for text in ("", "   ", "x" * 2_001, "a\x1b[31mb"):
        with pytest.raises(GoalRefused):
            wish(text, owner)
    with pytest.raises(NotYours):
        wish("Add tags", User.objects.create_user("nina", roles=[]))


# --- deciding --------------------------------------------------------------------------------------------------------
def test_approving_takes_the_right_and_a_critical_item_a_reviewer(owner: User, operator: User, reviewer: User) -> None:
    plain = wish("Add tags", owner).item
    critical = wish("Change its rules", owner, component=Component("firmware", "general")).item
    assert critical.critical
    for item in (plain, critical):
        with pytest.raises(NotYours):
            backlog.approve(item, by=owner)
    assert backlog.approve(plain, by=operator).state == "approved"
    with pytest.raises(NotYours, match="only a reviewer can decide it"):
        backlog.approve(critical, by=operator)
    assert backlog.approve(critical, by=reviewer, reason="ok").decided_by == reviewer
    entry = AuditEntry.objects.filter(event="backlog").latest("pk")
    assert (entry.by, entry.data["after"], entry.data["why"]) == (reviewer, {"state": "approved"}, "ok")


def test_with_four_eyes_nobody_approves_a_critical_wish_of_their_own(reviewer: User, settings: Any) -> None:
    settings.FOUR_EYES = True
    item = wish("Change its rules", reviewer, component=Component("agent", "mindx")).item
    with pytest.raises(NotYours, match="somebody else must decide it"):
        backlog.approve(item, by=reviewer)


def test_rejecting_takes_a_reason(owner: User, reviewer: User) -> None:
    item = wish("Add tags", owner).item
    with pytest.raises(GoalRefused):
        backlog.reject(item, by=reviewer, reason=" ")
    assert backlog.reject(item, by=reviewer, reason="no use").reason == "no use"
    assert backlog.reopen(item, by=reviewer).state == "pending"


def test_two_who_decide_at_once_do_not_both(owner: User, reviewer: User) -> None:
    first = wish("Add tags", owner).item
    second = BacklogItem.objects.get(pk=first.pk)
    backlog.approve(first, by=reviewer)
    backlog.reject(BacklogItem.objects.get(pk=first.pk), by=reviewer, reason="after all not")
    with pytest.raises(NotPossibleNow):
        backlog.approve(second, by=reviewer)


@pytest.mark.parametrize("old", list(BacklogState))
@pytest.mark.parametrize("new", list(BacklogState))
def test_an_item_moves_as_the_table_says(owner: User, old: BacklogState, new: BacklogState) -> None:
    into = wish("Another one", owner).item
    item = wish("Add tags", owner).item
    where = {"merged_into": into} if old is BacklogState.MERGED else {}
    BacklogItem.objects.filter(pk=item.pk).update(state=old.value, **where)
    item.refresh_from_db()
    sealed(item)
    also: dict[str, Any] = {"merged_into": into if new is BacklogState.MERGED else None}
    if new in BACKLOG_MOVES[old]:
        assert move_backlog_item(item, new, **also).state == new
    else:
        with pytest.raises(MoveRefused):
            move_backlog_item(item, new, **also)


# --- taking up and stopping ------------------------------------------------------------------------------------------
def test_approved_items_become_goals_the_most_urgent_first(reviewer: User, operator: User, admin: User) -> None:
    later = approved("Add tags", reviewer, priority=4)
    first = approved("Keep numbers", reviewer, priority=2)
    wish("Not approved", reviewer)
    with pytest.raises(NotYours):
        backlog_taking.process(by=reviewer)
    answer = give("coord_process_backlog 1", admin)
    assert answer.data["begun"] == [{"item": str(first.pk), "goal": str(answer.goals[0])}]
    goal = Goal.objects.get(pk=answer.goals[0])
    assert (goal.submitted_by, goal.priority) == (admin, 2)
    assert "with the wish “Keep numbers”" in goal.text
    first.refresh_from_db()
    later.refresh_from_db()
    assert (first.state, first.tries, later.state) == ("in_progress", 1, "approved")


def test_an_item_is_stopped_after_it_failed_so_often_and_a_person_lets_it_go_on(reviewer: User, admin: User) -> None:
    item = approved("Keep numbers", reviewer)
    for number in (1, 2, 3):
        backlog_taking.process(by=admin)
        assert ended(item, reason="no_applicable_rule").failures == number
    assert item.state == "stopped"
    assert item.reason.startswith("it failed 3 times in a row")
    assert backlog_taking.process(by=admin).begun == ()
    assert backlog.approve(item, by=reviewer).failures == 0
    assert len(backlog_taking.process(by=admin).begun) == 1


def test_a_hundred_campaigns_without_a_success_are_not_possible(reviewer: User, admin: User) -> None:
    for number in range(30):
        approved(f"Wish {number}", reviewer)
    backlog_taking.save_rules(Rules(3, 10, 1_000), 0.9, by=admin)
    for _ in range(100):
        for item, _goal in backlog_taking.process(by=admin, most=1).begun:
            ended(item)
    assert BacklogTry.objects.count() == 10
    refused = give("coord_process_backlog", admin)
    assert refused.outcome == "not_possible"
    assert "None of the last 10 items that were tried improved anything" in refused.said[0]
    assert "Nothing is started" in give("coord_backlog", admin).said[-1]
    with pytest.raises(NotYours):
        backlog_taking.lift(by=reviewer, reason="go on")
    backlog_taking.lift(by=admin, reason="the model was down")
    assert len(backlog_taking.process(by=admin).begun) == 3
    with pytest.raises(NotPossibleNow):
        backlog_taking.lift(by=admin, reason="again")


def test_the_budget_of_a_day_holds_and_can_be_lifted(reviewer: User, admin: User) -> None:
    backlog_taking.save_rules(Rules(3, 10, 2), 0.9, by=admin)
    for number in range(4):
        approved(f"Wish {number}", reviewer)
    taken = backlog_taking.process(by=admin, most=4)
    assert (len(taken.begun), taken.stopped) == (2, "2 items were started today. The limit is 2 a day.")
    said = stops.why_stopped(Rules(per_day=1), Figures((), 1))
    assert said == "1 item was started today. The limit is 1 a day."
    backlog_taking.lift(by=admin, reason="a quiet day")
    assert len(backlog_taking.process(by=admin, most=4).begun) == 2


def test_the_newest_rules_count_and_none_is_overwritten(admin: User, reviewer: User) -> None:
    from agents.models import BacklogRules

    with pytest.raises(NotYours):
        backlog_taking.save_rules(Rules(), 0.9, by=reviewer)
    for bad in (Rules(0, 10, 20), Rules(3, 0, 20), Rules(3, 10, 10**6)):
        with pytest.raises(NotPossibleNow):
            backlog_taking.save_rules(bad, 0.9, by=admin)
    backlog_taking.save_rules(Rules(1, 2, 3), 0.9, by=admin)
    backlog_taking.save_rules(Rules(4, 5, 6), 0.8, by=admin)
    assert backlog_taking.stop_rules() == Rules(4, 5, 6)
    assert BacklogRules.objects.count() == 2


def test_what_cannot_be_taken_up_says_why_and_keeps_nobody_else_back(reviewer: User, admin: User) -> None:
    gone = approved("Keep it", reviewer, component=Component("rule", "no such rule"), priority=1)
    other = approved("Keep numbers", reviewer)
    taken = backlog_taking.process(by=admin)
    assert [item for item, _ in taken.begun] == [other]
    assert [(item, why) for item, why in taken.refused] == [
        (gone, "There is nothing of rule no such rule to work on here.")
    ]
    gone.refresh_from_db()
    assert (gone.state, gone.tries) == ("approved", 0)


# --- what came of it -------------------------------------------------------------------------------------------------
def audits(goal: Goal, plan: IntentPlan, findings: Sequence[int], *, before: str = "", after: str = "") -> None:
    """Audits that ran in the goal's plan, and the snapshots around them."""
    for position, number in enumerate(findings, 101):
        report = {"kind": "analysis", "totals": {"findings": number, "security": 0, "unused": 0}}
        intent = Intent.objects.create(
            intent_plan=plan,
            position=position,
            tool="audit_and_improve",
            command="audit",
            effect="idempotent",
            state="succeeded",
            result={"report": report},
        )
        Attempt.objects.create(
            intent=intent,
            number=1,
            fence=1,
            worker="w",
            started=timezone.now(),
            outcome="succeeded",
            snapshot_before=before,
            snapshot_after=after,
        )


@pytest.mark.parametrize(
    ("findings", "outcome", "state"),
    [((7, 2), "improved", "done"), ((2, 2), "no_better", "approved"), ((), "unmeasured", "done")],
)
def test_achieved_is_not_yet_improved_and_the_item_says_what_was_measured(
    reviewer: User,
    admin: User,
    propose_plan: Callable[..., IntentPlan],
    findings: Sequence[int],
    outcome: str,
    state: str,
) -> None:
    item = approved("Keep numbers", reviewer)
    ((_, goal),) = backlog_taking.process(by=admin).begun
    audits(goal, propose_plan(goal), findings)
    ended(item, "achieved")
    assert (item.outcome, item.state) == (outcome, state)
    assert BacklogTry.objects.get().words == item.outcome_words
    if findings:
        assert f"Findings: {findings[0]} before, {findings[1]} after" in item.outcome_words
    else:
        assert "was not measured" in item.outcome_words
    assert backlog_taking.settle() == 0


@pytest.fixture
def analysed(owner: User, propose_plan: Callable[..., IntentPlan]) -> Goal:
    """A goal of coord_analyze that has ended and found two things."""
    answer = give("coord_analyze summarization_tool", owner)
    goal = Goal.objects.get(pk=answer.goals[0])
    report = {
        "kind": "analysis",
        "findings": {"rules": [{"code": "F401", "name": "unused-import", "count": 3}], "top": []},
        "security": {"top": [{"code": "S307", "level": "high", "silenced": False, "path": "a.py"}]},
    }
    audits(goal, propose_plan(goal), [4])
    Intent.objects.filter(tool="audit_and_improve").update(result={"report": report})
    Goal.objects.filter(pk=goal.pk).update(state="achieved", ended_at=timezone.now())
    return goal


class Death(BaseException):
    """The process ends here; nothing catches it."""


def dies_storing(monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    """The process dies right after it has stored so many wishes."""
    real, calls = backlog._add, iter(range(1, 100))

    def stored(*values: Any) -> backlog.Added:
        added = real(*values)
        if next(calls) == at:
            raise Death
        return added

    monkeypatch.setattr(backlog, "_add", stored)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("at", [1, 2])
def test_a_worker_that_dies_while_it_takes_findings_loses_none_and_doubles_none(
    at: int, analysed: Goal, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        dies_storing(patch, at)
        with pytest.raises(Death):
            backlog_sources.take_findings()
    assert not BacklogItem.objects.exists()
    assert GivenCommand.objects.get(goal=analysed).taken_at is None
    assert backlog_sources.take_findings() == 2
    assert backlog_sources.take_findings() == 0
    assert list(BacklogItem.objects.values_list("count", flat=True)) == [1, 1]


@pytest.mark.django_db(transaction=True)
def test_a_finding_that_is_no_wish_keeps_the_others_from_nothing(
    analysed: Goal, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = backlog_sources._by_rule
    monkeypatch.setattr(backlog_sources, "_by_rule", lambda report: [("", "x" * 3_000, 3), *real(report)])
    assert backlog_sources.take_findings() == 2
    assert BacklogItem.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_what_an_analysis_finds_goes_into_the_backlog_once(admin: User, analysed: Goal) -> None:
    assert backlog_sources.take_findings() == 2
    assert backlog_sources.take_findings() == 0
    rows = list(BacklogItem.objects.order_by("priority").values_list("target", "suggestion", "source", "by__username"))
    assert rows == [
        ("tool:summarization", "Mend the danger that S307 finds", "analysis", "olga"),
        ("tool:summarization", "Mend what F401 finds (unused-import)", "analysis", "olga"),
    ]
    assert GivenCommand.objects.get().taken_at is not None
    # Its plan is that of safe fixes, which audits measure.
    item = backlog.approve(BacklogItem.objects.last(), by=admin)  # type: ignore[arg-type]
    ((_, made),) = backlog_taking.process(by=admin).begun
    assert made.text == "Improve the component “summarization”", item


def test_what_keeps_failing_is_noted_and_counted_for_new_failures_only(
    owner: User, propose_plan: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        plan = propose_plan(owner)
        intent = plan.intents.get(position=1)
        Attempt.objects.create(
            intent=intent,
            number=1,
            fence=1,
            worker="w",
            started=timezone.now(),
            outcome="failed",
            failure_class="NETWORK_ERROR",
            snapshot_before="",
        )
        Goal.objects.filter(pk=plan.goal_id).update(state="failed", ended_at=timezone.now())

    for _ in range(2):
        fail()
    assert backlog_sources.note_failures() == 0
    fail()
    with monkeypatch.context() as patch:
        dies_storing(patch, 1)
        with pytest.raises(Death):
            backlog_sources.note_failures()
    assert backlog_sources.note_failures() == 1
    assert backlog_sources.note_failures() == 0
    fail()
    assert backlog_sources.note_failures() == 1
    item = BacklogItem.objects.get()
    assert (item.suggestion, item.count, item.source, item.critical) == (
        "Find out why mkdir keeps failing with NETWORK_ERROR",
        2,
        "failures",
        True,
    )


# --- reading ---------------------------------------------------------------------------------------------------------
def test_a_person_sees_what_they_added_and_those_who_triage_see_all(
    owner: User, outsider: User, operator: User
) -> None:
    item = wish("Add tags", owner).item
    assert [each.pk for each in backlog_list.find(owner, ItemFilter()).items] == [item.pk]
    assert backlog_list.find(outsider, ItemFilter()).items == []
    assert backlog_list.find(operator, ItemFilter()).items == [item]
    assert "that you may see" in give(f"coord_approve {item.pk}", outsider).said[0]
    assert overview(owner, days=1).counts["pending"] == "1"
    assert overview(outsider, days=1).counts["pending"] == "0"


def test_a_backlog_of_81971_items_nobody_triages_100_campaigns_0_successes(admin: User, reviewer: User) -> None:
    """The list stays quick with a hundred thousand rows, and the same thing said as often is one row."""
    for _ in range(50):
        wish("Improve the logging of the whole system", None, source="failures")
    assert list(BacklogItem.objects.values_list("count", flat=True)) == [50]
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO agents_backlogitem (target, suggestion, text_key, priority, critical, source, state, reason,"
            " count, last_said_at, tries, failures, outcome, outcome_words, created_at, changed_at)"
            " SELECT 'tool:t' || n % 50, 'wish ' || n, md5(n::text), 1 + n % 5, false, 'failures', CASE WHEN n % 3 = 0"
            " THEN 'rejected' ELSE 'pending' END, '', 1, now(), 0, 0, '', '', now(), now()"
            " FROM generate_series(1, 100000) n"
        )
        cursor.execute("ANALYZE agents_backlogitem")
    seen: list[int] = []
    after = None
    for _ in range(3):
        with CaptureQueriesContext(
            connection,
        ) as asked:
            page = backlog_list.find(admin, ItemFilter(state="open", after=after))
            overview(admin, days=30)
        assert len(asked) <= 3
        _reads_few(asked)
        seen += [item.pk for item in page.items]
        after = page.older
    assert len(set(seen)) == 3 * backlog_list.PAGE
    for wanted in (ItemFilter(target="tool:t7", state="open"), ItemFilter(text="wish 99999", state="open")):
        with CaptureQueriesContext(connection) as asked:
            backlog_list.find(admin, wanted)
        assert len(asked) <= 6


def _reads_few(asked: CaptureQueriesContext) -> None:
    """Each statement is done long before it has read the table, which the planner says costs more than 3,300."""
    for each in asked.captured_queries:
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN (FORMAT JSON) {each['sql']}")
            (plan,) = cursor.fetchone()[0]
        assert plan["Plan"]["Total Cost"] < 1_000, plan
