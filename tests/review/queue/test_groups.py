"""Plans of one shape: what is shown of them, and one verdict that covers only what was shown."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from typing import Any
from urllib.parse import urljoin

import pytest
from django.core import signing
from django.test import Client
from django.utils import timezone

from agents.execution import shadow
from agents.models import Goal, IntentPlan
from agents.plans import shadowing
from agents.states import PlanState
from agents.workspaces import workspaces
from people.models import User
from review.audit import decision_chain
from review.deciding import batch, decisions, holding, shown
from review.deciding.ruling import Ruling
from review.entries import places, risks
from review.models import Approval, Decision, HeldDecision, QueueEntry
from review.policy.verdict import Action
from review.queue import groups
from review.risk.assessment import Level
from sandbox.store.snapshots import EMPTY
from tests.review.plans import goal_of, proposed, step, tried, with_files
from tests.review.some_policies import in_force

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
TOKEN = re.compile(r'name="member" value="([^"]+)"')


def note(owner: User, name: str, folder: str = "notes", content: str = "hello") -> IntentPlan:
    """A note that was tried in a copy."""
    plan = untried(owner, name, folder, content)
    tried(plan, added=[f"{folder}/{name}.txt"])
    return plan


def untried(owner: User, name: str, folder: str = "notes", content: str = "hello") -> IntentPlan:
    goal = goal_of(owner, f"Note {name}", workspace=place_of(owner))
    return proposed(goal, [step("write", path=f"{folder}/{name}.txt", content=content)])


def place_of(owner: User) -> Any:
    from agents.models import Workspace

    return Workspace.objects.get_or_create(name=f"place-{owner.pk}", owner=owner, defaults={"head": EMPTY})[0]


@pytest.fixture
def four(submitter: User) -> list[IntentPlan]:
    """Three notes, and one that lies where the others do not."""
    return [note(submitter, "one"), note(submitter, "two"), note(submitter, "three"), note(submitter, "bad", "billing")]


def group(plan: IntentPlan) -> str:
    """Where the plan's group stands."""
    entry = QueueEntry.objects.get(pk=plan.pk)
    return f"/review/groups/{entry.shape}/{entry.trial}/"


def page_of(user: User, plan: IntentPlan, **more: Any) -> groups.GroupPage | None:
    entry = QueueEntry.objects.get(pk=plan.pk)
    return groups.page(user, entry.shape, entry.trial, **more)


def text(client: Client, plan: IntentPlan, **query: Any) -> str:
    answer = client.get(group(plan), query)
    assert answer.status_code == 200
    return answer.content.decode()


def seals(user: User, plans: list[IntentPlan], opened: tuple[int, ...] = ()) -> list[str]:
    """The seals that the page of these plans' group gives this person, in the order of the plans."""
    found = page_of(user, plans[0], opened=opened)
    assert found is not None
    by_plan = {member.plan.pk: member.seal for member in found.members}
    return [by_plan[plan.pk] for plan in plans]


def sent(client: Client, plan: IntentPlan, members: list[str], verdict: str = "approve", **more: str) -> str:
    answer = client.post(f"{group(plan)}decide/", {"member": members, "verdict": verdict, **more})
    return unescape(answer.content.decode())


# --- what is shown -------------------------------------------------------------------------------------------


def test_the_queue_shows_shapes_with_their_members(
    four: list[IntentPlan], submitter: User, judge: User, stranger: User, client_of: ClientOf
) -> None:
    proposed(goal_of(submitter, "alone"), [step("mkdir", path="x")])
    page = client_of(judge).get("/review/?view=groups").content.decode()
    assert f'href="{group(four[0])}"' in page
    assert "the first of 4:" in page
    assert "one plan:" in page
    assert [group.members for group in groups.listing(judge)] == [1, 4], "what nobody knows before what only writes"
    assert groups.listing(stranger) == []


def test_a_group_shows_once_what_is_shared_and_in_full_what_differs(
    four: list[IntentPlan], judge: User, client_of: ClientOf
) -> None:
    page = text(client_of(judge), four[0])
    assert page.count("hello") == 1
    for name in ("notes/one.txt", "notes/two.txt", "notes/three.txt"):
        assert page.count(f'<span class="mono">{name}</span>') == 1
    assert '<span class="mono">billing/bad.txt</span>' not in page
    assert "Different:" in page
    assert "lies in “billing”" in page
    assert len(TOKEN.findall(page)) == 3
    opened = text(client_of(judge), four[0], open=four[3].pk)
    assert '<span class="mono">billing/bad.txt</span>' in opened
    assert len(TOKEN.findall(opened)) == 4


def test_foreign_text_of_a_group_is_escaped_and_visible(submitter: User, judge: User, client_of: ClientOf) -> None:
    one = note(submitter, "<script>alert(1)</script>", content="a\u202eb")
    note(submitter, "two")
    page = text(client_of(judge), one, open=one.pk)
    assert "<script>alert(1)" not in page
    assert "U+202E" in page


def test_a_group_of_what_is_not_mine_is_no_group(
    four: list[IntentPlan], stranger: User, submitter: User, client_of: ClientOf
) -> None:
    assert client_of(stranger).get(group(four[0])).status_code == 404
    assert client_of(stranger).get("/review/groups/nothing/here/").status_code == 404
    assert TOKEN.findall(text(client_of(submitter), four[0])) == []


def test_a_group_asks_few_questions_of_the_database(
    four: list[IntentPlan], submitter: User, judge: User, client_of: ClientOf, django_assert_num_queries: Any
) -> None:
    client, address = client_of(judge), group(four[0])
    for _ in range(2):
        with django_assert_num_queries(8):  # session, person, members, the usual ones, count, holds, dry runs, numbers
            client.get(address)
        for number in range(6):
            note(submitter, f"more{number}")


def test_pages_of_a_group_hold_everybody_once(four: list[IntentPlan], judge: User) -> None:
    seen: list[int] = []
    cursor = None
    while True:
        found = page_of(judge, four[0], after=cursor, limit=3)
        assert found is not None
        seen += [member.plan.pk for member in found.members]
        cursor = found.following
        if cursor is None:
            break
    assert sorted(seen) == sorted(plan.pk for plan in four)


# --- what their dry runs came to --------------------------------------------------------------------------


def test_a_row_says_what_its_shadow_run_came_to_and_changed_deletions_first(
    submitter: User, judge: User, client_of: ClientOf
) -> None:
    plans = [untried(submitter, name) for name in ("one", "two")]
    for plan in plans:
        gone = [f"old/{number}.txt" for number in range(12)]
        tried(plan, deleted=gone, added=[f"new/{number}" for number in range(6)])
    page = text(client_of(judge), plans[0])
    assert page.count("1 step done") == 2
    assert page.count("12 deleted") == 2
    assert page.count("<code>old/11.txt</code>") == 2, "every deletion is named"
    assert page.count("6 new") == 4, "in each row's sentence, too"
    assert page.count("and 2 more") == 2
    assert page.index("12 deleted") < page.index("6 new", page.index("12 deleted"))


def test_what_failed_in_its_copy_is_no_member_and_is_named_beside_the_group(
    four: list[IntentPlan], submitter: User, judge: User, client_of: ClientOf
) -> None:
    failed = untried(submitter, "failed")
    tried(failed, failed_at=1)
    page = text(client_of(judge), four[0])
    assert "4 similar plans" in page
    assert "Note failed" not in page
    assert "1 more plan with the same steps</a>, whose dry run failed" in page
    alone = text(client_of(judge), failed)
    assert "step 1 failed: exit code 1" in alone
    assert "so they are decided one by one" in alone
    assert TOKEN.findall(alone) == []
    assert 'id="batch"' not in alone
    assert [(one.members, one.outcome) for one in groups.listing(judge)] == [(1, "failed"), (4, "done")]


def test_what_was_not_tried_or_is_being_tried_is_in_no_batch_and_says_so(
    four: list[IntentPlan], submitter: User, judge: User, client_of: ClientOf
) -> None:
    never = untried(submitter, "never")
    assert "no dry run yet" in text(client_of(judge), never)
    assert seals(judge, [never]) == [""]
    impossible = untried(submitter, "impossible")
    tried(impossible, state="impossible")
    assert "dry run not possible" in text(client_of(judge), impossible)
    assert seals(judge, [impossible]) == [""]
    assert places.try_again(four[0])
    assert seals(judge, four[:1]) == [""]
    assert seals(judge, four[1:2]) != [""]
    assert not places.try_again(four[0]), "it is under way"


def test_other_kinds_of_change_or_other_steps_unproven_make_another_group(submitter: User, judge: User) -> None:
    same = [note(submitter, name) for name in ("one", "two")]
    deletes, nothing = untried(submitter, "deletes"), untried(submitter, "nothing")
    tried(deletes, deleted=["old.txt"], added=["notes/deletes.txt"])
    tried(nothing)
    assert len({group(plan) for plan in [*same, deletes, nothing]}) == 3
    assert group(same[0]) == group(same[1])


def hidden_failure(plan: IntentPlan) -> None:
    """What the page of the group cannot know: the plan was tried again meanwhile, and failed."""
    tried(plan, failed_at=1)


def asked_again(plan: IntentPlan) -> None:
    places.try_again(plan)


def behind_the_queue(plan: IntentPlan) -> None:
    """A run that has failed and that nobody has looked at yet: the queue still says that all is well."""
    run = tried(plan)
    run.findings[0]["proof"] = "failed"
    run.save()
    QueueEntry.objects.filter(pk=plan.pk).update(outcome="done")


def done_again(plan: IntentPlan) -> None:
    tried(plan, added=["notes/one.txt"])


def forgotten(plan: IntentPlan) -> None:
    plan.shadow_runs.all().delete()


@pytest.mark.parametrize(
    ("meanwhile", "verdict", "words"),
    [
        (hidden_failure, "approve", "Its dry run failed (step 1 failed: exit code 1)"),
        (hidden_failure, "reject", "Its dry run failed"),
        (hidden_failure, "request-changes", "Its dry run failed"),
        (asked_again, "approve", "dry run queued"),
        (behind_the_queue, "approve", "Its dry run failed"),
        (done_again, "approve", "Its dry run was repeated"),
        (forgotten, "approve", "no dry run yet"),
    ],
)
def test_a_page_that_is_old_decides_nothing_of_what_failed_or_is_tried_again_since(
    four: list[IntentPlan],
    judge: User,
    settings: Any,
    meanwhile: Callable[[IntentPlan], None],
    verdict: str,
    words: str,
) -> None:
    settings.HOLD_S = 0
    sealed = seals(judge, four[:2])
    meanwhile(four[0])
    done = batch.decide(sealed, verdict, "a reason", by=judge)
    assert list(done.decided) == [four[1]]
    assert [one.plan for one in done.refused] == [four[0]]
    assert words in done.refused[0].reason
    assert not Decision.objects.filter(intent_plan=four[0]).exists()


def test_one_form_does_not_decide_plans_of_two_groups(four: list[IntentPlan], submitter: User, judge: User) -> None:
    deletes = untried(submitter, "deletes")
    tried(deletes, deleted=["old.txt"])
    sealed = [*seals(judge, four[:1]), *seals(judge, [deletes])]
    done = batch.decide(sealed, "approve", "", by=judge)
    assert list(done.decided) == four[:1]
    assert "does not belong to this group" in done.refused[0].reason


# --- the verdict ---------------------------------------------------------------------------------------------


def test_each_member_gets_a_decision_of_its_own(
    four: list[IntentPlan], judge: User, client_of: ClientOf, settings: Any
) -> None:
    settings.HOLD_S = 0
    page = sent(client_of(judge), four[0], seals(judge, four[:3]))
    assert "3 approved:" in page
    assert {row.intent_plan_id for row in Approval.objects.all()} == {plan.pk for plan in four[:3]}
    assert Decision.objects.filter(verdict="approve", by=judge).count() == 3
    assert decision_chain.walk().broken is None
    assert IntentPlan.objects.get(pk=four[3].pk).state == PlanState.AWAITING_REVIEW


def test_a_batch_is_held_and_each_of_it_can_be_taken_back(
    four: list[IntentPlan], judge: User, client_of: ClientOf, settings: Any
) -> None:
    settings.HOLD_S = 10
    client = client_of(judge)
    sent(client, four[0], seals(judge, four[:3]))
    assert HeldDecision.objects.count() == 3
    held = HeldDecision.objects.get(intent_plan=four[0])
    assert holding.undo(held.pk, four[0], by=judge)
    assert "Decided by you; it can still be undone." in text(client, four[0])
    assert len(TOKEN.findall(text(client, four[0]))) == 1


def test_a_batch_is_taken_back_at_once_and_what_took_effect_is_named(
    four: list[IntentPlan], judge: User, second_judge: User, submitter: User, client_of: ClientOf, settings: Any
) -> None:
    settings.HOLD_S = 10
    client = client_of(judge)
    alone = note(submitter, "alone", "elsewhere")
    holding.decide(alone, Ruling("approve", alone.digest), by=judge)
    page = sent(client, four[0], seals(judge, four[:3]))
    assert "3 approvals start in" in words(page)
    found = re.search(r'action="(/review/held/[^/"]+/undo/)"', page)
    assert found is not None
    named = {"plan": [str(plan.pk) for plan in four[:3]]}
    assert client_of(second_judge).post(found[1], named, follow=True).status_code == 200
    assert HeldDecision.objects.count() == 4, "nobody takes back what another one decided"
    HeldDecision.objects.filter(intent_plan=four[1]).update(due_at=timezone.now() - timedelta(seconds=1))
    assert holding.settle_due() == 1
    answer = client.post(found[1], named)
    assert answer.headers["Location"] == group(four[0])
    said = words(client.get(group(four[0])).content.decode())
    assert "2 undone. They await a decision again." in said
    assert f"1 could not be undone and took effect: goal {four[1].goal_id}." in said
    assert list(HeldDecision.objects.values_list("intent_plan", flat=True)) == [alone.pk], "made by another click"
    assert "There was nothing left to undo." in words(client.post(found[1], follow=True).content.decode())


def really_tried(plan: IntentPlan) -> IntentPlan:
    """The plan after its dry run in a copy of its workspace."""
    shadowing.ask(plan)
    shadow.one()
    risks.store(plan, shadowing.latest(plan))
    return plan


def test_the_group_says_before_a_decision_which_plans_meet_in_which_files(
    submitter: User, judge: User, client_of: ClientOf, store: Any
) -> None:
    place = with_files(store, submitter, {"notes/one.txt": b"old", "notes/two.txt": b"old"})

    def another(name: str, path: str) -> IntentPlan:
        write = step("write", path=path, content=name)
        plan = proposed(goal_of(submitter, f"Note {name}", workspace=place), [write])
        return really_tried(plan)

    first, _ = another("one", "notes/one.txt"), another("two", "notes/two.txt")
    assert 'id="meetings"' not in text(client_of(judge), first), "they share a workspace and no file"
    third = another("three", "notes/one.txt")
    said = words(text(client_of(judge), first))
    assert f"Plans {first.pk} and {third.pk} change the same files: notes/one.txt." in said
    assert "Whichever runs second is shown to you again with the difference." in said


def test_a_batch_is_decided_so_that_what_reads_a_file_comes_before_what_changes_it(
    submitter: User, judge: User, client_of: ClientOf, store: Any, settings: Any
) -> None:
    settings.HOLD_S = 0
    place = with_files(store, submitter, {"a.txt": b"one", "b.txt": b"two", "c.txt": b"three"})

    def copies(source: str, to: str) -> IntentPlan:
        steps = [step("toggle_autonomous_mode", on=True), step("cp", path=source, to=to, overwrite=True)]
        plan = proposed(goal_of(submitter, f"Copy {source} to {to}", workspace=place), steps)
        return really_tried(plan)

    # In the order in which they came, the first would change what the second reads.
    changes, reads = copies("a.txt", "b.txt"), copies("b.txt", "c.txt")
    address = group(changes)
    page = client_of(judge).get(f"{address}?open={changes.pk}&open={reads.pk}").content.decode()
    assert f"Plan {reads.pk} runs before plan {changes.pk}, which changes what it works on: b.txt." in words(page)
    seals = re.findall(r'name="member" value="([^"]+)"', page)
    client_of(judge).post(f"{address}decide/", {"member": seals, "verdict": "approve"})
    assert list(Decision.objects.order_by("pk").values_list("intent_plan", flat=True)) == [reads.pk, changes.pk]


def words(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", "", page)).split())


def test_every_way_on_from_what_became_of_a_batch_leads_somewhere(
    four: list[IntentPlan], judge: User, client_of: ClientOf, settings: Any
) -> None:
    """The answer stands at an address that only takes forms: what leads on from it must not count from there."""
    settings.HOLD_S = 0
    client = client_of(judge)
    page = sent(client, four[0], ["a seal of nobody"])
    at = f"{group(four[0])}decide/"
    ways = {urljoin(at, way) for way in re.findall(r'(?:href|hx-get)="([^"#]+)', page)}
    assert any(f"open={four[3].pk}" in way for way in ways)
    reviews = sorted(way for way in ways if way.startswith("/review/"))
    assert [way for way in reviews if client.get(way, follow=True).status_code != 200] == []


@pytest.mark.parametrize(
    ("verdict", "field", "state"), [("reject", "reason", "rejected"), ("request-changes", "comment", "superseded")]
)
def test_a_reason_goes_to_each_of_them(
    verdict: str, field: str, state: str, four: list[IntentPlan], judge: User, client_of: ClientOf, settings: Any
) -> None:
    settings.HOLD_S = 0
    client = client_of(judge)
    answer = client.post(f"{group(four[0])}decide/", {"member": seals(judge, four[:2]), "verdict": verdict, field: " "})
    assert answer.status_code == 422
    assert not Decision.objects.exists()
    sent(client, four[0], seals(judge, four[:2]), verdict, **{field: "use the other folder"})
    assert set(Decision.objects.values_list("comment", flat=True)) == {"use the other folder"}
    assert {IntentPlan.objects.get(pk=plan.pk).state for plan in four[:2]} == {state}


def test_what_stands_out_has_no_seal_until_it_was_opened(four: list[IntentPlan], judge: User) -> None:
    assert seals(judge, four)[3] == ""
    assert seals(judge, four, (four[3].pk,))[3] != ""


def test_only_what_this_server_showed_this_person_is_decided(
    four: list[IntentPlan], judge: User, second_judge: User, client_of: ClientOf, settings: Any
) -> None:
    settings.HOLD_S = 0
    mine = seals(judge, four[:1])[0]
    forged = [
        str(four[1].pk),
        f"{four[1].pk}:{four[1].digest}",
        mine[:-1] + ("A" if mine[-1] != "A" else "B"),
        seals(second_judge, four[1:2])[0],
        signing.dumps([judge.pk, four[1].pk, four[1].digest, 1, 3], salt="another"),
    ]
    page = sent(client_of(judge), four[0], [*forged, mine])
    assert "1 approved:" in page
    assert "5 not decided:" in page
    assert "have not opened its differences" in page
    assert [row.intent_plan for row in Approval.objects.all()] == four[:1]


def test_a_seal_that_is_too_old_says_so(four: list[IntentPlan], judge: User, monkeypatch: pytest.MonkeyPatch) -> None:
    old = seals(judge, four[:1])[0]
    from datetime import timedelta

    monkeypatch.setattr(shown, "VALID", timedelta(seconds=-1))
    done = batch.decide([old], "approve", "", by=judge)
    assert (done.decided, len(done.refused)) == ((), 1)


def test_a_changed_digest_or_a_risk_that_rose_is_named_and_not_decided(
    four: list[IntentPlan], judge: User, without_guard: Any, settings: Any
) -> None:
    settings.HOLD_S = 0
    sealed = seals(judge, four[:3])
    with without_guard("agents_intentplan", "intent_plan_immutable"):
        IntentPlan.objects.filter(pk=four[0].pk).update(digest="a" * 64)
    QueueEntry.objects.filter(pk=four[1].pk).update(rank=Level.HIGH.rank)
    done = batch.decide(sealed, "approve", "", by=judge)
    assert list(done.decided) == [four[2]]
    reasons = {one.plan: one.reason for one in done.refused}
    assert "digest" in reasons[four[0]]
    assert "Its risk is high now" in reasons[four[1]]


def test_each_members_own_refusal_is_told_and_the_others_are_decided(
    submitter: User, judge: User, second_judge: User, settings: Any
) -> None:
    settings.FOUR_EYES = True
    one, two, mine = note(submitter, "one"), note(submitter, "two"), note(judge, "mine")
    opened = tuple(plan.pk for plan in (one, two, mine))
    sealed = seals(judge, [one, two], opened)
    assert seals(judge, [mine], opened) == [""]
    own = shown.seal(QueueEntry.objects.get(pk=mine.pk), mine.digest, judge, mine.shadow_runs.get().pk)
    decisions.reject(two, by=second_judge, digest=two.digest, reason="no")
    done = batch.decide([*sealed, own], "approve", "", by=judge)
    assert list(done.decided) == [one]
    reasons = {one.plan: one.reason for one in done.refused}
    assert "already rejected by kai" in reasons[two]
    assert "four eyes" in reasons[mine]


def test_two_people_are_asked_for_each_member(
    four: list[IntentPlan], judge: User, second_judge: User, keeper: User, settings: Any
) -> None:
    settings.HOLD_S = 0
    in_force(Action.REQUIRE_TWO, keeper, commands=["write"])
    first = batch.decide(seals(judge, four[:2]), "approve", "", by=judge)
    assert not Approval.objects.exists()
    assert (first.decided, [one.pk for one in first.first_of_two]) == ((), [four[0].pk, four[1].pk])
    again = batch.decide(seals(judge, four[:2]), "approve", "", by=judge)
    assert ["A second person must approve it too" in one.reason for one in again.refused] == [True, True]
    assert len(batch.decide(seals(second_judge, four[:2]), "approve", "", by=second_judge).decided) == 2
    assert Approval.objects.count() == 2


@pytest.mark.parametrize("hold_s", [0, 10])
def test_who_is_the_first_of_two_is_not_told_that_it_is_approved(
    four: list[IntentPlan], judge: User, keeper: User, client_of: ClientOf, settings: Any, hold_s: int
) -> None:
    settings.HOLD_S = hold_s
    in_force(Action.REQUIRE_TWO, keeper, paths=["notes/one.txt"])
    page = sent(client_of(judge), four[0], seals(judge, four[:2]))
    assert "1 approved:" in page
    assert "1 approved as the first of two:" in page
    assert "A second person must approve it too" in page


def test_what_nobody_could_have_sent_is_refused(
    four: list[IntentPlan], judge: User, submitter: User, client_of: ClientOf
) -> None:
    address = f"{group(four[0])}decide/"
    for form in ({}, {"verdict": "approve"}, {"verdict": "launch", "member": seals(judge, four[:1])}):
        assert client_of(judge).post(address, form).status_code == 422
    many = {"verdict": "approve", "member": [f"x{n}" for n in range(101)]}
    assert client_of(judge).post(address, many).status_code == 422
    own = shown.seal(QueueEntry.objects.get(pk=four[0].pk), four[0].digest, submitter, four[0].shadow_runs.get().pk)
    assert "reviewer role" in sent(client_of(submitter), four[0], [own])
    assert not HeldDecision.objects.exists()


def test_the_same_form_sent_again_decides_nothing_twice(four: list[IntentPlan], judge: User, settings: Any) -> None:
    settings.HOLD_S = 0
    sealed = seals(judge, four[:1])
    assert len(batch.decide(sealed * 2, "approve", "", by=judge).decided) == 1
    assert len(batch.decide(sealed, "approve", "", by=judge).refused) == 1
    assert Decision.objects.count() == 1


# --- what is dangerous -----------------------------------------------------------------------------------------


def test_what_is_dangerous_is_opened_and_selected_by_itself(submitter: User, judge: User, client_of: ClientOf) -> None:
    """Seven that delete are no less dangerous for being seven."""
    plans = [deleting(submitter, "old") for _ in range(7)]
    found = page_of(judge, plans[0])
    assert found is not None
    assert (found.alike, found.grave, found.standing_out) == (0, 7, 0)
    assert seals(judge, plans) == [""] * 7
    page = text(client_of(judge), plans[0])
    assert "data-tick-alike" not in page
    assert page.count("Deletes old.txt, which exists nowhere else") == 7
    opened = text(client_of(judge), plans[0], open=plans[3].pk)
    assert len(TOKEN.findall(opened)) == 1
    assert opened.count("data-alone") == 1
    seal = seals(judge, plans, opened=(plans[3].pk,))[3]
    assert batch.decide([seal], "approve", "", by=judge).decided == (plans[3],)


def deleting(owner: User, name: str) -> IntentPlan:
    """A plan in a workspace of its own that deletes the only copy of a file, as its dry run showed."""
    goal = goal_of(owner, f"Delete {name}")
    workspaces.put_file(goal.workspace, by=owner, path=f"{name}.txt", source=io.BytesIO(name.encode()))
    steps = [step("toggle_autonomous_mode", on=True), step("rm", path=f"{name}.txt")]
    plan = proposed(Goal.objects.get(pk=goal.pk), steps)
    run = tried(plan)
    run.after = EMPTY
    run.save()
    risks.store(plan, run)
    return plan
