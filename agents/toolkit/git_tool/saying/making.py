"""How people ask for repositories and commits to be made."""

from __future__ import annotations

from collections.abc import Mapping

from agents.toolkit.git_tool.saying.words import ALSO, REPOSITORY
from agents.toolkit.saying import Place, Said, sense

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
    "saying, message, msg, title, -m, -am, as, "
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

SAID: Mapping[str, Said] = {
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
            sense(
                "need, want, have, use, like",
                "path > in, in the folder, in folder, inside, for",
                _FIRST_BRANCH,
                about="git too",
                key="git",
                never="status diff log commit commits changes staged branches clean state show see list work",
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
        REPOSITORY,
        ALSO,
    ),
    "commit": Said(
        (
            sense(
                "commit, check in, git commit, make commit, make a commit, create a commit, create "
                "commit, do commit, do a commit",
                *_OF_A_COMMIT,
                flags=_ONLY_STAGED,
                about=("git commit change changes everything all it changed work message stuff modifications lot"),
                never=("log history last newest latest which status branch branches anything undo revert amend push"),
            ),
            sense(
                "record, save, store, put, bring, secure, keep",
                *_OF_A_COMMIT,
                flags=_ONLY_STAGED,
                about="git commit change changes everything all it changed work state",
                key="git commit changes work",
                never="log history branch note status version control",
            ),
        ),
        {"path": Place("folder"), "only": Place("any")},
        {**ALSO, "msg": "message", "author": "author_name", "email": "author_email"},
    ),
}
