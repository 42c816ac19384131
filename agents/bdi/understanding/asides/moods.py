"""Which clauses of a text ask for something, and which only give background: reasons, history, what must not happen.

Whoever writes as to a colleague tells more than is to be done: *I have no time to read it, so could you …*. A clause
that tells is set aside only where its form says so: a subject and a verb of its own, no word of asking, nothing that
could be a value or a condition. What it names stays known, so that *it* is understood.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.words.filler import ARTICLES, IDLE, INFINITIVE
from agents.bdi.understanding.words.lexicon import Lexicon
from agents.bdi.understanding.words.morphology import bases
from agents.bdi.understanding.words.naming_words import FILE_HEADS, FOLDER_HEADS
from agents.bdi.understanding.words.tokens import DATA, FLAG, NUMBER, PATH, QUOTED, SIGN, URL, WORD, Token, number_of

_PEOPLE = frozenset("i we he she they nobody noone everybody everyone somebody someone people".split())
_THINGS = frozenset({"it", "that", "this", "these", "those", "there"})
_DETERMINERS = frozenset("my our his her their the this that these those your a an all both some".split())
_BE = frozenset({"am", "is", "are", "was", "were"})
_AUXILIARIES = _BE | {"has", "have", "had", "do", "does", "did", "will", "can", "looks", "seems"}
FINITE = _BE | frozenset(
    """
has have had do does did will can cannot looks look seems seem became got went belongs belong keeps keep takes take
broke breaks break fails failed fail crashed crashes came comes says said told asked wrote sent gave lives lies works
work worked stopped moved changed grew grows happened starts started ends ended arrives arrived looked seemed
    """.split()
)
# Words between subject and verb.
_BETWEEN = frozenset(
    "really just already still always also often currently simply recently never now all both only".split()
)
_BEFORE = frozenset(
    """
and but so well oh sorry ok okay hi hello hey because since as though although actually unfortunately currently now
just also honestly sadly fyi btw look listen today yesterday anyway besides mind thing is that thus therefore yes no
    """.split()
)
# With one of these a clause asks for something, or rules how it is to be done.
ASKING = frozenset(
    """
please kindly want wants wanted wish wishes need needs needed required require requires should shall must may might
ought let lets help ask request prefer would could appreciate hope hoping desire allowed allow forbidden supposed
expect demand order orders insist looking wonder wondering able
    """.split()
)
RULING = frozenset(
    """
except unless besides excluding exclude skip until till instead if when whenever once after before while rest other
others else without must never rather either neither otherwise
    """.split()
)
_OPENERS = frozenset({"can", "could", "would", "will", "please", "kindly", "let", "may", "might", "shall", "should"})
_PARTING = frozenset({"so", "but", "and", "therefore", "thus", "just", "only", "then", "hence"})
_STOPS = frozenset(".!?;…")
_INDEFINITE = frozenset({"something", "anything", "it", "that", "this", "there", "them", "work", "on"})
_REASONS = frozenset({"because", "since", "as", "though", "although", "before", "while"})


@dataclass(frozen=True)
class Told:
    """What of a text asks for nothing: clauses that tell, by where they stand, and those that forbid, with their verb.

    `only_tells`: nothing else is in the text.
    """

    tells: tuple[tuple[int, int], ...] = ()
    forbids: tuple[tuple[int, int, str], ...] = ()
    only_tells: bool = False
    # Something is stated that could rule the command or give it a value.
    is_unclear: bool = False

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """Everything that is set aside, in its order."""
        return tuple(sorted((*self.tells, *((start, end) for start, end, _ in self.forbids))))


def told_in(tokens: Sequence[Token], tree: Tree, lexicon: Lexicon) -> Told:
    """The clauses of a text that tell or forbid."""
    tells: list[tuple[int, int]] = []
    perhaps: list[tuple[int, int]] = []
    forbids: list[tuple[int, int, str]] = []
    asks = unclear = False
    for start, end in _clauses(tokens, lexicon):
        clause = tokens[start:end]
        span = (clause[0].start, clause[-1].end)
        if verb := _forbidden(clause, lexicon):
            forbids.append((*span, verb))
        elif _adds_a_thing(clause):
            asks = True
        elif _tells(clause, tree, lexicon):
            # “main.py belongs in app” may be how somebody asks; beside a clause that does it only tells.
            (perhaps if _may_ask(clause, lexicon) else tells).append(span)
        elif _says_nothing_more(clause, tree, lexicon):
            perhaps.append(span)
        else:
            unclear = unclear or _states(clause)
            asks = asks or any(token.kind != SIGN and token.text not in _BEFORE for token in clause)
            tells += [(clause[begin].start, clause[stop - 1].end) for begin, stop in _reasons(clause, tree, lexicon)]
    forbids += _kept_from(tokens) if asks else ()
    return Told((*tells, *(perhaps if asks else ())), tuple(forbids), not asks, unclear)


_CHANGING = frozenset("changing touching modifying editing altering writing rewriting overwriting fixing".split())
_CHANGES = frozenset("changes change edits modifications writes alterations".split())
_ANYTHING = ARTICLES | frozenset(
    "any anything single file files code of it them at all yet for now please in to them there".split()
)


def _kept_from(tokens: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    """“Without changing any file”, “no changes, please”, “read-only”: what is asked for is to change nothing."""
    for at, token in enumerate(tokens):
        behind = tokens[at + 1].text if at + 1 < len(tokens) else ""
        before = tokens[at - 1] if at else None
        opens = before is None or before.kind == SIGN or before.text in ("and", "but", "with", "making")
        if (token.text == "without" and behind in _CHANGING) or (token.text == "no" and behind in _CHANGES and opens):
            end = at + 2
        elif token.text in ("read-only", "readonly") and opens:
            end = at + 1 + (behind == "mode")
        else:
            continue
        while end < len(tokens) and tokens[end].kind == WORD and tokens[end].text in _ANYTHING:
            end += 1
        if end < len(tokens) and tokens[end].text == "else":
            continue  # what else there is stays as it is anyway
        if token.text == "without" or end == len(tokens) or tokens[end].kind == SIGN:
            begin = at - 1 if before is not None and before.text in ("and", "but", "with", "making") else at
            yield tokens[begin].start, tokens[end - 1].end, "change"


_AUXILIARY = frozenset(
    "is are was were be been has have had will would can could may might must should shall does did do".split()
)


def _adds_a_thing(clause: Sequence[Token]) -> bool:
    """“(Read a) and the getting started page”: a further thing, though “started” looks like a verb."""
    texts = [token.text for token in clause]
    return texts[0] in ("and", "plus") and texts[1:2] != [] and texts[1] in ARTICLES and not _AUXILIARY & set(texts)


def without(text: str, told: Told) -> str:
    """The text with what is set aside blanked, so that every place stays its place."""
    for start, end in told.spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _clauses(tokens: Sequence[Token], lexicon: Lexicon) -> Iterator[tuple[int, int]]:
    """Where clauses begin and end: at stops, and where a comma or a joining word leads to another subject or verb."""
    begin = 0
    for at in range(1, len(tokens)):
        token, before = tokens[at], tokens[at - 1]
        stopped = token.after_break or (before.kind == SIGN and before.value[:1] in _STOPS)
        parted = before.kind == SIGN and before.value[:1] in ",–—-" and _begins(tokens, at, lexicon)
        joined = token.kind == WORD and token.text in _PARTING and _begins(tokens, at + 1, lexicon, of_its_own=True)
        if (stopped or parted or joined) and at > begin:
            yield begin, at
            begin = at
    if begin < len(tokens):
        yield begin, len(tokens)


def _begins(tokens: Sequence[Token], at: int, lexicon: Lexicon, *, of_its_own: bool = False) -> bool:
    """Whether a clause begins here: with a subject and a verb, with an asking word, or with a verb."""
    at = _past(tokens, at)
    if at >= len(tokens):
        return False
    if tokens[at].text in _OPENERS or (
        tokens[at : at + 2] and [one.text for one in tokens[at : at + 2]] == ["do", "not"]
    ):
        return True
    if _predicate(tokens, at) is not None:
        return True
    return (not of_its_own or tokens[at - 1].text in ("just", "only", "but")) and lexicon.is_exact_verb(tokens[at])


def _past(tokens: Sequence[Token], at: int) -> int:
    while (
        at < len(tokens)
        and tokens[at].kind in (WORD, SIGN)
        and (tokens[at].text in _BEFORE or (tokens[at].kind == SIGN and tokens[at].value[:1] in ",-–—.!"))
    ):
        at += 1
    return at


def _predicate(tokens: Sequence[Token], at: int) -> int | None:
    """Where the verb stands of a clause whose subject begins here; None where no subject and verb do."""
    first = tokens[at]
    if first.kind == WORD and first.text in _PEOPLE | _THINGS:
        verb = _verb(tokens, at + 1)
        finite = verb < len(tokens) and tokens[verb].kind == WORD
        if finite and (first.text in _PEOPLE or tokens[verb].text in FINITE):
            return verb
        if first.text not in _DETERMINERS:
            return None
    if first.kind == WORD and first.text in _DETERMINERS:
        at += 1
    elif _is_bare_subject(tokens, at):
        return at + 1
    elif first.kind != PATH:
        return None
    for verb in range(at, min(at + 6, len(tokens))):
        token = tokens[verb]
        if token.kind not in (WORD, PATH, QUOTED):
            return None
        if token.kind == WORD and token.text in FINITE and verb > at - (first.kind == PATH):
            return verb
    return None


def _is_bare_subject(tokens: Sequence[Token], at: int) -> bool:
    """“Firefox says …”, “CI is on fire”: a noun without an article before a verb that begins no command."""
    if at + 1 >= len(tokens) or tokens[at].kind != WORD or tokens[at + 1].kind != WORD:
        return False
    return tokens[at].text not in IDLE | ASKING | RULING and tokens[at + 1].text in _BARE


_BARE = frozenset(
    {"is", "are", "was", "were", "has", "had", "says", "said", "hangs", "fails", "failed", "crashed", "comes"}
)


def _verb(tokens: Sequence[Token], at: int) -> int:
    while at < len(tokens) and tokens[at].text in _BETWEEN:
        at += 1
    return at


def _tells(clause: Sequence[Token], tree: Tree, lexicon: Lexicon, *, as_reason: bool = False) -> bool:
    """Whether a clause states something, and neither asks nor rules anything."""
    at = _past(clause, 0)
    if at >= len(clause) or clause[-1].value[:1] == "?":
        return False
    verb = _predicate(clause, at)
    if verb is None:
        return False
    words = [token.text for token in clause[at:] if token.kind == WORD]
    asking = ASKING - ({"can", "could", "able"} if as_reason else set())
    if "not" in words or "no" in words:
        # “I do not need it”; “I do not want to have it any more”.
        asking = asking - {"need", "needs"}
        asking = asking - ({"want", "wants"} if {"more", "longer", "anymore"} & set(words) else set())
    if any(word in RULING or any(base in asking for base in bases(word)) for word in words):
        return False
    if [one.text for one in clause[verb : verb + 2]] in (["is", "to"], ["are", "to"], ["has", "to"], ["have", "to"]):
        return False
    if clause[verb].text in ("can", "will") and not as_reason and clause[at].text not in _PEOPLE:
        return False
    subject = clause[at].text
    if any(token.kind in (QUOTED, URL, DATA, FLAG) for token in clause):
        return False
    if subject in _PEOPLE:
        # “I copy a.txt to b” may be how somebody asks.
        return not (
            lexicon.is_exact_verb(clause[verb])
            and clause[verb].text in bases(clause[verb].text)[:1]
            and (clause[verb].text not in FINITE)
            and clause[verb].text == bases(clause[verb].text)[-1]
        )
    rest = clause[verb + 1 :]
    giving = lexicon.of_values - _BETWEEN - FILE_HEADS - FOLDER_HEADS
    if any(token.kind == WORD and token.text in giving for token in clause[at:verb]):
        # “Its name is x” gives a value.
        return False
    past = clause[verb].text in _PAST or clause[verb].text.endswith("ed")
    if not past and subject in _THINGS and clause[verb].text in _IS_OR_HAS:
        rest = _without_size(rest, lexicon)
    if not past and subject in _THINGS and any(token.kind == WORD and token.text in giving for token in rest):
        return False
    if not past and any(_counts(rest, number, lexicon) for number in range(len(rest))):
        return False
    places = subject in _THINGS and clause[verb - 1].text == subject
    return not (places and any(token.kind == PATH or tree.kind(token.value) for token in rest if token.kind != SIGN))


_PAST = frozenset(
    {"was", "were", "had", "did", "said", "told", "broke", "came", "went", "got", "became", "wrote", "sent"}
)


_IS_OR_HAS = frozenset({"is", "are", "has", "have"})
_SO_MANY = frozenset({"few", "couple", "lot", "lots", "dozen", "single"})


def _without_size(rest: Sequence[Token], lexicon: Lexicon) -> Sequence[Token]:
    """What is said of a thing without how large it is: “it is only about 90 lines”, “it has one page”."""
    at = next((at for at, one in enumerate(rest) if number_of(one) is not None or one.text in _SO_MANY), None)
    if at is None:
        return rest
    noun = next((number for number in range(at + 1, len(rest)) if lexicon.is_counted(rest[number].text)), at)
    if noun > at + 2:
        return rest
    # “212 lines of dead code”: what it consists of is no more than its size.
    behind = rest[noun + 1 :]
    return rest[:at] if behind and behind[0].text == "of" else (*rest[:at], *behind)


def _counts(clause: Sequence[Token], at: int, lexicon: Lexicon) -> bool:
    """Whether a number stands here that counts what a command may count: “it is only about 90 lines”."""
    if number_of(clause[at]) is None:
        return False
    beside = (*clause[max(0, at - 1) : at], *clause[at + 1 : at + 3])
    return any(one.kind == WORD and lexicon.is_counted(one.text) for one in beside)


def _states(clause: Sequence[Token]) -> bool:
    """Whether a clause says how something is, and asks for nothing: “it is only about 90 lines”."""
    at = _past(clause, 0)
    if at >= len(clause) or clause[-1].value[:1] == "?" or any(one.kind in (QUOTED, URL) for one in clause):
        return False
    verb = _predicate(clause, at)
    if verb is None or clause[at].text not in _THINGS or clause[verb].text not in _BE:
        return False
    words = [token.text for token in clause if token.kind == WORD]
    return not any(base in ASKING for word in words for base in bases(word)) and clause[verb + 1 : verb + 2] != ()


def _may_ask(clause: Sequence[Token], lexicon: Lexicon) -> bool:
    at = _past(clause, 0)
    verb = _predicate(clause, at)
    if verb is None or clause[at].text in _PEOPLE or clause[verb].text in _AUXILIARIES:
        return False
    return lexicon.knows(clause[verb].text)


def _says_nothing_more(clause: Sequence[Token], tree: Tree, lexicon: Lexicon) -> bool:
    """Whether somebody says what they want or must, and names nothing: “I want to work there”, “I have to check that”.

    Beside a clause that asks for something it is why that is asked.
    """
    at = _past(clause, 0)
    texts = [token.text for token in clause[at:]]
    if texts[:1] not in (["i"], ["we"]) or len(texts) < 3 or clause[-1].value[:1] == "?":
        return False
    verb = min(_verb(clause, at + 1), len(clause) - 1)
    must = clause[verb].text in ("must", "will", "should")
    if not must and not (clause[verb].text in INFINITIVE and verb + 1 < len(clause) and clause[verb + 1].text == "to"):
        return False
    rest = clause[verb + (1 if must else 2) :]
    words = [token for token in rest if token.kind != SIGN]
    return bool(words) and not any(
        token.kind != WORD
        or token.text in RULING
        or tree.kind(token.value)
        or number_of(token) is not None
        or (at and lexicon.knows(token.text) and token.text not in IDLE | _INDEFINITE)
        for at, token in enumerate(words)
    )


def _reasons(clause: Sequence[Token], tree: Tree, lexicon: Lexicon) -> Iterator[tuple[int, int]]:
    """Where a clause that asks says why: from “because” or “so that I can” to the next comma."""
    at = 0
    while at < len(clause):
        token = clause[at]
        begins = token.kind == WORD and (token.text in _REASONS or token.text == "so")
        end = next((stop for stop in range(at + 1, len(clause)) if clause[stop].kind == SIGN), len(clause))
        own = at + 1 + (token.text == "so" and at + 1 < len(clause) and clause[at + 1].text == "that")
        subject = clause[own].text if own < len(clause) else ""
        speaks = subject in _PEOPLE or (token.text != "so" and _predicate_in(clause, own))
        if token.text in ("before", "while") and not (
            own < end and subject in ("i", "we") and _is_no_command(clause, own, lexicon)
        ):
            at += 1
            continue
        because = token.text in ("because", "before", "while") and own < end and _rules_nothing(clause[own:end])
        if begins and (because or (speaks and _tells(clause[own:end], tree, lexicon, as_reason=True))):
            yield at, end
            at = end
        at += 1


def _is_no_command(clause: Sequence[Token], at: int, lexicon: Lexicon) -> bool:
    return at + 1 < len(clause) and not lexicon.is_exact_verb(clause[at + 1])


def _rules_nothing(clause: Sequence[Token]) -> bool:
    return not any(
        token.kind in (QUOTED, URL, DATA, FLAG, NUMBER) or token.text in RULING | {"must", "should", "shall"}
        for token in clause
    )


def _predicate_in(clause: Sequence[Token], at: int) -> bool:
    return at < len(clause) and _predicate(clause, at) is not None


def _forbidden(clause: Sequence[Token], lexicon: Lexicon) -> str:
    """The verb of a clause that forbids: “do not open anything”; empty where it does not."""
    words = [token for token in clause if token.kind != SIGN]
    while words and (words[0].text in _BEFORE or words[0].text in ("please", "kindly", "you", "can", "just")):
        words = words[1:]
    texts = [token.text for token in words[:3]]
    if texts[:2] == ["do", "not"] and len(texts) == 3:
        verb = words[2]
    elif texts[:1] == ["never"] and len(texts) > 1:
        verb = words[1]
    else:
        return ""
    if any(token.text in RULING or token.kind in (QUOTED, URL, DATA) or number_of(token) for token in words[2:]):
        return ""
    return bases(verb.text)[-1] if verb.kind == WORD and verb.text not in IDLE - {"make", "take", "run", "use"} else ""
