"""How English states how long something may take: “a 90-second limit”, “for at most two minutes”, “kill it after 45 s”.

A length of time alone is no limit: *in five minutes*, *every five minutes* and *after five minutes* say when. So the
words on its two sides must say that it bounds what is done, or nothing may stand beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agents.bdi.understanding.words.numerals import whole_number
from agents.bdi.understanding.words.tokens import NUMBER, SIGN, WORD, Token, number_of

_UNITS = {
    "s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1, "min": 60, "mins": 60, "minute": 60, "minutes": 60,
    "h": 3600, "hr": 3600, "hrs": 3600, "hour": 3600, "hours": 3600,
}  # fmt: skip
# “5m” is five minutes, though “m” alone is none.
_GLUED = re.compile(r"(?:(\d{1,5})h)?(?:(\d{1,5})m(?:in|ins)?)?(?:(\d{1,6})s(?:ec|ecs)?)?\Z")
_JOINED = re.compile(r"(\w+)-(\w+)\Z")
_DECIMAL = re.compile(r"(\d{1,5})[.,](\d)\Z")
# Of these one says that what stands beside it is a limit.
_LIMIT = (
    r"(?:(?:hard|strict|overall|upper|total|maximal|maximum|max|short|long|generous|soft) )*"
    r"(?:(?:time|running|run) )?(?:limit|timeout|time-out|time out|cap|ceiling|deadline|maximum|max|time|runtime)"
)
_MOST = (
    r"(?:(?:for|in|within|take|taking|under) )?(?:at most|at the most|at the very most|at maximum|no longer than"
    r"|not longer than|no more than|not more than|not any longer than|less than|up to|maximally|max|maximum|max imum"
    r"|a maximum of|a max of|not over|not exceeding|under|within|below|for only|for just|for|no longer then)"
)
_WHO = r"(?:it|that|this|which|the (?:run|program|script|command|job|request|whole thing|thing)|the answer)"
_MAY = r"(?:may|can|could|should|shall|must|might|will|would|is allowed to|is to|has to|needs to|ought to)"
_RUNS = (
    r"(?:takes?|runs?|lasts?|needs?|spends?|waits?|goes on|go on|runs on|be done|be finished|be ready|be through"
    r"|finish|end|complete|have|get|taking|waiting|running|spending|wait for it|wait for an answer)"
)
_GIVE = r"(?:give|giving|allow|allowing|grant|let|letting|have|leave)"
_STOP = (
    r"(?:stop|stopping|kill|killing|abort|aborting|end|ending|cancel|terminate|interrupt|quit|time out|cut|cut off"
    r"|give up|giving up|give up on|pull the plug on|time it out|break off)"
)
_TOO_LONG = (
    rf"(?:after|if {_WHO} (?:{_RUNS}|exceeds)(?: (?:longer than|more than|over|beyond))?"
    rf"|(?:if|when|once|in case|unless) {_WHO} (?:is|has) (?:not )?(?:\w+ )?(?:after|in|within|for|running for|run for)"
    rf"|(?:once|when|as soon as) {_WHO} {_RUNS}(?: (?:longer than|more than|over|for))?)"
)
_OPENS = r"(?:(?:,|-|–|—|and|but|then|please|also|with|just|only|so) )*"
_BEFORE = re.compile(
    rf"(?:\A| )(?P<said>{_OPENS}(?:"
    # with a limit of, timeout, its time limit is, set the timeout to
    rf"(?:(?:with|in|within|under|using|use|set|put|apply|have|has|impose|at|on|give it|for|there is) )?"
    rf"(?:(?:a|an|the|its|some|my|our) )?{_LIMIT}(?: (?:of|=|:|is|at|to|set to|set at|being|should be|shall be))*"
    # for at most, it may take no longer than
    rf"|(?:{_WHO} )?(?:{_MAY} )?(?:{_RUNS} )?{_MOST}"
    # do not wait longer than, it must not take more than
    rf"|(?:(?:{_WHO} )?{_MAY}|do|does) not (?:(?:{_RUNS}|{_GIVE}|let|allow)(?: {_WHO})?(?: {_RUNS})? )"
    r"(?:any )?(?:longer|more) than"
    # give it, let it run for, allow up to
    rf"|{_GIVE}(?: {_WHO})?(?: (?:to )?{_RUNS})?(?: (?:for|only|just|{_MOST}))*"
    # stop it after, kill it if it takes longer than
    rf"|{_STOP}(?: (?:{_WHO}|waiting|on it))?(?: off)? {_TOO_LONG}"
    r")) \Z"
)
_BEHIND = re.compile(
    rf" (?:(?:as|for|is|being) )?(?:(?:a|an|the|its) )?(?P<said>{_LIMIT}|at most|at the most|at the longest|at maximum"
    r"|tops|or less|long|long at most|to finish|to run|to complete|to answer|to do it|and no more|and not more|no more"
    r"|not more|and no longer|no longer|should be enough|should do|will do|is plenty|is enough|maximally)(?= |\Z)"
)
# Behind a length of time, these say when something was or is to be.
_WHEN = frozenset({"ago", "later", "earlier", "before", "after", "from", "old", "apart"})
# Before it, these say that it is none, or how long it mostly takes.
_NONE = frozenset("no not without never every each usually normally typically mostly another last next".split())
_STOPS = frozenset({",", ";", ".", "-", "–", "—", "!", "?", "and", "but"})


@dataclass(frozen=True)
class TimeLimit:
    """A limit of time in a clause: how many seconds, where its length stands, and which tokens say it."""

    seconds: int
    span: tuple[int, int]
    used: range


def time_limits(tokens: Sequence[Token], taken: frozenset[int] = frozenset()) -> Iterator[TimeLimit]:
    """The limits of time that a clause states, in their order; `taken` are tokens that say something else."""
    at = 0
    while at < len(tokens):
        end, seconds = _length(tokens, at)
        if end > at and taken.isdisjoint(range(at, end)):
            if (used := _around(tokens, at, end, taken)) is not None:
                yield TimeLimit(seconds, (tokens[at].start, tokens[end - 1].end), used)
            at = end
        else:
            at += 1


def says_a_length(tokens: Sequence[Token]) -> bool:
    """Whether somewhere in these tokens a length of time stands."""
    return any(_length(tokens, at)[0] > at for at in range(len(tokens)))


def _around(tokens: Sequence[Token], at: int, end: int, taken: frozenset[int]) -> range | None:
    """The tokens that say that this length of time is a limit, with it; None where they do not."""
    first = max((one + 1 for one in taken if one < at), default=0)
    last = min((one for one in taken if one >= end), default=len(tokens))
    before = _BEFORE.search("".join(f"{_said(one)} " for one in tokens[first:at]))
    behind = _BEHIND.match("".join(f" {_said(one)}" for one in tokens[end:last]))
    begin = at - len(before["said"].split()) if before else at
    stop = end + len(behind[0].split()) if behind else end
    while behind and not before and begin > first and tokens[begin - 1].text in ("a", "an", "the", "with", "in", "of"):
        begin -= 1
    if (stop < last and tokens[stop].text in _WHEN) or (begin > first and tokens[begin - 1].text in _NONE):
        return None
    if before or behind:
        return range(begin, stop)
    opens = at == 0 or _said(tokens[at - 1]) in _STOPS or tokens[at - 1].is_literal or at - 1 in taken
    closes = stop == len(tokens) or _said(tokens[stop]) in _STOPS
    return range(at, stop) if opens and closes and at else None


def _said(token: Token) -> str:
    return token.value[:1] if token.kind == SIGN else token.text.replace(" ", "_") if token.kind == WORD else "_"


def _length(tokens: Sequence[Token], at: int) -> tuple[int, int]:
    """Where a length of time ends that begins here, and how many seconds it has; it ends here where there is none."""
    end, seconds = _one_length(tokens, at)
    if end == at:
        return at, 0
    # “One minute and thirty seconds”, “2 minutes 30 seconds”.
    begins = end + (end < len(tokens) and tokens[end].text == "and")
    further, more = _one_length(tokens, begins) if begins < len(tokens) else (begins, 0)
    if further > begins and more < 60 <= seconds and number_of(tokens[begins]) is not None:
        return further, seconds + more
    return end, seconds


def _one_length(tokens: Sequence[Token], at: int) -> tuple[int, int]:
    token = tokens[at]
    texts = [one.text for one in tokens[at : at + 6]]
    glued = _GLUED.match(token.text) if token.kind in (WORD, NUMBER) and token.text[:1].isdigit() else None
    if glued and any(glued.groups()):
        hours, minutes, seconds = (int(one or 0) for one in glued.groups())
        return at + 1, 3600 * hours + 60 * minutes + seconds
    if (joined := _JOINED.match(token.text)) and (unit := _UNITS.get(joined[2])):
        number = whole_number(joined[1]) or number_of(Token(WORD, joined[1], joined[1], 0, 0))
        return (at + 1, number * unit) if number else (at, 0)
    for said, halves in _FRACTIONS:
        if texts[: len(said)] == said and (unit := _UNITS.get(texts[len(said)] if len(texts) > len(said) else "")):
            return at + len(said) + 1, unit * halves // 4
    number = 1 if token.text in ("a", "an") else number_of(token)
    decimal = _DECIMAL.match(token.value)
    unit = _UNITS.get(texts[1], 0) if len(texts) > 1 and not tokens[at + 1].after_break else 0
    if texts[1:4] == ["and", "a", "half"] and len(texts) > 4 and number:
        unit = _UNITS.get(texts[4], 0)
        return (at + 5, number * unit + unit // 2) if unit else (at, 0)
    if not unit or (texts[1] == "s" and token.text in ("a", "an")):
        return at, 0
    if decimal:
        return at + 2, int(decimal[1]) * unit + int(decimal[2]) * unit // 10
    if number is None or token.text in ("first", "second", "third", "dozen"):
        return at, 0
    if texts[2:5] == ["and", "a", "half"]:
        return at + 5, number * unit + unit // 2
    return at + 2, number * unit


# Fractions of a unit, in quarters of it.
_FRACTIONS: tuple[tuple[list[str], int], ...] = (
    (["half", "a"], 2),
    (["half", "an"], 2),
    (["a", "half"], 2),
    (["one", "half"], 2),
    (["a", "quarter", "of", "an"], 1),
    (["quarter", "of", "an"], 1),
    (["three", "quarters", "of", "an"], 3),
)
