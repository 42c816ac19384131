"""Plan rules of the library: the active ones parsed, the nearest to a text, and any of them tried without running."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from agents.bdi.planning import means_ends
from agents.bdi.plans.misnamed import Reader
from agents.beliefs import entailment_model, perceiving, set_items
from agents.components import made_tools
from agents.models import Workspace
from agents.record import prepared
from agents.rules import grammar
from agents.rules.grammar import Rule, RuleSyntaxError
from agents.rules.looping import Look
from agents.rules.selection import KnownRule, track_record
from agents.toolkit.registry import tools_in_use
from agents.toolkit.types import Belief, NoPlan, PlanDraft
from agents.toolkit.wording.slots import render
from agents.workspaces import base_files
from library.components import canary, selectors, services
from library.components.search import Filters, search
from library.models import Component, ComponentVersion
from people import sealing

logger = logging.getLogger(__name__)

KIND = Component.Kind.RULE.value
# Another word as soon as anything is different that a rule in use is made of; a track record counts in whole tenths.
_STAMP = f"""
    SELECT count(*) || ' ' || coalesce(sum(hashtextextended(concat_ws(
            '/', component.name, version.version, version.status, version.canary_percent, version.body,
            10 * (version.successes + 1) / (version.successes + version.failures + 2)
        ), version.id)), 0), ({made_tools.STAMP})
    FROM {Component._meta.db_table} AS component
    JOIN {ComponentVersion._meta.db_table} AS version ON version.component_id = component.id
    WHERE component.kind = %(kind)s AND version.status = ANY(%(used)s)
"""  # noqa: S608  # names of our own tables
_USED = [ComponentVersion.Status.ACTIVE.value, ComponentVersion.Status.CANARY.value]


@dataclass(frozen=True)
class _InUse:
    """The rules that were in use when they were read last, and their stamp; a canary with its share of new goals."""

    stamp: str = ""
    active: tuple[KnownRule, ...] = ()
    canaries: tuple[tuple[KnownRule, int], ...] = ()


_last = _InUse()


@dataclass(frozen=True)
class Trial:
    """What the rules would make of a goal, over what is true of a workspace now; nothing has run."""

    goal: str
    beliefs: tuple[Belief, ...]
    outcome: PlanDraft | NoPlan

    @property
    def evidence(self) -> Mapping[str, Any]:
        """Rules, contexts × beliefs and rejections, as planning keeps them."""
        return self.outcome.evidence


def known_rules(for_goal: int | None = None) -> list[KnownRule]:
    """Return the active rules that can be read, by name; a canary in place of its rule where the goal is of its share.

    Their texts are fetched only when they are others than the last time: what is in use is asked at each call.
    """
    global _last
    # The tools that the rules speak of are asked about in the same statement.
    stamp, tools = prepared.row(_STAMP, {"kind": KIND, "used": _USED}) or ("", "")
    made_tools.follow(str(tools))
    if stamp != _last.stamp:
        _last = _InUse(stamp, _readable(selectors.active_versions(KIND)), _canaries())
    if for_goal is None or not _last.canaries:
        return list(_last.active)
    taken = {rule.name: rule for rule, percent in _last.canaries if canary.takes(rule.name, for_goal, percent)}
    return [taken.get(rule.name, rule) for rule in _last.active]


def nearest_rules(text: str, limit: int = 3) -> list[tuple[KnownRule, float]]:
    """Return the rules whose task is nearest in meaning to the text, with their similarity; none without embeddings."""
    if not text.strip():
        return []
    near = search(task=text, filters=Filters(kind=KIND), limit=limit)
    if near.by_words:
        logger.warning("The nearest rules cannot be told: %s", near.by_words)
        return []
    read = ((_read(*_of(hit.version)), hit.scores.task) for hit in near.items)
    return [(known, likeness) for known, likeness in read if known is not None and likeness is not None]


def try_out(text: str, workspace: Workspace, *, instead: KnownRule | None = None, judge_all: bool = False) -> Trial:
    """Plan a goal over what is true of the workspace now, without storing or running anything.

    `instead` takes the place of the active rule of its name, so that a candidate can be tried. `judge_all` asks models
    also about contexts that decide nothing any more.
    """
    beliefs = perceiving.of_workspace(workspace, about=text, has_model=bool(settings.MODEL))
    look, read = set_items.look_in(workspace), base_files.beginnings_in(workspace.head)
    return try_over(text, beliefs, instead=instead, look=look, read=read, judge_all=judge_all)


def try_over(
    text: str,
    beliefs: Sequence[Belief],
    *,
    instead: KnownRule | None = None,
    look: Look | None = None,
    read: Reader | None = None,
    judge_all: bool = False,
) -> Trial:
    """Plan a goal over beliefs that somebody wrote, or that were held once; else as `try_out`."""
    rules = known_rules()
    if instead is not None:
        rules = [*(known for known in rules if known.name != instead.name), instead]
    with entailment_model.asked_about([belief.sentence for belief in beliefs], keeps=False) as judges:
        found = means_ends.plan(
            text, rules, beliefs, tools_in_use(), judge_by=judges, look=look, read=read, judge_all=judge_all
        )
    return Trial(text, tuple(beliefs), found)


def starters(files: Sequence[tuple[str, str]]) -> list[services.Starter]:
    """Part starter files into rules, each of which becomes a component of its own. RuleSyntaxError names the fault."""
    return [
        services.Starter(rule.name, rule.source + "\n", when_to_use(rule))
        for _, text in files
        for rule in grammar.parse(text)
    ]


def when_to_use(rule: Rule) -> str:
    """Return the wordings of the rule's task as sentences, for the search by meaning; of very many the first ones."""
    said = [render(trigger.text, {}).replace("{", "").replace("}", "").replace("_", " ") for trigger in rule.triggers]
    return ". ".join(dict.fromkeys([*said, rule.name]))[: services.WHEN_MAX_CHARACTERS]


def read_one(body: str) -> Rule:
    """Return the one rule of a version's text. RuleSyntaxError when it cannot be read, or holds several."""
    rules = grammar.parse(body)
    if len(rules) != 1:
        raise RuleSyntaxError(rules[1].line, "several_rules", f"here are {len(rules)} rules instead of one")
    return rules[0]


def _readable(versions: QuerySet[ComponentVersion]) -> tuple[KnownRule, ...]:
    rows = sealing.genuine(versions.select_related("component"))
    return tuple(rule for row in rows if (rule := _read(*_of(row))) is not None)


def _canaries() -> tuple[tuple[KnownRule, int], ...]:
    rows = ComponentVersion.objects.filter(component__kind=KIND, status=ComponentVersion.Status.CANARY)
    shares = dict(rows.values_list("pk", "canary_percent"))
    return tuple((rule, shares[int(rule.version_id)]) for rule in _readable(rows))


def _of(row: ComponentVersion) -> tuple[int, str, str, str, float]:
    return row.pk, row.component.name, row.version, row.body, track_record(row.successes, row.failures)


@lru_cache(maxsize=2_048)
def _read(version_id: int, name: str, version: str, body: str, record: float) -> KnownRule | None:
    """The rule of a row, made once; None when it cannot be read. All that it is made of is what it is kept by."""
    try:
        return KnownRule(name, version, str(version_id), _parsed(version_id, body), record)
    except RuleSyntaxError as error:
        logger.warning("The active rule %s %s cannot be read and is left out: %s", name, version, error)
        return None


@lru_cache(maxsize=2_048)
def _parsed(version_id: int, body: str) -> Rule:
    """A version's body never changes, so its rule is read once in the life of a process."""
    return read_one(body)
