"""The final path of something: a folder takes things under their own name, and what is appended to exists already."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import replace

from agents.bdi.understanding.names import descriptions, paths
from agents.bdi.understanding.names.paths import FILE, FOLDER, Candidate, Tree
from agents.bdi.understanding.names.tree_index import CODE
from agents.bdi.understanding.reading.state import State, Where, shape_of
from agents.bdi.understanding.values.filled import Filled
from agents.bdi.understanding.words import written_paths
from agents.bdi.understanding.words.tokens import PATH, QUOTED, WORD, Token


def take_beside(state: State) -> None:
    """“In the same folder” says where something new lies: it is no word too many, and no folder by another name."""
    found = _BESIDE.search(state.situation.raw)
    made = any(
        place.into or place.makes == "same"
        for place in state.lexicon.registry.said(state.entry.command).places.values()
    )
    if found and made:
        state.used |= {
            at
            for at, one in enumerate(state.tokens)
            if one.end > one.start and found.start() <= one.start < found.end()
        }


def put_into_folders(params: dict[str, Filled], state: State) -> None:
    """A folder that is there, or is called one, takes what is put under its own name; a new name stays in place."""
    said = state.lexicon.registry.said(state.entry.command)
    source = params.get("path")
    for slot in state.entry.sense.slots:
        target = params.get(slot.parameter)
        place = said.places.get(slot.parameter)
        if target is not None and target.value is None:
            target = params[slot.parameter] = _near_its_source(target, source, state)
        if target is None or target.value is None or not isinstance(target.value, str):
            continue
        if shape_of(state, slot) == "newname":
            params[slot.parameter] = _in_its_folder(target, source, state)
            continue
        if place is None or not place.into:
            continue
        is_beside = _BESIDE.search(state.situation.raw) and source is not None and "/" not in target.value.rstrip("/")
        if is_beside and source is not None:
            folder = posixpath.dirname(str(source.value))
            value = posixpath.join(folder, target.value)
            params[slot.parameter] = replace(target, value=value, original=target.value, why="it lies beside it")
            continue
        if "/" not in target.value and (folder := _there(state)):
            value = posixpath.join(folder, target.value)
            params[slot.parameter] = replace(target, value=value, original=target.value, why=f"there is {folder}")
            state.left = [one for one in state.left if one.text != "there"]
            continue
        if source is not None and _is_sibling(target, source, state):
            value = posixpath.join(posixpath.dirname(str(source.value)), target.value)
            why = "neither is said with a folder, so it lies beside it"
            params[slot.parameter] = replace(target, value=value, original=target.value, confidence=0.85, why=why)
            continue
        name = _own_name(params, state)
        is_folder = state.situation.tree.kind(target.value.rstrip("/")) == FOLDER or target.value.endswith("/")
        is_folder = is_folder or (
            target.is_folder
            and not posixpath.splitext(target.value)[1]
            and source is not None
            and state.situation.tree.kind(str(source.value)) != FOLDER
        )
        if is_folder and name and _is_inside(target.value, source, state):
            # “Copy invoices to invoices backup” puts nothing into itself.
            problem = f"it would lie in itself, in {target.value}"
            params[slot.parameter] = Filled(None, target.span, target.value, 0.2, problem=problem, penalty=0.6)
        elif is_folder and name:
            value = posixpath.normpath(posixpath.join(target.value, name))
            original = target.original if target.original is not None else target.value
            params[slot.parameter] = replace(
                target, value=value, original=original, why="a folder takes it under its own name"
            )
        elif target.value.endswith("/"):
            params[slot.parameter] = replace(target, value=target.value.rstrip("/"))


def _in_its_folder(target: Filled, source: Filled | None, state: State) -> Filled:
    """A new name where the old one lies."""
    folder = posixpath.dirname(source.value) if source is not None and isinstance(source.value, str) else ""
    if folder and "/" not in target.value:
        value = posixpath.join(folder, target.value)
        return replace(target, value=value, original=target.value, why="it stays in its folder")
    if state.situation.tree.kind(target.value) == FOLDER:
        # Nothing gets the name of a folder that is there: it is put into it.
        return replace(target, penalty=target.penalty + 0.6)
    return target


def _near_its_source(target: Filled, source: Filled | None, state: State) -> Filled:
    """“Copy the guide to docs/guide-2.md”, where it lies in a folder docs that is not the one here: in that one."""
    if source is None or not isinstance(source.value, str):
        return target
    folder = posixpath.dirname(source.value)
    near = [one for one in target.choices if folder and posixpath.dirname(one.path) == folder]
    if len(near) != 1 or "/" not in str(target.original):
        return target
    why = f"what it is made of lies in {folder}"
    return replace(target, value=near[0].path, confidence=0.85, why=why, problem="", choices=())


_BESIDE = re.compile(
    r"\b(?:next\s+to\s+(?:it|the\s+original)|beside(?:s)?\s+(?:it|the\s+original)|alongside"
    r"|in\s+(?:the|that)\s+(?:very\s+)?same\s+(?:folder|directory|place)(?!\s+as\b)"
    r"|(?<=,\s)(?:the\s+)?same\s+(?:folder|directory|place)(?!\s+as\b))\b",
    re.IGNORECASE,
)


def _there(state: State) -> str:
    """The folder that “there” means where it is no value itself: “copy it there as x”; empty where it is not said."""
    if not any(one.kind == WORD and one.text == "there" for one in state.left):
        return ""
    tree = state.situation.tree
    return next((path for path in reversed(state.situation.last) if tree.kind(path) == FOLDER), "")


def _is_inside(target: str, source: Filled | None, state: State) -> bool:
    tree = state.situation.tree
    if source is None or not isinstance(source.value, str) or tree.kind(source.value) != FOLDER:
        return False
    full, own = tree.full(target.rstrip("/")), tree.full(source.value)
    return full == own or full.startswith(f"{own}/")


def _is_sibling(target: Filled, source: Filled, state: State) -> bool:
    """Whether both are said without folders and the one was found in one: the new one belongs beside it."""
    if not isinstance(source.value, str) or not isinstance(source.original, str):
        return False
    said = (source.original, str(target.value))
    if any("/" in one or "\\" in one for one in said) or "/" not in source.value or target.original is not None:
        return False
    tree = state.situation.tree
    return written_paths.has_ending(source.value) and written_paths.has_ending(said[1]) and not tree.kind(said[1])


def no_folders_for_files(params: dict[str, Filled], state: State) -> None:
    """A folder that is there is no file that could be written, and what a file is called is no new folder's name."""
    tree = state.situation.tree
    for name, place in state.lexicon.registry.said(state.entry.command).places.items():
        filled = params.get(name)
        if filled is None or place.into or not isinstance(filled.value, str):
            continue
        said, problem = filled.original or filled.value, ""
        if "content" in state.entry.sense.fixed and tree.kind(filled.value) == FILE:
            problem = f"“{said}” is there already, and would be empty"
        if place.makes == "file" and tree.kind(filled.value) == FOLDER:
            problem = f"“{said}” is a folder"
        elif place.makes == "folder" and written_paths.has_ending(filled.value) and paths.find(said, tree, FILE).value:
            problem = f"“{said}” is a file"
        if problem:
            params[name] = Filled(None, filled.span, said, 0.2, problem=problem, penalty=0.6)


def the_only_environment(params: dict[str, Filled], state: State) -> None:
    """Which environment is meant where none is named: the only one that is there. Of several nobody can tell."""
    tree, command = state.situation.tree, state.entry.command
    for name, place in state.lexicon.registry.said(command).places.items():
        if name != "venv_name" or place.wanted != FOLDER or name in params:
            continue
        there = tree.index.environments
        if any("environment" in words for words in state.situation.spoken):
            return
        if tree.kind(str(command.defaults().get(name, ""))) == FOLDER or not there:
            return
        choices = tuple(Candidate(tree.said(path), 0.8, "it is an environment") for path in sorted(there))
        why = "it is the only environment here"
        one = Filled(choices[0].path, None, "", 0.9, why)
        many = Filled(None, None, "", 0.5, problem="several environments are here", choices=choices)
        params[name] = one if len(there) == 1 else many


def code_only_where_code_is(params: dict[str, Filled], state: State) -> None:
    """What works on code is not meant where a file of another kind is named, or a folder that holds none."""
    tree = state.situation.tree
    for name, place in state.lexicon.registry.said(state.entry.command).places.items():
        filled = params.get(name)
        if filled is None or not place.code or not isinstance(filled.value, str) or filled.value in (".", ""):
            continue
        full = tree.full(filled.value)
        kind = tree.kind(filled.value)
        holds = full in tree.index.of_code if kind == FOLDER else full.endswith(CODE)
        if kind and not holds:
            params[name] = replace(filled, penalty=filled.penalty + 1.2)


def put_where_said(params: dict[str, Filled], state: State) -> None:
    """What is made in a folder that is named for itself: “a folder called memes in docs”."""
    if state.where is None:
        return
    for name, place in state.lexicon.registry.said(state.entry.command).places.items():
        if place.makes in ("file", "folder") and not place.into and name in params:
            params[name] = _put(params[name], state.where, state.situation.tree)
    state.items = tuple(_put(one, state.where, state.situation.tree) for one in state.items)


def _put(made: Filled, where: Where, tree: Tree) -> Filled:
    if not isinstance(made.value, str):
        return made
    is_whole = bool(where.folder) and made.value.startswith(f"{where.folder}/")
    full = made.value if is_whole else posixpath.join(where.folder, made.value)
    value = tree.said(posixpath.normpath(full))
    if not where.is_here:
        choices = (Candidate(value, 0.6, "it is made there"), Candidate(tree.said(made.value), 0.4, "it is made here"))
        problem = f"there is no folder “{where.folder}”"
        return Filled(None, made.span, made.value, 0.4, problem=problem, choices=choices)
    said = made.value if made.original is None else made.original
    why = f"it is made in {where.folder or 'the workspace itself'}"
    return replace(made, value=value, original=said, confidence=min(made.confidence, where.sure), why=why)


def said_where_it_is(params: dict[str, Filled], state: State) -> None:
    """A folder that is said beside a name is where that lies: “the file a.txt from the homework folder”."""
    tree = state.situation.tree
    for token in state.left:
        if token.kind not in (WORD, PATH, QUOTED) or _goes_on_with(token, params, state):
            continue
        found = paths.find(token.value, tree, FOLDER)
        if found.value is None or found.confidence < 0.9:
            continue
        for name, filled in params.items():
            if not isinstance(filled.value, str) or not tree.kind(filled.value) or filled.span is None:
                continue
            if name not in state.lexicon.registry.said(state.entry.command).places:
                continue
            there = posixpath.join(found.value, posixpath.basename(filled.value))
            said = filled.original if filled.original is not None else filled.value
            if "/" in str(said) or not tree.kind(there):
                continue
            if there != filled.value:
                why = f"it lies in {found.value}"
                params[name] = replace(filled, value=there, original=said, why=why, problem="")
            state.left = [one for one in state.left if one is not token]
            return


def _goes_on_with(token: Token, params: Mapping[str, Filled], state: State) -> bool:
    """“Rename Patterns to Cutting patterns”: what stands right behind a new name may be a part of it."""
    tree = state.situation.tree
    return any(
        one.span is not None and one.span[1] == token.start - 1 and not tree.kind(str(one.value))
        for one in params.values()
    )


def of_what_is_there(params: dict[str, Filled], state: State) -> None:
    """What is replaced or added to is there: where nothing is, it lies elsewhere or its name has a slip."""
    over = params.get("overwrite")
    mode = params.get("mode")
    is_over = (over is not None and over.value is True) or (mode is not None and mode.value is not None)
    tree = state.situation.tree
    for name, place in state.lexicon.registry.said(state.entry.command).places.items():
        made = params.get(name)
        if made is None or place.makes not in ("file", "same"):
            continue
        is_text = "content" in params and params["content"].literals > 0
        if made.value is None and (is_over or is_text) and (there := _described_here(made, tree)) is not None:
            params[name] = there
        if not isinstance(made.value, str):
            continue
        if tree.kind(made.value) or made.value.endswith("/") or (place.into and not is_over):
            continue
        found = paths.find(made.value, tree, FILE)
        if found.value is None or found.confidence < 0.8:
            is_word = "/" not in made.value and made.value.islower() and not written_paths.has_ending(made.value)
            if is_over and is_word:
                problem = f"there is no file “{made.original or made.value}”"
                params[name] = Filled(None, made.span, made.value, 0.3, problem=problem, choices=found.choices)
            continue
        if "ending" in found.why and (not is_over or found.value.startswith(_NOTES)):
            continue
        said = made.value if made.original is None else made.original
        if is_over:
            sure = min(made.confidence, found.confidence)
            params[name] = replace(made, value=found.value, original=said, confidence=sure, why=found.why)
        elif "spelt" in found.why and posixpath.dirname(found.value) == posixpath.dirname(made.value):
            choices = (Candidate(found.value, found.confidence, found.why), Candidate(made.value, 0.5, "it is new"))
            problem = f"“{said}” is not there, and {found.value} is"
            params[name] = Filled(None, made.span, said, 0.3, problem=problem, choices=choices)


def _described_here(made: Filled, tree: Tree) -> Filled | None:
    """“To my diary”: what is added to is there, and so may be said by what it is called."""
    said = made.original
    if not isinstance(said, str) or made.span is None or written_paths.looks_like_path(said):
        return None
    found = paths.find("_".join(said.split()), tree, FILE)
    if found.value is None or found.confidence < _CALLED_SO:
        found = descriptions.described(said.casefold().split(), [], tree, FILE)
    if found.value is None or found.confidence < _CALLED_SO:
        return replace(made, choices=found.choices) if found.choices else None
    return Filled(found.value, made.span, said, round(min(found.confidence, 0.93), 3), found.why, penalty=0.1)


# Notes are added to by their names.
_NOTES = "notes/"
# So surely the words must name what is added to, or replaced.
_CALLED_SO = 0.85


def _own_name(params: Mapping[str, Filled], state: State) -> str:
    source = params.get("path") or params.get("url")
    if source is None or not isinstance(source.value, str):
        return ""
    return posixpath.basename(source.value.split("?")[0].rstrip("/"))
