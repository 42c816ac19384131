"""A notice for a teacher when somebody else ends their lesson, because their goals are then planned differently."""

from __future__ import annotations

from agents.models import Lesson
from agents.tuning.lessons import Taught
from review.models import NoticeKind
from review.notices import notify

_ENDINGS = {
    Lesson.State.TAKEN_BACK.value: "Your lesson was taken back and no longer applies",
    Lesson.State.PROMOTED.value: "Your lesson was promoted and now applies to everybody",
}


def tell_end(version: Lesson) -> None:
    """Tell the teacher about a version that ends the lesson, if somebody else saved it. Call it in the transaction that
    stores the version.
    """
    ending = _ENDINGS.get(version.state)
    if ending and version.by_id != version.teacher_id:
        text = f"{ending}: {Taught.of(version).title}"
        notify.tell(NoticeKind.LESSON, text, [version.teacher], lesson=version)
