"""`memory/context` and `memory/forget`: what is known for a task, and what is erased, each with its goal's rights."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from agents.models import Belief, Goal
from library import embedding
from library.memory import services
from library.models import Experience
from people.models import User
from people.scopes import Scope
from tests.library.vectors import install

pytestmark = pytest.mark.django_db


@pytest.fixture
def remember(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Experience]:
    install(monkeypatch)

    def made(owner: User, text: str, days_ago: int = 0) -> Experience:
        return services.record(
            owner=owner,
            goal_ref=text,
            primary_goal_description=text,
            final_outcome="success",
            timestamp=timezone.now() - timedelta(days=days_ago),
            initiating_agent_id="mindx",
        )

    return made


def left() -> list[str]:
    return sorted(Experience.objects.values_list("primary_goal_description", flat=True))


def test_a_context_says_what_fits_and_what_does_not(api_of: Any, owner: User, outsider: User, remember: Any) -> None:
    remember(owner, "sum the invoices")
    remember(outsider, "sum the invoices of others")
    embedding.embed_missing()
    found = api_of(owner).get("memory/context?task=sum the invoices").json()
    assert [item["text"] for item in found["items"]] == ["Success: sum the invoices"]
    assert found["tokens"] == found["items"][0]["tokens"] == 9
    small = api_of(owner).get("memory/context?task=sum the invoices&budget_tokens=8").json()
    assert (small["items"], small["tokens"]) == ([], 0)
    assert small["left_out"][0]["why"] == "takes 9 tokens, only 8 were left"
    assert api_of(owner).get("memory/context").status_code == 422
    assert api_of(owner).get("memory/context?task=x&budget_tokens=0").status_code == 422


def test_what_was_said_about_a_goal_is_told_to_who_may_see_it(
    api_of: Any, owner: User, outsider: User, remember: Any, make_goal: Callable[..., Goal]
) -> None:
    goal = make_goal(owner)
    Belief.objects.create(goal=goal, sentence="in euros", source="person", by=owner, at=timezone.now())
    asked = f"memory/context?task=sum&goal={goal.pk}"
    (item,) = api_of(owner).get(asked).json()["items"]
    assert (item["kind"], item["text"], item["score"]) == ("message", f"{owner.username}: in euros", None)
    assert api_of(owner).get("memory/context?task=sum").json()["items"] == []
    assert api_of(outsider).get(asked).status_code == 404
    assert api_of(owner).get("memory/context?task=sum&goal=none").status_code == 404
    refused = api_of(owner, Scope.MEMORY_READ).get(asked)
    assert (refused.status_code, refused.json()["detail"]) == (403, "This token has no scope goals:read.")


def test_one_forgets_ones_own_and_nothing_of_others(api_of: Any, owner: User, outsider: User, remember: Any) -> None:
    mine, other = remember(owner, "mine"), remember(outsider, "others")
    remember(owner, "mine too")
    caller = api_of(owner)
    assert caller.post("memory/forget", {"experience": str(other.pk)}).status_code == 404
    assert caller.post("memory/forget", {"person": outsider.username}).status_code == 403
    assert caller.post("memory/forget", {"person": "nobody at all"}).status_code == 403
    assert caller.post("memory/forget", {"before": timezone.now().isoformat()}).status_code == 403
    assert left() == ["mine", "mine too", "others"]
    assert caller.post("memory/forget", {"experience": str(mine.pk)}).json() == {"forgotten": 1}
    assert caller.post("memory/forget", {"person": owner.username}).json() == {"forgotten": 1}
    assert left() == ["others"]


def test_a_reviewer_reads_what_is_not_theirs_and_erases_nothing_of_it(
    api_of: Any, owner: User, reviewer: User, remember: Any
) -> None:
    row = remember(owner, "mine")
    assert api_of(reviewer).post("memory/forget", {"experience": str(row.pk)}).status_code == 403
    assert left() == ["mine"]


def test_an_admin_erases_a_person_or_everything_old(
    api_of: Any, admin: User, owner: User, outsider: User, remember: Any
) -> None:
    remember(owner, "mine")
    remember(outsider, "old", days_ago=90)
    remember(outsider, "new")
    caller = api_of(admin)
    before = (timezone.now() - timedelta(days=30)).isoformat()
    assert caller.post("memory/forget", {"before": before}).json() == {"forgotten": 1}
    assert caller.post("memory/forget", {"person": owner.username}).json() == {"forgotten": 1}
    assert left() == ["new"]
    assert caller.post("memory/forget", {"person": "nobody at all"}).status_code == 422


@pytest.mark.parametrize(
    "body", [{}, {"experience": "1", "person": "olga"}, {"before": "2026-01-01"}, {"experience": None}, {"person": 7}]
)
def test_anything_but_one_thing_to_forget_is_refused(body: Any, api_of: Any, admin: User, remember: Any) -> None:
    remember(admin, "mine")
    assert api_of(admin).post("memory/forget", body).status_code == 422
    assert left() == ["mine"]
