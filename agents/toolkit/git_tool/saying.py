"""How people say git's commands in passing."""

from __future__ import annotations

from collections.abc import Mapping

from agents.toolkit.saying import Place, Said, sense

_SHOW = "show, display, print, see, view, list, give, get, check, tell, what is, look at, have a look at, read, inspect"
_WHERE = (
    "path > of the folder, of folder, in the folder, in folder, of the repository, of repository, in the "
    "repository, in, of, for"
)
_REPOSITORY = {"path": Place("folder")}
# Where the values of a commit stand, whichever verb asks for it.
_OF_A_COMMIT = (
    "message~text > with the message, with message, with the commit message, with commit message, "
    "saying, message, -m, -am, as, "
    "that say, and say, using the message, using message, message should be, the message is, the "
    "message being, with the text, titled, with the words, with the comment, comment",
    "author_name~text > by the author, as the author, with the author, by author, author",
    "author_email~word > with the address, with the email, with email, with the e-mail",
    "only > only, only the file, just, only the path, only the folder, the file",
    "path > in the folder, of the folder, in the repository, of the repository, in folder, of, in",
    "*message~quoted",
)
_ALSO = {"repository": "path", "repo": "path", "directory": "path", "folder": "path"}

SAID: Mapping[str, Said] = {
    "status": Said(
        (
            sense(f"{_SHOW}, status", _WHERE, about="git status state repository repo project", key="git status"),
            sense("git status", _WHERE, about="repository repo"),
            sense(
                "what is changed, anything changed, what changed, have … changed, is … committed, what is "
                "uncommitted, which files changed, "
                "which files have changed, are there uncommitted",
                _WHERE,
                about="git repository repo anything files changes uncommitted changed file",
            ),
        ),
        _REPOSITORY,
        _ALSO,
    ),
    "diff": Said(
        (
            sense(
                f"{_SHOW}, what are, compare",
                _WHERE,
                "since~word > since the commit, since commit, since, against, compared to, compared with, to "
                "commit, with",
                "only > in the file, in file, only in, of the file, of file, only for, to the file",
                about="git diff difference changes change changed line modification",
                key="git diff difference changes modification",
                flags={
                    "staged": ("what", "staged"),
                    "--staged": ("what", "staged"),
                    "--cached": ("what", "staged"),
                    "in the index": ("what", "staged"),
                    "unstaged": ("what", "unstaged"),
                    "not staged": ("what", "unstaged"),
                    "since the last commit": ("what", "all"),
                    "since the newest commit": ("what", "all"),
                },
            ),
            sense(
                "git diff",
                _WHERE,
                "since~word > since, against, to",
                flags={
                    "--staged": ("what", "staged"),
                    "--cached": ("what", "staged"),
                    "staged": ("what", "staged"),
                    "unstaged": ("what", "unstaged"),
                },
            ),
            sense(
                "what have changed, what has changed, which lines changed, what changed, what did … change, what "
                "is different",
                "since~word > since the commit, since commit, since",
                _WHERE,
                "only > in the file, in file, of the file, to the file",
                flags={"since the last commit": ("what", "all"), "since the newest commit": ("what", "all")},
                about="lines git",
            ),
        ),
        {"path": Place("folder"), "only": Place("any")},
        _ALSO,
    ),
    "log": Said(
        (
            sense(
                f"{_SHOW}, what are, who commit, what was committed",
                "branch~word > on the branch, of the branch, on branch, of branch, on, from the branch",
                "most > the last, last, the newest, newest, latest, the latest, at most, most recent, the most "
                "recent, recent, -n, with at most < commits, commit, entries",
                _WHERE,
                about="git log commit commits history recently recent past",
                key="git commit commits history log",
            ),
            sense(
                "git log",
                "most > -n, last, the last, - < commits",
                "branch~word > of branch, on branch, of, on",
                _WHERE,
            ),
            sense("who commit, who committed what, what was committed", _WHERE, about="what recently last commits git"),
        ),
        _REPOSITORY,
        {**_ALSO, "limit": "most", "count": "most", "number": "most"},
    ),
    "branches": Said(
        (
            sense(
                f"{_SHOW}, which, what, what are, which are",
                _WHERE,
                about="branches git all every there available exist",
                key="branches",
            ),
            sense(
                "git branch, git branches, which branches, what branches, which branch, what branch, "
                "list branches, show branches, all branches",
                _WHERE,
                about="there are exist i we on am current now",
            ),
        ),
        _REPOSITORY,
        _ALSO,
    ),
    "init": Said(
        (
            sense(
                "init, initialize, start, create, make, set up, begin, open, new, turn … into",
                "path > in, in the folder, in folder, of, at, inside, for",
                "branch~word > with the first branch, with first branch, with the branch, with the initial "
                "branch, with branch, with default branch",
                about="git repository repo version control",
                key="git repository repo",
            ),
            sense("git init", "*path > in"),
            sense("put, place, bring, get", "*path", about="under version control git", key="git version"),
        ),
        _REPOSITORY,
        _ALSO,
    ),
    "commit": Said(
        (
            sense(
                "commit, check in, git commit, make commit, make a commit, create a commit, create "
                "commit, do commit, do a commit",
                *_OF_A_COMMIT,
                about="git commit change changes everything all it changed work",
            ),
            sense(
                "record, save, store",
                *_OF_A_COMMIT,
                about="git commit change changes everything all it changed work",
                key="git commit change changes changed work",
            ),
        ),
        {"path": Place("folder"), "only": Place("any")},
        {**_ALSO, "msg": "message", "author": "author_name", "email": "author_email"},
    ),
    "create_branch": Said(
        (
            sense(
                "create, make, add, new, start, open, set up, need, want, begin, spin up, cut",
                "*name~word > named, with name, with the name, by the name of",
                "start~word > at the commit, at commit, from the branch, from the commit, from branch, from "
                "commit, based on, off of, off, starting at, at, from, out of",
                "path > of the folder, in the folder, of the repository, in the repository, in folder",
                about="git branch",
                key="branch",
            ),
            sense(
                "branch, git checkout -b, git branch, git switch -c, branch off, checkout -b",
                "*name~word",
                "start~word > from, at, off",
                about="branch",
            ),
        ),
        _REPOSITORY,
        {**_ALSO, "branch": "name", "branch_name": "name", "from": "start"},
    ),
    "switch_branch": Said(
        (
            sense(
                "switch to, switch, check out, checkout, go to, go back to, change to, move to, change, jump to, "
                "use, return to, go over to",
                "*name~word > named, to, to the branch, branch, with name",
                "path > of the folder, in the folder, of the repository, in the repository, in folder",
                about="git branch",
                key="branch",
            ),
            sense("git checkout, git switch, checkout, check out", "*name~word", about="branch"),
        ),
        _REPOSITORY,
        {**_ALSO, "branch": "name", "branch_name": "name"},
    ),
}
