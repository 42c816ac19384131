"""Which of today's files lose their content: only those, and rather one too many than one too few."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.forecast.losses import replaced
from tests.agents.bdi.forecast.test_forecast import ON, steps

TODAY = {"readme.md": b"today\n", "docs/a.txt": b"today\n"}
RUN = ("run", {"command_line": "python x.py"})


def lost(*commands: tuple[str, dict[str, Any]], **cleanup: Any) -> tuple[str, ...]:
    return replaced(steps(*commands, **cleanup), TODAY.get)


def write(path: str, content: str = "new\n", **more: Any) -> tuple[str, dict[str, Any]]:
    return "write", {"path": path, "content": content, **more}


@pytest.mark.parametrize(
    ("step", "paths"),
    [
        (write("readme.md"), ("readme.md",)),
        (write("readme.md", mode="overwrite"), ("readme.md",)),
        (write("readme.md", "today\n"), ()),
        (write("fresh.md"), ()),
        (write("readme.md", mode="append"), ()),
        (write("readme.md", mode="create"), ()),
        (write("readme.md", "--- a\n+++ b\n@@ -1 +1 @@\n-today\n+new\n", mode="patch"), ()),
        # A file that is too large to be compared counts as another one.
        (write("docs/deep/b.bin"), ("docs/deep/b.bin",)),
        (("read", {"path": "readme.md"}), ()),
    ],
)
def test_writing_counts_where_other_content_stands(step: tuple[str, dict[str, Any]], paths: tuple[str, ...]) -> None:
    assert lost(step) == paths


@pytest.mark.parametrize("command", ["mv", "cp"])
def test_a_transfer_counts_where_it_overwrites_other_content(command: str) -> None:
    def over(to: str) -> tuple[str, dict[str, Any]]:
        return command, {"path": "docs/deep/c.bin", "to": to, "overwrite": True}

    assert lost(ON, over("readme.md")) == ("readme.md",)
    assert lost(ON, over("new.md")) == ()
    assert lost((command, {"path": "docs/a.txt", "to": "readme.md"})) == ()
    assert lost(ON, (command, {"path": "docs/a.txt", "to": "readme.md", "overwrite": True})) == ()
    # A program may have put something there by then.
    assert lost(ON, RUN, over("new.md")) == ("new.md",)


def test_what_only_an_earlier_step_made_is_no_loss() -> None:
    assert lost(write("fresh.md"), write("fresh.md", "other")) == ()
    assert lost(ON, write("fresh.md"), ("mv", {"path": "readme.md", "to": "fresh.md", "overwrite": True})) == ()


def test_a_file_that_was_moved_away_is_lost_where_it_stands_then() -> None:
    assert lost(("mv", {"path": "readme.md", "to": "kept.md"}), write("kept.md")) == ("kept.md",)
    assert lost(("mv", {"path": "readme.md", "to": "kept.md"}), write("readme.md")) == ()


def test_each_path_is_named_once_and_clean_up_is_another_matter() -> None:
    assert lost(write("readme.md"), write("readme.md", "newer")) == ("readme.md",)
    assert lost(("ls", {}), cleanup=(write("readme.md"),)) == ()
