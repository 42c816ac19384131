"""What lines typed to mastermind do: with whose rights, to what, and what is left of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.management import call_command

from agents.actors import lifecycle
from agents.coordinator import commanding
from agents.coordinator.commanding import Given
from agents.cycle import cycle
from agents.mastermind.answers import Answer, Outcome
from agents.mastermind.configs import Config
from agents.models import Agent, Belief, GivenCommand, Goal, IntentPlan, Workspace
from agents.record.errors import NotYours
from agents.states import GoalState
from agents.workspaces import workspaces
from people.models import User
from review.models import AuditEntry

pytestmark = pytest.mark.django_db


@pytest.fixture
def starters(transactional_db: None) -> None:
    """The rules that ship with mindX, and a database in which a worker can take turns."""
    call_command("load_starters", verbosity=0)


@pytest.fixture(autouse=True)
def first_agent(db: None) -> Agent:
    """The agent that is there from the start."""
    return Agent.objects.get_or_create(name="mindx")[0]


def give(line: str, by: User, **also: str) -> Answer:
    return commanding.carry_out(Given(line, by, "terminal", **also))  # type: ignore[arg-type]


@pytest.mark.usefixtures("starters")
def test_evolving_a_tool_is_a_goal_on_a_copy_of_its_files_that_a_rule_plans(owner: User) -> None:
    answer = give("evolve the summarization tool", owner)
    assert (answer.outcome, answer.understood) == (Outcome.DONE, "evolve summarization")
    goal = Goal.objects.get(pk=answer.goals[0])
    assert goal.submitted_by == owner
    source, _ = workspaces.open_file(goal.workspace, "summarization/tools/summarization.py")
    assert b"Summarization" in source.read()
    cycle.work(goal.pk)
    goal.refresh_from_db()
    assert goal.state == GoalState.AWAITING_REVIEW, goal.reason
    plan = IntentPlan.objects.get(goal=goal)
    steps = [(intent.command, intent.tool) for intent in plan.intents.order_by("position")]
    assert [command for command, _ in steps] == ["audit", "apply_fixes", "audit"]
    assert plan.plan.evidence["rule"]["name"] == "improve a component"


def test_the_base_generator_is_the_documentation_writer(owner: User) -> None:
    answer = give("improve the base generator", owner)
    assert answer.understood == "evolve base_gen_agent"
    assert "“base_gen_agent”" in Goal.objects.get(pk=answer.goals[0]).text


@pytest.mark.usefixtures("starters")
def test_a_wish_without_a_model_waits_for_a_person_and_says_so(owner: User) -> None:
    answer = give("evolve the summarization tool to keep numbers", owner)
    goal = Goal.objects.get(pk=answer.goals[0])
    assert "with the wish “keep numbers”" in goal.text
    cycle.work(goal.pk)
    goal.refresh_from_db()
    # What its own sentence means mindX does not ask: it asks for a plan.
    assert (goal.state, goal.reason) == (GoalState.MANUAL, "no_applicable_rule")
    assert not goal.intent_plans.exists()


def test_evolving_what_is_no_component_is_a_goal_as_it_was_said(owner: User) -> None:
    answer = give("evolve Enhance system-wide logging", owner)
    assert Goal.objects.get(pk=answer.goals[0]).text == "Enhance system-wide logging"


def test_a_misspelt_component_makes_nothing(owner: User) -> None:
    answer = give("evolve the sumarization tool", owner)
    assert (answer.outcome, answer.goals) == (Outcome.NOT_UNDERSTOOD, ())
    assert answer.suggestions == ("evolve summarization",)
    assert not Goal.objects.exists()
    assert not Workspace.objects.exists()


def test_a_path_is_looked_for_in_the_persons_workspaces(
    owner: User, outsider: User, make_workspace: Callable[..., Workspace]
) -> None:
    from io import BytesIO

    workspace = make_workspace(owner, "shop")
    workspaces.put_file(workspace, by=owner, path="src/app.py", source=BytesIO(b"x = 1\n"))
    goal = Goal.objects.get(pk=give("evolve src/app.py", owner).goals[0])
    assert goal.workspace == workspace
    assert goal.text == "Improve the component “src/app.py”"
    refused = give("evolve src/app.py", outsider)
    assert refused.outcome is Outcome.NOT_POSSIBLE
    assert "None of your newest workspaces has it" in refused.said[0]


@pytest.mark.usefixtures("starters")
def test_analyzing_a_component_is_a_goal_that_only_reads(owner: User) -> None:
    goal = Goal.objects.get(pk=give("coord_analyze summarization_tool", owner).goals[0])
    cycle.work(goal.pk)
    assert [intent.command for intent in IntentPlan.objects.get(goal=goal).intents.all()] == ["audit"]


def test_analyzing_nothing_asks_what(owner: User) -> None:
    answer = give("coord_analyze", owner)
    assert answer.outcome is Outcome.NOT_UNDERSTOOD
    assert "a workspace to look through" in answer.said[0]


def test_making_an_agent_is_a_goal_whose_plan_waits_for_a_review(operator: User) -> None:
    answer = give("agent_create bdi_agent scout tools=git_tool repairs=1", operator)
    goal = Goal.objects.get(pk=answer.goals[0])
    assert (goal.text, goal.state) == ("Create the agent scout", GoalState.AWAITING_REVIEW)
    assert answer.data["intent_plan"] == str(IntentPlan.objects.get(goal=goal).pk)
    assert not Agent.objects.filter(name="scout").exists()
    assert GivenCommand.objects.get().goal == goal


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("agent_create bdi_agnet scout", "Did you mean bdi_agent?"),
        ("agent_create bdi_agent mindx", "already"),
        ("agent_create bdi_agent MINDX", "already"),
        ("agent_create bdi_agent scout tools=git_tol", "Did you mean git_tool?"),
        ("agent_create bdi_agent scout repairs=99", "max_repair_attempts"),
        ("agent_create bdi_agent 7up", "begins with a letter"),
        ("agent_create bdi_agent", "the kind and the name"),
        ("agent_evolve scuot repairs=1", "There is no agent “scuot”"),
        ("agent_delete mindx", "stays"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_made(operator: User, line: str, said: str) -> None:
    answer = give(line, operator)
    assert not answer.is_done
    assert said in answer.said[0]
    assert list(Agent.objects.values_list("name", flat=True)) == ["mindx"]


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("introspect the agent scuot", "introspect scout"),
        ("agent_evolve scuot repairs=1", "agent_evolve scout repairs=1"),
        ("agent_delete scuot its work is done", "agent_delete scout its work is done"),
    ],
)
def test_a_misspelt_agent_is_answered_with_the_line_that_may_be_meant(operator: User, line: str, meant: str) -> None:
    Agent.objects.create(name="scout")
    answer = give(line, operator)
    assert (answer.outcome, answer.suggestions) == (Outcome.NOT_UNDERSTOOD, (meant,))
    assert not Goal.objects.exists()


@pytest.mark.parametrize(
    "line", ["agent_create bdi_agent scout", "agent_evolve mindx repairs=1", "agent_delete old_one"]
)
def test_only_operators_make_change_and_retire_agents(owner: User, reviewer: User, line: str) -> None:
    Agent.objects.create(name="old_one")
    for person in (owner, reviewer):
        answer = give(line, person)
        assert answer.outcome is Outcome.NOT_ALLOWED
    assert not Agent.objects.filter(name="scout").exists()
    assert Agent.objects.get(name="mindx").max_repair_attempts == 2
    assert Agent.objects.get(name="old_one").retired_at is None


def test_no_service_makes_changes_or_retires_an_agent_for_anybody_else(operator: User, reviewer: User) -> None:
    agent = made(operator)
    acts: list[Callable[[], object]] = [
        lambda: lifecycle.create("spy", Config(), by=reviewer),
        lambda: lifecycle.change(agent, Config({"people_only": True}), by=reviewer),
        lambda: lifecycle.retire(agent, by=reviewer),
    ]
    for act in acts:
        with pytest.raises(NotYours):
            act()
    assert not Agent.objects.filter(name="spy").exists()


def made(operator: User, config: str = "") -> Agent:
    return lifecycle.create("scout", lifecycle.read_config(config), by=operator)


def test_changing_an_agent_leaves_what_it_does_not_name(operator: User) -> None:
    agent = made(operator, "tools=git_tool model=openai/gpt")
    agent = lifecycle.change(agent, lifecycle.read_config("repairs=0"), by=operator)
    agent.refresh_from_db()
    assert (agent.tools, agent.model, agent.max_repair_attempts) == (["git_tool"], "openai/gpt", 0)
    assert AuditEntry.objects.latest("pk").data["before"] == {"max_repair_attempts": 2}


def test_a_retired_agent_keeps_its_history_and_takes_no_goal(operator: User, admin: User) -> None:
    agent = made(operator)
    goal = Goal.objects.get(pk=give("evolve Tidy up", admin, agent="scout").goals[0])
    assert goal.agent.name == "scout"
    refused = give("agent_delete scout", operator)
    assert refused.outcome is Outcome.NOT_POSSIBLE
    assert str(goal.pk) in refused.said[0]
    Goal.objects.filter(pk=goal.pk).update(state="achieved", ended_at="2026-01-01T00:00:00Z")
    assert give("agent_delete scout its work is done", operator).is_done
    lifecycle.retire(agent, by=operator)
    assert Goal.objects.get(pk=goal.pk).agent.name == "scout"
    assert "retired" in give("evolve Tidy up", admin, agent="scout").said[0]
    assert "scout: retired" in "\n".join(give("agent_list", admin).said)
    assert "already" in give("agent_create bdi_agent scout", operator).said[0]


def test_the_first_agent_is_never_retired(operator: User) -> None:
    assert give("agent_delete mindx", operator).outcome is Outcome.NOT_POSSIBLE


def test_introspection_tells_what_the_person_may_see(
    owner: User, outsider: User, make_goal: Callable[..., Goal]
) -> None:
    from django.utils import timezone

    goal = make_goal(owner, "Count the sheep")
    Belief.objects.create(goal=goal, sentence="there are sheep", source="perception", at=timezone.now())
    Belief.objects.create(goal=goal, sentence="a wolf", source="person", at=timezone.now(), retracted_by="olga")
    mine, others = (give("introspect", person) for person in (owner, outsider))
    assert mine.data["intentions"] == [{"goal": str(goal.pk), "state": "pending", "text": "Count the sheep"}]
    assert [belief["sentence"] for belief in mine.data["beliefs"]] == ["there are sheep"]
    assert "git_tool" in mine.data["tools"]
    second = make_goal(owner, "Count them again")
    Belief.objects.create(goal=second, sentence="there are sheep", source="perception", at=timezone.now())
    said = give("introspect", owner).said
    assert f"  there are sheep (perception, goals {second.pk}, {goal.pk})" in said
    assert others.data["intentions"] == others.data["beliefs"] == []


def test_the_status_counts_what_the_person_may_see(
    owner: User, reviewer: User, propose_plan: Callable[..., IntentPlan]
) -> None:
    propose_plan(owner)
    assert give("status", reviewer).data["awaiting_review"] == 1
    assert give("status", owner).data["goals"] == {"awaiting_review": 1}


@pytest.mark.django_db(transaction=True)
def test_a_query_tells_components_and_experiences_of_those_who_may_read_them(
    owner: User, outsider: User, make_goal: Callable[..., Goal]
) -> None:
    goal = make_goal(owner, "Summarize the ledger of March")
    Goal.objects.filter(pk=goal.pk).update(state="failed", reason="it is empty", ended_at="2026-01-01T00:00:00Z")
    cycle.work(goal.pk)
    question = "coord_query summarize the ledger of March with the summarization tool"
    mine, others = (give(question, person) for person in (owner, outsider))
    assert {"kind": "tool", "name": "summarization"} in mine.data["components"]
    assert [found["goal"] for found in mine.data["experiences"]] == [str(goal.pk)]
    assert others.data["experiences"] == []
    assert "tool git_tool" in give("coord_query components", owner).said


def test_the_same_key_makes_one_goal(owner: User) -> None:
    first, second = (give("deploy a small web page", owner, key="once") for _ in range(2))
    assert first == second
    assert Goal.objects.count() == 1
    assert GivenCommand.objects.count() == 1


def test_every_line_is_kept_with_its_answer(owner: User) -> None:
    give("evovle everything", owner)
    give("deploy a page", owner)
    rows = list(GivenCommand.objects.order_by("pk").values_list("line", "command", "outcome", "goal__text"))
    assert rows == [
        ("evovle everything", "", "not_understood", None),
        ("deploy a page", "deploy", "done", "Deploy a page"),
    ]


def test_somebody_who_may_not_submit_goals_is_told(operator: User) -> None:
    nobody = User.objects.create_user("nina", roles=[])
    assert give("deploy a page", nobody).outcome is Outcome.NOT_ALLOWED
    assert give("evolve the git tool", nobody).outcome is Outcome.NOT_ALLOWED
    assert not Goal.objects.exists()
    assert not Workspace.objects.exists()


def test_a_foreign_workspace_is_as_unknown_as_none(
    owner: User, outsider: User, make_workspace: Callable[..., Workspace]
) -> None:
    make_workspace(owner, "secret")
    for name in ("secret", "nothing"):
        answer = give("deploy a page", outsider, workspace=name)
        assert answer.said == (f"You have no workspace named “{name}”.",)
    assert not Goal.objects.exists()


def test_a_goal_that_comes_while_its_agent_is_retired_is_refused(
    operator: User, make_goal: Callable[..., Goal]
) -> None:
    from agents.record.errors import GoalRefused

    stale = made(operator)
    lifecycle.retire(stale, by=operator)
    with pytest.raises(GoalRefused, match="retired"):
        make_goal(operator, "Tidy up", agent=stale)
