"""Registering agents of other systems from their cards, and reading the cards again."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from agents.components import tool_writing
from agents.evolution.activation import tool_checks
from agents.foreign import cards, fetching
from agents.foreign.cards import Card
from agents.foreign.tool_text import tool_text
from agents.models import ForeignAgent
from agents.toolkit import made, web_address
from agents.toolkit.web_address import Address
from library.components import services
from library.models import Component, ComponentVersion
from people import journal
from people.journal import Event
from people.models import User

KIND = Component.Kind.TOOL.value
_NAME_TRIES = 100


@dataclass(frozen=True)
class Registered:
    """`candidate`: the version of its tool that waits for a person; None when nothing about it changed."""

    agent: ForeignAgent
    candidate: ComponentVersion | None


@dataclass(frozen=True)
class Read:
    """A card as it was read at this address, with the SHA-256 of its bytes in hex."""

    address: Address
    card: Card
    digest: str


def address_of(said: str) -> Address:
    """Where a card is, in full: of a host alone it is at its well-known place. Raises ValueError."""
    address = web_address.read(said.strip())
    if address.target == "/":
        address = web_address.read(f"{address.scheme}://{address.entry}{fetching.CARD_PATH}")
    return address


def read(address: Address) -> Read:
    """Read the card, which takes seconds. Raises CardRefused, NotFetched and ValueError."""
    data = fetching.fetch(address)
    card = cards.read(data)
    fetching.check_reachable(card.endpoint)
    return Read(address, card, hashlib.sha256(data).hexdigest())


def register(found: Read, *, by: User) -> Registered:
    """Keep the agent whose card was read. Nothing asks it before a person has activated its tool.

    Raises LibraryRefused for who may not write, CardRefused.
    """
    services.check_rights(by, activate=False)
    with transaction.atomic():
        known = ForeignAgent.objects.select_for_update().filter(card_url=found.address.text).first()
        if known is None:
            return _new(found.card, found.address.text, found.digest, by)
        return _again(known, found.card, found.digest, by)


def _new(card: Card, url: str, digest: str, by: User) -> Registered:
    name = _free_name(card.short_name)
    tool = f"{made.FOR_AGENTS}{name}"
    agent = ForeignAgent.objects.create(
        name=name,
        card_url=url,
        endpoint=card.endpoint.text,
        card=card.told,
        card_digest=digest,
        tool=tool,
        registered_by=by,
        read_at=timezone.now(),
    )
    candidate = _candidate(agent, card, None, by, "")
    _tell(agent, by, {})
    return Registered(agent, candidate)


def _again(agent: ForeignAgent, card: Card, digest: str, by: User) -> Registered:
    """A changed address is a new candidate with its difference; the tool in use goes on asking the old one."""
    before = _told(agent)
    moved = agent.endpoint != card.endpoint.text
    agent.card, agent.card_digest, agent.endpoint = card.told, digest, card.endpoint.text
    agent.read_at = timezone.now()
    agent.save(update_fields=["card", "card_digest", "endpoint", "read_at"])
    component = Component.objects.get(kind=KIND, name=agent.tool)
    candidate = _candidate(agent, card, component, by, "The card names another address.") if moved else None
    if before != _told(agent):
        _tell(agent, by, before)
    return Registered(agent, candidate)


def _candidate(
    agent: ForeignAgent, card: Card, component: Component | None, by: User, changes: str
) -> ComponentVersion:
    text = tool_text(card, agent.tool, agent.name)
    saved = tool_writing.save(text, by=by, of=component, changes=changes, prefix=made.FOR_AGENTS)
    tool_checks.ask(saved, by=by)
    return saved


def _free_name(wanted: str) -> str:
    """The race it leaves: two registering one name at once. The unique constraints let one of them through."""
    for number in range(1, _NAME_TRIES):
        name = wanted if number == 1 else f"{wanted}_{number}"
        taken = ForeignAgent.objects.filter(name=name).exists()
        if not taken and not Component.objects.filter(kind=KIND, name=f"{made.FOR_AGENTS}{name}").exists():
            return name
    raise cards.CardRefused("There are a hundred agents of this name already.")


def _told(agent: ForeignAgent) -> dict[str, Any]:
    return {"card": agent.card_digest, "endpoint": agent.endpoint}


def _tell(agent: ForeignAgent, by: User, before: dict[str, Any]) -> None:
    changed = {"before": before, "after": _told(agent), "note": agent.card_url}
    journal.record(Event.AGENT, by=by, subject=f"foreign agent:{agent.name}", data=changed)
