"""Paths of what sentences speak of."""

from __future__ import annotations

import posixpath

from hypothesis import given
from hypothesis import strategies as st

from agents.rules.facts import join

folders = st.text("ab./", max_size=6)
names = st.one_of(st.text("ab./", max_size=5), st.sampled_from([".", "..", ".venv", "a b", "../x", "/"]))


@given(folders, names)
def test_a_name_in_a_folder_is_the_path_without_detours(folder: str, name: str) -> None:
    path = posixpath.normpath(posixpath.join(folder, name)) if name else folder
    assert join(folder, name) == ("" if path == "." else path)
