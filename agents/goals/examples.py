"""Goals to begin with, one click away: a workspace with the files they are about, and the goal itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from types import MappingProxyType

from django.db import transaction

from agents.goals import goals
from agents.models import Goal
from agents.workspaces import workspaces
from agents.workspaces.workspaces import Upload
from people.models import User

# With so many goals nobody is new any more.
STILL_NEW = 6


@dataclass(frozen=True)
class Example:
    """A prepared goal. `shows` says what there is to see, `state` and `reason` how it probably ends."""

    key: str
    text: str
    shows: str
    state: str
    workspace: str
    reason: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    # No rule plans it: it is shown where there is a model.
    needs_model: bool = False


_KEEP = """\
The ledgers in this folder are the only copies.
The audit of March needs them; do not remove them before.
"""
_LEDGER = "date,account,amount\n{year}-01-31,rent,-900\n{year}-06-30,sales,12400\n{year}-12-31,tax,-3100\n"

EXAMPLES: Mapping[str, Example] = MappingProxyType(
    {
        example.key: example
        for example in (
            Example(
                "project",
                "Create a Python project named weather",
                "A rule matches. You see which rule, why it applies, and what every step would do.",
                "achieved",
                "weather",
            ),
            Example(
                "note",
                "Write a note named summaries saying the summarization tool drops numbers",
                "The name and the text are taken from these words. Each value says where it came from.",
                "awaiting_review",
                "notes",
            ),
            Example(
                "program",
                "Write a Python program that tells the weekday of any date, with a test beside it, and run the test",
                "No rule matches, so the language model plans it. You see the prompt and the answer.",
                "awaiting_review",
                "weekdays",
                needs_model=True,
            ),
            Example(
                "removal",
                "Remove the folder archive",
                "Worth rejecting: it would delete the only copies of three ledgers. Read the plan, then say no.",
                "dropped",
                "ledgers",
                "rejected",
                {
                    "archive/README.txt": _KEEP,
                    "archive/2023.csv": _LEDGER.format(year=2023),
                    "archive/2024.csv": _LEDGER.format(year=2024),
                    "archive/2025.csv": _LEDGER.format(year=2025),
                    "2026.csv": _LEDGER.format(year=2026),
                },
            ),
        )
    }
)


def shown(*, with_model: bool) -> list[Example]:
    """The three for a first visit: one of them shows a model at work where there is one."""
    instead = "program" if with_model else "note"
    return [EXAMPLES[key] for key in ("project", instead, "removal")]


def left(given: Sequence[str], *, with_model: bool) -> list[Example]:
    """Those of the three that somebody who has begun has not tried; none for who has given goals enough.

    `given`: the texts of their newest goals, as many as `STILL_NEW`.
    """
    if not given or len(given) == STILL_NEW:
        return []
    return [example for example in shown(with_model=with_model) if example.text not in given]


def start(example: Example, *, by: User, submission_key: str = "") -> Goal:
    """Make the example's workspace and submit its goal. The same key again returns the goal that exists already."""
    if submission_key and (earlier := by.goals.filter(submission_key=submission_key).first()):
        return earlier
    with transaction.atomic():
        workspace = workspaces.create_numbered(by=by, name=example.workspace)
        if example.files:
            uploads = [Upload(path, BytesIO(text.encode()), len(text.encode())) for path, text in example.files.items()]
            workspace = workspaces.put_files(workspace, by=by, uploads=uploads)
        return goals.submit(by=by, text=example.text, workspace=workspace, submission_key=submission_key)
