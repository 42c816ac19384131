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
# What looks like a branch or a commit says itself that it is one: “to main”, “since v1.2”, “against origin/next”.
_SINCE = (
    "since~reference > since the commit, since commit, since the branch, since, against the branch, against, "
    "compared to, compared with, compared to the branch, compared with the branch, to commit, with the branch, "
    "with, to the branch, from the branch, than the branch, versus the branch",
    "since~revision > to, from, than, vs, versus, between, on, the version on, the one on, the version in, than in, "
    "of, as of",
)
_ONLY = (
    "only > in the file, in file, only in, of the file, of file, only for, to the file, in the folder, of the folder, "
    "in folder, restricted to, limited to, confined to, in, of, for, below, under, inside, only, just, to"
)
_STAGED = {
    "staged": ("what", "staged"),
    "--staged": ("what", "staged"),
    "--cached": ("what", "staged"),
    "in the index": ("what", "staged"),
    "unstaged": ("what", "unstaged"),
    "not staged": ("what", "unstaged"),
    "not yet staged": ("what", "unstaged"),
    "since the last commit": ("what", "all"),
    "since last commit": ("what", "all"),
    "since my last commit": ("what", "all"),
    "since our last commit": ("what", "all"),
    "since the newest commit": ("what", "all"),
    "since the latest commit": ("what", "all"),
}
_OF_A_BRANCH = (
    "branch~word > on the branch, of the branch, on branch, of branch, on, from the branch, for the branch, in the "
    "branch",
    "branch~revision > of, from, for, in",
)
_SO_MANY = (
    "most > the last, last, the newest, newest, latest, the latest, at most, most recent, the most recent, recent, "
    "-n, with at most, max, maximum, limit, limited to, up to, no more than, not more than, just, only, - < "
    "commits, commit, entries, entry"
)
_FIRST_BRANCH = (
    "branch~word > with the first branch, with first branch, with the branch, with the initial branch, with branch, "
    "with default branch, with the default branch, with the main branch, with main branch, first branch, first branch "
    "named, default branch, main branch, initial branch, default branch should be, first branch should be, main branch "
    "should be, first branch be, whose first branch be, whose main branch be, whose default branch be, first branch be "
    "named, whose first branch be named, whose first branch should be, on the branch, on branch, -b"
)
# Where the values of a commit stand, whichever verb asks for it.
_OF_A_COMMIT = (
    "message~text > with the message, with message, with the commit message, with commit message, "
    "saying, message, msg, -m, -am, as, "
    "that say, and say, using the message, using message, message should be, the message is, the "
    "message being, with the text, titled, with the words, with the comment, comment, named, under the message, under "
    "the title, under the name, under, message for the commit be, the message for it be, with the title, called",
    "author_name~person > in the name of, on behalf of, under the name of, by the author, as the author, with the "
    "author, by author, author, author be, by, as, signed, the author be, for",
    "author_email~email > with the address, with the email, with email, with the e-mail, email, e-mail, address, mail, "
    "at",
    "only > only, only the file, just, only the path, only the folder, the file, only in, just the file, just the "
    "folder, nothing but, only what changed in, only the changes in, only the changes to, the changes in, the changes "
    "to, the changes of, changes in, changes to",
    "path > in the folder, of the folder, in the repository, of the repository, in folder, in",
    "*message~quoted",
)
_ONLY_STAGED = dict.fromkeys(
    (
        "what is staged",
        "only what is staged",
        "just what is staged",
        "only the staged",
        "just the staged",
        "the staged",
        "staged",
        "only what is in the index",
        "just what is in the index",
        "what is in the index",
        "only the index",
        "just the index",
        "the index",
        "in the index",
    ),
    ("everything", False),
)
_ALSO = {"repository": "path", "repo": "path", "directory": "path", "folder": "path"}

SAID: Mapping[str, Said] = {
    "status": Said(
        (
            sense(
                f"{_SHOW}, status", _WHERE, about="git status state repository repo project situation", key="git status"
            ),
            sense(
                f"{_SHOW}, which, any, are there, be there, what be, have",
                _WHERE,
                about="changes stuff things files work left anything modifications still yet lines",
                key="uncommitted",
                never="diff log branches note",
            ),
            sense("git status, do git status", _WHERE, about="repository repo"),
            sense(
                "what is changed, anything changed, what changed, have … changed, is … committed, what is "
                "uncommitted, which files changed, which files are changed, which files … modified, which files … "
                "untracked, which files have changed, are there uncommitted, are there any uncommitted, any "
                "uncommitted, is there anything to commit, anything to commit, is … clean, is … dirty, is there "
                "anything uncommitted, what have not been committed, what is not committed, which changes are not "
                "committed, did … change anything, have … changed anything, did … change something, did … change a "
                "thing, did … touch anything, have … touched anything, did … leave anything uncommitted, did … "
                "leave something uncommitted, did … forget to commit anything, is there something to commit, is "
                "there anything left to commit, is there something left to commit, anything left to commit, "
                "anything to check in, is everything committed, is it all committed, is all committed, be all … "
                "committed, have … committed everything, did … commit everything, any pending changes, any open "
                "changes, any local changes, any changes pending, are there pending changes, are there any pending "
                "changes, are there open changes, are there local changes, are there any local changes, any "
                "changes, what be dirty, what be modified, what be new or changed, which files did … change, which "
                "files did … modify, which files have … changed, which files have … modified, which files have … "
                "touched, which files did … touch, what files have … changed, what files have … modified, what "
                "files did … change, which files differ, which files be new, which files be not tracked, which "
                "files be not in git, which files does git not know, what does git not know, how do … repo look, "
                "how do … repository look, how be … repo doing, how do … working tree look, where do … stand in "
                "git, where be … in git",
                _WHERE,
                about=(
                    "git repository repo anything files changes uncommitted changed file working tree still yet work "
                    "directory copy all everything state of things"
                ),
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
                f"{_SHOW}, what are, compare, which, any",
                *_SINCE,
                _ONLY,
                _OF_THE_REPOSITORY,
                about=(
                    "git diff difference changes change changed line lines modification uncommitted things stuff "
                    "every part"
                ),
                key="git diff difference differences changes modification modifications",
                never="commits log history status branches push pull merge",
                flags=_STAGED,
            ),
            sense(
                "git diff, diff",
                "*only > only, just, of, in, for, only for, restricted to, limited to, below, under",
                "since~reference > since, against, to, with, against the branch, against the commit, from",
                _OF_THE_REPOSITORY,
                about="changes everything",
                flags=_STAGED,
            ),
            sense(
                "what have changed, what has changed, which lines changed, which lines be changed, which lines have "
                "changed, what changed, what did … change, what have … changed, what is different, what do … "
                "change, show what … changed, see what … changed, show what changed, see what is different, show "
                "what is different, see … what is different, what did … touch, what have … touched, what … touched, "
                "show what … touched, see what … touched, know what … touched, know what … changed, know what "
                "changed, which lines did … change, which lines have … changed, what did … edit, what have … "
                "edited, what did … modify, what have … modified, what did … do to, what have … done to, which "
                "lines of … changed, which lines of … have changed, which lines in … changed, which lines in … have "
                "changed, which lines of … be different",
                *_SINCE,
                _ONLY,
                _OF_THE_REPOSITORY,
                flags=_STAGED,
                about="lines git work so far everything now branch",
                never="commits log history who",
            ),
            sense(
                "how did … change, how have … changed, how have … change, how do … differ, how be … different, what "
                "changed in, what be different in, what be changed in, what be different about, compare",
                "*only > in, the file, of the file, to",
                *_SINCE,
                _OF_THE_REPOSITORY,
                flags=_STAGED,
                about="git",
                wants="since",
                never="commits log history who",
            ),
            sense(
                "what be staged, what be in the index, what did … stage, what have … staged, be anything staged, be "
                "something staged, what will be committed, what would be committed, what go into the next commit, "
                "which changes be staged, what be ready to commit, what be already staged",
                _ONLY,
                _OF_THE_REPOSITORY,
                about="already so far changes",
                never="not",
                what="staged",
            ),
            sense(
                "what be not staged, what be unstaged, what have … not staged, what did … not stage, which changes be "
                "not staged, which changes be unstaged, what changes have … not staged, which changes have … not "
                "staged, what be not in the index, what changes be not staged, what changes be unstaged",
                _ONLY,
                _OF_THE_REPOSITORY,
                about="yet so far changes",
                what="unstaged",
            ),
        ),
        {"path": Place("folder"), "only": Place("any")},
        _ALSO,
    ),
    "log": Said(
        (
            sense(
                f"{_SHOW}, what are, who commit, what was committed, which be, which",
                *_OF_A_BRANCH,
                _SO_MANY,
                _WHERE,
                about="git log commit commits history recently recent past entries are there past what happened",
                key="git commit commits history log",
                never="status diff differences changes staged program process message uncommitted branches undo revert "
                "its",
            ),
            sense(
                "git log, do git log, commit log, commit history, git history",
                _SO_MANY,
                *_OF_A_BRANCH,
                _WHERE,
                about="commits commit git history log",
                never="status diff differences changes staged program process file files server output",
            ),
            sense(
                "who commit, who committed what, what was committed, what have … committed, what did … commit, what "
                "has been committed, what have been committed",
                *_OF_A_BRANCH,
                _SO_MANY,
                _WHERE,
                about="what recently last commits git lately already yet here team people everybody",
                never="uncommitted",
            ),
            sense(
                f"{_SHOW}, what be, what was, which be, which was, who make, who write, who do",
                *_OF_A_BRANCH,
                about="very most one made commit git newest latest",
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
                about="git branches all every there available exist names local list",
                key="branches",
                never="create new switch delete merge",
            ),
            sense(
                "git branch, git branches, which branches, what branches, which branch, what branch, list branches, "
                "show branches, all branches, branches, is there branch, is there a branch, how many branches, "
                "where be … on",
                _WHERE,
                about="there are exist i we on am current now right currently have git got",
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
                _FIRST_BRANCH,
                about="git repository repo version control new fresh empty",
                key="git repository repo",
                never="status diff log commit commits changes staged",
            ),
            sense(
                "need, want, have, get",
                "path > in, in the folder, in folder, at, inside, for",
                _FIRST_BRANCH,
                about="git repository repo new fresh empty of its own",
                key="repository repo",
                never="status diff log commit commits changes staged branches clean state show see list",
            ),
            sense("git init", "*path > in", _FIRST_BRANCH),
            sense(
                "put, place, bring, get",
                "*path",
                _FIRST_BRANCH,
                about="under version control git folder",
                key="git version",
                never="commit package",
            ),
            sense(
                "set up, begin, start, use, introduce, want, need, like, have, get",
                "path > in, in the folder, for, of",
                _FIRST_BRANCH,
                about="version control git here",
                key="version control",
            ),
            sense(
                "make, turn, turn … into, convert … into, let … be",
                "*path",
                _FIRST_BRANCH,
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
                flags=_ONLY_STAGED,
                about=("git commit change changes everything all it changed work message stuff modifications"),
                never=("log history last newest latest which status branch branches anything undo revert amend push"),
            ),
            sense(
                "record, save, store, put, bring, secure, keep",
                *_OF_A_COMMIT,
                flags=_ONLY_STAGED,
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
                "*name~word > named, with name, with the name, by the name of, name, name it, call it, whose name be",
                "start~word > starting from, starting at the commit, starting from the commit, starting from the "
                "branch, beginning from, that start at, that start from, on top of, branched from, branching off, "
                "branching off from, forked from, at the commit, at commit, from the branch, from the commit, from "
                "branch, from commit, based on, off of, off, starting at, beginning at, at the branch, begin at the "
                "branch, begin at, at, from, out of",
                "path > of the folder, in the folder, of the repository, in the repository, in folder",
                about="git branch new separate fresh own extra",
                key="branch",
                never="current which what all list delete remove rename merge switch checkout onto back",
            ),
            sense(
                "need, want, have, get",
                "*name~word > named, with name, with the name, by the name of, name, name it, call it, whose name be",
                "start~word > starting from, starting at the commit, starting from the commit, starting from the "
                "branch, beginning from, that start at, that start from, on top of, branched from, branching off, "
                "branching off from, forked from, at the commit, at commit, from the branch, from the commit, from "
                "branch, from commit, based on, off of, off, starting at, beginning at, at the branch, begin at the "
                "branch, begin at, at, from, out of",
                "path > of the folder, in the folder, of the repository, in the repository, in folder",
                about="git branch new separate fresh own extra",
                key="branch",
                never="current which what all list delete remove rename merge switch checkout onto back go work",
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
                "switch to, switch over to, switch back to, switch … to, switch … back to, switch … over to, go to, go "
                "back to, go over to, get back to, get back on, jump to, jump over to, jump back to, hop to, hop over "
                "to, hop back to, move to, move over to, move back to, change to, change over to, change back to, "
                "return to, put … on, put … back on, bring … to, bring … back to, take … to, take … back to, "
                "want to be on, work on, continue on, get on, get onto, get … "
                "onto, get … on, get … back to, get … back on",
                "*name~revision > to, on, the branch",
                "path > of the folder, in the folder, of the repository, in the repository, in folder",
                about="git branch again back",
                wants="name",
                never="branches new create delete remove rename merge -b -c -- log commits commit diff changes history",
            ),
            sense(
                "git checkout, git switch, checkout, check out",
                "*name~revision",
                about="branch",
                never="-b -c -- file files commit",
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
