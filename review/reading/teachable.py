"""What an edit of a step could teach: a name that means a path, or a default. Pure.

Only values that an edit replaced can be taught: the planned one and the person's one.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agents.bdi.beliefs.revision import folder_after
from agents.bdi.plans.document import Document, IntentSpec, Parameter
from agents.presentation.values import as_text
from agents.toolkit.command import Command
from agents.toolkit.references import is_reference
from agents.toolkit.registry import Registry, UnknownTool

# Values that do not come from a name in the goal.
_UNSAID = frozenset({"default", "experience", "reference"})


@dataclass(frozen=True)
class Teachable:
    """A value that an edit changed, and what it could teach. If something cannot be taught, `why_no_…` says why.

    `said` are the words that may mean the path, the likeliest first; `path` counts from the workspace's root.
    """

    tool: str
    command: str
    parameter: str
    before: Any
    after: Any
    said: tuple[str, ...] = ()
    path: str = ""
    why_no_mapping: str = ""
    why_no_default: str = ""
    rule: str = ""

    @property
    def before_text(self) -> str:
        """The planned value as text; empty if there was none."""
        return "" if self.before is None else as_text(self.before)

    @property
    def after_text(self) -> str:
        """The person's value as text; empty if they removed it."""
        return "" if self.after is None else as_text(self.after)

    @property
    def is_anything(self) -> bool:
        """Whether it could teach anything."""
        return not (self.why_no_mapping and self.why_no_default)


def of_edit(document: Document, position: int, name: str, after: Any, registry: Registry) -> Teachable | None:
    """What could be taught by the edit that replaced this value by `after`; None if there is no such step.

    `document` is the plan as it was before the edit.
    """
    spec = next((one for one in document.all_intents if one.position == position), None)
    if spec is None:
        return None
    before = spec.params.get(name)
    made = Teachable(spec.tool, spec.command, name, before, after, rule=spec.rule)
    try:
        command = registry.command(spec.tool, spec.command)
    except UnknownTool:
        command = None
    if command is None or name not in command.properties:
        gone = f"There is no {spec.tool}.{spec.command} with {name} any more."
        return _with(made, why_no_mapping=gone, why_no_default=gone)
    if after is None:
        away = "The value was removed and not replaced."
        return _with(made, why_no_mapping=away, why_no_default=away)
    if is_reference(after) or (isinstance(after, str) and "{{" in after):
        other = "The value is the result of another step, which other plans do not have."
        return _with(made, why_no_mapping=other, why_no_default=other)
    folder = _folder_of(document, spec, registry)
    said = tuple(_said(document, spec, name))
    made = _with(made, said=said, why_no_mapping=_why_no_mapping(command, name, after, said))
    if not made.why_no_mapping:
        made = _with(made, path=posixpath.normpath(posixpath.join(folder, after)))
    if folder and command.kind(name) == "path":
        made = _with(made, why_no_default=f"The step begins in {folder}, and other plans begin elsewhere.")
    return made


def _with(made: Teachable, **values: Any) -> Teachable:
    return Teachable(**{**vars(made), **values})


def _why_no_mapping(command: Command, name: str, after: Any, said: tuple[str, ...]) -> str:
    if command.kind(name) != "path" or not isinstance(after, str):
        return "This is not a path, and only paths can have names."
    if not said:
        return "The goal did not use a name that could stand for the path."
    return ""


def _said(document: Document, spec: IntentSpec, name: str) -> Iterator[str]:
    """The words for the value in the goal or in a plan, each once."""
    record = next((one for one in spec.parameters if one.name == name), None)
    seen: set[str] = set()
    for text in _words(document.goal_text, record) if record is not None else ():
        plain = " ".join(text.split())
        if plain and "{{" not in plain and plain.casefold() not in seen:
            seen.add(plain.casefold())
            yield plain


def _words(goal_text: str, record: Parameter) -> Iterator[str]:
    if record.original is not None:  # it was corrected or edited before: the first value is what was said
        if isinstance(record.original, str):
            yield record.original
    elif record.origin not in _UNSAID and isinstance(record.value, str):
        yield record.value
    if record.span is not None:
        yield goal_text[slice(*record.span)]


def _folder_of(document: Document, spec: IntentSpec, registry: Registry) -> str:
    """The folder in which a step starts; the clean-up starts in a new session, at the workspace's root."""
    phase = document.intents if spec.phase == "main" else document.cleanup
    folder = ""
    for one in phase:
        if one.position >= spec.position:
            break
        try:
            folder = folder_after(registry.command(one.tool, one.command), dict(one.params), folder)
        except UnknownTool:
            continue
    return folder
