"""A manifest says one state in one way, whatever the names in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.store.manifest import EMPTY, BadManifest, Entry, compare, digest_of, parse, render

_SHA = "0" * 64
_NAME = st.binary(min_size=1, max_size=12).filter(
    lambda name: b"/" not in name and b"\0" not in name and name not in (b".", b"..")
)
_TREES = st.recursive(st.binary(max_size=9), lambda inner: st.dictionaries(_NAME, inner, max_size=4), max_leaves=12)


def _entries(tree: object, above: bytes = b"") -> list[Entry]:
    found: list[Entry] = []
    for name, value in tree.items() if isinstance(tree, dict) else []:
        path = above + name
        if isinstance(value, dict):
            found += [Entry(path, "dir", 0o755), *_entries(value, path + b"/")]
        elif len(value) % 2:
            found.append(Entry(path, "link", 0o777, target=value))
        else:
            found.append(Entry(path, "file", 0o644, _SHA, len(value)))
    return found


@given(_TREES)
def test_what_is_rendered_is_parsed_back(tree: object) -> None:
    entries = _entries(tree)
    text = render(entries)
    assert parse(text) == sorted(entries, key=lambda each: each.path)
    assert render(parse(text)) == text
    assert render(reversed(entries)) == text


@given(_TREES, _TREES)
def test_a_comparison_accounts_for_every_path(one: object, other: object) -> None:
    before, after = _entries(one), _entries(other)
    changes = compare(before, after)
    state = {entry.path: entry for entry in before}
    for change in changes:
        if change.after is None:
            del state[change.path]
        else:
            state[change.path] = change.after
    assert state == {entry.path: entry for entry in after}
    kinds = [change.kind for change in changes]
    assert kinds == sorted(kinds, key=["deleted", "changed", "added"].index)


def test_the_empty_state_has_a_name() -> None:
    assert digest_of(render([])) == EMPTY
    assert parse(render([])) == []


@pytest.mark.parametrize(
    "body",
    [
        "dir 755 ..",
        "dir 755 a/..",
        "dir 755 /etc",
        "link a b\ndir 755 a/c",
        f"file 644 1 {_SHA} missing/folder",
        "dir 755 b\ndir 755 a",
        "dir 755 a\ndir 755 a",
        "dir 4755 a",
        "dir 9 a",
        f"file 644 -1 {_SHA} a",
        "file 644 1 ../../blob a",
        "socket a",
        "dir 755 a%00b",
    ],
)
def test_a_manifest_that_could_lead_out_is_refused(body: str) -> None:
    with pytest.raises(BadManifest):
        parse(f"mindx-manifest 1\n{body}\n".encode())


@pytest.mark.parametrize("text", [b"", b"mindx-manifest 2\n", b"mindx-manifest 1", "mindx-manifest 1\nä\n".encode()])
def test_what_is_no_manifest_is_refused(text: bytes) -> None:
    with pytest.raises(BadManifest):
        parse(text)
