"""Moving and copying: whole, never through a link, never silently over something else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sandbox.contract import Limits
from tests.sandbox.conftest import Hands, OpenHands

BOTH = pytest.mark.parametrize("command", ["mv", "cp"])


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret"
    path.write_text("the host's secret")
    return path


def below(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


def test_a_file_gets_a_new_name_and_keeps_content_and_permissions(hands: Hands) -> None:
    (hands.root / "a").write_text("text")
    (hands.root / "a").chmod(0o755)
    hands.do("mkdir", path="folder")
    moved = hands.do("mv", path="a", to="folder/b")
    assert moved.ok, moved.reason
    assert (moved.data["kind"], moved.data["files"], moved.data["replaced"]) == ("file", 1, False)
    assert below(hands.root) == ["folder", "folder/b"]
    assert (hands.root / "folder/b").read_text() == "text"
    assert (hands.root / "folder/b").stat().st_mode & 0o777 == 0o755


def test_a_folder_moves_with_all_it_holds(hands: Hands) -> None:
    hands.do("mkdir", path="a/deep")
    hands.do("write", path="a/deep/f", content="x")
    assert hands.do("mv", path="a", to="b").data["files"] == 1
    assert below(hands.root) == ["b", "b/deep", "b/deep/f"]


def test_a_copy_is_the_same_and_stands_alone(hands: Hands, secret: Path) -> None:
    hands.do("mkdir", path="a/deep")
    hands.do("write", path="a/deep/f", content="one")
    (hands.root / "a/deep/f").chmod(0o755)
    (hands.root / "a/link").symlink_to(secret)
    (hands.root / "a/deep").chmod(0o555)
    copied = hands.do("cp", path="a", to="b")
    assert copied.ok, copied.reason
    assert (copied.data["kind"], copied.data["files"], copied.data["size_bytes"]) == ("dir", 1, 3)
    assert (hands.root / "b/link").readlink() == secret
    assert (hands.root / "b/deep/f").stat().st_mode & 0o777 == 0o755
    assert (hands.root / "b/deep").stat().st_mode & 0o777 == 0o555
    assert hands.do("write", path="b/link2", content="x").ok
    hands.do("write", path="a/new", content="two")
    assert not (hands.root / "b/new").exists()


def test_a_long_file_is_copied_whole(hands: Hands) -> None:
    content = os.urandom(1 << 20) * 3 + b"end"
    (hands.root / "long").write_bytes(content)
    assert hands.do("cp", path="long", to="again").ok
    assert (hands.root / "again").read_bytes() == content


@BOTH
def test_nothing_is_overwritten_unless_it_is_asked_for_in_autonomous_mode(hands: Hands, command: str) -> None:
    hands.do("write", path="new", content="new")
    hands.do("write", path="old", content="old")
    for autonomous, overwrite, error_class in [
        (False, None, "INVALID_PARAMETERS"),
        (True, False, "INVALID_PARAMETERS"),
        (False, True, "PERMISSION_ERROR"),
    ]:
        hands.do("toggle_autonomous_mode", on=autonomous)
        params = {} if overwrite is None else {"overwrite": overwrite}
        refused = hands.do(command, path="new", to="old", **params)
        assert refused.error_class == error_class, refused
        assert ((hands.root / "old").read_text(), (hands.root / "new").read_text()) == ("old", "new")
    hands.do("toggle_autonomous_mode", on=True)
    done = hands.do(command, path="new", to="old", overwrite=True)
    assert done.data["replaced"] is True
    assert (hands.root / "old").read_text() == "new"
    assert (hands.root / "new").exists() is (command == "cp")


@BOTH
def test_moving_without_overwriting_needs_no_autonomous_mode_even_when_it_is_allowed(
    hands: Hands, command: str
) -> None:
    hands.do("write", path="a", content="a")
    assert hands.do(command, path="a", to="b", overwrite=True).data["replaced"] is False


@BOTH
def test_folders_links_and_files_with_two_names_are_never_replaced(hands: Hands, secret: Path, command: str) -> None:
    hands.do("toggle_autonomous_mode", on=True)
    hands.do("write", path="file", content="x")
    hands.do("mkdir", path="folder/inner")
    (hands.root / "link").symlink_to(secret)
    (hands.root / "one").write_text("shared")
    os.link(hands.root / "one", hands.root / "two")
    os.mkfifo(hands.root / "pipe")
    before = below(hands.root)
    for path, to in [
        ("file", "folder"),
        ("file", "link"),
        ("file", "two"),
        ("file", "pipe"),
        ("folder", "file"),
        ("link", "file"),
    ]:
        assert not hands.do(command, path=path, to=to, overwrite=True).ok, (path, to)
    assert below(hands.root) == before
    assert secret.read_text() == "the host's secret"
    assert (hands.root / "one").read_text() == "shared"


@BOTH
def test_no_link_is_followed_on_either_side(hands: Hands, secret: Path, command: str) -> None:
    (hands.root / "way").symlink_to("..")
    hands.do("write", path="mine", content="x")
    for path, to in [("way/secret", "got"), ("mine", "way/put"), ("mine", "way/secret")]:
        refused = hands.do(command, path=path, to=to, overwrite=True)
        assert "link" in refused.reason, (path, to, refused)
    for path, to in [("../secret", "got"), ("mine", "../put"), ("/etc/passwd", "got")]:
        assert "outside" in hands.do(command, path=path, to=to).reason
    assert not (hands.root / "got").exists()
    assert not (secret.parent / "put").exists()


def test_a_link_moves_as_the_link_it_is(hands: Hands, secret: Path) -> None:
    (hands.root / "link").symlink_to(secret)
    assert hands.do("cp", path="link", to="copy").data["kind"] == "link"
    assert hands.do("mv", path="link", to="moved").ok
    assert (hands.root / "copy").readlink() == (hands.root / "moved").readlink() == secret


@BOTH
def test_a_folder_is_not_put_into_itself_and_the_root_stays(hands: Hands, command: str) -> None:
    hands.do("mkdir", path="a/b")
    for path, to in [("a", "a/b/c"), ("a", "a"), ("a/b", "a"), (".", "x"), ("a", "."), (".", ".")]:
        assert not hands.do(command, path=path, to=to, overwrite=True).ok, (path, to)
    assert "into itself" in hands.do(command, path="a", to="a/b/c").reason
    assert below(hands.root) == ["a", "a/b"]
    assert hands.do(command, path="a", to="ab").ok


def test_what_is_no_file_is_not_copied_and_nothing_is_left_of_the_try(hands: Hands) -> None:
    hands.do("mkdir", path="a")
    hands.do("write", path="a/f", content="x")
    os.mkfifo(hands.root / "a/pipe")
    refused = hands.do("cp", path="a", to="b")
    assert "a/pipe" in refused.reason
    assert below(hands.root) == ["a", "a/f", "a/pipe"]


def test_a_copy_that_cannot_be_finished_leaves_nothing_behind(hands: Hands) -> None:
    hands.do("mkdir", path="a")
    hands.do("write", path="a/f", content="x")
    (hands.root / "a/f").chmod(0)
    refused = hands.do("cp", path="a", to="b")
    assert refused.error_class == "PERMISSION_ERROR"
    assert below(hands.root) == ["a", "a/f"]


def test_a_copy_stays_within_the_limits_of_the_workspace(open_hands: OpenHands) -> None:
    hands = open_hands(limits=Limits(workspace_bytes=10_000, workspace_files=10))
    hands.do("write", path="large", content="x" * 6000)
    assert "limit" in hands.do("cp", path="large", to="larger").reason
    hands.do("mkdir", path="many")
    for number in range(5):
        hands.do("write", path=f"many/{number}", content="")
    assert "limit" in hands.do("cp", path="many", to="more").reason
    assert len(below(hands.root)) == 7
    assert hands.do("mv", path="large", to="still large").ok


@BOTH
def test_nothing_is_put_deeper_than_a_snapshot_keeps(hands: Hands, command: str) -> None:
    hands.do("mkdir", path="/".join("d" * 250))
    hands.do("mkdir", path="e/f/g/h/i/j/k")
    refused = hands.do(command, path="e", to="/".join("d" * 250) + "/e")
    assert "deep" in refused.reason
    assert (hands.root / "e/f").is_dir()


def test_names_that_are_no_text_move_with_their_folder(hands: Hands) -> None:
    folder = hands.root / "a"
    folder.mkdir()
    Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9\n")).touch()
    assert hands.do("cp", path="a", to="b").ok
    assert hands.do("mv", path="a", to="c").ok
    for name in ("b", "c"):
        assert [os.fsencode(path.name) for path in (hands.root / name).iterdir()] == [b"caf\xe9\n"]
