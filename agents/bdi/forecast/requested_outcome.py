"""What a goal's words ask for, as far as code can check it afterwards: a change, a fix, a run, tests, an answer. Pure.

A verb counts only where it is a request: in its base form, at the head of a clause ("find out why and fix it"). "List
the files that were removed" and "show how to fix it" ask for no change. What stands in quotes asks for nothing, and
neither does a sentence from its first condition on ("if it fails, fix it").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

FIXING = frozenset("fix repair mend correct rectify resolve solve patch debug".split())
# Words that ask for other files than there are. "Create", "write" and "make" are missing: people ask for answers with
# them ("make a list of"), and what a plan writes is checked by its path.
CHANGING = (FIXING - {"debug"}) | frozenset(
    """
    edit change modify update alter adjust rewrite rework refactor reformat replace substitute rename move
    delete remove erase add insert append prepend implement revert undo restore uncomment
    """.split()
)
_RUNNING = frozenset("run rerun execute launch start".split())
_ANSWERING = frozenset(
    """
    show list print display tell say give read view find search look count explain describe summarize summarise
    analyze analyse audit check compare calculate compute report what which who where when why how is are does
    do has can
    """.split()
)
_CONDITIONS = frozenset("if unless when whenever should".split())

_SPACES = re.compile(r"[^\S\n]+")
_QUOTED = re.compile(r"""“[^“”]*”|"[^"\n]*"|`[^`]*`|(?<!\w)'[^'\n]*'(?!\w)""")
_SENTENCE_END = re.compile(r"(?<=[.;!?])\s+|\n+")
_CLAUSE_END = re.compile(r"\s*,\s*|\s+(?=(?:and|then|but)\b)")
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
# What may stand before the verb of a request.
_LEADING = re.compile(
    r"(?:(?:and|then|but|so|also|please|kindly|just|now|next|first|finally|go ahead|[a-z]+ly|"
    r"(?:can|could|would|will) (?:you|we)|(?:you|we|i) (?:should|must|have to|need to)|"
    r"(?:i|we)(?: would|'d)? (?:want|need|like|wish)(?: you| us)? to|help (?:me|us)(?: to)?|try to|"
    r"make sure (?:to|that you|you)|remember to|let's|let us)\s+)*"
)
# "Update me", "add 2 and 3": nothing of a file.
_NO_FILE = re.compile(r"\s+(?:me\b|us\b|\d)")
_TESTS = re.compile(r"\b(?:tests?|test ?suites?|pytest|unittests?|doctests?)\b(?![./\\-])")


@dataclass(frozen=True)
class Wanted:
    """What the words ask for. `change` is the verb that asks for other files, "" for none; `fix`: for a repair."""

    change: str = ""
    fix: bool = False
    run: bool = False
    tests: bool = False
    answer: bool = False


def wanted(text: str, contents: Sequence[tuple[int, int]] = ()) -> Wanted:
    """What the text of a goal asks for. `contents`: the parts of it that are what a step writes: material."""
    for start, end in contents:
        text = text[:start] + " " * (end - start) + text[end:]
    change, fix, run, tests, answer = "", False, False, False, False
    plain = _SPACES.sub(" ", _QUOTED.sub(" … ", text)).lower().replace("’", "'")
    for sentence in _SENTENCE_END.split(plain):
        for clause, head, rest in _requests(sentence):
            if head in CHANGING and not _NO_FILE.match(rest):
                change = change or head
            fix = fix or head in FIXING
            run = run or head in _RUNNING
            tests = tests or (bool(_TESTS.search(clause)) and (head in _RUNNING or head == "test"))
            answer = answer or head in _ANSWERING
        answer = answer or sentence.rstrip().endswith("?")
    return Wanted(change, fix, run, tests, answer)


def _requests(sentence: str) -> Iterator[tuple[str, str, str]]:
    """The clauses of a sentence that may be requests, each with its first word of weight and what follows it."""
    for clause in _CLAUSE_END.split(sentence):
        start = _past_leading(clause.strip())
        if (word := _WORD.match(start)) is None:
            continue
        if word.group() in _CONDITIONS and not sentence.rstrip().endswith("?"):
            return
        yield start, word.group(), start[word.end() :]


def _past_leading(clause: str) -> str:
    leading = _LEADING.match(clause)
    return clause[leading.end() :] if leading else clause
