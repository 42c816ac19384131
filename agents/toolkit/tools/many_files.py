"""Work on many files: their sizes, archives, texts replaced, names changed, duplicates found."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import PurePosixPath
from typing import Any, TypeAlias

from agents.toolkit import refusal
from agents.toolkit.command import Command, Params, Tool
from agents.toolkit.describing import fields, line, path
from agents.toolkit.jailed import in_jail
from agents.toolkit.leaving import Left
from agents.toolkit.many_files import inside
from agents.toolkit.saying import Place, Said
from agents.toolkit.trial import Trial

NAME = "many_files"
Leaves: TypeAlias = Callable[[Params], Iterable[Left]]
# A longer text is not told in every check of every file.
_TOLD_CHARS = 200
_PATHS = {
    "type": "string",
    "title": "Files, one path a line",
    "maxLength": 200_000,
    "x-multiline": True,
}
_ARCHIVE = path("Archive", **{"x-endings": ["", ".zip"]})
_TEXT = {"type": "string", "maxLength": 10_000, "x-multiline": True}
_FILES = {"a.txt": "one two\n", "b c.txt": "one two\n", "d/e.txt": "three\n", "raw.bin": "a\0one"}
_IN_ONE = {"path": "a.txt", "old": "one", "new": "1"}


def _replaced(params: Params) -> Iterable[Left]:
    """The old text stands nowhere in the file any more, unless it is a part of the new one."""
    if params["old"] in params["new"] or len(params["old"]) > _TOLD_CHARS:
        yield Left(".", params["path"], "file_changed")
    else:
        yield Left(".", params["path"], "lacks_text", params["old"])


def _renamed(name: Callable[[PurePosixPath, Params], str]) -> Leaves:
    """The file has its new `name` and no longer the old one."""

    def leaves(params: Params) -> Iterable[Left]:
        path = PurePosixPath(params["path"])
        new = name(path, params)
        if new != path.name:
            yield Left(".", str(path), "gone")
            yield Left(".", str(path.with_name(new)))

    return leaves


def _with_ending(path: PurePosixPath, params: Params) -> str:
    return f"{path.stem}.{inside.bare_ending(params['ending'])}"


def _with_part(path: PurePosixPath, params: Params) -> str:
    return path.name.replace(params["old"], params["new"])


def _command(
    name: str,
    summary: str,
    schema: dict[str, Any],
    phrases: tuple[str, ...],
    result_keys: tuple[str, ...],
    example: dict[str, Any],
    trials: tuple[Trial, ...],
    effect: str = "workspace",
    beliefs_added: tuple[str, ...] = (),
    *,
    needs_autonomous: bool = False,
    leaves: Leaves = lambda params: (),
) -> Command:
    work = in_jail(inside, schema, reads_only=effect == "idempotent", parts=(refusal,), do=name)
    return Command(
        NAME,
        name,
        summary,
        schema,
        phrases,
        effect,
        work,
        result_keys,
        (example,),
        beliefs_added,
        needs_autonomous=needs_autonomous,
        leaves=leaves,
        trials=trials,
    )


TOOL = Tool(
    NAME,
    "Many files",
    "Looks at, archives and changes files that a plan lists one by one. Links are not followed.",
    (
        _command(
            "details",
            "Show the files of a list with their sizes, and how many there are.",
            fields({"paths": _PATHS}, "paths"),
            ("show the details of the files {paths}",),
            ("files", "count", "size_bytes"),
            {"paths": "a.txt\nb.txt"},
            (
                Trial({"paths": "a.txt\nb c.txt"}, _FILES, result={"count": 2, "size_bytes": 16}, changes=()),
                Trial({"paths": ""}, _FILES, result={"count": 0}, changes=()),
                Trial({"paths": "../a.txt"}, _FILES, error="INVALID_PARAMETERS", changes=()),
            ),
            effect="idempotent",
        ),
        _command(
            "duplicates",
            "Show which files have the same content.",
            fields({"path": path("Folder", default=".")}),
            ("show the files with the same content [below the folder {path}]", "find the duplicate files in {path}"),
            ("groups", "spare_bytes"),
            {"path": "photos"},
            (
                Trial({}, _FILES, result={"spare_bytes": 8}, changes=()),
                Trial({"path": "a.txt"}, _FILES, error="INVALID_PARAMETERS", changes=()),
            ),
            effect="idempotent",
        ),
        _command(
            "archive_files",
            "Put files into a new zip archive.",
            fields({"paths": {**_PATHS, "minLength": 1}, "to": _ARCHIVE}, "paths", "to"),
            ("archive the files {paths} in the zip file {to}",),
            ("archive", "files", "size_bytes"),
            {"paths": "a.txt\nb.txt", "to": "texts.zip"},
            (
                Trial({"paths": "a.txt\nb c.txt", "to": "x.zip"}, _FILES, result={"files": 2}, changes=("x.zip",)),
                Trial({"paths": "a.txt", "to": "b c.txt"}, _FILES, error="INVALID_PARAMETERS", changes=()),
            ),
            beliefs_added=("there is a file named {to}",),
        ),
        _command(
            "archive_folder",
            "Put a folder, with everything in it, into a new zip archive.",
            fields({"folder": path("Folder"), "to": _ARCHIVE}, "folder", "to"),
            ("archive the folder {folder} in the zip file {to}",),
            ("archive", "files", "size_bytes"),
            {"folder": "photos", "to": "photos.zip"},
            (
                Trial({"folder": "d", "to": "d.zip"}, _FILES, result={"files": 1}, changes=("d.zip",)),
                Trial({"folder": "none", "to": "x.zip"}, _FILES, error="INVALID_PARAMETERS", changes=()),
            ),
            beliefs_added=("there is a file named {to}",),
        ),
        _command(
            "replace_text",
            "Replace a text in a file, wherever it stands.",
            fields(
                {
                    "path": path("File"),
                    "old": {**_TEXT, "title": "Text", "minLength": 1},
                    "new": {**_TEXT, "title": "New text"},
                },
                "path",
                "old",
                "new",
            ),
            ("replace the text {old} with the text {new} in the file {path}",),
            ("replaced",),
            {"path": "index.html", "old": "http://", "new": "https://"},
            (
                Trial(_IN_ONE, _FILES, result={"replaced": 1}, changes=("a.txt",)),
                Trial({**_IN_ONE, "old": "nine"}, _FILES, error="INVALID_PARAMETERS", changes=()),
                Trial({**_IN_ONE, "path": "raw.bin"}, _FILES, error="INVALID_PARAMETERS", changes=()),
            ),
            leaves=_replaced,
        ),
        _command(
            "rename_ending",
            "Give a file's name another ending; its content stays as it is.",
            fields({"path": path("File"), "ending": line("Ending", 20, **{"x-ending": True})}, "path", "ending"),
            ("rename the file {path} with {ending} for its ending",),
            ("path", "before"),
            {"path": "notes.txt", "ending": "md"},
            (
                Trial(
                    autonomous=True,
                    params={"path": "a.txt", "ending": ".md"},
                    files=_FILES,
                    result={"path": "a.md"},
                    changes=("a.txt", "a.md"),
                ),
                Trial(
                    autonomous=True,
                    params={"path": "a.txt", "ending": "x/y"},
                    files=_FILES,
                    error="INVALID_PARAMETERS",
                    changes=(),
                ),
            ),
            needs_autonomous=True,
            leaves=_renamed(_with_ending),
        ),
        _command(
            "rename_part",
            "Replace a part of a file's name; its folder and its content stay.",
            fields(
                {
                    "path": path("File"),
                    "old": line("Part of the name", 200),
                    "new": {**line("New part", 200), "minLength": 0},
                },
                "path",
                "old",
                "new",
            ),
            ("rename the file {path} with {new} for {old} in its name",),
            ("path", "before"),
            {"path": "my report.txt", "old": " ", "new": "_"},
            (
                Trial(
                    autonomous=True,
                    params={"path": "b c.txt", "old": " ", "new": "_"},
                    files=_FILES,
                    result={"path": "b_c.txt"},
                    changes=("b c.txt", "b_c.txt"),
                ),
                Trial(
                    autonomous=True,
                    params={"path": "a.txt", "old": "a", "new": "../x"},
                    files=_FILES,
                    error="INVALID_PARAMETERS",
                    changes=(),
                ),
            ),
            needs_autonomous=True,
            leaves=_renamed(_with_part),
        ),
    ),
    # The archives that they make are looked for when the goal has ended.
    dict.fromkeys(("archive_files", "archive_folder"), Said((), {"to": Place("new", makes="file")})),
)
