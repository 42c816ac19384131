"""What is worth knowing for a task: the nearest first, within the budget, with rights and with reasons."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from library import embedding
from library.components import services as components
from library.memory import context, services
from library.models import Experience
from people.models import User
from tests.library.vectors import WordVectors

pytestmark = pytest.mark.django_db


def remember(owner: User, text: str, output: str = "", outcome: str = "success") -> Experience:
    return services.record(
        owner=owner,
        goal_ref=text,
        primary_goal_description=text,
        output_summary=output,
        final_outcome=outcome,
        timestamp=timezone.now(),
        initiating_agent_id="mindx",
    )


@pytest.fixture
def shelf(word_vectors: WordVectors, owner: User, outsider: User, operator: User) -> WordVectors:
    remember(owner, "sum the invoices of May", "wrote total.txt, " + "and so on " * 60)
    remember(owner, "sum the invoices of June", outcome="failure")
    remember(owner, "paint a fence")
    remember(outsider, "sum the invoices of July")
    components.publish(
        "rule", "total", "RULE total", by=operator, applicability_text="sum the invoices", status="active"
    )
    embedding.embed_missing()
    return word_vectors


def found(user: User, **more: Any) -> context.Context:
    return context.build("sum the invoices", user=user, **{"budget_tokens": 1_000, **more})


def test_the_nearest_come_first_with_their_cost_and_why(shelf: WordVectors, owner: User) -> None:
    known = found(owner)
    assert [item.kind for item in known.items] == ["rule", "experience", "experience"]
    assert known.items[0].text == "rule total 1.0.0: sum the invoices"
    assert {item.text.partition(":")[0] for item in known.items[1:]} == {"Success", "Failure"}
    scores = [item.score or 0 for item in known.items]
    assert scores == sorted(scores, reverse=True)
    assert all(item.tokens == -(-len(item.text) // 3) for item in known.items)
    assert known.tokens == sum(item.tokens for item in known.items)
    (unlike,) = known.left_out
    assert "paint a fence" in unlike.text
    assert unlike.why.startswith("not similar enough: 0.")


def test_what_does_not_fit_is_left_out_and_what_comes_after_may_fit(shelf: WordVectors, owner: User) -> None:
    known = found(owner, budget_tokens=40)
    assert known.tokens <= 40
    assert [item.text.partition(" ")[0] for item in known.items] == ["rule", "Failure:"]
    long = next(item for item in known.left_out if "total.txt" in item.text)
    assert long.why == f"takes {long.tokens} tokens, only {40 - known.items[0].tokens} were left"


def said(text: str) -> context.Item:
    return context.Item("message", text, text, None, "ann, on the goal")


def test_messages_have_a_third_of_the_budget_and_leave_what_they_do_not_need(shelf: WordVectors, owner: User) -> None:
    long = "x" * 60
    known = found(owner, budget_tokens=60, messages=[said("in euros"), said(long), said("of 2025")])
    assert [item.text for item in known.items[:2]] == ["in euros", "of 2025"]
    assert known.tokens <= 60
    (left_out,) = [item for item in known.left_out if item.kind == "message"]
    assert (left_out.text, left_out.why) == (long, "takes 20 tokens, only 17 of the share of messages were left")
    without = found(owner, budget_tokens=60)
    assert len(known.items[2:]) == len(without.items), "3 and 3 tokens leave room for what comes after"


def test_an_experience_keeps_the_rights_of_its_goal(shelf: WordVectors, owner: User, reviewer: User) -> None:
    assert "July" not in "".join(item.text for item in (*found(owner).items, *found(owner).left_out))
    assert "July" in "".join(item.text for item in found(reviewer).items)


def test_without_the_library_there_are_experiences_only(shelf: WordVectors, owner: User) -> None:
    assert {item.kind for item in found(owner, with_components=False).items} == {"experience"}


def test_memory_may_be_searched_by_other_words_than_the_task(shelf: WordVectors, owner: User) -> None:
    known = context.build("sum the invoices", "paint a fence", user=owner, budget_tokens=1_000)
    assert "paint a fence" in known.items[0].text


def test_words_are_found_where_sentences_cannot_be_embedded(shelf: WordVectors, owner: User) -> None:
    shelf.broken = "no model"
    known = context.build("invoices", user=owner, budget_tokens=1_000)
    assert {item.score for item in known.items} == {None}
    assert all(item.why.startswith("holds its words") for item in known.items)
