"""Code is looked at in the jail: everything is told, nothing of it runs, and nothing of it decides how it is done."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from agents.toolkit.registry import REGISTRY
from sandbox.contract import Limits, Request, Result
from tests.sandbox.analysis import hostile
from tests.sandbox.conftest import Hands, OpenHands


def asked(command: str, **params: Any) -> Request:
    tool, _, name = command.partition(".")
    (request,) = REGISTRY.command(tool, name).requests(params)
    return request


def looked_at(hands: Hands, command: str = "system_analyzer.analyze", **params: Any) -> Result:
    return hands.session.execute(asked(command, **params))


def where(found: list[dict[str, Any]]) -> set[tuple[str, int, str]]:
    return {(one["path"], one["line"], one.get("code") or one.get("name", "")) for one in found}


def test_a_small_code_base_is_told_in_full(hands: Hands) -> None:
    (hands.root / "app").mkdir()
    (hands.root / "app" / "ways.py").write_text(
        "import os\n\n\ndef used(a):\n" + "    if a: a()\n" * 11 + "\n\n# said\ndef lonely():\n    used(eval('1'))\n"
    )
    (hands.root / "app" / "page.html").write_text("<p>\n")
    heard: list[bytes] = []
    result = hands.session.execute(
        asked("system_analyzer.analyze", path="app"), on_output=lambda _, data: heard.append(data)
    )
    assert result.ok, result
    report = result.data["report"]
    totals = report["totals"]
    assert (totals["files"], totals["python_files"], totals["functions"], totals["intricate"]) == (2, 1, 2, 1)
    assert (totals["python_lines"], totals["comment"]) == (20, 1)
    assert report["complexity"]["worst"][0] == {
        "path": "app/ways.py", "line": 4, "name": "used", "complexity": 12
    }  # fmt: skip
    assert ("app/ways.py", 1, "F401") in where(report["findings"]["top"])
    assert where(report["security"]["top"]) == {("app/ways.py", 20, "S307")}
    assert {one["name"] for one in report["unused"]["top"]} == {"os", "lonely"}
    assert [one["name"] for one in report["languages"]] == ["Python", "HTML"]
    assert b"2 files to look at" in b"".join(heard)
    assert "1 complex function" in result.data["message"]


def test_hostile_code_is_told_and_neither_run_nor_obeyed(open_hands: OpenHands) -> None:
    hands = open_hands(Limits(soft_s=120))
    hostile.make(hands.root)
    before = set(hands.root.rglob("*"))
    result = looked_at(hands, path=".")
    assert result.ok, result
    report = result.data["report"]
    assert set(hands.root.rglob("*")) == before
    assert not list(hands.root.rglob(hostile.MARK))
    # Its own settings leave everything out, point outside and silence all rules.
    found = where(report["findings"]["top"]) | where(report["security"]["top"])
    assert {("-n.py", "S602"), ("@args.py", "S602")} <= {(path.rpartition("/")[2], code) for path, _, code in found}
    assert any(path == "broken.py" and code == "invalid-syntax" for path, _, code in found)
    silenced = [one for one in report["security"]["top"] if one["path"] == "silenced.py"]
    assert [(one["code"], one["silenced"]) for one in silenced] == [("S602", True)]
    assert report["target"] == "3.9"
    left_out = {one["why"]: one["examples"] for one in report["left_out"]}
    assert set(left_out["links"]) <= {"etc", "linked.md", "passwd.py", "up"}
    assert "huge.py" in left_out["files above 1 MiB"]
    assert "null.py" in left_out["files that are no text"]
    assert {"chain.py", "stack.py"} <= set(left_out["files that end an analyser"])
    assert "root:" not in json.dumps(report)
    # Names are told as one line without anything that a terminal or a page would obey.
    assert "names/a\\nb.py" in {one["path"] for one in report["files"]}
    assert all(one["path"].isprintable() and "\u202e" not in one["path"] for one in report["files"])
    assert len(json.dumps(report)) < 400_000


def test_the_written_report_is_markdown_in_which_names_are_only_text(open_hands: OpenHands) -> None:
    hands = open_hands(Limits(soft_s=120))
    hostile.make(hands.root)
    assert looked_at(hands, "system_analyzer.write_report", path="names", to="docs/code.md").ok
    text = (hands.root / "docs" / "code.md").read_text()
    outside_code = re.sub(r"(`+)[^`].*?\1", "", text)
    assert "<img" not in outside_code
    assert "javascript:" not in re.sub(r"\[[^\]]*\]\(", "(", outside_code)
    assert "](../names/-n.py#L6)" in text
    assert "\x1b" not in text


@pytest.mark.parametrize("to", ["linked.md", "etc/code.md", "names"])
def test_no_report_is_written_through_a_link_or_over_a_folder(hands: Hands, to: str) -> None:
    (hands.root / "names").mkdir()
    (hands.root / "a.py").write_text("x = 1\n")
    (hands.root / "linked.md").symlink_to("a.py")
    (hands.root / "etc").symlink_to("/tmp")
    result = looked_at(hands, "system_analyzer.write_report", path="a.py", to=to)
    assert (result.status, result.error_class) == ("ERROR", "INVALID_PARAMETERS")
    assert (hands.root / "a.py").read_text() == "x = 1\n"


@pytest.mark.parametrize("path", ["nowhere", "link"])
def test_what_is_not_there_or_is_a_link_is_refused(hands: Hands, path: str) -> None:
    (hands.root / "link").symlink_to("/etc")
    result = looked_at(hands, path=path)
    assert (result.status, result.error_class) == ("ERROR", "INVALID_PARAMETERS")
    assert "there is no file or folder" in result.reason


def test_what_there_is_no_time_for_is_left_out_and_told(open_hands: OpenHands) -> None:
    hands = open_hands()
    for number in range(60):
        (hands.root / f"m{number}.py").write_text("def f(a):\n    if a: return 1\n" * 2_000)
    result = looked_at(hands, path=".", timeout_s=1)
    if result.ok:  # the clock of the session may be the first
        assert any("no time" in note for note in result.data["report"]["notes"])
    else:
        assert result.limit == "time"


def test_a_kit_nobody_knows_is_refused(hands: Hands) -> None:
    request = asked("system_analyzer.analyze", path=".")
    result = hands.session.execute(Request("tool", {**request.params, "kit": "../x"}))
    assert (result.status, result.error_class) == ("ERROR", "TOOL_UNAVAILABLE")
