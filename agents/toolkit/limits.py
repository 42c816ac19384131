"""The ceilings of a step: what an operator's rows make of them, what a session gets, and how a hit is said. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from sandbox.contract import DEFAULT_LIMITS, Limits

Number = int | float

DEFAULTS: Mapping[str, Number] = asdict(DEFAULT_LIMITS)
_KNOWN = DEFAULTS.keys()
_KIB, _MIB, _GIB = 1 << 10, 1 << 20, 1 << 30
UNITS: Mapping[str, int] = {"GiB": _GIB, "MiB": _MIB, "KiB": _KIB}

# What an operator may set, from least to most: below the least no program starts, above the most a ceiling is none.
BOUNDS: Mapping[str, tuple[Number, Number]] = {
    "memory_bytes": (32 * _MIB, 64 * _GIB),
    "processes": (8, 4096),
    "cpus": (0.1, 64),
    "descriptors": (64, 1 << 16),
    "file_bytes": (64 * _KIB, 16 * _GIB),
    "workspace_bytes": (_MIB, 64 * _GIB),
    "workspace_files": (100, 1_000_000),
    "output_bytes": (_KIB, 16 * _MIB),
    "output_file_bytes": (64 * _KIB, _GIB),
    "soft_s": (1, 3600),
    "hard_s": (1, 3600),
}
_LABELS = {
    "memory_bytes": "memory",
    "processes": "processes",
    "cpus": "processors",
    "descriptors": "open files",
    "file_bytes": "size of a file",
    "workspace_bytes": "size of the workspace",
    "workspace_files": "files in the workspace",
    "output_bytes": "output kept in the result",
    "output_file_bytes": "output in all",
    "soft_s": "time unless the step says otherwise",
    "hard_s": "longest time a step may ask for",
}


class UnknownLimit(ValueError):
    """An approved step names a ceiling that this version of mindX cannot hold."""


@dataclass(frozen=True)
class Ceiling:
    """A ceiling in words, beside the usual one."""

    name: str
    label: str
    value: str
    usual: str

    @property
    def is_usual(self) -> bool:
        return self.value == self.usual


def resolve(rows: Iterable[Mapping[str, Number | None]], *, quota_bytes: int) -> dict[str, Number]:
    """The ceilings of a step. `rows`: an operator's, most specific first; the first that states a field decides it.

    A workspace's quota is never exceeded, and the usual time never exceeds the longest one, though the two may come
    from different rows.
    """
    chosen = dict(DEFAULTS)
    stated: set[str] = set()
    for row in rows:
        for name, value in row.items():
            if value is not None and name not in stated:
                stated.add(name)
                chosen[name] = value
    chosen["workspace_bytes"] = min(chosen["workspace_bytes"], quota_bytes)
    chosen["soft_s"] = min(chosen["soft_s"], chosen["hard_s"])
    return chosen


def session_limits(stated: Mapping[str, Any]) -> Limits:
    """What a session gets for a step whose document states these ceilings; what it leaves open is as usual.

    Raises UnknownLimit: to leave a ceiling out would be to run more than what was approved.
    """
    return _session_limits(tuple(stated.items()))


@lru_cache(maxsize=256)  # the steps of a plan mostly state the same ones, and it is asked of each
def _session_limits(stated: tuple[tuple[str, Any], ...]) -> Limits:
    if unknown := sorted(dict(stated).keys() - _KNOWN):
        raise UnknownLimit(f"the plan states a limit that this worker does not know: {', '.join(unknown)}")
    return Limits(**dict(stated))


def label(name: str) -> str:
    """What a ceiling is called."""
    return _LABELS.get(name, name)


def in_words(name: str, value: Any) -> str:
    """A ceiling's value with its unit, exactly; what is no number (a document that somebody changed) as it stands."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if name.endswith("_bytes"):
        unit = next((unit for unit, size in UNITS.items() if value and value % size == 0), "")
        return f"{int(value) // UNITS[unit]:,} {unit}" if unit else f"{int(value):,} bytes"
    if name.endswith("_s"):
        return f"{value:g} s"
    return f"{value:,}" if isinstance(value, int) else f"{value:,g}"


def ceilings(stated: Mapping[str, Any]) -> list[Ceiling]:
    """Every ceiling that holds for a step whose document states these; what it leaves open is as usual."""
    held = {**DEFAULTS, **stated}
    return [
        Ceiling(name, said, in_words(name, held[name]), in_words(name, DEFAULTS[name]))
        for name, said in _LABELS.items()
    ] + [Ceiling(name, name, str(stated[name]), "none") for name in sorted(set(stated) - set(DEFAULTS))]


def unusual(stated: Mapping[str, Any]) -> list[Ceiling]:
    """The ceilings that differ from the usual ones, in a fixed order; one that is not known is shown as it stands."""
    return [one for one in ceilings(stated) if one.name in stated and stated[one.name] != DEFAULTS.get(one.name)]


# What happened at each limit as the sandbox names it; in braces the setting that gives the figure.
_REACHED = {
    "memory": "reached its memory limit of {memory_bytes}",
    "processes": "reached its limit of {processes} processes",
    "time": "reached its time limit of {soft_s}",
    "output": "reached its output limit of {output_file_bytes}",
    "file_bytes": "reached its limit of {file_bytes} for one file",
    "workspace": "reached the workspace's limit of {workspace_bytes} and {workspace_files} files",
    "inodes": "reached its limit of {workspace_files} temporary files",
    "terminals": "reached its limit of {processes} terminals",
    "plan_time": "was stopped: the time limit for all steps of the plan was reached",
    "restless": "could not be paused while files were changed",
    "cancel": "was cancelled while it ran",
}
_NAMED = re.compile(r"\{(\w+)\}")


def reached(limit: str, stated: Mapping[str, Any], timeout_s: Number | None = None) -> str:
    """What happened to a step that was stopped at a limit, as the sandbox names it. `timeout_s`: the step's own."""
    if timeout_s is not None and limit == "time":
        return f"reached its time limit of {in_words('soft_s', timeout_s)}"
    held = {**DEFAULTS, **stated}
    said = _REACHED.get(limit, f"reached its limit of {limit}")
    return _NAMED.sub(lambda found: in_words(found[1], held[found[1]]), said)
