"""The file commands against everything a workspace may hold."""

from __future__ import annotations

import base64
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from sandbox.contract import Limits
from sandbox.jail import launcher
from sandbox.places import JAIL_UID
from tests.sandbox.conftest import Hands, OpenHands


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file beside the workspace, which is where every attempt to get out wants to go."""
    path = tmp_path / "secret"
    path.write_text("the host's secret")
    return path


def test_text_is_read_back_as_it_was_written(hands: Hands) -> None:
    text = "Zeile eins\n\tzwei ünïcödé 🌳\n"
    written = hands.do("write", path="note.txt", content=text)
    assert written.data["created"] is True
    assert hands.do("read", path="note.txt").data["content"] == text
    assert hands.do("write", path="note.txt", content="x").data["created"] is False
    assert (hands.root / "note.txt").read_text() == "x"


def test_content_that_is_no_text_comes_as_base64(hands: Hands) -> None:
    for raw in (b"\xff\xfe\x00", b"nul \0 inside"):
        (hands.root / "raw").write_bytes(raw)
        data = hands.do("read", path="raw").data
        assert data["encoding"] == "base64"
        assert base64.b64decode(data["content"]) == raw


def test_a_long_file_is_cut_and_says_so(open_hands: OpenHands) -> None:
    hands = open_hands(limits=Limits(output_bytes=1000))
    (hands.root / "long").write_text("x" * 5000)
    data = hands.do("read", path="long").data
    assert (len(data["content"]), data["truncated"], data["size_bytes"]) == (1000, True, 5000)


def test_lines_are_read_by_number_and_the_answer_says_how_many_there_are(hands: Hands) -> None:
    (hands.root / "f").write_text("one\ntwo\nthree\nfour")
    for first, last, content, to_line in [
        (1, 2, "one\ntwo\n", 2),
        (2, None, "two\nthree\nfour", 4),
        (None, 1, "one\n", 1),
        (4, 9, "four", 4),
        (5, None, "", 4),
    ]:
        asked = {name: value for name, value in (("from_line", first), ("to_line", last)) if value is not None}
        data = hands.do("read", path="f", **asked).data
        assert (data["content"], data["to_line"], data["total_lines"]) == (content, to_line, 4), asked
        assert (data["truncated"], data["size_bytes"]) == (False, 18)


def test_bytes_are_read_from_where_they_are_asked_for(hands: Hands) -> None:
    (hands.root / "f").write_bytes(b"0123456789")
    for offset, length, content in [(0, 3, "012"), (8, 5, "89"), (4, None, "456789"), (10, 1, ""), (999, 1, "")]:
        asked = {"offset": offset} | ({"length": length} if length else {})
        data = hands.do("read", path="f", **asked).data
        assert (data["content"], data["size_bytes"], data["truncated"]) == (content, 10, False)
    (hands.root / "f").write_text("aü")
    assert hands.do("read", path="f", offset=0, length=2).data["encoding"] == "base64"


def test_a_part_that_is_too_long_is_cut_and_says_where(open_hands: OpenHands) -> None:
    hands = open_hands(limits=Limits(output_bytes=1000))
    (hands.root / "f").write_text("".join(f"{number:09}\n" for number in range(500)))
    data = hands.do("read", path="f", from_line=11).data
    assert (data["to_line"], data["total_lines"], data["truncated"]) == (110, 500, True)
    assert data["content"].splitlines()[0] == "000000010"
    data = hands.do("read", path="f", offset=100, length=2000).data
    assert (len(data["content"]), data["truncated"]) == (1000, True)
    (hands.root / "f").write_text("x" * 999 + "ü" + "x" * 1000)
    data = hands.do("read", path="f").data
    assert (data["encoding"], data["content"], data["truncated"]) == ("utf-8", "x" * 999, True)


def test_a_line_of_any_length_is_one_line(hands: Hands) -> None:
    (hands.root / "f").write_text("first\n" + "x" * 2_500_000 + "\nlast\n")
    assert hands.do("read", path="f", from_line=3).data["content"] == "last\n"


@pytest.mark.parametrize(
    "params",
    [
        {"from_line": 0},
        {"to_line": 0},
        {"from_line": 3, "to_line": 2},
        {"offset": -1},
        {"length": 0},
        {"offset": 10**13},
        {"from_line": 1, "length": 1},
        {"from_line": True},
        {"from_line": 1.0},
    ],
)
def test_a_part_that_cannot_be_is_refused(hands: Hands, params: dict[str, Any]) -> None:
    hands.do("write", path="f", content="x")
    assert hands.do("read", path="f", **params).error_class == "INVALID_PARAMETERS"


@pytest.mark.parametrize("params", [{"from_line": 1}, {"offset": 0}])
def test_a_part_of_what_is_no_file_is_refused(hands: Hands, params: dict[str, Any]) -> None:
    hands.do("mkdir", path="d")
    os.mkfifo(hands.root / "pipe")
    (hands.root / "link").symlink_to("d")
    for path in ("d", "pipe", "link", "missing"):
        refused = hands.do("read", path=path, **params)
        assert refused.error_class in ("INVALID_PARAMETERS", "PERMISSION_ERROR")
        assert refused.duration_s < 45


def test_modes_of_writing(hands: Hands) -> None:
    assert hands.do("write", path="f", content="a", mode="create").ok
    again = hands.do("write", path="f", content="b", mode="create")
    assert again.error_class == "INVALID_PARAMETERS"
    assert hands.do("write", path="f", content="b", mode="append").ok
    assert (hands.root / "f").read_text() == "ab"


def test_permissions_survive_a_write_and_nothing_is_left_beside(hands: Hands) -> None:
    script = hands.root / "script"
    script.write_text("old")
    script.chmod(0o755)
    hands.do("write", path="script", content="new")
    assert script.stat().st_mode & 0o777 == 0o755
    assert [path.name for path in hands.root.iterdir()] == ["script"]


def test_a_list_has_names_kinds_and_sizes_in_order(hands: Hands) -> None:
    hands.do("mkdir", path="b")
    hands.do("write", path="a", content="123")
    (hands.root / "c").symlink_to("a")
    items = hands.do("ls").data["items"]
    assert [(each["name"], each["kind"]) for each in items] == [("a", "file"), ("b", "dir"), ("c", "link")]
    assert items[0]["size_bytes"] == 3


def test_names_that_are_no_text_survive_and_are_shown(hands: Hands) -> None:
    for raw in (b"new\nline", b"caf\xe9", b"--rf"):
        Path(os.fsdecode(os.fsencode(hands.root) + b"/" + raw)).touch()
    items = {each["name"]: each for each in hands.do("ls").data["items"]}
    assert set(items) == {"new\nline", "caf\\xe9", "--rf"}
    assert base64.b64decode(items["caf\\xe9"]["raw_name"]) == b"caf\xe9"


def test_a_folder_that_may_be_listed_but_not_entered_shows_its_names(hands: Hands) -> None:
    folder = hands.root / "folder"
    folder.mkdir()
    (folder / ".hidden").write_text("x")
    folder.chmod(0o444)
    listed = hands.do("ls", path="folder")
    assert listed.ok, listed.reason
    assert listed.data["items"] == [{"name": ".hidden", "kind": "unknown", "size_bytes": 0}]
    folder.chmod(0)
    assert hands.do("ls", path="folder").error_class == "PERMISSION_ERROR"
    assert hands.do("ls").data["items"][0]["name"] == "folder"


def test_a_list_of_long_names_is_cut_and_says_how_many_there_are(hands: Hands) -> None:
    for number in range(2000):
        Path(os.fsdecode(os.fsencode(hands.root) + b"/%04d" % number + b"\xe9" * 250)).touch()
    listed = hands.do("ls")
    assert listed.ok, listed.reason
    assert (listed.data["truncated"], listed.data["total"]) == (True, 2000)
    assert 0 < len(listed.data["items"]) < 2000


def test_three_thousand_nested_folders_are_listed_and_removed(hands: Hands) -> None:
    hands.do("toggle_autonomous_mode", on=True)
    made = hands.python("import os\nfor _ in range(3000):\n    os.mkdir('d')\n    os.chdir('d')\n")
    assert "deep" in made.reason
    path = "/".join("d" * 2999)
    listed = hands.do("ls", path=path)
    assert listed.ok, listed.reason
    assert [one["name"] for one in listed.data["items"]] == ["d"]
    assert hands.do("find").data["folders_not_entered"] == 1
    assert hands.do("rm", path="d").data["removed"] == 3000
    assert not (hands.root / "d").exists()


def test_a_workspace_of_three_thousand_nested_folders_is_opened_listed_and_emptied(
    tmp_path: Path, open_hands: OpenHands
) -> None:
    """As root a session's start gives every one of them to the jail's uid."""
    here = os.open(tmp_path, os.O_RDONLY)
    for name in ["workspace", *["d"] * 3000]:
        os.mkdir(name, dir_fd=here)
        deeper = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    hands = open_hands()
    owner = os.fstat(here).st_uid
    os.close(here)
    assert owner == (JAIL_UID if os.geteuid() == 0 else os.geteuid())
    hands.do("toggle_autonomous_mode", on=True)
    assert [one["name"] for one in hands.do("ls", path="/".join("d" * 2999)).data["items"]] == ["d"]
    assert hands.do("rm", path="d").data["removed"] == 3000


def test_what_is_given_to_the_jail_is_beneath_the_workspace_even_when_folders_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "workspace/a/b").mkdir(parents=True)
    (tmp_path / "outside/folder").mkdir(parents=True)
    entered = 0
    whole = launcher._hand_over_entries

    def move_away(folder: int, uid: int) -> list[str]:
        nonlocal entered
        entered += 1
        if entered == 3:
            (tmp_path / "workspace/a/b").rename(tmp_path / "outside/b")
        return whole(folder, uid)

    monkeypatch.setattr(launcher, "_hand_over_entries", move_away)
    root = os.open(tmp_path / "workspace", os.O_RDONLY)
    with pytest.raises(PermissionError, match="was moved"):
        launcher.hand_over(root, os.geteuid())
    os.close(root)
    assert entered == 3


@pytest.mark.parametrize("command", ["read", "ls", "mkdir", "cd", "write", "rm"])
@pytest.mark.parametrize("path", ["../secret", "a/../../secret", "/etc/passwd", "/workspace/../etc", "/workspaces"])
def test_paths_that_lead_out_are_refused(hands: Hands, secret: Path, command: str, path: str) -> None:
    hands.do("toggle_autonomous_mode", on=True)
    params = {"path": path} | ({"content": "x"} if command == "write" else {})
    result = hands.do(command, **params)
    assert result.error_class == "PERMISSION_ERROR"
    assert "outside" in result.reason
    assert secret.read_text() == "the host's secret"


def test_links_are_followed_by_no_command(hands: Hands, secret: Path) -> None:
    (hands.root / "way").symlink_to("..")
    (hands.root / "file").symlink_to(secret)
    (hands.root / "inner").mkdir()
    (hands.root / "loop").symlink_to("inner")
    for command, path in [
        ("read", "way/secret"),
        ("read", "file"),
        ("ls", "way"),
        ("cd", "way"),
        ("cd", "loop"),
        ("mkdir", "way/new"),
        ("read", "loop/x"),
    ]:
        result = hands.do(command, path=path)
        assert not result.ok, (command, path)
        assert "link" in result.reason
    for path in ("file", "way/secret", "loop/new"):
        assert hands.do("write", path=path, content="overwritten").error_class is not None
    assert secret.read_text() == "the host's secret"
    assert not (hands.root / "inner" / "new").exists()


def test_removing_a_link_leaves_what_it_points_to(hands: Hands, secret: Path) -> None:
    hands.do("mkdir", path="folder")
    (hands.root / "folder" / "way").symlink_to(secret.parent)
    (hands.root / "file").symlink_to(secret)
    hands.do("toggle_autonomous_mode", on=True)
    assert hands.do("rm", path="file").ok
    assert hands.do("rm", path="folder").ok
    assert secret.exists()


def test_a_file_with_a_second_name_is_not_written(hands: Hands) -> None:
    (hands.root / "one").write_text("shared")
    os.link(hands.root / "one", hands.root / "two")
    for mode in ("overwrite", "append"):
        result = hands.do("write", path="two", content="x", mode=mode)
        assert result.error_class == "PERMISSION_ERROR"
        assert "hard link" in result.reason
    assert (hands.root / "one").read_text() == "shared"


@pytest.mark.parametrize(("command", "mode"), [("read", ""), ("write", "overwrite"), ("write", "append")])
def test_a_fifo_or_socket_never_makes_a_command_wait(hands: Hands, command: str, mode: str) -> None:
    os.mkfifo(hands.root / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        before = Path.cwd()
        os.chdir(hands.root)
        try:
            server.bind("plug")
        finally:
            os.chdir(before)
        for name in ("pipe", "plug"):
            params = {"content": "x", "mode": mode} if command == "write" else {}
            result = hands.do(command, path=name, **params)
            assert not result.ok
            assert result.duration_s < 45


def test_the_workspace_itself_cannot_be_removed_or_overwritten(hands: Hands) -> None:
    hands.do("toggle_autonomous_mode", on=True)
    assert hands.do("rm", path="/workspace").error_class == "PERMISSION_ERROR"
    assert hands.do("write", path=".", content="x").error_class == "PERMISSION_ERROR"


def test_a_folder_is_not_read_and_a_file_not_entered(hands: Hands) -> None:
    hands.do("mkdir", path="d")
    hands.do("write", path="f", content="x")
    assert hands.do("read", path="d").error_class == "INVALID_PARAMETERS"
    assert hands.do("cd", path="f").error_class == "INVALID_PARAMETERS"
    assert hands.do("mkdir", path="f/d").error_class == "INVALID_PARAMETERS"
    assert hands.do("read", path="missing").error_class == "INVALID_PARAMETERS"
    assert hands.do("write", path="f/below", content="x").error_class == "INVALID_PARAMETERS"


def test_writing_makes_the_folders_above_a_file_but_a_patch_makes_none(hands: Hands) -> None:
    assert hands.do("write", path="new/deep/f", content="x").ok
    assert (hands.root / "new/deep/f").read_text() == "x"
    assert not hands.do("write", path="other/f", content="@@", mode="patch").ok
    assert not (hands.root / "other").exists()
    outside = hands.root.parent / "outside"
    outside.mkdir()
    (hands.root / "way").symlink_to(outside)
    assert not hands.do("write", path="way/f", content="x").ok
    assert not hands.do("write", path="way/down/f", content="x").ok
    assert list(outside.iterdir()) == []
