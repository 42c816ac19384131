"""A language model's changes to one file: what it is shown, what it may answer, and what the answer does. Pure.

The file is material from anybody, and the answer is believed in nothing: each change must find its place exactly once
in what was sent, so nothing that was not sent can change, and what cannot be accepted goes back with its reason.
"""

from __future__ import annotations

import ast
import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.bdi.language_models.model_answer import object_in
from agents.rules.naming import hidden_character
from agents.toolkit.schemas import JsonError, loads_strict
from agents.toolkit.types import Restored, as_it_is
from sandbox.analysis.inside import names
from sandbox.jail.inside import patch

MOST_CHANGES = 40
_WHY_CHARS = 500
_MOST_FIND_CHARS = 20_000
# How long a file may become, by what it was.
_TIMES, _MORE_CHARS = 2, 20_000
_PROBLEMS_MAX = 20
# Of a file that is too long, so much is sent around each finding.
_LINES_AROUND = 40
_SHAPE = '{"changes": [{"find", "replace", "why"}]}, or {"nothing": "why nothing is worth changing"}'
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "changes": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {name: {"type": "string"} for name in ("find", "replace", "why")},
                "required": ["find", "replace", "why"],
            },
        },
        "nothing": {"type": "string"},
    },
}


@dataclass(frozen=True)
class File:
    """A file as the jail read it. `needed`: names that others use; `findings` in the order in which they matter."""

    path: str
    text: str
    is_python: bool
    target: str = ""
    findings: tuple[Mapping[str, Any], ...] = ()
    needed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sent:
    """What a model is shown: `parts` are places in the file's text, each as begin and end, in their order."""

    file: File
    parts: tuple[tuple[int, int], ...]
    material: str

    @property
    def left_out_chars(self) -> int:
        return len(self.file.text) - sum(end - begin for begin, end in self.parts)


@dataclass(frozen=True)
class Change:
    """One accepted change: the line where it begins before any of them is made, and why."""

    line: int
    why: str


@dataclass(frozen=True)
class Proposal:
    """What an answer holds: the file afterwards with its changes, or the model's word that nothing is worth it; or
    problems, which say the way out.
    """

    after: str = ""
    changes: tuple[Change, ...] = ()
    nothing: str = ""
    problems: tuple[str, ...] = ()


def sent(file: File, wish: str, most_chars: int) -> Sent | None:
    """The file, or of one that is too long the parts around its findings, the gravest first; None: nothing fits."""
    whole = ((0, len(file.text)),)
    material = _material(file, wish, whole)
    if len(material) <= most_chars:
        return Sent(file, whole, material)
    chosen: tuple[tuple[int, int], ...] = ()
    for one in file.findings:
        parts = _joined((*chosen, _around(file.text, int(one["line"]))))
        if len(material := _material(file, wish, parts)) > most_chars:
            break
        chosen = parts
    return Sent(file, chosen, _material(file, wish, chosen)) if chosen else None


def _around(text: str, line: int) -> tuple[int, int]:
    """The place of a line with those around it."""
    starts = _starts(text)
    first, last = max(0, line - 1 - _LINES_AROUND), min(len(starts) - 1, line + _LINES_AROUND)
    return min(starts[first], len(text)), starts[last]


def _starts(text: str) -> list[int]:
    """Where each line begins, and the end."""
    starts = [0]
    while (at := text.find("\n", starts[-1])) >= 0:
        starts.append(at + 1)
    return [*starts, len(text)]


def _joined(parts: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    joined: list[tuple[int, int]] = []
    for begin, end in sorted(parts):
        if joined and begin <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((begin, end))
    return tuple(joined)


def _material(file: File, wish: str, parts: Sequence[tuple[int, int]]) -> str:
    """JSON in ASCII: what hides in a text is spelt out."""
    told: dict[str, Any] = {"file": file.path}
    if wish:
        told["wish"] = wish
    if file.is_python:
        told["python"] = file.target or "not said"
    told["parts"] = [
        {"from_line": line_of(file.text, begin), "text": file.text[begin:end]} for begin, end in parts
    ]  # fmt: skip
    shown = [one for one in file.findings if any(_holds(file.text, part, int(one["line"])) for part in parts)]
    told["findings"] = [{name: one[name] for name in ("line", "code", "message")} for one in shown]
    if file.needed:
        told["needed"] = list(file.needed)
    return json.dumps(told)


def _holds(text: str, part: tuple[int, int], line: int) -> bool:
    return line_of(text, part[0]) <= line <= line_of(text, part[1])


def line_of(text: str, at: int) -> int:
    """The number of the line in which a character stands."""
    return text.count("\n", 0, at) + 1


def listed(problems: Sequence[str]) -> str:
    """The problems of an answer as the model reads them."""
    return json.dumps(list(problems[:_PROBLEMS_MAX]))


def read(answer: str, shown: Sent, restored: Restored = as_it_is) -> Proposal:
    """What comes of an answer, whatever prose or code fence is around it.

    `restored` puts secrets back that the model saw marks of, so that a change of the lines around one keeps it.
    """
    try:
        found = restored(loads_strict(object_in(answer, {"changes", "nothing"})))
    except JsonError as error:
        return _wrong(f"The answer is no JSON object of the form {_SHAPE}: {error}.")
    if why := _why_nothing(found):
        return Proposal(nothing=why)
    problems = _problems_of_form(found)
    if problems:
        return _wrong(*problems)
    placed = [_placed(number, one, shown, problems) for number, one in enumerate(found["changes"], 1)]
    if problems:
        return _wrong(*problems)
    return _made([one for one in placed if one is not None], shown)


def _why_nothing(found: Mapping[str, Any]) -> str:
    """Why an answer changes nothing; empty when it does not say so."""
    nothing = found.get("nothing")
    if found.get("changes") or not isinstance(nothing, str) or not set(found) <= {"nothing", "changes"}:
        return ""
    return " ".join(nothing.split())[:_WHY_CHARS]


def _problems_of_form(found: Mapping[str, Any]) -> list[str]:
    """What is wrong with an answer before any change of it is read."""
    # Some providers fill in every field that a schema has.
    known = {"changes"} if found.get("nothing") else {"changes", "nothing"}
    if unknown := [name for name in found if name not in known]:
        return [f"“{name[:60]}” is no field beside “changes”: {_SHAPE}." for name in unknown]
    changes = found.get("changes")
    if not isinstance(changes, list) or not changes:
        return [f"“changes” is a list of at least one change: {_SHAPE}."]
    if len(changes) > MOST_CHANGES:
        return [f"There are {len(changes)} changes; give at most {MOST_CHANGES}."]
    return []


def _wrong(*problems: str) -> Proposal:
    return Proposal(problems=problems)


@dataclass(frozen=True, order=True)
class _Placed:
    begin: int
    end: int
    number: int
    replace: str
    why: str


def _placed(number: int, raw: Any, shown: Sent, problems: list[str]) -> _Placed | None:
    """A change at its one place; None with what is wrong in `problems`."""
    told = _malformed(raw)
    find, replace, why = ("", "", "") if told else (raw["find"], raw["replace"], " ".join(raw["why"].split()))
    places = [] if told else _places(find, shown)
    if told:
        problem = told
    elif hidden := hidden_character(why) or hidden_character(_new_in(find, replace)):
        problem = f"it brings in the hidden character {hidden}; leave it out"
    elif not places:
        problem = "its “find” does not stand in what was sent, letter by letter; copy it from “text”"
    elif len(places) > 1:
        problem = f"its “find” stands there {len(places)} times; take in more lines until it stands there once"
    elif find == replace:
        problem = "it changes nothing; leave it out"
    else:
        return _Placed(places[0], places[0] + len(find), number, replace, why)
    problems.append(f"Change {number}: {problem}.")
    return None


def _malformed(raw: Any) -> str:
    if not isinstance(raw, dict) or set(raw) != {"find", "replace", "why"}:
        return "it needs exactly the fields find, replace and why"
    if not all(isinstance(one, str) for one in raw.values()):
        return "find, replace and why are texts"
    if not raw["find"] or len(raw["find"]) > _MOST_FIND_CHARS:
        return f"its “find” has 1 to {_MOST_FIND_CHARS:,} characters"
    if not raw["why"].strip() or len(raw["why"]) > _WHY_CHARS:
        return f"its “why” is a sentence of at most {_WHY_CHARS} characters"
    return ""


def _new_in(find: str, replace: str) -> str:
    """The characters of a new text that the old one does not have; line feeds and tabs are no hidden ones."""
    return "".join(sorted(set(replace) - set(find) - {"\n", "\t"}))


def _places(find: str, shown: Sent) -> list[int]:
    """Where a text stands in the parts that were sent, each of them looked through for itself."""
    found = []
    for begin, end in shown.parts:
        at = shown.file.text.find(find, begin, end)
        while at >= 0:
            found.append(at)
            at = shown.file.text.find(find, at + 1, end)
    return found


def _made(changes: Sequence[_Placed], shown: Sent) -> Proposal:
    """The file with all changes made, when that is one that may be."""
    ordered, text = sorted(changes), shown.file.text
    pieces, at, before = [], 0, None
    for one in ordered:
        if before is not None and one.begin < before.end:
            return _wrong(f"Changes {before.number} and {one.number} overlap; make one of them.")
        pieces += [text[at : one.begin], one.replace]
        at, before = one.end, one
    after = "".join([*pieces, text[at:]])
    if problems := list(_faults(after, shown.file)):
        return _wrong(*problems)
    return Proposal(after, tuple(Change(line_of(text, one.begin), one.why) for one in ordered))


def _faults(after: str, file: File) -> list[str]:
    if after == file.text:
        return ["All changes together change nothing."]
    most = max(_TIMES * len(file.text), len(file.text) + _MORE_CHARS)
    if len(after) > most:
        return [f"The file would have {len(after):,} characters; at most {most:,} are accepted."]
    if not after.strip():
        return ["Nothing of the file would be left."]
    if not file.is_python:
        return []
    content = after.encode()
    if names.tree(content) is None:
        return [f"The file could be read as Python before and not afterwards: {_syntax_of(after)}."]
    if lost := sorted(set(file.needed) - names.bound(content)):
        return [f"The module would lose {', '.join(lost[:10])}, which other files use; keep what is “needed”."]
    return []


def _syntax_of(text: str) -> str:
    """What Python finds wrong, in its words."""
    try:
        ast.parse(text)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}"
    except (ValueError, RecursionError, MemoryError):
        pass
    return "it is nested too deeply, or holds what no source may"


def diff(path: str, before: str, after: str) -> str:
    """The changes as a patch of the file. With lines around them, unless those hold what no plan could show."""
    for around in (3, 0):
        text = _diff(path, before, after, around)
        if hidden_character(text.replace("\n", "").replace("\t", "")) is None:
            break
    return text


def _diff(path: str, before: str, after: str, around: int) -> str:
    lines = difflib.unified_diff(_lines(before), _lines(after), f"a/{path}", f"b/{path}", n=around)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(text: str) -> list[str]:
    """Only a line feed ends a line, as a patch has it."""
    *lines, last = text.split("\n")
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def fits(before: str, text: str, after: str) -> bool:
    """Whether a patch makes exactly this of a file: what is shown is what will be done."""
    try:
        return patch.applied(before.encode(), text.encode()) == after.encode()
    except patch.PatchFailed:
        return False
