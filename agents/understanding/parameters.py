"""Commands without a rule: understood as they were meant, proposed with their evidence, or asked about.

The pure core (agents.bdi.understanding) reads; here files, tables and earlier runs are loaded for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from django.db.models import Q
from django.utils import timezone

from agents.actors.models_in_use import models_of
from agents.bdi.plans.dependencies import link
from agents.bdi.understanding import correcting, stored
from agents.bdi.understanding.drafting import QUESTION, draft_of
from agents.bdi.understanding.experience import predict
from agents.bdi.understanding.named_files import named
from agents.bdi.understanding.names.paths import ANY, FILE, FOLDER, Mapped, Tree, fits
from agents.bdi.understanding.questions import of_value
from agents.bdi.understanding.understand import understand
from agents.bdi.understanding.understood import Choice, Meant, Question, Understood
from agents.models import Goal, ParameterSettings
from agents.toolkit.registry import tools_in_use
from agents.toolkit.types import NoPlan, Param, PlanDraft
from agents.understanding import agent_questions, earlier_runs, extraction, in_force
from agents.understanding.in_force import Rule, Tuning
from agents.workspaces import base_files
from agents.workspaces.base_files import BaseUnreadable

# Why rules make no plan, so that what the goal says is understood without them.
RULES_MAKE_NONE = frozenset({"no_relevant_rule", "no_applicable_rule", "no_rule_compiled", "unusable_value"})
# A value that a model finds for a parameter of a step, asked for or remembered; None: none.
Asked = Callable[[Meant, str], Param | None]


def understood(goal: Goal, without: NoPlan, *, is_wanted: Callable[[], bool] = lambda: True) -> PlanDraft | NoPlan:
    """What the goal's text means as commands, where no rule made a plan; else `without`, with what is to be asked.

    Raises Stopped when a model was asked for a value and the goal was cancelled meanwhile.
    """

    def asked(step: Meant, name: str) -> Param | None:
        command = tools_in_use().command(step.tool, step.command)
        return extraction.values_for(goal, command, [name], is_wanted=is_wanted).params.get(name)

    return _over_its_files(goal, without, asked)


def as_typed(goal: Goal, without: NoPlan) -> PlanDraft | NoPlan:
    """The same for a goal that is still being typed and not stored: no model is asked for a value."""
    return _over_its_files(goal, without, lambda step, name: None) if without.reason in RULES_MAKE_NONE else without


def _over_its_files(goal: Goal, without: NoPlan, asked: Asked) -> PlanDraft | NoPlan:
    tuning = in_force.current(goal.submitted_by_id)
    tree = tree_of(goal, tuning.mapped) if tuning.switches.enable_understanding else None
    return without if tree is None else understood_on(goal, without, tree, tuning, asked)


def understood_on(goal: Goal, without: NoPlan, tree: Tree, tuning: Tuning, asked: Asked) -> PlanDraft | NoPlan:
    """What the text means over these files with this tuning. `asked` gives the value that a model finds, or None.

    Nothing is written here: what was understood before is understood again by it with another tuning.
    """
    switches = tuning.switches
    found = understand(goal.text, tree, tools_in_use())
    if not switches.enable_path_correction:
        found = _as_said(found)
    if not found.meant and not found.questions:
        return without
    found = agent_questions.with_questions(_settled(_as_named(goal, found, tree), goal, tuning, asked))
    # What it stood on, by which it can be tried again.
    stood = {"without": without.reason, "base": goal.workspace.head}
    evidence = {**without.evidence, "understood": {**stored.as_data(found), **stood}}
    if found.is_sure:
        return draft_of(found.meant, evidence, tools_in_use(), tree)
    if not asks(found) or (without.reason != "no_relevant_rule" and not _offers(found)):
        # What comes near is told where mindX says that it cannot do it.
        return replace(without, evidence={**without.evidence, "nearest": list(found.nearest)})
    return NoPlan(f"{QUESTION}: {found.questions[0].text}", evidence)


def corrected(goal: Goal, draft: PlanDraft) -> PlanDraft:
    """A draft whose paths are those that are clearly meant, before it is validated; switched off, as it is."""
    if not correcting.may_mend(draft.steps, tools_in_use()):
        return draft
    switches = in_force.switches()
    tree = tree_of(goal, in_force.mapped(goal.submitted_by_id)) if switches.enable_path_correction else None
    return draft if tree is None else corrected_on(draft, tree, switches)


def corrected_on(draft: PlanDraft, tree: Tree, switches: ParameterSettings) -> PlanDraft:
    """The same over these files with these settings."""
    steps = correcting.mended(draft.steps, tree, tools_in_use(), switches.least_confidence)
    if all(one is other for one, other in zip(steps, draft.steps, strict=True)):
        return draft
    return replace(draft, steps=link(steps, tools_in_use()))


def _as_said(found: Understood) -> Understood:
    """What was understood with every value as it stood in the text: correction is switched off."""
    meant = tuple(
        replace(
            one,
            params={
                name: Param(param.original, "explicit", span=param.span) if param.origin == "mapping" else param
                for name, param in one.params.items()
            },
        )
        for one in found.meant
    )
    return replace(found, meant=meant)


def _as_named(goal: Goal, found: Understood, tree: Tree) -> Understood:
    """What was understood with the file that a person named since, where that is the one thing asked for."""
    asked = [one for one in found.questions if one.parameter]
    if len(found.questions) != 1 or not asked or goal.pk is None:
        return found
    (question,) = asked
    step = found.meant[question.step - 1]
    place = tools_in_use().said(tools_in_use().command(step.tool, step.command)).places.get(question.parameter)
    if place is None or place.wanted not in (FILE, FOLDER, ANY) or question.parameter in step.params:
        return found

    def is_there(path: str) -> bool:
        return bool(kind := tree.kind(path)) and fits(kind, place.wanted)

    stands = Q(expires_at=None) | Q(expires_at__gt=timezone.now())
    told = goal.beliefs.filter(stands, source="person", retracted_by="", denies="").order_by("-pk")
    it = named(told.values_list("sentence", "by__username"), is_there)
    if it is None:
        return found
    param = Param(it.path, "person", note=f"{it.by} said: {it.sentence}")
    filled = replace(step, params={**step.params, question.parameter: param})
    following = _still_missing(filled, question.step)
    meant = tuple(filled if one is step else one for one in found.meant)
    return replace(found, meant=meant, questions=(following,) if following else ())


def _settled(found: Understood, goal: Goal, tuning: Tuning, asked_model: Asked) -> Understood:
    """Rules, earlier runs and a model for what is missing, in this order; what they settle is no question any more.

    Defaults that must not be taken become questions, and so do values that are less sure than the settings ask for.
    """
    meant, open_ = list(found.meant), []
    for question in found.questions:
        at = question.step - 1
        param = None
        if question.parameter and question.parameter not in meant[at].params:
            param = _value_of(goal, meant[at], question.parameter, tuning, asked_model)
        if param is None:
            open_.append(question)
            continue
        meant[at] = replace(meant[at], params={**meant[at].params, question.parameter: param})
        if following := _still_missing(meant[at], question.step):
            open_.append(following)
    for step, one in enumerate(meant, 1):
        meant[step - 1], asked = _with_rules(one, step, tuning.rules, tuning.switches)
        open_ += asked
    sure = min((one.confidence for one in meant), default=0.0)
    return replace(found, meant=tuple(meant), questions=tuple(open_), confidence=0.0 if open_ else sure)


def _value_of(goal: Goal, step: Meant, name: str, tuning: Tuning, asked: Asked) -> Param | None:
    """A value for what the words leave out; None where nothing is sure enough."""
    switches, rule = tuning.switches, tuning.rules.get((step.tool, step.command, name), Rule())
    if rule.has_default and switches.fallback_to_defaults:
        return Param(rule.default, "default", note=rule.note)
    if not rule.may_be_guessed:
        return None
    if switches.use_experience:
        seen = earlier_runs.values_of(goal, step.tool, step.command, name)
        predicted = predict(seen, least_runs=switches.least_runs, least_share=switches.least_share)
        if predicted is not None and predicted.confidence >= switches.least_confidence:
            return Param(predicted.value, "experience", note=predicted.why, confidence=predicted.confidence)
    if switches.use_llm_extraction:
        param = asked(step, name)
        if param is not None and param.confidence >= switches.least_confidence:
            return param
    return None


def _still_missing(step: Meant, at: int) -> Question | None:
    command = tools_in_use().command(step.tool, step.command)
    name = next((each for each in command.required if each not in step.params), None)
    if name is None:
        return None
    return Question(at, of_value(command, name), "It is not said.", name)


def _with_rules(
    step: Meant, at: int, rules: Mapping[tuple[str, str, str], Rule], switches: ParameterSettings
) -> tuple[Meant, list[Question]]:
    """The defaults of parameter rules in the place of declared ones; questions where no default may be taken."""
    command = tools_in_use().command(step.tool, step.command)
    params, asked = dict(step.params), []
    for name, declared in command.defaults().items():
        if name in params:
            continue
        rule = rules.get((step.tool, step.command, name))
        if not switches.fallback_to_defaults:
            choice = Choice(str(declared), "the declared default", declared)
            asked.append(
                Question(at, of_value(command, name), "It is not said, and no default may be taken.", name, (choice,))
            )
        elif rule is not None and rule.has_default:
            params[name] = Param(rule.default, "default", note=rule.note)
    for name, param in step.params.items():
        if param.origin == "mapping" and param.confidence < switches.least_confidence:
            title = str(command.properties[name].get("title", name)).lower()
            choice = Choice(str(param.value), param.note, param.value)
            text = f"Which {title} is meant by “{param.original}”?"
            asked.append(Question(at, text, "It is not sure enough.", name, (choice,)))
    return replace(step, params=params), asked


def has_model(goal: Goal) -> bool:
    """Whether a model is asked for values of this goal."""
    return bool(models_of(goal.agent))


def asks(found: Understood) -> bool:
    """Whether what is asked says what could be answered: a value of a known command, or one of several readings."""
    return bool(found.questions) and all(question.parameter or question.choices for question in found.questions)


def _offers(found: Understood) -> bool:
    return all(question.choices for question in found.questions)


def tree_of(goal: Goal, mapped: Sequence[Mapped]) -> Tree | None:
    """The files of the goal's workspace as they are now; None when they cannot be read."""
    try:
        entries = base_files.entries_of(goal.workspace.head)
    except BaseUnreadable:
        return None
    return Tree.of(((entry.path, entry.kind) for entry in entries), mapped=mapped)
