"""What cannot be mended is not looked for, and what can be is mended as if every step were walked through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.understanding import correcting
from agents.bdi.understanding.names.paths import Mapped, Tree
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import Param, Step

_TREE = Tree.of([("reports", "dir"), ("reports/march.txt", "file"), ("main.py", "file"), ("docs/notes.md", "file")])
_PATHS = st.sampled_from(
    ["main.py", "mian.py", "march.txt", "reports", "report", "new.txt", "notes.md", "{{intents.1.result.path}}"]
)
_ORIGINS = st.sampled_from(["model", "rule_slot", "person", "explicit", "default"])
_COMMANDS = [
    *(("simple_coder", name, "path") for name in ("read", "write", "mkdir", "ls", "rm", "cd")),
    ("simple_coder", "run", "command_line"),
    ("no_such_tool", "read", "path"),
]


@st.composite
def _steps(draw: st.DrawFn) -> Step:
    tool, command, name = draw(st.sampled_from(_COMMANDS))
    return Step(tool, command, {name: Param(draw(_PATHS), draw(_ORIGINS))}, "")


@given(st.lists(_steps(), max_size=6))
def test_no_more_and_no_less_is_mended_than_by_walking_through_all_of_them(steps: Sequence[Step]) -> None:
    walked = tuple(correcting._mended_steps(steps, _TREE, REGISTRY, 0.5))
    assert correcting.mended(steps, _TREE, REGISTRY, 0.5) == walked
    if not correcting.may_mend(steps, REGISTRY):
        assert all(one is other for one, other in zip(steps, walked, strict=True))


def test_a_file_that_is_read_is_mended_and_one_that_is_made_asks_for_no_files() -> None:
    made = Step("simple_coder", "write", {"path": Param("mian.py", "model"), "content": Param("x", "model")}, "")
    read = Step("simple_coder", "read", {"path": Param("mian.py", "model")}, "")
    assert not correcting.may_mend([made], REGISTRY)
    assert correcting.may_mend([made, read], REGISTRY)
    (mended,) = correcting.mended([read], _TREE, REGISTRY, 0.5)
    assert (mended.params["path"].value, mended.params["path"].origin) == ("main.py", "mapping")
    by_hand = Step("simple_coder", "read", {"path": Param("mian.py", "person")}, "")
    assert not correcting.may_mend([by_hand], REGISTRY)


def test_what_a_step_would_delete_keeps_its_name_unless_people_said_what_that_means() -> None:
    gone = Step("simple_coder", "rm", {"path": Param("mian.py", "model")}, "")
    assert correcting.mended([gone], _TREE, REGISTRY, 0.5) == (gone,)
    taught = replace(_TREE, mapped=(Mapped("mian.py", "main.py"),))
    (mended,) = correcting.mended([gone], taught, REGISTRY, 0.5)
    assert mended.params["path"].value == "main.py"
