"""What operators set for the bus: when a breaker opens and for how long, and where calls among agents end."""

from __future__ import annotations

from dataclasses import dataclass, field

from agents.bdi.bus.breaker import Terms
from agents.bdi.bus.limits import Bounds
from agents.bus import entries
from agents.models import BusSettings
from agents.record.errors import GoalRefused, NotYours
from people.models import User
from people.roles import Role

# From least to most.
RANGES = {"failures": (1, 100), "cooldown_s": (1, 86_400), "depth": (1, 20), "requests": (1, 10_000)}


@dataclass(frozen=True)
class InForce:
    """The settings that hold now."""

    terms: Terms = field(default_factory=Terms)
    bounds: Bounds = field(default_factory=Bounds)


def in_force() -> InForce:
    """What holds now, read at every decision."""
    row = BusSettings.objects.order_by("-pk").first()
    if row is None:
        return InForce()
    return InForce(Terms(row.failures, float(row.cooldown_s)), Bounds(row.depth, row.requests))


def may_change(by: User) -> bool:
    """Whether the person may set them."""
    return by.has_role(Role.OPERATOR)


def change(*, by: User, failures: int, cooldown_s: int, depth: int, requests: int, why: str = "") -> BusSettings:
    """Save new settings, which hold from the next decision on. Raises NotYours, GoalRefused naming the field."""
    if not may_change(by):
        raise NotYours("Only operators can change the settings of the bus.")
    values = {"failures": failures, "cooldown_s": cooldown_s, "depth": depth, "requests": requests}
    for name, value in values.items():
        least, most = RANGES[name]
        if isinstance(value, bool) or not least <= value <= most:
            raise GoalRefused(name, f"A whole number from {least:,} to {most:,}.")
    row = BusSettings.objects.create(by=by, why=why[:300], **values)
    entries.system("settings", by=by, why=why, outcome=", ".join(f"{name} {value}" for name, value in values.items()))
    return row
