"""The language model as the last stage of entailment, asked by the real client: what it can decide, and what never."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.actors import environment_actions
from agents.bdi.planning import means_ends
from agents.beliefs.entailment_asking import LanguageModel
from agents.cycle import cycle
from agents.environments.interpreter import Limits, run
from agents.models import DEFAULT_AGENT, Agent, Goal, LogLine
from agents.rules import cascade, judging
from agents.rules.cascade import Likelihood, Likely
from agents.rules.judging import NoVerdicts
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import Belief, NoPlan, PlanDraft
from library.components import services
from library.language.entailment import judgement, model
from library.models import EntailmentVerdict, ModelCall
from people.models import User
from tests.agents.bdi.worlds import known
from tests.agents.environments.house import GOAL as HOUSE_GOAL
from tests.agents.environments.house import House
from tests.agents.rules.test_cascade import AJAR, NO_DRAGON, RULE, SURE, Model
from tests.models.server import Provider

# A rule about what only a language model knows.
GREET = (
    "RULE greet\nIF your task is to greet {name}\nCONSIDERING the workspace holds nothing whatsoever\n"
    "THEN: create the folder {name}\n"
)
EMPTY = "The workspace is empty."


# --- pure -------------------------------------------------------------------------------------------------------------
def verdict(number: Any = 1, label: Any = "entailment", probability: Any = 0.97, **more: Any) -> dict[str, Any]:
    return {"number": number, "label": label, "probability": probability, **more}


def said(*verdicts: dict[str, Any]) -> str:
    return json.dumps({"verdicts": verdicts})


def test_verdicts_are_read_by_their_numbers_and_certainty_that_is_left_is_neutral() -> None:
    answer = f"```json\n{said(verdict(2, 'contradiction', 0.75), verdict(1, 'entailment', 1))}\n```"
    assert judging.read(answer, 2) == [Likelihood(1.0, 0.0, 0.0), Likelihood(0.0, 0.25, 0.75)]
    assert judging.read(said(verdict(label="neutral", probability=0.5)), 1) == [Likelihood(0.25, 0.5, 0.25)]


@pytest.mark.parametrize(
    "answer",
    [
        "yes",
        "[]",
        "{}",
        said(),
        said(verdict(), verdict()),
        said(verdict(number=2)),
        said(verdict(number=0)),
        said(verdict(number=True)),
        said(verdict(label="yes")),
        said(verdict(label=["entailment"])),
        said(verdict(probability=1.01)),
        said(verdict(probability="1")),
        said(verdict(probability=True)),
        said(verdict(why="it says so")),
        '{"verdicts": [{"number": 1, "label": "entailment", "probability": NaN}]}',
        said(verdict()) + said(verdict()),
    ],
)
def test_an_answer_that_is_not_as_asked_is_none(answer: str) -> None:
    with pytest.raises(NoVerdicts):
        judging.read(answer, 1)


def test_two_verdicts_about_one_premise_are_none() -> None:
    with pytest.raises(NoVerdicts, match="two verdicts"):
        judging.read(said(verdict(), verdict()), 2)


@given(st.text(max_size=60), st.text(max_size=60))
def test_sentences_stay_data_in_the_request(premise: str, hypothesis: str) -> None:
    (system, told), (user, asked) = judging.messages("Judge.", [premise], hypothesis)
    assert (system, told, user) == ("system", "Judge.", "user")
    assert json.loads(asked) == {"hypothesis": hypothesis, "premises": [{"number": 1, "premise": premise}]}


class Language(Model):
    """A language model's stage that answers what it is told to."""

    def __init__(self, answer: Likelihood = SURE) -> None:
        super().__init__(answer)
        self.stage, self.entailment = cascade.LANGUAGE_MODEL, 0.95


UNSURE = Model(Likelihood(0.5, 0.4, 0.1))


def test_the_language_model_is_asked_after_the_small_one_and_its_yes_ranks_below() -> None:
    last = Language()
    likely = Likely([UNSURE, last]).now([AJAR.sentence])
    found = likely.yes("the gate is open")
    assert (found[0].stage, found[0].score) == ("language_model", cascade.MOST_FIRM[cascade.LANGUAGE_MODEL])
    assert cascade.MOST_FIRM[cascade.LANGUAGE_MODEL] < cascade.MOST_FIRM[cascade.MODEL]
    last.asked.clear()
    assert Likely([Model(), last]).now([AJAR.sentence]).yes("the gate is open")[0].stage == "model"
    assert last.asked == []


@pytest.mark.parametrize("likelihood", [Likelihood(0.94, 0.06, 0.0), Likelihood(0.96, 0.0, 0.04)])
def test_below_the_thresholds_it_says_nothing(likelihood: Likelihood) -> None:
    assert Likely([UNSURE, Language(likelihood)]).now([AJAR.sentence]).yes("the gate is open") == {}


def test_it_is_never_asked_against_a_proven_no_nor_about_a_denied_context() -> None:
    last = Language()
    shut = [AJAR, Belief("The gate is closed."), NO_DRAGON]
    assert isinstance(means_ends.plan("enter castle", known(RULE), shut, REGISTRY, judge_by=[last]), NoPlan)
    denied = RULE.replace("CONSIDERING the gate is open", "CONSIDERING NOT the gate is open")
    assert isinstance(
        means_ends.plan("enter castle", known(denied), [AJAR, NO_DRAGON], REGISTRY, judge_by=[last]), NoPlan
    )
    assert last.asked == []
    assert isinstance(
        means_ends.plan("enter castle", known(RULE), [AJAR, NO_DRAGON], REGISTRY, judge_by=[last]), PlanDraft
    )


def test_what_the_small_model_is_sure_is_contrary_is_not_asked_of_the_large_one() -> None:
    last = Language()
    contrary = Model(Likelihood(0.0, 0.005, 0.995))
    assert Likely([contrary, last]).now([AJAR.sentence]).yes("the gate is open") == {}
    assert last.asked == []


# --- with a provider -------------------------------------------------------------------------------------------------
@pytest.fixture
def rule(operator: User, settings: Any, monkeypatch: pytest.MonkeyPatch, provider: Provider) -> Provider:
    """The language model is switched on, the small one is never sure, and a rule needs one of them."""
    settings.ENTAILMENT = "language_model"
    services.publish("rule", "greet", GREET, by=operator, status="active")

    def neutral(pairs: Sequence[tuple[str, str]]) -> list[judgement.Judgement]:
        return [judgement.Judgement("neutral", 0.1, 0.9, 0.0) for _ in pairs]

    monkeypatch.setattr(model, "judge", neutral)
    return provider


def judging_of(premise: str, label: str = "entailment", probability: float = 0.99) -> Callable[[Any], None]:
    """A recorded answer: this verdict about that premise, neutral about the others; other questions get nothing."""

    def reply(asked: Any) -> None:
        content = asked.server.asked[-1]["messages"][-1]["content"]
        if '"hypothesis"' not in content:
            return asked.stream("{}")
        given = json.loads(content)["premises"]
        rows = [
            verdict(one["number"], label, probability)
            if one["premise"] == premise
            else verdict(one["number"], "neutral", 0.9)
            for one in given
        ]
        return asked.stream(said(*rows))

    return reply


def worked(goal: Goal) -> Goal:
    cycle.one(goal.pk)
    return Goal.objects.get(pk=goal.pk)


def log(goal: Goal) -> str:
    return "\n".join(LogLine.objects.filter(goal=goal).order_by("number").values_list("text", flat=True))


def asked_about(provider: Provider) -> list[dict[str, Any]]:
    return [asked for asked in provider.asked if '"hypothesis"' in asked["messages"][-1]["content"]]


@pytest.mark.django_db(transaction=True)
def test_a_rule_is_used_because_the_language_model_says_so_and_the_plan_says_which_stage_it_was(
    rule: Provider, owner: User, make_goal: Callable[..., Goal]
) -> None:
    rule.will_say(judging_of(EMPTY))
    goal = worked(make_goal(owner, "greet Ada"))
    assert goal.state == "awaiting_review"
    (context,) = goal.plans.get().evidence["contexts"]
    assert [cell["stage"] for cell in context["cells"]] == ["language_model"]
    assert "“the workspace holds nothing whatsoever” follows" in log(goal)
    assert ModelCall.objects.filter(purpose="entailment", goal=str(goal.pk)).count() == len(asked_about(rule)) == 1
    worked(make_goal(owner, "greet Bob"))
    assert len(asked_about(rule)) == 1, "the verdict is kept for the next goal"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("label", "probability"), [("neutral", 1.0), ("contradiction", 1.0), ("entailment", 0.94)])
def test_any_other_verdict_leaves_the_rule_unused(
    rule: Provider, owner: User, make_goal: Callable[..., Goal], label: str, probability: float
) -> None:
    rule.will_say(judging_of(EMPTY, label, probability))
    assert worked(make_goal(owner, "greet Ada")).state != "awaiting_review"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("mode", ["structured", "model"])
def test_it_is_asked_only_where_an_operator_says_so(
    rule: Provider, owner: User, make_goal: Callable[..., Goal], settings: Any, mode: str
) -> None:
    settings.ENTAILMENT = mode
    rule.will_say(judging_of(EMPTY))
    worked(make_goal(owner, "greet Ada"))
    assert asked_about(rule) == []


@pytest.mark.django_db(transaction=True)
def test_a_spent_budget_and_a_useless_answer_end_the_questions_and_planning_goes_on(
    rule: Provider, owner: User, make_goal: Callable[..., Goal]
) -> None:
    rule.will_say("Certainly!")
    goal = worked(make_goal(owner, "greet Ada"))
    assert goal.state != "awaiting_review"
    assert "no language model says whether conditions follow: the answer is no JSON" in log(goal)
    assert not EntailmentVerdict.objects.filter(judged_by__startswith="language").exists()
    rule.asked.clear()
    goal.agent.tokens_per_day = 10
    goal.agent.save()
    other = worked(make_goal(owner, "greet Bob"))
    assert asked_about(rule) == []
    assert "today's budget" in log(other)


@pytest.mark.django_db(transaction=True)
def test_a_pair_that_is_too_long_is_not_sent_and_the_others_are(
    rule: Provider, owner: User, make_goal: Callable[..., Goal]
) -> None:
    rule.will_say(judging_of(EMPTY))
    long = "The workspace " + "really " * 20_000 + "holds nothing."
    judge = LanguageModel(make_goal(owner, "greet Ada"), lambda: True)
    first, second = judge.judge([(long, "Nothing is in it."), (EMPTY, "Nothing is in it.")])
    assert (first, second.entailment) == (judging.NOT_JUDGED, 0.99)
    assert "really" not in json.dumps(rule.asked)


@pytest.mark.django_db(transaction=True)
def test_after_a_useless_answer_nothing_more_is_asked_for_this_planning(
    rule: Provider, owner: User, make_goal: Callable[..., Goal]
) -> None:
    rule.will_say("Certainly!")
    judge = LanguageModel(make_goal(owner, "greet Ada"), lambda: True)
    assert judge.judge([(EMPTY, "Nothing is in it.")]) == []
    asked = len(rule.asked)
    assert judge.judge([(EMPTY, "It is bare.")]) == []
    assert len(rule.asked) == asked


# --- actions in environments -----------------------------------------------------------------------------------------
@pytest.mark.django_db(transaction=True)
def test_a_language_model_acts_in_a_simulation_on_its_agents_budget_and_every_action_says_so(
    provider: Provider,
) -> None:
    def reply(asked: Any) -> None:
        actions = json.loads(asked.server.asked[-1]["messages"][-1]["content"])["actions"]
        wanted = ("take key", "go to study", "look")
        number = next(number for want in wanted for number, action in actions.items() if action == want)
        asked.stream(json.dumps({"action": int(number)}))

    provider.will_say(reply)
    agent, _ = Agent.objects.get_or_create(name=DEFAULT_AGENT)
    ended = run(House(), HOUSE_GOAL, [], fallback=environment_actions.policy_for(agent), limits=Limits(steps=2))
    assert [(action.text, action.by) for action in ended.actions] == [
        ("go to study", "language_model"),
        ("take key", "language_model"),
    ]
    assert ModelCall.objects.filter(purpose="environment_action", agent=str(agent.pk)).count() == 2
    agent.tokens_per_day = 10
    ended = run(House(), HOUSE_GOAL, [], fallback=environment_actions.policy_for(agent))
    assert (ended.actions, ended.reason) == ((), "no_applicable_rule")
    provider.will_say("go to study")
    agent.tokens_per_day = None
    assert run(House(), HOUSE_GOAL, [], fallback=environment_actions.policy_for(agent)).actions == ()
