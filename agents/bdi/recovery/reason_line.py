"""Which line of what a failed program wrote says why it failed. Pure.

Every line is ranked by its form, whichever program wrote it. Of lines that state an error the first counts: what
follows is its consequence. Where none does, the last line counts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum

from agents.bdi.recovery import program_errors


class _Rank(IntEnum):
    """How much a line says about why the program failed."""

    # A heading, or what is said beside it: a hint, a note, a warning.
    ASIDE = 0
    # That another program failed, which has said why itself.
    CONSEQUENCE = 1
    PLAIN = 2
    # It calls itself an error and only names it: a code, a test, a file.
    NAME = 3
    # It says that something is missing, wrong or failed.
    COMPLAINT = 4
    # It says so in words that tell the class or the cause of a failure.
    KNOWN = 5
    # It calls itself an error and says which.
    ERROR = 6
    # The exception that ended the program.
    EXCEPTION = 7


# Of what only names an error: “npm error code E404”.
_MOST_NAMES = 2
# A label stands at the beginning, after a time or up to two words (a program, a position), or behind a colon.
_LABEL = r"(?:error|err!|fatal|fail(?:ed|ure)?|conflict|panic(?:ked)?|exception|critical|severe)(?![\w-])"
_ERROR = re.compile(rf"(?:^[\W\d]*+(?:\S+\s+){{0,2}}?|:\s*){_LABEL}(.*\w.*)", re.IGNORECASE)
_ASIDE = re.compile(
    r"^([=_*#~!-])\1{2}|^\W*+(?:\S+\s+){0,2}?(?:\w*warn(?:ing)?|note|notice|hint|help|info|debug|usage|tip)\b",
    re.IGNORECASE,
)
_CONSEQUENCE = re.compile(r"\bexit(?:ed|s)?[ -](?:code|status|with)\b|\bexiting\b|\*\*\* .*\berror \d+$", re.IGNORECASE)
_COMPLAINT = program_errors.any_of(
    "not?", "nothing", "cannot", r"\w+n't", "unable", "un(?:known|defined|expected|recogni[sz]ed|resolved)", "invalid",
    "missing", "denied", "refused", "fail(?:s|ed|ure)?", "errors?",
)  # fmt: skip


# A stream with one of these states an error.
_STATED = frozenset({_Rank.NAME, _Rank.ERROR, _Rank.EXCEPTION})


@dataclass(frozen=True)
class _Said:
    """The line of a stream that says most, and whether the stream states an error at all."""

    line: str = ""
    rank: _Rank = _Rank.ASIDE
    is_stated: bool = False


def reason_line(stderr: str, stdout: str) -> str:
    """The line that says why, "" where nothing was written. Where both streams say equally much, both lines.

    Many programs write results to stdout: what states no error there counts only if there is nothing in stderr.
    """
    said, printed = _of(stderr), _of(stdout)
    if not printed.is_stated:
        return said.line or printed.line
    if not said.is_stated or printed.rank > said.rank:
        return printed.line
    return said.line if said.rank > printed.rank else f"{said.line}; {printed.line}"


def _of(text: str) -> _Said:
    lines = text.splitlines()
    at = program_errors.exception_line(lines)
    if at is not None and not _CONSEQUENCE.search(lines[at]):
        return _Said(lines[at].strip(), _Rank.EXCEPTION, is_stated=True)
    ranked = [(_rank(line), line.strip()) for line in program_errors.without_source(lines) if line.strip()]
    most = max((rank for rank, _ in ranked), default=_Rank.ASIDE)
    best = [line for rank, line in ranked if rank is most] or [""]
    is_stated = any(rank in _STATED for rank, _ in ranked)
    return _Said(best[0] if most > _Rank.PLAIN else best[-1], most, is_stated)


def _rank(line: str) -> _Rank:
    if _ASIDE.search(line):
        return _Rank.ASIDE
    if _CONSEQUENCE.search(line):
        return _Rank.CONSEQUENCE
    if error := _ERROR.search(line):
        is_sentence = ": " in error[1] or len(error[1].split()) > _MOST_NAMES
        return _Rank.ERROR if is_sentence else _Rank.NAME
    if program_errors.is_known(line):
        return _Rank.KNOWN
    return _Rank.COMPLAINT if _COMPLAINT.search(line.lower()) else _Rank.PLAIN
