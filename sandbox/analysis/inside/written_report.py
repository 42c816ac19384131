"""The report as a Markdown file, for people who read the workspace."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from .markdown import address, code, link, table, text
from .telling import counted

Json = Mapping[str, Any]
Place = Callable[[Json], str]
_MOST_FILES = 50
_FIGURES = ("lines", "functions", "complexity", "findings", "security", "unused")


def written(report: Json, path: str) -> str:
    """The whole page for `path`: its links to files are relative to it."""
    return "\n".join(_lines(report, os.path.dirname(path)))


def _lines(report: Json, folder: str) -> Iterator[str]:
    place = partial(_place, folder=folder)
    yield f"# What {code(report['path'])} holds"
    yield ""
    yield _size(report["totals"])
    yield ""
    for note in report["notes"]:
        yield f"- {text(note)}"
    yield from ("", "## Kinds of files", "")
    yield from table(
        ("Kind", "Files:", "Lines:"),
        ((one["name"], f"{one['files']:,}", f"{one['lines']:,}") for one in report["languages"]),
    )
    yield from _intricacy(report, place)
    yield from _findings(report, place)
    yield from _security(report, place)
    yield from _unused(report, place)
    yield from ("## Largest files", "")
    yield from table(
        ("File", "Lines:", "Functions:", "Most ways:", "Findings:", "Security:", "Unused:"),
        (
            (code(one["path"]), *(f"{one[key]:,}" for key in _FIGURES))
            for one in report["files"][:_MOST_FILES]
        ),
    )  # fmt: skip
    if report["left_out"]:
        yield from ("## Not looked at", "")
        yield from table(
            ("What", "How many:", "Such as"),
            (
                (text(one["why"]), f"{one['count']:,}", ", ".join(map(code, one["examples"])))
                for one in report["left_out"]
            ),
        )
    tools = ", ".join(f"{name} {version}" for name, version in report["analysers"].items())
    yield f"Made with {tools}."
    yield ""


def _place(one: Json, folder: str) -> str:
    """A line of a file, as a link from the page's folder."""
    label = f"{code(one['path'])}:{one['line']}"
    if "…" in one["path"] or "\\" in one["path"]:
        return label  # the name on the page is not its exact name
    return link(label, address(os.path.relpath(one["path"], folder or "."), f"L{one['line']}"))


def _size(totals: Json) -> str:
    return (
        f"{counted(totals['files'], 'file')} with {counted(totals['lines'], 'line')}. Of Python "
        f"{counted(totals['python_files'], 'file')}: {totals['code']:,} lines of code, {totals['comment']:,} of "
        f"comment, {totals['blank']:,} empty; {counted(totals['functions'], 'function')}."
    )


def _intricacy(report: Json, place: Place) -> Iterator[str]:
    yield from ("## Complexity of the functions", "")
    yield "The number of ways through a function (McCabe); above 10 it is hard to test."
    yield ""
    yield from table(
        ("Ways", "Functions:"), ((one["label"], f"{one['functions']:,}") for one in report["complexity"]["bands"])
    )
    yield from table(
        ("Function", "Ways:", "Where"),
        ((code(one["name"]), str(one["complexity"]), place(one)) for one in report["complexity"]["worst"]),
    )


def _findings(report: Json, place: Place) -> Iterator[str]:
    yield from (f"## Findings: {report['totals']['findings']:,}", "")
    yield from table(
        ("Rule", "What it is", "Found:"),
        (
            (code(one["code"]), one["name"].replace("-", " "), f"{one['count']:,}")
            for one in report["findings"]["rules"]
        ),
    )
    yield from table(
        ("Where", "Rule", "What it says"),
        ((place(one), code(one["code"]), text(one["message"])) for one in report["findings"]["top"]),
    )


def _security(report: Json, place: Place) -> Iterator[str]:
    yield from (f"## Security: {report['totals']['security']:,}", "")
    yield "Tests are not looked at. Silenced: a remark in the code tells analysers to pass over it."
    yield ""
    yield from table(
        ("Level", "Where", "Rule", "What it says", "Silenced"),
        (
            (one["level"], place(one), code(one["code"]), text(one["message"]), "yes" if one["silenced"] else "")
            for one in report["security"]["top"]
        ),
    )


def _unused(report: Json, place: Place) -> Iterator[str]:
    yield from (f"## Unused: {report['totals']['unused']:,}", "")
    yield "What a library offers to others looks unused from within; the surest come first."
    yield ""
    yield from table(
        ("What", "Kind", "Lines:", "Sure:", "Where"),
        (
            (code(one["name"]), one["kind"].replace("_", " "), str(one["lines"]), f"{one['confidence']} %", place(one))
            for one in report["unused"]["top"]
        ),
    )
