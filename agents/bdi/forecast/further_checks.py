"""Checks that neither the goal's words nor the steps give: of files that the goal names and the dry run made, and those
that a model stated with its plan. Pure.

They say what a program is for of which nothing else says it. A check that holds without the plan proves nothing, so it
does not count.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from agents.bdi.outcome import file_syntax
from agents.bdi.outcome.outcome import Check, CheckKind, Facts, evaluate
from agents.bdi.plans.document import Document

# What the dry run did with a path, as `sandbox.store.compare` names it.
_MADE = {"added": CheckKind.EXISTS, "changed": CheckKind.FILE_CHANGED}
_FILE = re.compile(r"(?<![\w./-])[\w./-]{0,200}\w\.[A-Za-z]\w{0,9}(?![\w/-])")


def with_made(document: Document, made: Callable[[], Mapping[str, Collection[str]] | None]) -> tuple[Check, ...]:
    """The document's checks, with those of the files that its goal names and its dry run made.

    `made` returns the paths that the dry run changed, by kind of change, or None if that is unknown. It reads the
    store, so it is called only when the answer matters.
    """
    named = list(dict.fromkeys(word.removeprefix("./") for word in _FILE.findall(document.goal_text)))
    if not named or not _open(document, document.checks):
        return document.checks
    return joined(document, document.checks, _of_made(named, made() or {}))


def joined(document: Document, checks: Sequence[Check], further: Iterable[Check]) -> tuple[Check, ...]:
    """The checks with further ones. Where these say what the steps are for, a program of which nothing said it has to
    end well; what a step does outside of the files stays unknown.
    """
    known = {(one.kind, one.path, one.word) for one in checks}
    new = [one for one in further if (one.kind, one.path, one.word) not in known]
    if not new:
        return tuple(checks)
    unknown = _open(document, checks)
    said = [replace(one, kind=CheckKind.EXIT_ZERO) if one in unknown else one for one in checks]
    return (*new, *said)


def telling(checks: Iterable[Check], facts: Facts) -> list[Check]:
    """Those of stated checks that fail on the files as they are before the plan. `facts` are of these files.

    Whether a file changed can only be told afterwards, and that a file is valid tells something only of one that there
    is a check of.
    """
    found = [one for one in checks if one.kind is not CheckKind.PARSES]
    found = [one for one in found if one.kind is CheckKind.FILE_CHANGED or evaluate([one], facts).failed]
    paths = {one.path for one in found}
    return [*found, *(one for one in checks if one.kind is CheckKind.PARSES and one.path in paths)]


def _open(document: Document, checks: Sequence[Check]) -> list[Check]:
    """The checks that say nothing yet, of steps that run programs."""
    unknown = [one for one in checks if one.kind is CheckKind.UNKNOWN]
    return [one for one in unknown if all(_runs(document, at) for at in one.steps)]


def _runs(document: Document, position: int) -> bool:
    spec = document.at(position)
    return spec.effect == "workspace" and isinstance(spec.params.get("command_line"), str)


def _of_made(named: Sequence[str], made: Mapping[str, Collection[str]]) -> Iterator[Check]:
    for how, kind in _MADE.items():
        paths = made.get(how, ())
        for word in named:
            # A name alone means the file of this name, wherever it lies, if there is one of them.
            alike = [path for path in paths if path == word or ("/" not in word and posixpath.basename(path) == word)]
            path = word if word in alike else alike[0] if len(alike) == 1 else ""
            if path:
                yield Check(kind, path)
                if file_syntax.language(path):
                    yield Check(CheckKind.PARSES, path)
