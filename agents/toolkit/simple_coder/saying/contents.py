"""How people say that they read and write files."""

from __future__ import annotations

from collections.abc import Mapping

from agents.toolkit.saying import Place, Said, sense
from agents.toolkit.simple_coder.saying.words import SHOW

_NOTHING_IN_IT = {"with nothing in it": ("content", ""), "with no content": ("content", "")}
_APPENDING = {
    "append": ("mode", "append"),
    "appending": ("mode", "append"),
    "append mode": ("mode", "append"),
    "at|to|in|on [the] [very] end|bottom [of]": ("mode", "append"),
    "overwriting": ("mode", "overwrite"),
    "overwrite mode": ("mode", "overwrite"),
}

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_THAT_LINE = {
    f"[only|just] [the] [very] {said} line": ("from_line", number)
    for number, ordinal in enumerate(_ORDINALS, 1)
    for said in (ordinal, f"{number}{('st', 'nd', 'rd')[number - 1] if number < 4 else 'th'}")
}

SAID: Mapping[str, Said] = {
    "read": Said(
        (
            sense(
                f"{SHOW}, what is written in, what stands in, what is in, what is inside, what do … contain, "
                "what do … say, know what is in, know what … say, what stand in, what … there in, which … are in, "
                "give, get, dump, fetch, let … see, "
                "let … read, let … look at, tell … what it say, go through, go "
                "over, present, list, peek at, load, pull up, bring up, call up, less, do cat of, do read of, what … "
                "have in it, what do … tell, read out, read … out, want to "
                "see, want to read",
                "*path > of, from, in, inside, for, at",
                "from_line > from line, from the line, starting at line, starting with line, starting from line, "
                "lines, lines from, between line, between lines, beginning at line, beginning with line",
                "to_line > to line, to the line, until line, up to line, to, until, through, till, up to, and, -",
                "offset > from byte, at byte, starting|beginning at|from|with byte, offset",
                "length > for < bytes, byte",
                about=(
                    "file content contents text source code line lines document inside whole full on onwards onward "
                    "screen console terminal"
                ),
                never="run name note notes diff header headers branch branches commit commits history last final half",
            ),
            sense(
                f"{SHOW}, give, get, want, need, have, let … have, examine, check, study",
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
                f"{SHOW}, give, list, get, want, need, have, let … have",
                "to_line > first, the first, top, the top, only the first < lines, rows",
                "*path > of, from, in",
                about="file",
                key="line lines row rows",
                wants="to_line",
                never="last final end bottom byte bytes newest latest",
                from_line=1,
            ),
            sense(
                f"{SHOW}, give, list, get, want, need, have, let … have",
                "from_line > lines, from line, between lines, between line, the lines, line, rows, from row, the rows, "
                "row",
                "to_line > to line, until line, up to line, to, until, through, till, up to, and, -",
                "*path > of, from, in",
                about="file",
                key="line lines row rows",
                wants="to_line",
                never="last final end bottom",
            ),
            sense(
                f"{SHOW}, give, get, want, need, have",
                "from_line > from line, from the line, starting at line, starting with line, starting from line, lines "
                "from < to the end, till the end, until the end, up to the end, to end, through the end",
                "*path > of, from, in",
                about="file end the to",
                key="end",
                wants="from_line",
                never="last final bottom tail append add write",
            ),
            sense(
                f"{SHOW}, give, get, want, need, have, what is on, what stands on, what is in, what do … say on",
                "from_line > line, only line, just line, the line, line number, line no",
                "*path > of, from, in",
                about="file number",
                key="line",
                wants="from_line",
                flags=_THAT_LINE,
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
                "the words, the word, the line, the sentence",
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
                "that read, and write, and inside|in [it|there] write|put, and write|put in|inside [it|there], "
                "with the line, with the sentence, "
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
                "content~text > with the text, with the words, with the line, with the content, with content, "
                "with text, containing, saying, that say, that contain, which say, reading, that read, "
                "should say, should contain, should read, should hold, should have the text, must say, "
                "must contain, say, contain, has the text, whose content is",
                about="file document new text",
                key="file document contain say",
                wants="content",
                never="note notes folder branch variable commit",
            ),
            sense(
                "append, add, attach, tack, tack on, stick, put, write, insert",
                "*content~text > the text, the line, text, line, the sentence, the words",
                "path > to, onto, at|to|in|on [the] [very] end|bottom of, to file, at the end of file",
                about="file line text end",
                key="append add attach tack end bottom",
                flags=_APPENDING,
                never="note notes folder branch variable package packages commit beginning start top first",
                mode="append",
            ),
            sense(
                "write, put, add, append, insert, attach, stick",
                "*content~quoted",
                "path > at|to|in|on [the] [very] end|bottom of",
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
                "content~text > with, by, to, with the text, with text, with only, with just",
                about="content contents file text",
                never="note notes name line word branch variable directory folder working current",
                mode="overwrite",
            ),
            sense(
                "replace, overwrite, set, change, fill",
                "*path > the content of, the contents of, content of, contents of, of, what is in, everything in, the "
                "text of, the text in",
                "content~text > with, by, to, with the text, with text, with only, with just",
                about="file",
                key="content contents text everything",
                never="note notes name line word branch variable directory folder working current",
                mode="overwrite",
            ),
        ),
        {"path": Place("new", makes="file")},
        {"file_path": "path", "file": "path", "filename": "path", "text": "content", "contents": "content"},
        told=(
            ({"mode": "append"}, "append to {path}: “{content}”"),
            ({"mode": "patch"}, "patch {path} by “{content}”"),
            ({}, "write “{content}” to {path}; anything in it is overwritten"),
        ),
    ),
}
