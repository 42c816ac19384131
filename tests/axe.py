"""axe with a memory for colours and plain private fields, for the tests that hold pages against its rules.

It reads the colours of every element's text and of all that lies behind it from words like `rgb(12, 34, 56)`, each time
anew, by a library for every colour space there is: on a long page a third of its processor time, for some dozens of
different words. What a word says is the same each time.

Each colour keeps its private fields in maps from objects to values, which browsers needed before they knew such fields:
looking them up and sweeping these maps is a sixth of what is left. Under a symbol in the object itself the same values
are found at once. That both leave every answer as it was is tested (tests/test_axe.py).
"""

from __future__ import annotations

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]
from playwright.sync_api import Page

AS_IT_COMES: str = AXE_SCRIPT
_READ = 'new u(t).toGamut({space:"srgb",method:"clip"}).to("srgb")'
_READ_ONCE = (
    f"((this.constructor.read??={{}})[t]??=(found=>({{r:found.r,g:found.g,b:found.b,alpha:found.alpha}}))({_READ}))"
)
_CHANGES = (
    (_READ, _READ_ONCE),
    ("function me(e,t,n){ge(e,t),t.set(e,n)}", "function me(e,t,n){e[t.at??=Symbol()]=n}"),
    ("function ve(e,t){return e.get(ye(e,t))}", "function ve(e,t){return t[e.at]}"),
    ("function be(e,t,n){e.set(ye(e,t),n)}", "function be(e,t,n){t[e.at]=n}"),
)


def _changed() -> str:
    script = AS_IT_COMES
    for old, new in _CHANGES:
        assert script.count(old) == 1, f"this is another axe: see what became of {old}"
        script = script.replace(old, new)
    return script


SCRIPT = _changed()


def violations(page: Page) -> list[dict[str, Any]]:
    """Which of its rules the page breaks as it stands."""
    page.evaluate(SCRIPT)
    found: list[dict[str, Any]] = page.evaluate(
        "axe.run({resultTypes: ['violations']}).then(found => found.violations)"
    )
    return found
