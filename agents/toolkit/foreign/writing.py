"""From a tool of an MCP server to the text of a made tool, which people review like any other.

Nothing that the server says of its tool is said by mindX in its own name: the server's words stand in the text as data,
where reviewers read them and see what changed. What plans, prompts and searches are made of (summary, phrases, titles)
is mindX's own and holds names only. So a description is never an instruction to a model.
"""

from __future__ import annotations

import inspect
import json
import keyword
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from agents.toolkit.foreign import inside
from agents.toolkit.made import FOR_MCP

_MOST_PARAMETERS = 16
_MOST_DEFINITION = 20_000
# Mine beside theirs: which server it is, and a check without a call.
SERVER, ONLY_CHECK, WHOLE = "server", "only_check", "arguments"
_OWN = frozenset({SERVER, ONLY_CHECK, WHOLE})
_PLAIN_OPTION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:/+-]{0,39}\Z")
_NUMBERS = (-1_000_000_000, 1_000_000_000)
# It may only stand at the beginning, and what uses it is not annotated.
_FUTURE = "from __future__ import annotations\n\n"
_DIGEST_LINE = re.compile(r"^REVIEWED = .*'digest': '([0-9a-f]{64})'\}$", re.MULTILINE)
_SERVER_LINE = re.compile(r"^SERVER = (.*)$", re.MULTILINE)


class NotATool(ValueError):
    """What the server lists cannot become a tool; the message says why."""


@dataclass(frozen=True)
class Server:
    """Where a server is: a command line (with the text of a program, which `{source}` in it names), or an address."""

    name: str
    command: str = ""
    source: str = ""
    address: str = ""

    @property
    def spoken_to(self) -> dict[str, str]:
        """As the jail needs it."""
        if self.address:
            return {"address": self.address}
        return {"command": self.command} | ({"source": self.source} if self.source else {})


@dataclass(frozen=True)
class _Parameter:
    """One parameter of the step: what the server calls it (empty: it is all of them), how it is sent, and its kind."""

    theirs: str
    sent: str
    described: dict[str, Any]


def name_of(server: str, tool: str) -> str:
    """The name of the tool in mindX. It begins as no tool of ours does, so that none can be taken for another."""
    return f"{FOR_MCP}{_word(server)}_{_word(tool)}"[:40].rstrip("_")


def text_of(server: Server, tool: Mapping[str, Any]) -> str:
    """The text of the made tool. Raises NotATool."""
    name, command = name_of(server.name, str(tool["name"])), _word(str(tool["name"]))[:40]
    if len(json.dumps(tool)) > _MOST_DEFINITION:
        raise NotATool(f"its definition has more than {_MOST_DEFINITION:,} characters")
    if not re.fullmatch(r"[a-z][a-z0-9_]{1,39}", command) or keyword.iskeyword(command):
        command = f"call_{command}"[:40]
    parameters = _parameters(tool.get("inputSchema"))
    needed = [each for each, one in parameters.items() if not one.described.get("optional")]
    said = f"call the MCP tool {command.replace('_', ' ')} of {_word(server.name).replace('_', ' ')}"
    phrase = said + "".join(f" with {each.replace('_', ' ')} {{{each}}}" for each in needed)
    phrase += "".join(f" [with {each.replace('_', ' ')} {{{each}}}]" for each in parameters if each not in needed)
    sample = {each: _sample(parameters[each].described) for each in needed}
    whose = (
        {"kind": "address", "title": "Server", "default": server.address}
        if server.address
        else {"kind": "choice", "title": "Server", "options": [server.command], "default": server.command}
    )
    head = {
        "tool": name,
        "label": f"{_word(tool['name'])} (MCP, {_word(server.name)})"[:60],
        "summary": f"The tool {_word(tool['name'])} of the MCP server {_word(server.name)}.",
        "commands": {
            command: {
                "summary": f"Call the tool {_word(tool['name'])} of the MCP server {_word(server.name)}.",
                "parameters": {each: one.described for each, one in parameters.items()}
                | {
                    SERVER: whose,
                    ONLY_CHECK: {
                        "kind": "switch",
                        "title": "Only check that it is the tool that was reviewed",
                        "default": False,
                    },
                },
                "phrases": [phrase],
                # What it does outside is unknown; a person who knows better edits this.
                "effect": "once",
                # Only what the check gives too: nothing is called before a person has seen the tool.
                "results": ["text", "truncated"],
                "examples": [sample],
                "trials": [{"params": {**sample, ONLY_CHECK: True}, "result": {"is_as_reviewed": True}}],
            }
        },
    }
    return f"{yaml.safe_dump(head, sort_keys=False, width=110)}---\n{_code(server, tool, command, parameters)}"


def digest_in(text: str) -> str:
    """The digest of the definition that a made tool was written from; empty where there is none."""
    found = _DIGEST_LINE.search(text)
    return found[1] if found else ""


def speaks_to(text: str, server: Server) -> bool:
    """Whether a made tool speaks to exactly this server."""
    found = _SERVER_LINE.search(text)
    return found is not None and found[1] == ascii(server.spoken_to)


def _word(said: object) -> str:
    return re.sub(r"[^a-z0-9]+", "_", str(said).casefold()).strip("_")[:40].strip("_") or "tool"


def _parameters(schema: object) -> dict[str, _Parameter]:
    """The parameters of the step by name. What no form can say is one JSON object."""
    whole = {
        WHOLE: _Parameter("", "json", {"kind": "long_text", "title": "Arguments, a JSON object", "may_refer": True})
    }
    if not isinstance(schema, Mapping):
        raise NotATool("it has no schema of its parameters")
    properties = schema.get("properties", {})
    if (
        not isinstance(properties, Mapping)
        or len(properties) > _MOST_PARAMETERS
        or schema.keys() & {"anyOf", "oneOf", "allOf", "$ref"}
    ):
        return whole
    needed = schema.get("required", [])
    found: dict[str, _Parameter] = {}
    for theirs, described in properties.items():
        name = _word(theirs)
        if not name.isidentifier() or keyword.iskeyword(name) or name in _OWN:
            name = f"arg_{name}"
        if name in found:
            return whole
        one = _parameter(str(theirs), described if isinstance(described, Mapping) else {})
        if not isinstance(needed, list) or theirs not in needed:
            one.described["optional"] = True
        found[name] = one
    return found


def _parameter(theirs: str, described: Mapping[str, Any]) -> _Parameter:
    title = _word(theirs).replace("_", " ").capitalize()
    options = described.get("enum")
    # Other words could be instructions; such a choice is written by whoever plans the step, and shown as a text.
    if isinstance(options, list) and _are_plain(options):
        return _Parameter(theirs, "text", {"kind": "choice", "title": title, "options": options})
    match described.get("type"):
        case "string":
            return _Parameter(theirs, "text", {"kind": "long_text", "title": title, "may_refer": True})
        case "integer":
            least, most = (
                _whole(described.get(key), usual) for key, usual in zip(("minimum", "maximum"), _NUMBERS, strict=True)
            )
            if least <= most:
                return _Parameter(
                    theirs, "number", {"kind": "number", "title": title, "minimum": least, "maximum": most}
                )
        case "boolean":
            # A choice: left out is something else than false.
            return _Parameter(theirs, "json", {"kind": "choice", "title": title, "options": ["true", "false"]})
    return _Parameter(theirs, "json", {"kind": "long_text", "title": f"{title}, as JSON", "may_refer": True})


def _are_plain(options: list[Any]) -> bool:
    plain = all(isinstance(one, str) and _PLAIN_OPTION.match(one) for one in options)
    return plain and 0 < len(options) <= 50 and len({*options}) == len(options)


def _whole(said: object, usual: int) -> int:
    inside_of = isinstance(said, int) and not isinstance(said, bool) and _NUMBERS[0] <= said <= _NUMBERS[1]
    return int(said) if inside_of else usual  # type: ignore[call-overload]  # an int, as the line before says


def _sample(described: Mapping[str, Any]) -> Any:
    match described["kind"]:
        case "choice":
            return described["options"][0]
        case "number":
            return max(described["minimum"], min(1, described["maximum"]))
    return "{}" if "JSON" in described["title"] else "example"


def _code(server: Server, tool: Mapping[str, Any], command: str, parameters: Mapping[str, _Parameter]) -> str:
    reviewed = {"name": str(tool["name"]), "digest": inside.digest_of(tool)}
    mapping = {each: [one.theirs, one.sent] for each, one in parameters.items()}
    # Escapes only: nothing in what the server says is invisible or turns the direction of reading.
    said = json.dumps({key: tool[key] for key in inside.DEFINED if key in tool}, indent=1)
    where = "address" if server.address else "command"
    return f'''# What the server says of its tool, for reviewers. Nothing reads it but them.
{_commented(said)}

SERVER = {server.spoken_to!a}
REVIEWED = {reviewed!a}
MAPPING = {mapping!a}


def {command}(params):
    """What the sandbox calls, with the parameters of the command."""
    if params.get("server") != SERVER["{where}"]:
        reason = "this tool was reviewed for another server: " + SERVER["{where}"]
        return {{"error_class": "INVALID_PARAMETERS", "reason": reason}}
    return called(SERVER, REVIEWED, MAPPING, params)


# The rest is mindX's own, the same for every tool of an MCP server.
{inspect.getsource(inside).replace(_FUTURE, "")}'''


def _commented(said: str) -> str:
    return "\n".join(f"# {line}" for line in said.splitlines())
