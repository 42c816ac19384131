"""What a program's own words say about its failure: the class, and the cause. Pure.

Only phrases decide, never a bare number: a line 429, or an assertion about 1429, is no rate limit. Source that a
program quotes, such as the lines of a traceback, is not what it says.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from http import HTTPStatus


class Cause(StrEnum):
    """What a failure is due to, as far as that tells whether the same step may come to another end."""

    # The program cannot be read or loaded: nothing outside of it matters.
    CODE = "code"
    # The program, its files, or what it was called with.
    INPUT = "input"
    # What a machine under load causes: too slow, out of memory, no room for another process or file.
    TIME = "time"
    MEMORY = "memory"
    PROCESSES = "processes"
    DISK = "disk"
    # Another machine.
    REMOTE = "remote"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Reading:
    """The class by its name ("" where the words tell none), the cause, and the words that say it."""

    failure_class: str = ""
    cause: Cause = Cause.UNKNOWN
    words: str = ""


NOTHING = Reading()
_WORDS_KEPT = 160
_OWN, _RATE, _NETWORK = "TOOL_EXECUTION_ERROR", "RATE_LIMIT_ERROR", "NETWORK_ERROR"
_PERMISSION, _PARAMETERS, _UNAVAILABLE = "PERMISSION_ERROR", "INVALID_PARAMETERS", "TOOL_UNAVAILABLE"


def of_stderr(text: str) -> Reading:
    """What the end of a program's stderr says; an exception that ended it decides before any phrase."""
    lines = text.splitlines()
    name, at = _last_exception(lines)
    found = _of_exception(name)
    if found.failure_class:
        return replace(found, words=lines[at].strip()[:_WORDS_KEPT])
    # The exception's own message counts first; what stands before it may be why it came to that.
    for part in (lines[at:], lines) if at else (lines,):
        spoken = "\n".join(without_source(part)).lower()
        if said := next(_said(spoken), None):
            return said
    return found


def is_known(line: str) -> bool:
    """Whether a line has words that tell a class or a cause."""
    return next(_said(line.lower()), None) is not None


def line_with(text: str, words: str) -> str:
    """The last line that says these words, which `of_stderr` read; the words themselves where none does."""
    said = (line.strip() for line in reversed(list(without_source(text.splitlines()))))
    return next((line for line in said if words.lower() in " ".join(line.lower().split())), words)


def of_stdout(text: str) -> Cause:
    """What a test run says on stdout: a cause only where every exception in it is the tests' or the program's own."""
    causes = {_of_exception(name.rpartition(".")[2]).cause for name in _PYTEST.findall(text)}
    if causes <= {Cause.CODE, Cause.INPUT} and causes:
        return Cause.INPUT
    return Cause.UNKNOWN


# Where pytest ends a traceback: “test_x.py:12: AssertionError”; what it could not collect: “E   ImportError: …”.
_PYTEST = re.compile(r"^(?:\S+\.py:\d+: |E {3,})([A-Za-z_][\w.]*(?:Error|Exception))(?=:|$)", re.MULTILINE)

# A line of a traceback that says where, and one of JavaScript.
_FRAME = re.compile(r'\s*File "[^"]*", line \d+')
_JS_FRAME = re.compile(r" {4}at \S")
_EXCEPTION = re.compile(r"([A-Za-z_][\w.]*)(?: \[\w+\])?(?::|$)")


def exception_line(lines: Sequence[str]) -> int | None:
    """Where the exception that ended the program stands in what it wrote; None where none did."""
    name, at = _last_exception(lines)
    return at if name else None


def _last_exception(lines: Sequence[str]) -> tuple[str, int]:
    """The last exception's own name and the line it stands on; ("", 0) where none ended the program."""
    at = max((number for number, line in enumerate(lines) if _FRAME.match(line)), default=-1)
    if at >= 0:
        for number in range(at + 1, len(lines)):
            if lines[number][:1].strip():
                found = _EXCEPTION.match(lines[number])
                return (found[1].rpartition(".")[2], number) if found else ("", 0)
        return "", 0
    first = next((number for number, line in enumerate(lines) if _JS_FRAME.match(line)), 0)
    for number in range(first - 1, -1, -1):
        found = _EXCEPTION.match(lines[number])
        if found and found[1].endswith("Error"):
            return found[1], number
    return "", 0


# Python's own exceptions about files: another try finds the same ones.
_ABOUT_FILES = (FileNotFoundError, FileExistsError, IsADirectoryError, NotADirectoryError)
# What these mean only their message tells.
_SAY_LITTLE = (OSError, SystemError, Warning, StopIteration, StopAsyncIteration)


def _of_exception(name: str) -> Reading:
    """By Python's hierarchy of exceptions, whose names other languages share."""
    kind = getattr(builtins, name, None)
    if not isinstance(kind, type) or not issubclass(kind, Exception):
        return NOTHING
    if issubclass(kind, (SyntaxError, ImportError, NameError)):
        return Reading(_OWN, Cause.CODE)
    if issubclass(kind, _ABOUT_FILES):
        return Reading(_OWN, Cause.INPUT)
    if issubclass(kind, PermissionError):
        return Reading(_PERMISSION, Cause.INPUT)
    if issubclass(kind, ConnectionError):
        return Reading(_NETWORK, Cause.REMOTE)
    if issubclass(kind, MemoryError):
        return Reading(_OWN, Cause.MEMORY)
    if issubclass(kind, TimeoutError):
        return Reading("", Cause.TIME)
    if issubclass(kind, _SAY_LITTLE) or kind in (Exception, RuntimeError, ExceptionGroup):
        return NOTHING
    return Reading(_OWN, Cause.INPUT)


# A line of a traceback, and of a compiler: “  429 | int x;”.
_SOURCE = re.compile(r"[ \t]*(?:\d+[ \t]*)?\|(?: |$)")


def without_source(lines: Sequence[str]) -> Iterator[str]:
    """The lines that the program itself says; a frame goes with the source behind it."""
    quoted = False
    for line in lines:
        quoted = bool(_FRAME.match(line)) or (quoted and line.startswith("    "))
        if not quoted and not _SOURCE.match(line):
            yield line


# Where a number is said to be a status: “HTTP 429”, “status code: 429”, “returned error: 429”, “429 Too Many Requests”.
_STATUS = (
    re.compile(r"\bhttp(?:/\d(?:\.\d)?)?(?: (?:error|status|code|response))*:? (\d{3})\b"),
    re.compile(r"\bhttp response from .{1,200}?, got (\d{3})\b"),
    re.compile(r"\b(?:status code|status|returned error)(?: of| was| is)?[:=]? ?(\d{3})\b"),
    re.compile(r"\berror code: (\d{3}) - "),
    re.compile(r"\b(\d{3}) (?:client|server) error\b"),
)
_WITH_REASON = re.compile(r"\b(\d{3})(?: {1,2}|: )([a-z][a-z -]*)")


def _said(spoken: str) -> Iterator[Reading]:
    """Everything the words tell, what counts most first."""
    # Before the status: a server may refuse with 403 and say that the rate limit is why.
    yield from _of_phrases(spoken, _PHRASES[:1])
    yield from _of_status(spoken)
    yield from _of_phrases(spoken, _PHRASES[1:])


def _of_status(spoken: str) -> Iterator[Reading]:
    told = [(int(found[1]), found[0]) for pattern in _STATUS for found in pattern.finditer(spoken)]
    for found in _WITH_REASON.finditer(spoken):
        reason = _REASONS.get(int(found[1]), "")
        if reason and found[2].startswith(reason):
            told.append((int(found[1]), f"{found[1]} {reason}"))
    yield from (reading for status, words in told if (reading := _by_status(status, words)))


_REASONS = {int(one): one.phrase.lower() for one in HTTPStatus}


def _by_status(status: int, words: str) -> Reading | None:
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return Reading(_RATE, Cause.REMOTE, words)
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.PROXY_AUTHENTICATION_REQUIRED):
        return Reading(_PERMISSION, Cause.REMOTE, words)
    return Reading(_NETWORK, Cause.REMOTE, words) if 500 <= status < 600 else None


_Phrases = tuple[str, Cause, re.Pattern[str]]


def _of_phrases(spoken: str, phrases: Sequence[_Phrases]) -> Iterator[Reading]:
    for failure_class, cause, pattern in phrases:
        if found := pattern.search(spoken):
            yield Reading(failure_class, cause, " ".join(found[0].split()))


def any_of(*phrases: str) -> re.Pattern[str]:
    """One of these in small letters, and not within a path or a longer name: “./connection refused.txt”."""
    return re.compile(rf"(?<![\w/\\.-])(?:{'|'.join(phrases)})(?![\w/\\-]|\.\w)", re.MULTILINE)


# In this order: a refused connection is often followed by words about what the program was called with.
_PHRASES: tuple[_Phrases, ...] = (
    (
        _RATE,
        Cause.REMOTE,
        any_of(
            "too many requests", "toomanyrequests", r"rate[ -]limit(?: was| has been| is)? (?:exceeded|reached|hit)",
            r"exceeded (?:a |your |the )?(?:\w+ )?rate[ -]limit", "rate[ -]limited", "throttlingexception",
            "rate exceeded",
        ),
    ),
    (
        _NETWORK,
        Cause.REMOTE,
        any_of(
            r"could(?: not|n't) resolve(?: \w+)*", "unable to resolve host address", "could not translate host name",
            "temporary failure (?:in name resolution|resolving)", "name or service not known", "no such host",
            "no address associated with hostname", "nodename nor servname provided",
            "network is (?:unreachable|down)", "no route to host", "host is unreachable",
            "connection (?:refused|reset|aborted|closed by (?:remote|foreign) host)",
            r"connection (?:to \S+ )?timed out", "operation timed out", "read timed out",
            "failed to establish a new connection", "could(?: not|n't) connect to", "unable to connect to",
            "failed to connect to", "remote end closed connection", "the remote end hung up",
            "enotfound", "econnrefused", "econnreset", "etimedout", "eai_again", "enetunreach", "ehostunreach",
        ),
    ),
    (
        _PERMISSION,
        Cause.INPUT,
        any_of(
            "permission denied", "operation not permitted", "read-only file system", "access (?:is )?denied",
            r"(?:\w+ )?authentication failed", "host key verification failed", "eacces", "eperm", "erofs",
            r"are you root\?",
        ),
    ),
    (
        _UNAVAILABLE,
        Cause.INPUT,
        any_of(
            "command not found", r"sh: \d+: \S+: not found", r"(?:\S*/)?python[\d.]*: no module named \S+",
            r"make(?:\[\d+\])?: \*\*\* .*\berror 127", "cannot connect to the docker daemon",
        ),
    ),
    (
        _PARAMETERS,
        Cause.INPUT,
        any_of(
            "unrecognized arguments?", "the following arguments are required", r"invalid (?:choice|\w+ value):",
            "expected (?:one|at least one|[0-9]+) arguments?", r"unexpected argument", "no such (?:option|command)",
            "unrecognized (?:command[- ]line )?option", "unknown (?:shorthand )?flag", r"option \S+: is unknown",
            "(?:invalid|unknown|illegal|bad) (?:argument|command|operation|option|predicate|switch)",
            r"command line option \S+ .*is not understood", "requires an argument",
            r"(?:missing|extra) (?:\w+ ){0,2}operand", "missing argument",
            "too (?:many|few) arguments", "missing url", r"is not a \w+ command", "missing script",
        ),
    ),
    (
        _OWN,
        Cause.MEMORY,
        any_of("cannot allocate memory", "out of memory", "memory exhausted", r"std::bad_alloc", "enomem"),
    ),
    (
        _OWN,
        Cause.PROCESSES,
        any_of(
            "resource temporarily unavailable", "(?:can't|cannot|unable to) fork", "fork failed", "eagain",
            "(?:can't|cannot|unable to) (?:start|create) (?:new )?(?:native )?thread",
        ),
    ),
    (_OWN, Cause.DISK, any_of("no space left on device", "enospc")),
    (_OWN, Cause.TIME, any_of(r"timed out(?= after| waiting|[.,;:)]|$)", r"timeout (?:\w+ )?(?:expired|exceeded)")),
    (
        _OWN,
        Cause.INPUT,
        any_of(
            "no such file or directory", "(?:not|is) a directory", "directory not empty", "cannot find module",
            "enoent",
        ),
    ),
)  # fmt: skip
