"""What is configured when a step runs takes away from the models that were approved, and never adds one."""

from __future__ import annotations

from itertools import permutations

import pytest

from agents.bdi.plans.approved_models import Agreed, Asked, Model, NotAsApproved, agreed, would_ask_others

A, B, C = Model("a/one", "http://a", "1"), Model("b/two", "", "2"), Model("c/three")


def asked(*models: Model) -> Asked:
    return Asked(models, 1_000)


@pytest.mark.parametrize("now", list(permutations([A, B, C])))
def test_the_approved_order_holds_and_nobody_else_is_asked(now: tuple[Model, ...]) -> None:
    assert agreed(asked(A, B), now) == Agreed(("a/one", "b/two"))


def test_a_fall_back_that_is_gone_or_differs_is_asked_no_more_and_it_is_said_why() -> None:
    gone = agreed(asked(A, B), [A, C])
    assert gone.models == ("a/one",)
    assert gone.left_out == ("b/two was approved for this step and is no longer set up for this agent",)
    assert agreed(asked(A, B), [A, Model("b/two", "http://elsewhere", "2")]).models == ("a/one",)


@pytest.mark.parametrize(
    ("now", "said"),
    [
        ([C], "a/one was approved for this step and is no longer set up for this agent; c/three is set up now, and"),
        ([B], "a/one was approved for this step and is no longer set up"),
        ([], "a/one was approved for this step and is no longer set up for this agent. Nothing was sent."),
        ([Model("a/one", "http://z", "1")], "was approved at http://a, and is set up at http://z now"),
        ([Model("a/one", "", "1")], "is set up at its provider’s own address now"),
        ([Model("a/one", "http://a", "9")], "was approved at 1, and costs 9"),
    ],
)
def test_without_the_first_choice_nothing_is_sent(now: list[Model], said: str) -> None:
    with pytest.raises(NotAsApproved) as refused:
        agreed(asked(A, B), now)
    assert said in str(refused.value)
    assert "Nothing was sent" in str(refused.value)
    assert "Plan the goal again" in str(refused.value)


def test_where_none_was_set_up_none_is_ever_asked() -> None:
    assert agreed(asked(), []) == Agreed(())
    with pytest.raises(NotAsApproved, match="a/one, which is now, was not approved"):
        agreed(asked(), [A])


def test_a_document_that_names_no_model_lets_none_be_asked() -> None:
    with pytest.raises(NotAsApproved, match="names no model for this step"):
        agreed(None, [A])


def test_people_are_asked_again_only_about_a_model_that_there_is() -> None:
    assert would_ask_others(asked(A, B), [A]) == ""
    assert would_ask_others(asked(A), []) == ""
    assert would_ask_others(asked(A), [B, A]) == "", "the approved one is asked, wherever it stands now"
    assert would_ask_others(asked(A), [B]) == "the plan was made for a/one, and its agent asks b/two now"
    assert would_ask_others(asked(), [B]) == "the plan was made for no model, and its agent asks b/two now"
    assert would_ask_others(asked(A), [Model("a/one")]).endswith("under another price or at another address")
