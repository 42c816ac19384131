"""What a Python file offers, read from its text: its classes, functions, constants, and what it imports."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from .walking import Source

_MOST_SIGNATURE = 400
_MOST_VALUE = 80


@dataclass(frozen=True)
class Function:
    """A function or a method. `doc` is its whole docstring."""

    name: str
    line: int
    signature: str
    doc: str
    kind: str = ""  # property, class method …


@dataclass(frozen=True)
class Class:
    """A class with what it offers."""

    name: str
    line: int
    bases: tuple[str, ...]
    doc: str
    methods: tuple[Function, ...]
    fields: tuple[str, ...]


@dataclass(frozen=True)
class Module:
    """A file. `name` is how others import it; `imports` are the modules it names, in full; `starts`: it is run."""

    path: str
    name: str
    doc: str
    classes: tuple[Class, ...]
    functions: tuple[Function, ...]
    constants: tuple[tuple[str, str], ...]
    imports: tuple[str, ...]
    exports: tuple[str, ...]
    starts: bool
    problem: str = ""


def read(source: Source, name: str) -> Module:
    """The outline of a file; if it is not Python, only `problem` is set."""
    try:
        tree = ast.parse(source.content)
        return _module(source.path, name, tree)
    except SyntaxError as error:
        problem = f"line {error.lineno or 1} cannot be read: {error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:
        problem = f"it cannot be read: {error or type(error).__name__}"
    return Module(source.path, name, "", (), (), (), (), (), False, problem)


def _module(path: str, name: str, tree: ast.Module) -> Module:
    body = list(_reached(tree.body))
    exports = tuple(_exports(body))
    offered = {one.name: one for one in reversed(body) if _is_definition(one) and _is_offered(one.name, exports)}
    first = sorted(offered.values(), key=lambda one: one.lineno)
    return Module(
        path,
        name,
        _doc(tree),
        tuple(_class(node) for node in first if isinstance(node, ast.ClassDef)),
        tuple(_function(node) for node in first if not isinstance(node, ast.ClassDef)),
        tuple(_constants(body)),
        tuple(sorted(set(_imports(tree, name, is_package=path.endswith("__init__.py"))))),
        exports,
        any(_is_main(node) for node in tree.body) or path.rpartition("/")[2] == "__main__.py",
    )


def _reached(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, those within its `if` and `try` included."""
    for node in body:
        yield node
        if isinstance(node, ast.If) and not _is_main(node):
            yield from _reached([*node.body, *node.orelse])
        elif isinstance(node, ast.Try):
            yield from _reached([*node.body, *(one for each in node.handlers for one in each.body), *node.orelse])


def _is_main(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "__name__" in ast.dump(node.test) and "__main__" in ast.dump(node.test)


def _doc(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    return ast.get_docstring(node) or ""


def _class(node: ast.ClassDef) -> Class:
    # Of several with the same name, such as setters and overloads, the first one describes it.
    methods = {
        one.name: one
        for one in reversed(list(_reached(node.body)))
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and _is_offered(one.name, ("__init__", "__call__"))
    }
    fields = [
        f"{_said(one.target)}: {_said(one.annotation)}" for one in node.body if isinstance(one, ast.AnnAssign)
    ]  # fmt: skip
    return Class(
        node.name,
        node.lineno,
        tuple(map(_said, node.bases)),
        _doc(node),
        tuple(map(_function, sorted(methods.values(), key=lambda one: one.lineno))),
        tuple(fields),
    )


def _is_definition(node: ast.stmt) -> TypeGuard[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    return isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)


def _is_offered(name: str, also: Sequence[str]) -> bool:
    """Whether others are meant to use it: its name does not begin with _, or it is named as one of those."""
    return not name.startswith("_") or name in also


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Function:
    returns = f" -> {_said(node.returns)}" if node.returns is not None else ""
    word = "async " if isinstance(node, ast.AsyncFunctionDef) else ""
    signature = f"{word}{node.name}({_said(node.args)}){returns}"
    kinds = {"property": "property", "cached_property": "property", "staticmethod": "static", "classmethod": "class"}
    decorators = [_said(one).rpartition(".")[2] for one in node.decorator_list]
    kind = next((kinds[one] for one in decorators if one in kinds), "")
    return Function(node.name, node.lineno, _cut(signature, _MOST_SIGNATURE), _doc(node), kind)


def _constants(body: Sequence[ast.stmt]) -> Iterator[tuple[str, str]]:
    """Names in capitals with their values: the constants of a module."""
    for node in body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        for target in targets:
            if isinstance(target, ast.Name) and re.fullmatch(r"[A-Z][A-Z0-9_]*", target.id) and value is not None:
                yield target.id, _cut(_said(value), _MOST_VALUE)


def _exports(body: Sequence[ast.stmt]) -> Iterator[str]:
    for node in body:
        is_all = isinstance(node, ast.Assign) and any(_said(target) == "__all__" for target in node.targets)
        if is_all and isinstance(node, ast.Assign) and isinstance(node.value, ast.List | ast.Tuple):
            yield from (
                one.value for one in node.value.elts if isinstance(one, ast.Constant) and isinstance(one.value, str)
            )


def _imports(tree: ast.Module, name: str, *, is_package: bool) -> Iterator[str]:
    """Imported modules, relative ones in full; for `from a import b` both `a` and `a.b`, one of which is a module."""
    parts = name.split(".")
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            up = node.level - (1 if is_package else 0)
            start = parts[: len(parts) - up] if node.level else []
            of = ".".join([*start, *([node.module] if node.module else [])])
            yield of
            yield from (f"{of}.{alias.name}" for alias in node.names)


def _said(node: ast.AST) -> str:
    try:
        return " ".join(ast.unparse(node).split())
    except (ValueError, RecursionError):
        return "…"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + "…"
