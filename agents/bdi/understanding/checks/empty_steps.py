"""Steps that would do nothing, or less than is said: a file renamed to itself, a list of nothing in particular, a
switch that is to be turned back.

As in `dropped_words`, what is doubtful is asked, with the likeliest meaning first.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agents.bdi.understanding.checks.dropped_words import Doubt, with_value
from agents.bdi.understanding.names.naming import words_of
from agents.bdi.understanding.names.paths import FILE, Tree
from agents.bdi.understanding.understood import Meant
from agents.toolkit.types import Param

_QUOTES = " \"'“”‘’«»"
_ADDRESS = re.compile(r"https?://\S+\Z", re.IGNORECASE)
_TO_KEEP = frozenset("save download store fetch keep get".split())
_ITS = re.compile(
    r"\bits\b|\b(?:the|this|that)\s+(?:\w+\s+){0,2}(?:file|document|text|page|copy|letter|note)\b", re.IGNORECASE
)
_ONLY = re.compile(r"\b(?:show|list|look|display)\s+only\W*\Z|\bonly\s+(?:show|list|look|display)\W*\Z", re.IGNORECASE)
_LOOKING = re.compile(r"\band\s+(?:then\s+)?(?:list|show|see|tell|print|display|give)\b", re.IGNORECASE)
_WHICH = re.compile(r"\b(?:the|that|this)\s+\Z", re.IGNORECASE)
_NO_NAMES = frozenset({"other", "another", "same", "previous", "last", "right", "wrong", "first", "second", "old"})
_PASSIVE = re.compile(r"\s+(?:gets?|got|is|was|are|were|being)\Z", re.IGNORECASE)
_WHETHER = re.compile(
    r"\b(?:know|wonder(?:ing)?|ask|tell\s+me|sure|find\s+out|check|see)\s+(?:if|whether)\s+"
    r"(?:you|it|we|i|one|they|the|that|this|my|our)\b",
    re.IGNORECASE,
)
_MAY_IT_BE = re.compile(
    r"\A\s*(?:can|could|may|might|should|must|will|is|are|has|have)\s+(?:the|my|our|this|that|it)\b[^.!\n]*\?\s*\Z",
    re.IGNORECASE,
)


def onto_itself(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[Doubt]:
    """“The new name Höfer.txt” of Hofer.txt: what only resembles the old name is the new one, letter by letter."""
    for at, one in enumerate(meant):
        path, to = one.params.get("path"), one.params.get("to")
        if path is None or to is None or str(path.value) != str(to.value) or one.command not in ("mv", "cp"):
            continue
        name = text[to.span[0] : to.span[1]].strip(_QUOTES) if to.span is not None else ""
        whole = name if "/" in name else posixpath.join(posixpath.dirname(str(path.value)), name)
        if name and whole != path.value:
            yield f"“{name}” may be the new name.", with_value(meant, at, "to", whole)
        else:
            yield "It would be called as it is.", ()


def of_the_file_before(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[Doubt]:
    """“… and show me the new file”, “… then show its diff”: what the step before was about, and not all there is."""
    for at, one in enumerate(meant):
        if not at or one.params or one.command not in ("ls", "diff"):
            continue
        if one.command == "ls" and _ONLY.search(one.text):
            yield "It may say how the step before is done.", (*meant[:at], *meant[at + 1 :])
            continue
        before = next(
            (meant[at - 1].params[name] for name in ("to", "path", "file") if name in meant[at - 1].params), None
        )
        if before is None or not _ITS.search(one.text):
            continue
        name, command = ("path", "read") if one.command == "ls" else ("only", one.command)
        about = replace(
            one, command=command, params={name: replace(before, span=None, original=None, origin="mapping")}
        )
        yield f"{before.value} may be meant.", (*meant[:at], about, *meant[at + 1 :])


def an_address_to_be_kept(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[Doubt]:
    """“Save https://… as x”: what lies there is to be kept, and not its address."""
    for at, one in enumerate(meant):
        content = one.params.get("content")
        if (
            one.command != "write"
            or content is None
            or not _ADDRESS.match(str(content.value))
            or "path" not in one.params
        ):
            continue
        if not _TO_KEEP.isdisjoint(said):
            params = {"url": content, "file": one.params["path"]}
            download = replace(one, tool="http_request", command="download", params=params)
            yield "What lies at the address may be meant.", (*meant[:at], download, *meant[at + 1 :])


def turned_back(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[Doubt]:
    """“Autonomous mode on, delete x, then off again”: the last of it is a step, too."""
    switches = [one for one in meant if one.command == "toggle_autonomous_mode"]
    if len(switches) != 1 or len(meant) < 2 or switches[0] is not meant[0]:
        return
    is_on = bool(switches[0].values().get("on"))
    if ("off" if is_on else "on") in said[-3:]:
        back = replace(switches[0], params={"on": Param(not is_on, "mapping")})
        yield "It may be to be turned back.", (*meant, back)


def looked_at_there(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[Doubt]:
    """“Go to logs and list the files there” is two steps."""
    for at, one in enumerate(meant):
        if one.command == "cd" and _LOOKING.search(one.text):
            if at + 1 < len(meant) and meant[at + 1].text == one.text:
                continue
            looks = replace(one, command="ls", params={})
            yield "It may be to be listed, too.", (*meant[: at + 1], looks, *meant[at + 1 :])


def no_name(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[Doubt]:
    """“Switch to the other branch” names none."""
    for one in meant:
        for param in one.params.values():
            if param.span is None or str(param.value).casefold() not in _NO_NAMES:
                continue
            if _WHICH.search(text[: param.span[0]]) and tree.kind(str(param.value)) != FILE:
                yield f"“{param.value}” may be no name.", ()


def part_of_its_verb(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[Doubt]:
    """“Where x gets called”: “gets” belongs to what is asked of x."""
    for at, one in enumerate(meant):
        param = one.params.get("text")
        if one.command != "grep" or param is None or param.span is None:
            continue
        if text[param.span[0] - 1 : param.span[0]] in tuple("\"'“‘«`") or not _PASSIVE.search(str(param.value)):
            continue
        yield (
            "It may be looked for with fewer words.",
            with_value(meant, at, "text", _PASSIVE.sub("", str(param.value))),
        )


def asked_whether(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[Doubt]:
    """“I would like to know if you could delete x”, “can the agent be retired?” ask, and do not order."""
    if any(one.command in _DOING_AWAY for one in meant) and (_WHETHER.search(text) or _MAY_IT_BE.match(text)):
        yield "It may only ask whether that can be done.", ()


def the_models_part(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[Doubt]:
    """“Send x to the model and let it sum it up”, “…; yes, it may be sent there”: one step, which the model does."""
    for at in range(1, len(meant)):
        before, one = meant[at - 1], meant[at]
        paths = (before.values().get("path"), one.values().get("path"))
        if before.command == "send_file_to_model" and one.tool == before.tool and paths[0] == paths[1]:
            more = {name: param for name, param in one.params.items() if name in ("words", "sentences")}
            joined = replace(before, params={**more, **before.params})
            yield "It may be the model that is to do it.", (*meant[: at - 1], joined, *meant[at + 1 :])


_DICTATED = re.compile(r":\s")
_CALLED = re.compile(r"\b(?:named?|call(?:ed)?|titled?|under|as)\b[^:]*\Z", re.IGNORECASE)


def named_in_its_text(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[Doubt]:
    """“Take a note: the plumber comes on Thursday” is no note that is called Thursday."""
    for one in meant:
        name, content = one.params.get("name"), one.params.get("text")
        if one.command not in ("write_note", "append_note") or not name or not content or not name.span:
            continue
        colon = _DICTATED.search(text)
        is_behind = colon and content.span and colon.end() <= min(name.span[0], content.span[0])
        if colon and is_behind and not _CALLED.search(text[colon.end() : name.span[0]]):
            yield f"“{name.value}” may be a part of what is to be noted.", ()


_ENVIRONMENT_FIRST = re.compile(
    r"\A\W*(?:an?\s+)?(?:new\s+)?(?:venv|virtualenv|virtual\s+env(?:ironment)?)\s*[,;.&+]", re.IGNORECASE
)


def made_before_it_is_used(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[Doubt]:
    """“Venv, activate it, …” where none is here: the first word may be a step of its own."""
    if not meant or meant[0].command != "activate_venv" or not _ENVIRONMENT_FIRST.match(text):
        return
    if not any(posixpath.basename(path) in (".venv", "venv", "env", "pyvenv.cfg") for path in tree.kinds):
        created = replace(meant[0], command="create_venv")
        yield "No environment is here: it may be to be made first.", (created, *meant)


_OTHER_VOWEL = frozenset("aeio")


def another_name(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[Doubt]:
    """“Bella” is no slip of Bello.md: names differ by their last vowel."""
    for one in meant:
        for param in one.params.values():
            if param.origin != "mapping" or param.span is None or not isinstance(param.value, str):
                continue
            names = {word for part in param.value.split("/") for word in words_of(part)}
            for word in re.findall(r"[^\W\d_]{3,}", text[param.span[0] : param.span[1]]):
                low = word.casefold()
                others = {name for name in names if _is_another(low, name)}
                if word[:1].isupper() and low not in names and others:
                    yield f"“{word}” may be somebody else than “{min(others)}”.", ()


def _is_another(one: str, other: str) -> bool:
    if len(one) == len(other):
        return one[:-1] == other[:-1] and {one[-1], other[-1]} <= _OTHER_VOWEL
    short, long = sorted((one, other), key=len)
    return len(long) == len(short) + 1 and long.startswith(short) and long[-1] in _OTHER_VOWEL


_LISTING = re.compile(r"\b(?:the|that|this)\s+(?:list|listing|overview)\W*\Z", re.IGNORECASE)


def which_listing(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[Doubt]:
    """“Show me the listing”: of what, it does not say."""
    if meant and meant[-1].command == "ls" and not meant[-1].params and _LISTING.search(meant[-1].text):
        yield "It does not say of what.", ()


_DOING_AWAY = frozenset({"rm", "delete", "retire_agent", "stop"})
LOOKS = (
    onto_itself,
    of_the_file_before,
    an_address_to_be_kept,
    turned_back,
    looked_at_there,
    no_name,
    part_of_its_verb,
    asked_whether,
    the_models_part,
    named_in_its_text,
    made_before_it_is_used,
    another_name,
    which_listing,
)
