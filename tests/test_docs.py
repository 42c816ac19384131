"""What README, CONTRIBUTING and docs/ name is there: pages, headings, paths, targets of make, commands, variables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from django.core.management import get_commands

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
CODE = ("mindx_web", "review", "agents", "library", "people", "sandbox", "scripts", "benchmarks", "training")
TOP = "|".join((*CODE, "tests", "docs", "templates", "static"))
# Files that a reader is told to make, and folders below the data folder.
NOT_OURS = {
    "agents/toolkit/tools/word_count.py",
    "agents/rules/starter/words.rule",
    "sandbox/history",
    "sandbox/packages",
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_names_is_there(page: Path) -> None:
    text = page.read_text()
    assert [*_links(page, text), *_paths(text), *_commands(text), *_variables(text)] == []


def test_the_map_names_no_module_that_is_no_more() -> None:
    modules = {file.name for top in CODE for file in (ROOT / top).rglob("*.*")}
    named = re.findall(r"`(\w+\.(?:py|sql))`", (ROOT / "docs/architecture.md").read_text())
    assert named
    assert [name for name in named if name not in modules] == []


def _links(page: Path, text: str) -> Iterator[str]:
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not link.startswith("http") and not (target.exists() and (not anchor or anchor in _anchors(target))):
            yield link


@cache
def _anchors(page: Path) -> frozenset[str]:
    """The headings of a page, as code hosts spell them in addresses."""
    lines = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return frozenset(re.sub(r"[^\w\- ]", "", line).strip().lower().replace(" ", "-") for line in lines)


def _paths(text: str) -> list[str]:
    """Paths with a pattern, and numbers of decisions, stand for what they fit."""
    named = set(re.findall(rf"`((?:{TOP})/[\w./*-]*)`", text)) - NOT_OURS
    return [path for path in named if not any(ROOT.glob(path)) and not any(ROOT.glob(f"{path}-*"))]


def _commands(text: str) -> list[str]:
    shown = "\n".join(re.findall(r"```[\s\S]*?```", text))
    made = {*re.findall(r"`make ([a-z-]+)", text), *re.findall(r"^(?:\$ )?make ([a-z-]+)", shown, re.MULTILINE)}
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    return [*made.difference(targets), *set(re.findall(r"manage\.py (\w+)", text)).difference(get_commands())]


def _variables(text: str) -> set[str]:
    return set(re.findall(r"\bMINDX_[A-Z_]*[A-Z]\b", text)) - _read()


@cache
def _read() -> frozenset[str]:
    """Every variable that the product's code, its scripts or its containers name."""
    files = [file for top in CODE for file in (ROOT / top).rglob("*") if file.suffix in (".py", ".sh")]
    texts = (file.read_text() for file in (*files, ROOT / "Makefile", ROOT / "Dockerfile", ROOT / "compose.yaml"))
    return frozenset(name for text in texts for name in re.findall(r"\bMINDX_[A-Z_]*[A-Z]\b", text))
