"""Names with spaces for something new: “a folder called Supplier contracts”, “to Marks winter.csv”.

Nothing that is here says where such a name ends. It ends where the clause does, or with an ending of files.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agents.bdi.understanding.names import paths
from agents.bdi.understanding.names.paths import FILE, FOLDER, Tree
from agents.bdi.understanding.words.filler import ARTICLES, DOUBT, IDLE
from agents.bdi.understanding.words.naming_words import FILE_HEADS, FOLDER_HEADS
from agents.bdi.understanding.words.spelling import is_near
from agents.bdi.understanding.words.tokens import NUMBER, PATH, QUOTED, SIGN, WORD, Token
from agents.bdi.understanding.words.written_paths import has_ending

# Behind these a name may stand, and behind those of the second row nothing but one.
_BEFORE = frozenset({"to", "as", "into", "file"}) | FOLDER_HEADS
_BEFORE_ENDED = frozenset("name to as into for > : make create start write new file add produce".split())
# When something is to be done is no part of what it is called.
_WHEN = frozenset("today tonight tomorrow yesterday soon later tomorrows asap eventually someday".split())
_BEFORE_FOLDERS = FOLDER_HEADS | {"create", "mkdir"}
_CALLED = frozenset({"called", "named", "titled"})
_NAMES_IT = frozenset(
    {
        ("call", "it"),
        ("call", "them"),
        ("call", "copy"),
        ("name", "copy"),
        ("call", "duplicate"),
        ("name", "it"),
        ("name", "them"),
        ("named", "it"),
        ("name", "of"),
        ("with", "name"),
    }
)
_ENDING = frozenset(
    """
and or in inside into under within with for to at that which who please from then on by as so because among next beside
beneath below alongside instead saying containing reading starting beginning branched forked
    """.split()
)
# Between the words of a name that begins with a capital letter and ends as files do: “Leek and potato soup.md”.
_JOINS = frozenset("and or of for the".split())
_JOINS_CALLED = frozenset({"to", "from"})
# Written small, these are no part of a name: “called Ideas next to Drafts”, “to the new file plan.md”.
_NO_NAMES = IDLE | DOUBT | FILE_HEADS | FOLDER_HEADS
# But these are, behind “called”: “a folder called Monday morning”.
_AFTER_ALL = frozenset("morning afternoon evening stuff thing things friends help".split())
MAX_WORDS = 6
_IS_HERE = 0.94


def with_endings(tokens: Sequence[Token], tree: Tree, raw: str) -> list[Token]:
    """The tokens with each new name that is written with spaces and ends as files do as one: “to Rota June.csv”."""
    return _joined(tokens, raw, lambda at: (_ended(tokens, at, tree, raw), PATH))


def with_new_names(tokens: Sequence[Token], tree: Tree, raw: str) -> list[Token]:
    """The tokens with each name that is written with spaces, and is none that is here, as one token."""
    return _joined(tokens, raw, lambda at: _name_at(tokens, at, tree, raw))


def _joined(tokens: Sequence[Token], raw: str, name_at: Callable[[int], tuple[int, str]]) -> list[Token]:
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        end, kind = name_at(at)
        if end > at:
            start, stop = tokens[at].start, tokens[end - 1].end
            value = raw[start:stop]
            found.append(Token(kind, value.casefold(), value, start, stop, tokens[at].after_break))
        else:
            found.append(tokens[at])
            end = at + 1
        at = end
    return found


def _ended(tokens: Sequence[Token], at: int, tree: Tree, raw: str) -> int:
    """Where a name ends that begins here with a capital letter or a number, and ends as files do; else here."""
    first = tokens[at]
    before = _words_before(tokens, at)
    behind_a_name = at > 0 and tokens[at - 1].kind == PATH and bool(tree.kind(tokens[at - 1].value))
    begins = _is_called(before) or behind_a_name or (bool(before) and before[-1] in _BEFORE_ENDED)
    if not begins or first.kind not in (WORD, NUMBER):
        return at
    if not (first.kind == NUMBER or first.value[:1].isupper()) or tree.kind(first.value):
        return at
    for end in range(at + 1, min(len(tokens), at + MAX_WORDS + 1)):
        token = tokens[end]
        joins = _JOINS if first.kind == WORD else frozenset()
        joins |= _JOINS_CALLED if _is_called(before) else frozenset()
        if not _follows(tokens, end, raw) or (token.text in IDLE | DOUBT | _JOINS and token.text not in joins):
            return at
        if _is_end(token):
            # “The F401 fixes in main.py” ends with the name of what is here.
            is_here = paths.find(token.value, tree, FILE).confidence >= _IS_HERE
            return at if is_here and not _is_renamed(token, tokens, at, end) else end + 1
    return at


def _is_renamed(last: Token, tokens: Sequence[Token], at: int, end: int) -> bool:
    """“Rename Methods.txt to Materials and methods.txt”: what is named before gets a name that ends alike."""
    behind = tokens[end + 1].text if end + 1 < len(tokens) else ""
    is_joined = tokens[end - 1].text in _JOINS and behind not in ("to", "into", "as")
    return is_joined and any(one.text == last.text for one in tokens[:at])


def _words_before(tokens: Sequence[Token], at: int) -> list[str]:
    return [one.text for one in tokens[max(0, at - 3) : at] if one.text not in ARTICLES]


def _follows(tokens: Sequence[Token], at: int, raw: str) -> bool:
    """Whether nothing but spaces parts a word from the one before it."""
    token, before = tokens[at], tokens[at - 1]
    is_word = token.kind in (WORD, NUMBER, PATH) and not token.said and not token.after_break
    return is_word and before.end < token.start and not raw[before.end : token.start].strip()


def _name_at(tokens: Sequence[Token], at: int, tree: Tree, raw: str) -> tuple[int, str]:
    """Where a name ends that begins here, and as what it is read; it ends where it begins where there is none."""
    before = _words_before(tokens, at)
    is_called = _is_called(before) or _is_announced(tokens, at)
    first = tokens[at]
    is_path = first.kind == PATH and "/" in first.value and before[-1:] in (["create"], ["mkdir"])
    begins = is_called or bool(before and before[-1] in _BEFORE) or (is_path and _is_in_a_folder(first, tree))
    if first.kind not in (WORD, NUMBER, PATH) or first.text in _ENDING | ARTICLES or first.said:
        return at, ""
    if first.value.islower() and first.text in _NO_NAMES:
        return at, ""
    if (first.kind == PATH and has_ending(first.value)) or any(is_near(first.text, one) for one in _CALLED):
        return at, ""
    run = _run(tokens, at, raw, is_called=is_called)
    ended = next((end for end in range(at + 2, run + 1) if _is_end(tokens[end - 1])), 0)
    if ended and (begins or (first.kind == PATH and ended == at + 2)) and not tree.kind(tokens[ended - 1].value):
        return ended, PATH
    of_folder = _is_of_a_folder(tokens, at, run, before)
    behind = tokens[run].text if run < len(tokens) else ""
    stops = run == len(tokens) or tokens[run].kind == SIGN or behind in _ENDING
    whole = run > at + 1 and (stops or (is_called and behind in IDLE - FILE_HEADS))
    if ended or not (whole or of_folder):
        return at, ""
    if is_called or of_folder:
        return run, QUOTED
    # “To Accounts/Invoices 2024”: what begins with a path goes on with numbers or with words as names are written.
    is_path = first.kind == PATH and "/" in first.value and begins
    ends = run == len(tokens) or (
        bool(before) and before[-1] in _BEFORE_FOLDERS and tokens[run].text in _ENDING | {","}
    )
    goes_on = all(one.kind == NUMBER or one.value[:1].isupper() or ends for one in tokens[at + 1 : run])
    return (run, PATH) if is_path and goes_on else (at, "")


def _is_in_a_folder(path: Token, tree: Tree) -> bool:
    above, _, name = path.value.rpartition("/")
    return bool(name) and tree.kind(above) == FOLDER and not tree.kind(path.value)


def _is_of_a_folder(tokens: Sequence[Token], at: int, run: int, before: Sequence[str]) -> bool:
    """“A folder Garage 7”, “a folder 2024”, “an Old tenants folder”: words written as names are, beside that noun."""
    first = tokens[at]
    behind = tokens[run].text if run < len(tokens) else ""
    if first.kind == NUMBER and run == at + 1:
        is_parted = run == len(tokens) or tokens[run].kind == SIGN or behind in _ENDING
        return is_parted and (bool(before) and (before[-1] in FOLDER_HEADS or _is_called(before)))
    if run == at + 1 or first.kind == PATH or not (first.kind == NUMBER or first.value[:1].isupper()):
        is_numbered = run == at + 2 and tokens[run - 1].kind == NUMBER and first.kind == WORD
        if not is_numbered or tokens[at + 1].kind != NUMBER:
            return False
    if before[-1:] != [] and before[-1] in FOLDER_HEADS:
        return run == len(tokens) or tokens[run].kind == SIGN or behind in _ENDING
    return behind in FOLDER_HEADS and tokens[at - 1].text in ("a", "an", "new", "another") if at else False


def _is_called(before: Sequence[str]) -> bool:
    return before[-1:] != [] and (before[-1] in _CALLED or tuple(before[-2:]) in _NAMES_IT)


def _is_announced(tokens: Sequence[Token], at: int) -> bool:
    """“A folder for the applications: Applications 2025”: behind a colon stands its name."""
    if not at or tokens[at - 1].value != ":":
        return False
    return any(one.text in FOLDER_HEADS for one in tokens[max(0, at - 8) : at - 1])


def _is_end(token: Token) -> bool:
    return token.kind == PATH and "/" not in token.value and has_ending(token.value)


def _run(tokens: Sequence[Token], at: int, raw: str, *, is_called: bool) -> int:
    """Where the words end that nothing but spaces parts."""
    none = _NO_NAMES - _AFTER_ALL if is_called else _NO_NAMES
    end = at + 1
    while end < len(tokens) and end - at < MAX_WORDS and _follows(tokens, end, raw):
        if tokens[end].text in _ENDING | ARTICLES | (frozenset() if is_called else _WHEN) or (
            tokens[end].value.islower() and tokens[end].text in none
        ):
            break
        end += 1
    return end
