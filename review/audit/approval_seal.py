"""The seal of an approval: what a person allowed, signed with a key that is not in the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from review.audit import canonical

LABEL = "mindx approval 1"


@dataclass(frozen=True)
class Grant:
    """Exactly what an approval says: this person, these bytes, this plan, this much recovery, at this moment."""

    plan_id: int
    digest: str
    by_id: int
    envelope: Mapping[str, Any]
    at: datetime


def mac_of(grant: Grant, key: str) -> str:
    """The MAC of a grant in hex. Raises ValueError for an envelope without a canonical form."""
    content = {
        "plan": grant.plan_id,
        "digest": grant.digest,
        "by": grant.by_id,
        "envelope": dict(grant.envelope),
        "at": canonical.moment(grant.at),
    }
    return canonical.signature(LABEL, content, key)


def is_genuine(grant: Grant, mac: str, key: str) -> bool:
    """True when `mac` was made for exactly this grant. Anything that cannot be signed is not genuine."""
    try:
        return canonical.same(mac_of(grant, key), mac)
    except (ValueError, TypeError):
        return False
