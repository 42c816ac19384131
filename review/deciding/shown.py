"""What the server has shown to a person, as a seal that comes back with their decision.

A decision on many plans at once counts only for those of which this person was shown how they differ, in these bytes
and at this risk. The form cannot say that by itself: whoever sends it could have left out to look. The seal can.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.core import signing

from people.models import User
from review.models import QueueEntry

_SALT = "mindx.review.shown 2"
# A page that has been open for longer says too little of what waits now.
VALID = timedelta(hours=12)


@dataclass(frozen=True)
class Shown:
    """One plan as it was shown: its bytes, its risk, what of it cannot be taken back, which shadow run it had."""

    plan_id: int
    digest: str
    rank: int
    harm: int
    run_id: int


def seal(entry: QueueEntry, digest: str, user: User, run_id: int) -> str:
    """What goes into the form beside a plan whose difference and shadow run stand on the page."""
    return signing.dumps([user.pk, entry.pk, digest, entry.rank, entry.harm, run_id], salt=_SALT)


def read(text: str, user: User) -> Shown | None:
    """What was shown to this person; None for what this server never gave them, or gave them too long ago."""
    try:
        whose, plan_id, digest, rank, harm, run_id = signing.loads(text, salt=_SALT, max_age=VALID)
    except (signing.BadSignature, ValueError):
        return None
    return Shown(plan_id, digest, rank, harm, run_id) if whose == user.pk else None
