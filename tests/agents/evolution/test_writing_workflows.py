"""Workflows that a model writes: checked like a person's, sent back with their faults, and candidates only."""

from __future__ import annotations

import json

import pytest

from agents.bdi.workflows import drafting
from agents.bdi.workflows.bound import Known
from agents.components.workflow_library import save
from agents.evolution import writing
from agents.record.errors import NotPossibleNow
from agents.toolkit.registry import REGISTRY
from library.components import services
from library.errors import LibraryRefused
from library.models import Component
from people.models import User
from tests.agents.bdi.workflows.workflow_texts import GREET
from tests.models.conftest import provider
from tests.models.server import Provider

__all__ = ["provider"]
pytestmark = pytest.mark.django_db(transaction=True)


def answer(text: str) -> str:
    return json.dumps({"workflow": text})


def test_a_text_with_faults_goes_back_with_its_lines_and_what_follows_is_a_candidate(
    provider: Provider, reviewer: User
) -> None:
    provider.will_say(answer(GREET.replace("simple_coder.read", "simple_coder.raed")), answer(GREET))
    version = writing.new("workflow", "Greet somebody", by=reviewer)
    assert (version.component.name, version.status, version.origin) == ("Greet", "candidate", services.MODEL)
    assert version.changes.endswith("Greet somebody")
    second = json.dumps(provider.asked[1])
    assert "Line 11: simple_coder has no command" in second


def test_a_name_that_is_taken_a_refusal_and_no_right_leave_nothing(
    provider: Provider, reviewer: User, owner: User
) -> None:
    save(GREET, by=reviewer)
    provider.will_say(*[answer(GREET)] * 3)
    with pytest.raises(NotPossibleNow, match="already"):
        writing.new("workflow", "Greet somebody", by=reviewer)
    provider.will_say(json.dumps({"cannot": "no command does that"}))
    with pytest.raises(NotPossibleNow, match="no command does that"):
        writing.new("workflow", "Fly", by=reviewer)
    with pytest.raises(LibraryRefused):
        writing.new("workflow", "Greet somebody", by=owner)
    assert Component.objects.filter(kind="workflow").count() == 1


def test_without_a_model_it_says_so(reviewer: User) -> None:
    with pytest.raises(NotPossibleNow, match="MINDX_MODEL"):
        writing.new("workflow", "Greet somebody", by=reviewer)


def test_a_prompt_holds_the_commands_and_workflows_and_keeps_to_its_length() -> None:
    known = {"Greet": Known("Greet", "1.0.0", GREET)}
    (_, _), (_, asked) = drafting.messages("Write.", "Do it", 200_000, REGISTRY, known)
    material = json.loads(asked)
    assert material["workflows"] == ["Greet(name): Writes a greeting and shows it."]
    assert any(
        one.startswith("simple_coder.write(path*, content*+, mode") and "->" in one for one in material["commands"]
    )
    system, user = drafting.messages("Write.", "Do it", len("Write.") + 1_000, REGISTRY, known)
    assert len(system[1]) + len(user[1]) <= len("Write.\n") + 1_000


@pytest.mark.parametrize("said", ["no JSON", "[]", "{}", '{"workflow": 3}', '{"workflow": " "}'])
def test_an_answer_that_is_none_is_said_to_be_none(said: str) -> None:
    with pytest.raises(ValueError, match="answer"):
        drafting.read(said)
