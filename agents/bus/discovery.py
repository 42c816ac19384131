"""Who can do it? By the name of a capability, or by a task in words: members and components of the library in one list.

Each is compared with the task twice: what it is for (`task`) and what it is (`content`), as the library compares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Q, QuerySet

from agents.bus import breakers, entries, in_step, members
from agents.models import Agent, BusBreaker, BusCapability, BusMember
from agents.record import prepared
from library.components import search as library
from library.language import spaces
from library.models import Component, ComponentVersion
from library.search import literal, settings_of, words
from people.models import User

NEAREST = 50
# Among 10,000 members 0.99 of the best ten are found so; with 120 it is 0.995, and takes a third longer.
_LOOKED_AT = 80
TEXT_MAX = 4_000
# A member that has not one word and no meaning in common with the task is no answer.
_LEAST_LIKE = 0.1
_TABLE = BusMember._meta.db_table
# One row: what is asked for with other statements in one exchange gives no more.
_SCORED = f"""
SELECT coalesce(array_agg(id), '{{}}'), coalesce(array_agg(purpose), '{{}}'), coalesce(array_agg(offer), '{{}}') FROM (
    SELECT id, 1 - (description_embedding <=> %(asked)s::vector) AS purpose,
        1 - (offer_embedding <=> %(asked)s::vector) AS offer
    FROM {_TABLE} WHERE id IN (
        (SELECT id FROM {_TABLE} WHERE status = 'active' AND embedded_by = %(model)s
         AND description_embedding IS NOT NULL ORDER BY description_embedding <=> %(asked)s::vector LIMIT {NEAREST})
        UNION
        (SELECT id FROM {_TABLE} WHERE status = 'active' AND embedded_by = %(model)s
         AND offer_embedding IS NOT NULL ORDER BY offer_embedding <=> %(asked)s::vector LIMIT {NEAREST})
    )
) AS near
"""  # noqa: S608  # our own names
# Without the vectors, which would be most of what is read.
_MEMBER = prepared.Columns(BusMember, "member", without=("description_embedding", "offer_embedding"))
_AGENT, _BREAKER = prepared.Columns(Agent, "agent"), prepared.Columns(BusBreaker, "breaker")
# A name is looked up as its index has it: in small letters.
_SHOWN = f"""
SELECT {_MEMBER.select}, {_AGENT.select}, {_BREAKER.select} FROM {_TABLE} AS member
LEFT JOIN {Agent._meta.db_table} AS agent ON agent.id = member.agent_id
LEFT JOIN {BusBreaker._meta.db_table} AS breaker ON breaker.member_id = member.id
WHERE member.id = ANY(%(first)s::bigint[])
    OR lower(member.name) = ANY(SELECT lower(unnest(%(names)s::text[]))) AND member.name = ANY(%(names)s::text[])
"""  # noqa: S608  # our own names


@dataclass(frozen=True)
class Likeness:
    """How like a member is to a task: what it is for, and what it offers (-1 to 1; None: not compared)."""

    task: float | None
    content: float | None

    @property
    def total(self) -> float:
        """Both together, weighed as the library does."""
        return library.WEIGHT * (self.task or 0.0) + (1 - library.WEIGHT) * (self.content or 0.0)


@dataclass(frozen=True)
class Found:
    """A member, a component of the library, or one that is both. `why_not` says why it cannot be asked now."""

    name: str
    kind: str
    summary: str
    task: float | None
    content: float | None
    total: float
    member: BusMember | None = None
    version: ComponentVersion | None = None
    why_not: str = ""

    @property
    def is_usable(self) -> bool:
        """Whether a request could go to it now."""
        return not self.why_not

    @property
    def percents(self) -> list[tuple[str, int]]:
        """Both likenesses in percent, by name; none where only words were compared."""
        scores = (("task", self.task), ("content", self.content))
        return [(name, round(100 * max(0.0, score))) for name, score in scores if score is not None]


@dataclass(frozen=True)
class Results:
    """Best first. `by_words` says why meaning could not be compared; empty when all is well."""

    items: tuple[Found, ...]
    by_words: str = ""


def by_capability(name: str) -> QuerySet[BusCapability]:
    """The capabilities of this name that registered, usable and healthy members offer, the surest first."""
    those = BusCapability.objects.filter(name=name, is_gone=False, member__in=healthy())
    return those.select_related("member__agent").order_by("-earned", "pk")


def healthy() -> QuerySet[BusMember]:
    """The members that can be asked at this moment."""
    return members.usable().filter(breakers.HEALTHY)


def search(task: str, *, by: User | None = None, limit: int = 20) -> Results:
    """Members and components that suit the task; members that cannot be asked stand there with the reason.

    Never call this inside a transaction. A search for somebody is logged.
    """
    in_step.refresh()
    task = task.replace("\0", "")[:TEXT_MAX].strip()
    nearest, why = likeness(task)
    known = library.search(task, task, limit=limit)
    # A component that is on the bus is asked there, also where its member is not among the nearest.
    both = [one.version.component.name for one in known.items if one.version.component.kind in _ON_BUS]
    first = sorted(nearest, key=lambda pk: -nearest[pk].total)[:limit]
    rows = [_shown(values) for values in prepared.rows(_SHOWN, {"first": first, "names": both})]
    unlike = Likeness(None, None)
    found = {f"{row.kind} {row.name}": _of_member(row, nearest.get(row.pk, unlike)) for row in rows}
    for one in known.items:
        key = f"{one.version.component.kind} {one.version.component.name}"
        found[key] = _of_component(one, found.get(key))
    found = {key: one for key, one in found.items() if one.version or (one.member and one.member.pk in nearest)}
    best = sorted(found.values(), key=lambda one: (-one.total, one.name))[:limit]
    if by is not None:
        entries.system("searched", by=by, why=task, outcome=", ".join(one.name for one in best[:5]))
    return Results(tuple(best), why or known.by_words)


def likeness(task: str) -> tuple[dict[int, Likeness], str]:
    """How like active members are to a task, by their ids; and why it was told by words only, if so."""
    if not task:
        return {}, ""
    model = spaces.current()
    asked = spaces.to_ask([task], [model])
    if model not in asked.vectors:
        return dict.fromkeys(_by_words(task), Likeness(None, None)), asked.reasons.get(model, "")
    values = {"asked": literal(asked.vectors[model][0]), "model": model}
    _, row = prepared.together([(settings_of(strictly=False, ef_search=_LOOKED_AT), {}), (_SCORED, values)])
    found = {pk: Likeness(purpose, offer) for pk, purpose, offer in zip(*(row or ([], [], [])), strict=True)}
    return {pk: one for pk, one in found.items() if one.total >= _LEAST_LIKE}, ""


def _shown(values: Sequence[Any]) -> BusMember:
    """A member with its agent and its breaker, where it has them."""
    member = _MEMBER.made(values[: len(_MEMBER)])
    agent, breaker = values[len(_MEMBER) :][: len(_AGENT)], values[len(_MEMBER) + len(_AGENT) :]
    member.agent = _AGENT.made(agent) if agent[0] is not None else None
    of_it = BusBreaker._meta.get_field("member").remote_field
    of_it.set_cached_value(member, _BREAKER.made(breaker) if breaker[0] is not None else None)
    return member


def _by_words(task: str) -> list[int]:
    """All words stand in what the member says of itself."""
    said = Q(status=members.ACTIVE)
    for forms in words(task):
        one = Q()
        for form in forms:
            plain = form.strip("%")
            one |= Q(name__icontains=plain) | Q(description__icontains=plain) | Q(offer__icontains=plain)
        said &= one
    return list(BusMember.objects.filter(said).order_by("name").values_list("pk", flat=True)[:NEAREST])


def _of_member(row: BusMember, like: Likeness) -> Found:
    why = why_not(row)
    return Found(row.name, row.kind, row.description, like.task, like.content, like.total, row, why_not=why)


def _of_component(one: library.Found, member: Found | None) -> Found:
    version = one.version
    if member is not None:
        # Both: the member is asked, and the better of two comparisons of the same thing ranks.
        better = one.scores if one.scores.total > member.total else member
        return replace(member, version=version, task=better.task, content=better.content, total=better.total)
    component = version.component
    why = _NOT_ASKED.get(component.kind, f"it is a {component.get_kind_display().lower()} and not on the bus")
    summary = component.description or version.applicability_text
    return Found(
        component.name,
        component.kind,
        summary,
        one.scores.task,
        one.scores.content,
        one.scores.total,
        version=version,
        why_not=why,
    )


_ON_BUS = (Component.Kind.TOOL.value, Component.Kind.AGENT.value)
_NOT_ASKED = {
    Component.Kind.RULE.value: "a rule is used when a goal is planned",
    Component.Kind.WORKFLOW.value: "a workflow is processed on its page",
    Component.Kind.TOOL.value: "this tool is not in use",
}


def breaker_of(row: BusMember) -> str:
    """The state of a member's breaker."""
    return breakers.circuit_of(getattr(row, "breaker", None)).state.value


def why_not(row: BusMember) -> str:
    """Why a member cannot be asked at the moment, in words; empty when it can."""
    if row.status == members.RETIRED:
        return "it is retired"
    if row.agent is not None and row.agent.retired_at is not None:
        return "its agent is retired"
    if row.agent is not None and row.agent.paused:
        return "its agent is paused"
    circuit = breakers.circuit_of(getattr(row, "breaker", None))
    return {"open": "its breaker is open", "half_open": "its breaker is half open: one request tries it"}.get(
        circuit.state, ""
    )
