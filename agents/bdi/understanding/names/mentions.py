"""Names in running text: “the notes on the parents' evening” becomes one token, the entry that it describes.

Names of files are written as their owners like: with spaces, numbers, accents, in another order than they are spoken
of. A phrase names an entry when each of its words is one of the entry's own or of a folder it lies in, none is used
twice, and no other entry is said as well. A noun that only says what kind of thing it is (*letter*, *picture*) need not
be in the name where the whole name is said beside it.
"""

from __future__ import annotations

import itertools
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from agents.bdi.understanding.names.entries import Entry
from agents.bdi.understanding.names.naming import words_of
from agents.bdi.understanding.names.paths import FOLDER, Tree
from agents.bdi.understanding.names.tree_index import by_number, by_whole
from agents.bdi.understanding.names.word_matching import meets
from agents.bdi.understanding.words.filler import ARTICLES
from agents.bdi.understanding.words.lexicon import Lexicon
from agents.bdi.understanding.words.morphology import singular
from agents.bdi.understanding.words.naming_words import FILE_HEADS, FOLDER_HEADS
from agents.bdi.understanding.words.tokens import NUMBER, PATH, SIGN, WORD, Token

# A phrase has so many tokens at most.
LONGEST = 10
# Between the words of a phrase: what belongs to what, and what may as well say where something goes.
_OF = frozenset({"of", "on", "about", "'s", "the", "my", "our", "'", "&", "-"})
_TO = _OF | {"for", "from", "to", "in", "with", "at", "by"}
# Before a phrase these say that none of those that are there is meant.
_INDEFINITE = frozenset({"a", "an", "another", "any", "every", "each", "some", "new", "all", "no", "which", "what"})
# What a kind of thing is called, by what such things are kept in; any other entry is none of them.
_IMAGES = "jpg jpeg png gif tif tiff bmp svg webp"
_KEPT_IN = {
    "table spreadsheet sheet data figures numbers list": "csv tsv xlsx xls ods json txt md",
    "picture photo photograph image drawing scan": _IMAGES,
    "script program module": "py sh js ts rb pl ps1",
    "letter note plan recipe report minutes list manual page text label invoice guide draft paper essay form"
    " article chapter protocol record entry feedback instructions mail": "txt md pdf doc docx odt rtf tex html",
    "file document": "",
    "folder directory dir package": FOLDER,
}
_KINDS: Mapping[str, frozenset[str]] = {
    noun: frozenset(endings.split()) | frozenset(
        ending for nouns, more in _KEPT_IN.items() if noun in nouns.split() for ending in more.split()
    )
    for nouns, endings in _KEPT_IN.items()
    for noun in nouns.split()
}  # fmt: skip


# Behind these stands where something lies, which may be called a folder besides.
_LYING = frozenset({"in", "from", "of"})


def with_names(tokens: Sequence[Token], tree: Tree, lexicon: Lexicon, *, is_far: bool) -> list[Token]:
    """The tokens with each phrase that names one entry as one token. `is_far`: a phrase may hold “to” and “in”, too."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        if (named := _named(tokens, at, tree, lexicon, _TO if is_far else _OF)) is None:
            found.append(tokens[at])
            at += 1
        else:
            made, at = named
            found += made
    return found


def _named(
    tokens: Sequence[Token], at: int, tree: Tree, lexicon: Lexicon, between: frozenset[str]
) -> tuple[list[Token], int] | None:
    """The longest phrase that begins here and names an entry (or as many as are counted), and where it ends."""
    if not _may_begin(tokens, at, tree, lexicon):
        return None
    best = None
    for end in _ends(tokens, at, between):
        meant = _meant(tokens[at:end], between, tree)
        if meant:
            best = end, meant
    if best is None:
        return None
    end, meant = best
    count = _counted_before(tokens, at)
    if len(meant) != max(1, count):
        return None
    made = [_token(tokens[at:end], path, sure) for path, sure in meant]
    if count > 1:
        return _listed(made, tokens[at]), end
    further, end = _with_further(tokens, at, end, tree, between)
    return _listed([*made, *further], tokens[at]), end


_ORDINALS = {
    word: str(number)
    for number, word in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split(), 1)
}


def with_ordinals(tokens: list[Token], tree: Tree) -> list[Token]:
    """“The second chapter” as “chapter 2”, where a chapter2.md is; “the second and third chapter” as both of them."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        end, ordinals = at, []
        while end < len(tokens) and tokens[end].text in _ORDINALS:
            ordinals.append(tokens[end])
            end += 1 + (
                end + 2 < len(tokens) and tokens[end + 1].text in ("and", ",") and tokens[end + 2].text in _ORDINALS
            )
        noun = tokens[end] if ordinals and end < len(tokens) and tokens[end].kind == WORD else None
        if noun is None or not all(_is_numbered(noun, _ORDINALS[one.text], tree) for one in ordinals):
            found.append(tokens[at])
            at += 1
            continue
        for number, one in enumerate(ordinals):
            joining = [Token(WORD, "and", "and", one.start, one.start)] if number else []
            digit = _ORDINALS[one.text]
            found += [
                *joining,
                replace(noun, start=one.start, end=one.start),
                Token(NUMBER, digit, digit, one.start, one.end),
            ]
        at = end + 1
    return found


def _is_numbered(noun: Token, number: str, tree: Tree) -> bool:
    """Whether something here has this noun and this number in its name: chapter 2, run 3."""
    return bool(tree.index.at(by_number, (singular(noun.text), number)))


# A name in so many words, and of so many letters, is no chance.
_MOST_APART, _LEAST_APART = 3, 6


def with_joined_names(tokens: list[Token], tree: Tree) -> list[Token]:
    """“The file READ ME”, “the make file”, “set up cfg”: the name of one file letter by letter, in several words."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        path, end = _spelt_apart(tokens, at, tree)
        found.append(_token(tokens[at:end], tree.said(path), 0.97) if path else tokens[at])
        at = end
    return found


def _spelt_apart(tokens: Sequence[Token], at: int, tree: Tree) -> tuple[str, int]:
    """The file whose name begins here in several words, and where it ends."""
    before = tokens[at - 1] if at else None
    if before is None or tokens[at].kind != WORD or tree.kind(tokens[at].value):
        return "", at + 1
    is_determined = before.text in ARTICLES | FILE_HEADS | {"both"}
    for end in range(min(len(tokens), at + _MOST_APART), at + 1, -1):
        words = tokens[at:end]
        in_a_row = all(two.start == one.end + 1 and two.kind == WORD for one, two in itertools.pairwise(words))
        said = "".join(one.text for one in words)
        path, has_its_ending = _spelt_so(said, tree) if in_a_row else ("", False)
        # What has these words of its own is found as any phrase that names something.
        is_apart = set(words_of(posixpath.basename(path))).isdisjoint(one.text for one in words[:-1])
        if path and is_apart and len(said) >= _LEAST_APART and (is_determined or has_its_ending):
            return path, end
    return "", at + 1


def _spelt_so(letters: str, tree: Tree) -> tuple[str, bool]:
    """The file whose name nobody else has by its letters alone, and whether its ending is among them."""
    there = tree.index.at(by_whole, letters)
    return (there[0].path, "".join(there[0].own) != letters) if len(there) == 1 else ("", False)


def _listed(made: list[Token], first: Token) -> list[Token]:
    joined = [made[0]]
    for one in made[1:]:
        joined += [Token(WORD, "and", "and", one.start, one.start), one]
    return joined


def _with_further(
    tokens: Sequence[Token], at: int, end: int, tree: Tree, between: frozenset[str]
) -> tuple[list[Token], int]:
    """“Rooms 1 and 2”: behind “and” a word that stands for the last one of the phrase."""
    found: list[Token] = []
    while end + 1 < len(tokens) and (tokens[end].text == "and" or tokens[end].value == ","):
        behind = tokens[end + 1]
        if behind.kind not in (WORD, NUMBER):
            break
        whole = [*tokens[at : end - 2 * len(found) - 1], behind]
        meant = _meant(whole, between, tree)
        if len(meant) != 1:
            break
        found.append(_token([behind], *meant[0]))
        end += 2
    return found, end


def _token(phrase: Sequence[Token], path: str, sure: float) -> Token:
    said = " ".join(one.value for one in phrase)
    first, last = phrase[0], phrase[-1]
    return Token(PATH, path.casefold(), path, first.start, last.end, first.after_break, said, sure)


def _may_begin(tokens: Sequence[Token], at: int, tree: Tree, lexicon: Lexicon) -> bool:
    token = tokens[at]
    before = tokens[at - 1] if at else None
    if token.kind == NUMBER:
        return before is not None and before.text in ARTICLES | {"invoice"}
    if token.kind == PATH and token.value.startswith(".") and not tree.kind(token.value):
        return True  # “the .env example”
    if token.kind != WORD or token.text in _TO | ARTICLES:
        return False
    is_determined = before is not None and (before.text in ARTICLES or before.text in ("both", "of", "'s"))
    if lexicon.is_exact_verb(token) and not is_determined:
        return False
    if token.text in lexicon.keys and at + 1 < len(tokens) and tokens[at + 1].text not in _TO:
        # “The note groceries” is a note, whatever file is called so.
        return False
    behind = (one.text for one in reversed(tokens[max(0, at - 3) : at]))
    leading = next((text for text in behind if text not in ("old", "first")), "")
    if leading == "what":
        # “What chapter 1 says” speaks of that one; “what chapters are there” of none.
        following = [one.text for one in tokens[at + 1 : at + LONGEST]]
        return bool(_SAYING & set(following)) or ("is", "about") in itertools.pairwise(following)
    return leading not in _INDEFINITE


_SAYING = frozenset({"says", "say", "contains", "tells", "means"})


def _ends(tokens: Sequence[Token], at: int, between: frozenset[str]) -> Iterator[int]:
    """Where a phrase that begins here may end, the nearest first."""
    for end in range(at + 1, min(len(tokens), at + LONGEST) + 1):
        token = tokens[end - 1]
        if token.after_break and end - 1 > at:
            return
        if token.kind == SIGN and token.value not in ("-", "&"):
            return
        if token.kind not in (WORD, NUMBER, PATH, SIGN):
            return
        if token.kind == SIGN or token.text in between:
            continue
        yield end
        if token.kind == PATH and end - 1 > at:
            return


def _counted_before(tokens: Sequence[Token], at: int) -> int:
    before = [one.text for one in tokens[max(0, at - 2) : at] if one.text not in ARTICLES]
    return 2 if before[-1:] == ["both"] else 3 if before == ["all", "three"] else 0


def _meant(whole: Sequence[Token], between: frozenset[str], tree: Tree) -> list[tuple[str, float]]:
    """The entries that a phrase names as well as each other, with how sure that is; none where it says too little."""
    tree.compared(len(whole))
    if len(whole) > 3 and whole[-1].text in FOLDER_HEADS and any(one.text in _LYING for one in whole[1:-2]):
        whole = whole[:-1]  # “the cache database in the temporary directory”
    phrase = [one for one in whole if one.kind != SIGN and one.text not in between]
    words = tuple(itertools.chain.from_iterable(_words(one) for one in phrase))
    if len(words) < 2 or any(one.kind == PATH and tree.kind(one.value) for one in phrase):
        return []
    # “The letter to x” and “the x letter” are that letter; of “the program x” another thing may be called so.
    linkers = between - {"'s", "'"}
    heads = {next((one.text for one, two in itertools.pairwise(whole) if two.text in linkers), "")}
    if len(whole) > 1 and whole[-2].text not in linkers:
        heads.add(whole[-1].text)
    said = tuple(one.text for one in whole)
    asked = ("mentioned", words, said)
    if asked not in tree.found:
        tree.found[asked] = _best(words, said, heads, tree)
    return cast(list[tuple[str, float]], tree.found[asked])


def _words(token: Token) -> tuple[str, ...]:
    if token.kind != PATH:
        return words_of(token.value)
    stem, ending = posixpath.splitext(token.value)
    return (*words_of(stem), *words_of(ending))


def _best(words: tuple[str, ...], said: Sequence[str], heads: set[str], tree: Tree) -> list[tuple[str, float]]:
    near = list(_said_by(words, heads, tree))
    tree.compared(len(near))
    ranked = [(fit, tree.said(entry.path)) for entry in near if (fit := _fit(words, said, heads, entry))]
    if not ranked:
        return []
    most = max(fit[0] for fit, _ in ranked)
    ranked = [(fit, path) for fit, path in ranked if fit[0] == most]
    if most < 2 and len(ranked) > 1:
        # “The rose table”: with a single word of a name, anything else that is called so may be meant.
        return []
    whole = [(fit, path) for fit, path in ranked if fit[1]]
    # Of two that say as much, the one whose little words are said too: “the letter from Curie”.
    best = max((fit[2:4] for fit, _ in whole), default=None)
    # With a single word of the name it is sure enough to be shown, and not to be deleted.
    return sorted((path, fit[4] if most > 1 else min(fit[4], _FOR_ONE_WORD)) for fit, path in whole if fit[2:4] == best)


def _said_by(words: tuple[str, ...], heads: set[str], tree: Tree) -> Iterable[Entry]:
    """What may be meant by these words: all of them say it, but for those that only say what kind of thing it is."""
    needed = sorted((tree.index.said_with(word) for word in words if word not in heads), key=len)
    if needed:
        return needed[0].intersection(*needed[1:])
    return frozenset().union(*(tree.index.said_with(word) for word in words))


def _fit(
    words: tuple[str, ...], said: Sequence[str], heads: set[str], entry: Entry
) -> tuple[int, bool, float, int, float] | None:
    """How many words meet the entry, whether that is enough, which share of its name they say, how many pairs stand
    alike, and how surely.
    """
    own, around = list(entry.own), list(entry.around)
    kept_in = FOLDER if entry.kind == FOLDER else entry.behind
    sure, met, kinds = 1.0, 0, 0
    for word in words:
        for names in (own, around):
            meeting = max(((meets(word, one), one) for one in names), default=(0.0, ""))
            if meeting[0] >= _LEAST:
                sure = min(sure, meeting[0])
                names.remove(meeting[1])
                met += 1
                break
        else:
            if word not in heads or not _is_kind(word, kept_in):
                return None
            kinds += word not in _GENERAL or (kept_in == FOLDER and len(entry.own) == 1)
    unsaid = sum(one not in _LITTLE for one in own)
    share = 1 - unsaid / max(1, sum(one not in _LITTLE for one in entry.own))
    if len(own) == len(entry.own) or met + kinds < 2:
        return None
    pairs = set(itertools.pairwise(entry.own)) & set(itertools.pairwise(words_of(" ".join(said))))
    return met, not kinds or share == 1, round(share, 3), len(pairs), round(sure, 3)


def _is_kind(word: str, kept_in: str) -> bool:
    """Whether a word says no more than what kind of thing something is that is kept like this."""
    kinds = _KINDS.get(word, _KINDS.get(singular(word)))
    if kinds is None:
        return False
    return kept_in != FOLDER if not kinds else kept_in in kinds


_LEAST, _FOR_ONE_WORD = 0.9, 0.92
_GENERAL = frozenset({"file", "files", "document", "documents", "folder", "folders", "directory", "dir", "text"})
_LITTLE = frozenset("the a an of on for from to in and with my our s".split())
