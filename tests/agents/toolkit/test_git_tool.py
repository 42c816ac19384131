from __future__ import annotations

from pathlib import Path

import pytest

from agents.toolkit.git_tool import inside
from sandbox.contract import SessionState
from tests.agents.toolkit.conftest import OpenWork
from tests.agents.toolkit.repositories import git, repository

STRANGE = "new\nline \x1b[31m\u202etxt.exe"


def test_status_and_changes_are_told_in_fields_with_every_name_as_it_is(open_work: OpenWork, root: Path) -> None:
    repository(root, a_txt="one\ntwo\n", b_txt="b\n", c_txt="some lines\nof text\n")
    (root / "a.txt").write_text("one\n2\n3\n")
    (root / "b.txt").unlink()
    git(root, "mv", "c.txt", "d.txt")
    (root / STRANGE).write_text("x")
    (root / "blob").write_bytes(b"\0\1")
    git(root, "add", "blob")
    at_work = open_work()
    status = at_work.do("git_tool", "status").data
    assert status["message"] == "On main: 5 changes"
    assert (status["branch"], status["clean"], status["detached"]) == ("main", False, False)
    assert {each["path"]: (each["staged"], each["unstaged"]) for each in status["entries"]} == {
        "a.txt": ("", "modified"),
        "b.txt": ("", "deleted"),
        "d.txt": ("renamed", ""),
        "blob": ("added", ""),
        STRANGE: ("", "new"),
    }
    diff = at_work.do("git_tool", "diff").data
    assert {"path": "a.txt", "added": 2, "deleted": 1, "binary": False} in diff["files"]
    assert {"path": "blob", "added": 0, "deleted": 0, "binary": True} in diff["files"]
    assert {"from": "c.txt", "path": "d.txt", "added": 0, "deleted": 0, "binary": False} in diff["files"]
    assert "-two\n+2\n+3" in diff["diff"]
    assert [one["path"] for one in at_work.do("git_tool", "diff", what="unstaged").data["files"]] == ["a.txt", "b.txt"]
    assert [one["path"] for one in at_work.do("git_tool", "diff", only="a.txt").data["files"]] == ["a.txt"]


def test_a_commit_is_of_its_author_and_holds_everything_or_only_what_is_said(open_work: OpenWork, root: Path) -> None:
    repository(root)
    (root / "sub").mkdir()
    (root / "sub" / STRANGE).write_text("x")
    (root / "a.txt").write_text("changed\n")
    at_work = open_work()
    who = {"author_name": "Ada Lovelace", "author_email": "ada@example.org"}
    first = at_work.do("git_tool", "commit", message="Only the folder\n\n#1 stays", only="sub", **who)
    assert (first.data["branch"], first.data["clean"]) == ("main", False)
    second = at_work.do("git_tool", "commit", message="The rest")
    assert [each["path"] for each in second.data["files"]] == ["a.txt"]
    assert second.data["clean"]
    assert "nothing to commit" in at_work.do("git_tool", "commit", message="none").reason
    commits = at_work.do("git_tool", "log").data["commits"]
    assert [(each["author"], each["email"], each["message"]) for each in commits[:2]] == [
        ("mindX", "mindx@localhost", "The rest"),
        ("Ada Lovelace", "ada@example.org", "Only the folder\n\n#1 stays"),
    ]
    assert git(root, "fsck", "--strict") == ""
    assert git(root, "status", "--porcelain") == ""


def test_branches_are_made_listed_and_gone_to(open_work: OpenWork, root: Path) -> None:
    repository(root)
    at_work = open_work()
    assert at_work.do("git_tool", "create_branch", name="feature/ä").ok
    assert at_work.do("git_tool", "switch_branch", name="feature/ä").data["branch"] == "feature/ä"
    found = at_work.do("git_tool", "branches").data
    assert {each["name"]: each["current"] for each in found["branches"]} == {"main": False, "feature/ä": True}
    assert "already exists" in at_work.do("git_tool", "create_branch", name="main").reason
    assert "invalid reference" in at_work.do("git_tool", "switch_branch", name="nowhere").reason
    assert git(root, "symbolic-ref", "HEAD").strip() == "refs/heads/feature/ä"


def test_going_to_a_branch_that_lacks_files_needs_autonomous_mode(open_work: OpenWork, root: Path) -> None:
    repository(root)
    git(root, "switch", "--quiet", "--create", "more")
    (root / "b.txt").write_text("b")
    git(root, "add", "b.txt")
    git(root, "commit", "--quiet", "--message=more")
    assert open_work().do("git_tool", "switch_branch", name="main").error_class == "PERMISSION_ERROR"
    git(root, "switch", "--quiet", "--force", "more")
    git(root, "reset", "--quiet", "--hard")
    autonomous = open_work(state=SessionState(autonomous=True))
    assert autonomous.do("git_tool", "switch_branch", name="main").ok
    assert not (root / "b.txt").exists()


def test_no_repository_an_empty_one_and_a_detached_head_are_told_plainly(open_work: OpenWork, root: Path) -> None:
    at_work = open_work()
    assert "there is no git repository" in at_work.do("git_tool", "status").reason
    assert at_work.do("git_tool", "init", branch="trunk").ok
    assert "already" in at_work.do("git_tool", "init").reason
    empty = at_work.do("git_tool", "status").data
    assert (empty["branch"], empty["commit"], empty["clean"]) == ("trunk", "", True)
    assert at_work.do("git_tool", "log").data["commits"] == []
    assert at_work.do("git_tool", "diff").data["files"] == []
    assert "no commit yet" in at_work.do("git_tool", "create_branch", name="x").reason
    at_work.run("touch a.txt")
    first = at_work.do("git_tool", "commit", message="first").data["commit"]
    git(root, "checkout", "--quiet", "--detach", first)
    detached = at_work.do("git_tool", "status").data
    assert (detached["branch"], detached["detached"], detached["commit"]) == ("", True, first)


def test_a_conflict_is_told_and_not_committed(open_work: OpenWork, root: Path) -> None:
    repository(root)
    git(root, "switch", "--quiet", "--create", "theirs")
    (root / "a.txt").write_text("theirs\n")
    git(root, "commit", "--quiet", "--all", "--message=theirs")
    git(root, "switch", "--quiet", "main")
    (root / "a.txt").write_text("ours\n")
    git(root, "commit", "--quiet", "--all", "--message=ours")
    git(root, "merge", "theirs", check=False)
    at_work = open_work(state=SessionState(autonomous=True))
    status = at_work.do("git_tool", "status").data
    assert (status["conflicts"], status["under_way"]) == (["a.txt"], "merge")
    assert status["entries"][0]["conflict"] == "changed by both"
    assert "a.txt is in conflict" in at_work.do("git_tool", "commit", message="m").reason
    at_work.run("cp a.txt b.txt")
    git(root, "checkout", "--quiet", "--theirs", "a.txt")
    git(root, "add", "a.txt")
    assert at_work.do("git_tool", "commit", message="merged").ok
    assert git(root, "rev-list", "--merges", "--count", "HEAD").strip() == "1"
    assert at_work.do("git_tool", "status").data["under_way"] == ""


def test_a_large_change_is_bounded_and_its_counts_are_whole(open_work: OpenWork, root: Path) -> None:
    repository(root)
    (root / "a.txt").write_text("line\n" * 200_000)
    diff = open_work().do("git_tool", "diff").data
    assert diff["truncated"]
    assert len(diff["diff"]) == inside.MOST_DIFF_BYTES
    assert diff["added"] == 200_000


def test_a_repository_inside_another_is_left_out_of_its_commits(open_work: OpenWork, root: Path) -> None:
    repository(root)
    repository(root / "inner")
    (root / "b.txt").write_text("b")
    done = open_work().do("git_tool", "commit", message="m")
    assert [each["path"] for each in done.data["files"]] == ["b.txt"]


def test_a_submodule_is_named_when_it_moved_and_never_called_clean(open_work: OpenWork, root: Path) -> None:
    repository(root)
    inner = repository(root / "vendor")
    git(root, "add", "vendor")
    git(root, "commit", "--quiet", "--message=with a repository inside")
    at_work = open_work()
    status = at_work.do("git_tool", "status").data
    assert status["message"] == "On main: nothing changed; not looked into: vendor"
    assert (status["clean"], status["submodules"]) == (False, ["vendor"])
    (inner / "more.txt").write_text("more\n")
    git(inner, "add", "more.txt")
    git(inner, "commit", "--quiet", "--message=more")
    status = at_work.do("git_tool", "status").data
    assert [entry["path"] for entry in status["entries"]] == ["vendor"]
    assert status["message"].startswith("On main: 1 change;")
    assert [one["path"] for one in at_work.do("git_tool", "diff").data["files"]] == ["vendor"]
    (root / "a.txt").write_text("changed\n")
    committed = at_work.do("git_tool", "commit", message="all but that").data
    assert committed["message"].endswith("; left as it was: vendor")
    assert [entry["path"] for entry in committed["left"]] == ["vendor"]
    assert not committed["clean"]


def test_without_git_the_tool_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: None)
    answer = inside.main({"do": "status", "path": "."})
    assert answer["error_class"] == "TOOL_UNAVAILABLE"
    assert "apt-get install git" in answer["reason"]


def test_the_last_commit_is_undone_and_its_files_stay(open_work: OpenWork, root: Path) -> None:
    repository(root, a_txt="one\n")
    (root / "a.txt").write_text("two\n")
    git(root, "commit", "--quiet", "--all", "--message=second")
    second = git(root, "rev-parse", "HEAD").strip()
    git(root, "update-ref", "refs/remotes/origin/main", second)
    (root / "a.txt").write_text("three\n")
    at_work = open_work()
    done = at_work.do("git_tool", "undo_commit").data
    assert (done["undone"], done["undone_message"]) == (second, "second")
    assert "another repository has it" in done["message"]
    assert (root / "a.txt").read_text() == "three\n"
    assert git(root, "log", "--format=%s").split() == ["first"]
    assert git(root, "show", ":a.txt") == "two\n"
    first = at_work.do("git_tool", "undo_commit")
    assert (first.ok, "first commit" in first.reason) == (False, True)


def test_a_commit_is_not_undone_while_a_merge_is_under_way(open_work: OpenWork, root: Path) -> None:
    repository(root, a_txt="one\n")
    (root / ".git" / "MERGE_HEAD").write_text(git(root, "rev-parse", "HEAD"))
    refused = open_work().do("git_tool", "undo_commit")
    assert "merge is under way" in refused.reason


def test_the_history_of_a_file_follows_its_names_and_leaves_the_others_out(open_work: OpenWork, root: Path) -> None:
    repository(root, a_txt="some lines\nof text\n", b_txt="b\n")
    git(root, "mv", "a.txt", "c.txt")
    git(root, "commit", "--quiet", "--message=renamed")
    (root / "b.txt").write_text("2\n")
    git(root, "commit", "--quiet", "--all", "--message=other")
    at_work = open_work()
    found = at_work.do("git_tool", "log", only="c.txt").data["commits"]
    assert [one["message"] for one in found] == ["renamed", "first"]
    assert "no commit knows it" in at_work.do("git_tool", "log", only="gone.txt").reason
