"""What people think of an experience: 1 to 5 and a comment, by whoever may read it. It changes nothing else."""

from __future__ import annotations

from django.db.models import QuerySet

from library.errors import LibraryRefused
from library.language.storable import text as storable
from library.memory import selectors
from library.models import Experience, ExperienceRating
from people.models import User

COMMENT_MAX = 1_000


def rate(experience: Experience, by: User, stars: int, comment: str = "") -> ExperienceRating:
    """Put this person's rating in place of what they said before.

    LibraryRefused for whoever may not read it, and for a rating or a comment out of bounds.
    """
    if not selectors.visible_to(by).filter(pk=experience.pk).exists():
        raise LibraryRefused("Only people who may read an experience can rate it.")
    if not 1 <= stars <= 5:
        raise LibraryRefused("A rating is a whole number from 1 to 5.", "stars")
    if len(comment) > COMMENT_MAX:
        raise LibraryRefused(f"A comment has at most {COMMENT_MAX} characters.", "comment")
    rating, _ = ExperienceRating.objects.update_or_create(
        experience=experience, by=by, defaults={"stars": stars, "comment": storable(comment.strip())}
    )
    return rating


def of(experience: Experience) -> QuerySet[ExperienceRating]:
    """Its ratings with who gave them, the first one first."""
    return experience.ratings.select_related("by").order_by("pk")
