"""Rules made from several goals: proposed with their evidence to whoever may see the goals, and saved by a person."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

import pytest

from agents.cycle import cycle
from agents.learning import rules_from_goals
from agents.models import Goal, IntentPlan
from library.models import ComponentVersion
from people.models import User
from tests.library.vectors import install
from tests.web.test_rules import ClientOf, text_of, words_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


@pytest.fixture
def ended(
    owner: User, make_goal: Callable[..., Goal], propose_plan: Callable[..., IntentPlan]
) -> Callable[[str, str], Goal]:
    """`ended(name, state)`: a goal about this name that no rule knew, planned by hand, which ended so."""

    def made(name: str, state: str) -> Goal:
        goal = make_goal(owner, f"prepare the weekly review of {name}")
        cycle.one(goal.pk)
        goal.refresh_from_db()
        plan = propose_plan(goal, [{"tool": "simple_coder", "command": "mkdir", "params": {"path": name}}])
        Goal.objects.filter(pk=goal.pk).update(state=state)
        ran = "complete" if state == "achieved" else "failed"
        IntentPlan.objects.filter(pk=plan.pk).update(state=ran, approved_digest=plan.digest)
        return Goal.objects.get(pk=goal.pk)

    return made


def test_a_rule_is_proposed_with_its_evidence_opened_in_the_editor_and_saved_as_a_candidate(
    ended: Callable[[str, str], Goal], operator: User, client_of: ClientOf
) -> None:
    goals = [ended(name, "achieved") for name in ("apples", "pears")]
    failed = ended("plums", "failed")
    client = client_of(operator)
    page = text_of(client, "/rules/proposals/")
    words = words_of(page)
    assert f"worked goal {goals[0].pk} goal {goals[1].pk}" in words
    assert f"failed, not ruled out goal {failed.pk}" in words
    assert "chosen for 3 of 3 goals" in words
    fields = dict(re.findall(r'<input type="hidden" name="(body|changes)" value="([^"]*)"', page))
    body, changes = html.unescape(fields["body"]), html.unescape(fields["changes"])
    assert "create the folder {" in body
    editor = words_of(client.post("/rules/new/", {"body": body, "changes": changes, "do": "check"}).content.decode())
    assert "0 errors" in editor
    client.post("/rules/new/", {"body": body, "changes": changes, "do": "save"})
    version = ComponentVersion.objects.get(component__name="prepare the weekly review")
    assert (version.status, version.changes) == ("candidate", changes)
    assert f"Made from 2 goals that worked ({goals[0].pk}, {goals[1].pk})" in changes
    assert "rules out 0" in changes


def test_nothing_is_made_of_goals_that_one_may_not_see_or_of_one_goal(
    ended: Callable[[str, str], Goal], owner: User, outsider: User, client_of: ClientOf
) -> None:
    ended("apples", "achieved")
    assert "No rule can be proposed" in text_of(client_of(owner), "/rules/proposals/")
    ended("pears", "achieved")
    assert "No rule can be proposed" in text_of(client_of(outsider), "/rules/proposals/")
    page = text_of(client_of(owner), "/rules/proposals/")
    assert "from 2 goals" in words_of(page)
    assert "Open in the editor" not in page, "whoever may not write rules only reads"


def test_plans_that_a_rule_made_are_not_made_into_another_rule(ended: Callable[[str, str], Goal], owner: User) -> None:
    goals = [ended(name, "achieved") for name in ("apples", "pears")]
    assert len(rules_from_goals.proposals(Goal.objects.all())) == 1
    plan = goals[0].intent_plans.get().plan
    type(plan).objects.filter(pk=plan.pk).update(source="rule")
    assert rules_from_goals.proposals(Goal.objects.all()) == []
