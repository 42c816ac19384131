"""The recorded calls that a candidate of a prompt or of firmware is measured by, and what asking them again may cost.

Of a prompt all answered first requests that it stood behind, of firmware those of the agents of its domain: of each
goal the newest. Calls whose answer was of no use, and as many whose answer was, the newest of each.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from django.conf import settings

from agents.actors import firmware
from agents.evolution.replays import answer_checks, asking_again, cases
from agents.evolution.replays.answer_checks import PLAN, Asked
from agents.models import Agent, Goal
from agents.record import worked
from agents.states import GoalState
from library.language.asking import guessed_tokens
from library.models import Component, ComponentVersion, ModelCall
from library.prompts import declared
from library.prompts.in_use import KIND as PROMPT

# Of each kind: each case is asked twice, which costs money.
MOST = 15
# So many of the newest calls of all are searched, for there is no index, and so many that fit are looked at.
_LOOKED_AT, _READ = 2_000, 200
# Beside what did not work: nobody could use the answer, or a person rejected what came of it.
_OF_NO_USE = (GoalState.MANUAL, GoalState.DROPPED)


# The version that another one is compared with.
Beside = ComponentVersion | None


@dataclass(frozen=True)
class FoundCall:
    """A recorded request, and whether its answer was of use then."""

    asked: Asked
    succeeded: bool

    @property
    def number(self) -> int:
        """What says by a hash which half it belongs to: its goal, or the call where there was none."""
        return self.asked.goal.pk if self.asked.goal is not None else self.asked.call.pk


@dataclass(frozen=True)
class Cost:
    """What a replay may take at most: requests and their tokens. `why_not`: why there can be none, as a sentence.

    `models`: those that are asked, first choice of each side.
    """

    cases: int = 0
    calls: int = 0
    tokens: int = 0
    why_not: str = ""
    models: tuple[str, ...] = ()


def can_be(version: ComponentVersion) -> bool:
    """Whether a version is of a kind whose candidates are measured by asking recorded requests again."""
    component = version.component
    return component.kind == firmware.KIND or (component.kind == PROMPT and component.name in declared.every())


def of(version: ComponentVersion, *, until: datetime | None = None) -> list[FoundCall]:
    """Every case whose answer was of no use, and as many whose answer was; the newest, at most `MOST` of each.

    `until`: of calls that were made by then.
    """
    failures: list[FoundCall] = []
    successes: list[FoundCall] = []
    for found in _all(version.component, until):
        (successes if found.succeeded else failures).append(found)
        if len(failures) >= MOST and len(successes) >= MOST:
            break
    failures = failures[:MOST]
    # Without a failure the successes still show what a candidate breaks.
    return failures + successes[: len(failures) or MOST]


def newest(component: Component, most: int) -> list[FoundCall]:
    """The newest cases, whatever their answer was worth: for comparisons that a choice by that would bend."""
    return list(islice(_all(component), most))


def has_any(component: Component) -> bool:
    """Whether anything is recorded that it could be measured by, and somebody is there to be asked."""
    return next(_all(component), None) is not None


def cost(version: ComponentVersion, found: list[FoundCall] | None = None, *, beside: Beside = None) -> Cost:
    """What both sides of all cases may take at most, the other one being its parent if none is given."""
    other = beside or version.parent
    if other is None:
        return Cost(why_not="This is the first version, so there is no parent to compare it with.")
    chosen = of(version) if found is None else found
    if not chosen:
        return Cost(why_not="No recorded call can be sent again whose answer code could check.")
    # The whole text of each version comes on top of what was sent, which holds another one in its place.
    texts = guessed_tokens(version.body) + guessed_tokens(other.body)
    tokens = sum(2 * tokens_of(one.asked.call) + texts for one in chosen)
    models = tuple(dict.fromkeys(asking_again.choice(one.asked.call).models[0] for one in chosen))
    return Cost(len(chosen), 2 * len(chosen), tokens, models=models)


def tokens_of(call: ModelCall) -> int:
    """The most that sending its request again may take beside the text of the prompt."""
    sent = sum(guessed_tokens(str(one["content"])) for one in call.messages)
    return sent + min(int(call.asked_with["max_tokens"]), settings.MODEL_ANSWER_TOKENS)


def _all(component: Component, until: datetime | None = None) -> Iterator[FoundCall]:
    seen: set[tuple[str, str]] = set()
    made = ModelCall.objects.filter(at__lte=until) if until is not None else ModelCall.objects.all()
    rows = ModelCall.objects.filter(pk__in=made.order_by("-at", "-pk").values("pk")[:_LOOKED_AT])
    rows = rows.filter(state=ModelCall.State.ANSWERED, replay_of=None)
    if component.kind == PROMPT:
        rows = rows.filter(asked_with__prompts__0__name=component.name)
    elif component.name != firmware.GENERAL:
        agents = Agent.objects.filter(firmware_domain=component.name).values_list("pk", flat=True)
        rows = rows.filter(agent__in=[str(one) for one in agents])
    for call in rows.order_by("-pk")[:_READ]:
        if not _is_first(call) or (key := _key(call)) in seen:
            continue
        seen.add(key)
        if (found := _found(call, must_change=component.kind == PROMPT)) is not None:
            yield found


def _is_first(call: ModelCall) -> bool:
    """A repair holds what a model wrote under another text, which says nothing of this one."""
    return len(call.asked_with.get("prompts", ())) == 1


def _key(call: ModelCall) -> tuple[str, str]:
    """A goal counts once for each prompt; without a goal, what was asked."""
    return str(call.asked_with["prompts"][0]["name"]), call.goal or json.dumps(call.messages[1:])


def _found(call: ModelCall, *, must_change: bool) -> FoundCall | None:
    may = asking_again.choice(call)
    if may.why_not or (must_change and not may.versions):
        return None
    goal = asking_again.goal_of(call)
    if call.goal and goal is None:
        return None
    asked = Asked(call, goal, _base(goal) if goal is not None else "")
    if not answer_checks.can_check(asked):
        return None
    is_well = not answer_checks.check(asked, call.answer).wrong
    if asked.prompt == PLAN and goal is not None:
        is_well = is_well and goal.state not in _OF_NO_USE and worked.of_goal(goal) is not False
    return FoundCall(asked, is_well)


def _base(goal: Goal) -> str:
    """The files that its plan began with; those that the workspace has now where none has begun."""
    plan = goal.intent_plans.order_by("-pk").first()
    return (cases.base_of(plan) if plan is not None else "") or goal.workspace.head
