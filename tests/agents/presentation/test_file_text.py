"""What is shown of a file is decided by its bytes."""

from __future__ import annotations

import pytest

from agents.presentation import file_text


def test_text_is_split_into_lines_without_an_empty_last_one() -> None:
    text = file_text.text_of(b"one\ntwo\n", is_whole=True)
    assert text is not None
    assert (text.lines, text.cut) == (("one", "two"), False)


@pytest.mark.parametrize("data", [b"\x00", b"abc\x00def", b"\xff\xfe", b"caf\xe9 and on"])
def test_what_is_not_utf8_is_no_text(data: bytes) -> None:
    assert file_text.text_of(data, is_whole=True) is None


def test_a_character_cut_in_two_by_the_limit_is_let_go() -> None:
    head = "größe".encode()[:4]
    text = file_text.text_of(head, is_whole=False)
    assert text is not None
    assert (text.lines, text.cut) == (("grö",), True)
    assert file_text.text_of("gr\u00f6".encode()[:3], is_whole=True) is None


def test_many_and_long_lines_are_bounded_and_it_is_said() -> None:
    many = file_text.text_of(b"x\n" * 10_000, is_whole=True)
    long = file_text.text_of(b"x" * 10_000, is_whole=True)
    assert many is not None
    assert long is not None
    assert (len(many.lines), many.cut) == (file_text.LINES_MAX, True)
    assert (len(long.lines[0]) < 2_010, long.cut) == (True, True)


def test_only_four_kinds_of_pictures_are_drawn() -> None:
    assert file_text.image_type(b"\x89PNG\r\n\x1a\n...") == "image/png"
    assert file_text.image_type(b"\xff\xd8\xff\xe0") == "image/jpeg"
    assert file_text.image_type(b"GIF89a") == "image/gif"
    assert file_text.image_type(b"RIFF\x00\x00\x00\x00WEBP") == "image/webp"
    for other in (b"<svg", b"<?xml", b"<html>", b"RIFF\x00\x00\x00\x00WAVE", b"%PDF", b""):
        assert file_text.image_type(other) == ""
