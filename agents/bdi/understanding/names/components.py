"""References to parts of the code: “the summarization tool”, `summarization_tool`, “the base generator”."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from typing import cast

from agents.bdi.understanding.names import naming
from agents.bdi.understanding.names.paths import FILE, Candidate, Found, Tree

KINDS = frozenset(
    {"tool", "agent", "component", "module", "generator", "service", "library", "package", "script", "class"}
)
# A test of something has its name and this word.
_UNSAID = naming.KINDS | {"test"}


def locate(words: Sequence[str], tree: Tree) -> Found:
    """Where the component is that these words name, found among the files of the workspace at this moment.

    A component is a file of code, or a package, whose name has all of the words, each whole, abbreviated or misspelt.
    """
    asked = ("component", *words)
    if asked not in tree.found:
        tree.found[asked] = _locate(words, tree)
    return cast(Found, tree.found[asked])


def _locate(words: Sequence[str], tree: Tree) -> Found:
    wanted = naming.own(word for one in words for word in naming.words_of(one))
    if not wanted:
        return Found(None, 0.0, "no component is named")
    ranked = []
    for path, theirs in _of_code(tree):
        if (fit := naming.fit(wanted, theirs, _UNSAID)) is not None:
            score = fit.score * (1.0 if fit.is_whole else 0.85) - (
                0.12 if "test" in theirs or "tests" in path.split("/")[:-1] else 0.0
            )
            ranked.append(
                Candidate(tree.said(path), round(min(score, 0.97), 3), f"the component “{' '.join(words)}” lies there")
            )
    ranked.sort(key=lambda one: (-one.confidence, one.path.count("/"), one.path))
    if (
        ranked
        and ranked[0].confidence >= 0.7
        and (len(ranked) == 1 or ranked[0].confidence - ranked[1].confidence >= 0.05)
    ):
        return Found(ranked[0].path, ranked[0].confidence, ranked[0].why, tuple(ranked[:6]))
    why = "several components may be meant" if ranked else f"no component “{' '.join(words)}” is found here"
    return Found(None, ranked[0].confidence if ranked else 0.0, why, tuple(ranked[:6]))


def _of_code(tree: Tree) -> Sequence[tuple[str, tuple[str, ...]]]:
    """Files of code and folders that hold some, each with the words of its name."""
    asked = ("code",)
    if asked not in tree.found:
        packages = tree.index.packages
        tree.found[asked] = [
            (path, naming.words_of(posixpath.basename(path).removesuffix(".py")))
            for path in tree.visible
            if (path.endswith(".py") if tree.kinds[path] == FILE else path in packages)
        ]
    return cast("Sequence[tuple[str, tuple[str, ...]]]", tree.found[asked])
