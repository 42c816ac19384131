"""How people say that files and folders go, move or are copied."""

from __future__ import annotations

from collections.abc import Mapping

from agents.toolkit.saying import Place, Said, sense

_GOING = (
    "dispose of, want … gone, need … gone, be gone, make … disappear, make … go away, have … removed, have … deleted, "
    "no longer want, "
    "make … vanish"
)
_COPY = (
    "copy, cp, duplicate, clone, replicate, back up, backup, make copy of, make duplicate of, make backup of, make … "
    "copy, "
    "create copy of, create backup of, have copy of, have … copied, mirror, put copy of, place copy of, save copy of, "
    "keep "
    "copy of, store copy of, need copy of, want copy of, get copy of, take copy of, do copy of, do backup of, take "
    "backup of, "
    "need backup of, want backup of, need duplicate of, want duplicate of, create duplicate of, leave copy of, drop "
    "copy of, "
    "copy of, backup of, duplicate of, copy over, make … copy of, create … copy of, want … copy of, need … copy of, "
    "have … "
    "copy of, produce copy of, generate copy of, keep … copy of"
)
_REMOVE = (
    # Not “clean up”: who wants a folder tidied does not want it gone.
    "remove, delete, erase, rm, del, rmdir, discard, drop, trash, wipe, purge, bin, get rid of, do away with, "
    "throw away, throw … away, throw out, throw … out, eliminate, destroy, unlink, toss, scrap, ditch, nuke"
)
_OVER = {
    "overwrite": ("overwrite", True),
    "overwriting": ("overwrite", True),
    "with overwriting": ("overwrite", True),
    "and overwrite": ("overwrite", True),
    "replacing": ("overwrite", True),
    "even if it exists": ("overwrite", True),
    "and overwrite it": ("overwrite", True),
    "and overwrite it if it is there": ("overwrite", True),
    "and overwrite it if it exists": ("overwrite", True),
    "overwriting it": ("overwrite", True),
    "replacing it": ("overwrite", True),
    "even if there is one": ("overwrite", True),
    "even if it is there": ("overwrite", True),
    "overwrite it if it exists": ("overwrite", True),
    "overwrite it if it is there": ("overwrite", True),
    "overwrite if it exists": ("overwrite", True),
    "without overwriting": ("overwrite", False),
}

SAID: Mapping[str, Said] = {
    "rm": Said(
        (
            sense(
                f"{_REMOVE}, {_GOING}",
                "*path > at, of, in, from, inside",
                about="file folder dir",
                never=(
                    "all every line lines word words text comment comments sentence paragraph function class method "
                    "import imports package branch commit variable program process record row rows column columns table"
                ),
            ),
            sense(
                "let, make, have, want, need",
                "*path",
                about="file folder dir away",
                key="go gone disappear vanish",
                # “Make a folder x and go there” makes one.
                never="into in up back ahead through over on under from inside out to us there here and then",
                wants="path",
            ),
            sense("kill", "*path", about="file folder dir", key="file folder dir"),
        ),
        {"path": Place("any", goes=True, careful=True)},
        {"target": "path", "file": "path", "folder": "path", "file_path": "path", "target_path": "path"},
    ),
    "mv": Said(
        (
            sense(
                "move, mv, relocate, transfer, shift, put, stick, drop, place, bring, drag, migrate, take",
                "*path > from",
                "to > to, into, in, in to, under, inside, inside of, over to, as, there",
                about="file folder path new",
                flags=_OVER,
                never="copy backup duplicate everything all end bottom note branch commit control program stop",
            ),
            sense(
                "make, have, let, want, need",
                "*path",
                "to > should be in, should live in, should lie in, should go to, should go into, should be moved to, "
                "should be moved into, belong in, belong into, belong to, belong under, ought to be in, must go to, "
                "must go into, should come to lie in",
                about="file folder",
                key="should belong ought must",
                wants="to",
                never="copy backup note branch",
            ),
            sense(
                "rename, ren, remane, change … name, change name of, change filename of, change file name of, change "
                "… filename, change the name of, retitle, call, give "
                "… name, name, do rename of, have … renamed, want … renamed",
                "*path > from, of",
                "to~newname > to, into, in, as, name, the name, the new name, new name, to the name, something "
                "else like, named, be, :",
                about="file folder name new",
                flags=_OVER,
                never="branch note variable program",
            ),
            sense(
                "give, get, have",
                "*path",
                "to~newname > the name, name, the new name, a new name, the title, as name, as its name",
                about="file folder new",
                key="name title",
                wants="to",
                never="branch note variable program run copy",
            ),
            sense(
                "make, have, let, want, need",
                "*path > name of, the name of",
                "to~newname > should be named, should have the name, should get the name, be named, to be named, be "
                "renamed to, should be renamed to, must be named, ought to be named, should be, shall be named",
                about="file folder name",
                key="named name renamed",
                wants="to",
                never="new branch note variable in there program",
            ),
        ),
        {"path": Place("any", goes=True), "to": Place("new", makes="same", into=True)},
        {
            "source": "path",
            "src": "path",
            "from": "path",
            "destination": "to",
            "dest": "to",
            "target": "to",
            "new_name": "to",
        },
        told=(({"overwrite": True}, "move {path} to {to}; anything in {to} is overwritten"),),
    ),
    "cp": Said(
        (
            sense(
                _COPY,
                "*path > from, of",
                "to > to, into, in, in to, as, under, named, inside, [and] call|name it|this|that, "
                "[and] call|name [the] copy|duplicate|result, over to, with name, with the name, there",
                about="file folder copy backup duplicate new",
                flags=_OVER,
                never="everything all note branch move",
            ),
        ),
        {"path": Place("any"), "to": Place("new", makes="same", into=True)},
        {"source": "path", "src": "path", "from": "path", "destination": "to", "dest": "to", "target": "to"},
        told=(({"overwrite": True}, "copy {path} to {to}; anything in {to} is overwritten"),),
    ),
}
