"""Notes: short texts in the folder `notes` of the current folder, one Markdown file each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.toolkit.command import Command, Params, Tool
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
)
