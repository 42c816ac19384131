"""“mindX cannot do this” as an answer: what comes near, in words, and what would help; and the limit that a rule met.

The sentence is made once, when planning ends with a person, and stands in the goal's reason, from where the page, the
log and the API have it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.bdi.planning.means_ends import NO_SUCH_FILES, OVER_LIMIT
from agents.toolkit.types import NoPlan

# The reasons of planning to which it is said; the other ones say themselves what is missing.
_OF = frozenset({"no_relevant_rule", "no_rule_compiled", "unusable_value"})
CODES = _OF | {OVER_LIMIT, NO_SUCH_FILES}
# Why a rule whose task matches was not used, where that says something about the goal.
_TELLING = frozenset({"misnamed_value", "no_files", "unusable_value", "unknown_files"})
_MOST = 3
_NOTHING_NEAR = "no rule and no command comes near it."
_HELPS = "A language model (none is set up) or a rule for it would help; or say it in other words, or plan it by hand."
_OTHERS = "Name other files, or plan it by hand."
_IN_PARTS = "Split the goal into smaller ones, or plan it by hand."


def answered(found: NoPlan) -> NoPlan:
    """The same with the answer in its evidence; what is asked, and other reasons, stay as they are."""
    if found.reason == OVER_LIMIT:
        return _with(found, f"{_of_a_limit(found.evidence)} {_IN_PARTS}")
    if found.reason == NO_SUCH_FILES:
        none = str(next(_rejected(found.evidence, {NO_SUCH_FILES}))["why"])
        return _with(found, f"{none[:1].upper()}{none[1:]}. {_OTHERS}")
    if found.reason not in _OF:
        return found
    near = list(dict.fromkeys([*_nearest(found.evidence), *_rules(found.evidence)]))[:_MOST]
    told = f"no rule and no command does all of it. What comes nearest: {'; '.join(near)}." if near else _NOTHING_NEAR
    return _with(found, f"mindX cannot do this: {told} {_HELPS}", near)


def told(evidence: Mapping[str, Any]) -> str:
    """What is said to a goal for which there is no plan; "" where its reason says it all."""
    return str((evidence.get("refusal") or {}).get("text", ""))


def _with(found: NoPlan, text: str, near: Sequence[str] = ()) -> NoPlan:
    return replace(found, evidence={**found.evidence, "refusal": {"text": text, "nearest": list(near)}})


def _of_a_limit(evidence: Mapping[str, Any]) -> str:
    rejected = next(_rejected(evidence, {OVER_LIMIT, "too_many_files", "too_many_steps"}))
    return f"The rule “{rejected['rule']['name']}” matches this goal, but {rejected['why']}."


def _nearest(evidence: Mapping[str, Any]) -> Iterator[str]:
    yield from evidence.get("nearest") or ()


def _rules(evidence: Mapping[str, Any]) -> Iterator[str]:
    for one in _rejected(evidence, _TELLING):
        yield f"the rule “{one['rule']['name']}”, but {str(one['why']).rstrip('.')}"


def _rejected(evidence: Mapping[str, Any], codes: frozenset[str] | set[str]) -> Iterator[Mapping[str, Any]]:
    return (one for one in evidence.get("rejected") or () if one.get("code") in codes)
