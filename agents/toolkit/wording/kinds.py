"""What a slot takes. In a goal, one-word kinds never take a function word (with, and, that, …) for a value: a file of
that name stands in quotes. The kinds are:

    path    one word, or quoted text       (a file or folder inside the workspace)
    name    one word, or quoted text       (a single name, no slash)
    number  one word of digits
    switch  on, off, true, false, yes, no
    choice  one word; the command's schema says which
    address one word, http://… or https://…
    package one word, as pip reads it: httpx, or httpx>=0.28
    hosts   as text; names of hosts, parted by commas or "and"
    text    one or more words, a quotation only whole
    lines   as text, for a parameter of several lines: \\n and \\t in a quotation are a line break and a tab
"""

from __future__ import annotations

import re

# From the strictest to the most generous.
KINDS = ("name", "path", "number", "switch", "choice", "address", "package", "hosts", "text", "lines")
OF_SEVERAL_WORDS = frozenset({"hosts", "text", "lines"})
SWITCHES = {"on": True, "true": True, "yes": True, "off": False, "false": False, "no": False}
_LITTLE = """
with without and or that which who for from in into inside of to on onto by as at it its then using use named is are
has have not no under below where when if this these my your
"""
FUNCTION_WORDS = frozenset(_LITTLE.split())
_PACKAGE = re.compile(r"[a-z0-9][\w.-]*(\[[\w.,-]+\])?((==|>=|<=|~=|!=|>|<)[\w.*]+)?\Z", re.ASCII | re.IGNORECASE)


def fits(kind: str, raw: str) -> bool:
    """Say whether a word can be a value of this kind; a slot marker of a rule (`{n}`) or a reference always can."""
    if raw.startswith("{") and raw.endswith("}"):
        return True
    if kind == "number":
        return raw.isascii() and raw.isdigit() and len(raw) <= 12
    if kind == "switch":
        return raw.casefold() in SWITCHES
    if kind == "address":
        return raw.casefold().startswith(("http://", "https://"))
    return kind != "package" or _PACKAGE.match(raw) is not None
