"""Lists of hosts as people say them, as entries, and as words again. What an entry may be decides the sandbox's gate.

Said: `127.0.0.1:8123 and the package index`, `the host of https://example.org/status`, `nothing`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from agents.toolkit import web_address
from agents.toolkit.schemas import ADDRESS_KIND, HOSTS_KIND
from sandbox.gate.hosts import PACKAGES, HostRefused, canonical

THE_INDEX = "the package index"
_NOTHING = "nothing"
_INDEX = frozenset({PACKAGES, "package index", THE_INDEX})
_PART = re.compile(r"\s*(?:,\s+and\s|,(?=\s)|\n|\sand\s)\s*", re.IGNORECASE)
_HOST_OF = re.compile(r"the host of\s+(?P<address>.+)\Z", re.IGNORECASE | re.DOTALL)
_NOUN = re.compile(r"(?:the\s+)?(?:hosts?|servers?|domains?)\s+(?=\S+\Z)", re.IGNORECASE)
_HOST_OF_SLOT = re.compile(r"the host of\s+\{(?P<slot>[a-z][a-z0-9_]*)\}\Z", re.IGNORECASE)
_QUOTED = re.compile(r"(?P<mark>[\"'“])(?P<inside>.*)(?:(?P=mark)|”)\Z", re.DOTALL)


def pieces_of(text: str) -> list[str]:
    """Part what somebody said into entries as they were said: by commas, lines and the word "and"."""
    pieces: list[str] = []
    for piece in _PART.split(text.strip()):
        # A comma without a space parts names, but inside an address it belongs to the address.
        pieces += [piece] if _HOST_OF.match(piece.strip()) else piece.split(",")
    said = [piece.strip() for piece in pieces if piece.strip()]
    return [] if [piece.casefold() for piece in said] == [_NOTHING] else said


def entry_of(piece: str) -> str:
    """Return the entry that one piece says. What is none comes back as it is, for the gate's own refusal."""
    quoted = _QUOTED.match(piece)
    said = quoted["inside"].strip() if quoted else piece
    if " ".join(said.casefold().split()) in _INDEX:
        return PACKAGES
    of = _HOST_OF.match(said)
    return _host_of(of["address"].strip(" \"'")) if of else _NOUN.sub("", said)


def entries_of(text: str) -> list[str]:
    """Return the entries that a text says, in its order."""
    return [entry_of(piece) for piece in pieces_of(text)]


def host_of_slot(piece: str) -> str | None:
    """The slot of a rule whose address gives this entry (`the host of {address}`); None for any other."""
    found = _HOST_OF_SLOT.match(piece)
    return found["slot"] if found else None


def _host_of(address: str) -> str:
    """The host, and the port if it is written, of a web address; anything else as it is."""
    if any(char.isspace() for char in address):
        return address
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        return address
    if parts.scheme not in ("http", "https") or not host:
        return address
    name = f"[{host}]" if ":" in host else host
    return name if port is None else f"{name}:{port}"


def in_words(entries: Sequence[str]) -> str:
    """Say a list so that `entries_of` reads it back."""
    said = [THE_INDEX if entry == PACKAGES else entry for entry in entries]
    if not said:
        return _NOTHING
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"


def host_problem(entries: Iterable[Any]) -> str | None:
    """Why these may not be a list of hosts, naming the entry; None when they may."""
    try:
        canonical(entries)
    except HostRefused as refused:
        return str(refused)
    return None


def hosts_asked_for(schema: Mapping[str, Any], params: Mapping[str, Any]) -> tuple[str, ...]:
    """The hosts that the parameters of a command ask for, in their one spelling. Raises HostRefused."""
    asked: list[Any] = []
    for name, described in schema.get("properties", {}).items():
        if described.get("x-kind") == HOSTS_KIND:
            asked += params.get(name) or ()
        elif described.get("x-kind") == ADDRESS_KIND and name in params:
            asked.append(_reached(params[name]))
    return canonical(asked)


def address_problem(said: str) -> str | None:
    """Why this is no web address whose host could be let in; None when it is one."""
    try:
        return host_problem([web_address.read(said).entry])
    except ValueError as error:
        return str(error)


def _reached(said: object) -> str:
    try:
        return web_address.read(str(said)).entry
    except ValueError as error:
        raise HostRefused(str(error)) from error
