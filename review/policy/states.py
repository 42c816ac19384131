"""The states of a policy and how it may go from one to another. `review.policies.moves` is what moves."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class PolicyState(StrEnum):
    """Whether a policy counts. Only `enabled` does; what is retired stays to be read."""

    DRAFT = "draft"
    ENABLED = "enabled"
    SUSPENDED = "suspended"
    RETIRED = "retired"


S = PolicyState

POLICY_MOVES: Mapping[PolicyState, frozenset[PolicyState]] = {
    # A draft again: somebody wrote a newer version, which nobody has replayed.
    S.DRAFT: frozenset({S.DRAFT, S.ENABLED, S.RETIRED}),
    S.ENABLED: frozenset({S.DRAFT, S.SUSPENDED, S.RETIRED}),
    S.SUSPENDED: frozenset({S.DRAFT, S.ENABLED, S.RETIRED}),
    S.RETIRED: frozenset(),
}
