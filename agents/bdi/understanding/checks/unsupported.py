"""Wishes that no command here can fulfil: sorted, every second one, tomorrow, as root, for each file.

Such words may be passed over as manner or taken into a value, and the rest would be done as if they were not said. They
are looked for in the whole text, quotes apart, and asked about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from agents.bdi.understanding.names.paths import FILE, Tree, find
from agents.bdi.understanding.understood import Meant
from agents.bdi.understanding.words.written_paths import has_ending
from agents.toolkit.registry import Registry
from agents.toolkit.types import Param
from agents.toolkit.wording.words import QUOTES

# What people wrote themselves may hold any word.
_OWN_WORDS = frozenset({"content", "text", "message", "body", "wish", "reason", "name", "branch", "start"})
_SURE = 0.9
# Said of what is shown, wherever it stands.
_AS_IT_WAS = re.compile(
    r"\bas\s+(?:it|they)\s+(?:was|were|looked|stood)\s+(?:yesterday|before|last|at|on|in|then|\w+\s+ago|two|three|a)\b",
    re.IGNORECASE,
)
_UNIT = r"(?:hour|day|week|night|minute|month|morning|evening|year|monday|tuesday|wednesday|thursday|friday)s?"
_ANYWHERE = (
    (
        re.compile(
            r"\b(?:sort(?:ed|ing)?|order(?:ed|ing)?|group(?:ed|ing)?|rank(?:ed)?)\s+by\b"
            r"|\bby\s+(?:date|size|name|time|age|type|extension|length|kind|author)s?\b(?!\s+of\b)"
            r"|\b(?:in\s+(?:reverse|ascending|descending|alphabetical)|reverse\s+order|alphabetically|backwards)\b"
        ),
        "nothing here is put into another order",
    ),
    (
        re.compile(
            r"\b(?:every|each)\s+(?:other|second|third|fourth|fifth|tenth|\d+(?:nd|rd|th|st))\b"
            r"|\b(?:second|third|fourth|2nd|3rd|4th)[\s-]+(?:to[\s-]+)?(?:newest|latest|oldest|largest|biggest|smallest|last)\b"
        ),
        "it chooses among several",
    ),
    (
        re.compile(
            r"(?<![\w/._-])(?:tomorrow|tonight|hourly|daily|weekly|monthly|nightly"
            rf"|(?:every|each)\s+(?:other\s+)?{_UNIT}|next\s+{_UNIT}"
            r"|at\s+(?:noon|midnight|\d{1,2}(?::\d\d)?\s*(?:am|pm|o['’]?clock)))(?![\w/._-])"
        ),
        "what is asked for is done now, and once",
    ),
    (
        re.compile(r"\bstop(?:s|ping)?\s+(?:at|on|after|upon)\s+(?:the\s+)?(?:first|next|any|\w+)\b"),
        "it may say when something else ends",
    ),
    (
        re.compile(
            r"\b(?:in|with|using)\s+(?:an?\s+|the\s+|my\s+)?(?:firefox|chrome|safari|browser|editor|vim|emacs|nano|notepad"
            r"|excel|libreoffice|vs\s?code|pycharm|photoshop|gimp)\b"
            # These are plain words too: “lines with the word order”.
            r"|\b(?:in|using)\s+(?:ms\s+|microsoft\s+)?(?:word|edge|preview)\s*(?:\Z|[.,;!?])"
        ),
        "no other program is opened here",
    ),
    (
        re.compile(
            r"\bby\s+(?:about\s+)?(?:(?:an?|one|two)\s+)?(?:half|thirds?|quarters?|tenth|\d+\s*(?:%|percent|per\s+cent))"
        ),
        "nothing here is made so much shorter or less",
    ),
    (re.compile(r"\b(?:twice|thrice|(?:two|three|four|five|ten|\d+)\s+times)\b"), "each step is done once"),
)
_RIGHTS = re.compile(r"\b(?:as|with|using|under)\s+(?:the\s+)?(?:root|sudo|administrator|superuser)\b")
_EACH = re.compile(r"\b(?:every|each)\b(?!\s+of\s+(?:them|these|those)\b)")
_TOGETHER = re.compile(r"\b(?:together|combined|jointly|as\s+one|into\s+one|all\s+in\s+one)\b", re.IGNORECASE)
_PART_OF_IT = re.compile(r"\bfirst\s+(?:\d+|\w+)\s+(?:lines|pages|rows|paragraphs|chapters)\b")
_VERSION = re.compile(r"\bpython\s*\d[\d.]*\b")
_CHANGED = re.compile(
    r"\bwith(?:out)?\b.*\w(?:ed|en)(?:\s+(?:out|off|in|up))?\Z|\bwith\b.*\b(?:hidden|masked|left\s+out|cut\s+out)\b"
)
_LOG_IN = re.compile(r"\blog\s+(?:(?:me|us|them|him|her)\s+)?(?:in|out|off|on)\b")
_SO_THAT = re.compile(
    r"\bso\s+(?:that\s+)?(?:i|we|you|they|it|nobody|no\s+one|somebody|someone)\b.*\b(?:recover|restore|undo|undelete|back)\b",
    re.IGNORECASE,
)
_IN_WHOSE_WORDS = re.compile(
    r"\bfor\s+(?:an?\s+|the\s+|our\s+|my\s+)?(?:\w+\s+)?(?:child(?:ren)?|kids?|pupils?|beginners?|lay(?:men|man|\s?people)|experts?|dummies)\b"
)
_TAKE_NOTES = re.compile(r"\b(?:take|taking|keep|make)\s+notes\b")
_ARCHIVES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")
_NEWEST_FIRST = re.compile(r"\b(?:first|oldest|earliest|initial|very\s+first)\s+(?:\w+\s+)?commits?\b")
_NO_NAMES = frozenset("unless except without instead only not never or if when until while because but".split())
_STRUCTURE = frozenset(
    """
or and starting ending beginning containing whole lines either neither without except not like but called named
functions function classes class methods comments variables files
    """.split()
)
_KINDS = frozenset("branch branches folder folders file files note notes agent agents program commit commits".split())
_NAMED = re.compile(r"\b(?:named?|called?|titled|as)(?:\s+it)?\s+\Z", re.IGNORECASE)
_ASKS = re.compile(
    r"\b(?:show|tell|see|know|check|list|give|find\s+out|display|print)\s+(?:me\s+|us\s+)?(?:exactly\s+)?"
    r"(where|who|why|when|whether|how\s+(?:many|much|often|big|large|long|old))\b"
)
_NEW_FOLDER = re.compile(
    r"\b(?:make|create|add|need|want)\s+(?:an?\s+|the\s+)?(?:new\s+)?(?:sub)?(?:folder|directory)\b"
)
_FOLDERS_ONLY = re.compile(r"\b(?:every|each)\s+(?:sub)?(?:folder|directory)\b")
_SO_OFTEN = re.compile(r"\s(?:\w+|\d+)\s+times\Z")
_NOT_SPELT_OUT = re.compile(
    r"\A(?:today|yesterday|tomorrow|now\b|nothing\b|(?:an?\s+)?(?:empty|blank)\b|my\s+name\b|(?:the\s+)?(?:current|today['’]?s)\s"
    r"|(?:the\s+|a\s+|an\s+)?(?:lists?|outputs?|contents?|results?|names?|number|date|time|summary|first|last)\s+(?:of|from)\b)"
)


def cannot_say(meant: Sequence[Meant], text: str, tree: Tree, registry: Registry) -> Iterator[str]:
    """Why what seems meant may be more than it says, or less."""
    kept = _without_own_words(meant, text)
    if len(meant) > 1 and meant[0].text == meant[1].text and (found := _TOGETHER.search(kept)):
        yield f"“{found[0]}”: each would be done by itself."
    if found := _AS_IT_WAS.search(kept):
        yield f"“{found[0]}”: what is shown is as it is now."
    for one in meant:
        # What is told beside a command says nothing of it: “show report.md, my boss wants it tomorrow”.
        at = text.find(one.text)
        spoken = (kept[at : at + len(one.text)] if at >= 0 else one.text).casefold()
        for pattern, why in _ANYWHERE:
            if found := pattern.search(spoken):
                yield f"“{found[0]}”: {why}."
        command = registry.command(one.tool, one.command)
        if command.effect != "idempotent" and (found := _EACH.search(spoken)):
            yield f"“{found[0]}”: it may be several."
        if one.command in ("run", "start") and (found := _RIGHTS.search(one.text.casefold())):
            yield f"“{found[0]}”: no step here has other rights than its jail."
        if one.command == "read" and (found := _ASKS.search(_between_values(one, text))):
            yield f"“{found[1]}”: it may ask something about it."
        if one.command == "document" and (found := _NEW_FOLDER.search(spoken)):
            yield f"“{found[0]}”: a folder may be all that is to be made."
        if one.command == "find" and "newest" in one.params and re.search(r"\b(?:is|are)\s+in\b", spoken):
            yield "What is in it may be meant, and not which it is."
        if command.destroys(one.values()) and (found := _SO_THAT.search(kept)):
            yield f"“{found[0]}” says more of how it is to go."
        if one.command == "ls" and (found := _FOLDERS_ONLY.search(spoken)):
            yield f"“{found[0]}”: the files between them would be listed too."
        if one.command in ("mv", "cp") and _packs(one):
            yield "What is packed is neither moved nor copied."
        if one.command == "list_notes" and (found := _TAKE_NOTES.search(spoken)):
            yield f"“{found[0]}”: none is listed by that."
        if one.tool == "summarization" and (found := _IN_WHOSE_WORDS.search(spoken)):
            yield f"“{found[0]}” may say in which words."
        if one.command == "log" and (found := _LOG_IN.search(spoken)):
            yield f"“{found[0]}” is nothing that a history of commits tells."
        if one.command == "log" and (found := _NEWEST_FIRST.search(spoken)):
            yield f"“{found[0]}”: commits are shown from the newest on."
        if one.command == "diff" and "only" in one.params and re.search(r"\bbetween\b", spoken):
            yield "“Between”: it may be what came between two of them."
        if one.tool == "summarization" and (found := _PART_OF_IT.search(spoken)):
            yield f"“{found[0]}”: what is summarized is the whole."
        if one.command == "create_venv" and (found := _VERSION.search(spoken)):
            yield f"“{found[0]}”: the environment has the Python that is here."
        for phrase in one.superfluous:
            # “With the passwords blacked out” says how it is to be shown; “with 8 threads” is a setting it has not.
            if _CHANGED.search(phrase.casefold()):
                yield f"“{phrase}” says how it is to be, and nothing here makes it so."
        if one.tool == "summarization" and not one.params.keys() & {"words", "sentences"} and "compress" in spoken:
            yield "“Compress” may be meant of the file."
        yield from _of_values(one, text, tree)


def _packs(one: Meant) -> bool:
    """Whether it would give what is no archive the name of one."""
    source, to = (str(one.values().get(name, "")).casefold() for name in ("path", "to"))
    return to.endswith(_ARCHIVES) and not source.endswith(_ARCHIVES)


def _of_values(one: Meant, text: str, tree: Tree) -> Iterator[str]:
    for name, param in one.params.items():
        if param.span is None or not isinstance(param.value, str) or _is_quoted(param, text):
            continue
        said = text[param.span[0] : param.span[1]].casefold()
        words = said.split()
        if words and words[0] in _NO_NAMES and name not in _OWN_WORDS - {"name"}:
            yield f"“{words[0]}” is no name."
        if name in ("name", "since", "branch", "start") and said in _KINDS and not _NAMED.search(text[: param.span[0]]):
            yield f"“{said}” is what kind of thing it is, and no name."
        if name == "text" and one.command == "grep" and (often := _SO_OFTEN.search(said)):
            yield f"“{often[0].strip()}” may say how often, and not what is looked for."
        if name == "text" and one.command == "grep" and len(words) > 1 and (found := _STRUCTURE & set(words)):
            yield f"“{min(found)}” may say what is looked for, or be a part of it; put what is looked for in quotes."
        if name == "content" and (
            _NOT_SPELT_OUT.search(said) or _SO_OFTEN.search(said) or _is_a_file(param.value, tree)
        ):
            yield f"“{said}” may stand for something else that is to be written; put what is to be written in quotes."


def _between_values(one: Meant, text: str) -> str:
    """The words of one command that none of its values holds, in small letters."""
    at = max(text.find(one.text), 0)
    for param in one.params.values():
        if param.span:
            text = text[: param.span[0]] + " " * (param.span[1] - param.span[0]) + text[param.span[1] :]
    return text[at : at + len(one.text)].casefold()


def _is_a_file(said: str, tree: Tree) -> bool:
    found = find(said, tree, FILE) if has_ending(said) else None
    return found is not None and found.confidence >= _SURE


def _is_quoted(param: Param, text: str) -> bool:
    start, end = param.span or (0, 0)
    return bool({*text[max(start - 1, 0) : start + 1], *text[max(end - 1, 0) : end + 1]} & set(QUOTES))


_IN_QUOTES = re.compile("\"[^\"]*\"|“[^“”]*”|‘[^‘’]*’|`[^`]*`|«[^«»]*»|(?<!\\w)'[^']*'(?!\\w)")


def _without_own_words(meant: Sequence[Meant], text: str) -> str:
    """The text without quotes, and without what somebody wrote to be kept as it is, as long as it was."""
    spans = [found.span() for found in _IN_QUOTES.finditer(text)]
    spans += [param.span for one in meant for name, param in one.params.items() if param.span and name in _OWN_WORDS]
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text
