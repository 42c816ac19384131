"""The versions of rules and tools that a plan was made from: written into its document, and compared before it runs.

`docs/decisions/0006` says which changes of a component stop an approved plan, and why others do not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agents.bdi.plans.document import Document
from agents.components import made_tools
from agents.record import prepared
from agents.toolkit.registry import UnknownTool, tools_in_use
from agents.toolkit.types import Step
from library.models import Component, ComponentVersion

RULE, TOOL = Component.Kind.RULE.value, Component.Kind.TOOL.value
IN_FORCE, WITHDRAWN, UNKNOWN = "in force", "withdrawn", "not in the library"
_DIGEST_HEX = 16


def recorded(evidence: Mapping[str, Any], steps: Iterable[Step]) -> tuple[Mapping[str, str], ...]:
    """What a document says of the rules that planned its steps and of the commands that these are, each once."""
    rules = [(str(rule["name"]), str(rule["version"])) for rule in _rules_in(evidence)]
    return (*_rules(list(dict.fromkeys(rules))), *_tools(steps))


def changed_since(document: Document) -> list[str]:
    """What is no longer as the document says, as sentences; empty when all of it is."""
    made_tools.refresh_for(document)
    named = [(one["name"], one["version"]) for one in document.components if one["kind"] == RULE]
    rules = {(one["name"], one["version"]): one for one in _rules(named)}
    said = []
    for then in document.components:
        if then["kind"] == RULE:
            said += _rule_changed(then, rules[then["name"], then["version"]])
        elif then["version"] != (now := _version_now(then["name"])):
            other = "takes other values or has another effect than when the plan was made"
            said.append(f"the command {then['name']} {other if now else 'is no longer installed'}")
    return said


def rules_of(document: Document) -> list[str]:
    """The names of the rules that the document stands on."""
    return sorted({one["name"] for one in document.components if one["kind"] == RULE})


def _rule_changed(then: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    named = f"rule “{then['name']}” {then['version']}"
    # A document from before these were recorded was made from a rule in use, of whatever text.
    if now.get("digest", "") != then.get("digest", now.get("digest", "")):
        return [f"{named} has another text than when the plan was made"]
    if then.get("standing", IN_FORCE) == IN_FORCE and now["standing"] != IN_FORCE:
        return [f"{named} was withdrawn after the plan was made"]
    return []


def _rules_in(evidence: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The rules of a plan's evidence: the goal's own, and those of its sub-goals."""
    nodes = [evidence, *(evidence.get("subgoals") or ())]
    return [node["rule"] for node in nodes if isinstance(node, Mapping) and isinstance(node.get("rule"), Mapping)]


def _rules(named: Sequence[tuple[str, str]]) -> list[Mapping[str, str]]:
    """Each version as it is now. Retired in favour of another one is in force: that changes no document."""
    if not named:
        return []
    rows = prepared.rows(_VERSIONS, {"kind": RULE, "names": sorted({name for name, _ in named})})
    found = {(name, version): (status, body) for name, version, status, body in rows}
    used = {name for (name, _), (status, _) in found.items() if status == ComponentVersion.Status.ACTIVE}
    return [_rule(name, version, found.get((name, version)), replaced=name in used) for name, version in named]


# Asked twice for each plan that a rule makes.
_VERSIONS = f"""
    SELECT component.name, version.version, version.status, version.body
    FROM {Component._meta.db_table} AS component
    JOIN {ComponentVersion._meta.db_table} AS version ON version.component_id = component.id
    WHERE component.kind = %(kind)s AND component.name = ANY(%(names)s)
"""  # noqa: S608  # names of our own tables


def _rule(name: str, version: str, found: tuple[str, str] | None, *, replaced: bool) -> Mapping[str, str]:
    said = {"kind": RULE, "name": name, "version": version}
    if found is None:
        return {**said, "standing": UNKNOWN}
    status, body = found
    withdrawn = status == ComponentVersion.Status.RETIRED and not replaced
    digest = hashlib.sha256(body.encode()).hexdigest()[:_DIGEST_HEX]
    return {**said, "digest": digest, "standing": WITHDRAWN if withdrawn else IN_FORCE}


def _tools(steps: Iterable[Step]) -> list[Mapping[str, str]]:
    names = dict.fromkeys(f"{step.tool}.{step.command}" for step in steps)
    return [{"kind": TOOL, "name": name, "version": _version_now(name)} for name in names]


def _version_now(name: str) -> str:
    tool, _, command = name.partition(".")
    try:
        return tools_in_use().command(tool, command).version
    except UnknownTool:
        return ""
