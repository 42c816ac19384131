"""The cells of a row of what models took: what they say, and which calls they lead to."""

from __future__ import annotations

from decimal import Decimal

from library.language.insights import Figures
from mindx_web.presentation.taken import Cell, cells
from mindx_web.templatetags.mindx import taken

USED = Figures(8, 2, 1, 4_000, 500, Decimal("0.08"), 0, 16_000, 6, 4)


def test_each_number_leads_to_the_calls_that_it_counts() -> None:
    assert [(cell.words, cell.came) for cell in cells(USED)] == [
        ("11", ""),
        ("1", "failed"),
        ("2", "cached"),
        ("4 k", "used"),
        ("500", "used"),
        ("$0.08", "used"),
        ("2.0 s", "answered"),
        ("1.50", "attempt"),
    ]
    assert [cell.is_bad for cell in cells(USED)] == [False, True, *[False] * 6]


def test_what_was_not_leads_nowhere() -> None:
    assert cells(Figures())[1:] == tuple(map(Cell, ("0", "0", "0", "0", "$0", "no answer", "none asked")))
    assert cells(Figures(answered=1, unpriced=1))[5] == Cell("unknown", "used")
    assert cells(Figures(failed=1, cost=Decimal("0.5")))[5] == Cell("$0.50", "used")
    assert cells(Figures(attempts=2))[7] == Cell("no plan", "attempt")


def test_an_address_is_escaped_and_says_what_the_calls_came_to() -> None:
    drawn = taken(USED, "/calls/", 'from=1&model="')
    assert drawn.count("<td") == 8
    assert '<a class="is-bad" href="/calls/?from=1&amp;model=&quot;&amp;came=failed">1</a>' in drawn
