from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.axe import AS_IT_COMES, REMEMBERING, SCRIPT
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


GOOD = "<p>Words that can be read</p>"
WALKED = "([known]) => axe.remembering(known, {resultTypes: ['violations'], preload: false})"
STYLE = """<style>body { background: white; color: #222; margin: 8px } .dark { background: #444; color: #eee }
.out { position: relative; top: 60px; margin: 0 }
.veil { background: #fff3 } .over { position: relative } .over div { position: absolute; inset: 0; background: #444 }
.over p { position: relative }
.under { display: grid } .under > * { grid-area: 1 / 1; margin: 0 }
.pulled { margin-top: -60px; height: 60px }</style>"""
# Each is a fault whose words have the same look as some that passed, or another look that never did.
FAULTS = {
    "another colour": "<p style='color: #ddd'>Words</p>",
    "another ground": "<div style='background: #333'><p>Words</p></div>",
    "a ground further out": "<div style='background: #333'><section><div><p>Words</p></div></section></div>",
    "a ground that lets through": "<div style='background: #3339'><p>Words</p></div>",
    "a ground further out behind a known veil": "<div style='background: #444'><p class=veil>Words</p></div>",
    "faded": "<div style='opacity: .3'><p>Words</p></div>",
    "something put behind it": "<div class=over><div></div><p>Words</p></div>",
    "pulled onto another": "<div class=dark style='height: 60px'></div><p class=pulled>Words</p>",
    "hanging out of its ground": "<div class=dark style='height: 20px'><p class=out>Words</p></div>",
    "in one cell of a grid": "<div class=under><div class=dark style='height: 4em'></div><p>Words</p></div>",
    "small where large was let pass": "<p style='color: #888; font-size: 12px'>Words</p>",
}


def _document(*parts: str) -> str:
    large = "<h2 style='color: #888; font-size: 40px'>Large</h2>"
    words = f"<p class=dark>Light words on dark</p><p class=veil>Veiled</p>{large}"
    body = f"<main><h1>Title</h1>{GOOD}{words}{''.join(parts)}</main>"
    return f"<!doctype html><html lang=en><title>t</title>{STYLE}<body>{body}"


def _contrasts(found: dict[str, Any]) -> list[str]:
    nodes = [one["nodes"] for one in found["violations"] if one["id"] == "color-contrast"]
    return sorted(node["html"] for some in nodes for node in some)


def test_a_contrast_that_passed_is_not_looked_at_again_and_every_other_fault_is_found(chromium: Browser) -> None:  # noqa: F811
    page = chromium.new_page()

    def walk(known: list[str], *parts: str) -> tuple[dict[str, Any], list[str]]:
        page.set_content(_document(*parts))
        page.evaluate(REMEMBERING)
        plain = page.evaluate("() => axe.run({resultTypes: ['violations'], preload: false})")
        return page.evaluate(WALKED, [known]), _contrasts(plain)

    first, faults = walk([])
    assert faults == _contrasts(first) == []
    assert first["asked"] >= 4
    again, _ = walk(first["passed"], *([GOOD] * 50))
    assert again["asked"] == 0
    missed = {}
    for name, part in FAULTS.items():
        found, faults = walk(first["passed"], part)
        if not faults or _contrasts(found) != faults:
            missed[name] = (_contrasts(found), faults)
    assert missed == {}
    page.close()
