"""Teaching by an edit: if a person wishes, their value of a step applies to their own later goals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from agents.models import Goal, IntentPlan, Lesson
from agents.record.errors import NotYours
from agents.toolkit.registry import tools_in_use
from agents.tuning import lessons
from agents.tuning.lessons import Taught
from agents.tuning.trials import Trial
from people.models import User
from review import rights
from review.deciding.history import edits_into, readable
from review.errors import WordsRefused
from review.models import Decision
from review.reading import teachable
from review.reading.teachable import Teachable

MAPPING, DEFAULT = Lesson.Kind.MAPPING.value, Lesson.Kind.DEFAULT.value
# Where a mapping applies: to this parameter of this tool, or wherever a path is named.
HERE, EVERYWHERE = "here", "everywhere"


@dataclass(frozen=True)
class Edit:
    """A value that somebody changed, in the resulting revision `plan`, and what it could teach."""

    plan: IntentPlan
    decision: Decision
    position: int
    teachable: Teachable


@dataclass(frozen=True)
class Trials:
    """What a lesson would change: in the teacher's own goals, and for everybody if it were promoted."""

    mine: Trial
    everybody: Trial

    def changes_goal_of(self, edit: Edit) -> bool | None:
        """Whether the edited goal itself would be planned differently; None if it was not tried."""
        found = [
            trial.goals[edit.plan.goal_id] for trial in (self.mine, self.everybody) if edit.plan.goal_id in trial.goals
        ]
        return any(found) if found else None


def edits(plan: IntentPlan, made_by: Sequence[Decision]) -> list[Edit]:
    """Each value changed by the edits that made this revision, if its bytes can still be read."""
    return [one for decision in made_by for one in _of(plan, decision)]


def edit_of(plan: IntentPlan, position: int, parameter: str) -> Edit | None:
    """The edit of this value that made this revision; None if there is none."""
    found = edits(plan, edits_into(plan))
    return next((one for one in found if (one.position, one.teachable.parameter) == (position, parameter)), None)


def _of(plan: IntentPlan, decision: Decision) -> Iterator[Edit]:
    document = readable(bytes(decision.intent_plan.document))
    position = decision.edits.get("position")
    if document is None or not isinstance(position, int):
        return
    for name, (_, after) in decision.edits.get("changes", {}).items():
        found = teachable.of_edit(document, position, name, after, tools_in_use())
        if found is not None:
            yield Edit(plan, decision, position, found)


def why_not(user: User, plan: IntentPlan) -> str:
    """Why this person may not teach by this plan; empty if they may, like whoever may edit it."""
    return "Only people who can log in can teach." if not user.is_active else rights.why_not_edit(user, plan)


def taught_by(edit: Edit, kind: str, *, said: str = "", where: str = HERE) -> Taught:
    """The lesson for this choice. Raises WordsRefused if it cannot be taught."""
    found = edit.teachable
    if kind == MAPPING:
        if found.why_no_mapping:
            raise WordsRefused("as", found.why_no_mapping)
        words = {one.casefold(): one for one in found.said}
        name = words.get(" ".join(said.casefold().split())) if said else found.said[0]
        if name is None:
            raise WordsRefused("said", "The goal did not use this name for the value. Choose one of the names it used.")
        if where not in (HERE, EVERYWHERE):
            raise WordsRefused("where", "Choose where it applies: here (this parameter of this tool) or everywhere.")
        at = (found.tool, found.parameter) if where == HERE else ("", "")
        return Taught(MAPPING, tool=at[0], parameter=at[1], said=name, path=found.path)
    if kind == DEFAULT:
        if found.why_no_default:
            raise WordsRefused("as", found.why_no_default)
        return Taught(DEFAULT, found.tool, found.command, found.parameter, default=found.after)
    raise WordsRefused("as", "Choose to teach it as a mapping or as a default.")


def attempt(edit: Edit, taught: Taught, *, by: User, readable_goals: QuerySet[Goal]) -> Trials:
    """What it would change, over stored plans; nothing is written. Raises NotYours, TuningRefused."""
    _check(by, edit)
    return Trials(
        lessons.try_for_teacher(taught, by, readable_goals), lessons.try_for_everybody(taught, by, readable_goals)
    )


def teach(edit: Edit, taught: Taught, *, by: User, note: str = "", seen: int | None = None) -> Lesson:
    """Store it for the goals that this person submits. Raises NotYours, TuningRefused, NotPossibleNow."""
    _check(by, edit)
    return lessons.teach(taught, by=by, plan=edit.plan, step=edit.position, note=note, seen=seen)


def _check(by: User, edit: Edit) -> None:
    if reason := why_not(by, edit.plan):
        raise NotYours(reason)
