"""Terminal output as safe HTML: colours become classes of the look, everything else is dropped or made visible.

The grammar is that of ECMA-48: CSI sequences (of which only SGR, colours and weight, has a meaning here), control
strings (OSC, DCS, SOS, PM, APC) and two-character escapes. Text is escaped; no byte of it reaches the page as markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from agents.presentation import hidden

DISPLAY_MAX = 4_000
_COLOURS = "krgybmcw"
_RGB = (
    (0, 0, 0),
    (205, 49, 49),
    (13, 188, 121),
    (229, 229, 16),
    (36, 114, 200),
    (188, 63, 188),
    (17, 168, 205),
    (229, 229, 229),
)
_CUBE = (0, 95, 135, 175, 215, 255)

_TOKEN = re.compile(
    r"""
      (?:\x1b\[|\x9b) (?P<params>[0-?]*) (?P<middle>[ -/]*) (?P<final>[@-~])
    | (?:\x1b(?P<opener>[\]PX^_])|(?P<opener8>[\x9d\x90\x98\x9e\x9f])) [^\x07\x1b\x9c]* (?:\x07|\x1b\\|\x9c)
    | \x1b [ -/]* [0-OQ-WYZ\\`-~]
    """,
    re.VERBOSE,
)
_STRINGS = {"]": "OSC", "P": "DCS", "X": "SOS", "^": "PM", "_": "APC"}
_STRINGS_8 = {"\x9d": "OSC", "\x90": "DCS", "\x98": "SOS", "\x9e": "PM", "\x9f": "APC"}


@dataclass(frozen=True)
class Rendered:
    """HTML to show, and whether the text was longer than what is shown."""

    html: str
    cut: bool


@dataclass(frozen=True)
class Style:
    """What SGR has switched on: a colour letter of the look, or none."""

    colour: str = ""
    bold: bool = False
    dim: bool = False

    @property
    def classes(self) -> str:
        names = [f"a-{self.colour}"] if self.colour else []
        return " ".join(names + ["a-bold"] * self.bold + ["a-dim"] * self.dim)


PLAIN = Style()


def to_html(text: str, limit: int = DISPLAY_MAX) -> Rendered:
    """Render one log line. `limit` is the number of characters shown of it; a hostile megabyte stays bounded."""
    cut = len(text) > limit * 2
    text, rewrites = _last_state(text[: limit * 2])
    parts, room = [], limit
    if rewrites:
        title = f"rewritten {rewrites} times by carriage returns; every state is in the raw log"
        parts.append(f'<span class="hidden-char" title="{title}">CR {rewrites}</span> ')
    for style, piece in _runs(text):
        if room <= 0:
            cut = True
            break
        parts.append(_span(style, piece[:room]))
        cut = cut or len(piece) > room
        room -= len(piece)
    return Rendered("".join(parts), cut)


def _last_state(text: str) -> tuple[str, int]:
    """What stands in the line after its carriage returns, and how many earlier states they overwrote.

    A progress bar is one line that is rewritten. Only the last state is shown, but never without saying so: text
    that is overwritten could be what a reader should have seen.
    """
    if "\r" not in text:
        return text, 0
    states = [state for state in text.replace("\r\n", "\n").split("\r") if state]
    if not states:
        return "", 0
    colours = "".join(
        match.group() for state in states[:-1] for match in _TOKEN.finditer(state) if match["final"] == "m"
    )
    return colours + states[-1], len(states) - 1


def _runs(text: str) -> Iterator[tuple[Style, str | _Mark]]:
    style, at = PLAIN, 0
    for match in _TOKEN.finditer(text):
        if match.start() > at:
            yield style, text[at : match.start()]
        at = match.end()
        if match["final"] == "m" and not match["middle"]:
            style = _sgr(style, match["params"])
        elif name := _STRINGS.get(match["opener"] or "") or _STRINGS_8.get(match["opener8"] or ""):
            yield style, _Mark(name)
    if at < len(text):
        yield style, text[at:]


class _Mark(str):
    """The name of a control string whose content was left out."""


def _span(style: Style, piece: str | _Mark) -> str:
    if isinstance(piece, _Mark):
        return f'<span class="hidden-char" title="a control string; the raw log holds it">{escape(piece)}</span>'
    html = hidden.visible_html(piece)
    return f'<span class="{style.classes}">{html}</span>' if style.classes else html


def _sgr(style: Style, params: str) -> Style:
    """The style after one SGR sequence. Unknown numbers change nothing; `conceal` (8) is ignored on purpose."""
    codes = iter(params.split(";"))
    for code in codes:
        head, *sub = code.split(":")
        number = int(head) if head.isdigit() and len(head) < 4 else 0 if head == "" else -1
        if number in (38, 48):
            colour = _extended(sub) if sub else _extended_from(codes)
            style = Style(colour, style.bold, style.dim) if number == 38 and colour else style
        else:
            style = _simple(style, number)
    return style


def _simple(style: Style, number: int) -> Style:
    match number:
        case 0:
            return PLAIN
        case 1:
            return Style(style.colour, True, style.dim)
        case 2:
            return Style(style.colour, style.bold, True)
        case 22:
            return Style(style.colour)
        case 39:
            return Style("", style.bold, style.dim)
        case _ if 30 <= number <= 37 or 90 <= number <= 97:
            return Style(_COLOURS[number % 10], style.bold, style.dim)
    return style


def _extended_from(codes: Iterator[str]) -> str:
    """The colour of `38;5;N` or `38;2;R;G;B`; the numbers that belong to it are consumed."""
    kind = next(codes, "")
    return _extended([kind, *(next(codes, "") for _ in range({"5": 1, "2": 3}.get(kind, 0)))])


def _extended(values: list[str]) -> str:
    numbers = [int(value) if value.isdigit() and len(value) < 4 else 0 for value in values]
    if len(numbers) >= 2 and numbers[0] == 5:
        return _of_256(numbers[1])
    if len(numbers) >= 4 and numbers[0] == 2:
        red, green, blue = numbers[-3:]
        return _nearest(red, green, blue)
    return ""


def _of_256(index: int) -> str:
    if index < 16:
        return _COLOURS[index % 8]
    if index >= 232:
        return "k" if index < 244 else "w"
    index -= 16
    return _nearest(_CUBE[index // 36 % 6], _CUBE[index // 6 % 6], _CUBE[index % 6])


def _nearest(red: int, green: int, blue: int) -> str:
    distances = [(r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2 for r, g, b in _RGB]
    return _COLOURS[distances.index(min(distances))]
