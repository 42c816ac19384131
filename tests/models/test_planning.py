"""Planning by a model, from the goal to its state, its rows and its log, with a provider that answers in every way."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from agents.actors.models_in_use import models_of
from agents.bdi.language_models import model_answer
from agents.bdi.plans import document as documents
from agents.cycle import cycle
from agents.goals import goals
from agents.models import Agent, Belief, Generation, Goal, LogLine
from agents.planning import model_planning
from agents.states import GoalState, PlanState
from agents.toolkit.registry import tools_in_use
from agents.workspaces import workspaces
from library.language import generation
from library.language.masking import Masked
from library.models import ModelCall, ModelDay
from people.models import User
from tests.models.conftest import KEY
from tests.models.server import Provider, refusing

pytestmark = pytest.mark.django_db(transaction=True)
TEXT = "Lay out the harbour ledger as you think best"
GOOD = {
    "steps": [
        {"tool": "simple_coder", "command": "mkdir", "params": {"path": "harbour"}, "why": "It needs a place."},
        {
            "tool": "simple_coder",
            "command": "write",
            "params": {"path": "harbour/ledger.md", "content": "# Ledger\n"},
            "why": "The ledger itself.",
        },
    ]
}


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generation, "FIRST_WAIT_S", 0.0)


def said(plan: Any) -> str:
    return json.dumps(plan)


def step(**changes: Any) -> dict[str, Any]:
    return {"steps": [{**GOOD["steps"][0], **changes}]}


def planned(by: User, text: str = TEXT) -> Goal:
    goal = goals.submit(by=by, text=text)
    cycle.work(goal.pk)
    goal.refresh_from_db()
    return goal


def log(goal: Goal) -> str:
    return "\n".join(LogLine.objects.filter(goal=goal).order_by("number").values_list("text", flat=True))


def test_a_command_of_mastermind_is_offered_there_and_no_model_is_asked(
    provider: Provider, owner: User, valkey: object, client_of: Callable[[User], Client]
) -> None:
    provider.will_say(said(GOOD))
    goal = planned(owner, "evolve the summarization tool")
    assert (goal.state, goal.reason) == (
        GoalState.MANUAL,
        "mastermind_command: “evolve summarization” is a command for Mastermind",
    )
    assert not ModelCall.objects.exists()
    assert not goal.failures.exists()
    page = client_of(owner).get(f"/goals/{goal.pk}/").content.decode()
    assert '/mastermind/?line=evolve%20summarization">' in page
    assert "is about mindX itself" in page
    preview = client_of(owner).get("/goals/preview/", {"text": "improve the base generator"}).content.decode()
    assert "/mastermind/?line=evolve%20base_gen_agent" in preview


def test_a_plan_is_proposed_with_where_it_came_from(provider: Provider, owner: User, valkey: object) -> None:
    provider.will_say(said(GOOD))
    goal = planned(owner)
    assert goal.state == GoalState.AWAITING_REVIEW
    plan = goal.intent_plans.get()
    assert plan.plan.source == "model"
    model = plan.plan.evidence["model"]
    row = ModelCall.objects.get(pk=model["call"])
    assert (model["attempts"], model["answered_by"], row.state) == (1, "test-model", "answered")
    assert (row.agent, row.goal, bool(row.cost)) == (str(goal.agent_id), str(goal.pk), True)
    steps = plan.plan.steps
    assert [one["command"] for one in steps] == ["mkdir", "write"]
    assert steps[0]["params"]["path"]["origin"] == "model"
    assert steps[1]["params"]["mode"]["origin"] == "default"
    attempt = Generation.objects.get()
    assert (attempt.turn, attempt.attempt, attempt.problems, attempt.call_id) == (1, 1, [], row.pk)
    assert "no rule makes a plan; openai/test-model is asked for a plan" in log(goal)
    assert "test-model planned 2 steps" in log(goal)
    assert '"tool": "simple_coder"' in log(goal), "the answer is seen as it comes"
    assert KEY not in log(goal)


def test_checks_that_a_model_states_stand_in_its_plan_if_they_say_something(
    provider: Provider, owner: User, valkey: object
) -> None:
    stated = [
        {"kind": "has_line", "path": "./harbour/ledger.md", "text": "# Ledger"},
        {"kind": "gone", "path": "never.txt"},
    ]
    provider.will_say(said({**GOOD, "checks": stated}))
    plan = planned(owner).intent_plans.get()
    found = [(one.kind.value, one.path, one.word) for one in documents.read(bytes(plan.document)).checks]
    assert found[0] == ("has_line", "harbour/ledger.md", "# Ledger")
    assert ("gone", "never.txt", "") not in found, "it is gone without the plan"


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ("x", "a list of at most"),
        ([{"kind": "exists", "path": "a"}] * 21, "a list of at most"),
        (["x"], "A check is an object"),
        ([{"kind": "exists", "path": "a", "mode": "x"}], "A check is an object"),
        ([{"kind": "achieved", "path": "a"}], "and not “achieved”"),
        ([{"kind": "exists", "path": "../a"}], "The path of a check"),
        ([{"kind": "exists", "path": "a", "text": "x"}], "has no “text”"),
        ([{"kind": "has_line", "path": "a"}], "needs “text”"),
        ([{"kind": "has_line", "path": "a", "text": "b\nc"}], "needs “text”"),
    ],
)
def test_checks_that_are_none_are_sent_back(stated: Any, words: str) -> None:
    read = model_answer.read(said({**GOOD, "checks": stated}), tools_in_use(), goal=TEXT)
    assert [one for one in read.problems if words in one.message], read.problems
    assert read.checks == ()


def test_a_value_that_the_goal_says_is_marked_with_its_place(provider: Provider, owner: User, valkey: object) -> None:
    provider.will_say(said(step(params={"path": "ledger"})))
    goal = planned(owner)
    (made,) = goal.intent_plans.get().plan.steps
    at = TEXT.index("ledger")
    assert made["params"]["path"]["span"] == [at, at + 6]


def test_where_a_rule_plans_no_model_is_asked(provider: Provider, owner: User, valkey: object) -> None:
    from django.core.management import call_command

    call_command("load_starters", verbosity=0)
    goal = planned(owner, "write a note named tides saying low at noon")
    assert (goal.state, goal.intent_plans.get().plan.source) == (GoalState.AWAITING_REVIEW, "rule")
    assert provider.asked == []


ONE_REPAIR = [
    ("prose without JSON", "I would make a folder.", "no JSON object"),
    ("an unknown command", said(step(command="mkdirs")), "has no command “mkdirs”; did you mean “mkdir”?"),
    ("a missing parameter", said(step(params={})), "is missing"),
    ("a path that leads out", said(step(params={"path": "../up"})), "path leads out of the workspace"),
    ("a path that comes back", said(step(params={"path": "../root/up"})), "path leads out of the workspace"),
    ("no steps", said({"steps": []}), "The plan has no steps"),
    ("not a plan", said({"plan": "yes"}), "no JSON object"),
    ("two plans", said(GOOD) + said(GOOD), "2 answers"),
    ("what is not a step", said({"steps": ["mkdir"]}), "A step is an object"),
    ("an effect of its own", said(step(effect="idempotent")), "“effect” is no field of a step"),
    ("a limit of its own", said(step(limits={"memory_bytes": 1})), "“limits” is no field of a step"),
    ("a value that cannot be stored", said(step(params={"path": "a\x00b"})), "holds U+0000"),
    ("a name that cannot be stored", said(step(command="mk\x00dir")), "holds U+0000"),
    ("removing unasked", said(step(command="rm", params={"path": "a"})), "autonomous mode"),
]


@pytest.mark.parametrize(("answer", "problem"), [one[1:] for one in ONE_REPAIR], ids=[one[0] for one in ONE_REPAIR])
def test_a_plan_with_problems_goes_back_with_exactly_these(
    answer: str, problem: str, provider: Provider, owner: User, valkey: object
) -> None:
    provider.will_say(answer, said(GOOD))
    goal = planned(owner)
    assert (goal.state, goal.intent_plans.get().plan.source) == (GoalState.AWAITING_REVIEW, "model")
    first, second = Generation.objects.order_by("attempt")
    assert (first.attempt, second.attempt, second.problems) == (1, 2, [])
    told = " ".join(one["message"] for one in first.problems)
    assert problem in told
    again = provider.asked[1]["messages"]
    assert [one["role"] for one in again] == ["system", "user", "assistant", "user"]
    assert again[2]["content"] == answer
    for one in first.problems:
        assert json.dumps(one["message"])[1:-1] in again[3]["content"]
    assert "planned 2 steps after 1 repair" in log(goal)
    assert ModelCall.objects.filter(state="answered", goal=str(goal.pk)).count() == 2
    assert ModelDay.objects.values_list("answered", "attempts", "plans", "tokens_in").get() == (2, 2, 1, 240)


def test_all_kinds_of_problems_go_back_at_once(provider: Provider, owner: User, valkey: object) -> None:
    wrong = [
        *step(command="mkdirs")["steps"],
        *step(params={"path": "../up"})["steps"],
        *step(params={})["steps"],
        *step(why=7)["steps"],
        *step(tool="nobody")["steps"],
        "mkdir",
    ]
    provider.will_say(said({"steps": wrong, "more": 1}), said(GOOD))
    assert planned(owner).state == GoalState.AWAITING_REVIEW
    first = Generation.objects.get(attempt=1)
    kinds = {(one["position"], one["code"]) for one in first.problems}
    assert {(0, "unknown_field"), (1, "unknown_command"), (4, "malformed"), (5, "unknown_command")} < kinds
    assert {(3, "schema"), (6, "malformed")} < kinds
    assert any(position == 2 for position, _ in kinds)
    # What is no step is told of once, as what it is.
    assert sum(position == 6 for position, _ in kinds) == 1
    back = provider.asked[1]["messages"][3]["content"]
    assert all(json.dumps(one["message"])[1:-1] in back for one in first.problems)


@pytest.mark.parametrize(
    "answer",
    [
        "Here is the plan:\n```json\n" + said(GOOD) + "\n```\nTell me if {this} is fine.",
        "Values such as {} or {a: b} aside: " + said(GOOD),
    ],
)
def test_prose_around_a_plan_is_left_aside(answer: str, provider: Provider, owner: User, valkey: object) -> None:
    provider.will_say(answer)
    assert planned(owner).state == GoalState.AWAITING_REVIEW
    assert Generation.objects.get().problems == []


@pytest.mark.parametrize("repairs", [0, 1, 3])
def test_it_goes_back_exactly_as_often_as_it_may(repairs: int, provider: Provider, owner: User, valkey: object) -> None:
    Agent.objects.update_or_create(name="mindx", defaults={"max_repair_attempts": repairs})
    provider.will_say(said(step(tool="teleport")))
    goal = planned(owner)
    assert len(provider.asked) == repairs + 1 == Generation.objects.count()
    assert (goal.state, goal.reason) == (GoalState.MANUAL, "model_plan_invalid")
    plan = goal.plans.get()
    assert (plan.source, goal.intent_plans.count()) == ("model", 0)
    assert "there is no tool “teleport”" in plan.evidence["problems"][0] or "There is no tool" in str(plan.evidence)
    assert "a person must supply a plan" in log(goal)


def test_a_provider_that_asks_for_patience_is_asked_again_later(
    provider: Provider, owner: User, valkey: object
) -> None:
    provider.will_say(refusing(429, retry_after="600"), said(GOOD))
    goal = planned(owner)
    assert goal.state == GoalState.PENDING
    assert goal.reason.startswith("model_rate_limited")
    assert goal.wake_at is not None
    assert 590 < (goal.wake_at - timezone.now()).total_seconds() <= 600
    cycle.work()
    assert len(provider.asked) == 1, "nobody claims it before"
    Goal.objects.update(wake_at=timezone.now())
    cycle.work()
    goal.refresh_from_db()
    assert goal.state == GoalState.AWAITING_REVIEW


def test_a_days_budget_puts_goals_off_to_the_next_day_and_says_so(
    provider: Provider, owner: User, valkey: object
) -> None:
    Agent.objects.update_or_create(name="mindx", defaults={"tokens_per_day": 20_000})
    provider.will_say(said(GOOD))
    assert planned(owner).state == GoalState.AWAITING_REVIEW
    ModelCall.objects.update(tokens_in=15_000)
    goal = planned(owner, "Lay out the other ledger too")
    assert (goal.state, goal.reason.split(":")[0]) == (GoalState.PENDING, "model_budget_spent")
    assert goal.wake_at is not None
    assert goal.wake_at > timezone.now()
    assert "of 20,000 tokens of today's budget are used" in log(goal)
    assert len(provider.asked) == 1


def test_a_spent_budget_is_seen_on_the_goal_the_agent_and_the_insights_and_raising_it_helps(
    provider: Provider, owner: User, admin: User, client_of: Any, valkey: object
) -> None:
    agent, _ = Agent.objects.update_or_create(name="mindx", defaults={"tokens_per_day": 8_000})
    provider.will_say(said(GOOD))
    goal = planned(owner)
    assert goal.reason.startswith("model_budget_spent")
    page = client_of(owner).get(f"/goals/{goal.pk}/").content.decode()
    spent = (
        "budget for language models is used up until tomorrow (UTC). 0 of 8,000 tokens of today&#x27;s budget are used"
    )
    assert spent in page
    assert "Plan now" in page
    its_page = f"/admin/agents/agent/{agent.pk}/change/"
    assert "0 of 8,000 tokens; 1 goal put off to tomorrow" in client_of(admin).get(its_page).content.decode()
    assert "0 %: 0 of 8,000 tokens" in client_of(admin).get("/insights/models/").content.decode()
    assert provider.asked == []
    Agent.objects.update(tokens_per_day=100_000)
    client_of(owner).post(f"/goals/{goal.pk}/plan-again")
    cycle.work(goal.pk)
    goal.refresh_from_db()
    assert goal.state == GoalState.AWAITING_REVIEW
    assert "150 of 100,000 tokens" in client_of(admin).get(its_page).content.decode()


def test_the_next_day_a_goal_is_planned_by_itself(provider: Provider, owner: User, valkey: object) -> None:
    Agent.objects.update_or_create(name="mindx", defaults={"tokens_per_day": 20_000})
    provider.will_say(said(GOOD))
    planned(owner)
    ModelCall.objects.update(tokens_in=15_000)
    goal = planned(owner, "Lay out the other ledger too")
    assert goal.state == GoalState.PENDING
    ModelCall.objects.update(at=timezone.now() - timedelta(days=1))
    Goal.objects.filter(pk=goal.pk).update(wake_at=timezone.now())
    cycle.work()
    goal.refresh_from_db()
    assert goal.state == GoalState.AWAITING_REVIEW


def test_the_models_word_that_it_cannot_is_kept(provider: Provider, owner: User, valkey: object) -> None:
    provider.will_say(said({"cannot": "No tool here can travel."}))
    goal = planned(owner)
    assert (goal.state, goal.reason) == (GoalState.MANUAL, "model_finds_no_plan")
    assert Generation.objects.get().cannot == "No tool here can travel."
    assert "No tool here can travel." in log(goal)


def test_a_goal_that_is_cancelled_stops_the_question(
    provider: Provider, owner: User, valkey: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(asked: Any) -> None:
        asked.begin()
        asked.piece({"content": "{"})
        goals.cancel(Goal.objects.get(), by=owner)
        while not asked.server.over.wait(0.05):
            asked.piece({"content": " "})

    provider.will_say(answer)
    goal = planned(owner)
    assert goal.state == GoalState.DROPPED
    assert ModelCall.objects.get().failure == "stopped"
    assert goal.plans.count() == 0


def test_a_plan_that_a_person_sent_back_is_not_taken_again(
    provider: Provider, owner: User, reviewer: User, valkey: object
) -> None:
    from review.deciding import decisions

    provider.will_say(said(GOOD))
    goal = planned(owner)
    plan = goal.intent_plans.get()
    decisions.request_changes(plan, by=reviewer, digest=plan.digest, comment="Call the folder port instead.")
    other = {"steps": [{**GOOD["steps"][0], "params": {"path": "port"}}]}
    provider.will_say(said(GOOD), said(other))
    cycle.work(goal.pk)
    goal.refresh_from_db()
    assert goal.state == GoalState.AWAITING_REVIEW
    newest = goal.intent_plans.order_by("-revision")[0]
    assert (newest.state, newest.plan.steps[0]["params"]["path"]["value"]) == (PlanState.AWAITING_REVIEW, "port")
    material = json.loads(provider.asked[1]["messages"][1]["content"])
    assert any("Call the folder port instead." in one for one in material["people_say"])
    assert "A person sent exactly these steps back" in Generation.objects.filter(turn=2)[0].problems[0]["message"]


def test_an_agent_that_may_not_ask_a_model_does_not(provider: Provider, owner: User, valkey: object) -> None:
    Agent.objects.update_or_create(name="mindx", defaults={"uses_model": False})
    assert planned(owner).state == GoalState.MANUAL
    assert provider.asked == []


def test_an_agents_own_model_comes_before_that_of_all(provider: Provider, settings: Any) -> None:
    settings.MODEL_FALLBACKS = ["openai/spare"]
    agent = Agent(model="openai/own")
    assert models_of(agent) == ("openai/own", "openai/spare")
    assert models_of(Agent()) == ("openai/test-model", "openai/spare")
    settings.MODEL = ""
    assert models_of(Agent()) == (), "a fall-back stands in for a model, it is none by itself"


def test_only_what_the_submitter_may_read_goes_along(
    provider: Provider, owner: User, reviewer: User, valkey: object
) -> None:
    from library.models import Experience

    workspace, (agent, _) = workspaces.create(by=owner, name="both"), Agent.objects.get_or_create(name="mindx")
    for by, words in ((owner, "mine"), (reviewer, "theirs")):
        old = Goal.objects.create(
            text=TEXT,
            submitted_by=by,
            agent=agent,
            workspace=workspace,
            state=GoalState.ACHIEVED,
        )
        Experience.objects.create(
            goal_ref=str(old.pk),
            owner=by,
            primary_goal_description=TEXT,
            initiating_agent_id="mindx",
            final_outcome="success",
            output_summary=f"the summary is {words}",
            timestamp=timezone.now(),
        )
    provider.will_say(said(GOOD))
    cycle.work(goals.submit(by=owner, text=TEXT, workspace=workspace).pk)
    sent = provider.asked[0]["messages"][1]["content"]
    assert "the summary is mine" in sent
    assert "the summary is theirs" not in sent


def test_a_person_has_it_planned_again(
    provider: Provider, owner: User, outsider: User, client_of: Any, valkey: object
) -> None:
    provider.will_say(refusing(401), said(GOOD))
    goal = planned(owner)
    address = f"/goals/{goal.pk}/plan-again"
    assert client_of(outsider).post(address).status_code == 404
    page = client_of(owner).get(f"/goals/{goal.pk}/").content.decode()
    assert "Plan again" in page
    assert "rejects mindX" in page
    assert client_of(owner).post(address).status_code == 302
    goal.refresh_from_db()
    assert goal.state == GoalState.PENDING
    cycle.work(goal.pk)
    goal.refresh_from_db()
    assert goal.state == GoalState.AWAITING_REVIEW
    assert "asked for another plan" in log(goal)
    assert client_of(owner).post(address).status_code == 302
    goal.refresh_from_db()
    assert goal.state == GoalState.AWAITING_REVIEW, "a plan that waits is not thrown away"


def test_an_invalid_answer_does_not_answer_again_once_the_server_is_mended(
    provider: Provider, owner: User, settings: Any, valkey: object
) -> None:
    settings.MODEL_CACHE_DAYS = 7
    Agent.objects.update_or_create(name="mindx", defaults={"max_repair_attempts": 0})
    provider.will_say(said(GOOD)[:40], said(step(tool="teleport")), said(GOOD))
    assert planned(owner).state == GoalState.MANUAL
    assert planned(owner).state == GoalState.MANUAL
    assert planned(owner).state == GoalState.AWAITING_REVIEW
    assert planned(owner).state == GoalState.AWAITING_REVIEW
    assert len(provider.asked) == 3, "only the valid plan is taken again"
    assert [row.state for row in ModelCall.objects.order_by("pk")] == ["answered"] * 3 + ["cached"]


def test_an_invalid_answer_that_was_kept_before_is_asked_anew(
    provider: Provider, owner: User, settings: Any, valkey: object
) -> None:
    settings.MODEL_CACHE_DAYS = 7
    Agent.objects.update_or_create(name="mindx", defaults={"max_repair_attempts": 0})
    provider.will_say("Certainly!", said(GOOD))
    planned(owner)
    ModelCall.objects.update(fresh_until=timezone.now() + timedelta(days=7))
    assert planned(owner).state == GoalState.AWAITING_REVIEW
    assert len(provider.asked) == 2


TOKEN = "ghp_" + "a1B2" * 9  # made up
SECRET_TEXT = f"Lay out the harbour ledger with the token {TOKEN} in it"


def answering_with_marks(path: str, content: str) -> Any:
    """A plan that writes what the model saw in place of the token."""

    def reply(asked: Any) -> None:
        body = asked.server.asked[-1]
        found = re.search(r"MASKED_SECRET_[0-9a-f]{8}", body["messages"][1]["content"])
        assert found is not None
        params = {"path": path.format(mark=found[0]), "content": content.format(mark=found[0])}
        asked.stream(said(step(command="write", params=params)))

    return reply


def test_a_secret_of_the_goal_reaches_no_provider_and_still_stands_in_the_plan(
    provider: Provider, owner: User, client_of: Any, valkey: object
) -> None:
    provider.will_say(answering_with_marks("ledger.md", "token = {mark}\n"))
    goal = planned(owner, SECRET_TEXT)
    assert goal.state == GoalState.AWAITING_REVIEW
    assert TOKEN not in json.dumps(provider.asked)
    (made,) = goal.intent_plans.get().plan.steps
    assert made["params"]["content"]["value"] == f"token = {TOKEN}\n"
    row = ModelCall.objects.get()
    assert TOKEN not in json.dumps([row.messages, row.answer])
    told = "what looks like a secret is hidden from the model (GitHub token)"
    assert log(goal).count(told) == 1
    assert TOKEN not in log(goal)
    page = client_of(owner).get(f"/goals/{goal.pk}/plans/").content.decode()
    assert "Secrets were hidden from the model:</strong> GitHub token." in page


def test_a_secret_is_hidden_in_what_goes_back_too(provider: Provider, owner: User, valkey: object) -> None:
    provider.will_say(answering_with_marks("../{mark}", "x"), answering_with_marks("ledger.md", "{mark}"))
    goal = planned(owner, SECRET_TEXT)
    assert goal.state == GoalState.AWAITING_REVIEW
    assert len(provider.asked) == 2
    assert TOKEN not in json.dumps(provider.asked)
    assert log(goal).count("is hidden from the model") == 1


@pytest.mark.parametrize("mark", ["MASKED_SECRET_00000000", "masked_secret_1", "Masked-Secret"])
def test_a_mark_is_never_planned_as_if_it_were_the_secret(
    mark: str, provider: Provider, owner: User, valkey: object
) -> None:
    wrong = step(command="write", params={"path": "ledger.md", "content": f"token = {mark}"})
    provider.will_say(said(wrong), answering_with_marks("ledger.md", "{mark}"))
    goal = planned(owner, SECRET_TEXT)
    assert goal.state == GoalState.AWAITING_REVIEW
    (problem,) = Generation.objects.order_by("pk")[0].problems
    assert (problem["code"], problem["position"], problem["field"]) == ("masked_secret", 1, "content")


def test_a_secret_of_an_earlier_goal_is_put_into_no_plan(provider: Provider, owner: User, valkey: object) -> None:
    turn = model_planning._Turn.__new__(model_planning._Turn)
    turn.goal, turn.people_say, turn.judged = goals.submit(by=owner, text=TEXT), ("Keep it short.",), None
    turn.agent, turn.has_revisions, turn.left_out = turn.goal.agent, False, []
    mark = "MASKED_SECRET_12345678"
    answer = said(step(command="write", params={"path": "a.md", "content": mark}))
    (problem,) = turn._judge(answer, Masked((), {mark: "hunter22"}, ("password",))).problems
    assert problem.message == f"{mark} stands for a secret that this goal does not say."


def test_pages_show_what_was_asked_and_answered(
    provider: Provider, owner: User, reviewer: User, client_of: Any, valkey: object
) -> None:
    hostile = said(step(tool="<b>teleport</b>", why="now"))
    provider.will_say(hostile, said(GOOD))
    goal = planned(owner)
    page = client_of(owner).get(f"/goals/{goal.pk}/plans/").content.decode()
    assert "Model requests" in page
    assert "&lt;b&gt;teleport&lt;/b&gt;" in page
    assert "<b>teleport" not in page
    assert "You plan for mindX" in page
    assert "120 + 30 tokens" in page
    plan = goal.intent_plans.get()
    review = client_of(reviewer).get(plan.get_absolute_url()).content.decode()
    assert "planned by" in review
    assert "after 1 repair" in review
    assert "no policy approves it" in review


def test_a_model_is_told_what_was_said_about_the_whole_and_the_page_says_so(
    provider: Provider, owner: User, reviewer: User, valkey: object, client_of: Callable[[User], Client]
) -> None:
    provider.will_say(said(GOOD))
    whole = goals.submit(by=owner, text="close the books")
    Belief.objects.create(goal=whole, sentence="in euros", source="person", by=owner, at=timezone.now())
    goal = goals.submit(by=owner, text=TEXT, parent=whole)
    cycle.work(goal.pk)
    assert json.loads(provider.asked[0]["messages"][1]["content"])["messages"] == [f"{owner.username}: in euros"]
    page = client_of(reviewer).get(goal.intent_plans.get().get_absolute_url()).content.decode()
    shown = page.split('id="remembered"')[1].split("</section>")[0]
    assert f"message from {owner.username}, on the goal that it is part of" in shown
    assert "in euros" not in shown
