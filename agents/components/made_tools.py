"""The tools that people made while mindX runs: the active ones put to use in this process, and any of them read.

Postgres says which are active. A process looks before it plans, before it runs a plan that names one, and before a page
shows tools: what was activated elsewhere is there without a restart.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from agents.bdi.plans.document import Document, IntentSpec
from agents.record import prepared
from agents.toolkit import made, registry
from agents.toolkit.command import Tool
from agents.toolkit.made import MadeToolFault
from agents.toolkit.registry import REGISTRY
from agents.toolkit.schemas import SchemaFault
from library.components import selectors
from library.models import Component, ComponentVersion
from people import sealing

logger = logging.getLogger(__name__)

KIND = Component.Kind.TOOL.value
ACTIVE = ComponentVersion.Status.ACTIVE.value
# Another word as soon as another version of a tool is active, or the same one by another seal: one that was retired and
# looks active again is read anew. A version's body never changes.
STAMP = f"""
    SELECT coalesce(
        string_agg(version.id || ' ' || {sealing.newest_sql(ComponentVersion, "version.id")}, ' ' ORDER BY version.id),
        ''
    )
    FROM {Component._meta.db_table} AS component
    JOIN {ComponentVersion._meta.db_table} AS version ON version.component_id = component.id
    WHERE component.kind = '{KIND}' AND version.status = '{ACTIVE}'
"""  # noqa: S608  # names of our own tables
_lock = threading.Lock()
_stamp = ""


def refresh() -> None:
    """Have exactly the active tools in use; one statement where nothing has changed."""
    (stamp,) = prepared.row(STAMP, {}) or ("",)
    follow(str(stamp))


def follow(stamp: str) -> None:
    """The same for whoever has asked for the stamp already."""
    global _stamp
    if stamp == _stamp:
        return
    with _lock:
        registry.put_to_use(_fitting(sealing.genuine(selectors.active_versions(KIND))))
        _stamp = stamp


def refresh_for(document: Document) -> None:
    """Look again if the document names a tool that did not ship; others cannot have changed."""
    if any(spec.tool not in _SHIPPED for spec in _steps(document)):
        refresh()


def is_shipped(name: str) -> bool:
    """Whether the name is that of a tool of mindX itself, which no other may have."""
    return name in _SHIPPED


def is_made(version: ComponentVersion) -> bool:
    """Whether it is a version of a tool that people made, not a difference to the code of one that ships."""
    component = version.component
    return component.kind == KIND and not is_shipped(component.name) and made.is_made(version.body)


def read(version: ComponentVersion) -> Tool:
    """The tool of a version, in use or not. Raises MadeToolFault."""
    return _read(version.pk, version.body, version.version)


@dataclass(frozen=True)
class Behind:
    """A tool that people made and steps of a plan name: all of its text, as it was when the plan was made.

    `version` is null where no version does what the plan says; the plan is refused then.
    """

    name: str
    version: ComponentVersion | None

    @property
    def lines(self) -> list[str]:
        """The text, line by line."""
        return self.version.body.splitlines() if self.version is not None else []


def behind(document: Document) -> list[Behind]:
    """The made tools of a document, each in the version that it was made with, in the order of its steps."""
    steps: dict[str, IntentSpec] = {}
    for spec in _steps(document):
        if spec.tool not in _SHIPPED:
            steps.setdefault(spec.tool, spec)
    return [Behind(name, _made_with(document.version_of(spec), spec)) for name, spec in steps.items()]


def _steps(document: Document) -> Iterator[IntentSpec]:
    """Every step, and what is declared to be done in its place: that is approved, and may run, too."""
    return (one for spec in document.all_intents for one in (spec, *spec.alternatives))


def _made_with(wanted: str, spec: IntentSpec) -> ComponentVersion | None:
    """The newest version of the tool whose command does what the document names."""
    versions = ComponentVersion.objects.filter(component__kind=KIND, component__name=spec.tool)
    rows = versions.select_related("component", "created_by").order_by("-pk")
    return next((one for one in rows if _does(one, spec.command) == wanted), None)


@dataclass(frozen=True)
class InUse:
    """A tool that people made, or that others serve, in the version that is in use."""

    version: ComponentVersion
    tool: Tool


def in_use(names: Collection[str] | None = None) -> list[InUse]:
    """All of them, or those of these names; what mindX did not seal and what cannot be read is left out."""
    rows = selectors.active_versions(KIND)
    rows = rows if names is None else rows.filter(component__name__in=names)
    found = []
    for version in sealing.genuine(rows):
        try:
            if is_made(version):
                found.append(InUse(version, read(version)))
        except MadeToolFault as fault:
            logger.warning("The active tool %s cannot be read: %s", version, fault)
    return found


def would_run(document: Document) -> list[Behind]:
    """The made tools of a document, each in the version in use; null where that does not do what the plan says."""
    steps: dict[str, list[IntentSpec]] = {}
    for spec in _steps(document):
        if spec.tool not in _SHIPPED:
            steps.setdefault(spec.tool, []).append(spec)
    used = {one.version.component.name: one.version for one in in_use(steps)} if steps else {}
    return [Behind(name, _if_same(used.get(name), specs, document)) for name, specs in steps.items()]


def _if_same(
    version: ComponentVersion | None, specs: Sequence[IntentSpec], document: Document
) -> ComponentVersion | None:
    if version is None:
        return None
    is_same = all((does := _does(version, spec.command)) and does == document.version_of(spec) for spec in specs)
    return version if is_same else None


def version_in_use(name: str) -> int | None:
    """The active version of a tool that people made, by its name."""
    active = ComponentVersion.objects.filter(component__kind=KIND, component__name=name, status=ACTIVE)
    return active.values_list("pk", flat=True).first() if name not in _SHIPPED else None


def _does(version: ComponentVersion, command: str) -> str:
    """What the command of a version does, in the word that documents keep; empty where it has no such command."""
    try:
        tool = read(version)
    except MadeToolFault:
        return ""
    return next((one.version for one in tool.commands if one.name == command), "")


def _fitting(versions: Iterable[ComponentVersion]) -> list[Tool]:
    """The tools of these versions that can be used beside what ships; the others are left out, and logged."""
    tools: list[Tool] = []
    for version in versions:
        if not is_made(version):
            continue  # of a tool that ships the library keeps differences, which a developer applies
        try:
            tool = read(version)
            registry.Registry((*REGISTRY.tools, *tools, tool))
        except (MadeToolFault, SchemaFault) as fault:
            logger.warning("The active tool %s cannot be used and is left out: %s", version, fault)
        else:
            tools.append(tool)
    return tools


@lru_cache(maxsize=512)
def _read(version_id: int, body: str, release: str) -> Tool:
    """A version's body never changes, so its tool is read once in the life of a process."""
    return made.read(body, release).tool


_SHIPPED = frozenset(tool.name for tool in REGISTRY.tools)
