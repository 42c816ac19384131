"""What an edit means for the rule behind the step: a prepared change of the rule's text, which people review.

A rule applies to everybody, so nothing is changed here: the text opens in the rule's editor, and saving it there makes
a normal version of the rule.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agents.bdi.plans import parameters
from agents.bdi.plans.document import Document, IntentSpec, Parameter
from agents.components.rules import KIND
from agents.rules import amending
from agents.toolkit.registry import UnknownTool, tools_in_use
from agents.workspaces import base_files
from agents.workspaces.base_files import BaseUnreadable
from library.models import Component, ComponentVersion
from review.deciding.history import readable
from review.teaching.lessons import Edit

_SLOT = re.compile(r"\Afilled from \{(\w+)\}\Z")


@dataclass(frozen=True)
class RuleChange:
    """The rule that made a step, and what could be changed in it. If `body` is empty, no change can be prepared and
    `why` gives the reason; else `why` is what the prepared text changes.
    """

    component: Component
    body: str
    why: str


def of_edit(edit: Edit) -> RuleChange | None:
    """What could be changed in the rule; None if the step comes from no rule in use."""
    name = edit.teachable.rule.rpartition(" ")[0]
    active = ComponentVersion.objects.filter(
        component__kind=KIND, component__name=name, status=ComponentVersion.Status.ACTIVE
    )
    version = active.select_related("component").first() if name else None
    document = readable(bytes(edit.decision.intent_plan.document))
    if version is None or document is None:
        return None
    spec = document.at(edit.position)
    record = next((one for one in spec.parameters if one.name == edit.teachable.parameter), None)
    evidence = edit.decision.intent_plan.plan.evidence
    body, why = _prepared(version.body, document, spec, record, edit.teachable.after, evidence)
    return RuleChange(version.component, body or "", why)


def _prepared(
    text: str, document: Document, spec: IntentSpec, record: Parameter | None, after: Any, evidence: Mapping[str, Any]
) -> tuple[str | None, str]:
    if record is None or not isinstance(record.value, str) or not isinstance(after, str):
        return None, "The edited value is not a text in the rule."
    if parameters.is_written_in_rule(record.origin, record.note):
        body = amending.with_value(text, record.value, after)
        return body, (
            f"The rule itself says “{record.value}”; the prepared text says “{after}” there."
            if body else f"The rule itself says “{record.value}”, and not in one place only: change it by hand."
        )  # fmt: skip
    slot = _SLOT.match(record.note) if record.origin == "rule_slot" else None
    if slot is None:
        return None, "The value did not come from the rule's words, so a condition would not have helped."
    return _with_condition(text, document, spec, record, slot[1], evidence)


def _with_condition(
    text: str, document: Document, spec: IntentSpec, record: Parameter, slot: str, evidence: Mapping[str, Any]
) -> tuple[str | None, str]:
    """A condition on the slot: that what it names exists, if it did not."""
    wanted = _wanted(spec, record.name)
    if wanted not in ("file", "folder"):
        return None, "The named file or folder does not have to exist, so no condition can require it."
    if _slot_value(evidence, slot) != record.value:
        return None, f"The value is more than what the goal said for {{{slot}}}."
    if _is_there(document.base, record.value) is not False:
        return None, "The planned file or folder existed, so a condition that requires it would have changed nothing."
    context = f"there is a {wanted} named {{{slot}}}"
    body = amending.with_context(text, context)
    if body is None:
        return None, "The rule has no room for another condition: change it by hand."
    return body, f"“{record.value}” was not there. With the condition “{context}” the rule would not have applied."


def _wanted(spec: IntentSpec, name: str) -> str:
    try:
        place = tools_in_use().said(tools_in_use().command(spec.tool, spec.command)).places.get(name)
    except UnknownTool:
        return ""
    return place.wanted if place is not None else ""


def _slot_value(evidence: Mapping[str, Any], slot: str) -> Any:
    """The goal's word for it; a sub-goal's slots belong to another text."""
    found = evidence.get("slots", {}).get(slot)
    return found.get("value") if isinstance(found, Mapping) else found


def _is_there(base: str, path: str) -> bool | None:
    """Whether the plan's files had it; None if these can no longer be read."""
    try:
        entries = base_files.entries_of(base)
    except BaseUnreadable:
        return None
    wanted = path.strip("/")
    return any(one.path == wanted or one.path.startswith(f"{wanted}/") for one in entries)
