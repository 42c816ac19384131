"""What people keep correcting alike is proposed as a mapping: when history speaks for it, to those who may tune."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from agents.bdi.plans import document as documents
from agents.cycle import cycle
from agents.evolution.auditing import proposing
from agents.models import EvolutionProposal, Goal, IntentPlan, PathMapping
from agents.tuning import versions
from agents.workspaces import workspaces
from people.models import User
from review.deciding import decisions, editing
from review.teaching import recurring

pytestmark = pytest.mark.django_db(transaction=True)
ClientOf = Callable[[User], Client]
Planned = Callable[..., IntentPlan]


@pytest.fixture(autouse=True)
def _word_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.library.vectors import install

    install(monkeypatch)


@pytest.fixture
def planned(make_goal: Callable[..., Goal]) -> Planned:
    """`planned(user, "text")`: the plan of a goal over a few files, as the worker makes it."""

    def made(by: User, text: str) -> IntentPlan:
        goal = make_goal(by, text)
        for path in ("README.md", "src/app.py", "src/util.py"):
            workspaces.put_file(goal.workspace, by=by, path=path, source=io.BytesIO(b"x = 1\n"))
        cycle.work(goal.pk)
        return goal.intent_plans.get()

    return made


@pytest.fixture
def corrected(planned: Planned, owner: User, reviewer: User) -> Callable[..., list[IntentPlan]]:
    """`corrected(3)`: goals “show app” whose path, src/app.py, the reviewer changed."""

    def made(count: int, path: str = "src/util.py") -> list[IntentPlan]:
        return [_one(planned(owner, "show app"), path) for _ in range(count)]

    def _one(plan: IntentPlan, path: str) -> IntentPlan:
        return editing.edit(plan, by=reviewer, digest=plan.digest, position=1, params={"path": path})

    return made


def found() -> list[EvolutionProposal]:
    proposing.refresh()
    return list(proposing.open_ones().filter(component_kind="path_mapping"))


def path_of(plan: IntentPlan) -> str:
    return str(documents.read(bytes(plan.document)).at(1).params["path"])


def address_in(page: str) -> str:
    (address,) = re.findall(r'href="(/tuning/path_mapping/[^"]*)"', page)
    return html.unescape(address)


def test_three_corrections_alike_are_proposed_and_adopted_on_the_page_of_tuning(
    corrected: Any, planned: Planned, owner: User, operator: User, client_of: ClientOf
) -> None:
    made = corrected(2)
    planned(owner, "show README.md")
    assert found() == [], "two are no habit"
    made += corrected(1)
    (row,) = found()
    assert (row.kind, row.cases, row.weight) == ("setting", 3, 3)
    assert row.says == "Let “app” mean src/util.py (simple_coder.path)"
    assert row.why == (
        "One person changed it to that in 3 goals. Tried on the last 4 commands, 3 of these goals would be planned as"
        " they were corrected. No plan that people approved unchanged or corrected in another way would change. Other"
        " plans that would change: 0."
    )
    assert set(row.goals) == {plan.goal_id for plan in made}
    assert not PathMapping.objects.exists(), "proposing changes nothing"
    client = client_of(operator)
    page = client.get("/evolution/").content.decode()
    assert f"goal {made[0].goal_id}</a>" in page
    address = address_in(page)
    form = client.get(address).content.decode()
    values = {"said": "app", "path": "src/util.py", "tool": "simple_coder", "parameter": "path", "in_use": "on"}
    assert 'value="app"' in form
    assert 'value="src/util.py"' in form
    tried = client.post(address, values | {"act": "try", "seen": "0"}).content.decode()
    (mark,) = re.findall(r'name="tried" value="(\w+)"', tried)
    assert client.post(address, values | {"act": "save", "tried": mark, "seen": "0"}).status_code == 302
    assert path_of(planned(owner, "show app")) == "src/util.py"
    assert found() == [], "what holds is not proposed again"


def test_a_goal_that_was_approved_as_it_was_speaks_against_it(
    corrected: Any, planned: Planned, owner: User, reviewer: User
) -> None:
    corrected(3)
    kept = planned(owner, "show app")
    (row,) = found()
    assert row.why.endswith("would change: 1."), "nobody has decided it yet"
    decisions.approve(kept, by=reviewer, digest=kept.digest)
    assert found() == []


def test_corrections_that_differ_or_that_were_taken_back_are_no_habit(
    corrected: Any, planned: Planned, owner: User, reviewer: User
) -> None:
    corrected(2)
    corrected(2, path="README.md")
    assert found() == []
    (third,) = corrected(1)
    assert found() == [], "two goals were corrected otherwise"
    editing.edit(third, by=reviewer, digest=third.digest, position=1, params={"path": "README.md"})
    # The last word of each goal counts.
    (habit,) = recurring.corrections()
    assert (habit.taught.said, habit.taught.path, len(habit.edits)) == ("app", "README.md", 3)
    effect = recurring.effect_of(habit)
    assert (len(effect.fixed), len(effect.against)) == (3, 2), "two would be planned against what was said of them"
    assert found() == []


def test_a_mapping_that_people_keep_correcting_is_proposed_to_be_changed(
    corrected: Any, operator: User, client_of: ClientOf
) -> None:
    kind = versions.kind_named("path_mapping")
    assert kind is not None
    wrong = {"said": "app", "path": "README.md", "tool": "simple_coder", "parameter": "path", "in_use": True}
    saved = versions.save(kind, wrong, by=operator)
    corrected(3)
    (row,) = found()
    assert row.says == "Let “app” mean src/util.py (simple_coder.path)"
    client = client_of(operator)
    address = address_in(client.get("/evolution/").content.decode())
    assert address.startswith(f"/tuning/path_mapping/{saved.ref}/?")
    form = client.get(address).content.decode()
    assert 'value="src/util.py"' in form


def test_only_those_who_may_tune_see_it(
    corrected: Any, reviewer: User, outsider: User, client_of: ClientOf, api_of: Any
) -> None:
    corrected(3)
    (row,) = found()
    for blind in (reviewer, outsider):
        client = client_of(blind)
        assert "src/util.py" not in client.get("/evolution/").content.decode()
        assert api_of(blind).get("evolution/proposals").json()["items"] == []
        assert client.post(f"/evolution/{row.pk}/dismiss", {"why": "x"}).status_code == 404
        assert client.get("/tuning/path_mapping/new/").status_code == 403
    row.refresh_from_db()
    assert row.dismissed_at is None


def test_names_too_long_for_a_subject_stay_apart() -> None:
    one, other = (recurring._short(f"{'x' * 300} {end}") for end in "ab")
    assert one != other
    assert max(len(one), len(other)) <= 200
