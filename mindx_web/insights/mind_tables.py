"""Tables of the insights of the mind: numbers that lead to their cases, drawn here.

A page has many hundreds of cells, and Django's templates take ten times as long for each.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from django.utils.safestring import SafeString, mark_safe

from agents.presentation.hidden import visible_html


@dataclass(frozen=True)
class Cell:
    """A number of a table or a figure: its text, and the address of as many cases as `cases` says."""

    text: str
    href: str = ""
    cases: int = 0
    sub: str = ""

    @property
    def html(self) -> SafeString:
        """As a table has it."""
        shown = escape(self.text)
        if self.sub:
            shown += f' <small class="faint nowrap">{escape(self.sub)}</small>'
        if self.href:
            shown = f'<a href="{escape(self.href)}" data-cases="{self.cases}">{shown}</a>'
        return mark_safe(shown)  # noqa: S308  # each part is escaped, by Python's own: Django's takes four times as long

    def said(self, text: str, sub: str = "") -> Cell:
        """Another number that leads to the same cases."""
        return Cell(text, self.href, self.cases, sub)


@dataclass(frozen=True)
class Row:
    """A line of a table. `href` leads to the same page for this alone."""

    name: str
    cells: tuple[Cell, ...]
    href: str = ""

    def html(self, look: str = "") -> str:
        """As a table has it; `look` is a class of its head."""
        name = visible_html(self.name, one_line=True)
        if self.href:
            name = f'<a href="{escape(self.href)}">{name}</a>'
        of_class = f' class="{look}"' if look else ""
        cells = "".join([f'<td class="num">{cell.html}</td>' for cell in self.cells])
        return f'<tr><th scope="row"{of_class}>{name}</th>{cells}</tr>\n'


@dataclass(frozen=True)
class Table:
    """One breakdown. `look` is the class of its rows' heads."""

    key: str
    title: str
    sub: str
    head: tuple[str, ...]
    rows: tuple[Row, ...]
    empty: str
    look: str = ""

    @property
    def html(self) -> SafeString:
        """What stands in its `<table>`: a name to the left, numbers to the right."""
        name, *others = (escape(word) for word in self.head)
        numbers = "".join([f'<th scope="col" class="num">{word}</th>' for word in others])
        head = f'<th scope="col">{name}</th>{numbers}'
        rows = "".join([row.html(self.look) for row in self.rows])
        return mark_safe(f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>")  # noqa: S308  # parts are escaped
