"""The config of an agent as people write it: JSON, or words such as `tools=git_tool,note_taking repairs=1`."""

from __future__ import annotations

import difflib
import json
import re
import shlex
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agents.bdi.intentions.commitment import Commitment
from agents.toolkit.frameworks import FRAMEWORKS
from agents.toolkit.limits import BOUNDS, in_words

KIND = "bdi_agent"
KIND_NAMES = frozenset({"bdi_agent", "bdi", "bdiagent", "bdi-agent", "agent"})
FLAGS = ("uses_model", "people_only", "review_design", "review_selection")
NUMBERS = ("max_repair_attempts", "tokens_per_day", "cost_per_day")
TEXTS = ("model", "firmware_domain")
_ALSO = {
    "firmware": "firmware_domain",
    "domain": "firmware_domain",
    "repairs": "max_repair_attempts",
    "tool": "tools",
    "limit": "limits",
}
KEYS = ("framework", "tools", "limits", "commitment", *TEXTS, *NUMBERS, *FLAGS)
# As they are named and as people write them.
_FRAMEWORKS = {
    spelt: one.name for one in FRAMEWORKS.values() for spelt in (one.name, one.label.casefold().replace(" ", "_"))
}
_YES, _NO = frozenset({"yes", "true", "on", "1"}), frozenset({"no", "false", "off", "0"})
EVERY_TOOL = "*"
_BETWEEN = re.compile(r",| and ")


class ConfigRefused(ValueError):
    """The config cannot be taken; the message names the key and the way out."""


@dataclass(frozen=True)
class Config:
    """`values` by the agent's own names; `limits`: ceilings by tool, `*` for every tool."""

    values: Mapping[str, Any] = field(default_factory=dict)
    limits: Mapping[str, Mapping[str, int | float]] = field(default_factory=dict)
    commitment: Commitment | None = None
    # It speaks of ceilings, if only to say that there are none.
    has_limits: bool = False

    @property
    def names(self) -> list[str]:
        """What it sets."""
        further = [("limits", self.limits), ("commitment", self.commitment)]
        return [*self.values, *(name for name, value in further if value)]


def looks_like(text: str) -> bool:
    """Whether a text is a config and not a wish in words."""
    text = text.strip()
    return text.startswith("{") or (bool(text) and "=" in text.split()[0])


def parse(text: str, *, tools: Collection[str]) -> Config:
    """Read a config. `tools` are those that are installed. Raises ConfigRefused."""
    text = text.strip()
    written = _json(text) if text.startswith("{") else _words(text)
    values: dict[str, Any] = {}
    limits: dict[str, dict[str, int | float]] = {}
    commitment = None
    for name, value in written.items():
        key = _key(name)
        if key == "limits":
            limits = _limits(value, tools)
        elif key == "commitment":
            commitment = _commitment(value)
        elif key == "framework":
            values["framework"] = _framework(value)
        elif key == "tools":
            values["tools"] = _tools(value, tools)
        elif key in FLAGS:
            values[key] = _flag(key, value)
        elif key in NUMBERS:
            values[key] = _number(key, value)
        else:
            if not isinstance(value, str):
                raise ConfigRefused(f"{key} is a text.")
            values[key] = value.strip()
    return Config(values, limits, commitment)


def of_params(params: Mapping[str, Any], *, tools: Collection[str]) -> Config:
    """The config that the parameters of a step say (agents.toolkit.tools.agent_registry). Raises ConfigRefused."""
    written = {name: value for name, value in params.items() if name in KEYS and name != "limits"}
    config = parse(json.dumps(written), tools=tools)
    ceilings = " ".join(f"limits.{one}" for one in str(params.get("limits", "")).split())
    return replace(config, limits=parse(ceilings, tools=tools).limits, has_limits="limits" in params)


def as_params(values: Mapping[str, Any]) -> dict[str, Any]:
    """What an agent is set to (as `parse` reads it) as the parameters of a step."""
    said = {name: value for name, value in values.items() if name in KEYS}
    if "tools" in said:
        said["tools"] = ", ".join(said["tools"])
    for name in ("tokens_per_day", "cost_per_day"):
        if name in said:
            said[name] = "none" if said[name] is None else plain_number(said[name])
    if "limits" in said:
        found = ((tool, name, number) for tool, row in said["limits"].items() for name, number in row.items())
        said["limits"] = " ".join(f"{tool}.{name}={plain_number(number)}" for tool, name, number in sorted(found))
    return said


def applied(values: Mapping[str, Any], config: Config, *, whole_limits: bool) -> dict[str, Any]:
    """What an agent that is set to `values` is set to after the config. `whole_limits`: its ceilings, where it names
    any, are then all there are; else they come beside the others.
    """
    found = {**values, **config.values}
    if found["cost_per_day"] is not None:
        found["cost_per_day"] = plain_number(found["cost_per_day"])
    if config.commitment is not None:
        found["commitment"] = config.commitment.value
    if config.limits or (whole_limits and config.has_limits):
        kept = {} if whole_limits else values["limits"]
        named = dict.fromkeys((*kept, *config.limits))
        found["limits"] = {tool: {**kept.get(tool, {}), **config.limits.get(tool, {})} for tool in named}
    return found


def differing(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """What a step must say to make of one the other, as its parameters."""
    return as_params({name: value for name, value in after.items() if before.get(name) != value})


def plain_number(value: Any) -> str:
    """A number in its one spelling: 2, not 2.0 or 2.0000."""
    text = str(value)
    return text.rstrip("0").rstrip(".") if "." in text else text


def _json(text: str) -> dict[str, Any]:
    try:
        written = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigRefused(f"The config looks like JSON but is not valid: {error}") from error
    if not isinstance(written, dict):
        raise ConfigRefused("The config must be an object of names and values.")
    return written


def _words(text: str) -> dict[str, Any]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ConfigRefused(f"The config cannot be read: {str(error).lower()}.") from error
    written: dict[str, Any] = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign:
            raise ConfigRefused(f"“{word[:60]}” is not name=value, as in tools=git_tool.")
        if name in written:
            raise ConfigRefused(f"“{name[:60]}” is set twice.")
        if name.startswith("limits."):
            tool, _, ceiling = name.removeprefix("limits.").rpartition(".")
            written.setdefault("limits", {}).setdefault(tool or EVERY_TOOL, {})[ceiling] = value
        else:
            written[name] = value
    return written


def _commitment(value: Any) -> Commitment:
    word = str(value).strip().casefold().replace("-", "_").replace(" ", "_")
    if word not in list(Commitment):
        raise ConfigRefused(f"commitment is one of {', '.join(Commitment)}.")
    return Commitment(word)


def _framework(value: Any) -> str:
    word = re.sub(r"[\s-]+", "_", str(value).strip().casefold())
    found = _FRAMEWORKS.get(word)
    if found is None:
        near = difflib.get_close_matches(word, FRAMEWORKS, n=1)
        said = f"Did you mean {near[0]}?" if near else f"There are {', '.join(FRAMEWORKS)}."
        raise ConfigRefused(f"mindX knows no framework “{str(value)[:60]}”. {said}")
    return found


def _key(name: str) -> str:
    folded = name.strip().casefold().replace("-", "_")
    key = _ALSO.get(folded, folded)
    if key in KEYS:
        return key
    near = difflib.get_close_matches(key, KEYS, n=1)
    said = f"Did you mean {near[0]}?" if near else f"The settings are {', '.join(KEYS)}."
    raise ConfigRefused(f"An agent has no setting “{name[:60]}”. {said}")


def _tools(value: Any, known: Collection[str]) -> list[str]:
    names = _BETWEEN.split(value) if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ConfigRefused("tools must be names, separated by commas.")
    chosen: list[str] = []
    for name in dict.fromkeys(one.strip() for one in names if one.strip()):
        if name not in known:
            near = difflib.get_close_matches(name, list(known), n=1)
            said = f"Did you mean {near[0]}?" if near else f"There are {', '.join(known)}."
            raise ConfigRefused(f"There is no tool “{name[:60]}”. {said}")
        chosen.append(name)
    return chosen


def _flag(key: str, value: Any) -> bool:
    word = str(value).casefold()
    if isinstance(value, bool) or word in _YES | _NO:
        return word in _YES
    raise ConfigRefused(f"{key} is yes or no.")


def _number(key: str, value: Any) -> int | str | None:
    """Whole, or for a cost the digits as written; None for “none”."""
    if value is None or value == "none":
        return None
    try:
        if key == "cost_per_day":
            if isinstance(value, bool) or not 0 <= float(value) < 10**6:
                raise ValueError
            return str(value)
        if isinstance(value, bool) or int(value) != float(value) or not 0 <= int(value) < 2**31:
            raise ValueError
        return int(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ConfigRefused(f"{key} is a number, from 0.") from error


def _limits(value: Any, tools: Collection[str]) -> dict[str, dict[str, int | float]]:
    if not isinstance(value, dict):
        raise ConfigRefused("limits set the limit of a tool, as in limits.git_tool.hard_s=30.")
    found: dict[str, dict[str, int | float]] = {}
    for tool, ceilings in value.items():
        if tool != EVERY_TOOL and tool not in tools:
            raise ConfigRefused(f"limits: there is no tool “{str(tool)[:60]}”; “*” means every tool.")
        if not isinstance(ceilings, dict) or not ceilings:
            raise ConfigRefused(f"limits of {tool}: choose a limit, one of {', '.join(BOUNDS)}.")
        found[str(tool)] = {str(name): _ceiling(str(name), one) for name, one in ceilings.items()}
    return found


def _ceiling(name: str, value: Any) -> int | float:
    if name not in BOUNDS:
        near = difflib.get_close_matches(name, list(BOUNDS), n=1)
        said = f"Did you mean {near[0]}?" if near else f"There are {', '.join(BOUNDS)}."
        raise ConfigRefused(f"There is no limit “{name[:60]}”. {said}")
    least, most = BOUNDS[name]
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise ConfigRefused(f"{name} is a number.") from error
    if isinstance(value, bool) or not least <= number <= most:
        raise ConfigRefused(f"{name}: from {in_words(name, least)} to {in_words(name, most)}.")
    return number if isinstance(least, float) or name in ("cpus", "soft_s", "hard_s") else int(number)
