"""Registering members of the bus, changing what they say of themselves, and retiring them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from agents.bus import entries
from agents.models import Agent, BusCapability, BusMember
from agents.record.errors import GoalRefused
from agents.toolkit.effects import EFFECTS
from people.models import User

Kind = BusMember.Kind
ACTIVE, RETIRED = BusMember.Status.ACTIVE, BusMember.Status.RETIRED
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\- ]{0,119}")
_CAPABILITY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]{0,129}")
MOST_CAPABILITIES = 200
_TEXT_MAX, _SCHEMA_MAX = 4_000, 20_000
# What others wrote must not make us fetch an address or try a pattern that takes for ever.
_UNSAFE = frozenset({"$ref", "$dynamicRef", "pattern", "patternProperties"})
# Only these can be given work: an agent that is paused or retired keeps its place and gets none.
USABLE = Q(status=ACTIVE) & (Q(agent=None) | Q(agent__paused=False, agent__retired_at=None))


class NameTaken(GoalRefused):
    """Another member has this name already."""

    def __init__(self, name: str) -> None:
        super().__init__("name", f"There is a member named {name[:60]} already. Choose another name.")


@dataclass(frozen=True)
class Offer:
    """A capability: `takes` and `gives` are JSON schemas of what goes in and comes out; empty: any object.

    `confidence` (0 to 1) is how sure the member is of doing it; `effect` what a crash in the middle would mean.
    """

    name: str
    description: str = ""
    takes: Mapping[str, Any] = field(default_factory=dict)
    gives: Mapping[str, Any] = field(default_factory=dict)
    confidence: float = 0.8
    effect: str = "idempotent"


@dataclass(frozen=True)
class Registration:
    """What a member says of itself."""

    name: str
    kind: str
    description: str
    offers: Sequence[Offer]
    agent: Agent | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


def register(who: Registration, *, by: User | None = None) -> BusMember:
    """Register a member. Raises NameTaken, GoalRefused for what does not fit.

    The race it closes: one name registered twice at once. The constraint on the name lets one of them through.
    """
    check(who)
    try:
        with transaction.atomic():
            member = BusMember.objects.create(
                name=who.name,
                kind=who.kind,
                description=who.description,
                offer=_in_words(who.offers),
                agent=who.agent,
                metadata=dict(who.metadata),
                by=by,
            )
            _offer(member, who.offers)
            entries.system("registered", by=by, member=member, outcome=_counted(who.offers))
    except IntegrityError as error:
        raise NameTaken(who.name) from error
    return member


def change(member: BusMember, who: Registration, *, by: User | None = None) -> BusMember:
    """Have the member say this of itself from now on; one that was retired is back. Its record stays."""
    check(who)
    with transaction.atomic():
        member = BusMember.objects.select_for_update(no_key=True, of=("self",)).get(pk=member.pk)
        was_retired = member.status == RETIRED
        offer = _in_words(who.offers)
        new: dict[str, Any] = {"status": ACTIVE, "metadata": dict(who.metadata), "changed_at": timezone.now()}
        # A vector never stands beside a text that it was not made of.
        if member.description != who.description:
            new |= {"description": who.description, "description_embedding": None, "unread_by": ""}
        if member.offer != offer:
            new |= {"offer": offer, "offer_embedding": None, "unread_by": ""}
        BusMember.objects.filter(pk=member.pk).update(**new)
        _offer(member, who.offers)
        entries.system("returned" if was_retired else "changed", by=by, member=member, outcome=_counted(who.offers))
    member.refresh_from_db()
    return member


def retire(member: BusMember, *, by: User | None = None, why: str = "") -> None:
    """Let the member get no more requests; retiring twice changes nothing. What it has, it may still answer."""
    with transaction.atomic():
        if BusMember.objects.filter(pk=member.pk, status=ACTIVE).update(status=RETIRED, changed_at=timezone.now()):
            entries.system("retired", by=by, member=member, why=why)


def usable() -> QuerySet[BusMember]:
    """The members that may be given work, breakers aside."""
    return BusMember.objects.filter(USABLE)


def check(who: Registration) -> None:
    """Raise GoalRefused for a registration that does not fit."""
    if not _NAME.fullmatch(who.name) or who.name != who.name.strip():
        raise GoalRefused("name", "A name has letters, digits, spaces and _ . -, at most 120.")
    if who.kind not in Kind.values:
        raise GoalRefused("kind", f"Choose one of {', '.join(Kind.values)}.")
    if len(who.description) > _TEXT_MAX or "\0" in who.description:
        raise GoalRefused("description", f"A description has at most {_TEXT_MAX:,} characters.")
    if not 1 <= len(who.offers) <= MOST_CAPABILITIES:
        raise GoalRefused("capabilities", f"A member has 1 to {MOST_CAPABILITIES} capabilities.")
    names = [one.name for one in who.offers]
    if len(set(names)) < len(names):
        raise GoalRefused("capabilities", "Two capabilities have the same name.")
    for one in who.offers:
        _check_offer(one, is_ours=who.kind != Kind.FOREIGN)


def _check_offer(one: Offer, *, is_ours: bool) -> None:
    if not _CAPABILITY.fullmatch(one.name):
        raise GoalRefused("capabilities", "The name of a capability has letters, digits and _ . -, at most 130.")
    if len(one.description) > _TEXT_MAX or "\0" in one.description:
        raise GoalRefused("capabilities", f"{one.name}: a description has at most {_TEXT_MAX:,} characters.")
    if isinstance(one.confidence, bool) or not math.isfinite(one.confidence) or not 0 <= one.confidence <= 1:
        raise GoalRefused("capabilities", f"{one.name}: confidence is a number from 0 to 1.")
    if one.effect not in EFFECTS:
        raise GoalRefused("capabilities", f"{one.name}: effect is one of {', '.join(EFFECTS)}.")
    for schema in (one.takes, one.gives):
        if why := schema_fault(schema, is_ours=is_ours):
            raise GoalRefused("capabilities", f"{one.name}: {why}")


def schema_fault(schema: Mapping[str, Any], *, is_ours: bool = False) -> str:
    """What keeps a JSON Schema from being used, as a sentence without its capital; "" when nothing does."""
    try:
        written = json.dumps(dict(schema))
        if len(written) > _SCHEMA_MAX or "\\u0000" in written:
            return f"a schema has at most {_SCHEMA_MAX:,} characters."
        if not is_ours and (found := _UNSAFE & _keys(schema)):
            return f"a schema may not use {', '.join(sorted(found))}."
        Draft202012Validator.check_schema(dict(schema))
    except (SchemaError, TypeError, ValueError, RecursionError):
        return "this is no JSON schema."
    return ""


def _keys(value: Any) -> set[str]:
    if isinstance(value, Mapping):
        return set(value).union(*map(_keys, value.values()))
    return set().union(*map(_keys, value)) if isinstance(value, list) else set()


def _offer(member: BusMember, offers: Sequence[Offer]) -> None:
    """Have the member offer exactly these. What it offers no more keeps its record."""
    BusCapability.objects.filter(member=member).exclude(name__in=[one.name for one in offers]).update(is_gone=True)
    BusCapability.objects.bulk_create(
        (
            BusCapability(
                member=member,
                name=one.name,
                description=one.description,
                takes=dict(one.takes),
                gives=dict(one.gives),
                confidence=one.confidence,
                effect=one.effect,
            )
            for one in offers
        ),
        update_conflicts=True,
        unique_fields=["member", "name"],
        update_fields=["description", "takes", "gives", "confidence", "effect", "is_gone"],
    )


def _in_words(offers: Sequence[Offer]) -> str:
    return "\n".join(f"{one.name.replace('_', ' ')}: {one.description}" for one in offers)[: 4 * _TEXT_MAX]


def _counted(offers: Sequence[Offer]) -> str:
    return f"{len(offers)} {'capability' if len(offers) == 1 else 'capabilities'}"
