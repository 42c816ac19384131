"""Filters of the queue: what they let through, in the address, and kept by a person under a name."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from people.models import User
from review.models import QueueEntry, SavedFilter
from review.queue import assigning, listing
from review.reading import filters
from review.reading.filters import Filters
from review.risk.assessment import Level
from tests.review.plans import WRITE, goal_of, proposed, step

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
DELETE = (step("toggle_autonomous_mode", on=True), step("rm", path="x"))


def found(user: User, **asked: str) -> set[str]:
    only, problems = filters.read(asked)
    assert problems == {}
    return {row.plan.goal.text for row in listing.page(user, None, only=only)[0]}


@pytest.fixture
def two(submitter: User, stranger: User, judge: User) -> None:
    """“Tidy the reports” of Sue, who waits long, assigned to Jo; “Write a note” of Stan."""
    tidy = proposed(goal_of(submitter, "Tidy the reports"), DELETE)
    proposed(goal_of(stranger, "Write a note"), [WRITE])
    QueueEntry.objects.filter(pk=tidy.pk).update(rank=Level.HIGH.rank, queued_at=timezone.now() - timedelta(hours=3))
    assigning.assign(tidy, judge, by=judge)


@pytest.mark.parametrize(
    "asked",
    [
        {"words": "reports TIDY"},
        {"risk": "high"},
        {"by": "sue"},
        {"workspace": "ws-1"},
        {"does": "rm"},
        {"does": "simple_coder.rm"},
        {"longer": "120"},
        {"assigned": "me"},
        {"assigned": "jo"},
        {"risk": "high", "by": "sue", "does": "rm", "agent": "mindx"},
    ],
)
def test_each_part_of_a_filter_lets_only_that_through(asked: dict[str, str], two: None, judge: User) -> None:
    assert found(judge, **asked) == {"Tidy the reports"}


@pytest.mark.parametrize(
    "asked",
    [
        {"words": "tidy note"},
        {"by": "nobody-here"},
        {"risk": "low"},
        {"agent": "other"},
        {"does": "rm -rf"},
        {"by": "su%"},
    ],
)
def test_what_nothing_holds_for_finds_nothing(asked: dict[str, str], two: None, judge: User) -> None:
    assert found(judge, **asked) == set()


def test_both_do_what_simple_coder_does_and_one_is_nobodys(two: None, judge: User) -> None:
    assert len(found(judge, does="simple_coder")) == 2
    assert found(judge, assigned="nobody") == {"Write a note"}


def test_a_filter_shows_nobody_what_is_not_theirs(two: None, stranger: User) -> None:
    assert found(stranger, by="sue") == set()
    assert found(stranger) == {"Write a note"}


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"risk": "terrible"}, "risk"),
        ({"longer": "-3"}, "longer"),
        ({"longer": "9" * 30}, "longer"),
        ({"words": "a b c d e f g h i"}, "words"),
        ({"by": "x" * 200}, "by"),
        ({"by": "a\0b"}, "by"),
    ],
)
def test_what_is_no_filter_is_left_out_and_said(
    asked: dict[str, str], field: str, two: None, judge: User, client_of: ClientOf
) -> None:
    only, problems = filters.read(asked)
    assert list(problems) == [field]
    assert not only
    text = client_of(judge).get("/review/", asked).content.decode()
    assert "This filter is ignored." in text
    assert "Tidy the reports" in text


def test_a_tool_that_nobody_knows_is_said(two: None, judge: User, client_of: ClientOf) -> None:
    text = client_of(judge).get("/review/?does=teleport").content.decode()
    assert "There is no tool or command with this name." in text


def test_an_address_holds_the_whole_filter() -> None:
    only = Filters(words="tidy up", risk="high", longer="60", assigned="me")
    assert only.query == "words=tidy+up&risk=high&longer=60&assigned=me"
    assert only.in_words == "“tidy up” in the goal, high risk, waiting longer than 1 h, assigned to me"
    assert not Filters()


def test_a_filter_is_kept_shown_replaced_and_deleted_by_its_owner_alone(
    two: None, judge: User, second_judge: User, client_of: ClientOf
) -> None:
    client, other = client_of(judge), client_of(second_judge)
    client.post("/review/filters/", {"name": "danger", "query": "risk=high&evil=1"})
    kept = SavedFilter.objects.get()
    assert (kept.owner, kept.query) == (judge, "risk=high")
    assert '<a href="?risk=high" aria-current="page">danger</a>' in client.get("/review/?risk=high").content.decode()
    assert ">danger</a>" not in other.get("/review/").content.decode()
    client.post("/review/filters/", {"name": " danger ", "query": "risk=unknown"})
    assert SavedFilter.objects.get().query == "risk=unknown"
    assert other.post(f"/review/filters/{kept.pk}/delete/").status_code == 404
    assert SavedFilter.objects.exists()
    client.post(f"/review/filters/{kept.pk}/delete/")
    assert not SavedFilter.objects.exists()


@pytest.mark.parametrize(
    ("name", "query"), [("", "risk=high"), ("x" * 61, "risk=high"), ("empty", ""), ("bad", "risk=?")]
)
def test_what_cannot_be_kept_is_refused_with_the_reason(
    name: str, query: str, judge: User, client_of: ClientOf
) -> None:
    client = client_of(judge)
    answer = client.post("/review/filters/", {"name": name, "query": query}, follow=True)
    assert 'class="notice nt-bad"' in answer.content.decode()
    assert not SavedFilter.objects.exists()


def test_a_person_keeps_thirty_filters_at_most(judge: User, client_of: ClientOf) -> None:
    SavedFilter.objects.bulk_create(SavedFilter(owner=judge, name=str(n), query="risk=high") for n in range(30))
    client_of(judge).post("/review/filters/", {"name": "one more", "query": "risk=low"})
    assert SavedFilter.objects.count() == 30


def test_more_of_the_queue_keeps_the_filter(
    submitter: User, judge: User, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        proposed(goal_of(submitter, f"goal {number}"))
    page = listing.page
    monkeypatch.setattr(listing, "page", lambda user, after, only: page(user, after, 2, only))
    assert 'href="?by=sue&amp;after=' in client_of(judge).get("/review/?by=sue").content.decode()


def test_going_from_plan_to_plan_stays_among_what_the_list_showed(
    submitter: User, judge: User, client_of: ClientOf
) -> None:
    high = [proposed(goal_of(submitter, f"High {n}"), [WRITE]) for n in range(2)]
    other = proposed(goal_of(submitter, "Another"), [WRITE])
    QueueEntry.objects.filter(pk__in=[plan.pk for plan in high]).update(rank=Level.HIGH.rank)
    asking = client_of(judge)
    page = asking.get(high[1].get_absolute_url()).content.decode()
    assert f'href="{other.get_absolute_url()}" data-go="next"' in page
    asking.get("/review/?risk=high")
    page = asking.get(high[1].get_absolute_url()).content.decode()
    assert "Filter: high risk" in page
    assert 'href="/review/?risk=high">Review</a>' in page
    assert f'href="{high[0].get_absolute_url()}" data-go="previous"' in page
    assert 'data-go="next"' not in page
    # A list that refreshes itself in another tab does not change it.
    asking.get("/review/", headers={"HX-Request": "true"})
    following = asking.post(f"{high[0].get_absolute_url()}decide/", {"verdict": "approve", "digest": high[0].digest})
    assert following.headers["Location"] == high[1].get_absolute_url()
    end = asking.post(f"{high[1].get_absolute_url()}decide/", {"verdict": "approve", "digest": high[1].digest})
    assert end.headers["Location"] == "/review/?risk=high"
    asking.get("/review/")
    assert "Filter:" not in asking.get(other.get_absolute_url()).content.decode()
