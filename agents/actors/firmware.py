"""Firmware: what an operator tells every model that is asked for an agent, in general and for a domain.

Each domain is a component of the library, so its text has versions that are written as candidates and used only after
an operator activated them. The text instructs. The checks behind it (agents.bdi.language_models.firmware_checks) guard:
what violates one is neither proposed nor approved, and no rule is written that does, whoever made it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from agents.bdi.language_models import firmware_checks
from agents.bdi.language_models.firmware_checks import Check, Looked, Violation
from agents.bdi.plans.document import Document
from agents.models import Agent
from agents.rules.naming import hidden_character
from agents.toolkit.registry import tools_in_use
from library.components import selectors, services
from library.errors import LibraryRefused
from library.language.asking import Ask, Message, guessed_tokens
from library.models import Component, ComponentVersion
from people.models import User
from people.roles import Role

KIND = Component.Kind.FIRMWARE.value
GENERAL = "general"
# It is part of every prompt: at three characters a token an eighth of what a prompt may have.
MOST_CHARS = 6_000
_DOMAIN = re.compile(r"[a-z][a-z0-9-]{0,39}")
REASON_MIN = 10
HEAD = "Rules that the operator of this installation has set:"
_STARTERS = Path(__file__).with_name("starter_firmware")


@dataclass(frozen=True)
class Firmware:
    """What goes along in a prompt. `missing` is the agent's domain where nothing is in use for it."""

    text: str = ""
    versions: tuple[str, ...] = ()
    missing: str = ""
    checks: tuple[Check, ...] = ()
    # Versions in use whose checks cannot be read. Nothing is proposed under them: what they forbid is unknown.
    unreadable: tuple[str, ...] = ()

    @property
    def tokens(self) -> int:
        """About how many tokens of a prompt it takes; 0 without a text."""
        return guessed_tokens(f"{HEAD}\n{self.text}") + 1 if self.text else 0


def placed(ask: Ask, firmware: Firmware) -> Ask:
    """The request with the firmware behind its instructions, which are its first message.

    Every request for an agent is made by `agents.actors.model_requests`, which calls this; a test looks.
    """
    if not firmware.text:
        return ask
    first, *rest = ask.messages
    if first.role != "system":
        raise ValueError("a request begins with its instructions")
    told = Message("system", f"{first.content.rstrip()}\n\n{HEAD}\n{firmware.text}\n")
    return replace(ask, messages=(told, *rest))


def without(instructions: str) -> str:
    """Instructions of a request as they were before `placed`; no prompt holds the words that stand before firmware."""
    return instructions.partition(f"\n\n{HEAD}\n")[0]


def problems(agent: Agent, document: Document) -> list[Violation]:
    """What of a plan the checks of this agent's firmware forbid, declared alternatives included."""
    return problems_under(of(agent), document)


def problems_under(firmware: Firmware, document: Document) -> list[Violation]:
    """The same under a firmware that may not be in use."""
    specs = [one for spec in document.all_intents for one in (spec, *spec.alternatives)]
    looked = (Looked(one.position, one.tool, one.command, one.effect, one.hosts, one.params) for one in specs)
    return _found(firmware, looked)


def problems_of_rule(looked: Iterable[Looked], domain: str = "") -> list[Violation]:
    """What the checks forbid of the lines of a rule, whose positions are the numbers of its lines."""
    return _found(of(Agent(firmware_domain="" if domain == GENERAL else domain)), looked)


def problems_of_text(text: str) -> list[Violation]:
    """What the general firmware forbids of a text such as the code of a tool: words only."""
    return problems_of_answer(Agent(), text)


def problems_of_answer(agent: Agent, text: str) -> list[Violation]:
    """The same under the firmware of an agent."""
    firmware = of(agent)
    return [*_unreadable(firmware), *firmware_checks.in_text(firmware.checks, text)]


def why_not(agent: Agent, document: Document) -> str:
    """Why a plan that was proposed cannot be approved any more, as a sentence; empty when it can."""
    found = problems(agent, document)
    return f"Step {found[0].position}: {found[0].says}" if found else ""


def _found(firmware: Firmware, looked: Iterable[Looked]) -> list[Violation]:
    return [*_unreadable(firmware), *firmware_checks.violations(firmware.checks, looked)]


def _unreadable(firmware: Firmware) -> list[Violation]:
    return [
        Violation(0, Check(name, "plan", ()), "everything, for its checks cannot be read")
        for name in firmware.unreadable
    ]


def of(agent: Agent, *, instead: ComponentVersion | None = None) -> Firmware:
    """The general text, and that of the agent's domain; `instead` takes the place of the version of its domain."""
    wanted = list(dict.fromkeys([GENERAL, *filter(None, [agent.firmware_domain])]))
    found, forged = selectors.guarded_texts(KIND, wanted)
    if instead is not None:
        found[instead.component.name] = (instead.version, instead.body)
    used = [(name, *found[name]) for name in wanted if name in found]
    missing = agent.firmware_domain if agent.firmware_domain not in found else ""
    read = [(f"{name} {version}", *firmware_checks.read(body)) for name, version, body in used]
    return Firmware(
        "\n\n".join(body.strip() for _, _, body in used),
        tuple(named for named, _, _ in read),
        missing,
        tuple(check for _, checks, _ in read for check in checks),
        (*(named for named, _, wrong in read if wrong), *forged),
    )


def starters() -> list[services.Starter]:
    """The firmware that ships with mindX: examples for two domains, which apply to the agents of these only."""
    return [
        services.Starter(file.stem, file.read_text(encoding="utf-8"), f"agents of the domain {file.stem}")
        for file in sorted(_STARTERS.glob("*.txt"))
    ]


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
    checks, wrong = firmware_checks.read(text)
    if said := [*wrong, *firmware_checks.unknown(checks, tools_in_use())]:
        raise LibraryRefused(" ".join(said[:5]), "body")
    return services.publish(KIND, domain, text, by=by, changes=changes.strip())


def activate(version: ComponentVersion, *, by: User, reason: str = "") -> ComponentVersion:
    """Have every prompt from now on hold this version. With four eyes on it takes somebody who did not write it.

    A version that forbids less than the one in use, or than its parent where none is in use, takes an admin with a
    reason. Raises LibraryRefused.
    """
    _check_operator(by)
    if settings.FOUR_EYES and version.created_by_id == by.pk:
        raise LibraryRefused("You wrote this version. With four eyes on, somebody else must activate it.")
    checks, wrong = firmware_checks.read(version.body)
    if wrong:
        raise LibraryRefused(" ".join(wrong[:5]))
    with transaction.atomic():
        _check_drops(version, checks, by, reason)
        return services.activate(version, by, reason)


def retire(version: ComponentVersion, *, by: User, reason: str = "") -> ComponentVersion:
    """Take a version out of use; one in use that has checks takes an admin with a reason. Raises LibraryRefused."""
    _check_operator(by)
    with transaction.atomic():
        if version.status == ComponentVersion.Status.ACTIVE:
            _check_drops(version, (), by, reason)
        return services.retire(version, by, reason=reason)


def drops(version: ComponentVersion, checks: Iterable[Check]) -> list[str]:
    """The names of checks that are in force for the version's domain, or were its parent's, and are not among these."""
    active = ComponentVersion.objects.filter(component=version.component_id, status=ComponentVersion.Status.ACTIVE)
    before = active.first() or version.parent
    return firmware_checks.dropped(firmware_checks.read(before.body)[0], tuple(checks)) if before is not None else []


def _check_drops(version: ComponentVersion, checks: tuple[Check, ...], by: User, reason: str) -> None:
    # The component's row is the lock: else somebody could put a stricter version to use in between.
    Component.objects.select_for_update().get(pk=version.component_id)
    names = drops(version, checks)
    if not names:
        return
    said = f"It drops what {', '.join(f'“{name}”' for name in names)} forbids."
    if not by.has_role(Role.ADMIN):
        raise LibraryRefused(f"{said} Only an admin can do that, with a reason.", "reason")
    if len(reason.strip()) < REASON_MIN:
        raise LibraryRefused(f"{said} Say why, in {REASON_MIN} characters or more.", "reason")
    parted = "; " if version.changes else ""
    note = f"checks dropped by {by.username}: {reason.strip()}"
    version.changes = f"{version.changes}{parted}{note}"[:2_000]
    version.save(update_fields=["changes"])


def versions() -> QuerySet[ComponentVersion]:
    """All of them, by domain, newest first."""
    found = ComponentVersion.objects.filter(component__kind=KIND).select_related("component", "created_by")
    return found.defer("content_embedding", "applicability_embedding").order_by("component__name", "-pk")


def _check_operator(by: User) -> None:
    if not may_activate(by):
        raise LibraryRefused("Only an operator can activate or retire firmware.")
