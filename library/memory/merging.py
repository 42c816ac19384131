"""Experiences that tell the same are shown as one: the newest stands for the others, which can be parted again.

They tell the same when they are of one person, kind and outcome, used the same components, and both what was asked and
what was done are nearly the same in meaning. What cannot be embedded is never merged.
"""

from __future__ import annotations

from django.db import connection, transaction

from library.errors import LibraryRefused
from library.models import Experience
from people.models import User
from people.roles import Role

# Cosine similarities of the sentence model: other wordings of one task lie mostly above 0.6, and names of other files
# or months above 0.9, so that only what hardly differs is taken for the same.
SAME_GOAL, SAME_STEPS = 0.95, 0.9
# Looked at of one person; every one is compared with those of its own shape.
LOOKED_AT = 2_000

_TABLE = Experience._meta.db_table
# A row whose steps have no vector yet is neither nor: it waits for the next time.
_PAIRS = f"""
WITH mine AS (
    SELECT id, timestamp, kind, final_outcome, involved_components, embedded_by, sub_task_description AS task,
           primary_goal_description_embedding AS goal, sub_task_description_embedding AS steps
    FROM {_TABLE}
    WHERE owner_id = %(owner)s AND merged_into_id IS NULL AND primary_goal_description_embedding IS NOT NULL
      AND (sub_task_description = '' OR sub_task_description_embedding IS NOT NULL)
    ORDER BY timestamp DESC, id DESC LIMIT {LOOKED_AT})
SELECT older.id, newer.id FROM mine older CROSS JOIN LATERAL (
    SELECT same.id FROM mine same
    WHERE (same.timestamp, same.id) > (older.timestamp, older.id)
      AND (same.kind, same.final_outcome, same.involved_components, same.embedded_by)
          = (older.kind, older.final_outcome, older.involved_components, older.embedded_by)
      AND same.goal <=> older.goal <= {1 - SAME_GOAL}
      AND (same.task = '' AND older.task = '' OR same.steps <=> older.steps <= {1 - SAME_STEPS})
    ORDER BY same.timestamp DESC, same.id DESC LIMIT 1) newer
ORDER BY older.timestamp DESC, older.id DESC
"""  # noqa: S608  # names and figures of this file


def merge(owner: User, by: User) -> int:
    """Merge what tells the same among this person's experiences; how many are now shown as another one.

    LibraryRefused for others but admins.
    """
    _check(owner.pk, by)
    with transaction.atomic():
        # Whoever forgets one of them meanwhile waits, or has done it: nothing is merged into what is gone.
        list(Experience.objects.select_for_update().filter(owner=owner).order_by("pk").values_list("pk"))
        with connection.cursor() as cursor:
            cursor.execute(_PAIRS, {"owner": owner.pk})
            pairs: list[tuple[int, int]] = cursor.fetchall()
        into: dict[int, int] = {}
        for older, newer in pairs:  # the newest first: what a row is merged into has been looked at
            into[older] = into.get(newer, newer)
        for older, newest in into.items():
            # Those that the older one stood for now stand behind the newest.
            Experience.objects.filter(merged_into=older).update(merged_into=newest)
            Experience.objects.filter(pk=older).update(merged_into=newest)
    return len(into)


def part(experience: Experience, by: User) -> int:
    """Show everything by itself again that was merged into this one; how many. LibraryRefused for others but admins."""
    _check(experience.owner_id, by)
    return Experience.objects.filter(merged_into=experience.pk).update(merged_into=None)


def _check(owner: int, by: User) -> None:
    if not by.is_active or (by.pk != owner and not by.has_role(Role.ADMIN)):
        raise LibraryRefused("Only the person whose goals these were, or an admin, can merge or part them.")
