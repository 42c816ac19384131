"""What a model is asked for a better version of a rule, how far each strategy may go, and what is wrong with an answer.

Pure. The instructions come in as a text; the rule and the cases go along as material. A strategy is more than a word in
the instructions: the answer is compared with the parent, and one that goes too far is sent back.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from agents.rules.grammar import Rule

# Conservative: so many wordings more, so many conditions fewer. Standard: so many steps more.
MOST_WIDER, MOST_STEPS_MORE = 2, 3
_CASE_CHARS = 400

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"rule": {"type": "string"}, "cannot": {"type": "string"}},
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Case:
    """A goal that the rule planned; `error` is empty where it worked."""

    goal: str
    error: str = ""

    @property
    def shortened(self) -> Case:
        """As much of it as goes into a request."""
        return Case(self.goal[:_CASE_CHARS], self.error[:_CASE_CHARS])


@dataclass(frozen=True)
class Strategy:
    """How far a candidate may go from its parent: what the model is told, and what is checked."""

    told: str
    problems: Callable[[Rule, Rule], Iterator[str]]


def messages(
    instructions: str, rule: str, why: str, cases: Sequence[Case], phrases: Sequence[str], most_chars: int
) -> tuple[tuple[str, str], ...]:
    """Role and text of what is asked, of at most about `most_chars` characters: cases are left out from the end."""
    system = f"{instructions}\n"
    kept = list(cases)
    while True:
        errors = Counter(case.error for case in kept if case.error)
        material = {
            "rule": rule,
            "why": why,
            "failed": [asdict(case.shortened) for case in kept if case.error],
            "errors": [{"times": times, "error": error[:_CASE_CHARS]} for error, times in errors.most_common()],
            "worked": [case.shortened.goal for case in kept if not case.error],
            "phrases": list(phrases),
        }
        text = json.dumps(material, ensure_ascii=False)
        if len(system) + len(text) <= most_chars or not kept:
            return ("system", system), ("user", text)
        kept.pop()


def read(answer: str) -> tuple[str, str]:
    """The text of the rule, or why there is none; ValueError with what is wrong with the answer."""
    return text_or_reason(answer, "rule")


def text_or_reason(answer: str, key: str) -> tuple[str, str]:
    """The text that an answer gives under this key, or why it gives none; ValueError with what is wrong with it."""
    try:
        said = dict(json.loads(answer))
    except (TypeError, ValueError) as error:
        raise ValueError("The answer is not one JSON object.") from error
    text, cannot = said.get(key), said.get("cannot")
    if isinstance(cannot, str) and cannot.strip() and not text:
        return "", cannot.strip()
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f'The answer has neither "{key}" nor "cannot".')
    return text, ""


def listed(problems: Sequence[str]) -> str:
    """The problems of an answer as a model reads them."""
    return json.dumps([one[:_CASE_CHARS] for one in problems[:20]], ensure_ascii=False)


def _commands(rule: Rule) -> list[str]:
    return [line.text for line in (*rule.body, *rule.on_failure)]


def _wordings(rule: Rule) -> set[str]:
    return {trigger.text for trigger in rule.triggers}


def _conditions(rule: Rule) -> set[tuple[str, bool]]:
    return {(context.text, context.negated) for context in rule.contexts}


def _keeps_wordings(parent: Rule, new: Rule) -> Iterator[str]:
    if lost := _wordings(parent) - _wordings(new):
        yield f"This strategy keeps every wording, and “{min(lost)}” is gone."


def _standard(parent: Rule, new: Rule) -> Iterator[str]:
    yield from _keeps_wordings(parent, new)
    more = len(_commands(new)) - len(_commands(parent))
    if more > MOST_STEPS_MORE:
        yield f"This strategy adds at most {MOST_STEPS_MORE} steps, and here are {more} more."


def _conservative(parent: Rule, new: Rule) -> Iterator[str]:
    yield from _keeps_wordings(parent, new)
    if _commands(parent) != _commands(new):
        yield "This strategy changes no step: the lines behind THEN stay as they are, in their order."
    if added := _conditions(new) - _conditions(parent):
        yield f"This strategy adds no condition, and “{min(added)[0]}” is new."
    wider = len(_wordings(new) - _wordings(parent)) + len(_conditions(parent) - _conditions(new))
    if wider > MOST_WIDER:
        yield f"This strategy widens a rule by at most {MOST_WIDER} wordings or conditions, and here are {wider}."


def _aggressive(parent: Rule, new: Rule) -> Iterator[str]:
    yield from ()


def _domain(parent: Rule, new: Rule) -> Iterator[str]:
    if lost := _conditions(parent) - _conditions(new):
        yield f"This strategy keeps every condition, and “{min(lost)[0]}” is gone."
    if not _conditions(new) - _conditions(parent):
        yield "This strategy adds at least one condition that says when the domain is meant."


STRATEGIES: Mapping[str, Strategy] = {
    "standard": Strategy(
        f"Keep every wording. Steps and conditions may change; add at most {MOST_STEPS_MORE} steps.", _standard
    ),
    "conservative": Strategy(
        f"Change no step. Only add wordings or take conditions away, together at most {MOST_WIDER}.", _conservative
    ),
    "aggressive": Strategy("Change whatever helps, the wordings, conditions and all steps included.", _aggressive),
    "domain_adaptation": Strategy(
        'Adapt it to the domain that "why" names: keep every condition and add at least one that says when the domain'
        " is meant; steps and wordings may change.",
        _domain,
    ),
}
