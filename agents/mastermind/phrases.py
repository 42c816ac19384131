"""Plain requests that mean a command: “show me the backlog” is `coord_backlog`, “retire scout” `agent_delete scout`.

On the left what people say, on the right the line as it should be typed, which is then read like any other. `a|b` is
either word, `[a]` may be missing. `{agent}` is the name of an agent there is, `{name}` any name, `{what}` words that
name a component, `{n}` a number, `{rest}` whatever follows. `?` marks what may be asked as well as ordered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from agents.bdi.understanding.words.spelling import nearest
from agents.bdi.understanding.words.tokens import NUMBERS, ORDINALS
from agents.mastermind.commands import NAMES
from agents.mastermind.components import Component
from agents.mastermind.forms import STATES
from agents.mastermind.requests import SAID

_HOLES = {
    "agent": r"[“\"']?(?P<agent>[A-Za-z][\w-]{0,63})[”\"']?(?:'s)?",
    "name": r"[“\"']?(?P<name>(?!(?:named|called|agent)\b)[A-Za-z][\w-]{0,63})[”\"']?",
    "n": r"#?(?P<n>\d{1,18}|" + "|".join(word for word in NUMBERS if word not in ORDINALS) + ")",
    "state": "(?P<state>" + "|".join(state.replace("_", "[ _-]") for state in STATES) + ")",
    "command": r"[“\"'`]?(?P<command>\w+(?:[ _-]\w+){0,2}?)[”\"'`]?",
    "better": r"(?P<better>\w{2,30}er|more \w{2,30}|less \w{2,30})",
    "what": r"(?P<what>\S.{0,199}?)",
    "rest": r"(?P<rest>\S.*?)",
}
_AFTER = r"[,;:–—-]?\s+"
# What opens a request and asks for nothing by itself; with a question in it, a question mark is courtesy too.
_ASKING = r"(?:can|could|would|will|might|may) (?:you|we|i|one)(?: (?:please|kindly|just|maybe|perhaps|also))*"
_LEAD = re.compile(
    rf"(?:(?P<asks>{_ASKING})|please|kindly|pls|plz|hey|hi|hello|good morning|ok|okay|so|well|now|just|also|then|mindx|"
    r"(?:\S{0,60}python3?\s+)?(?:\./)?manage\.py mastermind|mastermind|[$>]|"
    r"(?:i|we) (?:want|need|wish|would like|would love)(?: you)? to|(?:i|we)['’]d (?:like|love)(?: you)? to|"
    r"(?:i|we) (?:want|need|would like)|(?:i|we)['’]d like|it is time to|time to|"
    r"let['’]?s|let us|let me|go ahead and|be so kind (?:as to|and)|help (?:me|us)(?: to)?)[,:!]?\s+(?=\S)",
    re.IGNORECASE,
)
_TRAIL = re.compile(
    r"(?:(?:,?\s+(?:please|pls|plz|for me|for us))|(?:[,.!]\s*(?:thanks|thank you|thx|cheers)))+[.!?]*\s*$",
    re.IGNORECASE,
)


_IS = re.compile(r"\b(what|how|who|where|that|there)['’]?s\b", re.IGNORECASE)


@dataclass(frozen=True)
class _Phrase:
    said: re.Pattern[str]
    means: str
    may_ask: bool


@dataclass(frozen=True)
class Plain:
    """A request without its courtesy. `asks`: it ends like a question that was none of courtesy."""

    text: str
    asks: bool


def plain(text: str) -> Plain:
    """A line without what is only polite around it."""
    left, courteous = _TRAIL.sub("", text).strip() or text, False
    while opening := _LEAD.match(left):
        courteous = courteous or bool(opening["asks"])
        left = left[opening.end() :]
    is_question = left.endswith("?")
    return Plain(left.rstrip("?! ") if courteous else left, is_question and not courteous)


def meant(request: Plain, known: Sequence[Component]) -> Iterator[str]:
    """The lines that a request may mean, the likeliest first."""
    agents = {one.name.casefold(): one.name for one in known if one.kind == "agent"}
    text = _IS.sub(r"\1 is", request.text).rstrip("?!. ") + " "
    for phrase in _phrases():
        if (request.asks and not phrase.may_ask) or not (found := phrase.said.fullmatch(text)):
            continue
        values = {name: (value or "").strip(" ,;:") for name, value in found.groupdict().items()}
        if "agent" in values:
            if values["agent"].casefold() not in agents:
                continue
            values["agent"] = agents[values["agent"].casefold()]
        if "command" in values and re.sub(r"[-_\s]+", "_", values["command"].casefold()) not in NAMES:
            continue
        if "n" in values:
            values["n"] = str(NUMBERS.get(values["n"].casefold(), values["n"]))
        yield phrase.means.format(**values).strip(" :")


def corrected(text: str, also: frozenset[str]) -> str:
    """The text with slips in the words of phrases put right; of names of components and agents nothing is put right."""
    words = text.split(" ")
    known = _vocabulary() | also
    return " ".join(
        found if len(word) > 3 and word.casefold() not in known and (found := nearest(word.casefold(), known)) else word
        for word in words
    )


@cache
def _phrases() -> tuple[_Phrase, ...]:
    found = []
    for line in _lines():
        left, _, means = line.partition(" > ")
        may_ask = left.startswith("?")
        said = "".join(_element(one) for one in _elements(left.lstrip("? ")))
        found.append(_Phrase(re.compile(said, re.IGNORECASE), means.strip(), may_ask))
    return tuple(found)


def _lines() -> list[str]:
    return SAID.replace("\n    ", " ").strip().splitlines()


def _elements(text: str) -> list[str]:
    return re.findall(r"\[[^]]*\]|\S+", text)


def _element(text: str) -> str:
    inner = text.strip("[]")
    one = (
        _HOLES[inner.strip("{}")] if inner.startswith("{") else "(?:" + "|".join(map(re.escape, inner.split("|"))) + ")"
    )
    return f"(?:{one}{_AFTER})?" if text.startswith("[") else f"{one}{_AFTER}"


@cache
def _vocabulary() -> frozenset[str]:
    said = (line.partition(" > ")[0] for line in _lines())
    return frozenset(word for left in said for word in re.findall(r"[a-z]{3,}", re.sub(r"\{\w+\}", " ", left)))
