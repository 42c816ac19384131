"""What a plan would change, most dangerous first: what is deleted, replaced and new.

The forecast says which files; here their contents become rows. Contents of current files are passed in by path.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from agents.bdi.forecast.consequences import (
    AutonomousMode,
    Consequence,
    Content,
    Environment,
    Forecast,
    Inside,
    NewFolder,
    Overwriting,
    Program,
    Removal,
    ToModel,
    ToolWork,
    Transfer,
    Unread,
    WouldFail,
    Writing,
)
from agents.bdi.forecast.files import patched
from review.reading import difference, texts
from review.reading.difference import Difference, Row
from review.reading.steps import ShownText

_NEW = "new"
_NO_TEXT = "Its content is not text, or too long to show here; the workspace page has it."
_KINDS = {"dir": "folder", "link": "link (not what it points to)"}

# A file's current content, or None if it is missing, larger than the page shows, or not text.
Today = Callable[[str], str | None]


@dataclass(frozen=True)
class FileChange:
    """One file or folder that is deleted, changed or new. `tone` is bad, good or empty."""

    anchor: str
    cause: Consequence
    path: str
    word: str
    tone: str
    sentence: str
    difference: Difference
    remark: str = ""

    @property
    def files(self) -> str:
        """How many current files are deleted with a folder, in words."""
        gone = self.cause.files if isinstance(self.cause, Removal) and self.cause.kind == "dir" else 0
        return texts.counted(gone, "file") if gone else ""


@dataclass(frozen=True)
class Moved:
    """Something that is moved or copied; `sentence` says what it is and contains."""

    cause: Transfer
    sentence: str


@dataclass(frozen=True)
class Changes:
    """All consequences on the page, each list in the order of the steps."""

    removals: tuple[FileChange, ...]
    replaced: tuple[FileChange, ...]
    new: tuple[FileChange, ...]
    transfers: tuple[Moved, ...]
    folders: tuple[NewFolder, ...]
    environments: tuple[Environment, ...]
    programs: tuple[Program, ...]
    works: tuple[ToolWork, ...]
    to_model: tuple[ToModel, ...]
    modes: tuple[AutonomousMode, ...]
    failures: tuple[WouldFail, ...]
    unread: tuple[Unread, ...]
    looks: str

    @property
    def files(self) -> tuple[FileChange, ...]:
        """Changes with content to show: deletions first, then replaced files, then new ones."""
        removals = tuple(one for one in self.removals if one.difference.rows or one.remark)
        return removals + self.replaced + self.new

    @property
    def when_all_goes_well(self) -> Changes:
        """What the main steps would do."""
        return self._of(cleanup=False)

    @property
    def after_a_failure(self) -> Changes:
        """What the clean-up steps would do."""
        return self._of(cleanup=True)

    @property
    def tells_of_cleanup(self) -> bool:
        """True when a clean-up step would change anything."""
        return not self.after_a_failure.is_empty or bool(self.after_a_failure.modes)

    def without(self, positions: Collection[int]) -> Changes:
        """What is left if these steps are shown elsewhere; a switch of the mode is always shown."""
        return replace(self._where(lambda cause: cause.position not in positions), modes=self.modes, looks="")

    def _of(self, *, cleanup: bool) -> Changes:
        return self._where(lambda cause: cause.cleanup is cleanup)

    def _where(self, keeps: Callable[[Consequence], bool]) -> Changes:
        def keeps_cause(one: FileChange | Moved) -> bool:
            return keeps(one.cause)

        return replace(
            self,
            removals=tuple(filter(keeps_cause, self.removals)),
            replaced=tuple(filter(keeps_cause, self.replaced)),
            new=tuple(filter(keeps_cause, self.new)),
            transfers=tuple(filter(keeps_cause, self.transfers)),
            folders=tuple(filter(keeps, self.folders)),
            environments=tuple(filter(keeps, self.environments)),
            programs=tuple(filter(keeps, self.programs)),
            works=tuple(filter(keeps, self.works)),
            to_model=tuple(filter(keeps, self.to_model)),
            modes=tuple(filter(keeps, self.modes)),
            failures=tuple(filter(keeps, self.failures)),
            unread=tuple(filter(keeps, self.unread)),
        )

    @property
    def deleted(self) -> int:
        """Lines that are deleted."""
        return sum(one.difference.deleted for one in self.files)

    @property
    def added(self) -> int:
        """Lines that are added."""
        return sum(one.difference.added for one in self.files)

    @property
    def shown_texts(self) -> list[ShownText]:
        """The contents that are shown in full here, so that their steps need not repeat them."""
        return [
            ShownText(one.cause.position, one.cause.content, one.anchor)
            for one in self.new
            if isinstance(one.cause, Writing)
        ]

    @property
    def is_empty(self) -> bool:
        """True if the plan only reads."""
        told = (self.removals, self.files, self.transfers, self.folders, self.environments)
        return not any((*told, self.programs, self.works, self.to_model, self.unread, self.failures))


def changes(forecast: Forecast, today: Today) -> Changes:
    """Sort the forecast's consequences and draw their contents."""
    anchor = (f"f-{number}" for number in itertools.count(1))
    removals = [_removal(one, next(anchor), today) for one in forecast.of(Removal)]
    overwritten = [_overwriting(one, next(anchor), today) for one in forecast.of(Overwriting)]
    written = [_writing(one, next(anchor), today) for one in forecast.of(Writing)]
    return Changes(
        removals=tuple(removals),
        replaced=tuple(overwritten + [one for one in written if one.word != _NEW]),
        new=tuple(one for one in written if one.word == _NEW),
        transfers=tuple(Moved(one, _transfer(one)) for one in forecast.of(Transfer)),
        folders=forecast.of(NewFolder),
        environments=forecast.of(Environment),
        programs=forecast.of(Program),
        works=forecast.of(ToolWork),
        to_model=forecast.of(ToModel),
        modes=forecast.of(AutonomousMode),
        failures=forecast.of(WouldFail),
        unread=forecast.of(Unread),
        looks=_said(forecast.looks),
    )


def _said(positions: tuple[int, ...]) -> str:
    """`step 2`, `steps 2, 4, 5`; "" for none."""
    numbers = ", ".join(map(str, positions))
    return f"step{'s' if len(positions) > 1 else ''} {numbers}" if positions else ""


def _removal(one: Removal, anchor: str, today: Today) -> FileChange:
    name = f"the {_KINDS.get(one.kind, one.kind)}"
    made = f", and {texts.counted(one.made, 'path')} that earlier steps make" if one.made else ""
    if one.kind == "missing":
        sentence, shown = "removes whatever is there then; nothing is there today", Difference((), 0, 0)
    elif one.kind == "dir":
        held = f"{texts.counted(one.files, 'file')}, {texts.size(one.size_bytes)}" if one.files else "no file of today"
        sentence = f"removes {name} with everything in it: {held}{made}"
        shown = Difference(tuple(_inside_row(inside) for inside in one.inside), 0, 0)
    else:
        what = "an earlier step makes" if one.made else texts.size(one.size_bytes)
        sentence = f"removes {name}{' ' if one.made else ': '}{what}"
        before = today(one.origin or one.path) if one.kind == "file" and not one.made else None
        shown = difference.whole(before, "d") if before is not None else Difference((), 0, 0)
    tone = "" if one.kind == "dir" and not one.files else "bad"
    return FileChange(anchor, one, one.path, "deleted", tone, sentence, shown, _unshown(one, shown))


def _unshown(one: Removal, shown: Difference) -> str:
    if one.kind != "file" or one.made or shown.rows or not one.size_bytes:
        return ""
    return _NO_TEXT


def _inside_row(inside: Inside) -> Row:
    if inside.kind != "dir":
        return Row("d", "", "", f"{inside.path}   {texts.size(inside.size_bytes)}")
    return Row("d", "", "", f"{inside.path}/   {texts.counted(inside.files, 'file')}, {texts.size(inside.size_bytes)}")


def _transfer(one: Transfer) -> str:
    done = "moves" if one.moves else "copies"
    replaces = "; a file that exists by then is removed" if one.may_replace else ""
    if one.kind == "missing":
        return f"{done} whatever is there then (today nothing is){replaces}"
    held = f" with everything in it ({texts.counted(one.files, 'file')}, {texts.size(one.size_bytes)})"
    return f"{done} the {_KINDS.get(one.kind, one.kind)}{held if one.kind == 'dir' else ''}{replaces}"


def _overwriting(one: Overwriting, anchor: str, today: Today) -> FileChange:
    lost, comes = _text_of(one.lost, today), _text_of(one.comes, today)
    sentence = "its content is lost"
    if lost is not None and comes is not None:
        shown = difference.between(lost, comes)
        same = "the content stays the same"
        return FileChange(anchor, one, one.path, "replaced", "bad", sentence if shown.rows else same, shown)
    shown = difference.whole(lost, "d") if lost is not None else Difference((), 0, 0)
    remark = "Only one of the two contents is text that is short enough to show." if lost is not None else _NO_TEXT
    return FileChange(anchor, one, one.path, "replaced", "bad", sentence, shown, remark)


def _text_of(content: Content, today: Today) -> str | None:
    if content.text is not None:
        return content.text
    return today(content.origin) if content.origin else None


def _writing(one: Writing, anchor: str, today: Today) -> FileChange:
    if not one.before and not one.patches:
        shown = difference.whole(one.content, "a")
        return FileChange(anchor, one, one.path, _NEW, "good", _made_of(one.content), shown)
    before = today(one.origin or one.path) if one.before == "base" else one.before_text
    if one.patches:
        return _patching(one, anchor, before)
    word = "added to" if one.appends else "replaced"
    if before is None:
        remark = "The current content is not text, or too long to show here; below is the new content."
        return FileChange(anchor, one, one.path, word, "", "", difference.whole(one.content, "a"), remark)
    shown = difference.between(before, before + one.content if one.appends else one.content)
    sentence = "" if shown.deleted or shown.added else "the content stays the same"
    return FileChange(anchor, one, one.path, word, "", sentence, shown)


def _patching(one: Writing, anchor: str, before: str | None) -> FileChange:
    """The difference that a patch makes; if that is unknown, the patch itself."""
    if before is None:
        remark = "The current content is not text, or too long to show here; below is the patch itself."
    else:
        after, problem = patched(before, one.content)
        if after is not None:
            return FileChange(anchor, one, one.path, "patched", "", "", difference.between(before, after))
        remark = f"The patch does not fit the known content: {problem}. Below is the patch itself."
    return FileChange(anchor, one, one.path, "patched", "bad", "", difference.whole(one.content, "a"), remark)


def _made_of(content: str) -> str:
    return "an empty file" if not content else ""
