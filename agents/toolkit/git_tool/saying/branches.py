"""How people speak of branches."""

from __future__ import annotations

from collections.abc import Mapping

from agents.toolkit.git_tool.saying.words import ALSO, REPOSITORY, SHOW, WHERE
from agents.toolkit.saying import Said, sense

# What is said of a branch that is made: its name, where it starts, of which repository it is.
_A_NEW_ONE = (
    "*name~word > named, with name, with the name, by the name of, name, name it, call it, whose name be",
    "start~word > starting from, starting at the commit, starting from the commit, starting from the "
    "branch, beginning from, that start at, that start from, on top of, branched from, branching off, "
    "branching off from, forked from, at the commit, at commit, from the branch, from the commit, from "
    "branch, from commit, based on, off of, off, starting at, beginning at, at the branch, begin at the "
    "branch, begin at, at, from, out of",
    "path > of the folder, in the folder, of the repository, in the repository, in folder",
)
SAID: Mapping[str, Said] = {
    "branches": Said(
        (
            sense(
                f"{SHOW}, which, what, what are, which are, name, are there, do … have, have",
                WHERE,
                about="git branches all every there available exist names local list other else any more",
                key="branches",
                never="create new switch delete merge",
            ),
            sense(
                "git branch, git branches, which branches, what branches, which branch, what branch, list branches, "
                "show branches, all branches, branches, is there branch, is there a branch, how many branches, "
                "where be … on",
                WHERE,
                about="there are exist i we on am current now right currently have git got",
                never="create new switch",
            ),
            sense(
                f"{SHOW}, which is, what be, name",
                WHERE,
                about="branch git current active name",
                key="current",
                never="directory file commit status working new create",
            ),
        ),
        REPOSITORY,
        ALSO,
    ),
    "create_branch": Said(
        (
            sense(
                "create, make, add, new, start, open, set up, begin, spin up, cut",
                *_A_NEW_ONE,
                about="git branch new separate fresh own extra",
                key="branch",
                never="current which what all list delete remove rename merge switch checkout onto back",
            ),
            sense(
                "need, want, have, get, like, love",
                *_A_NEW_ONE,
                about="git branch new separate fresh own extra",
                key="branch",
                never="current which what all list delete remove rename merge switch checkout onto back go work",
            ),
            sense(
                "branch, git checkout -b, git branch, git switch -c, branch off, checkout -b",
                "*name~word",
                "start~word > from, at, off, starting from, starting at, beginning at, based on, on top of",
                about="branch",
                never=(
                    "current which what all list delete remove rename merge use go work -d -a -m compare "
                    "against "
                    "diff log history commits"
                ),
            ),
        ),
        REPOSITORY,
        {**ALSO, "branch": "name", "branch_name": "name", "from": "start"},
        it="branch {name}",
    ),
    "switch_branch": Said(
        (
            sense(
                "switch to, switch, check out, checkout, go to, go back to, change to, move to, change, jump to, use, "
                "return to, go over to, work on, continue on, continue with, get onto, get on, get me onto, get me "
                "on, want to be on, need to be on, hop to, hop onto, move onto, put me on, bring me to, take me to, "
                "get me to, get us to, get me over to, change … to, set … to, bring me over to, take me over to, get "
                "me over to",
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
            # Folders are gone to; who switches or checks out speaks of a branch, by a name that nothing here has.
            sense(
                "switch to, switch over to, switch back to, switch … to, switch … back to, switch … over to, check "
                "out, checkout",
                "*name~branchname",
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
        REPOSITORY,
        {**ALSO, "branch": "name", "branch_name": "name"},
        it="branch {name}",
    ),
}
