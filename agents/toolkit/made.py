"""A tool that a person or a model wrote while mindX runs: one text, read into a Tool without running any of it. Pure.

tool: word_count                    YAML: what the tool says of itself
label: Word count
summary: Counts words.
commands:
  count_words:
    summary: Count the words of a file.
    parameters:
      path: {kind: path, title: Text file}
    phrases: ["count the words of the file {path}"]
    effect: idempotent
    results: [words]
    examples: [{path: README.md}]
    trials:
      - {params: {path: a.txt}, files: {a.txt: one two}, result: {words: 2}, changes: []}
---
def count_words(params):            Python: a function for each command, run in the jail only
    ...
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agents.toolkit import describing, strict_yaml
from agents.toolkit.command import Command, Tool, check_command
from agents.toolkit.jailed import asking_jail
from agents.toolkit.schemas import SchemaFault, problems
from agents.toolkit.strict_yaml import Loaded
from agents.toolkit.trial import Trial
from agents.toolkit.yaml_nodes import YamlFault
from sandbox.contract import Limits

MAX_CHARS = 60_000
MODULE = "made_tool"
# What mindX names the tools that it writes for others' tools and agents, so that nobody takes one for the other.
FOR_MCP, FOR_AGENTS = "mcp_", "ask_"
OWN_PREFIXES = (FOR_MCP, FOR_AGENTS)
_PARTED = re.compile(r"^---[ \t]*$", re.MULTILINE)
_NAME = re.compile(r"[a-z][a-z0-9_]{1,39}\Z")
_LONG = 1_000_000
# What a command may be. What only mindX's own code may do (services, the session) cannot be said here.
Effect = Literal["idempotent", "workspace", "keyed", "once"]
ParameterKind = Literal["path", "name", "text", "long_text", "number", "switch", "choice", "address", "hosts"]
Word = Annotated[str, Field(min_length=1, max_length=200)]


class MadeToolFault(ValueError):
    """The text is no tool; `line` counts from 1, the message says what to write."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line, self.message = line, message


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Parameter(_Part):
    kind: ParameterKind
    title: Word = ""
    default: Any = None
    optional: bool = False
    minimum: int = 0
    maximum: int = 1_000_000_000
    most_characters: Annotated[int, Field(ge=1, le=_LONG)] = 1_000
    options: Annotated[list[Word], Field(max_length=50)] = []
    may_refer: bool = False


class _Trial(_Part):
    params: dict[str, Any] = {}
    files: Annotated[dict[str, str], Field(max_length=50)] = {}
    web: dict[str, str] = {}
    result: dict[str, Any] = {}
    changes: list[str] | None = None
    error: str = ""
    autonomous: bool = False


class _Command(_Part):
    summary: Annotated[str, Field(min_length=1, max_length=300)]
    parameters: Annotated[dict[str, _Parameter], Field(max_length=20)] = {}
    phrases: Annotated[list[Word], Field(min_length=1, max_length=20)]
    effect: Effect
    results: Annotated[list[Word], Field(max_length=30)] = []
    examples: Annotated[list[dict[str, Any]], Field(min_length=1, max_length=10)]
    trials: Annotated[list[_Trial], Field(min_length=1, max_length=20)]
    beliefs_added: Annotated[list[Word], Field(max_length=10)] = []
    beliefs_removed: Annotated[list[Word], Field(max_length=10)] = []
    needs_autonomous: bool = False


class _Document(_Part):
    tool: str
    label: Annotated[str, Field(min_length=1, max_length=60)]
    summary: Annotated[str, Field(min_length=1, max_length=300)]
    commands: Annotated[dict[str, _Command], Field(min_length=1, max_length=20)]


@dataclass(frozen=True)
class Made:
    """A tool and the code that it runs in the jail. `code_line`: the line of the text on which the code begins."""

    tool: Tool
    code: str
    code_line: int


def read(text: str, release: str = "") -> Made:
    """Read a tool from its text, without running it. Raises MadeToolFault for the first fault."""
    if len(text) > MAX_CHARS:
        raise MadeToolFault(1, f"a tool has at most {MAX_CHARS:,} characters")
    text = text.replace("\r\n", "\n")
    parted = _PARTED.search(text)
    if parted is None:
        raise MadeToolFault(1, "a line --- parts what the tool says of itself from its code; there is none")
    code = text[parted.end() :].lstrip("\n")
    code_line = text[: len(text) - len(code)].count("\n") + 1
    try:
        loaded = strict_yaml.load(text[: parted.start()])
    except YamlFault as fault:
        raise MadeToolFault(fault.line, fault.message) from fault
    document = _validated(loaded)
    _check_code(document, code, code_line)
    return Made(_tool(document, code, release, loaded), code, code_line)


def is_made(body: str) -> bool:
    """Whether a version of a tool is such a text; of a tool that ships the library keeps differences."""
    return _PARTED.search(body) is not None and body.lstrip().startswith("tool:")


def _validated(loaded: Loaded) -> _Document:
    if not isinstance(loaded.data, dict):
        raise MadeToolFault(1, "it begins with “tool: name”")
    try:
        document = _Document.model_validate(loaded.data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        path = tuple(one for one in first["loc"] if isinstance(one, str | int))
        raise MadeToolFault(loaded.line_of(path), _in_words(path, first)) from error
    named = [("tool",), *((("commands", name)) for name in document.commands)]
    for path, name in zip(named, [document.tool, *document.commands], strict=True):
        if not _NAME.match(name):
            raise MadeToolFault(loaded.line_of(path), f"“{name[:60]}”: a name has 2 to 40 of a-z, 0-9 and _")
    return document


def _in_words(path: tuple[str | int, ...], error: Mapping[str, Any]) -> str:
    where = ".".join(map(str, path)) or "the text"
    words = {"missing": "is missing", "extra_forbidden": "is not known here; check its spelling, or leave it out"}
    return f"{where} {words.get(str(error['type']), 'does not fit: ' + str(error['msg']))}"


def _check_code(document: _Document, code: str, code_line: int) -> None:
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        raise MadeToolFault(code_line + line - 1, f"the code is not Python: {getattr(error, 'msg', error)}") from error
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    for name in document.commands:
        if name not in functions:
            raise MadeToolFault(code_line, f"the code has no function “{name}(params)”, which the command needs")
        given = functions[name].args
        if len([*given.posonlyargs, *given.args]) != 1 or given.kwonlyargs or given.vararg or given.kwarg:
            raise MadeToolFault(
                code_line + functions[name].lineno - 1, f"“{name}” takes one parameter, the dict of its parameters"
            )
    for node, module in _imported(tree):
        if module not in sys.stdlib_module_names:
            raise MadeToolFault(
                code_line + node.lineno - 1, f"“{module}” is not in the jail; it has Python's own library only"
            )


def _imported(tree: ast.Module) -> Iterator[tuple[ast.Import | ast.ImportFrom, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name.partition(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node, "." if node.level else str(node.module).partition(".")[0]


def _tool(document: _Document, code: str, release: str, loaded: Loaded) -> Tool:
    commands = []
    for name, described in document.commands.items():
        line = loaded.line_of(("commands", name))
        try:
            command = _command(document.tool, name, described, code)
            check_command(command)
            commands.append(command)
        except SchemaFault as fault:
            raise MadeToolFault(line, f"{name}: {fault}") from fault
    return Tool(document.tool, document.label, document.summary, tuple(commands), release=release)


def _command(tool: str, name: str, described: _Command, code: str) -> Command:
    properties = {each: _schema(each, parameter) for each, parameter in described.parameters.items()}
    required = [each for each, one in described.parameters.items() if one.default is None and not one.optional]
    schema = describing.fields(properties, *required)
    for each in described.parameters:
        if not each.isidentifier():
            raise SchemaFault(f"the parameter “{each[:60]}” needs a name of letters, digits and _")
    trials = tuple(_trial(one, schema) for one in described.trials)
    asks = asking_jail({MODULE: code}, name, schema, reads_only=described.effect == "idempotent")
    return Command(
        tool,
        name,
        described.summary,
        schema,
        tuple(described.phrases),
        described.effect,
        asks,
        tuple(described.results),
        tuple(described.examples),
        beliefs_added=tuple(described.beliefs_added),
        beliefs_removed=tuple(described.beliefs_removed),
        needs_autonomous=described.needs_autonomous,
        trials=trials,
        source=code,
    )


def _schema(name: str, one: _Parameter) -> dict[str, Any]:
    title = one.title or name.replace("_", " ").capitalize()
    more = {} if one.default is None else {"default": one.default}
    match one.kind:
        case "path":
            made = describing.path(title, **more)
        case "name":
            made = describing.line(title, 120, **{"x-kind": "name"}, **more)
        case "text" | "long_text":
            most = one.most_characters if one.kind == "text" else _LONG
            refer = {"x-reference": True} if one.may_refer else {}
            made = describing.line(title, most, **refer, **more)
            made |= {"x-multiline": True} if one.kind == "long_text" else {}
        case "number":
            made = describing.number(title, one.minimum, one.maximum, **more)
        case "switch":
            made = describing.switch(title, default=one.default is True)
        case "choice":
            made = {"type": "string", "title": title, "enum": list(one.options), **more}
            if not one.options:
                raise SchemaFault(f"the parameter “{name}” is a choice and has no options")
        case "address":
            made = describing.address(title, **more)
        case "hosts":
            made = describing.hosts(title)
    return made


def _trial(one: _Trial, schema: Mapping[str, Any]) -> Trial:
    if wrong := problems(schema, one.params):
        raise SchemaFault(f"a trial does not fit: {wrong[0][0]} {wrong[0][1]}")
    if sum(map(len, one.files.values())) > Limits().output_bytes:
        raise SchemaFault("the files of a trial have at most a million characters")
    changes = None if one.changes is None else tuple(one.changes)
    return Trial(
        one.params, one.files, web=one.web, result=one.result, changes=changes, error=one.error,
        autonomous=one.autonomous,
    )  # fmt: skip
