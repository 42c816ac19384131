"""The only place that moves a comment: a conditional update, so the second of two callers moves nothing."""

from __future__ import annotations

from typing import Any

from review.models import Comment

State = Comment.State

COMMENT_MOVES: dict[State, frozenset[State]] = {
    State.OPEN: frozenset({State.ADDRESSED, State.STALE, State.RESOLVED}),
    State.ADDRESSED: frozenset({State.OPEN, State.RESOLVED}),
    State.STALE: frozenset({State.RESOLVED}),
    State.RESOLVED: frozenset({State.OPEN}),
}


def move_comment(comment: Comment, new: State, *, only: dict[str, Any] | None = None, **also: Any) -> bool:
    """Move it to `new`; False if the table forbids it, or if its fields no longer match `only`."""
    movable = [old.value for old, targets in COMMENT_MOVES.items() if new in targets]
    rows = Comment.objects.filter(pk=comment.pk, state__in=movable, **(only or {}))
    return bool(rows.update(state=new.value, **also))
