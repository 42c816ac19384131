"""The policies that ask a person again once a version of a tool is in use: asked for here, known above (review).

With nothing wired there are none: this only tells people beforehand what the policies do anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from library.models import ComponentVersion
from people.models import User


@dataclass(frozen=True)
class Policy:
    """An enabled policy that approves plans, but none with a body that nobody has looked at for it."""

    pk: int
    name: str
    address: str


@dataclass(frozen=True)
class Wired:
    """`find`: the policies by the key of each version; `may_read`: who may know what they are called."""

    find: Callable[[Sequence[ComponentVersion]], Mapping[int, Sequence[Policy]]]
    may_read: Callable[[User], bool]


@dataclass(frozen=True)
class Asked:
    """What one person is told of one version. `others`: how many policies there are that they may not read."""

    policies: Sequence[Policy] = ()
    others: int = 0

    @property
    def count(self) -> int:
        return len(self.policies) + self.others

    @property
    def sentence(self) -> str:
        """For a message after an activation; "" where no policy asks."""
        if not self.count:
            return ""
        named = ", ".join(f"“{one.name}”" for one in self.policies)
        asks = "1 policy asks" if self.count == 1 else f"{self.count} policies ask"
        return f"{asks} a person again before plans with it run{': ' if named else ''}{named}."


_wired: Wired | None = None


def register(wired: Wired) -> None:
    """Wire the implementation. Called once, by composition."""
    global _wired
    _wired = wired


def of(version: ComponentVersion, user: User) -> Asked:
    """What this person is told of this version."""
    return of_all([version], user)[version.pk]


def of_all(versions: Sequence[ComponentVersion], user: User) -> dict[int, Asked]:
    """The same for many versions, by their keys."""
    found = policies(versions)
    if _wired is None or not _wired.may_read(user):
        return {one.pk: Asked(others=len(found[one.pk])) for one in versions}
    return {one.pk: Asked(found[one.pk]) for one in versions}


def policies(versions: Sequence[ComponentVersion]) -> dict[int, Sequence[Policy]]:
    """The policies by the key of each version, whoever may read them."""
    found = _wired.find(versions) if _wired is not None else {}
    return {one.pk: found.get(one.pk, ()) for one in versions}
