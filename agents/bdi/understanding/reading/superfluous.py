"""Values that no parameter takes: flags, `name=value`, asides with a number."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence

from agents.bdi.understanding.names import paths
from agents.bdi.understanding.names.naming import words_of
from agents.bdi.understanding.names.tree_index import by_any_word
from agents.bdi.understanding.reading.state import State
from agents.bdi.understanding.reading.unknown_settings import rules
from agents.bdi.understanding.values.filled import Filled
from agents.bdi.understanding.words.filler import ARTICLES, DOUBT, IDLE
from agents.bdi.understanding.words.morphology import bases, singular
from agents.bdi.understanding.words.tokens import FLAG, NUMBER, PATH, QUOTED, URL, WORD, Token, number_of

# Said before a noun, these tell how, or what for, something is done.
_LEADING = frozenset({"with", "using", "in", "at", "for", "during"})
# Of these in a phrase nobody knows whether the phrase says which things are meant, or how many.
_CHOOSING = frozenset(
    """
all every each both other others rest same different last first newest latest oldest older newer most least largest
biggest smallest more less than which that who whose only
english french german spanish italian portuguese dutch polish turkish russian chinese japanese latin
monday tuesday wednesday thursday friday saturday sunday noon midnight minutes hours days weeks
    """.split()
)
MOST_WORDS = 6
_SPOKEN = re.compile(r"[\w'’.,-]+\Z")


def without_superfluous(
    left: Sequence[Token], giving: frozenset[str], is_open: Callable[[str], bool]
) -> tuple[list[Token], tuple[str, ...]]:
    """Values that no parameter takes: flags, `name=value`, “with 8 threads”, “with mode 755”. The rest comes back.

    `giving` are the words by which the command is given a value: what has one of them is none of these; `is_open`
    says of a little word whether a value could still stand behind it: “in the minutes of 2025”.
    """
    rest: list[Token] = []
    found: list[str] = []
    at = 0
    while at < len(left):
        token = left[at]
        if token.kind == FLAG and token.text.lstrip("-") not in DOUBT:
            found.append(token.value)
        elif token.kind == WORD and _is_set(left[at : at + 3]) and not rules(token.text):
            found.append(f"{token.value}={left[at + 2].value}")
            at += 2
        elif (
            token.kind == WORD
            and token.text in ("with", "using", "at", "in")
            and not (token.text in ("at", "in") and is_open(token.text))
            and (length := _counted(left[at + 1 :]))
            and giving.isdisjoint(one.text for one in left[at + 1 : at + 1 + length])
        ):
            found.append(" ".join(one.value for one in left[at : at + 1 + length]))
            at += length
        else:
            rest.append(token)
        at += 1
    return rest, tuple(found)


def _is_set(three: Sequence[Token]) -> bool:
    """Whether they are `name=value` as it was said: what is left of a text need not have stood side by side."""
    return len(three) == 3 and three[1].value == "=" and all(b.start - a.end <= 1 for a, b in itertools.pairwise(three))


# Behind these “for …” says what is looked for, and not what for it is done.
_EXAMINING = frozenset(
    """
look go check scan search inspect examine review audit comb screen test verify analyze analyse vet hunt watch sift
proofread assess study
    """.split()
)


def adjuncts(left: Sequence[Token], state: State) -> list[list[Token]]:
    """Phrases that say how or what for, of a command that can take no such value: “in a nice font”, “for the demo”.

    None of their words is one by which the command is given a value or names what is here, and no parameter that is
    still open stands behind such a little word.
    """
    if _LEADING.isdisjoint(token.text for token in left) or any(one.shape == "line" for one in state.entry.sense.slots):
        # What a program is to be run with is no manner of speaking.
        return []
    loose = {token.start for token in left}
    # Of what is looked for “with …” says which it is.
    verbs = {base for at in state.used for base in bases(state.tokens[at].text)}
    leading = _LEADING - ({"for"} if verbs & _EXAMINING else frozenset())
    leading -= {"with"} if any(one.shape in ("pattern", "ending") for one in state.entry.sense.slots) else set()
    found: list[list[Token]] = []
    tokens, at = state.tokens, 0
    while at < len(tokens):
        phrase: list[Token] = []
        if tokens[at].start in loose and tokens[at].text in leading and not is_open_behind(tokens[at].text, state):
            end = at + 1
            while end < len(tokens) and tokens[end].start in loose and tokens[end].kind in (WORD, NUMBER):
                if tokens[end].text in _LEADING | {"and"}:
                    break
                end += 1
            phrase = list(tokens[at:end])
        if len(phrase) > 1 and _says_nothing(phrase[1:], state):
            found.append(phrase)
        at += max(1, len(phrase))
    return found


_NAMED_BY = frozenset({"at", "called", "named"})
# What somebody's own words are, before the words.
_LABELS = frozenset("word words text line sentence phrase string term message title entry item expression".split())


def labels(left: Sequence[Token], state: State) -> list[Token]:
    """The nouns that say what a text in quotes is which stands behind them: “the sentence "see you"”."""
    quoted = {token.start: at for at, token in enumerate(state.tokens) if token.kind == QUOTED}
    before = [state.tokens[at - 1] for at in quoted.values() if at]
    return [token for token in left if token in before and token.text in _LABELS]


def of_an_address(left: Sequence[Token], state: State) -> list[Token]:
    """The nouns that say what lies at an address which stands behind them: “the price list from https://…”."""
    at = next((at for at, one in enumerate(state.tokens) if one.kind == URL), 0)
    loose = {token.start for token in left}
    end = at - 1 if at and state.tokens[at - 1].text in ("from", "at", "on", "of", "under", "behind") else at
    begin = end
    while begin and state.tokens[begin - 1].kind == WORD and state.tokens[begin - 1].text not in ARTICLES:
        begin -= 1
    nouns = state.tokens[begin:end]
    giving = state.lexicon.words_of_values(state.entry.command)
    is_phrase = 0 < len(nouns) <= 3 and begin > 0 and all(noun.start in loose for noun in nouns)
    chooses = begin > 1 and state.tokens[begin - 2].text in _CHOOSING
    if (
        not is_phrase
        or chooses
        or any(
            state.lexicon.is_slip(noun) or noun.text in giving | state.entry.never | DOUBT | _CHOOSING | IDLE
            for noun in nouns
        )
    ):
        return []
    return list(nouns)


def appositions(left: Sequence[Token], state: State) -> list[Token]:
    """The nouns that say what a path is which stands behind them: “the letter to_boss.txt”, “the list at a/b.csv”."""
    places = state.lexicon.registry.said(state.entry.command).places
    loose = {token.start for token in left}
    found: list[Token] = []
    for name in places:
        one = state.params.get(name)
        at = next((at for at, token in enumerate(state.tokens) if one and one.span and token.start == one.span[0]), 0)
        if not at or state.tokens[at].kind != PATH:
            continue
        end = at - 1 if state.tokens[at - 1].text in _NAMED_BY else at
        begin = end
        while begin and state.tokens[begin - 1].kind == WORD and state.tokens[begin - 1].text not in ARTICLES | IDLE:
            begin -= 1
        nouns = state.tokens[begin:end]
        article = state.tokens[begin - 1].text if begin else ""
        is_noun_phrase = 0 < len(nouns) <= 2 and article in ARTICLES and all(noun.start in loose for noun in nouns)
        # “The kickoff meeting notes”, where a kickoff.md lies there: that is meant, and not the folder.
        if one is None or any(_names_another(noun, one, state) for noun in nouns):
            continue
        if is_noun_phrase and _says_nothing(nouns, state):
            found += nouns
    return found


def _names_another(noun: Token, value: Filled, state: State) -> bool:
    """Whether a word is one of the name of something here, and not of what was found."""
    own = words_of(str(value.value))
    return noun.text not in own and bool(state.situation.tree.index.at(by_any_word, noun.text))


# Nouns that say what kind of thing a name is, beside that name: “the bakery package”, “the members list”.
_KIND_NOUNS = frozenset(
    """
package module library component class list table sheet spreadsheet overview file document doc page notebook letter
contract script program source config configuration codebase subfolder subdirectory tree area section part
    """.split()
)


def kind_nouns(left: Sequence[Token], state: State) -> list[Token]:
    """What is left beside a name that was surely found, and only says what kind of thing it is."""
    places = state.lexicon.registry.said(state.entry.command).places
    ends = [one.span for name, one in state.params.items() if name in places and one.span and one.value is not None]
    giving = state.lexicon.words_of_values(state.entry.command)
    # “Rename a to b and list it” does something with it, and “list” is none of its kind.
    done = {one.start for one, two in itertools.pairwise(state.tokens) if two.text in ("it", "them")}
    return [
        token
        for token in left
        if token.text in _KIND_NOUNS
        and token.start not in done
        and token.text not in giving
        and not state.situation.tree.kind(token.value)
        and any(start < token.start < end + 2 for start, end in ends)
    ]


def is_open_behind(word: str, state: State) -> bool:
    return any(cue.slot.parameter not in state.params for cue in state.entry.cues.get(word, ()))


def _says_nothing(phrase: Sequence[Token], state: State) -> bool:
    said = [token for token in phrase if token.text not in IDLE and number_of(token) is None]
    if not said or len(phrase) > MOST_WORDS or phrase[0].text in ("that", "those", "these"):
        return False
    if any(not _SPOKEN.match(token.value) for token in phrase):
        return False  # “for TODO|FIXME” says more than how
    giving = state.lexicon.words_of_values(state.entry.command)
    tree = state.situation.tree
    for token in phrase:
        if token.text in DOUBT | _CHOOSING or (state.lexicon.is_exact_verb(token) and token.text not in IDLE):
            return False
    for token in said:
        if {token.text, singular(token.text), *bases(token.text)} & giving or token.text in state.entry.never:
            return False
        if token.kind == WORD and paths.find(token.value, tree).value is not None:
            return False
    # “In the attic” may say where; “in a nice font” says how.
    places = state.lexicon.registry.said(state.entry.command).places
    return not (places and state.tokens and phrase[0].text in ("the", "my", "our") and _is_where(phrase, state))


def _is_where(phrase: Sequence[Token], state: State) -> bool:
    at = next(number for number, token in enumerate(state.tokens) if token is phrase[0])
    return at > 0 and state.tokens[at - 1].text in ("in", "at")


def _counted(tokens: Sequence[Token]) -> int:
    """How many tokens an aside with a number takes: (a) timeout (of) 30 (seconds), 8 threads, verbosity 3."""
    words = 0
    for at, token in enumerate(tokens[:5]):
        if token.kind == NUMBER:
            after = tokens[at + 1 : at + 2]
            takes = (
                after
                and after[0].kind == WORD
                and not words
                and after[0].start - token.end < 3
                and after[0].text not in IDLE
            )
            return at + 2 if takes else (at + 1 if words else 0)
        if token.kind != WORD or token.text in DOUBT:
            return 0
        if token.text not in ARTICLES and token.text != "of":
            words += 1
        if words > 2:
            return 0
    return 0
