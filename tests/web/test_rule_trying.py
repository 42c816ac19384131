"""Trying a pair of sentences, and a draft of a rule on past goals and written beliefs; nothing runs or is stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from django.test import Client

from agents.cycle import cycle
from agents.models import EntailmentThresholds, Goal, Workspace
from library.components import services
from library.errors import EntailmentUnavailable
from library.language.entailment import judgement, model, trained
from library.models import ComponentVersion, EntailmentVerdict
from people.models import User
from tests.library.vectors import install
from tests.web.test_rules import GREET, HOSTILE, ClientOf, text_of, words_of

pytestmark = pytest.mark.django_db
DRAFT = GREET.replace("there is no file or folder named {name}", "the gate is open")


@pytest.fixture(autouse=True)
def _vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


def tried(client: Client, premise: str, hypothesis: str, **more: str) -> str:
    answer = client.get("/rules/try/", {"premise": premise, "hypothesis": hypothesis, **more})
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_pair_gets_its_label_and_stage_and_what_each_stage_says(owner: User, client_of: ClientOf) -> None:
    words = words_of(tried(client_of(owner), "The door is not open.", "The door is closed."))
    assert "label entailment score 0.9" in words
    assert "stage structured matcher" in words
    assert "same words neutral none no other words" in words
    assert "a rule would rely on it" in words
    assert "entailment model is relied on" not in words


def test_the_model_is_asked_where_somebody_wants_it_and_says_how_sure_it_is(owner: User, client_of: ClientOf) -> None:
    pair = ("Somebody has just opened the gate.", "The gate is open.")
    words = words_of(tried(client_of(owner), *pair, model="on", environment="on"))
    assert "stage entailment model" in words
    sure = trained.read_card().environment
    assert f"The entailment model is relied on from a probability of {sure.entailment:.3f}" in words
    assert "a rule would rely on it" in words
    words = words_of(tried(client_of(owner), *pair, model="on"))
    assert "stage entailment model" in words, "it is asked where people want to see what it says"
    assert "a rule would not rely on it" in words
    assert "never rely on the entailment model until an operator sets thresholds" in words
    assert not EntailmentVerdict.objects.exists()


def test_a_damaged_model_is_told_and_the_matcher_goes_on(
    owner: User, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(pairs: Any) -> Any:
        raise EntailmentUnavailable("trained.npz is damaged.")

    monkeypatch.setattr(model, "judge", damaged)
    words = words_of(tried(client_of(owner), "The door is not open.", "The door is closed.", model="on"))
    assert "The structured matcher decides alone. trained.npz is damaged." in words
    assert "label entailment" in words


def test_foreign_sentences_are_shown_and_run_nothing(owner: User, client_of: ClientOf) -> None:
    page = tried(client_of(owner), HOSTILE, HOSTILE * 200)
    assert "<b>bold" not in page
    assert "<script>alert" not in page


def test_only_people_who_are_logged_in_try(client: Client) -> None:
    assert client.get("/rules/try/").status_code == 302


# --- drafts ----------------------------------------------------------------------------------------------------------
def check(client: Client, **fields: str) -> str:
    answer = client.post("/rules/check/", {"body": DRAFT, **fields})
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_draft_is_tried_on_written_beliefs_with_stage_score_and_words(owner: User, client_of: ClientOf) -> None:
    page = check(client_of(owner), try_goal="greet Nora", try_beliefs="The gate is not closed.\nIt rains.\n")
    words = words_of(page)
    assert "applicable, lowest" in words
    assert "B1, the gate is open: yes" in words
    assert "structured matcher:" in words
    assert 'SimpleCoder.mkdir(path="Nora")' in words
    against = words_of(check(client_of(owner), try_goal="greet Nora", try_beliefs="The gate is closed."))
    assert "relevant, not applicable" in against
    assert "The goal would wait for a person." in against


def test_a_draft_is_tried_on_a_past_goal_with_what_was_believed_then_and_what_is_added(
    owner: User, client_of: ClientOf, make_goal: Callable[..., Goal], transactional_db: None
) -> None:
    goal = make_goal(owner, "greet Nora")
    cycle.one(goal.pk)
    without = words_of(check(client_of(owner), try_past=str(goal.pk)))
    assert "relevant, not applicable" in without
    with_it = words_of(check(client_of(owner), try_past=str(goal.pk), try_beliefs="The gate is open."))
    assert "the gate is open: yes 1 same words:" in with_it
    empty = DRAFT.replace("the gate is open", "the workspace is empty")
    assert "applicable, lowest" in words_of(check(client_of(owner), body=empty, try_past=str(goal.pk)))


def test_nobody_tries_a_draft_on_another_persons_goal(
    owner: User, outsider: User, client_of: ClientOf, make_goal: Callable[..., Goal]
) -> None:
    goal = make_goal(owner, "greet Nora")
    page = check(client_of(outsider), try_past=str(goal.pk))
    assert "Nora" not in page
    listed = text_of(client_of(outsider), "/rules/new/")
    assert "greet Nora" not in listed
    assert f'<option value="{goal.pk}"' in text_of(client_of(owner), "/rules/new/")


def test_trying_in_the_editor_works_without_scripts_and_saves_nothing(reviewer: User, client_of: ClientOf) -> None:
    fields = {"body": DRAFT, "do": "try", "try_goal": "greet Nora", "try_beliefs": "The gate is open."}
    words = words_of(client_of(reviewer).post("/rules/new/", fields).content.decode())
    assert "applicable, lowest 1" in words
    assert not ComponentVersion.objects.filter(component__name="greet somebody").exists()


@pytest.mark.parametrize("past", ["x", "9" * 40, "-1", "\0", "٣"])
def test_a_goal_that_is_none_is_none(reviewer: User, client_of: ClientOf, past: str) -> None:
    assert "Lint" in check(client_of(reviewer), try_past=past, try_goal="\0")


def test_very_many_beliefs_and_a_very_long_one_are_answered(reviewer: User, client_of: ClientOf) -> None:
    many = "\n".join(f"The gate {number} is closed." for number in range(2_000)) + "\nThe gate is open."
    assert "applicable, lowest 1" in words_of(check(client_of(reviewer), try_goal="greet Nora", try_beliefs=many))
    long = "The gate is " + "very " * 9_000 + "open."
    assert "not applicable" in words_of(check(client_of(reviewer), try_goal="greet Nora", try_beliefs=long))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, settings: Any, db: None) -> list[str]:
    """What the model, which is in use and finds nothing, is asked about."""
    found: list[str] = []

    def judge(pairs: Sequence[judgement.Pair]) -> list[judgement.Judgement]:
        found.extend(dict.fromkeys(hypothesis for _, hypothesis in pairs))
        return [judgement.TOO_LONG] * len(pairs)

    settings.ENTAILMENT = "model"
    monkeypatch.setattr(model, "judge", judge)
    values = {"environment_entailment": 0.9, "environment_contradiction": 0.01, "language_entailment": 0.95}
    EntailmentThresholds.objects.create(entailment=0.97, contradiction=0.01, **values)
    return found


CASTLE = DRAFT.replace("the gate is open", "the gate is ajar\nAND the moat is dry")
BELIEVED = "Somebody left the gate ajar.\nThe moat has no water and is dry."


def test_what_was_not_judged_says_so_and_is_judged_when_somebody_asks(
    reviewer: User, client_of: ClientOf, asked: list[str]
) -> None:
    fields = {"body": CASTLE, "do": "try", "try_goal": "greet Nora", "try_beliefs": BELIEVED}
    words = words_of(client_of(reviewer).post("/rules/new/", fields).content.decode())
    assert "the moat is dry not judged: another condition does not hold" in words
    assert "Judge the rest" in words
    assert asked == ["the gate is ajar"]
    words = words_of(client_of(reviewer).post("/rules/new/", {**fields, "do": "try_all"}).content.decode())
    assert asked[1:] == ["the gate is ajar", "the moat is dry"]
    assert "not judged" not in words
    assert "Judge the rest" not in words


def test_the_page_of_a_rule_judges_the_rest_too(
    owner: User, client_of: ClientOf, operator: User, make_workspace: Callable[..., Workspace], asked: list[str]
) -> None:
    make_workspace(owner)
    body = GREET.replace("there is no file or folder named {name}", "the workspace hums\nAND the workspace glows")
    rule = services.publish("rule", "greet somebody", body, by=operator, status="active", applicability_text="greet")
    address = f"/rules/{rule.component_id}/?goal=greet+Nora"
    assert "Judge the rest" in text_of(client_of(owner), address)
    assert set(asked) == {"the workspace hums"}
    assert "Judge the rest" not in text_of(client_of(owner), f"{address}&judge=all")
    assert asked[-1] == "the workspace glows"
