"""Versions of prompts: what ships, and who writes, activates and retires them.

The rights are those of firmware, and for the same reason: a prompt instructs the models of everybody's goals. So
reviewers, operators and developers write candidates, an operator activates them, and with four eyes on nobody activates
their own. A model may write a candidate for one of them (`agents.evolution.candidates.prompt_candidates`), no agent
may: a text that an attacker got into a prompt would speak in all that follow.

One version is always in use, so it is taken back by activating another one.
"""

from __future__ import annotations

from django.conf import settings

from agents.actors import firmware
from agents.rules.naming import hidden_character
from library.components import services
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion
from library.prompts import declared
from library.prompts.in_use import KIND
from people.models import User

_CHANGES_CHARS = 500
_NO_PROMPT = "This is no prompt of this version of mindX."


def starters() -> list[services.Starter]:
    """The prompts as they ship."""
    return [services.Starter(one.name, one.text, f"{one.title}. {one.use}") for one in declared.every().values()]


def may_activate(user: object) -> bool:
    """Operators say what models are told; others propose it."""
    return firmware.may_activate(user)


def problems(name: str, text: str) -> list[str]:
    """What keeps a text from being a version of this prompt, as sentences."""
    if name not in declared.every():
        return [_NO_PROMPT]
    found = declared.every()[name].problems(text)
    # People read it before it is used, so nothing in it may be invisible.
    if hidden := hidden_character(text.replace("\n", " ").replace("\t", " ")):
        found.append(f"It holds the hidden character {hidden}. Take it out.")
    if firmware.HEAD in text:
        found.append(f"“{firmware.HEAD}” stands before the firmware, so it cannot stand in a prompt.")
    return found


def save(
    component: Component, text: str, *, by: User, changes: str = "", origin: str = services.PERSON
) -> ComponentVersion:
    """Keep a text as a candidate. Raises LibraryRefused: without a field where the person may not, else naming it."""
    services.check_rights(by, activate=False)
    _check_is_prompt(component)
    text = text.replace("\r\n", "\n").strip() + "\n"
    if wrong := problems(component.name, text):
        raise LibraryRefused(" ".join(wrong[:5]), "body")
    used = component.versions.filter(status=ComponentVersion.Status.ACTIVE).first()
    return services.publish(
        KIND,
        component.name,
        text,
        by=by,
        changes=changes.strip()[:_CHANGES_CHARS],
        # What it is for stays the same, so that a search finds the new version as it found the old one.
        applicability_text=used.applicability_text if used else "",
        origin=origin,
    )


def activate(version: ComponentVersion, *, by: User, reason: str = "") -> ComponentVersion:
    """Have every request from now on hold this version, which may have been in use before. Raises LibraryRefused."""
    check_may_use(version, by)
    return services.activate(version, by, reason)


def check_may_use(version: ComponentVersion, by: User) -> None:
    """Raise LibraryRefused unless this person may have requests hold this version, and its text can be sent."""
    _check_operator(by)
    _check_is_prompt(version.component)
    if settings.FOUR_EYES and version.created_by_id == by.pk:
        raise LibraryRefused("You wrote this version. With four eyes on, somebody else must put it to use.")
    # mindX may have been upgraded since it was written.
    if wrong := problems(version.component.name, version.body):
        raise LibraryRefused(" ".join(wrong[:5]))


def retire(version: ComponentVersion, *, by: User) -> ComponentVersion:
    """Give a candidate up. Raises LibraryRefused."""
    _check_operator(by)
    _check_is_prompt(version.component)
    if version.status == ComponentVersion.Status.ACTIVE:
        raise LibraryRefused("This version is in use. Activate another one instead.")
    return services.retire(version, by)


def _check_operator(by: User) -> None:
    if not may_activate(by):
        raise LibraryRefused("Only an operator can activate or retire a prompt.")


def _check_is_prompt(component: Component) -> None:
    if component.kind != KIND or component.name not in declared.every():
        raise LibraryRefused(_NO_PROMPT)
