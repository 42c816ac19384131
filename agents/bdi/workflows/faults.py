"""What is wrong with a workflow: where, what, and how to mend it."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from dataclasses import dataclass

_MOST_LISTED = 20


@dataclass(frozen=True, order=True)
class Fault:
    """`line` counts from 1. A warning keeps nobody from processing the workflow."""

    line: int
    message: str
    mend: str = ""
    is_warning: bool = False

    def __str__(self) -> str:
        return f"Line {self.line}: {self.message}.{f' {self.mend}.' if self.mend else ''}"


def nearest(name: str, known: Collection[str]) -> str:
    """What somebody who wrote `name` may have meant, as a mend; else what there is."""
    near = difflib.get_close_matches(name[:60], known, n=1)
    if near:
        return f"Perhaps you mean “{near[0]}”"
    return f"There is {', '.join(sorted(known)[:_MOST_LISTED])}" if known else ""
