"""Context awareness: words that say what kind of thing is wanted, and parts of the code that are named.

They become beliefs about what is meant, which the plan's evidence shows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from agents.bdi.understanding.names import components
from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.words.morphology import bases
from agents.bdi.understanding.words.tokens import WORD, tokens_of
from agents.toolkit.wording.words import quote

TRIGGERS: Mapping[str, tuple[str, str]] = {
    "evolve": ("improvement", "evolve"),
    "improve": ("improvement", "improve, enhance or optimize"),
    "enhance": ("improvement", "improve, enhance or optimize"),
    "optimize": ("improvement", "improve, enhance or optimize"),
    "analyze": ("analysis", "analyze, review or assess"),
    "review": ("analysis", "analyze, review or assess"),
    "assess": ("analysis", "analyze, review or assess"),
    "create": ("creation", "create, deploy or instantiate"),
    "deploy": ("creation", "create, deploy or instantiate"),
    "instantiate": ("creation", "create, deploy or instantiate"),
}
# So many parts of the code are looked for in one text.
MOST_NAMED = 12
_NAMED = re.compile(r"\b(\w+_(?:tool|agent))\b", re.IGNORECASE)
_SPOKEN = re.compile(r"\b(?:the\s{1,9})?((?:[a-z]{1,40}\s{1,9}){1,2})(tool|agent)\b", re.IGNORECASE)
_REVERSED = re.compile(r"\b(tool|agent)\s{1,9}(?:for|of)\s{1,9}((?:[a-z]{1,40}\s?){1,2})", re.IGNORECASE)
_NO_NAME = frozenset(
    {
        "the",
        "a",
        "an",
        "this",
        "that",
        "my",
        "our",
        "your",
        "evolve",
        "improve",
        "enhance",
        "review",
        "every",
        "which",
        "what",
        "use",
        "with",
        "run",
        "call",
        "new",
        "another",
        "of",
        "for",
        "assess",
        "analyze",
        "optimize",
        "create",
        "deploy",
    }
)


def beliefs(text: str, tree: Tree) -> tuple[str, ...]:
    """Sentences about what a text is after, and which component it names, with where that lies now."""
    found: list[str] = []
    for token in tokens_of(text):
        if token.kind == WORD:
            for base in bases(token.text):
                if base in TRIGGERS:
                    found.append(f"The goal asks for an {TRIGGERS[base][0]}.".replace("an creation", "a creation"))
                    break
    for name in references(text):
        located = components.locate(name.replace("_", " ").split(), tree)
        where = f", which lies in {quote(located.value)}" if located.value is not None else ""
        found.append(f"The goal is about the component {quote(name)}{where}.")
    return tuple(dict.fromkeys(found))


def references(text: str) -> tuple[str, ...]:
    """The components that a text names: `x_tool`, `x_agent`, “the x tool”, “the tool for x”."""
    names = [found[1].casefold() for found in _NAMED.finditer(text)]
    for found in _SPOKEN.finditer(text):
        words = [word for word in found[1].casefold().split() if word not in _NO_NAME]
        if words:
            names.append("_".join([*words, found[2].casefold()]))
    for found in _REVERSED.finditer(text):
        words = [word for word in found[2].casefold().split() if word not in _NO_NAME]
        if words:
            names.append("_".join([*words, found[1].casefold()]))
    return tuple(dict.fromkeys(names))[:MOST_NAMED]
