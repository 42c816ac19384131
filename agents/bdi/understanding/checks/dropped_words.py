"""Words that a reading dropped, seen in the whole text: the rest of a note, of a name, of a pattern.

Each look is as those of `second_look`: the reading, its text, its words and what is here; out come doubts, each with
what may be meant instead.
"""

from __future__ import annotations

import itertools
import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agents.bdi.understanding.names.paths import FILE, Tree
from agents.bdi.understanding.names.tree_index import by_name
from agents.bdi.understanding.understood import Meant, Understood
from agents.bdi.understanding.words.written_paths import has_ending
from agents.toolkit.registry import Registry
from agents.toolkit.types import Param

Doubt = tuple[str, tuple[Meant, ...]]

_DICTATED = ("text", "content", "message")
_LABEL = re.compile(
    r"\s*(?:please\s+)?(?:add|append|put|write|enter|jot(?:\s+down)?|note|say)?\s*(?:the\s+|this\s+)?"
    r"(?:line|words?|text|sentence|entry|note|content|message)?\s*[:\"'“‘«]?\s*\Z",
    re.IGNORECASE,
)
_BEHIND_A_LINE = frozenset({"there", "here", "again", "now", "please", "pls", "too", "instead", "afterwards", "twice"})
_SO_OFTEN = re.compile(r"\s+\S+\s+times\Z", re.IGNORECASE)
_CALLED = re.compile(
    r"\b(?:call|name|title|label)\s+(?:it|them|this|that|the\s+(?:copy|new\s+one|result|file|other))"
    r"\s+((?:[^\s,;:]+\s+){1,5})\Z",
    re.IGNORECASE,
)
_AT_THE_END = frozenset({"end", "bottom", "add", "append"})
_OF_A_FIRST = frozenset({"first", "initial", "default", "main"})


# Nothing in it is tried in two ways: a long row of spaces is gone through once.
_REASON = re.compile(r"\b(?:because(?:\s++of\b)?|due\s++to\b)\s++(?P<why>[^.;!?]++)[.!]?\s*+\Z", re.IGNORECASE)


def with_its_reason(found: Understood, text: str, registry: Registry) -> Understood:
    """“Retire Olga because she is not needed”: to most commands a reason is talk; one that keeps it gets it."""
    if not found.is_sure or len(found.meant) != 1:
        return found
    (one,) = found.meant
    if "reason" in one.params or "reason" not in registry.command(one.tool, one.command).properties:
        return found
    said = _REASON.search(text)
    if said is None:
        return found
    reason, start = said["why"].rstrip(), said.start("why")
    why = Param(reason, "explicit", span=(start, start + len(reason)))
    return replace(found, meant=(replace(one, params={**one.params, "reason": why}),))


def with_value(meant: Sequence[Meant], at: int, name: str, value: object) -> tuple[Meant, ...]:
    """The reading with another value of one step: it says what stood there before, and that nobody said it so."""
    one = meant[at]
    before = one.params.get(name)
    if before is None:
        made = Param(value, "mapping")
    else:
        was = before.value if before.original is None else before.original
        made = replace(before, value=value, origin="mapping", original=was)
    return (*meant[:at], replace(one, params={**one.params, name: made}), *meant[at + 1 :])


def rest_of_a_text(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[Doubt]:
    """“A note keys: box 3 is full, start box 4”: between the colon and the text nothing may be missing."""
    for at, one in enumerate(meant):
        for name in _DICTATED:
            param = one.params.get(name)
            if param is None or param.span is None or param.origin != "explicit":
                continue
            colon = text.rfind(": ", 0, param.span[0])
            others = [other.span for key, other in one.params.items() if key != name and other.span is not None]
            if colon < 0 or not others or any(span[1] > colon for span in others):
                continue
            if _LABEL.match(text[colon + 1 : param.span[0]]):
                continue
            yield (
                "All that stands behind the colon may be meant.",
                with_value(meant, at, name, text[colon + 1 : param.span[1]].strip()),
            )


def a_branch_there_is(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[Doubt]:
    """“Let me have the branch x” speaks of one that there is; only to make it is to make another."""
    for at, one in enumerate(meant):
        if one.command == "create_branch" and _THE_BRANCH.search(text) and "start" not in one.params:
            there = replace(one, command="switch_branch")
            yield "It speaks of a branch that there may be.", (*meant[:at], there, *meant[at + 1 :])


def no_file_by_its_name(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[Doubt]:
    """“Add a todo: call Bob”: what is called no file, and has the name of none, may be something else."""
    for one in meant:
        path = one.params.get("path")
        if one.command != "write" or path is None or path.span is None or "/" in str(path.value):
            continue
        is_written = has_ending(str(path.value)) or not str(path.value).islower() or tree.kind(str(path.value))
        if is_written or not _CALLED_A_FILE.isdisjoint(said):
            continue
        yield f"“{path.value}” may be no file.", ()


def a_place_that_is_not_there(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[Doubt]:
    """“Move logo.png to static/images”, where no such folder is: a file that ends like one gets no name without."""
    for one in meant:
        source, to = str(one.values().get("path", "")), str(one.values().get("to", ""))
        if one.command not in ("mv", "cp") or "/" not in to.rstrip("/") or has_ending(to) or tree.kind(to):
            continue
        if has_ending(source) and tree.kind(source) == FILE and "rename" not in said:
            yield f"There is no folder {to}.", ()


def passed_on(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[Doubt]:
    """“Cat a.txt | grep x”: what one program says is given to no other."""
    held = [param.span for one in meant for param in one.params.values() if param.span]
    for found in _PIPE.finditer(text):
        if not any(start <= found.start() < end for start, end in held):
            yield "“|” would give what one writes to the next, and each step stands for itself.", ()


def ends_with_the_next(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[Doubt]:
    """“Add to the note: fan replaced. After that, show it”: what leads to the next step is no part of the text."""
    for one in meant:
        for name in _DICTATED:
            param = one.params.get(name)
            if param is not None and param.span is not None and _LEADS_ON.search(text[slice(*param.span)]):
                yield "The last words of the text may lead to what comes next.", ()


_LEADS_ON = re.compile(
    r"[.;,!]\s*(?:and\s+)?(?:after\s+(?:that|this)|then|afterwards|next|finally)\W*\Z", re.IGNORECASE
)
_PIPE = re.compile(r"(?<=\s)\|(?=\s)")


def a_file_and_no_branch(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[Doubt]:
    """“Checkout app/main.py” speaks of the file."""
    for one in meant:
        name = str(one.values().get("name", ""))
        if one.command in ("switch_branch", "create_branch") and has_ending(name) and tree.kind(name) == FILE:
            yield f"“{name}” is a file here.", ()


_CALLED_A_FILE = frozenset("file files document script module called named touch".split())
_THE_BRANCH = re.compile(
    r"\b(?:have|want|need|get|like|give|bring)\s+(?:me\s+|us\s+)?(?:to\s+(?:have\s+)?|onto\s+|on\s+)?the\s+branch\b",
    re.IGNORECASE,
)


def a_thing_of_its_kind(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[Doubt]:
    """“New agent: mailer” makes an agent rather than a file that is called agent."""
    for one in meant:
        path = str(one.values().get("path", "")).casefold()
        if path in _KINDS and not tree.kind(path):
            yield f"It may speak of {'an' if path[0] == 'a' else 'a'} {path}.", (one,)


_KINDS = frozenset({"agent", "note", "branch", "commit", "repository", "repo", "report", "summary", "memo"})


def rest_of_a_pattern(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[Doubt]:
    """“The regular expression [0-9]+”: a pattern goes on to the next space."""
    for at, one in enumerate(meant):
        param = one.params.get("text")
        if one.values().get("regular") is not True or param is None or param.span is None:
            continue
        rest = text[param.span[1] :].partition(" ")[0].rstrip(".,;:!?\"'”’»")
        if rest:
            yield f"The pattern may go on with “{rest}”.", with_value(meant, at, "text", f"{param.value}{rest}")


def rest_of_a_name(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[Doubt]:
    """“Call the copy Letter to sponsor White.txt”: the name begins behind what is called so."""
    for at, one in enumerate(meant):
        to = one.params.get("to")
        if to is None or to.span is None or not has_ending(str(to.value)):
            continue
        found = _CALLED.search(text[: to.span[0]])
        if found:
            folder, end = posixpath.split(str(to.value))
            whole = posixpath.join(folder, found[1] + end)
            yield f"The new name may be “{posixpath.basename(whole)}”.", with_value(meant, at, "to", whole)


def part_of_a_line(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[Doubt]:
    """“Run pytest -q there”: what stands behind a command line, and is no part of it."""
    for at, one in enumerate(meant):
        line = str(one.values().get("command_line", ""))
        kept, _, last = line.rpartition(" ")
        if often := _SO_OFTEN.search(line):
            # “Run build.sh three times”
            kept, last = line[: often.start()], "too"
        if kept and last.casefold().strip(".!") in _BEHIND_A_LINE:
            yield f"“{last}” may be no part of the command line.", with_value(meant, at, "command_line", kept)


def one_of_that_name(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[Doubt]:
    """“Write at the end of Diary.md: …”, where that lies in a folder: a new file beside it is seldom meant."""
    for at, one in enumerate(meant):
        path = str(one.values().get("path", ""))
        if one.command != "write" or "/" in path or tree.kind(path):
            continue
        for entry in tree.index.at(by_name, path.casefold()):
            if entry.kind == FILE:
                other = with_value(meant, at, "path", tree.said(entry.path))
                if not _AT_THE_END.isdisjoint(said):
                    other = with_value(other, at, "mode", "append")
                yield f"{tree.said(entry.path)} is called so.", other


def first_of_a_repository(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[Doubt]:
    """“Git init, first branch trunk” makes no second branch."""
    for at, (one, other) in enumerate(itertools.pairwise(meant)):
        if one.command == "init" and other.command == "create_branch" and not _OF_A_FIRST.isdisjoint(said):
            whole = with_value((*meant[: at + 1], *meant[at + 2 :]), at, "branch", other.values().get("name", ""))
            yield "It may be the first branch.", whole


def rest_of_a_message(meant: Sequence[Meant], text: str, said: Sequence[str], tree: Tree) -> Iterator[Doubt]:
    """“Under the message Fix rounding in the cart”: words without quotes may go on to the end."""
    for at, one in enumerate(meant):
        param = one.params.get("message")
        if param is None or param.span is None or text[param.span[0] - 1 : param.span[0]] in _QUOTES:
            continue
        for name in ("only", "path"):
            other = one.params.get(name)
            if other is None or other.span is None or not _GOES_ON.fullmatch(text[param.span[1] : other.span[0]]):
                continue
            whole = with_value(meant, at, "message", text[param.span[0] : other.span[1]])
            kept = {key: value for key, value in whole[at].params.items() if key != name}
            yield (
                "All that stands behind the message may be meant.",
                (*whole[:at], replace(whole[at], params=kept), *whole[at + 1 :]),
            )


_GOES_ON = re.compile(r"(?:\s+(?:in|of|for|to|from|the|a|an|my|our|file|folder)){1,4}\s+", re.IGNORECASE)
_QUOTES = tuple("\"'“‘«")
LOOKS = (
    a_place_that_is_not_there,
    passed_on,
    ends_with_the_next,
    a_file_and_no_branch,
    no_file_by_its_name,
    rest_of_a_message,
    a_branch_there_is,
    a_thing_of_its_kind,
    rest_of_a_text,
    rest_of_a_pattern,
    rest_of_a_name,
    part_of_a_line,
    one_of_that_name,
    first_of_a_repository,
)
