"""What makes a reading doubtful although it has its values: words about something else, or about another command."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from agents.bdi.understanding.names.paths import FOLDER, Tree, find
from agents.bdi.understanding.reading.state import State, shape_of
from agents.bdi.understanding.words.filler import ARTICLES, IDLE, LEADING
from agents.bdi.understanding.words.lexicon import Met
from agents.bdi.understanding.words.morphology import bases
from agents.bdi.understanding.words.naming_words import FOLDER_HEADS
from agents.bdi.understanding.words.tokens import QUOTED, SIGN, WORD, Token
from agents.bdi.understanding.words.written_paths import has_ending, without_placeholders

_STOPS = frozenset({";", ".", "&&", "then"})


_JOINS = frozenset({"and", "then", ",", ";", ".", "&&", "next", "+"})


# Words before a verb that are said to whoever does it.
_COURTESY = (IDLE - LEADING) | {"sure"}
# Verbs that may also carry nothing, and those among them with which something is had done.
_DOING = frozenset("make run get take give put use call have need want say tell branch".split())
_HAVING = frozenset({"get", "have", "need", "want"})
_DEFINITE = frozenset({"the", "that", "this", "my", "our"})
_ONE_THING = frozenset(
    "file document script module component thing program tool agent page one stuff service generator class".split()
)


def speaks_of(token: Token, state: State, is_open: bool) -> bool:
    """Whether a word that is left over speaks of something that this reading has no place for."""
    if token.kind == WORD and token.text in ("this", "that", "these", "those"):
        places = state.lexicon.registry.said(state.entry.command).places
        named = any(one.span and one.span[0] > token.start for name, one in state.params.items() if name in places)
        return (is_open or not named) and _points_at_a_file(token, state.tokens)
    if token.kind != WORD or token.text not in ("it", "them", "there"):
        return False
    if is_open:
        return True
    if _is_inside(token, state):
        return True
    if token.text == "there":
        # “Copy it there as x”, where x was taken for a place of its own.
        return bool(state.situation.last) and not _is_empty_it(token, state.tokens) and _could_lie(state)
    if token.text in state.entry.about or _is_empty_it(token, state.tokens):
        return False
    # What it speaks of is said before it: “main.py, please show it”.
    return not any(one.span and one.span[0] < token.start for one in state.params.values())


def _could_lie(state: State) -> bool:
    """Whether the command makes something, or works on some folder that is not said."""
    places = state.lexicon.registry.said(state.entry.command).places
    return any(place.makes or (place.wanted == FOLDER and name not in state.params) for name, place in places.items())


def _is_inside(token: Token, state: State) -> bool:
    """“Make a folder and put a file … in it”: into the folder, or the text into the file?"""
    at = next(number for number, one in enumerate(state.tokens) if one is token)
    before = state.tokens[at - 1].text if at else ""
    there = any(state.situation.tree.kind(path) == FOLDER for path in state.situation.last)
    makes = any(place.makes for place in state.lexicon.registry.said(state.entry.command).places.values())
    # “A folder x and in it a folder y” is no list of two that lie side by side.
    return (there or bool(state.items)) and makes and before in ("in", "into", "inside")


def _points_at_a_file(token: Token, tokens: Sequence[Token]) -> bool:
    """Whether it says “that file”, which somebody sees and we do not. “This folder” is the one where we are."""
    at = next(number for number, one in enumerate(tokens) if one is token)
    behind = [one.text for one in tokens[at + 1 : at + 4] if one.text not in ("new", "same", "old", "other")]
    following = behind[0] if behind else ""
    return following in ("file", "files") or (token.text != "this" and following in ("folder", "folders", "directory"))


def _is_empty_it(token: Token, tokens: Sequence[Token]) -> bool:
    """Whether it speaks of nothing: “is it possible to”, “it is required that”."""
    at = next(number for number, one in enumerate(tokens) if one is token)
    beside = [one.text for one in (*tokens[max(0, at - 1) : at], *tokens[at + 1 : at + 2])]
    return any(text in ("be", "is", "was", "would", "will", "has") for text in beside)


def verbs_in_values(state: State, met: Met) -> tuple[str, ...]:
    """Words before the verb that begin a command themselves and were taken for a name: “switch branch”."""
    verb = state.tokens[met.used[0]].start
    spans = [one.span for one in (*state.params.values(), *state.items) if one.span]
    return tuple(
        token.text
        for token in state.tokens
        if token.start < verb
        and state.lexicon.is_exact_verb(token)
        and any(start <= token.start and token.end <= end for start, end in spans)
        and not state.situation.tree.kind(token.value)
    )


def other_commands(state: State, left: Sequence[Token]) -> tuple[str, ...]:
    """The words with which further commands seem to begin in what is idle here, or was taken for running text."""
    loose = {id(token) for token in left}
    running = {slot.parameter for slot in state.entry.sense.slots if slot.shape in ("line", "packages")}
    spans = [
        one.span
        for name, one in state.params.items()
        if one.span and (one.why == "it is not in quotes" or name in running)
    ]
    values = (*state.params.values(), *state.items)
    named = [one.span for one in values if one.span and isinstance(one.original or one.value, str)]
    found = []
    for at, (before, token) in enumerate(itertools.pairwise(state.tokens), 1):
        parted = before.text in _STOPS or token.after_break
        if not (parted or before.text in _JOINS) or not state.lexicon.is_verb(token):
            continue
        if parted:
            # Behind a stop, or “then”, another command begins, whatever this one makes of its words.
            found.append(token.text)
            continue
        inside = any(start <= token.start < end for start, end in spans)
        # “Create an environment, activate it”: no name either, unless something is called so.
        taken = state.lexicon.is_exact_verb(token) and not state.situation.tree.kind(token.value)
        taken = taken and before.text in _JOINS and any(start == token.start for start, _ in named)
        # “List: milk, bread and butter”: in somebody's own text what only looks like a verb is none.
        inside = inside and state.lexicon.says_verb(state.tokens, at)
        if (id(token) in loose and token.text in IDLE) or inside or taken:
            found.append(token.text)
    return tuple(found)


_FINDING_OUT = frozenset({"check", "see", "look", "tell", "know", "say", "test", "verify", "out", "wonder", "inspect"})


def asks_whether(token: Token, state: State) -> bool:
    """Whether an “if” makes no condition: “check if a.py has problems”."""
    if token.text not in ("if", "whether"):
        return False
    at = next(number for number, one in enumerate(state.tokens) if one is token)
    before = [one.text for one in state.tokens[:at] if one.text not in ("for", "me", "us", "please", "again")][-1:]
    return any(bases(text)[-1] in _FINDING_OUT for text in before)


def begun_and_left(state: State, met: Met) -> tuple[str, ...]:
    """The verb with which a clause begins and that its command does not use, with something said behind it.

    “Make a branch x, switch to it” begins another command than the one its second verb would be. Somebody may have
    something done, though: “have main.py deleted”.
    """
    starts = next((at for at, one in enumerate(state.tokens) if one.kind != SIGN and one.text not in _COURTESY), None)
    if starts is None or starts >= met.used[0] or starts in state.used:
        return ()
    token, verb = state.tokens[starts], state.tokens[met.used[0]]
    if token.text not in _DOING or not state.lexicon.is_exact_verb(token):
        return ()
    between = [one for one in state.tokens[starts + 1 : met.used[0]] if one.kind != SIGN]
    behind = state.tokens[met.used[-1] + 1].text if met.used[-1] + 1 < len(state.tokens) else ""
    if token.text in ("take", "get") and between and between[-1].text == "and" and behind in ("it", "them"):
        return ()  # “take a and b, and copy them to c”
    says = [one for one in between if one.is_literal or one.text not in IDLE]
    is_done = token.text in _HAVING and verb.text != bases(verb.text)[-1] and not verb.text.endswith("ing")
    return (token.text,) if says and not is_done else ()


_QUESTIONS = frozenset({"who", "why", "when", "whose"})
_SUBJECTS = frozenset({"we", "you", "i", "they", "it", "he", "she", "there"})
_ASKING_FOR_TRUTH = frozenset({"is", "are", "was", "were", "did", "does", "has"})


def asks_how_it_is(state: State, met: Met) -> tuple[str, ...]:
    """“Is the mode on?” asks how something is, and not that it be made so, unless it is said so of a command."""
    at = next((at for at, one in enumerate(state.tokens) if one.kind != SIGN), None)
    if at is None or at in met.used:
        return ()
    first, behind = state.tokens[at].text, [one.text for one in state.tokens[at + 1 : at + 2]]
    # “Do we have a folder x?”, “who made it?”: what changes something answers no question.
    makes = any(place.makes for place in state.lexicon.registry.said(state.entry.command).places.values())
    asks = first in _QUESTIONS or (makes and first in ("which", "what"))
    asks = asks or (first in ("do", "have") and bool(_SUBJECTS & set(behind)))
    asks = asks and state.entry.command.effect != "idempotent" and behind[:1] != ["about"]
    # “Where is the to do list?” asks for no listing.
    asks = asks or (first == "where" and not {"pattern", "text"} & state.entry.command.properties.keys())
    return (state.tokens[at].text,) if asks or first in _ASKING_FOR_TRUTH else ()


def says_only_its_verb(state: State, met: Met) -> tuple[str, ...]:
    """“Search”: whoever says no more than a verb that several commands share has not said which, nor of what."""
    if state.params or met.words > 1 or not state.entry.sense.slots or state.entry.command.required:
        return ()
    token = state.tokens[met.used[0]]
    own = {*state.entry.command.name.split("_"), "list", "dir", "commit", "status", "log"}
    said = [one for one in state.tokens if one is not token and one.kind != SIGN and one.text not in IDLE]
    return (token.value,) if not said and not own & {token.text, *bases(token.text)} else ()


def searches_where(state: State, met: Met) -> tuple[str, ...]:
    """“Search the recipes”, where they lie here: nothing is said to be looked for in them."""
    verb, named = state.tokens[met.used[0]], state.params.keys()
    sought = {"pattern", "text"} & state.entry.command.properties.keys()
    if not sought or met.words > 1 or verb.text not in ("search", "scan", "comb"):
        return ()
    wanted = next((state.params[name] for name in sought & named), None)
    if wanted is None or wanted.span is None:
        return () if wanted or {"newest", "kind"} & named else (verb.value,)
    token = next((one for one in state.tokens if one.start == wanted.span[0]), None)
    if token is None or token.kind == QUOTED or "path" in named or set(str(wanted.value)) & set("*?["):
        return ()
    return (verb.value,) if token.said or find(token.value, state.situation.tree).confidence >= 0.9 else ()


_WHERE = frozenset({"in", "inside", "within", "under", "below", "of", "from"})


def says_where_in_a_text(state: State) -> tuple[str, ...]:
    """“Grep ERROR in the import log”: words without quotes that say where, with a place that nobody found, or that
    another word was found to be; “TODO in” with the folder behind it.
    """
    found = []
    for one in state.params.values():
        if not one.span or one.why != "it is not in quotes":
            continue
        inside = [token for token in state.tokens if one.span[0] <= token.start and token.end <= one.span[1]]
        found += [
            f"{before.value} {token.value}"
            for before, token in itertools.pairwise(inside)
            if before.text in _WHERE and token.text in _DEFINITE
        ]
        # What a turn of phrase puts between has no letters of its own.
        found += [last.value for last in inside[1:][-1:] if last.text in _WHERE and last.end > last.start]
    return tuple(found)


def placeholders(line: object, tree: Tree) -> tuple[str, ...]:
    """“python /path/to/script.py”: what stands for a path, where a command line has nothing to put in its place."""
    words = line.split() if isinstance(line, str) else ()
    return tuple(
        word for word in words if "/" in word and not tree.kind(word) and without_placeholders(word.lstrip("/"))[1]
    )


def adds_what_is_left(state: State) -> tuple[str, ...]:
    """“Read the log and the getting started page”: a second thing of which no word was taken up."""
    loose = {token.start for token in state.left}
    found = []
    for at, (before, token) in enumerate(itertools.pairwise(state.tokens), 1):
        if before.text not in ("and", "plus") or token.text not in ARTICLES:
            continue
        phrase = list(itertools.takewhile(lambda one: one.kind != SIGN and one.text not in _JOINS, state.tokens[at:]))
        if len(phrase) > 1 and all(one.start in loose for one in phrase):
            found.append(" ".join(one.value for one in phrase))
    return tuple(found)


_SORTING = frozenset("newest latest oldest biggest largest smallest longest shortest".split())


def says_an_order(state: State) -> tuple[str, ...]:
    """“Newest first” says in which order, and no command puts anything in an order."""
    first = tuple(
        f"{one.value} {two.value}"
        for one, two in itertools.pairwise(state.tokens)
        if one.text in _SORTING and two.text in ("first", "last")
    )
    # “Find the tables; the newest”: which of them it is has not been taken up.
    open_ones = _SORTING & state.entry.command.properties.keys() - state.params.keys() - state.entry.sense.fixed.keys()
    passed = tuple(one.value for one in state.left if one.text in _SORTING) if open_ones else ()
    return first or passed


_INTO = frozenset({"in", "inside", "into", "under", "within", "below", "beneath", "from", "to"})


def is_in_a_place(tokens: Sequence[Token], at: int) -> bool:
    """Whether a noun says where: “a file inside the thesis folder” makes no folder."""
    for token in reversed(tokens[max(0, at - 4) : at]):
        if token.kind == SIGN:
            return False
        if token.text in _INTO:
            return True
    return False


def makes_another_kind(state: State, met: Met) -> tuple[str, ...]:
    """“An empty file in the folder x” makes a file: the first noun that says a kind says what is made."""
    makes = {place.makes for place in state.lexicon.registry.said(state.entry.command).places.values()}
    if "folder" not in makes:
        return ()
    for at, token in enumerate(state.tokens):
        if at in met.used or token.kind != WORD or is_in_a_place(state.tokens, at):
            continue
        if token.text in FOLDER_HEADS or token.text in state.entry.key:
            return ()
        if token.text in _WRITTEN and not state.situation.tree.kind(token.value):
            return (token.value,)
    return ()


def as_a_kind(state: State) -> bool:
    """“Run it as a test”, “… as dry run”: behind “as” stands how something is done, and no name for it."""
    for slot in state.entry.sense.slots:
        one = state.params.get(slot.parameter)
        if one is None or one.span is None or shape_of(state, slot) != "word":
            continue
        at = next((at for at, token in enumerate(state.tokens) if token.start == one.span[0]), 0)
        before = [token.text for token in state.tokens[max(0, at - 2) : at]]
        behind = next(iter(state.tokens[at + 1 : at + 2]), None)
        is_half = behind is not None and state.lexicon.is_exact_verb(behind)
        if before[:1] == ["as"] and before[-1] in ("a", "an"):
            return True
        if is_half and before[-1:] == ["as"]:
            return True
    return False


def starts_no_file(state: State, met: Met) -> tuple[str, ...]:
    """“Start api with …” speaks of no file: one that is started is called one, or has an ending."""
    verb = state.tokens[met.used[0]]
    places = state.lexicon.registry.said(state.entry.command).places
    made = [one for name, one in state.params.items() if name in places and places[name].makes == "file"]
    if not made or bases(verb.text)[-1] not in ("start", "begin", "launch", "boot"):
        return ()
    named = str(made[0].value)
    # What is there already is started as a program.
    is_file = (has_ending(named) or "/" in named) and not state.situation.tree.kind(named)
    return () if is_file or any(one.text in _WRITTEN for one in state.tokens) else (verb.value,)


_WRITTEN = frozenset({"file", "files", "document", "script", "module"})


def who_does_it(state: State, met: Met) -> tuple[str, ...]:
    """“The old folder can go”: what stands before “can” and a bare verb does it, and nothing is done with it."""
    verb = state.tokens[met.used[0]]
    before = state.tokens[: met.used[0]]
    if before and before[0].text in ("who", "whoever", "nobody", "somebody") and before[-1] is before[0]:
        return (before[0].value,)  # “who goes to docs?”
    if met.words == 1 and len(before) > 2 and before[0].text == "what" and before[1].text in ("has", "have", "had"):
        return (before[1].value,)  # “what has web printed?”
    modal = next((at for at, one in enumerate(before) if one.text in _MODALS), None)
    if not modal or before[-1].text not in _MODALS | {"to", "now", "just", "also"} or verb.text != bases(verb.text)[-1]:
        return ()
    subject = before[:modal]
    named = {one.span[0] for one in (*state.params.values(), *state.items) if one.span}
    return tuple(one.value for one in subject if one.start in named)


_MODALS = frozenset("can could may might must should shall will would has have needs need ought".split())


def names_nothing(state: State, is_open: bool) -> tuple[str, ...]:
    """“The file”, where no file is named: whoever says it means one, and the command does not stand for all of them."""
    named = {one.span[0] for one in (*state.params.values(), *state.items) if one.span}
    for at, (before, token) in enumerate(itertools.pairwise(state.tokens), 1):
        further = state.tokens[at + 1 : at + 3]
        if token.text != "one":
            further = [one for one in further if one.text not in _NAMED]
        if any(behind.start in named for behind in further[:1]):
            continue  # “the agent scout”, “the agent named scout”
        # “The one called travel” is one of what was spoken of before, whatever name it has.
        speaks = token.text == "one" or (is_open and token.text in _ONE_THING)
        if token.kind == WORD and before.text in _IN_A_ROW and token.text in _ONE_THING:
            return (f"{before.value} {token.value}",)  # “the second file in src”: which one that is nobody counts
        stands_alone = at < 2 or state.tokens[at - 2].text in IDLE or state.lexicon.is_verb(state.tokens[at - 2])
        if (before.text, token.text) in _OF_SEVERAL and stands_alone:
            return (f"{before.value} {token.value}",)
        if token.kind == WORD and before.text in _DEFINITE and (speaks or _is_one_in_a_folder(at, state)):
            return (f"{before.value} {token.value}",)
    return ()


_IN_A_ROW = frozenset("first second third fourth fifth last next previous".split())
# “One of the logs” is none of them for sure, and not the folder of that name.
_OF_SEVERAL = frozenset({("one", "of"), ("two", "of"), ("three", "of"), ("some", "of"), ("half", "of"), ("most", "of")})
_NAMED = frozenset({"named", "called"})


def _is_one_in_a_folder(at: int, state: State) -> bool:
    """“The file in photos”: one of the files there is meant, and no list of them."""
    if state.tokens[at].text not in _ONE_THING - {"one", "thing", "stuff"}:
        return False
    following = state.tokens[at + 1].text if at + 1 < len(state.tokens) else ""
    places = state.lexicon.registry.said(state.entry.command).places
    values = [state.params[name].value for name in places if name in state.params and not places[name].makes]
    inside = following in ("in", "inside", "from", "of", "under", "below", "within")
    return inside and any(isinstance(one, str) and state.situation.tree.kind(one) == FOLDER for one in values)


def lists_what_is_no_name(state: State) -> tuple[str, ...]:
    """“Make a folder a/b, nice and tidy”: behind a name that is written as a path, plain words are none."""
    own = next((slot for slot in state.entry.sense.slots if slot.is_object), None)
    first = state.params.get(own.parameter) if own is not None else None
    place = state.lexicon.registry.said(state.entry.command).places.get(own.parameter) if own is not None else None
    if place is None or not place.makes or first is None or not first.literals:
        return ()
    return tuple(str(one.original or one.value) for one in state.items if not one.literals)


def lists_places(state: State) -> tuple[str, ...]:
    """“Copy a.txt to docs and drafts”: a folder behind the one where things go is another such, and no thing to go."""
    own = next((slot.parameter for slot in state.entry.sense.slots if slot.is_object), "")
    places = state.lexicon.registry.said(state.entry.command).places
    tree = state.situation.tree
    ends = [
        one.span[1]
        for name, one in state.params.items()
        if name != own and name in places and places[name].makes and one.span is not None
    ]
    return tuple(
        str(one.original or one.value)
        for one in state.items
        if ends and one.span is not None and one.span[0] > max(ends) and tree.kind(str(one.value)) == FOLDER
    )


def says_both(state: State) -> tuple[str, ...]:
    """“Both logs”, where one thing was taken, or the folder that holds them."""
    words = {token.text for token in state.tokens}
    is_listed = bool(state.items) or not words.isdisjoint({"and", "plus", "&"})
    return ("both",) if "both" in words and not is_listed and state.params else ()


def says_only_it(state: State) -> tuple[str, ...]:
    """“Suggest fixes for x. Only show them”: that rules the command before, and is none of its own."""
    first = next((one for one in state.tokens if one.kind != SIGN), None)
    rules = first is not None and first.text == "only" and any(one.text in ("it", "them") for one in state.tokens)
    return ("only",) if rules and state.situation.last else ()


_EXISTING = frozenset("be is are was were should must exist exists let need needs".split())


def says_there(state: State) -> tuple[str, ...]:
    """“Make a folder y there”, where nobody knows which folder that is; “let there be” says none."""
    if not state.situation.last or not _could_lie(state):
        return ()
    loose = {one.start for one in state.left}
    for at, token in enumerate(state.tokens):
        beside = {one.text for one in (*state.tokens[max(0, at - 1) : at], *state.tokens[at + 1 : at + 2])}
        if token.text == "there" and token.start in loose and beside.isdisjoint(_EXISTING):
            return (token.value,)
    return ()
