"""What a module is, and the modules there are: those in the folders here, and those of installed packages.

A file in `prompters/`, `generators/`, `discriminators/`, `actors/` or `toolkits/` with a constant MODULE is all it
takes. A package offers further ones by the entry point group `mindx.modular`.
"""

from __future__ import annotations

import importlib
import logging
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from agents.bdi.modular.agent import ModularAgent
from agents.bdi.modular.state import MODULE_TYPES, Chosen

GROUP = "mindx.modular"
logger = logging.getLogger(__name__)

Settings = Mapping[str, Any]
# What does not fit: the type of the other module, and a sentence.
Misfit = tuple[str, str]


@dataclass(frozen=True)
class Setting:
    """One setting. `type`: whole, number, text, switch or choice; bounds are for numbers, `choices` for a choice."""

    name: str
    type: str
    title: str
    default: Any
    hint: str = ""
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()

    def read(self, value: Any) -> Any:
        """The value as this setting takes it. ValueError with a sentence."""
        if self.type == "switch":
            if not isinstance(value, bool):
                raise ValueError(f"{self.title} is true or false.")
            return value
        if self.type in ("text", "choice"):
            if not isinstance(value, str) or len(value) > 2_000:
                raise ValueError(f"{self.title} is a text of at most 2,000 characters.")
            if self.choices and value not in self.choices:
                raise ValueError(f"{self.title} is one of {', '.join(self.choices)}.")
            return value.strip()
        return self._number(value)

    def _number(self, value: Any) -> Any:
        whole = self.type == "whole"
        if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
            raise ValueError(f"{self.title} is a {'whole ' if whole else ''}number.")  # noqa: TRY004  # what a person typed
        if (self.least is not None and value < self.least) or (self.most is not None and value > self.most):
            raise ValueError(f"{self.title} is from {self.least:g} to {self.most:g}.")
        return value

    def schema(self) -> Mapping[str, Any]:
        """It as JSON Schema."""
        types = {"whole": "integer", "number": "number", "switch": "boolean"}
        found: dict[str, Any] = {"type": types.get(self.type, "string"), "title": self.title, "default": self.default}
        if self.hint:
            found["description"] = self.hint
        if self.least is not None:
            found["minimum"] = self.least
        if self.most is not None:
            found["maximum"] = self.most
        if self.choices:
            found["enum"] = list(self.choices)
        return found


def _fits(settings: Settings, others: Mapping[str, Chosen]) -> Iterator[Misfit]:
    return iter(())


@dataclass(frozen=True)
class Module:
    """A module. `run` takes the agent and returns nothing. `misfits` says beside which other modules it makes no sense.

    `uses_model`: it asks a language model. `has_options`: how many options a generator gives, or None.
    """

    type: str
    name: str
    title: str
    summary: str
    run: Callable[[ModularAgent], None]
    settings: tuple[Setting, ...] = ()
    misfits: Callable[[Settings, Mapping[str, Chosen]], Iterator[Misfit]] = _fits
    uses_model: bool = False

    def read_settings(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The settings with defaults for what is not given. ValueError with a sentence that names the module."""
        known = {one.name: one for one in self.settings}
        if unknown := sorted(set(given) - set(known)):
            raise ValueError(f"{self.title} has no setting “{unknown[0][:60]}”.")
        return {name: one.read(given[name]) if name in given else one.default for name, one in known.items()}

    def schema(self) -> Mapping[str, Any]:
        """Its settings as JSON Schema."""
        properties = {one.name: one.schema() for one in self.settings}
        return {"type": "object", "properties": properties, "additionalProperties": False}


class UnknownModule(KeyError):
    """No module of this type has the name."""

    def __str__(self) -> str:
        return str(self.args[0])


@cache
def every() -> Mapping[tuple[str, str], Module]:
    """All modules by type and name. One of a package that cannot be loaded is logged and left out."""
    found: dict[tuple[str, str], Module] = {}
    for module in (*_shipped(), *_installed()):
        if (module.type, module.name) in found:
            logger.error("Two modules are called %s %s; the first one is used.", module.type, module.name)
            continue
        found[module.type, module.name] = module
    return found


def _shipped() -> Iterator[Module]:
    for module_type in MODULE_TYPES:
        folder = importlib.import_module(f"agents.bdi.modular.{module_type}s")
        names = sorted(one.name for one in pkgutil.iter_modules(folder.__path__))
        for name in names:
            if (module := getattr(importlib.import_module(f"{folder.__name__}.{name}"), "MODULE", None)) is not None:
                yield module


def _installed() -> Iterator[Module]:
    for point in entry_points(group=GROUP):
        try:
            module = point.load()
        except Exception:  # whatever a package raises when it is imported
            logger.exception("The module %s of a package cannot be loaded.", point.name)
            continue
        if isinstance(module, Module) and module.type in MODULE_TYPES:
            yield module
        else:
            logger.error("%s of a package is no module of a modular agent.", point.name)


def of_type(module_type: str) -> list[Module]:
    """The modules of one type, by name."""
    return [module for (kind, _), module in sorted(every().items()) if kind == module_type]


def module(module_type: str, name: str) -> Module:
    """A module. Raises UnknownModule, whose message lists those there are."""
    if (found := every().get((module_type, name))) is None:
        there = ", ".join(one.name for one in of_type(module_type))
        raise UnknownModule(f"There is no {module_type} “{name[:60]}”; there are {there}.")
    return found
