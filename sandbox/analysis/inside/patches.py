"""Changes of files as a unified diff, and as a report for the page."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

from .fixing import Fixed, Fixes
from .telling import counted, shown
from .walking import LeftOut

MOST_DIFF_CHARS = 400_000
_MOST_FILES = 500
Json = dict[str, Any]


def diff(files: Sequence[Fixed]) -> tuple[str, int]:
    """The diff of as many whole files as fit, and how many are left out."""
    parts: list[str] = []
    size = 0
    for number, fixed in enumerate(files):
        part = of_file(fixed)
        size += len(part)
        if size > MOST_DIFF_CHARS:
            return "".join(parts), len(files) - number
        parts.append(part)
    return "".join(parts), 0


def of_file(fixed: Fixed) -> str:
    """One file's diff in the format of patch; bytes that are not UTF-8 are escaped as in Python."""
    before, after = _lines(fixed.before), _lines(fixed.after)
    name = quoted(fixed.path)
    lines = difflib.unified_diff(before, after, f"a/{name}", f"b/{name}")
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )  # fmt: skip


def quoted(path: str) -> str:
    """A path on one line."""
    return shown(path, 4096)


def _lines(content: bytes) -> list[str]:
    """Only a line feed ends a line, as patch has it."""
    text = content.decode("utf-8", "backslashreplace")
    return [line + "\n" for line in text.split("\n")[:-1]] + ([text.split("\n")[-1]] if text.split("\n")[-1] else [])


def report(place: str, fixes: Fixes, left_out: LeftOut, versions: Json, *, applied: bool, left: int) -> Json:
    """The report about the fixes besides the diff; `left`: the number of files that are not in the diff."""
    return {
        "kind": "fixes",
        "path": shown(place) or ".",
        "target": fixes.target.replace("py3", "3."),
        "applied": applied,
        "files": [_file(fixed) for fixed in fixes.files[:_MOST_FILES]],
        "file_count": len(fixes.files),
        "without_diff": left,
        "rules": [
            {"code": code, "name": shown(name), "count": count}
            for (code, name), count in fixes.rules.most_common(_MOST_FILES)
        ],
        "left_alone": [{"path": shown(path), "why": why} for path, why in fixes.left_alone[:_MOST_FILES]],
        "left_out": [
            {"why": why, "count": count, "examples": [shown(path) for path in left_out.examples[why]]}
            for why, count in left_out.counts.items()
        ],
        "notes": fixes.notes,
        "analysers": versions,
    }


def _file(fixed: Fixed) -> Json:
    before, after = fixed.before.split(b"\n"), fixed.after.split(b"\n")
    matcher = difflib.SequenceMatcher(None, before, after)
    changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    return {
        "path": shown(fixed.path),
        "deleted": sum(high - low for _, low, high, _, _ in changes),
        "added": sum(high - low for _, _, _, low, high in changes),
    }


def message(fixes: Fixes, *, applied: bool) -> str:
    """What can be fixed, or was fixed, in one sentence."""
    if not fixes.files:
        return "There is nothing that can be fixed safely"
    what = f"{counted(sum(fixes.rules.values()), 'finding')} in {counted(len(fixes.files), 'file')}"
    return f"Fixed {what}" if applied else f"{what} can be fixed safely"
