"""Combinations of modules are components with a record, and the library says which did best on tasks of a kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from agents.bdi.modular.state import Chosen, State, Used
from agents.models import ModularRun
from agents.modular import advice, experience, runs, states
from agents.modular.runs import Start
from agents.modular.states import Written
from library import embedding
from library.components import search
from library.components.search import Filters
from library.models import ComponentVersion
from people.models import User
from tests.library.vectors import install

pytestmark = pytest.mark.django_db(transaction=True)
PLAIN = {
    "prompter": Chosen("plain"),
    "generator": Chosen("person"),
    "discriminator": Chosen("first"),
    "actor": Chosen("plain"),
    "toolkit": Chosen("notes"),
}
SAVING = {**PLAIN, "actor": Chosen("save_output"), "toolkit": Chosen("simple_coder")}
INVOICES, FENCE = "sum the invoices of {}", "paint a fence in {}"


@pytest.fixture(autouse=True)
def _words(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


def ended(by: User, task: str, settings: dict[str, Chosen], outcome: str) -> ModularRun:
    """A run that has ended so, with what it used."""
    run = runs.start(Start(task, settings, paused=True), by=by)
    state: State = states.tree_of(run)
    state.usage, state.steps = Used(1_000, time_s=2.0), 12
    state.end(outcome, "an end")
    states.write(run, state, Written("step", "2026-01-01T00:00:00+00:00", 1), run.workspace)
    ModularRun.objects.filter(pk=run.pk).update(at_step=2, state="ended", outcome=outcome)
    experience.record(run, state)
    return run


@pytest.fixture
def past(owner: User, outsider: User) -> None:
    for who, settings, task, outcomes in (
        (owner, PLAIN, INVOICES, ("achieved", "achieved", "achieved", "limit")),
        (owner, SAVING, INVOICES, ("achieved", "limit", "limit")),
        (owner, SAVING, FENCE, ("achieved", "achieved")),
        (outsider, SAVING, INVOICES, ("achieved",)),
    ):
        for number, outcome in enumerate(outcomes):
            ended(who, task.format(("May", "June", "July", "August")[number]), settings, outcome)
    embedding.embed_missing()


def test_the_best_on_similar_tasks_comes_first_with_its_interval(past: None, owner: User, reviewer: User) -> None:
    first, second = advice.for_task("sum the invoices of March", user=owner)
    assert (first.name, first.runs, first.achieved) == ("plain · person · first · plain · notes", 4, 3)
    assert (second.modules["actor"], second.runs, second.achieved) == ("save_output", 3, 1)
    assert 0.3 < first.low < 0.75 < first.high < 1
    assert (first.steps, first.tokens, first.cost) == (12, 1_000, 0)
    assert first.is_enough
    (fence,) = advice.for_task("paint a fence in March", user=owner)
    assert (fence.runs, fence.is_enough) == (2, False), "too few to recommend"
    assert advice.for_task("translate a poem", user=owner) == []
    assert advice.for_task("", user=owner) == []
    seen = {one.name: one.runs for one in advice.for_task("sum the invoices of March", user=reviewer)}
    assert seen[second.name] == 4, "a reviewer may read the run of somebody else, its owner may not read others'"


def test_a_combination_is_a_component_with_its_record(past: None, owner: User) -> None:
    version = ComponentVersion.objects.select_related("component").get(component__name__endswith="notes")
    assert (version.component.kind, version.status) == ("modular", "active")
    assert (version.uses, version.successes, version.failures) == (4, 3, 1)
    assert '"toolkit": "notes"' in version.body
    assert "Sends every message of the present path" in version.applicability_text
    found = search.search("", "every message of the present path", Filters(kind="modular"))
    assert version in [one.version for one in found.items]
    assert ComponentVersion.objects.filter(component__kind="modular").count() == 2, "one of each, however many runs"


def test_what_a_person_retired_is_counted_no_more(past: None, owner: User) -> None:
    ComponentVersion.objects.filter(component__kind="modular").update(status="retired")
    ended(owner, INVOICES.format("September"), PLAIN, "achieved")
    assert set(ComponentVersion.objects.filter(component__kind="modular").values_list("status", flat=True)) == {
        "retired"
    }


def test_the_form_tells_it_and_takes_it_over(past: None, owner: User, client_of: Callable[[User], Client]) -> None:
    client = client_of(owner)
    told = client.get("/modular/advice/", {"task": "sum the invoices of <b>March</b>"}).content.decode()
    assert "3 of 4 runs ended with an answer (95 % interval" in told
    assert "too few" not in told
    assert "<b>" not in told
    form = client.get(
        "/modular/new/", {"task": "sum <b>", "actor": "save_output", "toolkit": "no such"}
    ).content.decode()
    assert 'value="save_output" selected' in form
    assert 'value="simple_coder" selected' in form, "what there is not is the usual one"
    assert "sum &lt;b&gt;" in form
    assert "nothing is recommended" in client.get("/modular/advice/", {"task": "translate a poem"}).content.decode()
    assert client.get("/modular/advice/").content.strip() == b""


def test_the_api_tells_it(past: None, owner: User, api_of: Any) -> None:
    first = api_of(owner).get("states/advice?task=sum the invoices of March").json()[0]
    assert [first[name] for name in ("runs", "achieved", "recommended")] == [4, 3, True]
    assert first["modules"]["toolkit"] == "notes"
    assert api_of(owner).get("states/advice?task=").status_code == 422
