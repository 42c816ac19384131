"""A report about code as its page draws it (pure). It comes from the jail, so every part is read with suspicion."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from agents.presentation.hidden import visible_text
from agents.presentation.treemap import Box, laid_out

WIDTH, HEIGHT = 1000, 420
MOST_BOXES = 250
_GAP, _FOLDER_GAP = 0.8, 1.6
_CHAR = 6.4  # about what a letter takes at the size of the labels
_LABEL_HEIGHT = 15

Count = Annotated[int, Field(ge=0, le=10**12)]
Text = Annotated[str, Field(max_length=400)]
# How many ways through a function are calm, worth a look, hard to test, beyond testing.
LOOKS = ((10, "calm"), (20, "look"), (50, "hard"))


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class Place(_Part):
    """Where something is. A path that is not spelled as it is (see `is_exact`) leads nowhere."""

    path: Text
    line: Count

    @property
    def is_exact(self) -> bool:
        return "…" not in self.path and "\\" not in self.path


class Function(Place):
    name: Text
    complexity: Count

    @property
    def look(self) -> str:
        return look_of(self.complexity)


class Finding(Place):
    code: Text
    message: Text
    part: Text = ""


class Danger(Finding):
    level: Literal["high", "medium", "low"]
    silenced: bool


class Unused(Place):
    name: Text
    kind: Text
    lines: Count
    confidence: Annotated[int, Field(ge=0, le=100)]


class File(_Part):
    path: Text
    kind: Text
    lines: Count
    code: Count
    functions: Count
    complexity: Count
    findings: Count
    security: Count
    unused: Count

    @property
    def look(self) -> str:
        return look_of(self.complexity)


class Named(_Part):
    """So many of something; which name it has depends on what is counted."""

    name: Text = ""
    label: Text = ""
    level: Text = ""
    kind: Text = ""
    why: Text = ""
    code: Text = ""
    part: Text = ""
    key: Text = ""
    count: Count = 0
    lines: Count = 0
    files: Count = 0
    functions: Count = 0
    examples: Annotated[list[Text], Field(max_length=10)] = []


Names = Annotated[list[Named], Field(max_length=100)]


class Complexity(_Part):
    mean: float
    bands: Names
    worst: Annotated[list[Function], Field(max_length=100)]


class Findings(_Part):
    parts: Names
    rules: Names
    top: Annotated[list[Finding], Field(max_length=100)]


class Security(_Part):
    levels: Names
    top: Annotated[list[Danger], Field(max_length=100)]


class UnusedCode(_Part):
    kinds: Names
    top: Annotated[list[Unused], Field(max_length=100)]


class Totals(_Part):
    files: Count
    lines: Count
    python_files: Count
    python_lines: Count
    code: Count
    comment: Count
    blank: Count
    functions: Count
    intricate: Count
    findings: Count
    security: Count
    silenced: Count
    unused: Count
    unused_lines: Count


class Analysis(_Part):
    """A report of the system analyzer."""

    kind: Literal["analysis"]
    path: Text
    target: Text
    totals: Totals
    languages: Names
    complexity: Complexity
    findings: Findings
    security: Security
    unused: UnusedCode
    files: Annotated[list[File], Field(max_length=1000)]
    left_out: Names
    notes: Annotated[list[Text], Field(max_length=50)]
    analysers: dict[str, str]


class Left(_Part):
    path: Text
    why: Text


class ChangedFile(_Part):
    path: Text
    deleted: Count
    added: Count


class Fixes(_Part):
    """A report of fixes that were worked out, or made. `without_diff`: so many files are too long for the diff."""

    kind: Literal["fixes"]
    path: Text
    target: Text
    applied: bool
    files: Annotated[list[ChangedFile], Field(max_length=1000)]
    file_count: Count
    without_diff: Count
    rules: Annotated[list[Named], Field(max_length=1000)]
    left_alone: Annotated[list[Left], Field(max_length=1000)]
    left_out: Names
    notes: Annotated[list[Text], Field(max_length=50)]
    analysers: dict[str, str]

    @property
    def mended(self) -> int:
        """How many findings are mended."""
        return sum(one.count for one in self.rules)


class Proposed(_Part):
    """One change that a model proposes; `line` is where it begins in the file as it was sent."""

    line: Count
    why: Annotated[str, Field(max_length=1000)]


class Asked(_Part):
    """One try of a model: the row of its call, who answered, and why the answer was not accepted."""

    call: Count
    model: Text
    problems: Annotated[list[str], Field(max_length=1000)]


class Changes(_Part):
    """What a language model proposes for one file. `nothing`: its word that nothing is worth changing."""

    kind: Literal["changes"]
    path: Annotated[str, Field(max_length=4096)]
    sha256: Annotated[str, Field(min_length=64, max_length=64)]
    target: Text
    model: Text
    nothing: Annotated[str, Field(max_length=1000)]
    changes: Annotated[list[Proposed], Field(max_length=100)]
    attempts: Annotated[list[Asked], Field(max_length=100)]
    findings: Count
    left_out_chars: Count
    notes: Annotated[list[Text], Field(max_length=50)]


Report = Annotated[Analysis | Fixes | Changes, Field(discriminator="kind")]
_REPORTS: TypeAdapter[Analysis | Fixes | Changes] = TypeAdapter(Report)


def read(report: Any) -> Analysis | Fixes | Changes | None:
    """The report of a result, or None for what is none."""
    try:
        return _REPORTS.validate_python(report)
    except ValidationError:
        return None


def rule_bars(report: Fixes) -> list[Bar]:
    """How often which rule is mended, the most frequent twelve and the rest."""
    named = [(f"{one.code} {one.name.replace('-', ' ')}", one.count, "plain") for one in report.rules]
    rest = sum(value for _, value, _ in named[12:])
    return bars([*named[:12], *([("all others", rest, "plain")] if rest else [])])


def look_of(complexity: int) -> str:
    """How a function with so many ways is drawn: calm, look, hard or beyond."""
    return next((look for most, look in LOOKS if complexity <= most), "beyond")


@dataclass(frozen=True)
class Bar:
    """One bar of a chart. `share` is its length of 100, `look` its colour."""

    name: str
    value: int
    share: float
    look: str


@dataclass(frozen=True)
class FileBox:
    """A file in the picture of all files; `label` is empty where it has no room. Both texts take no markup."""

    file: File
    box: Box
    name: str
    label: str

    @property
    def label_at(self) -> tuple[float, float]:
        """Where the label begins: its left end, and the line it stands on."""
        return round(self.box.x + 4, 1), round(self.box.y + 13, 1)


def bars(named: Sequence[tuple[str, int, str]]) -> list[Bar]:
    """Bars for (name, value, look), the longest filling the chart."""
    most = max((value for _, value, _ in named), default=0)
    return [Bar(name, value, round(100 * value / most, 1) if most else 0.0, look) for name, value, look in named]


def language_bars(report: Analysis) -> list[Bar]:
    """How many lines of each kind there are, the largest eight and the rest."""
    first, rest = report.languages[:8], report.languages[8:]
    named = [(one.name, one.lines, "plain") for one in first]
    return bars([*named, *([("all others", sum(one.lines for one in rest), "plain")] if rest else [])])


def complexity_bars(report: Analysis) -> list[Bar]:
    """How many functions have how many ways."""
    looks = ("calm", "calm", "look", "hard", "beyond")
    return bars(
        [(one.label, one.functions, look) for one, look in zip(report.complexity.bands, looks, strict=False)]
    )  # fmt: skip


def finding_bars(report: Analysis) -> list[Bar]:
    """How many findings there are of which kind."""
    return bars([(one.name, one.count, "look") for one in report.findings.parts])


def danger_bars(report: Analysis) -> list[Bar]:
    """How many security findings are how grave."""
    looks = {"high": "beyond", "medium": "hard", "low": "look"}
    return bars([(one.level, one.count, looks.get(one.level, "look")) for one in report.security.levels])


def unused_bars(report: Analysis) -> list[Bar]:
    """How many things of which kind nothing uses."""
    return bars([(one.kind.replace("_", " "), one.count, "plain") for one in report.unused.kinds[:8]])


def map_of(report: Analysis) -> list[FileBox]:
    """Every Python file (every file where there is none) as a rectangle: folders beside each other, files in them."""
    written = [one for one in report.files if one.lines]
    files = [one for one in written if one.kind == "Python"] or written
    folders: defaultdict[str, list[File]] = defaultdict(list)
    for file in files[:MOST_BOXES]:
        folders[posixpath.dirname(file.path)].append(file)
    groups = sorted(folders.values(), key=lambda group: -sum(file.lines for file in group))
    drawn = []
    for group, place in zip(groups, laid_out(list(map(_lines, groups)), Box(0, 0, WIDTH, HEIGHT)), strict=True):
        group.sort(key=lambda file: -file.lines)
        boxes = laid_out([file.lines for file in group], place.within(_FOLDER_GAP))
        drawn += [
            FileBox(file, _rounded(box.within(_GAP)), visible_text(file.path), _label(file, box))
            for file, box in zip(group, boxes, strict=True)
        ]
    return drawn


def _lines(group: Sequence[File]) -> float:
    return sum(file.lines for file in group)


def _rounded(box: Box) -> Box:
    return Box(round(box.x, 1), round(box.y, 1), round(box.width, 1), round(box.height, 1))


def _label(file: File, box: Box) -> str:
    name = visible_text(posixpath.basename(file.path))
    return name if len(name) * _CHAR < box.width - 6 and box.height > _LABEL_HEIGHT + 3 else ""
