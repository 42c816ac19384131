"""States, origins and reasons: the word and the icon each of them has on every page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from agents.presentation.endings import TOLD_BY_THE_REST, of_a_step
from agents.presentation.outcome_words import STATES as OUTCOMES

# What the code calls a state or a reason; anything else is already a sentence.
_CODE = re.compile(r"[a-z]+(_[a-z]+)*")


@dataclass(frozen=True)
class Badge:
    """What a badge shows: `key` picks its colour in the style sheet."""

    key: str
    icon: str
    word: str


STATE_ICONS: Mapping[str, str] = {
    "blocked": "lock",
    "pending": "clock",
    "planning": "spark",
    "draft": "spark",
    "awaiting_review": "eye",
    "manual": "hand",
    "outcome_unknown": "question",
    "approved": "check",
    "executing": "play",
    "running": "play",
    "canary": "play",
    "recovering": "mend",
    "achieved": "check",
    "nothing_changed": "warn",
    "check_failed": "warn",
    "handed_over": "hand",
    "not_checked": "minus",
    "complete": "check",
    "answered": "check",
    "closed": "check",
    "waiting": "clock",
    "with_goal": "eye",
    "open": "x",
    "half_open": "flask",
    "succeeded": "check",
    "active": "check",
    "failed": "x",
    "rejected": "x",
    "candidate": "flask",
    "sent_back": "undo",
    "unreviewed": "minus",
    "skipped": "minus",
    "dropped": "minus",
    "superseded": "minus",
    "expired": "minus",
    "cancelled": "minus",
    "retired": "minus",
}

BY_HAND = "by hand"
_ORIGINS: Mapping[str, Badge] = {
    "explicit": Badge("goal", "quote", "given"),
    "person": Badge("person", "hand", BY_HAND),
    "rule_slot": Badge("rule", "rule", "rule slot"),
    "belief": Badge("belief", "eye", "belief"),
    "mapping": Badge("mapping", "map", "path mapping"),
    "default": Badge("default", "dot", "default"),
    "experience": Badge("experience", "memory", "experience"),
    "model": Badge("model", "spark", "model"),
    "reference": Badge("reference", "arrow", "earlier result"),
}

# What is not said by its own words. An agent's status stands in capitals where programs read it.
_REASONS: Mapping[str, str] = {
    "FAILED_PLANNING": "planning failed",
    "cancelled_by_person": "cancelled by a person",
    "no_applicable_rule": "no rule applies",
    "lease_lost": "the worker lost its lease",
    "sandbox_unavailable": "the sandbox could not start",
    "waits_until": "waits for a condition",
    "manual": "needs a person",
    "needs_a_hand": "a step needs a person",
    "with_goal": "handled by a goal",
    "dependency_failed": "a goal it depends on has failed",
}

# What a goal that waits for a person needs, by its reason; everything else needs a plan.
_ASKED: Mapping[str, Badge] = {
    "outcome_unknown": Badge("outcome_unknown", "question", "did it take effect?"),
    "needs_a_hand": Badge("manual", "hand", "a step needs you"),
    "question_open": Badge("manual", "question", "needs an answer"),
    "mastermind_command": Badge("manual", "arrow", "for Mastermind"),
    "design_not_sealed": Badge("manual", "undo", "needs a new design"),
    "design_sent_back": Badge("manual", "undo", "needs a new design"),
    "deadline_passed": Badge("manual", "clock", "deadline passed"),
}

PART_NAMES: Mapping[str, str] = {
    "database": "Postgres",
    "redis": "Redis",
    "worker": "Worker",
    "sandbox": "Sandbox",
    "scheduler": "Scheduler",
    "queues": "Queues",
    "store": "Snapshot store",
    "embeddings": "Embeddings",
}


def words(identifier: str) -> str:
    """A state or a reason as words. A reason may go on after a colon; what follows is said as it is.

    A question stands for itself: the badge beside it says “needs an answer”; so does a command.
    """
    if said := of_a_step(identifier) or OUTCOMES.get(identifier):
        return said
    code, colon, rest = identifier.partition(":")
    if code in TOLD_BY_THE_REST and rest.strip():
        return rest.strip()
    if code not in _REASONS and not _CODE.fullmatch(code):
        return identifier
    return _REASONS.get(code, code.replace("_", " ")) + colon + rest


def state_badge(state: str) -> Badge:
    """The badge of a goal's, plan's, intent's or version's state."""
    return Badge(state, STATE_ICONS.get(state, "dot"), words(state))


def asked_badge(reason: str) -> Badge:
    """What a goal that is `manual` for `reason` wants of a person."""
    return _ASKED.get(reason.partition(":")[0], Badge("manual", "hand", "needs a plan"))


def origin_badge(origin: str, *, in_goal: bool = False, changed: bool = False, in_rule: bool = False) -> Badge:
    """The badge of a parameter's origin.

    `in_goal`: the value is a span of the goal's text. `changed`: another value stood there first. `in_rule`: it is
    written in a rule.
    """
    if origin == "explicit" and in_goal:
        return Badge("goal", "quote", "goal’s words")
    if in_rule:
        return Badge("rule", "rule", "written in the rule")
    if origin == "person" and changed:
        return Badge("person", "hand", "edited")
    return _ORIGINS.get(origin, Badge("default", "dot", words(origin)))
