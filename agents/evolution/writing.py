"""A candidate of a rule that a language model writes, from the probe half of the rule's cases only.

It is written on the default agent's models and budget and under its firmware, checked, and replayed like a person's.
Nothing here activates anything. Nothing here is called inside a transaction, for a model is asked.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.db import transaction

from agents.actors import firmware
from agents.actors.model_requests import request_for
from agents.actors.models_in_use import models_of
from agents.bdi import candidate_writing
from agents.bdi.candidate_writing import STRATEGIES, Case
from agents.components import rule_writing
from agents.components.rules import KIND
from agents.evolution import cases, gate, replays
from agents.evolution.cases import Found
from agents.models import DEFAULT_AGENT, Agent, Attempt
from agents.record.errors import NotPossibleNow
from agents.record.selectors import may_see
from agents.rules import grammar
from agents.toolkit.registry import REGISTRY
from library.components import services as library
from library.errors import LibraryRefused
from library.language import generation, masking
from library.language.asking import Answer, Message, ModelError
from library.models import Component, ComponentVersion
from library.prompts import in_use
from people.models import User

PURPOSE = "candidate"


@dataclass(frozen=True)
class Budget:
    """What asking may take at most. `models` is empty, and `why_not` says why, where nobody can be asked."""

    models: tuple[str, ...]
    calls: int
    tokens: int
    why_not: str = ""


def budget() -> Budget:
    """What one candidate may take at most, before anybody is asked: tokens of all calls, prompts and answers."""
    agent = _agent()
    models = models_of(agent) if agent is not None else ()
    if agent is None or not models:
        return Budget((), 0, 0, "No language model is set up. Set MINDX_MODEL, or write the candidate in the editor.")
    calls = agent.max_repair_attempts + 1
    return Budget(models, calls, calls * (settings.MODEL_PROMPT_TOKENS + settings.MODEL_ANSWER_TOKENS))


def write(component: Component, *, by: User, why: str, strategy: str) -> ComponentVersion:
    """Have a model write a candidate of a rule, and have that replayed beside its parent.

    Raises LibraryRefused for people who may not write, and NotPossibleNow with the reason when there is no model or its
    answers cannot be used.
    """
    if not library.may_write(by):
        raise LibraryRefused("Your roles do not let you write this. A reviewer, operator or developer can.")
    parent = component.versions.filter(status=ComponentVersion.Status.ACTIVE).first()
    if component.kind != KIND or parent is None:
        raise NotPossibleNow("A model writes candidates of rules that are in use.")
    agent, may = _agent(), budget()
    if agent is None or may.why_not:
        raise NotPossibleNow(may.why_not)
    text, model = _written(agent, parent, by, why, strategy)
    with transaction.atomic():
        changes = f"written by {model}, {strategy.replace('_', ' ')}: {why}"
        saved = rule_writing.save(text, by=by, of=component, changes=changes, origin=library.MODEL)
        replays.ask(saved, by=by, why=why, strategy=strategy)
    return saved


def probe_cases(name: str, by: User) -> list[Case]:
    """The cases of a rule that a writer may see: of the probe half, and of goals that this person may see.

    A goal in the same words as a sealed one is left out, for it would show that one.
    """
    found = cases.of_rule(name)
    sealed = {one.goal.text for one in found if gate.is_sealed(name, one.goal.pk)}
    shown = [one for one in found if one.goal.text not in sealed and may_see(by, one.goal.submitted_by_id)]
    return [Case(one.goal.text, "" if one.succeeded else _error_of(one)) for one in shown]


def _agent() -> Agent | None:
    return Agent.objects.filter(name=DEFAULT_AGENT).first()


def _error_of(found: Found) -> str:
    failed = Attempt.objects.filter(intent__intent_plan__plan=found.plan, outcome="failed").order_by("-pk")
    attempt = failed.select_related("intent").first()
    if attempt is None:
        return "the plan ended without reaching the goal"
    result = attempt.result or {}
    reason = str(result.get("reason") or attempt.reason)
    output = str(result.get("stderr") or "")[-200:]
    return f"{attempt.intent.tool}.{attempt.intent.command}: {attempt.failure_class}: {reason} {output}".strip()


def _written(agent: Agent, parent: ComponentVersion, by: User, why: str, strategy: str) -> tuple[str, str]:
    """The first text that can be taken, and the model that wrote it; it is asked again as often as for a plan."""
    told = firmware.of(agent)
    phrases = [command.phrases[0] for tool in REGISTRY.tools for command in tool.commands if command.phrases]
    chars = 3 * (settings.MODEL_PROMPT_TOKENS - told.tokens)
    prompt = in_use.filled("candidate", strategy=STRATEGIES[strategy].told)
    shown = probe_cases(parent.component.name, by)
    asked = candidate_writing.messages(prompt.text, parent.body, why, shown, phrases, chars)
    conversation, prompts = [Message(role, text) for role, text in asked], [prompt]
    problems: list[str] = []
    for _ in range(agent.max_repair_attempts + 1):
        request = request_for(
            agent,
            PURPOSE,
            conversation,
            models_of(agent),
            prompts=prompts,
            max_tokens=settings.MODEL_ANSWER_TOKENS,
            schema=candidate_writing.SCHEMA,
            told=told,
        )
        try:
            answer = generation.ask(request)
        except ModelError as error:
            raise NotPossibleNow(f"No candidate was written: {error}") from error
        text, problems = _judged(answer, parent, strategy)
        if not problems:
            return text, answer.model
        repair = in_use.filled("candidate-repair", problems=candidate_writing.listed(problems))
        conversation[2:] = [Message("assistant", answer.text[: chars // 4]), Message("user", repair.text)]
        prompts[1:] = [repair]
    raise NotPossibleNow(f"The model's candidates could not be taken. {' '.join(problems[:3])}")


def _judged(answer: Answer, parent: ComponentVersion, strategy: str) -> tuple[str, list[str]]:
    """The text of an answer and what is wrong with it. NotPossibleNow when the model says that it cannot."""
    try:
        text, cannot = candidate_writing.read(answer.text)
    except ValueError as wrong:
        return "", [str(wrong)]
    if cannot:
        raise NotPossibleNow(f"The model wrote no candidate: {cannot[:300]}")
    # A secret of a goal must not get into the library; those of the rule itself are in it already.
    text = str(answer.masked.restored(text, within=[parent.body]))
    if marks := masking.marks_in(text):
        return text, [f"{min(marks)} stands for a secret of a goal; leave it out."]
    checked = rule_writing.check(text, instead_of=parent.component.name)
    problems = [problem.message for problem in checked.errors]
    if checked.rule is None or problems:
        return text, problems or ["This is no rule."]
    if checked.rule.name != parent.component.name:
        problems.append(f"Keep the name “{parent.component.name}”.")
    if text.replace("\r\n", "\n").strip() == parent.body.strip():
        problems.append("Nothing differs from the rule in use.")
    (before,) = grammar.parse(parent.body)
    return text, [*problems, *STRATEGIES[strategy].problems(before, checked.rule)]
