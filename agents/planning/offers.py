"""Up to three ready plans for a goal that nobody understood: what worked for this person before, then what is nearest.

Nothing that changes something is offered where it leaves out a part of the goal.

Earlier goals count by their likeness in meaning, commands by how they are said; these are filled with what the goal
plainly names. A person picks one, and it is reviewed like any other plan (docs/decisions/0024).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from agents.bdi.plans import document as documents
from agents.bdi.understanding import ready_plans, stored
from agents.bdi.understanding.checks.offered import NOT_ALL, changes, is_said, why_not
from agents.bdi.understanding.drafting import QUESTION
from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.questions import choice_of, short
from agents.bdi.understanding.understood import Choice, Meant, Question, Understood
from agents.models import Goal, IntentPlan
from agents.states import PlanState
from agents.toolkit.command import Command
from agents.toolkit.registry import Registry, tools_in_use
from agents.toolkit.types import NoPlan, Param
from agents.understanding import in_force, parameters
from library.errors import EmbeddingUnavailable
from library.language import embeddings
from library.memory.selectors import Found, nearest_to
from people.models import User

MOST = 3
# Cosine similarity of the sentence model: goals that share a purpose, and commands that are said somehow like this.
LEAST_LIKE_A_GOAL = 0.55
LEAST_LIKE_A_COMMAND = 0.35
_LOOKED_AT = 10
_COMMANDS_TRIED = 12


def with_offers(goal: Goal, without: NoPlan) -> NoPlan:
    """Ask which of some ready plans is meant, where nothing was understood and a person is asked for a plan; `without`
    where there are none. Compares sentences, so never inside a transaction.
    """
    tuning = in_force.current(goal.submitted_by_id)
    may_offer = (
        without.reason == "no_relevant_rule" and tuning.switches.enable_understanding and not parameters.has_model(goal)
    )
    tree = parameters.tree_of(goal, tuning.mapped) if may_offer else None
    choices = for_goal(goal, tree) if tree is not None else ()
    if not choices:
        return without
    says_all = any(not why_not(one.meant, goal.text, tools_in_use()) for one in choices)
    text = f"What is meant by “{short(goal.text)}”?" if says_all else NOT_ALL.format(short(goal.text))
    question = Question(1, text, "No command matches this.", "", choices)
    understood = stored.as_data(Understood(questions=(question,)))
    stood = {"without": without.reason, "base": goal.workspace.head}
    return NoPlan(f"{QUESTION}: {question.text}", {**without.evidence, "understood": {**understood, **stood}})


def for_goal(goal: Goal, tree: Tree) -> tuple[Choice, ...]:
    """The plans as answers to what is meant, the likeliest first; none where sentences cannot be compared."""
    offered: dict[str, Choice] = {}
    try:
        for choice in (*_earlier(goal), *_nearest(goal.text, tree)):
            offered.setdefault(choice.label, choice)
            if len(offered) == MOST:
                break
    except EmbeddingUnavailable:
        return ()
    return tuple(offered.values())


def worked_before(goal: Goal, *, user: User) -> list[Found]:
    """What this person may read of goals like this one that succeeded, the likest first; for who answers a question."""
    found = nearest_to(goal.text, user=user, limit=_LOOKED_AT, without_goal=str(goal.pk))
    like = [
        (row, similarity)
        for row, similarity in found
        if row.final_outcome == "success" and (similarity is None or similarity >= LEAST_LIKE_A_GOAL)
    ]
    return like[:MOST]


def _earlier(goal: Goal) -> Iterator[Choice]:
    """What was done for goals of the same person that were like this one and succeeded."""
    found = nearest_to(goal.text, user=goal.submitted_by, limit=_LOOKED_AT, without_goal=str(goal.pk))
    like = {
        row.workflow_id: row.primary_goal_description
        for row, similarity in found
        if (similarity or 0.0) >= LEAST_LIKE_A_GOAL and row.final_outcome == "success" and row.workflow_id
    }
    plans = IntentPlan.objects.filter(pk__in=like, goal__submitted_by=goal.submitted_by, state=PlanState.COMPLETE.value)
    by_id = {str(plan.pk): plan for plan in plans}
    for workflow, text in like.items():
        meant = _commands_of(by_id[workflow], goal.text) if workflow in by_id else ()
        if meant and (not changes(meant, tools_in_use()) or not why_not(meant, goal.text, tools_in_use(), text)):
            label = choice_of(meant)
            yield Choice(label.label, f"as for your goal “{text[:80]}”", None, meant)


def _commands_of(plan: IntentPlan, text: str) -> tuple[Meant, ...]:
    """Its steps as commands; nothing where one takes a result of another, which a choice cannot hold."""
    meant = []
    for spec in documents.read(bytes(plan.document)).intents:
        values = {one.name: one.value for one in spec.parameters if one.origin != "default"}
        if spec.condition or any(isinstance(value, str) and "{{" in value for value in values.values()):
            return ()
        if (spec.tool, spec.command) != ("simple_coder", "toggle_autonomous_mode"):
            params = {name: Param(value, "experience", note="as it was done before") for name, value in values.items()}
            meant.append(Meant(spec.tool, spec.command, params, text, 0.0))
    return tuple(meant)


def _nearest(text: str, tree: Tree) -> Iterator[Choice]:
    """The commands that are said most like this, as far as the text names what they need, and do nothing else."""
    for meant in ready_plans.filled(_alike(text), text, tree, tools_in_use()):
        if not changes((meant,), tools_in_use()) or _is_all_that_is_said(meant, text):
            yield choice_of((meant,))


def _is_all_that_is_said(meant: Meant, text: str) -> bool:
    """Whether a command that changes something is said, and nothing else is: names alone say nothing of moving them."""
    return is_said(meant, text, tools_in_use()) and not why_not((meant,), text, tools_in_use())


def _alike(text: str) -> list[Command]:
    """The commands that are said most like this, the likest first."""
    if not embeddings.reads(text):
        return []
    (vector,) = embeddings.embed([ready_plans.masked(text)])
    commands, vectors = _commands(tools_in_use())
    best: dict[int, float] = {}
    for at, other in vectors:
        best[at] = max(best.get(at, -1.0), sum(a * b for a, b in zip(vector, other, strict=True)))
    ranked = sorted(best, key=lambda at: -best[at])[:_COMMANDS_TRIED]
    return [commands[at] for at in ranked if best[at] >= LEAST_LIKE_A_COMMAND]


@lru_cache(maxsize=2)
def _commands(registry: Registry) -> tuple[list[Command], list[tuple[int, list[float]]]]:
    """Every command, and the vectors of how each is said; made once for a registry, which never changes."""
    commands = list(registry.commands)
    said = [(at, one) for at, command in enumerate(commands) for one in ready_plans.sentences(command, registry)]
    vectors = embeddings.embed([one for _, one in said])
    return commands, [(at, vector) for (at, _), vector in zip(said, vectors, strict=True)]
