"""Firmware: what an operator tells every model that plans for an agent, in general and for a domain.

Each domain is a component of the library, so its text has versions that are written as candidates and used only after
an operator activated them. It is an instruction and no guard: what a plan may do is decided by validation, policies and
people, whatever a model makes of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.conf import settings
from django.db.models import QuerySet

from agents.models import Agent
from agents.rules.naming import hidden_character
from library.components import selectors, services
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion
from people.models import User
from people.roles import Role

KIND = Component.Kind.FIRMWARE.value
GENERAL = "general"
# It is part of every prompt: at three characters a token an eighth of what a prompt may have.
MOST_CHARS = 6_000
_DOMAIN = re.compile(r"[a-z][a-z0-9-]{0,39}")


@dataclass(frozen=True)
class Firmware:
    """What goes along in a prompt. `missing` is the agent's domain where nothing is in use for it."""

    text: str = ""
    versions: tuple[str, ...] = ()
    missing: str = ""


def of(agent: Agent) -> Firmware:
    """The general text, and that of the agent's domain."""
    wanted = list(dict.fromkeys([GENERAL, *filter(None, [agent.firmware_domain])]))
    found = selectors.active_texts(KIND, wanted)
    used = [(name, *found[name]) for name in wanted if name in found]
    missing = agent.firmware_domain if agent.firmware_domain not in found else ""
    return Firmware(
        "\n\n".join(body.strip() for _, _, body in used),
        tuple(f"{name} {version}" for name, version, _ in used),
        missing,
    )


def may_activate(user: object) -> bool:
    """Operators say what models are told; others propose it."""
    return isinstance(user, User) and user.has_role(Role.OPERATOR)


def save(domain: str, text: str, *, by: User, changes: str = "") -> ComponentVersion:
    """Keep a text as a candidate for the domain. Raises LibraryRefused, naming the field."""
    services.check_rights(by, activate=False)
    if not _DOMAIN.fullmatch(domain):
        raise LibraryRefused("A domain is a word of small letters, digits and hyphens, such as finance.", "domain")
    text = text.replace("\r\n", "\n").strip() + "\n"
    if len(text) > MOST_CHARS:
        raise LibraryRefused(f"Firmware goes into every prompt: at most {MOST_CHARS:,} characters.", "body")
    # People read it before it is used, so nothing in it may be invisible.
    if hidden := hidden_character(text.replace("\n", " ").replace("\t", " ")):
        raise LibraryRefused(f"It holds the hidden character {hidden}. Take it out.", "body")
    return services.publish(KIND, domain, text, by=by, changes=changes.strip())


def activate(version: ComponentVersion, *, by: User) -> ComponentVersion:
    """Have every prompt from now on hold this version. With four eyes on it takes somebody who did not write it."""
    _check_operator(by)
    if settings.FOUR_EYES and version.created_by_id == by.pk:
        raise LibraryRefused("You wrote this version. With four eyes on, somebody else must activate it.")
    return services.activate(version, by)


def retire(version: ComponentVersion, *, by: User) -> ComponentVersion:
    """Take a version out of use."""
    _check_operator(by)
    return services.retire(version, by)


def versions() -> QuerySet[ComponentVersion]:
    """All of them, by domain, newest first."""
    found = ComponentVersion.objects.filter(component__kind=KIND).select_related("component", "created_by")
    return found.defer("content_embedding", "applicability_embedding").order_by("component__name", "-pk")


def _check_operator(by: User) -> None:
    if not may_activate(by):
        raise LibraryRefused("Only an operator can activate or retire firmware.")
