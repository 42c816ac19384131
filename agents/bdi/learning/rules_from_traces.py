"""Rules from several goals: what plans that worked have in common becomes the rule, and what tells them from plans that
failed becomes its contexts. Pure.

A rule is made of one of the plans (`generalise`) and kept when it plans the steps that worked for others of them too.
Its contexts are those that held every time. Then contexts are added, one after the other, that hold for all that worked
and rule out most of what failed: a belief in the words of the goal's slots, or the denial of one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from agents.bdi.learning.coverage import essence
from agents.bdi.learning.generalise import NotGeneralisable, propose
from agents.bdi.planning.means_ends import plan
from agents.rules.grammar import Context, Rule, RuleSyntaxError, parse
from agents.rules.linter import lint
from agents.rules.printing import print_rule
from agents.rules.selection import KnownRule, judge, match_rule
from agents.rules.speaking import Speaking
from agents.toolkit.registry import Registry
from agents.toolkit.types import Belief, PlanDraft
from agents.toolkit.wording.words import read_text

# Of plans with the same commands so many are tried as the one that the rule is made of.
MOST_TRIED = 5
MOST_ADDED = 3
# Of sentences that tell success from failure so many are weighed.
MOST_WEIGHED = 60
_MOST_CHARACTERS = 200
_NO_TEMPLATE = re.compile(r"[{}\[\]()|\"\n]")


@dataclass(frozen=True)
class Trace:
    """A goal with the plan that ran and what was believed when it was planned, and whether it reached its goal."""

    goal: int
    text: str
    draft: PlanDraft
    beliefs: tuple[Belief, ...]
    succeeded: bool


@dataclass(frozen=True)
class Candidate:
    """A rule that plans the steps that worked for all of `goals`. `added` are the contexts that tell it from what
    failed: `ruled_out` are goals that failed with such steps and for which it is not used, `not_ruled_out` those for
    which it still would be.
    """

    name: str
    text: str
    goals: tuple[int, ...]
    added: tuple[str, ...]
    ruled_out: tuple[int, ...]
    not_ruled_out: tuple[int, ...]


def candidates(traces: Sequence[Trace], registry: Registry, taken: frozenset[str] = frozenset()) -> list[Candidate]:
    """Return the rules that at least two goals in different words speak for, those with most goals first.

    `taken` are names that other rules have.
    """
    groups: dict[tuple[tuple[str, str], ...], list[Trace]] = defaultdict(list)
    for trace in sorted(traces, key=lambda trace: trace.goal):
        groups[tuple((step.tool, step.command) for step in trace.draft.steps)].append(trace)
    found = [made for group in groups.values() if (made := _of_group(group, registry, taken)) is not None]
    return sorted(found, key=lambda made: (-len(made.goals), made.name))


def _of_group(group: Sequence[Trace], registry: Registry, taken: frozenset[str]) -> Candidate | None:
    worked = [one for one in group if one.succeeded]
    best = _covering_most(worked, registry, taken)
    if best is None:
        return None
    rule, covered = best
    views = [_View(one, registry) for one in covered]
    rule = _with_shared_contexts(rule, views)
    failed = [_View(one, registry) for one in group if not one.succeeded]
    against = [view for view in failed if view.match(rule) is not None]
    rule, added = _told_apart(rule, views, against)
    if not _is_sound(rule, covered, registry):
        return None
    ruled_out = {view.trace.goal for view in against if not view.applies(rule)}
    return Candidate(
        rule.name,
        print_rule(rule),
        tuple(one.goal for one in covered),
        added,
        tuple(sorted(ruled_out)),
        tuple(view.trace.goal for view in against if view.trace.goal not in ruled_out),
    )


def _covering_most(
    worked: Sequence[Trace], registry: Registry, taken: frozenset[str]
) -> tuple[Rule, list[Trace]] | None:
    """The rule made from one of these that plans most of them the same way, with those; at least two texts."""
    best: tuple[Rule, list[Trace]] | None = None
    for trace in worked[:MOST_TRIED]:
        rule = _made_of(trace, registry, taken)
        if rule is None:
            continue
        bare = replace(rule, contexts=())
        covered = [one for one in worked if _plans_the_same(bare, one, registry)]
        if len({one.text for one in covered}) > 1 and (best is None or len(covered) > len(best[1])):
            best = rule, covered
    return best


def _with_shared_contexts(rule: Rule, views: Sequence[_View]) -> Rule:
    """The rule with those of its contexts that hold in every one of these goals."""
    shared = (each for each in rule.contexts if all(view.holds(rule, each) for view in views))
    return replace(rule, contexts=tuple(shared))


def _made_of(trace: Trace, registry: Registry, taken: frozenset[str]) -> Rule | None:
    try:
        (rule,) = parse(propose(trace.text, trace.draft, registry, trace.beliefs).text)
    except NotGeneralisable:
        return None
    names = (rule.name, *(f"{rule.name} {number}" for number in range(2, 99)))
    return replace(rule, name=next((name for name in names if name not in taken), rule.name))


class _View:
    """A trace with its beliefs filed, to ask many contexts about."""

    def __init__(self, trace: Trace, registry: Registry) -> None:
        self.trace, self._registry = trace, registry
        self._text = read_text(trace.text)
        self._filed = Speaking([belief.sentence for belief in trace.beliefs])

    def match(self, rule: Rule) -> Mapping[str, str] | None:
        """The values of the rule's slots in this goal; None where its task is another one."""
        found = match_rule(_known(rule), self._text, (rule,), self._registry)
        return None if found is None else found.values()

    def applies(self, rule: Rule) -> bool:
        """Whether the rule is relevant and every context of it holds."""
        found = match_rule(_known(rule), self._text, (rule,), self._registry)
        return found is not None and judge(found, self.trace.beliefs, speaking=self._filed).applicable

    def holds(self, rule: Rule, context: Context) -> bool:
        """Whether this context holds with the values that the rule's slots have here."""
        return self.applies(replace(rule, contexts=(context,)))

    def templates(self, rule: Rule) -> Iterator[str]:
        """The beliefs as contexts could say them: with slots in the place of their values, those with slots first."""
        values = self.match(rule) or {}
        said = list(dict.fromkeys(_template(belief.sentence, values) for belief in self.trace.beliefs))
        yield from sorted((one for one in said if one), key=lambda one: "{" not in one)


def _told_apart(rule: Rule, worked: Sequence[_View], failed: Sequence[_View]) -> tuple[Rule, tuple[str, ...]]:
    """Add the contexts that rule most failures out and hold for everything that worked."""
    added: list[str] = []
    left = [view for view in failed if view.applies(rule)]
    weighed = _weighed(rule, worked, left)
    while left and len(added) < MOST_ADDED:
        best = max(weighed, key=lambda one: sum(not view.holds(rule, one) for view in left), default=None)
        if best is None or all(view.holds(rule, best) for view in left):
            break
        rule = replace(rule, contexts=(*rule.contexts, best))
        added.append(str(best))
        left = [view for view in left if view.applies(rule)]
    return rule, tuple(added)


def _weighed(rule: Rule, worked: Sequence[_View], failed: Sequence[_View]) -> list[Context]:
    """Contexts that hold for everything that worked: what only successes believe, and the denial of what only failures
    do. Whatever both believe tells nothing.
    """
    if not failed:
        return []
    good = set.intersection(*({*view.templates(rule)} for view in worked))
    bad = set.intersection(*({*view.templates(rule)} for view in failed))
    ever_bad = set().union(*({*view.templates(rule)} for view in failed))
    yes = [Context(one, False, 0) for one in sorted(good - bad, key=_order)]
    no = [Context(one, True, 0) for one in sorted(ever_bad - good, key=_order)]
    readable = [each for each in yes + no if _reads_back(rule, each)][:MOST_WEIGHED]
    return [each for each in readable if all(view.holds(rule, each) for view in worked)]


def _reads_back(rule: Rule, context: Context) -> bool:
    """Whether the context is one when it is read: a belief may hold a keyword of rules."""
    try:
        (read,) = parse(print_rule(replace(rule, contexts=(context,))))
    except (RuleSyntaxError, ValueError):
        return False
    return [str(each) for each in read.contexts] == [str(context)]


def _order(template: str) -> tuple[bool, int, str]:
    return "{" not in template, len(template), template


def _template(sentence: str, values: Mapping[str, str]) -> str:
    said = sentence.strip().removesuffix(".")
    if not said or len(said) > _MOST_CHARACTERS:
        return ""
    for name, value in sorted(values.items(), key=lambda slot: -len(slot[1])):
        said = re.sub(rf"(?<![\w./-])\"?{re.escape(value)}\"?(?![\w/-])", "\0" + name + "\1", said)
    if _NO_TEMPLATE.search(said):
        return ""
    said = said.replace("\0", "{").replace("\1", "}")
    return said[0].lower() + said[1:]


def _plans_the_same(rule: Rule, trace: Trace, registry: Registry) -> bool:
    again = plan(trace.text, [_known(rule)], trace.beliefs, registry)
    return isinstance(again, PlanDraft) and essence(again) == essence(trace.draft)


def _is_sound(rule: Rule, covered: Sequence[Trace], registry: Registry) -> bool:
    """Whether its text is read as it was meant, has no fault, and plans what worked for all of them."""
    try:
        (read,) = parse(print_rule(rule))
    except (RuleSyntaxError, ValueError):
        return False
    if any(problem.severity == "error" for problem in lint([read], registry)):
        return False
    return all(_plans_the_same(read, trace, registry) for trace in covered)


def _known(rule: Rule) -> KnownRule:
    return KnownRule(rule.name, "", "", rule)
