"""What holds a command back though all of its words are explained: who else does it, when it is not now, what takes
it back.

*You might delete x*, *how do I delete x?*, *delete x at some point*, *delete x. It was a joke!*: the words of a command
are all there, and nobody asks for it now. Whoever says so is asked. A name or a text of somebody's own says none of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agents.bdi.understanding.names.paths import FOLDER, Tree
from agents.bdi.understanding.names.tree_index import by_name
from agents.bdi.understanding.understood import Meant
from agents.bdi.understanding.words.morphology import bases
from agents.bdi.understanding.words.tokens import QUOTED, SIGN, URL, WORD, Token, number_of, tokens_of
from agents.toolkit.command import Command
from agents.toolkit.registry import Registry

_VALUE = "§"
_LED = r"\A(?:(?:and|so|but|well|ok|okay|hey|oh|hi|hmm|now|then) )*"
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_SEASONS = (
    "spring|summer|autumn|fall|winter|january|february|march|april|june|july|august|september|october|november|december"
)
# Who asks how, whether or by whom something is done asks for no change; nor does who says what might be.
_OF_CHANGES = re.compile(
    _LED
    + "(?:"
    + "|".join(
        (
            r"(?:who|when|why|where|what)\b",
            r"(?:can|may) § be\b",
            r"how (?:did|would|should|come)\b",
            r"(?:have|has|had|did|does|is|was|were|are) (?:you|he|she|they|i|we|it|someone|somebody|anyone|anybody)\b",
            r"do (?:i|we|they|people)\b",
            r"(?:does|did|is|are|was|were|has) (?:the|my|our|your|his|her|their|this|that|any|all|every|§)(?: |\Z)",
            r"(?:should|shall|must) (?:i|we|one)\b",
            r"(?:(?:i|we|could|can|would|will|you|please|d|'d|just|like|want|need|love) (?:to )?)*"
            r"(?:wonder|wondering|know|tell me|tell us|check|see|say|show me|show us|explain|find out)"
            r" (?:whether|if|how|who|why|when)\b"
            r"(?! (?:you|we|i|it|somebody|anybody) (?:could|can|would|might|may|will|is|be|were)\b)",
            r"(?:every|each|no) (?:§|\w+) (?:has|have|is|was)\b(?! to\b)",
            r"(?:can|could|may|might) i (?!have\b|get\b|please\b|ask\b|see\b|kindly\b|just have\b|request\b)",
            r"you (?:really |just |maybe )?(?:might|could|would)\b",
            r"(?:they|he|she|people|one|somebody|someone|everybody|everyone|nobody) \w+",
            r"(?:i|we) (?:really |just |maybe )?(?:might|may|could)\b",
            r"(?:this|that|the|a|my|our|your) (?:tool|program|command|thing|step|agent|plan)"
            r" (?:would|will|could|can|may|might) (?!be\b|go\b)",
            r"(?:i|we|you) (?:\w+ly )?(?:just |already |have |had )?"
            r"(?!need|want|wish|like|ask|hope|wonder|requir|request)\w+ed\b",
        )
    )
    + ")"
)
_TO_COME = re.compile(
    r"\b(?:tomorrow|tonight|someday|sometimes?|eventually|one day|some day|at some point|some time|sooner or later"
    rf"|next (?:week|weekend|month|year|time|{_DAYS}|{_SEASONS})|in (?:{_SEASONS})"
    r"|in (?:a|an|\d+|two|three|five|ten|some|few|couple)(?: of| few| couple)* ?"
    r"(?:while|bit|moment|minutes?|hours?|days?|weeks?|months?)"
    r"|(?:this|in the|over the) (?:evening|afternoon|weekend)|later (?:today|tonight|this|on)"
    r"|at (?:noon|midnight|night)"
    rf"|(?:on|by) (?:{_DAYS}))\b"
)
_FOR_WHAT = re.compile(r"\b(?:for|of|from|about|since|until|with|before|named|called)(?: [\w§'-]+){0,4}\Z")
_PARTICIPLES = frozenset("been put made run sent kept done set read cut shown written gone begun".split())
_MODALS = frozenset({"should", "could", "would", "might", "must"})


def not_asked_now(meant: Sequence[Meant], text: str, registry: Registry) -> Iterator[str]:
    """Why what seems meant may not be asked for, or not now."""
    for one in meant:
        command = registry.command(one.tool, one.command)
        said = _said(one, text)
        if any(_is_past(first, have, done) for first, have, done in zip(said, said[1:], said[2:], strict=False)):
            yield "It says what should have been, and not what is to be."
        whole = " ".join(said)
        if command.effect != "idempotent" and _OF_CHANGES.search(whole):
            yield "It may ask whether, how or by whom it is done, or say what could be."
        for found in _TO_COME.finditer(whole):
            if not _FOR_WHAT.search(whole[: found.start()].rstrip()):
                yield f"“{found[0]}” is not now."
        if _TOLD.search(whole) or _WRITES.search(text):
            yield "It tells what somebody has read or writes."
        if _SELDOM.search(whole) or _IN_CASE.search(whole) or _SAYS_OF_DOING.search(one.text):
            yield "It says when, how often or how something is done, and not that it is to be."
        if any(isinstance(value, str) and value.casefold() in _ANYTHING for value in one.values().values()):
            yield "It does not say what exactly."
        if _corrected(one, text):
            yield "What stands behind “actually” may take the place of what is said before it."
        if command.destroys(one.values()) and _is_doubted(one, text):
            yield "It asks, and something would be gone."


def asks_of_it(meant: Sequence[Meant], text: str) -> bool:
    """Whether a text asks whether, how or by whom a change is made, or says what could be, and not that it is to be.

    The phrase that a name was found for may hold the question itself.
    """
    as_said = [
        replace(one, params={name: p for name, p in one.params.items() if p.origin != "mapping"}) for one in meant
    ]
    return any(_OF_CHANGES.search(" ".join(_said(one, text))) for one in (*meant, *as_said))


_SELDOM = re.compile(_LED + r"(?:i|we|you|they|he|she) (?:never|rarely|seldom|hardly|usually|normally|often)\b")
_TOLD = re.compile(
    _LED
    + r"(?:i|we) (?:have |just |only |already )*(?:read|saw|seen|heard|learned|learnt|noticed|know|knew)\b.*\bthat\b"
)
_WRITES = re.compile(r"\b(?:I|we)\s+(?:write|am\s+writing|are\s+writing)\s*:", re.IGNORECASE)
_IN_CASE = re.compile(r"\bin case\b(?! of)")
_SAYS_OF_DOING = re.compile(
    r"\A\W*(?:[a-z]+ing\b.*\b(?:is|was|would be|seems|feels)\s+[a-z]+\W*\Z"
    r"|(?:please\s+)?(?:stop|avoid|quit)\s+[a-z]+ing\b(?=.*[/.]\w))",
    re.IGNORECASE | re.DOTALL,
)
_ANYTHING = frozenset({"whatever", "something", "anything", "somewhere", "somehow"})
_ACTUALLY = re.compile(r"\w.*\bactually\W+\Z", re.IGNORECASE | re.DOTALL)


def _corrected(one: Meant, text: str) -> bool:
    """“Show a.txt … actually b.txt”."""
    return any(param.span and _ACTUALLY.search(text[: param.span[0]]) for param in one.params.values())


def _is_past(first: str, have: str, done: str) -> bool:
    return first in _MODALS and have == "have" and (done in _PARTICIPLES or done.endswith(("ed", "en")))


def _said(one: Meant, text: str) -> list[str]:
    """The words of a command without its values."""
    start = max(0, text.find(one.text))
    spans = [param.span for param in one.params.values() if param.span is not None]
    left_out = {word.casefold() for phrase in one.superfluous for word in phrase.split()}
    said: list[str] = []
    for token in tokens_of(" " * start + one.text):
        if token.kind == SIGN:
            continue
        # The words of a name may stand apart, and what is said between them is none of it.
        is_value = any(begin <= token.start and token.end <= end for begin, end in spans)
        if not (token.is_literal or is_value) or token.text in left_out:
            said.append(token.text)
        elif said[-1:] != [_VALUE]:
            said.append(_VALUE)
    return said


_COURTESY = frozenset(
    "can could would will please may might mind possible chance kindly pls able want like way".split()
)


def _is_doubted(one: Meant, text: str) -> bool:
    """“Delete build?”: an order with a question mark and without a word of courtesy."""
    start = max(0, text.find(one.text))
    behind = text[start + len(one.text) :].lstrip(" \"'”’)")
    if re.match(r"\W*how (?:do|can|to)\b", one.text, re.IGNORECASE):
        return True
    if re.search(r"\b(?:right|correct|agreed|yes|no)\s*\?\s*\Z", text, re.IGNORECASE):
        return True
    courteous = _COURTESY & {word.casefold() for word in re.findall(r"\w+", text)}
    return behind.startswith("?") and not courteous


# ---- what is told beside a command ----

_PARTED = re.compile(r"[,;:!?()–—\n]|\.(?=\s|\Z)")


def left_between(meant: Sequence[Meant], text: str) -> list[str]:
    """The stretches of a text that no command was read from: all of their words may carry nothing."""
    for one in meant:
        start = text.find(one.text)
        if start >= 0:
            text = text[:start] + "," * len(one.text) + text[start + len(one.text) :]
    behind = (_said_behind(one) for one in meant)
    return [one for one in (*_PARTED.split(text), *behind) if one.strip()]


def _said_behind(one: Meant) -> str:
    """What a command's words go on with behind a stop, where no value is in it."""
    stop = re.search(r"[.!;]\s+(?=[A-Z])", one.text)
    behind = one.text[stop.end() :] if stop else ""
    held = {str(value).casefold() for value in one.values().values()}
    return "" if any(word in behind.casefold() for word in held) else behind


_TAKEN_BACK = re.compile(
    r"\b(?:jok(?:e|ing|ed)|kidding|kidded|prank|changed my mind|just testing"
    r"|(?:i|we) (?:mean|meant)\b(?! (?:it|well)\b)|(?:says?|said) (?:no|not)"
    r"|(?:(?:i|we|he|she|they) (?:will|can)|let me|rather) (?:just )?do (?:it|that|this)"
    r"|do(?:es)? (?:it|that|this) (?:tomorrow|later|tonight|next|another)|forbid(?:s|den)?|forbade"
    r"|(?:is|was) what \w+ (?:said|says|wrote|writes|told|wants|wanted)|ones? (?:is|are)"
    r"|(?:is|are) the (?:\w+ )?ones?|(?:think|decide) (?:about )?(?:it )?over|\A(?:i|we) (?:never|rarely|seldom))\b"
)
_NEGATIONS = frozenset("not no nobody none never nothing neither longer anymore hardly without stopped".split())
_WANTS = frozenset("need needs use uses want wants love loves like likes miss reads read".split())
_THEM = frozenset({"it", "them", "this", "that", "those", "these", "one"})
_KEEPING = frozenset({"keep", "keeps", "kept", "retain", "preserve"})
_CALLING = frozenset({"called", "named", "titled", "renamed", "name", "title"})
_CHOOSING = frozenset({"better", "right", "correct", "instead", "rather", "prefer", "prefers"})
_LOOKING = frozenset("look looks check checks ask asks see read reads wait waits talk decide wants want needs".split())


def taken_back(clause: str, meant: Sequence[Meant], tree: Tree, registry: Registry) -> bool:
    """Whether what is told beside commands may take them back, put them off, or give them a value."""
    tokens = [token for token in tokens_of(clause) if token.kind != SIGN]
    words = [token.text for token in tokens]
    commands = [(registry.command(one.tool, one.command), one) for one in meant]
    if _TAKEN_BACK.search(" ".join(words)):
        return True
    changing = [command for command, _ in commands if command.effect != "idempotent"]
    making = [command for command, _ in commands if _makes(command, registry)]
    if changing and (_keeps(words) or ("first" in words and _LOOKING & set(words))):
        return True
    if making and (_CALLING & set(words) or _says_where(tokens, meant, tree)):
        return True
    if _CHOOSING & set(words) and any(_is_here(token, tree) for token in tokens):
        return True
    destroying = any(command.destroys(one.values()) for command, one in commands)
    return destroying and (_is_wanted(words) or bool(_THREATENS.match(" ".join(words))))


_THREATENS = re.compile(r"(?:and|or) (?:i|we|you|he|she|they|it) will\b")


def _makes(command: Command, registry: Registry) -> bool:
    return any(place.makes or place.into for place in registry.said(command).places.values())


def _keeps(words: Sequence[str]) -> bool:
    """“We must keep it”; who keeps asking only goes on."""
    at = next((at for at, word in enumerate(words) if word in _KEEPING), None)
    return at is not None and not (at + 1 < len(words) and words[at + 1].endswith("ing"))


def _is_wanted(words: Sequence[str]) -> bool:
    """“My wife still uses it”, of what would be gone."""
    if {"important", "precious", "valuable", "crucial"} & set(words) and not _NEGATIONS & set(words):
        return True
    if _NEGATIONS & set(words):
        return "not" in words and "finished" in words
    still = "still" in words
    return any(
        word in _WANTS and (still or words[at + 1 : at + 2] == [] or words[at + 1] in _THEM)
        for at, word in enumerate(words)
    ) or (still and bool({"needed", "used", "wanted", "important"} & set(words)))


def _says_where(tokens: Sequence[Token], meant: Sequence[Meant], tree: Tree) -> bool:
    """“Such things live in Photos”: a folder that is no part of what was taken, where something is made."""
    said = " ".join(str(value) for one in meant for value in one.values().values()).casefold()
    past = any(token.text in ("was", "were", "had") or _is_past_form(token) for token in tokens)
    return not past and any(
        _kind(token, tree) == FOLDER and token.value.casefold() not in said for token in tokens if _is_name(token)
    )


def _is_past_form(token: Token) -> bool:
    return token.kind == WORD and token.text.endswith("ed") and bases(token.text)[-1] != token.text


def _is_name(token: Token) -> bool:
    return token.kind not in (QUOTED, URL) and number_of(token) is None


def _is_here(token: Token, tree: Tree) -> bool:
    return _is_name(token) and bool(_kind(token, tree))


def _kind(token: Token, tree: Tree) -> str:
    """What is there by this name, whatever letters of it are capital ones; empty where nothing is."""
    return tree.kind(token.value) or next((entry.kind for entry in tree.index.at(by_name, token.text)), "")
