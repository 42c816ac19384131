"""Which file is meant when a step names one that does not exist: a question with the nearest names as choices. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from dataclasses import replace

from agents.bdi.plans.document import IntentSpec
from agents.bdi.understanding.names import paths
from agents.bdi.understanding.names.paths import FILE, FOLDER, NEW, Tree
from agents.bdi.understanding.questions import MAX_CHOICES, short
from agents.bdi.understanding.understood import Choice, Question
from agents.toolkit.registry import Registry, UnknownTool
from agents.toolkit.saying import Place

_WORDS = {FILE: "file", FOLDER: "folder"}


def questions(step: IntentSpec, tree: Tree, registry: Registry) -> tuple[Question, ...]:
    """What to ask about the paths of a step that are not in these files; nothing where all of them are.

    What is to be moved, copied or read has to be there, and of where it goes the folder.
    """
    try:
        places = registry.said(registry.command(step.tool, step.command)).places
    except UnknownTool:
        return ()
    asked = ((name, place, step.params.get(name)) for name, place in places.items())
    found = (_of_one(step, name, place, value, tree) for name, place, value in asked if isinstance(value, str))
    return tuple(one for one in found if one is not None)


def in_words(asked: Iterable[Question]) -> str:
    """The questions as one text."""
    return " ".join(one.text for one in asked)


def _of_one(step: IntentSpec, name: str, place: Place, value: str, tree: Tree) -> Question | None:
    if place.wanted == NEW:
        folder, last = posixpath.split(value)
        if place.makes != "same" or not folder or tree.kind(folder):
            return None
        question = _question(step, name, folder, FOLDER, tree, "Which one is meant, or should it be made first?")
        return replace(question, choices=tuple(_inside(one, last) for one in question.choices))
    if place.wanted not in (FILE, FOLDER, paths.ANY) or tree.kind(value):
        return None
    return _question(step, name, value, place.wanted, tree)


def _question(
    step: IntentSpec, name: str, path: str, wanted: str, tree: Tree, ends: str = "Which one is meant?"
) -> Question:
    what = _WORDS.get(wanted, "file or folder")
    found = paths.find(path, tree, wanted, tool=step.tool, parameter=name)
    best = {found.value: found.why} if found.value is not None else {}
    named = best | {one.path: one.why for one in found.choices}
    near = [Choice(path, why, path) for path, why in named.items() if _can_be_said(path)]
    text = f"There is no {what} “{short(path)}” for step {step.position}. {ends}"
    why = "These names are close." if near else f"No {what} here has a name like it."
    return Question(step.position, text, why, name, tuple(near[:MAX_CHOICES]))


def _inside(folder: Choice, name: str) -> Choice:
    path = posixpath.normpath(posixpath.join(str(folder.value), name))
    return replace(folder, label=path, value=path)


def _can_be_said(path: str) -> bool:
    """Whether it may stand in a plan: names that are not UTF-8 have surrogate escapes."""
    return not any("\ud800" <= char <= "\udfff" for char in path)
