"""Notes: short texts in the folder `notes` of the current folder, one Markdown file each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.toolkit.command import Command, Params, Tool
from agents.toolkit.saying import Place, Said, sense
from agents.toolkit.trial import Trial
from sandbox.contract import Request

NAME = "note_taking"
FOLDER = "notes"
_NAME = {"type": "string", "title": "Name", "minLength": 1, "maxLength": 120, "x-kind": "name"}
_TEXT = {
    "type": "string",
    "title": "Text",
    "minLength": 1,
    "maxLength": 1_000_000,
    "x-reference": True,
    "x-multiline": True,
}


def note_path(name: str) -> str:
    """Return the file of a note, relative to the folder it is taken in."""
    return f"{FOLDER}/{name}.md"


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": properties, "required": list(properties)}


def _write(params: Params) -> tuple[Request, ...]:
    text = str(params["text"])
    content = text if text.endswith("\n") else text + "\n"
    return (
        Request("mkdir", {"path": FOLDER}),
        Request("write", {"path": note_path(str(params["name"])), "content": content}),
    )


def _add(params: Params) -> tuple[Request, ...]:
    folder, written = _write(params)
    return (folder, Request("write", {**written.params, "mode": "append"}))


def _show(params: Params) -> tuple[Request, ...]:
    return (Request("read", {"path": note_path(str(params["name"]))}),)


def _list(params: Params) -> tuple[Request, ...]:
    return (Request("ls", {"path": FOLDER}),)


_KEPT = {"notes/ideas.md": "Try the new parser.\n"}

_NOTE = "note notes notebook memo"
_THERE = {"name": Place("note", at=note_path("{}"))}
_WRITTEN = {"name": Place("note", makes="note", careful=True, at=note_path("{}"))}
_MADE = {"name": Place("note", makes="note", at=note_path("{}"))}
_PATH = {"path": note_path("{name}")}
_NAMED = (
    "*name~word > named, name it, call it, title, name, note, note about, the note, with name, with the name, under "
    "the name, titled, on, about, as, under, for, note on, note named"
)
_TEXT_CUES = (
    "saying, that say, which say, with the text, with text, with the content, with content, the text, text, "
    "reading, that read, "
    "containing, with the words, content, and write, and say, :, -, –"
)

_SAID = {
    "write_note": Said(
        (
            sense(
                "write, take, make, create, jot down, note down, leave, put down, set down, record, new, "
                "save, start, scribble, do, let, have, need, want, "
                "jot … down, replace, overwrite, rewrite, store, keep",
                _NAMED,
                f"text~text > {_TEXT_CUES}, to say, should say, should read, should contain, must say",
                about=f"{_NOTE} new short",
                key="note notes memo",
                never="show list delete remove rename commit branch append end move copy",
            ),
            # What is added to a note does not replace what stands in it.
            sense(
                "add",
                _NAMED,
                f"text~text > {_TEXT_CUES}, should say, should read, should contain, must say",
                about=f"{_NOTE} new short",
                key="note notes memo",
                never="show list delete remove rename commit branch append end move copy to onto",
            ),
            sense(
                "note",
                "*name~word > named, with name, with the name, titled",
                f"text~text > {_TEXT_CUES}, to say, should say, should read, should contain, must say",
                about=f"{_NOTE} new",
                wants="text",
                never="show list delete remove rename add append",
            ),
            sense(
                "save, store, keep, put, write, record, write down, put down, set down, remember",
                "*text~quoted",
                "name~word > as the note, as note, as a note named, in the note, in a note named, in note, as a note "
                "with the name, under the note, in a new note named, into a new note named, into a note named, in a "
                "new note, into the note, to the note, in a note about",
                about=_NOTE,
                key="note memo",
                never="add append end",
                wants="name",
            ),
            sense(
                "keep, write, make, save, take, have, create",
                "*name~word > titled, named, note, the note",
                "text~text > with, of the text",
                about=_NOTE,
                key="note memo",
                never="add append end show list read replace",
                wants="text",
            ),
            sense(
                "replace, overwrite, rewrite, change",
                "*name~word > note, the note, named",
                "text~text > by, with, to",
                about=_NOTE,
                key="note notes memo",
            ),
            sense(
                "note, note down, jot down, take down, remember, write down, jot",
                "*text~text > that, the text",
                "name~word > under the name, under, as, in the note, in a note named, in note, in a note, in my "
                "note, in the note named, "
                "in a note about, as note, as a note named",
                about=_NOTE,
            ),
        ),
        _WRITTEN,
        {"title": "name", "content": "text", "note": "name", "note_name": "name"},
        it="note {name}",
        done_by=("simple_coder.write", {**_PATH, "content": "{text}"}),
    ),
    "append_note": Said(
        (
            sense(
                "add, append, put, write, attach, tack on, tack, insert, include, jot down, extend, jot",
                "*text~text > the text, the line, text, line, the sentence, the words, the item, item",
                "name~word > to the note, to note, to my note, on the note, on my note, to the end of the note, "
                "at the end of the note, "
                "in the note, into the note, to the note named, to the note about, to my notes on, to, on, in, "
                "onto the note, onto, "
                "to the notes on, to my, into my, in my, on my, onto my, into the, onto the, in the, to the",
                about=f"{_NOTE} line end",
                key="note notes memo",
            ),
            sense(
                "extend, continue, update, append to, add to, complete",
                "*name~word > note, the note, named",
                "text~text > with, by, with the text, with the line, that, :",
                about=_NOTE,
                key="note notes memo",
            ),
        ),
        _MADE,
        {"title": "name", "content": "text", "note": "name", "note_name": "name"},
        it="note {name}",
        done_by=("simple_coder.write", {**_PATH, "content": "{text}", "mode": "append"}),
    ),
    "show_note": Said(
        (
            sense(
                "show, read, display, open, view, see, print, get, give, look at, have a look at, take a look at, let "
                "… see, read … out, cat, what stand in, what have … noted about, what do … note about, what do … say, "
                "what is in, what do … contain, what did … write in, what did … put in, what did … put into, what "
                "have … put in, what have … written in, what did … note in, what stand in, look up, tell, check, pull "
                "up, bring up, remind … of",
                "*name~word > named, note, the note, note about, the note about, my note on, about, on, of, "
                "titled, in, under",
                about=f"{_NOTE} content text again what say please",
                key="note notes memo",
                never="saying delete remove rename append add list commit branch all every with new which many",
            ),
            sense(
                "what have … written down about, what have … written about, what did … write down about, what did … "
                "write about, what have … noted on, what did … note on, what have … noted down about",
                "*name~word > my",
                about=f"{_NOTE} again",
                wants="name",
            ),
        ),
        _THERE,
        {"title": "name", "note": "name", "note_name": "name"},
        it="note {name}",
        done_by=("simple_coder.read", _PATH),
    ),
    "list_notes": Said(
        (
            sense(
                "list, name, show, display, see, view, print, which, what, give, get, enumerate, what are, check, "
                "have, which are, tell, are there, do … have, have … written, did … write, have … taken, did … take, "
                "did … make, have … made",
                about="notes all every there have available exist list names name titles any",
                key="notes",
                never="delete remove folder file saying add append with create about",
            ),
            sense("notes, my notes, all notes, list notes"),
        ),
    ),
}

TOOL = Tool(
    NAME,
    "Notes",
    "Short notes in the workspace, under notes/.",
    (
        Command(
            NAME,
            "write_note",
            "Write a note; one of the same name is replaced.",
            _object({"name": _NAME, "text": _TEXT}),
            (
                "write the note {name} saying {text}",
                "(write|take|make) the note [named] {name} (saying|that says|with [the] text) {text}",
            ),
            "workspace",
            _write,
            ("message",),
            ({"name": "ideas", "text": "Try the new parser."},),
            beliefs_added=("there is a folder named notes", "there is a note named {name}"),
            trials=(
                Trial({"name": "ideas", "text": "Two words"}, changes=("notes", "notes/ideas.md")),
                Trial({"name": "ideas", "text": "Another one"}, _KEPT, changes=("notes/ideas.md",)),
            ),
        ),
        Command(
            NAME,
            "append_note",
            "Add a line to the end of a note; a new note begins when there is none.",
            _object({"name": _NAME, "text": _TEXT}),
            ("add {text} to the note {name}", "(add|append) {text} to the note [named] {name}"),
            "workspace",
            _add,
            ("message",),
            ({"name": "ideas", "text": "And measure it."},),
            beliefs_added=("there is a folder named notes", "there is a note named {name}"),
            trials=(Trial({"name": "ideas", "text": "And measure it."}, _KEPT, changes=("notes/ideas.md",)),),
        ),
        Command(
            NAME,
            "show_note",
            "Show what a note says.",
            _object({"name": _NAME}),
            ("show the note {name}", "(show|read) the note [named] {name}"),
            "idempotent",
            _show,
            ("content",),
            ({"name": "ideas"},),
            trials=(
                Trial({"name": "ideas"}, _KEPT, result={"content": "Try the new parser.\n"}, changes=()),
                Trial({"name": "ideas"}, error="INVALID_PARAMETERS", changes=()),
            ),
        ),
        Command(
            NAME,
            "list_notes",
            "List the notes there are.",
            _object({}),
            ("list the notes", "(list|show) [all] notes"),
            "idempotent",
            _list,
            ("items",),
            ({},),
            trials=(Trial({}, _KEPT, changes=()),),
        ),
    ),
    _SAID,
)
