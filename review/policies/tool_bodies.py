"""The tools that do not ship with mindX and that a policy is about: which bodies its owner looked at, and what is new.

A policy that approves approves these tools in the bodies that were in use when its owner enabled it, and those that
they confirmed later. Of another one a person decides (`review.policy.bodies`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import F
from django.urls import reverse
from django.utils import timezone

from agents.bdi.plans.document import Document
from agents.components import made_tools
from agents.components.made_tools import InUse
from agents.evolution.activation import asked_again
from agents.toolkit.command import Tool
from agents.toolkit.made import MadeToolFault
from library.models import ComponentVersion
from people import sealing
from review.models import PolicyVersion, ReviewPolicy
from review.policy.bodies import Body, LookedAt, is_known
from review.policy.conditions import Conditions, ConditionsRefused
from review.policy.states import PolicyState
from review.policy.verdict import Action, concerns, is_approvable


@dataclass(frozen=True)
class Row:
    """A tool that a policy is about. `body`: the one in use, null where none is.

    `looked_at`: the versions that its owner looked at; `against`: the key of the newest of them, to compare with.
    """

    tool: str
    body: Body | None
    is_known: bool
    # Its steps do what no policy approves, so a person decides each plan anyway.
    waits_always: bool
    looked_at: tuple[str, ...]
    version_id: int | None
    against: int | None

    @property
    def is_new(self) -> bool:
        """Whether nobody has looked at the body in use, so that the policy does not approve it."""
        return self.body is not None and not self.is_known


def digest_of(text: str) -> str:
    """The digest by which a body is remembered."""
    return hashlib.sha256(text.encode()).hexdigest()


def of_plan(document: Document) -> tuple[Body, ...]:
    """The made and foreign tools that a plan would run."""
    found = made_tools.would_run(document)
    return tuple(_body(one.version) if one.version is not None else Body(one.name, "", "") for one in found)


def in_use(version: PolicyVersion, used: Iterable[InUse] | None = None) -> list[InUse]:
    """The tools in use that a version of a policy is about; none if it does not approve.

    `used`: all that are in use, if they were read already.
    """
    conditions = _conditions(version)
    if conditions is None:
        return []
    used = made_tools.in_use() if used is None else used
    return [one for one in used if concerns(conditions, one.tool.name, _effects(one.tool))]


def pairs_of(posted: Iterable[str]) -> dict[str, str]:
    """The digest of each tool that a person saw, from the fields of a form."""
    split = (one.partition(" ") for one in posted)
    return {tool: digest for tool, _, digest in split}


def now(version: PolicyVersion) -> dict[str, dict[str, str]]:
    """What a policy remembers if its owner enables this version now."""
    bodies = (_body(one.version) for one in in_use(version))
    return {body.tool: {body.digest: body.version} for body in bodies}


def rows(policy: ReviewPolicy, version: PolicyVersion, used: Iterable[InUse] | None = None) -> list[Row]:
    """The tools that a policy is about, by name, with those that it remembers and nobody uses any more."""
    found = {one.tool.name: one for one in in_use(version, used)}
    looked_at = _looked_at(policy)
    keys = _keys(looked_at)
    return [
        _row(name, found.get(name), looked_at, [key for tool, _, key in keys if tool == name])
        for name in sorted({*found, *looked_at})
    ]


def asking_again(versions: Sequence[ComponentVersion]) -> Mapping[int, list[asked_again.Policy]]:
    """The enabled policies that would not approve plans with each of these versions of tools, by its key."""
    tools = {version.pk: tool for version in versions if (tool := _read(version)) is not None}
    approving = _approving() if tools else []
    return {
        version.pk: [
            asked_again.Policy(policy.pk, policy.name, reverse("policy", args=[policy.pk]))
            for policy, conditions in approving
            if concerns(conditions, version.component.name, _effects(tools[version.pk]))
            and not is_known(_body(version), _looked_at(policy))
        ]
        for version in versions
        if version.pk in tools
    }


def _approving() -> list[tuple[ReviewPolicy, Conditions]]:
    """The enabled policies that approve, until they expire, with their conditions."""
    newest = PolicyVersion.objects.filter(policy__state=PolicyState.ENABLED.value, number=F("policy__number"))
    lasting = newest.filter(expires_at__gt=timezone.now()).select_related("policy").order_by("policy__name")
    read = ((version.policy, _conditions(version)) for version in lasting)
    return [(policy, conditions) for policy, conditions in read if conditions is not None]


def _conditions(version: PolicyVersion) -> Conditions | None:
    """Those of a version that approves; null where it does not, or where they cannot be read."""
    if version.action != Action.AUTO_APPROVE:
        return None
    try:
        return Conditions.read(version.conditions)
    except ConditionsRefused:
        return None


def _looked_at(policy: ReviewPolicy) -> LookedAt:
    """What a policy remembers; nothing if mindX did not seal it, because then it approves nothing."""
    found: LookedAt = policy.looked_at if policy.looked_at and sealing.is_genuine(policy) else {}
    return found


def _keys(looked_at: LookedAt) -> list[tuple[str, str, int]]:
    """The remembered versions that are in the library, oldest first: tool, version and key of each."""
    wanted = {(tool, version) for tool, found in looked_at.items() for version in found.values()}
    if not wanted:
        return []
    named = ComponentVersion.objects.filter(component__kind=made_tools.KIND, component__name__in=looked_at)
    rows = named.order_by("pk").values_list("component__name", "version", "pk")
    return [(tool, version, key) for tool, version, key in rows if (tool, version) in wanted]


def _row(name: str, used: InUse | None, looked_at: LookedAt, keys: Sequence[int]) -> Row:
    body = _body(used.version) if used is not None else None
    return Row(
        name,
        body,
        body is not None and is_known(body, looked_at),
        used is not None and not is_approvable(_effects(used.tool).values()),
        tuple(sorted(looked_at.get(name, {}).values())),
        used.version.pk if used is not None else None,
        keys[-1] if keys else None,
    )


def _read(version: ComponentVersion) -> Tool | None:
    if not made_tools.is_made(version):
        return None
    try:
        return made_tools.read(version)
    except MadeToolFault:
        return None


def _effects(tool: Tool) -> dict[str, str]:
    return {command.name: command.effect for command in tool.commands}


def _body(version: ComponentVersion) -> Body:
    return Body(version.component.name, version.version, digest_of(version.body))
