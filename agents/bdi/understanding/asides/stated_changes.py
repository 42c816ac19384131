"""A sentence with a detail of the change, read as part of it: “… The new version is 1.1.0” is “…, version 1.1.0”.

Every place stays its place: what is put in is as long as what is taken out.
"""

from __future__ import annotations

import re

_OF_AGENTS = re.compile(
    r"(?P<quoted>\"[^\"]*\"|“[^“”]*”|`[^`]*`)"
    r"|[.;,:]\s{1,5}(?:(?:and|then|please)\s{1,5}){0,2}"
    r"(?:(?:this|that|it|which)\s{1,5}(?:then\s{1,5})?(?:becomes?|is|makes(?:\s{1,5}it)?|(?:will|should|shall)\s{1,5}be)"
    r"(?:\s{1,5}(?:its|the))?(?:\s{1,5}new)?\s{1,5}version"
    r"|(?:call|make|name|label)\s{1,5}(?:this|that|it)(?:\s{1,5}(?:its|the))?(?:\s{1,5}new)?\s{1,5}version"
    r"|(?:the|its)\s{1,5}new\s{1,5}version\s{1,5}(?:number\s{1,5})?(?:is|(?:will|should|shall)\s{1,5}be)"
    r"|(?:the|its)\s{1,5}version\s{1,5}(?:number\s{1,5})?(?:will|should|shall|must)\s{1,5}be)"
    r"\s{1,5}(?=\d{1,5}(?:\.\d{1,5}){2}(?![\w.]*\w))",
    re.IGNORECASE,
)
_AS_PART = ", version "


def as_parts(text: str) -> str:
    """The text with such sentences as parts of the one before them."""
    return _OF_AGENTS.sub(lambda found: found["quoted"] or _AS_PART.ljust(len(found[0])), text)
