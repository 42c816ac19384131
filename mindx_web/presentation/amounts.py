"""Amounts in as few characters as they stay useful: counts, dollars, seconds."""

from __future__ import annotations

_SIZES = ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k"))


def short(count: float) -> str:
    """A count: `0`, `512`, `1.2 k`, `34 k`, `5 M`."""
    for size, unit in _SIZES:
        # What would be rounded to a thousand of a unit is one of the next.
        if count >= size * 0.9995:
            part = count / size
            return f"{f'{part:.1f}'.removesuffix('.0') if part < 9.95 else f'{part:.0f}'} {unit}"
    return tenths(count)


def dollars(amount: float) -> str:
    """US dollars: `$0`, `$0.0042`, `$0.37`, `$12.40`, `$1,240`."""
    if not amount:
        return "$0"
    if amount < 0.1:
        return f"${f'{amount:.4f}'.rstrip('0')}" if amount >= 0.00005 else "under $0.0001"
    return f"${amount:,.2f}" if amount < 1000 else f"${amount:,.0f}"


def seconds(amount: float) -> str:
    """Seconds on an axis, where all have one unit: `0.5 s`, `4 s`, `120 s`."""
    return f"{tenths(amount)} s"


def times(ms: float) -> str:
    """Milliseconds in the unit in which they are a small number: `4 ms`, `250 ms`, `2.5 s`, `3 min`, `20 h`."""
    for size, unit in ((3_600_000, "h"), (60_000, "min"), (1_000, "s")):
        if ms >= size * 0.9995:
            return f"{tenths(ms / size)} {unit}"
    return f"{ms:.0f} ms" if ms >= 1 or not ms else "under 1 ms"


def tenths(amount: float) -> str:
    """A small number, with a tenth where it has one."""
    return f"{amount:.1f}".removesuffix(".0") if amount < 100 else f"{amount:.0f}"


def percent(amount: float) -> str:
    """Per cent on an axis: `50 %`."""
    return f"{amount:.0f} %"
