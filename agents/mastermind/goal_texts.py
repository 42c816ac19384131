"""The goals that mindX writes about components: how they are said, and how they are told from what people say.

Rules are written for these sentences. Where none applies nobody has to be asked what they mean.
"""

from __future__ import annotations

import re

_OWN = re.compile(r"(?:Improve the component “[^”]*”(?: with the wish “[^”]*”)?|Audit the code in “[^”]*”)\Z")


def improve(path: str, wish: str = "") -> str:
    """The goal to make a component better: a file as somebody wishes, a folder or a file as far as safe fixes go."""
    said = f"Improve the component “{path}”"
    return f"{said} with the wish “{_quoted(wish)}”" if wish else said


def audit(folder: str) -> str:
    """The goal to look through a component's code."""
    return f"Audit the code in “{folder}”"


def is_own(text: str) -> bool:
    """Whether mindX itself writes goals like this."""
    return bool(_OWN.match(text))


def _quoted(wish: str) -> str:
    """The wish as one quoted value: a quotation mark in it would end it."""
    return wish.replace("“", "'").replace("”", "'").replace('"', "'")
