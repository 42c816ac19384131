"""A seal over what the server showed a person; it comes back with their decision.

A batch decision counts only for plans whose differences were shown to this person, with these bytes and this risk. The
form alone cannot prove that, because anybody could send it without looking. The seal can.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.core import signing

from people.models import User
from review.models import QueueEntry

_SALT = "mindx.review.shown 3"
# A page that was open for longer is outdated.
VALID = timedelta(hours=12)


@dataclass(frozen=True)
class Shown:
    """One plan as it was shown: its bytes, its risk, its danger, and its dry run."""

    plan_id: int
    digest: str
    rank: int
    danger: int
    run_id: int


def seal(entry: QueueEntry, digest: str, user: User, run_id: int) -> str:
    """The seal for the form, for a plan whose difference and dry run are on the page."""
    return signing.dumps([user.pk, entry.pk, digest, entry.rank, entry.danger, run_id], salt=_SALT)


def read(text: str, user: User) -> Shown | None:
    """What was shown to this person; None if this server did not issue the seal to them, or too long ago."""
    try:
        whose, plan_id, digest, rank, danger, run_id = signing.loads(text, salt=_SALT, max_age=VALID)
    except (signing.BadSignature, ValueError):
        return None
    return Shown(plan_id, digest, rank, danger, run_id) if whose == user.pk else None
