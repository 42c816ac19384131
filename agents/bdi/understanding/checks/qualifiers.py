"""What limits a command from anywhere in the text: conditions, exceptions, second thoughts, choices between things.

A part of a text may be passed over by many ways, as courtesy, as told, as talk, as of no use. Whatever the way, what
stands in no value is seen here once more: *in the event that he cancels*, *leaving the lease where it is*, *the letters
I wrote in May*. What rules is asked about.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from agents.bdi.understanding.asides import courtesy
from agents.bdi.understanding.asides.moods import FINITE
from agents.bdi.understanding.checks.unsupported import cannot_say
from agents.bdi.understanding.names.naming import words_of
from agents.bdi.understanding.names.paths import FOLDER, Tree
from agents.bdi.understanding.understood import Meant
from agents.bdi.understanding.words.filler import ARTICLES
from agents.bdi.understanding.words.morphology import singular
from agents.bdi.understanding.words.tokens import PATH, SIGN, WORD, Token, tokens_of
from agents.toolkit.registry import Registry

_SOMEBODY = (
    r"(?:he|she|it|they|we|i|you|nobody|somebody|someone|anybody|anyone|everybody|everyone|no one"
    r"|(?:the|my|our|his|her|their|dr|mr|mrs|ms) \S+|§)"
)
_CONDITION = re.compile(
    r"\b(?:in the event\b|on (?:the )?condition\b|(?:as|so) long as\b|as soon as\b|given that\b|subject to\b"
    r"|pending (?:approval|confirmation|review|an|his|her|their|my|the|dr)\b"
    r"|depend(?:ing|s|ent)? (?:up)?on\b|conditional|contingent"
    rf"|(?:provid(?:ed|ing)|suppos(?:ed|ing)|assuming)(?: that)? {_SOMEBODY}"
    rf"|(?:after|once) {_SOMEBODY} (?:has|have|is|are|agrees?|says?|uses?|needs?|wants?|was|were|no longer)\b)"
)
# At the start of a sentence these lead to a condition: “the moment he agrees, …”, “should he cancel, …”.
_LEADS_TO_ONE = re.compile(
    r"\A(?:and |but |so |well |ok |please )*(?:"
    r"(?:the (?:very )?(?:moment|minute|second|instant|day|week|month)|(?:each|every|any|the next|next|by the) time)"
    rf" {_SOMEBODY} |(?:were|had|should) (?!i\b|we\b|you\b)[^,?!.;]{{1,60}},)"
)
_EXCEPTION = re.compile(
    r"\b(?:except\w*|exclud\w+|apart from|aside from|other than|save for|omit(?:ting)?|not counting"
    r"|(?:all|everything|anything|everyone|any|every \S+) but"
    r"|(?:ignoring|disregarding) (?!(?:the )?(?:case|capital|upper|lower|letter|whether|how|spell)))\b"
    r"|(?:\A|[,;.(–—-] ?|\b(?:and|but|while|then|please|just) )"
    r"(?:leav(?:e|ing)|spar(?:e|ing)) (?:out|alone|only|the|my|our|his|her|it|them|§)"
)
# What somebody has heard or wagers is no order to do away with anything; nor is “the old one” a name of one thing.
_REPORTED = re.compile(
    r"\b(?:heard|hear|bet|dare|doubt|told|said|says|claim\w*) (?:me )?(?:that )?"
    r"you (?:can|could|to|should|may|might|would)\b"
)
_THE_OLD_ONE = re.compile(r"\A(?:and |so |but |please )*(?:the|that|this) (?:\S+ )?one\b")
_LED_BY = re.compile(r"\A[ ,;.(–—-]*(?:(?:and|but|while|then|please|just) )?")
_SECOND_THOUGHT = re.compile(
    r"\b(?:hold (?:on|off|it)|hang on|second thoughts?|never ?mind|not now)\b"
    r"|(?<=[,.;!?–—-] )(?:scrap|scratch|belay|forget|strike|disregard|cancel|undo) (?:it|that|this|them)\b"
)
_LATER = re.compile(
    r"(?:§|[,.;!]|\A|\b(?:it|them|that|this))[,.;!]? ?(?:(?:a (?:bit|little|while)|much|some ?time|maybe|but) )*later\b"
)
# What is of no use to a command is none of these.
_OF_USE = re.compile(
    r"\b(?:[ap]m|o['’]?clock|noon|midnight|nights?|weekend|holidays?|future|course|fortnight|permission(?!s?(?:\s+(?:of|to)|\s?[=:])?\s+[0-7]{3,4}\b)|consent|approval"
    r"|agreement|blessing|exceptions?|conditions?|proviso|hold|exclusions?)\b"
)
_STOP = re.compile(r"[.!?;\n](?=\s|\Z)|,? (?=(?:so|but) )")


def ruled(meant: Sequence[Meant], text: str, tree: Tree, registry: Registry) -> Iterator[str]:
    """Why what seems meant may be ruled by something that none of its values holds."""
    spoken = _without_values(meant, text)
    yield from _by_its_words(meant, spoken)
    yield from _in_values(meant, text)
    yield from cannot_say(meant, text, tree, registry)
    for one in meant:
        places = registry.said(registry.command(one.tool, one.command)).places.values()
        takes_it_whole = any(place.goes or place.makes == "same" for place in places)
        destroys = registry.command(one.tool, one.command).destroys(one.values())
        if destroys and (found := _REPORTED.search(spoken) or _THE_OLD_ONE.search(spoken)):
            yield f"“{found[0]}”: something would be gone, and it is not surely asked for."
        if takes_it_whole and (name := _inside(one, spoken, tree)):
            yield f"“{name}” may be left out."
        # “Delete the old logs in logs, leaving the rest”: of a file nothing else is touched, of a folder all would go.
        of_folder = tree.kind(str(one.values().get("path", ""))) == FOLDER
        if takes_it_whole and of_folder and (found := courtesy.REST.search(text)):
            yield f"“{found[0]}” may lie in it."


def _by_its_words(meant: Sequence[Meant], spoken: str) -> Iterator[str]:
    for pattern, why in ((_CONDITION, "It may be a condition."), (_EXCEPTION, "It may leave something out.")):
        said = [_LED_BY.sub("", found[0]) for found in pattern.finditer(spoken)]
        for phrase in said:
            # “Leave the environment” is a command of its own.
            own = (_LED_BY.sub("", one.text.casefold()) for one in meant)
            if not (phrase.startswith("leav") and any(one.startswith(phrase) for one in own)):
                yield f"“{phrase}”: {why}"
    for sentence in _STOP.split(spoken):
        if found := _LEADS_TO_ONE.search(sentence.strip()):
            yield f"“{found[0].strip(' ,')}”: It may be a condition."
    if found := _SECOND_THOUGHT.search(spoken, max(spoken.find("§"), 0)):
        yield f"“{found[0]}” may take it back."
    if _LATER.search(spoken):
        yield "“Later” is not now."
    for one in meant:
        for phrase in one.superfluous:
            if not phrase.startswith("for ") and _OF_USE.search(phrase.casefold()):
                yield f"What it says with “{phrase}” may rule the command."


# Of a name that was found for a phrase, none of these is a part: “the recipes that need plums”.
IN_NO_NAME = frozenset("that which who whose not never no without except but or than older newer instead".split())


_SPEAKERS = frozenset({"i", "we", "he", "she", "they", "you"})
_ALL_IN_IT = re.compile(
    r"\b(?:everything|anything|all|whatever|what(?:ever)?(?:['’]s| is| lies)?|contents?|things|stuff)\s+(?:\w+\s+)?"
    r"(?:in|inside|within|of|under)\s+(?:the\s+|my\s+|our\s+)?(?:folder\s+|directory\s+)?\Z",
    re.IGNORECASE,
)
# Before a name, or within the words that it was found for: “the minutes up to January”.
_UP_TO = re.compile(r"\b(up to|until|till|as far as)\s+(?:the\s+)?(?:§|[^§]*\Z)", re.IGNORECASE)


def _in_values(meant: Sequence[Meant], text: str) -> Iterator[str]:
    for one in meant:
        for name, param in one.params.items():
            if param.span is None or not isinstance(param.value, str):
                continue
            phrase = text[param.span[0] : param.span[1]]
            if param.value.casefold() in _SPEAKERS:
                yield f"“{param.value}” is somebody, and no name."
            if name == "path" and (found := _UP_TO.search(f"{text[: param.span[0]]}§{phrase}")):
                yield f"“{found[1]}” may say how many are meant."
            if name == "path":
                for path in contents_named(one, text):
                    yield f"What is in {path} may be meant, and not {path} itself."
            if param.origin != "mapping":
                continue
            said = [word for word in words_of(phrase) if word in IN_NO_NAME]
            if said and " " in phrase and not set(said) <= set(words_of(param.value)):
                yield f"“{said[0]}” may choose among several."
    for one, other in itertools.pairwise(meant):
        first, second = (
            next((param.span for param in each.params.values() if param.span), None) for each in (one, other)
        )
        if first and second and one.text == other.text and _THE_ONE.match(text[first[1] : second[1] + 5]):
            yield "The one that is named last may be all that is meant."


_THE_ONE = re.compile(r"\s*[,(–—-]\s*(?:i mean\s+)?(?:only\s+|just\s+)?the\s[^,]*\bones?\b", re.IGNORECASE)


def contents_named(one: Meant, text: str) -> Iterator[str]:
    """What a step would remove where the text names only what is in it: “delete everything in old”."""
    path = one.params.get("path")
    if one.command != "rm" or path is None or path.span is None or not _ALL_IN_IT.search(text[: path.span[0]]):
        return
    if not str(path.value).startswith(f"{path.original}/"):  # what lies in it is another thing
        yield str(path.value)


def _inside(one: Meant, spoken: str, tree: Tree) -> str:
    """A word beside a command that is the name of something in the folder that it changes: “…, the lease stays”."""
    folder = one.values().get("path")
    if not isinstance(folder, str) or tree.kind(folder) != FOLDER:
        return ""
    inside = tree.full(folder) + "/"
    below = (entry for entry in tree.index.entries if entry.path.startswith(inside))
    names = {word for entry in below for word in (*entry.own, entry.behind)}
    own = {form for word in words_of(folder) for form in (word, singular(word))}
    said = (word for word in re.findall(r"[^\W\d_]{4,}", spoken))
    return next((word for word in said if word in names and not {word, singular(word)} & own), "")


def _without_values(meant: Sequence[Meant], text: str) -> str:
    """The text in small letters, with a sign in the place of each value, without courtesy and what is quoted."""
    blank = courtesy.blanked(text)
    held = {param.span for one in meant for param in one.params.values() if param.span is not None}
    # “That” holds nothing, whatever it speaks of.
    spans = sorted(span for span in held if blank[span[0] : span[1]].casefold() not in _OBJECTS)
    spans += [(found.start(), found.end()) for found in _QUOTED.finditer(blank)]
    for start, end in spans:
        blank = blank[:start] + "§" + " " * (end - start - 1) + blank[end:] if end > start else blank
    kept = re.sub(r"[^\S\n]+", " ", blank).casefold().replace("’", "'")
    return re.sub(r"§(?: §)+", "§", kept).strip()


_QUOTED = re.compile('"[^"]*"|“[^“”]*”|`[^`]*`')

# ---- which of several things ----

_RELATIVE = frozenset({"that", "which", "who", "whose", "whom", "where", "when"})
_SUBJECTS = frozenset("i we you he she they it nobody somebody someone everybody everyone anybody anyone".split())
_BE = frozenset("am is are was were seem seems look looks feel feels will would can could must should".split())
_OBJECTS = frozenset({"it", "them", "him", "her", "me", "us", "everything", "nothing", "that", "this", "something"})
_WITH_OBJECT = ARTICLES | _OBJECTS
_BEFORE = frozenset("to for from with of in on at by about into and but or because since so as that which".split())
_WHICH_TIME = frozenset({"this", "that", "last", "the", "all"})
_TIMES = frozenset("year month week day morning afternoon evening night summer winter spring autumn time term".split())
_LEFT_OVER = frozenset({"for", "about", "with", "of", "at", "to", "from", "on", "in"})


def restricts(span: tuple[int, int], others: Sequence[tuple[int, int]], blank: str) -> bool:
    """Whether what is set aside says which of the things before it are meant: “the letters I wrote in May”.

    It stands right behind a noun, and either begins with the word of such a clause or lacks the object that it is
    about; a file that is named with its ending needs no more to be known. So does *the old ones* choose, wherever it
    stands. `others` is what else is set aside, `blank` the text without courtesy.
    """
    start, end = span
    clause = [token for token in tokens_of(blank[start:end]) if token.kind != SIGN]
    if _chooses(clause):
        return True
    before = tokens_of(blank[:start].rstrip())[-1:]
    if not before or not clause or any(begin < before[0].end <= stop for begin, stop in others):
        return False
    parted = blank[start:end].lstrip()[:1] in ",.;:!?–—-(" or before[0].kind == SIGN
    if parted or "\n" in blank[before[0].end : start] or before[0].text in _OBJECTS | _BEFORE:
        return False
    if before[0].kind == PATH and "." in before[0].value:
        return False
    return clause[0].text in _RELATIVE or (clause[0].text in _SUBJECTS and _lacks_its_object(clause))


def _lacks_its_object(clause: Sequence[Token]) -> bool:
    texts = [token.text for token in clause]
    while len(texts) > 3 and texts[-2] in _WHICH_TIME and texts[-1] in _TIMES:
        texts = texts[:-2]  # “files nobody touched this year”: when it was is no object
    if texts[-1] in _LEFT_OVER:
        return True
    if len(texts) < 2 or texts[1] in _BE or texts[1:] in (["have"], ["have", "got"]):
        return False
    return _WITH_OBJECT.isdisjoint(texts[2:]) and all(token.kind == WORD for token in clause)


def _chooses(clause: Sequence[Token]) -> bool:
    """“The old ones”, “only the one from May”; not “a good one”, “no one”."""
    for at, token in enumerate(clause):
        if token.text not in ("one", "ones") or not at:
            continue
        leading = {one.text for one in clause[max(0, at - 3) : at]}
        tells = at + 1 < len(clause) and clause[at + 1].text in FINITE
        if not tells and (token.text == "ones" or not leading.isdisjoint({"the", "that", "those", "these"})):
            return True
    return False
