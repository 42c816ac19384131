"""How people say that they look into folders, go there and make new ones."""

from __future__ import annotations

from collections.abc import Mapping

from agents.toolkit.saying import Place, Said, sense
from agents.toolkit.simple_coder.saying.words import CALLED, SHOW

# What a folder holds is asked for in ways that no file is read by.
_LOOK_INSIDE = (
    "look in, look into, look inside, look around in, have a look in, have a look inside, have a look into, take a "
    "look in, take a look inside, take a look into, peek in, peek into, peek inside"
)

SAID: Mapping[str, Said] = {
    "ls": Said(
        (
            sense(
                "list, ls, dir, enumerate, show, display, see, view, print, browse, explore, what is stored in, what "
                "is "
                "kept in, what is under, what is below, what … have in it, what … have inside, "
                f"{_LOOK_INSIDE}, what is in, what is inside, what is here, know what is in, know what is inside, "
                "know what be stored in, what is there in, what is there, what do "
                "… have in, what have … got in, what do … contain, what do … hold, what "
                "lie in, what lie, what live in, which file, what file, which thing, what all, give … list, get … "
                "list, list directory",
                "*path > in, of, from, inside, inside of, below, under, within, for",
                about=(
                    "file folder content contents directory everything all what list listing item thing stuff hold "
                    "holds contain contains entry entries here top level lie live sit reside exist stored located "
                    "keep kept "
                    "inside"
                ),
                # Who asks for the folders does not want the files between them: that is looked for.
                never=(
                    "change changed modified note notes commit branch line lines committed newest latest folders "
                    "directories subfolders subdirectories"
                ),
            ),
            sense(
                "list, ls, dir, enumerate, show, display, see, view, print, what, which, give, get",
                "*path > in, of, from, inside, inside of, below, under, within, for",
                about=(
                    "file folder content contents directory everything all what list listing item thing stuff inside"
                ),
                key="files file contents content everything",
                never="change changed modified note notes commit branch line lines committed newest latest",
            ),
            sense(
                "open, inspect, look at, have a look at, take a look at",
                "*path > in, of",
                about="folder content contents directory everything what inside",
                never="file document script line lines note notes report page image photo picture page website",
            ),
            sense(
                f"{SHOW}, give, get, make, do, want, need",
                "*path > in, of, from",
                about="file folder directory everything inside list",
                key="content contents listing",
                never="line lines note commit table file",
            ),
            sense(
                "do ls on, do ls of, do ls in, is there anything in, is anything in, is there something in, anything "
                "in, are there any files in, are there files in",
                "*path",
                about="file folder directory inside",
            ),
        ),
        {"path": Place("folder")},
        {"directory": "path", "folder": "path", "dir": "path"},
    ),
    "cd": Said(
        (
            sense(
                "cd, go to, go into, go in, go inside, go over to, go, change to, change into, change directory, "
                "chdir, "
                "enter, switch to, switch into, move into, move to, move over to, hop into, hop to, hop over to, step "
                "into, jump to, jump into, navigate to, navigate into, work in, work inside, work from, proceed to, "
                "head to, head into, head over to, take me to, take us to, bring me to, bring us to, get me to, get me "
                "into, get into, want to be in, need to be in, want to work in, be working in, descend into, dive "
                "into, "
                "change over to, walk into, walk to, come to, come into, move on to, let me be in, "
                "let us be in",
                "*path > to, into, in, in to, inside",
                about="folder directory current working",
                never="branch autonomous mode venv virtualenv environment note page site website",
            ),
            sense(
                "use … as, set … as, make, make … into, use, set, have, let … be, take … as",
                "*path > to",
                about="folder directory current working",
                key="current working",
                never="branch venv virtualenv environment",
                wants="path",
            ),
            sense(
                "change, set, switch, move",
                "path > to, into",
                about="folder directory current working",
                key="folder directory",
                never="branch name called named",
                wants="path",
            ),
            sense(
                "go up, cd up, move up, go back up, one folder up, one level up, go one folder up, go one up, go one "
                "level up, one directory up, go to parent folder, go to parent directory, go to the folder above, up "
                "one level, up one folder, up one directory, step up, step out of this folder, leave this folder, "
                "back up one level, back up one folder, back up a level, one level back up, get out of this folder, "
                "change to parent folder, change to parent directory, switch to parent folder",
                about="one a folder level directory parent above",
                path="..",
            ),
        ),
        {"path": Place("folder", enters=True)},
        {"directory": "path", "folder": "path"},
    ),
    "mkdir": Said(
        (
            sense(
                "create, make, add, mkdir, md, set up, new, start, need, want, build, establish, generate, open, "
                "prepare, spin up, have … created, have … made, want … created, get … made, let there be, introduce, "
                "mk, have, let me have, let us have, like to have, like, get, need … made, have … set up",
                f"*path > {CALLED}",
                about="folder folders subfolder subdirectory dir empty exist there more further extra additional",
                key="folder folders subfolder subdirectory dir",
                never="current working structure tree copy backup move",
            ),
            sense(
                "put",
                f"*path > {CALLED}",
                about="folder folders subfolder subdirectory dir new empty",
                key="new named",
                never="note branch file",
            ),
            sense("create, make, add, set up", "*path~newfolder", wants="path", never="file branch note environment"),
            sense(
                "mkdir, md, create directory, make directory", "*path", about="folder dir", never="structure tree copy"
            ),
        ),
        {"path": Place("new", makes="folder")},
        {"directory": "path", "folder": "path", "name": "path", "folder_name": "path"},
    ),
}
