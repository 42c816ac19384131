"""Whether an agent plans with memory: on unless somebody switched it off for that agent, by its name."""

from __future__ import annotations

from library.models import MemoryOff
from people.models import User


def is_on(agent: str) -> bool:
    """Whether this agent's planning is told what is remembered."""
    return not MemoryOff.objects.filter(agent=agent).exists()


def switch(agent: str, *, on: bool, by: User) -> bool:
    """Switch memory on or off for an agent's next planning; whether that changed anything. Rights are the caller's."""
    if on:
        deleted, _ = MemoryOff.objects.filter(agent=agent).delete()
        return bool(deleted)
    _, made = MemoryOff.objects.get_or_create(agent=agent, defaults={"by": by})
    return made
