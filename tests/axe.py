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


# The walk over all pages meets the same words on the same grounds hundreds of times, and contrast is three quarters of
# axe's time. What axe let pass once is not asked again: an element with the same colour, size and weight, on
# the same grounds from itself to the root, unless the ground of something that is neither around it nor in it shares
# its place, or it hangs out of one of its own. Only what passed is remembered: faults are found wherever they stand.
_MEMORY = r"""
axe.remembering = async (known, options) => {
  const seen = new Set(known), passed = new Set(), marked = [];
  const styles = new Map(), grounds = new Map();
  const styleOf = (one) => styles.get(one) ?? styles.set(one, getComputedStyle(one)).get(one);
  const isClear = (colour) => colour === "rgba(0, 0, 0, 0)" || colour === "transparent";
  const groundOf = (one) => {
    if (!one) return {said: "", boxes: []};
    if (grounds.has(one)) return grounds.get(one);
    const style = styleOf(one), below = groundOf(one.parentElement);
    const said = [style.opacity, style.mixBlendMode, style.filter, style.backgroundImage, style.backgroundColor].join();
    const isNone = said.startsWith("1,normal,none,none,") && isClear(style.backgroundColor);
    const box = isClear(style.backgroundColor) && style.backgroundImage === "none" ? [] : [one.getBoundingClientRect()];
    const found = isNone ? below : {said: `${below.said}/${said}`, boxes: [...below.boxes, ...box]};
    grounds.set(one, found);
    return found;
  };
  const signature = (one) => {
    const {color, fontSize, fontWeight, textShadow} = styleOf(one);
    return [color, fontSize, fontWeight, textShadow, groundOf(one).said].join();
  };
  const all = [...document.body.querySelectorAll("*")];
  const coloured = all.filter((one) => !isClear(styleOf(one).backgroundColor)
    || styleOf(one).backgroundImage !== "none").map((one) => [one, one.getBoundingClientRect()]);
  const isAlone = (one, box) => !coloured.some(([other, its]) =>
    its.left < box.right - 0.5 && box.left < its.right - 0.5 && its.top < box.bottom - 0.5 && box.top < its.bottom - 0.5
    && !other.contains(one) && !one.contains(other));
  const isWithin = (one, box) => one.scrollWidth <= Math.max(one.clientWidth, box.width) + 1
    && groundOf(one).boxes.every((its) => its.left <= box.left + 1 && box.right <= its.right + 1
      && its.top <= box.top + 1 && box.bottom <= its.bottom + 1);
  for (const one of all) {
    if (!seen.has(signature(one))) continue;
    const box = one.getBoundingClientRect();
    if (isAlone(one, box) && isWithin(one, box)) {
      one.setAttribute("data-contrast-known", "");
      marked.push(one);
    }
  }
  const check = axe._audit.checks["color-contrast"], rule = axe._audit.rules.find((one) => one.id === "color-contrast");
  const {evaluate} = check, {selector} = rule;
  let asked = 0;
  rule.selector = "*:not([data-contrast-known])";
  check.evaluate = function (element, ...rest) {
    const result = evaluate.call(this, element, ...rest);
    asked++;
    if (result === true && isWithin(element, element.getBoundingClientRect())
        && isAlone(element, element.getBoundingClientRect())) passed.add(signature(element));
    return result;
  };
  try {
    return {violations: (await axe.run(document, options)).violations, passed: [...passed], asked};
  } finally {
    [check.evaluate, rule.selector] = [evaluate, selector];
    for (const one of marked) one.removeAttribute("data-contrast-known");
  }
};
"""
REMEMBERING = f"{SCRIPT};{_MEMORY}"
