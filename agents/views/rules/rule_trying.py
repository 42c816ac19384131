"""Trying what rules are made of: a pair of sentences, or a draft on a past goal or on beliefs that somebody writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from agents.beliefs import entailment_model
from agents.components import rules
from agents.components.rules import Trial
from agents.insights import past_goals
from agents.learning.rule_from_goal import believed
from agents.models import Goal
from agents.presentation.matrix import Weighed, stage_in_words, weighed_rules
from agents.presentation.rule_reading import SaidStep, said_step
from agents.record.selectors import goals_visible_to
from agents.rules import cascade
from agents.rules.cascade import Answer
from agents.rules.grammar import Rule
from agents.rules.selection import KnownRule
from agents.toolkit.registry import tools_in_use
from agents.toolkit.types import Belief, PlanDraft
from library.language.entailment import model
from people.models import User

SENTENCE_MAX = 2_000
GOAL_MAX = 4_000
BELIEFS_MAX = 50_000
# Goals to choose from, the newest ones.
_PAST = 50


@require_safe
def pair(request: HttpRequest) -> HttpResponse:
    """What each stage of entailment makes of a premise and a hypothesis; nothing is stored."""
    premise, hypothesis = (_text(request.GET, name, SENTENCE_MAX) for name in ("premise", "hypothesis"))
    rely = entailment_model.in_use()
    asks_model = bool(rely) or request.GET.get("model") == "on"
    in_environment = request.GET.get("environment") == "on"
    context: dict[str, Any] = {
        "premise": premise,
        "hypothesis": hypothesis,
        "asks_model": asks_model,
        "in_environment": in_environment,
        "in_use": bool(rely),
        "longest": SENTENCE_MAX,
    }
    if premise and hypothesis:
        context |= _judged((premise, hypothesis), asks_model=asks_model, in_environment=in_environment)
    return render(request, "agents/rules/try.html", context)


def _judged(asked: tuple[str, str], *, asks_model: bool, in_environment: bool) -> dict[str, Any]:
    """What is asked here is answered even where its thresholds leave a model no yes."""
    why_not = model.why_unavailable() if asks_model else ""
    sure = entailment_model.thresholds()
    judges = entailment_model.shipped(sure, in_environment=in_environment) if asks_model and not why_not else ()
    stages = cascade.by_stage(asked, judges)
    (answer,) = cascade.answers([asked], judges)
    relied_on = [judge for judge in judges if cascade.leaves_a_yes(judge)]
    return {
        "answer": _Told(answer),
        "stages": [_Told(one) for one in stages],
        "why_not": why_not,
        "relied_on": relied_on,
        "never": bool(judges) and not relied_on,
    }


@dataclass(frozen=True)
class _Told:
    """An answer as the page says it."""

    answer: Answer

    @property
    def stage(self) -> str:
        return stage_in_words(self.answer.stage)

    @property
    def score(self) -> str:
        """Its probability or firmness; empty where nothing is claimed."""
        return f"{self.answer.score:.3f}" if self.answer.score else ""


@dataclass(frozen=True)
class DraftTrial:
    """What the editor's text makes of a goal: one of the past, one that is written, or a past one with more beliefs."""

    goal: str
    beliefs: str
    past: Goal | None
    user: User
    # Contexts that decide nothing any more are judged as well.
    judge_all: bool = False

    @classmethod
    def of(cls, fields: Mapping[str, str], user: User) -> DraftTrial:
        """What was asked for in the editor's form. A goal that the person may not see is none."""
        pk = fields.get("try_past", "")
        is_id = pk.isdecimal() and pk.isascii() and len(pk) < 19
        past = goals_visible_to(user).filter(pk=int(pk)).first() if is_id else None
        return cls(
            _text(fields, "try_goal", GOAL_MAX),
            _text(fields, "try_beliefs", BELIEFS_MAX),
            past,
            user,
            fields.get("do") == "try_all",
        )

    @property
    def said(self) -> str:
        """The goal that is planned: what is written, else the past one's words."""
        return self.goal or (self.past.text if self.past else "")

    @property
    def choices(self) -> list[Goal]:
        """The goals that can be chosen: the newest that this person may see."""
        return list(goals_visible_to(self.user).order_by("-pk")[:_PAST])

    def held(self) -> list[Belief]:
        """The beliefs: those of the past goal, and those that are written, one a line."""
        written = [Belief(line.strip(), "you") for line in self.beliefs.splitlines() if line.strip()]
        return [*self._of_past(), *written]

    def _of_past(self) -> Sequence[Belief]:
        if self.past is None:
            return ()
        then = past_goals.newest(goals_visible_to(self.user).filter(pk=self.past.pk), 1)
        return then[0].beliefs if then else believed(self.past)

    def on(self, rule: Rule) -> TriedDraft | None:
        """Plan the goal with this rule in the place of the active one of its name; None while no goal is said."""
        if not self.said:
            return None
        draft = KnownRule(rule.name, "draft", "", rule)
        return TriedDraft(rule.name, rules.try_over(self.said, self.held(), instead=draft, judge_all=self.judge_all))


@dataclass(frozen=True)
class TriedDraft:
    """What came of it: the matrix of the rule that is tried, the other relevant ones, and the plan."""

    name: str
    trial: Trial

    @cached_property
    def weighed(self) -> list[Weighed]:
        """Every relevant rule, the chosen one first."""
        return weighed_rules(self.trial.evidence)

    @property
    def mine(self) -> Weighed | None:
        """The rule that is tried, where its task is the goal."""
        return next((one for one in self.weighed if one.name == self.name), None)

    @property
    def others(self) -> list[Weighed]:
        """The other relevant rules."""
        return [one for one in self.weighed if one.name != self.name]

    @cached_property
    def steps(self) -> list[SaidStep]:
        """The steps of the plan; none where there is none."""
        outcome = self.trial.outcome
        return [said_step(step, tools_in_use()) for step in outcome.steps] if isinstance(outcome, PlanDraft) else []

    @cached_property
    def cleanup(self) -> list[SaidStep]:
        """The steps after a failure."""
        outcome = self.trial.outcome
        return [said_step(step, tools_in_use()) for step in outcome.cleanup] if isinstance(outcome, PlanDraft) else []


def _text(fields: Mapping[str, str], name: str, most: int) -> str:
    return fields.get(name, "").replace("\0", "").strip()[:most]
