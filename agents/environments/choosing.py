"""Which rule is used for a goal: relevant, applicable, selected.

Relevant: its task matches the goal. Applicable: some belief entails every context; a context may find the values of
slots in beliefs, and every match is a choice of its own. Selected: the highest priority, then most contexts, then most
words of its own in the goal, then the firmest weakest context, then the better track record; then a match in what is
seen before one in memory, and names. The order of rules in a file plays no part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from agents.environments.beliefs import Beliefs, Held
from agents.environments.entailing import Answer, Entailment, structured
from agents.rules.binding import proposals
from agents.rules.bodies import fill_subgoal, with_subgoals
from agents.rules.grammar import BodyLine, Context, Rule, Rules
from agents.rules.selection import KnownRule, Relevant, relevant_rules
from agents.toolkit.registry import Registry
from agents.toolkit.types import Belief
from agents.toolkit.wording.words import Text, read_text

# Lines are actions of an environment: none of them is a command of a tool.
_NO_COMMANDS = Registry(())
_ARTICLES = re.compile(r"\A(?:(?:an?|the)\s+)+", re.IGNORECASE)


@dataclass(frozen=True)
class Support:
    """Why a context holds: the belief that entails it, or contradicts it where the context is denied; which stage says
    so, how firmly (0 to 1), and with what reason.
    """

    context: str
    belief: Held
    stage: str
    score: float
    reason: str


@dataclass(frozen=True)
class Choice:
    """An applicable rule with the values of its slots, and what holds its contexts."""

    rule: Rule
    values: Mapping[str, str]
    why: tuple[Support, ...]
    words: int

    @property
    def key(self) -> tuple[str, tuple[tuple[str, str], ...]]:
        """What makes it the same choice again."""
        return self.rule.name, tuple(sorted(self.values.items()))

    @property
    def minimum(self) -> float:
        """The score of the weakest context; 1 without contexts."""
        return min((support.score for support in self.why), default=1.0)


class Library:
    """The rules of a run. `record` gives the share of successes of a rule by its name, 0 to 1; a half when unknown."""

    def __init__(self, rules: Sequence[Rule], entails: Entailment, record: Mapping[str, float] | None = None) -> None:
        ordered = sorted(rules, key=lambda rule: (rule.name, rule.source))
        marked = [with_subgoals(rule, Rules(ordered), _NO_COMMANDS) for rule in ordered]
        self._rules = Rules(marked)
        self._known = tuple(KnownRule(rule.name, "", str(number), rule) for number, rule in enumerate(marked))
        self._entails = entails
        self._record = record or {}

    def choices(self, goal: Text, beliefs: Beliefs) -> list[Choice]:
        """Return what can be done for a goal, first choice first; nothing when no rule is applicable."""
        judging = _Judging(self._entails, beliefs.all(), beliefs)
        found = []
        for filled in self.matches(goal, beliefs):
            why = judging.supports(filled)
            if why is not None:
                found.append(Choice(filled.known.rule, filled.values(), why, filled.literal_words))
        # Sorting is stable: matches of one rule stay in the order of the beliefs.
        return sorted(found, key=self._order)

    def matches(self, goal: Text, beliefs: Beliefs) -> Iterator[Relevant]:
        """Each relevant rule, once for each set of values that beliefs give its slots; applicable or not."""
        said = [Belief(each.sentence) for each in beliefs.all()]
        for relevant in relevant_rules(goal, self._known, _NO_COMMANDS):
            match = _without_articles(relevant)
            found = proposals(match, self._rules, _NO_COMMANDS, said, "", asks_models=self.asks_models)
            yield from found.relevant

    def support(self, context: Context, values: Mapping[str, str], beliefs: Beliefs) -> Support | None:
        """What holds one context now, if anything does. Raises KeyError for a slot without a value."""
        return _Judging(self._entails, beliefs.all(), beliefs).support(context, values)

    @property
    def asks_models(self) -> bool:
        """Whether anything but the structured matcher judges contexts."""
        return self._entails is not structured

    def verdicts(self, beliefs: Beliefs, sentence: str, *, only_proven: bool = False) -> list[tuple[int, Answer]]:
        """The beliefs, by their numbers, that say yes or no to a sentence; `only_proven`: no model is asked."""
        entails = structured if only_proven else self._entails
        answers = entails([held.sentence for held in beliefs.all()], sentence)
        return [(number, answer) for number, answer in enumerate(answers) if answer.verdict.answer != "unknown"]

    def _order(self, choice: Choice) -> tuple[float, ...]:
        rule = choice.rule
        record = self._record.get(rule.name, 0.5)
        return (-rule.priority, -len(rule.contexts), -choice.words, -choice.minimum, -record)


class _Judging:
    """Contexts against the beliefs of one moment; many rules ask for the same."""

    def __init__(self, entails: Entailment, held: Sequence[Held], beliefs: Beliefs) -> None:
        self._entails, self._held, self._beliefs = entails, held, beliefs
        self._sentences = [each.sentence for each in held]
        self._answers: dict[str, Sequence[Answer]] = {}

    def supports(self, relevant: Relevant) -> tuple[Support, ...] | None:
        """Return what holds each context, or None when one of them does not hold or has an open slot."""
        values = relevant.values()
        found = []
        for context in relevant.known.rule.contexts:
            try:
                support = self.support(context, values)
            except KeyError:
                return None
            if support is None:
                return None
            found.append(support)
        return tuple(found)

    def support(self, context: Context, values: Mapping[str, str]) -> Support | None:
        """What holds a context most firmly, if anything does. Raises KeyError for a slot without a value."""
        sentence, _ = fill_subgoal(context.text, values)
        return max(self._for(sentence, denied=context.negated), key=lambda each: each.score, default=None)

    def _for(self, sentence: str, *, denied: bool) -> Iterator[Support]:
        if sentence not in self._answers:
            self._answers[sentence] = self._entails(self._sentences, sentence)
        for held, answer in zip(self._held, self._answers[sentence], strict=True):
            verdict = answer.verdict.negated() if denied else answer.verdict
            # What is no number holds nothing: no order of choices is sound with it.
            if verdict.answer == "yes" and 0.0 <= verdict.score <= 1.0:
                score = round(verdict.score * self._beliefs.firmness(held), 4)
                said = f"NOT {sentence}" if denied else sentence
                yield Support(said, held, answer.stage, score, verdict.reason)


def _without_articles(relevant: Relevant) -> Relevant:
    """The rule with bare values: its lines and contexts bring their own articles."""
    slots = {name: replace(slot, value=_ARTICLES.sub("", slot.value)) for name, slot in relevant.slots.items()}
    return replace(relevant, slots=slots)


def goal_of(line: BodyLine, values: Mapping[str, str]) -> Text:
    """Return a sub-goal with its slots filled. A value is one piece there and cannot become words of a task.

    Raises KeyError for a slot without a value.
    """
    said, atoms = fill_subgoal(line.text, values)
    return read_text(said, atoms=tuple(atoms))


@lru_cache(maxsize=4_096)
def goal_text(goal: str) -> Text:
    """Return a goal as it is matched."""
    return read_text(goal)
