"""What people write before, between and after requests: its clauses, and which of them are only talk.

A text is cut where its signs and its joining words lead to another clause, and where a clause with a subject of its
own or a request begins without either. A clause talks when it has a subject and a finite verb and asks, rules and
forbids nothing; what has no verb talks only where it opens a text and none of its words means anything here. Whether
the rest is a whole command without it, and whether it gives that command no value, is decided where both are known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agents.bdi.understanding.asides.moods import FINITE
from agents.bdi.understanding.names import paths
from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.understood import Meant
from agents.bdi.understanding.words.filler import ARTICLES, DOUBT, IDLE
from agents.bdi.understanding.words.lexicon import Lexicon
from agents.bdi.understanding.words.morphology import bases
from agents.bdi.understanding.words.naming_words import FILE_HEADS, FOLDER_HEADS
from agents.bdi.understanding.words.tokens import NUMBER, PATH, SIGN, WORD, Token

_PARTS = frozenset(",;.!?()–—-:…")
_ONE = frozenset("i he she it this that nobody noone somebody someone everybody everyone something everything".split())
_MANY = frozenset({"we", "they", "there", "mine", "these", "those", "people", "you"})
_SUBJECTS = _ONE | _MANY
_SPEAKERS = frozenset({"i", "we"})
_DETERMINERS = ARTICLES | {"both", "all", "no", "every", "each", "another", "any"}
_MODALS = frozenset("can could will would shall should must may might".split())
_AUXILIARIES = frozenset("am is are was were has have had do does did".split()) | _MODALS
_PASTS = frozenset(
    """
ate became began bought broke brought built came caught chose did drank drew drove fell felt forgot found gave got grew
heard held hid kept knew left lent lost made meant met paid put ran said saw sent set sold spent spoke stole stood
swam swore taught thought threw told took understood went wore won wrote flew rang sang slept spilt stank died hung cost
cut hit hurt let quit read rid shut split
    """.split()
)
_BETWEEN = frozenset(
    """
really just already still always also often currently simply recently never now all both only probably finally
actually obviously apparently usually even hardly almost nearly definitely sure certainly surely sadly not absolutely
    """.split()
)
_JOINING = frozenset("and but so because since therefore thus hence cause cuz as though although while".split())
# What stands before the subject of a clause that talks.
_OPENING = frozenset(
    """
and but so because since therefore thus hence cause cuz as though although while oh well sorry ok okay hi hello hey
actually unfortunately now just also honestly sadly fyi btw look listen today yesterday anyway besides yes yeah hmm then
ah alas luckily thankfully finally apparently obviously man dude thanks by the way again
    """.split()
)
# What leads on to a clause that belongs to the words before it.
_LEADING_ON = frozenset(
    """
what which who whom whose that where how why when if whether than until unless like or to of in on for from with at by
is are was were be do does did not the a an my our his her their your about into under called named saying says said
know think say guess hope believe bet mean see sure told time
    """.split()
)
_REQUESTS = frozenset({"please", "kindly", "pls"})
_ASKED = frozenset({"you", "someone", "somebody", "anyone", "anybody"})
# With one of these a clause rules what is asked for, or takes it back.
_RULING = frozenset(
    """
except unless besides excluding exclude skip until till instead otherwise either neither whichever whatever rather
without whenever once others rest else dry dryrun dry-run simulate simulated pretend undo revert nope oops nevermind nvm
scratch imagine suppose supposing assume assuming hypothetically theoretically forbid forbids forbade
    """.split()
)
# Of these a word that stands alone takes back what follows it, or puts it off.
_HEADINGS = frozenset(
    """
wait test example quote forget ignore disregard cancel stop later tomorrow tonight someday eventually sometime draft
idea proposal question todo reminder ticket title subject message text note name rule policy joke no not never half
only
    """.split()
)
_TO_COME = frozenset("later tomorrow tonight someday eventually sometime".split())
_DOING = frozenset({"do", "does", "doing", "done", "did", "happen", "happens"})
_ABBREVIATED = frozenset("dr mr mrs ms st prof nr no vs etc eg ie approx".split())
_KNOWING = frozenset(
    "know knows wonder wonders sure see idea clue asked asks ask asking wondering check certain".split()
)
_SAYING = frozenset("say says said tell tells told write writes wrote read reads ask asks asked order orders".split())
# What somebody needs or wants to do, and nothing is done by it: “I need to know”, “I must be careful”.
_HARMLESS = frozenset(
    """
be see know check read look understand find leave go hurry decide answer explain prepare plan compare learn think sleep
eat work finish rest talk call phone tell catch get remember admit confess say present sign pay meet run travel
drive cook
    """.split()
)
_WISHES = frozenset(
    "need needs want wants wish like love prefer hope appreciate ask request require must should".split()
)
_THEM = frozenset({"it", "them", "this", "that", "these", "those"})
_RULED = frozenset("need needs should must ought belong belongs shall may might".split())
_MOST_FRAGMENT = 8
# A word so near to a name is one.
_SURELY = 0.85


@dataclass(frozen=True)
class Piece:
    """A clause or a fragment, the sign that ends it, and whether it stands in brackets."""

    tokens: tuple[Token, ...]
    ended: str
    is_bracketed: bool = False


def talk_in(tokens: Sequence[Token], tree: Tree, lexicon: Lexicon) -> list[tuple[Token, ...]]:
    """The pieces of a text that only talk by their form; none where nothing else is in it."""
    pieces = list(_pieces(tokens, lexicon))
    told = [_tells(piece, tree, lexicon) for piece in pieces]
    requests = [at for at, talks in enumerate(told) if not talks and not _is_idle(pieces[at], lexicon)]
    if not requests:
        return []
    begins = next((at for at in requests if _may_request(pieces[at], lexicon)), requests[0])
    found: list[tuple[Token, ...]] = []
    for at, (piece, talks) in enumerate(zip(pieces, told, strict=True)):
        opens = at < begins and (_is_loose(piece, tree, lexicon) or _is_idle(piece, lexicon))
        if talks or opens:
            found.append(piece.tokens)
        elif found and found[-1] is pieces[at - 1].tokens and piece.tokens[0].text in _LEADING_BACK:
            # “I am late, but where is …”: what joins the request to the talk before it goes with that.
            found.append(piece.tokens[:1])
    return found


_LEADING_BACK = frozenset({"so", "but", "and", "therefore", "thus", "hence"})


def is_past(talk: Sequence[Token], lexicon: Lexicon) -> bool:
    """Whether a clause tells what somebody did, which gives no command a value."""
    clause = _past_opening(talk)
    verb = _verb_at(clause, lexicon)
    if verb is None or clause[0].text not in ("i", "we", "he", "she", "they"):
        return False
    text = clause[verb].text
    return text in ("was", "were", "had", "did") or text in _PASTS or text.endswith("ed")


def names_another(talk: Sequence[Token], meant: Sequence[Meant], tree: Tree) -> bool:
    """Whether a piece speaks of something here that the commands are not about, or of one of several."""
    said = " ".join(str(value) for one in meant for value in one.values().values()).casefold()
    texts = [one.text for one in talk]
    for before, token in zip((None, *talk), talk, strict=False):
        chosen = token.text in ("one", "ones", "other") and before is not None
        if chosen and before is not None and before.text not in ("no", "any", "every", "no-one") and "a" not in texts:
            return True
        if (token.kind == PATH or tree.kind(token.value)) and token.text.rpartition("/")[2] not in said:
            return True
    return False


def _is_idle(piece: Piece, lexicon: Lexicon) -> bool:
    return all(one.kind == WORD and one.text in IDLE and not lexicon.is_exact_verb(one) for one in piece.tokens)


# ---- where pieces begin ----


def _pieces(tokens: Sequence[Token], lexicon: Lexicon) -> Iterator[Piece]:
    begin, depth = 0, 0
    tokens = [
        token
        for before, token in zip((None, *tokens), tokens, strict=False)
        if token.value != "." or before is None or before.text not in _ABBREVIATED
    ]
    for at, token in enumerate(tokens):
        is_sign = token.kind == SIGN and token.value[:1] in _PARTS
        if is_sign or (token.after_break and at > begin):
            if at > begin:
                yield from _clauses(tuple(tokens[begin:at]), token.value[:1] if is_sign else "\n", depth > 0, lexicon)
            if is_sign:
                depth = max(0, depth + token.value.count("(") - token.value.count(")"))
            begin = at + is_sign
    if begin < len(tokens):
        yield from _clauses(tuple(tokens[begin:]), "", depth > 0, lexicon)


def _clauses(segment: tuple[Token, ...], ended: str, is_bracketed: bool, lexicon: Lexicon) -> Iterator[Piece]:
    """The clauses of what stands between two signs."""
    begin = 0
    for at in range(1, len(segment)):
        if _begins(segment, begin, at, lexicon):
            yield Piece(segment[begin:at], "", is_bracketed)
            begin = at
    yield Piece(segment[begin:], ended, is_bracketed)


def _begins(segment: Sequence[Token], begin: int, at: int, lexicon: Lexicon) -> bool:
    token, before = segment[at], segment[at - 1]
    behind = at
    while token.text in _JOINING and behind < len(segment) - 1 and segment[behind].text in _OPENING:
        behind += 1
    joined = behind > at
    starts = joined or (before.text not in _LEADING_ON | _JOINING | _OPENING | _MODALS)
    if not starts:
        return False
    if segment[behind].text in _SUBJECTS - {"it", "this", "that", "there"} or joined:
        if _verb_at(segment[behind:], lexicon) is not None:
            return True
    elif segment[behind].text in _SUBJECTS:
        is_free = before.text not in ARTICLES and not lexicon.is_verb(before)
        if is_free and any(one.text in _AUXILIARIES for one in segment[behind + 1 : behind + 2]):
            return True
    if not joined and _verb_at(_past_opening(segment[begin:at]), lexicon) is None:
        return False  # what is only a request goes on
    return _requests(segment, behind, lexicon)


def _requests(segment: Sequence[Token], at: int, lexicon: Lexicon) -> bool:
    """Whether a request begins here, behind a clause that talks."""
    texts = [one.text for one in segment[at : at + 2]]
    if texts[0] in _REQUESTS or (texts[0] in _MODALS and texts[1:] and texts[1] in _ASKED):
        return True
    first, before = segment[at], segment[max(0, at - 2) : at]
    is_order = lexicon.is_exact_verb(first) and first.text == bases(first.text)[-1]
    return is_order and first.text not in IDLE | _NO_ORDERS and _DETERMINERS.isdisjoint(one.text for one in before)


def _may_request(piece: Piece, lexicon: Lexicon) -> bool:
    return any(
        lexicon.is_exact_verb(one) and one.text == bases(one.text)[-1] and one.text not in IDLE | _NO_ORDERS
        for one in piece.tokens
    )


# Commands are said by these too, and nobody orders anything by one alone.
_NO_ORDERS = frozenset({"no", "like", "what", "which", "any", "all", "new", "notes", "empty"})


# ---- what a piece is ----


def _past_opening(tokens: Sequence[Token]) -> Sequence[Token]:
    while len(tokens) > 1 and tokens[0].kind == WORD and tokens[0].text in _OPENING:
        tokens = tokens[1:]
    return tokens


def _verb_at(clause: Sequence[Token], lexicon: Lexicon) -> int | None:
    """Where the finite verb stands of a clause that begins with its subject; None where no subject and verb do."""
    if len(clause) < 2 or clause[0].kind not in (WORD, NUMBER, PATH):
        return None
    first = clause[0].text
    if first in _SUBJECTS:
        at = _past_adverbs(clause, 1)
        verb = clause[at] if at < len(clause) else None
        if verb is not None and verb.kind == WORD and (first not in ("that", "this", "these", "those", "there")):
            return at if first in _SPEAKERS | {"they", "you", "people"} or _is_finite(clause, at) else None
        if verb is not None and _is_finite(clause, at):
            return at
        if first not in _DETERMINERS:
            return None
    begins = 1
    if first in _DETERMINERS:
        begins = 2
    elif clause[0].kind == WORD and (first in IDLE or first in _LEADING_ON or lexicon.is_exact_verb(clause[0])):
        return None
    for at in range(begins, min(len(clause), begins + 6)):
        if clause[at].kind not in (WORD, NUMBER, PATH):
            return None
        if clause[at].text in _ENDING_A_SUBJECT:
            return None
        if _is_finite(clause, at):
            return at
    return None


_ENDING_A_SUBJECT = (
    _LEADING_ON - _AUXILIARIES - frozenset("of in at from for on said says to called named told".split())
)


def _past_adverbs(clause: Sequence[Token], at: int) -> int:
    while at < len(clause) - 1 and clause[at].text in _BETWEEN:
        at += 1
    return at


_BEHIND = (
    ARTICLES
    | _THEM
    | frozenset(
        """
him her me us everything everybody everyone nothing to that how what why in on at about for with off up out down over
again already twice today yesterday tomorrow tonight now well badly too so very soon early late here there home
    """.split()
    )
)


def _is_finite(clause: Sequence[Token], at: int) -> bool:
    """Whether a word is the verb of a clause by its form and by what stands behind it."""
    token = clause[at]
    if token.kind != WORD:
        return False
    text = token.text
    if text in FINITE | _AUXILIARIES or text in _PASTS:
        return clause[at - 1].text != "to" and clause[at - 1].text not in ARTICLES - {"this", "that"}
    behind = clause[at + 1].text if at + 1 < len(clause) else ""
    goes_on = not behind or behind in _BEHIND or clause[at + 1].kind != WORD
    if text.endswith("ed") and len(text) > 3 and clause[at - 1].text not in ARTICLES:
        # “The files created in May” are only described like that.
        return goes_on and clause[at - 1].text not in FILE_HEADS | FOLDER_HEADS
    is_third = (
        text.endswith("s") and not text.endswith("ss") and len(text) > 3 and not clause[at - 1].text.endswith("s")
    )
    return is_third and goes_on and clause[at - 1].text not in ARTICLES and behind not in ("of", "")


def _tells(piece: Piece, tree: Tree, lexicon: Lexicon) -> bool:
    """Whether a piece is a clause of its own that asks, rules and forbids nothing."""
    clause = _past_opening(piece.tokens)
    if piece.ended == "?" or any(one.kind not in (WORD, NUMBER, PATH, SIGN) for one in clause):
        return False
    verb = _verb_at(clause, lexicon)
    if verb is None or _rules(clause):
        return False
    words = [one.text for one in clause]
    if piece.ended == ":" and _SAYING & set(words) and "you" not in words and "for" not in words:
        return False  # “my boss said: delete it” may be what somebody wants, or only tells
    subject, main = clause[0].text, clause[verb].text
    if subject == "you":
        return False
    negated = bool({"not", "no", "nobody", "never", "nothing", "noone", "none"} & set(words))
    if subject in _SPEAKERS:
        return _speaks_of_itself(clause, verb, lexicon, negated=negated)
    if negated and _wishes_not(words):
        return False  # “nobody should touch it”, “she does not want it changed”
    is_somebody = subject in ("he", "she", "they", "everybody", "everyone", "somebody", "someone", "people")
    if not is_somebody and any(base in _RULED for base in bases(main)):
        return False  # “the name should be x”, “it belongs there”
    following = [one.text for one in clause[verb + 1 : verb + 3]]
    return not (main in ("is", "are", "has", "have", "can", "will") and following[:1] in (["to"], ["go"], ["called"]))


def _wishes_not(words: Sequence[str]) -> bool:
    if words[0] in ("nobody", "noone", "nothing"):
        return any(base in _WISHES for word in words for base in bases(word))
    return any(
        base in _WISHES and {"not", "never"} & set(words[max(0, at - 2) : at])
        for at, word in enumerate(words)
        for base in bases(word)
    )


_THINKING = frozenset("know think guess believe bet hope keep keep love hate like".split())


def _speaks_of_itself(clause: Sequence[Token], verb: int, lexicon: Lexicon, *, negated: bool) -> bool:
    """Whether “I …”, “we …” only tells: what somebody wants to be done, or does as an order, asks for it."""
    main = clause[verb]
    rest = [one.text for one in clause[verb + 1 :] if one.text not in _BETWEEN]
    if main.text in _AUXILIARIES and rest:
        if main.text == "would":
            return rest[0] not in _WISHES
        if main.text in ("must", "should", "shall", "may", "might"):
            return rest[0] in _HARMLESS and not _gives_names(clause)
        if main.text in ("have", "had") and rest[0] == "to":
            return rest[1:2] != [] and rest[1] in _HARMLESS and not _gives_names(clause)
        if main.text in ("can", "could", "will") and not negated:
            return not lexicon.is_exact_verb(next(one for one in clause[verb + 1 :] if one.text == rest[0]))
        wishes = negated and bool({"want", "wish", "like"} & set(rest))
        return not wishes
    if main.text in _WISHES:
        if negated:
            return main.text == "need"
        if rest[:1] == ["to"]:
            return rest[1:2] != [] and rest[1] in _HARMLESS and not _gives_names(clause)
        if main.text == "hope":
            return True
        if main.text in ("need", "want") and rest and rest[0] not in _THEM:
            # “We need more room” names nothing that could be made or found.
            return not _gives_names(clause) and not any(_may_be_meant(one, lexicon) for one in clause[verb + 1 :])
        return bool(rest) and rest[0] in _THEM and not lexicon.is_verb(clause[-1])
    if main.text in _THINKING:
        return True
    # “I copy a.txt to b” may be how somebody asks.
    is_order = lexicon.is_exact_verb(main) and main.text == bases(main.text)[-1] and main.text not in _PASTS | FINITE
    return not is_order


def _may_be_meant(token: Token, lexicon: Lexicon) -> bool:
    is_order = lexicon.is_exact_verb(token) and token.text == bases(token.text)[-1] and token.text not in IDLE
    return token.text in lexicon.keys | FILE_HEADS | FOLDER_HEADS or is_order


def _gives_names(clause: Sequence[Token]) -> bool:
    return any(one.kind in (PATH, NUMBER) for one in clause)


def _rules(clause: Sequence[Token]) -> bool:
    for at, one in enumerate(clause):
        before = clause[at - 1].text if at else ""
        if one.kind != WORD:
            continue
        if one.text in _RULING:
            return True
        if one.text in _TO_COME and _DOING & {each.text for each in clause}:
            return True
        if one.text in ("if", "whether") and not (before in _KNOWING or before in ("about", "or")):
            return True
        if one.text in ("before", "after", "when") and len(clause) - at > 3:
            return True
        if one.text == "only" and before not in ARTICLES | {"is", "was", "am", "are", "has", "have", "had"}:
            return True
        if one.text == "or" and clause[at + 1 : at + 2] and clause[at + 1].text not in ("so", "two"):
            return True
        if one.text == "other" and before in ARTICLES:
            return True
    return False


def _is_loose(piece: Piece, tree: Tree, lexicon: Lexicon) -> bool:
    """Whether a piece without a verb that opens a text means nothing here: “what a day”, “Friday afternoon”."""
    words = list(piece.tokens)
    if piece.ended == "?" or not piece.ended or len(words) > _MOST_FRAGMENT or any(one.kind != WORD for one in words):
        return False
    texts = [one.text for one in words]
    if texts[0] not in IDLE and texts[1:] and texts[1] in ARTICLES:
        return False  # “ruin my day” is an order, of whatever kind
    start = 2 if texts[:2] in (["no", "idea"], ["not", "sure"], ["no", "clue"], ["no", "joke"]) else 0
    for one in words[start:]:
        if one.text in IDLE and one.text not in _RULING:
            continue
        if one.text in DOUBT | _RULING | _SAYING | _HEADINGS and not (start and one.text in ("whether", "if")):
            return False
        if _may_be_meant(one, lexicon) or paths.find(one.value, tree).confidence > _SURELY:
            return False
    return not all(text in IDLE for text in texts)
