"""Every pair of states of a policy against the table."""

from __future__ import annotations

import itertools

import pytest

from people.models import User
from review.models import PolicyChange, ReviewPolicy
from review.policies.moves import move_policy
from review.policy.states import POLICY_MOVES, PolicyState

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("old", "new"), list(itertools.product(PolicyState, PolicyState)))
def test_a_policy_goes_only_where_the_table_lets_it(old: PolicyState, new: PolicyState, operator: User) -> None:
    policy = ReviewPolicy.objects.create(name="a policy", state=old.value, replayed=1)
    moved = move_policy(policy, new, event="moved", by=operator, data={})
    assert moved is (new in POLICY_MOVES[old])
    policy.refresh_from_db()
    assert policy.state == (new if moved else old).value
    assert PolicyChange.objects.count() == int(moved)
