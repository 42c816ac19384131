"""Whether a dump comes from a newer mindX than this one: its tables have migrations that are not known here."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from mindx_web.backup.contents import BackupRefused
from mindx_web.backup.postgres_tools import said_by

_NUMBER = re.compile(r"\d{4}")
_REPLACED = re.compile(r'\("(\w+)", "(\d{4}_\w+)"\)')


def check_not_newer(dump: Path, project: Path) -> None:
    """Raises BackupRefused, also when the dump cannot be read."""
    rows = said_by("pg_restore", ["--data-only", "--table=django_migrations", "--file=-", str(dump)])
    newer = newer_than(newest_in(project), _applied(rows), replaced_in(project))
    if newer:
        raise BackupRefused(
            f"This backup was made by a newer mindX (it has {', '.join(newer[:3])}). Restore it with that version."
        )


def newest_in(project: Path) -> dict[str, int]:
    """By app: the number of its newest migration in this version."""
    found: dict[str, int] = {}
    for path in project.glob("*/migrations/[0-9][0-9][0-9][0-9]_*.py"):
        app = path.parent.parent.name
        found[app] = max(found.get(app, 0), int(path.name[:4]))
    return found


def replaced_in(project: Path) -> set[tuple[str, str]]:
    """App and name of every migration that one of this version replaces: an older mindX had them, no newer one."""
    lists = (path.read_text(encoding="utf-8") for path in project.glob("*/migrations/_replaced.py"))
    return {(app, name) for text in lists for app, name in _REPLACED.findall(text)}


def newer_than(
    newest: Mapping[str, int], applied: Iterable[tuple[str, str]], replaced: Collection[tuple[str, str]] = ()
) -> list[str]:
    """Those of the applied migrations that are newer than the newest of their app here. Apps of others do not count.

    Migrations that were taken out since have lower numbers.
    """
    return [
        f"{app}.{name}"
        for app, name in applied
        if app in newest
        and (app, name) not in replaced
        and (number := _NUMBER.match(name))
        and int(number[0]) > newest[app]
    ]


def _applied(rows: str) -> list[tuple[str, str]]:
    """App and name out of `COPY public.django_migrations (id, app, name, applied) FROM stdin;`."""
    cells = (line.split("\t") for line in rows.splitlines() if line.count("\t") == 3)
    return [(app, name) for _, app, name, _ in cells]
