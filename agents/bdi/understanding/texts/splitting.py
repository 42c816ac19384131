"""Splitting a text into the words of each command, so that the least is left unexplained."""

from __future__ import annotations

import itertools
import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from agents.bdi.understanding import effects
from agents.bdi.understanding.effort import TooMuch
from agents.bdi.understanding.names.mentions import with_joined_names, with_names, with_ordinals
from agents.bdi.understanding.names.new_names import with_endings, with_new_names
from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.reading.judging import Reading
from agents.bdi.understanding.reading.state import Situation
from agents.bdi.understanding.texts import clauses
from agents.bdi.understanding.texts.rephrasing import readings_of
from agents.bdi.understanding.words import filler
from agents.bdi.understanding.words.dictated import written
from agents.bdi.understanding.words.lexicon import Lexicon
from agents.bdi.understanding.words.morphology import bases
from agents.bdi.understanding.words.naming_words import IT
from agents.bdi.understanding.words.tokens import (
    NUMBER,
    NUMBERS,
    ORDINALS,
    PATH,
    SIGN,
    WORD,
    Token,
    tokens_of,
    with_numbers,
)
from agents.toolkit.wording.words import fold

# How names in running words are taken: not at all; phrases that name what is here, reaching near or far; and names
# with spaces of what is to be made.
Names = Literal["", "near", "far", "new", "far new"]
WAYS: tuple[Names, ...] = ("near", "far", "new", "far new")
MAX_COMMANDS = 30
# More words than these are no commands; a text in quotes counts as one.
MAX_TOKENS = 400
# At so many places may another command begin, and so many of the pieces between them may be one command.
MAX_CUTS, MAX_JOINED = 90, 6
_SEGMENT, _LEAST_COST, _FOR_A_VERB, _FOR_A_REST = 0.75, -0.6, 0.5, 0.4


@dataclass(frozen=True)
class Part:
    """The words of one command; `verb` is what it borrowed from the one before it."""

    tokens: tuple[Token, ...]
    text: str
    verb: tuple[Token, ...] = ()


def parts_of(blank: str, situation: Situation, lexicon: Lexicon, names: Names = "") -> list[Part]:
    """The clauses of a text, in the order in which they are meant, by the parting that leaves least unexplained.

    `names`: whether phrases that name an entry are taken together, and how far such a phrase may reach.
    """
    found: list[Part] = []
    for start, end in clauses.in_order(blank):
        tokens = written(tokens_of(" " * start + blank[start:end]))
        if len(tokens) > MAX_TOKENS:
            raise TooMuch
        situation.effort.split(len(tokens))
        tokens = with_endings(_with_spaced_names(tokens, situation), situation.tree, situation.raw)
        tokens = with_joined_names(tokens, situation.tree)
        tokens = _without_kinds(with_numbers(_spread(tokens, situation.tree, lexicon)), lexicon)
        if names:
            tokens = spelt(tokens, situation, lexicon, names)
        found += _best_parting(tokens, situation, lexicon)
    if len(found) > MAX_COMMANDS:
        raise TooMuch
    return found


def spelt(tokens: list[Token], situation: Situation, lexicon: Lexicon, names: Names) -> list[Token]:
    """The tokens with names in running words as one token each."""
    tokens = with_ordinals(tokens, situation.tree)
    if names.endswith("new"):
        tokens = with_new_names(tokens, situation.tree, situation.raw)
    return with_names(tokens, situation.tree, lexicon, is_far=names.startswith("far"))


def _with_spaced_names(tokens: list[Token], situation: Situation) -> list[Token]:
    """Names here that are written with spaces as one token each, where they are said letter by letter."""
    said = situation.raw.casefold()
    for path in _spaced_names_in(said, situation.tree):
        name = posixpath.basename(path)
        whole = (one for one in (path, name) if " " in one)
        start = next((at for one in whole if (at := said.find(one.casefold())) >= 0), -1)
        end = start + (len(path) if start >= 0 and said.startswith(path.casefold(), start) else len(name))
        inside = [one for one in tokens if start >= 0 and one.start < end and one.end > start]
        if len(inside) < 2 or inside[0].start != start or inside[-1].end != end:
            continue
        value = situation.raw[start:end]
        one = Token(PATH, value.casefold(), value, start, end, inside[0].after_break)
        at = tokens.index(inside[0])
        tokens = [*tokens[:at], one, *tokens[at + len(inside) :]]
    return tokens


def _spaced_names_in(said: str, tree: Tree) -> tuple[str, ...]:
    """The paths with spaces whose names stand in what was said, the longest first."""
    asked = ("spaced", said)
    if asked not in tree.found:
        named = (entry for entry in tree.index.spaced if entry.name.casefold() in said)
        tree.found[asked] = tuple(entry.path for entry in named)
    return cast("tuple[str, ...]", tree.found[asked])


def _spread(tokens: list[Token], tree: Tree, lexicon: Lexicon) -> list[Token]:
    """Words as they are meant: “teh” is “the”, and `list_directory`, which is no name here, the words that it joins."""
    found: list[Token] = []
    for number, token in enumerate(tokens):
        if not tree.kind(token.value) and (small := lexicon.idle(token)):
            found.append(replace(token, text=small))
            continue
        if (name := _own_name(token, tree, lexicon)) is not None:
            found.append(name)
            continue
        if len(counted := _counted(token, tree, lexicon)) > 1:
            found += counted
            continue
        words = [word for word in token.text.split("_") if word]
        is_name = tree.kind(token.value) or token.text in lexicon.names or len(words) < 2
        first = replace(token, text=words[0]) if words else token
        if (
            token.kind != WORD
            or is_name
            or not _may_be_a_verb(tokens, number)
            or not lexicon.is_verb(first)
            or "_" not in token.text
            or not all(lexicon.knows(fold(word)) for word in words)
        ):
            found.append(token)
            continue
        at = token.start
        for word in words:
            found.append(Token(WORD, fold(word), word, at, at + len(word)))
            at += len(word) + 1
    return found


# Behind these stands a state of the repository, whatever it is called besides.
_SINCE = frozenset("since against than versus vs".split())
_BRANCH = frozenset({"branch", "tag"})


def _without_kinds(tokens: list[Token], lexicon: Lexicon) -> list[Token]:
    """“Since main branch”, “against the develop branch” as “since main”: what a name there is goes without saying."""
    gone = [
        at
        for at in range(2, len(tokens))
        if tokens[at].kind == WORD
        and _BRANCH & set(lexicon.meanings(tokens[at]))
        and tokens[at - 1].kind in (WORD, PATH)
        and tokens[at - 1].text not in filler.IDLE
        and next((one.text for one in reversed(tokens[: at - 1]) if one.text not in filler.ARTICLES), "") in _SINCE
    ]
    return [one for at, one in enumerate(tokens) if at not in gone]


def _counted(token: Token, tree: Tree, lexicon: Lexicon) -> tuple[Token, ...]:
    """“Two-sentence”, “120-word”: a number and what it counts, where a command takes so many of that."""
    head, hyphen, noun = token.text.partition("-")
    if token.kind not in (WORD, PATH) or not hyphen or tree.kind(token.value) or not lexicon.is_counted(noun):
        return ()
    number = int(head) if head.isdecimal() and len(head) < 6 else NUMBERS.get(head, 0)
    if not number or head in ORDINALS:
        return ()
    middle = token.start + len(head)
    first = Token(NUMBER, str(number), str(number), token.start, middle, token.after_break)
    return first, Token(WORD, noun, noun, middle + 1, token.end)


# Behind other words a joined one is looked for, or named: “grep for load_rows”.
_BEFORE_VERBS = frozenset(
    {"and", "then", "please", "to", "use", "call", "run", "execute", "tool", "command", "the", "also"}
)


def _may_be_a_verb(tokens: list[Token], at: int) -> bool:
    before = next((one for one in reversed(tokens[:at])), None)
    return before is None or before.kind == SIGN or before.text in _BEFORE_VERBS or tokens[at].after_break


def _own_name(token: Token, tree: Tree, lexicon: Lexicon) -> Token | None:
    """A tool's or a command's name as other systems write it: `git-tool`, `systemAnalyzer`, `WriteNote`."""
    if token.kind not in (WORD, PATH) or token.text in lexicon.names or tree.kind(token.value):
        return None
    name = fold(_HUMPS.sub("_", token.value).replace("-", "_"))
    return replace(token, kind=WORD, text=name, value=name) if "_" in name and name in lexicon.names else None


_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def _best_parting(tokens: list[Token], situation: Situation, lexicon: Lexicon) -> list[Part]:
    raw = situation.raw
    cuts = [0, *clauses.boundaries(tokens, lexicon), len(tokens)]
    if len(cuts) == 2:
        return [part] if (part := _part(tokens, raw)) else []
    if len(cuts) > MAX_CUTS:
        raise TooMuch
    alone = [_stands_alone(tokens[start:end], situation, lexicon) for start, end in itertools.pairwise(cuts)]
    ways: list[tuple[float, list[Part]]] = [(0.0, [])]
    for end in range(1, len(cuts)):
        here: list[tuple[float, list[Part]]] = []
        for begin in range(max(0, end - MAX_JOINED), end):
            if begin < end - 1 and all(alone[begin:end]):
                continue
            part = _part(tokens[cuts[begin] : cuts[end]], raw)
            before, earlier = ways[begin]
            cost, whole = (0.0, None) if part is None else _cost(part, earlier, situation, lexicon)
            if whole is not None and _passes_over_a_verb(whole, tokens, cuts[begin + 1 : end], situation, lexicon):
                cost += _FOR_A_VERB
            here.append((before + cost, [*earlier, whole] if whole is not None else earlier))
        # Of ways that cost the same the one that parts least.
        ways.append(min(here, key=lambda way: round(way[0], 9)))
    return ways[-1][1]


def _passes_over_a_verb(
    part: Part, tokens: list[Token], cuts: Sequence[int], situation: Situation, lexicon: Lexicon
) -> bool:
    """Whether a verb that begins one of the pieces is left unexplained where they are taken as one: “and show it”."""
    starts = {
        kept[0].start for cut in cuts if (kept := clauses.trimmed(tokens[cut:])) and lexicon.is_exact_verb(kept[0])
    }
    best = _best(part.tokens, situation, lexicon) if starts else None
    return best is not None and any(one.start in starts for one in best.unexplained)


def _stands_alone(tokens: Sequence[Token], situation: Situation, lexicon: Lexicon) -> bool:
    """Whether a piece says a command and all that it needs: several such are never one command together."""
    kept = clauses.trimmed(tokens)
    if not kept or not lexicon.is_verb(kept[0]):
        return False
    texts = [one.text for one in kept[:2]]
    if texts[1:] in (["it"], ["them"]) and texts[0] not in _GOING_ON and lexicon.is_exact_verb(kept[0]):
        # “… and open it” is done with what the command before was about.
        situation = replace(situation, last=("it", "it"), before=_NAMED_BEFORE)
    own = _best(tuple(kept), situation, lexicon)
    return own is not None and not (own.missing or own.unexplained or own.doubts) and own.cost < 1.0


# With these and “it” a command goes on: “copy a.txt and call it b.txt”, “download … and save it as x”.
_GOING_ON = frozenset(
    """
call name title label save store keep put make write use run leave send limit let get give grant allow kill stop
pass feed cap
    """.split()
)


def _part(tokens: Sequence[Token], raw: str) -> Part | None:
    kept = clauses.trimmed(tokens)
    if not kept:
        return None
    return Part(tuple(kept), raw[kept[0].start : kept[-1].end])


class _Named(dict[tuple[str, str], str]):
    """While a text is parted nobody knows yet what “it” is; that something was named before is enough."""

    def get(self, key: Any, default: Any = None) -> Any:
        return "it"


_NAMED_BEFORE = _Named()


def _cost(part: Part, earlier: Sequence[Part], situation: Situation, lexicon: Lexicon) -> tuple[float, Part | None]:
    """What speaks against taking these tokens as one command; a part may borrow the verb of the one before it."""
    if all(token.kind == WORD and token.text in filler.IDLE for token in part.tokens) and not lexicon.is_verb(
        part.tokens[0]
    ):
        # “Turn it off, and on” says another thing with its last word.
        return (3.0 + _SEGMENT, part) if earlier and _is_particle(part.tokens) else (0.1, None)
    if earlier:
        before = _best(earlier[-1].tokens, situation, lexicon)
        said = lexicon.registry.said(before.command) if before is not None else None
        if before is not None and said is not None and not said.it and said.places and earlier[:-1]:
            # “Turn it on, delete x and turn it off”: of what lies between nothing is turned off.
            before = _best(earlier[-2].tokens, situation, lexicon)
            said = lexicon.registry.said(before.command) if before is not None else None
        things: tuple[tuple[str, ...], ...] = ()
        if before is not None and said is not None and said.it:
            things = (effects.called(said, before.values()),)
            situation = replace(situation, tree=effects.after(situation.tree, before.command, said, before.values()))
        situation = replace(situation, last=("it", "it"), before=_NAMED_BEFORE, spoken=things)
    own = _best(part.tokens, situation, lexicon)
    cost = _capped(own)
    starts = next((token for token in part.tokens if not (token.kind == WORD and token.text in filler.IDLE)), None)
    if earlier and starts is not None and not lexicon.is_verb(starts):
        verb = earlier[-1].verb or _verb_of(earlier[-1].tokens, lexicon)
        borrowed = replace(part, tokens=(*verb, *part.tokens), verb=verb)
        best = _best(borrowed.tokens, situation, lexicon)
        # A verb that is only borrowed is no reason to part a text in which words are left over.
        again = _capped(best) + 0.3 + _FOR_A_REST
        # “And take three minutes at most” says no more of the command before it: another one needs its own object.
        is_another = best is not None and (not best.object_name or best.object_name in best.params)
        if verb and is_another and again < cost and not _is_only_text(best):
            return again + _SEGMENT, borrowed
    lacks = own is None or own.object_name in own.missing or len(part.tokens) == 1
    if earlier and own is not None and own.missing == ("path",) and not lacks and part.tokens[-1].text in _ENDS:
        # “…, then add "x" at the end”: of what was named before.
        end = part.tokens[-1].end
        of_it = tuple(Token(WORD, word, word, end, end) for word in ("of", "it"))
        added = replace(part, tokens=(*part.tokens, *of_it))
        again = _capped(_best(added.tokens, situation, lexicon)) + 0.3
        return (again + _SEGMENT, added) if again < cost else (cost + _SEGMENT, part)
    goes_on = earlier and _GOES_ON.fullmatch(situation.raw[earlier[-1].tokens[-1].end : part.tokens[0].start])
    if goes_on and lacks and cost > 0 and (whole := _with_it(part, lexicon)) is not None:
        # “Create an environment x and activate”: what is done next is done with that.
        again = _capped(_best(whole.tokens, situation, lexicon)) + 0.3
        if again < cost:
            return again + _SEGMENT, whole
    return cost + _SEGMENT, part


_ENDS = frozenset({"end", "bottom"})
# Behind a stop, or “then”, a verb alone may be the first word of something else.
_GOES_ON = re.compile(r"\s*(?:,|&|,?\s*and(?:\s+then)?)\s*", re.IGNORECASE)


def _is_only_text(reading: Reading | None) -> bool:
    """“Search x in app, ignorecase”: plain words behind a comma are seldom a second thing to be looked for."""
    said = [] if reading is None else [one for one in reading.params.values() if one.span is not None]
    return len(said) == 1 and said[0].why == "it is not in quotes"


def _with_it(part: Part, lexicon: Lexicon) -> Part | None:
    """The words of a command with “it” behind the verb that they begin with, as it is given to somebody."""
    at = next((at for at, one in enumerate(part.tokens) if one.text not in filler.IDLE - filler.LEADING), None)
    verb = part.tokens[at] if at is not None else None
    if at is None or verb is None or not lexicon.is_exact_verb(verb) or verb.text != bases(verb.text)[-1]:
        return None
    if any(one.text in IT for one in part.tokens):
        return None
    end = part.tokens[at].end
    it = Token(WORD, "it", "it", end, end)
    return replace(part, tokens=(*part.tokens[: at + 1], it, *part.tokens[at + 1 :]))


_AGAIN = frozenset({"then", "back", "again", "and", "later"})


def _is_particle(tokens: Sequence[Token]) -> bool:
    """Whether nothing is left of a command but the little word that says which way: “on again”."""
    said = [token.text for token in tokens if token.text not in _AGAIN]
    return len(said) == 1 and said[0] in ("on", "off", "up", "down", "out", "in")


def _best(tokens: tuple[Token, ...], situation: Situation, lexicon: Lexicon) -> Reading | None:
    """The likeliest reading; the same words are asked about in many ways of parting, with and without other words."""
    asked = (tokens, situation.last, situation.spoken, situation.tree.recent)
    if asked not in situation.known:
        found = readings_of(tokens, situation, lexicon)
        situation.known[asked] = found[0] if found else None
    return cast("Reading | None", situation.known[asked])


def _capped(reading: Reading | None) -> float:
    if reading is None:
        return 3.0
    # Of two ways to part a text the one that leaves no word over is meant.
    return max(min(reading.cost + (_FOR_A_REST if reading.unexplained else 0.0), 6.0), _LEAST_COST)


def _verb_of(tokens: Sequence[Token], lexicon: Lexicon) -> tuple[Token, ...]:
    token = next((one for one in tokens if lexicon.is_verb(one) and one.text not in filler.IDLE), None)
    return (token,) if token else ()
