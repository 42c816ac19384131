"""What may be the path of something in a workspace, held against walking it."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agents.rules.naming import leaves_workspace, path_problem

parts = st.lists(st.sampled_from(["a", "b", "..", ".", "", "root", "r", "workspace"]), min_size=1, max_size=8)
paths = parts.map("/".join).filter(lambda path: path.strip("/") and not path.startswith("/"))
folders = st.sampled_from(["", "a", "a/b", "root", "workspace/r"])


def walked_outside(path: str, folder: str) -> bool:
    """Whether somebody who goes through every folder of it, one after the other, ever stands above the root."""
    here = [name for name in folder.split("/") if name]
    for name in path.split("/"):
        if name == ".." and not here:
            return True
        if name == "..":
            here.pop()
        elif name not in ("", "."):
            here.append(name)
    return False


@given(paths, folders)
@example("../root/x", "")
@example("a/../../root/x", "")
@example("../../r/x", "a")
@example("../b", "a")
def test_a_path_that_is_ever_outside_is_refused_with_the_reason(path: str, folder: str) -> None:
    found = path_problem(path, folder)
    assert leaves_workspace(path, folder) == walked_outside(path, folder)
    assert (found is not None and found[0] == "path_outside") == walked_outside(path, folder)
    assert found is None or found[1] == "leads out of the workspace; stay below its root"


@pytest.mark.parametrize("path", ["/workspace/../workspace/x", "/x", "~/x", "~root/x"])
def test_a_path_from_the_machines_root_is_refused(path: str) -> None:
    found = path_problem(path)
    assert found is not None
    assert found[0] == "path_absolute"
