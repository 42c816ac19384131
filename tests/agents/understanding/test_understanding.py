"""Goals that no rule knows: understood as commands, proposed with the originals, or asked about and answered."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from agents.bdi.plans import document as documents
from agents.cycle import cycle
from agents.models import Belief, Goal, Intent, IntentPlan, ParameterRule, ParameterSettings, PathMapping
from agents.planning import answers
from agents.planning.answers import Reply
from agents.record.errors import NotPossibleNow, PlanInvalid
from agents.states import GoalState
from agents.toolkit.types import NoPlan, PlanDraft
from agents.understanding import parameters
from agents.workspaces import workspaces
from mindx_web.templatetags.mindx import origin
from people.models import User
from review.deciding import decisions

pytestmark = pytest.mark.django_db(transaction=True)

FILES = ("README.md", "src/app.py", "src/util.py", "old/report.txt", "tools/summarization_tool.py")


@pytest.fixture
def plan_of(goal_about: Callable[..., Goal]) -> Callable[..., Goal]:
    """`plan_of("text")`: a goal over a workspace with these files, as the worker leaves it."""
    return partial(goal_about, files=FILES)


def steps(goal: Goal) -> list[tuple[str, dict[str, object]]]:
    document = documents.read(bytes(goal.intent_plans.order_by("-revision")[0].document))
    return [(spec.command, dict(spec.params)) for spec in document.intents]


def test_a_command_without_a_rule_is_planned_as_it_is_meant(plan_of: Callable[..., Goal]) -> None:
    goal = plan_of("could you please shwo me the file path/to/README")
    assert goal.state == GoalState.AWAITING_REVIEW
    plan = goal.intent_plans.get()
    assert plan.plan.source == "understanding"
    spec = documents.read(bytes(plan.document)).at(1)
    assert (spec.tool, spec.command, spec.params["path"]) == ("simple_coder", "read", "README.md")
    (path,) = [one for one in spec.parameters if one.name == "path"]
    assert (path.origin, path.original) == ("mapping", "path/to/README")
    assert path.confidence < 1.0


def test_what_is_to_be_removed_stands_between_switching_autonomous_mode_on_and_off(
    plan_of: Callable[..., Goal],
) -> None:
    assert [name for name, _ in steps(plan_of("get rid of old/report.txt"))] == [
        "toggle_autonomous_mode",
        "rm",
        "toggle_autonomous_mode",
    ]


def test_the_reviewer_sees_the_original_struck_through(
    plan_of: Callable[..., Goal], reviewer: User, client_of: Callable[[User], Client]
) -> None:
    goal = plan_of("please cat SRC\\App.py for me")
    page = client_of(reviewer).get(goal.intent_plans.get().get_absolute_url()).content.decode()
    assert "<del>" in page
    assert "App.py" in page.split("<del>")[1].split("</del>")[0]


def sent_back(goal: Goal, owner: User, reviewer: User, wish: str) -> Goal:
    """The goal whose question was answered, and whose plan a reviewer then sent back with these words."""
    plan = answers.answer(goal, [Reply(None, "README.md")], by=owner)
    decisions.request_changes(plan, by=reviewer, digest=plan.digest, comment=wish)
    cycle.work(goal.pk)
    return Goal.objects.get(pk=goal.pk)


def test_a_file_that_a_reviewer_named_is_the_one_that_was_asked_for(
    plan_of: Callable[..., Goal], owner: User, reviewer: User
) -> None:
    """What a person said with the plan is no worse an answer than what is typed into the form of the question."""
    asked = plan_of("show me the text file")
    assert asked.reason.startswith("question_open")
    goal = sent_back(asked, owner, reviewer, "Use the file src/app.py instead.")
    assert goal.state == GoalState.AWAITING_REVIEW, goal.reason
    assert steps(goal) == [("read", {"path": "src/app.py"})]
    document = documents.read(bytes(goal.intent_plans.order_by("-revision")[0].document))
    (path,) = [one for one in document.at(1).parameters if one.name == "path"]
    assert (path.origin, path.note) == ("person", f"{reviewer.username} said: Use the file src/app.py instead.")


def test_a_file_that_a_reviewer_only_spoke_of_is_still_asked_for(
    plan_of: Callable[..., Goal], owner: User, reviewer: User
) -> None:
    goal = sent_back(plan_of("show me the text file"), owner, reviewer, "Do not use the file src/app.py.")
    assert goal.reason.startswith("question_open")


def believed(goal: Goal, *, sentence: str = "Use the file src/app.py.", **how: Any) -> PlanDraft | NoPlan:
    """What the goal's text means while it holds this sentence, by default of a person who said it of the whole goal."""
    belief = Belief(goal=goal, sentence=sentence, source="person", at=timezone.now())
    for name, value in how.items():
        setattr(belief, name, value)
    belief.save()
    return parameters.understood(goal, NoPlan("no_relevant_rule"))


def test_a_persons_word_that_stands_answers_the_one_thing_that_is_asked(plan_of: Callable[..., Goal]) -> None:
    draft = believed(plan_of("show me the text file"))
    assert isinstance(draft, PlanDraft)
    assert [step.params["path"].value for step in draft.steps] == ["src/app.py"]


@pytest.mark.parametrize(
    "how",
    [
        {"source": "observation"},
        {"retracted_by": "ann"},
        {"denies": "It is the file README.md."},
        {"expires_at": timezone.now() - timedelta(days=1)},
        {"sentence": "Use the folder src."},
    ],
    ids=["of nobody", "taken back", "said against another", "expired", "of another kind"],
)
def test_other_words_leave_it_asked(plan_of: Callable[..., Goal], how: dict[str, Any]) -> None:
    assert isinstance(believed(plan_of("show me the text file"), **how), NoPlan)


def test_where_more_is_asked_nobody_knows_what_a_persons_word_answers(plan_of: Callable[..., Goal]) -> None:
    goal = plan_of("show me the text file, then rename src/app.py")
    asked = answers.open_questions(goal)
    assert asked is not None
    assert len(asked.questions) == 2
    assert isinstance(believed(goal), NoPlan)


def test_what_is_not_clear_is_asked_with_its_choices(plan_of: Callable[..., Goal], owner: User) -> None:
    goal = plan_of("rename src/app.py")
    assert goal.state == GoalState.MANUAL
    assert goal.reason.startswith("question_open: What is the new path (to)")
    plan = answers.answer(goal, [Reply(None, "src/main.py")], by=owner)
    (said,) = plan.plan.evidence["answers"]
    assert said["question"].startswith("What is the new path (to)")
    assert said["answer"] == "src/main.py"
    spec = documents.read(bytes(plan.document)).at(1)
    assert spec.params["to"] == "src/main.py"
    assert {one.origin for one in spec.parameters if one.name == "to"} == {"person"}
    goal.refresh_from_db()
    assert goal.state == GoalState.AWAITING_REVIEW


def test_an_answered_question_cannot_be_answered_again(plan_of: Callable[..., Goal], owner: User) -> None:
    goal = plan_of("rename src/app.py")
    answers.answer(goal, [Reply(None, "src/main.py")], by=owner)
    with pytest.raises(NotPossibleNow):
        answers.answer(goal, [Reply(None, "src/other.py")], by=owner)
    assert IntentPlan.objects.filter(goal=goal).count() == 1


def test_an_answer_that_cannot_be_makes_no_plan(plan_of: Callable[..., Goal], owner: User) -> None:
    goal = plan_of("rename src/app.py")
    for wrong in ([], [Reply()], [Reply(9)], [Reply(None, "../outside")]):
        with pytest.raises(PlanInvalid):
            answers.answer(goal, wrong, by=owner)
    goal.refresh_from_db()
    assert goal.state == GoalState.MANUAL


def test_the_page_asks_and_takes_the_answer_of_those_who_may(
    plan_of: Callable[..., Goal], owner: User, outsider: User, reviewer: User, client_of: Callable[[User], Client]
) -> None:
    goal = plan_of("rename src/app.py")
    address = f"/goals/{goal.pk}/answer"
    assert client_of(outsider).get(address).status_code == 404
    assert client_of(reviewer).post(address, {"value-1": "x.py"}).status_code == 403
    shown = client_of(owner).get(address)
    assert "What is the new path" in shown.content.decode()
    assert client_of(owner).post(address, {"value-1": ""}).status_code == 422
    assert client_of(owner).post(address, {"value-1": "src/main.py"}).status_code == 302
    goal.refresh_from_db()
    assert goal.state == GoalState.AWAITING_REVIEW


def test_text_of_a_goal_stays_text_where_it_is_asked_about(
    plan_of: Callable[..., Goal], owner: User, client_of: Callable[[User], Client]
) -> None:
    goal = plan_of('rename "<b>x</b>.py"', files=("a.txt",))
    shown = client_of(owner).get(f"/goals/{goal.pk}/answer").content.decode()
    assert "<b>x" not in shown


def test_the_mapping_table_overrides_what_is_found(plan_of: Callable[..., Goal]) -> None:
    PathMapping.objects.create(said="app", path="src/util.py")
    assert steps(plan_of("show app")) == [("read", {"path": "src/util.py"})]
    PathMapping.objects.create(said="App", path="src/util.py", in_use=False)
    assert steps(plan_of("show app")) == [("read", {"path": "src/app.py"})]


def test_each_stage_can_be_switched_off_and_the_newest_version_counts(plan_of: Callable[..., Goal]) -> None:
    ParameterSettings.objects.create(enable_understanding=False)
    assert plan_of("show src/app.py").reason.startswith("no_relevant_rule: ")
    ParameterSettings.objects.create(enable_path_correction=False)
    goal = plan_of("show src/App.py")
    assert not goal.reason.startswith("no_relevant_rule")
    assert steps(goal) == [("read", {"path": "src/App.py"})]
    ParameterSettings.objects.create(fallback_to_defaults=False)
    assert plan_of("copy src/app.py to src/other.py").state == GoalState.MANUAL
    ParameterSettings.objects.create()
    assert steps(plan_of("show src/App.py")) == [("read", {"path": "src/app.py"})]


def _earlier(owner: User, propose_plan: Callable[..., IntentPlan], values: list[str]) -> None:
    for value in values:
        step = {"tool": "git_tool", "command": "commit", "params": {"message": value}}
        plan = propose_plan(owner, [step])
        Intent.objects.filter(intent_plan=plan).update(state="succeeded")
        IntentPlan.objects.filter(pk=plan.pk).update(queued_at=timezone.now() - timedelta(days=2))


def test_a_missing_value_is_predicted_from_runs_that_agree_and_says_which(
    plan_of: Callable[..., Goal], owner: User, propose_plan: Callable[..., IntentPlan]
) -> None:
    _earlier(owner, propose_plan, ["Weekly figures"] * 5)
    goal = plan_of("commit everything")
    spec = documents.read(bytes(goal.intent_plans.get().document)).at(1)
    (message,) = [one for one in spec.parameters if one.name == "message"]
    assert (message.value, message.origin) == ("Weekly figures", "experience")
    assert "5 of 5 earlier runs took this, the newest 2 days ago" in message.note
    last = Intent.objects.filter(command="commit", state="succeeded").latest("pk").intent_plan.goal_id
    assert f"(goal {last}, " in message.note
    assert message.note.endswith(f", of {owner.username})")
    assert f'<a class="link" href="/goals/{last}/">{last}</a>' in origin(message), "its evidence is a click away"


def test_runs_that_differ_or_are_somebody_elses_predict_nothing(
    plan_of: Callable[..., Goal], owner: User, outsider: User, propose_plan: Callable[..., IntentPlan]
) -> None:
    _earlier(outsider, propose_plan, ["Secret habit"] * 5)
    assert plan_of("commit everything").reason.startswith("question_open")
    _earlier(owner, propose_plan, ["a", "b", "c", "a", "b"])
    assert plan_of("commit everything").reason.startswith("question_open")


def test_a_parameter_rule_gives_a_default_or_forbids_guessing(
    plan_of: Callable[..., Goal], owner: User, propose_plan: Callable[..., IntentPlan]
) -> None:
    where = {"tool": "git_tool", "command": "commit", "parameter": "message"}
    ParameterRule.objects.create(**where, default="As every evening")
    goal = plan_of("commit everything")
    assert steps(goal)[0][1]["message"] == "As every evening"
    ParameterRule.objects.create(**where, may_be_guessed=False)
    _earlier(owner, propose_plan, ["Weekly figures"] * 5)
    assert plan_of("commit everything").reason.startswith("question_open")


@pytest.mark.parametrize("text", ["list the files and create the folder reports", "Please delete that file"])
def test_a_goal_that_is_submitted_leads_to_its_page_and_is_planned_or_asked_about(
    text: str, client: Client, owner: User, make_goal: Callable[..., Goal]
) -> None:
    """Whoever submits it gets to its page, and finds a plan there or a question; never silence."""
    client.force_login(owner)
    workspace = make_goal(owner, "something before").workspace
    for path in FILES:
        workspaces.put_file(workspace, by=owner, path=path, source=io.BytesIO(b"x = 1\n"))
    answer = client.post(
        "/goals/new/", {"text": text, "priority": "5", "workspace": workspace.name, "key": f"k{len(text)}"}
    )
    goal = Goal.objects.order_by("-pk")[0]
    assert (answer.status_code, goal.text) == (302, text), answer.content[:2000]
    assert answer["Location"] == goal.get_absolute_url()
    cycle.work(goal.pk)
    goal.refresh_from_db()
    asked = answers.open_questions(goal)
    assert goal.state == GoalState.AWAITING_REVIEW or (asked is not None and asked.questions)
    page = client.get(goal.get_absolute_url()).content.decode()
    assert asked is None or all(question.text.split("“")[0].strip() in page for question in asked.questions)
