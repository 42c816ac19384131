"""Paths as typed, and requests as sent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.commands import COMMANDS, Refusal, check, place

_NAMES = st.sampled_from(["a", "b", "..", ".", "", "workspace", "etc", "…", " "])


@pytest.mark.parametrize(
    ("cwd", "path", "expected"),
    [
        ("", "a", "a"),
        ("a/b", "c", "a/b/c"),
        ("a/b", "../c", "a/c"),
        ("a", "..", ""),
        ("a", "/workspace/b", "b"),
        ("a", "/workspace", ""),
        ("", "./a//b/./c/", "a/b/c"),
        ("", "~", "~"),
    ],
)
def test_a_path_is_read_from_the_current_folder(cwd: str, path: str, expected: str) -> None:
    assert place(cwd, path) == expected


@pytest.mark.parametrize(
    "path",
    ["..", "../x", "a/../../x", "/", "/etc", "/workspace/..", "../workspace/x", "/workspace/../workspaces", "//etc"],
)
def test_a_path_that_leads_out_is_refused(path: str) -> None:
    with pytest.raises(Refusal, match="outside") as refused:
        place("", path)
    assert refused.value.error_class == "PERMISSION_ERROR"


@given(st.lists(_NAMES, max_size=8), st.lists(_NAMES, max_size=12), st.booleans())
def test_no_path_is_ever_anything_but_plain(cwd: list[str], parts: list[str], absolute: bool) -> None:
    try:
        here = place("", "/".join(cwd) or ".")
        found = place(here, ("/" if absolute else "") + "/".join(parts))
    except Refusal:
        return
    assert not found.startswith("/")
    assert all(part not in ("", ".", "..") for part in found.split("/") if found)


def test_every_command_takes_exactly_its_parameters() -> None:
    samples = {str: "x", bool: True, float: 1, int: 1}
    for name, signature in COMMANDS.items():
        required = {key: samples[kind] for key, kind in signature.required.items()}
        optional = {key: samples[kind] for key, kind in signature.optional.items()}
        check(name, required)
        check(name, required | optional)
        for missing in required:
            with pytest.raises(Refusal, match=missing):
                check(name, {key: value for key, value in required.items() if key != missing})
        with pytest.raises(Refusal, match="surplus"):
            check(name, required | {"surplus": 1})


def test_a_switch_is_not_a_number_and_a_number_not_a_switch() -> None:
    with pytest.raises(Refusal, match="timeout_s"):
        check("run", {"command_line": "true", "timeout_s": True})
    with pytest.raises(Refusal, match="on"):
        check("toggle_autonomous_mode", {"on": 1})
