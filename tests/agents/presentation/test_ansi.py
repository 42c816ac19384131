"""Terminal output becomes HTML that cannot lie and cannot do anything."""

from __future__ import annotations

import re
import unicodedata
from html import unescape
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from agents.presentation import ansi, hidden

HOSTILE = st.text(
    alphabet=st.one_of(
        st.sampled_from(list("\x1b[]0;1m38:5P^_X\\\x07\r\n\t\b<>&\"'abc\x9b\x9d\x9c\u202e\u200b\u2066m")),
        st.characters(),
    ),
    max_size=80,
)


class OnlySpans(HTMLParser):
    """Fails on any tag but a span with classes of the look."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text, self.depth = "", 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag == "span"
        self.depth += 1
        for name, value in attrs:
            assert name in {"class", "title"}
            if name == "class":
                assert re.fullmatch(r"(hidden-char|a-[krgybmcw]|a-bold|a-dim| )+", value or "")

    def handle_endtag(self, tag: str) -> None:
        assert tag == "span"
        self.depth -= 1

    def handle_data(self, data: str) -> None:
        self.text += data


def shown(html: str) -> str:
    parser = OnlySpans()
    parser.feed(html)
    parser.close()
    assert parser.depth == 0
    return parser.text


@given(HOSTILE)
def test_no_control_character_and_no_markup_survives(text: str) -> None:
    text_shown = shown(ansi.to_html(text).html)
    assert not [char for char in text_shown if hidden.is_hidden(char) and char not in "\n\t"]
    assert not [char for char in text_shown if unicodedata.category(char) in {"Cc", "Cf"} and char not in "\n\t"]


@given(st.text(alphabet=st.characters(codec="ascii", categories=["L", "N", "P", "S", "Zs"]), max_size=60))
def test_plain_text_is_shown_as_it_is(text: str) -> None:
    assert shown(ansi.to_html(text).html) == text


@given(HOSTILE, st.integers(1, 40))
def test_what_is_shown_is_bounded(text: str, limit: int) -> None:
    rendered = ansi.to_html(text * 20, limit)
    visible = re.sub(r"<span class=\"hidden-char\".*?</span>", "?", rendered.html)
    assert len(unescape(re.sub(r"<[^>]*>", "", visible))) <= limit + 80


def test_colours_become_classes_of_the_look() -> None:
    assert ansi.to_html("\x1b[31mred\x1b[0m plain").html == '<span class="a-r">red</span> plain'
    assert ansi.to_html("\x1b[1;92mgood").html == '<span class="a-g a-bold">good</span>'
    assert ansi.to_html("\x1b[38;5;196mx\x1b[39my").html == '<span class="a-r">x</span>y'
    assert ansi.to_html("\x1b[38;2;10;180;120mx").html == '<span class="a-g">x</span>'
    assert ansi.to_html("\x1b[38:2::10:180:120mx").html == '<span class="a-g">x</span>'
    assert ansi.to_html("\x1b[48;5;1;33mx").html == '<span class="a-y">x</span>'
    assert ansi.to_html("\x1b[2mx\x1b[22my").html == '<span class="a-dim">x</span>y'


def test_concealed_text_stays_visible() -> None:
    assert shown(ansi.to_html("\x1b[8mrm -rf /\x1b[0m").html) == "rm -rf /"


def test_cursor_movements_and_titles_leave_no_trace_in_the_text() -> None:
    assert shown(ansi.to_html("\x1b[2K\x1b[?25lab\x1b(Bc\x1bMd").html) == "abcd"
    assert shown(ansi.to_html("\x1b]0;pwned\x07text").html) == "OSCtext"
    assert shown(ansi.to_html("\x1b]8;;http://evil/\x1b\\link\x1b]8;;\x1b\\").html) == "OSClinkOSC"


def test_an_unfinished_control_string_hides_nothing() -> None:
    assert shown(ansi.to_html("\x1b]0;the rest is still here").html) == "U+001B]0;the rest is still here"


def test_a_progress_bar_shows_its_last_state_and_says_so() -> None:
    html = ansi.to_html("10 %\r50 %\r\x1b[32m100 %\r").html
    assert shown(html) == "CR 2 100 %"
    assert '<span class="a-g">100 %</span>' in html


def test_a_windows_line_end_is_no_rewriting() -> None:
    assert shown(ansi.to_html("one\r\ntwo\r").html) == "one\ntwo"


def test_markup_is_escaped() -> None:
    assert ansi.to_html("<script>alert('x')</script>").html == "&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;"


def test_a_megabyte_in_one_line_is_cut_and_says_so() -> None:
    rendered = ansi.to_html("x" * 1_000_000)
    assert rendered.cut
    assert len(rendered.html) == ansi.DISPLAY_MAX
    assert not ansi.to_html("short").cut


def test_a_flood_of_escapes_is_cut_too() -> None:
    rendered = ansi.to_html("\x1b[31mx" * 200_000)
    assert rendered.cut
    assert len(rendered.html) < 100_000
