"""No file imports, by whatever way round, a file that imports it: each can be read without those above it."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import grimp

PACKAGES = ("agents", "library", "mindx_web", "people", "review", "sandbox")
# A row seals itself when it is saved, and seals are rows.
ALLOWED = {("people.models", "people.sealing")}


def test_imports_never_go_round() -> None:
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=True, cache_dir=None)
    imports = {
        module: {other for other in graph.find_modules_directly_imported_by(module) if (module, other) not in ALLOWED}
        for module in graph.modules
    }
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        raise AssertionError(f"these import each other: {' < '.join(error.args[1])}") from None
