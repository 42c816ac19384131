"""The pages of the system agents: asking one, designing a solution, and submitting the design."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from agents.models import BusRequest, Goal
from agents.plans import designs
from people.models import User

pytestmark = pytest.mark.django_db(transaction=True)
ClientOf = Callable[[User], Client]
WANTED = "Write <b>hello</b> into hello.txt. Then count the lines of hello.txt"


def test_a_question_goes_on_to_its_request_which_is_answered(owner: User, client_of: ClientOf) -> None:
    client = client_of(owner)
    page = client.get("/agents/system/").content.decode()
    for name in ("SystemAgent", "ArchitectZero", "MemoryManager", "EvolutionStrategist", "IntentReviewer"):
        assert name in page
    answer = client.post("/agents/system/", {"capability": "answer_about_experience", "said": "what failed?"})
    asked = BusRequest.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"/bus/requests/{asked.pk}/")
    assert (asked.state, asked.by) == ("answered", owner)
    for wrong in ({"capability": "approve", "said": "x"}, {"capability": "read_plan", "said": "no number"}):
        assert client.post("/agents/system/", wrong).status_code in (302, 422)
    assert not BusRequest.objects.filter(capability="approve").exists()


def test_a_design_is_drawn_shown_and_submitted_as_it_stands(owner: User, client_of: ClientOf) -> None:
    client = client_of(owner)
    assert client.get("/agents/system/design/").status_code == 200
    form = {"requirements": WANTED, "reuse": "0.70", "evolve": "0.45"}
    drawn = client.post("/agents/system/design/", form)
    page = drawn.content.decode()
    assert "<svg" in page
    assert "&lt;b&gt;hello" in page
    assert "<b>hello" not in page
    assert not Goal.objects.exists(), "drawing stores nothing"
    text = drawn.context["design"].text
    made = client.post("/agents/system/design/", {**form, "do": "submit", "design": text, "key": "k"})
    goal = Goal.objects.get()
    assert (made.status_code, goal.reason) == (302, designs.AWAITS)
    again = client.post("/agents/system/design/", {**form, "do": "submit", "design": text, "key": "k"})
    assert (again.status_code, Goal.objects.count()) == (302, 1)


@pytest.mark.parametrize(
    "changed",
    [
        {"requirements": ""},
        {"reuse": "much"},
        {"reuse": "0.1", "evolve": "0.9"},
        {"do": "submit", "design": "no design"},
        {"do": "submit", "design": "Design of 1 component for: x\nComponent a: create"},
        {
            "do": "submit",
            "design": "Design of 1 component for: x\nComponent a: create\na does: b",
            "workspace": "theirs",
        },
    ],
)
def test_what_cannot_be_designed_stays_in_the_form_with_the_reason(
    owner: User, client_of: ClientOf, changed: dict[str, Any]
) -> None:
    form = {"requirements": WANTED, "reuse": "0.70", "evolve": "0.45", **changed}
    answer = client_of(owner).post("/agents/system/design/", form)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.content.decode()
    assert not Goal.objects.exists()


def test_the_reviewer_sees_the_components_of_a_design(owner: User, reviewer: User, client_of: ClientOf) -> None:
    text = (
        "Design of 2 components for: x\nComponent a: create\na does: A\nComponent b: create\nb does: B\nb waits for: a"
    )
    form = {"requirements": WANTED, "do": "submit", "design": text, "key": ""}
    client_of(owner).post("/agents/system/design/", {**form, "reuse": "0.7", "evolve": "0.4"})
    document = Goal.objects.get().level_documents.get()
    page = client_of(reviewer).get(f"/review/levels/{document.pk}/").content.decode()
    assert "Its components" in page
    assert "<svg" in page


def test_the_reviewer_reads_what_the_design_asks_for_and_cannot_approve_it_before(
    owner: User, reviewer: User, client_of: ClientOf
) -> None:
    text = (
        "Design of 1 component for: x\nComponent a: reuse the workflow “Copy” 1.0.0\na does: Copy\na takes source: ?\n"
        "a takes target: copy.txt"
    )
    form = {"requirements": WANTED, "do": "submit", "design": text, "key": "", "reuse": "0.7", "evolve": "0.4"}
    client_of(owner).post("/agents/system/design/", form)
    document = Goal.objects.get().level_documents.get()
    client = client_of(reviewer)
    assert "This design asks for source of a." in client.get(f"/review/levels/{document.pk}/").content.decode()
    refused = client.post(f"/review/levels/{document.pk}/decide/", {"verdict": "approve", "digest": document.digest})
    assert refused.status_code == 409
    assert "The design asks for source of a. Request changes" in refused.content.decode()
    document.refresh_from_db()
    assert document.state == "awaiting_review"
