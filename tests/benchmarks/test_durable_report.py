"""What `make bench-durable` says about what it measured."""

from __future__ import annotations

from benchmarks.durable import report
from benchmarks.durable.audit import Audit
from benchmarks.durable.counts import Counts

_COUNTS = Counts(plans=500, transactions=1.2, wal_bytes=1400, logged_plans=20, statements=1.9, framing=0)


def test_a_ratio_is_of_the_medians_in_the_same_number_of_lanes() -> None:
    rates = {("mindx", 1): [90.0, 120.0, 1.0], ("langgraph", 1): [60.0, 70.0, 50.0], ("mindx", 4): [400.0]}
    assert report.ratio(rates, "mindx", 1) == 1.5
    assert report.ratio(rates, "mindx", 4) is None


def test_a_figure_that_was_missed_says_so() -> None:
    rates = {("mindx", 1): [89.0], ("mindx", 4): [200.0], ("langgraph", 1): [60.0], ("langgraph", 4): [100.0]}
    reached = {row.what: row.reached for row in report.figures(rates, {"mindx": _COUNTS})}
    assert list(reached.values()) == [False, True, True, True, True]
    assert "**no**" in "\n".join(report.rows(report.figures(rates, {})))


def test_wal_and_transactions_above_the_figure_are_no_success() -> None:
    costly = Counts(plans=500, transactions=1.26, wal_bytes=1501, logged_plans=20, statements=2.01, framing=0)
    assert [row.reached for row in report.figures({}, {"mindx": costly})] == [False, False, False]


def test_what_was_bypassed_stands_below_the_tables() -> None:
    whole = Audit(2, 20, 50, 2, 2, 20, 8, ())
    assert report.audited(whole)[-1] == "Nothing is missing."
    missing = Audit(2, 19, 50, 2, 2, 20, 8, ("plan 1 has 9 succeeded attempts",))
    assert report.audited(missing)[-1] == "**Missing:** plan 1 has 9 succeeded attempts"
