"""Words that several of git's commands are said with."""

from __future__ import annotations

from agents.toolkit.saying import Place

SHOW = "show, display, print, see, view, list, give, get, check, tell, what is, look at, have a look at, read, inspect"
WHERE = (
    "path > of the folder, of folder, in the folder, in folder, of the repository, of repository, in the "
    "repository, in, of, for"
)
# Of a folder that is no repository by itself only the changes in it are shown.
OF_THE_REPOSITORY = (
    "path > of the repository, of repository, in the repository, in repository, of the repo, in the repo"
)
REPOSITORY = {"path": Place("folder")}
ALSO = {"repository": "path", "repo": "path", "directory": "path", "folder": "path"}
