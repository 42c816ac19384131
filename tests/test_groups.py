"""Tests that share something costly stay on one worker. A pytest-xdist that cannot group says nothing of it."""

from __future__ import annotations

import os

import pytest


@pytest.mark.xdist_group("grouped")
def test_a_group_is_known_to_whoever_hands_tests_out(request: pytest.FixtureRequest) -> None:
    if "PYTEST_XDIST_WORKER" not in os.environ:
        pytest.skip("not handed out to workers")
    assert request.node.nodeid.endswith("@grouped")


def test_the_tests_of_a_file_share_one_browser(request: pytest.FixtureRequest) -> None:
    for item in request.session.items:
        if "chromium" in getattr(item, "fixturenames", ()):
            assert [mark.args for mark in item.iter_markers("xdist_group")] == [(item.path.stem,)]
