"""`python -m tests.sandbox.escapes.classes`: the attempts by class, and what is expected of them."""

from __future__ import annotations

import sys
from collections import Counter

from tests.sandbox.escapes.attempts import ROWS
from tests.sandbox.escapes.attempts.row import ENDS, HELD, SEEN
from tests.sandbox.escapes.file_rows import FILE_ROWS


def main() -> None:
    lines = ["| class | in the jail | held at L2 | ended by a limit | on the file commands |", "|---|---|---|---|---|"]
    by_command = Counter(row.kind for row in FILE_ROWS)
    for kind in dict.fromkeys([*(row.kind for row in ROWS), *by_command]):
        rows = [row for row in ROWS if row.kind == kind]
        held = sum(row.expect["L2"] not in (SEEN, ENDS) for row in rows)
        limited = sum(row.expect["L3"] != HELD for row in rows)
        lines.append(f"| {kind} | {len(rows)} | {held} | {limited} | {by_command[kind]} |")
    sys.stdout.write("\n".join([*lines, f"| all | {len(ROWS)} | | | {len(FILE_ROWS)} |", ""]))


if __name__ == "__main__":
    main()
