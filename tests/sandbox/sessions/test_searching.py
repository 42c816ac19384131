"""Finding names and lines: everything that is there, nothing beyond it, and never for ever."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.sandbox.conftest import Hands


@pytest.fixture
def filled(hands: Hands) -> Hands:
    for path, content in [
        ("a.py", "import os\nprint(1)\n"),
        ("src/b.py", "x = 1\nIMPORT OS\n"),
        ("src/deep/c.txt", "a.c\nabc\n"),
        (".hidden/d.py", "import os\n"),
    ]:
        (hands.root / path).parent.mkdir(parents=True, exist_ok=True)
        (hands.root / path).write_text(content)
    (hands.root / "link.py").symlink_to("a.py")
    return hands


def names(hands: Hands, **params: object) -> list[str]:
    found = hands.do("find", **params)
    assert found.ok, found.reason
    return [one["path"] for one in found.data["items"]]


def lines(hands: Hands, text: str, **params: object) -> list[tuple[str, int]]:
    found = hands.do("grep", text=text, **params)
    assert found.ok, found.reason
    return [(one["path"], one["line"]) for one in found.data["matches"]]


def test_names_are_found_at_any_depth_hidden_ones_too(filled: Hands) -> None:
    assert names(filled, pattern="*.py") == [".hidden/d.py", "a.py", "link.py", "src/b.py"]
    assert names(filled, pattern="?.py", kind="file") == [".hidden/d.py", "a.py", "src/b.py"]
    assert names(filled, kind="dir") == [".hidden", "src", "src/deep"]
    assert names(filled, kind="link") == ["link.py"]
    assert names(filled, path="src", pattern="[bc].*") == ["src/b.py", "src/deep/c.txt"]
    assert names(filled, pattern="*.PY") == []


def test_the_newest_come_first(filled: Hands) -> None:
    for age, name in enumerate(["src/b.py", "src/deep/c.txt", "a.py", ".hidden/d.py"]):
        os.utime(filled.root / name, (10_000 - age, 10_000 - age))
    found = filled.do("find", kind="file", newest=2)
    assert [one["path"] for one in found.data["items"]] == ["src/b.py", "src/deep/c.txt"]
    assert (found.data["total"], found.data["left_out"]) == (4, 2)


def test_what_is_left_out_is_counted(hands: Hands) -> None:
    for number in range(1010):
        (hands.root / f"f{number:04}").write_text("same\n")
    found = hands.do("find", pattern="f*")
    assert (len(found.data["items"]), found.data["total"], found.data["left_out"]) == (1000, 1010, 10)
    lines_found = hands.do("grep", text="same")
    assert (len(lines_found.data["matches"]), lines_found.data["total"]) == (1000, 1010)
    assert lines_found.data["left_out"] == 10


def test_long_paths_never_make_an_answer_too_long(hands: Hands, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = "/".join(["d" * 250] * 15)
    hands.do("mkdir", path=deep)
    hands.do("mkdir", path=f"{deep}/e")
    monkeypatch.chdir(hands.root)
    for number in range(900):
        Path(f"{deep[:3500].rpartition('/')[0]}/f{number}").touch()
    found = hands.do("find", pattern="f*")
    assert found.ok, found.reason
    assert found.data["left_out"] + len(found.data["items"]) == 900
    assert found.data["left_out"] > 0


def test_lines_are_found_with_their_numbers(filled: Hands) -> None:
    assert lines(filled, "import os") == [(".hidden/d.py", 1), ("a.py", 1)]
    assert lines(filled, "import os", ignore_case=True) == [(".hidden/d.py", 1), ("a.py", 1), ("src/b.py", 2)]
    assert lines(filled, "a.c") == [("src/deep/c.txt", 1)]
    assert lines(filled, "^a.c$", regular=True) == [("src/deep/c.txt", 1), ("src/deep/c.txt", 2)]
    assert lines(filled, "import", path="a.py") == [("a.py", 1)]


def test_files_that_are_no_text_or_may_not_be_read_are_counted(filled: Hands) -> None:
    (filled.root / "image").write_bytes(b"import\0os")
    (filled.root / "shut").write_text("import os")
    (filled.root / "shut").chmod(0)
    (filled.root / "latin").write_bytes(b"caf\xe9 import os\n")
    (filled.root / "closed").mkdir()
    (filled.root / "closed").chmod(0)
    os.mkfifo(filled.root / "pipe")
    found = filled.do("grep", text="import os")
    assert [one["path"] for one in found.data["matches"]] == [".hidden/d.py", "a.py", "latin"]
    assert (found.data["binary_files"], found.data["unreadable_files"]) == (1, 1)
    assert found.data["folders_not_entered"] == 1
    assert filled.do("find").data["folders_not_entered"] == 1
    (filled.root / "closed" / "inner").mkdir()
    (filled.root / "closed").chmod(0o444)
    assert "closed/inner" not in names(filled)
    assert filled.do("find").data["folders_not_entered"] == 1


def test_a_long_line_is_cut_and_keeps_its_number(hands: Hands) -> None:
    (hands.root / "long").write_text("first\n" + "x" * 3_000_000 + "needle" + "x" * 1000 + "\nneedle\n")
    found = hands.do("grep", text="needle").data["matches"]
    assert [(one["line"], len(one["text"]), one.get("cut")) for one in found] == [(2, 500, True), (3, 6, None)]


def test_an_expression_that_never_ends_is_ended(hands: Hands) -> None:
    (hands.root / "f").write_text("a" * 60 + "b\n")
    refused = hands.do("grep", text="(a+)+$", regular=True)
    assert "took longer" in refused.reason
    assert refused.error_class == "TOOL_EXECUTION_ERROR"
    assert refused.duration_s < 60
    assert hands.do("grep", text="ab").data["total"] == 1
    left = hands.python("import os\nprint([name for name in os.listdir('/proc') if name.isdigit()])")
    assert len(left.data["stdout"].split(",")) == 2


@pytest.mark.parametrize("text", ["(", "a{99999999999}", "[", "(?P<x>", "\\"])
def test_what_is_no_expression_is_refused_and_found_as_a_text(hands: Hands, text: str) -> None:
    (hands.root / "f").write_text(f"is {text} here\n")
    assert hands.do("grep", text=text, regular=True).error_class == "INVALID_PARAMETERS"
    assert hands.do("grep", text=text).data["total"] == 1


@pytest.mark.parametrize(
    ("command", "params"),
    [
        ("grep", {"text": ""}),
        ("grep", {"text": "a\nb"}),
        ("grep", {"text": "x" * 1001}),
        ("grep", {"text": "x", "path": "missing"}),
        ("grep", {"text": "x", "path": "../secret"}),
        ("grep", {"text": "x", "path": "way/secret"}),
        ("grep", {"text": "x", "path": "pipe"}),
        ("find", {"path": "way"}),
        ("find", {"path": ".."}),
        ("find", {"kind": "ghost"}),
        ("find", {"newest": 0}),
        ("find", {"newest": True}),
        ("find", {"pattern": "*" * 1001}),
    ],
)
def test_searches_that_make_no_sense_or_lead_out_are_refused(
    hands: Hands, command: str, params: dict[str, object]
) -> None:
    (hands.root / "way").symlink_to("..")
    os.mkfifo(hands.root / "pipe")
    (hands.root.parent / "secret").write_text("x")
    refused = hands.do(command, **params)
    assert refused.error_class in ("INVALID_PARAMETERS", "PERMISSION_ERROR"), refused


def test_many_stars_take_no_time(hands: Hands) -> None:
    (hands.root / ("a" * 200)).touch()
    found = hands.do("find", pattern="*a" * 100 + "b")
    assert found.data["total"] == 0
    assert found.duration_s < 45
