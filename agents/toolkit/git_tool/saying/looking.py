"""How people ask what changed and what was committed."""

from __future__ import annotations

from collections.abc import Mapping

from agents.toolkit.git_tool.saying.words import ALSO, OF_THE_REPOSITORY, REPOSITORY, SHOW, WHERE
from agents.toolkit.saying import Place, Said, sense

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
    "in folder, restricted to, limited to, confined to, in, of, for, below, under, inside, only, just, to, just for, "
    "just in, but only in, but only for"
)
_STAGED = {
    "staged": ("what", "staged"),
    "--staged": ("what", "staged"),
    "--cached": ("what", "staged"),
    "in the index": ("what", "staged"),
    "unstaged": ("what", "unstaged"),
    "not staged": ("what", "unstaged"),
    "not yet staged": ("what", "unstaged"),
    "since|against|from|to|than|with|compared [to|with] [the|my|our] last|latest|newest commit": ("what", "all"),
}
_OF_A_BRANCH = (
    "branch~word > on the branch, of the branch, on branch, of branch, on, from the branch, for the branch, in the "
    "branch",
    "branch~revision > of, from, for, in",
)
_SO_MANY = (
    "most > the last, last, the newest, newest, latest, the latest, at most, most recent, the most recent, recent, "
    "-n, with at most, max, maximum, limit, limited to, up to, no more than, not more than, just, only, - < "
    "commits, commit, entries, entry, of them"
)

SAID: Mapping[str, Said] = {
    "status": Said(
        (
            sense(
                f"{SHOW}, status", WHERE, about="git status state repository repo project situation", key="git status"
            ),
            sense(
                f"{SHOW}, which, any, are there, be there, what be, have",
                WHERE,
                about="changes stuff things files work left anything modifications still yet lines",
                key="uncommitted",
                never="diff log branches note",
            ),
            sense("git status, do git status", WHERE, about="repository repo"),
            sense(
                "what is changed, anything changed, what changed, have … changed, is … committed, what is "
                "uncommitted, which files changed, which files are changed, which files … modified, which files … "
                "untracked, which files have changed, are there uncommitted, are there any uncommitted, any "
                "uncommitted, is there anything to commit, anything to commit, is … clean, is … dirty, is there "
                "anything uncommitted, what have not been committed, what is not committed, which changes are not "
                "committed, did … change anything, have … changed anything, did … change something, did … change a "
                "thing, did … touch anything, have … touched anything, did … leave anything uncommitted, did … leave "
                "something uncommitted, did … forget to commit anything, is there something to commit, is there "
                "anything left to commit, is there something left to commit, anything left to commit, anything to "
                "check in, is everything committed, is it all committed, is all committed, be all … committed, have … "
                "committed everything, did … commit everything, any pending changes, any open changes, any local "
                "changes, any changes pending, are there pending changes, are there any pending changes, are there "
                "open changes, are there local changes, are there any local changes, any changes, what be dirty, what "
                "be modified, what be new or changed, which files did … change, which files did … modify, which files "
                "have … changed, which files have … modified, which files have … touched, which files did … touch, "
                "what files have … changed, what files have … modified, what files did … change, which files differ, "
                "which files be new, which files be not tracked, which files be not in git, which files does git not "
                "know, what does git not know, how do … repo look, how do … repository look, how be … repo doing, how "
                "do … working tree look, where do … stand in git, where be … in git, "
                "what have … not committed, what have … not checked in, did … forget to check anything "
                "in, did … forget to check something in, did … forget to commit something, is there anything … not "
                "committed, is there something … not committed",
                WHERE,
                about=(
                    "git repository repo anything files changes uncommitted changed file working tree still yet work "
                    "directory copy all everything state of things"
                ),
                never="last since yesterday who branch note",
            ),
            sense(
                f"{SHOW}, what be",
                "path > of the folder, in the folder, in, of",
                about="state status repository repo",
                key="repository repo",
                never="branch branches commit commits log history diff file name",
            ),
        ),
        REPOSITORY,
        ALSO,
    ),
    "diff": Said(
        (
            sense(
                f"{SHOW}, what are, compare, which, any",
                *_SINCE,
                _ONLY,
                OF_THE_REPOSITORY,
                about=(
                    "git diff difference changes change changed line lines modification uncommitted things stuff "
                    "every part edits"
                ),
                key="git diff difference differences changes modification modifications edits",
                never="commits log history status branches push pull merge",
                flags=_STAGED,
            ),
            sense(
                "git diff, diff",
                "*only > only, just, of, in, for, only for, restricted to, limited to, below, under",
                "since~reference > since, against, to, with, against the branch, against the commit, from",
                OF_THE_REPOSITORY,
                about="changes everything",
                flags=_STAGED,
            ),
            sense(
                "what have changed, what has changed, which lines changed, which lines be changed, which lines have "
                "changed, what changed, what did … change, what have … changed, what is different, what do … change, "
                "show what … changed, see what … changed, show what changed, see what is different, show what is "
                "different, see … what is different, what did … touch, what have … touched, what … touched, show what "
                "… touched, see what … touched, know what … touched, know what … changed, know what changed, which "
                "lines did … change, which lines have … changed, what did … edit, what have … edited, what did … "
                "modify, what have … modified, what did … do to, what have … done to, which lines of … changed, which "
                "lines of … have changed, which lines in … changed, which lines in … have changed, which lines of … "
                "be different, which lines in … be different, which lines of … differ, what be staged in, what differ",
                *_SINCE,
                _ONLY,
                OF_THE_REPOSITORY,
                flags=_STAGED,
                about="lines git work so far everything now branch",
                never="commits log history who",
            ),
            sense(
                "what be changed, what be new, what be modified, what be different",
                *_SINCE,
                _ONLY,
                OF_THE_REPOSITORY,
                flags=_STAGED,
                about="git here now everything",
                wants="since what",
                never="commits log history who",
            ),
            sense(
                "how did … change, how have … changed, how have … change, how do … differ, how be … different, what "
                "changed in, what be different in, what be changed in, what be different about, compare",
                "*only > in, the file, of the file, to",
                *_SINCE,
                OF_THE_REPOSITORY,
                flags=_STAGED,
                about="git",
                wants="since",
                never="commits log history who",
            ),
            sense(
                "what be staged, what be in the index, see what be in the index, show what be in the index, what did "
                "… stage, what have … staged, be anything staged, be something staged, what will be committed, what "
                "would be committed, what go into the next commit, which changes be staged, what be ready to commit, "
                "what be already staged",
                _ONLY,
                OF_THE_REPOSITORY,
                about="already so far changes",
                never="not",
                what="staged",
            ),
            sense(
                "what be not staged, what be unstaged, what have … not staged, what did … not stage, which changes be "
                "not staged, which changes be unstaged, what changes have … not staged, which changes have … not "
                "staged, what be not in the index, what changes be not staged, what changes be unstaged",
                _ONLY,
                OF_THE_REPOSITORY,
                about="yet so far changes",
                what="unstaged",
            ),
        ),
        {"path": Place("folder"), "only": Place("any")},
        ALSO,
    ),
    "log": Said(
        (
            sense(
                f"{SHOW}, what are, who commit, what was committed, which be, which",
                *_OF_A_BRANCH,
                _SO_MANY,
                WHERE,
                about="git log commit commits history recently recent past entries are there past what happened",
                key="git commit commits history log",
                never="status diff differences changes staged program process message uncommitted branches undo revert "
                "its files",
            ),
            sense(
                "git log, do git log, commit log, commit history, git history",
                _SO_MANY,
                *_OF_A_BRANCH,
                WHERE,
                about="commits commit git history log",
                never="status diff differences changes staged program process file files server output me us out",
            ),
            sense(
                "who commit, who committed what, what was committed, what have … committed, what did … commit, what "
                "has been committed, what have been committed",
                *_OF_A_BRANCH,
                _SO_MANY,
                WHERE,
                about="what recently last commits git lately already yet here team people everybody",
                never="uncommitted",
            ),
            sense(
                f"{SHOW}, what be, what was, which be, which was, who make, who write, who do",
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
        REPOSITORY,
        {**ALSO, "limit": "most", "count": "most", "number": "most"},
    ),
}
