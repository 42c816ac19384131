"""A plan's terminal as lines: each command, what it said, how it ended. Untrusted output becomes safe HTML here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.safestring import SafeString, mark_safe

from agents.bdi.outcome import network
from agents.bdi.outcome.network import Network
from agents.presentation import ansi, timeline
from agents.presentation.timeline import Try
from agents.toolkit.limits import in_words

TAIL_LINES = 40
TAIL_CHARS = 32_000
SENTENCE_MAX = 1_000
# Said elsewhere on the page, or in the line that tells the end.
_NOT_SAID = frozenset(
    {
        *("status", "error_class", "reason", "level", "duration_s", "limit", "return_code"),
        *("stdout", "stderr", "stdout_bytes", "stderr_bytes", "truncated", "message", "content", "encoding", "base64"),
        *("report", "left_running", "peak_memory_bytes", "peak_processes", "deleted_count", network.KEY),
    }
)
_MIB = 1 << 20


@dataclass(frozen=True)
class Command:
    """One try of one step. `limits` are the ceilings it was approved with; `changed`: it left other files."""

    position: int
    name: str
    sentence: str
    tried: Try
    result: Mapping[str, Any]
    limits: Mapping[str, Any]
    is_cleanup: bool = False
    changed: bool = False
    # What stood before the words when a person typed them; empty for a step.
    prompt: str = ""


@dataclass(frozen=True)
class Line:
    """One line of the terminal. `html` is safe; `level` is error, warning or nothing."""

    label: str
    at: datetime | None
    source: str
    speaker: str
    level: str
    html: SafeString


def lines(command: Command) -> list[Line]:
    """Everything a try has to show, in order."""
    tried = command.tried
    label = f"{command.position}" if tried.number == 1 else f"{command.position}.{tried.number}"
    sentence = command.sentence[:SENTENCE_MAX] + (" … (in full in the plan)" * (len(command.sentence) > SENTENCE_MAX))
    title = f"$ {sentence}" + (f", try {tried.number}" if tried.number > 1 else "") + ", clean-up" * command.is_cleanup
    said = [Line(label, tried.started, command.name, "src-mind", "", _html(title))]
    if command.prompt:
        said = [Line("", tried.started, command.name, "src-person", "", _html(command.prompt + sentence))]
    said += output(command)
    level = "error" if tried.outcome in ("failed", "unavailable") else ""
    if not tried.outcome and command.prompt:
        # It runs; its output follows from the log.
        return said
    return [*said, Line("", tried.finished, "result", "", level, _html(ending(command)))]


def output(command: Command) -> list[Line]:
    """What it said, without its title and how it ended."""
    return [
        Line("", None, source, "src-out", level, _html(one))
        for source, level, text in _outputs(command.result)
        for one in _tail(text)
    ]


def said_so_far(tail: Iterable[tuple[str, str]]) -> list[Line]:
    """What a command that still runs has written, from (stream, line)."""
    return [
        Line("", None, stream, "src-out", "warning" if stream == "stderr" else "", _html(text)) for stream, text in tail
    ]


def ending(command: Command) -> str:
    """How the try ended: exit code, time, the limit it reached, how much it took."""
    tried, result = command.tried, command.result
    parts = [timeline.outcome_words(tried.outcome)]
    if isinstance(code := result.get("return_code"), int):
        parts.append(f"exit code {code}")
    if tried.finished is not None:
        parts.append(f"after {timeline.duration_of(tried)}")
    if why := ": ".join(part for part in (tried.failure_class, tried.reason) if part):
        parts.append(why)
    parts += _used(result, command.limits)
    if result.get("left_running"):
        parts.append(f"{result['left_running']} processes were still running and were ended")
    if command.changed:
        parts.append("files changed")
    return ", ".join(parts)


def _used(result: Mapping[str, Any], limits: Mapping[str, Any]) -> Iterator[str]:
    """What it took of its limits, where the sandbox measured it."""
    peak, processes = result.get("peak_memory_bytes"), result.get("peak_processes")
    if isinstance(peak, int):
        of = f" of {in_words('memory_bytes', limits['memory_bytes'])}" if "memory_bytes" in limits else ""
        yield f"used {peak / _MIB:,.1f} MiB{of}"
    if isinstance(processes, int):
        of = f" of {in_words('processes', limits['processes'])}" if "processes" in limits else ""
        yield f"{processes}{of} processes"


def _outputs(result: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """(source, level, text) of everything the command said."""
    for stream, level in (("stdout", ""), ("stderr", "warning")):
        if text := result.get(stream):
            yield stream, level, str(text)
    if message := result.get("message"):
        yield "said", "", str(message)
    if "content" in result:
        binary = result.get("encoding") == "base64"
        yield "content", "", "not text, so it is not shown" if binary else str(result["content"])
    yield from _network(network.network_of(result))
    for name, value in result.items():
        if name not in _NOT_SAID:
            yield name, "", _plain(value)


def _network(used: Network) -> Iterator[tuple[str, str, str]]:
    """What came over the network and what was refused; the card above has the figures of each."""
    if used.downloads:
        yield "network", "", "\n".join(f"{one.file}, {one.size_bytes:,} bytes" for one in used.downloads)
    for one in used.hosts:
        yield "network", "", network.reached_words(one)
    if words := network.refusal_words(used):
        yield "network", "warning", words


def _plain(value: Any) -> str:
    """A value of a result: a list line by line, everything else as one."""
    if isinstance(value, list):
        return "\n".join(map(_item, value)) or "nothing"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _item(value: Any) -> str:
    """One entry of a list in one line: a name with a line feed in it is quoted, so that it cannot pass for two."""
    if isinstance(value, dict) and value.keys() == {"kind", "name", "size_bytes"}:
        name = _item(value["name"])
        return f"{name}/" if value["kind"] == "dir" else f"{name}, {value['kind']}, {value['size_bytes']} bytes"
    if isinstance(value, dict) and all(isinstance(one, str | int | float) for one in value.values()):
        # What is empty or off says nothing about an entry.
        return ", ".join(f"{name}: {_word(one)}" for name, one in value.items() if one is not False and one != "")
    return _word(value)


def _word(value: Any) -> str:
    return value if isinstance(value, str) and "\n" not in value else json.dumps(value, ensure_ascii=False)


def _tail(text: str) -> Iterator[str]:
    """The last lines, after a word about how many came before them."""
    kept = text[-TAIL_CHARS:].removesuffix("\n").split("\n")
    if len(text) > TAIL_CHARS:
        # The first line may have lost its beginning: it is left out with those before it, unless there is no other.
        kept = kept[1:] or ["… " + kept[0]]
    kept = kept[-TAIL_LINES:]
    if earlier := text.removesuffix("\n").count("\n") + 1 - len(kept):
        yield f"… {earlier:,} earlier lines"
    yield from kept


def _html(text: str) -> SafeString:
    rendered = ansi.to_html(text)
    # to_html escapes every character it lets through.
    return mark_safe(rendered.html + " …" * rendered.cut)  # noqa: S308
