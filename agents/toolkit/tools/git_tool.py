"""Git in the workspace: what changed, commits and branches. A repository's own settings decide nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from agents.toolkit import refusal
from agents.toolkit.command import Command, Params, Tool
from agents.toolkit.describing import fields, line, number, path, switch
from agents.toolkit.git_tool import inside, repository
from agents.toolkit.git_tool.saying import SAID
from agents.toolkit.jailed import in_jail
from agents.toolkit.leaving import Left
from agents.toolkit.trial import Trial

NAME = "git_tool"
_FOLDER = path("Folder of the repository", default=".")
_BRANCH = line("Branch", 200)
_OF_A_PERSON = r"^[^<>\x00-\x1f\x7f]+$"

_FILES = {"work/a.txt": "one\n"}
_MADE = (NAME, "init", {"path": "work"})
_COMMITTED = (_MADE, (NAME, "commit", {"path": "work", "message": "first"}))
_BRANCHED = (*_COMMITTED, (NAME, "create_branch", {"path": "work", "name": "try"}))
_IN_WORK = {"path": "work"}
_CHANGED = ("simple_coder", "write", {"path": "work/a.txt", "content": "two\n"})
_TWICE = (*_COMMITTED, _CHANGED, (NAME, "commit", {"path": "work", "message": "second"}))
_TRIALS: Mapping[str, tuple[Trial, ...]] = {
    "status": (
        Trial(_IN_WORK, _FILES, (*_COMMITTED, _CHANGED), result={"branch": "main", "clean": False}, changes=()),
        Trial(_IN_WORK, _FILES, error="INVALID_PARAMETERS", changes=()),
    ),
    "diff": (Trial(_IN_WORK, _FILES, (*_COMMITTED, _CHANGED), result={"added": 1, "deleted": 1}, changes=()),),
    "log": (
        Trial(_IN_WORK, _FILES, _COMMITTED, result={"more": False}, changes=()),
        Trial({**_IN_WORK, "only": "work/a.txt"}, _FILES, _COMMITTED, result={"message": "1 commit"}, changes=()),
        Trial({**_IN_WORK, "only": "work/gone"}, _FILES, _COMMITTED, error="INVALID_PARAMETERS", changes=()),
    ),
    "branches": (Trial(_IN_WORK, _FILES, _COMMITTED, result={"branch": "main"}, changes=()),),
    "init": (Trial(_IN_WORK, _FILES, changes=("work/.git", "work/.git/*")),),
    "commit": (
        Trial({**_IN_WORK, "message": "first"}, _FILES, (_MADE,), result={"clean": True}, changes=("work/.git/*",)),
        Trial({**_IN_WORK, "message": "none"}, _FILES, _COMMITTED, error="TOOL_EXECUTION_ERROR"),
    ),
    "undo_commit": (
        Trial(
            _IN_WORK, _FILES, _TWICE, result={"undone_message": "second", "branch": "main"}, changes=("work/.git/*",)
        ),
        Trial(_IN_WORK, _FILES, _COMMITTED, error="TOOL_EXECUTION_ERROR", changes=()),
    ),
    "create_branch": (Trial({**_IN_WORK, "name": "try"}, _FILES, _COMMITTED, changes=("work/.git/*",)),),
    "switch_branch": (
        Trial({**_IN_WORK, "name": "try"}, _FILES, _BRANCHED, result={"branch": "try"}, changes=("work/.git/*",)),
        Trial({**_IN_WORK, "name": "--detach"}, _FILES, _BRANCHED, error="INVALID_PARAMETERS", changes=()),
    ),
}


def _command(
    name: str,
    summary: str,
    phrases: tuple[str, ...],
    result_keys: tuple[str, ...],
    example: Params,
    more: Mapping[str, Any] | None = None,
    required: tuple[str, ...] = (),
    effect: str = "idempotent",
    faults: Callable[[Params], Iterable[tuple[str, str]]] = lambda params: (),
    tells_left: str = "",
) -> Command:
    schema = fields({"path": _FOLDER, **(more or {})}, *required)
    work = in_jail(inside, schema, reads_only=effect == "idempotent", parts=(refusal, repository), do=name)
    trials = _TRIALS[name]
    return Command(
        NAME,
        name,
        summary,
        schema,
        phrases,
        effect,
        work,
        result_keys,
        (example,),
        trials=trials,
        faults=faults,
        leaves=_LEAVES.get(name, lambda params: ()),
        tells_left=tells_left,
    )


def _in_repository(params: Params, path: str, **more: Any) -> tuple[Left, ...]:
    """A path of `.git`, in the repository that `path` lies in."""
    return (Left(params["path"], f".git/{path}", beside=".git/HEAD", **more),)


_LEAVES: Mapping[str, Callable[[Params], Iterable[Left]]] = {
    "init": lambda params: (Left(params["path"], ".git/HEAD"),),
    # A commit is an object, on a branch or on none.
    "commit": lambda params: _in_repository(params, "objects", kind="file_changed"),
    # Where the newest commit was; the branch that goes back may be none.
    "undo_commit": lambda params: _in_repository(params, "ORIG_HEAD", kind="file_changed"),
    "create_branch": lambda params: _in_repository(params, f"refs/heads/{params['name']}"),
    "switch_branch": lambda params: _in_repository(
        params, "HEAD", kind="has_line", line=f"ref: refs/heads/{params['name']}"
    ),
}


def _name_fault(params: Params) -> Iterable[tuple[str, str]]:
    """A branch of several words is none; what stands behind its name was meant as something else."""
    name = params.get("name")
    if isinstance(name, str) and "{{" not in name and len(name.split()) > 1:
        yield "name", f"“{name[:60]}” cannot be the name of a branch: it is one word"


TOOL = Tool(
    NAME,
    "Git",
    "Looks at a git repository of the workspace, and makes commits and branches in it. Nothing that the repository "
    "itself names is run: no hooks, filters, drivers or helpers of its configuration. Nothing is fetched or pushed.",
    (
        _command(
            "status",
            "Show the branch and what differs from the newest commit.",
            (
                "show the git status [of the folder {path}]",
                "(show|check) [the] git status [(of|in) [the] [repository|folder] {path}]",
            ),
            ("branch", "commit", "clean", "entries", "conflicts"),
            {"path": "weather"},
        ),
        _command(
            "diff",
            "Show which lines changed, against the newest commit or another one.",
            (
                "show the git changes [of the folder {path}] [of the kind {what}] [since the commit {since}] "
                "[in the file {only}]",
                "(show|list) the (changes|diff|differences) (of|in) the [git] repository {path}",
            ),
            ("files", "diff", "added", "deleted"),
            {"path": "weather", "what": "staged"},
            {
                "what": {
                    "type": "string",
                    "title": "Which: all, staged (in the index) or unstaged",
                    "enum": ["all", "staged", "unstaged"],
                    "default": "all",
                },
                "since": line("Since this commit or branch", 200),
                "only": path("Only this file or folder"),
            },
        ),
        _command(
            "log",
            "Show the newest commits.",
            (
                "show the git log [of the folder {path}] [of the branch {branch}] [with at most {most} commits] "
                "[for the file {only}]",
                "(show|list) the (commits|history) (of|in) the [git] repository {path}",
            ),
            ("commits",),
            {"most": 5},
            {
                "branch": line("Branch or commit", 200),
                "most": number("At most so many", 1, 500, default=20),
                "only": path("Only this file or folder"),
            },
        ),
        _command(
            "branches",
            "List the branches.",
            (
                "list the git branches [of the folder {path}]",
                "(show|list) the branches (of|in) the [git] repository {path}",
            ),
            ("branches", "branch"),
            {},
        ),
        _command(
            "init",
            "Make a folder a git repository.",
            (
                "start a git repository [in the folder {path}] [with the first branch {branch}]",
                "(create|make|initialise|initialize) a git repository in [the folder] {path}",
            ),
            ("branch", "message"),
            {"path": "weather"},
            {"branch": line("First branch", 100, default="main", pattern=r"^[A-Za-z0-9][A-Za-z0-9_/.-]*$")},
            effect="workspace",
        ),
        _command(
            "commit",
            "Commit what changed.",
            (
                "commit everything [of the folder {path}] with the message {message} [by the author {author_name}] "
                "[with the address {author_email}] [with all that changed {everything}] [only the path {only}]",
                "commit [all|everything] (saying|with the message) {message}",
                "commit the changes (of|in) [the repository] {path} (saying|with the message) {message}",
            ),
            ("commit", "branch", "files", "message", "uncommitted"),
            {"path": "weather", "message": "Say where the figures come from", "author_name": "Ada"},
            {
                "message": {
                    "type": "string",
                    "title": "Message",
                    "minLength": 1,
                    "maxLength": 20_000,
                    "x-reference": True,
                    "x-multiline": True,
                },
                "author_name": line("Name of the author", 200, default="mindX", pattern=_OF_A_PERSON),
                "author_email": line("E-mail of the author", 200, default="mindx@localhost", pattern=_OF_A_PERSON),
                "everything": switch("All that changed, not only what is in the index", default=True),
                "only": path("Only this file or folder"),
            },
            ("message",),
            effect="workspace",
            tells_left="uncommitted",
        ),
        _command(
            "undo_commit",
            "Take the newest commit back. The files stay as they are; what it held can be committed again.",
            ("undo the newest commit [of the folder {path}]",),
            ("undone", "undone_message", "commit", "branch", "entries"),
            {"path": "weather"},
            effect="workspace",
        ),
        _command(
            "create_branch",
            "Make a branch, at the newest commit or another one.",
            (
                "create the git branch {name} [of the folder {path}] [at the commit {start}]",
                "(create|make) the branch {name} (of|in) the [git] repository {path}",
            ),
            ("branch", "commit", "message"),
            {"name": "fix-figures", "start": "main"},
            {"name": _BRANCH, "start": line("At this commit or branch", 200)},
            ("name",),
            effect="workspace",
            faults=_name_fault,
        ),
        _command(
            "switch_branch",
            "Go to another branch. Where files of the folder go by it, it needs autonomous mode.",
            (
                "switch to the git branch {name} [of the folder {path}]",
                "(switch|go) to the branch {name} (of|in) the [git] repository {path}",
            ),
            ("branch", "commit", "message"),
            {"name": "main"},
            {"name": _BRANCH},
            ("name",),
            effect="workspace",
            faults=_name_fault,
        ),
    ),
    SAID,
)
