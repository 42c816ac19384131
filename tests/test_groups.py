"""Tests that share something costly stay on one worker. A pytest-xdist that cannot group says nothing of it."""

from __future__ import annotations

import os

import pytest


@pytest.mark.xdist_group("grouped")
def test_a_group_is_known_to_whoever_hands_tests_out(request: pytest.FixtureRequest) -> None:
    if "PYTEST_XDIST_WORKER" not in os.environ:
        pytest.skip("not handed out to workers")
    assert request.node.nodeid.endswith("@grouped")
