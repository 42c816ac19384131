"""The plot of reliability: how often labels are right, by how sure the model is of them (Guo et al. 2017), as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

_SIDE, _LEFT, _TOP, _LEGEND = 300, 46, 16, 250
_COLOURS = (
    *("#1f6feb", "#bf5700", "#2da44e", "#8250df", "#cf222e"),
    *("#0a7ea4", "#6e7781", "#9a6700", "#bc4c90", "#24292f"),
)
# Of fewer pairs a share says little.
_FEWEST = 20


def plot(sets: Mapping[str, Sequence[Sequence[float]]]) -> str:
    """An SVG with a line for each set, whose bins are (pairs, mean probability, share of right labels)."""
    width, height = _LEFT + _SIDE + _LEGEND, _TOP + _SIDE + 46
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" font-family="sans-serif"'
        ' font-size="11">',
        "<title>How often the entailment model is right, by how sure it is</title>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<rect x="{_LEFT}" y="{_TOP}" width="{_SIDE}" height="{_SIDE}" fill="none" stroke="#6e7781"/>',
        f'<path d="M{_x(0)} {_y(0)}L{_x(1)} {_y(1)}" stroke="#6e7781" stroke-dasharray="4 4"/>',
    ]
    for tick in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        parts.append(f'<text x="{_x(tick)}" y="{_TOP + _SIDE + 15}" text-anchor="middle">{tick:.1f}</text>')
        parts.append(f'<text x="{_LEFT - 6}" y="{_y(tick) + 4}" text-anchor="end">{tick:.1f}</text>')
    middle = _TOP + _SIDE / 2
    parts.append(f'<text x="{_x(0.5)}" y="{height - 12}" text-anchor="middle">mean probability of the label</text>')
    parts.append(
        f'<text x="12" y="{middle:g}" text-anchor="middle" transform="rotate(-90 12 {middle:g})">share right</text>'
    )
    for number, (name, bins) in enumerate(sets.items()):
        parts.extend(_line(number, name, bins))
    return "\n".join([*parts, "</svg>", ""])


def _line(number: int, name: str, bins: Sequence[Sequence[float]]) -> list[str]:
    colour = _COLOURS[number % len(_COLOURS)]
    points = [(_x(sure), _y(right), int(n)) for n, sure, right in bins if n >= _FEWEST]
    path = " ".join(f"{x},{y}" for x, y, _ in points)
    at, total = _TOP + 12 + 18 * number, sum(int(n) for n, _, _ in bins)
    dots = [
        f'<circle cx="{x}" cy="{y}" r="3.5" fill="{colour}"><title>{n} pairs</title></circle>' for x, y, n in points
    ]
    return [
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>',
        *dots,
        f'<rect x="{_LEFT + _SIDE + 12}" y="{at - 8}" width="10" height="10" fill="{colour}"/>',
        f'<text x="{_LEFT + _SIDE + 28}" y="{at + 1}">{escape(name)} (n = {total})</text>',
    ]


def _x(share: float) -> float:
    return round(_LEFT + _SIDE * share, 1)


def _y(share: float) -> float:
    return round(_TOP + _SIDE * (1 - share), 1)
