"""Texts as reviewers read them: every line with its number, sizes in words."""

from __future__ import annotations

# A longer text is shown as one block, because the page would need an element for each of a million lines.
MOST_NUMBERED_LINES = 3_000
_LONG = 160


def facts(text: str) -> str:
    """The size of a text in words: `12 lines, 812 bytes`."""
    return f"{counted(len(split(text)), 'line')}, {size(len(text.encode('utf-8', 'surrogatepass')))}"


def split(text: str) -> list[str]:
    """The lines of a text without their line feeds; an empty last part is not a line."""
    pieces = text.split("\n")
    if pieces[-1] == "":
        pieces.pop()
    return pieces


def needs_block(text: str) -> bool:
    """True if running text would lose parts of it: line feeds, tabs, spaces that collapse, or because it is long."""
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
