"""How people say the session's commands in passing."""

from __future__ import annotations

from collections.abc import Mapping

from agents.toolkit.saying import Place, Said, sense

_SHOW = (
    "show, display, print, output, open, view, see, read, cat, type, look at, look into, have a look at, inspect, check"
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
                "list, ls, dir, enumerate, show, display, see, view, print, browse, explore, look in, look into, "
                "look at, "
                "what is in, what is inside, what lies in, what do … have in, what do … contain, what do … hold, "
                "which files, what files, "
                "which file, what all, give … list, get … list, open, read, inspect, check, list directory, have "
                "a look at",
                "*path > in, of, from, inside, inside of, below, under, within, for",
                about=(
                    "file folder content contents directory everything all what list listing item thing stuff "
                    "hold holds contain contains "
                    "entry entries here top level"
                ),
            ),
        ),
        {"path": Place("folder")},
        {"directory": "path", "folder": "path", "dir": "path"},
    ),
    "cd": Said(
        (
            sense(
                "cd, go to, go into, go in, go, change to, change into, change directory, chdir, enter, switch "
                "to, switch into, "
                "move into, move to, hop into, hop to, step into, jump to, jump into, navigate to, navigate "
                "into, work in, "
                "use … as current, set … as current",
                "*path > to, into, in, in to",
                about="folder directory current working",
            ),
            sense("go up, cd up, move up, go back up, one folder up", about="one a folder level directory", path=".."),
        ),
        {"path": Place("folder", enters=True)},
        {"directory": "path", "folder": "path"},
    ),
    "mkdir": Said(
        (
            sense(
                "create, make, add, mkdir, md, set up, new, start, need, want, build, establish, generate, open, "
                "put, prepare",
                "*path > named, with name, with the name, by the name, by the name of, name",
                about="folder folders subfolder subdirectory dir",
                key="folder folders subfolder subdirectory dir",
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
                f"what do … say, what stand in, give, "
                f"get, dump, fetch, "
                "let … see, tell … what it say, go through, go over, present, list, peek at, take a look at, "
                "load, pull up, bring up",
                "*path > of, from, in, inside, for",
                "from_line > from line, from the line, starting at line, starting with line, line, lines, "
                "between line, between lines, beginning at line",
                "to_line > to line, to the line, until line, up to line, to, until, through, till, up to, and, -",
                "offset > from byte, at byte, starting at byte, offset",
                "length > for < bytes, byte",
                about="file content contents text source code line lines document inside",
            ),
            sense("head", "to_line > -n, first < lines, line", "*path > of, from", wants="to_line", from_line=1),
            sense(
                "show, display, print, read, view, see, give, list, get",
                "to_line > first, the first, top < lines, line",
                "*path > of, from, in",
                about="file",
                key="line lines",
                wants="to_line",
                from_line=1,
            ),
        ),
        {"path": Place("file")},
        {"file_path": "path", "file": "path", "filename": "path", "filepath": "path"},
    ),
    "write": Said(
        (
            sense(
                "write, save, put, store, enter, record, dump, insert, fill, echo, overwrite",
                "*content~text > with the text, with the content, with content, with the contents, with "
                "contents, with text, "
                "the text, text, content, contents, containing, saying, that say, that contain, with the words, "
                "the words, the line, the sentence",
                "path > to, into, in, as, to file, into file, in file, to a file, in a new file, onto, on, >",
                about="file text content",
                flags=_APPENDING,
            ),
            sense(
                "create, make, write, add, generate, new, set up, need, want, put, create file, touch, build, "
                "produce, start",
                "*path > named, with name, with the name, by the name of, to, in",
                "content~text > with the text, with the content, with content, with the contents, with contents, "
                "with text, "
                "containing, saying, that say, that contain, which contain, with the words, with, reading, that "
                "read, and write, "
                "and put, content, contents, text, whose content is, :",
                about="file script document module empty",
                flags=_APPENDING,
            ),
            sense(
                "append, add, attach, tack, tack on",
                "*content~text > the text, the line, text, line, the sentence, the words",
                "path > to, onto, to the end of, at the end of, at the bottom of, to file, at the end of file, in",
                about="file line text end",
                flags=_APPENDING,
                mode="append",
            ),
            sense("touch", "*path > named", about="empty blank file", content=""),
            sense(
                "create, make, add, new, generate",
                "*path > named, with name, with the name",
                key="empty blank file script",
                content="",
            ),
            sense(
                "replace, overwrite, set, change, fill",
                "*path > the content of, the contents of, content of, contents of, of, what is in, everything in",
                "content~text > with, by, to, with the text, with text",
                about="content contents file text",
            ),
        ),
        {"path": Place("new", makes="file")},
        {"file_path": "path", "file": "path", "filename": "path", "text": "content", "contents": "content"},
    ),
    "rm": Said(
        (
            sense(
                _REMOVE,
                "*path > at, of, in, from, inside",
                about="file folder dir",
            ),
            sense("kill", "*path", about="file folder dir", key="file folder dir"),
        ),
        {"path": Place("any", goes=True, careful=True)},
        {"target": "path", "file": "path", "folder": "path", "file_path": "path", "target_path": "path"},
    ),
    "mv": Said(
        (
            sense(
                "move, mv, relocate, transfer, shift, put, stick, drop, place, bring, drag, send, migrate, take",
                "*path > from",
                "to > to, into, in, in to, under, inside, inside of, over to, as, there",
                about="file folder path new",
                flags=_OVER,
            ),
            sense(
                "rename, ren, remane, mv, change … name, change name of, change the name of, retitle, call, give "
                "… name, name",
                "*path > from, of",
                "to~newname > to, into, in, as, name, the name, the new name, new name, to the name, something "
                "else like, named, be",
                about="file folder name new",
                flags=_OVER,
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
                "copy, cp, duplicate, clone, replicate, back up, backup, make copy of, make a copy of, make a "
                "duplicate of, "
                "make a backup of, make … copy, create copy of, create a copy of, create a backup of, have copy "
                "of, have a copy of, mirror",
                "*path > from, of",
                "to > to, into, in, in to, as, under, named, inside, and call it, and name it, call it, over to, "
                "with name, with the name, there",
                about="file folder copy backup duplicate new",
                flags=_OVER,
            ),
        ),
        {"path": Place("any"), "to": Place("new", makes="same", into=True)},
        {"source": "path", "src": "path", "from": "path", "destination": "to", "dest": "to", "target": "to"},
    ),
    "find": Said(
        (
            sense(
                "find, locate, search for, search, look for, where is, where be, seek, hunt for, discover",
                "*pattern~pattern > named, -name, with ending, with the ending, ending in, ending with, that end "
                "in, that end with, "
                "of type, matching, with name, with the name, like, whose name is, with extension, with the extension",
                "path > in, below, under, inside, inside of, within, from, of",
                "newest > newest, the newest, latest, the latest, most recent, the most recent, last < newest, "
                "latest, most recent",
                about="file folder all everything newest latest recent anything",
                flags={
                    "all files": ("kind", "file"),
                    "files": ("kind", "file"),
                    "file": ("kind", "file"),
                    "only files": ("kind", "file"),
                    "just files": ("kind", "file"),
                    "folders": ("kind", "folder"),
                    "all folders": ("kind", "folder"),
                    "only folders": ("kind", "folder"),
                    "directories": ("kind", "folder"),
                    "files and folders": ("kind", "any"),
                },
            ),
            sense(
                "list, show, get, give, which are, what are, see, display, print",
                "*pattern~pattern > named, -name, with ending, with the ending, ending in, ending with, that end "
                "in, that end with, "
                "of type, matching, with name, with the name, like, whose name is, with extension, with the extension",
                "path > in, below, under, inside, inside of, within, from, of",
                "newest > newest, the newest, latest, the latest, most recent, the most recent, last < newest, "
                "latest, most recent",
                about="file folder all everything newest latest recent anything",
                wants="newest pattern",
                key="newest latest recent named like ending type",
                flags={
                    "all files": ("kind", "file"),
                    "files": ("kind", "file"),
                    "file": ("kind", "file"),
                    "only files": ("kind", "file"),
                    "just files": ("kind", "file"),
                    "folders": ("kind", "folder"),
                    "all folders": ("kind", "folder"),
                    "only folders": ("kind", "folder"),
                    "directories": ("kind", "folder"),
                    "files and folders": ("kind", "any"),
                },
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
                "where does it say, check for, which file contain, which file mention, which file use, "
                "who use, who call, where … used, where … called, do … mention, do … "
                "contain, scan",
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
            ),
        ),
        {"path": Place("any")},
        {"query": "text", "pattern": "text", "string": "text", "directory": "path", "folder": "path"},
    ),
    "create_venv": Said(
        (
            sense(
                "create, make, set up, build, spin up, add, new, start, prepare, need, want, get, have, "
                "initialize, generate, establish",
                "*venv_name~path > named, in, with name, with the name, at, as, under, into",
                about="virtual environment environ venv virtualenv python env",
                key="environment environ venv virtualenv env",
            ),
            sense("create_venv, virtualenv", "*venv_name~path > named, in, at"),
        ),
        {"venv_name": Place("new", makes="folder")},
        {"name": "venv_name", "path": "venv_name", "env": "venv_name"},
    ),
    "activate_venv": Said(
        (
            sense(
                "activate, use, turn on, turn … on, switch on, switch … on, enable, enter, start using, source, "
                "switch to, load, start",
                "*venv_name~path > named, in, with name, from, at",
                about="virtual environment venv virtualenv env it",
                key="environment venv virtualenv env",
            ),
        ),
        {"venv_name": Place("folder")},
        {"name": "venv_name", "path": "venv_name", "env": "venv_name"},
    ),
    "deactivate_venv": Said(
        (
            sense(
                "deactivate, leave, exit, turn off, turn … off, switch off, switch … off, stop using, disable, quit",
                about="virtual environment venv virtualenv env",
                key="environment venv virtualenv env",
            ),
            sense("deactivate"),
        ),
    ),
    "run": Said(
        (
            sense(
                "run, execute, launch, call, perform, start, carry out, fire up, invoke",
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
            ),
            sense(
                "install, pip install, pip3 install, have … installed, need … installed, want … installed, get … "
                "installed",
                "*command_line~packages > the package, package, packages, the packages, the library, library, "
                "the module, the python package, the python library",
                "hosts~hosts > with access to",
                about="package library module pip dependency dependencies",
                line="pip install {}",
            ),
            sense(
                "add, get, need, want, set up, put in",
                "*command_line~packages > the package, package, packages, the packages, the library, library, "
                "the python package, the python library",
                about="pip",
                key="package packages library libraries dependency dependencies",
                line="pip install {}",
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
                "program, as program, and call it, call it, and name it, in the background as",
                about="program command background bg",
            ),
        ),
        {},
        {"command": "command_line", "cmd": "command_line"},
    ),
    "process_log": Said(
        (
            sense(
                f"{_SHOW}, what do … write, what do … print, what do … say, what is … saying, what is … writing, "
                f"what be … printing, give, get, tail, follow, list",
                "*name~word > of program, of the program, from program, from the program, of, from, program, the "
                "program, for, did the program",
                "from_byte > from byte, starting at byte, after byte",
                about="log output program started process saying print written say writing logs",
                key="program process output",
            ),
        ),
        {},
        {"program": "name"},
    ),
    "stop": Said(
        (
            sense(
                "stop, end, kill, terminate, shut down, shut … down, halt, quit, close, cancel, abort, bring down",
                "*name~word > the program, program, the process, process, named, the running program",
                about="program process started running background",
            ),
        ),
        {},
        {"program": "name", "process": "name"},
    ),
    "set_env": Said(
        (
            sense(
                "set, define, export, assign, put, give, make, change, add, create",
                "*name~word > the variable, variable, the environment variable, environment variable, env var, "
                "named, env variable, the env var",
                "value~text > to, =, on, as, to the value, the value, with the value, equal to, value, with "
                "value, be, is, equals",
                about="environment variable env var value variables",
                key="variable variables var",
            ),
            sense("export, setenv", "*name~word", "value~text > =, to"),
            sense(
                "set, define",
                "*name~variable > the variable",
                "value~text > to, =, as",
                about="environment variable env var",
            ),
        ),
        {},
        {"variable": "name", "key": "name"},
    ),
    "unset_env": Said(
        (
            sense(
                "unset, forget, clear, remove, delete, drop, get rid of, erase, undefine, reset",
                "*name~word > the variable, variable, the environment variable, environment variable, env var, "
                "named, the env var",
                about="environment variable env var variables",
                key="variable variables var",
            ),
            sense("unset", "*name~word"),
        ),
        {},
        {"variable": "name", "key": "name"},
    ),
    "toggle_autonomous_mode": Said(
        (
            sense(
                "turn on, turn … on, switch on, switch … on, enable, activate, start, enter, set … on, put … on, "
                "toggle … on",
                about="autonomous mode autonomy",
                key="autonomous autonomy",
                on=True,
            ),
            sense(
                "turn off, turn … off, switch off, switch … off, disable, deactivate, stop, leave, end, exit, "
                "set … off, toggle … off",
                about="autonomous mode autonomy",
                key="autonomous autonomy",
                on=False,
            ),
        ),
        {},
        {"enabled": "on", "mode": "on"},
    ),
}
