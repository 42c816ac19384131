"""Telling a teacher that somebody else ended what they taught: from then on their goals are planned otherwise."""

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
    """Tell the teacher of a version that ends the lesson, if it is another person's. Call it in the transaction that
    keeps the version.
    """
    ending = _ENDINGS.get(version.state)
    if ending and version.by_id != version.teacher_id:
        text = f"{ending}: {Taught.of(version).title}"
        notify.tell(NoticeKind.LESSON, text, [version.teacher], lesson=version)
