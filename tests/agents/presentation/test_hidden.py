"""Nothing invisible stays invisible."""

from __future__ import annotations

import pytest

from agents.presentation import hidden


@pytest.mark.parametrize(
    "char", "\u202e\u2066\u200b\u200d\ufeff\u00ad\u00a0\x00\x1b\x7f\x85\u2028\u3164\ufe0f\U000e0041"
)
def test_an_invisible_character_is_written_out(char: str) -> None:
    html = hidden.visible_html(f"a{char}b")
    assert f"U+{ord(char):04X}" in html
    assert char not in html


def test_ordinary_writing_of_any_language_is_left_alone() -> None:
    assert hidden.visible_html("größe 東京 жизнь مرحبا") == "größe 東京 жизнь مرحبا"


def test_a_byte_that_is_not_utf8_is_named() -> None:
    name = b"caf\xe9.txt".decode("utf-8", "surrogateescape")
    assert ">byte E9</span>.txt" in hidden.visible_html(name)
    assert hidden.visible_text(name) == "caf[byte E9].txt"


def test_markup_is_escaped_beside_a_hidden_character() -> None:
    assert "&lt;b&gt;" in hidden.visible_html("<b>\u202e")
