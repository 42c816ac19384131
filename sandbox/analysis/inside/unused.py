"""Code that nothing seems to use, by vulture, in a separate process: deeply nested code can crash it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any

from .ruff import CANNOT_READ
from .telling import tell_sometimes
from .walking import LeftOut, Source

LEAST_CONFIDENCE = 60
MOST = 2_000
_STARTS = 12
_NO_TIME = "there was no time left to look for unused code"
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError, OSError, AssertionError)
_START = f"import sys; sys.path.insert(0, sys.argv[1]); from {__package__}.unused import main; main()"


@dataclass(frozen=True)
class Unused:
    """An unused item of `lines` lines. `confidence` is vulture's, in percent."""

    path: str
    line: int
    name: str
    kind: str
    lines: int
    confidence: int


def find(files: list[Source], until: float, left_out: LeftOut) -> tuple[list[Unused], str]:
    """The unused items, largest first, and why there was no search ("" if there was).

    A separate Python searches. A file that crashes it is left out, and it starts again.
    """
    paths = [source.path for source in files]
    for _ in range(_STARTS):
        asked = json.dumps({"files": paths, "until_s": until - time.monotonic()})
        try:
            done = subprocess.run(
                [sys.executable, "-I", "-S", "-c", _START, os.environ["MINDX_KIT"]],
                input=asked.encode(),
                stdout=subprocess.PIPE,
                timeout=max(1.0, until - time.monotonic()),
                check=False,
            )
        except subprocess.TimeoutExpired:
            return [], _NO_TIME
        *_, last = done.stdout.decode("ascii", "replace").splitlines() or [""]
        if done.returncode == 0 and last.startswith("{"):
            told = json.loads(last)
            return [Unused(**one) for one in told["found"]], str(told["why_not"])
        if not last.isdigit():
            break
        left_out.add(CANNOT_READ, paths.pop(int(last)))
    return [], "the search for unused code ended before it was done"


def main() -> None:
    """Reads the order from the standard input. Writes the number of each file before it starts with it, then the
    findings, one a line.
    """
    order = json.load(sys.stdin)
    found: list[dict[str, Any]] = []
    why_not = ""
    try:
        found = _found(order["files"], time.monotonic() + float(order["until_s"]))
    except ImportError as error:
        why_not = f"unused code cannot be looked for with this Python: {error}"
    except TimeoutError:
        why_not = _NO_TIME
    sys.stdout.write(json.dumps({"found": found, "why_not": why_not}))


def _found(paths: list[str], until: float) -> list[dict[str, Any]]:
    from vulture import Vulture

    vulture = Vulture()
    for number, path in enumerate(paths):
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()
        if time.monotonic() > until - 1:
            raise TimeoutError
        # Ruff reports files that are not Python; vulture would print them.
        with contextlib.redirect_stderr(io.StringIO()), contextlib.suppress(*_UNREADABLE):
            vulture.scan(_text(path), filename=path)
        tell_sometimes(f"vulture has read {number + 1:,} of {len(paths):,} files")
    vulture.scavenge([])  # only its knowledge of frameworks: names that these call themselves
    items = vulture.get_unused_code(min_confidence=LEAST_CONFIDENCE, sort_by_size=True)
    return [
        {
            "path": str(item.filename),
            "line": item.first_lineno,
            "name": item.name,
            "kind": item.typ,
            "lines": item.size,
            "confidence": item.confidence,
        }
        for item in reversed(items[-MOST:])
    ]


def _text(path: str) -> str:
    import tokenize

    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
        encoding, _ = tokenize.detect_encoding(file.readline)
        file.seek(0)
        return file.read().decode(encoding, "replace")
