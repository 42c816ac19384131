"""Whether a file can be read as what its name says."""

from __future__ import annotations

import pytest

from agents.bdi.outcome.file_syntax import NotRead, fault, language


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("a.py", b"x = 1\n"),
        ("a.py", b"\xef\xbb\xbfx = 1\n"),
        ("a.json", b'{"a": [1]}'),
        ("a.yaml", b"a: [1, 2]\nb: &x 3\nc: *x\n"),
        ("A.YML", b"- 1\n"),
        ("a.toml", b"[a]\nb = 1\n"),
    ],
)
def test_what_can_be_read_has_no_fault(path: str, content: bytes) -> None:
    assert fault(path, content) == ""


@pytest.mark.parametrize(
    ("path", "content", "where"),
    [
        ("a.py", b"x = 1\ndef f(:\n", "line 2"),
        ("a.py", b"x = '\0'", "null bytes"),
        ("a.py", b"(" * 5_000, ""),
        ("a.json", b'{\n"a": }', "line 2"),
        ("a.json", b"[" * 100_000, "nested too deeply"),
        ("a.json", b"\xff\xfe\xfa", ""),
        ("a.yaml", b"a: [1\nb: 2", "line 2"),
        # Measured without the bound: more than a minute.
        ("a.yaml", b"[" * 250_000, "nested too deeply"),
        ("a.toml", b"a = \n", "line 1"),
        ("a.toml", b"\xff", "UTF-8"),
    ],
)
def test_what_cannot_be_read_says_where(path: str, content: bytes, where: str) -> None:
    found = fault(path, content)
    assert found
    assert where in found


def test_other_files_are_not_read() -> None:
    assert (language("a.txt"), language("Makefile"), language("x/y.Py")) == ("", "", "Python")


def test_a_name_of_toml_that_would_fill_the_memory_is_not_read() -> None:
    assert fault("a.toml", b"b." * 900 + b"c = 1\n") == ""
    with pytest.raises(NotRead, match="dots"):
        fault("a.toml", b"a." * 6_000 + b"a = 1\n")
