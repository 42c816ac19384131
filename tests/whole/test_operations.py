"""What an operator does with a running mindX, done to a real one."""

from __future__ import annotations

import json

import pytest

from tests.whole.started import Whole

pytestmark = pytest.mark.xdist_group("whole")


def test_the_doctor_finds_a_running_mindx_well(whole: Whole) -> None:
    report = json.loads(whole.running.manage("doctor", "--json", "--whole-store"))
    found = {(each["check"], each["grade"]): each for each in report["findings"]}
    assert report["counts"]["fail"] == 0, report
    for check in (
        "database",
        "migrations",
        "rights",
        "clock",
        "workers",
        "scheduler",
        "keys",
        "modes",
        "chains",
        "store",
    ):
        assert (check, "ok") in found, report
    assert "mindx_app" in found["rights", "ok"]["says"]
    assert "L3" in found["workers", "ok"]["says"]
