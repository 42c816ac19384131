"""The report about a code base: everything counted, the worst findings named, never longer than a page."""

from __future__ import annotations

import os
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from . import oldest, ruff, unused
from .severity import LEVELS, severity
from .telling import counted, shown, tell
from .unused import Unused
from .walking import LeftOut, Source, sources

Json = dict[str, Any]
One = TypeVar("One")
MOST_TOP = 60
MOST_FILES = 400
MOST_RULES = 40
_MOST_WORST = 30
_HARD_TO_TEST = 10  # McCabe's own limit, above which a function is called intricate
_BANDS = ((1, 5, "1 to 5"), (6, 10, "6 to 10"), (11, 20, "11 to 20"), (21, 50, "21 to 50"), (51, 0, "above 50"))


@dataclass
class Looked:
    """What the analysers found. `silenced`: security findings that the code itself says are to be ignored."""

    target: str
    files: list[Source]
    left_out: LeftOut
    findings: list[ruff.Finding] = field(default_factory=list)
    functions: list[ruff.Finding] = field(default_factory=list)
    security: list[ruff.Finding] = field(default_factory=list)
    silenced: frozenset[tuple[str, int, str]] = frozenset()
    unused: list[Unused] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def python(self) -> list[Source]:
        return [source for source in self.files if source.is_python]


def look(place: str, program: str, until: float) -> Looked:
    """Analyse everything below `place`. `program` is ruff.

    Ruff looks for faults and dangers for at most half of the time, vulture for unused code until three quarters; what
    does not fit is left out, and a note says so.
    """
    begun = time.monotonic()
    left_out = LeftOut()
    found = Looked(oldest.target(place), list(sources(place, left_out)), left_out)
    python, span = found.python, until - begun
    tell(f"{counted(len(found.files), 'file')} to look at, {len(python):,} of them Python")
    if not python:
        found.notes.append("There is no Python here: only sizes are reported.")
        return found
    if not found.target:
        found.notes.append("No file says for which Python this is, so nobody looked for what newer ones say better.")
    try:
        rules = ruff.lint_rules(found.target)
        for one in ruff.find(program, python, rules, found.target, begun + span * 0.4, left_out):
            (found.functions if one.complexity else found.findings).append(one)
        _look_for_dangers(found, program, begun + span * 0.6)
    except ruff.OutOfTime:
        found.notes.append("There was no time for all files: what ruff says of them is not complete.")
    tell("Looking for code that nothing uses")
    found.unused, why_not = unused.find(python, begun + span * 0.9, left_out)
    if len(found.unused) == unused.MOST:
        found.notes.append(f"Of what is not used only the largest {unused.MOST:,} are told.")
    if why_not:
        found.notes.append(f"{why_not[0].upper()}{why_not[1:]}.")
    return found


def _look_for_dangers(found: Looked, program: str, until: float) -> None:
    """Security, twice: a comment that silences a finding may be the author's judgement, or a trick."""
    code = [source for source in found.python if not source.is_test]
    left = {_key(one) for one in ruff.find(program, code, ruff.SECURITY, found.target, until, LeftOut())}
    for one in ruff.find(program, code, ruff.SECURITY, found.target, until, LeftOut(), silenced=True):
        if one.code.startswith(ruff.SECURITY[0]):
            found.security.append(one)
    found.silenced = frozenset(map(_key, found.security)) - left


def _key(one: ruff.Finding) -> tuple[str, int, str]:
    return one.path, one.line, one.code


def report(place: str, looked: Looked, versions: Json) -> Json:
    """The report as JSON; at most about 300 kB, whatever the code base."""
    files = [_file(source) for source in looked.files]
    by_path: dict[str, Json] = {each["path"]: each for each in files}
    _count_into(by_path, looked)
    python = [each for each in files if each["kind"] == "Python"]
    return {
        "kind": "analysis",
        "path": shown(place) or ".",
        "target": looked.target.replace("py3", "3."),
        "totals": {
            "files": len(files),
            "lines": sum(each["lines"] for each in files),
            "python_files": len(python),
            "python_lines": sum(each["lines"] for each in python),
            **{name: sum(each[name] for each in python) for name in ("code", "comment", "blank")},
            "functions": len(looked.functions),
            "intricate": sum(one.complexity > _HARD_TO_TEST for one in looked.functions),
            "findings": len(looked.findings),
            "security": len(looked.security),
            "silenced": sum(_key(one) in looked.silenced for one in looked.security),
            "unused": len(looked.unused),
            "unused_lines": sum(one.lines for one in looked.unused),
        },
        "languages": _languages(files),
        "complexity": _complexity(looked.functions),
        "findings": _findings(looked.findings),
        "security": _security(looked),
        "unused": _unused(looked.unused),
        "files": [
            each | {"path": shown(each["path"])} for each in sorted(files, key=lambda e: -e["lines"])[:MOST_FILES]
        ],
        "left_out": [
            {"why": why, "count": count, "examples": [shown(path) for path in looked.left_out.examples[why]]}
            for why, count in sorted(looked.left_out.counts.items(), key=lambda item: -item[1])
        ],
        "notes": looked.notes,
        "analysers": versions,
    }


def message(found: Json) -> str:
    """The report in one sentence."""
    totals = found["totals"]
    return (
        f"{counted(totals['files'], 'file')}, {counted(totals['python_lines'], 'line')} of Python: "
        f"{counted(totals['findings'], 'finding')}, {counted(totals['intricate'], 'complex function')}, "
        f"{counted(totals['security'], 'security finding')}, {counted(totals['unused'], 'unused thing')}"
    )


def _file(source: Source) -> Json:
    lines = source.content.splitlines()
    blank = sum(not line.strip() for line in lines)
    comment = sum(line.lstrip().startswith(b"#") for line in lines) if source.is_python else 0
    return {
        "path": source.path,
        "kind": source.kind,
        "lines": len(lines),
        "blank": blank,
        "comment": comment,
        "code": len(lines) - blank - comment,
        **dict.fromkeys(("functions", "complexity", "findings", "security", "unused"), 0),
    }


def _count_into(by_path: dict[str, Json], looked: Looked) -> None:
    for one in looked.functions:
        file = by_path[one.path]
        file["functions"] += 1
        file["complexity"] = max(file["complexity"], one.complexity)
    for name, all_of_it in (("findings", looked.findings), ("security", looked.security)):
        for one in all_of_it:
            by_path[one.path][name] += 1
    for thing in looked.unused:
        if thing.path in by_path:
            by_path[thing.path]["unused"] += 1


def _languages(files: Sequence[Json]) -> list[Json]:
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for each in files:
        counts[each["kind"]].update(files=1, lines=each["lines"])
    told = [{"name": name, "files": count["files"], "lines": count["lines"]} for name, count in counts.items()]
    return sorted(told, key=lambda one: -one["lines"])


def _complexity(functions: Sequence[ruff.Finding]) -> Json:
    values = [one.complexity for one in functions]
    return {
        "mean": round(sum(values) / len(values), 1) if values else 0,
        "bands": [
            {"label": label, "functions": sum(low <= value and (not high or value <= high) for value in values)}
            for low, high, label in _BANDS
        ],
        "worst": [
            {**_where(one), "name": shown(one.name), "complexity": one.complexity}
            for one in sorted(functions, key=lambda one: (-one.complexity, one.path, one.line))[:_MOST_WORST]
        ],
    }


def _where(one: ruff.Finding | Unused) -> Json:
    return {"path": shown(one.path), "line": one.line}


def _findings(findings: Sequence[ruff.Finding]) -> Json:
    rules = Counter((one.code, one.name, one.part) for one in findings)
    parts = Counter(one.part for one in findings)
    order = [key for key, _, _ in ruff.PARTS]
    worst = sorted(findings, key=lambda one: (order.index(one.part), -rules[one.code, one.name, one.part]))
    return {
        "parts": [{"key": key, "name": name, "count": parts[key]} for key, name, _ in ruff.PARTS],
        "rules": [
            {"code": code, "name": shown(name), "part": part, "count": count}
            for (code, name, part), count in rules.most_common(MOST_RULES)
        ],
        "top": [_told(one) | {"part": one.part} for one in _some_of_each(worst, lambda one: one.code, 5)],
    }


def _some_of_each(found: Iterable[One], key: Callable[[One], str], most: int) -> list[One]:
    """The first ones of each kind, so that one kind does not fill the page."""
    seen: Counter[str] = Counter()
    kept = []
    for one in found:
        seen[key(one)] += 1
        if seen[key(one)] <= most:
            kept.append(one)
    return kept[:MOST_TOP]


def _told(one: ruff.Finding) -> Json:
    return {**_where(one), "code": one.code, "message": shown(one.message)}


def _security(looked: Looked) -> Json:
    levels = Counter(severity(one.code) for one in looked.security)
    by_level = sorted(looked.security, key=lambda one: (LEVELS.index(severity(one.code)), one.path, one.line))
    return {
        "levels": [{"level": level, "count": levels[level]} for level in LEVELS],
        "top": [
            _told(one) | {"level": severity(one.code), "silenced": _key(one) in looked.silenced}
            for one in _some_of_each(by_level, lambda one: one.code, 10)
        ],
    }


def _unused(found: Sequence[Unused]) -> Json:
    kinds = Counter(one.kind for one in found)
    surest = sorted(found, key=lambda one: (-one.confidence, -one.lines, one.path, one.line))
    return {
        "kinds": [{"kind": kind, "count": count} for kind, count in kinds.most_common()],
        "top": [
            {
                **_where(one),
                "name": shown(one.name),
                "kind": one.kind,
                "lines": one.lines,
                "confidence": one.confidence,
            }
            for one in _some_of_each(surest, lambda one: one.path, 10)
        ],
    }


def versions(program: str) -> Json:
    """Which analysers these are."""
    import platform

    try:
        from vulture.version import __version__ as of_vulture
    except ImportError:
        of_vulture = "none"
    return {"ruff": ruff.version(program), "vulture": of_vulture, "python": platform.python_version()}


def exists(place: str) -> bool:
    """Whether a file or folder of that path exists; a link is neither."""
    return os.path.lexists(place or ".") and not os.path.islink(place or ".")
