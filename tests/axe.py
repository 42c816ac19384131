"""axe with a memory for colours, for the tests that hold pages against its rules.

It reads the colours of every element's text and of all that lies behind it from words like `rgb(12, 34, 56)`, each time
anew, by a library for every colour space there is: on a long page a third of its processor time, for some dozens of
different words. What a word says is the same each time (tests/test_axe.py).
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
assert AS_IT_COMES.count(_READ) == 1, "this is another axe: see where it reads colours now"
SCRIPT = AS_IT_COMES.replace(_READ, _READ_ONCE)


def violations(page: Page) -> list[dict[str, Any]]:
    """Which of its rules the page breaks as it stands."""
    page.evaluate(SCRIPT)
    found: list[dict[str, Any]] = page.evaluate(
        "axe.run({resultTypes: ['violations']}).then(found => found.violations)"
    )
    return found
