"""The states of a policy and the allowed moves. `review.policies.moves` makes the moves."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class PolicyState(StrEnum):
    """The state of a policy. Only `enabled` ones apply; retired ones stay readable."""

    DRAFT = "draft"
    ENABLED = "enabled"
    SUSPENDED = "suspended"
    RETIRED = "retired"


S = PolicyState

POLICY_MOVES: Mapping[PolicyState, frozenset[PolicyState]] = {
    # Back to draft: somebody wrote a newer version that was not replayed yet.
    S.DRAFT: frozenset({S.DRAFT, S.ENABLED, S.RETIRED}),
    S.ENABLED: frozenset({S.DRAFT, S.SUSPENDED, S.RETIRED}),
    S.SUSPENDED: frozenset({S.DRAFT, S.ENABLED, S.RETIRED}),
    S.RETIRED: frozenset(),
}
