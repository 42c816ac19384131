"""The result of a goal that has ended, as its page shows it first: exit code, last lines of output, files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.models import Attempt, Goal, Intent, IntentPlan
from agents.pages.files import goal_files
from agents.pages.files.goal_files import FileChange
from agents.pages.goals import goal_facts
from agents.presentation import timeline, transcript
from agents.presentation.transcript import Line
from agents.record import selectors
from agents.states import GoalState

LINES_SHOWN = 8
FILES_SHOWN = 6
_ENDED = ("succeeded", "failed")


@dataclass(frozen=True)
class Result:
    """`label`: the step that is shown, `said`: what it did, in words. `ending`: its exit code, or how else it ended.

    `lines` are its last ones. `files` come deleted, changed, new; `more_files` are not shown. `are_files_known`: False
    where the snapshots are gone.
    """

    label: str
    said: str
    ending: str
    tone: str
    lines: Sequence[Line]
    files: Sequence[FileChange]
    more_files: int
    are_files_known: bool


def of(goal: Goal, revisions: Sequence[IntentPlan]) -> Result | None:
    """The result of a goal that has ended; None while it goes on, and where no step was tried to its end."""
    if not goal.has_ended:
        return None
    tries = [one for plan in revisions for intent in plan.intents.all() for one in intent.attempts.all()]
    tries.sort(key=lambda one: one.pk)
    told = [one for one in tries if one.outcome in _ENDED and one.intent.phase == Intent.Phase.MAIN]
    if not told:
        return None
    shown = _telling(told, has_failed=goal.state == GoalState.FAILED)
    spec = next((plan for plan in revisions if plan.pk == shown.intent.intent_plan_id), None)
    document = selectors.read_document(spec) if spec is not None else None
    step = {one.position: one for one in document.all_intents}.get(shown.intent.position) if document else None
    command = goal_facts.command_of(shown, step)
    changes = goal_files.changes(tries)
    files, left_out = (changes.items, changes.left_out) if changes is not None else ([], 0)
    return Result(
        label=f"Step {shown.intent.position}",
        said=command.sentence,
        ending=_ending(shown),
        tone="good" if shown.outcome == "succeeded" else "bad",
        lines=transcript.output(command)[-LINES_SHOWN:],
        files=files[:FILES_SHOWN],
        more_files=max(0, len(files) - FILES_SHOWN) + left_out,
        are_files_known=changes is not None,
    )


def _telling(tries: Sequence[Attempt], *, has_failed: bool) -> Attempt:
    """The try that says most: the one that failed the goal, else the last program, else the last step."""
    if has_failed:
        failed = [one for one in tries if one.outcome == "failed"]
        return (failed or tries)[-1]
    programs = [one for one in tries if isinstance((one.result or {}).get("return_code"), int)]
    return (programs or tries)[-1]


def _ending(attempt: Attempt) -> str:
    code = (attempt.result or {}).get("return_code")
    return f"exit code {code}" if isinstance(code, int) else timeline.outcome_words(attempt.outcome)
