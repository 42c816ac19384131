"""What is taken from something is not that thing."""

from __future__ import annotations

import pytest

from tests.agents.bdi.understanding.workspaces import Workspace

HERE = Workspace.of(("contacts.csv", "docs/a.md", "docs/b.md", "old/a.txt", "old/b.txt", "a.txt", "tmp/x.log"))


@pytest.mark.parametrize(
    "text",
    [
        "remove me from contacts.csv",
        "remove everything from contacts.csv",
        "delete us from contacts.csv",
        "erase her out of contacts.csv",
        "remove me from the docs",
        "remove it from the folder docs",
        "delete from old",
        "delete everything from tmp",
        "move me from docs to old",
        "move everything out of docs to old",
        "take a.txt out of old",
        "put a.txt out of docs",
        "put the file a.txt out of the docs folder",
        "take docs/a.md out of docs/",
        "copy a.txt out of docs",
        "move docs/a.md off old",
    ],
)
def test_where_something_is_taken_from_is_neither_taken_nor_where_it_goes(text: str) -> None:
    assert HERE.is_asked(text)
    for command, values in HERE.offered(text):
        assert values.get("path") not in ("contacts.csv", "docs", "old", "tmp"), (command, values)
        assert not str(values.get("to", "")).startswith(("docs", "old")), (command, values)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("delete a.txt from old", ("rm", {"path": "old/a.txt"})),
        ("remove a.txt from the old folder", ("rm", {"path": "old/a.txt"})),
        ("remove contacts.csv", ("rm", {"path": "contacts.csv"})),
        ("delete the folder docs", ("rm", {"path": "docs"})),
        ("move from a.txt to b.txt", ("mv", {"path": "a.txt", "to": "b.txt"})),
        ("rename the file from a.txt to b.txt", ("mv", {"path": "a.txt", "to": "b.txt"})),
        ("move a.txt into docs", ("mv", {"path": "a.txt", "to": "docs/a.txt"})),
    ],
)
def test_what_is_itself_named_goes(text: str, meant: tuple[str, dict[str, str]]) -> None:
    assert HERE.steps(text) == [meant]
