"""A report of the system analyzer as the jail gives it."""

from __future__ import annotations

from typing import Any


def _file(path: str, kind: str, lines: int, complexity: int = 0) -> dict[str, Any]:
    counts = dict.fromkeys(("functions", "findings", "security", "unused"), 1)
    return {"path": path, "kind": kind, "lines": lines, "code": lines, "complexity": complexity, **counts}


def report(path: str = "app/a.py", message: str = "Use of `eval`") -> dict[str, Any]:
    """One with a few of everything; `path` is where its findings are."""
    at = {"path": path, "line": 3}
    return {
        "kind": "analysis",
        "path": "app",
        "target": "3.9",
        "totals": {
            **dict.fromkeys(("files", "lines", "python_files", "python_lines", "code", "comment", "blank"), 2),
            **dict.fromkeys(("functions", "intricate", "findings", "security", "silenced", "unused"), 1),
            "unused_lines": 4,
        },
        "languages": [{"name": "Python", "files": 2, "lines": 100}, {"name": "HTML", "files": 1, "lines": 10}],
        "complexity": {
            "mean": 1.5,
            "bands": [
                {"label": label, "functions": count}
                for label, count in (("1 to 5", 5), ("6 to 10", 1), ("11 to 20", 1), ("21 to 50", 0), ("above 50", 0))
            ],
            "worst": [{**at, "name": "ways", "complexity": 12}],
        },
        "findings": {
            "parts": [{"key": "faults", "name": "Probable faults", "count": 1}],
            "rules": [{"code": "F401", "name": "unused-import", "part": "faults", "count": 1}],
            "top": [{**at, "code": "F401", "message": message, "part": "faults"}],
        },
        "security": {
            "levels": [{"level": "high", "count": 1}, {"level": "medium", "count": 0}, {"level": "low", "count": 0}],
            "top": [{**at, "code": "S307", "message": message, "level": "high", "silenced": True}],
        },
        "unused": {
            "kinds": [{"kind": "unreachable_code", "count": 1}],
            "top": [{**at, "name": "lonely", "kind": "function", "lines": 4, "confidence": 60}],
        },
        "files": [
            _file(path, "Python", 80, 12), _file("app/b.py", "Python", 20, 3), _file("app/p.html", "HTML", 10)
        ],
        "left_out": [{"why": "links", "count": 1, "examples": ["etc"]}],
        "notes": ["A note."],
        "analysers": {"ruff": "1"},
    }  # fmt: skip


REPORT = report()
