"""Which wording of a rule says what a text says."""

from __future__ import annotations

from collections.abc import Mapping

from agents.rules.grammar import Rule, Trigger
from agents.toolkit.wording.slots import Match
from agents.toolkit.wording.words import Text


def may_say(rule: Rule, text: Text) -> bool:
    """Whether the text has all the words that some wording cannot do without; False: none matches it."""
    return any(trigger.template.needed <= text.vocabulary for trigger in rule.triggers)


def best_wording(rule: Rule, text: Text, kinds: Mapping[str, str]) -> tuple[Trigger, Match] | None:
    """Return the wording that finds most of its own words in the text, the first of several; None when none matches."""
    best: tuple[Trigger, Match] | None = None
    for trigger in rule.triggers:
        match = trigger.template.match(text, kinds)
        if match is not None and (best is None or match.literal_words > best[1].literal_words):
            best = (trigger, match)
    return best
