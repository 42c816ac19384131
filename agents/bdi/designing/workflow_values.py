"""Which values a reused workflow's parameters get from the words of a need. Pure.

Two rules and no guessing beyond them: a value stands behind the parameter's name (“with the name moon”, “top: 3”), or
it is the only file, address or quotation that the words name and only one parameter could take it. What neither finds
keeps the workflow's own default, and what has none is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.bdi.workflows import binding, checking, placeholders
from agents.bdi.workflows.bound import Known
from agents.bdi.workflows.placeholders import Malformed
from agents.bdi.workflows.reading import Workflow
from agents.toolkit.command import Command
from agents.toolkit.registry import Registry
from agents.toolkit.schemas import ADDRESS_KIND, PATH_KINDS
from agents.toolkit.wording.kinds import SWITCHES

FILE, ADDRESS, NUMBER, QUOTED, WORD = "file", "address", "number", "quotation", "word"
_THING = re.compile(
    r"""
    (?P<quotation>“[^”\n]+”|"[^"\n]+"|`[^`\n]+`|(?<!\w)'[^'\n]+'(?!\w))
    |(?P<address>https?://[^\s<>"”]*[^\s<>"”.,;:!?)])
    |(?P<file>(?<![\w./@-])(?:(?:[\w.-]+/)+[\w.-]*\w/?|[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,5})(?![\w/@]))
    |(?P<number>(?<![\w.,:/-])-?\d{1,12}(?![\w:/-]|[.,]\d))
    """,
    re.VERBOSE,
)
_PATH = re.compile(r"[^\s/]+(?:/[^\s/]+)*/?")
_LINK = re.compile(r"\s*[:=]\s*|\s+(?:is|named|called)\s+|\s+")
_WORD = re.compile(r"[^\s,;“”\"'`]*[^\s,;.!?:“”\"'`]")
_ENDS = re.compile(r"\s*(?:$|[,;.!?]|(?:and|then)\b)")
_WITH = re.compile(r"\bwith\s+(?:(?:the|a|an)\s+)?$", re.IGNORECASE)
# Words before a file that is written.
_INTO = re.compile(r"\b(?:into|to|as|onto)\s+(?:(?:the|a|an|new)\s+)*(?:file\s+)?$", re.IGNORECASE)
_TAKES = {NUMBER: (NUMBER,), FILE: (FILE,), ADDRESS: (ADDRESS,), QUOTED: (QUOTED, FILE, ADDRESS, NUMBER, WORD)}


@dataclass(frozen=True)
class Parameter:
    """A parameter of a workflow. `kind`: that of what it is first used for; `is_written`: a file that is changed there;
    `default` None: it must be given.
    """

    name: str
    kind: str = "text"
    is_written: bool = False
    default: Any = None


@dataclass(frozen=True)
class Chosen:
    """The value of a parameter, None where nobody said it, and why it has that."""

    name: str
    value: Any
    because: str
    is_said: bool = False


@dataclass(frozen=True)
class _Thing:
    what: str
    text: str
    start: int
    is_target: bool = False


def fill(said: str, workflow: Workflow, registry: Registry, known: Mapping[str, Known]) -> tuple[Chosen, ...]:
    """A value for each of the workflow's parameters, in order. What it refuses is not taken from the words."""
    wanted = parameters(workflow, registry, known)
    found = choose(said, wanted)
    values = {one.name: one.value for one in found if one.is_said}
    # As if they were its defaults: what nobody said yet stays open, and is no fault.
    bound = binding.bind(replace(workflow, params={**workflow.params, **values}), None, registry, known)
    faults = (*bound.faults, *checking.of_plan(bound)) if values else ()
    wrong = next((fault for fault in faults if not fault.is_warning), None)
    if wrong is None:
        return found
    return tuple(default(one, f"it refuses what the requirement says: {wrong.message}") for one in wanted)


def parameters(workflow: Workflow, registry: Registry, known: Mapping[str, Known]) -> tuple[Parameter, ...]:
    """The workflow's parameters, with what they are used for in it or in a workflow that it calls."""
    # With none of them given, each step says which parameter its value comes from.
    opened = replace(workflow, params=dict.fromkeys(workflow.params))
    bound = binding.bind(opened, None, registry, known)
    uses: dict[str, tuple[str, bool]] = {}
    for one in bound.steps:
        command = bound.registry.command(one.step.tool, one.step.command)
        for name, param in one.step.params.items():
            if (of := _parameter_of(param.value)) and name in command.properties:
                uses.setdefault(of, (command.kind(name), _is_written(command, name)))
    return tuple(Parameter(name, *uses.get(name, (_kind_of(one), False)), one) for name, one in workflow.params.items())


def choose(said: str, wanted: Sequence[Parameter]) -> tuple[Chosen, ...]:
    """A value for each parameter, in order."""
    found: dict[str, Chosen] = {}
    taken: set[int] = set()
    for one in wanted:
        if (thing := _named(said, one)) is not None:
            taken.add(thing.start)
            found[one.name] = Chosen(one.name, _typed(one, thing), "the requirement says it by name", is_said=True)
    left = [one for one in wanted if one.name not in found]
    free = [thing for thing in _things(said) if thing.start not in taken and not placeholders.holds_braces(thing.text)]
    for one, thing in _only_ones(left, free):
        why = f"the only {thing.what} that the requirement names" + (" to write to" if thing.is_target else "")
        found[one.name] = Chosen(one.name, thing.text, why, is_said=True)
    return tuple(found.get(one.name) or default(one) for one in wanted)


def default(one: Parameter, why: str = "nothing in the requirement is clearly meant for it") -> Chosen:
    """What a parameter has of its own."""
    if one.default is None:
        return Chosen(one.name, None, f"the workflow has no default; {why}")
    return Chosen(one.name, one.default, f"the workflow's default; {why}")


def _parameter_of(value: Any) -> str:
    """The parameter that is the whole value; "" where there is none."""
    try:
        only = placeholders.exact(value) if isinstance(value, str) else None
    except Malformed:
        return ""
    return only.key if only is not None and only.is_parameter else ""


def _kind_of(usual: Any) -> str:
    """What a parameter is that only goes into longer texts: what its default is."""
    return {bool: "switch", int: "number"}.get(type(usual), "text")


def _is_written(command: Command, name: str) -> bool:
    """Whether the command writes there: what it copies or makes something of is named before that."""
    paths = [each for each in command.properties if command.kind(each) in PATH_KINDS]
    return command.effect != "idempotent" and paths[-1:] == [name]


def _named(said: str, one: Parameter) -> _Thing | None:
    """The value behind the parameter's name."""
    name = r"[\s_-]+".join(map(re.escape, one.name.split("_")))
    for match in re.finditer(rf"(?<!\w){name}(?!\w)", said, re.IGNORECASE):
        link = _LINK.match(said, match.end())
        if link is None:
            continue
        thing = _thing_at(said, link.end()) or _word_at(said, match.start(), link)
        if thing is not None and _fits(one, thing) and not placeholders.holds_braces(thing.text):
            return thing
    return None


def _word_at(said: str, start: int, link: re.Match[str]) -> _Thing | None:
    """A bare word is a value behind “:”, “=”, “is”, “named”, “called”, or where “with the name moon” ends with it."""
    word = _WORD.match(said, link.end())
    if word is None:
        return None
    is_plain = link[0].isspace()
    if is_plain and not (_WITH.search(said, 0, start) and _ENDS.match(said, word.end())):
        return None
    return _Thing(WORD, word[0], word.start())


def _things(said: str) -> Iterator[_Thing]:
    for match in _THING.finditer(said):
        yield _thing(match, said)


def _thing_at(said: str, start: int) -> _Thing | None:
    match = _THING.match(said, start)
    return _thing(match, said) if match is not None else None


def _thing(match: re.Match[str], said: str) -> _Thing:
    what, text = str(match.lastgroup), match[0]
    if what == QUOTED:
        text = text[1:-1].strip()
        what = FILE if _PATH.fullmatch(text) and re.search(r"/|\.\w", text) else QUOTED
    return _Thing(what, text, match.start(), bool(_INTO.search(said, 0, match.start())))


def _wants(one: Parameter) -> str:
    if one.kind in PATH_KINDS:
        return FILE
    return {ADDRESS_KIND: ADDRESS, "number": NUMBER}.get(one.kind, QUOTED)


def _fits(one: Parameter, thing: _Thing) -> bool:
    if one.kind == "switch":
        return thing.text.casefold() in SWITCHES
    return thing.what in _TAKES[_wants(one)]


def _typed(one: Parameter, thing: _Thing) -> Any:
    if one.kind == "switch":
        return SWITCHES[thing.text.casefold()]
    return int(thing.text) if one.kind == "number" else thing.text


def _only_ones(left: Iterable[Parameter], free: Sequence[_Thing]) -> Iterator[tuple[Parameter, _Thing]]:
    """Each pair of a parameter and a thing that is the only one for it, as it is for the thing. Numbers are in too many
    sentences for other reasons.
    """
    by_use: dict[tuple[str, bool], list[Parameter]] = {}
    for one in left:
        if one.kind not in ("switch", "choice", "number"):
            by_use.setdefault((_wants(one), one.is_written), []).append(one)
    for (what, is_written), those in by_use.items():
        of_kind = (thing for thing in free if thing.what == what)
        # A file named twice is one; what is written is no file to read.
        things = {thing.text: thing for thing in of_kind if what != FILE or thing.is_target == is_written}
        if len(those) == 1 and len(things) == 1:
            yield those[0], next(iter(things.values()))
