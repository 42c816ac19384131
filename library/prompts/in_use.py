"""Which version of a prompt is sent: the one in use in the library, and the text that ships where there is none.

It is read for each request, with a prepared statement on one row, so a new version counts from the next request on in
every process. That takes 0.06 ms, so nothing is kept that could be out of date.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from library import prepared
from library.components import selectors
from library.language.asking import PromptUsed
from library.models import Component, ComponentVersion
from library.prompts import declared
from library.prompts.declared import Prompt

logger = logging.getLogger(__name__)

KIND = Component.Kind.PROMPT.value
Told = Callable[[str, str, bool, int], None]
# The version of a text that stands in no version of the library.
BUILT_IN = "built in"
# The version of a text that is tried and that nobody has saved.
UNSAVED = "unsaved"


_COUNT = f"""
    UPDATE {ComponentVersion._meta.db_table} AS version SET uses = uses + 1, successes = successes + %(good)s,
        failures = failures + 1 - %(good)s, last_used_at = statement_timestamp()
    FROM {Component._meta.db_table} AS component
    WHERE component.id = version.component_id AND component.kind = %(kind)s AND component.name = %(name)s
        AND version.version = %(version)s
"""  # noqa: S608  # names of our own tables


@dataclass(frozen=True)
class Version:
    """A text of a prompt that may be sent."""

    prompt: Prompt
    version: str
    text: str

    def filled(self, **values: str) -> PromptUsed:
        """The text of a request. KeyError where one of its values is missing."""
        text = self.prompt.filled(self.text, values)
        return PromptUsed(self.prompt.name, self.version, text, values)


def active(name: str) -> Version:
    """The version in use, whatever canary there is: two requests that are compared must not differ by chance."""
    text, _ = selectors.texts_in_use(KIND, name)
    return (
        shipped(name)
        if text is None or _problems(name, text.body)
        else Version(declared.every()[name], text.version, text.body)
    )


def of(name: str) -> Version:
    """The version for one request: the one in use, or its canary for a share of requests that chance draws.

    One whose text cannot be sent, as after an upgrade of mindX, is passed over.
    """
    active, canary = selectors.texts_in_use(KIND, name)
    drawn = (canary if canary is not None and is_drawn(canary.percent) else None, active)
    for text in filter(None, drawn):
        if not (problems := _problems(name, text.body)):
            return Version(declared.every()[name], text.version, text.body)
        logger.warning("Prompt %s %s is not used: %s", name, text.version, " ".join(problems))
    return shipped(name)


def is_drawn(percent: int) -> bool:
    """Whether chance gives a request to a canary. Each is drawn by itself, for each answer is counted by itself."""
    return secrets.randbelow(100) < percent


def of_text(name: str, text: str) -> Version:
    """A text that is tried before it is saved. KeyError where it is no text of a prompt; it must have no problems."""
    return Version(declared.every()[name], UNSAVED, text)


def shipped(name: str) -> Version:
    """The text that ships, for who asks no model and may have no database."""
    prompt = declared.every()[name]
    return Version(prompt, BUILT_IN, prompt.text)


def filled(name: str, **values: str) -> PromptUsed:
    """The version in use as the text of a request."""
    return of(name).filled(**values)


def named(name: str, version: str) -> Version | None:
    """A version of a prompt by its number, in use or not; None: there is none, or it cannot be sent."""
    prompt = declared.every().get(name)
    if prompt is None:
        return None
    rows = ComponentVersion.objects.filter(component__kind=KIND, component__name=name, version=version)
    text = prompt.text if version == BUILT_IN else rows.values_list("body", flat=True).first()
    return Version(prompt, version, text) if text is not None and not _problems(name, text) else None


def count(used: PromptUsed, *, was_of_use: bool, call: int) -> None:
    """Count an answer to a prompt, and whether its asker could use it; what stands in no version is not counted."""
    values = {"kind": KIND, "name": used.name, "version": used.version, "good": int(was_of_use)}
    prepared.run(_COUNT, values)
    _tell(used.name, used.version, was_of_use, call)


def register(told: Told) -> None:
    """Have somebody told of each answer that is counted: prompt, version, whether it was of use, and its call."""
    global _tell
    _tell = told


def _nobody(name: str, version: str, was_of_use: bool, call: int) -> None:
    """Until somebody is registered."""


_tell: Told = _nobody


@lru_cache(maxsize=64)
def _problems(name: str, text: str) -> tuple[str, ...]:
    return tuple(declared.every()[name].problems(text))
