"""Markdown pages about a code base: an index, and one for each module."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from . import oldest
from .markdown import address, code, fence, link, table, text
from .outline import Class, Function, Module, read
from .telling import counted, shown, tell, tell_sometimes
from .walking import LeftOut, Source, sources

INDEX = "README.md"
_MOST_MODULES = 2_000
_MOST_DOC = 20_000
Json = dict[str, Any]


def modules(place: str, left_out: LeftOut, until: float) -> tuple[list[Module], list[str]]:
    """The outline of every Python file except tests, by name, and notes."""
    files = [source for source in sources(place, left_out) if source.is_python and not source.is_test]
    packages = {os.path.dirname(source.path) for source in files if source.path.endswith("/__init__.py")}
    found: list[Module] = []
    notes = []
    for source in files:
        if len(found) == _MOST_MODULES or time.monotonic() > until:
            notes.append(f"{len(files) - len(found):,} modules are left out: there was no room or no time for them.")
            break
        found.append(read(source, name_of(source, packages)))
        tell_sometimes(f"{len(found):,} of {len(files):,} modules are read")
    return sorted(found, key=lambda module: module.name), notes


def name_of(source: Source, packages: set[str]) -> str:
    """How a file is imported: the folders above it count as long as they are packages."""
    folder, file = os.path.split(source.path)
    parts = [] if file == "__init__.py" else [os.path.splitext(file)[0]]
    while folder and folder in packages:
        parts.insert(0, os.path.basename(folder))
        folder = os.path.dirname(folder)
    return ".".join(parts) or "__init__"


def pages(place: str, to: str, found: Sequence[Module], notes: Sequence[str], left_out: LeftOut) -> dict[str, str]:
    """Each page by its path below `to`."""
    files = _files(found)
    known: dict[str, str] = {}
    for module in found:
        known.setdefault(module.name, files[module.path])
    uses = {module.path: _inner(module, known) for module in found}
    used_by: defaultdict[str, list[str]] = defaultdict(list)
    for module in found:
        for name in uses[module.path]:
            used_by[name].append(module.name)
    tell(f"Writing {counted(len(found) + 1, 'page')}")
    made = {INDEX: "\n".join(_index(place, to, found, files, uses, used_by, notes, left_out))}
    for module in found:
        made[files[module.path]] = "\n".join(_page(module, to, known, uses[module.path], used_by[module.name]))
    return made


def _files(found: Sequence[Module]) -> dict[str, str]:
    """A file name for each module, with letters, digits and dots only; equal names get a number."""
    taken: set[str] = {INDEX.lower()}
    files = {}
    for module in found:
        plain = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "-" for c in module.name)[:120].strip(
            ".-"
        )
        name, number = f"{plain or 'module'}.md", 1
        while name.lower() in taken:
            number += 1
            name = f"{plain or 'module'}-{number}.md"
        taken.add(name.lower())
        files[module.path] = name
    return files


def _inner(module: Module, known: Mapping[str, str]) -> list[str]:
    """The modules of the same code base that it imports."""
    return [name for name in module.imports if name in known and name != module.name]


def _outer(module: Module, known: Mapping[str, str]) -> list[str]:
    """The packages from elsewhere that it imports, without those of Python itself."""
    roots = {name.partition(".")[0] for name in known}
    return sorted({name.partition(".")[0] for name in module.imports} - roots - sys.stdlib_module_names - {""})


def _index(
    place: str,
    to: str,
    found: Sequence[Module],
    files: Mapping[str, str],
    uses: Mapping[str, Sequence[str]],
    used_by: Mapping[str, Sequence[str]],
    notes: Sequence[str],
    left_out: LeftOut,
) -> Iterator[str]:
    yield f"# {code(place or '.')}"
    yield ""
    yield _size(place, found)
    yield ""
    for note in notes:
        yield f"- {text(note)}"
    yield from _table_of_modules(found, files, used_by)
    yield from ("## Where it starts", "")
    yield from table(
        ("Module", "File"),
        ((link(code(one.name), address(files[one.path])), _file(one, to)) for one in found if one.starts),
    )
    yield from _table_of_imports(found, files, uses)
    yield from _table_of_packages(found)
    if left_out.counts:
        yield from ("## Not looked at", "")
        yield from table(
            ("What", "How many:"), ((text(why), f"{count:,}") for why, count in sorted(left_out.counts.items()))
        )
    yield "Read from the text of the files; nothing of them was run."
    yield ""


def _size(place: str, found: Sequence[Module]) -> str:
    classes, functions = sum(len(one.classes) for one in found), sum(len(one.functions) for one in found)
    python = oldest.target(place).replace("py3", "3.")
    said = f", for Python {python} and newer" if python else ""
    sizes = (counted(len(found), "module"), counted(classes, "class", "classes"), counted(functions, "function"))
    return f"{', '.join(sizes)}{said}."


def _table_of_modules(
    found: Sequence[Module], files: Mapping[str, str], used_by: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    yield from ("", "## Modules", "")
    yield from table(
        ("Module", "What it says of itself", "Classes:", "Functions:", "Used by:"),
        (
            (
                link(code(one.name), address(files[one.path])),
                text(_first(one.doc) or one.problem),
                str(len(one.classes)),
                str(len(one.functions)),
                str(len(used_by[one.name])),
            )
            for one in found
        ),
    )


def _table_of_imports(
    found: Sequence[Module], files: Mapping[str, str], uses: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    page_of = {one.name: files[one.path] for one in reversed(found)}  # the first of two with the same name
    yield from ("## Who imports whom", "")
    yield from table(
        ("Module", "Imports"),
        (
            (code(one.name), ", ".join(link(code(name), address(page_of[name])) for name in uses[one.path]))
            for one in found
            if uses[one.path]
        ),
    )


def _table_of_packages(found: Sequence[Module]) -> Iterator[str]:
    known = {one.name: "" for one in found}
    imported_by = Counter(name for one in found for name in _outer(one, known))
    yield from ("## From elsewhere", "")
    yield from table(
        ("Package", "Imported by:"), ((code(name), str(count)) for name, count in sorted(imported_by.items()))
    )


def _file(module: Module, to: str, line: int = 0) -> str:
    """A link to the module's own file."""
    label = code(f"{module.path}:{line}" if line else module.path)
    return link(label, address(os.path.relpath(module.path, to or "."), f"L{line}" if line else ""))


def _page(
    module: Module, to: str, known: Mapping[str, str], uses: Sequence[str], used_by: Sequence[str]
) -> Iterator[str]:
    def others(names: Sequence[str]) -> str:
        return ", ".join(link(code(name), address(known[name])) for name in names) or "none"

    yield f"# {code(module.name)}"
    yield ""
    yield f"{_file(module, to)} · {link('all modules', address(INDEX))}"
    yield ""
    if module.problem:
        yield from (f"It could not be read: {text(module.problem)}.", "")
    yield from _doc(module.doc)
    yield f"- Imports of this code base: {others(uses)}"
    yield f"- Imported by: {others(used_by)}"
    yield f"- From elsewhere: {', '.join(map(code, _outer(module, known))) or 'none'}"
    if module.exports:
        yield f"- Offers by name: {', '.join(map(code, module.exports))}"
    yield ""
    if module.constants:
        yield from ("## Constants", "")
        yield from table(("Name", "Value"), ((code(name), code(value)) for name, value in module.constants))
    if module.functions:
        yield from ("## Functions", "")
        for function in module.functions:
            yield from _function(module, function, to, "###")
    if module.classes:
        yield from ("## Classes", "")
        for one in module.classes:
            yield from _class(module, one, to)


def _class(module: Module, one: Class, to: str) -> Iterator[str]:
    bases = f"({', '.join(one.bases)})" if one.bases else ""
    yield f"### {code(one.name)}"
    yield ""
    yield from fence(f"class {one.name}{bases}")
    yield _file(module, to, one.line)
    yield ""
    yield from _doc(one.doc)
    if one.fields:
        yield from [f"- {code(field)}" for field in one.fields]
        yield ""
    for method in one.methods:
        yield from _function(module, method, to, "####")


def _function(module: Module, function: Function, to: str, head: str) -> Iterator[str]:
    kind = f" ({function.kind})" if function.kind else ""
    yield f"{head} {code(function.name)}{kind}"
    yield ""
    yield from fence(function.signature)
    yield _file(module, to, function.line)
    yield ""
    yield from _doc(function.doc)


def _doc(said: str) -> Iterator[str]:
    """A docstring as plain text: its markup may be of another kind, and must have no effect."""
    if said:
        yield from fence(said[:_MOST_DOC], "text")


def _first(doc: str) -> str:
    """The first sentence of a docstring, on one line."""
    return " ".join(doc.strip().split("\n\n")[0].split())[:200]


def report(place: str, to: str, found: Sequence[Module], notes: Sequence[str], left_out: LeftOut) -> Json:
    """What was written, in numbers."""
    return {
        "path": shown(place) or ".",
        "index": shown(f"{to}/{INDEX}"),
        "modules": len(found),
        "classes": sum(len(one.classes) for one in found),
        "functions": sum(len(one.functions) + sum(len(each.methods) for each in one.classes) for one in found),
        "documented": sum(bool(one.doc) for one in found),
        "unreadable": sum(bool(one.problem) for one in found),
        "notes": list(notes),
        "left_out": sum(left_out.counts.values()),
    }
