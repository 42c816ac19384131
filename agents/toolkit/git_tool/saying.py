"""How people say git's commands in passing."""

from __future__ import annotations

from collections.abc import Mapping

from agents.toolkit.saying import Place, Said, sense

_SHOW = "show, display, print, see, view, list, give, get, check, tell, what is, look at, have a look at, read, inspect"
_WHERE = (
    "path > of the folder, of folder, in the folder, in folder, of the repository, of repository, in the "
    "repository, in, of, for"
)
# Of a folder that is no repository by itself only the changes in it are shown.
_OF_THE_REPOSITORY = (
    "path > of the repository, of repository, in the repository, in repository, of the repo, in the repo"
)
_REPOSITORY = {"path": Place("folder")}
# Where the values of a commit stand, whichever verb asks for it.
_OF_A_COMMIT = (
    "message~text > with the message, with message, with the commit message, with commit message, "
    "saying, message, msg, -m, -am, as, "
    "that say, and say, using the message, using message, message should be, the message is, the "
    "message being, with the text, titled, with the words, with the comment, comment",
    "author_name~person > in the name of, on behalf of, under the name of, by the author, as the author, with the "
    "author, by author, author",
    "author_email~email > with the address, with the email, with email, with the e-mail",
    "only > only, only the file, just, only the path, only the folder, the file",
    "path > in the folder, of the folder, in the repository, of the repository, in folder, in",
    "*message~quoted",
)
_ALSO = {"repository": "path", "repo": "path", "directory": "path", "folder": "path"}

SAID: Mapping[str, Said] = {
    "status": Said(
        (
            sense(f"{_SHOW}, status", _WHERE, about="git status state repository repo project", key="git status"),
            sense("git status, do git status", _WHERE, about="repository repo"),
            sense(
                "what is changed, anything changed, what changed, have … changed, is … committed, what is "
                "uncommitted, which files changed, which files are changed, which files … modified, which files … "
                "untracked, which files have changed, are there uncommitted, are there any uncommitted, any "
                "uncommitted, is there anything to commit, anything to commit, is … clean, is … dirty, is there "
                "anything uncommitted, what have not been committed, what is not committed, which changes are not "
                "committed",
                _WHERE,
                about="git repository repo anything files changes uncommitted changed file working tree still yet",
                never="last since yesterday who branch note",
            ),
            sense(
                f"{_SHOW}, what be",
                "path > of the folder, in the folder, in, of",
                about="state status repository repo",
                key="repository repo",
                never="branch branches commit commits log history diff file name",
            ),
        ),
        _REPOSITORY,
        _ALSO,
    ),
    "diff": Said(
        (
            sense(
                f"{_SHOW}, what are, compare",
                "since~word > since the commit, since commit, since, against, compared to, compared with, to "
                "commit, with",
                "only > in the file, in file, only in, of the file, of file, only for, to the file, in the folder, of "
                "the folder, in folder, in, of, for, below, only",
                _OF_THE_REPOSITORY,
                about="git diff difference changes change changed line modification uncommitted",
                key="git diff difference differences changes modification",
                never="commits log history status branches push pull merge",
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
                "git diff, diff",
                "*only > only, just, of, in, for, only for",
                "since~word > since, against, to",
                _OF_THE_REPOSITORY,
                flags={
                    "--staged": ("what", "staged"),
                    "--cached": ("what", "staged"),
                    "staged": ("what", "staged"),
                    "unstaged": ("what", "unstaged"),
                },
            ),
            sense(
                "what have changed, what has changed, which lines changed, which lines be "
                "changed, what changed, what did … change, what have "
                "… "
                "changed, what is different, what do … change, show what … changed, see what … changed, show what "
                "changed, see what is different, show what is different, see … what is different",
                "since~word > since the commit, since commit, since",
                "only > in the file, in file, of the file, to the file, in the folder, in, of",
                _OF_THE_REPOSITORY,
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
                f"{_SHOW}, what are, who commit, what was committed, which be, which",
                "branch~word > on the branch, of the branch, on branch, of branch, on, from the branch",
                "most > the last, last, the newest, newest, latest, the latest, at most, most recent, the most "
                "recent, recent, -n, with at most < commits, commit, entries",
                _WHERE,
                about="git log commit commits history recently recent past entries are there",
                key="git commit commits history log",
                never="status diff differences changes staged program process message uncommitted branches undo revert "
                "its",
            ),
            sense(
                "git log, do git log, commit log, commit history",
                "most > -n, last, the last, - < commits",
                "branch~word > of branch, on branch, of, on",
                _WHERE,
            ),
            sense("who commit, who committed what, what was committed", _WHERE, about="what recently last commits git"),
            sense(
                f"{_SHOW}, what be, what was, which be, which was, who make, who write, who do",
                "branch~word > on the branch, of the branch, on branch, of branch, on",
                about="very most one made commit git",
                key="commit",
                wants="most",
                never=(
                    "commits message changes change diff status log history everything file since after before undo "
                    "revert "
                    "with saying"
                ),
                flags={"last commit": ("most", 1), "latest commit": ("most", 1), "newest commit": ("most", 1)},
            ),
        ),
        _REPOSITORY,
        {**_ALSO, "limit": "most", "count": "most", "number": "most"},
    ),
    "branches": Said(
        (
            sense(
                f"{_SHOW}, which, what, what are, which are",
                _WHERE,
                about="git branches all every there available exist names local",
                key="branches",
                never="create new switch delete merge",
            ),
            sense(
                "git branch, git branches, which branches, what branches, which branch, what branch, "
                "list branches, show branches, all branches, branches, is there branch, is there a branch",
                _WHERE,
                about="there are exist i we on am current now",
                never="create new switch",
            ),
            sense(
                f"{_SHOW}, which is, what be, name",
                _WHERE,
                about="branch git current active name",
                key="current",
                never="directory file commit status working new create",
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
            sense(
                "put, place, bring, get",
                "*path",
                about="under version control git folder",
                key="git version",
                never="commit branch package",
            ),
            sense(
                "set up, begin, start, use, introduce",
                "path > in, in the folder, for, of",
                about="version control git here",
                key="version control",
            ),
            sense(
                "make, turn, turn … into, convert … into, let … be",
                "*path",
                about="folder directory git repository repo",
                key="repository repo",
                never="clone push pull new create",
                wants="path",
            ),
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
                about="git commit change changes everything all it changed work message",
                never=(
                    "log history last newest latest which what status branch branches anything undo revert amend push"
                ),
            ),
            sense(
                "record, save, store, put, bring",
                *_OF_A_COMMIT,
                about="git commit change changes everything all it changed work",
                key="git commit changes work",
                never="log history branch note status version control",
            ),
        ),
        {"path": Place("folder"), "only": Place("any")},
        {**_ALSO, "msg": "message", "author": "author_name", "email": "author_email"},
    ),
    "create_branch": Said(
        (
            sense(
                "create, make, add, new, start, open, set up, begin, spin up, cut",
                "*name~word > named, with name, with the name, by the name of",
                "start~word > at the commit, at commit, from the branch, from the commit, from branch, from "
                "commit, based on, off of, off, starting at, beginning at, at the branch, begin at the branch, "
                "begin at, at, from, out of",
                "path > of the folder, in the folder, of the repository, in the repository, in folder",
                about="git branch new",
                key="branch",
                never="current which what all list delete remove rename merge switch checkout onto back",
            ),
            sense(
                "need, want, have, get",
                "*name~word > named, with name, with the name, by the name of",
                "start~word > at the commit, at commit, from the branch, from the commit, from branch, from "
                "commit, based on, off of, off, starting at, beginning at, at the branch, begin at the branch, "
                "begin at, at, from, out of",
                "path > of the folder, in the folder, of the repository, in the repository, in folder",
                about="git branch new",
                key="branch",
                never="current which what all list delete remove rename merge switch checkout onto be back go work",
            ),
            sense(
                "branch, git checkout -b, git branch, git switch -c, branch off, checkout -b",
                "*name~word",
                "start~word > from, at, off",
                about="branch",
                never=(
                    "current which what all list delete remove rename merge use go work -d -a -m compare "
                    "against "
                    "diff log history commits"
                ),
            ),
        ),
        _REPOSITORY,
        {**_ALSO, "branch": "name", "branch_name": "name", "from": "start"},
        it="branch {name}",
    ),
    "switch_branch": Said(
        (
            sense(
                "switch to, switch, check out, checkout, go to, go back to, change to, move to, change, jump to, "
                "use, return to, go over to, work on, continue on, continue with, get onto, get on, get me onto, "
                "get me on, want to be on, need to be on, hop to, hop onto, move onto, put me on, bring me to, "
                "take me to, change … to, set … to, bring me over to, take me over to, get me over to",
                "*name~word > named, to, to the branch, branch, with name",
                "path > of the folder, in the folder, of the repository, in the repository, in folder",
                about="git branch",
                key="branch",
                never="branches new create delete remove rename merge -b -c --",
            ),
            sense(
                "git checkout, git switch, checkout, check out",
                "*name~word",
                about="branch",
                never="-b -c -- file files commit",
            ),
        ),
        _REPOSITORY,
        {**_ALSO, "branch": "name", "branch_name": "name"},
        it="branch {name}",
    ),
}
