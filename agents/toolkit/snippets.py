"""A first text of a tool out of what a person has: a piece of Python, or a sentence. Read, never run; people finish it.

Parameters are read off a function's arguments, what it is for off its docstring, trials off the `>>>` lines of that.
"""

from __future__ import annotations

import ast
import doctest
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from agents.toolkit.made import MAX_CHARS, MadeToolFault

MOST_FUNCTIONS = 5
_PATH_NAMES = re.compile(r"(?:^|_)(path|file|filename|folder|directory|dir)$")
_FILE = "example.txt"
_TEXT = "one two\nthree\n"
# Methods that also a text or a list has, such as replace and copy, are not among them: people correct the guess.
_WRITES = frozenset(
    {"write_text", "write_bytes", "mkdir", "makedirs", "unlink", "rename", "touch", "rmdir", "rmtree", "copy2"}
    | {"copyfile", "copytree", "symlink_to", "chmod"}
)
_NETWORK = frozenset({"ftplib", "http", "imaplib", "poplib", "smtplib", "socket", "ssl", "urllib", "xmlrpc"})
_WORD = re.compile(r"[A-Za-z0-9]+")


@dataclass(frozen=True)
class _Argument:
    name: str
    described: dict[str, Any]
    is_given: bool  # has a default

    @property
    def example(self) -> Any:
        """A value that fits."""
        kind = self.described["kind"]
        if "default" in self.described:
            return self.described["default"]
        values = {"path": _FILE, "number": 3, "switch": False, "text": "some words"}
        return self.described["options"][0] if kind == "choice" else values[kind]


def from_code(code: str) -> str:
    """The text of a tool around a piece of Python: each public function is a command. Raises MadeToolFault."""
    if len(code) > MAX_CHARS // 2:
        raise MadeToolFault(1, f"the code has more than {MAX_CHARS // 2:,} characters")
    code = code.replace("\r\n", "\n").strip("\n") + "\n"
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        raise MadeToolFault(line, f"this is not Python: {getattr(error, 'msg', error)}") from error
    functions = [one for one in tree.body if isinstance(one, ast.FunctionDef) and not one.name.startswith("_")]
    if not functions:
        raise MadeToolFault(1, "define a function: its arguments become the parameters of the command")
    effect = _effect(tree)
    made = [_command(one, effect) for one in functions[:MOST_FUNCTIONS]]
    name = _name(functions[0].name)
    head = {
        "tool": name,
        "label": _said(functions[0].name).capitalize()[:60],
        "summary": made[0][1]["summary"],
        "commands": {command: described for command, described, _ in made},
    }
    return f"{_yaml(head)}---\n{code}{''.join(wrapper for _, _, wrapper in made)}"


def from_description(text: str) -> str:
    """A draft of a tool for a person to finish, where there is no model to write its code."""
    text = " ".join(text.split())[:300] or "Says what it does"
    words = _WORD.findall(text.casefold())
    name = _name("_".join(words[:3]))
    on_file = bool({"file", "files", "folder", "document", "table"} & set(words))
    parameters = {"path": {"kind": "path", "title": "File"}} if on_file else {"text": {"kind": "text", "title": "Text"}}
    (parameter,) = parameters
    value = _FILE if on_file else "some words"
    trial = {"params": {parameter: value}, **({"files": {_FILE: _TEXT}} if on_file else {}), "changes": []}
    command = {
        "summary": text,
        "parameters": parameters,
        "phrases": [f"{' '.join(words[:6])} {{{parameter}}}"],
        "effect": "idempotent",
        "results": ["result"],
        "examples": [{parameter: value}],
        "trials": [trial],
    }
    head = {"tool": name, "label": " ".join(words[:3]).capitalize()[:60], "summary": text, "commands": {name: command}}
    return (
        f"{_yaml(head)}---\ndef {name}(params):\n    # Write here what it does; it runs in the sandbox only.\n"
        f'    value = params["{parameter}"]\n'
        '    return {"error_class": "TOOL_UNAVAILABLE", "reason": f"nobody has written yet what to do with {value}"}\n'
    )


def _command(function: ast.FunctionDef, effect: str) -> tuple[str, dict[str, Any], str]:
    """The name of a command, what it says of itself, and the function that the jail calls for it."""
    arguments = list(_arguments(function))
    results = _results(function)
    is_ready = [one.arg for one in function.args.args] == ["params"]
    name = function.name if is_ready else f"run_{function.name}"
    example = {one.name: one.example for one in arguments if not one.is_given}
    described = {
        "summary": _summary(function),
        "parameters": {one.name: one.described for one in arguments},
        "phrases": [_phrase(function.name, arguments)],
        "effect": effect,
        "results": results,
        "examples": [example],
        "trials": list(_trials(function, arguments, results)) or [_plain_trial(arguments, example)],
    }
    return _name(name), described, "" if is_ready else _wrapper(_name(name), function, arguments, results)


def _arguments(function: ast.FunctionDef) -> Iterator[_Argument]:
    given = function.args
    if given.vararg or given.kwarg:
        raise MadeToolFault(function.lineno, f"“{function.name}” takes any arguments; name those of the command")
    if [one.arg for one in given.args] == ["params"]:
        return
    plain = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(plain) - len(given.defaults)) + list(given.defaults)
    for argument, default in [
        *zip(plain, defaults, strict=True),
        *zip(given.kwonlyargs, given.kw_defaults, strict=True),
    ]:
        yield _argument(argument, default)


def _argument(argument: ast.arg, default: ast.expr | None) -> _Argument:
    value = _literal(default)
    described = {"kind": "text", "title": _said(argument.arg).capitalize(), **_described(argument, value)}
    if described["kind"] == "switch":
        return _Argument(argument.arg, described, is_given=True)
    if isinstance(value, str | int) and value != "":
        described["default"] = value if described["kind"] == "number" else str(value)
    elif default is not None:
        described["optional"] = True
    return _Argument(argument.arg, described, is_given=default is not None)


def _described(argument: ast.arg, value: Any) -> dict[str, Any]:
    """What kind of parameter it is, by its annotation, else its default, else its name; empty for a plain text."""
    words = ast.unparse(argument.annotation) if argument.annotation else ""
    if options := re.fullmatch(r"(?:typing\.)?Literal\[(.+)\]", words):
        return {"kind": "choice", "options": [str(one) for one in ast.literal_eval(f"({options[1]},)")]}
    if words == "bool" or isinstance(value, bool):
        return {"kind": "switch", "default": value is True}
    if words == "int" or (isinstance(value, int) and not words):
        return {"kind": "number", "minimum": min(0, value if isinstance(value, int) else 0)}
    is_path = words in ("Path", "pathlib.Path") or _PATH_NAMES.search(argument.arg)
    return {"kind": "path"} if is_path else {}


def _literal(node: ast.expr | None) -> Any:
    try:
        return ast.literal_eval(node) if node is not None else None
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def _results(function: ast.FunctionDef) -> list[str]:
    """The keys of the dict that it returns; `result` for anything else."""
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Dict):
            keys = [
                key.value for key in node.value.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)
            ]
            if keys and "error_class" not in keys:
                return keys
    return ["result"]


def _effect(tree: ast.Module) -> str:
    """A guess for people to correct: what writes or starts programs is “workspace”, what has a network is “once”."""
    modules = {
        alias.name.partition(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
    }
    modules |= {str(node.module).partition(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    if modules & _NETWORK:
        return "once"
    writes = any(isinstance(node, ast.Call) and _writes(node) for node in ast.walk(tree))
    return "workspace" if writes or "subprocess" in modules else "idempotent"


def _writes(call: ast.Call) -> bool:
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    modes = [*(one.value for one in call.keywords if one.arg == "mode"), *call.args[1:2]]
    mode = next((found for one in modes if (found := _literal(one)) is not None), None)
    return called in _WRITES or (called == "open" and isinstance(mode, str) and bool(set(mode) & set("wax+")))


def _phrase(name: str, arguments: list[_Argument]) -> str:
    needed = [one for one in arguments if not one.is_given]
    rest = [one for one in arguments if one.is_given]
    said = _said(name)
    if needed:
        said += f" of {{{needed[0].name}}}"
    said += "".join(f" with {_said(one.name)} {{{one.name}}}" for one in needed[1:])
    return said + "".join(f" [with {_said(one.name)} {{{one.name}}}]" for one in rest)


def _trials(function: ast.FunctionDef, arguments: list[_Argument], results: list[str]) -> Iterator[dict[str, Any]]:
    """A trial for each line `>>> name(values)` whose values and answer are plain ones."""
    for example in doctest.DocTestParser().get_examples(ast.get_docstring(function) or ""):
        try:
            call: ast.AST = ast.parse(example.source.strip(), mode="eval").body
        except SyntaxError:
            continue
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == function.name):
            continue
        values = {one.name: _literal(value) for one, value in zip(arguments, call.args, strict=False)}
        values |= {str(one.arg): _literal(one.value) for one in call.keywords}
        if None in values.values() or len(call.args) > len(arguments):
            continue
        trial = _plain_trial(arguments, values)
        answer = (
            _literal(ast.parse(example.want.strip() or "None", mode="eval").body) if _is_plain(example.want) else None
        )
        if answer is not None:
            trial["result"] = answer if isinstance(answer, dict) else {results[0]: answer}
        yield trial


def _is_plain(text: str) -> bool:
    try:
        ast.literal_eval(text.strip())
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _plain_trial(arguments: list[_Argument], values: dict[str, Any]) -> dict[str, Any]:
    paths = [str(values[one.name]) for one in arguments if one.described["kind"] == "path" and one.name in values]
    return {"params": values, **({"files": dict.fromkeys(paths, _TEXT)} if paths else {})}


def _wrapper(name: str, function: ast.FunctionDef, arguments: list[_Argument], results: list[str]) -> str:
    given = ", ".join(
        f'{one.name}=params["{one.name}"]' for one in arguments if not one.is_given or "default" in one.described
    )
    rest = [one.name for one in arguments if one.is_given and "default" not in one.described]
    more = f"**{{name: params[name] for name in {rest} if name in params}}" if rest else ""
    call = f"{function.name}({', '.join(filter(None, (given, more)))})"
    answer = call if results != ["result"] else f'{{"result": {call}}}'
    said = '"""What the sandbox calls, with the parameters of the command."""'
    return f"\n\ndef {name}(params):\n    {said}\n    return {answer}\n"


def _summary(function: ast.FunctionDef) -> str:
    said = (ast.get_docstring(function) or "").strip().partition("\n")[0].strip()
    return (said or f"{_said(function.name).capitalize()}.")[:300]


def _said(name: str) -> str:
    return " ".join(_WORD.findall(name.replace("_", " "))).casefold() or "do it"


def _name(text: str) -> str:
    name = re.sub(r"[^a-z0-9]+", "_", text.casefold()).strip("_")[:40].strip("_")
    return name if re.match(r"[a-z][a-z0-9_]", name) else f"tool_{name}"[:40]


class _Dumper(yaml.SafeDumper):
    """Texts of several lines as they are, and everything written out: no aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        """Whether a part that stands there twice is written twice."""
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def _yaml(head: dict[str, Any]) -> str:
    return yaml.dump(head, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
