"""How often something may happen: so many at once, and then one in so many seconds.

Each limit and key is one row with one moment, up to which its allowance is used. One statement takes from it, so that
requests at the same moment cannot take more than there is (the generic cell rate algorithm).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass

from django.db import connection

_TAKE = """
    INSERT INTO people_ratelimit AS row (kind, key, used_until)
    VALUES (%(kind)s, %(key)s, clock_timestamp() + %(every_s)s * interval '1 second')
    ON CONFLICT (kind, key) DO UPDATE
    SET used_until = greatest(row.used_until, clock_timestamp()) + %(every_s)s * interval '1 second'
    WHERE greatest(row.used_until, clock_timestamp()) <= clock_timestamp() + %(room_s)s * interval '1 second'
    RETURNING extract(epoch FROM used_until - clock_timestamp())
"""
_USED = """
    SELECT extract(epoch FROM used_until - clock_timestamp()) FROM people_ratelimit
    WHERE kind = %(kind)s AND key = %(key)s
"""
_GIVE_BACK = """
    UPDATE people_ratelimit SET used_until = used_until - %(every_s)s * interval '1 second'
    WHERE kind = %(kind)s AND key = %(key)s
"""
_FORGET = "DELETE FROM people_ratelimit WHERE kind = %(kind)s AND key = %(key)s"
_FORGET_OLD = "DELETE FROM people_ratelimit WHERE used_until < clock_timestamp()"


@dataclass(frozen=True)
class Limit:
    """`most` at once, and one more each `every_s` seconds."""

    kind: str
    most: int
    every_s: float


@dataclass(frozen=True)
class Taken:
    """What came of it: how many are left, or after how many seconds to come again (0: it was let through)."""

    left: int
    wait_s: int = 0


def take(limit: Limit, key: str) -> Taken:
    """Take one. What is refused is not counted, so the time that was said holds."""
    asked = _parameters(limit, key)
    with connection.cursor() as cursor:
        cursor.execute(_TAKE, asked)
        if (row := cursor.fetchone()) is not None:
            return Taken(left=max(0, math.floor(limit.most - float(row[0]) / limit.every_s + 0.01)))
        cursor.execute(_USED, asked)
        row = cursor.fetchone()
    # The row can be gone by now: then there is nothing to wait for.
    wait_s = float(row[0]) - (limit.most - 1) * limit.every_s if row is not None else 0.0
    return Taken(left=0, wait_s=max(1, math.ceil(wait_s)))


def give_back(limit: Limit, key: str) -> None:
    """Give back what was taken for something that turned out not to count."""
    _run(_GIVE_BACK, _parameters(limit, key))


def forget(limit: Limit, key: str) -> None:
    """Give back everything."""
    _run(_FORGET, _parameters(limit, key))


def forget_old() -> None:
    """Remove the rows that hold nobody up any more."""
    _run(_FORGET_OLD, {})


def _run(statement: str, parameters: Mapping[str, str | float]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)


def _parameters(limit: Limit, key: str) -> Mapping[str, str | float]:
    # Keys are what strangers sent (people type passwords into the field for the name), so only their hash is stored.
    hashed = hashlib.sha256(key.encode(errors="surrogatepass")).hexdigest()
    room_s = (limit.most - 1) * limit.every_s
    return {"kind": limit.kind, "key": hashed, "every_s": limit.every_s, "room_s": room_s}
