"""The rules that planning uses: loaded, parsed once, left out when unreadable, found by meaning, tried out."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from django.core.management import call_command

from agents.components import made_tools, rule_writing, rules
from agents.evolution.activation import deciding
from agents.models import Agent, Workspace
from agents.rules import grammar
from agents.rules.selection import KnownRule
from agents.rules.starter import starter_files
from agents.toolkit.registry import REGISTRY, tools_in_use
from agents.toolkit.types import PlanDraft
from library.components import services
from library.errors import LibraryRefused
from library.models import ComponentVersion
from people.models import User
from tests.library.vectors import WordVectors, install

GREET = """RULE greet somebody
IF your task is to greet {name}
THEN: create the folder {name}
"""


@pytest.fixture
def word_vectors(monkeypatch: pytest.MonkeyPatch) -> WordVectors:
    return install(monkeypatch)


def names() -> list[str]:
    return [known.name for known in rules.known_rules()]


def test_the_starters_are_loaded_once_and_bring_the_default_agent(
    db: None, word_vectors: WordVectors, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("load_starters")
    assert "start a python project 1.0.0 is active." in capsys.readouterr().out
    loaded = names()
    assert {"start a python project", "set up a virtual environment"} <= set(loaded)
    assert Agent.objects.get().name == "mindx"
    assert not ComponentVersion.objects.filter(applicability_embedding=None).exists()
    call_command("load_starters")
    assert "are loaded" in capsys.readouterr().out
    assert names() == loaded
    assert ComponentVersion.objects.filter(component__kind="rule").count() == len(loaded)


def test_the_starters_are_loaded_without_a_sentence_model(
    db: None, word_vectors: WordVectors, capsys: pytest.CaptureFixture[str]
) -> None:
    word_vectors.broken = "no model here"
    call_command("load_starters")
    assert "no model here" in capsys.readouterr().err
    assert "start a python project" in names()


def test_every_rule_of_every_starter_file_is_a_component_of_its_own() -> None:
    starters = rules.starters(starter_files())
    assert len(starters) == sum(len(grammar.parse(text)) for _, text in starter_files())
    assert len({starter.name for starter in starters}) == len(starters)
    for starter in starters:
        assert [rule.name for rule in grammar.parse(starter.body)] == [starter.name]


def test_a_comment_in_a_starter_stays_with_its_rule() -> None:
    (starter, *_) = [one for one in rules.starters(starter_files()) if one.name == "start a python project"]
    assert "# The project gets a folder of its own" in starter.body


def test_when_to_use_is_a_sentence_without_signs() -> None:
    (rule,) = grammar.parse("IF your task is to (create|make) [new] project {project_name}\nTHEN: stop {project_name}")
    assert rules.when_to_use(rule) == "create project project name. (create|make) [new] project {project_name}"


def test_only_active_versions_are_known(operator: User) -> None:
    candidate = services.publish("rule", "greet somebody", GREET, by=operator)
    assert names() == []
    active = services.activate(candidate, operator)
    (known,) = rules.known_rules()
    assert (known.name, known.version, known.version_id) == ("greet somebody", "1.0.0", str(active.pk))
    services.retire(active, operator)
    assert names() == []


def test_a_version_that_can_no_longer_be_read_is_left_out_and_reported(
    operator: User, caplog: pytest.LogCaptureFixture
) -> None:
    services.publish("rule", "greet somebody", GREET, by=operator, status="active")
    services.publish("rule", "broken", "IF your task is to greet {name}\n", by=operator, status="active")
    services.publish("rule", "two", GREET + "--\n" + GREET, by=operator, status="active")
    assert names() == ["greet somebody"]
    assert "left out" in caplog.text


def test_a_version_is_parsed_once_in_a_process(operator: User, monkeypatch: pytest.MonkeyPatch) -> None:
    services.publish("rule", "greet somebody", GREET, by=operator, status="active")
    assert names() == ["greet somebody"]

    def refuse(text: str) -> None:
        raise AssertionError("parsed again")

    monkeypatch.setattr(grammar, "parse", refuse)
    assert names() == ["greet somebody"]


def test_the_nearest_rules_are_told_with_their_similarity(
    operator: User,
    word_vectors: WordVectors,
    django_capture_on_commit_callbacks: Callable[..., AbstractContextManager[object]],
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        for name, when in (("greet somebody", "greet somebody"), ("remove it", "remove a folder")):
            body = GREET.replace("greet somebody", name)
            services.publish("rule", name, body, by=operator, applicability_text=when, status="active")
    ((nearest, similarity), (other, less)) = rules.nearest_rules("please greet somebody")
    assert (nearest.name, other.name) == ("greet somebody", "remove it")
    assert similarity > less
    assert rules.nearest_rules("  ") == []
    word_vectors.broken = "no model here"
    assert rules.nearest_rules("greet") == []


def test_a_trial_plans_over_the_workspace_and_changes_nothing(
    operator: User, owner: User, make_workspace: Callable[..., Workspace]
) -> None:
    services.publish("rule", "greet somebody", GREET, by=operator, status="active")
    workspace = make_workspace(owner)
    trial = rules.try_out("Greet Nora", workspace)
    assert isinstance(trial.outcome, PlanDraft)
    assert [step.values()["path"] for step in trial.outcome.steps] == ["Nora"]
    assert trial.evidence["rule"]["name"] == "greet somebody"
    before = workspace.head
    workspace.refresh_from_db()
    assert workspace.head == before
    assert not workspace.goals.exists()


def test_a_draft_takes_the_place_of_the_active_rule_of_its_name(
    operator: User, owner: User, make_workspace: Callable[..., Workspace]
) -> None:
    services.publish("rule", "greet somebody", GREET, by=operator, status="active")
    rule = rules.read_one(GREET.replace("create the folder {name}", "create the folder hello"))
    draft = KnownRule("greet somebody", "1.1.0", "7", rule)
    trial = rules.try_out("Greet Nora", make_workspace(owner), instead=draft)
    assert isinstance(trial.outcome, PlanDraft)
    assert [step.values()["path"] for step in trial.outcome.steps] == ["hello"]
    assert trial.evidence["rule"]["version"] == "1.1.0"


def test_a_rule_with_hundreds_of_wordings_can_be_saved(operator: User) -> None:
    ways = "\n".join(
        f"OR your task is to greet the visitor of hall number {number} whose name is {{name}}" for number in range(200)
    )
    saved = rule_writing.save(GREET.replace("\nTHEN", f"\n{ways}\nTHEN"), by=operator)
    assert len(saved.applicability_text) == services.WHEN_MAX_CHARACTERS


def test_tools_that_ship_are_found_in_the_library_and_change_nothing_about_what_is_in_use(operator: User) -> None:
    call_command("load_starters", verbosity=0)
    git = ComponentVersion.objects.get(component__kind="tool", component__name="git_tool")
    assert (git.status, git.origin) == ("active", "starter")
    assert "phrases:" in git.body
    assert git.component.description
    made_tools.refresh()
    assert tools_in_use() is REGISTRY
    with pytest.raises(LibraryRefused, match="does not change its own code"):
        deciding.activate(git, by=operator)
