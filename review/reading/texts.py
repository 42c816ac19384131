"""Texts as reviewers read them: every line with its number, sizes in words."""

from __future__ import annotations

from dataclasses import dataclass

# Beyond this a text is shown as one block: the page would otherwise hold an element for each of a million lines.
MOST_NUMBERED_LINES = 3_000
_LONG = 160


@dataclass(frozen=True)
class Block:
    """A text in full. `lines` is empty when it has too many to number; `text` then holds all of it."""

    text: str
    lines: tuple[str, ...]
    line_count: int
    size_bytes: int
    ends_open: bool

    @property
    def facts(self) -> str:
        """How much it is, in words."""
        return f"{counted(self.line_count, 'line')}, {size(self.size_bytes)}"


def block(text: str) -> Block:
    """The text split at line feeds, and only there: whatever else could break a line is shown as what it is."""
    pieces = split(text)
    return Block(
        text=text,
        lines=tuple(pieces) if len(pieces) <= MOST_NUMBERED_LINES else (),
        line_count=len(pieces),
        size_bytes=len(text.encode("utf-8", "surrogatepass")),
        ends_open=bool(text) and not text.endswith("\n"),
    )


def split(text: str) -> list[str]:
    """The lines of a text without their line feeds; a last empty piece is no line."""
    pieces = text.split("\n")
    if pieces[-1] == "":
        pieces.pop()
    return pieces


def needs_block(text: str) -> bool:
    """True when the text would lose something in running type: line feeds, tabs, spaces that collapse, sheer length."""
    return "\n" in text or "\t" in text or "  " in text or text != text.strip() or len(text) > _LONG


def counted(number: int, noun: str) -> str:
    """`1 file`, `14 files`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def size(size_bytes: int) -> str:
    """A size as people say it: `812 bytes`, `32 KB`, `1.4 MB`."""
    if size_bytes < 1024:
        return counted(size_bytes, "byte")
    for unit, factor in (("KB", 1024), ("MB", 1024**2)):
        if size_bytes < factor * 1024:
            return (
                f"{size_bytes / factor:.0f} {unit}"
                if size_bytes >= 10 * factor
                else f"{size_bytes / factor:.1f} {unit}"
            )
    return f"{size_bytes / 1024**3:.1f} GB"
