"""Answers for people: short, true to what came, and nothing in them that a terminal would obey."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.console.readable import Flow, error, harmless, lines
from sandbox.contract import Result


def said(command: str, **data: Any) -> list[str]:
    return lines(command, Result("SUCCESS", data))


@given(st.text())
def test_no_text_steers_a_terminal(text: str) -> None:
    shown = harmless(text)
    assert all(one in "\n\t" or unicodedata.category(one) not in ("Cc", "Cf", "Cs", "Zl", "Zp") for one in shown)


@given(st.lists(st.binary(max_size=8)))
def test_a_flow_shows_the_same_however_it_is_cut(pieces: list[bytes]) -> None:
    cut, whole = Flow(), Flow()
    shown = "".join(cut.add(piece) for piece in pieces) + cut.add(b"", last=True)
    assert shown == whole.add(b"".join(pieces)) + whole.add(b"", last=True)


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        ([b"gr\xc3", b"\xbcn"], "grün"),
        ([b"\xff"], "\\xff"),
        ([b"10%\r20%\r", b"\n"], "10%\n20%\n"),
        ([b"a\r", b"", b"\nb"], "a\nb"),
        ([b"\x1b[31mred\x1b[0m"], "\\x1b[31mred\\x1b[0m"),
    ],
)
def test_output_is_shown_as_it_came(pieces: list[bytes], shown: str) -> None:
    flow = Flow()
    assert "".join(flow.add(piece) for piece in pieces) + flow.add(b"", last=True) == shown


def test_a_flow_knows_whether_a_line_is_unfinished() -> None:
    flow = Flow()
    assert not flow.is_mid_line
    flow.add(b"half")
    assert flow.is_mid_line
    flow.add(b" a line\n")
    assert not flow.is_mid_line


def test_a_folder_is_a_table() -> None:
    items = [
        {"name": "src", "kind": "dir", "size_bytes": 4096},
        {"name": "two\nlines\x1b[2J", "kind": "file", "size_bytes": 12345},
        {"name": "way", "kind": "link", "size_bytes": 3},
    ]
    assert said("ls", items=items) == ["        src/", "12,345  two\\nlines\\x1b[2J", "     3  way (link)"]
    assert said("ls", items=[]) == []


def test_what_was_found_is_shown_with_how_much_was_left_out() -> None:
    match = {"path": "a.py", "line": 3, "text": "def main():"}
    assert said("grep", matches=[match], total=9, left_out=8, files=1) == ["a.py:3: def main():", "[8 more]"]
    item = {"path": "a/b.py", "kind": "file", "size_bytes": 1}
    assert said("find", items=[item], total=1, left_out=0) == ["1  a/b.py"]


def test_a_file_is_its_text() -> None:
    assert said("read", content="one\n\ttwo\n", encoding="utf-8", size_bytes=9) == ["one", "\ttwo"]
    assert said("read", content="", encoding="utf-8", size_bytes=0) == []
    cut = said("read", content="one", encoding="utf-8", size_bytes=9_000_000, truncated=True)
    assert cut == ["one", "[not all: the file has 9,000,000 bytes]"]
    (binary,) = said("read", content="//8=", encoding="base64", size_bytes=2)
    assert binary.startswith("[no text: 2 bytes")


def test_a_program_has_said_its_words_already() -> None:
    assert said("run", stdout="x", stderr="", return_code=0) == []
    assert said("run", stdout="x", stderr="", return_code=0, left_running=2) == [
        "[2 processes it had left running were ended]"
    ]


def test_other_answers_are_their_message_or_else_all_they_hold() -> None:
    assert said("mkdir", message="Made ./a") == ["Made ./a"]
    assert said("new_command", taken=3) == ["taken: 3"]
    assert said("env", env={"B": "2\n", "A": "1"}) == ["A=1", "B=2\\n"]


def test_an_error_is_one_line() -> None:
    failed = Result("ERROR", {}, "INVALID_PARAMETERS", "it is\nnot \x1b[2J there")
    assert error(failed) == "error: it is not \\x1b[2J there (INVALID_PARAMETERS)"


def test_what_happened_on_the_network_is_told_of_what_went_well_and_of_what_failed() -> None:
    sha256 = "ab" * 32
    network = {
        "downloads": [
            {"file": "httpx.whl", "sha256": sha256, "size_bytes": 73512, "cached": False},
            {"file": "idna.whl", "sha256": sha256, "size_bytes": 1, "cached": True},
        ],
        "hosts": [{"host": "127.0.0.1:8123", "connections": 2, "sent_bytes": 1000, "received_bytes": 5}],
        "refused": [
            {"host": "two\nlines\x1b[2J", "port": None},
            {"host": "a.example", "port": 443, "why": "no address"},
        ],
        "left_out": 7,
    }
    told = [
        f"[fetched: httpx.whl, 73,512 bytes, SHA-256 {sha256}]",
        f"[taken from the cache: idna.whl, 1 bytes, SHA-256 {sha256}]",
        "[reached 2 times: 127.0.0.1:8123, 1,000 bytes sent, 5 received]",
        "[refused: two\\nlines\\x1b[2J, which was not approved]",
        "[refused: a.example:443, no address]",
        "[7 more of the network]",
    ]
    assert said("run", return_code=0, network=network) == told
    assert lines("run", Result("ERROR", {"network": network}, "PERMISSION_ERROR", "x")) == told
    assert said("process_log", message="web is running", network=network) == ["web is running", *told]
