"""The canonical document of an intent plan: what people review and workers execute, byte for byte.

Canonical JSON after RFC 8785, so that equal plans have equal digests. Pages render from these bytes and the executor
reads its parameters from them; nothing about a step is looked up anywhere else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass, replace
from functools import lru_cache
from typing import Any

from agents.bdi.outcome.outcome import Check
from agents.bdi.plans.approved_models import Asked
from agents.toolkit import canonical
from agents.toolkit.types import Step

FORMAT = 1


class Unreadable(ValueError):
    """These bytes are not an intent plan's document, or one of a format that this mindX does not know."""


@dataclass(frozen=True)
class Parameter:
    """One argument with where it came from; `original` is what stood there before a correction."""

    name: str
    value: Any
    origin: str
    original: Any = None
    span: tuple[int, int] | None = None
    note: str = ""
    # How sure the value is, 0 to 1; said only where it is not sure.
    confidence: float = 1.0


@dataclass(frozen=True)
class IntentSpec:
    """One step as it will run. `phase` is main or cleanup; positions count through both."""

    position: int
    phase: str
    tool: str
    command: str
    params: Mapping[str, Any]
    parameters: tuple[Parameter, ...]
    justification: str
    effect: str
    limits: Mapping[str, Any]
    depends_on: tuple[int, ...]
    condition: Mapping[str, Any] | None
    hosts: tuple[str, ...]
    rule: str
    sentence: str
    # What may be done in its place when it fails, each with the position of this step.
    alternatives: tuple[IntentSpec, ...] = ()
    # The language models that get what it reads; None for a step that asks none.
    asks: Asked | None = None
    # The branch in which it stands: when it fails, the branches beside it go on (`agents/bdi/plans/branches.py`).
    branch: str = ""
    # How often it may be tried again, where that is less than what is granted for every step.
    retries: int | None = None

    @property
    def tries(self) -> int | None:
        """How often it may be tried in all, whatever is granted; None when it does not say."""
        return None if self.retries is None else self.retries + 1


@dataclass(frozen=True)
class Document:
    """A whole plan, as stored."""

    goal_id: str
    goal_text: str
    workspace: str
    base: str
    revision: int
    source: str
    intents: tuple[IntentSpec, ...]
    cleanup: tuple[IntentSpec, ...]
    components: tuple[Mapping[str, str], ...] = ()
    format: int = FORMAT
    # What is looked at when the plan has run; without any nothing is, as in plans from before there were checks.
    checks: tuple[Check, ...] = ()

    @property
    def all_intents(self) -> tuple[IntentSpec, ...]:
        """Main steps, then clean-up, by position."""
        return self.intents + self.cleanup

    @property
    def hosts(self) -> tuple[str, ...]:
        """Every host that any step may reach, each once."""
        return tuple(sorted({host for spec in self.all_intents for host in spec.hosts}))

    @property
    def models(self) -> tuple[str, ...]:
        """Every language model that any step, or what is declared to be done in its place, may ask, each once."""
        specs = [one for spec in self.all_intents for one in (spec, *spec.alternatives) if one.asks is not None]
        return tuple(dict.fromkeys(model.name for spec in specs if spec.asks for model in spec.asks.models))

    @property
    def sends_text(self) -> bool:
        """Whether any step, or what is declared to be done in its place, is to send a text to a language model."""
        return any(one.asks is not None for spec in self.all_intents for one in (spec, *spec.alternatives))

    def at(self, position: int) -> IntentSpec:
        """The step at a position, from 1."""
        return self.all_intents[position - 1]

    def version_of(self, spec: IntentSpec) -> str:
        """The version of a step's command that the plan was made with; empty in plans from before these were kept."""
        name = f"{spec.tool}.{spec.command}"
        return next((one["version"] for one in self.components if one["kind"] == "tool" and one["name"] == name), "")

    def variants(self) -> Iterator[tuple[int, int, Document]]:
        """This plan with each declared alternative in the place of its step: position, number from 1, and the plan."""
        for spec in self.intents:
            for number, other in enumerate(spec.alternatives, 1):
                steps = tuple(other if one.position == spec.position else one for one in self.intents)
                yield spec.position, number, replace(self, intents=steps)


@dataclass(frozen=True)
class CommandFacts:
    """What the registry says of a step's command and the document must fix."""

    effect: str
    limits: Mapping[str, Any] = field(default_factory=dict)
    hosts: tuple[str, ...] = ()
    sentence: str = ""
    alternatives: tuple[CommandFacts, ...] = ()
    asks: Asked | None = None


def specs(
    steps: Sequence[Step], facts: Sequence[CommandFacts], *, phase: str = "main", first: int = 1
) -> tuple[IntentSpec, ...]:
    """Bind steps to positions. `facts` runs parallel to `steps`."""
    return tuple(
        _bound(step, fact, phase, first + index) for index, (step, fact) in enumerate(zip(steps, facts, strict=True))
    )


def _bound(step: Step, fact: CommandFacts, phase: str, position: int) -> IntentSpec:
    return IntentSpec(
        position=position,
        phase=phase,
        tool=step.tool,
        command=step.command,
        params={name: param.value for name, param in step.params.items()},
        parameters=tuple(
            Parameter(name, param.value, param.origin, param.original, param.span, param.note, param.confidence)
            for name, param in step.params.items()
        ),
        justification=step.justification,
        effect=fact.effect,
        limits=dict(fact.limits),
        depends_on=tuple(step.depends_on),
        condition=step.condition,
        hosts=fact.hosts,
        rule=step.rule,
        sentence=fact.sentence,
        alternatives=tuple(
            # Its condition is that of the step in whose place it comes.
            replace(_bound(other, of_other, phase, position), condition=step.condition, depends_on=step.depends_on)
            for other, of_other in zip(step.alternatives, fact.alternatives, strict=True)
        ),
        asks=fact.asks,
        branch=step.branch,
        retries=step.retries,
    )


def write(document: Document) -> bytes:
    """The canonical bytes of a document.

    Steps without alternatives say nothing of any, as before there were some, steps that ask no model of none, steps of
    no branch and without retries of neither, and plans without checks of no check.
    """
    return canonical.dumps(_plain(document))


_OF_JSON = frozenset({str, int, float, bool, type(None)})


def _plain(value: Any) -> Any:
    """Dataclasses, tuples and mappings as JSON knows them."""
    if type(value) in _OF_JSON:  # nine of ten values, and this is asked for each
        return value
    if isinstance(value, dict | Mapping):  # a dict is told at once
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Check):
        return value.to_json()
    if is_dataclass(value):
        unsaid = _unsaid(value)
        return {name: _plain(item) for name, item in vars(value).items() if name not in unsaid}
    return value


def _unsaid(value: Any) -> Collection[str]:
    """Fields that are left out because they have their usual value, as before there were such fields."""
    if isinstance(value, IntentSpec):
        empty = [name for name in ("alternatives", "asks", "branch") if not getattr(value, name)]
        return [*empty, "retries"] if value.retries is None else empty
    if isinstance(value, Document) and not value.checks:
        return ("checks",)
    if isinstance(value, Parameter) and value.confidence == 1.0:
        return ("confidence",)
    return ()


def read(data: bytes) -> Document:
    """The document in these bytes. Raises Unreadable when they are none (somebody changed them) or of another format.

    What a later mindX wrote is not guessed at, however much of it looks familiar. A few are kept as they were read:
    the same bytes are the same document, and nobody changes one.
    """
    return _read(data, FORMAT)


@lru_cache(maxsize=8)
def _read(data: bytes, format_: int) -> Document:
    try:
        raw = json.loads(data)
        written = raw.get("format", format_)
        if type(written) is not int or written != format_:
            raise Unreadable(f"it is written in format {str(written)[:20]}, and this mindX reads format {format_}")
        return Document(
            **{
                **raw,
                "intents": tuple(_spec(item) for item in raw["intents"]),
                "cleanup": tuple(_spec(item) for item in raw["cleanup"]),
                "components": tuple(raw["components"]),
                "checks": tuple(Check.from_json(item) for item in raw.get("checks", ())),
            }
        )
    except (AttributeError, TypeError, KeyError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise Unreadable("these bytes are not an intent plan's document") from error


def _spec(raw: Mapping[str, Any]) -> IntentSpec:
    parameters = tuple(
        Parameter(**{**item, "span": tuple(item["span"]) if item["span"] else None}) for item in raw["parameters"]
    )
    # A document from before steps could say hosts has none, and none is what its steps may reach.
    hosts = tuple(str(host) for host in raw.get("hosts", ()))
    others = tuple(_spec(item) for item in raw.get("alternatives", ()))
    fixed = {
        "parameters": parameters,
        "depends_on": tuple(raw["depends_on"]),
        "hosts": hosts,
        "alternatives": others,
        "asks": Asked.from_json(raw["asks"]) if "asks" in raw else None,
    }
    return IntentSpec(**{**raw, **fixed})


def digest_of(data: bytes | memoryview) -> str:
    """SHA-256 of a document's bytes, 64 hex digits."""
    return hashlib.sha256(data).hexdigest()
