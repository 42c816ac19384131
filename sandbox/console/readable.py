"""A command's answer for people: short lines instead of JSON, without characters that control the terminal. Pure."""

from __future__ import annotations

import codecs
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sandbox.contract import Result

# Controls, formats such as the reversal of writing, lone surrogates, and the separators that some terminals obey.
_STEERING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_KINDS = {"dir": "/", "link": " (link)"}
# Fields of an answer that its lines do not repeat.
_KNOWN = frozenset({"stdout", "stderr", "return_code", "peak_memory_bytes", "peak_processes", "deleted", "network"})


def harmless(text: str) -> str:
    """The text with every character that a terminal would obey written out, as `\\x1b`; lines and tabs stay."""
    return "".join(map(_shown, text))


def _shown(character: str) -> str:
    if character in "\n\t" or unicodedata.category(character) not in _STEERING:
        return character
    return character.encode("unicode_escape", "backslashreplace").decode("ascii")


class Flow:
    """A program's output, made harmless piece by piece.

    A character may be split between two pieces. A lone carriage return becomes a line break, because it would overwrite
    the line.
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        self._returned = False
        self.is_mid_line = False

    def add(self, data: bytes, *, last: bool = False) -> str:
        """What can be shown after this piece."""
        text = self._decoder.decode(data, last)
        if self._returned and text.startswith("\n"):
            text = text[1:]
        self._returned = text.endswith("\r") or (self._returned and not text)
        shown = harmless(text.replace("\r\n", "\n").replace("\r", "\n"))
        if shown:
            self.is_mid_line = not shown.endswith("\n")
        return shown


def lines(command: str, result: Result) -> list[str]:
    """A result in lines, successes first, then failures. Without the program's output, which was already shown."""
    told = _ANSWERS.get(command, _message)(result.data) if result.ok else []
    told = [*told, *_notes(result.data)]
    return [harmless(line) for line in told]


def error(result: Result) -> str:
    """A failure in one line."""
    reason = " ".join(result.reason.split())
    return harmless(f"error: {reason} ({result.error_class})")


def _message(data: Mapping[str, Any]) -> list[str]:
    if "message" in data:
        return [str(data["message"])]
    return [f"{name}: {value}" for name, value in data.items() if name not in _KNOWN]


def _notes(data: Mapping[str, Any]) -> Iterable[str]:
    if data.get("left_running"):
        yield f"[{data['left_running']:,} processes it had left running were ended]"
    if data.get("left_out"):
        yield f"[{data['left_out']:,} more]"
    if data.get("folders_not_entered"):
        yield f"[{data['folders_not_entered']:,} folders could not be looked into]"
    if data.get("truncated") and "content" in data:
        yield f"[not all: the file has {data['size_bytes']:,} bytes]"
    if "network" in data:
        yield from _network(data["network"])


def _network(network: Mapping[str, Any]) -> Iterable[str]:
    """What programs fetched, reached, and were refused. Names come from programs, so line breaks are escaped."""
    for file in network["downloads"]:
        how = "taken from the cache" if file["cached"] else "fetched"
        yield f"[{how}: {_one_line(file['file'])}, {file['size_bytes']:,} bytes, SHA-256 {file['sha256']}]"
    for host in network["hosts"]:
        times = "once" if host["connections"] == 1 else f"{host['connections']:,} times"
        sent, received = f"{host['sent_bytes']:,} bytes sent", f"{host['received_bytes']:,} received"
        yield f"[reached {times}: {_one_line(host['host'])}, {sent}, {received}]"
    for host in network["refused"]:
        name = _one_line(str(host["host"])) + (f":{host['port']}" if host["port"] else "")
        yield f"[refused: {name}, {host.get('why') or 'which was not approved'}]"
    if network.get("left_out"):
        yield f"[{network['left_out']:,} more of the network]"


def _listed(data: Mapping[str, Any]) -> list[str]:
    """Sizes right-aligned, then names; without sizes of folders, which say nothing about their content."""
    rows = [
        ("" if item["kind"] == "dir" else f"{item['size_bytes']:,}", _one_line(item.get("name") or item["path"]), item)
        for item in data["items"]
    ]
    width = max((len(size) for size, _, _ in rows), default=0)
    return [f"{size:>{width}}  {name}{_KINDS.get(item['kind'], '')}" for size, name, item in rows]


def _one_line(name: str) -> str:
    """A name with a line break must not look like two."""
    return name.replace("\n", "\\n").replace("\t", "\\t")


def _content(data: Mapping[str, Any]) -> list[str]:
    if data.get("encoding") == "base64":
        return [f"[no text: {data['size_bytes']:,} bytes; the word json shows them as base64]"]
    text = str(data["content"])
    return text.removesuffix("\n").split("\n") if text else []


def _matches(data: Mapping[str, Any]) -> list[str]:
    return [f"{_one_line(found['path'])}:{found['line']}: {found['text']}" for found in data["matches"]]


def _variables(data: Mapping[str, Any]) -> list[str]:
    return [f"{name}={_one_line(value)}" for name, value in sorted(data["env"].items())]


_ANSWERS: Mapping[str, Callable[[Mapping[str, Any]], list[str]]] = {
    "ls": _listed,
    "find": _listed,
    "read": _content,
    "grep": _matches,
    "env": _variables,
    "run": lambda _: [],
}
