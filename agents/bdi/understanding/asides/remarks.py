"""Remarks beside a command: *was flaky yesterday*, *(the boss asked twice)*, *CI keeps complaining*.

A stretch of a text is one only where its form says so, a clause of its own or brackets, where it names nothing and
rules nothing, and where none of its words is one by which the commands beside it are given a value. What is left must
be understood wholly without it; else it stays, and is asked about.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from agents.bdi.understanding.asides.moods import ASKING, FINITE, RULING
from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.understood import Meant
from agents.bdi.understanding.words.filler import ARTICLES, DOUBT, IDLE
from agents.bdi.understanding.words.lexicon import Lexicon
from agents.bdi.understanding.words.morphology import bases, singular
from agents.bdi.understanding.words.tokens import NUMBER, SIGN, WORD, Token

_PARTS = frozenset(",;.!?()–—-:…")
_SUBJECTS = frozenset("i we he she they it this that there nobody noone somebody someone everybody everyone".split())
_DETERMINERS = frozenset("my our his her their its the this that these those your a an all both".split())
# What leads to a clause that belongs to the words before it.
_LEADING_ON = frozenset(
    """
what which who whom whose that where how why when if whether so as than because since though although until while
unless like and or but to of in on for from with at by is are was were be do does did not have has had
    """.split()
)
_MODALS = frozenset({"should", "must", "might", "may", "could", "would", "can", "will", "shall"})
_TOLD = frozenset(
    {"was", "were", "had", "been", "hangs", "hung", "keeps", "kept", "crashed", "crashes", "fails", "failed"}
)
_VERBS = (
    FINITE | _TOLD | {"am", "think", "guess", "lost", "need", "needs", "want", "wants", "asked", "asks", "approved"}
)
# Somebody's opinion of what they ask for, or how it comes that they do.
_OPENING = frozenset({"just", "pretty", "probably", "hopefully", "as"})
_OPINION = frozenset(
    {"curious", "sure", "wondering", "checking", "discussed", "agreed", "promised", "announced", "planned"}
)
_MARKS = frozenset({"anyway", "anyways", "ofc", "obviously", "lol", "tbh", "imo", "imho", "haha", "hell", "honestly"})
# These say that something else is meant too, or which of several.
_MORE = frozenset("too also both same other another instead first last newest latest oldest older newer recent".split())
_AFTER = frozenset({"before", "after", "afterwards", "already"})


def remarks_in(tokens: Sequence[Token], tree: Tree, lexicon: Lexicon) -> list[tuple[Token, ...]]:
    """The stretches of a text that are remarks by their form."""
    found = []
    for segment, is_bracketed in _segments(tokens):
        for part in _clauses(segment):
            # A text that begins with a clause of its own goes on telling; what stands before it is another part.
            if _is_remark(part, tree, lexicon, is_bracketed=is_bracketed):
                found.append(part)
    return found


def pieces_of(tokens: Sequence[Token]) -> list[tuple[Token, ...]]:
    """What stands between the signs of a text, and behind “so” and “but”: what may be no part of a command."""
    found: list[tuple[Token, ...]] = []
    for segment, _ in _segments(tokens):
        begin = 0
        for at in range(1, len(segment)):
            if segment[at].text in ("so", "but"):
                found.append(segment[begin:at])
                begin = at
        found.append(segment[begin:])
    return [one for one in found if one]


def gives_nothing_to(remark: Sequence[Token], meant: Sequence[Meant], lexicon: Lexicon) -> bool:
    """Whether no word of a remark is one by which these commands are given a value."""
    said = {form for token in remark if token.kind == WORD for form in (token.text, singular(token.text))} - IDLE
    commands = (lexicon.registry.command(one.tool, one.command) for one in meant)
    return all(said.isdisjoint(lexicon.words_of_values(command)) for command in commands)


def span_of(remark: Sequence[Token], text: str) -> tuple[int, int]:
    """Where a remark stands, with the comma or the bracket before it and the sign that ends it."""
    start, end = remark[0].start, remark[-1].end
    while start and (text[start - 1].isspace() or text[start - 1] in ",;(–—"):
        start -= 1
    while end < len(text) and text[end] in ".,;:!?)…":
        end += 1
    return start, end


def _segments(tokens: Sequence[Token]) -> Iterator[tuple[tuple[Token, ...], bool]]:
    """What stands between stops, commas, dashes and brackets; and whether it stands in brackets."""
    begin, depth = 0, 0
    for at, token in enumerate(tokens):
        if token.kind == SIGN and token.value[:1] in _PARTS:
            if at > begin:
                yield tuple(tokens[begin:at]), depth > 0
            depth = max(0, depth + token.value.count("(") - token.value.count(")"))
            begin = at + 1
        elif token.after_break and at > begin:
            yield tuple(tokens[begin:at]), depth > 0
            begin = at
    if begin < len(tokens):
        yield tuple(tokens[begin:]), depth > 0


def _clauses(segment: tuple[Token, ...]) -> Iterator[tuple[Token, ...]]:
    """The clauses of a segment: where nobody sets a comma, a new subject with its verb begins the next one."""
    begin = 0
    for at in range(1, len(segment)):
        before = segment[at - 1]
        if before.kind == WORD and before.text in _LEADING_ON - {"and", "but", "so"}:
            continue
        if _predicate(segment[at:]) is not None and segment[at].text in _SUBJECTS - {"this", "that"}:
            yield segment[begin:at]
            begin = at
    yield segment[begin:]


def _predicate(clause: Sequence[Token]) -> int | None:
    """Where the verb stands of a clause that begins with its subject."""
    if len(clause) < 2 or clause[0].kind not in (WORD, NUMBER):
        return None
    first = clause[0]
    if first.text in _SUBJECTS:
        at = 1
        while at < len(clause) - 1 and clause[at].text in ("really", "just", "already", "still", "also", "only", "all"):
            at += 1
        verb = clause[at]
        third = first.text in ("it", "he", "she", "nobody") and len(verb.text) > 3 and verb.text.endswith("s")
        if verb.kind == WORD and (verb.text in _VERBS | _MODALS or third or first.text in ("i", "we", "nobody")):
            return at
        if first.text not in _DETERMINERS:
            return None
    if first.kind != WORD or first.text in IDLE - _DETERMINERS:
        return None
    begins = 1 if first.text not in _DETERMINERS else 2
    for at in range(begins, min(len(clause), begins + 5)):
        if clause[at].kind not in (WORD, NUMBER):
            return None
        if clause[at].text in _VERBS or _does_something(clause, at):
            return at
    return None


def _does_something(clause: Sequence[Token], at: int) -> bool:
    """Whether a verb stands here with what it is done to behind it: “(the children) found them”, “hates the title”.

    Behind a noun the same form may only describe it: “the notes written yesterday”.
    """
    text = clause[at].text
    is_past = (text.endswith("ed") and len(text) > 4) or text in _PAST
    is_present = text.endswith("s") and not text.endswith("ss") and not clause[at - 1].text.endswith("s")
    behind = clause[at + 1].text if at + 1 < len(clause) else ""
    return (is_past or is_present) and behind in ARTICLES | _OBJECTS


_OBJECTS = frozenset({"it", "them", "him", "her", "me", "us", "everything", "everybody", "everyone", "nothing"})
_PAST = frozenset(
    """
ate became began bought broke brought built came caught chose did drank drew drove fell felt forgot found gave got grew
heard held hid kept knew left lent lost made meant met paid put ran read said saw sent set sold spent spoke stole stood
swore taught thought threw told took understood went wore won wrote
    """.split()
)


def _is_remark(part: Sequence[Token], tree: Tree, lexicon: Lexicon, *, is_bracketed: bool) -> bool:
    words = [token for token in part if token.kind == WORD]
    while words and words[0].text in ("and", "but", "so", "oh", "well", "because", "since", "hey", "yeah"):
        words, part = words[1:], part[1:]
    if len(words) < 2 or any(token.kind not in (WORD, NUMBER) or tree.kind(token.value) for token in part):
        return False
    verb = _predicate(part)
    ruling = (DOUBT | RULING | _MORE) - ({"before"} if words[-1].text in _AFTER else set())
    if any(word.text in ruling for word in words):
        return False
    others = verb is not None and part[0].text not in ("i", "we", "you")
    if not others and any(base in ASKING for word in words for base in bases(word.text)):
        return False
    if verb is not None:
        # “It must be x”, “the numbers can be replaced”: that rules. “It should be empty” is what somebody expects.
        modal = next((word.text for word in words if word.text in _MODALS), "")
        if part[0].text in ("i", "we") and part[verb].text == modal:
            # “I must be careful” is how somebody feels about it; “I must have it in docs” is what they want.
            return [one.text for one in part[verb + 1 : verb + 2]] == ["be"]
        return not modal or (modal == "should" and part[0].text in ("it", "there"))
    starts = next((word for word in words if word.text not in IDLE - {"as"}), words[0])
    if lexicon.is_exact_verb(starts) and starts.text == bases(starts.text)[-1]:
        return False
    if is_bracketed or any(word.text in _MARKS for word in words) or words[0].text in _TOLD:
        return True
    following = next((word for word in itertools.islice(words, 1, None) if word.text not in ARTICLES), words[0])
    return words[0].text in _OPENING and following.text in _OPINION
