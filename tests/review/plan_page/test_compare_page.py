"""Comparing plans: any two revisions of a goal, and a plan with an earlier one; only what may be seen."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

import pytest
from django.test import Client
from django.utils import timezone

from agents.models import IntentPlan
from library.memory import services as memory
from people.models import User
from review.deciding import decisions
from tests.review.plans import MKDIR, WRITE, goal_of, proposed, step

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]


def plain(html: str) -> str:
    """What a reader sees."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


@pytest.fixture
def three(plan: IntentPlan) -> list[IntentPlan]:
    """Three revisions, each with another folder."""
    return [plan, *(proposed(plan.goal, [step("mkdir", path=path), WRITE]) for path in ("docs", "do\u200bcs\u202e"))]


def test_any_two_revisions_are_chosen_and_compared_in_either_direction(
    three: list[IntentPlan], judge: User, client_of: ClientOf
) -> None:
    client = client_of(judge)
    for old, new, names in (
        (1, 2, ("notes", "docs")),
        (2, 1, ("docs", "notes")),
        (2, 3, ("docs", "do U+200B cs U+202E")),
    ):
        page = client.get(f"/review/{three[1].pk}/compare/", {"from": old, "to": new}, follow=True)
        assert page.redirect_chain == [(f"/review/{three[new - 1].pk}/compare/{old}/", 302)]
        said = plain(page.content.decode())
        assert f"From r{old} to r{new}" in said
        assert f"In short: {' → '.join(names)}" in said
    # What is hidden in a value is seen.
    assert "U+200B" in said
    assert "U+202E" in said


@pytest.mark.parametrize(("old", "new"), [("", ""), ("0", "9"), ("x", "-1"), ("1" * 40, "2" * 40), ("2", "2")])
def test_a_choice_that_is_none_compares_a_revision_with_itself(
    three: list[IntentPlan], judge: User, client_of: ClientOf, old: str, new: str
) -> None:
    page = client_of(judge).get(f"/review/{three[1].pk}/compare/", {"from": old, "to": new}, follow=True)
    assert page.status_code == 200
    assert "In short: the same steps with the same values." in plain(page.content.decode())


def test_what_stays_the_same_is_shown_in_full_when_asked_for(judge: User, client_of: ClientOf) -> None:
    long = "".join(f"line {number}\n" for number in range(200))
    first = proposed(goal_of(judge), [MKDIR, step("write", path="a.txt", content=long)])
    second = proposed(first.goal, [step("mkdir", path="docs"), step("write", path="a.txt", content=long)])
    client = client_of(judge)
    folded = client.get(f"/review/{second.pk}/compare/1/").content.decode()
    whole = client.get(f"/review/{second.pk}/compare/1/?whole").content.decode()
    assert "line 100" not in folded
    assert "stay the same" in folded
    assert all(f"    line {number}</code>" in whole for number in range(200))


def precedent(of: User, goal_of_it: IntentPlan) -> None:
    memory.record(
        goal_ref=str(goal_of_it.goal_id),
        owner=of,
        primary_goal_description=goal_of_it.goal.text,
        final_outcome="success",
        timestamp=timezone.now(),
        initiating_agent_id="mindx",
        workflow_id=str(goal_of_it.pk),
    )


def test_a_precedent_shows_its_decision_its_outcome_and_the_difference(
    plan: IntentPlan, judge: User, submitter: User, client_of: ClientOf
) -> None:
    earlier = proposed(goal_of(submitter, "Write a note again"), [step("mkdir", path="docs"), WRITE])
    decisions.approve(earlier, by=judge, digest=earlier.digest)
    precedent(submitter, earlier)
    client = client_of(judge)
    page = client.get(f"/review/{plan.pk}/").content.decode()
    said = plain(page.split(">Precedents<")[1].split("</section>")[0])
    for words in ("Write a note again", "success", "approve by Jo Lindt", "differs : docs → notes"):
        assert words in said
    assert f"/review/{plan.pk}/against/{earlier.pk}/" in page
    compared = client.get(f"/review/{plan.pk}/against/{earlier.pk}/")
    assert f"From plan {earlier.pk} to plan {plan.pk}" in plain(compared.content.decode())
    assert re.search(r'<li class="d"><b>\d+</b><b></b><code> +path: docs</code>', compared.content.decode())


def test_a_precedent_that_names_a_plan_of_another_goal_leads_nowhere(
    plan: IntentPlan, judge: User, submitter: User, client_of: ClientOf
) -> None:
    earlier, foreign = proposed(goal_of(submitter, "Write a note again")), proposed(goal_of(judge, "Something else"))
    precedent(submitter, earlier)
    type(earlier)._meta.apps.get_model("library", "Experience").objects.update(workflow_id=str(foreign.pk))
    page = client_of(judge).get(f"/review/{plan.pk}/").content.decode()
    assert "Write a note again" in page
    assert "/against/" not in page


def test_a_plan_that_may_not_be_seen_is_compared_with_nothing(
    plan: IntentPlan, judge: User, submitter: User, stranger: User, client_of: ClientOf
) -> None:
    own = proposed(goal_of(stranger))
    assert client_of(stranger).get(f"/review/{own.pk}/against/{plan.pk}/").status_code == 404
    assert client_of(stranger).get(f"/review/{plan.pk}/against/{own.pk}/").status_code == 404
    assert client_of(stranger).get(f"/review/{plan.pk}/compare/").status_code == 404
    assert client_of(judge).get(f"/review/{own.pk}/against/{plan.pk}/").status_code == 200


def test_the_header_of_a_much_revised_plan_names_the_newest_and_this_one(
    plan: IntentPlan, judge: User, client_of: ClientOf
) -> None:
    for number in range(8):
        proposed(plan.goal, [step("mkdir", path=f"docs-{number}")])
    group = (
        client_of(judge)
        .get(f"/review/{plan.pk}/")
        .content.decode()
        .split('aria-label="Revision"')[1]
        .split("</nav>")[0]
    )
    assert re.findall(r">(r\d+)", group) == ["r1", "r6", "r7", "r8", "r9"]
