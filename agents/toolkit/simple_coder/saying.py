"""How people say the session's commands in passing."""

from __future__ import annotations

from collections.abc import Mapping

from agents.toolkit.saying import Place, Said, sense

_SHOW = (
    "show, display, print, output, open, view, see, read, cat, type, look at, look into, have a look at, take a look "
    "at, give a look at, inspect"
)
# What a folder holds is asked for in ways that no file is read by.
_LOOK_INSIDE = (
    "look in, look into, look inside, look around in, have a look in, have a look inside, have a look into, take a "
    "look in, take a look inside, take a look into, peek in, peek into, peek inside"
)
_GOING = (
    "dispose of, want … gone, need … gone, be gone, make … disappear, make … go away, have … removed, have … deleted, "
    "no longer want, "
    "make … vanish"
)
_KINDS_OF_FILES = {
    "all files": ("kind", "file"),
    "files": ("kind", "file"),
    "file": ("kind", "file"),
    "only files": ("kind", "file"),
    "just files": ("kind", "file"),
    "folders": ("kind", "dir"),
    "all folders": ("kind", "dir"),
    "only folders": ("kind", "dir"),
    "just folders": ("kind", "dir"),
    "subfolders": ("kind", "dir"),
    "directories": ("kind", "dir"),
    "files and folders": ("kind", "any"),
}
_NAMED = (
    "*pattern~pattern > named, -name, with ending, with the ending, ending in, ending with, that end in, that end "
    "with, "
    "of type, matching, with name, with the name, like, whose name is, with extension, with the extension, whose name "
    "end "
    "in, whose name end with, which end in, which end with, that be named, which be named"
)
_NOTHING_IN_IT = {"with nothing in it": ("content", ""), "with no content": ("content", "")}
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
# What is looked for in code by what reads it, and not as a text.
_FAULTS = (
    "bug bugs problem problems issue issues vulnerability vulnerabilities mistake mistakes flaw flaws fault faults "
    "weakness weaknesses unused dead smell smells security danger dangers"
)
_REMOVE = (
    "remove, delete, erase, rm, del, rmdir, discard, drop, trash, wipe, purge, bin, get rid of, do away with, "
    "clean up, "
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
    "without overwriting": ("overwrite", False),
}
_APPENDING = {
    "append": ("mode", "append"),
    "appending": ("mode", "append"),
    "append mode": ("mode", "append"),
    "at the end": ("mode", "append"),
    "to the end of": ("mode", "append"),
    "at the end of": ("mode", "append"),
    "to the bottom of": ("mode", "append"),
    "at the bottom of": ("mode", "append"),
    "overwriting": ("mode", "overwrite"),
    "overwrite mode": ("mode", "overwrite"),
}
_IGNORING = {
    "ignoring case": ("ignore_case", True),
    "ignore case": ("ignore_case", True),
    "ignoring the case": ("ignore_case", True),
    "with ignoring case": ("ignore_case", True),
    "case insensitive": ("ignore_case", True),
    "case insensitively": ("ignore_case", True),
    "case-insensitive": ("ignore_case", True),
    "case-insensitively": ("ignore_case", True),
    "regardless of case": ("ignore_case", True),
    "whatever the case": ("ignore_case", True),
    "in any case": ("ignore_case", True),
    "upper or lower case": ("ignore_case", True),
    "ignoring upper and lower case": ("ignore_case", True),
    "upper and lower case alike": ("ignore_case", True),
    "no matter the case": ("ignore_case", True),
    "in upper or lower case": ("ignore_case", True),
    "-i": ("ignore_case", True),
    "-ri": ("ignore_case", True),
    "as a regular expression": ("regular", True),
    "the regular expression": ("regular", True),
    "regular expression": ("regular", True),
    "as a regex": ("regular", True),
    "regex": ("regular", True),
    "the pattern": ("regular", True),
}

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
                never="change changed modified note notes commit branch line lines committed newest latest",
            ),
            sense(
                "open, inspect, look at, have a look at, take a look at",
                "*path > in, of",
                about="folder content contents directory everything what inside",
                never="file document script line lines note notes report page image photo picture page website",
            ),
            sense(
                f"{_SHOW}, give, get, make, do, want, need",
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
                "change over to, walk into, walk to, come to, come into, move on to, let me be in, let us be in",
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
                "prepare, have … created, have … made, want … created, get … made, let there be, introduce",
                "*path > named, with name, with the name, by the name, by the name of, name",
                about="folder folders subfolder subdirectory dir empty exist there",
                key="folder folders subfolder subdirectory dir",
                never="current working structure tree copy backup move",
            ),
            sense(
                "put",
                "*path > named, with name, with the name, by the name of",
                about="folder folders subfolder subdirectory dir new empty",
                key="new named",
                never="note branch file",
            ),
            sense("mkdir, md, create directory, make directory", "*path", about="folder dir"),
        ),
        {"path": Place("new", makes="folder")},
        {"directory": "path", "folder": "path", "name": "path", "folder_name": "path"},
    ),
    "read": Said(
        (
            sense(
                f"{_SHOW}, what is written in, what stands in, what is in, what is inside, what do … contain, "
                "what do … say, know what is in, know what … say, what stand in, what … there in, which … are in, "
                "give, get, dump, fetch, let … see, "
                "let … read, let … look at, tell … what it say, go through, go "
                "over, present, list, peek at, load, pull up, bring up, call up, less, do cat of, do read of, what … "
                "have in it, what do … tell, read out, read … out, want to "
                "see, want to read",
                "*path > of, from, in, inside, for, at",
                "from_line > from line, from the line, starting at line, starting with line, starting from line, "
                "lines, between line, between lines, beginning at line, beginning with line",
                "to_line > to line, to the line, until line, up to line, to, until, through, till, up to, and, -",
                "offset > from byte, at byte, starting at byte, offset",
                "length > for < bytes, byte",
                about=(
                    "file content contents text source code line lines document inside whole full on onwards onward "
                    "screen console terminal"
                ),
                never="run name note notes diff header headers branch branches commit commits history",
            ),
            sense(
                f"{_SHOW}, give, get, want, need, examine, check, study",
                "*path > of, from, in",
                about="file document",
                key="content contents text source",
                never="note notes header headers word line lines folder directory key sentence summary",
            ),
            sense(
                "what … say, what … contain, what … hold",
                "*path",
                about="file document text",
                never="it this that note notes folder program process",
            ),
            sense("head", "to_line > -n, first < lines, line", "*path > of, from", wants="to_line", from_line=1),
            sense(
                f"{_SHOW}, give, list, get, want, need",
                "to_line > first, the first, top, the top, only the first < lines",
                "*path > of, from, in",
                about="file",
                key="line lines",
                wants="to_line",
                never="last final end bottom byte bytes newest latest",
                from_line=1,
            ),
            sense(
                f"{_SHOW}, give, list, get, want, need",
                "from_line > lines, from line, between lines, between line, the lines, line",
                "to_line > to line, until line, up to line, to, until, through, till, up to, and, -",
                "*path > of, from, in",
                about="file",
                key="line lines",
                wants="to_line",
                never="last final end bottom",
            ),
            sense(
                f"{_SHOW}, give, get, want, need, what is on, what stands on, what is in, what do … say on",
                "from_line > line, only line, just line, the line, line number, line no",
                "*path > of, from, in",
                about="file number",
                key="line",
                wants="from_line",
                never="last final end lines bottom onwards onward until till through between up",
                same={"to_line": "from_line"},
            ),
        ),
        {"path": Place("file")},
        {"file_path": "path", "file": "path", "filename": "path", "filepath": "path"},
    ),
    "write": Said(
        (
            sense(
                "write, save, put, store, enter, record, dump, insert, fill, echo, overwrite, type",
                "*content~text > with the text, with the content, with content, with the contents, with "
                "contents, with text, "
                "the text, text, content, contents, containing, saying, that say, that contain, with the words, "
                "the words, the line, the sentence",
                "path > to, into, in, as, to file, into file, in file, to a file, in a new file, onto, on, >",
                about="file text content",
                flags=_APPENDING,
                never=(
                    ">> something anything note notes commit copy branch variable report summary documentation "
                    "analysis folder"
                ),
            ),
            sense("echo", "*content~text", "path > >>", mode="append", wants="path"),
            sense(
                "create, make, write, add, generate, new, set up, need, want, put, create file, touch, build, "
                "produce, start",
                "*path > named, with name, with the name, by the name of, to, in",
                "content~text > with the text, with the content, with content, with the contents, with contents, "
                "with text, "
                "containing, saying, that say, that contain, which contain, which say, with the words, with, reading, "
                "that read, and write, "
                "and put, content, contents, text, whose content is, :",
                about="file script document module empty",
                flags=_APPENDING | _NOTHING_IN_IT,
                never=(
                    "folder folders directory note notes branch branches repository repo environment venv virtualenv "
                    "variable copy backup duplicate report summary documentation docs change commit"
                ),
            ),
            sense(
                "create, make, need, want, let there be, let, have",
                "*path > named, with name, with the name",
                "content~text > with the text, with the content, with content, with text, containing, saying, that "
                "say, that contain, which say, reading, that read, should say, should contain, should read, should "
                "hold, should have the text, must say, must contain, say, contain, has the text, whose content is",
                about="file document new text",
                key="file document contain say",
                wants="content",
                never="note notes folder branch variable commit",
            ),
            sense(
                "append, add, attach, tack, tack on, stick, put, write, insert",
                "*content~text > the text, the line, text, line, the sentence, the words",
                "path > to, onto, to the end of, at the end of, at the bottom of, to the bottom of, to file, at the "
                "end of file",
                about="file line text end",
                key="append add attach tack end bottom",
                flags=_APPENDING,
                never="note notes folder branch variable package packages commit beginning start top first",
                mode="append",
            ),
            sense(
                "write, put, add, append, insert, attach, stick",
                "*content~quoted",
                "path > at the end of, to the end of, at the bottom of, to the bottom of, onto the end of",
                about="file line text",
                wants="path",
                never="note notes",
                mode="append",
            ),
            sense(
                "extend, complete, continue",
                "*path > file, the file",
                "content~text > by, with, by the line, with the line, by the text, with the text",
                about="file line text end",
                mode="append",
                never="note notes",
                wants="content",
            ),
            sense("touch", "*path > named", about="empty blank file", content=""),
            sense(
                "create, make, add, new, generate, need, want",
                "*path > named, with name, with the name",
                key="empty blank",
                about="file script document module",
                never="folder folders directory note repository",
                content="",
            ),
            sense(
                "overwrite, fill",
                "*path > the content of, the contents of, content of, contents of, of, what is in, everything in, the "
                "text of, the text in",
                "content~text > with, by, to, with the text, with text",
                about="content contents file text",
                never="note notes name line word branch variable directory folder working current",
                mode="overwrite",
            ),
            sense(
                "replace, overwrite, set, change, fill",
                "*path > the content of, the contents of, content of, contents of, of, what is in, everything in, the "
                "text of, the text in",
                "content~text > with, by, to, with the text, with text",
                about="file",
                key="content contents text everything",
                never="note notes name line word branch variable directory folder working current",
                mode="overwrite",
            ),
        ),
        {"path": Place("new", makes="file")},
        {"file_path": "path", "file": "path", "filename": "path", "text": "content", "contents": "content"},
    ),
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
                never="into in up back ahead through over on under from inside out",
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
    ),
    "cp": Said(
        (
            sense(
                _COPY,
                "*path > from, of",
                "to > to, into, in, in to, as, under, named, inside, and call it, and name it, call it, over "
                "to, with name, "
                "with the name, there",
                about="file folder copy backup duplicate new",
                flags=_OVER,
                never="everything all note branch move",
            ),
        ),
        {"path": Place("any"), "to": Place("new", makes="same", into=True)},
        {"source": "path", "src": "path", "from": "path", "destination": "to", "dest": "to", "target": "to"},
    ),
    "find": Said(
        (
            sense(
                "find, locate, search for, search, look for, where is, where be, where … lie, where … live, where do "
                "… put, where have … put, where do … save, where can "
                "… find, where do … find, seek, hunt for, discover, do a search for",
                _NAMED,
                "path > in, below, under, inside, inside of, within, from, of, .",
                "newest > newest, the newest, latest, the latest, most recent, the most recent, last < newest, "
                "latest, most recent",
                about="file folder all everything newest latest recent anything",
                flags=_KINDS_OF_FILES,
                never=(
                    f"{_FAULTS} commit commits branch branches note notes biggest largest smallest oldest big large "
                    "release version "
                    "word words text line lines mention used defined contain web internet definition function"
                ),
            ),
            sense(
                "list, show, get, give, which are, what are, see, display, print, is there, are there, do … have, "
                "which … are there",
                _NAMED,
                "path > in, below, under, inside, inside of, within, from, of",
                "newest > newest, the newest, latest, the latest, most recent, the most recent, last < newest, "
                "latest, most recent",
                about="file folder all everything newest latest recent anything",
                wants="newest pattern",
                key="newest latest recent named like ending type",
                flags=_KINDS_OF_FILES,
                never=(
                    "commit commits branch branches note notes biggest largest smallest oldest line lines version "
                    "program release"
                ),
            ),
            sense(
                "list, show, get, give, which, what, see, display, print, is there, are there, do … have, find, look "
                "for, search for, search, locate, have, enumerate",
                "*pattern~ending",
                "path > in, below, under, inside, inside of, within, from, of",
                about="all every there available exist file",
                key="files every each",
                wants="pattern",
                never="note notes commit line lines newest latest biggest largest content contents contain mention",
                flags={"files": ("kind", "file")},
            ),
            sense(
                "any, is there any, are there any, do … have any",
                "*pattern~ending",
                "path > in, below, under, inside, inside of, within",
                about="file files there",
                wants="pattern",
                never="note notes commit line lines newest latest",
            ),
            sense(
                "list, show, get, give, which, what, which be, what be, see, display, find",
                "path > in, below, under, inside, of",
                about="file most modified changed edited change modify edit very one",
                key="newest latest recent recently last",
                never=(
                    "files folders commit commits branch branches note notes line lines version release program bytes "
                    "sentence word"
                ),
                flags={"file": ("kind", "file")},
                newest=1,
            ),
        ),
        {"path": Place("folder")},
        {"name": "pattern", "glob": "pattern", "directory": "path", "folder": "path"},
    ),
    "grep": Said(
        (
            sense(
                "search for, search, grep, look for, find, scan for, look up, locate, seek, hunt for, where do … "
                "say, where is, "
                "where does it say, check for, which file contain, which file mention, which file use, which file … "
                "contain, which file … mention, which file … use, which file have, which file … occur, which file … "
                "appear, "
                "who use, who call, where … used, where … called, where … appear, where … occur, where … mentioned, "
                "do … mention, do … contain, do … use, scan, do a search for, do grep for, is … anywhere, is … "
                "mentioned, is … used, is the word, is the text",
                "*text~text > for, for the text, the text, the word, the words, the string, the phrase, the "
                "term, the expression, "
                "word, text, string, phrase, term, containing, that contain, which contain, mentioning, that "
                "mention, mention, contain, occurrences of, "
                "occurrence of, mentions of, uses of, usages of, lines with, lines containing, all lines with, "
                "for the word, for the string, say, every line with, the pattern, anything with, references to",
                "path > in, below, inside, inside of, within, through, across, under, throughout, in all of",
                about=(
                    "text word string phrase occurrence line lines file folder used code mention all anywhere "
                    "everywhere everything term anything it where"
                ),
                flags=_IGNORING,
                never=f"{_FAULTS} web internet google online mail mails email emails newest latest replace "
                "biggest largest defined definition",
            ),
            sense(
                "show, list, print, display, give, get, see, which, what, output, are there, is there, check",
                "text~text > containing, that contain, which contain, with, mentioning, that mention, having, that "
                "have, with the word, with the text, where it say, contain, mention, occurrences of, occurrence of, "
                "mention of, mentions of, uses of, usages of, references to, whether",
                "path > in, of, from, below, inside, within, is in, appears in, occurs in",
                about="line lines all every occurrence mention use file where any",
                key="line lines occurrence occurrences mention mentions usages references",
                wants="text",
                flags=_IGNORING,
                never="note notes commit first last number",
            ),
            sense(
                "check, scan, search, look in, look through, go through",
                "*path",
                "text~quoted > for, for the text, for the word, for the string",
                about="file folder lines code",
                wants="text",
                flags=_IGNORING,
                never="replace",
            ),
            sense(
                "check whether, check if, see whether, see if, tell … whether, tell … if, is, does",
                "*text~quoted",
                "path > is in, be in, appears in, occurs in, stands in, in, is mentioned in, is used in",
                about="word text line mentioned used appear anywhere",
                wants="text",
                flags=_IGNORING,
            ),
        ),
        {"path": Place("any")},
        {"query": "text", "pattern": "text", "string": "text", "directory": "path", "folder": "path"},
    ),
    "create_venv": Said(
        (
            sense(
                "create, make, set up, set … up, build, spin up, add, new, start, prepare, need, want, get, have, "
                "initialize, generate, establish, introduce",
                "*venv_name~path > named, in, with name, with the name, at, as, under, into",
                about="virtual environment environ venv virtualenv python env new fresh going",
                key="environment environ venv virtualenv env",
                never=("variable variables var out rid away active deactivate leave stop delete remove"),
            ),
            sense("create_venv, virtualenv", "*venv_name~path > named, in, at"),
        ),
        {"venv_name": Place("new", makes="folder")},
        {"name": "venv_name", "path": "venv_name", "env": "venv_name"},
        it="virtual environment {venv_name}",
    ),
    "activate_venv": Said(
        (
            sense(
                "activate, use, turn on, turn … on, switch on, switch … on, enable, enter, start using, source, "
                "switch to, load, start, make … active, work in, work inside, work with, go into, get into, have … "
                "activated, put on",
                "*venv_name~path > named, in, with name, from, at",
                about="virtual environment venv virtualenv env it active",
                key="environment venv virtualenv env",
                never="variable variables var out off create new stop not",
            ),
            sense(
                "activate",
                "*venv_name~path",
                about="it",
                wants="venv_name",
                never="mode autonomous autonomy rule agent feature plugin account licence license",
            ),
        ),
        {"venv_name": Place("folder")},
        {"name": "venv_name", "path": "venv_name", "env": "venv_name"},
        it="virtual environment {venv_name}",
    ),
    "deactivate_venv": Said(
        (
            sense(
                "deactivate, leave, exit, turn off, turn … off, switch off, switch … off, stop using, disable, quit, "
                "get "
                "out of, go out of, step out of, come out of, step outside, have … deactivated, close, end, unload",
                about="virtual environment venv virtualenv env",
                key="environment venv virtualenv env",
                never="variable variables var",
            ),
            sense("deactivate"),
        ),
        it="virtual environment {venv_name}",
    ),
    "run": Said(
        (
            sense(
                "run, execute, launch, call, perform, start, carry out, fire up, invoke, do run of, give … run, have … "
                "run, have … executed, let … run, kick off",
                "*command_line~line > the command, the program, the script, command, program, script, command "
                "line, the command line",
                "stdin~text > with the input, with input, giving it the input, and type, feeding it, with stdin",
                "timeout_s > within, for at most, at most, in at most, with a timeout of, with timeout, timeout, "
                "timeout of, with a time limit of, "
                "with a limit of, in under, in less than, no longer than, stop after, for no more than < "
                "seconds, second, secs, s",
                "hosts~hosts > with access to, with network access to, allowing access to, may reach, and let it reach",
                about="program command script",
                flags={
                    "in a terminal": ("terminal", True),
                    "at a terminal": ("terminal", True),
                    "with a terminal": ("terminal", True),
                },
                never="background audit analysis note venv virtualenv fixes tests api website app repo repository",
            ),
            sense(
                "install, pip install, pip3 install, have … installed, need … installed, want … installed, get … "
                "installed, do pip install of, put in, do install of",
                "*command_line~packages > the package, package, packages, the packages, the library, library, "
                "the module, the python package, the python library, from, listed in, in, of",
                "hosts~hosts > with access to",
                about=(
                    "package library module pip dependency dependencies requirement requirements python everything all"
                ),
                line="pip install {}",
                never="which what list show uninstall app application driver windows",
            ),
            sense(
                "install what is in, install everything in, install all in, install everything from, install all from",
                "*command_line~packages",
                about="packages package libraries the of listed",
                line="pip install {}",
            ),
            sense(
                "install, pip install, need … installed, have … installed, get … installed, want … installed",
                about="python all our needed listed",
                key="requirements",
                command_line="pip install -r requirements.txt",
            ),
            sense(
                "add, get, need, want, set up, put in",
                "*command_line~packages > the package, package, packages, the packages, the library, library, "
                "the python package, the python library",
                about="pip python",
                key="package packages library libraries dependency dependencies",
                line="pip install {}",
                never="which what list show documentation docs",
            ),
            sense(
                "list, show, which … installed, what … installed, print, give, display, see, pip list",
                about="python pip packages libraries modules are",
                key="installed",
                command_line="pip list",
                never="folder file",
            ),
        ),
        {},
        {"command": "command_line", "cmd": "command_line", "timeout": "timeout_s", "input": "stdin"},
    ),
    "start": Said(
        (
            sense(
                "start, launch, run, begin, fire up, spin up, boot, kick off, execute",
                "*command_line~line > the program, the command, the script, program, command, the server",
                "name~word > as, named, with name, with the name, under the name, under the name of, as the "
                "program, as program, and call it, call it, and name it, in the background as, in background as, in "
                "the "
                "background under the name, in the background named, in the background with the name, and name it, "
                "as the background program, as a background program named, as a program named",
                about="program command background bg",
                never="venv virtualenv repository repo branch mode",
            ),
        ),
        {},
        {"command": "command_line", "cmd": "command_line"},
        it="program {name}",
    ),
    "process_log": Said(
        (
            sense(
                f"{_SHOW}, what do … write, what do … print, what do … say, what is … saying, what is … writing, "
                f"what be … printing, what have … written, what have … printed, what program … write, what program … "
                "print, what process … write, give, get, tail, follow, list, want, "
                "need",
                "*name~word > of program, of the program, from program, from the program, of the process, of process, "
                "from the process, of, from, program, the program, for, did the program, process, the process, of the "
                "background program",
                "from_byte > from byte, starting at byte, after byte",
                about="log output program started process saying print written say writing logs background so far 's",
                key="program process output",
                never="commit commits git branch file audit",
            ),
        ),
        {},
        {"program": "name"},
        it="program {name}",
    ),
    "stop": Said(
        (
            sense(
                "stop, end, kill, terminate, shut down, shut … down, halt, quit, close, cancel, abort, bring down, "
                "bring "
                "… down, bring … to stop, have … stopped, put end to",
                "*name~word > the program, program, the process, process, named, the running program",
                about="program process started running background",
                never=(
                    "all every everything processes programs computer machine system pc working venv virtualenv "
                    "environment mode branch note file folder plan goal of"
                ),
            ),
        ),
        {},
        {"program": "name", "process": "name"},
        it="program {name}",
    ),
    "set_env": Said(
        (
            sense(
                "set, define, export, put, give, make, change, add, create, have, let, want, need",
                "*name~word > the variable, variable, the environment variable, environment variable, env var, "
                "named, env variable, the env var",
                "value~word > to, =, on, as, to the value, the value, with the value, equal to, value, with "
                "value, be, equals, should be, should have the value, shall be, has to be, must be, to be",
                about="environment variable env var value variables",
                key="variable variables var",
                never="unset remove longer delete clear virtual venv",
            ),
            sense(
                "assign, give, put, write",
                "*value~word > the value, value",
                "name~word > to the variable, to variable, to the environment variable, to env var, to the env var, "
                "into "
                "the variable, in the variable, into the environment variable",
                about="environment variable env var value",
                key="variable var",
                wants="name",
            ),
            sense("export, setenv", "*name~word", "value~word > =, to"),
            sense(
                "set, define",
                "*name~variable > the variable",
                "value~word > to, =, as",
                about="environment variable env var",
            ),
            sense(
                "put, set, add, have",
                "*name~variable",
                "value~word > =",
                about="environment env variables variable into",
                key="environment env",
                wants="value",
            ),
        ),
        {},
        {"variable": "name", "key": "name"},
        it="variable {name}",
    ),
    "unset_env": Said(
        (
            sense(
                "unset, forget, forget about, clear, remove, delete, drop, get rid of, erase, undefine, reset, take "
                "away, discard",
                "*name~word > the variable, variable, the environment variable, environment variable, env var, "
                "named, the env var",
                about="environment variable env var variables",
                key="variable variables var",
                never="file folder all every virtual venv",
            ),
            sense("unset", "*name~word"),
        ),
        {},
        {"variable": "name", "key": "name"},
        it="variable {name}",
    ),
    "toggle_autonomous_mode": Said(
        (
            sense(
                "turn on, turn … on, switch on, switch … on, enable, activate, start, enter, set … on, put … on, "
                "toggle … on, switch to, switch into, go into, go to, go, change to, change into, get into, have … on, "
                "have … activated, have … enabled, set … to on",
                about="autonomous mode autonomy on activated enabled",
                key="autonomous autonomy",
                never="off disable leave stop disabled",
                on=True,
            ),
            sense(
                "turn off, turn … off, switch off, switch … off, disable, deactivate, stop, leave, end, exit, "
                "set … off, toggle … off, get out of, go out of, put … off, quit, have … off, set … to off, stop being",
                about="autonomous mode autonomy off disabled",
                key="autonomous autonomy",
                never="on enable",
                on=False,
            ),
        ),
        {},
        {"enabled": "on", "mode": "on"},
        it="autonomous mode",
    ),
}
