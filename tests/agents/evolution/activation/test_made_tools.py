"""A tool that a person makes: tried in a jail, activated by another, used at once, held to what it says, taken back."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client

from agents.bdi.plans import document as documents
from agents.components import made_tools, rule_writing, tool_writing
from agents.components.tool_writing import ToolInvalid
from agents.cycle import cycle
from agents.evolution import replaying
from agents.evolution.ab_trials import version_trials
from agents.evolution.ab_trials.trial_plans import Asked
from agents.evolution.ab_trials.version_trials import Wanted
from agents.evolution.activation import deciding, rollouts, tool_checks
from agents.evolution.replays import replays
from agents.evolution.replays.gate import Verdict
from agents.execution.steps import run_step
from agents.models import Attempt, Goal, Intent, Rollout, ToolCheck
from agents.states import GoalState, PlanState, RolloutState
from agents.toolkit.command import Tool
from agents.toolkit.registry import REGISTRY, tools_in_use
from agents.workspaces import workspaces
from library.components import services as library
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion
from people.models import User
from review.deciding import decisions
from sandbox.contract import SessionState
from tests.agents.toolkit.made_texts import SLY, WORD_COUNT
from tests.cast import person

pytestmark = pytest.mark.django_db(transaction=True)

RULE = """RULE tally words
IF your task is to tally the words of the file {file}
THEN: tally the words of the file {file}
"""
# Cannot read a file that is not UTF-8, as the first version; and takes no empty one.
BRITTLE = WORD_COUNT.replace(
    '    return {"words"', '    if not text.strip():\n        raise ValueError("no words")\n    return {"words"'
)
MENDED = WORD_COUNT.replace('encoding="utf-8"', 'encoding="utf-8", errors="replace"')
Tallied = Callable[..., Goal]


def save(text: str, by: User, of: Component | None = None) -> ComponentVersion:
    saved = tool_writing.save(text, by=by, of=of, changes="as the test wants it")
    tool_checks.ask(saved, by=by)
    tool_checks.work(saved.pk)
    return saved


@pytest.fixture
def word_count(reviewer: User, operator: User) -> ComponentVersion:
    saved = save(WORD_COUNT, reviewer)
    deciding.activate(saved, by=operator)
    library.publish("rule", "tally words", RULE, by=operator, status="active")
    return ComponentVersion.objects.get(pk=saved.pk)


@pytest.fixture
def planned(owner: User, make_goal: Callable[..., Goal]) -> Callable[[bytes], Goal]:
    def made(content: bytes) -> Goal:
        goal = make_goal(owner, "tally the words of the file notes.txt")
        workspaces.put_file(goal.workspace, by=owner, path="notes.txt", source=io.BytesIO(content))
        cycle.work(goal.pk)
        goal.refresh_from_db()
        return goal

    return made


@pytest.fixture
def tallied(planned: Callable[[bytes], Goal], reviewer: User) -> Tallied:
    def made(content: bytes) -> Goal:
        goal = planned(content)
        plan = goal.intent_plans.get()
        decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")
        cycle.work(goal.pk)
        goal.refresh_from_db()
        return goal

    return made


def test_nothing_uses_a_tool_before_its_trials_fit_and_somebody_activates_it(reviewer: User, operator: User) -> None:
    saved = tool_writing.save(WORD_COUNT, by=reviewer)
    assert deciding.standing(saved).why_not == "Its trials have not been run."
    tool_checks.ask(saved, by=reviewer)
    assert deciding.standing(saved).why_not == "Its trials are still running."
    with pytest.raises(LibraryRefused, match="still running"):
        deciding.activate(saved, by=operator)
    tool_checks.work(saved.pk)
    check = ToolCheck.objects.get(version=saved)
    assert (check.fits, len(check.rows), check.reason) == (True, 2, "")
    made_tools.refresh()
    assert tools_in_use() is REGISTRY
    with pytest.raises(LibraryRefused, match="operator or developer"):
        deciding.activate(saved, by=reviewer)
    deciding.activate(saved, by=operator)
    made_tools.refresh()
    assert tools_in_use().tool("word_count").release == "1.0.0"
    library.retire(ComponentVersion.objects.get(pk=saved.pk), operator)
    made_tools.refresh()
    assert tools_in_use() is REGISTRY


def test_trials_that_do_not_fit_keep_it_out(reviewer: User, operator: User) -> None:
    saved = save(SLY, reviewer)
    (row, _) = ToolCheck.objects.get(version=saved).rows
    assert any("changed left.txt" in fault for fault in row["faults"])
    with pytest.raises(LibraryRefused, match="Not all of its trials"):
        deciding.activate(saved, by=operator)


def test_with_four_eyes_nobody_activates_what_they_wrote(operator: User, settings: Any) -> None:
    saved = save(WORD_COUNT, operator)
    settings.FOUR_EYES = True
    with pytest.raises(LibraryRefused, match="somebody else must put it to use"):
        deciding.activate(saved, by=operator)
    deciding.activate(saved, by=person("dee", "developer"))


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("tool: word_count", "tool: simple_coder", "mindX itself has a tool"),
        ("tool: word_count", "tool: new", "an address of mindX"),
        ("tally the words of the file {path}", "list the files in {path}", "already"),
        ("tally the words", "tally the wor\u202eds", "hidden character"),
        ("effect: idempotent", "effect: nothing", "does not fit"),
    ],
)
def test_what_cannot_be_a_tool_is_refused_with_the_reason(reviewer: User, before: str, after: str, says: str) -> None:
    with pytest.raises(ToolInvalid, match=says):
        tool_writing.save(WORD_COUNT.replace(before, after), by=reviewer)
    assert not Component.objects.filter(kind="tool").exists()


@pytest.mark.parametrize("name", ["mcp_harbour_find_berth", "ask_translator"])
def test_people_give_no_tool_a_name_that_mindx_gives_to_what_others_offer(reviewer: User, name: str) -> None:
    text = WORD_COUNT.replace("tool: word_count", f"tool: {name}")
    with pytest.raises(ToolInvalid, match="belong to tools that mindX writes itself"):
        tool_writing.save(text, by=reviewer)
    with pytest.raises(ToolInvalid, match="belong to tools"):
        tool_writing.save(text, by=reviewer, prefix="ask_" if name.startswith("mcp_") else "mcp_")
    written = tool_writing.save(text, by=reviewer, prefix=name[:4])
    edited = tool_writing.save(text.replace("Counts words", "Counts all words"), by=reviewer, of=written.component)
    assert edited.component == written.component


def test_firmware_keeps_a_tool_out_by_the_words_of_its_code(reviewer: User, admin: User) -> None:
    from agents.actors import firmware

    firmware.activate(
        firmware.save("general", "Be careful.\n\nCHECKS:\nno-words: forbid words read_text\n", by=admin), by=admin
    )
    with pytest.raises(ToolInvalid, match="no-words"):
        tool_writing.save(WORD_COUNT, by=reviewer)


def test_a_goal_uses_it_without_a_restart_and_reviewers_read_its_code(
    word_count: ComponentVersion, planned: Callable[[bytes], Goal], reviewer: User, client_of: Callable[[User], Client]
) -> None:
    goal = planned(b"one two three")
    plan = goal.intent_plans.get()
    page = client_of(reviewer).get(f"/review/{plan.pk}/").content.decode()
    assert "Code of the tool word_count" in page
    assert "text = Path(params[&quot;path&quot;]).read_text" in page
    decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")
    cycle.work(goal.pk)
    goal.refresh_from_db()
    assert goal.state == GoalState.ACHIEVED
    assert (Intent.objects.get(intent_plan=plan).result or {})["words"] == 3
    cycle.work(goal.pk)
    word_count.refresh_from_db()
    assert (word_count.uses, word_count.successes) == (1, 1)


def test_a_plan_is_not_run_with_another_version_than_the_one_that_was_approved(
    word_count: ComponentVersion, planned: Callable[[bytes], Goal], reviewer: User, admin: User
) -> None:
    goal = planned(b"one two three")
    plan = goal.intent_plans.get()
    decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")
    other = save(MENDED, reviewer, word_count.component)
    deciding.activate(other, by=admin, reason="there is nothing to measure it by yet")
    cycle.work(goal.pk)
    plan.refresh_from_db()
    assert plan.state == PlanState.SUPERSEDED
    assert goal.intent_plans.order_by("-revision").values_list("state", flat=True).first() == PlanState.AWAITING_REVIEW
    assert not Attempt.objects.filter(intent__intent_plan__goal=goal).exists()


def test_the_step_itself_runs_no_other_version_than_the_plan_names(
    word_count: ComponentVersion, planned: Callable[[bytes], Goal]
) -> None:
    (spec,) = documents.read(bytes(planned(b"one two").intent_plans.get().document)).intents
    # It is refused before anything is asked of a session.
    session: Any = SimpleNamespace(state=SessionState())
    outcome = run_step(spec, session, {}, version="another")
    assert outcome.failure is not None
    assert "was changed after the plan was made" in outcome.failure.reason


def test_the_code_of_an_alternative_is_shown_too(
    word_count: ComponentVersion, planned: Callable[[bytes], Goal], reviewer: User, api_of: Any
) -> None:
    plan = planned(b"one two").intent_plans.get()
    document = documents.read(bytes(plan.document))
    (made,) = document.intents
    other = replace(made, tool="simple_coder", command="read", alternatives=(made,))
    (shown,) = made_tools.behind(replace(document, intents=(other,)))
    assert shown.version == word_count
    (told,) = api_of(reviewer).get(f"intent-plans/{plan.pk}").json()["made_tools"]
    assert (told["name"], told["version"], told["text"]) == ("word_count", "1.0.0", word_count.body)


def test_one_that_says_it_changes_nothing_is_held_to_it(
    tallied: Tallied, reviewer: User, operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = tool_writing.save(SLY, by=reviewer)
    monkeypatch.setattr(tool_checks, "why_not", lambda version: "")  # as if its trials had shown nothing
    deciding.activate(saved, by=operator)
    library.publish("rule", "tally words", RULE, by=operator, status="active")
    goal = tallied(b"one two")
    attempt = Attempt.objects.filter(intent__intent_plan__goal=goal).first()
    assert attempt is not None
    assert attempt.outcome == "failed"
    assert "says that it changes no file" in str(attempt.result)
    goal.workspace.refresh_from_db()
    assert attempt.snapshot_before == goal.workspace.head


def test_a_better_version_is_admitted_by_the_tools_own_cases_and_a_worse_one_is_not(
    word_count: ComponentVersion, tallied: Tallied, reviewer: User, operator: User
) -> None:
    broken = [tallied(b"caf\xe9 no%d" % number) for number in range(5)]
    assert {goal.state for goal in broken} == {GoalState.MANUAL}
    tallied(b"one two three")
    worse = save(BRITTLE, reviewer, word_count.component)
    replays.ask(worse, by=reviewer)
    replaying.work()
    assert replays.judgement(replays.latest(worse)).verdict is Verdict.INERT  # type: ignore[arg-type]
    better = save(MENDED, reviewer, word_count.component)
    replays.ask(better, by=reviewer)
    replaying.work()
    judged = replays.judgement(replays.latest(better))  # type: ignore[arg-type]
    assert (judged.verdict, judged.fixed, judged.broken, judged.unchanged) == (Verdict.ADMITTED, 5, 0, 1)
    deciding.activate(better, by=operator)
    made_tools.refresh()
    assert tools_in_use().tool("word_count").release == better.version
    assert tallied(b"caf\xe9").state == GoalState.ACHIEVED


def test_a_version_that_breaks_what_worked_is_stopped_by_the_gate(
    word_count: ComponentVersion, tallied: Tallied, reviewer: User, operator: User
) -> None:
    tallied(b"")
    brittle = save(BRITTLE, reviewer, word_count.component)
    replays.ask(brittle, by=reviewer)
    replaying.work()
    assert replays.judgement(replays.latest(brittle)).verdict is Verdict.BROKE  # type: ignore[arg-type]
    with pytest.raises(LibraryRefused, match="Breaks 1"):
        deciding.activate(brittle, by=operator)


def test_a_version_that_an_admin_lets_in_all_the_same_is_taken_back(
    word_count: ComponentVersion, planned: Callable[[bytes], Goal], reviewer: User, admin: User
) -> None:
    brittle = save(BRITTLE, reviewer, word_count.component)
    deciding.activate(brittle, by=admin, reason="nothing has run with it yet")
    rollout = Rollout.objects.get(version=brittle)
    for _ in range(5):
        planned(b" ")
    rollouts.sweep()
    replaying.work()
    rollout.refresh_from_db()
    assert rollout.state == RolloutState.RETURNED
    statuses = dict(ComponentVersion.objects.filter(component__kind="tool").values_list("version", "status"))
    assert statuses == {"1.0.0": "active", "1.1.0": "retired"}
    made_tools.refresh()
    assert tools_in_use().tool("word_count").release == "1.0.0"


def test_an_active_version_that_can_no_longer_be_read_is_left_out(word_count: ComponentVersion) -> None:
    ComponentVersion.objects.filter(pk=word_count.pk).update(status="retired")
    Component.objects.create(kind="tool", name="odd")
    ComponentVersion.objects.create(
        component=Component.objects.get(name="odd"), version="1.0.0", body="tool: odd\n---\nx = 1\n", status="active"
    )
    made_tools.refresh()
    assert tools_in_use().tools == REGISTRY.tools


def test_trials_whose_worker_died_are_run_by_another_one(reviewer: User) -> None:
    saved = tool_writing.save(WORD_COUNT, by=reviewer)
    check = tool_checks.ask(saved, by=reviewer)
    assert tool_checks.claim(saved.pk) is not None
    ToolCheck.objects.filter(pk=check.pk).update(lease_until="2020-01-01T00:00:00Z")
    tool_checks.work(saved.pk)
    check.refresh_from_db()
    assert (check.state, check.fits, check.lease_fence) == ("ended", True, 2)
    tool_checks.ask(saved, by=reviewer)
    ToolCheck.objects.filter(pk=check.pk).update(
        state="running", lost_workers=ToolCheck.lost_most - 1, lease_until="2020-01-01T00:00:00Z"
    )
    tool_checks.work(saved.pk)
    check.refresh_from_db()
    assert (check.state, check.fits, check.reason) == ("ended", None, "3 workers died while it ran")
    assert "could not be run: 3 workers died" in tool_checks.why_not(saved)


def test_a_late_worker_ends_nothing_of_trials_that_were_asked_for_again(
    reviewer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = tool_writing.save(WORD_COUNT, by=reviewer)
    tool_checks.ask(saved, by=reviewer)

    def slow(tool: Tool) -> list[Any]:
        tool_checks.ask(saved, by=reviewer)
        tool_checks.claim(saved.pk)
        return []

    monkeypatch.setattr(tool_checks, "_run", slow)
    tool_checks.work(saved.pk)
    check = ToolCheck.objects.get(version=saved)
    assert (check.state, check.fits, check.lease_fence) == ("running", None, 2)


def test_nobody_gets_in_by_writing_for_a_tool_that_ships(operator: User) -> None:
    diff = library.publish("tool", "note_taking", "--- a/x\n+++ b/x\n", by=operator)
    with pytest.raises(LibraryRefused, match="does not change its own code"):
        deciding.activate(diff, by=operator)


def test_a_rule_for_a_command_is_offered_that_plans_goals_in_its_words(
    word_count: ComponentVersion, reviewer: User, client_of: Callable[[User], Client]
) -> None:
    client = client_of(reviewer)
    page = client.get("/rules/new/?command=word_count.count_words").content.decode()
    assert "IF your task is to tally the words of the file {path}" in page
    assert client.get("/rules/new/?command=word_count.gone").status_code == 404
    made_tools.refresh()
    (command,) = tools_in_use().tool("word_count").commands
    assert not rule_writing.check(tool_writing.rule_for(command), instead_of="tally words").problems


def test_a_trial_of_two_versions_of_a_tool_ends_with_the_case_that_decides(
    word_count: ComponentVersion,
    tallied: Tallied,
    repeated: Callable[[int], None],
    reviewer: User,
    operator: User,
) -> None:
    tallied(b"caf\xe9")
    repeated(7)
    better = save(MENDED, reviewer, word_count.component)
    trial = version_trials.begin(Wanted(word_count, better, "replayed", Asked(60, 100, 10)), by=operator)
    replaying.work()
    trial.refresh_from_db()
    assert (trial.verdict, trial.reason) == ("b_better", "after 6 cases: B did better in 6, A in 0")
    assert ComponentVersion.objects.get(pk=better.pk).status == "candidate", "a person activates it"
