"""A second look at a text that seems clear: what else it says, and what acting on this reading would undo.

Words are accounted for part by part; what is doubtful only between parts, between a value and what lies beside it, or
because a file would lose what it holds, is seen here. It changes no reading: what is doubtful is asked, with the
reading and what else may be meant as the answers.
"""

from __future__ import annotations

import itertools
import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from agents.bdi.understanding.checks import dropped_words, empty_steps
from agents.bdi.understanding.checks.missing_names import (
    called_rightly,
    is_called_otherwise,
    is_looked_for_in_it,
    is_text_rather_than_a_name,
)
from agents.bdi.understanding.names.naming import words_of
from agents.bdi.understanding.names.paths import FILE, FOLDER, Tree
from agents.bdi.understanding.names.tree_index import by_folder
from agents.bdi.understanding.questions import asked_with
from agents.bdi.understanding.understood import Meant, Understood
from agents.bdi.understanding.words.filler import ARTICLES
from agents.bdi.understanding.words.morphology import singular
from agents.bdi.understanding.words.naming_words import FILE_HEADS, FOLDER_HEADS
from agents.bdi.understanding.words.spelling import is_near
from agents.bdi.understanding.words.tokens import NUMBERS, ORDINALS
from agents.bdi.understanding.words.written_paths import has_ending
from agents.toolkit.wording.words import QUOTES

_Doubt = tuple[str, tuple[Meant, ...]]

_ADDS = frozenset("add adds adding added append appends appending note notes jot enter record put insert".split())
_MAKES = frozenset({"create", "make", "new"})
_KEEPS = _ADDS - {"note", "notes"}
_REPLACES = frozenset("replace overwrite rewrite instead content contents empty reset set update change".split())
_OF_PATTERNS = frozenset({"regular", "regex", "regexp", "regexes"})
_STATED = frozenset(
    """
mentioned named found used written said listed occurring appearing appears occurs stands called imported referenced
defined declared cited quoted read set stored kept
    """.split()
)
_LABELS = re.compile(r"\A(?:the\s+)?(?:line|words?|text|sentence|entry|note)\s+(?=\S)", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_TOWARDS = re.compile(r"\b(?:to|as|into|under|named|called)\s+([^,;:]*)\Z", re.IGNORECASE)


def looked_at(found: Understood, text: str, tree: Tree) -> Understood:
    """The same where nothing is doubtful; else the question that settles it."""
    if not found.is_sure:
        return found
    found = called_rightly(_added(_said_once(found, text), text, tree), tree)
    said = [word.casefold() for word in _WORD.findall(text)]
    for look in _LOOKS:
        for why, other in look(found.meant, text, said, tree):
            return asked_with(text, found, why, other)
    return found


def keeping(sure: Sequence[Understood], text: str, tree: Tree) -> list[Understood]:
    """Of several readings those that lose nothing of what is there, where something is to be added to it."""
    said = [word.casefold() for word in _WORD.findall(text)]
    return [one for one in sure if not any(_loses_what_it_holds(one.meant, text, said, tree))] or list(sure)


_WRITES_IN = re.compile(r"\bwrite\s+(?:[\"“'‘].*[\"”'’]\s+)?(?:down\s+)?in(?:to)?\b", re.IGNORECASE | re.DOTALL)
_ADDED = re.compile(r"\b(?:add|append|put)(?:s|ed|ing|ting)?\b", re.IGNORECASE)
_A_NEW_ONE = re.compile(
    r"\b(?:add|put)(?:ing)?\s+(?:an?|the|another|my)?\s*(?:new|short)?\s*(?:note|memo)\b", re.IGNORECASE
)


# With one of these it may be all that is to stand there.
_NO_MORE = frozenset({"new", "nothing", "only", "just", "alone"})


def _added(found: Understood, text: str, tree: Tree) -> Understood:
    """“Add to the depot note: …”, “put … into the list”: what is added to what is there does not replace it."""
    said = {word.casefold() for word in _WORD.findall(text)}
    if not _ADDED.search(text) or _A_NEW_ONE.search(text) or _REPLACES & said or len(found.meant) != 1:
        return found
    (one,) = found.meant
    values = one.values()
    if one.command == "write" and "mode" not in values and tree.kind(str(values.get("path", ""))) == FILE:
        if _NO_MORE & said:
            return found
        return replace(found, meant=_with(found.meant, 0, mode="append"))
    if one.command != "write_note" or tree.kind(f"notes/{values['name']}.md") != FILE:
        return found
    return replace(found, meant=(replace(one, command="append_note"),))


def _said_once(found: Understood, text: str) -> Understood:
    """What is shown by two names of one thing, one behind the other, is shown once."""
    kept: list[Meant] = []
    for one in found.meant:
        if not (kept and _is_the_same(kept[-1], one) and _named(kept[-1], text) != _named(one, text)):
            kept.append(one)
    return replace(found, meant=tuple(kept)) if len(kept) < len(found.meant) else found


def _is_the_same(one: Meant, other: Meant) -> bool:
    return one.command == other.command == "read" and (one.tool, one.values()) == (other.tool, other.values())


def _named(one: Meant, text: str) -> str:
    span = one.params["path"].span if "path" in one.params else None
    return text[span[0] : span[1]].casefold() if span else ""


def _with(meant: Sequence[Meant], at: int, **values: Any) -> tuple[Meant, ...]:
    """The reading with other values of one step: each says what stood there before, and that nobody said it so."""
    found = tuple(meant)
    for name, value in values.items():
        found = dropped_words.with_value(found, at, name, value)
    return found


def _loses_what_it_holds(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[_Doubt]:
    """“Add … to the list”, “write in the diary: …”: put there, an existing file would lose all that it holds."""
    adds = _ADDS & set(said) or _WRITES_IN.search(text) or _MAKES & set(said)
    if not adds or _REPLACES & set(said):
        return
    for at, one in enumerate(meant):
        values = one.values()
        if one.command == "write_note" and _KEEPS & set(said) and tree.kind(f"notes/{values['name']}.md") == FILE:
            kept = (*meant[:at], replace(one, command="append_note"), *meant[at + 1 :])
            yield f"The note {values['name']} would lose what it holds.", kept
        if one.command == "write" and "mode" not in values and tree.kind(str(values.get("path", ""))) == FILE:
            yield f"{values['path']} would lose what it holds.", _with(meant, at, mode="append")


_ALL_THAT_LIES = re.compile(
    r"\b(?:everything|all(?:\s+(?:of\s+)?(?:the\s+)?(?:files?|things|stuff|documents))?)\s+(?:(?:that|which)\s+(?:is|lies)\s+)?"
    r"(?:in|inside|within|from|under)\b(?!\s+it\b)",
    re.IGNORECASE,
)


def _only_what_lies_in_it(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[_Doubt]:
    """“Delete everything in old”: the folder may be wanted again, empty."""
    for at, one in enumerate(meant):
        folder = str(one.values().get("path", ""))
        full = tree.full(folder)
        if one.command != "rm" or tree.kinds.get(full) != FOLDER or not _ALL_THAT_LIES.search(text):
            continue
        inside = [tree.said(entry.path) for entry in tree.index.at(by_folder, full)]
        named = {**one.params, "path": replace(one.params["path"], original=folder)}
        each = tuple(_with((replace(one, params=named),), 0, path=path)[0] for path in inside)
        yield "It may be what lies in the folder, and not the folder.", (*meant[:at], *each, *meant[at + 1 :])
        yield "It may be what lies in the folder, and not the folder.", ()


# Of what lies in a folder it may be said of some.
_OLD = frozenset("old older oldest outdated stale obsolete".split())


def _goes_with_all_that_it_holds(
    meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree
) -> Iterator[_Doubt]:
    """“Delete the quarterly report”, where `reports/quarterly` is a folder: one report is not all that lie in it."""
    for one in meant:
        path = one.params.get("path")
        if one.command != "rm" or path is None or path.span is None or tree.kind(str(path.value)) != FOLDER:
            continue
        words = [word.casefold() for word in _WORD.findall(text[path.span[0] : path.span[1]])]
        names = {name.casefold() for name in words_of(posixpath.basename(str(path.value)))}
        is_folder = words and (words[-1] in names or words[-1] in FOLDER_HEADS)
        before = text[: path.span[0]].casefold().split()[-1:]
        chooses = _OLD & {*words, *before} - names
        if words and ((not is_folder and words[-1] in FILE_HEADS) or chooses):
            yield f"{path.value} is a folder, and all that lies in it would go.", ()


def _may_be_a_note(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[_Doubt]:
    """“Append lids to jars”, where there is no file of that name, and a note is."""
    for at, one in enumerate(meant):
        path, content = one.params.get("path"), one.params.get("content")
        if one.command != "write" or path is None or content is None or tree.kind(str(path.value)):
            continue
        if one.values().get("mode") == "append" and tree.kind(f"notes/{path.value}.md") == FILE:
            note = replace(one, tool="note_taking", command="append_note", params={"name": path, "text": content})
            yield f"There is a note “{path.value}”, and no file.", (*meant[:at], note, *meant[at + 1 :])


def _speaks_of_a_pattern(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[_Doubt]:
    if _OF_PATTERNS & set(said) and not any(one.values().get("regular") for one in meant):
        yield "It speaks of a regular expression, and none is looked for.", ()


def _says_however(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[_Doubt]:
    """“…, however it is written” rules what is said before it; “however, …” begins something else."""
    found = re.search(r"\bhowever\b(?!\s*,)", text, re.IGNORECASE)
    spans = [one.params["ignore_case"].span for one in meant if "ignore_case" in one.params]
    if found and not any(span and span[0] <= found.start() < span[1] for span in spans):
        # “However it is written” says that its case does not count, and that was taken.
        yield "What it says with “however” may rule the command.", ()


def _says_a_number_of_a_name(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[_Doubt]:
    """“Evening one” is said of “Evening 1 Breathing.md”, where that is there and was not taken."""
    taken = {str(value) for one in meant for value in one.values().values()}
    for word, counted in itertools.pairwise(said):
        number = NUMBERS.get(counted) if counted not in ORDINALS else None
        for path in tree.visible if number else ():
            names = [name.lstrip("0") for name in words_of(posixpath.basename(path))]
            if (word, str(number)) in itertools.pairwise(names) and path not in taken:
                other = _of_a_path(meant, path)
                yield f"“{word} {counted}” may be {path}.", other
                return


def _of_a_path(meant: Sequence[Meant], path: str) -> tuple[Meant, ...]:
    """The reading of one step with a file in its place; a folder is listed, and a file is read."""
    if len(meant) != 1 or "path" not in meant[0].params:
        return ()
    (one,) = _with(meant, 0, path=path)
    return (replace(one, command="read") if one.command == "ls" else one,)


def _is_a_folder_half_said(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[_Doubt]:
    """“Move it to Birkenweg”, where there is a folder “Birkenweg 12”, and the new name would end like no file."""
    for at, one in enumerate(meant):
        source, to = str(one.values().get("path", "")), one.values().get("to")
        if not isinstance(to, str) or not has_ending(source) or has_ending(to) or tree.kind(to):
            continue
        words = words_of(posixpath.basename(to))
        for path in tree.visible:
            names = words_of(posixpath.basename(path))
            if tree.kind(path) == FOLDER and words and names[: len(words)] == words:
                inside = posixpath.join(path, posixpath.basename(source))
                yield f"“{to}” may be the folder {path}.", _with(meant, at, to=inside)
                return


def _is_half_a_new_name(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[_Doubt]:
    """“Copy the opening speech to Opening speech short.md”: words of the old name that stand before the new one."""
    for at, one in enumerate(meant):
        to, source = one.params.get("to"), one.params.get("path")
        if to is None or source is None or to.span is None:
            continue
        before = _TOWARDS.search(text[: to.span[0]])
        words = [word.casefold() for word in _WORD.findall(before[1])] if before else []
        names = {name.casefold() for name in words_of(posixpath.basename(str(source.value)))}
        loose = [word for word in words if word not in ARTICLES and word not in FILE_HEADS]
        if before and loose and set(loose) <= names:
            name = f"{before[1].strip()} {text[to.span[0] : to.span[1]]}"
            whole = posixpath.join(posixpath.dirname(str(to.value)), name)
            yield f"The new name may be “{name}”.", _with(meant, at, to=whole)


def _goes_on_like_the_old_name(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[_Doubt]:
    """“Rename Patterns to Cutting patterns”: the word behind the new name is the old one's and may be the new one's."""
    for at, one in enumerate(meant):
        to, source = one.params.get("to"), one.params.get("path")
        if to is None or source is None or to.span is None or tree.kind(str(to.value)):
            continue
        if posixpath.basename(str(to.value)) == posixpath.basename(str(source.value)):
            continue  # “move there Budget.csv”: it keeps its name
        behind = re.match(r"\s+([\w'’-]+)", text[to.span[1] :])
        names = {name.casefold() for name in words_of(posixpath.basename(str(source.value)))}
        if behind and behind[1].casefold() in names:
            name = text[to.span[0] : to.span[1] + behind.end()]
            whole = posixpath.join(posixpath.dirname(str(to.value)), name)
            yield f"The new name may be “{name}”.", _with(meant, at, to=whole)


def _is_half_its_own_name(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[_Doubt]:
    """“Copy Course evenings to Course evenings for Amélie”: no new folder is called “Course”."""
    for one in meant:
        to, source = one.values().get("to"), one.values().get("path")
        if not isinstance(to, str) or not isinstance(source, str) or tree.kind(to) or tree.kind(source) != FOLDER:
            continue
        new, own = words_of(posixpath.basename(to)), words_of(posixpath.basename(source))
        if new and len(new) < len(own) and own[: len(new)] == new and not has_ending(to):
            yield f"“{to}” may be half of a name.", ()


def _looks_for_more_than_a_name(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[_Doubt]:
    """“The organist Bergström”, “jaundice mentioned”: words of the question, where the text stands without quotes."""
    for at, one in enumerate(meant):
        wanted = one.params.get("text")
        if one.command != "grep" or wanted is None or wanted.span is None or not isinstance(wanted.value, str):
            continue
        words = wanted.value.split()
        if len(words) < 2 or _is_quoted(text, wanted.span):
            continue
        if words[-1].casefold() in _STATED:
            yield f"“{words[-1]}” may be no part of what is looked for.", _with(meant, at, text=" ".join(words[:-1]))
        elif words[0].casefold() in ARTICLES:
            yield "It may be looked for with fewer words.", _with(meant, at, text=words[-1])


def _is_quoted(text: str, span: tuple[int, int] | None) -> bool:
    """What stands between quotation marks is meant as it stands; the span may begin at the mark or behind it."""
    return span is not None and bool(set(text[max(0, span[0] - 1) : span[0] + 1]) & set(QUOTES))


def _says_what_it_is(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[_Doubt]:
    """“With the line Should auld …”: “the line” says what follows, without quotes."""
    for at, one in enumerate(meant):
        content = one.params.get("content") or one.params.get("text")
        if content is None or not isinstance(content.value, str) or _is_quoted(text, content.span):
            continue
        value = content.value
        if one.command in ("write", "write_note", "append_note") and _LABELS.match(value):
            name = "content" if "content" in one.params else "text"
            yield "Its first words may only say what follows.", _with(meant, at, **{name: _LABELS.sub("", value)})


def _speaks_of_what_was_made(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[_Doubt]:
    """“Make a folder x, … and show what the folder holds”: that folder, and not the one where everything lies."""
    made = ""
    for at, one in enumerate(meant):
        if one.command == "mkdir":
            made = str(one.values().get("path", ""))
        elif made and one.command in ("ls", "find") and "path" not in one.values() and "folder" in said:
            yield "“The folder” may be the one that is made.", _with(meant, at, path=made)


def _is_one_of_several(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[_Doubt]:
    """“Open main”, where main.py and main.js are there: both are called so."""
    for one in meant:
        path = one.params.get("path")
        if path is None or path.origin != "mapping" or path.span is None or tree.kind(str(path.value)) != FILE:
            continue
        called = text[path.span[0] : path.span[1]].casefold()
        same = [each for each in tree.visible if tree.kind(each) == FILE and _stem(each) == called]
        if len(same) > 1 and _stem(str(path.value)) == called and len({posixpath.basename(each) for each in same}) > 1:
            other = next(each for each in same if each != path.value)
            yield f"{' and '.join(same[:3])} are called so.", _of_a_path(meant, other)


def _is_nearly_there(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[_Doubt]:
    """“Make a folder Recipe”, where Recipes is there."""
    for one in meant:
        made = str(one.values().get("path", "")) if one.command == "mkdir" else ""
        full = tree.full(made) if made else ""
        beside = (path for path in tree.visible if full and posixpath.dirname(path) == posixpath.dirname(full))
        name = posixpath.basename(full).casefold()
        for path in beside if not tree.kind(full) else ():
            other = posixpath.basename(path).casefold()
            if tree.kind(path) == FOLDER and (is_near(name, other) or is_near(name, singular(other))):
                yield f"{tree.said(path)} is there already.", ()
                return


def _is_half_of_two(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[_Doubt]:
    """“Delete settings”, where settings.toml and settings.local.toml are there."""
    for at, one in enumerate(meant):
        path = one.params.get("path")
        if one.command != "rm" or path is None or path.origin != "mapping" or path.span is None:
            continue
        called = text[path.span[0] : path.span[1]].casefold()
        other = next(
            (
                each
                for each in tree.visible
                if each != path.value
                and posixpath.dirname(each) == posixpath.dirname(str(path.value))
                and posixpath.basename(each).casefold().startswith(f"{called}.")
            ),
            "",
        )
        if other and "." not in called:
            yield f"{other} is called so, too.", _with(meant, at, path=other)


def _lacks_its_ending(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[_Doubt]:
    """“Rename Rex to Rexi”, of Rex.md: who says neither ending means the same one."""
    for at, one in enumerate(meant):
        to, source = one.params.get("to"), one.params.get("path")
        if one.command not in ("mv", "cp") or to is None or source is None or source.span is None:
            continue
        if tree.kind(str(source.value)) != FILE:
            continue
        ending = posixpath.splitext(str(source.value))[1]
        is_bare = not posixpath.splitext(str(to.value))[1] and not tree.kind(str(to.value))
        if ending and is_bare and ending not in text[source.span[0] : source.span[1]]:
            yield f"The new name may end with {ending}, too.", _with(meant, at, to=f"{to.value}{ending}")


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0].casefold()


_AS = re.compile(r"\bas\s+(?:the\s+)?\Z", re.IGNORECASE)


def _may_be_for_somebody(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[_Doubt]:
    """“Start send.py as Maria”: what is written like a person's name may say for whom, and name no program."""
    for one in meant:
        name = one.params.get("name")
        if one.command != "start" or name is None or name.span is None or "program" in said:
            continue
        if str(name.value)[:1].isupper() and _AS.search(text[: name.span[0]]):
            yield f"“{name.value}” may be somebody, and no name for what is started.", ()


_LOOKS: tuple[Callable[[Sequence[Meant], str, Sequence[str], Tree], Iterator[_Doubt]], ...] = (
    _loses_what_it_holds,
    _only_what_lies_in_it,
    _goes_with_all_that_it_holds,
    _may_be_a_note,
    _speaks_of_a_pattern,
    _says_however,
    _says_a_number_of_a_name,
    _is_a_folder_half_said,
    _is_half_a_new_name,
    _goes_on_like_the_old_name,
    _looks_for_more_than_a_name,
    _says_what_it_is,
    _speaks_of_what_was_made,
    _is_one_of_several,
    _is_nearly_there,
    is_called_otherwise,
    is_looked_for_in_it,
    is_text_rather_than_a_name,
    _is_half_its_own_name,
    _is_half_of_two,
    _lacks_its_ending,
    _may_be_for_somebody,
    *dropped_words.LOOKS,
    *empty_steps.LOOKS,
)
