"""Ready plans for a goal that nobody understood: what worked for this person before, then what is said most like it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.ready_plans import filled, masked, sentences
from agents.cycle import cycle
from agents.goals import goals
from agents.models import Goal, IntentPlan
from agents.planning import answers, offers
from agents.states import GoalState
from agents.toolkit.registry import REGISTRY
from library.errors import EmbeddingUnavailable
from library.language import embeddings
from people.models import User

TREE = Tree.of([("report.md", "file"), ("data", "dir"), ("data/rain.csv", "file")])
ODD = "Frobnicate the ledger with gusto"


def test_values_are_masked_before_texts_are_compared() -> None:
    assert masked('put "x y" into data/rain.csv, 3 times') == "put the text into the file some times"


def test_a_command_is_offered_only_with_everything_that_it_needs() -> None:
    commands = [REGISTRY.command("simple_coder", name) for name in ("read", "mv", "run")]
    (read,) = filled(commands, "what about report.md then", TREE, REGISTRY)
    assert (read.command, read.values()) == ("read", {"path": "report.md"})
    assert not list(filled(commands, "what about it then", TREE, REGISTRY))


def test_every_command_is_said_somehow_and_not_too_often() -> None:
    for command in REGISTRY.commands:
        assert 0 < len(sentences(command, REGISTRY)) <= 10, command.name


@pytest.mark.django_db(transaction=True)
def test_what_worked_for_a_like_goal_of_the_same_person_is_offered_first_and_makes_the_plan(
    owner: User,
    outsider: User,
    make_goal: Callable[..., Goal],
    approved: Callable[..., IntentPlan],
    client_of: Callable[[User], Client],
) -> None:
    steps = [{"tool": "simple_coder", "command": "mkdir", "params": {"path": "ledger"}}]
    before = approved(steps, text=f"{ODD} please").goal
    cycle.work(before.pk)
    goal = make_goal(owner, ODD)
    cycle.work(goal.pk)
    goal.refresh_from_db()
    assert (goal.state, goal.reason.partition(":")[0]) == (GoalState.MANUAL, "question_open")
    asked = answers.open_questions(goal)
    assert asked is not None
    page = client_of(owner).get(f"/goals/{goal.pk}/answer").content.decode()
    assert "Worked before" in page
    assert before.text in page
    choice = asked.questions[0].choices[0]
    assert choice.why == f"as for your goal “{before.text}”"
    plan = answers.answer(goal, [answers.Reply(choice=1)], by=owner)
    assert [one["params"]["path"]["value"] for one in plan.plan.steps] == ["ledger"]
    others = make_goal(outsider, ODD)
    assert offers.worked_before(others, user=outsider) == []
    assert not any("your goal" in one.why for one in offers.for_goal(others, TREE)), "nobody sees others' goals"


@pytest.mark.django_db(transaction=True)
def test_without_the_sentence_model_a_person_is_asked_for_a_plan_as_before(
    owner: User, make_goal: Callable[..., Goal], monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_: object) -> list[list[float]]:
        raise EmbeddingUnavailable("no model here")

    monkeypatch.setattr(embeddings, "embed", away)
    goal = goals.submit(by=owner, text=ODD)
    cycle.work(goal.pk)
    goal.refresh_from_db()
    assert (goal.state, goal.reason.partition(":")[0]) == (GoalState.MANUAL, "no_relevant_rule")


def test_no_command_is_offered_for_a_text_that_the_sentence_model_cannot_read(
    owner: User, make_goal: Callable[..., Goal], monkeypatch: pytest.MonkeyPatch
) -> None:
    near = [1.0, *[0.0] * 383]
    monkeypatch.setattr(embeddings, "embed", lambda texts: [near for _ in texts])
    offers._commands.cache_clear()
    try:
        assert list(offers._nearest("look at report.md", TREE)), "whatever it says, as the stand-in finds all alike"
        assert not list(offers._nearest("รดน้ำต้นไม้ report.md ในสวนทั้งหมด", TREE))
    finally:
        offers._commands.cache_clear()


@pytest.mark.parametrize(
    "text", ["make a bundle.tar of the data folder", "unpack report.md into data", "email report.md"]
)
def test_what_changes_something_is_offered_only_where_it_is_said(text: str) -> None:
    offered = [one for choice in offers._nearest(text, TREE) for one in choice.meant]
    assert not [one for one in offered if REGISTRY.command(one.tool, one.command).effect != "idempotent"]


@pytest.mark.django_db(transaction=True)
def test_what_worked_before_is_not_offered_for_a_goal_that_says_more(
    owner: User, make_goal: Callable[..., Goal], approved: Callable[..., IntentPlan]
) -> None:
    steps = [{"tool": "simple_coder", "command": "mkdir", "params": {"path": "ledger"}}]
    cycle.work(approved(steps, text=f"{ODD} please").goal.pk)
    assert [choice.label for choice in offers.for_goal(make_goal(owner, ODD), TREE)]
    more = make_goal(owner, f"{ODD} but never the third page")
    assert not any("your goal" in choice.why for choice in offers.for_goal(more, TREE))
