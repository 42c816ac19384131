"""Reading an English sentence as a fact, with the patterns that perception, effects and rules use.

A sentence about "the folder X" or a bare name means X in the current folder, which the caller names; "the workspace" is
always the root. A sentence that fits no pattern to its last word is a claim: it can be repeated or plainly denied,
nothing more.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from agents.rules.facts import (
    Claim,
    Fact,
    Installed,
    Inventory,
    Listing,
    Measure,
    Owning,
    Place,
    Quality,
    Thing,
    Venv,
    join,
    parent,
)
from agents.rules.phrases import is_name, is_name_of_a_place, without_denial
from agents.rules.sights import sight_of
from agents.toolkit.wording.words import NOISE, fold, read_text, unescape

MAX_SENTENCE = 20_000

_N = r'(?:"(?:[^"\\]|\\.)*"|“[^”]*”|\'[^\']*\'(?![\w])|[^\s"“,]+)'
_KIND = r"(?P<kind>(?:file or folder|folder or file|file|folder|directory|note))"
_KINDS = r"(?P<kinds>files (?:and|or) folders|files|folders|directories|notes)"
_WHERE = (
    rf"(?: (?:in|inside|of) (?:(?P<root>the workspace|the root)|(?P<here>the current folder|this folder|it)"
    rf"|the (?:folder|directory|project) (?:named |called )?(?P<where>{_N}))| (?P<here2>here))"
)
_SUBJECT = (
    rf"(?:(?P<root>the workspace)|(?P<here>the current folder|this folder)"
    rf"|(?:the )?(?:folder|directory|project) (?:named |called )?(?P<where>{_N}))"
)
_NAMES = rf"(?P<colon>:)? (?P<names>{_N}(?:(?:, and | and |, ){_N})*?)(?:,? and (?P<more>[0-9]+) more)?"
_COUNTED = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBER_WORDS = {word: number for number, word in enumerate(_COUNTED)}
_NUMBER = rf"(?P<number>[0-9]+(?:\.[0-9]+)*|-[0-9]+(?:\.[0-9]+)?|{'|'.join(_NUMBER_WORDS)})"
_COMPARED = (
    r"(?P<op>at least|no fewer than|no less than|more than|greater than|above|over|newer than|later than"
    r"|exactly|equal to|at most|no more than|up to|less than|fewer than|below|under|older than)"
)
_NAMED = rf"(?:named |called )?(?P<name>{_N})"
_A_VENV = rf"(?:python )?virtual environment(?: (?:named |called )(?P<name>{_N}))?"
_HAS = "has|have|does not have|do not have|has no|have no"
_NOUN = r"[\w][\w '-]*"
_CONTRACTIONS = (
    (re.compile(r"\b(is|are|does|do|was|has|have|did)n['’]t\b", re.I), r"\1 not"),
    (re.compile(r"\b(there|that|it|what|he|she)['’]s\b", re.I), r"\1 is"),
    (re.compile(r"\b(you|they|we)['’]re\b", re.I), r"\1 are"),
    (re.compile(r"\bcannot\b|\bcan['’]t\b", re.I), "can not"),
)

_MAY_CONTRACT = re.compile(r"['’]|\bcannot\b", re.I)
# Words that make no difference between two claims.
_UNTOLD = NOISE | {"any", "do", "does"}
# Quoted, or written as no word of a sentence is.
_LOOKS_LIKE_A_NAME = re.compile(r"""\A["“']|[0-9_/]|\.\w""")
_QUOTED = re.compile(r'("(?:[^"\\]|\\.)*")')
_SPACE = re.compile(r"\s+")
_INDEFINITE = re.compile(r"an? ", re.IGNORECASE)
_STOP = re.compile(r"(?<!\.)[.!]\Z")

Reader = Callable[[re.Match[str], str, str], Fact | None]
_READERS: list[tuple[re.Pattern[str], Reader]] = []


def _reads(*patterns: str) -> Callable[[Reader], Reader]:
    def register(reader: Reader) -> Reader:
        _READERS.extend((re.compile(rf"{pattern}\Z", re.IGNORECASE), reader) for pattern in patterns)
        return reader

    return register


@lru_cache(maxsize=65_536)
def read_fact(sentence: str, cwd: str = "") -> Fact:
    """Return what one sentence says, seen from the folder `cwd` (relative to the root)."""
    text = tidy(sentence)
    if len(text) <= MAX_SENTENCE and not text.endswith("?"):
        for pattern, reader in _READERS:
            found = pattern.match(text)
            fact = reader(found, text, cwd) if found else None
            if fact is not None:
                return fact
        if sight := sight_of(text):
            return sight
    return _claim(text)


def at(sentence: str, cwd: str) -> str:
    """Return the sentence as it is said from the root, when it was meant in the folder `cwd`."""
    fact = read_fact(sentence, cwd)
    return fact.sentence() if fact != read_fact(sentence) else sentence


@lru_cache(maxsize=16_384)
def tidy(sentence: str) -> str:
    """Return the sentence with single spaces, long forms instead of contractions, and no closing full stop.

    Quoted text stays as it is.
    """
    pieces = _QUOTED.split(sentence.strip()) if '"' in sentence else [sentence.strip()]
    for number in range(0, len(pieces), 2):
        piece = _SPACE.sub(" ", pieces[number])
        if _MAY_CONTRACT.search(piece):
            for pattern, long_form in _CONTRACTIONS:
                piece = pattern.sub(long_form, piece)
        pieces[number] = piece
    return _STOP.sub("", "".join(pieces).strip()).strip()


def sentences(text: str) -> tuple[str, ...]:
    """Part a text at full stops that end a sentence; quoted text and names with dots stay whole."""
    if len(text) > MAX_SENTENCE or ". " not in text:
        return (text,)
    marked = re.sub(r'("(?:[^"\\]|\\.)*")|\.\s+(?=[A-Z])', lambda found: found.group(1) or ".\0", text)
    return tuple(piece for piece in marked.split("\0") if piece.strip())


def _name(text: str) -> str:
    if len(text) >= 2 and text[0] in "\"'“" and text[-1] in "\"'”":
        return unescape(text[1:-1]) if text[0] == '"' else text[1:-1]
    return text


def _folder(found: re.Match[str], cwd: str) -> str:
    groups = found.groupdict()
    if groups.get("root"):
        return ""
    if groups.get("where"):
        return join(cwd, _name(groups["where"]))
    return cwd


def _kind(word: str) -> str:
    word = fold(word)
    return (
        "entry"
        if " or " in word or " and " in word
        else "folder"
        if word.startswith(("folder", "director"))
        else "file"
    )


def _thing(kind: str, name: str, folder: str, exists: bool) -> Thing | None:
    path = f"notes/{_name(name)}.md" if kind.casefold() == "note" else _name(name)
    full = join(folder, path)
    return Thing(_kind(kind), full, exists) if path else None


@_reads(
    rf"there (?:is|exists) (?:already )?(?P<no>no|not an?|not any)? ?(?:a |an |the )?{_KIND} {_NAMED}{_WHERE}?",
    rf"you see (?P<no>no)? ?(?:a |the )?{_KIND} (?:named |called )(?P<name>{_N}){_WHERE}?",
)
def _there_is(found: re.Match[str], text: str, cwd: str) -> Fact | None:
    return _thing(found["kind"], found["name"], _folder(found, cwd), not found["no"])


@_reads(
    rf"(?P<no>no )?(?:a |the )?{_KIND} {_NAMED}{_WHERE}? (?P<verb>exists|is there|is present|does not exist"
    r"|is not there|is missing|is absent|already exists|is gone)"
)
def _exists(found: re.Match[str], text: str, cwd: str) -> Fact | None:
    said = found["verb"].casefold() in ("exists", "is there", "is present", "already exists")
    return _thing(found["kind"], found["name"], _folder(found, cwd), said != bool(found["no"]))


@_reads(
    rf"the {_KINDS}{_WHERE}? (?P<are>are){_NAMES}",
    rf"{_SUBJECT} (?:has|holds|contains) the {_KINDS}{_NAMES}",
)
def _listing(found: re.Match[str], text: str, cwd: str) -> Fact | None:
    names = _names(found["names"])
    # “The workspace has the folders a and b” lists them; “the files are old” and “… has the files needed” do not.
    several = len(names) > 1 and not found.groupdict().get("are")
    if not several and not _is_list(found):
        return None
    more = int(found["more"] or 0)
    folder = _folder(found, cwd)
    if found["kinds"].casefold() == "notes":
        return Listing("file", join(folder, "notes"), tuple(f"{name}.md" for name in names), more)
    return Listing(_kind(found["kinds"]), folder, names, more)


def _names(text: str) -> tuple[str, ...]:
    return tuple(sorted(_name(name) for name in re.findall(_N, text) if name != "and"))


def _is_list(found: re.Match[str]) -> bool:
    """Whether what follows “are” are names, by a colon or by their looks, and no word that describes."""
    names = [name for name in re.findall(_N, found["names"]) if name != "and"]
    return bool(found["colon"] or found["more"]) or all(_LOOKS_LIKE_A_NAME.search(name) for name in names)


@_reads(rf"there are no {_KINDS}{_WHERE}?", rf"{_SUBJECT} (?:has|holds|contains) no {_KINDS}")
def _none_of(found: re.Match[str], text: str, cwd: str) -> Fact | None:
    if found["kinds"].casefold() == "notes":
        return Owning(_folder(found, cwd), "notes", False, is_folder=True)
    return Listing(_kind(found["kinds"]), _folder(found, cwd), ())


@_reads(rf"{_SUBJECT} is (?P<no>not )?empty")
def _empty(found: re.Match[str], text: str, cwd: str) -> Fact | None:
    folder = _folder(found, cwd)
    if found["no"]:
        return Measure("files or folders", (1.0,), None, folder=folder, said=text)
    return Listing("entry", folder, ())


@_reads(
    rf"{_SUBJECT} (?:has|have) (?P<no>no )?(?:a |an )?{_A_VENV}",
    rf"{_SUBJECT} does (?P<no>not )have (?:a |an |any )?{_A_VENV}",
    rf"there is (?P<no>no )?(?:a |an )?{_A_VENV}{_WHERE}?",
)
def _has_venv(found: re.Match[str], text: str, cwd: str) -> Fact | None:
    name = found["name"] and _name(found["name"])
    folder = _folder(found, cwd)
    if name and "/" in name:
        path = join(folder, name)
        return Venv(parent(path), path.rpartition("/")[2], not found["no"])
    return Venv(folder, name, not found["no"])


@_reads(rf"(?:the )?folder (?:named |called )?(?P<where>{_N}) is (?P<no>not )?a (?:python )?virtual environment")
def _is_venv(found: re.Match[str], text: str, cwd: str) -> Fact | None:
    path = _folder(found, cwd)
    return Venv(parent(path), path.rpartition("/")[2], not found["no"]) if path else None


@_reads(
    rf"you are (?P<no>not )?(?P<prep>in|inside) (?:(?P<root>the workspace|the root)|(?P<here>the current folder)"
    rf"|the (?:folder|directory) (?:named |called )?(?P<where>{_N}))",
    rf"the current folder is (?P<no>not )?(?:(?P<root>the workspace|the root)"
    rf"|(?P<said>the folder )?(?P<where>{_N}))",
)
def _you_are_in_folder(found: re.Match[str], text: str, cwd: str) -> Fact | None:
    groups = found.groupdict()
    if "said" in groups and not groups["root"] and not groups["said"] and not _LOOKS_LIKE_A_NAME.search(found["where"]):
        return None
    return Place("you", "in", _folder(found, cwd), not found["no"], is_folder=True)


@_reads(rf"the (?P<kind>installed programs|programs|tools) are{_NAMES}")
def _inventory(found: re.Match[str], text: str, cwd: str) -> Fact | None:
    if found["more"] or not _is_list(found):
        return None
    return Inventory("tool" if found["kind"].casefold() == "tools" else "program", _names(found["names"]))


@_reads(
    rf"(?:the )?(?P<tool>tool|program|package)? ?(?P<name>{_N})(?: (?P<version>[0-9]+(?:\.[0-9]+)*))?"
    rf"(?P<newer> or (?:newer|later|higher))? is (?P<no>not )?(?P<said>installed|available|missing|usable){_WHERE}?",
)
def _installed(found: re.Match[str], text: str, cwd: str) -> Fact | None:
    kind = {"": "", "tool": "tool"}.get((found["tool"] or "").casefold(), "program")
    if found["said"].casefold() == "installed" or found["version"]:
        kind = kind or "program"
    name = _name(found["name"])
    present = (found["said"].casefold() != "missing") != bool(found["no"])
    scoped = found["root"] or found["here"] or found["where"] or found["here2"]
    folder = _folder(found, cwd) if scoped else None
    version = _parts(found["version"]) if found["version"] else ()
    if found["newer"] and version and folder is None:
        if not present:
            return None
        return Measure(f"{fold(name)} version", version, None, said=text)
    if name.casefold() in ("the", "it", "that", "nothing", "everything"):
        return None
    return Installed(kind, fold(name), present, folder, tuple(int(part) for part in version))


@_reads(
    rf"there (?:are|is) {_COMPARED}? ?{_NUMBER} (?P<noun>[\w-]+(?: [\w-]+){{0,3}}?){_WHERE}?",
    rf"{_SUBJECT} (?:has|holds|contains) {_COMPARED}? ?{_NUMBER} (?P<noun>[\w-]+(?: [\w-]+){{0,3}})",
)
def _count(found: re.Match[str], text: str, cwd: str) -> Fact | None:
    noun = fold(found["noun"])
    noun = noun if noun.endswith("s") else noun + "s"
    noun = {"files and folders": "files or folders", "directories": "folders"}.get(noun, noun)
    if noun != "files or folders" and not is_name(noun.split()):
        return None
    return _bounded(noun, found, text, _folder(found, cwd))


@_reads(
    rf"(?:the )?(?P<subject>[\w][\w .'-]*?) (?:is|are) (?P<no>not )?{_COMPARED}? ?{_NUMBER}"
    r"(?P<newer> or (?:newer|later|higher|more|above))?(?P<unit> (?!or )[\w°%/]+(?: celsius| fahrenheit)?)?"
    r"(?P<more> or (?:higher|more|above))?",
    rf"(?P<subject>you|they|we|i) have {_COMPARED}? ?{_NUMBER}(?P<newer> or more)?(?P<unit> [\w-]+(?: [\w-]+)?)",
    rf"the {_NOUN}? (?:measures|reads|shows) an? (?P<subject>[\w][\w '-]*?) of {_COMPARED}? ?{_NUMBER}"
    r"(?P<newer> or more)?(?P<unit> [\w°%/]+(?: celsius| fahrenheit)?)?",
)
def _measure(found: re.Match[str], text: str, cwd: str) -> Fact | None:
    subject = _words(found["subject"])
    if subject in ("python", "python version", "version of python"):
        subject = "python version"
    # “There are 3 files or more” does not say where, and “there” is no subject.
    is_read = subject != "there" and is_name([*subject.split(), *fold(found["unit"] or "").split()])
    bounded = _bounded(f"{subject}{found['unit'] or ''}".casefold(), found, text, None) if is_read else None
    if bounded is None or not found.groupdict().get("no"):
        return bounded
    # “A door is not below …” may be said of any door.
    return None if _INDEFINITE.match(text) else bounded.denied()


def _bounded(subject: str, found: re.Match[str], text: str, folder: str | None) -> Measure | None:
    number = _parts(found["number"].casefold())
    op = (found["op"] or "exactly").casefold()
    groups = found.groupdict()
    if groups.get("newer") or groups.get("more"):
        if found["op"]:
            return None
        op = "at least"
    if op in ("at least", "no fewer than", "no less than"):
        return Measure(subject, number, None, folder=folder, said=text)
    if op in ("more than", "greater than", "above", "over", "newer than", "later than"):
        return Measure(subject, number, None, low_open=True, folder=folder, said=text)
    if op in ("at most", "no more than", "up to"):
        return Measure(subject, None, number, folder=folder, said=text)
    if op in ("exactly", "equal to"):
        return Measure(subject, number, number, folder=folder, said=text)
    return Measure(subject, None, number, high_open=True, folder=folder, said=text)


def _parts(number: str) -> tuple[float, ...]:
    if number in _NUMBER_WORDS:
        return (float(_NUMBER_WORDS[number]),)
    if number.startswith("-"):
        return (float(number[:15]),)
    return tuple(float(part[:15]) for part in number.split("."))


@_reads(
    rf"{_SUBJECT} (?P<verb>{_HAS}) (?P<some>a |an |any |no |the )?(?P<thing>{_NOUN})",
    rf"(?P<owner>you|they|we|i|the {_NOUN}?) (?P<verb>{_HAS}|are carrying|hold) (?P<some>a |an |any |no |the )?"
    rf"(?P<thing>{_NOUN})",
)
def _owning(found: re.Match[str], text: str, cwd: str) -> Fact | None:
    positive = not {"no", "not"} & set(f"{found['verb']} {found['some'] or ''}".casefold().split())
    owner = found.groupdict().get("owner")
    if not is_name(_words(found["thing"]).split()) or (owner and not is_name(_words(owner).split())):
        return None
    if owner:
        return Owning(_words(owner), _words(found["thing"]), positive)
    return Owning(_folder(found, cwd), _words(found["thing"]), positive, is_folder=True)


@_reads(
    rf"(?P<who>the (?:room|place)) (?:you are in|where you are) is (?P<no>not )?(?:called |named )?the"
    rf" (?P<where>{_NOUN})",
    rf"(?P<who>you|the {_NOUN}?|it) (?:are|is|find yourself) (?P<no>not )?(?P<prep>in|inside|at|on|under|behind) "
    rf"(?P<article>a |an |the )?(?P<where>{_NOUN})",
    rf"(?P<who>this room|the room|this place|this location) is (?P<no>not )?(?:called |named )"
    rf"(?:the )?(?P<where>{_NOUN})",
)
def _place(found: re.Match[str], text: str, cwd: str) -> Fact | None:
    who = _words(found["who"])
    if who in ("this room", "room", "this place", "place", "this location"):
        who = "you"
    groups = found.groupdict()
    prep = (groups.get("prep") or "in").casefold().replace("inside", "in")
    where = _words(found["where"])
    if not is_name(where.split()) or not is_name(who.split()):
        return None
    # “You are in a hurry” and “in danger” name no place.
    is_named = prep == "in" and fold(groups.get("article", "the ") or "").strip() == "the"
    return Place(who, prep, where, not found["no"], is_named=is_named and is_name_of_a_place(where.split()))


@_reads(
    rf"you (?:can )?see (?P<article>a |an |the )(?P<subject>{_NOUN}?),? \(?(?:that is |which is )?(?P<no>not )?"
    r"(?P<value>open|closed|locked|unlocked)\)?",
    r"(?P<no>no )(?P<subject>[\w][\w '-]*?) (?:is|are) (?P<value>[\w-]+)",
    r"(?P<article>a |an |the )?(?P<subject>[\w][\w '-]*?) (?:is|are) (?P<no>not )?"
    r"(?P<value>(?!not |no |in |at |on [\w])[\w-]+)",
)
def _quality(found: re.Match[str], text: str, cwd: str) -> Fact | None:
    subject, value = _words(found["subject"]), fold(found["value"])
    if subject == "it" or not is_name(subject.split()) or not is_name([value]):
        return None
    article = found.groupdict().get("article", "no") or ""
    return Quality(subject, value, not found["no"], definite=article.strip().casefold() not in ("a", "an", "no"))


def _words(text: str) -> str:
    return " ".join(folded for word in text.split() if (folded := fold(word)) not in NOISE)


def _claim(text: str) -> Claim:
    read = read_text(text)
    words = [(text[word.start : word.end] if word.group >= 0 else word.text, word.group >= 0) for word in read.words]
    is_plain = not any(quoted for _, quoted in words)
    denies = without_denial([word for word, _ in words]) if is_plain else None
    told = tuple(word for word, quoted in words if quoted or word not in _UNTOLD)
    return Claim(told, denies and tuple(word for word in denies if word not in _UNTOLD), text)
