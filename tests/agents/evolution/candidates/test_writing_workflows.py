"""Workflows that a model writes: checked like a person's, sent back with their faults, and candidates only."""

from __future__ import annotations

import json

import pytest

from agents.bdi.language_models.candidate_writing import Case
from agents.bdi.workflows import drafting, reading
from agents.bdi.workflows.bound import Known
from agents.components.workflow_library import save
from agents.evolution.candidates import writing
from agents.record.errors import NotPossibleNow
from agents.toolkit.registry import REGISTRY
from library.components import services
from library.errors import LibraryRefused
from library.models import Component
from people.models import User
from tests.agents.bdi.workflows.workflow_texts import GREET, execute, text
from tests.models.conftest import provider
from tests.models.server import Provider

__all__ = ["provider"]
pytestmark = pytest.mark.django_db(transaction=True)


def answer(said: str) -> str:
    return json.dumps({"workflow": said})


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


def steps_of(count: int) -> str:
    steps = (execute("simple_coder.mkdir", f"input: {{path: made{at}}}") for at in range(count))
    return text("".join(steps), params="\nparams: {name: world}")


@pytest.mark.parametrize(
    ("strategy", "changed", "told"),
    [
        ("standard", steps_of(1).replace("params: {name: world}", "params: {}"), "“name” is gone"),
        ("standard", steps_of(1).replace("name: world", "name: world, week:"), "“week” must be given now"),
        ("domain_adaptation", steps_of(5), "at most 3 steps"),
        ("conservative", steps_of(1).replace("world", "moon"), "parameters and their defaults"),
        ("conservative", steps_of(2), "keeps the steps"),
    ],
)
def test_a_strategy_that_goes_too_far_is_told(strategy: str, changed: str, told: str) -> None:
    parent, new = (reading.read(one).workflow for one in (steps_of(1), changed))
    assert parent is not None
    assert new is not None
    (problem,) = drafting.STRATEGIES[strategy].problems(parent, new)
    assert told in problem
    assert not list(drafting.STRATEGIES["aggressive"].problems(parent, new))


def test_what_a_strategy_allows_passes() -> None:
    parent = reading.read(steps_of(1)).workflow
    more = reading.read(steps_of(4).replace("name: world", "name: moon, week: 3")).workflow
    other = reading.read(steps_of(1).replace("made0", "other")).workflow
    assert parent is not None
    assert more is not None
    assert other is not None
    assert not list(drafting.STRATEGIES["standard"].problems(parent, more))
    assert not list(drafting.STRATEGIES["conservative"].problems(parent, other))


def test_cases_are_left_out_before_commands_and_after_workflows() -> None:
    known = {"Greet": Known("Greet", "1.0.0", GREET)}
    cases = [Case("failed one", "x" * 900), Case("worked one")]
    (_, _), (_, asked) = drafting.messages("Write.", "Better", 200_000, REGISTRY, known, workflow=GREET, cases=cases)
    material = json.loads(asked)
    assert (material["workflow"], material["worked"]) == (GREET, ["worked one"])
    assert material["failed"] == [{"goal": "failed one", "error": "x" * 400}]
    (_, _), (_, short) = drafting.messages(
        "Write.", "Better", len(asked) - 49, REGISTRY, known, workflow=GREET, cases=cases
    )
    material = json.loads(short)
    assert (material["workflows"], material["worked"], len(material["failed"])) == ([], [], 1)
    assert len(material["commands"]) == len(list(REGISTRY.commands))
