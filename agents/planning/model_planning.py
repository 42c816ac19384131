"""Where no rule makes a plan: asking a language model for one, and sending it back with its problems.

Every attempt is kept with its call. The worker keeps its lease meanwhile, the answer is seen on the goal's page as it
comes, and a person who cancels the goal ends it. Nothing of this happens inside a transaction.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from agents.actors import budgets, firmware
from agents.actors.model_requests import request_for
from agents.actors.models_in_use import models_of
from agents.bdi.language_models import model_answer, prompt
from agents.bdi.language_models.prompt import Prompt, Situation
from agents.bdi.outcome.stated import STATED_CHECKS
from agents.bdi.plans import selection
from agents.bdi.plans.dependencies import link
from agents.bdi.plans.validation import Problem
from agents.execution.companion import Companion
from agents.models import Agent, Generation, Goal
from agents.planning.known import known_for
from agents.plans import kept_edits, proposals
from agents.record import logs, numbering, prepared
from agents.record.lease import Lease, LeaseLost, renew
from agents.record.logs import NewLine
from agents.recovery import after_failure
from agents.toolkit.registry import tools_in_use
from agents.toolkit.types import Belief, NoPlan, PlanDraft
from agents.understanding import parameters
from library.language import days, generation, masking
from library.language.asking import Answer, BudgetSpent, CallFailed, Message, ModelError, Stopped
from library.language.masking import Masked
from library.prompts import in_use

PURPOSE = "plan"
# Of an answer that comes, so much goes into the log; all of it stands with its attempt.
_LOGGED_LINES = 400
_LINE_CHARS = 400
_LINE_S = 0.7
_KEEP = f"""
    INSERT INTO {Generation._meta.db_table} (goal_id, turn, attempt, call_id, problems, cannot, firmware, at)
    VALUES (%(goal)s, %(turn)s, %(attempt)s, %(call)s, %(problems)s, %(cannot)s, %(firmware)s, %(at)s) RETURNING id
"""  # noqa: S608  # the name of our own table
# How often in a row a goal waits for a provider that asks for patience before a person is asked.
MOST_WAITS = 5


@dataclass(frozen=True)
class Later:
    """The goal goes on by itself at that moment: the provider asked for patience, or the day's budget is used up."""

    until: datetime
    reason: str


def plan(lease: Lease, goal: Goal, beliefs: list[Belief], without: NoPlan) -> PlanDraft | NoPlan | Later:
    """A plan by a model, or why there is none; `without` is why rules made none, and stays in the evidence.

    Raises LeaseLost, and Stopped when the goal was cancelled meanwhile.
    """
    agent = goal.agent
    cancelled = Goal.objects.filter(pk=goal.pk).exclude(state=goal.state)
    with Companion(lease.goal_id, renew=lambda: renew(lease), is_cancelled=cancelled.exists) as companion:
        try:
            return _Turn(goal, agent, companion, dict(without.evidence)).plan(beliefs)
        except Stopped:
            if companion.lost:
                raise LeaseLost(f"goal {goal.pk} was taken over while a model planned it") from None
            raise
        finally:
            if not companion.lost:
                logs.write(goal.pk, companion.drain())


@dataclass(frozen=True)
class _Judged:
    """What an answer is worth: a draft and what is wrong with it, or the model's word that it cannot."""

    draft: PlanDraft | None
    problems: tuple[Problem, ...]
    cannot: str = ""


class _Turn:
    """One planning of a goal by a model: the plan, and its repairs."""

    def __init__(self, goal: Goal, agent: Agent, companion: Companion, rules: Mapping[str, object]) -> None:
        self.goal, self.agent, self.companion, self.rules = goal, agent, companion, rules
        self.models = models_of(agent)
        last = numbering.last_of(goal)
        # Nobody proposes a plan for a goal while it is planned, so what is not there now cannot have been refused.
        self.number, self.has_revisions = last.turn + 1, last.revision > 0
        self.answer: Answer | None = None
        self.judged: tuple[str, _Judged] | None = None
        self.said_masked: tuple[str, ...] = ()
        self.people_say: tuple[str, ...] = ()
        self.firmware = firmware.of(agent)
        self.prompts = [in_use.filled("plan")]

    def plan(self, beliefs: list[Belief]) -> PlanDraft | NoPlan | Later:
        known = known_for(self.goal)
        self.people_say = tuple(one.sentence for one in beliefs if one.source == "person")
        situation = Situation(
            self.goal.text,
            beliefs,
            refused=self.left_out,
            wishes=[
                {name: wish[name] for name in ("tool", "command", "parameter", "value")} for wish in self.goal.wishes
            ],
            earlier=known.earlier,
            components=known.components,
            messages=known.messages,
            failed_wrote=after_failure.wrote(self.goal),
        )
        tokens = settings.MODEL_PROMPT_TOKENS - self.firmware.tokens
        asked = prompt.build(self.prompts[0].text, situation, tools_in_use(), self.agent.tools, tokens=tokens)
        memory = {"experiences": known.experiences(asked.left_out), "memory": known.kept(asked.left_out)}
        for attempt in range(1, self.agent.max_repair_attempts + 2):
            found = self._attempt(asked, attempt)
            if not isinstance(found, list):
                return self._ended(found, attempt, asked, memory)
            assert self.answer is not None  # noqa: S101  # without one there is nothing that has problems
            repair = in_use.filled("plan-repair", problems=prompt.listed(found))
            problems, asked = found, asked.answered_by(self.answer.text, repair.text)
            self.prompts[1:] = [repair]
        given_up = NoPlan("model_plan_invalid", {"problems": [one.message for one in problems]})
        return self._ended(given_up, attempt, asked, memory)

    def _ended(
        self, found: PlanDraft | NoPlan | Later, attempts: int, asked: Prompt, memory: Mapping[str, Any]
    ) -> PlanDraft | NoPlan | Later:
        """What came of it, with everything it stands on in its evidence."""
        if isinstance(found, Later):
            return found
        answer = self.answer
        model = {
            "turn": self.number,
            "attempts": attempts,
            "asked": list(self.models),
            "answered_by": answer.model if answer else "",
            # The first choice, where it gave no answer and another one did.
            "instead_of": self.models[0] if answer and answer.asked != self.models[0] else "",
            "call": answer.call if answer else None,
            "held": list(asked.held),
            "left_out": dict(asked.left_out),
            **memory,
            "firmware": list(self.firmware.versions),
            "prompts": [f"{one.name} {one.version}" for one in self.prompts],
        }
        has_tool_output = asked.has_tool_output
        evidence = {**self.rules, **found.evidence, "model": model, "prompt_has_tool_output": has_tool_output}
        if isinstance(found, NoPlan):
            return NoPlan(found.reason, evidence)
        return PlanDraft(found.steps, found.cleanup, "model", evidence)

    def _attempt(self, asked: Prompt, attempt: int) -> PlanDraft | NoPlan | Later | list[Problem]:
        """One answer and what it is worth: a draft without problems, the problems of one, or the end of asking."""
        if attempt == 1:
            self._say(f"no rule makes a plan; {self.models[0]} is asked for a plan")
            if self.firmware.missing:
                self._say(f"no firmware of the domain {self.firmware.missing} is in use, so none is sent", "warning")
        try:
            self.answer = self._ask(asked)
        except (BudgetSpent, CallFailed) as error:
            return self._no_answer(error)
        judged = self._judge(self.answer.text, self.answer.masked)
        draft, problems = judged.draft, list(judged.problems)
        found: PlanDraft | NoPlan | list[Problem]
        if judged.cannot:
            self._say(f"the model finds no plan: {judged.cannot}", "warning")
            found = NoPlan("model_finds_no_plan", {"cannot": judged.cannot})
        elif problems or draft is None:
            self._say_problems(problems, attempt)
            found = problems
        else:
            self._say_plan(draft, attempt)
            found = draft
        self._keep(self.answer, attempt, found, problems)
        return found

    def _judge(self, text: str, masked: Masked) -> _Judged:
        """What an answer is worth; asked for twice, once by whoever may keep the answer."""
        if self.judged is None or self.judged[0] != text:
            self.judged = text, self._judged(text, masked)
        return self.judged[1]

    def _judged(self, text: str, masked: Masked) -> _Judged:
        read = model_answer.read(
            text,
            tools_in_use(),
            goal=self.goal.text,
            restored=lambda value: masked.restored(value, within=self._words_of_people),
        )
        if read.cannot or (read.problems and not read.steps):
            return _Judged(None, read.problems, read.cannot)
        stated = {STATED_CHECKS: [one.to_json() for one in read.checks]} if read.checks else {}
        planned = PlanDraft(link(read.steps, tools_in_use()), link(read.cleanup, tools_in_use()), "model", stated)
        draft = parameters.corrected(self.goal, planned)
        # What is no step has been told of as what it is.
        more = [one for one in self._problems(draft) if one.position not in read.unread]
        return _Judged(draft, (*read.problems, *more, *self._unknown_marks(draft)))

    @property
    def _words_of_people(self) -> tuple[str, ...]:
        """Where a plan may take a secret from: the goal, and what people said and put in for it."""
        return (self.goal.text, *self.people_say, *(str(wish["value"]) for wish in self.goal.wishes))

    def _unknown_marks(self, draft: PlanDraft) -> list[Problem]:
        """Marks that stand for no secret of this goal's: planned as they are, they would be taken for the value."""
        typed = masking.marks_in(list(self._words_of_people))
        return [
            Problem(position, name, "masked_secret", f"{mark} stands for a secret that this goal does not say.")
            for position, step in enumerate((*draft.steps, *draft.cleanup), 1)
            for name, value in {**step.values(), "condition": dict(step.condition or {})}.items()
            for mark in sorted(masking.marks_in(value) - typed)
        ]

    def _keep(
        self, answer: Answer, attempt: int, found: PlanDraft | NoPlan | list[Problem], problems: list[Problem]
    ) -> None:
        """The attempt as a row, its place in the sums, and what was said until now, in one transaction."""
        lines = self.companion.drain()
        with transaction.atomic():
            kept = {
                "goal": self.goal.pk,
                "turn": self.number,
                "attempt": attempt,
                "call": answer.call,
                "problems": json.dumps([asdict(one) for one in problems]),
                "cannot": str(found.evidence.get("cannot", "")) if isinstance(found, NoPlan) else "",
                "firmware": ", ".join(self.firmware.versions),
                "at": timezone.now(),
            }
            prepared.row(_KEEP, kept)
            days.add_attempt(answer.call, is_plan=isinstance(found, PlanDraft))
            logs.write(self.goal.pk, lines)

    def _problems(self, draft: PlanDraft) -> list[Problem]:
        """Everything that a plan of a person or a rule must be free of too, and what people said of earlier ones."""
        problems = proposals.problems_of(self.goal, draft)
        if again := selection.refused(draft.steps, self.left_out):
            message = (
                f"A person refused {again['tool']}.{again['command']} with these values; reach the goal without it."
            )
            problems.append(Problem(0, "steps", "refused_step_again", message))
        if self.has_revisions and kept_edits.same_as_sent_back(self.goal, draft):
            message = "A person sent exactly these steps back; people_say tells what they want instead."
            problems.append(Problem(0, "steps", "same_plan_again", message))
        allowed = set(self.agent.tools)
        for position, step in enumerate((*draft.steps, *draft.cleanup), 1):
            if allowed and step.tool not in allowed:
                message = f"This agent may not use {step.tool}; it has {', '.join(sorted(allowed))}."
                problems.append(Problem(position, "tool", "tool_not_allowed", message))
        return problems

    @cached_property
    def left_out(self) -> list[Mapping[str, object]]:
        """Steps that a person refused. A goal that is being planned has no plan of which somebody could refuse more."""
        if not self.has_revisions:
            return []
        return [each for plan in self.goal.intent_plans.exclude(left_out=[]) for each in plan.left_out]

    def _ask(self, asked: Prompt) -> Answer:
        request = request_for(
            self.agent,
            PURPOSE,
            [Message(role, text) for role, text in asked.messages],
            self.models,
            prompts=self.prompts,
            max_tokens=settings.MODEL_ANSWER_TOKENS,
            schema=prompt.schema(tools_in_use(), self.agent.tools),
            goal=str(self.goal.pk),
            told=self.firmware,
        )
        shown = _Shown(self.companion)
        try:
            answer = generation.ask(
                request,
                accepts=lambda text, masked: not self._judge(text, masked).problems,
                on_text=shown.more,
                on_masked=self._say_masked,
                on_trouble=lambda said: self._say(said, "warning"),
                is_wanted=lambda: not self.companion.stop_work.is_set(),
            )
        finally:
            shown.end()
        if answer.is_cached:
            self._say("the same prompt was sent before; its answer is used again")
        return answer

    def _say_masked(self, kinds: tuple[str, ...]) -> None:
        """Once, and again where a repair holds another kind."""
        if kinds != self.said_masked:
            self.said_masked = kinds
            self._say(masking.told(kinds), "warning")

    def _no_answer(self, error: ModelError) -> NoPlan | Later:
        self._say(str(error), "error")
        if isinstance(error, BudgetSpent):
            return Later(_next_midnight(), f"{budgets.SPENT}: {error}")
        patience_s = getattr(error, "retry_after_s", None)
        if patience_s and self._waits() < MOST_WAITS:
            return Later(timezone.now() + timedelta(seconds=patience_s), f"model_{error.code}: {error}")
        return NoPlan(f"model_{error.code}", {"trouble": str(error)})

    def _waits(self) -> int:
        """How often this goal has waited for a provider since it last was answered."""
        return self.goal.transitions.filter(reason__startswith="model_rate_limited").count()

    def _say_plan(self, draft: PlanDraft, attempt: int) -> None:
        model = self.answer.model if self.answer else ""
        repairs = f" after {attempt - 1} repair{'s' if attempt > 2 else ''}" if attempt > 1 else ""
        self._say(f"{model} planned {logs.counted(len(draft.steps), 'step')}{repairs}")

    def _say_problems(self, problems: list[Problem], attempt: int) -> None:
        left = self.agent.max_repair_attempts + 1 - attempt
        told = "; ".join(one.message for one in problems[:5]) + (
            f" and {len(problems) - 5} more" if problems[5:] else ""
        )
        after = "it goes back with them" if left else "and it was sent back as often as it may be"
        self._say(f"the model's plan has problems ({told}): {after}", "warning")

    def _say(self, text: str, level: str = "info") -> None:
        self.companion.say(NewLine("bdi_agent", "plan", text, level))


class _Shown:
    """An answer on its way to the goal's log: by lines, and by pieces where it has none; bounded."""

    def __init__(self, companion: Companion) -> None:
        self.companion, self.rest, self.lines, self.since = companion, "", 0, time.monotonic()

    def more(self, text: str) -> None:
        *lines, self.rest = (self.rest + text).split("\n")
        for line in lines:
            self._put(line)
        while len(self.rest) >= _LINE_CHARS:
            self._put(self.rest[:_LINE_CHARS])
            self.rest = self.rest[_LINE_CHARS:]
        if self.rest and time.monotonic() - self.since > _LINE_S:
            self._put(self.rest)
            self.rest = ""

    def end(self) -> None:
        if self.rest:
            self._put(self.rest)
        self.rest = ""
        if self.lines > _LOGGED_LINES:
            text = f"{self.lines - _LOGGED_LINES} more lines of the answer are stored with the attempt"
            self.companion.say(NewLine("model", "plan", text))

    def _put(self, line: str) -> None:
        self.since = time.monotonic()
        self.lines += 1
        if self.lines <= _LOGGED_LINES:
            self.companion.say(NewLine("model", "plan", line[: 4 * _LINE_CHARS], data={"answer": True}))


def _next_midnight() -> datetime:
    now = timezone.now()
    return (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
