"""The commands on files and folders."""

from __future__ import annotations

from typing import Any

from agents.toolkit.command import Command
from agents.toolkit.describing import fields, path
from agents.toolkit.simple_coder.command import command, count
from sandbox.commands import FIND_KINDS, MAX_PATTERN_CHARS, MOST_NEWEST, WRITE_MODES


def _transfer() -> dict[str, Any]:
    """The parameters of moving and of copying: a new path in full, never the folder to put something in."""
    overwrite = {"type": "boolean", "title": "Replace a file that is there", "default": False}
    return fields({"path": path("File or folder"), "to": path("New path"), "overwrite": overwrite}, "path", "to")


FILES: tuple[Command, ...] = (
    command(
        "ls",
        summary="List what a folder holds.",
        schema=fields({"path": path("Folder", default=".")}),
        phrases=(
            "list the files in {path}",
            "(list|show) the files in the folder {path}",
            "(list|show) the files [here]",
        ),
        effect="idempotent",
        result_keys=("items",),
        examples=({"path": "api_client"},),
    ),
    command(
        "cd",
        summary="Go to a folder; later paths start there.",
        schema=fields({"path": path("Folder")}, "path"),
        phrases=("go to the folder {path}", "(go|change) (to|into) [the folder] {path}"),
        effect="idempotent",
        beliefs_added=("you are in the folder {path}",),
        result_keys=("message",),
        examples=({"path": "api_client"},),
        changes_session=True,
    ),
    command(
        "mkdir",
        summary="Create a folder, and the folders above it.",
        schema=fields({"path": path("Folder")}, "path"),
        phrases=("create the folder {path}", "(create|make) the folder [named] {path}"),
        effect="workspace",
        beliefs_added=(
            "the folder {path} is empty UNLESS there is a folder named {path}",
            "there is a folder named {path}",
        ),
        result_keys=("message",),
        examples=({"path": "api_client"},),
    ),
    command(
        "read",
        summary="Read a file, or some of its lines or bytes.",
        schema=fields(
            {
                "path": path("File"),
                "from_line": count("First line"),
                "to_line": count("Last line"),
                "offset": count("First byte, counted from 0", least=0),
                "length": count("How many bytes"),
            },
            "path",
        ),
        phrases=(
            "read the file {path} [from line {from_line}] [to line {to_line}] [from byte {offset}] "
            "[for {length} bytes]",
            "(read|show) [the file] {path}",
            "(read|show) the lines {from_line} to {to_line} of [the file] {path}",
        ),
        effect="idempotent",
        result_keys=("content",),
        examples=(
            {"path": "main.py"},
            {"path": "main.py", "from_line": 10, "to_line": 20},
            {"path": "log.txt", "offset": 1000, "length": 500},
        ),
    ),
    command(
        "write",
        summary="Write a text file: over what was in it, as a new file, at its end, or as a patch (unified diff). "
        "Folders that are missing above it are made.",
        schema=fields(
            {
                "path": path("File"),
                "content": {
                    "type": "string",
                    "title": "Content",
                    "maxLength": 1_000_000,
                    "x-reference": True,
                    "x-multiline": True,
                },
                "mode": {
                    "type": "string",
                    "title": "If the file exists",
                    "enum": list(WRITE_MODES),
                    "default": "overwrite",
                },
            },
            "path",
            "content",
        ),
        phrases=(
            "write {content} to the file {path} [in the mode {mode}]",
            "(write|save) {content} (to|into|as) [the file] {path}",
            "create the file {path} with [the (text|content)] {content}",
        ),
        effect="workspace",
        beliefs_added=("there is a file named {path}",),
        result_keys=("message",),
        examples=({"path": "main.py", "content": "print('hello')\n"},),
    ),
    command(
        "rm",
        summary="Remove a file, or a folder with everything in it. Only in autonomous mode.",
        schema=fields({"path": path("File or folder")}, "path"),
        phrases=(
            "remove the file or folder {path}",
            "(remove|delete) [the file|the folder|the file or folder] {path}",
        ),
        effect="workspace",
        beliefs_added=("there is no file or folder named {path}",),
        result_keys=("message",),
        examples=({"path": "old.txt"},),
        needs_autonomous=True,
    ),
    command(
        "mv",
        summary="Give a file or folder a new path. A file that is there already goes only in autonomous mode.",
        schema=_transfer(),
        phrases=(
            "move the file or folder {path} to {to} [with overwriting {overwrite}]",
            "(move|rename) [the file|the folder|the file or folder] {path} (to|into|as) {to}",
        ),
        effect="workspace",
        beliefs_added=("there is no file or folder named {path}", "there is a file or folder named {to}"),
        result_keys=("message",),
        examples=({"path": "draft.txt", "to": "final.txt"},),
        autonomous_with="overwrite",
    ),
    command(
        "cp",
        summary="Copy a file or folder. A file that is there already goes only in autonomous mode.",
        schema=_transfer(),
        phrases=(
            "copy the file or folder {path} to {to} [with overwriting {overwrite}]",
            "copy [the file|the folder|the file or folder] {path} (to|into|as) {to}",
        ),
        effect="workspace",
        beliefs_added=("there is a file or folder named {to}",),
        result_keys=("message",),
        examples=({"path": "settings.ini", "to": "settings.ini.old"},),
        autonomous_with="overwrite",
    ),
    command(
        "find",
        summary="Find files and folders by name (*, ? and […] stand for other characters), or the newest ones.",
        schema=fields(
            {
                "pattern": {"type": "string", "title": "Name", "minLength": 1, "maxLength": 255, "default": "*"},
                "path": path("Folder", default="."),
                "kind": {"type": "string", "title": "Kind", "enum": list(FIND_KINDS), "default": "any"},
                "newest": {
                    "type": "integer",
                    "title": "Only so many, the newest first",
                    "minimum": 1,
                    "maximum": MOST_NEWEST,
                },
            }
        ),
        phrases=(
            "find everything named {pattern} [in the folder {path}] [of the kind {kind}] [newest {newest}]",
            "find [all] (files|folders|files and folders) named {pattern} [(in|below) the folder {path}]",
            "find everything [(in|below) the folder {path}]",
        ),
        effect="idempotent",
        result_keys=("items",),
        examples=({"pattern": "*.py"}, {"pattern": "*.log", "path": "logs", "kind": "file", "newest": 3}),
    ),
    command(
        "grep",
        summary="Find the lines of files that hold a text, or that fit a regular expression.",
        schema=fields(
            {
                "text": {"type": "string", "title": "Text", "minLength": 1, "maxLength": MAX_PATTERN_CHARS},
                "path": path("File or folder", default="."),
                "regular": {"type": "boolean", "title": "It is a regular expression", "default": False},
                "ignore_case": {"type": "boolean", "title": "Small and capital letters alike", "default": False},
            },
            "text",
        ),
        phrases=(
            "search for the text {text} [in the path {path}] [with regular expressions {regular}] "
            "[with ignoring case {ignore_case}]",
            "(search|look) for [the text] {text} (in|below) [the (file|folder|path)] {path}",
        ),
        effect="idempotent",
        result_keys=("matches",),
        examples=({"text": "import os"}, {"text": "def .*main", "path": "src", "regular": True}),
    ),
)
