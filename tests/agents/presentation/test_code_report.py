"""A report from the jail becomes charts, or nothing when it is none."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.presentation import code_report
from agents.presentation.treemap import Box, laid_out
from tests.agents.presentation.reports import REPORT


@given(st.lists(st.integers(1, 10_000), min_size=1, max_size=60))
def test_boxes_have_the_sizes_areas_and_fill_the_picture_without_overlap(sizes: list[int]) -> None:
    sizes.sort(reverse=True)
    boxes = laid_out(sizes, Box(0, 0, 1000, 420))
    unit = 420_000 / sum(sizes)
    for size, box in zip(sizes, boxes, strict=True):
        assert box.width * box.height == pytest.approx(size * unit, rel=1e-6)
        assert -1e-6 <= box.x <= box.x + box.width <= 1000 + 1e-6
        assert -1e-6 <= box.y <= box.y + box.height <= 420 + 1e-6
    for one, other in itertools.pairwise(boxes):
        across = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
        down = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
        assert min(across, down) < 1e-6


def test_a_report_becomes_bars_and_a_picture_of_its_files() -> None:
    report = code_report.read(REPORT)
    assert isinstance(report, code_report.Analysis)
    assert [(bar.name, bar.share) for bar in code_report.language_bars(report)] == [("Python", 100.0), ("HTML", 10.0)]
    assert [bar.value for bar in code_report.complexity_bars(report)] == [5, 1, 1, 0, 0]
    drawn = code_report.map_of(report)
    assert [(one.file.path, one.file.look) for one in drawn] == [("app/a.py", "look"), ("app/b.py", "calm")]
    assert drawn[0].label == "a.py"
    assert code_report.bars([("nothing", 0, "plain")])[0].share == 0


@pytest.mark.parametrize(
    "changed",
    [
        None, [], {}, {**REPORT, "kind": "other"}, {**REPORT, "files": "x"},
        {**REPORT, "totals": {**REPORT["totals"], "lines": -1}},
        {**REPORT, "notes": ["x" * 100_000]}, {**REPORT, "files": REPORT["files"] * 1000},
    ],
)  # fmt: skip
def test_what_is_no_report_is_none(changed: Any) -> None:
    assert code_report.read(changed) is None
