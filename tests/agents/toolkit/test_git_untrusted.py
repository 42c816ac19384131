"""A repository that wants programs of its own to run: plain git runs them, which proves each try; git_tool does not."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox.contract import SessionState
from tests.agents.toolkit.conftest import OpenWork
from tests.agents.toolkit.repositories import git, repository

MARKER = "/workspace/marker"
EVIL = "/workspace/evil.sh"
_EVERYTHING: list[tuple[str, dict[str, Any]]] = [
    ("status", {}),
    ("diff", {}),
    ("diff", {"what": "staged"}),
    ("log", {}),
    ("branches", {}),
    ("create_branch", {"name": "made"}),
    ("commit", {"message": "more"}),
    ("switch_branch", {"name": "other"}),
    ("switch_branch", {"name": "main"}),
]


def configured(*settings: str, attributes: str = "") -> Callable[[Path], None]:
    """A trap of these settings, and of attributes that send a.txt to the driver `evil`."""

    def lay(repo: Path) -> None:
        for setting in settings:
            git(repo, "config", *setting.split("=", 1))
        if attributes:
            (repo / ".git" / "info").mkdir(exist_ok=True)
            (repo / ".git" / "info" / "attributes").write_text(attributes)

    return lay


def hooked(*names: str, folder: str = ".git/hooks") -> Callable[[Path], None]:
    """A trap of hooks."""

    def lay(repo: Path) -> None:
        (repo / folder).mkdir(parents=True, exist_ok=True)
        for name in names:
            (repo / folder / name).write_text(f"#!/bin/sh\nexec {EVIL}\n")
            (repo / folder / name).chmod(0o755)
        if folder != ".git/hooks":
            git(repo, "config", "core.hooksPath", folder)

    return lay


def included(repo: Path) -> None:
    (repo / "more.ini").write_text(f"[core]\n\tfsmonitor = {EVIL}\n")
    git(repo, "config", "include.path", "../more.ini")


def in_a_submodule(repo: Path) -> None:
    inner = repository(repo / "inner")
    git(repo, "add", "inner")
    git(repo, "commit", "--quiet", "--message=with a repository inside")
    git(inner, "config", "core.fsmonitor", EVIL)
    (inner / "a.txt").write_text("changed\n")


def lazily_fetched(repo: Path) -> None:
    """Objects that are missing and come from elsewhere, by a program."""
    settings = ("extensions.partialClone=origin", "remote.origin.promisor=true", "protocol.ext.allow=always")
    configured(*settings, f"remote.origin.url=ext::{EVIL}", "core.repositoryFormatVersion=1")(repo)
    blob = git(repo, "rev-parse", "HEAD:a.txt").strip()
    (repo / ".git" / "objects" / blob[:2] / blob[2:]).unlink()


TRAPS: dict[str, tuple[Callable[[Path], None], str]] = {
    "a file watcher": (configured(f"core.fsmonitor={EVIL}"), "status"),
    "a file watcher in an included file": (included, "status"),
    "a file watcher of a submodule": (in_a_submodule, "status"),
    "a program for differences": (configured(f"diff.external={EVIL}"), "diff"),
    "a driver for differences": (configured(f"diff.evil.command={EVIL}", attributes="*.txt diff=evil"), "diff"),
    "a converter to text": (configured(f"diff.evil.textconv={EVIL}", attributes="*.txt diff=evil"), "diff"),
    "a filter on the way in": (configured(f"filter.evil.clean={EVIL}", attributes="*.txt filter=evil"), "add a.txt"),
    "a filter that goes on": (configured(f"filter.evil.process={EVIL}", attributes="*.txt filter=evil"), "add a.txt"),
    "a filter on the way out": (
        configured(f"filter.evil.smudge={EVIL}", attributes="*.txt filter=evil"),
        "checkout --force other -- b.txt",
    ),
    "a hook before a commit": (hooked("pre-commit"), "commit -a -m x"),
    "hooks around a commit": (hooked("prepare-commit-msg", "commit-msg", "post-commit"), "commit -a -m x"),
    "a hook on every branch": (hooked("reference-transaction"), "branch x"),
    "a hook on the index": (hooked("post-index-change"), "add a.txt"),
    "a hook behind a switch": (hooked("post-checkout"), "checkout --force other"),
    "hooks from another folder": (hooked("pre-commit", folder="tools"), "commit -a -m x"),
    "a signer": (configured("commit.gpgSign=true", f"gpg.program={EVIL}"), "commit -a -m x"),
    "a program that fetches": (lazily_fetched, "diff"),
}


# These keep git_tool from going on, so each is laid alone.
_ALONE = {"a filter on the way in", "a filter that goes on", "a filter on the way out", "a program that fetches"}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace whose repository has two branches, a change, and a program that leaves a mark."""
    root = tmp_path_factory.mktemp("plain")
    evil = root / "evil.sh"
    evil.write_text(f"#!/bin/sh\necho run >> {MARKER}\nexit 0\n")
    evil.chmod(0o755)
    repo = repository(root / "repo", a_txt="one\n", b_txt="two\n")
    git(repo, "switch", "--quiet", "--create", "other")
    (repo / "b.txt").write_text("other\n")
    git(repo, "commit", "--quiet", "--all", "--message=other")
    git(repo, "switch", "--quiet", "main")
    return root


def trapped(plain: Path, root: Path, *traps: str) -> Path:
    """A copy with these traps, in a folder of its own."""
    shutil.copytree(plain, root, symlinks=True, dirs_exist_ok=True)
    for trap in traps:
        TRAPS[trap][0](root / "repo")
    (root / "repo" / "a.txt").write_text("changed\n")
    return root


@pytest.mark.parametrize("traps", [sorted(TRAPS.keys() - _ALONE), *([trap] for trap in sorted(_ALONE))], ids=len)
def test_nothing_that_a_repository_names_is_run(open_work: OpenWork, root: Path, plain: Path, traps: list[str]) -> None:
    at_work = open_work(folder=trapped(plain, root, *traps), state=SessionState(autonomous=True))
    done = [at_work.do("git_tool", name, path="repo", **params) for name, params in _EVERYTHING]
    assert not (root / "marker").exists()
    assert [each.reason for each in done if not each.ok] == [] or not _ALONE.isdisjoint(traps)
    assert done[0].ok


def test_plain_git_runs_all_of_it_so_each_trap_is_one(open_work: OpenWork, root: Path, plain: Path) -> None:
    for number, trap in enumerate(TRAPS):
        trapped(plain, root / str(number), trap)
    shutil.copy(plain / "evil.sh", root / "evil.sh")
    at_work = open_work()
    for number, (trap, (_lay, springs)) in enumerate(TRAPS.items()):
        at_work.run(f"git -C {number}/repo -c user.name=a -c user.email=b {springs}")
        assert (root / "marker").exists(), trap
        (root / "marker").unlink()


def test_settings_that_a_program_left_in_its_home_count_for_nothing(
    open_work: OpenWork, root: Path, plain: Path
) -> None:
    trapped(plain, root)
    (root / "repo" / ".gitattributes").write_text("*.txt filter=evil\n")
    at_work = open_work()
    assert at_work.run(f"git config --global filter.evil.clean {EVIL}").ok
    assert at_work.do("git_tool", "diff", path="repo").ok
    assert not (root / "marker").exists()
    assert at_work.run("git -C repo diff").ok
    assert (root / "marker").exists()


def test_what_a_filter_would_store_is_not_committed_without_it(open_work: OpenWork, root: Path) -> None:
    repo = repository(root / "repo")
    (repo / ".gitattributes").write_text("*.bin filter=lfs\n")
    (repo / "large.bin").write_text("much")
    result = open_work().do("git_tool", "commit", path="repo", message="m")
    assert result.error_class == "TOOL_EXECUTION_ERROR"
    assert "large.bin is stored through a filter" in result.reason


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("create_branch", {"name": "-d"}),
        ("create_branch", {"name": "a..b"}),
        ("create_branch", {"name": "x", "start": "--exec=evil"}),
        ("switch_branch", {"name": "--detach"}),
        ("diff", {"since": "--output=/workspace/taken"}),
        ("log", {"branch": "--output=/workspace/taken"}),
    ],
)
def test_no_word_of_a_plan_is_an_option_of_git(
    open_work: OpenWork, root: Path, name: str, params: dict[str, Any]
) -> None:
    repository(root)
    result = open_work().do("git_tool", name, **params)
    assert result.error_class == "INVALID_PARAMETERS", result
    assert not (root / "taken").exists()


def test_a_git_folder_that_leads_elsewhere_is_not_followed(open_work: OpenWork, root: Path) -> None:
    repository(root / "real")
    (root / "work").mkdir()
    (root / "work" / ".git").write_text("gitdir: ../real/.git\n")
    result = open_work().do("git_tool", "status", path="work")
    assert "leads elsewhere" in result.reason
