"""What was measured, as tables of Markdown: kept in benchmarks/results/durable.md as they are."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.durable.audit import Audit
from benchmarks.durable.counts import Counts
from benchmarks.durable.protocol import BY_KEY, STEPS

_PEER = "langgraph"


@dataclass(frozen=True)
class Row:
    """A row of the design's figures: what, the figure to reach, what was measured, whether it was reached."""

    what: str
    to_reach: str
    measured: str
    reached: bool


def throughput(rates: Mapping[tuple[str, int], Sequence[float]]) -> list[str]:
    """Plans per second by (engine, lanes): median, least and most, and the ratio of the medians to LangGraph's."""
    lanes = sorted({count for _, count in rates})
    head = ["engine", *(f"{_lanes(count)}: plans/s (from – to)" for count in lanes)]
    head += [f"× LangGraph, {_lanes(count)}" for count in lanes]
    body = [
        [
            BY_KEY[key].title,
            *(_spread(rates[key, count]) for count in lanes),
            *(_times(ratio(rates, key, count)) for count in lanes),
        ]
        for key in dict.fromkeys(key for key, _ in rates)
    ]
    return _table(head, body)


def ratio(rates: Mapping[tuple[str, int], Sequence[float]], key: str, lanes: int) -> float | None:
    """How many times LangGraph's plans per second; None when it was not measured beside."""
    if (_PEER, lanes) not in rates:
        return None
    return statistics.median(rates[key, lanes]) / statistics.median(rates[_PEER, lanes])


def costs(counts: Mapping[str, Counts]) -> list[str]:
    """What a step costs in Postgres."""
    head = ["engine", "transactions a step", "WAL a step", "statements a step", "BEGIN, COMMIT … a step", "plans"]
    body = [
        [
            BY_KEY[key].title,
            f"{one.transactions:.2f}",
            f"{one.wal_bytes / 1000:.2f} kB",
            f"{one.statements:.2f}",
            f"{one.framing:.2f}",
            f"{one.plans} (statements: {one.logged_plans})",
        ]
        for key, one in counts.items()
    ]
    return _table(head, body)


def figures(rates: Mapping[tuple[str, int], Sequence[float]], counts: Mapping[str, Counts]) -> list[Row]:
    """The rows of the design's figures that these measurements answer."""
    rows = []
    for key in ("mindx", "mindx-worker", "mindx-jail"):
        for lanes in sorted({count for name, count in rates if name == key}):
            if (times := ratio(rates, key, lanes)) is not None:
                what = f"plans/s of {BY_KEY[key].title} to LangGraph's, {_lanes(lanes)}"
                to_reach = "shown" if key == "mindx-jail" else "≥ 1.50 ×"
                rows.append(Row(what, to_reach, f"{times:.2f} ×", key == "mindx-jail" or times >= 1.5))
    if (ours := counts.get("mindx")) is not None:
        rows += [
            Row("transactions a step", "≤ 1.25", f"{ours.transactions:.2f}", ours.transactions <= 1.25),
            Row("WAL a step", "≤ 1.50 kB", f"{ours.wal_bytes / 1000:.2f} kB", ours.wal_bytes <= 1500),
            Row("statements a step", "≤ 2.00", f"{ours.statements:.2f}", ours.statements <= 2),
        ]
    return rows


def rows(made: Iterable[Row]) -> list[str]:
    """The design's figures with what was measured."""
    body = [[row.what, row.to_reach, row.measured, "yes" if row.reached else "**no**"] for row in made]
    return _table(["what", "to reach", "measured", "reached"], body)


def audited(one: Audit) -> list[str]:
    """What ours left in the tables, and what is missing there."""
    said = [
        f"Left behind by {one.plans:,} plans of ours, {STEPS} steps each: {one.attempts:,} attempts,"
        f" {one.snapshots:,} of them with snapshots before and after, {one.log_lines:,} log lines,"
        f" {one.digests:,} documents whose SHA-256 is the approved digest, {one.approvals:,} sealed approvals,"
        f" {one.transitions:,} transitions."
    ]
    return (
        [*said, *(f"**Missing:** {fault}" for fault in one.faults[:20])]
        if one.faults
        else [*said, "Nothing is missing."]
    )


def _lanes(count: int) -> str:
    return "1 lane" if count == 1 else f"{count} lanes"


def _spread(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.1f} ({min(values):.1f} – {max(values):.1f})"


def _times(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _table(head: Sequence[str], body: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *body)]
