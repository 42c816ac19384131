from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.axe import AS_IT_COMES, SCRIPT
from tests.browser import chromium  # noqa: F401  # a fixture

pytestmark = pytest.mark.browser
# Good and bad contrasts, see-through over see-through, mixed, in words of several kinds, and one that is none.
COLOURS = (
    *(("#777", "#888"), ("rgb(0 0 0 / 40%)", "white"), ("hsl(120deg 100% 25%)", "#efe"), ("oklch(70% .1 200)", "#fff")),
    *(("white", "color-mix(in srgb, red, white)"), ("#ffffff80", "rgba(0, 0, 0, .3)"), ("lab(50% 40 20)", "#eee")),
)
PAGE = (
    "<!doctype html><html lang=en><title>t</title><body style='background: #fafafa'><main><h1>Colours</h1>"
    + "".join(
        f"<div style='background: {behind}; opacity: {opacity}; mix-blend-mode: {mixed}'>"
        f"<p style='color: {colour}'>Some words</p><a style='color: {colour}' href='#x'>a way</a></div>"
        for colour, behind in COLOURS
        for opacity in ("1", ".6")
        for mixed in ("normal", "multiply")
    )
)
EVERYTHING = "() => axe.run(document, {resultTypes: ['violations', 'incomplete', 'passes']})"


def test_axe_with_a_memory_for_colours_finds_what_axe_finds(chromium: Browser) -> None:  # noqa: F811
    found: list[dict[str, Any]] = []
    for script in (AS_IT_COMES, SCRIPT):
        page = chromium.new_page()
        page.set_content(PAGE)
        page.evaluate(script)
        found.append(page.evaluate(EVERYTHING))
        page.close()
    theirs, ours = ({kind: one[kind] for kind in ("violations", "incomplete", "passes")} for one in found)
    contrast = [one for kind in theirs.values() for one in kind if one["id"] == "color-contrast"]
    assert sum(len(one["nodes"]) for one in contrast) > 2 * len(COLOURS)
    assert any(one["id"] == "color-contrast" for one in theirs["violations"])
    assert ours == theirs
