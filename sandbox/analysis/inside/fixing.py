"""Fixes that ruff calls safe, made in a copy: the workspace does not change unless the command says so.

A safe fix keeps the meaning of a file by itself. Other files may import names from it, so a fix that removes a name is
kept only if no other file here uses that name.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from . import ruff
from .names import asked_for, bound, is_still_python
from .ruff import CANNOT_READ, OutOfTime
from .telling import tell_sometimes
from .walking import LeftOut, Source

# The default rules. Left out although ruff calls them safe: F401 removes imports that another package may use from
# here, F811 and I001 change which of two definitions applies or the order of loading, and RET505 to RET508 are matters
# of taste.
DEFAULT_RULES = ("F", "E4", "E7", "W", "B", "C4", "PIE", "PLE", "PLW", "RET", "SIM", "UP")
_NEVER_UNASKED = ("F401", "F811", "I001", "RET505", "RET506", "RET507", "RET508")
_OLDEST = "py37"  # if no file says which Python the code supports


@dataclass(frozen=True)
class Fixed:
    """A file before and after its fixes."""

    path: str
    before: bytes
    after: bytes


@dataclass
class Fixes:
    """All files that would change; the number of fixes by rule; the files that are left unchanged, with the reason."""

    target: str
    files: list[Fixed] = field(default_factory=list)
    rules: Counter[tuple[str, str]] = field(default_factory=Counter)
    left_alone: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def work_out(
    program: str,
    sources: Sequence[Source],
    rules: Sequence[str],
    target: str,
    until: float,
    left_out: LeftOut,
    others: Sequence[Source],
) -> Fixes:
    """The fixed versions of the Python files except tests. `rules` empty: the default ones.

    `others` are all files that may use a name of these.
    """
    fixes = Fixes(target or _OLDEST)
    files = [source for source in sources if source.is_python and not source.is_test]
    chosen = list(rules) or list(DEFAULT_RULES)
    without = [] if rules else list(_NEVER_UNASKED)
    waiting = [list(batch) for batch in ruff.batches(files)][::-1]
    done = 0
    try:
        while waiting:
            batch = waiting.pop()
            mended = _mended(program, batch, chosen, without, fixes.target, until)
            if mended is None and len(batch) > 1:
                half = len(batch) // 2
                waiting += [batch[half:], batch[:half]]
                continue
            if mended is None:
                left_out.add(CANNOT_READ, batch[0].path)
            fixes.files += mended or []
            done += len(batch)
            tell_sometimes(f"{done:,} of {len(files):,} files are looked through for what can be mended")
        _keep_names(fixes, others)
        _count_rules(program, fixes, files, chosen, without, until)
    except OutOfTime:
        fixes.notes.append("There was no time for all files.")
    return fixes


def _mended(
    program: str, batch: Sequence[Source], rules: Sequence[str], without: Sequence[str], target: str, until: float
) -> list[Fixed] | None:
    """The files of a batch that change; None if one of them crashes ruff. Raises OutOfTime."""
    copy = tempfile.mkdtemp(prefix="mending-")
    try:
        names = {}
        for number, source in enumerate(batch):
            # A folder for each, because ruff treats a file according to its name and its neighbours.
            folder = f"{copy}/{number}"
            os.mkdir(folder)
            names[source.path] = f"{folder}/{_plain(os.path.basename(source.path))}"
            with open(names[source.path], "wb") as file:
                file.write(source.content)
        asked = [*ruff.arguments(program, rules, target, without), "--fix-only", "--no-unsafe-fixes", "--exit-zero"]
        left_s = until - time.monotonic()
        if left_s <= 0:
            raise OutOfTime
        done = subprocess.run(
            [*asked, "--", *names.values()],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=ruff.environment(),
            timeout=left_s,
            check=False,
        )
        if done.returncode != 0:
            return None
        found = []
        for source in batch:
            with open(names[source.path], "rb") as file:
                after = file.read()
            if after != source.content and is_still_python(source.content, after):
                found.append(Fixed(source.path, source.content, after))
        return found
    except subprocess.TimeoutExpired as error:
        raise OutOfTime from error
    finally:
        shutil.rmtree(copy, ignore_errors=True)


def _plain(name: str) -> str:
    """A harmless name that means the same to ruff."""
    stem, ending = os.path.splitext(name)
    return name if stem.isidentifier() and stem.isascii() else f"file{ending}"


def _keep_names(fixes: Fixes, others: Sequence[Source]) -> None:
    """Leaves files unchanged if another file uses a name that would be removed."""
    lost = {fixed.path: bound(fixed.before) - bound(fixed.after) for fixed in fixes.files}
    kept = []
    for fixed in fixes.files:
        wanted = asked_for(lost[fixed.path], fixed.path, others)
        if wanted:
            fixes.left_alone.append((fixed.path, f"another file may use its name {wanted}"))
        else:
            kept.append(fixed)
    fixes.files = kept


def _count_rules(
    program: str, fixes: Fixes, files: Sequence[Source], rules: Sequence[str], without: Sequence[str], until: float
) -> None:
    """The number of fixes by rule in the files that change: what ruff can fix there, and what is left."""
    changed = {fixed.path for fixed in fixes.files}
    asked = [source for source in files if source.path in changed]
    for one in ruff.find(program, asked, rules, fixes.target, until, LeftOut(), without=without):
        if one.is_safe:
            fixes.rules[one.code, one.name] += 1
