"""Pages of a package index: both forms say the same, and what cannot be verified is left out."""

from __future__ import annotations

import json

import pytest

from sandbox.gate.project import File, PageRefused, as_html, as_json, normal, read

URL = "https://index.example/simple/part/"
ONE, TWO = "a" * 64, "b" * 64
FILES = [
    File("part-1.0-py3-none-any.whl", "https://files.example/p/part-1.0-py3-none-any.whl", ONE, ">=3.8", None, TWO),
    File("part-0.9.tar.gz", "https://index.example/p/part-0.9.tar.gz", TWO, None, 'it is "broken" <b>', None),
    File("part-0.8.tar.gz", "https://index.example/p/part-0.8.tar.gz", ONE, None, "", None),
]


def _theirs() -> bytes:
    return json.dumps(
        {
            "files": [
                {
                    "filename": each.name,
                    "url": each.url,
                    "hashes": {"sha256": each.sha256},
                    "requires-python": each.requires_python,
                    "yanked": False if each.yanked is None else each.yanked or True,
                    "core-metadata": {"sha256": each.metadata_sha256} if each.metadata_sha256 else True,
                }
                for each in FILES
            ]
        }
    ).encode()


def test_json_is_read() -> None:
    assert read(_theirs(), "application/vnd.pypi.simple.v1+json; charset=utf-8", URL) == FILES


@pytest.mark.parametrize(("form", "kind"), [(as_json, "application/json"), (as_html, "text/html")])
def test_what_is_written_is_read_as_the_same_with_addresses_of_our_own(form: object, kind: str) -> None:
    again = read(form("part", FILES), kind, "http://127.77.0.2/simple/part/")  # type: ignore[operator]
    assert [(each.name, each.sha256, each.requires_python, each.yanked, each.metadata_sha256) for each in again] == [
        (each.name, each.sha256, each.requires_python, each.yanked, each.metadata_sha256) for each in FILES
    ]
    assert [each.url for each in again] == [f"http://127.77.0.2{each.place}" for each in FILES]


def test_the_base_of_a_page_counts() -> None:
    page = f'<base href="https://files.example/d/"><a href="part-1.zip#sha256={ONE}">part-1.zip</a>'
    assert [each.url for each in read(page.encode(), "text/html", URL)] == ["https://files.example/d/part-1.zip"]


@pytest.mark.parametrize(
    "link",
    [
        '<a href="part-1.zip">no hash</a>',
        f'<a href="part-1.zip#md5={"a" * 32}">a weak one</a>',
        '<a href="part-1.zip#sha256=abc">half of one</a>',
        f'<a href="..%2f..%2fetc#sha256={ONE}">a path</a>',
        f'<a href=".hidden#sha256={ONE}">hidden</a>',
        f'<a href="{"a" * 300}#sha256={ONE}">long</a>',
    ],
)
def test_a_file_that_cannot_be_verified_or_kept_is_left_out(link: str) -> None:
    assert read(link.encode(), "text/html", URL) == []


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"files": [{"filename": 1, "url": 2, "hashes": 3}]}', b"\xff"])
def test_what_is_no_page_is_refused(content: bytes) -> None:
    with pytest.raises(PageRefused):
        read(content, "application/json", URL)


def test_a_projects_name_has_one_spelling() -> None:
    assert {normal(each) for each in ("Zope.Interface", "zope_interface", "zope--interface")} == {"zope-interface"}
    assert [normal(each) for each in ("", "..", "a/b", "-a", "a" * 200, "ü")] == [None] * 6
