"""What is held true, as rows: read as it stands, stored once, kept as long as it is seen."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from agents.beliefs import belief_rows
from agents.models import Belief, Goal
from agents.toolkit.types import Belief as Believed
from people.models import User
from tests.agents.plans.test_plan_rows import defaults, left_to_defaults

pytestmark = pytest.mark.django_db

TEA, CUP, POT = (Believed(f"The {thing} is hot.") for thing in ("tea", "cup", "pot"))


@pytest.fixture
def goal(owner: User, make_goal: Callable[..., Goal]) -> Goal:
    return make_goal(owner, "Lay the table")


def held(goal: Goal) -> list[tuple[int, str]]:
    rows = goal.beliefs.filter(source="perception", retracted_by="").order_by("pk")
    return list(rows.values_list("pk", "sentence"))


def test_what_is_seen_is_stored_in_its_order_as_its_model_would(goal: Goal) -> None:
    belief_rows.perceived(goal, [POT, TEA, Believed("The cup is cold.", "person"), CUP])
    assert [sentence for _, sentence in held(goal)] == [one.sentence for one in (POT, TEA, CUP)]
    for row in goal.beliefs.all():
        given = ("goal", "sentence", "source", "confidence", "at")
        assert left_to_defaults(row, *given) == defaults(row, *given)
        assert row.source == "perception"
        assert timezone.now() - row.at < timedelta(minutes=5)


def test_what_is_seen_again_is_held_since_it_was_seen_first(goal: Goal) -> None:
    belief_rows.perceived(goal, [POT, TEA])
    first = dict((sentence, pk) for pk, sentence in held(goal))  # noqa: C402
    belief_rows.perceived(goal, [TEA, CUP])
    again = dict((sentence, pk) for pk, sentence in held(goal))  # noqa: C402
    assert set(again) == {TEA.sentence, CUP.sentence}
    assert again[TEA.sentence] == first[TEA.sentence]
    gone = Belief.objects.get(pk=first[POT.sentence])
    assert gone.retracted_by == "perceived again"


def test_what_is_seen_less_surely_is_another_belief(goal: Goal) -> None:
    belief_rows.perceived(goal, [TEA])
    belief_rows.perceived(goal, [Believed(TEA.sentence, confidence=0.5)])
    (row,) = goal.beliefs.filter(retracted_by="")
    assert row.confidence == 0.5
    assert goal.beliefs.count() == 2


def test_nothing_of_other_goals_and_nothing_that_people_said_is_touched(
    goal: Goal, owner: User, make_goal: Callable[..., Goal]
) -> None:
    other = make_goal(owner, "Clear the table")
    belief_rows.perceived(other, [TEA])
    mine = Belief.objects.create(goal=goal, sentence=CUP.sentence, source="person", at=timezone.now(), by=owner)
    denied = Belief.objects.create(
        goal=goal, sentence=POT.sentence, source="perception", at=timezone.now(), retracted_by="denied by me"
    )
    belief_rows.perceived(goal, [CUP])
    belief_rows.perceived(goal, [])
    assert len(held(other)) == 1
    mine.refresh_from_db()
    denied.refresh_from_db()
    assert (mine.retracted_by, denied.retracted_by) == ("", "denied by me")
    assert held(goal) == []


def test_what_was_told_is_read_while_it_holds(goal: Goal, owner: User) -> None:
    now = timezone.now()

    def tell(sentence: str, **more: object) -> Belief:
        return Belief.objects.create(**{"goal": goal, "sentence": sentence, "source": "person", "at": now} | more)

    ends = now + timedelta(hours=1)
    kept = [
        tell("It is late."),
        tell("It is cold.", source="experience", confidence=0.25, expires_at=ends),
        tell("The cup is cold.", denies=CUP.sentence),
    ]
    tell("It is over.", expires_at=now - timedelta(seconds=1))
    tell("It was said.", retracted_by="retracted by me")
    belief_rows.perceived(goal, [TEA])
    assert [(one.belief, one.denies, one.expires_at) for one in belief_rows.told(goal)] == [
        (Believed(row.sentence, row.source, row.confidence, now.isoformat()), row.denies, row.expires_at)
        for row in kept
    ]
