"""A teacher is told when somebody else ends what they taught; of what they end themselves they know."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from agents.models import IntentPlan, Lesson
from agents.tuning import lessons
from agents.tuning.lessons import Taught
from people.models import User
from review.models import Delivery, Notice, NoticeChoice
from review.notices import deliveries
from tests.forging import sealed

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
APP = Taught("mapping", "simple_coder", "", "path", "app", "src/secret.py")
MESSAGE = Taught("default", "git_tool", "commit", "message", default="As ever")


def taught(what: Taught, by: User, plan: IntentPlan) -> Lesson:
    return lessons.teach(what, by=by, plan=plan, step=1)


def test_each_end_by_another_is_told_once_and_leads_to_the_lesson(
    plan: IntentPlan, judge: User, keeper: User, stranger: User, client_of: ClientOf
) -> None:
    lessons.take_back(taught(APP, judge, plan), by=keeper, note="it moved")
    lessons.promote(taught(MESSAGE, judge, plan), by=keeper)
    back, promoted = Notice.objects.order_by("pk")
    assert {back.user, promoted.user} == {judge}
    assert back.text == "Your lesson was taken back and no longer applies: “app” for simple_coder.path"
    assert promoted.text.startswith("Your lesson was promoted and now applies to everybody: git_tool.commit")
    assert "secret" not in back.text, "no path and no value goes out"
    assert "As ever" not in promoted.text
    client = client_of(judge)
    page = client.get("/review/notices/").content.decode()
    assert back.text in page
    assert f"lesson {back.lesson_id}" in page
    followed = client.get(f"/review/notices/{back.pk}/", follow=True)
    assert followed.redirect_chain == [(f"/tuning/taught/{back.lesson_id}/", 302)]
    assert "it moved" in followed.content.decode()
    assert client_of(stranger).get(f"/review/notices/{back.pk}/").status_code == 404


def test_who_ends_what_they_taught_is_told_nothing(plan: IntentPlan, judge: User, keeper: User) -> None:
    lessons.take_back(taught(APP, judge, plan), by=judge)
    lessons.promote(taught(MESSAGE, keeper, plan), by=keeper)
    assert not Notice.objects.exists()


def test_it_goes_elsewhere_too_for_who_chose_that(
    plan: IntentPlan, judge: User, keeper: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    woken: list[int] = []
    monkeypatch.setattr(deliveries, "wake", woken.append)
    sealed(NoticeChoice.objects.create(user=judge, apprise_address="json://example.org", apprise_kinds=["lesson"]))
    lessons.take_back(taught(APP, judge, plan), by=keeper)
    delivery = Delivery.objects.get()
    assert f"/tuning/taught/{delivery.notice.lesson_id}/" in deliveries._body(delivery)
